"""The words behind yes, no and neither, in English and Russian."""

from __future__ import annotations

import re

NEUTRAL = re.compile(
    r"\byes and no\b|\bneither yes nor no\b|\bno idea\b|\bno clue\b|\bno opinion\b|\bnot (?:entirely |"
    r"quite |so |too |"
    r"totally |completely )?(?:sure|certain)\b|\bisn't clear\b|\bnot clear\b|\bи да,? и нет\b|"
    r"\bни да,? ни нет\b|"
    r"\bне (?:знаю|уверен|уверена|помню|могу сказать|скажу|в курсе)\b|\bпонятия не имею\b|\bзатрудняюсь\b|"
    r"\bno comment\b|\bhard to say\b|\bdifficult to say\b|\bit depends\b|\bdepends on\b|"
    r"\b(?:don't|do not|didn't|did not|doesn't) (?:really |even |quite )?(?:know|remember|recall|"
    r"understand)\b|"
    r"\b(?:can't|cannot|can not|couldn't|could not|won't|unable to) (?:really )?(?:say|tell|remember|"
    r"recall|answer|"
    r"know|decide)\b|\b(?:i have |i've )?(?:forgotten|forgot)\b|\bwish i knew\b|\bwho knows\b|\bхз\b"
)
LEADING_NO = re.compile(
    r"(?:no(?! (?:doubt|problem|worries|wonder|question|matter|need to ask|kidding))|nope|nah|naw|never|"
    r"negative|none|"
    r"nothing|neither|nobody|not (?:really|at all|yet|anymore|any more|in the least|a chance|true|exactly|"
    r"that i know|"
    r"right now|even|one|any|necessarily|particularly|much)|not(?= ?[.,!]|$)|"
    r"(?:of course|certainly|absolutely|definitely|surely|sure|probably|obviously|clearly|unfortunately|"
    r"sadly|"
    r"i'm afraid|i am afraid|i guess|i hope|i think|i suppose|sorry,?|naturally) (?:not|no)\b|"
    r"(?:i|we) (?:don't|do not|wouldn't|would not) (?:think|believe|suppose|guess)(?: so)?|"
    r"by no means|on no account|far from it|no way|quite the opposite|on the contrary|hardly|wrong|"
    r"incorrect|false|"
    r"that's (?:not|wrong|false|incorrect)|that is (?:not|wrong|false|incorrect)|(?:that|it) (?:isn't|"
    r"is not)|"
    r"(?:unfortunately|sadly|sorry)[, ]+(?:no|not|i|you|he|she|it|we|they)?\b ?(?:no|not|don't|didn't|"
    r"haven't|can't|"
    r"isn't|do not)|"
    r"нету?|неа|не-а|нет уж|никогда|ни разу|никак нет|ничуть|нисколько|отнюдь|вовсе нет|совсем нет|ни за что|"
    r"(?:конечно|разумеется|к сожалению|увы|пока|наверное|точно|естественно|скорее),? (?:же )?не[т]?|"
    r"не особо|не очень|"
    r"не совсем|вряд ли|едва ли|неверно|неправда)\b"
)
LEADING_YES = re.compile(
    r"(?:yes+|yeah|yea|yep|yup|yah|aye|sure(?: thing)?|of course|certainly|absolutely|definitely|indeed|"
    r"surely|"
    r"exactly|correct|right|true|totally|naturally|obviously|clearly|affirmative|precisely|always|"
    r"you bet|you're right|you are right|that's (?:right|true|correct)|that is (?:right|true|correct)|"
    r"i (?:think|believe|guess|suppose|hope) so|no doubt|no question|without (?:a )?doubt|why not|"
    r"(?:i|you|we|they|he|she|it) (?:do|does|did|am|are|is|was|were|have|has|can|could|will|"
    r"would)(?: indeed| too| so)?"
    r"(?=[.,!;]|$)|"
    r"very much|a lot|all the time|every day|by all means|with pleasure|gladly|"
    r"да|ага|угу|конечно|разумеется|естественно|безусловно|точно|верно|правда|именно|несомненно|ещё бы|"
    r"еще бы|"
    r"само собой|очень(?= ?[.,!]|$)|обожаю|всегда|так точно|а как же)\b"
)
UNCERTAIN = re.compile(
    r"\bmaybe\b|\bperhaps\b|\bpossibly\b|\bmight\b|\bcould be\b|\bsometimes\b|\bif you say so\b|"
    r"\bwhat do you mean\b|"
    r"\bcould you (?:repeat|explain)\b|\bвозможно\b|\bможет быть\b|\bможет,|\bкак сказать\b|"
    r"\bпо-разному\b|\bиногда\b|"
    r"\bкогда как\b"
)
NEGATED = re.compile(
    r"\b\w+n't\b|\bnot\b|\bno\b|\bnever\b|\bcannot\b|\bwithout\b|\bneither\b|\bnor\b|\bnobody\b|\bnone\b|"
    r"\bnothing\b|"
    r"\bno longer\b|\bhardly\b|\bdeny\b|\bне\b|\bнет\b|\bни\b|\bникогда\b|\bничего\b|\bнету\b"
)
UNNEGATED = re.compile(
    r"\bnot only\b|\bno doubt\b|\bno problem\b|\bnot to mention\b|\bwhy not\b|\bне только\b"
)
PRO_VERBS = re.compile(
    r"^(?:i|you|we|they|he|she|it|that|this|there) (?:do|does|did|am|are|is|was|were|have|has|had|can|"
    r"will|would|could)"
    r"(?:n't| not)?(?: indeed| too| so)?(?= ?[.,!;]|$)|"
    r"^(?:i|you|we|they|he|she|it) (?:can't|cannot|won't)(?= ?[.,!;]|$)"
)
TAIL_YES = re.compile(r"(?:, |\bunfortunately |\bfortunately |\bувы, )(?:yes|да)\W*$")
TAIL_NO = re.compile(r"(?:, )(?:no|нет)\W*$")
