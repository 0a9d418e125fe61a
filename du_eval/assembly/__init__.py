"""Configuration into live objects: the only place that wires."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec import Struct, field

from du_eval.assembly.settings import LEVELS, find_config_in, settle, show_path
from du_eval.errors import ConfigError, InputError, PluginError, Problem, SuiteError, did_you_mean, tell_count
from du_eval.plugins import PlugIns
from du_eval.settings.commands import CommandSettings, TestSettings
from du_eval.settings.sources import ConfigFile

if TYPE_CHECKING:
    from du_eval.assembly.networked import Making, Shared
    from du_eval.assistants.model import Assistant
    from du_eval.evaluation.pipeline import Evaluator
    from du_eval.evaluation.replay import Stage
    from du_eval.generators.base import CommandGenerator
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.runs.budget import Budget
    from du_eval.suites.model import TestCase, TestSuite

__all__ = ["Assistants", "Session", "build_generator", "build_parser", "build_session", "settle"]


class Assistants(Struct):
    """The assistants of a run: one that is given, or for each test file the nearest one."""

    given: str | None = None
    skip_validation: bool = False
    warnings: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _by_folder: dict[Path, str | None] = field(default_factory=dict)
    _loaded: dict[str, Assistant | None] = field(default_factory=dict)

    def of(self, case: TestCase) -> Assistant | None:
        """Return the assistant of a case, or None where there is none."""
        return self.for_file(case.file)

    def for_file(self, file: str) -> Assistant | None:
        """Return the assistant that the cases of a file talk to."""
        path = self.given or self._nearest(Path(file).parent)
        return self._load(path) if path else None

    def _nearest(self, folder: Path) -> str | None:
        if folder not in self._by_folder:
            self._by_folder[folder] = self._search(folder.resolve())
        return self._by_folder[folder]

    def _search(self, folder: Path) -> str | None:
        from du_eval.assistants.files import is_assistant

        for candidate in (folder, *folder.parents)[:LEVELS]:
            file = find_config_in(candidate)
            if file is not None and file.top.values.get("assistant"):
                self._warn_about_others(file)
                return str(file.top.values["assistant"])
            if is_assistant(candidate):
                return show_path(candidate)
        return None

    def _warn_about_others(self, file: ConfigFile) -> None:
        others = sorted({*file.top.values, *file.sections} - {"assistant"})
        text = f"{file.path}: only 'assistant' is used in this run, not {', '.join(others)}"
        if others and text not in self.warnings:
            self.warnings.append(text)

    def _load(self, path: str) -> Assistant | None:
        from du_eval.assistants.load import load_assistant

        if path not in self._loaded:
            try:
                loaded = load_assistant(path, skip_validation=self.skip_validation)
                self.warnings.extend(loaded.warnings)
                self._loaded[path] = loaded
            except InputError as error:
                self.problems.extend(error.problems)
                self._loaded[path] = None
        return self._loaded[path]


def build_parser(config: CommandSettings) -> CommandParser:
    """Return the parser of the vocabulary and syntax of a run."""
    from du_eval.commands.registry import DEFAULT_COMMANDS, build_registry
    from du_eval.compat.policies import find_policy
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.parsers.syntax_file import load_syntax

    added = [_command_class(path) for path in config.additional_commands]
    gone = (one.__name__ for one in find_policy(config.match).missing if one in DEFAULT_COMMANDS)
    removed, syntax = [*config.remove_default_commands, *gone], load_syntax(config.syntax)
    return CommandParser(build_registry(added, removed).adding(*syntax.adds), syntax)


def _command_class(path: str) -> Any:
    from du_eval.commands.registry import find_known_command
    from du_eval.compat.bridge import open_bridge
    from du_eval.plugins import load_object

    if "." not in path and ":" not in path:
        known = find_known_command(path)
        if known is None:
            raise PluginError(f"'{path}' is not a class path; write my_module.MyCommand")
        return known
    open_bridge()
    return load_object(path)


GENERATORS = PlugIns(
    "generators",
    {
        "baseline": "du_eval.assembly:build_baseline",
        "recorded": "du_eval.assembly:build_recorded",
        "llm": "du_eval.assembly.networked:build_llm",
        "rasa": "du_eval.assembly.networked:build_rasa",
        "http": "du_eval.assembly.networked:build_http",
    },
)
"""Who predicts: builders of our own, and functions, classes or objects of installed packages."""


def build_generator(
    config: CommandSettings, parser: CommandParser, budget: Budget, shared: Shared | None = None
) -> CommandGenerator:
    """Return the generator of a run: built in, from an installed package, or the user's own."""
    from du_eval.generators.answers import GuardedGenerator

    is_address = config.generator.startswith(("http://", "https://"))
    kind = "http" if is_address else config.generator.partition(":")[0]
    if config.cache == "offline" and kind not in {"llm", "http"}:
        raise ConfigError(
            "--offline answers from the cache, which only the generators llm and http have, "
            f"not '{config.generator}'"
        )
    if kind in GENERATORS.own:
        from du_eval.assembly.networked import Making, Shared

        making = Making(config, parser, budget, os.environ, shared or Shared(budget))
        generator: CommandGenerator = GENERATORS[kind](making)
    else:
        generator = _build_foreign(config.generator, config.timeout)
    return GuardedGenerator(generator, config.max_answer_characters)


