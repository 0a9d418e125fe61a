"""The arms of an experiment: settings that differ, from a file or from options given several times."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from pathlib import PurePath
from typing import Any

from msgspec import Struct, field

from du_eval.errors import ConfigError, Problem, did_you_mean
from du_eval.parsers.yaml_parser import YamlList, YamlMap, parse_yaml
from du_eval.settings.commands import TestSettings
from du_eval.settings.shared import GeneratorSettings

ARM_SETTINGS = frozenset({*GeneratorSettings.model_fields, "generator", "embedding", "syntax", "seed"})
"""Settings in which arms may differ: those that decide about answers. Everything else is the same for all."""
_OWN_KEYS = ("name", "baseline", "vary", "arms", "start")
_FEWEST = 2
_TOO_MANY = 100


class ArmPlan(Struct, frozen=True):
    """An arm before anything is asked."""

    name: str
    values: Mapping[str, Any]
    """The settings that tell it from other arms."""
    lines: Mapping[str, int] = field(default_factory=dict)


class ExperimentPlan(Struct, frozen=True):
    """What an experiment is about."""

    name: str
    arms: tuple[ArmPlan, ...]
    baseline: str
    """The arm that is in use today: the first one, unless another is named."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """Settings of all arms."""
    lines: Mapping[str, int] = field(default_factory=dict)
    start: tuple[str, ...] = ()
    """The words of a command that serves arms while they are asked."""
    file: str = ""


def read_plan(text: str, file: str) -> ExperimentPlan:
    """Return the experiment that a YAML file describes; raise with everything that is wrong in it."""
    root = parse_yaml(text, file, typed=True).root
    if not isinstance(root, YamlMap):
        raise ConfigError(Problem(file, 1, "an experiment is a mapping with `vary` or `arms`, or both"))
    reader = _Reader(file)
    plan = reader.read(root)
    if reader.problems:
        raise ConfigError(sorted(reader.problems))
    return plan


def vary(settings: Mapping[str, Sequence[Any]], lines: Mapping[str, int] | None = None) -> list[ArmPlan]:
    """Return an arm for each combination of values; only settings with several values make its name."""
    telling = [key for key, values in settings.items() if len(values) > 1] or list(settings)
    found = []
    for values in product(*settings.values()):
        own = dict(zip(settings, values, strict=True))
        name = ", ".join(_show(key, own[key]) for key in telling)
        found.append(ArmPlan(name, own, lines or {}))
    return found


def plan_arms(given: Mapping[str, object]) -> ExperimentPlan | None:
    """Return the experiment that options make which are given several times; None if none is."""
    varied = {
        key: value
        for key, value in given.items()
        if isinstance(value, list) and _may_vary(key) and len(value) > 1
    }
    if not varied:
        return None
    arms = vary(varied)
    if twins := [name for name, count in Counter(arm.name for arm in arms).items() if count > 1]:
        raise ConfigError(f"there are two arms named '{twins[0]}'")
    name = ", ".join(" or ".join(_show(key, one) for one in values) for key, values in varied.items())
    return ExperimentPlan(name, tuple(arms), arms[0].name)


def _may_vary(key: str) -> bool:
    flag = TestSettings.find_flag(key)
    return flag is not None and flag.varies


def _show(key: str, value: object) -> str:
    """Return how a value is called in the name of an arm."""
    if value is None:
        return f"default {key}"
    text = str(value)
    if key in {"prompt", "system_prompt", "syntax", "body"}:
        return PurePath(text).stem or text
    return text if isinstance(value, str) else f"{key}={text}"


class _Reader(Struct):
    """Collects what is wrong while it reads."""

    file: str
    problems: list[Problem] = field(default_factory=list)

    def read(self, root: YamlMap) -> ExperimentPlan:
        arms = [*self._read_product(root), *self._read_single(root)]
        self._check_names(arms, root)
        baseline = str(root.get("baseline") or (arms[0].name if arms else ""))
        if arms and baseline not in {arm.name for arm in arms}:
            hint = did_you_mean(baseline, [arm.name for arm in arms]) or _list_names(arms)
            self._complain(root.lines["baseline"], f"baseline: unknown arm '{baseline}'", hint)
        settings = {key.replace("-", "_"): value for key, value in root.items() if key not in _OWN_KEYS}
        for key in settings:
            if key not in TestSettings.model_fields:
                hint = did_you_mean(key, [*TestSettings.model_fields, *_OWN_KEYS])
                self._complain(root.lines.get(key, 0), f"unknown setting '{key}'", hint)
        return ExperimentPlan(
            name=str(root.get("name") or PurePath(self.file).stem),
            arms=tuple(arms),
            baseline=baseline,
            settings=settings,
            lines={key.replace("-", "_"): line for key, line in root.lines.items()},
            start=tuple(self._read_start(root)),
            file=self.file,
        )

    def _read_product(self, root: YamlMap) -> Iterator[ArmPlan]:
        given = root.get("vary")
        if given is None:
            return
        if not isinstance(given, YamlMap) or not given:
            self._complain(root.lines["vary"], "vary: write settings with lists of values: model: [a, b]")
            return
        own = {key.replace("-", "_"): value for key, value in given.items()}
        lines = {key.replace("-", "_"): line for key, line in given.lines.items()}
        for key, values in own.items():
            self._check_setting(key, lines[key])
            if not isinstance(values, YamlList) or not values:
                self._complain(lines[key], f"vary: {key} needs a list of values: {key}: [a, b]")
                return
        yield from vary(own, lines)

    def _read_single(self, root: YamlMap) -> Iterator[ArmPlan]:
        given = root.get("arms")
        if given is None:
            return
        if not isinstance(given, YamlList):
            self._complain(root.lines["arms"], "arms: write a list of arms, each with a name and settings")
            return
        for one, line in zip(given, given.lines, strict=True):
            if not isinstance(one, YamlMap) or not one.get("name"):
                self._complain(line, "an arm is a mapping with a name and its settings")
                continue
            values = {key.replace("-", "_"): value for key, value in one.items() if key != "name"}
            lines = {key.replace("-", "_"): at for key, at in one.lines.items()}
            for key in values:
                self._check_setting(key, lines[key])
            yield ArmPlan(str(one["name"]), values, {"name": line, **lines})

    def _read_start(self, root: YamlMap) -> list[str]:
        given = root.get("start")
        if given is None:
            return []
        if not isinstance(given, YamlList) or not given:
            self._complain(root.lines["start"], "start: write a command as a list: [python, server.py]")
            return []
        return [str(word) for word in given]

    def _check_setting(self, key: str, line: int) -> None:
        if key in ARM_SETTINGS:
            return
        if key in TestSettings.model_fields:
            hint = "write it at the top of the file"
            self._complain(line, f"'{key}' must be the same for all arms", hint)
        else:
            self._complain(line, f"unknown setting '{key}'", did_you_mean(key, ARM_SETTINGS))

    def _check_names(self, arms: Sequence[ArmPlan], root: YamlMap) -> None:
        names: set[str] = set()
        for arm in arms:
            if arm.name in names:
                self._complain(arm.lines.get("name", root.line), f"there are two arms named '{arm.name}'")
            names.add(arm.name)
        if not _FEWEST <= len(arms) <= _TOO_MANY and not self.problems:
            what = f"an experiment has {_FEWEST} to {_TOO_MANY} arms; this one has {len(arms)}"
            self._complain(root.line, what, "list them under `arms`, or give lists of values under `vary`")

    def _complain(self, line: int, message: str, hint: str = "") -> None:
        self.problems.append(Problem(self.file, line, message, hint))


def _list_names(arms: Sequence[ArmPlan]) -> str:
    return f"there are {', '.join(arm.name for arm in arms)}"
