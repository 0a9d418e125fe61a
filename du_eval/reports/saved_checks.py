"""What a report of command tests says about single steps, besides their commands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

Data = Mapping[str, Any]
Place = tuple[str, str, int]


@dataclass(frozen=True)
class BotSide:
    """Which steps the replay against the assistant found something about."""

    is_replayed: bool
    differing: frozenset[Place]
    without_effect: frozenset[Place]
    stopped: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, data: Data) -> BotSide:
        """Read the replay of a report."""
        found = data.get("bot_steps") or {}
        return cls(
            bool(found),
            frozenset(_place(one) for one in found.get("differences", ())),
            frozenset(_place(one) for one in found.get("commands_without_effect", ())),
            {(one["file"], one["test_case"]): one["line"] for one in found.get("not_replayed", ())},
        )

    def checks(self, case: Data, step: Data) -> dict[str, float]:
        """Return which checks hold for a step (1) and which do not (0)."""
        found: dict[str, float] = {}
        if step["outcome"] != "errored":
            found["output is parsed"] = float(not step.get("unparsed"))
            found["flows are known"] = float(not step.get("unknown_flows"))
        name, line = (str(case.get("file", "")), str(case["test_case"])), step.get("line", 0)
        if self.is_replayed and line < self.stopped.get(name, line + 1):
            found["bot steps follow"] = float((*name, line) not in self.differing)
            found["commands have an effect"] = float((*name, line) not in self.without_effect)
        return found


def _place(data: Data) -> Place:
    return str(data["file"]), str(data["test_case"]), int(data["line"])
