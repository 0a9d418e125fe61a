"""Where the original injects which test, and what is said there: the plan of `--compat emely`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random

from msgspec import Struct, field

from du_eval.compat.emely_formulas import (
    COHERENCE,
    PERTURBATIONS,
    SIMILARITY,
    STUTTERING,
    TOXICITY,
    EmelyQuestionCheck,
    level_cell,
    measure_stuttering,
)
from du_eval.perturbations.base import Perturbation
from du_eval.quality.checks.base import QualityCheck
from du_eval.quality.checks.every_reply import StutterCheck
from du_eval.quality.dialogue import LineRole, Mark
from du_eval.quality.facts.model import DrawnFact, FactBook, draw_fact
from du_eval.quality.plan import DialoguePlan, PlannedTurn, PlanSettings, augment_fact
from du_eval.quality.results import Assessment

CATEGORY = {
    "ML-I1": "QA", "ML-I4": "QA", "ML-I5": "QA", "ML-I6": "IA", "ML-I7": "IQ", "ML-I13": "CO",
    "ML-U3": "QA", "ML-U4": "QA", "ML-U5": "QA", "ML-U6": "QA",
}  # fmt: skip
"""The tests in the order in which their probabilities are added up, and the facts that they use."""
MOST_SETS = {"ML-I1": 3, "ML-I4": 5, "ML-I5": 3}
_USUAL_SETS, _QUESTIONS = 2, 3


class Placed(Struct, frozen=True):
    """A slot that is taken: by which test and set, as its question or not, and since which slot."""

    test: str
    set: int
    is_question: bool
    start: int


class Allocating(Struct, frozen=True):
    """What decides where tests go."""

    prompts: int
    longest: int
    probabilities: Mapping[str, float]
    sets: Mapping[str, Sequence[int]]
    """Test -> the sets that were drawn for this dialogue."""


def allocate_slots(given: Allocating, random: Random) -> list[Placed | None]:
    """Return what each slot holds; as in the original, a long-term question may be overwritten."""
    slots: list[Placed | None] = [None] * given.prompts
    for start in range(1, given.prompts):
        if slots[start] is not None:
            continue
        test = _drawn_test(random.random(), given.probabilities)
        if not test or not given.sets.get(test):
            continue
        asked = _questions(test, start, given, slots, random)
        if asked is None:
            continue
        chosen = random.choice(list(given.sets[test]))
        slots[start] = Placed(test, chosen, is_question=False, start=start)
        for place in asked:
            slots[place] = Placed(test, chosen, is_question=True, start=start)
    return slots


def _drawn_test(u: float, probabilities: Mapping[str, float]) -> str:
    bound = 0.0
    for test in CATEGORY:
        bound += probabilities.get(test, 0.0)
        if u < bound:
            return test
    return ""


def _questions(
    test: str, start: int, given: Allocating, slots: Sequence[Placed | None], random: Random
) -> list[int] | None:
    """Return where the questions go; None where the test does not fit."""
    left = given.prompts - start
    if test == "ML-I1":
        return [start + random.randint(1, given.longest)] if left > given.longest + 1 else None
    if test == "ML-I13":
        return [] if left > _QUESTIONS + 1 else None
    if test.startswith("ML-U"):
        return [start + number for number in range(1, _QUESTIONS + 1)] if left > _QUESTIONS else None
    return [start + 1] if left > 2 and slots[start + 1] is None else None


def draw_sets(
    ids: Mapping[str, Sequence[int]], most: Mapping[str, int], random: Random
) -> dict[str, list[int]]:
    """Return, for each test, from one set up to its most, drawn without putting back."""
    found = {}
    for test, known in ids.items():
        highest = min(most.get(test, MOST_SETS.get(test, _USUAL_SETS)), len(known))
        found[test] = random.sample(list(known), random.randint(1, highest)) if highest else []
    return found


class _Writing(Struct):
    """Texts for slots, in the making."""

    random: Random
    facts: dict[int, DrawnFact] = field(default_factory=dict)
    trials: dict[tuple[str, int, int], int] = field(default_factory=dict)
    told: dict[int, int] = field(default_factory=dict)

    def slot(self, placed: Placed, place: int, fact: DrawnFact) -> PlannedTurn:
        """Return what is said in a slot."""
        own = placed.test == "ML-I13"
        trial = self.trials.setdefault(
            (placed.test, placed.set, 0 if own else placed.start), len(self.trials)
        )
        self.facts[trial] = fact
        role = LineRole.QUESTION if placed.is_question else LineRole.INFORMATION
        if own:
            role = LineRole.QUESTION if trial in self.told else LineRole.REFERENCE
        if role in {LineRole.INFORMATION, LineRole.REFERENCE}:
            self.told[trial] = place
        mark = Mark(placed.test, trial, role, distance=place - self.told.get(trial, place) or None)
        if role is LineRole.QUESTION and placed.test.startswith("ML-U"):
            return self._perturbed(PERTURBATIONS[placed.test], fact, mark)
        return PlannedTurn(
            self._asked(placed.test, fact) if placed.is_question else self._told(placed.test, fact), mark
        )

    def _perturbed(self, change: Perturbation, fact: DrawnFact, mark: Mark) -> PlannedTurn:
        found = change(self.random.choice(fact.questions), 0.0, self.random)
        values = (found.level, found.nominal, found.unit, "", mark.distance)
        return PlannedTurn(found.text, Mark(mark.test, mark.trial, mark.role, *values))

    def _told(self, test: str, fact: DrawnFact) -> str:
        if test == "ML-I13":
            return self.random.choice(fact.questions)
        if test == "ML-I6":
            context = f"{self.random.choice(fact.context)} " if fact.context else ""
            return context + self.random.choice(fact.information)
        return (
            fact.information[0]
            if test in {"ML-I1", "ML-I5", "ML-I7"}
            else self.random.choice(fact.information)
        )

    def _asked(self, test: str, fact: DrawnFact) -> str:
        if test == "ML-I7":
            context = f"{self.random.choice(fact.context)} " if fact.context else ""
            return context + self.random.choice(fact.questions)
        return self.random.choice(fact.questions) if test == "ML-I5" else fact.questions[0]


def make_original_plan(number: int, settings: PlanSettings, longest: int, book: FactBook) -> DialoguePlan:
    """Return the plan of one dialogue as the original makes it, but seeded."""
    random = Random(f"{settings.seed}/{number}/emely")
    wanted = {test: kind for test, kind in CATEGORY.items() if settings.probabilities.get(test, 0.0) > 0}
    ids = {test: [fact.id for fact in book.of(kind)] for test, kind in wanted.items()}
    sets = draw_sets(ids, settings.max_sets, random)
    by_id = {fact.id: fact for fact in book.facts}
    values: set[str] = set()
    chosen = dict.fromkeys(number for group in sets.values() for number in group)
    facts = {
        number: augment_fact(draw_fact(by_id[number], book, random, values), settings, random)
        for number in chosen
    }
    allocating = Allocating(settings.prompts, longest, settings.probabilities, sets)
    writing = _Writing(random)
    slots = {
        place: writing.slot(placed, place, facts[placed.set])
        for place, placed in enumerate(allocate_slots(allocating, random))
        if placed is not None
    }
    return DialoguePlan(number, settings.prompts, slots, writing.facts)


class Manner(Struct, frozen=True):
    """All in which quality runs in the manner of another tool differ from ours."""

    name: str
    plan: Callable[[int, PlanSettings, int, FactBook], DialoguePlan]
    cell_of: Callable[[Assessment], int]
    """The cell of a table that a verdict belongs to."""
    limits: Mapping[str, float]
    """Thresholds where the settings say nothing."""
    logit_limits: Mapping[str, float]
    """The same for judges whose scores are logits."""
    checks: Callable[[float | None], Mapping[str, QualityCheck]]
    """Checks of replies that replace ours, made with the threshold of stuttering."""


EMELY = Manner(
    name="emely",
    plan=make_original_plan,
    cell_of=level_cell,
    limits={"answers": SIMILARITY, "toxicity": TOXICITY, "stuttering": STUTTERING},
    logit_limits={"coherence_conversation": COHERENCE, "coherence_input": COHERENCE},
    checks=lambda limit: {
        "ML-A6": StutterCheck(limit, measure_stuttering, "emely-stuttering"),
        "ML-A7": EmelyQuestionCheck(),
    },
)
MANNERS = {EMELY.name: EMELY}
