"""Which texts say the same: groups by similarity."""

from __future__ import annotations

from collections.abc import Sequence

from du_eval.judges.similarity import EmbeddingSimilarity, TfidfSimilarity

_MOST = 3000
"""More texts than this are grouped by exact equality: distances between all pairs would not fit."""


def groups_of(
    texts: Sequence[str], judge: TfidfSimilarity | EmbeddingSimilarity, likeness: float
) -> list[int]:
    """Return a group number for each text; texts of a group are on average at least that similar."""
    distinct = sorted(set(texts))
    if len(distinct) < 2 or len(distinct) > _MOST:
        numbers = {text: number for number, text in enumerate(distinct)}
        return [numbers[text] for text in texts]
    from sklearn.cluster import AgglomerativeClustering  # noqa: PLC0415
    from sklearn.metrics.pairwise import cosine_distances  # noqa: PLC0415

    distances = cosine_distances(judge.vectors(distinct))
    clustering = AgglomerativeClustering(
        n_clusters=None, distance_threshold=1 - likeness, metric="precomputed", linkage="average"
    )
    labels = clustering.fit_predict(distances)
    numbers = dict(zip(distinct, map(int, labels), strict=True))
    return [numbers[text] for text in texts]
