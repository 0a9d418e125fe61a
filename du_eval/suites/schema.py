"""The shape of a test file, checked by pydantic and exported as a JSON schema for editors."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NotRequired

from pydantic import (
    AfterValidator,
    ConfigDict,
    Discriminator,
    Field,
    StringConstraints,
    Tag,
    TypeAdapter,
    with_config,
)
from typing_extensions import TypedDict

from du_eval.statistics.success import SuccessRatio

STEP_KINDS = ("user", "utter", "bot")

FixtureName = Annotated[str, StringConstraints(pattern=r"^[A-Za-z_][A-Za-z0-9_-]*$")]
Name = Annotated[str, Field(min_length=1)]
_EXACTLY = ConfigDict(extra="forbid", strict=True)


@with_config(_EXACTLY)
class UserStepShape(TypedDict):
    """What the user says, and the commands that are expected."""

    user: Annotated[str, Field(description="The user's message.")]
    commands: NotRequired[
        Annotated[
            list[Name],
            Field(description="All expected commands, in any order; [] where none is expected."),
        ]
    ]
    any_of: NotRequired[
        Annotated[
            list[list[Name]],
            Field(
                min_length=1,
                description="Alternatives: lists of commands of which one must be predicted completely.",
            ),
        ]
    ]
    metadata: NotRequired[Annotated[Name, Field(description="The name of metadata for this message.")]]


@with_config(_EXACTLY)
class UtterStepShape(TypedDict):
    """What the bot says, by the name of a response."""

    utter: Annotated[Name, Field(description="The name of a response, or placeholder_generated_answer.")]
    bot: NotRequired[Annotated[str, Field(description="What the bot said, word for word.")]]


@with_config(_EXACTLY)
class BotStepShape(TypedDict):
    """What the bot says, literally."""

    bot: Annotated[str, Field(description="The literal text.")]


def _kind(step: object) -> str | None:
    if isinstance(step, dict):
        for kind in STEP_KINDS:
            if kind in step:
                return kind + " step"
    return None


def _ratio(text: str) -> str:
    SuccessRatio.parsed(text)
    return text


StepShape = Annotated[
    Annotated[UserStepShape, Tag("user step")]
    | Annotated[UtterStepShape, Tag("utter step")]
    | Annotated[BotStepShape, Tag("bot step")],
    Discriminator(_kind),
]


@with_config(_EXACTLY)
class CaseShape(TypedDict):
    """One conversation."""

    test_case: Annotated[Name, Field(description="The name of the case.")]
    steps: Annotated[list[StepShape], Field(min_length=1)]
    fixtures: NotRequired[Annotated[list[FixtureName] | None, Field(description="Names of fixtures.")]]
    metadata: NotRequired[Annotated[Name, Field(description="The name of metadata for all messages.")]]
    success_ratio: NotRequired[
        Annotated[
            str,
            AfterValidator(_ratio),
            Field(description="Share of samples that must pass, such as 2/3."),
        ]
    ]


EventName = Literal[
    "user", "bot", "slot", "session_started", "action", "reset_slots", "restart", "reminder",
    "cancel_reminder",
    "pause", "resume", "followup", "export", "undo", "rewind", "entities", "active_loop", "agent",
    "loop_interrupted", "action_execution_rejected",
]  # fmt: skip


@with_config(ConfigDict(extra="allow"))
class EventShape(TypedDict):
    """An event that a stubbed action returns."""

    event: EventName


@with_config(_EXACTLY)
class StubShape(TypedDict):
    """What a stubbed custom action does."""

    events: NotRequired[list[EventShape] | None]
    responses: NotRequired[list[dict[str, Any]] | None]


@with_config(_EXACTLY)
class SuiteFileShape(TypedDict):
    """A file of dialogue understanding tests."""

    test_cases: Annotated[list[CaseShape], Field(min_length=1)]
    fixtures: NotRequired[
        Annotated[
            list[dict[FixtureName, list[dict[str, Any]]]] | None,
            Field(description="Named lists of slots that are set before a conversation starts."),
        ]
    ]
    metadata: NotRequired[
        Annotated[list[dict[Name, dict[str, Any]]] | None, Field(description="Named metadata.")]
    ]
    stub_custom_actions: NotRequired[
        Annotated[
            dict[str, StubShape] | None,
            Field(description="Results of custom actions, by action or test_case::action."),
        ]
    ]


SHAPES: dict[str, type[Any]] = {
    "": SuiteFileShape,
    "test_cases": CaseShape,
    "user step": UserStepShape,
    "utter step": UtterStepShape,
    "bot step": BotStepShape,
    "stub_custom_actions": StubShape,
}
"""The shape of the mapping at or below a part of a path."""

_TEXT_FOR_EDITORS = ["string", "number", "boolean"]
"""We read `user: 5` as the text that it is; an editor takes it for a number."""

SUITE_FILE: TypeAdapter[SuiteFileShape] = TypeAdapter(SuiteFileShape)


def json_schema() -> dict[str, Any]:
    """Return the JSON schema of a test file, for editors."""
    schema = SUITE_FILE.json_schema()
    shapes = schema["$defs"]
    shapes["UserStepShape"]["oneOf"] = [{"required": ["commands"]}, {"required": ["any_of"]}]
    for shape, key in (("CaseShape", "test_case"), ("UserStepShape", "user"), ("BotStepShape", "bot")):
        shapes[shape]["properties"][key]["type"] = _TEXT_FOR_EDITORS
    schema["properties"]["fixtures"]["anyOf"][0]["items"]["additionalProperties"] = False
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **schema,
        "title": "du-eval: dialogue understanding tests",
    }
