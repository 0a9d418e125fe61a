"""The order of a protocol dialogue: greeting, blocks, three topic switches, farewell."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from msgspec import Struct

from du_eval.errors import InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml
from du_eval.protocol.model import Protocol

GREETING, FAREWELL, TOPIC = "greeting", "farewell", "topic"
ORDER = (GREETING, "general", "open", "closed", "support", "emotion", TOPIC, FAREWELL)
SWITCHES, TRIES = 3, 3
_STATEMENTS = ("closed", "open")


class Utterance(Struct, frozen=True):
    """What the tester says, from which block, and the topic that it switches to."""

    text: str
    block: str
    topic: str = ""
    switch: int = 0
    """Which of the topic switches this belongs to; 0 for none."""


class ProtocolPlan(Struct, frozen=True):
    """One dialogue: the name of the tester and what is said, in order."""

    number: int
    name: str
    utterances: tuple[Utterance, ...]


def plan_protocol(
    protocol: Protocol, number: int, seed: int, order: Sequence[str] = ORDER, tries: int = TRIES
) -> ProtocolPlan:
    """Return the plan of one dialogue; each utterance of a block is used once, topic switches take turns."""
    random = Random(f"{seed}/{number}/protocol")
    name = random.choice(sorted(protocol.names))
    said: list[Utterance] = []
    for block in order:
        if block == GREETING:
            said.append(Utterance(random.choice(protocol.greetings).format(name=name), block))
        elif block == FAREWELL:
            said.append(Utterance(random.choice(protocol.farewells), block))
        elif block == TOPIC:
            said += _switches(protocol, number, seed, tries)
        else:
            texts = protocol.blocks[block]
            said += [Utterance(text, block) for text in random.sample(texts, len(texts))]
    return ProtocolPlan(number, name, tuple(_with_follow_ups(said, protocol, random)))


def _with_follow_ups(said: Sequence[Utterance], protocol: Protocol, random: Random) -> list[Utterance]:
    """Return the utterances, those that ask about a statement placed behind a question that brings one."""
    found = [one for one in said if one.text not in protocol.follow_ups]
    for one in said:
        if one.text in protocol.follow_ups:
            block = next((name for name in _STATEMENTS if any(other.block == name for other in found)), "")
            places = [place for place, other in enumerate(found) if other.block == block]
            found.insert(random.choice(places) + 1 if places else len(found), one)
    return found


def _switches(protocol: Protocol, number: int, seed: int, tries: int) -> list[Utterance]:
    """Return three switches of topic, each tried some times in different words.

    Topics and words take turns from dialogue to dialogue: two dialogues begin a switch with each of five
    wordings, and three go through seven topics.
    """
    random = Random(f"{seed}/protocol/topics")
    topics = random.sample(sorted(protocol.topics), len(protocol.topics))
    words = random.sample(protocol.blocks[TOPIC], len(protocol.blocks[TOPIC]))
    found: list[Utterance] = []
    for switch in range(SWITCHES):
        turn = number * SWITCHES + switch
        topic = topics[turn % len(topics)]
        chosen = [words[(turn + one) % len(words)] for one in range(min(tries, len(words)))]
        found += [Utterance(protocol.topic_text(text, topic), TOPIC, topic, switch + 1) for text in chosen]
    return found


def choose_order(plan: str | None, blocks: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the order of blocks; with a choice, only those, between greeting and farewell."""
    order = read_order(plan) if plan else ORDER
    unknown = [block for block in blocks if block not in ORDER]
    if unknown:
        raise InputError(f"unknown block {', '.join(unknown)} (choose from: {', '.join(ORDER)})")
    kept = {*blocks, GREETING, FAREWELL} if blocks else set(order)
    return tuple(block for block in order if block in kept)


def read_order(path: str) -> tuple[str, ...]:
    """Read the order of blocks from a plan file: `order: [greeting, open, ...]`."""
    root = parse_yaml(read_text_file(path), path).root
    order = tuple(root.get("order") or ()) if isinstance(root, dict) else ()
    unknown = [block for block in order if block not in ORDER]
    if not order or unknown:
        hint = f"order is a list of: {', '.join(ORDER)}"
        raise InputError(Problem(path, 1, f"not a usable order {unknown or ''}".strip(), hint))
    return order
