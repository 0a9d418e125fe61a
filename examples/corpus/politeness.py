"""A metric of one's own: the share of responses that say something polite."""

import numpy as np

from du_eval.corpus.metric import MetricColumn, Need, Scores

POLITE = ("please", "thank", "sure", "of course", "sorry")


class Politeness:
    columns = (MetricColumn("politeness"),)
    needs = frozenset({Need.TEXT})

    def score(self, corpus):
        lines = corpus.responses.lines
        return {
            "politeness": Scores(np.array([float(any(word in line for word in POLITE)) for line in lines]))
        }
