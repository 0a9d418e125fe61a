"""The names of `rasa_sdk` that simple custom actions use, for machines on which it is not installed."""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType
from typing import Any

from du_eval.assistants.actions import ActionCall

_STAND_IN = "a stand-in of du-eval; install rasa-sdk for all of its names"


class SdkDispatcher:
    """Collects what an action says."""

    def __init__(self) -> None:
        self.messages: list[dict[str, object]] = []

    def utter_message(
        self, text: str | None = None, *, response: str | None = None, **details: object
    ) -> None:
        """Say a text, or a response of the domain."""
        given: dict[str, object] = {"text": text, "response": response, **details}
        self.messages.append({key: value for key, value in given.items() if value is not None})


class SdkTracker:
    """Shows an action the dialogue."""

    def __init__(self, state: Mapping[str, Any]) -> None:
        self.sender_id = state["sender_id"]
        self.slots: dict[str, object] = state["slots"]
        self.latest_message: dict[str, Any] = state["latest_message"]
        self.events: list[dict[str, Any]] = state["events"]
        self.latest_action_name: str | None = state["latest_action_name"]
        self.active_loop: dict[str, Any] = {}
        self.followup_action: str | None = None
        self.stack: list[dict[str, Any]] = []
        self.active_flow: str | None = state.get("active_flow")

    def get_slot(self, key: str) -> Any:
        """Return the value of a slot, or None."""
        return self.slots.get(key)

    def current_slot_values(self) -> dict[str, object]:
        """Return all slots."""
        return dict(self.slots)

    def get_latest_entity_values(self, entity_type: str, *_: object, **__: object) -> Iterator[Any]:
        """Yield the values of an entity in the last message; there is no extractor, so mostly nothing."""
        found = self.latest_message.get("entities", ())
        return (entity.get("value") for entity in found if entity.get("entity") == entity_type)

    def get_intent_of_latest_message(self, **_: object) -> str | None:
        """Return the intent of the last message, or None."""
        return (self.latest_message.get("intent") or {}).get("name")

    def get_latest_input_channel(self) -> str | None:
        """Return where the last message came from."""
        return None


class SdkAction:
    """The base of custom actions."""

    def name(self) -> str:
        """Return the name by which flows call the action."""
        raise NotImplementedError("An action must implement a name")

    def run(self, dispatcher: object, tracker: object, domain: object) -> Any:
        """Do it."""
        raise NotImplementedError("An action must implement its run method")


class SdkRejectionError(Exception):
    """Raised by an action that does not want to run."""


def write_tracker(call: ActionCall) -> dict[str, Any]:
    """Return the dialogue as action servers get it."""
    message = {"text": call.message, "intent": {}, "entities": [], "metadata": dict(call.metadata)}
    return {
        "sender_id": call.sender,
        "slots": dict(call.slots),
        "latest_message": message,
        "latest_event_time": 0,
        "followup_action": None,
        "paused": False,
        "events": [{"event": str(turn.speaker), "text": turn.text, "timestamp": 0} for turn in call.history],
        "latest_input_channel": "du-eval",
        "active_loop": {},
        "latest_action": {"action_name": "action_listen"},
        "latest_action_name": "action_listen",
        "active_flow": call.active_flow,
    }


def provide_sdk() -> None:
    """Make `rasa_sdk` importable, and what actions take from `rasa` itself: installed ones, or stand-ins."""
    if not _is_installed("rasa_sdk"):
        _stand_in(_list_sdk_modules())
    if not _is_installed("rasa"):
        _stand_in(
            {
                "rasa": {"__path__": []},
                "rasa.nlu": {"__path__": []},
                "rasa.nlu.utils": {"write_json_to_file": _write_json},
                "rasa.shared": {"__path__": []},
                "rasa.shared.utils": {"__path__": []},
                "rasa.shared.utils.io": {"read_json_file": _read_json},
            }
        )


def _is_installed(name: str) -> bool:
    """Tell whether a package is there as files; what only stands for it has none."""
    spec = importlib.util.find_spec(name)
    return spec is not None and (spec.origin is not None or bool(spec.submodule_search_locations))


