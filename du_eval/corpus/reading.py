"""Lines of files, and where their words begin and end."""

from __future__ import annotations

import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import IO, TYPE_CHECKING, cast
from unicodedata import normalize

from du_eval.errors import InputError, Problem

if TYPE_CHECKING:
    import regex


Spacing = Callable[[str], str]


@cache
def _punctuation() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - the default tokeniser does without

    inside = r"\p{L}\p{M}\p{N}"
    between = r"['’.,\-]"
    return regex.compile(rf"(?<![{inside}]){between}|{between}(?![{inside}])|[^{inside}\s'’.,\-]")


@cache
def _unicode_words() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - the default tokeniser does without

    scripts_without_blanks = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    return regex.compile(
        rf"[{scripts_without_blanks}]\p{{M}}*"
        r"|\p{N}+(?:[.,]\p{N}+)*"
        rf"|(?:(?![{scripts_without_blanks}])[\p{{L}}\p{{M}}\p{{N}}_])+"
        rf"(?:['’](?:(?![{scripts_without_blanks}])\p{{L}})+)*"
        r"|\X"
    )


def whitespace(block: str) -> str:
    """Leave the text alone: tokens are what blanks separate."""
    return block


def punctuation(block: str) -> str:
    """Set punctuation apart, but not inside words and numbers (`don't`, `3.14`, `well-known`)."""
    return str(_punctuation().sub(r" \g<0> ", block))


def unicode_words(block: str) -> str:
    """Set words, numbers and symbols apart; characters of scripts without blanks stand alone; NFC first."""
    words = _unicode_words()
    lines = normalize("NFC", block).split("\n")
    return "\n".join(" ".join(words.findall(line)) for line in lines)


SPACINGS: dict[str, Spacing] = {
    "whitespace": whitespace,
    "punctuation": punctuation,
    "unicode": unicode_words,
}


@dataclass(frozen=True, slots=True)
class Tokeniser:
    """A way to set tokens apart, with or without lower-casing first."""

    name: str = "whitespace"
    lowercase: bool = False

    def spaced(self, block: str) -> str:
        """Return the block with blanks between its tokens; line ends stay where they are."""
        if self.lowercase:
            block = block.lower()
        return SPACINGS[self.name](block)

    @property
    def signature(self) -> str:
        """What a number must say about its tokens."""
        return f"tok:{self.name}|case:{'lower' if self.lowercase else 'mixed'}"


STANDARD_INPUT = "-"
_BLOCK_BYTES = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"

Progress = Callable[[str, int], None]
"""Called with the name of a file and the number of bytes just read from it."""


def no_progress(_name: str, _size: int) -> None:
    """Tell nobody."""


@contextmanager
def opened(name: str) -> Iterator[IO[bytes]]:
    """Open a file, or standard input for `-`, unpacking gzip whatever the name says."""
    if name == STANDARD_INPUT:
        yield _unpacked(cast("io.BufferedReader", sys.stdin.buffer))
        return
    try:
        file = Path(name).open("rb")  # noqa: SIM115 - closed below
    except OSError as error:
        raise InputError(Problem(name, 0, f"cannot be read: {error.strerror}")) from error
    with file:
        yield _unpacked(file)


def _unpacked(file: io.BufferedReader) -> IO[bytes]:
    buffered = file if hasattr(file, "peek") else io.BufferedReader(cast("io.RawIOBase", file))
    if buffered.peek(2)[:2] == _GZIP_MAGIC:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=buffered))
    return buffered


def raw_blocks(name: str, progress: Progress = no_progress, size: int = _BLOCK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks that end where a line ends."""
    with opened(name) as file:
        pending: list[bytes] = []
        while chunk := read_piece(file, name, size):
            progress(name, len(chunk))
            cut = chunk.rfind(b"\n") + 1 or _lone_return(chunk)
            if cut:
                yield b"".join((*pending, chunk[:cut]))
                pending.clear()
            # A line of any length is put together once, when its end has come.
            pending.append(chunk[cut:])
        if any(pending):
            yield b"".join(pending)


def read_piece(file: IO[bytes], name: str, size: int) -> bytes:
    """Return the next bytes of a file, which may be packed."""
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Problem(name, 0, f"cannot be read: {error}", "is the archive complete?")) from error


def _lone_return(data: bytes) -> int:
    """Return the place after the last carriage return that no line feed can follow."""
    return data.rfind(b"\r", 0, len(data) - 1) + 1


def text_blocks(name: str, progress: Progress = no_progress, *, keep_mark: bool = False) -> Iterator[str]:
    """Yield blocks of lines, each ending with a line feed; a byte order mark goes unless it is to be kept."""
    lines = 0
    for number, data in enumerate(raw_blocks(name, progress)):
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            line = lines + data.count(b"\n", 0, error.start) + 1
            hint = "convert the file to UTF-8"
            raise InputError(Problem(name, line, f"is not UTF-8: {error.reason}", hint)) from error
        if number == 0 and not keep_mark:
            text = text.removeprefix("\ufeff")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        if not text.endswith("\n"):
            text += "\n"
        lines += text.count("\n")
        yield text
