"""Patterns take time in proportion to a text, whoever wrote it."""

import inspect
import re
import sys
import time
from collections.abc import Callable

import pytest

from du_eval.assistants.domain import _MARKED
from du_eval.assistants.expressions import render_text
from du_eval.assistants.questions import _VARIABLE, _fits
from du_eval.generators.baseline.numbers import find_numbers
from du_eval.judges.rules import RulesJudge
from du_eval.judges.tasks import ClosedTask, Role, TextTask
from du_eval.quality.store import _IDS
from tests.growth import FACTOR, assert_grows_evenly
from tests.hostile import find_patterns, make_texts


def judge(reply: str) -> None:
    RulesJudge(Role.YES_NO).judge([ClosedTask("Do you like dogs?", reply)])
    RulesJudge(Role.TOXICITY).judge([TextTask(reply)])


@pytest.mark.parametrize(
    ("read", "text"),
    [
        (lambda text: list(_MARKED.finditer(text)), "[" * 200_000),
        (lambda text: list(_MARKED.finditer(text)), "[a](" * 50_000),
        (lambda text: list(_MARKED.finditer(text)), "[a]{" * 50_000),
        (lambda text: render_text(text, {}, {}), "{{" * 100_000),
        (lambda text: render_text(text, {}, {}), "{{" + " " * 200_000),
        (_VARIABLE.split, "{{" * 100_000),
        (lambda text: _fits(["a"] * 50, text), "a" * 100_000 + "b"),
        (_IDS.search, "test_ids[" * 30_000),
        (lambda text: list(find_numbers(text)), "руб" + "1" * 2_000),
        (judge, "i " + "really " * 60),
        (judge, "do you " + "?" * 100_000 + "a"),
    ],
)
def test_a_hostile_text_is_read_in_proportion_to_its_length(read: Callable[[str], object], text: str) -> None:
    assert_grows_evenly(lambda size: read(text[:9] + text[-size:]), len(text) // FACTOR)


def test_every_pattern_takes_time_in_proportion_to_a_text() -> None:
    slow = {}
    for pattern, name in find_patterns().items():
        is_judge = name.startswith("du_eval.judges.")  # which reads at most 4,000 characters at once
        size, most = (1000, 0.2) if is_judge else (4000, 0.02)
        for call in _find_calls(name):
            for text in make_texts(pattern, size):
                if _measure(pattern, call, text) > most and _grows(pattern, call, text, most):
                    slow[name] = f"{call} of {text[:30]!r}"
    assert not slow


def _find_calls(name: str) -> set[str]:
    """Return how the module of a pattern uses it; one that it does not call by name may be searched for."""
    module, _, own = name.rpartition(".")
    source = inspect.getsource(sys.modules[module])
    found = re.findall(rf"\b{own}\.(match|fullmatch|search|sub|split|findall|finditer)\b", source)
    return {one if "match" in one else "findall" for one in found} or {"findall"}


def _measure(pattern: re.Pattern[str], call: str, text: str) -> float:
    began = time.process_time()
    getattr(pattern, call)(text)
    return time.process_time() - began


def _grows(pattern: re.Pattern[str], call: str, text: str, most: float) -> bool:
    half = text[: len(text) // 2] + text[-1]
    first, second = (min(_measure(pattern, call, one) for _ in range(3)) for one in (half, text))
    return second > max(most, 3 * first)  # the first look may have met a collection of garbage


def test_a_response_fits_a_text_with_its_variables_filled() -> None:
    assert _fits(["hello ", ", bye"], "hello ann, bye")
    assert _fits(["", " and ", ""], "a and b")
    assert not _fits(["hello ", ", bye"], "hello , bye")
    assert not _fits(["a", "b", ""], "ab c")
    assert not _fits(["ab", "ba"], "aba")


@pytest.mark.parametrize("before", [0, 3_990, 5_000, 12_000])
def test_abuse_is_found_anywhere_in_a_long_reply(before: int) -> None:
    text = ("fine. " * 2_000)[:before] + " You are an idiot. " + "fine. " * (2_000 - before // 6)
    assert RulesJudge(Role.TOXICITY).judge([TextTask(text)])[0].label == "toxic"
