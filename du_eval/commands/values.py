"""Slot values as text: cleaning what a model wrote, and quoting what would not survive."""

from __future__ import annotations

import json
import re
import unicodedata

NULL_WORDS = frozenset({"", "None", "null", "undefined", "[missing]", "[missing information]"})
_PLAIN = re.compile(r"[\w@$€£%&+/:.!?#*=~^°-]+(?: [\w@$€£%&+/:.!?#*=~^°-]+)*")
_BLANKS = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009"
    "\u200a\u2028\u2029\u202f\u205f\u3000"
)
"""Every character that `str.isspace` knows."""


def stripped_of_quotes(text: str) -> str:
    """Return the text without any mix of blanks and quotes around it."""
    return text.strip(_BLANKS + "'\"")


def unquoted(text: str) -> str:
    """Return the text without quotes around it, undoing the escapes of a quoted text."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] and "\\" in text:
        if text[0] == '"':
            text = _json_text(text)
        elif text[0] == "'":
            text = text.replace("\\'", "'")
    return stripped_of_quotes(text)


def _json_text(text: str) -> str:
    try:
        return str(json.loads(text, strict=False))
    except ValueError:
        return text


def null_or_text(text: str) -> str | None:
    """Return None for the null words of the command language, else the text."""
    return None if text in NULL_WORDS else text


def slot_text(value: object) -> str | None:
    """Return any slot value in its canonical text form."""
    if value is None:
        return None
    if isinstance(value, list | tuple | dict):
        return json.dumps(value, ensure_ascii=False)
    return null_or_text(stripped_of_quotes(str(value)))


def is_plain(text: str) -> bool:
    """Tell whether a value needs no second thought in any spelling."""
    return _PLAIN.fullmatch(text) is not None


def is_single_line(text: str) -> bool:
    """Tell whether a value holds no control character."""
    return not any(unicodedata.category(character) in {"Cc", "Cs", "Zl", "Zp"} for character in text)


def quoted(text: str) -> str:
    """Return a value in double quotes, with escapes."""
    return json.dumps(text, ensure_ascii=not is_single_line(text))
