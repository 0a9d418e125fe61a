from pathlib import Path

import pytest

from du_eval.assistants.load import find_assistant

from .library import write


@pytest.mark.parametrize(
    ("domain", "flows"), [("domain", "flows"), ("domain__a", "data__a"), ("domain", "flows__a")]
)
def test_the_closest_folder_with_domain_and_flows_is_found(tmp_path: Path, domain: str, flows: str) -> None:
    write(tmp_path, domain="", flows="")
    write(tmp_path / "inner", **{domain: "", flows: "", "tests__deep__case": ""})
    assert find_assistant(tmp_path / "inner" / "tests" / "deep" / "case.yml") == tmp_path / "inner"


def test_a_folder_may_be_the_assistant_itself(tmp_path: Path) -> None:
    write(tmp_path, domain="", flows="")
    assert find_assistant(tmp_path) == tmp_path


def test_a_domain_alone_is_no_assistant(tmp_path: Path) -> None:
    write(tmp_path / "a" / "b" / "c" / "d" / "e" / "f" / "g", domain="")
    assert find_assistant(tmp_path / "a" / "b" / "c" / "d" / "e" / "f" / "g") is None


def test_the_search_ends_after_six_levels(tmp_path: Path) -> None:
    write(tmp_path, domain="", flows="")
    six = tmp_path.joinpath(*"abcdef")
    write(six / "g", case="")
    assert find_assistant(six) == tmp_path
    assert find_assistant(six / "g") is None
