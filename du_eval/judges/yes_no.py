"""Whether a reply says yes or no to what was asked: by rules that abstain rather than guess."""

from __future__ import annotations

import re

from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_clauses, split_sentences, split_words
from du_eval.judges.yes_no_echo import (
    read_by_auxiliary,
    read_by_detail,
    read_by_preference,
)
from du_eval.judges.yes_no_statements import (
    CONTRAST,
    Said,
    list_statements,
    read_by_attitude,
    read_by_bare_statement,
    read_by_habit,
    read_by_offer,
    read_by_statement,
    read_by_value,
)
from du_eval.judges.yes_no_values import read_by_other_name, read_by_other_value, read_by_situation
from du_eval.judges.yes_no_words import (
    BEFORE,
    FILLER,
    NEGATED,
    NO_HEAD,
    TAIL_NO,
    TAIL_YES,
    UNSURE,
    YES_HEAD,
)

NAME = "yes-no-rules/12"
_NEGATIVE_QUESTION = re.compile(
    r"^(?:so |and )?(?:don't|doesn't|didn't|isn't|aren't|wasn't|weren't|haven't|hasn't|can't|won't|"
    r"wouldn't)\b"
    r"|\b(?:don't|didn't|haven't|aren't|isn't|can't|never|not)\b|\bне\b|\bразве\b|\bникогда\b"
)
_DENIED_INSIDE = re.compile(r"(?<=[\w,] )(?:don't|didn't|haven't|aren't|isn't|can't|never|not)\b")
_ASKS = re.compile(
    r"(?:what|which|who|whose|where|how)(?:'s)? (?!an? |doesn't|wouldn't|else)(?:\w+ )*(?:do|does|did|is|"
    r"are|was|were|can|"
    r"will|have)\b[^.!?]*$|(?:who|why|what|where|when|which one|а что|что|кто|зачем|почему|какой|какая|"
    r"когда)$"
)
_ALTERNATIVE = re.compile(
    r"\bor (?!not\b|no\b|something|anything|what\b|so\b|sisters?|brothers?|children)|\bили (?!нет|не\b|"
    r"сест|брат)"
)
_NEVER = re.compile(r"says '(?:i've|i have|i) never'")
_TO_YOU = re.compile(r"\b(?:ты|вы|теб\w+|вас|вам\w*|тво\w+|ваш\w*|\w+(?:ешь|ишь|ете|ите))\b")
_FEELING = re.compile(
    r"^(?:do|does|did) (?:you|he|she|they) (?:really )?(?:like|love|enjoy|know|think|believe|mind)\b"
)
_STRESSED_NO = re.compile(
    r"\b(of course|certainly|absolutely|definitely|конечно|разумеется|естественно|точно|безусловно), "
    r"(?=(?:no|not|нет)\b)"
)
_NOT_SAID = re.compile(r"^(?:if|from|i hope)\b|\b(?:what|which|how|whose) \w+ \w+ \w+\W*$")
_AMBIGUOUS = re.compile(
    r"says '(?:(?:да|ага|угу|правда|(?:все )?верно|true|right|correct|exactly)'|"
    r"(?:you|ты|вы)\b.* (?:right|correct|прав)|(?:that|it)\b.*(?:n't| not) )"
)
_RHETORICAL = re.compile(r"who (?:doesn't|wouldn't)|кто (?:ж |же )?не")


