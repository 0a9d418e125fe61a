"""Settings that activities share: the run, its cases, its reports, and the models that are asked."""

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from du_eval.settings.declare import (
    GENERATOR,
    JUDGES,
    REPORTS,
    RUN,
    SELECTION,
    WORK,
    Flag,
    FlagSwitch,
    SettingsModel,
    setting,
    switch,
)
from du_eval.settings.words import Files, Words, parse_headers, parse_pairs, parse_price

FILE_ENDINGS: Mapping[str, tuple[str, ...]] = {
    "syntax": (".yml", ".yaml"),
    "suite_syntax": (".yml", ".yaml"),
    "body": (".jinja2", ".j2", ".json"),
    "system_prompt": (".jinja2", ".j2", ".txt", ".md"),
}
"""Settings that are paths if they end like this, and something else otherwise."""
CACHE_FLAG = Flag(
    switches=(
        FlagSwitch("--cache", "use", "Use the cache of answers (llm: default; http: only on request)."),
        FlagSwitch("--no-cache", "off", "Do not use the cache."),
        FlagSwitch("--refresh", "refresh", "Ask again, and replace the answers in the cache."),
        FlagSwitch("--offline", "offline", "Take answers from the cache only; a missing one is an error."),
    )
)
_WAITS = "one process can wait for all answers; only test, agent, metrics and quality use several"
NO_ENGINE: Mapping[str, str] = dict.fromkeys(("--engine", "--workers", "--ray-address"), _WAITS)
"""Refused by activities that only wait."""
_ONLY_TEST = "only du-eval test asks in batches; compare finished runs: du-eval compare RUN last"
NO_BATCHES: Mapping[str, str] = {"--against": _ONLY_TEST}
"""Refused by activities that cannot decide on the way."""
_NO_NAMES = "this command has no named cases; see --help for other ways to select"
NO_CASES: Mapping[str, str] = {**NO_BATCHES, **dict.fromkeys(("-k", "--deselect", "--shard"), _NO_NAMES)}
"""Refused by activities whose items have no names."""


class PriceSetting(BaseModel):
    """What a million tokens cost."""

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    prompt: float = Field(ge=0)
    completion: float = Field(ge=0)


class RunSettings(SettingsModel, panel=RUN, is_shared=True):
    """Folder of the kept runs."""

    runs_dir: str = setting(".du-eval/runs", "Folder of the kept runs.", flag=Flag(is_path=True))


class AskingSettings(SettingsModel, panel=RUN, is_shared=True):
    """What runs have that ask somebody: how many requests at once, and the run that they continue."""

    concurrency: int = setting(8, "Number of requests in flight.", "-n", "--concurrency", ge=1, le=1024)
    resume: str | None = setting(
        None,
        "Continue a run (default: the last one) with its settings; nothing is asked twice.",
        flag=Flag(metavar="[RUN]"),
    )


class SeedSettings(SettingsModel, panel=RUN, is_shared=True):
    """The seed of activities that draw anything at random, or whose models take one."""

    seed: int = setting(0, "Seed for everything that is drawn at random.", ge=0)


class ReportSettings(SettingsModel, panel=REPORTS, is_shared=True):
    """What is printed and written of a finished run."""

    label: str | None = setting(None, "Name of this run in reports: 'new prompt'.")
    json_output: bool = switch("Print the whole run as JSON.", "--json")
    output_file: Files = setting(
        [],
        "Write a report: .json (the whole run), .yml (official keys, of test and e2e), .md, .html, .xml "
        "(JUnit), .xlsx, .csv, ... Repeatable.",
        flag=Flag(("-o", "--output-file"), "FILE", old=("--output",), is_path=True),
    )
    html: str | None = setting(
        None, "Write the result as an HTML page.", flag=Flag(metavar="FILE", is_path=True)
    )
    junitxml: str | None = setting(None, "Write a JUnit report.", flag=Flag(metavar="FILE", is_path=True))
    markdown: str | None = setting(None, "Write a Markdown report.", flag=Flag(metavar="FILE", is_path=True))


