"""Messages with their intents into a suite: each intent a flow that is known by its name alone."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from du_eval.commands.flows import CannotHandle, ChitChat, SearchAndReply, StartFlow
from du_eval.conversion.json_items import stream_items
from du_eval.conversion.service_schema import spell_words
from du_eval.conversion.suite_folder import (
    Alternatives,
    CaseFiles,
    Converted,
    claim_folder,
    make_talking_flow,
    make_talking_patterns,
    render_user,
    write_yaml,
)
from du_eval.errors import InputError, Problem
from du_eval.parsers.inputs import text_lines

_TEXTS = ("text", "utterance", "sentence", "query", "message")
_LABELS = ("intent", "label", "category", "label_text")
_TABLES = {".csv": ",", ".tsv": "\t"}


def convert_intents(source: Path, folder: Path, out_of_scope: str = "oos") -> Converted:
    """Write labelled messages as cases of one step, and their intents as flows."""
    rows = read_rows(source)
    first = next(rows, None)
    if first is None:
        raise InputError(Problem(str(source), 0, "there are no messages here"))
    claim_folder(folder)
    cases = CaseFiles(folder / "tests", source.stem)
    flows: dict[str, str] = {}
    for number, (text, label) in enumerate((first, *rows), start=1):
        if label != out_of_scope:
            flows[label] = re.sub(r"\W+", "_", label)
        cases.add(f"{number:05}", [render_user(text, _expected(flows.get(label)))])
    cases.close()
    _write_assistant(folder, flows)
    return Converted(cases.cases, cases.steps, cases.files)


def _expected(flow: str | None) -> Alternatives:
    """Return what is right: to start the flow or, out of scope, to start none."""
    if flow is not None:
        return [[StartFlow(flow).to_dsl()]]
    return [[], *([command.to_dsl()] for command in (CannotHandle(), ChitChat(), SearchAndReply()))]


def _write_assistant(folder: Path, flows: Mapping[str, str]) -> None:
    named = {
        flow: make_talking_flow(words := spell_words(label), words) for label, flow in sorted(flows.items())
    }
    write_yaml(folder / "data" / "flows.yml", {"flows": named})
    write_yaml(folder / "data" / "patterns.yml", {"flows": make_talking_patterns()})
    write_yaml(folder / "domain.yml", {"responses": {"utter_hello": [{"text": "Hello!"}]}})
    write_yaml(folder / "du-eval.yaml", {"additional_commands": ["CannotHandle"]})


def read_rows(source: Path) -> Iterator[tuple[str, str]]:
    """Yield text and intent of each row."""
    if source.suffix in _TABLES:
        yield from _table_rows(source)
        return
    for number, item in enumerate(stream_items(source), start=1):
        found = _pair(item)
        if found is None:
            message = f"item {number} is not a message with its intent"
            hint = f"write [text, intent], or keys such as {_TEXTS[0]} and {_LABELS[0]}"
            raise InputError(Problem(str(source), 0, message, hint))
        yield found


def _pair(item: object) -> tuple[str, str] | None:
    if isinstance(item, Mapping):
        text, label = _column(item, _TEXTS), _column(item, _LABELS)
        item = (item[text], item[label]) if text and label else ()
    if not isinstance(item, Sequence) or len(item) != 2 or not all(isinstance(part, str) for part in item):
        return None
    return item[0], item[1]


def _column(row: Mapping[str, object], names: Sequence[str]) -> str | None:
    return next((name for name in names if isinstance(row.get(name), str)), None)


def _table_rows(source: Path) -> Iterator[tuple[str, str]]:
    try:
        rows = csv.DictReader(text_lines(str(source)), delimiter=_TABLES[source.suffix])
        known = dict.fromkeys(rows.fieldnames or (), "")
        text, label = _column(known, _TEXTS), _column(known, _LABELS)
        if text is None or label is None:
            message = f"no columns for text and intent; found: {', '.join(known) or 'none'}"
            hint = f"name them, such as {_TEXTS[0]} and {_LABELS[0]}"
            raise InputError(Problem(str(source), 1, message, hint))
        for row in rows:
            if row[text] is not None and row[label]:
                yield row[text], row[label]
    except csv.Error as error:
        raise InputError(Problem(str(source), 0, f"cannot be read: {error}", "save it as CSV")) from error
