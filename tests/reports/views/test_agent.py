"""The view of a run of agent cases."""

from __future__ import annotations

import pytest

from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.record import KIND, AgentRun, record_agent, record_sample, record_trial
from du_eval.agents.results import (
    AgentReply,
    AnswerUsage,
    CheckResult,
    InteractionResult,
    SampleResult,
    StreamMessage,
    ToolCall,
    Trial,
)
from du_eval.reports.renderers.junit import render_junit
from du_eval.reports.renderers.markdown import render_markdown
from du_eval.reports.renderers.page import render_page
from du_eval.reports.renderers.sheets import list_grids
from du_eval.reports.renderers.terminal import TerminalStyle, render_terminal
from du_eval.reports.sections import Entries, Transcript
from du_eval.reports.views.agent import view_agent
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Head
from du_eval.runs.records import reduce_run
from du_eval.runs.report import decode_run, encode_run
from du_eval.runs.ruling import rule
from du_eval.statistics.success import SuccessRatio

TEXTS = ("send the money", "stop the card", "how much is left")
HOSTILE = ("</script><script>x</script>", "\x1b[2J\u202e", "=1+1|`a`\n# b")


def make_run(texts: tuple[str, ...] = TEXTS) -> AgentRun:
    """Return a run in which each text is a message, an answer, and part of a failed check."""
    cases = []
    for text in texts:
        case = AgentCase(text, f"{text}.hocon", text, (), ratio=SuccessRatio(1, 2))
        trial = Trial.of(case, Connection())
        samples = [record_sample(trial.at_sample(number), make_sample(number, text)) for number in (1, 2)]
        cases.append(record_trial(trial, samples))
    return record_agent(tuple(cases), Head(KIND.name, seconds=1.5, signature=texts[0]))


def make_sample(number: int, text: str) -> SampleResult:
    outcome = Outcome.PASSED if number == 1 else Outcome.FAILED
    check = CheckResult("text", "keywords", outcome, f"not {text}", text, text, text, f"{text}.hocon", 3)
    message = StreamMessage("AGENT", text, text)
    reply = AgentReply(
        text,
        {text: text},
        {"secret": text},
        tools=(ToolCall(text, {}),),
        usage=AnswerUsage(7, cost=0.5),
        messages=(message, message),
    )
    second = InteractionResult(text, error=text) if number == 2 else InteractionResult(text, reply)
    return SampleResult((InteractionResult(text, reply, checks=(check,), seconds=0.3), second), "", 0.4)


def test_a_run_reads_back_as_it_was_written() -> None:
    run = make_run()
    assert decode_run(b"".join(encode_run(run, KIND)), "run.json", {"agent": KIND}) == run


def test_each_sample_is_an_entry_with_its_dialogue_and_what_went_wrong() -> None:
    (entries,) = [one for one in view_agent(make_run()).sections if isinstance(one, Entries)]
    assert [entry.outcome for entry in entries.entries[:2]] == [Outcome.PASSED, Outcome.FAILED]
    failed = entries.entries[1]
    assert failed.is_excused  # one of two samples is enough
    assert failed.place == "send the money.hocon:3"
    assert failed.message == (
        "interaction 1: not send the money (send the money.hocon:3); interaction 2: send the money"
    )
    (talk,) = [one for one in failed.detail if isinstance(one, Transcript)]
    assert [line.speaker for line in talk.lines] == [
        "user", "AGENT send the money", "tool", "agent", "structure", "sly_data", "user", "agent",
    ]  # fmt: skip
    assert failed.facet("check") == "text keywords"


def test_tables_tell_cases_checks_interactions_and_modes() -> None:
    grids = {grid.name: grid for grid in list_grids(view_agent(make_run()))}
    assert next(iter(grids)) == "samples"
    assert grids["cases"].rows[0][:6] == ("passed", "send the money.hocon::send the money", 1, 1, 0, "1/2")
    assert grids["cases"].rows[0][-1] == "yes"
    assert grids["kinds_of_checks"].rows == (("text keywords", 3, 3, 0, 0.5),)
    assert len(grids["checks"].rows) == 6
    assert len(grids["interactions"].rows) == 12
    modes = grids["failure_modes"]
    failing = {row[modes.columns.index("cases")] for row in modes.rows}
    assert failing == {f"{text}.hocon::{text}" for text in TEXTS}


def test_costs_and_flaky_cases_are_figures() -> None:
    run = make_run()
    values = {figure.name: figure.value for figure in run.figures}
    assert (values["tokens"], values["cost"]) == (63, 4.5)
    assert (values["passed.cases"], values["passed.samples"], values["flaky.cases"]) == (1, 0.5, 1)
    assert values["latency.p90"] == 0.3


def test_comparisons_get_every_check() -> None:
    steps = reduce_run(make_run()).steps
    assert [step.scores for step in steps[:2]] == [{"text keywords": 1.0}, {"text keywords": 0.0}]
    assert steps[0].predicted == ("all checks passed",)
    assert steps[0].question == steps[1].question != ""


@pytest.mark.parametrize("shows_passed", [False, True])
def test_no_text_of_an_agent_escapes_from_a_report(shows_passed: bool) -> None:
    run = make_run(HOSTILE)
    view = view_agent(run)
    shown = render_terminal(view, TerminalStyle(shows_passed=shows_passed))
    assert "\x1b" not in shown
    assert "\u202e" not in shown
    assert "<script>x" not in render_page([view])
    assert "\n# b" not in render_markdown(view)
    assert "\x1b" not in render_junit(run, view, rule(run))


def test_what_passed_is_shown_on_demand() -> None:
    view = view_agent(make_run())
    assert "OTHER SAMPLES" not in render_terminal(view)
    shown = render_terminal(view, TerminalStyle(shows_passed=True))
    assert "== passed: send the money.hocon::send the money, sample 1" in shown
    assert "== failed: send the money.hocon::send the money, sample 2" in shown
