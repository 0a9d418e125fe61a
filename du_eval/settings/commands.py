"""The settings of command tests and end-to-end tests."""

from collections.abc import Mapping
from typing import ClassVar, Literal

from pydantic import field_validator

from du_eval.settings.declare import (
    DECIDING,
    GENERATOR,
    OWN,
    RUN,
    SELECTION,
    Flag,
    FlagSwitch,
    SettingsModel,
    setting,
    switch,
)
from du_eval.settings.shared import (
    NO_BATCHES,
    NO_ENGINE,
    ActivitySettings,
    GeneratorSettings,
    JournalSettings,
    JudgeModelSettings,
    PathSettings,
    QuietSettings,
    SampleSettings,
    SeedSettings,
    SelectionSettings,
    WorkSettings,
)
from du_eval.settings.words import Words


class CommandSettings(
    PathSettings,
    GeneratorSettings,
    SelectionSettings,
    SeedSettings,
    QuietSettings,
    ActivitySettings,
    panel=OWN,
    is_shared=True,
):
    """What command tests and end-to-end tests share: who predicts, which commands, which assistant."""

    generator: str = setting(
        "baseline",
        "Command generator: baseline, llm, rasa, http, recorded:FILE, or my_module:attribute.",
        flag=Flag(("-g", "--generator"), varies=True),
    )
    assistant: str | None = setting(
        None,
        "Folder with flows and domain (default: the one found next to the suite).",
        flag=Flag(is_path=True),
    )
    syntax: str = setting(
        "calls",
        "Spelling of commands: calls, phrases, phrases-search, mantle, or a YAML file.",
        flag=Flag(varies=True),
    )
    match: str = setting(
        "exact",
        "How commands are compared: exact, rasa (the official tool's numbers), or rasa@VERSION.",
        pattern=r"^(exact|rasa(@\d+\.\d+(\.\d+)?)?)$",
    )
    additional_commands: Words = setting(
        [], "Class paths of custom commands, separated by spaces: my_module.MyCommand."
    )
    remove_default_commands: Words = setting(
        [], "Default commands to leave out, separated by spaces: CancelFlow."
    )

    @field_validator("additional_commands", "remove_default_commands")
    @classmethod
    def _divide(cls, names: Words) -> Words:
        """Several names may stand in one text, as in a quoted argument."""
        return [name for text in names for name in text.split()]

    actions: str | None = setting(
        None,
        "Python module with custom actions: classes with name() and run(), or functions.",
        flag=Flag(metavar="MODULE"),
    )
    action_endpoint: str | None = setting(
        None,
        "Action server that runs custom actions: http://localhost:5055/webhook.",
        flag=Flag(metavar="URL"),
    )
    skip_validation: bool = switch("Only warn about problems in flows and domain.")
    embedding: str = setting(
        "none",
        "baseline: none, auto (MiniLM where it is installed), or a sentence model's name or folder.",
        flag=Flag(metavar="NAME", panel=GENERATOR),
    )
    output: bool = setting(
        default=True,
        description="Write a report file.",
        flag=Flag(
            switches=(
                FlagSwitch("--no-output", value=False, help="Write no report, not even to the run's folder."),
            ),
        ),
    )
    max_cost: float | None = setting(
        None, "Stop once this much money has been spent; --resume starts counting again.", panel=RUN, ge=0
    )


class AlphaSettings(SettingsModel, panel=DECIDING, is_shared=True):
    """How sure a verdict must be."""

    alpha: float = setting(0.05, "Accepted chance of a wrong verdict.", gt=0, lt=1)


class VerdictSettings(AlphaSettings, is_shared=True):
    """What a difference between runs must be to matter."""

    margin: float = setting(
        0.02, "Largest difference that does not matter; for metrics, a share of the value.", ge=0, le=1
    )


