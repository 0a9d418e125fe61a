"""The persona protocol as data: blocks of utterances, topics, persona facts and words, by language."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from du_eval.errors import InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml

LANGUAGES = ("en", "ru")
_BLOCKS = ("open", "closed", "general", "support", "emotion", "topic")
_LISTS = ("greetings", "farewells", "hello_words", "bye_words", "positive", "negative")
_SWITCHES = 3
_KEYS = (
    "names", "greetings", "farewells", "hello_words", "bye_words", "blocks", "polarity",
    "positive", "negative", "topics", "persona",
)  # fmt: skip


class Criterion(StrEnum):
    """What the protocol measures."""

    NAME = "user_name_retention"
    HELLO_BYE = "hello_bye"
    REPEATING = "repeating"
    OPEN = "open_ended"
    CLOSED = "closed_ended"
    DIALOG = "dialog_supporting"
    EMOTION = "emotion_supporting"
    TOPIC = "topic_switch_trying"


class OpenFact(Struct, frozen=True):
    """What an answer to an open persona question may be about, and what would contradict the persona."""

    topic: tuple[str, ...]
    says: str = ""
    contradicts: tuple[str, ...] = ()


class Protocol(Struct, frozen=True):
    """Everything that is said in one language, and by which words replies are read."""

    language: str
    names: Mapping[str, tuple[str, ...]]
    greetings: tuple[str, ...]
    farewells: tuple[str, ...]
    hello_words: tuple[str, ...]
    bye_words: tuple[str, ...]
    blocks: Mapping[str, tuple[str, ...]]
    polarity: Mapping[str, str]
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    topics: Mapping[str, tuple[str, ...]]
    closed: Mapping[str, str]
    open: Mapping[str, OpenFact]
    neither_words: tuple[str, ...] = ()
    """By which a reply that is neither yes nor no is known to say so."""
    follow_ups: tuple[str, ...] = ()
    """Utterances that need a statement of the bot before them."""
    answers: Mapping[str, str] = field(default_factory=lambda: {"yes": "Yes", "no": "No"})
    """The words of a plain yes and no."""
    topic_forms: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Other forms of a topic by name, such as its accusative; a topic without one stays as it is."""

    def topic_text(self, template: str, topic: str) -> str:
        """Return an utterance about a topic: `{topic}`, or the name of a form, is where it goes."""
        named = {name for forms in self.topic_forms.values() for name in forms}
        forms = {**dict.fromkeys(named, topic), **self.topic_forms.get(topic, {})}
        return template.format(**{**forms, "topic": topic})


def load_protocol(language_or_file: str) -> Protocol:
    """Return the protocol of a language that we ship, or of a file."""
    text = protocol_text_of(language_or_file)
    name = f"{language_or_file}.yml" if language_or_file in LANGUAGES else language_or_file
    return _protocol(parse_yaml(text, name).root, name)


def protocol_text_of(language_or_file: str) -> str:
    """Return the file of a language as it is written."""
    path = Path(language_or_file)
    if language_or_file in LANGUAGES:
        data = files("du_eval.protocol.data")
        return data.joinpath(f"{language_or_file}.yml").read_text(encoding="utf-8")
    if not path.is_file():
        known = ", ".join(LANGUAGES)
        raise InputError(
            f"there is no protocol for '{language_or_file}' (choose from {known}; a file is a language too)"
        )
    return read_text_file(path)


