"""How often chance is drawn for a test or an interval."""

from __future__ import annotations

from msgspec import Struct


class Resampling(Struct, frozen=True):
    """How often is drawn, from which seed, and how sure intervals shall be."""

    resamples: int = 2000
    seed: int = 0
    confidence: float = 0.95
