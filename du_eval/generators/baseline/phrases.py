"""Phrases by which people steer a conversation, in a handful of languages.

Phrases stand between bars with blanks around them, or on lines of their own; each is a regular expression of
whole words. The languages are English, German, French, Spanish and Russian, in this order.
"""

from __future__ import annotations

import re


def _phrases(block: str) -> re.Pattern[str]:
    """Return a pattern that finds any phrase of a block."""
    alternatives = [phrase.strip() for phrase in re.split(r"\s\|\s|\n", block) if phrase.strip()]
    return re.compile(rf"(?<![\w-])(?:{'|'.join(alternatives)})(?![\w-])", re.IGNORECASE)


YES = _phrases(
    r"""
    y(?:es|ep|up|eah|ea|eh|ah)+ | sure | o+k(?:ay|ey)? | alright | all right | absolutely | definitely
    certainly | of course | indeed | exactly | correct | right | perfect | affirmative | agreed | gladly
    go ahead | go for it | do it | do that | do so | please do | fine | great | good | true | that'?s it
    sounds (?:good|great|right|fine) | looks (?:good|great|right|fine) | confirm(?:ed)? | proceed
    approve | submit | send it | book it | order it | i (?:do|am|did|have|would|agree)
    (?:he|she|it|they) (?:does|is|would|do|are) | why not | no (?:problem|worries|doubt)
    with pleasure | mhm+ | uh-huh
    ja+ | jawohl | jo | genau | klar | gerne | passt | stimmt | richtig
    oui | ouais | d'accord | bien sûr
    sí | si | claro | vale | correcto
    да | ага | конечно | верно | хорошо
    """
)
NO = _phrases(
    r"""
    no+ | nope | nah+ | not | never | negative | cannot | nobody | none | nothing | neither | wrong
    incorrect | false | decline | refuse | without
    \w+n't | (?:do|ca|wo|is|did|does|could|would|are|was|have|should)nt
    nein | nee | nö | nicht | kein\w* | falsch
    non | ne pas | pas | jamais
    nunca | tampoco
    нет | не | неверно
    """
)
NOT_NEGATIVE = _phrases(
    r"""
    no (?:problem|worries|doubt) | why not | not (?:only|bad) | don't (?:worry|mind) | can't wait | if not
    """
)
CANCEL = _phrases(
    r"""
    cancel(?:l?ing|led)?(?: (?:it|that|this|everything|all|please|the (?:whole )?\w+|my \w+))?
    stop(?: (?:it|that|this|everything|here|now|please|the \w+))? | abort | quit | never ?mind | nvm
    forget (?:it|that|this|about (?:it|that|this|the \w+)|the \w+(?: \w+)?|everything)
    (?:scrap|drop) (?:it|that|this|the \w+) | leave it(?: be| there)? | let it go | call it off
    no longer (?:want|need) | changed my mind | i'm done(?: here| with this)?
    not interested(?: any ?more)? | let's not(?: do (?:it|this|that))?
    don'?t bother(?: \w+)? | don'?t (?:want|need) (?:to|it|this|that) (?:any ?more|after all)
    don'?t want to (?:continue|proceed|go on)(?: any ?more)?
    (?:don'?t|do not) (?:do|order|send|book|pay|buy|add) (?:it|that|this|anything|the \w+)(?: after all)?
    abbrechen | abbruch | vergiss (?:es|das) | lass (?:es|das)(?: sein| gut sein)? | stopp | stornieren
    annule[rz]? | laisse(?:z)? tomber | oublie(?:z)? (?:ça|cela) | arrête[rz]?
    cancela(?:r|lo)? | olv[ií]dalo | d[eé]jalo | olvida eso
    отмен\w+ | забудь\w* | прекрат\w+ | не надо | стоп
    """
)
SKIP = _phrases(
    r"""
    skip(?: (?:it|this|that|the \w+|question))* | next question | pass | mov(?:e|ing) on | go on without
    (?:rather|prefer(?: to)?) not(?: to)?(?: (?:say|answer|tell|share|disclose|give|provide))?
    (?:don'?t|do not|won'?t|will not) (?:say|answer|tell|share|disclose|give|provide|reveal|specify)
    (?:don'?t|do not) (?:want|wish|like|have|need) to (?:say|answer|tell|share|disclose|give|provide|reveal)
    (?:don'?t|do not) (?:wanna|feel like) (?:say|answer|tell|shar|giv|provid|disclos)\w*
    not (?:going to|gonna) (?:say|answer|tell|share|disclose|give|provide|reveal)
    (?:don'?t|do not|not) (?:feel )?comfortable | none of your (?:business|concern)
    (?:that|it)'s private | too personal | mind your own business | no comment
    can (?:we|i|you) (?:skip|move on) | ask (?:me )?(?:something|another|later)
    überspring\w* | nächste frage | keine angabe
    passe[rz]? | question suivante
    saltar | sáltatel[ao] | paso
    пропуст\w+ | следующ\w+ вопрос
    """
)
NEXT = _phrases(
    r"""
    next | go on | continue | weiter | suivant\w* | siguiente | дальше
    """
)
UNSURE = _phrases(
    r"""
    (?:i )?(?:don'?t|do not) (?:know|remember|have (?:it|that|one)) | no idea | no clue | not sure | dunno
    idk | can'?t remember
    keine ahnung | weiß (?:ich )?nicht
    je ne sais pas
    no (?:lo )?sé
    не знаю
    """
)
REPEAT = _phrases(
    r"""
    repeat(?: (?:that|it|please|yourself|the \w+(?: \w+)?|your \w+|what you said))*
    say (?:that|it) (?:again|once more) | come again | once (?:more|again) please | pardon(?: me)?
    what did you (?:say|ask|just say|write) | one more time | didn'?t (?:hear|catch|get) (?:you|that|it|what)
    what was (?:that|the question|your question)(?: again)? | what were you (?:saying|asking)
    wiederhol\w* | wie bitte | nochmal bitte
    répète[zr]? | répéter
    repite\w* | repetir
    повтор\w+ | ещё раз
    """
)
STAFF = _phrases(
    r"""
    human | person | people | agent | representative | operator | manager | supervisor | employee
    colleague | staff | support | somebody | someone | customer (?:service|support|care) | call cent(?:er|re)
    mitarbeiter\w* | mensch\w* | berater\w*
    conseiller\w* | humain\w*
    agente | persona | humano | operador\w*
    сотрудник\w* | оператор\w* | человек\w*
    """
)
REACH = _phrases(
    r"""
    (?:speak|talk|chat|connect|transfer|switch|escalate|hand) (?:me )?(?:over )?(?:to|with) | put me through
    pass me (?:on )?to | (?:get|give|find) me | let me (?:speak|talk) | i (?:want|need|would like) a
    (?:speaking|talking) to
    sprechen | verbinden? | verbinde
    parler | passez-moi
    hablar | póngame
    соедин\w* | переключ\w* | позов\w* | поговорить
    """
)
STAFF_ALONE = _phrases(
    r"""
    (?:human|live|real) (?:agent|person|being|support|representative|operator)
    ^(?:human|agent|representative|operator|customer (?:service|support))(?:,? (?:please|pls))?\W*$
    """
)
GREETING = _phrases(
    r"""
    hi+(?: there| all)? | hiya | hello+(?: there)? | he+y+(?: there)? | howdy | greetings | yo
    good ?(?:morning|afternoon|evening|day)
    moin | hallo | guten (?:tag|morgen|abend) | servus | grüß\w*
    bonjour | bonsoir | salut
    hola | buen[oa]s (?:días|tardes|noches)
    привет\w* | здравствуй\w* | добрый (?:день|вечер) | доброе утро
    """
)
SMALL_TALK = _phrases(
    r"""
    how(?:'s| is| are|s) (?:it going|you(?: doing)?|life|things|your day|everything) | what'?s (?:up|new)
    who (?:are|made|created|built) you | are you (?:a |an |real|human|single|alive|happy|there)\w*
    what(?:'s| is) your (?:name|favou?rite) | how old are you | how do you feel | i love you | joke
    tell me (?:something funny|a story) | do you (?:like|love|dream|sleep|eat)
    do you have (?:feelings|friends|a (?:name|family)) | nice (?:to meet|talking to) you
    you(?:'re| are) (?:so |very |really |a )?(?:cute|funny|nice|great|awesome|smart|helpful|good|amazing)
    you(?:'re| are) (?:so |very |really )?(?:stupid|dumb|the best) | (?:good|well) (?:job|done)
    (?:nice|lovely|terrible|bad|good) weather | what(?:'s| is) the weather
    wie geht'?s?(?: dir| ihnen)?
    ça va | comment vas-tu
    qué tal | cómo estás
    как дела
    """
)
THANKS = _phrases(
    r"""
    thanks?(?: you)?(?: (?:so|very) much| a lot| a bunch)? | thx | ty | cheers | appreciate it
    bye(?: bye)? | goodbye | see (?:you|ya)(?: later| soon)? | good night
    have a (?:nice|good|great) (?:day|one|evening|weekend)
    danke(?: schön)? | tschüss
    merci | au revoir
    gracias | adiós
    спасибо | пока | до свидания
    """
)
WAITING = _phrases(
    r"""
    h+m+ | u+h+m* | u+m+ | e+h+m* | well | hold on | one (?:sec|second|moment) | thinking | counting | moment
    (?:just|give me) a (?:sec|second|moment|minute) | wait(?: a (?:sec|second|moment|minute))?
    let me (?:think|see|check)(?: about it)?
    einen moment
    un moment
    un momento
    секунд\w* | минут\w*
    """
)
CORRECTION = _phrases(
    r"""
    actually | instead | i meant? | sorry | wait | oops | rather | correction | changed? | make (?:it|that)
    should (?:be|have been|read) | wrong | mistake | mistaken | typo | mixed up | update | switch
    on second thoughts? | no | not | argh | hold on | let'?s say | it was | again | better
    correct (?:it|that|the \w+|my \w+)
    doch | lieber | eigentlich | sondern | stattdessen | nee
    plutôt | en fait | au lieu
    mejor | en realidad | perdón
    лучше | вернее | нет | точнее | ой
    """
)
REQUEST = _phrases(
    r"""
    i(?:'d| would| want|'m looking| am looking| need| wanna|'d like| wish|'m thinking) | id like | i'll
    want to | need to | wanna | can (?:you|i|we) | could (?:you|i|we) | may i | please | pls | help me
    how (?:do|can|could|would) (?:i|we) | let me | let's | let us | show me | tell me | give me
    ich (?:möchte|will|brauche)
    je (?:voudrais|veux)
    quiero | necesito
    хочу | мне нужно
    """
)
