"""The persona protocol as data: blocks of utterances, topics, persona facts and words, by language."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum
from importlib.resources import files
from pathlib import Path
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, ValidationError, model_validator

from du_eval.errors import InputError, Problem
from du_eval.parsers.text_files import read_text_file
from du_eval.parsers.yaml_parser import parse_yaml

LANGUAGES = ("en", "ru")
_BLOCKS = ("open", "closed", "general", "support", "emotion", "topic")
_SWITCHES = 3
_PLAIN = {"yes": "Yes", "no": "No"}


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


Texts = tuple[str, ...]


class _Read(BaseModel):
    """A part of a protocol as it stands in its file; what is empty there is not there."""

    model_config = ConfigDict(frozen=True)

    @model_validator(mode="before")
    @classmethod
    def _leave_out_empty(cls, data: object) -> object:
        return {key: value for key, value in data.items() if value} if isinstance(data, dict) else data


class OpenFact(_Read):
    """What an answer to an open persona question may be about, and what would contradict the persona."""

    topic: Texts = ()
    says: str = ""
    contradicts: Texts = ()


class Persona(_Read):
    """The answers of the persona: to closed questions, and what is known of those to open ones."""

    closed: dict[str, str] = {}
    open: dict[str, OpenFact] = {}


class Protocol(_Read):
    """Everything that is said in one language, and by which words replies are read."""

    language: str
    names: dict[str, Texts]
    greetings: Texts
    farewells: Texts
    hello_words: Texts
    bye_words: Texts
    blocks: dict[str, Texts]
    polarity: dict[str, str]
    positive: Texts
    negative: Texts
    topics: dict[str, Texts]
    persona: Persona
    neither_words: Texts = ()
    """By which a reply that is neither yes nor no is known to say so."""
    follow_ups: Texts = ()
    """Utterances that need a statement of the bot before them."""
    answers: Annotated[dict[str, str], AfterValidator(lambda given: {**_PLAIN, **given})] = _PLAIN
    """The words of a plain yes and no."""
    topic_forms: dict[str, dict[str, str]] = {}
    """Other forms of a topic by name, such as its accusative; a topic without one stays as it is."""

    def topic_text(self, template: str, topic: str) -> str:
        """Return an utterance about a topic: `{topic}`, or the name of a form, is where it goes."""
        named = {name for forms in self.topic_forms.values() for name in forms}
        forms = {**dict.fromkeys(named, topic), **self.topic_forms.get(topic, {})}
        return template.format(**{**forms, "topic": topic})


def load_protocol(language_or_file: str) -> Protocol:
    """Return the protocol of a language that we ship, or of a file."""
    text = read_protocol_text(language_or_file)
    file = f"{language_or_file}.yml" if language_or_file in LANGUAGES else language_or_file
    root = parse_yaml(text, file).root
    try:
        found = Protocol.model_validate({"language": file, **(root if isinstance(root, dict) else {})})
    except ValidationError as error:
        told = dict.fromkeys(_tell(one["type"], one["loc"]) for one in error.errors(include_url=False))
        raise InputError([Problem(file, 1, text) for text in told]) from error
    if problems := [Problem(file, 1, text) for text in _list_mistakes(found)]:
        raise InputError(problems)
    return found


def _tell(kind: str, place: tuple[str | int, ...]) -> str:
    """Return in words what is wrong with the form of a part."""
    name = ".".join(part for part in place if isinstance(part, str))
    if kind == "missing":
        return f"'{name}' is missing"
    if kind in {"dict_type", "model_type"}:
        return f"'{name}' must be a mapping"
    return f"'{name}' must be a {'list of strings' if kind == 'tuple_type' else 'string'}"


def read_protocol_text(language_or_file: str) -> str:
    """Return the file of a language as it is written."""
    path = Path(language_or_file)
    if language_or_file in LANGUAGES:
        data = files("du_eval.protocol.data")
        return data.joinpath(f"{language_or_file}.yml").read_text(encoding="utf-8")
    if not path.is_file():
        known = ", ".join(LANGUAGES)
        raise InputError(
            f"unknown language '{language_or_file}' (choose from {known}, or name a language file)"
        )
    return read_text_file(path)


def _list_mistakes(protocol: Protocol) -> Iterator[str]:
    """Yield what would make a protocol useless, although everything is there."""
    yield from (f"the block '{name}' is missing" for name in _BLOCKS if not protocol.blocks.get(name))
    if len(protocol.topics) < _SWITCHES:
        yield f"'topics' needs at least {_SWITCHES} topics, one for each switch"
    for text in (text for text in protocol.greetings if "{name}" not in text):
        yield f"the greeting '{text}' does not contain {{name}}"
    forms = {name for forms in protocol.topic_forms.values() for name in forms}
    for text in protocol.blocks.get("topic", ()):
        if not any(f"{{{name}}}" in text for name in {"topic", *forms}):
            yield f"the topic switch '{text}' does not contain {{topic}}"
    for text, polarity in protocol.polarity.items():
        if polarity not in {"positive", "negative"}:
            yield f"the polarity of '{text}' is positive or negative, not '{polarity}'"
    for block in ("open", "closed"):
        for text in getattr(protocol.persona, block):
            if text not in protocol.blocks.get(block, ()):
                yield f"persona.{block} answers '{text}', which is not in blocks.{block}"
