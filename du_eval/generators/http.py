"""Any HTTP endpoint as a generator: an address, a request body, and the way to the answer in the response."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from msgspec import Struct, field

from du_eval.errors import EndpointError, GeneratorError, InputError
from du_eval.generators.base import Prediction, Prompt, Request
from du_eval.generators.templates import PromptTemplate
from du_eval.generators.vocabulary import Contexts, readable
from du_eval.llm.transport import HttpCall, Sender, Transport
from du_eval.parsers.command_parser import CommandParser
from du_eval.trust.secrets import public_url

Find = Callable[[object], list[object]]


def compile_path(path: str, option: str = "") -> Find:
    """Return a function that finds the values of a JSONPath in data; errors name the option that gave it."""
    import jsonpath  # noqa: PLC0415 - few need it

    try:
        found = jsonpath.compile(path)
    except jsonpath.JSONPathError as error:
        raise InputError(f"{option}{path!r} is not a JSONPath: {error}") from error

    def find(data: object) -> list[object]:
        if isinstance(data, str):  # the library would read it as JSON
            return [data] if path.strip() == "$" else []
        return list(found.findall(data))  # type: ignore[arg-type]

    return find


class HttpGenerator(Struct, dict=True):
    """Posts each message to an endpoint and reads the commands out of the answer."""

    url: str
    parser: CommandParser
    transport: Sender = field(default_factory=Transport)
    body: PromptTemplate | None = None
    """A template of the JSON body; without one, message, history and state are sent."""
    path: str = "$"
    headers: Mapping[str, str] = field(default_factory=dict)
    counts_calls = True

    def __post_init__(self) -> None:
        self.name = f"http:{public_url(self.url)}"
        self._contexts = Contexts()
        self._find = compile_path(self.path, "--answer-path ")

    async def generate(self, request: Request) -> Prediction:
        """Return what the endpoint predicts."""
        body = self._body(request)
        try:
            answer = await self.transport.send(
                HttpCall(self.url, body, headers=self.headers, sample=request.place.sample)
            )
        except EndpointError as error:
            raise GeneratorError(str(error)) from error
        prompt = Prompt(
            name=self.name,
            user=json.dumps(body, ensure_ascii=False),
            answer=json.dumps(answer.data, ensure_ascii=False),
            component=self.name,
            latency_seconds=answer.latency_seconds,
            retries=answer.retries,
            is_cached=answer.is_cached,
        )
        found = self._found(answer.data)
        if isinstance(found, str):
            return Prediction(text=found, prompts=(prompt,), latency_seconds=answer.latency_seconds)
        commands = tuple(readable(found, self.parser.registry))
        return Prediction(commands=commands, prompts=(prompt,), latency_seconds=answer.latency_seconds)

    async def close(self) -> None:
        """Close the connections."""
        await self.transport.close()

    def _body(self, request: Request) -> Any:
        context = self._contexts.of(request)
        if self.body is None:
            keys = ("history", "slots", "metadata", "current_flow", "current_slot")
            return {"message": request.message} | {key: context[key] for key in keys}
        place = request.place
        names = {"file": place.file, "case": place.case, "step": place.step, "sample": place.sample}
        text = self.body.render(context | names | {"message": request.message})
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise GeneratorError(
                f"the template {self.body.name} does not give valid JSON: {error} (quote values with | json)"
            ) from error

    def _found(self, data: object) -> str | list[object]:
        found = self._find(data)
        if not found:
            shown = json.dumps(data, ensure_ascii=False)[:200]
            raise GeneratorError(f"nothing at {self.path} in the answer: {shown}")
        value = found[0] if len(found) == 1 else found
        if isinstance(value, Mapping):
            value = value.get("commands", value.get("text", [value]))
        if value is None:
            return []
        return value if isinstance(value, str | list) else [value]
