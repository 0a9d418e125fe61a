"""The settings of a run: flag over environment over file over default, merged by one pure function."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from du_eval.errors import ConfigError, Problem, did_you_mean

ENVIRONMENT_PREFIX = "DU_EVAL_"
_MOST_SHOWN = 200
OTHER_VARIABLES = frozenset(
    {"DU_EVAL_PARITY_DATA", "DU_EVAL_DEBUG", "DU_EVAL_CACHE_DIR", "DU_EVAL_CONFIG_DIR", "DU_EVAL_TRUST"}
)
"""Variables with our prefix that are no settings of a run."""

Words = list[Annotated[str, StringConstraints(min_length=1)]]


class PriceSetting(BaseModel):
    """What a million tokens cost."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class GeneratorSettings(BaseModel):
    """What concerns generators that ask over the network."""

    model: str | None = Field(default=None, description="The model: a name, or provider/name.")
    base_url: str | None = Field(default=None, description="The address of a chat endpoint (.../v1).")
    api_key_env: str | None = Field(default=None, description="The variable that holds the key.")
    prompt: str | None = Field(default=None, description="A Jinja2 file with the prompt.")
    system_prompt: str | None = Field(default=None, description="A text or file; empty: none.")
    output_mode: Literal["text", "tools", "json"] = Field(default="text", description="How commands come.")
    reasoning: Literal["ignore", "parse"] = Field(
        default="ignore", description="Whether commands in a model's reasoning count."
    )
    temperature: float | Literal["off"] = Field(default=0.0, description="Passed on; off: not sent.")
    max_tokens: int | None = Field(default=None, ge=1, description="The longest answer.")
    parameters: dict[str, Any] = Field(default={}, description="Further parameters of the endpoint.")
    timeout: float = Field(
        default=60.0, gt=0, description="Seconds for one request, and for one answer of a function."
    )
    deadline: float = Field(default=300.0, gt=0, description="Seconds for a request with its retries.")
    max_answer_bytes: int = Field(
        default=16_000_000, ge=1, description="The longest answer of an endpoint, as sent and unpacked."
    )
    max_answer_characters: int = Field(
        default=1_000_000, ge=1, description="The longest answer that is judged and kept."
    )
    max_attempts: int = Field(default=6, ge=1, le=100, description="Tries of a request.")
    requests_per_minute: float | None = Field(default=None, gt=0, description="Requests a minute.")
    tokens_per_minute: float | None = Field(default=None, gt=0, description="Tokens a minute.")
    prices: dict[str, PriceSetting] = Field(default={}, description="Prices by model.")
    cache: Literal["use", "off", "refresh", "offline"] = Field(default="use", description="The cache.")
    url: str | None = Field(default=None, description="The address of a Rasa server or HTTP endpoint.")
    body: str | None = Field(default=None, description="A Jinja2 text or file: the body for http.")
    answer_path: str = Field(default="$", description="A JSONPath to the answer for http.")
    headers: dict[str, str] = Field(default={}, description="Headers for http; ${NAME} is a variable.")
    token_env: str = Field(default="RASA_TOKEN", description="The variable with the token for rasa.")
    jwt_env: str = Field(default="RASA_JWT", description="The variable with the bearer token for rasa.")


class RunSettings(BaseModel):
    """What concerns runs: samples, budgets, selection by earlier runs, and where runs are kept."""

    samples: int | None = Field(default=None, ge=1, le=10_000, description="How often each case is asked.")
    success_ratio: str | None = Field(default=None, description="Samples that must pass, such as 2/3.")
    all_samples: bool = Field(default=False, description="Go on after the ratio is decided.")
    max_calls: int | None = Field(default=None, ge=0, description="Requests that may be sent.")
    max_cost: float | None = Field(default=None, ge=0, description="Money that may be spent.")
    max_error_rate: float | None = Field(default=None, ge=0, le=1, description="Share of errored steps.")
    maxfail: int | None = Field(default=None, ge=1, description="Failed cases after which a run stops.")
    last_failed: bool = Field(default=False, description="Only what failed in the last run.")
    failed_first: bool = Field(default=False, description="First what failed in the last run.")
    shard: str | None = Field(default=None, description="Which part of how many: 1/4.")
    sample: int | None = Field(default=None, ge=1, description="How many cases to draw at random.")
    runs_dir: str = Field(default=".du-eval/runs", description="Where runs are kept.")
    journal: bool = Field(default=True, description="Keep the run.")
    resume: str | None = Field(default=None, description="The run to continue.")
    retry_errors: bool = Field(default=False, description="Ask errored steps of a resumed run again.")


class ReportSettings(BaseModel):
    """What concerns reports besides the report file."""

    label: str | None = Field(default=None, description="A name of the run, for people.")
    html: str | None = Field(default=None, description="Where the HTML report goes.")
    junitxml: str | None = Field(default=None, description="Where the JUnit report goes.")
    markdown: str | None = Field(default=None, description="Where the Markdown report goes.")
    perturb: str | None = Field(default=None, description="Changes of messages: typos,swaps,drops,...")
    levels: str = Field(default="0,0.1,0.2,0.4", description="The shares of words that are changed.")
    perturb_history: bool = Field(default=False, description="Change the messages of the history, too.")
    against: str | None = Field(default=None, description="The run to be decided against, batch by batch.")
    batch: int = Field(default=25, ge=1, description="Cases asked before each look, with against.")
    alpha: float = Field(default=0.05, gt=0, lt=1, description="The chance of a wrong verdict, with against.")
    margin: float = Field(default=0.02, ge=0, le=1, description="A difference that does not matter.")
    fail_under: str | None = Field(default=None, description="The least figures: accuracy=0.9,f1.macro=0.8.")


