"""How fast the dialogue engine is, and how it grows.

    python benchmarks/engine.py [--flows 200] [--turns 2000]

Growth is measured inside one run: a turn late in a long dialogue against an early one, and a turn with many
flows against one with few. Where the whole grows linearly, these ratios stay near 1.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from du_eval.assistants.engine.engine import Engine
from du_eval.assistants.engine.state import EngineState
from du_eval.assistants.model import Assistant, Flow, Response, ResponseVariation, Slot
from du_eval.assistants.steps import Branch, Collect, FlowStep, StepKind
from du_eval.commands.base import Command
from du_eval.commands.flows import CancelFlow, ChitChat, SetSlot, StartFlow

QUESTIONS = 3


def assistant(flows: int) -> Assistant:
    """Return an assistant with many flows of three questions and a branch each."""
    slots = {f"s{n}_{q}": Slot(f"s{n}_{q}", "text") for n in range(flows) for q in range(QUESTIONS)}
    names = [*(f"utter_ask_{slot}" for slot in slots), "utter_done", "utter_other"]
    responses = {name: Response(name, (ResponseVariation("Text with {s0_0}."),)) for name in names}
    return Assistant("made up", {f"f{n}": _flow(n) for n in range(flows)}, slots, responses)


def _flow(number: int) -> Flow:
    collects = tuple(Collect(f"s{number}_{q}") for q in range(QUESTIONS))
    done = FlowStep(StepKind.ACTION, "utter_done", next="END")
    other = FlowStep(StepKind.ACTION, "utter_other", next="END")
    ways = (Branch(f"slots.s{number}_0 = 'x'", (done,)), Branch(None, (other,)))
    steps = tuple(FlowStep(StepKind.COLLECT, collect.slot, collect=collect) for collect in collects)
    return Flow(f"f{number}", "a flow", collects=collects, steps=(*steps, FlowStep(StepKind.NOOP, next=ways)))


def dialogue(flows: int, turns: int) -> list[list[Command]]:
    """Return what is said: flows from beginning to end, with digressions and cancellations in between."""
    said: list[list[Command]] = []
    number = 0
    while len(said) < turns:
        flow = number % flows
        said.append([StartFlow(f"f{flow}")])
        said.append([SetSlot(f"s{flow}_0", "x" if number % 2 else "y")])
        said.append([ChitChat()])
        said.append([SetSlot(f"s{flow}_1", "b"), SetSlot(f"s{flow}_0", "c")])
        said.append([CancelFlow()] if number % 5 == 0 else [SetSlot(f"s{flow}_2", "c")])
        number += 1
    return said[:turns]


def seconds_by_turn(flows: int, turns: int) -> list[float]:
    """Return the time of each turn of one long dialogue."""
    engine = Engine(assistant(flows))
    state: EngineState = engine.start().state
    for commands in dialogue(flows, flows * 5):
        engine.turn(EngineState(initial_slots=state.initial_slots), commands)
    times = []
    for commands in dialogue(flows, turns):
        start = time.perf_counter()
        state = engine.turn(state, commands).state
        times.append(time.perf_counter() - start)
    assert not state.stopped, state.stopped
    return times


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--flows", type=int, default=200)
    parser.add_argument("--turns", type=int, default=2000)
    options = parser.parse_args()
    many = seconds_by_turn(options.flows, options.turns)
    few = seconds_by_turn(10, options.turns)
    tenth = max(1, options.turns // 10)
    growth = statistics.median(many[-tenth:]) / statistics.median(many[:tenth])
    print(f"{options.flows} flows, {options.turns} turns: {len(many) / sum(many):,.0f} turns/s")
    print(f"10 flows, {options.turns} turns: {len(few) / sum(few):,.0f} turns/s")
    print(f"a turn at the end against one at the beginning: {growth:.2f}")
    ratio = statistics.median(many) / statistics.median(few)
    print(f"a turn with {options.flows} flows against one with 10: {ratio:.2f}")


if __name__ == "__main__":
    main()
