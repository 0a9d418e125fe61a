"""How far a person and a judge agree, as text."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.protocol.annotate import Agreement
from du_eval.reports.text import number


def agreement_text(found: Sequence[Agreement]) -> str:
    """Return how a person and the judge agree."""
    lines = [f"{'criterion':22} {'same':>9}  kappa"]
    lines += [f"{one.name:22} {f'{one.same}/{one.n}':>9}  {number(one.kappa)}" for one in found]
    return "\n".join(lines) + "\n"
