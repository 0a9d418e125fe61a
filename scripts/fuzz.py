"""Feed mutated input to readers, guided by coverage: `make fuzz`, or `scripts/fuzz.py suite --runs 1000`.

What was done is kept in `.fuzz`, by reader: after an interruption, `--resume` does the rest.
"""

from __future__ import annotations

import argparse
import gc
import gzip
import logging
import os
import random
import re
import sys
import tempfile
import time
import traceback
import zlib
from functools import partial
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parent.parent
FOUND = ROOT / ".fuzz"
WORDS = (b"null", b"[]", b"{}", b"-1", b"1e999", b"NaN", b"\x00", b"\xe9", b"\xef\xbb\xbf", b"\r\n", b"true")
"""What readers often stumble over."""
TOKEN = re.compile(rb'"(?:[^"\\\\\n]|\\\\.)*"|\'[^\'\n]*\'|[\[{]|[^][{}:,\s]+')
"""A value of JSON or YAML, or where a list or mapping begins."""
MATES = {b"[": b"]", b"{": b"}"}
VALUES = (b"null", b"[]", b"{}", b"-1", b"1e999", b"true", b'""', b'"x"', b"0.5", b"9" * 400, b'[[{"a": 1}]]')
"""What may stand where something else is expected."""
VALID_CHANGED, BYTES_CHANGED = 0.3, 0.3
"""Shares of changes to what is valid, and of bytes, whatever they mean."""
KEEP_EVERY = 1000
"""Executions after which their number is written down."""


class Site:
    """Runs one reader, and keeps the first input for each place where it fails in a way that is not ours."""

    def __init__(self, name: str, runs: int, seconds: float, done: int) -> None:
        from du_eval.errors import DuEvalError
        from tests.readers import READERS

        self.name, self.runs, self.done = name, runs, done
        self.reader, self.refusal = READERS[name], DuEvalError
        self.path = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_memory())) / self.reader.file
        self.failures: dict[tuple[str, str, int], str] = {}
        self.understood, self.before = 0, done
        self.start, self.seconds = time.monotonic(), seconds

    def feed(self, content: bytes) -> None:
        """Read one input; nothing but a value and an error of ours is right."""
        self.path.write_bytes(content)
        try:
            self.reader.read(self.path)
            self.understood += 1
        except self.refusal:
            pass
        except Exception as error:
            self._keep(error, content)
        self.done += 1
        if self.done % KEEP_EVERY == 0:
            _counter(self.name).write_text(str(self.done), encoding="utf-8")
        if self.done >= self.runs or time.monotonic() - self.start > self.seconds:
            self.end()

    def _keep(self, error: Exception, content: bytes) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "du_eval" in frame.filename][-1]
        site = type(error).__name__, ours.filename, ours.lineno or 0
        if site not in self.failures:
            FOUND.mkdir(exist_ok=True)
            place = FOUND / f"{self.name}-{len(self.failures)}"
            place.write_bytes(content)
            where = f"{Path(ours.filename).relative_to(ROOT)}:{ours.lineno}"
            self.failures[site] = f"  {where}: {type(error).__name__}: {str(error)[:100]!r} ({place})"

    def end(self) -> NoReturn:
        """Say what was found, and leave the fuzzer, which has no other way out."""
        _counter(self.name).write_text(str(self.done), encoding="utf-8")
        spent = f"{time.monotonic() - self.start:.0f} s, {time.process_time():.0f} s of CPU"
        share = self.understood / max(1, self.done - self.before)
        print(f"{self.name}: {self.done:,} executions, {share:.0%} understood, {spent}", end=", ")
        print(f"{len(self.failures)} failures")
        print(*self.failures.values(), sep="\n", end="\n" * bool(self.failures), flush=True)
        self.path.unlink(missing_ok=True)
        os._exit(1 if self.failures else 0)


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - quicker than a disk


def _counter(name: str) -> Path:
    return FOUND / "corpus" / f"{name}.done"


def count_done(name: str) -> int:
    """Return how often a reader was executed so far."""
    return int(_counter(name).read_text(encoding="utf-8")) if _counter(name).exists() else 0


