"""Where the words of lines begin and end."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING
from unicodedata import normalize

from msgspec import Struct

if TYPE_CHECKING:
    import regex


Spacing = Callable[[str], str]


@cache
def _punctuation() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - the default tokeniser does without

    inside = r"\p{L}\p{M}\p{N}"
    between = r"['’.,\-]"
    return regex.compile(rf"(?<![{inside}]){between}|{between}(?![{inside}])|[^{inside}\s'’.,\-]")


@cache
def _unicode_words() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415 - the default tokeniser does without

    scripts_without_blanks = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Thai}\p{Lao}\p{Khmer}\p{Myanmar}"
    return regex.compile(
        rf"[{scripts_without_blanks}]\p{{M}}*"
        r"|\p{N}+(?:[.,]\p{N}+)*"
        rf"|(?:(?![{scripts_without_blanks}])[\p{{L}}\p{{M}}\p{{N}}_])+"
        rf"(?:['’](?:(?![{scripts_without_blanks}])\p{{L}})+)*"
        r"|\X"
    )


def whitespace(block: str) -> str:
    """Leave the text alone: tokens are what blanks separate."""
    return block


def punctuation(block: str) -> str:
    """Set punctuation apart, but not inside words and numbers (`don't`, `3.14`, `well-known`)."""
    return str(_punctuation().sub(r" \g<0> ", block))


def unicode_words(block: str) -> str:
    """Set words, numbers and symbols apart; characters of scripts without blanks stand alone; NFC first."""
    words = _unicode_words()
    lines = normalize("NFC", block).split("\n")
    return "\n".join(" ".join(words.findall(line)) for line in lines)


SPACINGS: dict[str, Spacing] = {
    "whitespace": whitespace,
    "punctuation": punctuation,
    "unicode": unicode_words,
}


class Tokeniser(Struct, frozen=True):
    """A way to set tokens apart, with or without lower-casing first."""

    name: str = "whitespace"
    lowercase: bool = False

    def space_tokens(self, block: str) -> str:
        """Return the block with blanks between its tokens; line ends stay where they are."""
        if self.lowercase:
            block = block.lower()
        return SPACINGS[self.name](block)

    @property
    def signature(self) -> str:
        """What a number must say about its tokens."""
        return f"tok:{self.name}|case:{'lower' if self.lowercase else 'mixed'}"
