"""JSON over HTTP: one pool of connections, deadlines, and causes instead of exceptions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from msgspec import Struct, field
from msgspec.structs import replace
from pydantic_core import to_json

from du_eval.llm.bodies import ACCEPTED_ENCODINGS, LONGEST_ANSWER_BYTES, BodyError, FairTurns, read_body
from du_eval.llm.persistence import AttemptFailure, Persistence, classify_status
from du_eval.trust.secrets import hide_secrets, list_secrets, public_url, split_credentials

if TYPE_CHECKING:
    import ssl

    import aiohttp

_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def _nothing(_: object) -> str:
    return ""


class HttpCall(Struct, frozen=True):
    """One JSON request; `problem_of` says what is wrong with an answer, if anything."""

    url: str
    body: Any = None
    method: str = "POST"
    headers: Mapping[str, str] = field(default_factory=dict)
    tokens: int = 0
    problem_of: Callable[[object], str] = _nothing
    sample: int = 1
    """Which repetition this is: it keeps the samples of one question apart in the cache."""
    read: Callable[[str, str], object] | None = None
    """Makes the answer of a text and its kind; JSON where nothing else is said. Raises BodyError."""
    is_repeatable: bool = True
    """Whether it may be sent again although it may have had an effect."""

    @property
    def public_url(self) -> str:
        """The address without anything secret."""
        return public_url(self.url)

    def key(self, identity: Mapping[str, object]) -> str:
        """Return the hash under which the answer is kept; what is secret has no part in it."""
        content = {
            "url": self.public_url,
            "method": self.method,
            "identity": identity,
            "sample": self.sample,
            "request": self.body,
        }
        return hashlib.sha256(_CANONICAL.encode(content).encode("utf-8", "surrogatepass")).hexdigest()


class HttpAnswer(Struct, frozen=True):
    """The decoded answer, and what it took to get it."""

    data: Any
    latency_seconds: float
    retries: int = 0
    is_cached: bool = False
    headers: Mapping[str, str] = field(default_factory=dict)


class Sender(Protocol):
    """Sends calls; raises EndpointError where there is no answer."""

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Return the answer to a call."""
        ...

    async def close(self) -> None:
        """Let go of connections and files."""
        ...


class Transport(Struct):
    """Sends calls; opens its connections on first use, inside the running event loop."""

    persistence: Persistence = field(default_factory=Persistence)
    longest_answer_bytes: int = LONGEST_ANSWER_BYTES
    """On the wire, and unpacked."""
    tls: ssl.SSLContext | None = None
    """How the certificate of the server is checked; as usual where nothing is said."""
    _session: aiohttp.ClientSession | None = None
    _turns: FairTurns = field(default_factory=FairTurns)

    def __post_init__(self) -> None:
        # Loaded now rather than in the middle of the first calls: it takes a tenth of a second.
        import_module("aiohttp")

    async def send(self, call: HttpCall) -> HttpAnswer:
        """Return the answer to a call; raise EndpointError with the cause once all tries are used up."""
        body = None if call.body is None else _encode(call.body)
        answer, retries = await self.persistence.answer(
            lambda: self._attempt(call, body), call.public_url, call.tokens
        )
        await self._turns.mine()
        return replace(answer, retries=retries) if retries else answer

    async def close(self) -> None:
        """Close the connections."""
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def _attempt(self, call: HttpCall, body: bytes | None) -> HttpAnswer | AttemptFailure:
        """Return the answer, or why there is none; what may have had an effect is not tried again."""
        found = await self._exchange(call, body)
        if isinstance(found, AttemptFailure):
            found = replace(found, cause=hide_secrets(found.cause, list_secrets(call.url, call.headers)))
        if call.is_repeatable or isinstance(found, HttpAnswer) or found.is_untouched or found.is_refusal:
            return found
        return replace(found, is_retryable=False)

    async def _exchange(self, call: HttpCall, body: bytes | None) -> HttpAnswer | AttemptFailure:
        """Return the answer, or why there is none: the one place where foreign data is taken in."""
        import aiohttp  # noqa: PLC0415 - only networked runs need it

        try:
            return await self._sent(call, body)
        except TimeoutError:
            return AttemptFailure(
                f"no answer within {self.persistence.policy.timeout_seconds:g} s (--timeout)"
            )
        except BodyError as error:
            return AttemptFailure(str(error), is_retryable=False)
        except aiohttp.InvalidURL as error:
            return AttemptFailure(f"not an address that can be called: {error}", is_retryable=False)
        except (aiohttp.ClientError, OSError) as error:
            return explain_network(error)
        except Exception as error:
            # Odd data in any place of an answer: no list of exceptions is complete, and none may end the run.
            return AttemptFailure(
                f"the answer cannot be read: {type(error).__name__}: {error}", is_retryable=False
            )

    async def _sent(self, call: HttpCall, body: bytes | None) -> HttpAnswer | AttemptFailure:
        clock = self.persistence.clock
        start = clock.now()
        address = split_credentials(call.url)
        headers = {"Accept": "application/json", "Accept-Encoding": ACCEPTED_ENCODINGS, **call.headers}
        if address.header:
            headers.setdefault("Authorization", address.header)
        if body is not None:
            headers.setdefault("Content-Type", "application/json")
        async with self._opened(call.url).request(
            call.method, address.url, data=body, headers=headers, allow_redirects=False
        ) as response:
            content = await read_body(response, self.longest_answer_bytes)
        secrets = (*self.persistence.secrets, *list_secrets(call.url, call.headers))
        text = hide_secrets(content.decode("utf-8", "replace"), secrets)
        if response.status < 300:
            return read_answer(text, response.content_type, call, clock.now() - start, response.headers)
        complaint = _complaint(text, hide_secrets(response.headers.get("Location", ""), secrets))
        return classify_status(response.status, *complaint, response.headers)

    def _opened(self, url: str) -> aiohttp.ClientSession:
        if self._session is None:
            import aiohttp  # noqa: PLC0415 - see above

            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ttl_dns_cache=300, ssl=self.tls or True),
                # A proxy from the environment is no way to this machine itself.
                trust_env=urlsplit(url).hostname not in _LOOPBACK,
                # Calls are independent: what one answer sets must not go into the next call.
                cookie_jar=aiohttp.DummyCookieJar(),
                # Unpacked by ourselves, up to a limit.
                auto_decompress=False,
                timeout=aiohttp.ClientTimeout(total=self.persistence.policy.timeout_seconds),
            )
        return self._session


