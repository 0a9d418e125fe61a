"""Activities from a script or a notebook."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import du_eval
from du_eval.errors import ConfigError

PROJECT = Path(__file__).parent.parent
PIZZA = str(PROJECT / "dialogue_understanding_tests/pizza")


def say_nothing(request: du_eval.Request) -> str:
    return ""


def fail_at_times(request: du_eval.Request) -> str:
    if len(request.message) % 2:
        raise ValueError("it is down")
    return ""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_run_has_figures_results_and_reports_and_is_kept(folder: Path) -> None:
    run = du_eval.run("test", paths=[PIZZA], label="first")
    assert run.figures["accuracy"].measured.n == len(run.results) > 100
    assert du_eval.list_runs() == [run.id] == [du_eval.read_run("first").id]
    run.write("report.html")
    assert (folder / "report.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    assert "user steps understood" in str(run)
    assert repr(run).startswith("<test first: ")
    assert repr(run).endswith(" failed>")
    assert run._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_two_runs_are_compared_into_a_decision(folder: Path) -> None:
    before = du_eval.run("test", paths=[PIZZA], generator=say_nothing, label="silent")
    after = du_eval.run("test", paths=[PIZZA], label="baseline")
    found = before.compare(after)
    assert found.verdict == "improved"
    assert found.sentence.startswith("Ship baseline: ")
    assert found.sentence in str(found)
    assert repr(found) == f"<comparison: {found.sentence}>"
    assert "iframe" in found._repr_html_()


def test_a_run_is_gated_as_at_the_command_line(folder: Path) -> None:
    run = du_eval.run("test", paths=[PIZZA], generator=fail_at_times)
    assert (run.gate("accuracy=0").code, run.gate("accuracy=0", max_errors=1).code) == (3, 0)
    assert "--max-errors" in run.gate("accuracy=0").reasons[-1]
    with pytest.raises(ConfigError, match="fail_under: unknown figure 'acuracy'"):
        run.gate("acuracy=1")


@pytest.mark.parametrize(
    ("activity", "settings", "figure"),
    [
        ("e2e", {"paths": [f"{PROJECT}/examples/bank/tests"], "assistant": f"{PROJECT}/examples/bank"}, "accuracy.cases"),
        ("quality", {"conversations": 1, "prompts": 12}, "ML-P1"),
        ("protocol", {"dialogues": 1}, "hello_bye"),
        ("agent", {"paths": [f"{PROJECT}/examples/agents/direct"]}, "passed.cases"),
        ("metrics", {"responses": [f"{PROJECT}/examples/corpus/responses/step-8000.txt"]}, "distinct-1"),
    ],
)  # fmt: skip
def test_every_activity_runs_with_its_settings(
    activity: str, settings: dict[str, object], figure: str
) -> None:
    run = du_eval.run(activity, **settings)
    assert run.figures[figure].measured.value is not None
    assert du_eval.read_run().id == run.id


@pytest.mark.parametrize(
    ("activity", "settings"),
    [
        ("quality", {"conversations": 2, "prompts": 4}),
        ("protocol", {"dialogues": 1, "blocks": ["open"], "similarity": "tfidf"}),
    ],
)
def test_a_notebook_whose_event_loop_runs_can_run_it(activity: str, settings: dict[str, Any]) -> None:
    async def work() -> du_eval.FinishedRun:
        return du_eval.run(activity, **settings)

    assert asyncio.run(work()).figures


def test_wrong_names_are_errors_with_a_hint() -> None:
    with pytest.raises(ConfigError, match="did you mean 'quality'"):
        du_eval.run("qualty")
    with pytest.raises(ConfigError, match="did you mean 'paths'"):
        du_eval.run("test", pathes=[])
    with pytest.raises(ConfigError, match="top level of a module"):
        du_eval.run("test", generator=lambda request: "")
