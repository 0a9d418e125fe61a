"""The packaged lexicon of toxic language: patterns with a weight for each of seven labels."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

LABELS = (
    "toxicity",
    "severe_toxicity",
    "obscene",
    "identity_attack",
    "insult",
    "threat",
    "sexual_explicit",
)
_PEOPLE = (
    r"(?:jews|muslims|christians|blacks|whites|gays|lesbians|immigrants|migrants|foreigners|refugees|"
    r"women|girls|men|"
    r"arabs|asians|gypsies|africans|mexicans|poles|russians|germans|приезжие|мигранты|иностранцы|евреи|"
    r"мусульмане|"
    r"бабы|женщины|мужики|геи|цыгане|кавказцы|негры)"
)
_BAD = (
    r"(?:criminals?|terrorists?|thieves|stupid|dumb|dirty|lazy|inferior|animals|vermin|parasites|liars|"
    r"cheats|weak|"
    r"disgusting|worthless|rapists|scum|whores|too \w+ to|not human|worse|воры|тупые|грязные|преступники|"
    r"террористы|"
    r"обезьян\w*|животные|лживые|ленивые|твари)"
)
_BODY = r"(?:face|neck|bones|legs|arms|head|skull|teeth|nose|fingers|throat)"


@dataclass(frozen=True, slots=True)
class _Group:
    """A pattern and its weights; one that must be aimed counts only where it is said to somebody."""

    pattern: str
    weights: Mapping[str, float]
    is_aimed: bool = False


_GROUPS = (
    _Group(
        r"(?:mother)?fuck\w*|cunts?|bullshit|shit(?:ty|head\w*)?|arseholes?|assholes?|bastards?|dick ?heads?|"
        r"piss off|son of a bitch|sons of bitches|kiss my a(?:ss|rse)|(?:shove|stick) it up your \w+|"
        r"screw you|wankers?|"
        r"pricks?|twats?|\w*хуй\w*|\w*хуе\w*|\w*хуя\w*|пизд\w*|\w*ебан\w*|бля(?:дь|ди|ть)?|мудак\w*|"
        r"гандон\w*|"
        r"пошла ты|пошел ты|пошёл ты|пошли вы",
        {"toxicity": 0.9, "obscene": 0.9, "insult": 0.5, "severe_toxicity": 0.3},
    ),
    _Group(
        r"bitch\w*|сук[аи]|whores?|sluts?|шлюх\w*",
        {"toxicity": 0.9, "obscene": 0.8, "insult": 0.7},
        is_aimed=True,
    ),
    _Group(
        r"idiot\w*|moron\w*|imbecile\w*|stupid|dumb(?:ass|est)?|losers?|scum(?:bag)?s?|worthless|"
        r"pathetic|fools?|cretins?|"
        r"clowns?|airheads?|nitwits?|halfwits?|dimwits?|numbskulls?|simpletons?|blockheads?|brainless|"
        r"thick|crybab(?:y|ies)|"
        r"freaks?|creeps?|weirdos?|parasites?|leech(?:es)?|cowards?|rats?|pigs?|cows?|swine|snakes?|"
        r"dogs?|apes?|monkeys?|"
        r"donkeys?|hags?|bums?|tramps?|trash|garbage|rubbish|dirt|filth|filthy|disgusting|repulsive|"
        r"revolting|ugly|fat|"
        r"ignorant|useless|retard(?:ed|s)?|psychos?|lunatics?|liars?|failures?|nobod(?:y|ies)|plague|"
        r"disgrace|"
        r"waste of (?:space|time|air|oxygen|skin)|you suck|you stink|make me (?:sick|puke|vomit)|"
        r"идиот\w*|дурак\w*|дура|дурой|дуры|туп(?:ой|ая|ые|ица|ицы)|кретин\w*|урод\w*|дебил\w*|придур\w*|"
        r"ничтожеств\w*|"
        r"козел|козёл|козл\w*|скотин\w*|твар[ьи]|гнид\w*|мраз[ьи]|подонок\w*|подонк\w*|сволоч\w*|"
        r"неудачни\w*|жалк\w*|свинь\w*|"
        r"коров[ау]|обезьян[аы]|баран\w*|осел|осёл|лох|лохи|трус\w*|псих\w*|жирн\w*|противен|противна|"
        r"мерзк\w*|"
        r"болван\w*|недоумок|недоумк\w*|бестолоч\w*|чучело",
        {"toxicity": 0.8, "insult": 0.8},
        is_aimed=True,
    ),
    _Group(
        r"shut up|shut your (?:mouth|trap|face)|hate you|despise you|loathe you|can't stand you|"
        r"go to hell|burn in hell|"
        r"get lost|get out of my sight|drop dead|go away and die|crawl back|nobody (?:likes|wants|needs|"
        r"would miss|asked) you|"
        r"spit on you|hope you (?:die|rot|choke|suffer)|should have (?:drowned|aborted) you|"
        r"better off without you|"
        r"заткни\w*|ненавижу тебя|тебя ненавижу|пошел вон|пошёл вон|пошла вон|вон отсюда|иди к ч[её]рту|"
        r"катись|"
        r"чтоб (?:ты|вы) (?:сдох\w*|провалил\w*)|кому ты нуж\w*|отвали|проваливай|плевать на тебя",
        {"toxicity": 0.75, "insult": 0.6},
    ),
    _Group(
        rf"(?:will|'ll|gonna|going to|want to|should|love to|could|'d) (?:\w+ )?(?:kill|murder|hurt|stab|"
        rf"shoot|beat|"
        rf"destroy|strangle|hang|drown|crush) (?:you|him|her|them)\b(?! (?:a|an|the|at|in a|to) )|"
        rf"kill yourself|"
        rf"hang yourself|(?:break|smash|rip|cut|punch|snap) your {_BODY}|beat you up|"
        rf"i'll find you\b(?! a)|find you and|"
        rf"watch your back|know where you live|you(?:'ll| will) (?:die|pay for|be sorry)|"
        rf"make you (?:suffer|bleed|pay)|"
        rf"убью|прибью|зарежу|придушу|сдохни|сдохнешь|убей себя|я тебя найду|тебе конец|пожалеешь|"
        rf"(?:рожу|морду|голову|шею|ноги|руки) (?:тебе )?(?:разобью|сверну|сломаю|набью|переломаю)|"
        rf"(?:разобью|сверну|сломаю|набью|переломаю) (?:тебе )?(?:рожу|морду|голову|шею|ноги|руки)",
        {"toxicity": 0.85, "threat": 0.9, "severe_toxicity": 0.3},
    ),
    _Group(
        rf"(?:all |those |these |you |damn |dirty |все )*{_PEOPLE} (?:are|is|—|-|"
        rf"за рул[её]м —)\s?(?:all |so |just |too |все )*"
        rf"{_BAD}|{_PEOPLE} (?:should|must|deserve to) (?:burn|die|leave|be (?:shot|locked up|deported|"
        rf"hanged))|"
        rf"(?:all|those|these|damn|dirty) {_PEOPLE} (?:should|must) (?!be (?:free|equal|welcome|allowed))\w+|"
        r"go back to your (?:own )?(?:country|jungle|village)|(?:you )?people like you should be|"
        r"\w*nigg(?:er|a)s?|faggots?|nazis? were right|хач\w*|чурк\w*|жид(?:ы|ов|а)?|пидор\w*|"
        r"понаехал\w*|убирай\w* в свою страну",
        {"toxicity": 0.85, "identity_attack": 0.85, "insult": 0.5, "severe_toxicity": 0.3},
    ),
    _Group(
        r"(?:want|going|like|love) to (?:have sex|sleep) with you|blow ?jobs?|naked pictures|nudes|"
        r"see you naked|"
        r"your (?:tits|boobs|ass|pussy|cock)|porn\w*|horny|touch you all over|take off your (?:clothes|"
        r"shirt|dress)|"
        r"секс с тобой|порно\w*|трахн\w*|трахат\w*|сиськи|раздевайся|голые фото",
        {"toxicity": 0.5, "sexual_explicit": 0.85, "obscene": 0.5},
    ),
    _Group(
        r"damn|crap|lame|чёрт|черт|отстой|фигня|whining",
        {"toxicity": 0.08, "insult": 0.04, "obscene": 0.05},
    ),
)
_PATTERNS = tuple((re.compile(rf"\b(?:{group.pattern})(?!\w)"), group) for group in _GROUPS)
_SENTENCE = re.compile(r"[^.!?\n]+[.!?]*")
_YOU = re.compile(
    r"\b(?:you|your|yours|you're|yourself|u|ты|тебя|тебе|тобой|твой|твоя|твоё|твое|твои|вы|вас|вам|ваш\w*)\b"
)
_ADDRESS = re.compile(
    r"^\W*(?:what (?:a|an|the)|such a|who let|only an?|look at|hey|какой|какая|вот|эй|ну и)\b"
)
_NOT_AIMED = re.compile(
    r"\b(?:don't call|do not call|never call|not (?:an?|the)|nobody is|isn't|feel like|felt like|i am|"
    r"i'm|i was|my \w+ is|"
    r"said that|не называй\w*|не обзывай\w*|я как|я сам\w*)\b"
)
_FEW_WORDS = 3
_MASKED = str.maketrans({"0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "@": "a", "$": "s", "’": "'"})
_MASK = re.compile(r"(?<=[a-z])[*#](?=[a-z])")


def weights_of(text: str) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Yield what was found in a text, with its weight by label; digits in the place of letters are read."""
    for sentence in _SENTENCE.findall(text.casefold().replace("’", "'")):
        plain = _MASK.sub("u", sentence.translate(_MASKED))
        is_aimed = _is_aimed(sentence)
        for pattern, group in _PATTERNS:
            if group.is_aimed and not is_aimed:
                continue
            for found in pattern.findall(sentence) or pattern.findall(plain):
                yield found, group.weights


def _is_aimed(sentence: str) -> bool:
    """Return whether a sentence says something about whoever it is said to, as far as its words tell."""
    if _NOT_AIMED.search(sentence):
        return False
    return bool(_YOU.search(sentence) or _ADDRESS.search(sentence)) or len(sentence.split()) <= _FEW_WORDS
