"""The packaged lexicon of toxic language: stems and patterns with a weight for each of seven labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

LABELS = (
    "toxicity",
    "severe_toxicity",
    "obscene",
    "identity_attack",
    "insult",
    "threat",
    "sexual_explicit",
)
_GROUPS: tuple[tuple[str, Mapping[str, float]], ...] = (
    (
        (
            r"(?:mother)?fuck\w*|cunts?|bullshit|shit\w*|arseholes?|assholes?|bastards?|bitch\w*|dickheads?|"
            r"piss off|"
            r"\w*хуй\w*|\w*хуе\w*|\w*хуя\w*|пизд\w*|\w*ебан\w*|бля\w*|сук[аи]|мудак\w*|гандон\w*"
        ),
        {"toxicity": 0.9, "obscene": 0.9, "insult": 0.5, "severe_toxicity": 0.3},
    ),
    (
        (
            r"idiot\w*|moron\w*|imbecile\w*|stupid|dumb(?:ass)?|losers?|scum|worthless|pathetic|"
            r"ugly (?:\w+ )?(?:face|cow|pig)|"
            r"fools?|cretins?|clowns?|airheads?|trash human|waste of (?:space|time|air)|shut up|you suck|"
            r"идиот\w*|дурак\w*|дурой|дура|тупо[йе]\w*|тупица|тупая|кретин\w*|урод\w*|дебил\w*|придур\w*|"
            r"ничтожеств\w*|"
            r"заткни\w*|козел|козёл|скотина"
        ),
        {"toxicity": 0.8, "insult": 0.8},
    ),
    (
        (
            r"(?:i )?(?:really )?hate you|despise you|disgusting|filthy|vermin|go to hell|get lost|drop dead|"
            r"ненавижу тебя|тебя ненавижу|мерзк\w*|пошёл вон|пошел вон|иди к чёрту|иди к черту"
        ),
        {"toxicity": 0.7, "insult": 0.5},
    ),
    (
        (
            r"(?:will|'ll|gonna|going to|want to|should) (?:kill|murder|hurt|stab|shoot|beat|destroy|"
            r"strangle|"
            r"hang) (?:you|him|"
            r"her|them)|kill yourself|i'll find you|watch your back|you will (?:die|pay|regret)|hope you die|"
            r"убью|прибью|зарежу|сдохни|убей себя|я тебя найду|тебе конец"
        ),
        {"toxicity": 0.85, "threat": 0.9, "severe_toxicity": 0.3},
    ),
    (
        (
            r"(?:all|those|these|you|damn|dirty) (?:jews|muslims|blacks|gays|immigrants|foreigners|women|"
            r"arabs|gypsies|christians) "
            r"(?:are|should|must|deserve)(?! (?:welcome|equal|people|free|allowed|proud|invited|kind|"
            r"friendly|"
            r"happy))|"
            r"\w*nigg(?:er|a)s?|faggots?|nazis? were right|retard(?:ed|s)?|хач\w*|чурк\w*|жид(?:ы|ов|а)?|"
            r"пидор\w*"
        ),
        {"toxicity": 0.85, "identity_attack": 0.85, "insult": 0.5, "severe_toxicity": 0.3},
    ),
    (
        (
            r"(?:want|going|like) to (?:have sex|sleep) with you|blow ?jobs?|naked pictures|your (?:tits|ass|"
            r"pussy|cock)|porn\w*|"
            r"horny|секс с тобой|порно\w*|голая|трахн\w*|трахат\w*"
        ),
        {"toxicity": 0.5, "sexual_explicit": 0.85, "obscene": 0.5},
    ),
    (
        (r"damn|crap|awful person|annoying person|lame|useless (?:bot|person|idiot)|чёрт|черт|отстой|фигня"),
        {"toxicity": 0.08, "insult": 0.04, "obscene": 0.05},
    ),
)
_PATTERNS = tuple((re.compile(rf"\b(?:{pattern})\b"), weights) for pattern, weights in _GROUPS)
_MASKED = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "@": "a", "$": "s", "’": "'"})
_MASK = re.compile(r"(?<=[a-z])[*#](?=[a-z])")


def weights_of(text: str) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield what was found in a text, with its weight by label; digits in the place of letters are read."""
    folded = text.casefold()
    plain = _MASK.sub("u", folded.translate(_MASKED))
    for pattern, weights in _PATTERNS:
        for found in pattern.findall(folded) or pattern.findall(plain):
            yield found, weights
