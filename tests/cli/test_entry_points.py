"""Installed packages add to every kind of thing; they are used, and told apart, by name."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from du_eval.plugins import GROUPS
from tests.cli.calling import Caller
from tests.packages import install

MODULE = """
from du_eval.agents.checks.base import CheckFinding, CheckKind
from du_eval.corpus.metric import MetricColumn, Scores
from du_eval.judges.opinion import Opinion
from du_eval.perturbations.base import Perturbed


def greet(request):
    return "StartFlow(greet)" if request.message == "hello" else "ChitChat()"


class AlwaysYes:
    name = "always-yes/1"

    def judge(self, tasks):
        return [Opinion("yes", "as always", self.name, 1.0) for _ in tasks]


LOUD = CheckKind("loud", lambda expected: "to be loud", lambda subject, _: CheckFinding(subject.text.isupper()))


class Exclamations:
    columns = (MetricColumn("exclamations", high=float("inf")),)
    needs = frozenset()

    def score(self, corpus):
        import numpy

        counts = numpy.array([float(" ".join(map(str, line)).count("!")) for line in [("a!",), ("b",)]])
        return {"exclamations": Scores(counts)}


def shout(text, level, random, protected=()):
    return Perturbed(text.upper(), 1.0, "share of words", level, tuple(range(len(text.split()))))


def tell(reported):
    return f"{reported.run.head.kind}: {len(reported.run.cases)} cases"
"""
TARGETS = {
    "generators": ("greeter", "fake_things:greet"),
    "judges": ("always-yes", "fake_things:AlwaysYes"),
    "checks": ("loud", "fake_things:LOUD"),
    "perturbations": ("shout", "fake_things:shout"),
    "reporters": ("telegram", "fake_things:tell"),
    "metrics": ("exclaim", "fake_things:Exclamations"),
}
SUITE = (
    "test_cases:\n  - test_case: a\n    steps:\n      - user: hello\n        commands: [StartFlow(greet)]\n"
)


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Caller:
    """Call du-eval where a package is installed that adds one thing of each kind."""
    site = tmp_path / "site"
    for group, (name, target) in TARGETS.items():
        install(site, group, name, target)
    (site / "fake_things.py").write_text(MODULE, encoding="utf-8")
    (tmp_path / "suite.yml").write_text(SUITE, encoding="utf-8")
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "fake_things", raising=False)
    monkeypatch.chdir(tmp_path)
    return Caller(capsys)


def test_every_group_is_tried_here_or_with_the_example_of_an_activity() -> None:
    assert set(GROUPS) == {*TARGETS, "activities"}


def test_a_generator_and_a_reporter_of_a_package_are_used_by_name(call: Caller) -> None:
    answer = call("test", "suite.yml", "-g", "greeter", "-o", "out.telegram", "--no-check-flows")
    assert answer.code == 0, answer.err
    assert Path("out.telegram").read_text(encoding="utf-8") == "test: 1 cases"


def test_a_perturbation_of_a_package_changes_messages(call: Caller) -> None:
    words = ("-g", "greeter", "--perturb", "shout", "--levels", "1", "--no-check-flows", "--json")
    answer = call("test", "suite.yml", *words)
    assert answer.code == 0, answer.err
    assert "shout" in answer.out


def test_a_judge_of_a_package_is_measured(call: Caller) -> None:
    rows = [{"question": "Do you work?", "reply": "I do.", "label": "yes"}]
    Path("labels.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    answer = call("judges", "measure", "yes_no", "labels.jsonl", "--judge", "always-yes", "--json")
    assert answer.code == 0, answer.err
    assert json.loads(answer.out)["accuracy"] == 1


def test_a_check_of_a_package_judges_agents(call: Caller) -> None:
    Path("caller.py").write_text("def shout(text):\n    return text.upper()\n", encoding="utf-8")
    case = {
        "agent": "shouter",
        "direct": "caller:shout",
        "interactions": [{"text": "hello", "response": {"text": {"loud": True}}}],
    }
    Path("case.json").write_text(json.dumps(case), encoding="utf-8")
    assert call("agent", "case.json").code == 0
    case["interactions"] = [{"text": "hello", "response": {"text": {"not_loud": True}}}]
    Path("case.json").write_text(json.dumps(case), encoding="utf-8")
    assert call("agent", "case.json").code == 1


def test_a_metric_of_a_package_is_computed(call: Caller) -> None:
    Path("responses.txt").write_text("a !\nb\n", encoding="utf-8")
    answer = call("metrics", "responses.txt", "--metrics", "exclaim", "--json")
    assert answer.code == 0, answer.err
    assert "exclamations" in answer.out


def test_a_broken_plug_in_names_its_package(call: Caller) -> None:
    install(Path("site"), "generators", "broken", "no_such_module:thing", "broken-package")
    answer = call("test", "suite.yml", "-g", "broken")
    assert answer.code == 2
    assert "'broken' of the package broken-package 1.0 (du_eval.generators) cannot be loaded" in answer.err
    assert "no_such_module" in answer.err


@pytest.mark.parametrize(
    ("words", "group", "name"),
    [
        (("test", "suite.yml", "-g", "baseline"), "generators", "baseline"),
        (("test", "suite.yml", "-g", "greeter"), "generators", "greeter"),
        (("test", "suite.yml", "-g", "greeter", "-o", "x.md"), "reporters", "md"),
    ],
)
def test_a_name_that_is_taken_twice_shows_both(
    call: Caller, words: tuple[str, ...], group: str, name: str
) -> None:
    install(Path("site"), group, name, "fake_things:greet", "second-package")
    answer = call(*words, "--no-check-flows")
    assert answer.code in {2, 4}
    first = "du-eval itself" if name in {"baseline", "md"} else "the package fake-package 1.0"
    assert f"{group}: the name '{name}' is taken twice, by {first}" in answer.err
    assert "the package second-package 1.0 (fake_things:greet)" in answer.err


def test_an_unknown_name_lists_what_packages_add(call: Caller) -> None:
    assert "did you mean 'greeter'" in call("test", "suite.yml", "-g", "greter").err
    assert ".telegram" in call("test", "suite.yml", "-o", "out.pdf").err
