"""Where a failed step comes from: the model, its form, its limits, its endpoint, or the expectation."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from unicodedata import normalize

import regex
from msgspec import Struct

from du_eval.commands.base import Command
from du_eval.commands.flows import SetSlot
from du_eval.evaluation.compare import CommandDiff
from du_eval.evaluation.step import Explanation, Provenance, Sign
from du_eval.generators.answers import ReadAnswer
from du_eval.generators.base import Prediction
from du_eval.judges.refusals import is_refusal
from du_eval.parsers.command_parser import CommandParser
from du_eval.parsers.reasoning import read_leniently

Passes = Callable[[tuple[Command, ...]], bool]
_TRUNCATED = frozenset({"length", "max_tokens", "max_output_tokens", "model_length"})
_FILTERED = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "refusal", "guardrail"}
)
_CALLED = frozenset({"tool_calls", "function_call"})
_ARTICLES = frozenset({"a", "an", "the"})
_PUNCTUATION = regex.compile(r"[^\w]+")


_PLAIN = Explanation(passes_in_perfect_form=True)
"""Of most steps: they passed, and their answers have nothing to tell about."""


class Explainer(Struct, frozen=True):
    """Explains answers, by the vocabulary of a run."""

    parser: CommandParser

    def describe(self, answer: Prediction, read: ReadAnswer) -> Explanation:
        """Return what can be seen in the answer to a step that passed."""
        signs = tuple(_signs(answer, read))
        found = Explanation(None, signs, read.reasoning, read.hallucinated, passes_in_perfect_form=True)
        return _PLAIN if found == _PLAIN else found

    def explain(self, answer: Prediction, read: ReadAnswer, diff: CommandDiff, passes: Passes) -> Explanation:
        """Return why a step failed; `passes` judges any other list of commands."""
        signs = tuple(_signs(answer, read))
        is_misformed, would_pass = self._form(read, passes)
        is_leaked = self._is_leaked(answer, passes)
        if Sign.REFUSED in signs:
            found = Provenance.REFUSED
        elif Sign.TRUNCATED in signs:
            found = Provenance.TRUNCATED
        elif is_leaked or read.is_open:
            found = Provenance.REASONING
        elif read.hallucinated:
            found = Provenance.HALLUCINATED
        elif is_misformed:
            found = Provenance.FORMAT
        else:
            found = Provenance.EXPECTATION if is_doubtful(diff) else Provenance.MODEL
        return Explanation(found, signs, read.reasoning, read.hallucinated, would_pass or is_leaked)

    def _form(self, read: ReadAnswer, passes: Passes) -> tuple[bool, bool]:
        """Tell whether unparsed text names a command, and whether the step passes with it."""
        found = read_leniently("\n".join(read.unparsed), self.parser.registry) if read.unparsed else ()
        return bool(found), bool(found) and (passes((*read.commands, *found)) or passes(found))

    def _is_leaked(self, answer: Prediction, passes: Passes) -> bool:
        """Tell whether thoughts without any mark stand before the right commands."""
        if answer.commands is not None or not answer.text:
            return False
        parsed = [self.parser.parse(line) for line in answer.text.splitlines() if line.strip()]
        prose = [number for number, line in enumerate(parsed) if line.unparsed]
        if not prose:
            return False
        final = tuple(command for line in parsed[prose[-1] + 1 :] for command in line.commands)
        return bool(final) and passes(final)


def is_doubtful(diff: CommandDiff) -> bool:
    """Tell whether all that differs is how values are written: case, blanks, punctuation, articles."""
    if not diff.missing or len(diff.missing) != len(diff.unexpected):
        return False
    written = {
        (command.slot, _bare(command.value)) for command in diff.unexpected if isinstance(command, SetSlot)
    }
    return all(
        isinstance(command, SetSlot) and (command.slot, _bare(command.value)) in written
        for command in diff.missing
    )


def _bare(value: str | None) -> str:
    words = _PUNCTUATION.sub(" ", normalize("NFKC", value or "")).casefold().split()
    known = "".join([*(word for word in words[:-1] if word not in _ARTICLES), *words[-1:]])
    return known or (value or "").casefold()


def _signs(answer: Prediction, read: ReadAnswer) -> Iterator[Sign]:
    finish = answer.finish.casefold()
    if read.reasoning:
        yield Sign.REASONING
    if finish in _TRUNCATED:
        yield Sign.TRUNCATED
    declines = not read.commands and any(map(is_refusal, read.unparsed[:1]))
    if answer.refusal or finish in _FILTERED or declines:
        yield Sign.REFUSED
    if read.hallucinated:
        yield Sign.HALLUCINATED
    elif read.unparsed:
        yield Sign.UNPARSED
    # Commands as plain data, as journals hold those of any generator, are no calls.
    calls = (item for item in answer.commands or () if isinstance(item, Mapping) and "command" not in item)
    if finish in _CALLED or any(calls):
        yield Sign.TOOL_CALLS
