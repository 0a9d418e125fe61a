"""An answer without the words around it that only make it a sentence."""

from __future__ import annotations

import re

from du_eval.generators.baseline.text import plain


def _alternatives(block: str) -> str:
    return "|".join(part.strip() for part in re.split(r"\s\|\s|\n", block) if part.strip())


_LEAD_INS = _alternatives(
    r"""
    oh | ah | well | um+ | uh+ | uhm | ehm | hm+ | mmh | so | ok(?:ay)? | sure | right | alright
    fine | great
    good | yes | yeah | yep | phew | sorry | thanks | hello | hi | hey | and | then | no | nah
    perfect | of course
    cool | please | pls | \*\w+\* | actually | wait | let me see | let's see | haha | lol
    """
)
_FRAMES = _alternatives(
    r"""
    it(?:'s| is| was| should be| would be| will be) | it (?:just |only )?says | its | this is
    there is | number is
    that(?:'s| is| would be| was) | thats | they(?:'re| are)
    my (?:\w+ )?(?:name|user ?name|e-?mail|e-?mail address|address|street)(?: is|'s|:)
    my (?:\w+ )?(?:handle|number|code|pin|password)(?: is|'s|:)
    the (?:\w+ )?(?:name|handle|number|code|address|amount|date|one)(?: is|'s|:)
    the one (?:in|at|on|from)(?: in)? | under the name(?: of)? | (?:call|name) (?:me|it)
    i(?:'m| am)(?: called)?
    i(?:'d| would) (?:like|prefer|say|go (?:for|with))(?: to \w+)?
    i (?:want|need|choose|pick|prefer|think|guess|mean|meant|live (?:in|at))(?: to \w+)?
    i(?:'ll| will) (?:take|have|go (?:for|with)) | let(?:'s| us) (?:say|go (?:for|with)|make it|do|take)
    make (?:it|that) | how about | what about | give me | au nom de | auf den namen
    just | only | maybe | probably | say | use | put | take | to | for | from | with | under | in
    at | on | by
    because(?: of)?
    """
)
_TAILS = _alternatives(
    r"""
    please | pls | plz | thanks | thank you | thx | then | i (?:think|guess|mean) | if possible
    instead | actually
    too | sounds (?:good|great|nice) | will do | is fine | would be (?:nice|great|good) | for me | it is
    bitte | merci | svp | gracias | por favor | пожалуйста
    """
)
_LEAD_IN = re.compile(rf"^(?:(?:{_LEAD_INS})[\s,.!:-]+)+(?=[\w@#\"])", re.IGNORECASE)
_FRAME = re.compile(rf"^(?:{_FRAMES})\s+(?=\S)", re.IGNORECASE)
_TAIL = re.compile(rf"[\s,.!;:-]*(?:\b(?:{_TAILS})\b[\s,.!)]*)+$", re.IGNORECASE)
_ARTICLE = re.compile(r"^(?:the|a|an|my|our|some)\s+(?=\S)", re.IGNORECASE)
_PREPOSITION = re.compile(r"(?:in|at|by|from|for)\b", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“„«](?P<words>[^\"”“»]+)[\"”“»]")
_EDGES = ' .!?,;:"'


def bare(message: str, *, keeps_preposition: bool = False) -> str:
    """Return the words that an answer is about; what stands in quotation marks says it best."""
    quote = _QUOTED.search(message)
    if quote:
        return quote["words"].strip()
    text = plain(message).strip(_EDGES)
    previous = None
    while previous != text:
        previous = text
        text = _LEAD_IN.sub("", text)
        if not keeps_preposition or not _PREPOSITION.match(text):
            text = _FRAME.sub("", text)
        text = _TAIL.sub("", text).strip(_EDGES)
    return text if keeps_preposition else _ARTICLE.sub("", text)
