"""Make the packaged weights of the toxicity model from the labelled texts in the package.

    python scripts/make_toxicity_weights.py

Needs scikit-learn. A text is toxic from a chance of LEAST on, which becomes one half in the weights.
"""

from __future__ import annotations

import csv
import json
import math
from collections import Counter
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix, hstack
from sklearn.linear_model import LogisticRegression

from du_eval.judges.toxic_model import read_features, read_meaning
from du_eval.judges.toxic_words import weigh_labels

DATA = Path(__file__).parents[1] / "du_eval/judges/data"
RARE, FREEDOM, LEAST = 2, 3.0, 0.57
"""How often a feature must occur, the inverse of the penalty, and the least chance."""


def main() -> None:
    """Fit the model and write its weights."""
    with (DATA / "toxicity.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    found = [read_features(row["text"]) for row in rows]
    counts = Counter(one for features in found for one in features)
    names = sorted(one for one, count in counts.items() if count >= RARE)
    places = {name: place for place, name in enumerate(names)}
    known = [[places[one] for one in features if one in places] for features in found]
    values = [len(some) ** -0.5 for some in known for _ in some]
    lines = [line for line, some in enumerate(known) for _ in some]
    words = csr_matrix((values, (lines, [one for some in known for one in some])), (len(rows), len(names)))
    lexical = [[max(weigh_labels(row["text"])[0].values())] for row in rows]
    dense = np.hstack([lexical, [read_meaning(row["text"]) for row in rows]])
    fitted = LogisticRegression(C=FREEDOM, max_iter=5000).fit(
        hstack([csr_matrix(dense), words]).tocsr(), [row["label"] == "toxic" for row in rows]
    )
    lexicon, *meaning = (round(float(one), 2) for one in fitted.coef_[0, : dense.shape[1]])
    features = zip(names, fitted.coef_[0, dense.shape[1] :], strict=True)
    weights = {
        "start": round(float(fitted.intercept_[0]) - math.log(LEAST / (1 - LEAST)), 2),
        "lexicon": lexicon,
        "meaning": meaning,
        "features": {name: round(float(one), 2) for name, one in features if name},
    }
    text = json.dumps(weights, ensure_ascii=False, separators=(",", ":"))
    (DATA / "toxicity_weights.json").write_text(text.replace(',"', ',\n"') + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
