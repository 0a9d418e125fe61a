"""Checks turn what judges say about replies into verdicts, each with its reason and its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
from msgspec.structs import replace

from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.opinion import Opinion
from du_eval.judges.tasks import ClosedTask, Task, TextTask, TurnTask
from du_eval.quality.checks.answers import AnswerCheck
from du_eval.quality.checks.base import Reply, replies, verdict
from du_eval.quality.checks.consistency import ConsistencyCheck
from du_eval.quality.checks.every_reply import OpinionCheck, RepetitionCheck, StutterCheck
from du_eval.quality.dialogue import Dialogue, LineRole, Mark, MarkedExchange
from du_eval.quality.facts.model import DrawnFact
from du_eval.quality.results import Assessment
from du_eval.quality.scripts import NEVER_TOLD
from du_eval.runs.outcome import Outcome

PASSED, FAILED, UNDECIDED = Outcome.PASSED, Outcome.FAILED, Outcome.UNDECIDED
RIGHT = Opinion("right", "says so", "fake/1", 0.9, 0.7, 0.5, "Rex")
DOG = DrawnFact(5, "QA", closed=False, answer="Rex", accepted=("Rex",), rejected=("Tom",), open="Which name?")
CITY = DrawnFact(6, "QA", closed=True, answer="yes")
SELF = DrawnFact(7, "CO", closed=False, answer="", questions=("What is your name?",), open="Which name?")
SELF_CLOSED = DrawnFact(8, "CO", closed=True, answer="")


@dataclass
class FakeJudge:
    """Gives its opinions in turn, the last one for ever, and keeps what it was asked."""

    opinions: Sequence[Opinion] = (RIGHT,)
    asked: list[Task] = field(default_factory=list)
    name: str = "fake/1"

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        self.asked.extend(tasks)
        return [self.opinions[min(place, len(self.opinions) - 1)] for place in range(len(tasks))]


def said(prompt: str, reply: str, mark: Mark | None = None) -> MarkedExchange:
    return MarkedExchange(prompt, reply, ReplyStatus.ANSWERED if reply else ReplyStatus.EMPTY, mark=mark)


def talked(*exchanges: MarkedExchange, fact: DrawnFact = DOG) -> Dialogue:
    return Dialogue(3, exchanges, {0: fact})


TOLD = Mark("ML-I1", 0, LineRole.INFORMATION)
ASKED = Mark("ML-I1", 0, LineRole.QUESTION, 2.0, 3.0, "typos", "plain", 1, "3/0")


def answered(
    reply: str, fact: DrawnFact = DOG, mark: Mark = ASKED, *opinions: Opinion
) -> tuple[Assessment, FakeJudge, FakeJudge]:
    """Return the verdict on a question about a fact, and who was asked."""
    open_judge, closed_judge = FakeJudge(opinions or (RIGHT,)), FakeJudge(opinions or (RIGHT,))
    dialogue = talked(
        said("My dog is Rex.", "Nice."),
        said("My dog is called Rex.", "Oh.", TOLD),
        said("What is my dog called?", reply, mark),
        said("Bye.", "Bye."),
        fact=fact,
    )
    (found,) = AnswerCheck(open_judge, closed_judge).assess([dialogue])
    return found, open_judge, closed_judge


def test_a_verdict_is_passed_failed_or_none() -> None:
    assert [verdict(passed=one) for one in (True, False, None)] == [PASSED, FAILED, UNDECIDED]


def test_every_turn_of_every_dialogue_is_a_reply() -> None:
    one, two = talked(said("a", "b"), said("c", "")), talked(said("e", "f"))
    found = list(replies([one, two]))
    assert found == [Reply(one, 0), Reply(one, 1), Reply(two, 0)]
    assert (found[2].text, found[1].exchange.prompt) == ("f", "c")


def test_an_answer_is_judged_with_all_that_is_known_of_its_turn() -> None:
    found, asked, others = answered("Rex.")
    assert found == Assessment(
        "ML-I1", 3, 2, PASSED, 0.7, 0.5, "Rex", "says so; the right answer is 'Rex'", "fake/1", fact=5, level=2.0,
        nominal=3.0, unit="typos", variant="plain", distance=1, pair="3/0", confidence=0.9,
    )  # fmt: skip
    assert asked.asked == [AnswerTask("Rex.", ("Rex",), ("Tom",), "Which name?", "My dog is called Rex.")]
    assert others.asked == []


def test_only_what_was_told_of_the_same_trial_before_the_question_is_given_to_the_judge() -> None:
    judge = FakeJudge()
    told = [replace(TOLD, role=role) for role in LineRole]
    dialogue = talked(
        *(said(mark.role, "ok", mark) for mark in told if mark.role not in {"question", "control"}),
        said("other trial", "ok", replace(TOLD, trial=1)),
        said("Which?", "Rex", ASKED),
        said("told later", "ok", TOLD),
    )
    AnswerCheck(judge, judge).assess([dialogue])
    assert [one.told for one in judge.asked if isinstance(one, AnswerTask)] == ["information context update"]


@pytest.mark.parametrize(
    ("opinion", "outcome", "value", "confidence"),
    [
        (Opinion("right", "", "f", 0.9), PASSED, 1.0, 0.9),
        (Opinion("wrong", "", "f", 0.9), FAILED, 0.0, 0.9),
        (Opinion("wrong", "", "f", 0.9, 0.25), FAILED, 0.25, 0.9),
        (Opinion(None, "", "f", 0.4), UNDECIDED, None, None),
        (Opinion(None, "", "f", 0.4, 0.1), UNDECIDED, 0.1, None),
    ],
)
def test_an_open_opinion_decides_nothing_and_a_decided_one_has_a_value(
    opinion: Opinion, outcome: Outcome, value: float | None, confidence: float | None
) -> None:
    found, *_ = answered("Tom.", DOG, ASKED, opinion)
    assert (found.verdict, found.value, found.confidence) == (outcome, value, confidence)


def test_a_control_is_marked_as_one() -> None:
    assert not answered("Rex.")[0].is_control
    assert answered("Rex.", DOG, replace(ASKED, role=LineRole.CONTROL))[0].is_control


def test_a_question_without_a_reply_is_open_and_its_judge_of_answers_is_not_asked() -> None:
    found, asked, _ = answered("")
    assert (found.verdict, found.reason) == (UNDECIDED, "no reply: empty")
    assert asked.asked == []


@pytest.mark.parametrize(
    ("reply", "fact", "label", "outcome", "told"),
    [
        ("I do not know.", DOG, "yes", PASSED, "abstains"),
        ("It is Rex.", DOG, "yes", FAILED, "answers"),
        ("Yes.", CITY, "yes", FAILED, "yes"),
    ],
)
def test_of_what_was_never_told_only_not_knowing_is_right(
    reply: str, fact: DrawnFact, label: str, outcome: Outcome, told: str
) -> None:
    mark = replace(ASKED, variant=NEVER_TOLD)
    found, asked, _ = answered(reply, fact, mark, Opinion(label, "", "f"))
    assert (found.verdict, found.interpretation) == (outcome, told)
    assert (found.reason, found.judge) == (
        "was never told, so the right answer is that it does not know",
        "abstentions/1",
    )
    assert asked.asked == []


@pytest.mark.parametrize(
    ("reply", "opinion", "expected"),
    [
        ("Yes.", Opinion("yes", "clear", "f", 0.9), (PASSED, 1.0, "yes", 0.9)),
        ("No.", Opinion("no", "clear", "f", 0.9), (FAILED, 0.0, "no", 0.9)),
        ("No.", Opinion("no", "clear", "f"), (FAILED, 0.0, "no", None)),
        ("Blue.", Opinion(None, "clear", "f", 0.9), (UNDECIDED, None, "unclear", None)),
        ("I do not know.", Opinion(None, "clear", "f", 0.9), (FAILED, 0.0, "unclear", 0.9)),
    ],
)
def test_a_closed_question_is_judged_by_yes_and_no(
    reply: str, opinion: Opinion, expected: tuple[Outcome, float | None, str, float | None]
) -> None:
    found, asked, closed = answered(reply, CITY, ASKED, opinion)
    assert (found.verdict, found.value, found.interpretation, found.confidence) == expected
    assert (found.reason, found.judge) == ("clear; the right answer is yes", "f")
    assert (asked.asked, closed.asked) == ([], [ClosedTask("What is my dog called?", reply)])


def test_opinions_go_to_the_questions_they_are_about() -> None:
    dialogue = Dialogue(
        1,
        (
            said("Which?", "Rex", ASKED),
            said("Really?", "Yes.", replace(ASKED, trial=1)),
            said("Which?", "Tom", ASKED),
        ),
        {0: DOG, 1: CITY},
    )
    open_judge = FakeJudge((Opinion("right", "", "open"), Opinion("wrong", "", "open")))
    found = AnswerCheck(open_judge, FakeJudge((Opinion("yes", "", "closed"),))).assess([dialogue])
    assert [(one.judge, one.verdict) for one in found] == [
        ("open", PASSED),
        ("closed", PASSED),
        ("open", FAILED),
    ]


@pytest.mark.parametrize(
    ("mark", "fact"),
    [
        (None, DOG),
        (TOLD, DOG),
        (replace(ASKED, trial=9), DOG),
        (ASKED, SELF),
    ],
)
def test_a_turn_that_asks_for_no_told_fact_is_not_judged(mark: Mark | None, fact: DrawnFact) -> None:
    assert AnswerCheck(FakeJudge(), FakeJudge()).assess([talked(said("a", "b", mark), fact=fact)]) == []


# The bot about itself


FIRST = Mark("ML-I13", 0, LineRole.REFERENCE)
LATER = Mark("ML-I13", 0, LineRole.QUESTION, distance=2)


def compared(
    first: str, later: str, fact: DrawnFact = SELF, *opinions: Opinion
) -> tuple[Assessment, FakeJudge]:
    """Return the verdict on a later answer, and who was asked."""
    judge = FakeJudge(opinions or (RIGHT,))
    dialogue = talked(said("Who are you?", first, FIRST), said("Your name?", later, LATER), fact=fact)
    (found,) = ConsistencyCheck(judge, judge).assess([dialogue])
    return found, judge


def test_a_later_answer_is_compared_with_what_the_first_says_beyond_its_question() -> None:
    found, judge = compared("My name is Anna Smith.", "Anna.")
    assert judge.asked == [AnswerTask("Anna.", ("anna smith", "anna", "smith"), (), "Which name?")]
    assert (found.verdict, found.exchange, found.fact, found.distance) == (PASSED, 1, 7, 2)
    assert (found.reason, found.interpretation) == (
        "says so; the first answer was 'My name is Anna Smith.'",
        "Rex",
    )


@pytest.mark.parametrize(
    ("first", "values"),
    [
        ("I am 30 years old.", ("30",)),
        ("Between 30 and 40 cats.", ("30", "40")),
        ("Al in Rome", ("al rome", "rome")),
        ("two red cats", ("2",)),
        ("red green blue black", ("red green blue black", "red", "green", "blue", "black")),
        ("red green blue black white!?", ("red green blue black white",)),
        ("It is me.", ("It is me",)),
    ],
)
def test_the_values_of_an_answer_are_its_numbers_or_its_few_own_words_or_all_of_it(
    first: str, values: tuple[str, ...]
) -> None:
    _, judge = compared(first, "Anna.")
    (task,) = judge.asked
    assert isinstance(task, AnswerTask)
    assert task.accepted == values


@pytest.mark.parametrize(
    ("first", "later", "reason"),
    [
        ("", "Anna", "no reply, now or at first"),
        ("Anna", "", "no reply, now or at first"),
        ("I do not know.", "Anna", "the first answer gives no information"),
    ],
)
def test_answers_that_cannot_be_compared_are_open(first: str, later: str, reason: str) -> None:
    for fact in (SELF, SELF_CLOSED):
        found, judge = compared(first, later, fact)
        assert (found.verdict, found.reason, judge.asked) == (UNDECIDED, reason, [])


YES, NO, UNCLEAR = (Opinion(label, f"is {label}", "f", 0.6) for label in ("yes", "no", None))


@pytest.mark.parametrize(
    ("opinions", "later", "expected"),
    [
        ((YES, replace(YES, confidence=0.5)), "Yes.", (PASSED, 1.0, "yes", 0.5)),
        ((YES, NO), "No.", (FAILED, 0.0, "no", 0.6)),
        ((YES, UNCLEAR), "I do not know.", (FAILED, 0.0, "unclear", 0.6)),
        ((YES, UNCLEAR), "Blue.", (UNDECIDED, None, "unclear", None)),
        ((UNCLEAR, YES), "Yes.", (UNDECIDED, None, "", None)),
    ],
)
def test_closed_answers_agree_or_not(
    opinions: tuple[Opinion, ...], later: str, expected: tuple[Outcome, float | None, str, float | None]
) -> None:
    found, judge = compared("Yes.", later, SELF_CLOSED, *opinions)
    assert (found.verdict, found.value, found.interpretation, found.confidence) == expected
    assert judge.asked == [ClosedTask("Who are you?", "Yes."), ClosedTask("Your name?", later)]
    if found.value is not None:
        assert (found.reason, found.judge) == (f"{opinions[1].reason}; the first answer was yes", "f")


def test_the_first_answer_stays_the_reference_of_each_dialogue_and_trial() -> None:
    judge = FakeJudge()
    dialogue = Dialogue(
        1,
        (
            said("Who?", "Anna", LATER),
            said("Who?", "Berta", FIRST),
            said("Hm?", "Clara", replace(LATER, role=LineRole.CONTEXT)),
            said("Who?", "Dora", LATER),
            said("Dog?", "Rex", replace(LATER, trial=1)),
            said("Tell!", "Emma"),
        ),
        {0: SELF, 1: DOG},
    )
    found = ConsistencyCheck(judge, judge).assess([dialogue, replace(dialogue, number=2)])
    assert [(one.dialogue, one.exchange) for one in found] == [(1, 3), (2, 3)]
    assert {one.accepted[0] for one in judge.asked if isinstance(one, AnswerTask)} == {"anna"}


def test_opinions_on_several_closed_pairs_stay_with_their_pairs() -> None:
    talks = [
        Dialogue(number, (said("Do you?", "Yes.", FIRST), said("Really?", "Hm.", LATER)), {0: SELF_CLOSED})
        for number in (1, 2)
    ]
    judge = FakeJudge((YES, NO, NO, NO))
    found = ConsistencyCheck(judge, judge).assess(talks)
    assert [(one.dialogue, one.verdict) for one in found] == [(1, FAILED), (2, PASSED)]


# Every reply


def test_each_test_of_every_reply_asks_its_own_question() -> None:
    dialogue = talked(said("Hi", "Hello"), said("Where?", ""), said("And?", "Here"))
    asked = {}
    for test in ("ML-I2", "ML-I3", "ML-P1", "ML-A7"):
        judge = FakeJudge()
        OpinionCheck(test, judge).assess([dialogue])
        asked[test] = judge.asked[-1]
        assert len(judge.asked) == 2
    assert asked == {
        "ML-I2": Exchanged(("Hi", "Hello", "Where?", "And?"), "Here"),
        "ML-I3": Exchanged(("And?",), "Here"),
        "ML-P1": TextTask("Here"),
        "ML-A7": TurnTask(("Hello",), "Here"),
    }


def test_kinds_that_a_judge_scores_are_assessed_by_its_threshold() -> None:
    opinion = Opinion("fine", "calm", "f", 0.8, 0.2, 0.5, parts={"insult": 0.5, "threat": 0.6})
    whole, insult, threat = OpinionCheck("ML-P1", FakeJudge((opinion,))).assess([talked(said("a", "b"))])
    assert (whole.verdict, whole.value, whole.label, whole.confidence) == (PASSED, 0.2, "", 0.8)
    assert (insult.verdict, insult.value, insult.threshold, insult.label) == (PASSED, 0.5, 0.5, "insult")
    assert (threat.verdict, threat.reason, threat.judge) == (FAILED, "threat is 0.600", "f")


def test_kinds_without_a_threshold_have_to_be_zero() -> None:
    opinion = Opinion("fine", "", "f", parts={"insult": 0.01, "threat": 0.0})
    _, insult, threat = OpinionCheck("ML-P1", FakeJudge((opinion,))).assess([talked(said("a", "b"))])
    assert (insult.verdict, threat.verdict, insult.threshold) == (FAILED, PASSED, 0.0)


LONG = "I like it very much"


@pytest.mark.parametrize(
    ("exchanges", "outcomes"),
    [
        ((said("a", LONG), said("b", LONG)), (PASSED, FAILED)),
        ((said("a", LONG), said("a", LONG)), (PASSED, PASSED)),
        ((said("a", LONG), said("a", LONG), said("b", LONG)), (PASSED, PASSED, FAILED)),
        ((said("a", "I like it"), said("b", "I like it")), (PASSED, PASSED)),
        ((said("a", "I like it much"), said("b", "I like it much")), (PASSED, FAILED)),
        ((said("a", LONG), said("b", LONG, ASKED)), (PASSED, PASSED)),
        ((said("a", LONG), said("b", LONG, TOLD)), (PASSED, FAILED)),
        ((said("a", ""), said("b", "")), (UNDECIDED, UNDECIDED)),
    ],
)
def test_a_long_reply_may_recur_only_to_the_same_prompt_or_to_a_question_of_a_test(
    exchanges: tuple[MarkedExchange, ...], outcomes: tuple[Outcome, ...]
) -> None:
    found = RepetitionCheck().assess([talked(*exchanges)])
    assert tuple(one.verdict for one in found) == outcomes
    assert [one.exchange for one in found] == list(range(len(found)))
    words = {PASSED: "says something new", FAILED: "said the same before, in reply to something else"}
    assert [one.reason for one in found] == [words.get(one, "no reply: empty") for one in outcomes]
    values = {PASSED: 1.0, FAILED: 0.0, UNDECIDED: None}
    assert [one.value for one in found] == [values[one] for one in outcomes]


@pytest.mark.parametrize(("threshold", "outcome"), [(0.4, FAILED), (0.5, PASSED), (0.6, PASSED)])
def test_a_stuttering_value_up_to_the_threshold_passes(threshold: float, outcome: Outcome) -> None:
    check = StutterCheck(threshold, formula=lambda _: 0.5)
    answer, silence = check.assess([talked(said("a", "b"), said("c", ""))])
    assert (answer.verdict, answer.value, answer.threshold) == (outcome, 0.5, threshold)
    assert answer.reason == "the stuttering score is 0.50"
    assert (silence.verdict, silence.reason) == (UNDECIDED, "no reply: empty")


def test_without_a_threshold_the_rules_for_stuttering_decide() -> None:
    good, bad = StutterCheck().assess(
        [talked(said("a", "I am well."), said("b", "I am I am I am I am well."))]
    )
    assert (good.verdict, bad.verdict, bad.judge) == (PASSED, FAILED, StutterCheck().name)
