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
    300, "четыреста": 400, "пятьсот": 500, "шестьсот": 600, "семьсот": 700, "восемьсот": 800,
    "девятьсот": 900,
    "тысяча": 1000, "тысячу": 1000, "одну": 1,
}  # fmt: skip
_ORDINALS = {
    "first": "1", "second": "2", "third": "3", "fourth": "4", "fifth": "5", "sixth": "6", "seventh": "7",
    "eighth": "8", "ninth": "9", "tenth": "10", "eleventh": "11", "twelfth": "12", "thirteenth": "13",
    "fourteenth": "14", "fifteenth": "15", "sixteenth": "16", "seventeenth": "17", "eighteenth": "18",
    "nineteenth": "19", "twentieth": "20", "thirtieth": "30",
}  # fmt: skip
_NUMBERS = (
    {word: number for number, word in enumerate(_SMALL)}
    | {word: number for number, word in enumerate(_RUSSIAN_SMALL)}
    | _TENS
    | _RUSSIAN_TENS
    | _RUSSIAN_FORMS
)
_RUSSIAN_ORDINALS = {
    "перв": 1, "втор": 2, "трет": 3, "четверт": 4, "пят": 5, "шест": 6, "седьм": 7, "восьм": 8, "девят": 9,
    "десят": 10, "одиннадцат": 11, "двенадцат": 12, "тринадцат": 13, "четырнадцат": 14, "пятнадцат": 15,
    "шестнадцат": 16, "семнадцат": 17, "восемнадцат": 18, "девятнадцат": 19, "двадцат": 20, "тридцат": 30,
    "сороков": 40, "пятидесят": 50, "шестидесят": 60, "семидесят": 70, "восьмидесят": 80, "девяност": 90,
}  # fmt: skip
_RUSSIAN_ORDINAL = re.compile(
    rf"({'|'.join(sorted(_RUSSIAN_ORDINALS, key=len, reverse=True))})"
    r"(?:ый|ий|ой|ая|ое|ого|ому|ым|ом|ую|ье|ья|ью|ьего|ьему|ьем|ьей|ьи|ые|ых)"
)
_WORD = re.compile(r"\d+(?:[.:]\d+)?|[^\W\d_]+(?:'[^\W\d_]+)?")
_ARTICLES = frozenset({"a", "an", "the"})


def split_tokens(text: str) -> list[str]:
    """Return the words of a text as they are compared; articles are left out."""
    folded = text.casefold().replace("’", "'").replace("-", " ").replace("ё", "е")
    folded = re.sub(r"(\d)(?:st|nd|rd|th| ?(?:ый|ий|ой|ая|ое|ого|ом|ую|го|му|й|м|е|я)\b)", r"\1", folded)
    folded = re.sub(r"\b(\d+(?:[.,]\d)?) ?(?:k|к|тыс|штук|тыщ)\b\.?", _in_thousands, folded)
    folded = re.sub(r"\b(\d+)\s*o'clock\b", r"\1", folded)
    folded = re.sub(r"\b(\d+):00\b", r"\1", folded)
    folded = re.sub(r"\ban? (?=(?:hundred|thousand)\b)", "one ", folded)
    folded = re.sub(r"\b(hundred|thousand) and (?=\w)", r"\1 ", folded)
    words = [_read_ordinal(word) for word in _WORD.findall(folded) if word not in _ARTICLES]
    found: list[str] = []
    for word in words:
        number = _NUMBERS.get(word) if not word.startswith("#") else int(word[1:])
        if word in _TIMES and found and found[-1].isdecimal():
            found[-1] = str(int(found[-1]) * _TIMES[word])
        elif number is None:
            found.append(word)
        elif found and found[-1].isdecimal() and _goes_on(int(found[-1]), number):
            found[-1] = str(int(found[-1]) + number)
        else:
            found.append(str(number))
    return [word for word in found if word != "o'clock"]


def _read_ordinal(word: str) -> str:
    """Return an ordinal as a number; one of Russian is marked, as it may end a longer number."""
    if word in _ORDINALS:
        return _ORDINALS[word]
    found = _RUSSIAN_ORDINAL.fullmatch(word)
    return f"#{_RUSSIAN_ORDINALS[found[1]]}" if found else word


def _in_thousands(found: re.Match[str]) -> str:
    return str(round(float(found[1].replace(",", ".")) * 1000))


def _goes_on(before: int, number: int) -> bool:
    """Return whether a number word goes on with the number before it: twenty one, тысяча девятьсот."""
    if str(before) in _ROUND or (before > 1000 and str(before % 100) in _ROUND):
        return 0 < number < 10
    return (before % 100 == 0 and before >= 100 and number < 100) or (before == 1000 and 100 <= number < 1000)


_TIMES = {"hundred": 100} | dict.fromkeys(["thousand", "тысяч", "тысячи", "тысяча", "тысячу", "штук"], 1000)
_ROUND = frozenset(str(number) for number in _TENS.values())
