"""Reports of whole dialogues read back for comparison: quality runs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from du_eval.runs.figures import Figure
from du_eval.runs.records import RunRecord, StepRecord
from du_eval.statistics.intervals import Measurement

Data = Mapping[str, Any]
_SEED = re.compile(r"(?:^|\|)(seed:\d+)")
_JUDGED = {"passed", "failed"}


def quality_record(data: Data, name: str) -> RunRecord:
    """Return a quality run: one verdict on one reply is a step, the dialogue is the unit of chance.

    Dialogues are the same where the seed is: then the same is said in them, about the same facts.
    """
    signature = str(data.get("signature", ""))
    seed = _SEED.search(signature)
    return RunRecord(
        name,
        tuple(_assessed(data["assessments"], seed[1] if seed else "")),
        signature,
        str(data.get("bot", "")),
        policy=", ".join(f"{part} {judge}" for part, judge in dict(data.get("judges", {})).items()),
        unit="judged replies",
        activity="quality",
        decides=False,
        figures={test: _figure(test) for test in data.get("tests", {})},
    )


def _assessed(assessments: Iterable[Data], seed: str) -> Iterator[StepRecord]:
    for one in assessments:
        test, label = str(one["test"]), str(one.get("label", ""))
        told = [f"fact {one['fact']}"] if one.get("fact") is not None else []
        told += [f"level {one['nominal']:g} {one.get('unit', '')}".rstrip()] if one.get("nominal") else []
        told += [part for part in (str(one.get("variant", "")), label) if part]
        told += ["control"] if one.get("is_control") else []
        outcome = one["verdict"] if one["verdict"] in _JUDGED else "errored"
        # A control has no difficulty, a label is a part of a verdict: neither enters the rate of the test.
        is_counted = outcome in _JUDGED and not one.get("is_control") and not label
        yield StepRecord(
            seed,
            f"dialogue {one['dialogue']}",
            int(one["exchange"]) + 1,
            ", ".join([test, *told]),
            outcome,
            question="|".join([test, str(one["exchange"]), *told]),
            predicted=(str(one.get("reason") or one.get("interpretation") or outcome),),
            scores={test: float(outcome == "passed")} if is_counted else {},
        )


def _figure(name: str) -> Figure:
    return Figure(name, Measurement(None, 0))
