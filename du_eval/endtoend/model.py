"""End-to-end tests: what the user says, and what must happen then."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from du_eval.assistants.actions import ActionResult


class SlotExpectation(Struct, frozen=True):
    """A slot that must, or must not, have been set; to a value where one is given."""

    name: str
    value: str | None = None
    has_value: bool = False

    def __str__(self) -> str:
        return (
            f"{self.name} = {'null' if self.value is None else self.value}" if self.has_value else self.name
        )


class Assertion(Struct, frozen=True):
    """One thing that must hold for the turn of a user step."""

    kind: str
    line: int
    flows: tuple[str, ...] = ()
    is_any: bool = False
    """True where one of the flows is enough."""
    step: str = ""
    name: str = ""
    """An action, or a response."""
    text: str | None = None
    buttons: tuple[tuple[str, str], ...] = ()
    slots: tuple[SlotExpectation, ...] = ()
    threshold: float = 0.5
    """How good a generated answer must be, from 0 to 1."""
    truth: str = ""
    """The facts that a generated answer must not go beyond."""
    source: str = ""
    """What wrote the answer."""

    @property
    def is_generative(self) -> bool:
        """Tell whether this takes a judge of generated answers."""
        return self.kind.startswith("generative_")


class UserMessage(Struct, frozen=True):
    """What the user says."""

    text: str
    line: int
    metadata: Mapping[str, object] = field(default_factory=dict)
    metadata_name: str = ""
    assertions: tuple[Assertion, ...] = ()
    is_ordered: bool = False


class ExpectedReply(Struct, frozen=True):
    """What the bot must say: a response by its name, or a text."""

    line: int
    text: str | None = None
    response: str | None = None


class SlotStep(Struct, frozen=True):
    """What must have become of a slot."""

    line: int
    slot: SlotExpectation
    is_set: bool


Step = UserMessage | ExpectedReply | SlotStep


class ScriptedTurn(Struct, frozen=True):
    """A user step with the steps behind it."""

    user: UserMessage
    checks: tuple[ExpectedReply | SlotStep, ...]

    @property
    def is_unchecked(self) -> bool:
        """Tell whether nothing is expected of the turn."""
        return not self.checks and not self.user.assertions


class EndToEndCase(Struct, frozen=True):
    """One conversation."""

    name: str
    file: str
    line: int
    steps: tuple[Step, ...]
    fixtures: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    metadata: Mapping[str, object] = field(default_factory=dict)
    metadata_name: str = ""
    stubs: Mapping[str, ActionResult] = field(default_factory=dict)

    @property
    def id(self) -> str:
        """The name under which reports list the case."""
        return f"{self.file}::{self.name}"

    @property
    def has_assertions(self) -> bool:
        """Tell whether assertions judge the case; then nothing else does."""
        return any(isinstance(step, UserMessage) and step.assertions for step in self.steps)

    @property
    def has_generative(self) -> bool:
        """Tell whether an assertion asks for a judge of generated answers."""
        steps = [step for step in self.steps if isinstance(step, UserMessage)]
        return any(assertion.is_generative for step in steps for assertion in step.assertions)

    @property
    def named_responses(self) -> frozenset[str]:
        """The responses that the bot must say."""
        said = {step.response for step in self.steps if isinstance(step, ExpectedReply) and step.response}
        users = [step for step in self.steps if isinstance(step, UserMessage)]
        said |= {one.name for step in users for one in step.assertions if one.kind == "bot_uttered"}
        return frozenset(said)

    @property
    def turns(self) -> tuple[ScriptedTurn, ...]:
        """The steps, grouped by user step; what stands before the first one belongs to it."""
        found: list[ScriptedTurn] = []
        checks: list[ExpectedReply | SlotStep] = []
        user: UserMessage | None = None
        for step in self.steps:
            if not isinstance(step, UserMessage):
                checks.append(step)
                continue
            if user is not None:
                found.append(ScriptedTurn(user, tuple(checks)))
                checks = []
            user = step
        return (*found, ScriptedTurn(user, tuple(checks))) if user is not None else ()
