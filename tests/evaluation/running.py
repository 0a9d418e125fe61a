"""Small suites and runs for the tests of the evaluation."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from du_eval.assistants.model import Assistant
from du_eval.compat.policies import find_policy
from du_eval.conversation import Speaker
from du_eval.evaluation.pipeline import Evaluator
from du_eval.evaluation.record import TestRun
from du_eval.generators.base import Request
from du_eval.generators.function import FunctionGenerator
from du_eval.parsers.command_parser import CommandParser
from du_eval.suites.model import BotStep, ExpectedText, Step, TestCase, TestSuite, UserStep


def user(text: str, *commands: str, line: int = 1) -> UserStep:
    return UserStep(text, (tuple(ExpectedText(command, line) for command in commands),), line)


def any_of(text: str, *groups: tuple[str, ...]) -> UserStep:
    return UserStep(text, tuple(tuple(ExpectedText(c, 1) for c in group) for group in groups), 1)


def bot(text: str) -> BotStep:
    return BotStep(1, text=text)


def case(name: str, *steps: Step, **options: Any) -> TestCase:
    return TestCase(name, "suite.yml", 1, steps, **options)


def run(
    *cases: TestCase,
    answer: Callable[[Request], Any],
    policy: str = "exact",
    assistant: Assistant | None = None,
    concurrency: int = 4,
    strict_output: bool = False,
) -> TestRun:
    evaluator = Evaluator(
        CommandParser.default(),
        find_policy(policy),
        lambda _: assistant,
        concurrency,
        strict_output=strict_output,
    )
    return evaluator.run(TestSuite(cases), FunctionGenerator(answer, "answer"))


def said(request: Request) -> list[str]:
    return [
        f"{'U' if turn.speaker is Speaker.USER else 'B'}:{turn.text or turn.response}"
        for turn in request.history
    ]
