"""Where in a dialogue which test is injected: seeded, balanced, without collisions, each fact only once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from random import Random

from msgspec import Struct, field
from msgspec.structs import replace

from du_eval.perturbations.words import with_synonyms
from du_eval.quality.dialogue import ASKED, TWINS, Line, LineRole, Mark
from du_eval.quality.facts.model import DrawnFact, FactBook, draw_fact
from du_eval.quality.scripts import UPDATED, Script, TwinScript

_MOST_TRIES = 8


class PlanSettings(Struct, frozen=True):
    """How dialogues are planned."""

    prompts: int = 40
    probabilities: Mapping[str, float] = field(default_factory=dict)
    max_sets: Mapping[str, int] = field(default_factory=dict)
    synonym_probability: float = 0.0
    augmentations: int = 0
    seed: int = 0


class PlannedTurn(Struct, frozen=True):
    """A turn whose prompt is given."""

    text: str
    mark: Mark


class DialoguePlan(Struct, frozen=True):
    """The injected turns of a dialogue by place, and the facts behind them; other turns are free."""

    number: int
    prompts: int
    slots: Mapping[int, PlannedTurn]
    facts: Mapping[int, DrawnFact]


class _Trial(Struct, frozen=True):
    """A test that was placed: whose it is, what is said, and from where on."""

    script: Script
    fact: DrawnFact
    lines: Sequence[Line]
    place: int


class _Board(Struct):
    """A plan in the making."""

    number: int
    settings: PlanSettings
    random: Random
    slots: dict[int, PlannedTurn] = field(default_factory=dict)
    trials: list[_Trial] = field(default_factory=list)
    values: set[str] = field(default_factory=set)
    asked: Counter[str] = field(default_factory=Counter)
    """How many questions of each test there are, with those of the dialogues before."""

    def uses(self, script: Script) -> int:
        """Return how many trials of a test there are."""
        return sum(trial.script.code == script.code for trial in self.trials)

    def has_room(self, lines: Sequence[Line], place: int) -> bool:
        """Return whether all that is said falls into free slots before the end."""
        places = _places(lines, place)
        return places[-1] < self.settings.prompts and not any(slot in self.slots for slot in places)

    def put(self, trial: _Trial, pair: str) -> None:
        """Place a trial; its pair is empty where nothing is compared."""
        number = len(self.trials)
        self.trials.append(trial)
        fact = trial.fact
        self.values.update(filter(None, (fact.answer, fact.other, fact.updated)))
        self.slots.update(_slots(trial, number, pair))
        self.asked[trial.script.code] += sum(line.role is LineRole.QUESTION for line in trial.lines)


def plan_all(
    count: int, settings: PlanSettings, scripts: Sequence[Script], book: FactBook
) -> list[DialoguePlan]:
    """Return the plans of some dialogues; the seed decides about them, and those before about each.

    Dialogues 0 and 1, 2 and 3 and so on are twins: tests whose control needs a conversation of its own have
    the question in one of them and the control, on the same fact, in the other. Over all dialogues, questions
    are spread over the tests.
    """
    boards: list[_Board] = []
    asked = Counter[str]()
    for number in range(count):
        board = _Board(number, settings, Random(f"{settings.seed}/{number}/plan"), asked=Counter(asked))
        _fill(board, boards[-1] if number % 2 else None, scripts, book)
        boards.append(board)
        asked = board.asked
    return [_make_plan(board) for board in boards]


def _make_plan(board: _Board) -> DialoguePlan:
    facts = {place: trial.fact for place, trial in enumerate(board.trials)}
    return DialoguePlan(board.number, board.settings.prompts, dict(sorted(board.slots.items())), facts)


def _fill(board: _Board, first: _Board | None, scripts: Sequence[Script], book: FactBook) -> None:
    """Place trials on a board; a second twin begins with the other sides of its first."""
    if first is not None:
        _place_twins(board, first)
    own = [one for one in scripts if first is None or not isinstance(one, TwinScript)]
    chance = sum(board.settings.probabilities.get(one.code, 0.0) for one in scripts)
    for place in range(1, board.settings.prompts):
        if place not in board.slots and board.random.random() < chance:
            any(_try(script, place, board, book) for script in _order(board, own))


def _order(board: _Board, scripts: Sequence[Script]) -> list[Script]:
    """Return tests in the order of their turns: those with the fewest replies for their probability first."""
    shares = board.settings.probabilities
    wanted = [(place, one) for place, one in enumerate(scripts) if shares.get(one.code, 0.0) > 0]
    rated = [
        (board.asked[one.code] / shares[one.code], (place + board.number) % len(scripts), one)
        for place, one in wanted
    ]
    return [one for _, _, one in sorted(rated, key=lambda item: item[:2])]


def _place_twins(board: _Board, first: _Board) -> None:
    """Place the other side of each test of the first dialogue that has its control in a twin."""
    for number, trial in enumerate(first.trials):
        if not isinstance(trial.script, TwinScript):
            continue
        for _ in range(_MOST_TRIES):
            lines = trial.script.twin(trial.fact, trial.lines, board.random)
            if lines and board.has_room(lines, trial.place):
                pair = f"{TWINS}{first.number // 2}/{number}"
                board.put(_Trial(trial.script, trial.fact, lines, trial.place), pair)
                break


def _try(script: Script, place: int, board: _Board, book: FactBook) -> bool:
    """Place a trial from a slot on, if some fact's lines fit into free slots before the end."""
    settings, random = board.settings, board.random
    if board.uses(script) >= settings.max_sets.get(script.code, settings.prompts):
        return False
    used = {trial.fact.id for trial in board.trials}
    free = [fact for fact in book.of(script.category) if fact.id not in used]
    for _ in range(_MOST_TRIES if free else 0):
        fact = random.choice(free)
        told = augment_fact(draw_fact(fact, book, random, set(board.values)), settings, random)
        lines = script.lines(told, random)
        if not board.has_room(lines, place):
            continue
        if any(line.variant == UPDATED for line in lines):
            told = told.apply_update()
        number = len(board.trials)
        twins = f"{TWINS}{board.number // 2}/{number}"
        own = (
            f"{board.number}/{number}"
            if {LineRole.QUESTION, LineRole.CONTROL} <= {x.role for x in lines}
            else ""
        )
        board.put(_Trial(script, told, lines, place), twins if isinstance(script, TwinScript) else own)
        return True
    return False


