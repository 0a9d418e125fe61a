"""Fact files into facts: YAML in, all problems at once out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path

from du_eval.errors import InputError, Problem, did_you_mean
from du_eval.parsers.text_files import list_yaml_files, read_text_file
from du_eval.parsers.yaml_parser import YamlMap, parse_yaml
from du_eval.quality.facts.model import CATEGORIES, Fact, FactBook

LIST_KEYS = {"information", "yes", "no", "questions", "context", "accepted"}
_TEXTS = {"about", "from", "answer", "open", "plain", "competing", "update", "coreference"}
FACT_KEYS = LIST_KEYS | _TEXTS | {"id", "closed"}
DOCUMENT_KEYS = {"question": "questions", "QA": "open", "directed": "closed", "test": "category"}
"""Names of other documents for our keys."""
_MOST_DIGITS = 9
_PACKAGED = ("values", "qa", "co", "ia", "iq")


@cache
def load_packaged_facts(language: str = "en") -> FactBook:
    """Return the facts that come with du-eval, in a language."""
    book = FactBook((), language=language)
    for name in _PACKAGED:
        file = f"{name}.yml" if language == "en" else f"{name}_{language}.yml"
        text = files("du_eval.quality.facts.data").joinpath(file).read_text(encoding="utf-8")
        book = book.adding(read_facts(text, file))
    return book


def load_facts(paths: Iterable[str], *, with_packaged: bool = True, language: str = "en") -> FactBook:
    """Return the facts of files and folders, after the packaged ones of a language."""
    packaged = load_packaged_facts(language)
    book = packaged if with_packaged else FactBook((), packaged.pools, language)
    problems: list[Problem] = []
    for path in _files_of(paths):
        try:
            book = book.adding(read_facts(read_text_file(path), str(path)))
        except InputError as error:
            problems.extend(error.problems)
    if problems:
        raise InputError(problems)
    return book


def _files_of(paths: Iterable[str]) -> list[Path]:
    found: list[Path] = []
    for name in paths:
        path = Path(name)
        if path.is_dir():
            found.extend(list_yaml_files(path))
        else:
            found.append(path)
    return found


def read_facts(text: str, file: str) -> FactBook:
    """Return the facts of a file's text."""
    root = parse_yaml(text, file).root
    if not isinstance(root, YamlMap) or not ({"facts", "pools"} & set(root)):
        raise InputError(Problem(file, 1, "no facts here", "a file has `category` and `facts`, or `pools`"))
    problems: list[Problem] = []
    facts = []
    for entry in _listed(root, file, problems):
        if not isinstance(entry, YamlMap):
            problems.append(Problem(file, root.line, "a fact must be a mapping"))
            continue
        facts.append(_fact(entry, str(root.get("category", "")), file, problems))
    pools = _pools(root, file, problems)
    if problems:
        raise InputError(problems)
    return FactBook(tuple(facts), pools)


def _listed(root: YamlMap, file: str, problems: list[Problem]) -> list[object]:
    found = root.get("facts") or []
    if isinstance(found, list):
        return found
    problems.append(
        Problem(file, root.lines.get("facts", root.line), "`facts` is not a list", "begin each with a dash")
    )
    return []


def _pools(root: YamlMap, file: str, problems: list[Problem]) -> dict[str, tuple[str, ...]]:
    pools = root.get("pools") or YamlMap(root.line)
    if not isinstance(pools, YamlMap):
        hint = "write `name: [value, value, ...]`"
        problems.append(Problem(file, root.lines.get("pools", root.line), "`pools` is not a mapping", hint))
        return {}
    for name, values in pools.items():
        if not isinstance(values, list):
            hint = "write `name: [value, value, ...]`"
            problems.append(
                Problem(file, pools.lines.get(name, pools.line), f"the pool '{name}' is not a list", hint)
            )
    return {name: tuple(map(str, values)) for name, values in pools.items() if isinstance(values, list)}