class RunConfig(GeneratorSettings, RunSettings, ReportSettings):
    """Everything that can be set for `du-eval test` and `du-eval validate`."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    paths: Words = Field(
        default=["dialogue_understanding_tests"], description="Files and folders with test cases."
    )
    assistant: str | None = Field(default=None, description="The folder with flows and domain.")
    generator: str = Field(default="baseline", description="Who predicts.")
    embedding: str = Field(
        default="none",
        description="Sentence embedding for the baseline: none, auto, or a model's name or folder.",
    )
    syntax: str = Field(default="calls", description="The spelling of commands: a name or a YAML file.")
    match: str = Field(
        default="exact",
        pattern=r"^(exact|rasa(@\d+\.\d+(\.\d+)?)?)$",
        description="How commands are compared: exact, rasa, or rasa@VERSION.",
    )
    additional_commands: Words = Field(default=[], description="Class paths of custom commands.")
    remove_default_commands: Words = Field(default=[], description="Default commands to leave out.")
    check_flows: bool = Field(default=True, description="Check expectations against the assistant.")
    concurrency: int = Field(default=8, ge=1, le=1024, description="How many steps are asked at once.")
    select: str = Field(default="", description="An expression that case names must fulfil.")
    deselect: Words = Field(default=[], description="Cases to leave out.")
    output_file: str | None = Field(default=None, description="Where the report goes (.yml or .json).")
    output: bool = Field(default=True, description="Write a report file.")
    output_prompt: bool = Field(default=False, description="Show prompts of failed steps.")
    actions: str | None = Field(default=None, description="A Python module with custom actions.")
    action_endpoint: str | None = Field(default=None, description="The URL of an action server.")
    skip_validation: bool = Field(default=False, description="Only warn about problems of flows and domain.")
    history: Literal["gold", "predicted", "both"] = Field(
        default="gold", description="Whose commands drive the dialogues."
    )
    strict_bot: bool = Field(default=False, description="A bot step that differs fails its case.")
    goals: bool = Field(default=False, description="Measure the dialogue state: intents, slots, goals.")
    seed: int = Field(default=0, ge=0, description="The seed of intervals, drawn cases and models.")


PATH_KEYS = frozenset(
    {"paths", "assistant", "output_file", "prompt", "runs_dir", "html", "junitxml", "markdown"}
)
"""Settings that are paths: in a file, they are relative to the file."""
FILE_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "syntax": (".yml", ".yaml"),
    "body": (".jinja2", ".j2", ".json"),
    "system_prompt": (".jinja2", ".j2", ".txt", ".md"),
}
"""Settings that are paths if they end like this, and something else otherwise."""


@dataclass(frozen=True, slots=True)
class Source:
    """Where settings come from, and what they are."""

    name: str
    values: Mapping[str, Any]
    lines: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class Settled:
    """The settings that hold, and where each comes from."""

    config: RunConfig
    origins: Mapping[str, str]


def settled(sources: Iterable[Source]) -> Settled:
    """Merge sources, the strongest first; raise with all wrong keys and values of all sources."""
    values: dict[str, Any] = {}
    origins = dict.fromkeys(RunConfig.model_fields, "default")
    owners: dict[str, Source] = {}
    problems: list[Problem] = []
    for source in sources:
        problems.extend(_unknown_keys(source))
        for key, value in source.values.items():
            if key in RunConfig.model_fields and key not in values:
                values[key], origins[key], owners[key] = value, source.name, source
    try:
        config = RunConfig.model_validate(values)
    except ValidationError as error:
        problems.extend(_value_problems(error, owners))
        raise ConfigError(problems) from error
    if problems:
        raise ConfigError(problems)
    return Settled(config, origins)


def _unknown_keys(source: Source) -> Iterable[Problem]:
    for key in source.values:
        if key not in RunConfig.model_fields:
            hint = did_you_mean(key, RunConfig.model_fields) or "known: " + ", ".join(RunConfig.model_fields)
            yield Problem(source.name, source.lines.get(key, 0), f"unknown setting '{key}'", hint)


def _value_problems(error: ValidationError, owners: Mapping[str, Source]) -> Iterable[Problem]:
    for found in error.errors(include_url=False):
        key = str(found["loc"][0])
        source = owners[key]
        message = f"{key}: {found['msg'][:1].lower()}{found['msg'][1:]}, found {_shorten(found['input'])}"
        yield Problem(source.name, source.lines.get(key, 0), message)


def _shorten(value: object) -> str:
    """Return a value as it is shown; a number may have more digits than Python prints."""
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "something very long"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}…"


def environment_source(environment: Mapping[str, str]) -> Source:
    """Return the settings in environment variables; lists are separated by blanks."""
    values: dict[str, Any] = {}
    for variable, text in environment.items():
        if variable.startswith(ENVIRONMENT_PREFIX) and variable not in OTHER_VARIABLES:
            key = variable.removeprefix(ENVIRONMENT_PREFIX).lower()
            values[key] = text.split() if _is_list(key) else text
    return Source("environment", values, {})


def _is_list(key: str) -> bool:
    field = RunConfig.model_fields.get(key)
    return field is not None and isinstance(field.default, list)
