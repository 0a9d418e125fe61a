import gc
from pathlib import Path

import pytest

from du_eval.errors import SuiteError
from du_eval.suites.load import load_suite, read_suite
from du_eval.suites.model import PLACEHOLDER, BotStep, ExpectedText, Fixture, StubbedAction, UserStep
from tests.suites.writing import (
    FIRST_EXAMPLE,
    FIXTURES,
    METADATA,
    SECOND_EXAMPLE,
    STUBS,
    loaded,
    one_case,
    steps,
    write,
)


class TestTheExamplesOfTheDocument:
    def test_the_first_one_is_read_with_all_lines(self, tmp_path: Path) -> None:
        case = one_case(tmp_path, FIRST_EXAMPLE)
        assert (case.name, case.line) == ("user_notes_down_a_friend", 2)
        assert case.steps == (
            UserStep("please note down a new friend", ((ExpectedText("StartFlow(add_contact)", 6),),), 4),
            BotStep(7, response="utter_ask_friend_handle"),
            UserStep("mine is @adale", ((ExpectedText("SetSlot(handle, @adale)", 10),),), 8),
            BotStep(11, text="And what is the name?"),
            UserStep("simply Ada", ((ExpectedText("SetSlot(name, Adal)", 14),),), 12),
        )

    def test_the_second_one_is_read_with_yes_as_a_text(self, tmp_path: Path) -> None:
        case = one_case(tmp_path, SECOND_EXAMPLE)
        assert [step.text for step in case.user_steps][-1] == "yes"
        assert case.steps[3] == BotStep(12, response=PLACEHOLDER)
        assert [len(step.alternatives[0]) for step in case.user_steps] == [2, 1, 1, 1]


class TestTexts:
    @pytest.mark.parametrize("text", ["yes", "no", "off", "012", "1.10", "12:30:45", "=", "null", "~", "5"])
    def test_what_the_user_says_is_text_as_written(self, tmp_path: Path, text: str) -> None:
        case = one_case(tmp_path, steps(f"- user: {text}\n  commands: []\n- bot: {text}"))
        assert case.steps == (UserStep(text, ((),), 4), BotStep(6, text=text))

    def test_a_case_may_be_called_by_a_number(self, tmp_path: Path) -> None:
        assert one_case(tmp_path, steps("- bot: hi").replace("a case", "042")).name == "042"

    def test_a_user_may_say_nothing(self, tmp_path: Path) -> None:
        assert one_case(tmp_path, steps("- user: ''\n  commands: []")).user_steps[0].text == ""

    def test_a_text_that_yaml_cuts_is_warned_about(self, tmp_path: Path) -> None:
        suite = loaded(tmp_path, steps("- user: pay #5\n  commands: []"))
        assert suite.cases[0].user_steps[0].text == "pay"
        assert [warning.partition(": ")[2] for warning in suite.warnings] == [
            "the text ends before '#5': YAML reads it as a comment (quote the whole text, or put a space after the #)"
        ]


class TestExpectations:
    def test_an_empty_list_expects_no_command(self, tmp_path: Path) -> None:
        assert one_case(tmp_path, steps("- user: hm\n  commands: []")).user_steps[0].alternatives == ((),)

    def test_alternatives_are_kept_in_order(self, tmp_path: Path) -> None:
        text = (
            "- user: hm\n  any_of:\n    - [ChitChat()]\n    - []\n    - - CancelFlow()\n      - StartFlow(a)"
        )
        assert one_case(tmp_path, steps(text)).user_steps[0].alternatives == (
            (ExpectedText("ChitChat()", 6),),
            (),
            (ExpectedText("CancelFlow()", 8), ExpectedText("StartFlow(a)", 9)),
        )

    def test_a_bot_may_speak_first(self, tmp_path: Path) -> None:
        assert (
            one_case(tmp_path, steps("- utter: utter_hi\n- user: a\n  commands: []")).steps[0].response
            == "utter_hi"
        )


