"""`--engine` and `--workers`: whoever does the work, the results are the same to the last digit, and in order."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.calling import Answer, Caller

WORDS = [
    "where",
    "is",
    "my",
    "pizza",
    "it",
    "has",
    "left",
    "the",
    "kitchen",
    "yes",
    "no",
    "thanks",
    "do",
    "you",
    "like",
    "boats",
    "and",
    "trains",
]
WAYS = {
    "pool": ("--workers", "2"),
    "ray": ("--engine", "ray", "--workers", "2"),
}


@pytest.fixture
def call(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[..., Answer]:
    monkeypatch.chdir(tmp_path)
    return Caller(capsys)


def say(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=chance.randint(2, 9)))


def write_talks(count: int) -> None:
    chance = random.Random(1)
    with Path("conversations.jsonl").open("w", encoding="utf-8") as file:
        for number in range(count):
            said = [
                {
                    "prompt": say(chance),
                    "reply": say(chance),
                    "outcome": chance.choice(["answered"] * 9 + ["error"]),
                }
                for _ in range(3)
            ]
            file.write(json.dumps({"number": number, "name": "", "exchanges": said, "facts": {}}) + "\n")


def kept(name: str) -> dict[str, object]:
    """Return a kept run without what differs from run to run."""
    data = json.loads(Path(name, "run.json").read_text(encoding="utf-8"))
    data["head"] = {key: data["head"][key] for key in ("kind", "subject", "signature") if key in data["head"]}
    return data


@pytest.mark.parametrize("way", WAYS)
def test_assessed_conversations_are_the_same_whoever_assesses_them(call, way):
    write_talks(450)
    for name, options in {"here": ("--workers", "1"), way: WAYS[way]}.items():
        answer = call("quality", "assess", "conversations.jsonl", "--folder", name, *options)
        assert answer.code in {0, 3}, answer.err
    assert kept(way) == kept("here")
    assert len(kept("here")["cases"]) == 450


@pytest.mark.parametrize("way", ["pool"])
def test_metrics_are_the_same_whoever_computes_them(call, way):
    chance = random.Random(2)
    for name in ("a.txt", "b.txt", "target.txt", "source.txt"):
        Path(name).write_text("".join(say(chance) + "\n" for _ in range(300)), encoding="utf-8")
    inputs = ("a.txt", "b.txt", "--target", "target.txt", "--source", "source.txt", "--baseline", "a.txt")
    found = []
    for options in (("--workers", "1"), WAYS[way]):
        answer = call("metrics", *inputs, "--json", *options)
        assert answer.code == 0, answer.err
        data = json.loads(answer.out)
        found.append([data["figures"], data["cases"], data["extra"]])
    assert found[0] == found[1]


def test_an_address_without_ray_is_refused(call):
    answer = call("metrics", "a.txt", "--ray-address", "auto")
    assert answer.code == 2
    assert "--ray-address needs --engine ray" in answer.err
