"""Whether a reply meets a criterion of the persona protocol: by rules that abstain rather than guess."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from msgspec import Struct

from du_eval.judges.abstentions import is_abstention
from du_eval.judges.lexicon import read_word_set
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.plain_text import normalise, split_sentences, stems_alike, words_of
from du_eval.judges.stutter import STUTTERS, read_stutter
from du_eval.judges.toxicity import LexiconToxicity
from du_eval.judges.yes_no import has_both_answers, read_yes_no
from du_eval.judges.yes_no_statements import STOP_WORDS
from du_eval.judges.yes_no_words import DISLIKED, LIKED, NEGATED

NAME = "protocol-rules/5"
OK, BAD = "ok", "bad"
_LOST = re.compile(
    r"\b(?:don't|do not|didn't|can't|couldn't) (?:quite |really )?(?:understand|get (?:it|that|you)|"
    r"follow)\b|\berror\b|"
    r"\bunknown (?:command|input|request)\b|\binvalid\b|\bwhat to say\b|\brephrase\b|\bas an? (?:ai|"
    r"language model)\b|"
    r"\bне (?:\w+ )?(?:понимаю|понял\w?|распозна\w+)\b|\bошибка\b|\bнеизвестн\w+ (?:команда|запрос)\b|"
    r"\bпереформулируй\w*|\bdon't have an answer\b|\b(?:unable to|can't|cannot) (?:process|"
    r"help with that|answer that)\b|"
    r"\bне может быть обработан\b|\bобращение (?:зарегистрировано|принято)\b"
)
_OLD_TOPIC = re.compile(
    r"\bas i (?:was saying|said|mentioned)\b|\bwhere were we\b|\b(?:back to|returning to|still on)\b|"
    r"\bbut first\b|\bcoming back to\b|\band another thing\b|\bвозвращаясь к\b|"
    r"\bкак я (?:уже )?говорил\w?\b|\bвернемся к\b|\bтак вот\b|\bо чем это я\b|\bпродолж\w+\b"
)
_SAD = re.compile(
    r"\b(?:angry|mad|lonely|alone|sad|tired|exhausted|bored?|boring|hate|scared|afraid|worried|nervous|"
    r"anxious|upset|"
    r"stressed|cried?|crying|died|lost|broke\w*|fail\w*|sick|ill|hurts?|pain|ugh|damn|annoy\w*|fed up|"
    r"worst|terrible|awful|"
    r"horrible|depress\w*|miss|homesick|enough|hopeless|fired|divorc\w*|disappoint\w*|frustrat\w*|"
    r"furious|can't sleep)\b|"
    r"\b(?:зл\w+|бес\w+|одинок\w+|груст\w+|устал\w?|скуч\w+|ненавижу|боюсь|страшно|волнуюсь|тревож\w+|"
    r"плак\w+|умер\w*|"
    r"потерял\w*|бол\w+|блин|достал\w*|ужас\w*|кошмар\w*|плохо|обид\w+|тоск\w+|хватит|надоел\w*|"
    r"уволил\w*|расстро\w+|"
    r"тяжело|провалил\w*|нервн\w+)\b"
)
_GLAD = re.compile(
    r"\b(?:happy|glad|excited|yay|woohoo|great news|awesome|amazing|love|won|passed|got (?:tickets|"
    r"the job|promoted|engaged|"
    r"married|accepted|in)|best day|finally|omg|cool|wonderful|thrilled|delighted|can't wait|proud|"
    r"hooray|fantastic)\b|"
    r"\b(?:рад\w?|счастлив\w?|ура|круто|супер|отлично|выиграл\w?|сдал\w?|поступил\w?|здорово|класс\w*|"
    r"восторг\w*|"
    r"наконец-то|родил\w+|повысили|предложение|люблю|получилось|не верится)\b"
)
_COMFORT = re.compile(
    r"\b(?:sorry|calm down|oh no|oh dear|poor (?:you|thing)|what happened|what's wrong|are you (?:ok|okay|"
    r"alright)|want to talk|"
    r"i(?:'m| am) here|here for you|hang in there|hugs?|that (?:sucks|must|sounds)|i (?:understand|"
    r"know how|hear you|feel you)|"
    r"understandable|it(?:'ll| will) (?:be|get|pass)|take (?:care|a (?:break|rest|breath)|it easy)|"
    r"cheer up|don't worry|"
    r"tell me (?:more|about|what)|it's (?:ok|okay|normal|only natural)|same here|me too|i get it|rest|"
    r"deserve|sympath\w+|"
    r"breathe|deep breath|you(?:'ve)? got this|good luck|you(?:'ll| will) (?:be fine|do (?:great|fine)|"
    r"get (?:it|there))|let's|how can i help|anything i can do|been there)\b|"
    r"\b(?:сочувству\w+|успокой\w+|жаль|жалко|бедн\w+|понимаю|что (?:случилось|стряслось|произошло)|"
    r"не (?:расстраив\w+|переживай\w*|"
    r"грусти\w*|волнуй\w*|злись|злитесь|бойся|бойтесь)|обнимаю|держи\w+|я (?:рядом|с тобой|с вами)|"
    r"все (?:будет|наладится|"
    r"пройдет|образуется|получится)|отдохни\w*|ложись|полегчает|поговорим|поболтаем|хотите|хочешь|"
    r"расскажи\w*|бывает|"
    r"тяжело|сам\w? (?:такой|так)|крепи\w+|выше нос|помочь|поддерж\w+)\b"
)
_CHEER = re.compile(
    r"\b(?:congrat\w*|wow|yay|amazing|awesome|great|fantastic|wonderful|so (?:happy|glad|jealous|cool|"
    r"proud|excited)|"
    r"no way|lucky|love (?:it|that|this)|nice|brilliant|woohoo|hooray|delighted|thrilled|well done|"
    r"good for you|enjoy|"
    r"tell me (?:more|everything|all)|happy for you|envy|jealous|marvellous|splendid|deserve\w*|omg|"
    r"cool|celebrate)\b|a{3,}|"
    r"\b(?:поздравля\w+|ура|круто|здорово|класс\w*|супер|молод\w+|рад\w?|отлич\w+|замечательн\w+|"
    r"прекрасн\w+|чудесн\w+|"
    r"ничего себе|вот это да|ого|завидую|умни\w+|браво|счасть\w+|отпраздн\w+|расскажи\w*|повезло|горжусь)\b"
)
_CONDOLES = re.compile(r"\b(?:sorry|condolences|соболезную|сочувству\w+)\b")
_CONGRATULATES = re.compile(r"\b(?:congrat\w*|поздравля\w+)\b")
_EVADES = re.compile(r"\bask (?:me )?(?:something|anything) else\b|\bспроси\w* (?:о чем|что)-нибудь друго\w+")
_GOES_ON = re.compile(
    r"\W*(?:so|anyway|by the way|btw|and then|there's more|speaking of|кстати|а я|а еще|между прочим)\b"
)
_FIRST = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|my|me|mine|we|our|я|мне|меня|мой|моя|мое|мои|мы|у нас|нас|мной)\b"
)
_SECOND = re.compile(
    r"\b(?:you|your|you're|yours|yourself|let's|ты|тебя|тебе|тобой|вы|вас|вам|вами|тво\w+|ваш\w*|"
    r"давай\w*|\w{3,}(?:йте|ите|ешь|ишь))\b"
)
_GENERAL = re.compile(
    r"^(?:the |a |an |many |most |some )?[\w-]+(?: [\w-]+)? (?:is|are|was|were|can|may|grows?|"
    r"comes?) (?!my|mine|i\b)|"
    r"^[\w-]+(?: [\w-]+)? - (?:это|мой)?|\bбыва[ею]т\b|\bэто (?:важно|вид|такой|такая|напиток|животное|"
    r"призвание)\b|\bstudies show\b"
)
_GENERIC = read_word_set("generic_in_topics")
_INVITES = re.compile(r"\b(?:tell me|go on|do tell|расскажи\w*|продолжай\w*)\b")
_PLACE = re.compile(r"\b(?:where|где|откуда|куда)\b")
_SOMEWHERE = re.compile(r"(?:in|at|on|from|near|to|by|в|во|на|у|из|под|к) ")
_WRONG_TONE = re.compile(
    r"\b(?:haha|lol|party|cool|nice|great|awesome|congrat\w*|yay|глупости|ерунда|ну и что|и что|"
    r"подумаешь|так тебе)\b"
)


class CriterionTask(Struct, frozen=True):
    """What the tester said, what the bot answered, and what is known of its persona."""

    criterion: str
    utterance: str
    reply: str
    persona: str = ""


def read_criterion(task: CriterionTask) -> Opinion:
    """Return whether a reply meets a criterion; undecided where no rule is sure."""
    reply, said = normalise(task.reply), normalise(task.utterance)
    if flaw := _flaw(task, reply, said):
        return Opinion(BAD, flaw, NAME, 0.95)
    rule = _RULES.get(task.criterion)
    if rule is None:
        return abstain(f"no rule for {task.criterion}", NAME)
    return rule(task, reply, said)


def _flaw(task: CriterionTask, reply: str, said: str) -> str:
    """Return what no criterion forgives."""
    words, asked = words_of(reply), words_of(said)
    if not words:
        return "says nothing"
    sentences = [words_of(one) for one in split_sentences(reply)]
    is_quoted = words == asked or (len(asked) > 2 and asked in sentences)
    if is_quoted or (set(words) <= set(asked) and len(words) > 2):
        return "repeats what was said to it"
    if read_stutter(task.reply).label == STUTTERS or (len(words) > 3 and len(set(words)) * 2 <= len(words)):
        return "repeats itself"
    if _LOST.search(reply):
        return "does not understand"
    toxic = LexiconToxicity().scores([task.reply])[0]
    return f"is toxic{toxic.why}" if toxic.value > LexiconToxicity.threshold else ""


def _content(text: str) -> list[str]:
    return [word for word in words_of(text) if word not in STOP_WORDS and len(word) > 2]


def _shared(text: str, other: str) -> list[str]:
    there = _content(other)
    return [word for word in _content(text) if any(stems_alike(word, one) for one in there)]


def _judge_closed(task: CriterionTask, reply: str, said: str) -> Opinion:
    if has_both_answers(task.reply, task.utterance):
        return Opinion(BAD, "says yes and no", NAME, 0.85)
    answer = read_yes_no(task.utterance, task.reply)
    right = _persona_answer(task)
    if answer.label and right:
        fits = answer.label == right
        return Opinion(OK if fits else BAD, f"{answer.reason}; the persona says {right}", NAME, 0.9)
    if answer.label == "no" and task.persona:
        return abstain(f"{answer.reason}; the persona may say otherwise", NAME)
    if answer.label:
        return Opinion(OK, answer.reason, NAME, 0.8)
    if not _FIRST.search(reply) and (_GENERAL.search(reply) or _is_lecture(reply, said)):
        return Opinion(BAD, "speaks of the thing in general", NAME, 0.85)
    if task.persona and _shared(reply, normalise(task.persona)) and not NEGATED.search(reply):
        return Opinion(OK, "says what the persona says", NAME, 0.75)
    if (
        _FIRST.search(reply)
        and not _shared(reply, said)
        and not _shared(reply, normalise(task.persona))
        and not NEGATED.search(reply)
    ):
        return Opinion(BAD, "is about something else", NAME, 0.7)
    return abstain("neither yes nor no is said", NAME)


def _is_lecture(reply: str, said: str) -> bool:
    """Return whether a reply opens with the thing that was asked about and speaks to nobody."""
    return bool(_shared(" ".join(words_of(reply)[:2]), said)) and not _SECOND.search(reply)


def _persona_answer(task: CriterionTask) -> str | None:
    """Return what the sentences of the persona say to the question, read as an answer."""
    found = {read_yes_no(task.utterance, one).label for one in split_sentences(task.persona)} - {None}
    return found.pop() if len(found) == 1 else None


def _judge_open(task: CriterionTask, reply: str, said: str) -> Opinion:
    if is_abstention(task.reply) or _EVADES.search(reply):
        return Opinion(BAD, "says that it does not know", NAME, 0.9)
    sentences = split_sentences(reply)
    if all(one.endswith("?") for one in sentences):
        return Opinion(BAD, "only asks back", NAME, 0.85)
    if len(words_of(reply)) <= 2 and read_yes_no("", task.reply).label:
        return Opinion(BAD, "says yes or no to an open question", NAME, 0.9)
    own = [word for word in _shared(reply, normalise(task.persona)) if word not in _content(said)]
    if own and LIKED.search(normalise(task.persona)) and DISLIKED.search(reply):
        return Opinion(BAD, f"dislikes what the persona likes: '{own[0]}'", NAME, 0.85)
    if own and not NEGATED.search(reply):
        return Opinion(OK, f"says what the persona says: '{own[0]}'", NAME, 0.9)
    if not _FIRST.search(reply) and (_GENERAL.search(reply) or _is_lecture(reply, said)):
        return Opinion(BAD, "speaks of the thing in general", NAME, 0.85)
    if _PLACE.search(said) and _SOMEWHERE.match(reply):
        return Opinion(OK, "names a place where one was asked for", NAME, 0.8)
    if _SECOND.search(sentences[0]) and not _FIRST.search(reply):
        return Opinion(BAD, "speaks of the partner", NAME, 0.8)
    return abstain("no word of the persona is said", NAME)


def _judge_emotion(task: CriterionTask, reply: str, said: str) -> Opinion:
    del task
    sad, glad = bool(_SAD.search(said)), bool(_GLAD.search(said))
    comforts, cheers = _COMFORT.search(reply), _CHEER.search(reply)
    if sad and not glad:
        if comforts:
            return Opinion(OK, f"comforts: '{comforts[0]}'", NAME, 0.9)
        if _WRONG_TONE.search(reply):
            return Opinion(BAD, "has the wrong tone", NAME, 0.9)
    if glad and not sad and comforts and _CONDOLES.search(reply):
        return Opinion(BAD, "has the wrong tone", NAME, 0.9)
    if not sad and cheers and (glad or _CONGRATULATES.search(reply)):
        return Opinion(OK, f"is glad: '{cheers[0]}'", NAME, 0.9)
    if not _SECOND.search(reply) and "?" not in reply and not comforts and not cheers:
        return Opinion(BAD, "does not react to the feeling", NAME, 0.85)
    return abstain("the feeling is not clear", NAME)


def _judge_support(task: CriterionTask, reply: str, said: str) -> Opinion:
    del task, said
    words = words_of(reply)
    if ("?" in reply and len(words) > 1) or _INVITES.search(reply):
        return Opinion(OK, "asks on", NAME, 0.9)
    if len(words) <= 2:
        return Opinion(BAD, "closes the talk", NAME, 0.85)
    if _GOES_ON.match(reply) and len(words) > 4:
        return Opinion(OK, "goes on with the talk", NAME, 0.8)
    if _SECOND.search(reply) and len(words) > 4:
        return Opinion(OK, "speaks to the partner", NAME, 0.75)
    return abstain("neither asks on nor closes the talk", NAME)


def _judge_topic(task: CriterionTask, reply: str, said: str) -> Opinion:
    if _OLD_TOPIC.search(reply):
        return Opinion(BAD, "goes back to the old topic", NAME, 0.85)
    topic = split_sentences(said)[-1]
    shared = [word for word in _shared(reply, topic) if word not in _GENERIC]
    answer = read_yes_no(task.utterance, task.reply)
    if shared:
        return Opinion(OK, f"takes up '{shared[0]}'", NAME, 0.8)
    if answer.label and said.endswith("?"):
        return Opinion(OK, f"answers: {answer.reason}", NAME, 0.75)
    return abstain("no word of the topic is taken up", NAME)


_RULES: Mapping[str, Callable[[CriterionTask, str, str], Opinion]] = {
    "open_question": _judge_open,
    "closed_question": _judge_closed,
    "dialog_supporting": _judge_support,
    "emotion_supporting": _judge_emotion,
    "topic_switch": _judge_topic,
}
