"""A small assistant of a made-up library, written to a folder."""

from pathlib import Path

FLOWS = """\
flows:
  borrow_book:
    name: borrow a book
    description: lend a book to the reader
    nlu_trigger:
      - intent:
          name: borrow
          confidence_threshold: 0.8
    persisted_slots:
      - reader_name
    steps:
      - collect: title
        description: the title of the book
      - collect: reader_name
        description: the name of the reader
        utter: utter_who_are_you
        next:
          - if: slots.is_member
            then: confirm
          - else:
              - call: register
                next: confirm
      - id: confirm
        collect: loan_confirmed
        ask_before_filling: true
        next:
          - if: slots.loan_confirmed
            then:
              - action: action_lend
              - action: utter_lent
                next: END
          - else:
              - action: utter_not_lent
                next: END
  register:
    description: register a new reader
    if: false
    steps:
      - collect: age
        description: how old the reader is
        rejections:
          - if: slots.age < 6
            utter: utter_too_young
      - action: utter_registered
  opening_hours:
    description: tell when the library is open
    steps:
      - action: utter_hours
  give_back:
    description: take a book back
    steps:
      - collect: returned_title
      - set_slots:
          - title: null
          - desk: front
      - link: rate_book
  rate_book:
    description: rate a book
    steps:
      - collect: stars
"""

DOMAIN = """\
version: "3.1"
actions:
  - action_lend
  - action_ask_loan_confirmed
  - action_welcome: {send_domain: true}
slots:
  title: {type: text, mappings: [{type: from_entity, entity: book}]}
  reader_name: {type: text}
  loan_confirmed: {type: bool}
  age: {type: float}
  returned_title: {type: text}
  stars:
    type: categorical
    values: [poor, good, great]
  desk: {type: any, mappings: [{type: controlled}]}
responses:
  utter_ask_title:
    - text: Which book?
  utter_who_are_you:
    - text: And your name?
  utter_ask_age:
    - text: How old are you, {reader_name}?
  utter_ask_returned_title:
    - text: Which book do you bring back?
  utter_ask_stars:
    - text: How was it?
      buttons:
        - {title: Fine, payload: /SetSlots(stars=good)}
        - title: Poor
  utter_lent: [{text: Enjoy!}]
  utter_not_lent: [{text: Another time.}]
  utter_too_young: [{text: Come with your parents.}]
  utter_registered: [{text: Welcome.}]
  utter_hours: [{text: We are open from 9 to 5.}]
"""

EXAMPLES = """\
nlu:
  - intent: borrow
    examples: |
      - I want to read [Dune](book)
      - lend me [the green one]{"entity": "book", "value": "Grass"}
  - synonym: great
    examples: |
      - brilliant
"""


def write(folder: Path, **files: str) -> Path:
    """Write files; `data__flows` becomes `data/flows.yml`."""
    for name, text in files.items():
        file = folder / f"{name.replace('__', '/')}.yml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return folder


def write_library(folder: Path) -> Path:
    return write(folder, data__flows=FLOWS, domain=DOMAIN, data__nlu=EXAMPLES)
