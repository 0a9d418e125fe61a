"""What is installed with du-eval: pinned, complete, and under licences that fit ours."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

PROJECT = Path(__file__).parent.parent
DATA = tomllib.loads((PROJECT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINS = dict(
    line.split("==", 1)
    for line in (PROJECT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if line and not line.startswith("#")
)
PINNED = {canonicalize_name(name): version for name, version in PINS.items()}
FITTING = re.compile(
    r"\b(mit|bsd|apache|isc|psf|python software foundation|mpl|mozilla public|unlicense|public domain|0bsd|zlib|hpnd|cc0)\b"
)
STRONG = re.compile(r"\b(agpl|affero|sspl|(?<!l)gpl(?!-compatible)|general public license)\b")


def find_needed(extra: str = "") -> set[str]:
    """Return all packages that an installation pulls in, as far as they are installed here."""
    found: set[str] = set()
    waiting = [*DATA["dependencies"], *(DATA["optional-dependencies"][extra] if extra else ())]
    while waiting:
        needed = Requirement(waiting.pop())
        name = canonicalize_name(needed.name)
        applies = needed.marker is None or any(
            needed.marker.evaluate({"extra": one}) for one in (needed.extras or {""})
        )
        if name in found or not applies:
            continue
        found.add(name)
        if name == "du-eval":
            waiting += [line for one in needed.extras for line in DATA["optional-dependencies"][one]]
            found.discard(name)
            continue
        try:
            waiting += distribution(name).requires or ()
        except PackageNotFoundError:
            continue
    return found


def test_every_pin_is_exact() -> None:
    assert all(re.fullmatch(r"[\w.!+]+", version) for version in PINS.values()), PINS


@pytest.mark.parametrize("extra", ["", "dev"])
def test_everything_that_the_checks_install_is_pinned(extra: str) -> None:
    assert find_needed(extra) - PINNED.keys() == set()


def find_licence(found: Distribution) -> str:
    """Return what a package says about its licence."""
    told = found.metadata
    classifiers = [line for line in told.get_all("Classifier") or () if line.startswith("License")]
    named = (*(told.get_all("License-Expression") or ()), *classifiers, *(told.get_all("License") or ()))
    return " ".join(line[:200] for line in named).lower()


def test_what_users_install_has_a_licence_that_fits() -> None:
    """Copyleft that would reach into du-eval is not wanted; what is needed only for checks is not handed on."""
    wrong = {}
    for name in sorted(find_needed()):
        licence = find_licence(distribution(name))
        if STRONG.search(licence) or not FITTING.search(licence):
            wrong[name] = licence
    assert wrong == {}