def _read_json(filename: str | Path, encoding: str = "utf-8") -> Any:
    return json.loads(Path(filename).read_text(encoding))


def _write_json(filename: str | Path, obj: object, **options: Any) -> None:
    Path(filename).write_text(json.dumps(obj, **options), "utf-8")


def _list_sdk_modules() -> dict[str, dict[str, object]]:
    names = {"Action": SdkAction, "Tracker": SdkTracker}
    rejection = {"ActionExecutionRejection": SdkRejectionError}
    return {
        "rasa_sdk": {**names, "__path__": []},
        "rasa_sdk.interfaces": {**names, **rejection},
        "rasa_sdk.executor": {"CollectingDispatcher": SdkDispatcher},
        "rasa_sdk.events": {**_EVENTS, "EventType": dict[str, Any]},
        "rasa_sdk.types": {"DomainDict": dict[str, Any], "TrackerState": dict[str, Any]},
    }


def _stand_in(modules: Mapping[str, Mapping[str, object]]) -> None:
    for name, members in modules.items():
        module = sys.modules.get(name) or ModuleType(name, _STAND_IN)
        vars(module).update(members)
        module.__spec__ = module.__spec__ or ModuleSpec(
            name, None
        )  # whoever looks for the package finds that nothing loads it
        sys.modules[name] = module
        parent, _, child = name.rpartition(".")
        if parent:
            setattr(sys.modules[parent], child, module)


def make_dialogue(call: ActionCall) -> tuple[Any, Any]:
    """Return a dispatcher and a tracker for an action, those of the installed SDK where there is one."""
    state = write_tracker(call)
    installed = sys.modules.get("rasa_sdk")
    if installed is None or installed.__doc__ == _STAND_IN:
        return SdkDispatcher(), SdkTracker(state)
    tracker = import_module("rasa_sdk").Tracker.from_dict(state)
    tracker.active_flow = call.active_flow
    return import_module("rasa_sdk.executor").CollectingDispatcher(), tracker


def find_action_base() -> Any:
    """Return the class from which actions derive."""
    return getattr(sys.modules.get("rasa_sdk"), "Action", SdkAction)


def _plain(kind: str) -> Any:
    return lambda timestamp=None: {"event": kind, "timestamp": timestamp}


def _named(kind: str) -> Any:
    return lambda name, timestamp=None: {"event": kind, "name": name, "timestamp": timestamp}


_EVENTS: dict[str, object] = {
    "SlotSet": lambda key, value=None, timestamp=None: {
        "event": "slot",
        "name": key,
        "value": value,
        "timestamp": timestamp,
    },
    "BotUttered": lambda text=None, data=None, metadata=None, timestamp=None: {
        "event": "bot",
        "text": text,
        "data": data,
        "metadata": metadata or {},
        "timestamp": timestamp,
    },
    "UserUttered": lambda text=None, parse_data=None, timestamp=None, input_channel=None: {
        "event": "user",
        "text": text,
        "parse_data": parse_data,
        "timestamp": timestamp,
        "input_channel": input_channel,
    },
    "AllSlotsReset": _plain("reset_slots"),
    "Restarted": _plain("restart"),
    "SessionStarted": _plain("session_started"),
    "ConversationPaused": _plain("pause"),
    "ConversationResumed": _plain("resume"),
    "UserUtteranceReverted": _plain("rewind"),
    "ActionReverted": _plain("undo"),
    "FollowupAction": _named("followup"),
    "ActionExecuted": lambda action_name, *_, timestamp=None, **__: {
        "event": "action",
        "name": action_name,
        "timestamp": timestamp,
    },
    "ActiveLoop": _named("active_loop"),
    "ReminderScheduled": lambda intent_name, *_, name=None, timestamp=None, **__: {
        "event": "reminder",
        "intent": intent_name,
        "name": name,
        "timestamp": timestamp,
    },
    "ReminderCancelled": lambda name=None, *_, timestamp=None, **__: {
        "event": "cancel_reminder",
        "name": name,
        "timestamp": timestamp,
    },
}
