"""Words as they are compared: small letters, numbers as digits, times and ordinals in one spelling."""

from __future__ import annotations

import re

_SMALL = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TENS = {
    "twenty": 20, "thirty": 30, "forty": 40, "fifty": 50,
    "sixty": 60, "seventy": 70, "eighty": 80, "ninety": 90,
}  # fmt: skip
_RUSSIAN_SMALL = (
    "ноль", "один", "два", "три", "четыре", "пять", "шесть", "семь", "восемь", "девять", "десять",
    "одиннадцать", "двенадцать", "тринадцать", "четырнадцать", "пятнадцать", "шестнадцать", "семнадцать",
    "восемнадцать", "девятнадцать",
)  # fmt: skip
_RUSSIAN_TENS = {
    "двадцать": 20, "тридцать": 30, "сорок": 40, "пятьдесят": 50, "шестьдесят": 60, "семьдесят": 70,
    "восемьдесят": 80, "девяносто": 90,
}  # fmt: skip
_RUSSIAN_FORMS = {
    "одна": 1, "одно": 1, "одного": 1, "две": 2, "двое": 2, "двух": 2, "двумя": 2, "трое": 3, "трех": 3,
    "тремя": 3, "четверо": 4, "четырех": 4, "пятеро": 5, "пяти": 5, "шести": 6, "семи": 7, "восьми": 8,
    "девяти": 9, "десяти": 10, "одиннадцати": 11, "двенадцати": 12, "пятнадцати": 15, "двадцати": 20,
    "тридцати": 30, "сорока": 40, "пятидесяти": 50, "сто": 100, "ста": 100, "двести": 200, "триста":
    300, "пятьсот": 500,
}  # fmt: skip
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10", "eleventh": "11", "twelfth": "12", "thirteenth": "13",
    "fourteenth": "14", "fifteenth": "15", "sixteenth": "16", "seventeenth": "17", "eighteenth": "18",
    "nineteenth": "19", "twentieth": "20", "thirtieth": "30", "первый": "1", "второй": "2", "третий": "3",
    "четвертый": "4", "пятый": "5", "шестой": "6", "седьмой": "7", "восьмой": "8",
    "девятый": "9", "десятый": "10",
}  # fmt: skip
_NUMBERS = (
    {word: number for number, word in enumerate(_SMALL)}
    | {word: number for number, word in enumerate(_RUSSIAN_SMALL)}
    | _TENS
    | _RUSSIAN_TENS
    | _RUSSIAN_FORMS
)
_WORD = re.compile(r"\d+(?:[.:]\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?")
_ARTICLES = frozenset({"a", "an", "the"})


def tokens_of(text: str) -> list[str]:
    """Return the words of a text as they are compared; articles are left out."""
    folded = text.casefold().replace("’", "'").replace("-", " ").replace("ё", "е")
    folded = re.sub(r"(\d)(?:st|nd|rd|th)\b", r"\1", folded)
    folded = re.sub(r"\b(\d+)\s*o'clock\b", r"\1", folded)
    folded = re.sub(r"\b(\d+):00\b", r"\1", folded)
    words = [_ORDINALS.get(word, word) for word in _WORD.findall(folded) if word not in _ARTICLES]
    found: list[str] = []
    for word in words:
        number = _NUMBERS.get(word)
        if word in _TIMES and found and found[-1].isdecimal():
            found[-1] = str(int(found[-1]) * _TIMES[word])
        elif number is None:
            found.append(word)
        elif found and found[-1] in _ROUND and 0 < number < 10:
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
    return [word for word in found if word != "o'clock"]


_TIMES = {"hundred": 100, "thousand": 1000, "тысяч": 1000, "тысячи": 1000}
_ROUND = frozenset(str(number) for number in _TENS.values())