class GateSettings(SettingsModel, panel=REPORTS):
    """What decides the exit code; each activity has figures of its own."""

    fail_under: str | None = setting(
        None,
        "Fail if a figure is below its threshold: accuracy=0.9,f1.set_slot=0.85.",
        flag=Flag(metavar="FIGURES"),
    )
    max_errors: float = setting(
        0.0,
        "Largest share that may have errored or been left unasked; above it, there is no verdict.",
        flag=Flag(metavar="SHARE"),
        ge=0,
        le=1,
    )


class KeptSettings(RunSettings, ReportSettings, GateSettings):
    """What every activity has: its runs are kept, reported and gated."""

    @property
    def gate(self) -> str | None:
        """The thresholds that decide the exit code."""
        return self.fail_under


class ActivitySettings(AskingSettings, KeptSettings):
    """What every activity has that asks somebody."""


class QuietSettings(SettingsModel, panel=REPORTS, is_shared=True):
    """Of activities that print details unless they are told not to."""

    quiet: bool = switch("Print only figures, without progress or details of failures.", "-q", "--quiet")


class WorkSettings(SettingsModel, panel=WORK, is_shared=True):
    """Where work is done that takes more than waiting; the results are the same everywhere."""

    engine: Literal["local", "ray"] = setting(
        "local", "Where the work is done: processes on this machine, or a Ray cluster."
    )
    workers: int | None = setting(
        None, "Number of processes (default: one; metrics and quality: one per core for large inputs).", ge=1
    )
    ray_address: str = setting("", "auto or HOST:PORT of a cluster; empty: one on this machine.")


class JournalSettings(SettingsModel, panel=RUN, is_shared=True):
    """Whether a run is kept, and what is asked again when it continues."""

    journal: bool = setting(
        default=True,
        description="Keep the run.",
        flag=Flag(switches=(FlagSwitch("--no-journal", value=False, help="Do not keep this run."),)),
    )
    retry_errors: bool = switch("Continue a run, and retry what errored.")


class PathSettings(SettingsModel):
    """The files that an activity is about."""

    paths: Words = setting([], "Files or folders.", flag=Flag(is_argument=True, is_path=True))


class SelectionSettings(SettingsModel, panel=SELECTION, is_shared=True):
    """Which cases run."""

    select: str = setting(
        "",
        "Only cases whose file::name matches an expression: 'cancel and not skip'.",
        flag=Flag(("-k",), "EXPR"),
    )
    deselect: Words = setting([], "Leave out a case: a name, a file or file::name. Repeatable.")
    shard: str | None = setting(None, "Run only part I of N: 1/4.", flag=Flag(metavar="I/N"))

    def list_chosen(self, paths: Sequence[str]) -> tuple[str, ...]:
        """Return what leaves out cases of files, as it is written on a command line."""
        named = (path for path in paths if "::" in path)
        selected = ("-k", self.select) if self.select else ()
        left_out = (word for one in self.deselect for word in ("--deselect", one))
        return tuple(shlex.quote(word) for word in (*named, *selected, *left_out))


class SampleSettings(SettingsModel, panel=RUN, is_shared=True):
    """How often a case is asked."""

    samples: int | None = setting(None, "Number of samples per case.", ge=1, le=10_000)
    all_samples: bool = switch("Do not stop a case once its ratio is decided.")


class EndpointSettings(SettingsModel, panel=GENERATOR, is_shared=True):
    """The endpoint of chat models, and how their answers are cached."""

    base_url: str | None = setting(
        None, "llm: the endpoint, such as http://127.0.0.1:8080/v1 (default: $OPENAI_BASE_URL)."
    )
    cache: Literal["use", "off", "refresh", "offline"] = setting(
        "use", "How the cache of answers is used.", flag=CACHE_FLAG
    )


