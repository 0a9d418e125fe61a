"""How a case fails: failed answers grouped by what went wrong, whatever check noticed it."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from du_eval.agents.results import AgentTalk, CheckResult, InteractionResult
from du_eval.judges.refusals import is_refusal
from du_eval.runs.outcome import Outcome
from du_eval.runs.record import Result
from du_eval.statistics.clusters import proportion
from du_eval.statistics.intervals import Measurement

_VALUES = re.compile(r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|(?<!\w)-?\d+(?:\.\d+)*(?!\w)')
_TROUBLE = re.compile(
    r"\b(?:traceback|exception|internal (?:server )?error|an error occurred|something went wrong"
    r"|technical (?:problem|difficult\w+|issue)|(?:temporarily|service (?:is )?) ?unavailable|try again later"
    r"|timed out|status code [45]\d\d|connection (?:refused|reset|failed|lost))\b",
    re.IGNORECASE,
)
_EXAMPLES = 3
_SHORT_QUESTION = 200
_FIXES = {
    "declines to answer": "If the agent may answer this, say so in its prompt and name the tool to use; "
    "if it should decline, reverse the criterion.",
    "gives an empty answer": "Look at the agent's log: a tool returned nothing, "
    "or the output limit is too small.",
    "reports a technical problem": "Repair the tool or service behind the agent; "
    "the prompt is not the cause.",
    "asks a question instead of answering": "Say in the prompt when to assume and when to ask, "
    "or answer the question in the next interaction of the case.",
}
_BREAKS = "breaks a criterion: "
_ALWAYS = "Every sample breaks it: check the criterion first, then the prompt."
_SOMETIMES = "Other samples meet it: the criterion can be met, so make the prompt explicit about it."


class FailedAnswer(Struct, frozen=True):
    """One answer that did not pass, or the reason there is none."""

    sample: int
    interaction: int
    text: str
    broken: tuple[CheckResult, ...] = ()
    error: str = ""

    @property
    def sign(self) -> str:
        """What the answer itself shows to be wrong, whatever was expected; empty if nothing."""
        if self.error:
            return _VALUES.sub("…", self.error)
        if not self.text.strip():
            return "gives an empty answer"
        if _TROUBLE.search(self.text):
            return "reports a technical problem"
        if is_refusal(self.text):
            return "declines to answer"
        if self.text.rstrip().endswith("?") and len(self.text) <= _SHORT_QUESTION:
            return "asks a question instead of answering"
        return ""


class FailureMode(Struct, frozen=True, omit_defaults=True):
    """Failed answers with one cause."""

    name: str
    named_by: str
    cause: str
    """What the answers share, by rules; names may be given by a model, groups never are."""
    count: int
    samples: int
    rate: Measurement
    """The share of the case's samples, with its interval."""
    interactions: tuple[int, ...]
    examples: tuple[str, ...]
    criteria: tuple[str, ...]
    fix: str
    is_error: bool = False


def list_failed(samples: Iterable[Result[AgentTalk]]) -> Iterator[FailedAnswer]:
    """Yield every answer that did not pass, and every error."""
    for sample in samples:
        which, talk = sample.key.sample, sample.detail.interactions
        if sample.error and not any(one.error for one in talk):
            yield FailedAnswer(which, 0, "", error=sample.error)
        for number, interaction in enumerate(talk, 1):
            if interaction.error:
                yield FailedAnswer(which, number, "", error=interaction.error)
                continue
            broken = tuple(check for check in interaction.checks if check.outcome is not Outcome.PASSED)
            if broken:
                yield FailedAnswer(which, number, _text(interaction, broken), broken, _error(broken))


def find_modes(samples: Sequence[Result[AgentTalk]]) -> tuple[FailureMode, ...]:
    """Return the modes in which a case failed, the most frequent first."""
    groups: dict[str, list[FailedAnswer]] = defaultdict(list)
    plain = []
    breaking: dict[str, set[int]] = defaultdict(set)
    for answer in list_failed(samples):
        for check in answer.broken:
            breaking[f"{_BREAKS}{_describe(check)}"].add(answer.sample)
        if sign := answer.sign:
            groups[sign].append(answer)
        else:
            plain.append(answer)
    groups |= dict(_cover(plain))
    fixes = _FIXES | {cause: _ALWAYS for cause, ones in breaking.items() if len(ones) == len(samples)}
    modes = [
        _make_mode(cause, answers, len(samples), fixes.get(cause, _SOMETIMES))
        for cause, answers in groups.items()
    ]
    return tuple(sorted(modes, key=lambda mode: (-mode.samples, -mode.count, mode.name)))


def _cover(answers: Sequence[FailedAnswer]) -> Iterator[tuple[str, list[FailedAnswer]]]:
    """Yield the fewest criteria that explain all these answers, each with the answers that it explains."""
    left = list(answers)
    while left:
        counts = Counter(words for answer in left for words in dict.fromkeys(map(_describe, answer.broken)))
        criterion = max(counts, key=lambda words: counts[words])
        explained = [answer for answer in left if criterion in map(_describe, answer.broken)]
        yield f"{_BREAKS}{criterion}", explained
        left = [answer for answer in left if answer not in explained]


def _make_mode(cause: str, answers: Sequence[FailedAnswer], taken: int, fix: str) -> FailureMode:
    samples = {answer.sample for answer in answers}
    is_error = any(answer.error for answer in answers)
    said = (answer.error or answer.text for answer in answers)
    criteria = (_describe(check) for answer in answers for check in answer.broken)
    return FailureMode(
        name=cause,
        named_by="rules",
        cause=cause,
        count=len(answers),
        samples=len(samples),
        rate=proportion(len(samples), taken),
        interactions=tuple(sorted({answer.interaction for answer in answers if answer.interaction})),
        examples=tuple(dict.fromkeys(text for text in said if text))[:_EXAMPLES],
        criteria=tuple(dict.fromkeys(criteria)),
        fix="" if is_error else fix,
        is_error=is_error,
    )


def _text(interaction: InteractionResult, broken: Sequence[CheckResult]) -> str:
    """Return what the agent said, or else the values that were checked."""
    if interaction.reply is not None and interaction.reply.text:
        return interaction.reply.text
    return "\n".join(dict.fromkeys(check.actual for check in broken if check.actual))


def _error(broken: Sequence[CheckResult]) -> str:
    """Return why an answer could not be judged, where that alone kept it from passing."""
    errors = [check.message for check in broken if check.outcome is Outcome.ERRORED]
    return errors[0] if len(errors) == len(broken) else ""


def _describe(check: CheckResult) -> str:
    return f"{check.subject or 'the agent'} {check.expected}".strip()