_PREPOSED = re.compile(r"(?:is|are|was|were|do|does|did|has|have|ca|wo|would|could)n't ")
_FAMILIES = ("do does did", "am is are was were be", "have has had", "can ca could", "will wo would")
_AUX = r"(?P<verb>do|does|did|am|is|are|was|were|have|has|had|can|ca|could|will|wo|would)"
_ECHOED = re.compile(rf"\b(?P<who>i|we|you|he|she|they|it|that|there) (?:[a-z]+ )*?{_AUX}(?: ?n't| not)?'$")
_AUXILIARY = re.compile(rf"^(?:{_AUX}(?:n't)? )?(?P<who>\w+)")
_IRONY = re.compile(
    r"^(?:yes|yeah|sure|right|of course|absolutely|totally|definitely)[\s,.!]+(?:if|when|as soon as|about as|"
    r"like (?:i|you|we|he|she|they|that)\b|and (?:i also|i(?:'m| am) (?:the|a)\b|pigs))\b|"
    r"\b(?:said no ?(?:one|body)|no ?(?:one|body) ever|when pigs)\b|"
    r"^(?:да|ага|угу|конечно|разумеется)[\s,.!]+(?:если|когда|прям\w*|а еще|и (?:в|еще)|бегу|разбежал\w+|"
    r"держи|мечта\w+)\b|^(?:да|ага|угу|конечно)\b.*\bкак же\W*$|^(?:ага|конечно)[\s,]+сейчас\b"
)
_LONGEST = 12
"""Words of a reply that may answer without a yes or no at its beginning or end."""
_YES_OR_NO = re.compile(r"\b(?:yes|yeah|no|да|нет)$")
_CONDITION = re.compile(
    r"\b(?:however|однако)\b|(?<!as )\b(?:if|unless)\b(?! (?:anything|you (?:ask|like|must|insist)|"
    r"i (?:\w+ )?(?:recall|remember)|i'm not|memory|my memory|so|things|i've|you've)\b)|"
    r"\bесли\b(?! (?:честно|(?:я )?не (?:ошиб|пута)|(?:мне )?не изм|память|хо(?:ти|чеш)))"
)
_OPENING = re.compile(
    r"^(?:(?:hey|hi|hello|so|and|but|oh|by the way|кстати|а|и|ну|слушай|скаж\w+|небось|поди|"
    r"не подскаж\w+)[\s,]+|"
    r"(?:do you (?:think|reckon|suppose)|would you say|is it true that|правда(?: ли)?, что|думаешь)[\s,]+|"
    r"[^\W\d]+(?: [^\W\d]+)?, (?=(?:а |и )?(?:do|does|did|are|is|was|were|have|has|can|could|will|would|"
    r"ты|вы|тебя|вас|"
    r"у|можно)\b))+"
)
_CALLED = re.compile(
    r"^((?:do|does|did|are|is|am|was|were|have|has|can|could|will|would|ever)\b.*\w), \w+\?$"
)
_TAG = re.compile(
    r",? (?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)n't \w+\?$|"
    r",? (?:не так ли|не правда ли|правда ведь|верно ведь)\?$|"
    r", (?:правда|верно|да|так|right|correct|yes|yeah)\?$"
)


def read_yes_no(question: str, reply: str) -> Opinion:
    """Return what a reply says to a question; undecided where no rule is sure."""
    text, asked = _STRESSED_NO.sub(r"\1 ", normalise(reply)), _last_question(normalise(question))
    sentences = [f"{one}?" if _ASKS.match(one) else one for one in split_sentences(text)]
    if not sentences:
        return abstain("nothing is said", NAME)
    if split_words(text) == split_words(asked):
        return abstain("repeats the question", NAME)
    unsure = None if read_by_offer(sentences, asked) else UNSURE.search(text)
    if unsure:
        return abstain(f"says '{unsure[0]}'", NAME)
    rules = _RULES[1:2] if _ALTERNATIVE.search(asked) or _DENIED_INSIDE.search(asked) else _RULES
    for confidence, rule in rules:
        said = rule(sentences, asked)
        if said is None:
            continue
        if doubt := _doubt(said, sentences, is_explicit=rule is _explicit, is_offer=rule is read_by_offer):
            return abstain(f"{said.words}, {doubt}", NAME)
        stated = {one.is_yes for one in list_statements(sentences, asked)}
        if rule not in _BY_VALUE and stated - {said.is_yes}:
            return abstain(f"{said.words}, and the opposite", NAME)
        return Opinion("yes" if said.is_yes else "no", said.words, NAME, confidence)
    is_short = len(split_words(text)) <= _LONGEST
    if is_short and rules is _RULES and (said := read_by_other_name(question, reply)):
        return Opinion("no", said.words, NAME, 0.8)
    return abstain("neither yes nor no is said", NAME)


def _doubt(said: Said, sentences: list[str], *, is_explicit: bool, is_offer: bool) -> str:
    """Return why a reply may mean something else: a condition, a contrast, irony, or many other words."""
    text = " ".join(sentences)
    if found := _CONDITION.search(text) or (None if is_explicit or is_offer else CONTRAST.search(text)):
        return f"with '{found[0]}'"
    plain = FILLER.sub("", text)
    if said.is_yes and _IRONY.search(plain):
        return "with irony"
    words = said.words.partition("'")[2].rstrip("'")
    is_framed = plain.startswith(words) or (_YES_OR_NO.search(words) and plain.rstrip(" .!").endswith(words))
    is_long = len(split_words(text)) > _LONGEST
    return "among many other words" if is_long and not (is_explicit and is_framed) else ""


def _last_question(question: str) -> str:
    """Return the question itself, without what was told before it and without a tag after it."""
    sentences = split_sentences(question)
    asked = next(
        (one for one in reversed(sentences) if one.endswith("?")), sentences[-1] if sentences else ""
    )
    return _CALLED.sub(r"\1?", _TAG.sub("?", _OPENING.sub("", asked)))


