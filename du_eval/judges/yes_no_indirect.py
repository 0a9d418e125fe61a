"""What an indirect reply says to a closed question: by the kind of question, a preference or a negation."""

from __future__ import annotations

import re
from functools import cache

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.lexicon import read_data
from du_eval.judges.plain_text import split_clauses, stems_alike, words_of
from du_eval.judges.yes_no_statements import STOP_WORDS, Said, is_doubtful
from du_eval.judges.yes_no_words import FILLER, NEGATED, UNNEGATED

_PREFERRED = re.compile(
    r"\b(?:i|we)(?:'d| would)?(?: (?:\w+ly|much))* (?:prefer|rather)\b|\b(?:i|we)(?:'m|'re| am| are) more "
    r"(?:of an?|into)\b|\bпредпо(?:чита|чел|чла|чл)\w*|\bмне (?:ближе|больше)\b|"
    r"^(?:лучше|скорее|больше)\b(?! не)"
)
_WISHING = re.compile(r"prefer|rather|like|love|enjoy|fancy|want|люб|нрав|хоч|хот|буд")
_NEGATED_START = re.compile(
    r"(?:(?:i|we|it|they|he|she)(?:'m|'ve|'s|'re| am| have| is| are| was)? ?(?:\w+ly |just |still |even )*"
    r"(?:don't|do not|haven't|hasn't|not|didn't|isn't|wasn't|doesn't|aren't|have no|got no)\b|not\b|"
    r"(?:я |мы |он |она |они |это )?(?:\w+ )?(?:не|нет)\b)"
    r"(?! (?:\w+ )?(?:know|mind|remember|understand|care|sure|familiar|wait|lie|only|just|too|to mention|on|"
    r"оторвать|знаю|помню|уверен\w*|против|прочь|откажусь|то|без|только|скрою|могу|бывает|встречал\w?)\b)"
)
_OTHERWISE = re.compile(
    r"\b(?:since|other|without|else|enough|until|but|more|though|alone|tried|heard|so much|as bad|at first|"
    r"но|без|кроме|больше|пока|еще|так)\b|\?"
)
_PLAINLY_ASKED = re.compile(
    r"^(?:do|does|did|have|has|are|is|was|were|will|would|want|any|got|should|ever)\b|^(?:ты|вы|у|он|она|вам|тебе)\b"
)
_ASKED_FOR_TROUBLE = re.compile(
    r"\b(?:mind|restrict|allerg|diet|problem|difficult|hard|bor|tired|stress|hungry|quiet|alone|sure|avoid|"
    r"hate|new|still|single|unhappy|too|не|без|голод|скучн|еще|один|одн|боишься|боитесь)"
)


def read_by_preference(sentences: list[str], asked: str) -> Said | None:
    """Return no where something else is preferred to what was asked about, yes where that itself is."""
    wanted = [word for word in words_of(asked) if word not in STOP_WORDS and len(word) > 2]
    wanted = [word for word in wanted if not _WISHING.match(word)]
    told = [clause for one in sentences if not one.endswith("?") for clause in split_clauses(one)]
    for clause in told:
        found = _PREFERRED.search(FILLER.sub("", clause))
        if not found or not wanted or "mind" in wanted or NEGATED.search(UNNEGATED.sub(" ", clause)):
            continue
        shared = [word for word in wanted if any(stems_alike(word, one) for one in words_of(clause))]
        is_all = len(shared) == len(wanted) and "prefer" in asked
        if (not shared or is_all) and not re.search(
            r"\b(?:it|this|that)\b|\bto$| than\b| at least\b", clause
        ):
            return Said(bool(shared), f"says '{found[0]}'")
    return None


def read_by_negated_start(sentences: list[str], asked: str) -> Said | None:
    """Return no where all that is said begins with a negation: "I don't like crowds"."""
    said = FILLER.sub("", sentences[0])
    found = _NEGATED_START.match(said)
    if not found or len(sentences) > 1 or _OTHERWISE.search(said) or is_abstention(said):
        return None
    if not _PLAINLY_ASKED.search(asked) or _ASKED_FOR_TROUBLE.search(asked):
        return None
    return Said(is_yes=False, words=f"begins with '{found[0]}'")


def read_by_situation(sentences: list[str], asked: str) -> Said | None:
    """Return the answer that a kind of question gets without yes or no: "we only take cash"."""
    told = [one for one in sentences if not one.endswith("?")]
    clauses = [FILLER.sub("", clause) or clause for one in told for clause in (one, *split_clauses(one))]
    found: dict[bool, str] = {}
    for pattern, refused, granted in _situations():
        if not pattern.search(asked):
            continue
        for clause in clauses:
            if match := refused.search(clause):
                found[False] = match[0]
            elif (match := granted.search(clause)) and not is_doubtful(clause):
                found[True] = match[0]
    if len(found) != 1:
        return None
    (is_yes, said), *_ = found.items()
    return Said(is_yes, f"says '{said}'")


@cache
def _situations() -> list[tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]]:
    return [
        (re.compile(one["asked"]), re.compile("|".join(one["no"])), re.compile("|".join(one["yes"])))
        for one in read_data("situations.yml")
    ]
