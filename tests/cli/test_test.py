"""`du-eval test` at the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from du_eval.parsers.yaml_parser import parse_yaml
from tests.cli.calling import Caller
from tests.reading import read_file, read_run

CUSTOM = """\
test_cases:
  - test_case: custom
    steps:
      - user: stop, and test
        commands:
          - Cancel()
          - Test()
"""
THREE_WORDS = ("--additional-commands", "my_module.CustomCancelFlow", "my_module.TestCommand")


def test_all_passed_is_exit_code_0(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:perfect", "--no-output")
    assert answer.code == 0
    assert "1 of 1 test cases passed" in answer.out


def test_a_failure_is_shown_as_documented_and_is_exit_code_1(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:swapped", "--no-output")
    assert answer.code == 1
    assert "------------- test_case: seed.yml::user_notes_down_a_friend -------------" in answer.out
    assert "Number of failed steps: 1" in answer.out
    assert "== failure starting at user message 'mine is @adale'." in answer.out
    assert "-- EXPECTED --          | -- PREDICTED --" in answer.out
    assert "SetSlot(handle, @adale) | SetSlot(name, @adale)" in answer.out
    assert "start flow (total count: 1):" in answer.out


def test_a_generator_that_crashes_on_every_third_step_gives_a_full_report_and_exit_code_3(
    call: Caller, work: Path
) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:every_third", "--output-file", "report.json")
    assert answer.code == 3
    assert "1 x every_third raised RuntimeError: the model is down" in answer.out
    data = read_file(work / "report.json")
    assert data["steps"] == {"passed": 2, "failed": 0, "errored": 1}
    assert data["measured"]["accuracy"]["value"] == 1.0
    assert data["measured"]["accuracy"]["n"] == 2
    assert sum(m["counts"]["total"] for m in data["commands"].values()) == 2


def test_custom_commands_work_as_documented(call: Caller, work: Path) -> None:
    (work / "custom.yml").write_text(CUSTOM, encoding="utf-8")
    answer = call(
        "test",
        "custom.yml",
        *THREE_WORDS,
        "--remove-default-commands",
        "CancelFlow",
        "-g",
        "my_module:perfect",
        "--no-output",
    )
    assert answer.code == 0, answer.err
    assert "cancel flow (total count: 1):" in answer.out
    assert "test (total count: 1):" in answer.out


def test_a_list_of_commands_may_stand_before_the_path(call: Caller, work: Path) -> None:
    (work / "custom.yml").write_text(CUSTOM, encoding="utf-8")
    answer = call(
        "test",
        "-g",
        "my_module:perfect",
        "--no-output",
        "--remove-default-commands",
        "CancelFlowCommand",
        *THREE_WORDS,
        "custom.yml",
    )
    assert answer.code == 0, answer.err


def test_several_commands_may_stand_in_quotes(call: Caller, work: Path) -> None:
    (work / "custom.yml").write_text(CUSTOM, encoding="utf-8")
    quoted = (
        "--additional-commands",
        " ".join(THREE_WORDS[1:]),
        "--remove-default-commands",
        "CancelFlow ChitChat",
    )
    answer = call("test", "custom.yml", *quoted, "-g", "my_module:perfect", "--no-output")
    assert answer.code == 0, answer.err


def test_the_words_of_the_official_command_are_answered(call: Caller, work: Path) -> None:
    answer = call("test", "du", "seed.yml")
    assert answer.code == 2
    assert "no such file or folder: du (`rasa test du PATH` is `du-eval test PATH` here)" in answer.err


def test_without_the_custom_commands_their_expectations_are_errors_with_lines(
    call: Caller, work: Path
) -> None:
    (work / "custom.yml").write_text(CUSTOM, encoding="utf-8")
    answer = call("test", "custom.yml", "-g", "my_module:perfect")
    assert answer.code == 2
    assert "custom.yml:6: 'Cancel()' is not a command" in answer.err
    assert "did you mean 'CancelFlow'?" in answer.err
    assert "custom.yml:7:" in answer.err


def test_removing_a_command_that_does_not_exist_is_an_error_with_a_hint(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "--remove-default-commands", "CancelFlw")
    assert answer.code == 2
    assert "did you mean 'CancelFlow'" in answer.err


def test_the_report_file_has_the_official_keys(call: Caller, work: Path) -> None:
    call("test", "seed.yml", "-g", "my_module:swapped", "--output-file", "out/report.yml")
    report = parse_yaml((work / "out/report.yml").read_text(encoding="utf-8"), "r", typed=True).root
    assert list(report)[:6] == [
        "accuracy",
        "f1_score",
        "number_of_passed_tests",
        "number_of_failed_tests",
        "number_of_passed_user_utterances",
        "number_of_failed_user_utterances",
    ]
    step = report["failed_test_steps"][0]
    assert step["failed_user_utterance"] == "mine is @adale"
    assert step["error_line"] == 8
    assert step["expected_commands"] == ["SetSlot(handle, @adale)"]
    assert step["predicted_commands"] == [{"component": "swapped", "commands": ["SetSlot(name, @adale)"]}]
    assert step["pass_status"] is False


def test_without_a_name_the_report_gets_the_documented_one(call: Caller, work: Path) -> None:
    call("test", "seed.yml", "-g", "my_module:perfect")
    assert len(list(work.glob(".du-eval/runs/*/report.yml"))) == 1


def test_no_report_is_written_when_none_is_wanted(call: Caller, work: Path) -> None:
    call("test", "seed.yml", "-g", "my_module:perfect", "--no-output")
    assert not list(work.glob("dialogue_understanding_test_*.yml"))


def test_a_report_that_cannot_be_written_is_exit_code_4_and_the_figures_are_not_lost(
    call: Caller, work: Path
) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:perfect", "--output-file", "seed.yml/report.yml")
    assert answer.code == 4
    assert "1 of 1 test cases passed" in answer.out
    assert "could not be written" in answer.err


def test_json_on_standard_output_holds_every_step(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:swapped", "--json", "--no-output")
    data = read_run(answer.out)
    steps = data["test_cases"][0]["steps"]
    assert [step["outcome"] for step in steps] == ["passed", "failed", "passed"]
    assert steps[1]["missing"] == ["SetSlot(handle, @adale)"]


def test_text_that_looks_like_markup_is_shown_as_it_is(call: Caller, work: Path) -> None:
    (work / "markup.yml").write_text(
        "test_cases:\n- test_case: '[red]x[/red]'\n  steps:\n  - user: '[bold]hi[/nope] :smile:'\n    commands: [ChitChat()]\n",
        encoding="utf-8",
    )
    (work / "gen.py").write_text(
        "def odd(request):\n    return '[link=x]CancelFlow()[/] :boom:'\n", encoding="utf-8"
    )
    answer = call("test", "markup.yml", "-g", "gen:odd", "--no-output")
    assert "[red]x[/red]" in answer.out
    assert "user: [bold]hi[/nope] :smile:" in answer.out
    assert ":boom:" in answer.out


def test_control_characters_of_a_model_do_not_reach_the_terminal(call: Caller, work: Path) -> None:
    (work / "gen2.py").write_text("def odd(request):\n    return 'bad \\x1b[31m red'\n", encoding="utf-8")
    answer = call("test", "seed.yml", "-g", "gen2:odd", "--no-output")
    assert "\x1b" not in answer.out


def test_a_single_case_is_selected_by_its_name(call: Caller, work: Path) -> None:
    (work / "two.yml").write_text(
        "test_cases:\n- test_case: a b\n  steps: [{user: x, commands: [ChitChat()]}]\n"
        "- test_case: c\n  steps: [{user: y, commands: [ChitChat()]}]\n",
        encoding="utf-8",
    )
    (work / "gen3.py").write_text("def chat(request):\n    return 'ChitChat()'\n", encoding="utf-8")
    answer = call("test", "two.yml::a b", "-g", "gen3:chat", "--no-output")
    assert "1 of 1 test cases passed" in answer.out
    answer = call("test", "two.yml", "-k", "not c", "-g", "gen3:chat", "--no-output")
    assert "two.yml::a b" in answer.out
    assert "two.yml::c\n" not in answer.out


def test_an_unknown_case_name_is_an_error_with_near_names(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml::user_notes_down_a_freind")
    assert answer.code == 2
    assert "did you mean 'user_notes_down_a_friend'?" in answer.err


def test_nothing_selected_is_exit_code_5(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-k", "nowhere")
    assert answer.code == 5
    assert "no test case is left to run, of 1 found" in answer.err


def test_a_path_that_does_not_exist_is_exit_code_2(call: Caller, work: Path) -> None:
    answer = call("test", "nowhere")
    assert answer.code == 2
    assert "no such file or folder: nowhere" in answer.err


@pytest.mark.parametrize(
    ("generator", "message"),
    [
        ("basline", "unknown generator 'basline' (did you mean 'baseline'?)"),
        ("recorded:nowhere.jsonl", "nowhere.jsonl: cannot be read: No such file"),
        ("recorded:", "recorded needs a file"),
        ("no_such_module:f", "there is no module 'no_such_module'"),
        ("my_module:perfct", "did you mean 'perfect'?"),
    ],
)
def test_a_generator_that_cannot_be_had_is_explained(
    call: Caller, work: Path, generator: str, message: str
) -> None:
    answer = call("test", "seed.yml", "-g", generator, "--no-output")
    assert answer.code == 2
    assert message in answer.err


def test_recorded_predictions_are_replayed(call: Caller, work: Path) -> None:
    records = [
        {"test_case": "user_notes_down_a_friend", "step": 1, "text": "StartFlow(add_contact)"},
        {"test_case": "user_notes_down_a_friend", "line": 8, "commands": ["SetSlot(handle, @adale)"]},
    ]
    (work / "run.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    answer = call("test", "seed.yml", "-g", "recorded:run.jsonl", "--no-output")
    assert answer.code == 3
    assert "2 passed, 0 failed, 1 errored" in answer.out
    assert "run.jsonl has no record for step 3" in answer.out


def test_commands_in_another_spelling(call: Caller, work: Path) -> None:
    (work / "phrases.yml").write_text(
        "test_cases:\n- test_case: p\n  steps:\n  - user: x\n    commands: [start flow a, set slot b c d]\n",
        encoding="utf-8",
    )
    (work / "gen4.py").write_text(
        "def f(request):\n    return '- set slot b c d\\n- start flow a'\n", encoding="utf-8"
    )
    answer = call("test", "phrases.yml", "--syntax", "phrases", "-g", "gen4:f", "--no-output")
    assert answer.code == 0, answer.err + answer.out


def test_quiet_leaves_out_the_details(call: Caller, work: Path) -> None:
    answer = call("test", "seed.yml", "-g", "my_module:swapped", "-q", "--no-output")
    assert "EXPECTED" not in answer.out
    assert "seed.yml::" not in answer.out
    assert "0 of 1 test cases passed, 1 failed" in answer.out


def test_output_prompt_shows_prompts_and_answers_of_failed_steps(call: Caller, work: Path) -> None:
    (work / "gen5.py").write_text(
        "from du_eval import Prediction\nfrom du_eval.generators.base import Prompt\n"
        "def f(request):\n"
        "    prompt = Prompt('main', user='Say [it]', system='Be good', answer='CancelFlow()', prompt_tokens=12)\n"
        "    return Prediction(text='CancelFlow()', prompts=(prompt,))\n",
        encoding="utf-8",
    )
    shown = call("test", "seed.yml", "-g", "gen5:f", "--no-output", "--output-prompt").out
    assert "Say [it]" in shown
    assert "prompt tokens: 12" in shown
    assert "Say [it]" not in call("test", "seed.yml", "-g", "gen5:f", "--no-output").out


def test_warnings_about_texts_that_yaml_cuts_are_shown(call: Caller, work: Path) -> None:
    (work / "cut.yml").write_text(
        "test_cases:\n- test_case: c\n  steps:\n  - user: pay #5 now\n    commands: []\n", encoding="utf-8"
    )
    (work / "gen6.py").write_text("def f(request):\n    return ''\n", encoding="utf-8")
    answer = call("test", "cut.yml", "-g", "gen6:f", "--no-output")
    assert answer.code == 0
    assert "warning: cut.yml:4: the text ends before '#5 now'" in answer.err


@pytest.mark.parametrize("target", ["report.yml", "report.json"])
def test_half_characters_of_a_model_do_not_cost_the_report(call: Caller, work: Path, target: str) -> None:
    (work / "gen7.py").write_text("def f(request):\n    return 'SetSlot(a, x\\ud800y)'\n", encoding="utf-8")
    answer = call("test", "seed.yml", "-g", "gen7:f", "--output-file", target)
    assert answer.code == 1, answer.err
    assert "\\ud800" in (work / target).read_text(encoding="utf-8")
    assert call("test", "seed.yml", "-g", "gen7:f", "--json", "--no-output").code == 1
