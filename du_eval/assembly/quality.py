"""Settings of a quality run into chatters, judges, checks and scripts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from du_eval.assembly.judges import OFFLINE, JudgeOptions, build_judge, list_spent, parse_judges
from du_eval.assembly.quality_chatters import MAKERS, Circumstances
from du_eval.chatters.base import Chatter
from du_eval.compat.emely import MANNERS, Manner
from du_eval.errors import ConfigError, did_you_mean
from du_eval.judges.coherence import ModelCoherence
from du_eval.judges.judge import Judge
from du_eval.judges.rules import RulesJudge
from du_eval.judges.scored import ScoredCoherence, with_threshold
from du_eval.judges.similarity import SimilarityJudge, similarity_judge
from du_eval.judges.tasks import Role
from du_eval.plugins import load_object
from du_eval.quality.bots import BOTS, baseline_bot
from du_eval.quality.checks.answers import AnswerCheck
from du_eval.quality.checks.base import QualityCheck
from du_eval.quality.checks.consistency import ConsistencyCheck
from du_eval.quality.checks.every_reply import OpinionCheck, RepetitionCheck, StutterCheck
from du_eval.quality.config import QualityConfig, Thresholds
from du_eval.quality.facts.model import FactBook
from du_eval.quality.pipeline import Assessing
from du_eval.quality.plan import PlanSettings
from du_eval.quality.scripts import Script, ScriptSettings, scripts
from du_eval.runs.journal import Journal
from du_eval.trust.secrets import hide_credentials

KINDS = (*MAKERS, *BOTS)
QUALITY_ROLES = (
    Role.ANSWERS, Role.YES_NO, Role.COHERENCE, Role.TOXICITY, Role.STUTTER, Role.REPEATED_QUESTIONS,
)  # fmt: skip
"""What is judged in a quality run."""


class QualityJudges(Struct, frozen=True):
    """The judges of a run by role, and what compares texts."""

    similarity: SimilarityJudge
    panel: Mapping[Role, Judge]

    @property
    def names(self) -> dict[str, str]:
        """What results call them."""
        return {"similarity": self.similarity.name} | {
            str(role): one.name for role, one in self.panel.items()
        }


def build_judges(
    config: QualityConfig, environment: Mapping[str, str] | None = None, journal: Journal | None = None
) -> QualityJudges:
    """Return the judges that the settings name, by role; what is missing is said before anybody talks."""
    chosen = config.judges
    is_own = re.fullmatch(r"[\w.]+:\w+", chosen.similarity)
    similarity = load_object(chosen.similarity)() if is_own else similarity_judge(chosen.similarity)
    preset = parse_judges(chosen.preset)
    names = {role: getattr(chosen, role) or _play(role, preset[role]) for role in QUALITY_ROLES}
    options = JudgeOptions(
        "", chosen.model, chosen.base_url, chosen.votes, environment or {}, similarity, journal=journal
    )
    panel = {role: build_judge(role, name, options) for role, name in names.items()}
    return QualityJudges(similarity, _apply_thresholds(panel, config))


def _play(role: Role, choice: str) -> str:
    """Return who plays a role: rules with what helps them where it is installed."""
    first, separator, rest = choice.partition(">")
    return f"{OFFLINE.get(role, first)}{separator}{rest}" if first == "rules" else choice


def _apply_thresholds(panel: Mapping[Role, Judge], config: QualityConfig) -> dict[Role, Judge]:
    """Return judges with the thresholds of the settings; coherence has two, which its checks set."""
    limits = find_thresholds(config, panel)
    found = dict(panel)
    for role, limit in ((Role.ANSWERS, limits.answers), (Role.TOXICITY, limits.toxicity)):
        if limit is not None:
            found[role] = with_threshold(found[role], limit)
    return found


def build_assessing(config: QualityConfig, judges: QualityJudges) -> Assessing:
    """Return the checks of a run and what its numbers depend on."""
    manner = MANNERS.get(config.compat)
    panel = judges.panel
    by_test = _checks_of_replies(find_thresholds(config, panel), panel, manner)
    checks: list[QualityCheck] = [
        AnswerCheck(panel[Role.ANSWERS], panel[Role.YES_NO]),
        ConsistencyCheck(panel[Role.ANSWERS], panel[Role.YES_NO]),
        *(by_test[test] for test in config.reply_tests if test in by_test),
        *(load_object(path)() for path in config.checks),
    ]
    mode = f"|compat:{config.compat}" if config.compat else ""
    return Assessing(
        checks=checks,
        judges=judges.names,
        signature=f"seed:{config.seed}|prompts:{config.prompts}|intervals:clustered-wilson:0.95{mode}",
        cell_of=manner.cell_of if manner else None,
        compat=config.compat,
        by_level=None if config.by_level is None else frozenset(config.by_level),
        list_spent=lambda: list_spent(panel.values()),
    )


def _checks_of_replies(
    limits: Thresholds, panel: Mapping[Role, Judge], manner: Manner | None
) -> dict[str, QualityCheck]:
    """Return the checks of every reply by their tests."""
    coherence, stuttering = panel[Role.COHERENCE], panel[Role.STUTTER]
    if manner and isinstance(coherence, ScoredCoherence):
        coherence = replace(coherence, sees_own_lines=True)
    checks: dict[str, QualityCheck] = {
        "ML-I2": OpinionCheck("ML-I2", with_threshold(coherence, limits.coherence_conversation)),
        "ML-I3": OpinionCheck("ML-I3", with_threshold(coherence, limits.coherence_input)),
        "ML-P1": OpinionCheck("ML-P1", panel[Role.TOXICITY]),
        "ML-A6": OpinionCheck("ML-A6", stuttering),
        "ML-A7": OpinionCheck("ML-A7", panel[Role.REPEATED_QUESTIONS]),
        "ML-A8": RepetitionCheck(),
    }
    if manner:
        del checks["ML-A8"]  # the original has no such test
        return checks | dict(manner.checks(limits.stuttering))
    if isinstance(stuttering, RulesJudge):
        checks["ML-A6"] = StutterCheck(limits.stuttering)
    return checks


def find_thresholds(config: QualityConfig, panel: Mapping[Role, Judge]) -> Thresholds:
    """Return the thresholds of a run; where the settings say nothing, those of the tool that it resembles."""
    manner = MANNERS.get(config.compat)
    if manner is None:
        return config.thresholds
    usual, coherence = dict(manner.limits), panel[Role.COHERENCE]
    if isinstance(coherence, ScoredCoherence) and isinstance(coherence.coherence, ModelCoherence):
        usual |= manner.logit_limits
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
            hint = did_you_mean(unknown[0], known) or f"choose from: {', '.join(known)}"
            raise ConfigError(f"{name}: unknown test {', '.join(unknown)} ({hint})")


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


def name_chatter(choice: str | Mapping[str, object]) -> str:
    """Return what results call a chatter."""
    if isinstance(choice, str):
        return hide_credentials(choice)
    detail = next(
        (choice[key] for key in ("model", "url", "class", "file", "assistant") if key in choice), ""
    )
    return hide_credentials(f"{choice.get('type', '?')}{f':{detail}' if detail else ''}")


def build_chatter(
    choice: str | Mapping[str, object], book: FactBook, environment: Mapping[str, str], seed: str = ""
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
        hint = did_you_mean(kind, KINDS) or f"choose from: {', '.join(KINDS)}"
        raise ConfigError(f"unknown chatter '{kind}' ({hint})")
    try:
        return maker(options, Circumstances(environment, seed, book.language))
    except (TypeError, KeyError) as error:
        raise ConfigError(
            f"the chatter '{kind}' cannot be created from {sorted(options)}: {error}"
        ) from error
