"""The settings of a quality run: one YAML file, everything with a default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from du_eval.errors import ConfigError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.quality.document_names import in_our_names
from du_eval.quality.results import TITLES
from du_eval.quality.talk import ConversationOpening
from du_eval.settings.declare import JUDGES, OWN, REPORTS, RUN, Flag, FlagPart, setting, switch
from du_eval.settings.shared import NO_CASES, ActivitySettings, SeedSettings, WorkSettings
from du_eval.settings.sources import Gathered, Source, merge_sources

FACT_TESTS = (
    "ML-I1", "ML-I4", "ML-I5", "ML-I6", "ML-I7", "ML-I13", "ML-U3", "ML-U4", "ML-U5", "ML-U6",
)  # fmt: skip
DOCUMENT_TESTS = ("ML-I2", "ML-I3", "ML-P1", "ML-A6", "ML-A7")
REPLY_TESTS = (*DOCUMENT_TESTS, "ML-A8")


_ROLES = ("answers", "yes_no", "coherence", "toxicity", "stutter", "repeated_questions")


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=True)


class JudgeSettings(_Model):
    """Who judges: a preset, and by role a player, a chain of players, or the class path of your own judge."""

    preset: str = Field("offline", description="offline, models, llm, or a chain such as rules>llm.")
    similarity: str = "auto"
    answers: str = Field("", validation_alias=AliasChoices("answers", "QA_model"))
    yes_no: str = ""
    coherence: str = ""
    toxicity: str = ""
    stutter: str = ""
    repeated_questions: str = ""
    model: str = Field("", description="The chat model of the judge llm.")
    base_url: str = Field("", description="The endpoint of that model.")
    votes: int = Field(1, ge=1, description="Number of votes of the model per reply.")


class Thresholds(_Model):
    """From which value on a reply passes; empty for the judge's own."""

    answers: float | None = Field(
        None, ge=-1, le=1, validation_alias=AliasChoices("answers", "threshold_sem_sim_tests")
    )
    coherence_conversation: float | None = None
    coherence_input: float | None = None
    toxicity: float | None = Field(None, ge=0, le=1)
    stuttering: float | None = Field(None, ge=0)


class ShownTests(_Model):
    """What the spreadsheets show beside the summary."""

    interpretations: bool = Field(
        default=True, validation_alias=AliasChoices("interpretations", "show_interpret")
    )
    details: bool = Field(default=True, validation_alias=AliasChoices("details", "show_detailed"))
    binary: bool = Field(default=True, validation_alias=AliasChoices("binary", "show_binary"))


_JUDGE_FLAGS = (
    FlagPart(
        "--judges",
        "preset",
        "Who judges: offline (default), models, llm, a chain (rules>llm), or by role: coherence=models.",
    ),
    FlagPart("--judge-model", "model", "Chat model of the judge llm: openai/gpt-4o-mini."),
    FlagPart("--judge-base-url", "base_url", "Endpoint of that model."),
    FlagPart("--judge-votes", "votes", "Number of votes of that model per text. Default: 1."),
)


def _complete_judges(given: Mapping[str, object]) -> dict[str, object]:
    """Let a chat model that is named play what rules leave open."""
    return {"preset": "llm", **given} if "model" in given else dict(given)


def _read_judges(value: object) -> dict[str, object]:
    return dict(value) if isinstance(value, Mapping) else {"preset": value} if value else {}


