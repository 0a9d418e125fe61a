"""Text files of users: UTF-8 with or without a mark, any line ends, a clear word about everything else."""

from __future__ import annotations

from pathlib import Path

from du_eval.errors import InputError, Problem
from du_eval.trust.reading import read_file


def list_yaml_files(folder: Path) -> list[Path]:
    """Return the YAML files below a folder, without those in hidden folders such as `.du-eval`."""
    found = (file for file in folder.rglob("*") if file.suffix in {".yml", ".yaml"} and file.is_file())
    return sorted(file for file in found if not _is_hidden(file.relative_to(folder)))


def _is_hidden(file: Path) -> bool:
    return any(part.startswith(".") for part in file.parts[:-1])


def read_text_file(path: str | Path) -> str:
    """Return the text of a file with plain line feeds; raise if it cannot be read or is not UTF-8."""
    try:
        content = read_file(path)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise InputError(Problem(str(path), 0, f"cannot be read: {reason}")) from error
    return decode_text(content, str(path))


def decode_text(content: bytes, name: str) -> str:
    """Return bytes as text with plain line feeds and without a mark; `name` is how errors call them."""
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        message = f"is not UTF-8: the byte 0x{content[error.start]:02x}"
        raise InputError(Problem(name, line, message, "convert the file to UTF-8")) from error
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text
