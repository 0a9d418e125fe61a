"""Configuration into live objects: the only place that wires."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from du_eval.config import FILE_ENDINGS, PATH_KEYS, RunConfig, Settled, Source, environment_source, settled
from du_eval.errors import ConfigError, InputError, PluginError, Problem, SuiteError, did_you_mean

if TYPE_CHECKING:
    from du_eval.assistants.model import Assistant
    from du_eval.evaluation.pipeline import Evaluator
    from du_eval.generators.base import CommandGenerator
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.suites.model import TestCase, TestSuite

CONFIG_FILE = "du-eval.yaml"
_LEVELS = 12


def settle(flags: Mapping[str, Any], environment: Mapping[str, str], run: Source | None = None) -> Settled:
    """Return the settings that hold for a run with these flags; a run that goes on brings its own."""
    given = Source(
        "flag", {key: value for key, value in flags.items() if value not in (None, [], (), {})}, {}
    )
    variables = environment_source(environment)
    sources = [given, *([run] if run else []), variables]
    paths = next(
        (source.values["paths"] for source in sources if source.values.get("paths")), RunConfig().paths
    )
    file = _config_for(paths)
    return settled([*sources, *([file] if file else [])])


def _config_for(paths: Iterable[str]) -> Source | None:
    """Return the configuration nearest to all paths."""
    folders = [_folder(path.partition("::")[0]) for path in paths]
    try:
        common = Path(os.path.commonpath(folders))
    except ValueError:
        common = Path.cwd()
    for folder in (common, *common.parents)[:_LEVELS]:
        source = config_in(folder)
        if source is not None:
            return source
    return None


def _folder(path: str) -> Path:
    resolved = Path(path).resolve()
    return resolved if resolved.is_dir() else resolved.parent


def config_in(folder: Path) -> Source | None:
    """Return the configuration that a folder holds itself: du-eval.yaml, or a table in pyproject.toml."""
    file, project = folder / CONFIG_FILE, folder / "pyproject.toml"
    if file.is_file():
        return _relative_to(_from_yaml(file), folder)
    if project.is_file():
        found = _from_toml(project)
        return _relative_to(found, folder) if found else None
    return None


def _from_yaml(file: Path) -> Source:
    from du_eval.parsers.yaml_parser import YamlMap, parse_yaml

    name = _shown(file)
    root = parse_yaml(file.read_text(encoding="utf-8"), name, typed=True).root
    if root is None:
        return Source(name, {}, {})
    if not isinstance(root, YamlMap):
        raise ConfigError(Problem(name, 1, "a configuration file is a mapping of settings"))
    return Source(name, _normalised(root), _normalised(root.lines))


def _from_toml(file: Path) -> Source | None:
    name = _shown(file)
    try:
        table = tomllib.loads(file.read_text(encoding="utf-8")).get("tool", {}).get("du-eval")
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(Problem(name, 0, f"not valid TOML: {error}")) from error
    return Source(name, _normalised(table), {}) if isinstance(table, dict) else None


def _normalised(values: Mapping[str, Any]) -> dict[str, Any]:
    return {key.replace("-", "_"): value for key, value in values.items()}


def _relative_to(source: Source, folder: Path) -> Source:
    values = dict(source.values)
    for key in PATH_KEYS & values.keys():
        value = values[key]
        values[key] = (
            [_joined(folder, v) for v in value] if isinstance(value, list) else _joined(folder, value)
        )
    for key, endings in FILE_ENDINGS.items():
        value = values.get(key)
        if isinstance(value, str) and value.endswith(endings):
            values[key] = _joined(folder, value)
    return Source(source.name, values, source.lines)


def _joined(folder: Path, value: Any) -> Any:
    return _shown(Path(os.path.normpath(folder / value))) if isinstance(value, str) else value


def _shown(path: Path) -> str:
    """Return a path as a reader wants it: from the working directory where that is shorter."""
    relative = os.path.relpath(path)
    return str(path) if relative.startswith(os.path.join("..", "..", "..")) else relative


@dataclass
class Assistants:
    """The assistants of a run: one that is given, or for each test file the nearest one."""

    given: str | None = None
    warnings: list[str] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    _by_folder: dict[Path, str | None] = field(default_factory=dict)
    _loaded: dict[str, Assistant | None] = field(default_factory=dict)

    def of(self, case: TestCase) -> Assistant | None:
        """Return the assistant of a case, or None where there is none."""
        path = self.given or self._nearest(Path(case.file).parent)
        return self._load(path) if path else None

    def _nearest(self, folder: Path) -> str | None:
        if folder not in self._by_folder:
            self._by_folder[folder] = self._search(folder.resolve())
        return self._by_folder[folder]

    def _search(self, folder: Path) -> str | None:
        from du_eval.assistants.files import is_assistant

        for candidate in (folder, *folder.parents)[:_LEVELS]:
            source = config_in(candidate)
            if source is not None and source.values.get("assistant"):
                self._warn_about_others(source)
                return str(source.values["assistant"])
            if is_assistant(candidate):
                return _shown(candidate)
        return None

    def _warn_about_others(self, source: Source) -> None:
        others = sorted(set(source.values) - {"assistant"})
        text = f"{source.name}: only 'assistant' is taken from it in this run, not {', '.join(others)}"
        if others and text not in self.warnings:
            self.warnings.append(text)

    def _load(self, path: str) -> Assistant | None:
        from du_eval.assistants.load import load_assistant

        if path not in self._loaded:
            try:
                self._loaded[path] = load_assistant(path)
            except InputError as error:
                self.problems.extend(error.problems)
                self._loaded[path] = None
        return self._loaded[path]


def build_parser(config: RunConfig) -> CommandParser:
    """Return the parser of the vocabulary and syntax of a run."""
    from du_eval.commands.registry import registry_of
    from du_eval.parsers.command_parser import CommandParser
    from du_eval.parsers.syntax_file import load_syntax

    added = [_command_class(path) for path in config.additional_commands]
    return CommandParser(registry_of(added, config.remove_default_commands), load_syntax(config.syntax))


def _command_class(path: str) -> Any:
    from du_eval.commands.registry import known_command
    from du_eval.plugins import load_object

    if "." not in path and ":" not in path:
        known = known_command(path)
        if known is None:
            raise PluginError(f"'{path}' is no class path; write my_module.MyCommand")
        return known
    return load_object(path)


def build_generator(config: RunConfig, session: Session) -> CommandGenerator:
    """Return the generator of a run: built in, networked, recorded, or the user's own."""
    from du_eval.assembly.networked import build_networked

    networked = build_networked(config, session.evaluator.parser, session.evaluator.budget, os.environ)
    return networked or build_local_generator(config.generator)


