"""Inputs of any size: files, folders, patterns, standard input and remote files, as bytes or rows."""

from __future__ import annotations

import csv
import glob
import gzip
import io
import json
import re
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, Any, cast

from msgspec import Struct

from du_eval.errors import InputError, MissingExtraError, Problem
from du_eval.trust.reading import MOST_BYTES, open_file

STANDARD_INPUT = "-"
JSON_LINES, TABLES = (".jsonl", ".ndjson"), (".csv", ".tsv", ".parquet")
_BLOCK_BYTES = 1 << 20
_GZIP_MAGIC = b"\x1f\x8b"
_REMOTE = re.compile(r"[a-z][a-z0-9+.-]*://", re.IGNORECASE)
_DIGITS = re.compile(r"(\d+)")
_WIDEST = 10_000_000
"""The longest cell of a table, in characters."""
LONGEST_LINE = 64_000_000
"""The longest line, in bytes."""

Json = Mapping[str, object]
Progress = Callable[[str, int], None]
"""Called with the name of a file and the number of bytes just read from it."""


def no_progress(_name: str, _size: int) -> None:
    """Tell nobody."""


def is_remote(name: str) -> bool:
    """Tell whether a name is an address, such as s3://bucket/replies.jsonl."""
    return _REMOTE.match(name) is not None


def find_form(name: str) -> str:
    """Return the form that a name tells, such as .jsonl, whether the file is packed or not; else nothing."""
    ending = Path(name.casefold().removesuffix(".gz")).suffix
    return ending if ending in (*JSON_LINES, *TABLES) else ""


def find_files(name: str, accepts: Callable[[Path], bool], *, is_deep: bool = False) -> list[str]:
    """Return the files of a folder or pattern that are accepted, step-9 before step-10; a file as it is."""
    if is_remote(name):
        return _find_remote(name) if glob.has_magic(name) else [name]
    path = Path(name)
    if path.is_dir():
        found = [one for one in (path.rglob("*") if is_deep else path.iterdir()) if one.is_file()]
        return [str(one) for one in sorted(found, key=_order) if accepts(one)]
    if glob.has_magic(name) and not path.exists():
        matches = [one for one in map(Path, glob.glob(name, recursive=True)) if one.is_file()]
        if not matches:
            raise InputError(f"no file matches {name}")
        return [str(one) for one in sorted(matches, key=_order)]
    return [name]


def _order(path: Path) -> list[tuple[int, int, str]]:
    """Return a key that puts step-9 before step-10."""
    return [
        (0, int(part), "") if part.isdecimal() else (1, 0, part) for part in _DIGITS.split(str(path)) if part
    ]


def _find_remote(name: str) -> list[str]:
    try:
        files = _import_remote().open_files(name)
    except (OSError, ValueError, ImportError) as error:
        raise InputError(Problem(name, 0, f"cannot be listed: {error}")) from error
    if not files:
        raise InputError(f"no file matches {name}")
    return [file.full_name for file in files]


def _import_remote() -> Any:
    try:
        import fsspec  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("fsspec", "remote") from error
    return fsspec


