"""End-to-end tests into dialogue understanding tests: what was understood becomes what is expected."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from msgspec import Struct

from du_eval.assistants.actions import ActionResult
from du_eval.assistants.engine.events import ActionExecuted, BotMessage, BotUttered, Event, UserUttered
from du_eval.commands.base import Command
from du_eval.endtoend.check import PLACEHOLDER
from du_eval.endtoend.model import EndToEndCase, UserMessage
from du_eval.endtoend.results import Blame, PlayedCase, TurnRecord
from du_eval.runs.outcome import Outcome

READY, TO_REVIEW = "ready", "to_review"
Spell = Callable[[Command], str]


class ConvertedFile(Struct, frozen=True):
    """A file to write below the output folder."""

    path: str
    text: str
    cases: int

    @property
    def is_ready(self) -> bool:
        """Tell whether nobody needs to look at it."""
        return Path(self.path).parts[0] == READY


def convert_folders(cases: Sequence[PlayedCase], root: Path, spell: Spell) -> tuple[ConvertedFile, ...]:
    """Return the files of both folders; each keeps its place below the input folder.

    A case of which no turn ran, nor could be repaired, has nothing to expect: it is left out.
    """
    groups: dict[str, list[PlayedCase]] = {}
    for outcome in filter(_records, cases):
        folder = TO_REVIEW if list(reasons(outcome)) else READY
        groups.setdefault(f"{folder}/{_relative(outcome.case.file, root)}", []).append(outcome)
    return tuple(
        ConvertedFile(path, _file(outcomes, spell), len(outcomes)) for path, outcomes in groups.items()
    )


def _relative(file: str, root: Path) -> str:
    path = Path(file)
    return path.relative_to(root).as_posix() if root.is_dir() else path.name


def reasons(outcome: PlayedCase) -> Iterator[str]:
    """Yield why somebody must look at a case; nothing where it is ready."""
    if outcome.verdict is Outcome.FAILED:
        yield "the end-to-end test failed"
    for finding in outcome.findings:
        word = "could not be judged" if finding.is_error else "expected"
        yield f"line {finding.line}, after '{finding.user}': {word}: {finding.expected}; {finding.found}"
    if outcome.error:
        yield f"it did not run to the end: {outcome.error}"
    for blame in outcome.blames:
        yield f"line {blame.line}: {_proposal(blame)}"
    proposed = {blame.line for blame in outcome.blames if blame.needs is not None}
    for turn in _records(outcome):
        for command in turn.unknown:
            yield f"line {turn.user.line}: {command.to_dsl()} is left out: a test file cannot expect it"
        if set(turn.commands) <= set(turn.unknown) and turn.user.line not in proposed:
            yield f"line {turn.user.line}: '{turn.user.text}' led to no command"
    missing = outcome.case.turns[len(_records(outcome)) :]
    if missing:
        yield f"the user steps from line {missing[0].user.line} on did not run and are left out"


def _proposal(blame: Blame) -> str:
    if blame.needs is None:
        return f"'{blame.user}' passes with none of the {blame.tried} sequences of commands that were tried"
    needs = ", ".join(command.to_dsl() for command in blame.needs) or "no command"
    got = ", ".join(command.to_dsl() for command in blame.got) or "no command"
    return f"proposed, since the test passes with it: {needs} instead of {got}"


def _records(outcome: PlayedCase) -> tuple[TurnRecord, ...]:
    """Return the turns as they went, or with the commands that they need."""
    repaired = outcome.repaired if any(blame.needs is not None for blame in outcome.blames) else ()
    return (*repaired, *outcome.turns[len(repaired) :])


def _file(outcomes: Sequence[PlayedCase], spell: Spell) -> str:
    cases = [outcome.case for outcome in outcomes]
    blocks: dict[str, Any] = {
        "fixtures": [{name: _slots(slots)} for name, slots in _used_fixtures(cases).items()],
        "metadata": [{name: values} for name, values in _used_metadata(cases).items()],
        "stub_custom_actions": _used_stubs(outcomes),
    }
    parts = [_dumped({key: value}) for key, value in blocks.items() if value]
    parts.append("test_cases:\n" + "\n".join(_case(outcome, spell) for outcome in outcomes))
    return "\n".join(parts)


def _slots(slots: Mapping[str, object]) -> list[dict[str, object]]:
    return [{name: value} for name, value in slots.items()]


def _used_fixtures(cases: Sequence[EndToEndCase]) -> dict[str, Mapping[str, object]]:
    return {name: slots for case in cases for name, slots in case.fixtures.items()}


def _used_metadata(cases: Sequence[EndToEndCase]) -> dict[str, Mapping[str, object]]:
    found: dict[str, Mapping[str, object]] = {}
    for case in cases:
        if case.metadata_name:
            found[case.metadata_name] = case.metadata
        steps = (step for step in case.steps if isinstance(step, UserMessage) and step.metadata_name)
        found.update({step.metadata_name: step.metadata for step in steps})
    return found


def _used_stubs(outcomes: Sequence[PlayedCase]) -> dict[str, Any]:
    """Return the stubs that ran, or may run in turns that did not; one that differs goes by its case."""
    by_action: dict[str, dict[str, ActionResult]] = {}
    for outcome in outcomes:
        ran = {
            event.name for turn in outcome.turns for event in turn.events if isinstance(event, ActionExecuted)
        }
        for action, stub in outcome.case.stubs.items():
            if action in ran or outcome.error:
                by_action.setdefault(action, {})[outcome.case.name.replace(" ", "_")] = stub
    found: dict[str, Any] = {}
    for action, stubs in by_action.items():
        first = next(iter(stubs.values()))
        if all(stub == first for stub in stubs.values()):
            found[action] = _stub(first)
        else:
            found.update({f"{case}::{action}": _stub(stub) for case, stub in stubs.items()})
    return found


def _stub(stub: ActionResult) -> dict[str, Any]:
    parts = {"events": list(stub.events), "responses": list(stub.responses)}
    return {key: value for key, value in parts.items() if value} or {"events": []}


def _case(outcome: PlayedCase, spell: Spell) -> str:
    case = outcome.case
    data: dict[str, Any] = {"test_case": case.name}
    if case.fixtures:
        data["fixtures"] = list(case.fixtures)
    if case.metadata_name:
        data["metadata"] = case.metadata_name
    steps: list[dict[str, Any]] = []
    for record in _records(outcome):
        steps.extend(_ran(record, spell))
    data["steps"] = steps
    comments = "".join(f"  # {line}\n" for reason in reasons(outcome) for line in _wrapped(reason))
    return comments + textwrap.indent(_dumped([data]), "  ")


def _wrapped(reason: str) -> list[str]:
    one_line = " ".join(reason.split())
    return textwrap.wrap("to review: " + one_line, 105, subsequent_indent="  ")


def _ran(record: TurnRecord, spell: Spell) -> Iterator[dict[str, Any]]:
    before, after = _split(record.events)
    yield from _bot_steps(before)
    known = [command for command in record.commands if command not in record.unknown]
    step: dict[str, Any] = {
        "user": record.user.text,
        "commands": list(dict.fromkeys(spell(command) for command in known)),
    }
    if record.user.metadata_name:
        step["metadata"] = record.user.metadata_name
    yield step
    yield from _bot_steps(after)


def _split(events: Sequence[Event]) -> tuple[Sequence[Event], Sequence[Event]]:
    """Return what happened before the user spoke, and after."""
    at = next((at for at, event in enumerate(events) if isinstance(event, UserUttered)), 0)
    return events[:at], events[at:]


def _bot_steps(events: Sequence[Event]) -> Iterator[dict[str, Any]]:
    for event in events:
        if isinstance(event, BotUttered):
            yield _bot_step(event.message)


def _bot_step(message: BotMessage) -> dict[str, Any]:
    if message.is_generated:
        return {"utter": PLACEHOLDER}
    return {"utter": message.response} if message.response else {"bot": message.text}


def _dumped(data: object) -> str:
    return str(yaml.safe_dump(_plain(data), sort_keys=False, allow_unicode=True, width=10_000))


def _plain(data: object) -> object:
    """Return data in the types that every YAML writer knows."""
    if isinstance(data, Mapping):
        return {str(key): _plain(value) for key, value in data.items()}
    return [_plain(item) for item in data] if isinstance(data, list | tuple) else data
