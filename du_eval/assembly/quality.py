"""Settings of a quality run into chatters, judges, checks and scripts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from du_eval.assembly.quality_chatters import MAKERS, Circumstances
from du_eval.chatters.base import Chatter
from du_eval.errors import ConfigError, did_you_mean
from du_eval.judges.answers import answer_judge
from du_eval.judges.coherence import ModelCoherence, coherence_judge
from du_eval.judges.similarity import SimilarityJudge, similarity_judge
from du_eval.judges.toxicity import toxicity_judge
from du_eval.judges.yes_no import RuleYesNo
from du_eval.plugins import load_object
from du_eval.quality.bots import BOTS, baseline_bot
from du_eval.quality.checks.answers import AnswerCheck
from du_eval.quality.checks.base import Check
from du_eval.quality.checks.consistency import ConsistencyCheck
from du_eval.quality.checks.every_reply import CoherenceCheck, StutterCheck, ToxicityCheck
from du_eval.quality.checks.questions import RepeatedQuestionCheck
from du_eval.quality.config import QualityConfig, Thresholds
from du_eval.quality.emely import COHERENCE, SIMILARITY, STUTTERING, TOXICITY, level_cell
from du_eval.quality.emely import RepeatedQuestionCheck as OriginalQuestions
from du_eval.quality.emely import stuttering as original_stuttering
from du_eval.quality.facts.model import FactBook
from du_eval.quality.pipeline import Assessing
from du_eval.quality.plan import PlanSettings
from du_eval.quality.scripts import Script, ScriptSettings, scripts

KINDS = (*MAKERS, *BOTS)


@dataclass(frozen=True)
class Judges:
    """The judges of a run."""

    similarity: SimilarityJudge
    answers: Any
    coherence: Any
    toxicity: Any
    yes_no: Any

    @property
    def names(self) -> dict[str, str]:
        """What results call them."""
        found = ("similarity", "answers", "coherence", "toxicity", "yes_no")
        return {
            key: str(getattr(getattr(self, key), "name", type(getattr(self, key)).__name__)) for key in found
        }


def build_judges(config: QualityConfig) -> Judges:
    """Return the judges that the settings name; a name with a colon or a dot may be a class of the user's."""
    chosen = config.judges
    similarity = _own(chosen.similarity) or similarity_judge(chosen.similarity)
    return Judges(
        similarity=similarity,
        answers=_own(chosen.answers) or answer_judge(chosen.answers, similarity),
        coherence=_own(chosen.coherence) or coherence_judge(chosen.coherence, similarity),
        toxicity=_own(chosen.toxicity) or toxicity_judge(chosen.toxicity, similarity),
        yes_no=RuleYesNo() if chosen.yes_no == "rules" else load_object(chosen.yes_no)(),
    )


def _own(choice: str) -> Any:
    """Return the judge of a class path such as `my_judges:Mine`, or nothing."""
    module, colon, name = choice.partition(":")
    if not colon or not name.isidentifier() or not all(part.isidentifier() for part in module.split(".")):
        return None
    return None if module == "detoxify" else load_object(choice)()


def build_assessing(config: QualityConfig, judges: Judges) -> Assessing:
    """Return the checks of a run and what its numbers depend on."""
    original = config.compat == "emely"
    limits = original_thresholds(config, judges) if original else config.thresholds
    by_test = _checks_of_replies(limits, judges, is_original=original)
    checks: list[Check] = [
        AnswerCheck(judges.answers, judges.yes_no, limits.answers),
        ConsistencyCheck(judges.answers, judges.yes_no),
        *(by_test[test] for test in config.reply_tests),
        *(load_object(path)() for path in config.checks),
    ]
    mode = f"|compat:{config.compat}" if config.compat else ""
    return Assessing(
        checks=checks,
        judges=judges.names,
        gates=config.gates,
        signature=f"seed:{config.seed}|prompts:{config.prompts}|intervals:clustered-wilson:0.95{mode}",
        cell_of=level_cell if original else None,
        compat=config.compat,
        by_level=None if config.by_level is None else frozenset(config.by_level),
    )