def _protocol(root: object, file: str) -> Protocol:
    data = root if isinstance(root, dict) else {}
    problems = [Problem(file, 1, f"'{key}' is missing") for key in _KEYS if not data.get(key)]
    blocks = data.get("blocks")
    blocks = blocks if isinstance(blocks, dict) else {}
    problems += [
        Problem(file, 1, f"the block '{name}' is missing") for name in _BLOCKS if not blocks.get(name)
    ]
    problems = problems or [Problem(file, 1, text) for text in _mistakes(data)]
    if problems:
        raise InputError(problems)
    persona = data["persona"]
    return Protocol(
        language=str(data.get("language", file)),
        names={name: tuple(forms) for name, forms in data["names"].items()},
        **{key: tuple(data[key]) for key in ("greetings", "farewells", "hello_words", "bye_words")},
        blocks={name: tuple(blocks[name]) for name in _BLOCKS},
        polarity=dict(data["polarity"]),
        positive=tuple(data["positive"]),
        negative=tuple(data["negative"]),
        topics={name: tuple(words) for name, words in data["topics"].items()},
        closed=dict(persona.get("closed") or {}),
        open={question: _open(fact) for question, fact in (persona.get("open") or {}).items()},
        neither_words=tuple(data.get("neither_words") or ()),
        follow_ups=tuple(data.get("follow_ups") or ()),
        answers={"yes": "Yes", "no": "No", **(data.get("answers") or {})},
        topic_forms=dict(data.get("topic_forms") or {}),
    )


def _mistakes(data: Mapping[str, object]) -> Iterator[str]:
    """Yield what would make a protocol useless, although everything is there."""
    wrong = list(_no_lists(data))
    yield from wrong
    if not wrong:
        yield from _no_use(data)


def _no_lists(data: Mapping[str, Any]) -> Iterator[str]:
    lists = {key: data[key] for key in _LISTS} | {f"blocks.{name}": data["blocks"][name] for name in _BLOCKS}
    for group in ("names", "topics"):
        parts = data[group] if isinstance(data[group], dict) else {"": None}
        lists |= {f"{group}.{name}": words for name, words in parts.items()}
    for key, value in lists.items():
        if not isinstance(value, list) or not all(isinstance(text, str) for text in value):
            yield f"'{key}' must be a list of texts"
    for group in ("polarity", "persona"):
        if not isinstance(data[group], dict):
            yield f"'{group}' must be a mapping"
    yield from _no_forms(data)


def _no_forms(data: Mapping[str, object]) -> Iterator[str]:
    """Yield what has another form than a list of texts or a mapping, among what may be left out."""
    for key in ("neither_words", "follow_ups"):
        if not isinstance(data.get(key) or [], list):
            yield f"'{key}' must be a list of texts"
    if not isinstance(data.get("answers") or {}, dict):
        yield "'answers' must have the words for yes and no"
    forms = data.get("topic_forms") or {}
    if not isinstance(forms, dict) or not all(isinstance(one, dict) for one in forms.values()):
        yield "'topic_forms' must hold the forms of each topic by name"
    persona = data["persona"] if isinstance(data["persona"], dict) else {}
    for block in ("open", "closed"):
        if not isinstance(persona.get(block) or {}, dict):
            yield f"'persona.{block}' must be a mapping"
    facts = persona.get("open") or {}
    if isinstance(facts, dict) and not all(map(_is_fact, facts.values())):
        yield "each of 'persona.open' must have lists of texts: topic, says, contradicts"


def _is_fact(data: object) -> bool:
    if not isinstance(data, dict):
        return False
    return all(isinstance(data.get(key) or [], list) for key in ("topic", "contradicts"))


def _no_use(data: Mapping[str, Any]) -> Iterator[str]:
    if len(data["topics"]) < _SWITCHES:
        yield f"'topics' needs at least {_SWITCHES} topics, one for each switch"
    for text in (text for text in data["greetings"] if "{name}" not in text):
        yield f"the greeting '{text}' does not contain {{name}}"
    forms = {name for forms in (data.get("topic_forms") or {}).values() for name in forms}
    for text in data["blocks"]["topic"]:
        if not any(f"{{{name}}}" in text for name in {"topic", *forms}):
            yield f"the topic switch '{text}' does not contain {{topic}}"
    for text, polarity in data["polarity"].items():
        if polarity not in ("positive", "negative"):  # it may be a list, which no set can hold
            yield f"the polarity of '{text}' is positive or negative, not '{polarity}'"
    for block in ("open", "closed"):
        for text in data["persona"].get(block) or ():
            if text not in data["blocks"][block]:
                yield f"persona.{block} answers '{text}', which is not in blocks.{block}"


def _open(data: Mapping[str, Any]) -> OpenFact:
    return OpenFact(
        tuple(data.get("topic") or ()), str(data.get("says", "")), tuple(data.get("contradicts") or ())
    )