class GeneratorSettings(EndpointSettings, is_shared=True):
    """What concerns generators that ask over the network."""

    model: str | None = setting(None, "llm: the model, as name or provider/name.", flag=Flag(varies=True))
    api_key_env: str | None = setting(
        None, "llm: the variable that holds the key (default: OPENAI_API_KEY).", flag=Flag(metavar="NAME")
    )
    prompt: str | None = setting(
        None, "llm: a Jinja2 file with your own prompt.", flag=Flag(metavar="FILE", is_path=True, varies=True)
    )
    system_prompt: str | None = setting(None, "llm: your own system prompt, as text or a file; empty: none.")
    output_mode: Literal["text", "tools", "json"] = setting(
        "text", "llm: the form in which the model returns commands."
    )
    reasoning: Literal["ignore", "parse"] = setting(
        "ignore", "Whether to ignore a model's reasoning (<think>...), or look for commands in it as well."
    )
    temperature: float | Literal["off"] = setting(0.0, "llm: the temperature; off sends none.")
    max_tokens: int | None = setting(None, "llm: the maximum length of an answer, in tokens.", ge=1)
    parameters: dict[str, Any] = setting(
        {},
        "llm: an additional parameter for the endpoint. Repeatable.",
        flag=Flag(("--parameter",), "NAME=VALUE", parse=parse_pairs),
    )
    timeout: float = setting(60.0, "Time limit in seconds for a request or a function call.", gt=0)
    deadline: float = setting(300.0, "Time limit in seconds for a request with all its retries.", gt=0)
    max_answer_bytes: int = setting(
        16_000_000, "Maximum size of an endpoint's answer in bytes, compressed or not.", ge=1
    )
    max_answer_characters: int = setting(1_000_000, "Maximum length of an answer in characters.", ge=1)
    max_attempts: int = setting(6, "Number of attempts per request.", ge=1, le=100)
    requests_per_minute: float | None = setting(None, "Maximum number of requests per minute.", gt=0)
    tokens_per_minute: float | None = setting(None, "Maximum number of tokens per minute.", gt=0)
    prices: dict[str, PriceSetting] = setting(
        {},
        "llm: price of a million prompt/completion tokens: 0.15/0.60; in a file, by model.",
        flag=Flag(("--price",), "IN/OUT", parse=parse_price),
    )
    url: str | None = setting(None, "rasa, http: the address (rasa: http://127.0.0.1:5005).")
    body: str | None = setting(None, "http: the JSON body, as a Jinja2 template or file.")
    answer_path: str = setting("$", "http: JSONPath to the answer.", flag=Flag(metavar="JSONPATH"))
    headers: dict[str, str] = setting(
        {},
        "http: a header; ${NAME} is a variable. Repeatable.",
        flag=Flag(("--header",), "NAME:VALUE", parse=parse_headers),
    )
    token_env: str = setting("RASA_TOKEN", "rasa: the variable with the token.", flag=Flag(metavar="NAME"))
    jwt_env: str = setting("RASA_JWT", "rasa: the variable with a bearer token.", flag=Flag(metavar="NAME"))


class SimilaritySettings(SettingsModel, panel=JUDGES, is_shared=True):
    """How texts are compared."""

    similarity: str = setting(
        "auto", "Comparison of texts: auto, tfidf, or a sentence model's name or folder."
    )


class JudgeModelSettings(SimilaritySettings, is_shared=True):
    """Who judges texts: a chat model, or a comparison of texts."""

    judge_model: str = setting(
        "", "Chat model that judges generated answers; without one, texts are compared."
    )
    judge_base_url: str | None = setting(None, "Endpoint of --judge-model (default: --base-url).")
    judges: str = setting(
        "", "Judge of generated answers instead: models, llm (--judge-model), or a chain such as models>llm."
    )