class QualityConfig(SeedSettings, WorkSettings, ActivitySettings, panel=OWN):
    """Everything about a run; the names of the original document are understood too."""

    section: ClassVar[str] = "quality"
    refused: ClassVar[Mapping[str, str]] = NO_CASES

    bot: str | dict[str, Any] = setting(
        "forgetful",
        "The bot under test: a name such as echo; in a file, also its type and options.",
        "-b",
        "--bot",
    )
    conversations: int = setting(10, "Number of conversations.", ge=1)
    prompts: int = setting(40, "Number of prompts in a conversation.", ge=1)
    language: Literal["en", "ru"] = setting(
        "en", "Language of the facts, the small talk and the built-in bots.", "-l", "--language"
    )
    compat: Literal["", "emely"] = setting("", "emely: use the formulas of the original tests.")
    folder: str | None = setting(
        None, "Folder of the run (default: one in .du-eval/runs).", flag=Flag(is_path=True, panel=REPORTS)
    )
    details: bool = switch("Print each reply that did not pass.", panel=REPORTS)
    resume: str | None = setting(
        None,
        "Continue a run (default: the last one) with its settings; nothing is asked twice.",
        flag=Flag(metavar="[RUN]", old=("--continue",)),
    )
    tester: str | dict[str, Any] = "small-talk"
    start: list[str] = Field(
        default_factory=list,
        description="Utterances before the first prompt, the tester's first; an even number.",
    )
    opening: ConversationOpening = Field(default_factory=ConversationOpening)
    bot_memory: int = Field(0, ge=0, description="How many utterances the bot is given; 0 for all.")
    tester_memory: int = Field(0, ge=0)
    timeout_seconds: float = setting(
        60.0, "Time limit in seconds for a reply.", flag=Flag(("--timeout",), panel=RUN), gt=0
    )
    probabilities: dict[str, float] = Field(default_factory=lambda: dict.fromkeys(FACT_TESTS, 0.07))
    reply_tests: list[str] = Field(default_factory=lambda: list(REPLY_TESTS))
    max_sets: dict[str, int] = Field(default_factory=dict)
    longest_memory: int = Field(8, ge=1)
    levels: dict[str, list[float]] = Field(default_factory=dict)
    by_level: list[str] | None = Field(
        None, description="Tests whose results are shown by level; empty: all that have levels."
    )
    keyboard: str = ""
    p_synonym: float = Field(0.0, ge=0, le=1)
    n_aug: int = Field(0, ge=0)
    facts: list[str] = Field(default_factory=list)
    packaged_facts: bool = True
    scripts: list[str] = Field(default_factory=list, description="Class paths of your own tests on facts.")
    checks: list[str] = Field(default_factory=list, description="Class paths of your own checks.")
    judges: JudgeSettings = setting(
        JudgeSettings(),
        "Who judges: a preset, and judges by role.",
        flag=Flag(parts=_JUDGE_FLAGS, parse=_complete_judges, panel=JUDGES),
    )
    thresholds: Thresholds = Field(default_factory=Thresholds)
    show: ShownTests = Field(default_factory=ShownTests)
    gates: dict[str, float] = Field(default_factory=dict)
    name: str = Field("", description="The name of the results folder; empty: time and bot.")
    save_conversations: bool = True
    save_folder: str = Field(
        "conversations", description="Where conversations are written as text, in the results folder."
    )
    load: str = Field("", description="Assess the conversations in this folder instead of holding new ones.")
    analyse: bool = Field(
        default=True, description="Assess the replies; otherwise conversations are only kept."
    )

    @property
    def gate(self) -> str | None:
        """The thresholds of the command line and of the settings, which decide together."""
        gates = (f"{test}={least}" for test, least in self.gates.items())
        return ",".join(filter(None, [self.fail_under, *gates])) or None

    @classmethod
    def combine(cls, name: str, strong: object, weak: object) -> object:
        """Of judges, a preset takes the place of those by role, the rest is added; otherwise the stronger."""
        if name != "judges":
            return strong
        ours, theirs = _read_judges(strong), _read_judges(weak)
        if "preset" in ours:
            theirs = {key: value for key, value in theirs.items() if key not in _ROLES}
        return {**theirs, **ours}

    @model_validator(mode="before")
    @classmethod
    def _names(cls, data: object) -> object:
        if not isinstance(data, Mapping):
            return data
        try:
            return in_our_names(data, DOCUMENT_TESTS)
        except (AttributeError, TypeError) as error:
            raise ValueError(f"a name from the original document has an invalid value: {error}") from error

    @field_validator("judges", mode="before")
    @classmethod
    def _judges(cls, value: object) -> object:
        """Read `judges: llm` as a preset."""
        return {"preset": value} if isinstance(value, str) else value

    @field_validator("by_level", mode="after")
    @classmethod
    def _levelled(cls, value: list[str] | None) -> list[str] | None:
        return None if value is None else [_code(name) for name in value]

    @field_validator("probabilities", "max_sets", "levels", "gates", mode="after")
    @classmethod
    def _codes(cls, value: dict[str, object]) -> dict[str, object]:
        return {_code(name): content for name, content in value.items()}

    @field_validator("reply_tests", mode="after")
    @classmethod
    def _reply_tests(cls, value: list[str]) -> list[str]:
        unknown = [name for name in map(_code, value) if name not in REPLY_TESTS]
        if unknown:
            raise ValueError(f"{', '.join(unknown)}: tests of every reply are {', '.join(REPLY_TESTS)}")
        return [_code(name) for name in value]

    @model_validator(mode="after")
    def _whole(self) -> QualityConfig:
        total = sum(self.probabilities.values())
        if total > 1 + 1e-9 or any(value < 0 for value in self.probabilities.values()):
            raise ValueError(
                f"the probabilities must not be negative or exceed 1 in total; they sum to {total:g}"
            )
        for test, levels in self.levels.items():
            wrong = [level for level in levels if not _is_level(test, level)]
            if wrong:
                raise ValueError(f"levels.{test}: {wrong[0]:g} is {_LEVELS[test in _SHARED]}")
        if any(most < 0 for most in self.max_sets.values()):
            raise ValueError("max_sets must not be negative; 0 leaves a test out")
        if len(self.start) % 2:
            raise ValueError("the start must have an even number of utterances: the tester speaks next")
        return self


_SHARED = ("ML-U5", "ML-U6")
_LEVELS = {True: "not a share of words above 0 and up to 1", False: "not a positive number of changes"}


def _is_level(test: str, level: float) -> bool:
    return 0 < level <= 1 if test in _SHARED else level > 0


def _code(name: str) -> str:
    """Return the name of a test as we write it: `MLU3TC1` of the document is `ML-U3`."""
    plain = name.removesuffix("TC1").replace("_", "")
    known = {code.replace("-", ""): code for code in TITLES}
    return known.get(plain.replace("-", ""), name)


def read_source(path: str) -> Source:
    """Return the settings of a file that somebody named."""
    root = parse_yaml(read_text_file(path), path, typed=True).root
    if root is not None and not isinstance(root, dict):
        raise ConfigError(Problem(path, 1, "settings must be a mapping", "e.g. `conversations: 5`"))
    return Source(path, root or {}, getattr(root, "lines", {}))


def read_config(path: str | None, overrides: Mapping[str, object]) -> QualityConfig:
    """Return the settings of a file, with others on top; everything wrong is reported at once."""
    given = Source("", {key: value for key, value in overrides.items() if value is not None}, {})
    return merge_sources(QualityConfig, Gathered((given, *([read_source(path)] if path else [])))).config
