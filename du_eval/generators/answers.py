"""The commands in an answer: of each component, from text, data or objects."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Protocol

from msgspec import Struct
from msgspec.structs import replace

from du_eval.commands.base import Command
from du_eval.commands.registry import CommandRegistry
from du_eval.errors import DuEvalError, GeneratorError
from du_eval.generators.base import CommandGenerator, CommandLike, Prediction, Prompt, Request, close_if_open
from du_eval.parsers.command_parser import ParsedCommands, find_hallucinated
from du_eval.parsers.reasoning import SaidAndThought, separate_reasoning
from du_eval.parsers.tool_calls import read_command_data

Component = tuple[str, tuple[Command, ...]]


class AnswerTextReader(Protocol):
    """Reads predicted text."""

    def parse(self, text: str) -> ParsedCommands:
        """Return the commands in a text."""
        ...


class ReadAnswer(Struct, frozen=True):
    """What an answer holds."""

    components: tuple[Component, ...]
    unparsed: tuple[str, ...] = ()
    hallucinated: tuple[str, ...] = ()
    """Commands that do not exist."""
    reasoning: str = ""
    """What the model only thought; it was not searched for commands."""
    is_open: bool = False
    """The thinking never ends."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands of all components, in order."""
        return tuple(command for _, commands in self.components for command in commands)


class AnswerReader(Struct, frozen=True):
    """Reads answers of any form."""

    reader: AnswerTextReader
    registry: CommandRegistry
    parses_reasoning: bool = False
    """Search for commands in what a model only thought, too."""

    def read(self, answer: Prediction) -> ReadAnswer:
        """Return the commands by component, the text that is none, and what was only thought."""
        parts: Mapping[str, str | tuple[CommandLike, ...]] = answer.components
        if not parts:
            parts = {"": answer.commands if answer.commands is not None else answer.text or ""}
        found, unparsed, thoughts = [], [], [answer.reasoning]
        is_open = False
        for name, part in parts.items():
            text = SaidAndThought("") if not isinstance(part, str) else self._separated(part)
            commands, rest = self._read(text.said if isinstance(part, str) else part)
            found.append((name, commands))
            unparsed.extend(rest)
            thoughts.append(text.thought)
            is_open = is_open or text.is_open
        if self.parses_reasoning and answer.reasoning:
            commands, rest = self._read(answer.reasoning)
            found[0] = (found[0][0], (*commands, *found[0][1]))
            unparsed[:0] = rest
        return ReadAnswer(
            tuple(found),
            tuple(unparsed),
            find_hallucinated(unparsed, self.registry) if unparsed else (),
            "\n".join(filter(None, thoughts)),
            is_open,
        )

    def commands(self, answer: Prediction) -> tuple[Command, ...]:
        """Return the commands of all components, each once."""
        return tuple(dict.fromkeys(self.read(answer).commands))

    def _separated(self, text: str) -> SaidAndThought:
        found = separate_reasoning(text)
        return replace(found, said=text) if self.parses_reasoning else found

    def _read(self, part: str | tuple[CommandLike, ...]) -> tuple[tuple[Command, ...], list[str]]:
        if isinstance(part, str):
            parsed = self.reader.parse(part)
            return parsed.commands, list(parsed.unparsed)
        commands: list[Command] = []
        unparsed: list[str] = []
        for item in part:
            if isinstance(item, str):
                parsed = self.reader.parse(item)
                commands.extend(parsed.commands)
                unparsed.extend(parsed.unparsed)
            elif isinstance(item, Command):
                commands.extend(self._known(item))
            else:
                command = read_command_data(item, self.registry)
                text = "" if command else json.dumps(dict(item), ensure_ascii=False, default=str)
                parsed = self.reader.parse(text) if text else ParsedCommands((command,) if command else ())
                commands.extend(parsed.commands)
                unparsed.extend(parsed.unparsed if parsed.commands or not text else [text])
        return tuple(commands), unparsed

    def _known(self, command: Command) -> tuple[Command, ...]:
        """Return a command of the vocabulary: its class may come from a module that was loaded twice."""
        if type(command) in self.registry.commands:
            return (command,)
        parsed = self.reader.parse(command.to_dsl())
        is_same = [type(one).__qualname__ for one in parsed.commands] == [type(command).__qualname__]
        return parsed.commands if is_same and not parsed.unparsed else (command,)


LONGEST_ANSWER_CHARACTERS = 1_000_000


class GuardedGenerator:
    """Asks another generator, and looks at what comes back before anybody else does."""

    def __init__(
        self, generator: CommandGenerator, longest_answer_characters: int = LONGEST_ANSWER_CHARACTERS
    ) -> None:
        self.name: str = getattr(generator, "name", type(generator).__name__)
        self.counts_calls: bool = getattr(generator, "counts_calls", False)
        self.generator = generator
        self._longest = longest_answer_characters

    async def generate(self, request: Request) -> Prediction:
        """Return an answer that is one; raise GeneratorError otherwise."""
        try:
            answer: object = await self.generator.generate(request)
        except DuEvalError:
            raise
        except (Exception, SystemExit) as error:
            raise GeneratorError(
                f"{self.name}: the answer cannot be read: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, Prediction):
            raise GeneratorError(f"{self.name} returned {type(answer).__name__} instead of a Prediction")
        self._check_length(answer)
        if any(len(prompt.answer) > self._longest for prompt in answer.prompts):
            return replace(answer, prompts=tuple(map(self._kept, answer.prompts)))
        return answer

    async def close(self) -> None:
        """Close the generator, if it wants that."""
        await close_if_open(self.generator)

    def _check_length(self, answer: Prediction) -> None:
        length = len(answer.text or "") + _length(answer.commands or ())
        length += sum(map(_length, answer.components.values()))
        if length > self._longest:
            raise GeneratorError(
                f"{self.name}: the answer has {length:,} characters, more than the {self._longest:,} "
                "that --max-answer-characters allows"
            )

    def _kept(self, prompt: Prompt) -> Prompt:
        """Return a prompt whose answer, which is only shown, is cut where it is too long."""
        if len(prompt.answer) <= self._longest:
            return prompt
        more = len(prompt.answer) - self._longest
        return replace(prompt, answer=f"{prompt.answer[: self._longest]} ({more:,} more characters)")


def _length(part: str | tuple[CommandLike, ...]) -> int:
    return len(part) if isinstance(part, str) else sum(len(str(item)) for item in part)
