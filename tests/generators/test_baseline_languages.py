"""The common moves of a conversation, in German, French, Spanish and Russian."""

from __future__ import annotations

import asyncio

import pytest

from du_eval.assistants.model import Assistant, Collect, DialogueState, Flow, Slot
from du_eval.generators.base import Request
from du_eval.generators.baseline import BaselineGenerator

FERRY = Assistant(
    flows={
        "book_ferry": Flow(
            "book_ferry",
            "Book a crossing by ferry.",
            collects=(
                Collect("ferry_seats", "the number of seats"),
                Collect("ferry_insured", "true or false"),
            ),
        )
    },
    slots={"ferry_seats": Slot("ferry_seats", "float"), "ferry_insured": Slot("ferry_insured", "bool")},
)
SEATS, INSURED = "ferry_seats", "ferry_insured"
MOVES = {
    "CancelFlow()": {
        "de": [
            "Abbrechen bitte",
            "vergiss es",
            "Ich möchte das abbrechen",
            "Hör auf damit",
            "lass mal gut sein",
        ],
        "fr": ["Annulez tout", "laisse tomber", "je veux annuler", "oubliez ça", "j'ai changé d'avis"],
        "es": ["cancela todo", "déjalo", "quiero cancelar", "olvídalo", "he cambiado de opinión"],
        "ru": ["отмените, пожалуйста", "забудь", "хватит", "я передумал", "не надо, отмена"],
    },
    "SkipQuestion()": {
        "de": ["Überspringen", "nächste Frage bitte", "das möchte ich nicht sagen", "keine Ahnung"],
        "fr": ["passez cette question", "question suivante", "je préfère ne pas répondre", "aucune idée"],
        "es": ["salta esta pregunta", "siguiente pregunta", "prefiero no decirlo", "ni idea"],
        "ru": ["пропустите этот вопрос", "следующий вопрос", "не хочу отвечать", "понятия не имею"],
    },
    "RepeatLastBotMessages()": {
        "de": ["Wie bitte?", "Können Sie das wiederholen?", "Sag das noch einmal"],
        "fr": ["Pouvez-vous répéter ?", "redites-le s'il vous plaît", "pardon ?"],
        "es": ["¿Puede repetirlo?", "dilo otra vez", "¿cómo dice?"],
        "ru": ["повторите, пожалуйста", "скажите ещё раз", "что вы сказали?"],
    },
    "HumanHandoff()": {
        "de": ["Ich will mit einem Menschen sprechen", "Verbinden Sie mich mit einem Mitarbeiter"],
        "fr": ["Je veux parler à un conseiller", "passez-moi un humain"],
        "es": ["Quiero hablar con una persona", "póngame con un agente"],
        "ru": ["Соедините меня с оператором", "хочу поговорить с человеком"],
    },
}
CHAT = {
    "de": ["Hallo!", "Guten Morgen", "Danke schön", "Wie geht es dir?", "Auf Wiedersehen"],
    "fr": ["Bonjour !", "Salut", "Merci beaucoup", "Comment allez-vous ?", "Bonne journée"],
    "es": ["¡Hola!", "Buenas tardes", "Muchas gracias", "¿Cómo estás?", "Hasta luego"],
    "ru": ["Привет!", "Добрый день", "Большое спасибо", "Как у тебя дела?", "До свидания"],
}
VERDICTS = {
    True: {
        "de": ["Ja, gern", "Klar doch", "natürlich", "Auf jeden Fall"],
        "fr": ["Oui, s'il vous plaît", "bien sûr", "tout à fait", "volontiers"],
        "es": ["Sí, por favor", "claro que sí", "por supuesto", "de acuerdo"],
        "ru": ["Да, пожалуйста", "конечно", "разумеется", "давайте"],
    },
    False: {
        "de": ["Nein danke", "lieber nicht", "auf keinen Fall", "nö"],
        "fr": ["Non merci", "surtout pas", "pas du tout", "jamais"],
        "es": ["No, gracias", "mejor no", "para nada", "de ninguna manera"],
        "ru": ["Нет, спасибо", "лучше не надо", "ни в коем случае", "не нужно"],
    },
}
NUMBERS = {
    "de": [("sieben", 7), ("dreizehn", 13), ("zwanzig", 20)],
    "fr": [("quatre", 4), ("quinze", 15), ("trente", 30)],
    "es": [("siete", 7), ("catorce", 14), ("cuarenta", 40)],
    "ru": [("пять", 5), ("шестнадцать", 16), ("двадцать", 20)],
}


def hear(message: str, asked: str | None = None) -> list[str]:
    state = DialogueState("book_ferry", asked, {}, ("book_ferry",)) if asked else DialogueState()
    request = Request(message, state=state, assistant=FERRY)
    return [str(command) for command in asyncio.run(BaselineGenerator().generate(request)).commands or ()]


@pytest.mark.parametrize("language", ["de", "fr", "es", "ru"])
class TestEveryLanguage:
    def test_common_moves_are_understood(self, language: str) -> None:
        heard = {text: hear(text, SEATS) for wordings in MOVES.values() for text in wordings[language]}
        assert heard == {text: [move] for move, wordings in MOVES.items() for text in wordings[language]}

    def test_greetings_and_thanks_are_small_talk(self, language: str) -> None:
        assert {text: hear(text) for text in CHAT[language]} == {
            text: ["ChitChat()"] for text in CHAT[language]
        }

    def test_yes_and_no_answer_a_question(self, language: str) -> None:
        heard = {text: hear(text, INSURED) for said in VERDICTS.values() for text in said[language]}
        assert heard == {
            text: [f"SetSlot({INSURED}, {verdict})"]
            for verdict, said in VERDICTS.items()
            for text in said[language]
        }

    def test_numbers_in_words_are_numbers(self, language: str) -> None:
        heard = {text: hear(text, SEATS) for text, _ in NUMBERS[language]}
        assert heard == {text: [f"SetSlot({SEATS}, {number})"] for text, number in NUMBERS[language]}
