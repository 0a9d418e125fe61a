"""Where in a dialogue which test is injected: seeded, without collisions, each fact at most once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random

from du_eval.perturbations.words import with_synonyms
from du_eval.quality.dialogue import Line, Mark, Role
from du_eval.quality.facts.model import DrawnFact, FactBook, drawn
from du_eval.quality.scripts import UPDATED, Script

_MOST_TRIES = 8


@dataclass(frozen=True)
class PlanSettings:
    """How dialogues are planned."""

    prompts: int = 40
    probabilities: Mapping[str, float] = field(default_factory=dict)
    max_sets: Mapping[str, int] = field(default_factory=dict)
    synonym_probability: float = 0.0
    augmentations: int = 0
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Slot:
    """A turn whose prompt is given."""

    text: str
    mark: Mark


@dataclass(frozen=True)
class Plan:
    """The injected turns of a dialogue by place, and the facts behind them; other turns are free."""

    number: int
    prompts: int
    slots: Mapping[int, Slot]
    facts: Mapping[int, DrawnFact]


@dataclass
class _Board:
    """A plan in the making."""

    slots: dict[int, Slot] = field(default_factory=dict)
    facts: dict[int, DrawnFact] = field(default_factory=dict)
    used: set[int] = field(default_factory=set)
    values: set[str] = field(default_factory=set)
    sets: dict[str, int] = field(default_factory=dict)


def plan(number: int, settings: PlanSettings, scripts: Sequence[Script], book: FactBook) -> Plan:
    """Return the plan of one dialogue; the seed and the number decide about it, and nothing else."""
    random = Random(f"{settings.seed}/{number}/plan")
    board = _Board()
    for place in range(1, settings.prompts):
        if place in board.slots:
            continue
        script = _drawn_script(random.random(), scripts, settings.probabilities)
        if script is not None:
            _try(script, place, board, settings, random, book)
    return Plan(number, settings.prompts, dict(sorted(board.slots.items())), board.facts)


def _drawn_script(u: float, scripts: Sequence[Script], probabilities: Mapping[str, float]) -> Script | None:
    bound = 0.0
    for script in scripts:
        bound += probabilities.get(script.code, 0.0)
        if u < bound:
            return script
    return None


def _try(  # noqa: PLR0913, PLR0917 - one step of the planner, cut out of its loop
    script: Script, place: int, board: _Board, settings: PlanSettings, random: Random, book: FactBook
) -> None:
    """Place a trial from a slot on, if some fact's lines fit into free slots before the end."""
    if board.sets.get(script.code, 0) >= settings.max_sets.get(script.code, settings.prompts):
        return
    free = [fact for fact in book.of(script.category) if fact.id not in board.used]
    for _ in range(_MOST_TRIES if free else 0):
        fact = random.choice(free)
        told = _augmented(drawn(fact, book, random, set(board.values)), settings, random)
        lines = script.lines(told, random)
        places = _places(lines, place)
        if places[-1] >= settings.prompts or any(slot in board.slots for slot in places):
            continue
        trial = len(board.facts)
        if any(line.variant == UPDATED for line in lines):
            told = told.updating()
        board.facts[trial] = told
        board.used.add(fact.id)
        board.values.update(filter(None, (told.answer, told.other, told.updated)))
        board.sets[script.code] = board.sets.get(script.code, 0) + 1
        board.slots.update(_slots(script.code, trial, lines, places))
        return


def _places(lines: Sequence[Line], start: int) -> list[int]:
    places = [start]
    for line in lines[1:]:
        places.append(places[-1] + line.wait)
    return places


def _slots(test: str, trial: int, lines: Sequence[Line], places: Sequence[int]) -> dict[int, Slot]:
    told: int | None = None
    slots = {}
    for line, place in zip(lines, places, strict=True):
        if line.role in {Role.INFORMATION, Role.UPDATE, Role.REFERENCE}:
            told = place
        distance = None if told is None or told == place else place - told
        mark = Mark(test, trial, line.role, line.level, line.nominal, line.unit, line.variant, distance)
        slots[place] = Slot(line.text, mark)
    return slots


def _augmented(fact: DrawnFact, settings: PlanSettings, random: Random) -> DrawnFact:
    """Return the fact with more formulations: some words replaced by synonyms, the answers untouched."""
    if not settings.augmentations or not settings.synonym_probability:
        return fact
    more = [
        with_synonyms(text, settings.synonym_probability, random, fact.accepted)
        for _ in range(settings.augmentations)
        for text in fact.information
    ]
    return replace(fact, information=tuple(dict.fromkeys((*fact.information, *more))))
