"""Local models play roles: what they are sure of they decide, the rest they leave open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest

from du_eval.assembly.judges import MODELS, SIZES, JudgeOptions, build_judge, build_panel
from du_eval.errors import ConfigError
from du_eval.judges.answer_rules import AnswerTask
from du_eval.judges.answers import SpanAnswers
from du_eval.judges.coherence_rules import Exchanged
from du_eval.judges.judge import Judge
from du_eval.judges.model_judges import (
    AlikeCoherence,
    AlikeQuestions,
    NliClosed,
    NliCoherence,
    NliGist,
    NliPersona,
)
from du_eval.judges.nli import Inference
from du_eval.judges.protocol_rules import CriterionTask
from du_eval.judges.scored import ScoredAnswers, ScoredToxicity
from du_eval.judges.similarity import TfidfSimilarity
from du_eval.judges.tasks import ClosedTask, GistTask, Role, Task, TextTask, TurnTask
from du_eval.judges.toxicity import LexiconToxicity


@dataclass
class ListedInference:
    """Knows what some pairs entail; the others are neutral. Remembers what it was asked."""

    known: dict[str, Inference]
    """The second text of a pair, or all of the first."""
    asked: list[tuple[str, str]] = field(default_factory=list)
    name: str = "nli:listed"

    def infer(self, pairs: Sequence[tuple[str, str]]) -> list[Inference]:
        self.asked += pairs
        return [self.known.get(two, self.known.get(one, Inference(0.1, 0.1))) for one, two in pairs]


@dataclass
class ListedLikeness(TfidfSimilarity):
    """Says how alike all pairs are, and remembers which it compared."""

    value: float = 0.0
    compared: list[tuple[str, str]] = field(default_factory=list)

    def scores(self, pairs: Sequence[tuple[str, str]]) -> list[float]:
        self.compared.extend(pairs)
        return [self.value for _ in pairs]


def label_of(judge: Judge, task: Task) -> str | None:
    (found,) = judge.judge([task])
    assert found.judge == judge.name
    return found.label


@pytest.mark.parametrize(
    ("yes", "no", "label"), [(0.9, 0.1, "yes"), (0.1, 0.8, "no"), (0.8, 0.75, None), (0.5, 0.1, None)]
)
def test_a_closed_answer_is_what_is_clearly_more_likely(yes: float, no: float, label: str | None) -> None:
    model = ListedInference({"The answer is yes.": Inference(yes, 0), "The answer is no.": Inference(no, 0)})
    assert label_of(NliClosed(model), ClosedTask("Do you work?", "I am a nurse.")) == label


@pytest.mark.parametrize(
    ("inferred", "label"),
    [(Inference(0.9, 0), "meets"), (Inference(0, 0.9), "does not meet"), (Inference(0.4, 0.4), None)],
)
def test_a_criterion_is_met_when_it_is_entailed(inferred: Inference, label: str | None) -> None:
    assert label_of(NliGist(ListedInference({"c": inferred})), GistTask("c", "r")) == label


def test_a_reply_is_compared_with_each_earlier_line_of_its_speaker_and_no_other() -> None:
    model = ListedInference({"I am 16": Inference(0, 0.95)})
    judge = NliCoherence(model)
    assert label_of(judge, Exchanged(("I like it", "I am 16"), "I am 45")) is None
    assert label_of(judge, Exchanged(("Hi", "I am 16", "Really?"), "I am 45")) == "incoherent"
    assert model.asked == [("I like it", "I am 45"), ("I am 16", "I am 45")]


def test_only_questions_about_a_persona_are_compared_with_it() -> None:
    judge = NliPersona(ListedInference({"I cook.": Inference(0, 0.9)}))
    assert label_of(judge, CriterionTask("open_question", "What do you do?", "I fly.", "I cook.")) == "bad"
    assert label_of(judge, CriterionTask("topic_switch", "And sports?", "I fly.", "I cook.")) is None
    assert label_of(judge, CriterionTask("open_question", "What do you do?", "I fly.")) is None


def test_alike_questions_repeat_unless_they_differ_in_what_they_ask_about() -> None:
    judge = AlikeQuestions(ListedLikeness(0.9))
    assert label_of(judge, TurnTask(("Have you been to Wales?",), "Have you been to Scotland?")) == "false"
    assert label_of(judge, TurnTask(("Is a boat yours?",), "Do you own any ships?")) == "true"
    assert (
        label_of(AlikeQuestions(ListedLikeness(0.4)), TurnTask(("Is a boat yours?",), "Any ships?"))
        == "false"
    )
    assert label_of(judge, TurnTask(("How old are you?",), "I see.")) == "false"


@pytest.mark.parametrize(("likeness", "label"), [(0.05, "incoherent"), (0.2, None), (0.6, "coherent")])
def test_a_reply_far_from_what_was_said_does_not_fit(likeness: float, label: str | None) -> None:
    judge = AlikeCoherence(ListedLikeness(likeness))
    assert label_of(judge, Exchanged(("I bought a lamp.",), "Which shop sold it?")) == label
    assert label_of(judge, Exchanged(("Thanks!",), "You're welcome.")) == "coherent"
    assert label_of(judge, Exchanged(("Я купил лампу.",), "Луна далеко.")) is None


def test_what_a_bot_said_itself_is_no_evidence_that_its_reply_fits() -> None:
    likeness = ListedLikeness(0.2)
    label_of(AlikeCoherence(likeness), Exchanged(("Nice lamp.", "I like tea."), "It shines on my desk."))
    assert likeness.compared == [("I like tea.", "It shines on my desk.")]


def test_scores_become_labels_at_the_threshold_of_their_judge() -> None:
    answers = ScoredAnswers(SpanAnswers(TfidfSimilarity()))
    assert label_of(answers, AnswerTask("Rome.", ("Rome",))) == "right"
    assert label_of(answers, AnswerTask("Oslo.", ("Rome",))) == "wrong"
    toxicity = ScoredToxicity(LexiconToxicity())
    assert label_of(toxicity, TextTask("You idiot!")) == "toxic"
    assert label_of(toxicity, TextTask("Good morning!")) == "fine"


def test_a_panel_has_a_judge_for_each_role_and_own_choices_win() -> None:
    panel = build_panel(Role, JudgeOptions("offline,gist=tests.judges.test_model_players:OwnJudge"))
    assert set(panel) == set(Role)
    assert panel[Role.GIST].name == "own/1"
    assert panel[Role.STUTTER].name.startswith("stutter-rules/")


def test_unknown_judges_presets_and_a_missing_model_are_refused_with_a_hint() -> None:
    with pytest.raises(ConfigError, match="did you mean 'rules'"):
        build_judge(Role.GIST, "rule")
    with pytest.raises(ConfigError, match="unknown judge 'cheap'"):
        build_panel(Role, JudgeOptions("cheap"))
    with pytest.raises(ConfigError, match="did you mean 'coherence'"):
        build_panel(Role, JudgeOptions("offline,coherense=models"))
    with pytest.raises(ConfigError, match="needs a chat model"):
        build_judge(Role.GIST, "rules>llm", JudgeOptions())


def test_every_model_has_its_licence_and_size() -> None:
    assert set(MODELS.values()) == set(SIZES)
    assert set(MODELS) == set(Role) - {Role.STUTTER}


class OwnJudge:
    """A judge as a user writes it."""

    name = "own/1"

    def judge(self, tasks: Sequence[Task]) -> list[object]:
        return []
