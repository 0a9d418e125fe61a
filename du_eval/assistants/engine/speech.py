"""What the bot says: the wording of a response that fits the slots."""

from __future__ import annotations

from collections.abc import Mapping

from du_eval.assistants.conditions import Scope, holds
from du_eval.assistants.engine.events import BotMessage
from du_eval.assistants.expressions import fill_response
from du_eval.assistants.model import Button, Response, ResponseVariation


def speak_response(response: Response, scope: Scope) -> BotMessage:
    """Return a response as it is said now; of several wordings the first that fits."""
    fitting = [
        variation
        for variation in response.variations
        if _is_conditional(variation) and _fits(variation, scope)
    ]
    fitting = fitting or [variation for variation in response.variations if not _is_conditional(variation)]
    texts = tuple(_text(variation, scope) for variation in fitting)
    buttons = tuple(_button(button, scope) for button in fitting[0].buttons) if fitting else ()
    return BotMessage(texts[0] if texts else "", response.name, buttons=buttons, wordings=texts)


def _is_conditional(variation: ResponseVariation) -> bool:
    return bool(variation.conditions or variation.predicate)


def _fits(variation: ResponseVariation, scope: Scope) -> bool:
    if variation.predicate and not holds(variation.predicate, scope):
        return False
    return all(_is_value(scope.slots, name, value) for name, value in variation.conditions)


def _is_value(slots: Mapping[str, object], name: str, value: object) -> bool:
    return bool(slots.get(name) == value)


def _text(variation: ResponseVariation, scope: Scope) -> str:
    return fill_response(variation.text, scope.slots, scope.context)


def _button(button: Button, scope: Scope) -> Button:
    return Button(
        fill_response(button.title, scope.slots, scope.context),
        fill_response(button.payload, scope.slots, scope.context),
    )


def make_message(data: Mapping[str, object], responses: Mapping[str, Response], scope: Scope) -> BotMessage:
    """Return a message that an action sends: a named response, or a text of its own."""
    name = data.get("response") or data.get("utter_name")
    if isinstance(name, str) and name in responses:
        extra = {key: value for key, value in data.items() if key not in {"response", "buttons"}}
        return speak_response(responses[name], Scope({**scope.slots, **extra}, scope.context))
    text = str(data.get("text") or data.get("template") or "")
    return BotMessage(
        text, str(name) if name else None, buttons=_buttons(data.get("buttons")), wordings=(text,)
    )


def _buttons(items: object) -> tuple[Button, ...]:
    if not isinstance(items, list | tuple):
        return ()
    found = [item for item in items if isinstance(item, Mapping)]
    return tuple(
        Button(str(item.get("title", "")), str(item.get("payload", item.get("title", "")))) for item in found
    )
