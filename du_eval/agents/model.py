"""What an agent case is: whom to ask, what to say, and what to expect of the answers."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from msgspec import Struct, field

from du_eval.statistics.success import SuccessRatio

JsonObject = Mapping[str, object]
ONCE = SuccessRatio(1, 1)
"""One sample, which must pass."""


class ChatFilter(StrEnum):
    """How much a server tells: the answer alone, or every message on the way to it."""

    MINIMAL = "MINIMAL"
    MAXIMAL = "MAXIMAL"


class Connection(Struct, frozen=True):
    """One way to the agent; what is None is decided by the options of the run."""

    kind: str = "direct"
    host: str | None = None
    port: int | None = None
    base_path: str | None = None
    ca_file: str | None = None
    certificate: str | None = None
    private_key: str | None = None
    url: str | None = None
    options: Mapping[str, object] = field(default_factory=dict)
    """What else the kind of connection understands."""
    line: int = 0

    @property
    def name(self) -> str:
        """How reports call it."""
        if self.url is not None:
            return f"{self.kind} {self.url}"
        if self.host is None and self.port is None:
            return self.kind
        return f"{self.kind}://{self.host or 'localhost'}" + (f":{self.port}" if self.port else "")


class Expectation(Struct, frozen=True):
    """One check of one value of a response, and where it was written."""

    part: str
    path: tuple[str, ...]
    check: str
    expected: object
    negated: bool = False
    ignores_case: bool = False
    words: str = ""
    """What is expected, as messages say it."""
    file: str = ""
    line: int = 0

    @property
    def name(self) -> str:
        """The check as the case names it."""
        return f"not_{self.check}" if self.negated else self.check

    @property
    def subject(self) -> str:
        """The value under test, as a path."""
        return "the response" if self.part == "response" else ".".join((self.part, *self.path))


class Interaction(Struct, frozen=True):
    """One message to the agent, and what is expected of its answer."""

    text: str | None = None
    sly_data: JsonObject | None = None
    timeout_seconds: float | None = None
    chat_filter: ChatFilter = ChatFilter.MINIMAL
    continues: bool = True
    expectations: tuple[Expectation, ...] = ()
    line: int = 0


class DirectAgent(Struct, frozen=True):
    """An agent without a server: a Python object by its path, or a chat model with instructions."""

    target: str | None = None
    instructions: str | None = None
    model: str | None = None
    line: int = 0


class AgentManner(Struct, frozen=True):
    """How cases are run and checked; without a name, as documented."""

    name: str = ""
    swaps_order: bool = False
    """Whether `less` and `greater` compare the other way round."""
    cuts_after: bool = False
    """Whether a dialogue that is not continued ends after its interaction instead of before it."""


DOCUMENTED = AgentManner()


class AgentCase(Struct, frozen=True):
    """One test case: a file."""

    name: str
    file: str
    agent: str
    interactions: tuple[Interaction, ...]
    connections: tuple[Connection, ...] = (Connection(),)
    ratio: SuccessRatio = ONCE
    use_direct: bool = False
    metadata: Mapping[str, str] = field(default_factory=dict)
    timeout_seconds: float | None = None
    direct: DirectAgent | None = None
    manner: AgentManner = DOCUMENTED
    digest: str = ""
    line: int = 1

    @property
    def folder(self) -> Path:
        """Where the case's file lies."""
        return Path(self.file).parent
