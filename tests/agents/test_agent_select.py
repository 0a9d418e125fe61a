"""Cases are selected by path, name and expression; all problems of all files are told together."""

import pytest

from du_eval.agents.select import Selection, select_cases
from du_eval.errors import InputError, NothingSelectedError

CASE = "agent: a\ninteractions: [ {} ]"


@pytest.fixture
def folder(tmp_path):
    for name in ("one.hocon", "deep/two.yaml", "_part.hocon", ".hidden/x.hocon", "notes.txt"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(
            "agent: a\ninteractions: [ {} ]" if name.endswith("hocon") else "agent: a\ninteractions: [{}]"
        )
    return tmp_path


def names(*targets, **options):
    return [case.name for case in select_cases(Selection(tuple(map(str, targets)), **options)).cases]


def test_a_folder_holds_the_cases_below_it_but_no_parts(folder):
    assert names(folder) == ["deep/two", "one"]


def test_a_case_is_selected_by_name(folder):
    assert names(f"{folder}::deep/two") == names(f"{folder}::two") == ["deep/two"]
    with pytest.raises(InputError, match="did you mean 'one'"):
        names(f"{folder}::onee")


def test_the_same_file_twice_is_one_case(folder):
    assert len(names(folder / "one.hocon", folder)) == 2


@pytest.mark.parametrize(
    ("keyword", "expected"),
    [("two", ["deep/two"]), ("not two and one", ["one"]), ("(one or two) and deep/", ["deep/two"])],
)
def test_words_select(folder, keyword, expected, monkeypatch):
    monkeypatch.chdir(folder)
    assert names("deep", "one.hocon", keyword=keyword) in (expected, ["two"])


def test_cases_are_left_out_by_name_or_path(folder):
    assert names(folder, deselected=("one",)) == ["deep/two"]
    assert names(folder, deselected=(f"{folder}::two",)) == ["one"]
    with pytest.raises(NothingSelectedError):
        names(folder, deselected=("one", str(folder / "deep/two.yaml")))


@pytest.mark.parametrize("expression", ["and", "a or", "(a", "a b", "not"])
def test_an_expression_that_is_none_is_told(folder, expression):
    with pytest.raises(InputError, match="-k cannot be read"):
        names(folder, keyword=expression)


def test_a_name_with_blanks_is_selected_in_quotes(folder):
    (folder / "two words.hocon").write_text((folder / "one.hocon").read_text())
    assert names(folder, keyword="'two words' and not deep") == ["two words"]


def test_all_problems_of_all_files_are_told_together(folder):
    (folder / "bad.hocon").write_text("agnt: a\ninteractions: [ {} ]")
    (folder / "worse.yaml").write_text("agent: a")
    with pytest.raises(InputError) as caught:
        names(folder, "nowhere", folder / "notes.txt")
    assert len(caught.value.problems) == 5