def _places(lines: Sequence[Line], start: int) -> list[int]:
    places = [start]
    for line in lines[1:]:
        places.append(places[-1] + line.wait)
    return places


def _slots(trial: _Trial, number: int, pair: str) -> dict[int, PlannedTurn]:
    told: int | None = None
    slots = {}
    for line, place in zip(trial.lines, _places(trial.lines, trial.place), strict=True):
        if line.role in {LineRole.INFORMATION, LineRole.UPDATE, LineRole.REFERENCE}:
            told = place
        mark = Mark(
            test=trial.script.code,
            trial=number,
            role=line.role,
            level=line.level,
            nominal=line.nominal,
            unit=line.unit,
            variant=line.variant,
            distance=None if told is None or told == place else place - told,
            pair=pair if line.role in ASKED else "",
        )
        slots[place] = PlannedTurn(line.text, mark)
    return slots


def augment_fact(fact: DrawnFact, settings: PlanSettings, random: Random) -> DrawnFact:
    """Return the fact with more formulations: some words replaced by synonyms, the answers untouched."""
    if not settings.augmentations or not settings.synonym_probability:
        return fact
    more = [
        with_synonyms(text, settings.synonym_probability, random, fact.accepted)
        for _ in range(settings.augmentations)
        for text in fact.information
    ]
    return replace(fact, information=tuple(dict.fromkeys((*fact.information, *more))))