@contextmanager
def open_input(name: str, *, unpacks: bool = True) -> Iterator[IO[bytes]]:
    """Open a file, standard input for `-`, or a remote file; gzip is unpacked whatever the name says."""
    if name == STANDARD_INPUT:
        yield _unpack(sys.stdin.buffer)
        return
    try:
        if is_remote(name):
            file = cast("IO[bytes]", _import_remote().open(name, "rb").open())
        else:
            file = open_file(name)
    except (OSError, ValueError, ImportError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(Problem(name, 0, f"cannot be read: {reason}")) from error
    with file:
        yield _unpack(file) if unpacks else file


def _unpack(file: IO[bytes]) -> IO[bytes]:
    buffered: IO[bytes] = file if hasattr(file, "peek") else io.BufferedReader(cast("io.RawIOBase", file))
    if cast("io.BufferedReader", buffered).peek(2)[:2] == _GZIP_MAGIC:
        return cast("IO[bytes]", gzip.GzipFile(fileobj=buffered))
    return buffered


def raw_blocks(name: str, progress: Progress = no_progress, size: int = _BLOCK_BYTES) -> Iterator[bytes]:
    """Yield the bytes of a file in blocks that end where a line ends."""
    with open_input(name) as file:
        pending: list[bytes] = []
        while chunk := read_piece(file, name, size):
            progress(name, len(chunk))
            cut = chunk.rfind(b"\n") + 1 or _lone_return(chunk)
            if cut:
                yield b"".join((*pending, chunk[:cut]))
                pending.clear()
            # A long line is put together once, when its end has come.
            pending.append(chunk[cut:])
            if sum(map(len, pending)) > LONGEST_LINE:
                raise refuse_line(name)
        if any(pending):
            yield b"".join(pending)


def read_whole(name: str) -> bytes:
    """Return all bytes of a file, unpacked."""
    found = bytearray()
    for block in raw_blocks(name):
        found += block
        if len(found) > MOST_BYTES:
            told = f"is larger than {MOST_BYTES >> 30} GB, the most that is read at once"
            raise InputError(Problem(name, 0, told, "divide it"))
    return bytes(found)


def read_piece(file: IO[bytes], name: str, size: int) -> bytes:
    """Return the next bytes of a file, which may be packed."""
    try:
        return file.read(size)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(Problem(name, 0, f"cannot be read: {error}", "is the archive complete?")) from error


def read_line(file: IO[bytes], name: str) -> bytes:
    """Return the next line of a file."""
    line = file.readline(LONGEST_LINE + 1)
    if len(line) > LONGEST_LINE:
        raise refuse_line(name)
    return line


def refuse_line(name: str) -> InputError:
    """Return the error for a line that nobody could hold."""
    return InputError(Problem(name, 0, f"has a line of more than {LONGEST_LINE:,} bytes", "divide it"))


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


def text_lines(name: str, progress: Progress = no_progress) -> Iterator[str]:
    """Yield the lines of a file, each ending with a line feed."""
    return chain.from_iterable(map(io.StringIO, text_blocks(name, progress)))


class Row(Struct, frozen=True):
    """A line or row with its values, or what is wrong with it, and the bytes that it takes."""

    line: int
    values: Json | ValueError
    start: int = 0
    end: int = 0


def read_rows(name: str, progress: Progress = no_progress) -> Iterator[Row]:
    """Yield the rows of JSON lines, CSV or Parquet, one at a time."""
    form = find_form(name)
    if form == ".parquet":
        return _parquet_rows(name, progress)
    if form in TABLES:
        return _table_rows(name, progress, "\t" if form == ".tsv" else ",")
    return json_rows(raw_blocks(name, progress))


def json_rows(blocks: Iterable[bytes], line: int = 0, place: int = 0) -> Iterator[Row]:
    """Yield the objects of JSON lines without empty ones; `line` and `place` are where the blocks begin."""
    for raw in chain.from_iterable(block.splitlines(keepends=True) for block in blocks):
        start, line, place = place, line + 1, place + len(raw)
        if raw.strip():
            yield Row(line, _parse_object(raw if start else raw.removeprefix(b"\xef\xbb\xbf")), start, place)


def _parse_object(raw: bytes) -> Json | ValueError:
    try:
        found = json.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        return ValueError(f"is not UTF-8: the byte 0x{raw[error.start]:02x} (convert the file to UTF-8)")
    except (ValueError, RecursionError) as error:
        return ValueError(f"is not JSON: {getattr(error, 'msg', error)}")
    return found if isinstance(found, dict) else ValueError("is not a JSON object")


def _table_rows(name: str, progress: Progress, separator: str) -> Iterator[Row]:
    csv.field_size_limit(_WIDEST)
    reader = csv.DictReader(text_lines(name, progress), delimiter=separator, strict=True)
    try:
        for values in reader:
            is_whole = None not in values and None not in values.values()
            told = f"does not have {len(reader.fieldnames or ())} cells"
            yield Row(reader.line_num, {**values} if is_whole else ValueError(told))
    except csv.Error as error:
        raise InputError(Problem(name, reader.line_num, f"is not CSV: {error}")) from error


def _parquet_rows(name: str, progress: Progress) -> Iterator[Row]:
    try:
        import pyarrow as pa  # noqa: PLC0415 - an extra
        import pyarrow.parquet as pq  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise MissingExtraError("pyarrow", "parquet") from error
    line = 0
    with open_input(name, unpacks=False) as file:
        source = io.BytesIO(file.read()) if name == STANDARD_INPUT else file
        try:
            for batch in pq.ParquetFile(source).iter_batches(1000):
                progress(name, batch.nbytes)
                for values in batch.to_pylist():
                    line += 1
                    yield Row(line, {key: value for key, value in values.items() if value is not None})
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(Problem(name, line, f"is not Parquet: {error}")) from error
