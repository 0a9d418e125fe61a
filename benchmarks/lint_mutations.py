"""How many mistakes `du-eval lint` finds: the numbers of docs/reports.md.

    python benchmarks/lint_mutations.py [PATH] [--tries 80]

One mistake at a time is put into a suite; found is one that gives a finding, notes aside, that the sound
suite does not give.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from random import Random

from msgspec.structs import replace

from du_eval.assembly import Session, build_session, settle
from du_eval.commands.flows import SetSlot, StartFlow
from du_eval.evaluation.expectations import ExpectationReader
from du_eval.evaluation.lint import Severity, findings
from du_eval.evaluation.plan import Planner
from du_eval.suites.model import BotStep, ExpectedText, Step, TestCase, TestSuite, UserStep

Mutants = Iterator[tuple[TestCase, int, Step]]


class Mutator:
    """Puts mistakes into the cases of a session."""

    def __init__(self, session: Session, random: Random) -> None:
        self.session, self.random = session, random
        self.reader = ExpectationReader(session.evaluator.parser)
        self.spell = session.evaluator.parser.syntax.print

    def steps(self) -> Mutants:
        """Yield every step of every case."""
        for case in self.session.suite:
            for place, step in enumerate(case.steps):
                yield case, place, step

    def another_bot_step(self) -> Mutants:
        """Yield bot steps that name another response."""
        for case, place, step in self.steps():
            if isinstance(step, BotStep) and step.response is not None:
                others = [
                    name for name in self.session.assistants.of(case).responses if name != step.response
                ]
                yield case, place, step._replace(response=self.random.choice(others))

    def another_value(self) -> Mutants:
        """Yield user steps that expect another value which the suite has for the slot."""
        values: dict[str, set[str]] = {}
        for command in (command for _, _, step in self.steps() for command in self.expected(step)):
            if isinstance(command, SetSlot):
                values.setdefault(command.slot, set()).add(str(command.value))
        for case, place, step in self.steps():
            for index, command in enumerate(self.expected(step)):
                others = (
                    sorted(values[command.slot] - {str(command.value)})
                    if isinstance(command, SetSlot)
                    else ()
                )
                if others:
                    yield (
                        case,
                        place,
                        self.with_command(step, index, SetSlot(command.slot, self.random.choice(others))),
                    )

    def another_flow(self) -> Mutants:
        """Yield user steps that expect the start of another flow."""
        for case, place, step in self.steps():
            for index, command in enumerate(self.expected(step)):
                if isinstance(command, StartFlow):
                    flows = [
                        flow.id for flow in self.session.assistants.of(case).user_flows if flow.is_startable
                    ]
                    other = self.random.choice([flow for flow in flows if flow != command.flow])
                    yield case, place, self.with_command(step, index, StartFlow(other))

    def a_lost_command(self) -> Mutants:
        """Yield user steps without the first of several expected commands."""
        for case, place, step in self.steps():
            if isinstance(step, UserStep) and len(step.alternatives[0]) > 1:
                yield case, place, step._replace(alternatives=(step.alternatives[0][1:],))

    def expected(self, step: Step) -> tuple:
        """Return the commands that a step expects."""
        return self.reader.alternatives(step)[0] if isinstance(step, UserStep) else ()

    def with_command(self, step: UserStep, index: int, command: StartFlow | SetSlot) -> UserStep:
        """Return the step with another command in a place."""
        texts = list(step.alternatives[0])
        texts[index] = ExpectedText(self.spell(command), texts[index].line)
        return step._replace(alternatives=(tuple(texts),))


def found_in(session: Session, planner: Planner, suite: TestSuite) -> set[str]:
    """Return what lint says, notes aside."""
    found = findings(suite, planner, session.assistants.of)
    return {str(one) for one in found if one.severity is not Severity.NOTE}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("paths", nargs="*", default=["dialogue_understanding_tests"])
    parser.add_argument("--tries", type=int, default=80)
    arguments = parser.parse_args()
    session = build_session(settle({"paths": arguments.paths}, os.environ).config)
    planner = Planner(ExpectationReader(session.evaluator.parser), session.evaluator.stage)
    sound = found_in(session, planner, session.suite)
    print(f"{len(session.suite)} sound cases: {len(sound)} findings")
    random = Random(1)
    mutator = Mutator(session, random)
    kinds: list[Callable[[], Mutants]] = [
        mutator.another_bot_step, mutator.another_value, mutator.another_flow, mutator.a_lost_command,
    ]  # fmt: skip
    for kind in kinds:
        mutants = list(kind())
        random.shuffle(mutants)
        hits = 0
        for case, place, step in mutants[: arguments.tries]:
            changed = replace(case, steps=(*case.steps[:place], step, *case.steps[place + 1 :]))
            others = tuple(one for one in session.suite if one.file == case.file and one is not case)
            hits += bool(found_in(session, planner, TestSuite((*others, changed), ())) - sound)
        print(f"{kind.__name__.replace('_', ' ')}: found {hits} of {min(len(mutants), arguments.tries)}")


if __name__ == "__main__":
    main()
