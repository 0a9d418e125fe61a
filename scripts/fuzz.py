"""Feed mutated input to readers, guided by coverage: `make fuzz`, or `scripts/fuzz.py suite --runs 1000`."""

from __future__ import annotations

import argparse
import logging
import os
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import NoReturn

ROOT = Path(__file__).parent.parent
FOUND = ROOT / ".fuzz"
WORDS = (b"null", b"[]", b"{}", b"-1", b"1e999", b"NaN", b"\x00", b"\xe9", b"\xef\xbb\xbf", b"\r\n", b"true")
"""What readers often stumble over."""


class Site:
    """Runs one reader, and keeps the first input for each place where it fails in a way that is not ours."""

    def __init__(self, name: str, runs: int, seconds: float) -> None:
        from du_eval.errors import DuEvalError
        from tests.readers import READERS

        self.name, self.runs, self.done = name, runs, 0
        self.reader, self.refusal = READERS[name], DuEvalError
        self.path = Path(tempfile.mkdtemp(prefix="fuzz-", dir=_memory())) / self.reader.file
        self.failures: dict[tuple[str, str, int], str] = {}
        self.start, self.seconds = time.monotonic(), seconds

    def feed(self, content: bytes) -> None:
        """Read one input; nothing but a value and an error of ours is right."""
        self.path.write_bytes(content)
        try:
            self.reader.read(self.path)
        except self.refusal:
            pass
        except Exception as error:
            self._keep(error, content)
        self.done += 1
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
        seconds = time.monotonic() - self.start
        print(f"{self.name}: {self.done:,} executions, {seconds:.0f} s, {len(self.failures)} failures")
        print(*self.failures.values(), sep="\n", end="\n" * bool(self.failures), flush=True)
        self.path.unlink(missing_ok=True)
        os._exit(1 if self.failures else 0)


def _memory() -> str | None:
    return "/dev/shm" if Path("/dev/shm").is_dir() else None  # noqa: S108 - quicker than a disk


def fuzz_one(name: str, runs: int, seconds: float) -> NoReturn:
    """Fuzz a reader; the process ends with it."""
    import atheris

    site = Site(name, runs, seconds)
    folder = FOUND / "corpus" / name  # what is found interesting is the start of the next time
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "valid").write_bytes(site.reader.valid)
    site.path.write_bytes(site.reader.valid)
    site.reader.read(site.path)  # loads what is loaded late: that is no hang
    words = folder.with_suffix(".words")
    escaped = ["".join(map("\\x{:02x}".format, word)) for word in WORDS]
    words.write_text("".join(f'"{word}"\n' for word in escaped), encoding="utf-8")
    options = [f"-dict={words}", "-timeout=120", "-rss_limit_mb=2000", "-max_len=4096", "-verbosity=0"]
    atheris.Setup([sys.argv[0], *options, str(folder)], site.feed)
    atheris.Fuzz()
    sys.exit("the fuzzer ended by itself")


def main() -> None:
    """Fuzz the readers that are named, or all, one after the other, each in a process of its own."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("readers", nargs="*")
    parser.add_argument("--runs", type=int, default=200_000)
    parser.add_argument("--seconds", type=float, default=3600.0, help="the most time for one reader")
    asked = parser.parse_args()
    try:
        import atheris
    except ImportError:
        sys.exit("the fuzzer is not installed: pip install 'du-eval[fuzz]'")
    logging.disable()
    sys.path.insert(0, str(ROOT))
    with atheris.instrument_imports(include=["du_eval"]):
        from tests.readers import READERS

        failed = [name for name in asked.readers or READERS if _run_apart(name, asked.runs, asked.seconds)]
    print(f"{len(asked.readers or READERS) - len(failed)} readers without a failure; with one:", *failed)
    sys.exit(bool(failed))


def _run_apart(name: str, runs: int, seconds: float) -> bool:
    """Fuzz a reader in a copy of this process, which has loaded everything; tell whether it failed."""
    process = os.fork()
    if not process:
        fuzz_one(name, runs, seconds)
    return os.waitpid(process, 0)[1] != 0


if __name__ == "__main__":
    main()
