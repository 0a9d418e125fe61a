"""The settings of a quality run: one YAML file, everything with a default."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import (
    AliasChoices,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from du_eval.errors import ConfigError, Problem, did_you_mean
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import line_at, parse_yaml
from du_eval.quality.document_names import in_our_names
from du_eval.quality.results import TITLES
from du_eval.quality.talk import ConversationOpening

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
    votes: int = Field(1, ge=1, description="How often the model is asked about a reply.")


class Thresholds(_Model):
    """From which value on a reply passes; empty for the judge's own."""

    answers: float | None = Field(
        None, ge=-1, le=1, validation_alias=AliasChoices("answers", "threshold_sem_sim_tests")
    )
    coherence_conversation: float | None = None
    coherence_input: float | None = None
    toxicity: float | None = Field(None, ge=0, le=1)
    stuttering: float | None = Field(None, ge=0)
    repeated_questions: float = Field(0.85, ge=0, le=1)


class ShownTests(_Model):
    """What the spreadsheets show beside the summary."""

    interpretations: bool = Field(
        default=True, validation_alias=AliasChoices("interpretations", "show_interpret")
    )
    details: bool = Field(default=True, validation_alias=AliasChoices("details", "show_detailed"))
    binary: bool = Field(default=True, validation_alias=AliasChoices("binary", "show_binary"))


class QualityConfig(_Model):
    """Everything about a run; the names of the original document are understood too."""

    conversations: int = Field(10, ge=1)
    prompts: int = Field(40, ge=1, description="How many prompts a conversation has.")
    seed: int = 0
    language: Literal["en", "ru"] = Field("en", description="Of the facts, the small talk and our own bots.")
    bot: str | dict[str, Any] = "forgetful"
    tester: str | dict[str, Any] = "small-talk"
    start: list[str] = Field(
        default_factory=list,
        description="Utterances before the first prompt, the tester's first; an even number.",
    )
    opening: ConversationOpening = Field(default_factory=ConversationOpening)
    bot_memory: int = Field(0, ge=0, description="How many utterances the bot is given; 0 for all.")
    tester_memory: int = Field(0, ge=0)
    concurrency: int = Field(8, ge=1)
    timeout_seconds: float = Field(60.0, gt=0)
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
    scripts: list[str] = Field(default_factory=list, description="Class paths of tests of your own on facts.")
    checks: list[str] = Field(default_factory=list, description="Class paths of checks of your own.")
    judges: JudgeSettings = Field(default_factory=JudgeSettings)
    thresholds: Thresholds = Field(default_factory=Thresholds)
    show: ShownTests = Field(default_factory=ShownTests)
    gates: dict[str, float] = Field(default_factory=dict)
    name: str = Field("", description="The name of the folder of results; empty: time and bot.")
    save_conversations: bool = True
    save_folder: str = Field(
        "conversations", description="Where conversations go as text, in the folder of results."
    )
    load: str = Field("", description="Assess the conversations of this folder instead of holding any.")
    analyse: bool = Field(
        default=True, description="Assess the replies; otherwise conversations are only kept."
    )
    compat: Literal["", "emely"] = ""

    @model_validator(mode="before")
    @classmethod
    def _names(cls, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return data
        try:
            return in_our_names(data, DOCUMENT_TESTS)
        except (AttributeError, TypeError) as error:
            raise ValueError(
                f"a name of the original document has a value of the wrong form: {error}"
            ) from error

    @field_validator("judges", mode="before")
    @classmethod
    def _judges(cls, value: Any) -> Any:
        """Read `judges: llm` as a preset."""
        return {"preset": value} if isinstance(value, str) else value

    @field_validator("by_level", mode="after")
    @classmethod
    def _levelled(cls, value: list[str] | None) -> list[str] | None:
        return None if value is None else [_code(name) for name in value]

    @field_validator("probabilities", "max_sets", "levels", "gates", mode="after")
    @classmethod
    def _codes(cls, value: dict[str, Any]) -> dict[str, Any]:
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
                f"the probabilities must not be negative or exceed 1 together; they sum to {total:g}"
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
_LEVELS = {True: "no share of words above 0 and up to 1", False: "no positive number of changes"}


def _is_level(test: str, level: float) -> bool:
    return 0 < level <= 1 if test in _SHARED else level > 0


def _code(name: str) -> str:
    """Return the name of a test as we write it: `MLU3TC1` of the document is `ML-U3`."""
    plain = name.removesuffix("TC1").replace("_", "")
    known = {code.replace("-", ""): code for code in TITLES}
    return known.get(plain.replace("-", ""), name)


def read_config(path: str | None, overrides: dict[str, Any]) -> QualityConfig:
    """Return the settings of a file, with others on top; everything wrong is reported at once."""
    data: dict[str, Any] = {}
    root: Any = None
    if path is not None:
        root = parse_yaml(read_text_file(path), path, typed=True).root
        if root is not None and not isinstance(root, dict):
            raise ConfigError(Problem(path, 1, "settings are a mapping", "e.g. `conversations: 5`"))
        data = dict(root or {})
    return validate_config(merge_settings(data, overrides), path, root)


def merge_settings(data: Mapping[str, Any], overrides: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings with others on top; of judges, a preset takes the place of all, the rest is added."""
    given = {key: value for key, value in overrides.items() if value is not None}
    flags = given.pop("judges", None)
    if flags is None:
        return {**data, **given}
    known = data.get("judges")
    kept = dict(known) if isinstance(known, Mapping) else {"preset": known} if known else {}
    chosen = flags.get("judges")
    if chosen is not None:
        kept = {key: value for key, value in kept.items() if key not in _ROLES} | {"preset": chosen}
    kept |= {key: value for key, value in flags.items() if key != "judges"}
    return {**data, **given, "judges": kept}


def validate_config(data: Mapping[str, Any], path: str | None = None, root: Any = None) -> QualityConfig:
    """Return settings; `root` knows the lines of the file that they come from."""
    try:
        return QualityConfig.model_validate(data)
    except ValidationError as error:
        raise ConfigError([_problem(item, path, root) for item in error.errors()]) from error


def _problem(item: Any, path: str | None, root: Any) -> Problem:
    """Return what is wrong with a setting, where it is written, and what may have been meant."""
    place = item["loc"]
    line = line_at(root, place) if path else 0
    name = ".".join(map(str, place)) or "settings"
    if item["type"] == "extra_forbidden":
        groups: dict[str, type[_Model]] = {
            "judges": JudgeSettings,
            "thresholds": Thresholds,
            "show": ShownTests,
        }
        known = groups.get(str(place[0]), QualityConfig).model_fields
        hint = did_you_mean(str(place[-1]), known) or "`du-eval schema quality-config` has all"
        return Problem(path or "", line, f"unknown setting '{name}'", hint)
    own = item["msg"].removeprefix("Value error, ")
    message = own if own != item["msg"] else f"{own[:1].lower()}{own[1:]}"
    return Problem(path or "", line, f"{name}: {message}")
