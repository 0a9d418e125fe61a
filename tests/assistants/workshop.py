"""A made-up bicycle workshop, and talks with it."""

from __future__ import annotations

from pathlib import Path

from du_eval.assistants.actions import ActionResult, Actions, Setting, StubbedActions
from du_eval.assistants.engine.engine import Advance, Engine
from du_eval.assistants.load import load_assistant
from du_eval.parsers.command_parser import CommandParser

FLOWS = """\
flows:
  repair:
    name: repair a bike
    description: have a bicycle repaired
    steps:
      - collect: part
        description: what is broken
      - collect: price_limit
        rejections:
          - if: slots.price_limit < 10
            utter: utter_too_cheap
      - action: action_estimate
        next:
          - if: slots.can_repair
            then: confirm
          - else:
              - action: utter_no_repair
                next: END
      - id: confirm
        collect: agreed
        ask_before_filling: true
        next:
          - if: slots.agreed
            then:
              - action: utter_repairing
                next: END
          - else:
              - action: utter_left_alone
                next: END
  hours:
    name: opening hours
    description: when the workshop is open
    steps:
      - action: utter_hours
  rent:
    name: rent a bike
    description: rent a bicycle for a day
    steps:
      - call: identify
      - collect: colour
      - link: thank
  identify:
    description: who is it
    if: false
    steps:
      - collect: person
  thank:
    description: say thanks
    if: false
    steps:
      - action: utter_thanks
  staff_only:
    description: for people who work here
    if: slots.is_staff
    steps:
      - action: utter_staff
  turn_around:
    description: never comes to an end
    steps:
      - id: again
        action: utter_hours
        next: again
"""
DOMAIN = """\
slots:
  part: {type: text, mappings: [{type: from_llm}]}
  price_limit: {type: float, mappings: [{type: from_llm}]}
  can_repair: {type: bool, mappings: [{type: controlled}]}
  agreed: {type: bool, mappings: [{type: from_llm}]}
  colour: {type: categorical, values: [Red, blue], mappings: [{type: from_llm}]}
  person: {type: text, mappings: [{type: from_llm}]}
  is_staff: {type: bool, initial_value: false, mappings: [{type: controlled}]}
responses:
  utter_ask_part: [{text: Which part?}]
  utter_ask_price_limit: [{text: How much at most?}]
  utter_ask_agreed: [{text: "Repair the {part} for {price_limit}?"}]
  utter_ask_colour: [{text: Which colour?}]
  utter_ask_person: [{text: Who are you?}]
  utter_too_cheap: [{text: Not for that price.}]
  utter_no_repair: [{text: That is beyond repair.}]
  utter_repairing: [{text: Done by tomorrow.}]
  utter_left_alone: [{text: As you like.}]
  utter_hours:
    - text: We are open until six.
    - text: We close at six.
  utter_thanks: [{text: "Thanks, {person}!"}]
  utter_staff:
    - condition: [{type: slot, name: is_staff, value: true}]
      text: Hello colleague.
    - text: Hello.
actions: [action_estimate]
"""
ESTIMATE = StubbedActions(
    {"action_estimate": ActionResult(({"event": "slot", "name": "can_repair", "value": True},))}
)


def write_workshop(folder: Path, flows: str = FLOWS, domain: str = DOMAIN) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "flows.yml").write_text(flows, encoding="utf-8")
    (folder / "domain.yml").write_text(domain, encoding="utf-8")
    return folder


class Talk:
    """A dialogue: say commands, see what the bot answers."""

    def __init__(
        self, folder: Path, actions: Actions = ESTIMATE, slots: dict[str, object] | None = None
    ) -> None:
        self.engine = Engine(load_assistant(folder))
        self.setting = Setting(actions)
        self.advance: Advance = self.engine.start(slots or {}, self.setting)

    def __call__(self, *commands: str) -> list[str]:
        parsed = [command for text in commands for command in CommandParser.default().parse(text).commands]
        self.advance = self.engine.turn(self.state, parsed, "something", self.setting)
        return [str(message) for message in self.advance.messages]

    @property
    def state(self):
        return self.advance.state

    @property
    def ignored(self) -> list[str]:
        return [event.reason for event in self.advance.events if type(event).__name__ == "CommandIgnored"]
