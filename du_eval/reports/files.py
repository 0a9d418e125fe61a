"""Report files: which form a name asks for, and writing them without leaving half a file."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import yaml

from du_eval.errors import InputError, Problem, ReportError
from du_eval.trust.files import write_privately
from du_eval.trust.reading import read_file

_DUMPER: type[yaml.SafeDumper] = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_LOADER: type[yaml.SafeLoader] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(path: Path) -> dict[str, object]:
    """Return the mapping of a YAML file."""
    try:
        data = yaml.load(read_file(path).decode("utf-8"), _LOADER)  # noqa: S506 - a safe loader
    except (OSError, ValueError, RecursionError, yaml.YAMLError) as error:
        raise InputError(Problem(str(path), 0, f"cannot be read: {error}")) from error
    if not isinstance(data, dict):
        raise InputError(Problem(str(path), 0, "a report is a mapping"))
    return data


def json_text(data: Mapping[str, object]) -> str:
    """Return data as JSON."""
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def yaml_text(data: Mapping[str, object]) -> str:
    """Return data as YAML, in the order of its keys; half characters, which YAML has not, are escaped."""
    return "".join(_list_pieces(data))


def _list_pieces(data: Mapping[str, object]) -> Iterator[str]:
    """Yield the text key by key and entry by entry: of the whole at once, it takes much memory."""
    for key, value in data.items():
        if isinstance(value, list) and value:
            yield _dump({key: None}).removesuffix(" null\n") + "\n"
            yield from (_dump([one]) for one in value)
        else:
            yield _dump({key: value})


def _dump(piece: object) -> str:
    try:
        return str(yaml.dump(piece, Dumper=_DUMPER, sort_keys=False, allow_unicode=True, width=110))
    except UnicodeEncodeError:
        return _dump(_encodable(piece))


def _encodable(data: object) -> object:
    if isinstance(data, str):
        return data.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(data, Mapping):
        return {_encodable(key): _encodable(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [_encodable(item) for item in data]
    return data


def write(path: str | Path, content: str | bytes) -> None:
    """Write a file at once: a reader sees the old or the new one, never a part."""
    write_pieces(path, [content])


def write_pieces(path: str | Path, pieces: Iterable[str | bytes]) -> None:
    """Write a file piece by piece, and let readers see it only when it is whole."""
    encoded = (
        piece if isinstance(piece, bytes) else piece.encode("utf-8", "backslashreplace") for piece in pieces
    )
    try:
        write_privately(Path(path), encoded)
    except OSError as error:
        raise ReportError(f"the report {path} could not be written: {error}") from error