class TestFixtures:
    def test_a_case_has_its_fixtures_in_the_order_it_lists_them(self, tmp_path: Path) -> None:
        assert one_case(tmp_path, FIXTURES).fixtures == (
            Fixture("dutch", {"language": "nl", "nothing": None}),
            Fixture("premium", {"membership": "premium", "age": 42, "newsletter": True, "note": "7"}),
        )

    def test_the_first_definition_of_a_name_holds(self, tmp_path: Path) -> None:
        text = "fixtures: [{f: [{a: 1}]}, {f: [{a: 2}]}]\ntest_cases: [{test_case: c, fixtures: [f], steps: [{bot: x}]}]"
        assert one_case(tmp_path, text).fixtures == (Fixture("f", {"a": 1}),)

    def test_an_empty_list_of_fixtures_is_fine(self, tmp_path: Path) -> None:
        text = "fixtures: []\ntest_cases: [{test_case: c, fixtures: [], steps: [{bot: x}]}]"
        assert one_case(tmp_path, text).fixtures == ()

    def test_a_fixture_of_another_file_is_found_whatever_the_order(self, tmp_path: Path) -> None:
        uses = "test_cases: [{test_case: c, fixtures: [f], steps: [{bot: x}]}]"
        defines = "fixtures: [{f: [{a: 1}]}]\ntest_cases: [{test_case: d, steps: [{bot: x}]}]"
        suite = load_suite([write(tmp_path, a_uses=uses, b_defines=defines, c_uses=uses)])
        assert [case.fixtures for case in suite] == [(Fixture("f", {"a": 1}),), (), (Fixture("f", {"a": 1}),)]

    def test_a_files_own_fixture_comes_before_others(self, tmp_path: Path) -> None:
        text = "fixtures: [{f: [{a: %s}]}]\ntest_cases: [{test_case: c, fixtures: [f], steps: [{bot: x}]}]"
        suite = load_suite([write(tmp_path, a=text % 1, b=text % 2)])
        assert [case.fixtures[0].slots for case in suite] == [{"a": 1}, {"a": 2}]

    def test_a_name_that_two_other_files_define_differently_is_refused(self, tmp_path: Path) -> None:
        text = "fixtures: [{f: [{a: %s}]}]\ntest_cases: [{test_case: c, steps: [{bot: x}]}]"
        uses = "test_cases:\n- test_case: c\n  fixtures:\n  - f\n  steps: [{bot: x}]"
        _, (problem,) = read_suite([write(tmp_path, a=text % 1, b=text % 2, c=uses)])
        assert (problem.line, problem.message) == (4, "fixture 'f' is defined differently elsewhere")
        assert problem.hint == "define it in this file"


class TestMetadata:
    def test_a_step_has_the_metadata_of_its_case(self, tmp_path: Path) -> None:
        assert loaded(tmp_path, METADATA).cases[0].user_steps[0].metadata == {
            "channel": "web",
            "user": {"age": 5},
        }

    def test_where_both_speak_the_step_wins(self, tmp_path: Path) -> None:
        assert loaded(tmp_path, METADATA).cases[0].user_steps[1].metadata == {
            "channel": "voice",
            "user": {"age": 5},
            "loud": "yes",
            "sure": True,
        }

    def test_without_metadata_there_is_none(self, tmp_path: Path) -> None:
        case = loaded(tmp_path, METADATA).cases[1]
        assert (case.metadata, case.user_steps[0].metadata) == ({}, {})
        assert case.user_steps[1].metadata == {"channel": "voice", "loud": "yes", "sure": True}


class TestStubs:
    def test_a_stub_of_the_case_comes_before_one_of_the_file(self, tmp_path: Path) -> None:
        stubs = loaded(tmp_path, STUBS).cases[0].stubs
        assert set(stubs) == {"check", "check_more"}
        assert stubs["check"] == StubbedAction("check", (), ({"text": "case"},))

    def test_other_cases_have_the_stub_of_the_file(self, tmp_path: Path) -> None:
        stubs = loaded(tmp_path, STUBS).cases[1].stubs
        assert stubs["check"].events == ({"event": "slot", "name": "ok", "value": 1},)
        assert stubs["check_more"].responses == ({"text": "by file name"},)

    def test_the_order_in_the_file_does_not_matter(self, tmp_path: Path) -> None:
        lines = STUBS.split("\n")
        turned = "\n".join([lines[0], *reversed(lines[1:6]), *lines[6:]])
        assert loaded(tmp_path, turned).cases[0].stubs == loaded(tmp_path, STUBS).cases[0].stubs

    def test_a_stub_for_no_case_is_pointed_out_with_its_line(self, tmp_path: Path) -> None:
        text = "stub_custom_actions:\n  check: {}\n  my_cas::check: {}\ntest_cases:\n- test_case: my case\n  steps: [{bot: x}]"
        (warning,) = loaded(tmp_path, text).warnings
        assert ":3: the stub 'my_cas::check' is never used: there is no case 'my_cas' in this file" in warning
        assert "did you mean 'my_case'" in warning
        assert loaded(tmp_path, text.replace("my_cas::", "my_case::")).warnings == ()

    def test_a_file_without_stubs_has_none(self, tmp_path: Path) -> None:
        assert one_case(tmp_path, steps("- bot: hi")).stubs == {}


