"""Finished samples in the journal of a run, so that an interrupted run loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from hashlib import sha256
from typing import Any

from pydantic import TypeAdapter, ValidationError

from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.results import SampleResult
from du_eval.runs.journal import Journal, Record
from du_eval.runs.record import Key

_SAMPLE = TypeAdapter(SampleResult)


@dataclass(frozen=True, slots=True)
class TrialPlace:
    """Where the samples of a case over a connection are kept, and a fingerprint of what is asked."""

    key: Key
    request: str


def place_trial(case: AgentCase, connection: Connection, signature: str) -> TrialPlace:
    """Return the place of a case over a connection under some judges; a changed case is another one."""
    variant = connection.name if len(case.connections) > 1 else ""
    asked = f"{case.digest}\n{connection.name}\n{signature}"
    return TrialPlace(Key(case.file, case.name, 1, 1, variant), sha256(asked.encode()).hexdigest()[:16])


@dataclass
class KeptSamples:
    """Reads samples from a journal, and writes them to it."""

    journal: Journal
    reused: int = 0
    """How many samples of the journal were used again."""

    def find(self, place: TrialPlace, most: int) -> dict[int, SampleResult]:
        """Return the samples that are known, by their number."""
        found = {}
        for number in range(1, most + 1):
            record = self.journal.find(replace(place.key, sample=number), place.request)
            sample = restore_sample(record.answer) if record and record.answer else None
            if sample is not None:
                found[number] = sample
        return found

    def append(self, place: TrialPlace, sample: SampleResult) -> None:
        """Write one finished sample."""
        key = replace(place.key, sample=sample.number)
        self.journal.append(Record(key, place.request, make_plain(sample), "", sample.outcome.value))


def restore_sample(data: Mapping[str, object]) -> SampleResult | None:
    """Return a sample that was made plain; None for data of another form."""
    try:
        return _SAMPLE.validate_python(data)
    except ValidationError:
        return None


def clean_sample(sample: SampleResult) -> SampleResult:
    """Return a sample with nothing in it that JSON does not have: agents in Python answer with anything."""
    return restore_sample(make_plain(sample)) or sample


def make_plain(value: Any) -> Any:
    """Return a value as JSON has it; anything else as a text."""
    if is_dataclass(value):
        return {one.name: make_plain(getattr(value, one.name)) for one in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): make_plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [make_plain(one) for one in value]
    if value is None or isinstance(value, bool | int | float):
        return value
    # Half a character, as models send them at times, is none in a file.
    return str(value).encode("utf-8", "replace").decode()
