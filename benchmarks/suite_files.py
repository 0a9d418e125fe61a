"""Generated suites and recorded predictions of any size, the same for the same seed."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TextIO

FLOWS = ("send_money", "add_contact", "book_table", "check_balance", "order_card", "change_address")
SLOTS = ("amount", "recipient", "date", "city", "note", "confirmed")
WORDS = (
    "please",
    "could you",
    "send some",
    "money",
    "to",
    "my friend",
    "in the",
    "city",
    "before friday",
    "yes",
)
CASES_PER_FILE = 20
STEPS_PER_CASE = 8


def write_suite(folder: Path, cases: int, seed: int = 0) -> Path:
    """Write a suite of so many cases with eight user steps each; return the file with predictions for it."""
    random_source = random.Random(seed)
    folder.mkdir(parents=True, exist_ok=True)
    predictions = folder / "predictions.jsonl"
    with predictions.open("w", encoding="utf-8") as records:
        for number in range(0, cases, CASES_PER_FILE):
            file = folder / f"suite_{number // CASES_PER_FILE:05}.yml"
            lines = ["test_cases:"]
            for case in range(number, min(number + CASES_PER_FILE, cases)):
                lines += _case(case, file.name, random_source, records)
            file.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return predictions


def _case(number: int, file: str, random_source: random.Random, records: TextIO) -> list[str]:
    name = f"case_{number:06}"
    lines = [f"  - test_case: {name}", "    steps:"]
    for step in range(1, STEPS_PER_CASE + 1):
        text = " ".join(random_source.choices(WORDS, k=random_source.randint(1, 12)))
        commands = [_command(random_source) for _ in range(random_source.choice((1, 1, 1, 2, 3)))]
        lines += [f"      - user: {text}", "        commands:"]
        lines += [f"          - {command}" for command in commands]
        lines.append(f"      - utter: utter_ask_{random_source.choice(SLOTS)}")
        if random_source.random() < 0.1:
            commands = [_command(random_source)]
        record = {"test_case": name, "file": file, "step": step, "text": "\n".join(commands)}
        records.write(json.dumps(record) + "\n")
    return lines


def _command(random_source: random.Random) -> str:
    if random_source.random() < 0.3:
        return f"StartFlow({random_source.choice(FLOWS)})"
    return f"SetSlot({random_source.choice(SLOTS)}, {random_source.randint(1, 500)})"