_CAUSES: tuple[tuple[str, str], ...] = (
    ("ClientConnectorCertificateError", "its certificate is not trusted: {cause}"),
    ("ClientSSLError", "no TLS connection: {cause} (does the server speak https there?)"),
    ("ClientConnectorError", "no connection: {cause} (is the server running there?)"),
    ("ClientPayloadError", "it closed the connection in the middle of its answer"),
    ("ServerDisconnectedError", "it closed the connection without an answer (does it expect https?)"),
    ("ClientResponseError", "its answer is not HTTP: {cause} (does it expect https?)"),
    ("ConnectionResetError", "it closed the connection without an answer"),
)
_UNTOUCHED = frozenset({"ClientConnectorError", "ServerDisconnectedError", "ConnectionResetError"})


def _encode(body: Any) -> bytes:
    """Return the JSON of a body; half a character, as models send them, survives only as an escape."""
    try:
        return to_json(body)
    except ValueError:
        return json.dumps(body).encode()


def explain_network(error: BaseException) -> AttemptFailure:
    """Return what an error of the network means, in words."""
    names = [kind.__name__ for kind in type(error).__mro__]
    words = next((text for name, text in _CAUSES if name in names), "the connection failed: {cause}")
    cause = next(filter(None, (getattr(error, name, None) for name in _DETAILS)), error)
    is_final = "ClientConnectorCertificateError" in names
    return AttemptFailure(
        words.format(cause=str(cause) or type(error).__name__),
        is_retryable=not is_final,
        is_untouched=not _UNTOUCHED.isdisjoint(names),
        is_unreached="ClientConnectorError" in names,
    )


_DETAILS = ("certificate_error", "os_error", "message")


def read_answer(
    text: str, kind: str, call: HttpCall, seconds: float, headers: Mapping[str, str] | None = None
) -> HttpAnswer | AttemptFailure:
    """Return the decoded answer to a call, or what is wrong with it."""
    if call.read is not None:
        return HttpAnswer(call.read(text, kind), seconds, headers=headers or {})
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        what = "invalid JSON" if "json" in kind else f"the answer is {kind}, not JSON"
        return AttemptFailure(f"{what}: {' '.join(text[:80].split())!r}")
    problem = call.problem_of(data)
    return AttemptFailure(problem) if problem else HttpAnswer(data, seconds, headers=headers or {})


def _complaint(text: str, location: str) -> tuple[str, str]:
    """Return message and code of an error body, in the forms that servers commonly use."""
    if location:
        return f"moved to {public_url(location)}", ""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return " ".join(text[:200].split()), ""
    error = data.get("error", data) if isinstance(data, dict) else data
    if isinstance(error, dict):
        message = error.get("message") or error.get("detail") or error.get("reason") or ""
        return str(message)[:300], str(error.get("code") or error.get("type") or "")
    return str(error)[:300], ""
