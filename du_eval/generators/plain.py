"""Predictions as plain data, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from msgspec.structs import fields

from du_eval.commands.base import Command
from du_eval.errors import GeneratorError
from du_eval.generators.base import CommandLike, Prediction, Prompt

_PROMPT_FIELDS = tuple(field.name for field in fields(Prompt))


def plain(prediction: Prediction) -> dict[str, Any]:
    """Return a prediction as data that JSON can hold; what is empty is left out."""
    data: dict[str, Any] = {
        "text": prediction.text,
        "commands": None if prediction.commands is None else _plain_commands(prediction.commands),
        "components": {name: _plain_part(part) for name, part in prediction.components.items()} or None,
        "prompts": [_plain_prompt(prompt) for prompt in prediction.prompts] or None,
        "latency_seconds": prediction.latency_seconds,
        "latencies": dict(prediction.latencies) or None,
        "reasoning": prediction.reasoning or None,
        "finish": prediction.finish or None,
        "refusal": prediction.refusal or None,
    }
    return {key: value for key, value in data.items() if value is not None}


def prediction_from(data: Mapping[str, Any]) -> Prediction:
    """Return the prediction of plain data; commands stay data until they are judged.

    Data of another form, as a damaged journal holds them, raise GeneratorError.
    """
    wrong = [name for name, value in data.items() if value is not None and not _is_sound(name, value)]
    if wrong:
        raise GeneratorError(f"the kept answer is damaged: {', '.join(sorted(wrong))}")
    commands = data.get("commands")
    return Prediction(
        text=data.get("text"),
        commands=None if commands is None else tuple(commands),
        components={name: _part(part) for name, part in (data.get("components") or {}).items()},
        prompts=tuple(Prompt(**prompt) for prompt in data.get("prompts") or ()),
        latency_seconds=data.get("latency_seconds"),
        latencies=data.get("latencies") or {},
        reasoning=data.get("reasoning") or "",
        finish=data.get("finish") or "",
        refusal=data.get("refusal") or "",
    )


def _is_sound(name: str, value: object) -> bool:
    """Tell whether a part of a kept prediction has the form that it was written in."""
    if name in {"text", "reasoning", "finish", "refusal"}:
        return isinstance(value, str)
    if name == "latency_seconds":
        return isinstance(value, int | float)
    if name == "commands":
        return isinstance(value, list | tuple) and all(isinstance(one, str | Mapping) for one in value)
    if name == "components":
        parts = value.values() if isinstance(value, Mapping) else (None,)
        return all(isinstance(part, str) or _is_sound("commands", part) for part in parts)
    if name == "latencies":
        return isinstance(value, Mapping) and all(isinstance(one, int | float) for one in value.values())
    return name != "prompts" or (isinstance(value, list | tuple) and all(map(_is_prompt, value)))


def _is_prompt(value: object) -> bool:
    return isinstance(value, Mapping) and "name" in value and set(value) <= set(_PROMPT_FIELDS)


def _plain_part(part: str | tuple[CommandLike, ...]) -> object:
    return part if isinstance(part, str) else _plain_commands(part)


def _plain_commands(commands: Sequence[CommandLike]) -> list[Any]:
    return [
        command.as_dict()
        if isinstance(command, Command)
        else dict(command)
        if isinstance(command, Mapping)
        else command
        for command in commands
    ]


def _plain_prompt(prompt: Prompt) -> dict[str, Any]:
    values = {key: getattr(prompt, key) for key in _PROMPT_FIELDS}
    return {key: value for key, value in values.items() if value not in (None, "", 0, False)} | {
        "name": prompt.name
    }


def _part(part: Any) -> str | tuple[CommandLike, ...]:
    return part if isinstance(part, str) else tuple(part)