def _explicit(sentences: list[str], asked: str) -> Said | None:
    """Return what words such as yes and no say at the head or the tail of clauses; None where they clash."""
    found = [one for one in _signals(sentences) if _fits(one.words, asked)]
    if not found or (asked and len({one.is_yes for one in found}) > 1):
        return None
    if _NEVER.match(found[0].words) and (_FEELING.match(asked) or not re.search(r"\byou\b", asked)):
        return None
    if _denies_something_else(found[0].words, sentences, asked):
        return None
    if re.search(r"(?:love|like) to'|'i would'", found[0].words):
        if re.search(r"\bbut\b", sentences[0]):
            return Said(is_yes=False, words="would like to, but")
        if re.match(r"have|did", asked):
            return None
    is_denied = _PREPOSED.match(asked) is None or NEGATED.search(" ".join(sentences))
    if _NEGATIVE_QUESTION.search(asked) and is_denied and _AMBIGUOUS.match(found[0].words):
        return None
    if re.search(r"\bmind\b|\bпротив\b", asked) and (found[0].is_yes or "rather" in sentences[0]):
        return None
    return found[0]


def _denies_something_else(words: str, sentences: list[str], asked: str) -> bool:
    """Return whether a Russian reply denies a verb that nobody asked about: "I have not looked"."""
    denied = re.search(r"(?<!\w)не (\w{4})", sentences[0])
    is_denial = re.match(r"says '(?:(?:я|еще|пока) )*не\b", words) is not None
    return is_denial and denied is not None and denied[1] not in asked and not _TO_YOU.search(asked)


def _fits(words: str, asked: str) -> bool:
    """Return whether a verb that stands for the answer, as in "I have", is the verb of the question."""
    said, question = _ECHOED.search(words), _AUXILIARY.search(asked)
    bare = re.fullmatch(r"says '(\w+)n't'", words)
    if bare and question and question["verb"] and question["who"] not in {"you", "we"}:
        return _family(bare[1]) == _family(question["verb"])
    if said is None or question is None:
        return True
    if question["who"] == "you" and said["who"] not in {"i", "we"}:
        return False
    if question["verb"] is None:
        return True
    families = {_family(said["verb"]), _family(question["verb"])}
    return (
        len(families) == 1
        or families <= {_FAMILIES[0], _FAMILIES[2]}
        or said["verb"] in {"would", "ca", "can"}
    )


def _family(verb: str) -> str:
    return next((one for one in _FAMILIES if verb.removesuffix("n't") in one.split()), verb)


def has_both_answers(reply: str, question: str) -> bool:
    """Return whether a reply says yes and no to a question."""
    if UNSURE.search(normalise(reply)) or _NEGATIVE_QUESTION.search(normalise(question)):
        return False
    return len({one.is_yes for one in _signals(split_sentences(normalise(reply)))}) > 1


def _signals(sentences: list[str]) -> list[Said]:
    found: list[Said] = []
    is_first = True
    for number, sentence in enumerate(sentences):
        clauses = split_clauses(sentence)
        is_rhetorical = _RHETORICAL.match(FILLER.sub("", sentence))
        if sentence.endswith("?") and (number or len(split_words(sentence)) > 3) and not is_rhetorical:
            clauses = clauses[:-1]
        for clause in clauses:
            said = _head(clause, is_first=is_first)
            if said and number and _ECHOED.search(said.words):
                said = None
            rest = FILLER.sub("", f"{clause} ").strip()
            is_first = is_first and (not split_words(rest) or BEFORE.match(rest) is not None)
            if said:
                found.append(said)
    return found


def _head(clause: str, *, is_first: bool) -> Said | None:
    head = FILLER.sub("", clause)
    for pattern, is_yes in ((NO_HEAD, False), (YES_HEAD, True)):
        match = pattern.match(head)
        if match and (is_first or _BARE.fullmatch(head)):
            return Said(is_yes, f"says '{match[0]}'")
    for pattern, is_yes in ((TAIL_NO, False), (TAIL_YES, True)):
        if (match := pattern.search(head)) and not _NOT_SAID.search(head):
            return Said(is_yes, f"says '{match[0].strip()}'")
    return None


_BARE = re.compile(
    r"(?:yes+|yeah+|yep|yup|no|nope|nah|да|нет|ага|угу|неа|of course|absolutely|definitely|certainly|"
    r"sure|конечно|"
    r"(?:i|we|he|she|it|they) \w+(?: not|n't)?|never|никогда|not at all|not really|i doubt(?: it)?|"
    r"no way|that's (?:right|correct)|(?:that|it) is (?:right|correct)|correct|совершенно верно)\W*"
)


_RULES = (
    (0.85, read_by_offer),
    (0.95, _explicit),
    (0.85, read_by_attitude),
    (0.8, read_by_other_value),
    (0.85, read_by_statement),
    (0.85, read_by_auxiliary),
    (0.85, read_by_preference),
    (0.85, read_by_detail),
    (0.85, read_by_value),
    (0.85, read_by_habit),
    (0.8, read_by_situation),
    (0.7, read_by_bare_statement),
)
_BY_VALUE = (read_by_other_value, read_by_value)
"""Another value says no although the rest of the statement repeats the question."""
