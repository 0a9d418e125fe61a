"""One odd answer never ends a run: whatever is wrong with it is the error of its own step."""

from __future__ import annotations

from dataclasses import replace

from du_eval.errors import DuEvalError, GeneratorError
from du_eval.generators.base import CommandGenerator, CommandLike, Prediction, Prompt, Request

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
        except Exception as error:
            raise GeneratorError(
                f"{self.name}: the answer cannot be read: {type(error).__name__}: {error}"
            ) from error
        if not isinstance(answer, Prediction):
            raise GeneratorError(f"{self.name} returned {type(answer).__name__} instead of a Prediction")
        self._check_length(answer)
        return replace(answer, prompts=tuple(map(self._kept, answer.prompts))) if answer.prompts else answer

    async def close(self) -> None:
        """Close the generator, if it wants that."""
        close = getattr(self.generator, "close", None)
        if callable(close):
            done = close()
            if hasattr(done, "__await__"):
                await done

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