def _fact(entry: YamlMap, category: str, file: str, problems: list[Problem]) -> Fact:
    data = {DOCUMENT_KEYS.get(key, key): value for key, value in entry.items()}
    category = str(data.pop("category", category))

    def say(message: str, hint: str = "") -> None:
        problems.append(Problem(file, entry.line, message, hint))

    if category not in CATEGORIES:
        say(f"the category '{category}' is unknown", f"choose from: {', '.join(CATEGORIES)}")
    for key in set(data) - FACT_KEYS:
        say(f"a fact has no '{key}'", did_you_mean(key, FACT_KEYS))
    number = _text(data, "id")
    has_number = number.isdecimal() and len(number) <= _MOST_DIGITS
    if not has_number:
        say("a fact needs a number as its id", f"at most {_MOST_DIGITS} digits")
    if not data.get("questions"):
        say("a fact needs questions")
    return Fact(
        id=int(number) if has_number else 0,
        category=category,
        about=_text(data, "about"),
        closed=_is_closed(data),
        pool=_text(data, "from"),
        answer=_answer(data),
        accepted=_texts(data, "accepted"),
        open=_text(data, "open"),
        information=_texts(data, "information"),
        yes=_texts(data, "yes"),
        no=_texts(data, "no"),
        questions=_texts(data, "questions"),
        context=_texts(data, "context"),
        plain=_text(data, "plain"),
        competing=_text(data, "competing"),
        update=_text(data, "update"),
        file=file,
        line=entry.line,
    )


def _is_closed(data: Mapping[str, object]) -> bool:
    return _text(data, "closed").casefold() in {"true", "yes"}


def _answer(data: Mapping[str, object]) -> str:
    text = _text(data, "answer")
    if _is_closed(data):
        return {"true": "yes", "false": "no"}.get(text.casefold(), text.casefold())
    return text


def _text(data: Mapping[str, object], key: str) -> str:
    value = data.get(key)
    return "" if value is None else str(value)


def _texts(data: Mapping[str, object], key: str) -> tuple[str, ...]:
    value = data.get(key)
    if value is None:
        return ()
    return tuple(map(str, value)) if isinstance(value, list) else (str(value),)


_SCALAR = {"type": ["string", "number", "boolean"]}
_WORDS = {
    "id": "A number, different for each fact.",
    "about": "What the fact is about, for readers.",
    "from": "The pool from which a value is drawn for each dialogue.",
    "closed": "Whether the questions are answered by yes or no.",
    "answer": "The answer, where no value is drawn.",
    "accepted": "Other answers that count as right.",
    "open": "The question whose answer is looked for in a reply.",
    "information": "Statements that tell the fact; {value} is what is drawn.",
    "yes": "Statements after which the answer is yes.",
    "no": "Statements after which the answer is no.",
    "questions": "The same question in different words.",
    "context": "What is said before, so that the questions are understood.",
    "plain": "The question as it would be without its context.",
    "competing": "A statement about somebody else with another value: {other}.",
    "update": "A statement that changes the fact: {new}.",
    "coreference": "How the statement refers to its context (pronoun, ellipsis); a note for readers.",
}


def make_facts_schema() -> dict[str, object]:
    """Return the JSON schema of a file with facts for the quality tests."""
    own = {name: _property(name) for name in sorted(FACT_KEYS)}
    document = {old: own.get(new, {"enum": list(CATEGORIES)}) for old, new in DOCUMENT_KEYS.items()}
    fact = {
        "type": "object",
        "properties": {**own, **document, "category": {"enum": list(CATEGORIES)}},
        "required": ["id"],
        "anyOf": [{"required": ["questions"]}, {"required": ["question"]}],
        "additionalProperties": False,
    }
    pools = {"type": "object", "additionalProperties": {"type": "array", "items": _SCALAR, "minItems": 1}}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "du-eval: facts for the quality tests",
        "type": "object",
        "properties": {
            "category": {"enum": list(CATEGORIES), "description": "The category of the file's facts."},
            "facts": {"type": "array", "items": {"$ref": "#/$defs/fact"}},
            "pools": {**pools, "description": "Named lists of values."},
        },
        "anyOf": [{"required": ["facts"]}, {"required": ["pools"]}],
        "$defs": {"fact": fact},
    }


def _property(name: str) -> dict[str, object]:
    told = {"description": _WORDS[name]}
    if name == "id":
        return {"type": ["integer", "string"], "pattern": "^[0-9]+$", **told}
    if name == "closed":
        return {"enum": [True, False, "true", "false", "yes", "no"], **told}
    if name in LIST_KEYS:
        return {"anyOf": [{"type": "array", "items": _SCALAR}, _SCALAR], **told}
    return {**_SCALAR, **told}
