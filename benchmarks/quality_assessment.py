"""Assess 10,000 replies at once and one at a time, in one run: `python benchmarks/quality_assessment.py`."""

from __future__ import annotations

import gc
import sys
from random import Random
from time import perf_counter

from msgspec.structs import replace

from du_eval.assembly.quality import QualityJudges, build_assessing, build_judges
from du_eval.chatters.replies import ReplyStatus
from du_eval.judges.model_judges import AlikeCoherence
from du_eval.judges.scored import ScoredToxicity
from du_eval.judges.similarity import EmbeddingSimilarity, similarity_judge
from du_eval.judges.tasks import Role
from du_eval.judges.toxicity import toxicity_judge
from du_eval.quality.config import REPLY_TESTS, read_config
from du_eval.quality.dialogue import Dialogue, MarkedExchange
from du_eval.quality.pipeline import Assessing, assess

MARK = 5.0
TURNS = 20
SUBJECTS = (
    "my sister",
    "the old teacher",
    "our neighbour",
    "a friend of mine",
    "the baker",
    "that small dog",
)
VERBS = ("likes", "wants to paint", "told me about", "is afraid of", "has bought", "never forgets")
THINGS = (
    "the blue boat",
    "long train rides",
    "fresh bread",
    "the piano",
    "cold mornings",
    "this town",
    "her garden",
)


def sentence(random: Random) -> str:
    """Return one of some 60,000 sentences, so that hardly any reply occurs twice."""
    first, second = (
        f"{random.choice(SUBJECTS)} {random.choice(VERBS)} {random.choice(THINGS)}" for _ in range(2)
    )
    return f"{first.capitalize()} because {second}."


def dialogues(replies: int) -> list[Dialogue]:
    random = Random(1)
    return [
        Dialogue(
            number,
            tuple(
                MarkedExchange(
                    sentence(random), sentence(random) + (" Do you like it?" if random.random() < 0.1 else "")
                )
                for _ in range(TURNS)
            ),
        )
        for number in range(replies // TURNS)
    ]


def one_at_a_time(all_of_them: list[Dialogue], assessing: Assessing) -> int:
    """Assess each reply in a call of its own, as the original does; what was said before is its context."""
    count = 0
    for dialogue in all_of_them:
        for place in range(len(dialogue.exchanges)):
            seen = Dialogue(dialogue.number, dialogue.exchanges[: place + 1])
            last = [check.assess([_only_last(seen)]) for check in assessing.checks]
            count += sum(len(found) for found in last)
    return count


def _only_last(dialogue: Dialogue) -> Dialogue:
    """Return the dialogue with one reply to judge, the last; what was said before stays as its context."""
    before = [replace(exchange, outcome=ReplyStatus.EMPTY) for exchange in dialogue.exchanges[:-1]]
    return Dialogue(dialogue.number, (*before, dialogue.exchanges[-1]))


def forgetting(judges: QualityJudges) -> QualityJudges:
    """Return the same judges without a memory of texts that they have read, as the original has none."""
    if not isinstance(judges.similarity, EmbeddingSimilarity):
        return judges
    bare = judges.similarity.keep_texts(0)
    others = {
        Role.COHERENCE: AlikeCoherence(bare),
        Role.TOXICITY: ScoredToxicity(toxicity_judge("embeddings", bare)),
    }
    return replace(judges, similarity=bare, panel={**judges.panel, **others})


def _loads() -> int:
    """Return how many sentence models this process holds."""
    return sum(type(thing).__name__ == "SentenceTransformer" for thing in gc.get_objects())


def main() -> None:
    replies = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    share = 25  # one at a time is measured on a 25th and scaled: it is linear in the replies
    has_model = isinstance(similarity_judge(), EmbeddingSimilarity)
    toxicity = "embeddings" if has_model else "lexicon"
    config = read_config(None, {"reply_tests": list(REPLY_TESTS), "judges": {"toxicity": toxicity}})
    judges = build_judges(config)
    assessing = build_assessing(config, judges)
    original = build_assessing(config, forgetting(judges))
    talks = dialogues(replies)
    one_at_a_time(talks[:1], original)  # models are loaded before the clock starts
    loaded = judges.similarity.__dict__.get("_model")
    count = _loads()
    start = perf_counter()
    run = assess(talks, assessing)
    batch = perf_counter() - start
    start = perf_counter()
    one_at_a_time(talks[: max(1, len(talks) // share)], original)
    single = (perf_counter() - start) * len(talks) / max(1, len(talks) // share)
    if isinstance(judges.similarity, EmbeddingSimilarity):
        assert judges.similarity.__dict__["_model"] is loaded, "the model was loaded twice"
        assert (count, _loads()) == (1, 1), "a model was loaded twice"
    distinct = len({exchange.reply for talk in talks for exchange in talk.exchanges})
    print(f"judges: {', '.join(judges.names.values())}; {distinct} different replies")
    verdicts = sum(len(one.detail.assessments) for one in run.results())
    print(f"judge: {judges.similarity.name}; {verdicts} verdicts on {replies} replies")
    print(f"batch {batch:.1f} s, one at a time {single:.1f} s (scaled from a 25th)")
    print(f"{single / batch:.1f} times as fast, mark {MARK}")
    sys.exit(0 if single / batch >= MARK else 1)


if __name__ == "__main__":
    main()
