"""The pytest plugin: suites as tests, one item for each case.

`pytest dialogue_understanding_tests/` collects every YAML file that holds test cases with commands. Settings
come from du-eval.yaml and DU_EVAL_ variables, as for `du-eval test`; `-p no:du_eval` turns the plugin off.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from du_eval.trust.reading import read_file

if TYPE_CHECKING:
    from du_eval.assembly import Session
    from du_eval.evaluation.step import JudgedCase
    from du_eval.generators.base import CommandGenerator
    from du_eval.suites.model import TestCase

_HAS_CASES = re.compile(r"^test_cases\s*:", re.MULTILINE)
_HAS_COMMANDS = re.compile(r"[\s{,](?:commands|any_of)['\"]?\s*:")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the choice of a generator."""
    group = parser.getgroup("du-eval")
    group.addoption("--du-eval-generator", default=None, help="Command generator, as for du-eval test -g.")


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a file that holds test cases with commands."""
    if file_path.suffix not in {".yml", ".yaml"}:
        return None
    try:
        text = read_file(file_path).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return None
    if _HAS_CASES.search(text) and _HAS_COMMANDS.search(text):
        return SuiteFile.from_parent(parent, path=file_path)
    return None


class SuiteFile(pytest.File):
    """A test file of du-eval."""

    def collect(self) -> Iterable[pytest.Item]:
        """Yield an item for each case; a file that cannot be used is an error of the collection."""
        from du_eval.assembly import build_generator, build_session, settle  # noqa: PLC0415 - heavy
        from du_eval.errors import DuEvalError  # noqa: PLC0415 - only where suites are collected
        from du_eval.settings.commands import TestSettings  # noqa: PLC0415 - the same

        generator = self.config.getoption("--du-eval-generator")
        flags: dict[str, Any] = {"paths": [_shown(self.path)], "generator": generator, "journal": False}
        try:
            config = settle(TestSettings, flags, os.environ).config
            session = build_session(config)
            asked = build_generator(config, session.evaluator.parser, session.evaluator.budget)
        except DuEvalError as error:
            raise self.CollectError(str(error)) from None
        for case in session.suite:
            yield CaseItem.from_parent(self, name=case.name, case=case, session_of_file=(session, asked))


def _shown(path: Path) -> str:
    """Return a path as a reader wants it: from the working directory, where it lies below."""
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)


class CaseItem(pytest.Item):
    """One test case."""

    def __init__(
        self, *, case: TestCase, session_of_file: tuple[Session, CommandGenerator], **options: Any
    ) -> None:
        super().__init__(**options)
        self.case = case
        self.suite_session, self.generator = session_of_file

    def runtest(self) -> None:
        """Ask the generator about the case."""
        from du_eval.suites.model import TestSuite  # noqa: PLC0415 - see above

        run = self.suite_session.evaluator.run(TestSuite((self.case,)), self.generator)
        (result,) = run.cases or (None,)
        if result is None or result.outcome.value != "passed":
            raise CaseFailedError(result)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str | Any:
        """Show what was expected and what was predicted instead of a traceback."""
        if not isinstance(excinfo.value, CaseFailedError):
            return super().repr_failure(excinfo, style)
        result = excinfo.value.result
        if result is None:
            return self.suite_session.evaluator.budget.reason or "no step of the case was answered"
        return _describe(result)

    def reportinfo(self) -> tuple[Path, int, str]:
        """Return where the case stands."""
        return self.path, self.case.line - 1, self.case.name


class CaseFailedError(Exception):
    """A case did not pass."""

    def __init__(self, result: JudgedCase | None) -> None:
        super().__init__()
        self.result = result


def _describe(result: JudgedCase) -> str:
    """Return the steps that did not pass, with what was expected and what was predicted."""
    from du_eval.reports.renderers.junit import list_lines  # noqa: PLC0415 - see above
    from du_eval.reports.views.test import list_case  # noqa: PLC0415 - see above

    entries = list_case(result, "")
    return "\n\n".join("\n".join(list_lines(entry)) for entry in entries if entry.is_failure)
