"""The exception tree and the exit codes.

DuEvalError                     everything that du-eval raises on purpose
├── InputError                  the user's files or arguments (exit code 2)
│   ├── SuiteError              test cases
│   ├── AssistantError          flows and domain
│   ├── ConfigError             configuration files, variables and flags
│   │   └── UntrustedError      settings that were found would do what the user has not agreed to
│   ├── CommandDefinitionError  a command class or its pattern
│   ├── PluginError             a class path that leads nowhere
│   ├── MissingExtraError       an optional package that is not installed
│   └── NothingSelectedError    no test case is left to run (exit code 5)
├── CommandReadError            a text could not be read as commands
│   └── PatternTimeoutError     a pattern took too long on it
├── GeneratorError              a generator gave no answer for one step
├── AgentError                  an agent gave no answer for one interaction
├── ChatterError                a bot gave no reply
├── EndpointError               a model or server gave no usable answer
├── BudgetSpentError            a budget of calls or money allows no further call
└── ReportError                 a report could not be written (exit code 4)
"""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from enum import IntEnum

from msgspec import Struct


class ExitCode(IntEnum):
    """What the process tells its caller."""

    PASSED = 0
    FAILED = 1
    INPUT = 2
    ERRORED = 3
    BUG = 4
    NOTHING_SELECTED = 5
    INTERRUPTED = 130


class Problem(Struct, frozen=True, order=True):
    """One thing that is wrong with the input: where, what, and what to do."""

    file: str
    line: int
    message: str
    hint: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}" if self.line else self.file
        text = f"{place}: {self.message}" if place else self.message
        return f"{text} ({self.hint})" if self.hint else text


class DuEvalError(Exception):
    """Base of everything that du-eval raises on purpose."""

    exit_code: ExitCode = ExitCode.BUG


class InputError(DuEvalError):
    """The user's files or arguments are wrong; carries every problem found."""

    exit_code = ExitCode.INPUT

    def __init__(self, problems: str | Problem | Iterable[Problem]) -> None:
        if isinstance(problems, str):
            problems = (Problem("", 0, problems),)
        elif isinstance(problems, Problem):
            problems = (problems,)
        self.problems: tuple[Problem, ...] = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class SuiteError(InputError):
    """A test file cannot be used; carries what else may surprise in it, too."""

    def __init__(self, problems: str | Problem | Iterable[Problem], warnings: Iterable[str] = ()) -> None:
        self.warnings = tuple(warnings)
        super().__init__(problems)


class AssistantError(InputError):
    """Flows or domain cannot be used."""


class ConfigError(InputError):
    """A configuration file, variable or flag cannot be used."""


class UntrustedError(ConfigError):
    """Settings that were found would run code, contact hosts or send secrets without consent."""

    def __init__(self, problems: Iterable[Problem], file: str, digest: str) -> None:
        self.file, self.digest = file, digest
        hint = (
            f"these settings came with the suite, not from you: read them, then allow them "
            f"with du-eval trust {file}, or for one call with --trust (in CI: DU_EVAL_TRUST=1)"
        )
        super().__init__([*problems, Problem(file, 0, "consent is needed", hint)])


class CommandDefinitionError(InputError):
    """A command class or its pattern cannot be used."""


class PluginError(InputError):
    """A class path leads nowhere."""


class MissingExtraError(InputError):
    """An optional package is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        self._named = package, extra
        super().__init__(
            f"this needs the package '{package}', which is not installed: pip install 'du-eval[{extra}]'"
        )

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str]]:
        """Let the error leave a worker as it is."""
        return type(self), self._named


class NothingSelectedError(InputError):
    """No test case is left to run."""

    exit_code = ExitCode.NOTHING_SELECTED


class CommandReadError(DuEvalError):
    """A text could not be read as commands."""

    exit_code = ExitCode.INPUT


class PatternTimeoutError(CommandReadError):
    """A pattern took too long on a text."""


class GeneratorError(DuEvalError):
    """A generator gave no answer for one step."""

    exit_code = ExitCode.ERRORED


class AgentError(DuEvalError):
    """An agent gave no answer for one interaction."""

    exit_code = ExitCode.ERRORED


class ChatterError(DuEvalError):
    """A bot gave no reply."""

    exit_code = ExitCode.ERRORED


class EndpointError(DuEvalError):
    """A model or server gave no usable answer."""

    exit_code = ExitCode.ERRORED
    retries: int = 0
    """How often it was asked again."""


class BudgetSpentError(DuEvalError):
    """A budget of calls or money allows no further call."""

    exit_code = ExitCode.ERRORED


class ReportError(DuEvalError):
    """A report could not be written."""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return a hint that names the closest known words, or an empty text."""
    candidates = {name.casefold(): name for name in known}
    close = get_close_matches(word.casefold(), candidates, n=3, cutoff=0.6)
    if not close:
        return ""
    return "did you mean " + " or ".join(f"'{candidates[name]}'" for name in close) + "?"


def tell_count(count: int, one: str, many: str = "") -> str:
    """Return a number with what it counts, in the singular or plural: 1 case, 2 cases, 3 replies."""
    plural = many or (f"{one[:-1]}ies" if one.endswith("y") else f"{one}s")
    return f"{count} {one if count == 1 else plural}"


def find_line(node: object, path: Iterable[str | int], line: int) -> int:
    """Return the line of the value at a path below a node, or of the closest thing above it."""
    for part in path:
        lines = getattr(node, "lines", None)
        try:
            line = lines[part] if lines is not None else line
            node = node[part]  # type: ignore[index] # whatever cannot be indexed has no deeper line
        except (KeyError, IndexError, TypeError):
            break
    return int(line)
