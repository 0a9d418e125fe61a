"""A chatter, a test, a check and a judge of one's own: `du-eval quality run examples/quality/my_bot.yaml`."""

from __future__ import annotations

from du_eval.judges.similarity import TfidfSimilarity
from du_eval.quality.dialogue import Line, LineRole
from du_eval.quality.results import Assessment
from du_eval.runs.outcome import Outcome


class LastStatement:
    """Repeats the last statement it heard, whatever is asked."""

    def get_response(self, conv_array):
        statements = [text for text in conv_array[::2] if not text.endswith("?")]
        return statements[-1] if statements else "Tell me something."


class ShoutedQuestion:
    """A test on facts: does the bot understand a question in capitals?"""

    code, category = "MY-SHOUT", "QA"

    def lines(self, fact, random):
        question = random.choice(fact.questions)
        return [Line(fact.information[0], LineRole.INFORMATION), Line(question.upper(), LineRole.QUESTION)]


class ShortReplies:
    """A check of every reply: at most 20 words."""

    def assess(self, dialogues):
        return [
            Assessment(
                "MY-SHORT",
                dialogue.number,
                place,
                Outcome.PASSED if len(exchange.reply.split()) <= 20 else Outcome.FAILED,
                value=len(exchange.reply.split()),
                reason="counts words",
                judge="word count",
            )
            for dialogue in dialogues
            for place, exchange in enumerate(dialogue.exchanges)
        ]


class ForgivingSimilarity(TfidfSimilarity):
    """A judge of similarity: the packaged one, a bit more forgiving."""

    name = "forgiving"

    def scores(self, pairs):
        return [min(1.0, 1.1 * score) for score in super().scores(pairs)]