class TestFiles:
    def test_files_of_a_folder_come_in_the_order_of_paths(self, tmp_path: Path) -> None:
        (tmp_path / "b").mkdir()
        write(tmp_path, c=steps("- bot: c"), a=steps("- bot: a"))
        write(tmp_path / "b", z=steps("- bot: z"))
        (tmp_path / "b" / "y.yaml").write_text(steps("- bot: y"), encoding="utf-8")
        suite = load_suite([tmp_path])
        assert suite.files == tuple(
            str(tmp_path / name) for name in ("a.yml", "b/y.yaml", "b/z.yml", "c.yml")
        )
        assert (len(suite), [case.steps[0].text for case in suite]) == (4, ["a", "y", "z", "c"])

    def test_a_path_that_is_given_twice_is_read_once(self, tmp_path: Path) -> None:
        write(tmp_path, a=steps("- bot: a"))
        assert len(load_suite([tmp_path, tmp_path / "a.yml", str(tmp_path)])) == 1

    def test_other_yaml_files_in_a_folder_are_passed_over(self, tmp_path: Path) -> None:
        write(tmp_path, domain="slots: {}\n", broken="a: [", suite=steps("- bot: a"))
        (tmp_path / "notes.txt").write_text("test_cases: 5", encoding="utf-8")
        assert len(load_suite([tmp_path])) == 1

    def test_another_yaml_file_that_is_named_is_refused(self, tmp_path: Path) -> None:
        write(tmp_path, domain="slots: {}\n")
        with pytest.raises(SuiteError, match=r"domain.yml:1: unknown key 'slots'"):
            load_suite([tmp_path / "domain.yml"])

    def test_a_folder_without_test_files_gives_an_empty_suite(self, tmp_path: Path) -> None:
        assert len(load_suite([tmp_path])) == 0

    def test_a_byte_order_mark_is_passed_over(self, tmp_path: Path) -> None:
        (tmp_path / "a.yml").write_text(steps("- bot: a"), encoding="utf-8-sig")
        assert len(load_suite([tmp_path])) == 1

    def test_every_path_that_leads_nowhere_is_told(self, tmp_path: Path) -> None:
        write(tmp_path, a=steps("- bot:"))
        with pytest.raises(SuiteError) as caught:
            load_suite([tmp_path / "x", tmp_path / "a.yml", tmp_path / "y"])
        assert [str(problem).replace(str(tmp_path), ".") for problem in caught.value.problems] == [
            "no such file or folder: ./x",
            "no such file or folder: ./y",
            "./a.yml:4: 'bot' is empty (write a value, [] for an empty list, or remove the key)",
        ]

    def test_a_file_in_another_encoding_is_told(self, tmp_path: Path) -> None:
        (tmp_path / "a.yml").write_bytes("test_cases: ä".encode("latin-1"))
        with pytest.raises(
            SuiteError, match=r"a.yml:1: is not UTF-8: the byte 0xe4 \(convert the file to UTF-8\)"
        ):
            load_suite([tmp_path])

    def test_two_cases_of_one_name_are_warned_about(self, tmp_path: Path) -> None:
        suite = loaded(tmp_path, "test_cases:\n" + "- {test_case: same, steps: [{bot: x}]}\n" * 2)
        assert len(suite) == 2
        assert suite.warnings[0].endswith(
            "suite.yml:3: a second case is called 'same' (first in line 2) (give it a name of its own)"
        )

    def test_equal_names_in_different_files_are_fine(self, tmp_path: Path) -> None:
        write(tmp_path, a=steps("- bot: x"), b=steps("- bot: x"))
        suite = load_suite([tmp_path])
        assert suite.warnings == ()
        assert [case.id for case in suite] == [f"{tmp_path / name}::a case" for name in ("a.yml", "b.yml")]

    @pytest.mark.parametrize("was_on", [True, False])
    def test_the_garbage_collector_is_left_as_it_was(self, tmp_path: Path, was_on: bool) -> None:
        try:
            if not was_on:
                gc.disable()
            read_suite([tmp_path / "nowhere"])
            assert gc.isenabled() is was_on
        finally:
            gc.enable()