def mutate(valid: tuple[bytes, ...], content: bytes, most: int, seed: int) -> bytes:
    """Change bytes, or, so that the inner parts of a reader are reached, one value of this or valid input."""
    import atheris

    chance = random.Random(seed)  # noqa: S311 - no secret
    if chance.random() < VALID_CHANGED:
        content = chance.choice(valid)
    packed = content.startswith(b"\x1f\x8b") and chance.random() >= BYTES_CHANGED
    if packed and (inner := _unpack(content)):
        return gzip.compress(mutate((inner,), inner, most, chance.getrandbits(32)), 1)
    places = [found.span() for found in TOKEN.finditer(content)]
    if not places or chance.random() < BYTES_CHANGED:
        changed: bytes = atheris.Mutate(content, most)
        return changed
    start, end = chance.choice(places)
    end = _find_end(content, start, end)
    other = content[slice(*chance.choice(places))]
    new = chance.choice((*VALUES, other, b"", content[start:end] + b", " + content[start:end]))
    return (content[:start] + new + content[end:])[:most]


def _unpack(content: bytes) -> bytes:
    """Return what is packed, as far as it can be unpacked."""
    try:
        return zlib.decompressobj(31).decompress(content, 100_000)
    except zlib.error:
        return b""


def _find_end(content: bytes, start: int, end: int) -> int:
    """Return where the value ends that begins at a place."""
    mate = MATES.get(content[start:end])
    if mate is None:
        return end
    depth = 0
    for place in range(start, len(content)):
        depth += (content[place : place + 1] == content[start:end]) - (content[place : place + 1] == mate)
        if not depth:
            return place + 1
    return end


def fuzz_one(site: Site) -> NoReturn:
    """Fuzz a reader; the process ends with it."""
    import atheris

    name = site.name
    folder = FOUND / "corpus" / name  # what is found interesting is the start of the next time
    folder.mkdir(parents=True, exist_ok=True)
    valid = (site.reader.valid, *site.reader.others)
    for number, one in enumerate(valid):
        (folder / f"valid{number}").write_bytes(one)
    site.path.write_bytes(site.reader.valid)
    site.reader.read(site.path)  # loads what is loaded late: that is no hang
    words = folder.with_suffix(".words")
    escaped = ["".join(map("\\x{:02x}".format, word)) for word in WORDS]
    words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="utf-8")
    most = 2 * len(site.reader.valid) + 500  # short inputs are read quickly
    options = [
        f"-dict={words}",
        "-timeout=120",
        "-rss_limit_mb=2000",
        f"-max_len={most}",
        "-verbosity=0",
        "-mutate_depth=2",
    ]
    gc.freeze()  # what is loaded stays: no need to look through it again and again
    atheris.Setup([sys.argv[0], *options, str(folder)], site.feed, custom_mutator=partial(mutate, valid))
    atheris.Fuzz()
    sys.exit("the fuzzer ended by itself")


def main() -> None:
    """Fuzz the readers that are named, or all, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="the most time for one reader")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="readers that are fuzzed at once")
    parser.add_argument("--resume", action="store_true", help="count what was done before, and do the rest")
    asked = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("the fuzzer is not installed: pip install 'du-eval[fuzz]'")
    logging.disable()
    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["du_eval"]):
        from tests.readers import READERS

        names = asked.readers or list(READERS)
        if not asked.resume:
            for name in names:
                _counter(name).unlink(missing_ok=True)
        failed = fuzz_all(asked, [name for name in names if count_done(name) < asked.runs])
    short = {name: count for name in names if (count := count_done(name)) < asked.runs}
    print(f"{len(names) - len(short)} of {len(names)} readers got {asked.runs:,} inputs; fewer: {short}")
    print(f"{len(names) - len(failed)} readers without a failure; with one:", *failed)
    sys.exit(bool(failed))


def fuzz_all(asked: argparse.Namespace, names: list[str]) -> list[str]:
    """Fuzz readers in copies of this process, which has loaded everything; return those that failed."""
    running: dict[int, str] = {}
    failed: list[str] = []
    waiting = list(reversed(names))
    while waiting or running:
        if waiting and len(running) < asked.jobs:
            name = waiting.pop()
            if not (process := os.fork()):
                fuzz_one(Site(name, asked.runs, asked.seconds, count_done(name)))
            running[process] = name
        else:
            process, status = os.wait()
            name = running.pop(process)
            failed += [name] * bool(status)
    return failed


if __name__ == "__main__":
    main()