def _checks_of_replies(limits: Thresholds, judges: Judges, *, is_original: bool) -> dict[str, Check]:
    """Return the checks of every reply by their tests."""
    stuttering = StutterCheck(limits.stuttering)
    questions: Check = RepeatedQuestionCheck(judges.similarity, limits.repeated_questions)
    if is_original:
        stuttering, questions = (
            StutterCheck(limits.stuttering, original_stuttering, "emely-stuttering"),
            OriginalQuestions(),
        )
    return {
        "ML-I2": CoherenceCheck(judges.coherence, "ML-I2", limits.coherence_conversation),
        "ML-I3": CoherenceCheck(judges.coherence, "ML-I3", limits.coherence_input),
        "ML-P1": ToxicityCheck(judges.toxicity, limits.toxicity),
        "ML-A6": stuttering,
        "ML-A7": questions,
    }


def original_thresholds(config: QualityConfig, judges: Judges) -> Thresholds:
    """Return the thresholds of the original where the settings say nothing; -6 is for logits only."""
    usual: dict[str, float] = {"answers": SIMILARITY, "toxicity": TOXICITY, "stuttering": STUTTERING}
    if isinstance(judges.coherence, ModelCoherence):
        usual |= {"coherence_conversation": COHERENCE, "coherence_input": COHERENCE}
    given = config.thresholds.model_dump(exclude_none=True, by_alias=False)
    return Thresholds.model_validate({**usual, **given})


def build_scripts(config: QualityConfig) -> tuple[Script, ...]:
    """Return the tests on facts, with those of the user."""
    settings = ScriptSettings(config.longest_memory, config.levels, config.keyboard)
    own = tuple(load_object(path)() for path in config.scripts)
    every = (*scripts(settings), *own)
    _check_tests(config, [script.code for script in every])
    return every


def _check_tests(config: QualityConfig, known: Sequence[str]) -> None:
    """Refuse settings of tests that nobody conducts."""
    for name in ("probabilities", "max_sets", "levels"):
        unknown = [test for test in getattr(config, name) if test not in known]
        if unknown:
            hint = did_you_mean(unknown[0], known) or f"known are: {', '.join(known)}"
            raise ConfigError(f"{name}: there is no test {', '.join(unknown)} ({hint})")


def plan_settings(config: QualityConfig) -> PlanSettings:
    """Return how dialogues are planned."""
    return PlanSettings(
        prompts=config.prompts,
        probabilities=config.probabilities,
        max_sets=config.max_sets,
        synonym_probability=config.p_synonym,
        augmentations=config.n_aug,
        seed=config.seed,
    )


def chatter_name(choice: str | Mapping[str, Any]) -> str:
    """Return what results call a chatter."""
    if isinstance(choice, str):
        return choice
    detail = next(
        (choice[key] for key in ("model", "url", "class", "file", "assistant") if key in choice), ""
    )
    return f"{choice.get('type', '?')}{f':{detail}' if detail else ''}"


def build_chatter(
    choice: str | Mapping[str, Any], book: FactBook, environment: Mapping[str, str], seed: str = ""
) -> Chatter:
    """Return the chatter of a name, `type:argument`, or a mapping with a type and options."""
    if isinstance(choice, str):
        kind, _, argument = choice.partition(":")
        options: dict[str, Any] = {"argument": argument} if argument else {}
    else:
        options = {key: value for key, value in choice.items() if key != "type"}
        kind = str(choice.get("type", ""))
    if kind in BOTS:
        return baseline_bot(kind, book, int(options.get("turns", options.get("argument", 3))))
    maker = MAKERS.get(kind)
    if maker is None:
        hint = did_you_mean(kind, KINDS) or f"known are: {', '.join(KINDS)}"
        raise ConfigError(f"there is no chatter '{kind}' ({hint})")
    try:
        return maker(options, Circumstances(environment, seed, book.language))
    except (TypeError, KeyError) as error:
        raise ConfigError(f"the chatter '{kind}' cannot be made of {sorted(options)}: {error}") from error
