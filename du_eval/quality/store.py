"""Conversations on disk: the documented text format, JSON lines, plain text; read, never evaluated."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import convert
from msgspec.structs import asdict, astuple, fields

from du_eval.chatters.replies import ReplyStatus
from du_eval.errors import InputError, Problem
from du_eval.quality.dialogue import Dialogue, LineRole, Mark, MarkedExchange
from du_eval.quality.facts.model import DrawnFact

MARKER = "- CONFIGURATIONS -"
PREFIXES = {
    "ML-I1": 101, "ML-I4": 104, "ML-I5": 105, "ML-I6": 106, "ML-I7": 107, "ML-I13": 113,
    "ML-U3": 203, "ML-U4": 204, "ML-U5": 205, "ML-U6": 206,
}  # fmt: skip
_CODES = {prefix: code for code, prefix in PREFIXES.items()}
_IDS = re.compile(r"test_id[sx](\[[^][]*\])test_id[sx]")
_SETS = re.compile(r"test_sets(\{.*\})test_sets", re.DOTALL)
_MARKS = re.compile(r"test_marks(\[.*\])test_marks", re.DOTALL)
_SET_SIZE = 10_000
_MARK_FIELDS = tuple(field.name for field in fields(Mark))
_DAMAGES = (ValueError, KeyError, TypeError, AttributeError, IndexError, OverflowError)


def as_text(dialogue: Dialogue) -> str:
    """Return a dialogue in the documented text format; a last line holds what it has no place for."""
    lines = []
    for exchange in dialogue.exchanges:
        lines += [_one_line(exchange.prompt), _one_line(exchange.reply)]
    sets: dict[str, list[dict[str, object]]] = {}
    for trial, fact in dialogue.facts.items():
        test = next((e.mark.test for e in dialogue.exchanges if e.mark and e.mark.trial == trial), "")
        group, document = sets.setdefault(_group(test), []), fact.as_document()
        if document not in group:
            group.append(document)
    marks = [_mark_data(exchange, dialogue) for exchange in dialogue.exchanges]
    return "\n".join(
        [
            *lines,
            MARKER,
            f"test_ids{[_test_id(exchange, dialogue) for exchange in dialogue.exchanges]}test_ids",
            f"test_sets{sets!r}test_sets",
            f"test_marks{json.dumps(marks)}test_marks",
        ]
    )


def _group(test: str) -> str:
    return f"{test.replace('-', '')}TC1"


def _one_line(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _test_id(exchange: MarkedExchange, dialogue: Dialogue) -> int | float:
    mark = exchange.mark
    if mark is None or mark.test not in PREFIXES or mark.trial not in dialogue.facts:
        return 0
    number = PREFIXES[mark.test] * _SET_SIZE + dialogue.facts[mark.trial].id
    asked = mark.role in {LineRole.QUESTION, LineRole.CONTROL} and mark.test != "ML-I13"
    return number + 0.5 if asked else number


def _mark_data(exchange: MarkedExchange, dialogue: Dialogue) -> list[object]:
    mark = exchange.mark
    if mark is None:
        return [str(exchange.outcome)]
    fact = dialogue.facts.get(mark.trial)
    return [str(exchange.outcome), *astuple(mark), fact.id if fact else None]


def from_text(text: str, number: int, file: str) -> Dialogue:
    """Read the documented text format, or plain text with one utterance a line."""
    talk, _, rest = text.partition(MARKER)
    lines = [line.strip() for line in talk.strip("\n").splitlines()]
    if not rest:
        lines = [line for line in lines if line]
    if len(lines) < 2:
        raise InputError(
            Problem(file, 1, "not a conversation: it needs at least a prompt and a reply, one per line")
        )
    exchanges = [
        MarkedExchange(prompt, reply, ReplyStatus.ANSWERED if reply else ReplyStatus.EMPTY)
        for prompt, reply in zip(lines[::2], lines[1::2], strict=False)
    ]
    try:
        return _with_tests(number, exchanges, rest, file)
    except _DAMAGES as error:
        line = 1 + text.count("\n", 0, text.find(MARKER))
        hint = f"without the lines from `{MARKER}` on, it is read as plain text"
        raise InputError(
            Problem(file, line, f"the test data are damaged: {tell_damage(error)}", hint)
        ) from error


def _with_tests(number: int, exchanges: Sequence[MarkedExchange], rest: str, file: str) -> Dialogue:
    """Return the dialogue with the tests that the part after the marker tells of."""
    ids = _literal(_IDS, rest, file) or []
    sets = _literal(_SETS, rest, file) or {}
    facts = {
        name: [convert(asdict(DrawnFact.from_document(fact)), DrawnFact) for fact in group]
        for name, group in sets.items()
    }
    kept = _literal(_MARKS, rest, file, as_json=True)
    if kept:
        return _marked(number, exchanges, kept, facts, file)
    return _numbered(number, exchanges, ids, [fact for group in facts.values() for fact in group], file)


def tell_damage(error: Exception) -> str:
    """Return on one line what is wrong with data."""
    return f"no {error}" if isinstance(error, KeyError) else str(error)


def _literal(pattern: re.Pattern[str], text: str, file: str, *, as_json: bool = False) -> Any:
    """Return the value between two markers, read as data and never run."""
    found = pattern.search(text)
    if found is None:
        return None
    try:
        return json.loads(found[1]) if as_json else ast.literal_eval(found[1])
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        raise InputError(Problem(file, 0, f"the test data cannot be read: {error}")) from error


def _marked(
    number: int,
    exchanges: Sequence[MarkedExchange],
    kept: Sequence[Any],
    facts: Mapping[str, Sequence[DrawnFact]],
    file: str,
) -> Dialogue:
    """Put the kept marks back; the last number of a mark is that of its fact."""
    found: list[MarkedExchange] = []
    known: dict[int, DrawnFact] = {}
    for exchange, (outcome, *row) in zip(exchanges, kept, strict=False):
        mark = convert(dict(zip(_MARK_FIELDS, row, strict=False)), Mark) if row else None
        found.append(MarkedExchange(exchange.prompt, exchange.reply, ReplyStatus(outcome), mark=mark))
        if mark is not None:
            fact = next((one for one in facts.get(_group(mark.test), ()) if one.id == row[9]), None)
            known |= {mark.trial: fact} if fact is not None else {}
    return Dialogue(number, tuple(found), known, file)


def _numbered(
    number: int,
    exchanges: Sequence[MarkedExchange],
    ids: Sequence[float],
    facts: Sequence[DrawnFact],
    file: str,
) -> Dialogue:
    """Make marks of the numbers of the document: a whole one tells, one with .5 asks."""
    by_id = {fact.id: fact for fact in facts}
    trials: dict[int, int] = {}
    told: dict[int, int] = {}
    found = []
    for place, exchange in enumerate(exchanges):
        value = ids[place] if place < len(ids) else 0
        whole = int(value)
        mark = None
        if whole:
            first = whole not in trials
            trial = trials.setdefault(whole, len(trials))
            role = _role(whole, is_question=value != whole, is_first=first)
            if role in {LineRole.INFORMATION, LineRole.REFERENCE}:
                told[whole] = place
            distance = place - told[whole] if whole in told and told[whole] != place else None
            test = _CODES.get(whole // _SET_SIZE, str(whole // _SET_SIZE))
            mark = Mark(test, trial, role, distance=distance)
        found.append(MarkedExchange(exchange.prompt, exchange.reply, exchange.outcome, mark=mark))
    known = {trial: by_id[whole % _SET_SIZE] for whole, trial in trials.items() if whole % _SET_SIZE in by_id}
    return Dialogue(number, tuple(found), known, file)


def _role(whole: int, *, is_question: bool, is_first: bool) -> LineRole:
    if whole // _SET_SIZE == PREFIXES["ML-I13"]:
        return LineRole.REFERENCE if is_first else LineRole.QUESTION
    return LineRole.QUESTION if is_question else LineRole.INFORMATION


def json_lines(dialogues: Iterable[Dialogue]) -> str:
    """Return dialogues as JSON, one a line."""
    return "".join(json.dumps(one.as_data(), ensure_ascii=False) + "\n" for one in dialogues)
