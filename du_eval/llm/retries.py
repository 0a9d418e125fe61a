"""When a failed call is worth another try, and how long to wait before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

_WORTH_A_RETRY = frozenset({408, 409, 425, 429})
_FINAL_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "access_terminated"})


@dataclass(frozen=True, slots=True)
class RetryPolicy:
    """How often and how long a call may be tried."""

    attempts: int = 6
    first_wait_seconds: float = 0.5
    longest_wait_seconds: float = 30.0
    timeout_seconds: float = 60.0
    """For one attempt."""
    deadline_seconds: float = 300.0
    """For all attempts and the waits between them."""

    def wait_before(self, attempt: int, chance: float, asked_seconds: float | None) -> float:
        """Return the wait before an attempt (from 2): doubling, with jitter, not less than was asked for."""
        ceiling = min(self.longest_wait_seconds, self.first_wait_seconds * 2.0 ** (attempt - 2))
        jittered = ceiling * (0.5 + chance / 2)
        return jittered if asked_seconds is None else asked_seconds + ceiling * chance / 4


@dataclass(frozen=True, slots=True)
class AttemptFailure:
    """Why one attempt gave no answer."""

    cause: str
    is_retryable: bool = True
    is_refusal: bool = False
    """The endpoint said that it is asked too fast."""
    is_untouched: bool = False
    """Nothing has happened there: it was not reached, or closed the connection without a word."""
    retry_after_seconds: float | None = None


def failure_of_status(status: int, message: str, code: str, headers: Mapping[str, str]) -> AttemptFailure:
    """Return what an HTTP status means: a deterministic client error is never tried again."""
    is_final = code in _FINAL_CODES
    return AttemptFailure(
        cause=f"HTTP {status}{f': {message}' if message else ''}",
        is_retryable=(status in _WORTH_A_RETRY or status >= 500) and not is_final,
        is_refusal=status in {429, 503} and not is_final,
        retry_after_seconds=retry_after(headers, datetime.now(UTC)),
    )


def retry_after(headers: Mapping[str, str], now: datetime) -> float | None:
    """Return the seconds that a server asks to wait: milliseconds, seconds or a date."""
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    text = headers.get("Retry-After")
    if text is None:
        return None
    seconds = _number(text)
    if seconds is not None:
        return seconds
    try:
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, (date - now).total_seconds())
    except (ValueError, OverflowError):
        return None


def _number(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text is not None else None
    except ValueError:
        return None
