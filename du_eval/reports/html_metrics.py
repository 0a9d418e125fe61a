"""What the HTML page needs of corpus metrics: a table, families for charts, differences."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

Data = Mapping[str, Any]
_FAMILIES = {
    "agreement with the expected responses": r"bleu|rouge|chrf|token-f1|meteor|^corpus-",
    "meaning": r"embedding|coherence|similarity|mauve",
    "diversity": r"^distinct|^ead|self-bleu|unique|repetition",
    "distance to the expected words": r"-div$",
    "information": r"entropy|perplexity",
    "form": r"length|unknown|words",
}


def metrics_page(data: Data, name: str) -> dict[str, Any]:
    """Return corpus metrics for the page."""
    files = data["files"]
    metrics = list(dict.fromkeys(metric for file in files for metric in file["metrics"]))
    families: dict[str, list[str]] = {}
    for metric in metrics:
        families.setdefault(family_of(metric), []).append(metric)
    titles = _titles([file["file"] for file in files])
    return {
        "title": str(data.get("label") or name),
        "about": f"corpus metrics · {len(files)} files of responses · {len(metrics)} metrics",
        "signature": str(data.get("signature", "")),
        "confidence": data.get("confidence", 0.95),
        "baseline": titles.get(data.get("baseline") or "", ""),
        "notes": list(data.get("notes", ())),
        "files": [{**file, "title": titles[file["file"]]} for file in files],
        "metrics": metrics,
        "families": {key: families[key] for key in (*_FAMILIES, "others") if key in families},
    }


def family_of(metric: str) -> str:
    """Return which metrics are shown beside a metric."""
    # self-bleu compares the responses with each other, so it stands with diversity.
    if metric == "self-bleu":
        return "diversity"
    found = (family for family, pattern in _FAMILIES.items() if re.search(pattern, metric))
    return next(found, "others")


def _titles(names: list[str]) -> dict[str, str]:
    """Return short names of files: their stems, unless two share one."""
    stems = [Path(name).stem for name in names]
    return {name: stem if stems.count(stem) == 1 else name for name, stem in zip(names, stems, strict=True)}
