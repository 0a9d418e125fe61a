"""What a run was: its suite, generator, settings, versions and times."""

from __future__ import annotations

import hashlib
import json
import platform
import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from msgspec import Struct, ValidationError, convert, field, to_builtins
from msgspec.structs import replace

from du_eval import __version__
from du_eval.errors import InputError, Problem
from du_eval.runs.record import AnyRun, Spent, Status
from du_eval.trust.reading import open_file, read_file

_REMOVE = "remove its folder, and run again"
_PACKAGES = ("aiohttp", "jinja2", "scikit-learn", "numpy", "pydantic")


class Manifest(Struct, frozen=True):
    """Everything that is needed to understand, continue and judge a run again."""

    id: str
    kind: str
    """The activity that made the run."""
    subject: str
    """Who is tested: a generator, a bot, an agent, files."""
    files: Mapping[str, str]
    """Each test file and the hash of its content when the run began."""
    cases: tuple[str, ...]
    """The selected cases, in order."""
    settings: Mapping[str, object] = field(default_factory=dict)
    identity: Mapping[str, object] = field(default_factory=dict)
    """The settings that decide about the answers."""
    seed: int = 0
    samples: int = 1
    versions: Mapping[str, str] = field(default_factory=dict)
    git_commit: str | None = None
    started: str = ""
    ended: str | None = None
    status: Status = Status.RUNNING
    label: str = ""
    steps: int = 0
    """How many answers a complete run has."""
    merged: tuple[str, ...] = ()
    """The runs that were joined into this one."""
    corrected: Mapping[str, str] = field(default_factory=dict)
    """Test files that were corrected since, by which the run was judged again."""
    outcomes: Mapping[str, str] = field(default_factory=dict)
    """What became of the cases, once the run has ended."""
    figures: Mapping[str, float | None] = field(default_factory=dict)
    """The figures of the run, once it has ended."""
    headline: tuple[str, ...] = ()
    """The figures that people look at first."""
    spent: Spent = Spent()
    """What all parts of the run took that have ended."""
    seal: str = ""
    """The mark of the user who began the run: settings of a run from elsewhere need consent."""
    answers: int = 0
    """The lines of the journal when the run ended."""
    chain: str = ""
    """The hash of the last of them, which depends on all."""
    report: str = ""
    """The hash of the report."""
    beside: Mapping[str, str] = field(default_factory=dict)
    """Each file that the run wrote beside it, and the hash of its content."""
    end_seal: str = ""
    """The user's mark under all that."""

    @property
    def judged_by(self) -> dict[str, str]:
        """Each test file and the hash of the content by which the run was judged last."""
        return {**self.files, **self.corrected}

    @property
    def sealed_text(self) -> str:
        """What the mark is about."""
        return json.dumps([self.id, self.kind, self.settings], sort_keys=True, default=str)

    @property
    def root(self) -> str:
        """What the journal builds on: a hash of what does not change from the beginning of the run on."""
        facts = [
            self.id, self.kind, self.subject, self.files, self.identity, self.seed, self.samples,
            self.versions, self.git_commit, self.started,
        ]  # fmt: skip
        return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()

    @property
    def fingerprint(self) -> str:
        """A hash of the whole run: what it is about, every answer, the report, and what lists show of it."""
        written = convert(json.loads(self.to_json()), Manifest)  # as it is read again: 1 may become 1.0
        told = to_builtins(replace(written, seal="", end_seal=""))
        facts = {key: value for key, value in told.items() if value}  # later versions may know more
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()

    def sum_up(self, run: AnyRun) -> Manifest:
        """Return the manifest with what came of a run, for lists and histories of many."""
        return replace(
            self,
            label=run.head.label,
            status=run.head.status,
            outcomes={case.id: case.outcome.value for case in run.cases if case.is_judged},
            figures={figure.name: figure.value for figure in run.figures},
            headline=tuple(figure.name for figure in run.figures if figure.is_headline),
            spent=run.head.spent,
        )

    def to_json(self) -> str:
        """Return the manifest as text."""
        return json.dumps(to_builtins(self), ensure_ascii=False, indent=1, default=str) + "\n"

    @classmethod
    def from_file(cls, path: Path) -> Manifest:
        """Read a manifest."""
        try:
            data = json.loads(read_file(path))
            found = convert(data, cls)
        except OSError as error:
            raise InputError(Problem(str(path), 0, f"cannot be read: {error.strerror or error}")) from error
        except ValidationError as error:
            raise InputError(Problem(str(path), 0, *_refuse(data, error))) from error
        except (ValueError, RecursionError) as error:
            raise InputError(
                Problem(str(path), 0, f"this is not the manifest of a run: {error}", _REMOVE)
            ) from error
        for moment in filter(None, (found.started, found.ended)):
            if not _is_moment(moment):
                message = f"this is not the manifest of a run: '{moment}' is not a time"
                raise InputError(Problem(str(path), 0, message, _REMOVE))
        return found


def _refuse(data: object, error: ValidationError) -> tuple[str, str]:
    """Return why a manifest cannot be used, and what to do."""
    if isinstance(data, dict) and "id" in data and "kind" not in data:
        return "a run of du-eval 0.1, which this version does not read", _REMOVE
    return f"this is not the manifest of a run: {error}", _REMOVE


def _is_moment(text: str) -> bool:
    try:
        datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        return False
    return True


def hash_files(files: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file's content; a file that is gone has none."""
    return {file: hash_file(Path(file)) for file in files}


def hash_file(path: Path) -> str:
    """Return the hash of a file's content, or an empty text where it cannot be read."""
    try:
        with open_file(path) as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""


def list_versions() -> dict[str, str]:
    """Return the versions that may matter for the numbers of a run."""
    found = {"du-eval": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def read_git_commit() -> str | None:
    """Return the commit that is checked out in the working directory, if there is one."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "HEAD"],  # noqa: S607 - whichever git the user has
            capture_output=True,
            text=True,
            timeout=5,
            check=True,
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None
