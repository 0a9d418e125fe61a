"""Test files for the tests of suites."""

from __future__ import annotations

from pathlib import Path

from du_eval.errors import Problem
from du_eval.suites.load import load_suite, read_suite
from du_eval.suites.model import TestCase, TestSuite

FIRST_EXAMPLE = """\
test_cases:
  - test_case: user_notes_down_a_friend
    steps:
      - user: please note down a new friend
        commands:
          - StartFlow(add_contact)
      - utter: utter_ask_friend_handle
      - user: mine is @adale
        commands:
          - SetSlot(handle, @adale)
      - bot: "And what is the name?"
      - user: simply Ada
        commands:
          - SetSlot(name, Adal)
"""
SECOND_EXAMPLE = """\
test_cases:
  - test_case: user wonders about the fee of a payment
    steps:
      - user: could you pay Ode for me
        commands:
          - StartFlow(transfer_money)
          - SetSlot(payee, Ode)
      - utter: utter_ask_payment_amount
      - user: hm, does paying cost me anything?
        commands:
          - SearchAndReply()
      - utter: placeholder_generated_answer
      - utter: utter_ask_payment_amount
      - user: fine, 50 dollars
        commands:
          - SetSlot(payment_amount, 50)
      - utter: utter_ask_transfer_money_final_confirmation
      - user: yes
        commands:
          - SetSlot(transfer_money_final_confirmation, True)
      - utter: utter_transfer_complete
"""
FIXTURES = (
    "fixtures:\n"
    "  - premium:\n"
    "    - membership: premium\n"
    "    - age: 42\n"
    "    - newsletter: true\n"
    "    - note: '7'\n"
    "  - dutch:\n"
    "    - language: nl\n"
    "    - nothing: null\n"
    "test_cases:\n"
    "  - test_case: c\n"
    "    fixtures: [dutch, premium]\n"
    "    steps: [{bot: hi}]\n"
)
METADATA = (
    "metadata:\n"
    "  - of_case: {channel: web, user: {age: 5}}\n"
    "  - of_step: {channel: voice, loud: yes, sure: true}\n"
    "test_cases:\n"
    "  - test_case: c\n"
    "    metadata: of_case\n"
    "    steps:\n"
    "      - {user: a, commands: []}\n"
    "      - {user: b, commands: [], metadata: of_step}\n"
    "  - test_case: d\n"
    "    steps:\n"
    "      - {user: a, commands: []}\n"
    "      - {user: b, commands: [], metadata: of_step}\n"
)
STUBS = (
    "stub_custom_actions:\n"
    "  check: {events: [{event: slot, name: ok, value: 1}], responses: [{text: file}]}\n"
    "  suite.yml::check_more: {responses: [{text: by file name}]}\n"
    "  my_case::check: {responses: [{text: case}]}\n"
    "  other::check: {responses: [{text: other}]}\n"
    "  elsewhere::lost: {events: []}\n"
    "test_cases:\n"
    "  - {test_case: my case, steps: [{bot: x}]}\n"
    "  - {test_case: third, steps: [{bot: x}]}\n"
)


def write(folder: Path, **files: str) -> Path:
    """Write files called NAME.yml into a folder."""
    for name, text in files.items():
        (folder / f"{name}.yml").write_text(text, encoding="utf-8")
    return folder


def loaded(folder: Path, text: str) -> TestSuite:
    """Return the suite of one file."""
    return load_suite([write(folder, suite=text) / "suite.yml"])


def one_case(folder: Path, text: str) -> TestCase:
    """Return the only case of one file."""
    (case,) = loaded(folder, text)
    return case


def problems_of(folder: Path, text: str) -> list[Problem]:
    """Return the problems of one file, in the order of lines."""
    _, problems = read_suite([write(folder, suite=text) / "suite.yml"])
    return sorted(problems)


def steps(text: str) -> str:
    """Return a file with one case whose first step starts in line 4."""
    indented = "".join(f"      {line}\n" for line in text.strip("\n").split("\n"))
    return f"test_cases:\n  - test_case: a case\n    steps:\n{indented}"
