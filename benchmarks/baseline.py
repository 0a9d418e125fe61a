"""How long the baseline takes for a step, with catalogues of several sizes.

    python benchmarks/baseline.py

The limit: at most 5 ms a step at the median with 200 flows, after warm-up, on an idle core. The
ratio of 200 to 20 flows shows how the time grows with the catalogue, whatever the machine.
"""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from statistics import median

from du_eval.assistants.load import load_assistant
from du_eval.assistants.model import DialogueState
from du_eval.evaluation.stress.measure import read_packaged, resize
from du_eval.generators.base import Request
from du_eval.generators.baseline import BaselineGenerator
from du_eval.suites.load import load_suite

ROOT = Path(__file__).parents[1]
LIMIT_MS = 5.0
ROUNDS = 3


async def measure(flows: int) -> float:
    """Return the median milliseconds a step; the processor's time, so that other work does not count."""
    bank = load_assistant(ROOT / "examples/bank")
    catalogue = resize(bank, (), flows, read_packaged(), 0)
    suite = load_suite([str(ROOT / "dialogue_understanding_tests/bank")])
    messages = [step.text for case in suite for step in case.user_steps]
    asking = DialogueState("send_money", "payee", {}, ("send_money",))
    states = (DialogueState(), asking)
    requests = [Request(text, state=state, assistant=catalogue) for text in messages for state in states]
    generator = BaselineGenerator()
    await generator.generate(requests[0])
    taken = []
    for _ in range(ROUNDS):
        for request in requests:
            start = time.process_time_ns()
            await generator.generate(request)
            taken.append((time.process_time_ns() - start) / 1e6)
    return median(taken)


def main() -> None:
    found = {flows: asyncio.run(measure(flows)) for flows in (10, 20, 50, 100, 200, 230)}
    for flows, milliseconds in found.items():
        print(f"{flows:4d} flows: {milliseconds:6.2f} ms a step at the median")
    print(f"200 flows take {found[200] / found[20]:.2f} times as long as 20")
    print(f"limit of {LIMIT_MS:g} ms with 200 flows: {'kept' if found[200] <= LIMIT_MS else 'MISSED'}")


if __name__ == "__main__":
    main()
