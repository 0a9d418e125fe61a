"""The order of a protocol dialogue: greeting, blocks, three topic switches, farewell."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from du_eval.errors import InputError, Problem
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.quality.protocol.model import Protocol

GREETING, FAREWELL, TOPIC = "greeting", "farewell", "topic"
ORDER = (GREETING, "general", "open", "closed", "support", "emotion", TOPIC, FAREWELL)
SWITCHES = 3


@dataclass(frozen=True, slots=True)
class Utterance:
    """What the tester says, from which block, and the topic that it switches to."""

    text: str
    block: str
    topic: str = ""
    switch: int = 0
    """Which of the topic switches this belongs to; 0 for none."""


@dataclass(frozen=True)
class ProtocolPlan:
    """One dialogue: the name of the tester and what is said, in order."""

    number: int
    name: str
    utterances: tuple[Utterance, ...]


def plan_protocol(
    protocol: Protocol, number: int, seed: int, order: Sequence[str] = ORDER, tries: int = 3
) -> ProtocolPlan:
    """Return the plan of one dialogue; each utterance of each block is used once."""
    random = Random(f"{seed}/{number}/protocol")
    name = random.choice(sorted(protocol.names))
    said: list[Utterance] = []
    for block in order:
        if block == GREETING:
            said.append(Utterance(random.choice(protocol.greetings).format(name=name), block))
        elif block == FAREWELL:
            said.append(Utterance(random.choice(protocol.farewells), block))
        elif block == TOPIC:
            said += _switches(protocol, random, tries)
        else:
            texts = protocol.blocks[block]
            said += [Utterance(text, block) for text in random.sample(texts, len(texts))]
    return ProtocolPlan(number, name, tuple(said))


def _switches(protocol: Protocol, random: Random, tries: int) -> list[Utterance]:
    """Return three switches of topic, each tried some times in different words."""
    found: list[Utterance] = []
    for switch, topic in enumerate(random.sample(sorted(protocol.topics), SWITCHES), 1):
        words = random.sample(protocol.blocks[TOPIC], min(tries, len(protocol.blocks[TOPIC])))
        found += [Utterance(text.format(topic=topic), TOPIC, topic, switch) for text in words]
    return found


def read_order(path: str) -> tuple[str, ...]:
    """Read the order of blocks from a plan file: `order: [greeting, open, ...]`."""
    try:
        root = parse_yaml(Path(path).read_text(encoding="utf-8-sig"), path).root
    except OSError as error:
        raise InputError(f"the plan {path} cannot be read: {error}") from error
    order = tuple(root.get("order") or ()) if isinstance(root, dict) else ()
    unknown = [block for block in order if block not in ORDER]
    if not order or unknown:
        hint = f"order is a list of: {', '.join(ORDER)}"
        raise InputError(Problem(path, 1, f"no usable order {unknown or ''}".strip(), hint))
    return order