def build_local_generator(name: str) -> CommandGenerator:
    """Return the generator of a name: built in, recorded:FILE, module:attribute, or an entry point."""
    from du_eval.generators.function import FunctionGenerator
    from du_eval.plugins import load_object

    kind, separator, rest = name.partition(":")
    if name == "baseline":
        from du_eval.generators.baseline import BaselineGenerator

        return BaselineGenerator()
    if kind == "recorded":
        from du_eval.generators.recorded import RecordedGenerator

        if not rest:
            raise PluginError("recorded needs a file: -g recorded:predictions.jsonl")
        return RecordedGenerator(rest)
    if separator or "." in name:
        return FunctionGenerator(load_object(name), rest or name)
    for entry in _entry_points():
        if entry.name == name:
            return FunctionGenerator(entry.load(), name)
    known = [
        "baseline",
        "llm",
        "rasa",
        "http",
        "recorded:FILE",
        "module:attribute",
        *(entry.name for entry in _entry_points()),
    ]
    raise PluginError(
        f"unknown generator '{name}' ({did_you_mean(name, known) or 'use ' + ', '.join(known)})"
    )


def _entry_points() -> Iterator[Any]:
    from importlib.metadata import entry_points

    yield from entry_points(group="du_eval.generators")


@dataclass(frozen=True)
class Session:
    """A checked suite with everything that runs it."""

    suite: TestSuite
    evaluator: Evaluator
    config: RunConfig
    assistants: Assistants

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is not wrong but may surprise."""
        return (*self.suite.warnings, *self.assistants.warnings, *self._missing_assistants())

    def _missing_assistants(self) -> Iterator[str]:
        without = sum(self.assistants.of(case) is None for case in self.suite)
        if without and self.config.generator == "baseline":
            yield (
                f"no assistant was found for {without} test cases: the baseline knows no flows and slots there; "
                "name the folder with flows and domain (--assistant DIR)"
            )

    @property
    def questions(self) -> int:
        """How many answers the run needs, if no case is decided early."""
        ratio_of = self.evaluator.sampling.ratio_of
        return sum(ratio_of(case.success_ratio).of * len(case.user_steps) for case in self.suite)


def build_session(config: RunConfig) -> Session:
    """Load and check everything; raise with all problems of all files at once."""
    from du_eval.assembly.selection import chosen, sampling_of, stop_rules_of
    from du_eval.evaluation.budget import Budget
    from du_eval.evaluation.expectations import ExpectationReader, expectation_problems
    from du_eval.evaluation.pipeline import Evaluator
    from du_eval.suites.load import read_suite
    from du_eval.suites.model import TestSuite
    from du_eval.suites.select import selected, target_of

    parser = build_parser(config)
    targets = [target_of(path) for path in config.paths]
    suite, problems = read_suite([target.path for target in targets])
    assistants = Assistants(config.assistant)
    if problems:
        candidates = suite
    else:
        candidates = suite = chosen(selected(suite, targets, config.select, config.deselect), config)
    known: Callable[[TestCase], Assistant | None] = assistants.of if config.check_flows else lambda _: None
    problems += expectation_problems(candidates, ExpectationReader(parser), known)
    _load_all(suite, assistants)
    problems += assistants.problems
    if problems:
        raise SuiteError(sorted(set(problems)))
    evaluator = Evaluator(
        parser,
        config.match,
        assistants.of,
        config.concurrency,
        sampling=sampling_of(config),
        budget=Budget(stop_rules_of(config)),
    )
    return Session(TestSuite(suite.cases, suite.warnings), evaluator, config, assistants)


def _load_all(suite: TestSuite, assistants: Assistants) -> None:
    for case in suite:
        assistants.of(case)
