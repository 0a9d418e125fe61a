"""The shape of a test file, checked by pydantic and exported as a JSON schema for editors."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, StringConstraints, Tag

from du_eval.statistics.success import SuccessRatio

USER, UTTER, BOT = "user", "utter", "bot"
STEP_KINDS = (USER, UTTER, BOT)

FixtureName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$")]
CommandText = Annotated[str, StringConstraints(min_length=1, strict=True)]
Text = Annotated[str, StringConstraints(strict=True)]
Name = Annotated[str, StringConstraints(min_length=1, strict=True)]


class _Shape(BaseModel):
    model_config = ConfigDict(extra="forbid")


class UserStepShape(_Shape):
    """What the user says, and the commands that are expected."""

    user: Text = Field(description="The user's message.")
    commands: list[CommandText] | None = Field(
        default=None, description="All expected commands, in any order; [] where none is expected."
    )
    any_of: Annotated[list[list[CommandText]], Field(min_length=1)] | None = Field(
        default=None, description="Alternatives: lists of commands of which one must be predicted completely."
    )
    metadata: Name | None = Field(default=None, description="The name of metadata for this message.")


class UtterStepShape(_Shape):
    """What the bot says, by the name of a response."""

    utter: Name = Field(description="The name of a response, or placeholder_generated_answer.")


class BotStepShape(_Shape):
    """What the bot says, literally."""

    bot: Text = Field(description="The literal text.")


def _kind(step: Any) -> str | None:
    if isinstance(step, dict):
        return next((kind for kind in STEP_KINDS if kind in step), None)
    return None


def _ratio(text: str) -> str:
    SuccessRatio.parsed(text)
    return text


StepShape = Annotated[
    Annotated[UserStepShape, Tag("user step")]
    | Annotated[UtterStepShape, Tag("utter step")]
    | Annotated[BotStepShape, Tag("bot step")],
    Discriminator(lambda step: f"{kind} step" if (kind := _kind(step)) else None),
]


class CaseShape(_Shape):
    """One conversation."""

    test_case: Name = Field(description="The name of the case.")
    steps: Annotated[list[StepShape], Field(min_length=1)]
    fixtures: list[FixtureName] | None = Field(default=None, description="Names of fixtures.")
    metadata: Name | None = Field(default=None, description="The name of metadata for all messages.")
    success_ratio: Annotated[str, AfterValidator(_ratio)] | None = Field(
        default=None, description="How many of how many samples must pass, such as 2/3."
    )


EventName = Literal[
    "user", "bot", "slot", "session_started", "action", "reset_slots", "restart", "reminder", "cancel_reminder",
    "pause", "resume", "followup", "export", "undo", "rewind", "entities", "active_loop", "agent",
    "loop_interrupted", "action_execution_rejected",
]  # fmt: skip


class EventShape(BaseModel):
    """An event that a stubbed action returns."""

    model_config = ConfigDict(extra="allow")
    event: EventName


class StubShape(_Shape):
    """What a stubbed custom action does."""

    events: list[EventShape] | None = None
    responses: list[dict[str, Any]] | None = None


class SuiteFileShape(_Shape):
    """A file of dialogue understanding tests."""

    test_cases: Annotated[list[CaseShape], Field(min_length=1)]
    fixtures: list[dict[FixtureName, list[dict[str, Any]]]] | None = Field(
        default=None, description="Named lists of slots that are set before a conversation starts."
    )
    metadata: list[dict[Name, dict[str, Any]]] | None = Field(default=None, description="Named metadata.")
    stub_custom_actions: dict[str, StubShape] | None = Field(
        default=None, description="Results of custom actions, by action or test_case::action."
    )


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a test file, for editors."""
    schema = SuiteFileShape.model_json_schema()
    user_step = schema["$defs"]["UserStepShape"]
    user_step["oneOf"] = [{"required": ["commands"]}, {"required": ["any_of"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "du-eval: dialogue understanding tests",
    }