def _build_foreign(name: str, timeout_seconds: float) -> CommandGenerator:
    """Return a generator that others wrote: of a class path, or of an installed package."""
    from du_eval.compat.bridge import open_bridge
    from du_eval.generators.function import FunctionGenerator
    from du_eval.plugins import load_object

    _, separator, rest = name.partition(":")
    if separator or "." in name:
        open_bridge()
        return FunctionGenerator(load_object(name), rest or name, timeout_seconds)
    if name in GENERATORS:
        return FunctionGenerator(GENERATORS[name], name, timeout_seconds)
    known = [*GENERATORS, "module:attribute"]
    raise PluginError(
        f"unknown generator '{name}' ({did_you_mean(name, known) or 'use ' + ', '.join(known)})"
    )


def build_recorded(making: Making) -> CommandGenerator:
    """Return the generator that answers from a file."""
    from du_eval.generators.recorded import RecordedGenerator

    _, _, file = making.config.generator.partition(":")
    if not file:
        raise PluginError("recorded needs a file: -g recorded:predictions.jsonl")
    return RecordedGenerator(file)


def build_baseline(making: Making) -> CommandGenerator:
    """Return the generator that needs no model, or only one that embeds sentences."""
    from du_eval.generators.baseline import BaselineGenerator

    commands, embedding = frozenset(making.parser.registry), making.config.embedding
    if embedding == "none":
        return BaselineGenerator(vocabulary=commands)
    from du_eval.judges.similarity import EmbeddingSimilarity, similarity_judge

    model = similarity_judge(embedding)
    return BaselineGenerator(model if isinstance(model, EmbeddingSimilarity) else None, commands)


def build_stage(actions: str | None, endpoint: str | None) -> Stage:
    """Return where dialogues are replayed, with whoever runs their custom actions."""
    from du_eval.assistants.actions import Actions, FirstOf
    from du_eval.evaluation.replay import Stage

    found: list[Actions] = []
    if actions:
        from du_eval.assistants.python_actions import PythonActions

        found.append(PythonActions(actions))
    if endpoint:
        from du_eval.assistants.action_server import ActionServer

        found.append(ActionServer(endpoint))
    return Stage(FirstOf(found))


class Session(Struct, frozen=True):
    """A checked suite with everything that runs it."""

    suite: TestSuite
    evaluator: Evaluator
    config: TestSettings
    assistants: Assistants
    part: str = ""
    """Which part of the suite the cases are; empty: all of it."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not wrong but may surprise."""
        from du_eval.compat.rasa import warn_of_stripped

        stripped = warn_of_stripped(
            self.suite, self.evaluator.suite_parser or self.evaluator.parser, self.config.match
        )
        return (*self.suite.warnings, *self.assistants.warnings, *self._missing_assistants(), *stripped)

    def _missing_assistants(self) -> Iterator[str]:
        without = sum(self.assistants.of(case) is None for case in self.suite)
        if without and self.config.generator == "baseline":
            yield (
                f"no assistant was found for {tell_count(without, 'test case')}: "
                "the baseline knows no flows there; "
                "name the folder with flows and domain (--assistant DIR)"
            )

    @property
    def questions(self) -> int:
        """How many answers the run needs, if no case is decided early."""
        ratio_of = self.evaluator.sampling.choose_ratio
        return sum(ratio_of(case.success_ratio).of * len(case.user_steps) for case in self.suite)


def build_session(config: TestSettings) -> Session:
    """Load and check everything; raise with all problems of all files at once."""
    from du_eval.assembly.selection import build_sampling, build_stop_rules, choose_suite
    from du_eval.compat.policies import find_policy
    from du_eval.evaluation.expectations import ExpectationReader, list_expectation_problems
    from du_eval.evaluation.pipeline import Evaluator
    from du_eval.runs.budget import Budget
    from du_eval.suites.load import read_suite
    from du_eval.suites.select import name_part, parse_target, select_cases

    parser = build_parser(config)
    targets = [parse_target(path) for path in config.paths]
    suite, problems = read_suite([target.path for target in targets])
    assistants = Assistants(config.assistant, config.skip_validation)
    whole = suite if problems else select_cases(suite, targets, config.select, config.deselect)
    suite = suite if problems else choose_suite(whole, config)
    known: Callable[[TestCase], Assistant | None] = assistants.of if config.check_flows else lambda _: None
    suite_parser = build_parser(config.model_copy(update={"syntax": config.suite_syntax or config.syntax}))
    problems += list_expectation_problems(suite, ExpectationReader(suite_parser), known)
    _load_all(suite, assistants)
    problems += assistants.problems
    if problems:
        raise SuiteError(sorted(set(problems)), (*suite.warnings, *assistants.warnings))
    sampling = build_sampling(config)
    is_repeated = any(sampling.choose_ratio(case.success_ratio).of > 1 for case in suite)
    if config.history != "gold" and is_repeated:
        raise ConfigError(
            f"--history {config.history} follows one dialogue per case: it cannot be combined with samples"
        )
    evaluator = Evaluator(
        parser,
        find_policy(config.match),
        assistants.of,
        config.concurrency,
        sampling=sampling,
        keeps_prompts=config.output_prompt,
        budget=Budget(build_stop_rules(config)),
        stage=build_stage(config.actions, config.action_endpoint),
        history=config.history,
        strict_bot=config.strict_bot,
        strict_output=config.strict_output,
        parses_reasoning=config.reasoning == "parse",
        suite_parser=suite_parser,
        measures_goals=config.goals,
    )
    sample, chosen = config.sample, config.list_chosen(config.paths)
    if len(suite) == len(whole):
        sample = None
    elif config.last_failed:
        chosen += ("--lf",)
    return Session(suite, evaluator, config, assistants, name_part(config.shard, sample, chosen))


def _load_all(suite: TestSuite, assistants: Assistants) -> None:
    for case in suite:
        assistants.of(case)