class TestSettings(
    CommandSettings, SampleSettings, WorkSettings, JournalSettings, VerdictSettings, is_shared=True
):
    """Everything that can be set for `du-eval test` and what checks suites."""

    __test__: ClassVar[bool] = False
    section: ClassVar[str] = "test"
    # Its own settings may stand at the top as well, because they always could.

    paths: Words = setting(
        ["dialogue_understanding_tests"],
        "Files or folders with test cases, or file::case name.",
        flag=Flag(is_argument=True, is_path=True),
    )
    suite_syntax: str | None = setting(
        None, "Spelling of commands in test files, if different from that of predictions."
    )
    check_flows: bool = setting(
        default=True,
        description="Check expected flows, slots and responses against the assistant.",
        flag=Flag(
            switches=(
                FlagSwitch("--check-flows", value=True),
                FlagSwitch("--no-check-flows", value=False, help="Do not check them against the assistant."),
            )
        ),
    )
    history: Literal["gold", "predicted", "both"] = setting(
        "gold", "Whose commands drive the dialogues; both measures the gap."
    )
    goals: bool = switch("Measure the dialogue state: intents, requested slots, joint goal.")
    strict_bot: bool = switch("Fail a case if one of its bot steps differs from the replay.")
    strict_output: bool = switch(
        "Fail a step that calls a nonexistent command, even alongside the right ones."
    )
    output_prompt: bool = switch("Show the prompts that led to wrong predictions.")
    last_failed: bool = switch(
        "Only cases that did not pass in the last run.", "--lf", "--last-failed", panel=SELECTION
    )
    failed_first: bool = switch(
        "Start with the cases that did not pass in the last run.", "--ff", "--failed-first", panel=SELECTION
    )
    sample: int | None = setting(
        None, "Number of cases to draw at random with --seed.", panel=SELECTION, ge=1
    )
    success_ratio: str | None = setting(
        None, "Share of samples of a case that must pass: 2/3.", flag=Flag(metavar="M/N", panel=RUN)
    )
    max_calls: int | None = setting(
        None, "Maximum number of requests; --resume starts counting again.", panel=RUN, ge=0
    )
    max_error_rate: float | None = setting(
        None, "Stop if a larger share of steps errors (checked from 20 steps on).", panel=RUN, ge=0, le=1
    )
    maxfail: int | None = setting(
        None,
        "Stop after this number of failed cases.",
        flag=Flag(
            ("--maxfail",), switches=(FlagSwitch("-x", 1, "Stop after the first failed case."),), panel=RUN
        ),
        ge=1,
    )
    against: str | None = setting(
        None,
        "Ask in batches, and stop as soon as this run is shown to be better, worse or equal.",
        flag=Flag(metavar="RUN", panel=DECIDING),
    )
    batch: int = setting(25, "Number of cases in a batch of --against or --race.", panel=DECIDING, ge=1)
    watch: bool = switch(
        "Run again when suite, prompt, flows or code change; only what is affected is asked.", panel=RUN
    )
    race: bool = switch(
        "With several arms: drop an arm as soon as it is shown to be worse than another one.", panel=DECIDING
    )
    perturb: str | None = setting(
        None,
        "Ask again with altered messages: typos,swaps,drops,replace,synonyms,case,fillers, or "
        "rewritten ones: cancel,value-swap.",
        flag=Flag(metavar="KINDS", panel=DECIDING),
    )
    levels: str = setting("0,0.1,0.2,0.4", "Shares of words that --perturb changes.", panel=DECIDING)
    perturb_history: bool = switch("With --perturb: change earlier messages as well.", panel=DECIDING)


class EndToEndSettings(CommandSettings, JudgeModelSettings):
    """Everything that can be set for `du-eval e2e`."""

    section: ClassVar[str] = "e2e"
    refused: ClassVar[Mapping[str, str]] = {
        **NO_BATCHES,
        **NO_ENGINE,
        "--samples": "end-to-end tests run each case once; du-eval test takes samples",
    }

    paths: Words = setting(
        ["tests/e2e_test_cases.yml"],
        "Files or folders with end-to-end tests, or file::case.",
        flag=Flag(is_argument=True, is_path=True),
    )
