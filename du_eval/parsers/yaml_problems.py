"""Text that YAML takes differently than its author, or not at all."""

from __future__ import annotations

import re

from du_eval.errors import Problem

_REFUSED = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
OLD_LINE_BREAKS = re.compile("[\x85\u2028\u2029]")
_LINE_END = re.compile(r"\r\n?|\n")
_CUT_CALL = re.compile(r"\[[^\]]*\w\([^)]*,[^)]*['\"]")


def without_old_line_breaks(text: str) -> tuple[str, dict[int, str]]:
    """Replace characters that end a line for YAML 1.1 but not for 1.2; return the way back, too."""
    present = sorted(set(OLD_LINE_BREAKS.findall(text)))
    free = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    stand_ins = dict(zip(present, free, strict=False))
    return text.translate(str.maketrans(stand_ins)), {ord(new): old for old, new in stand_ins.items()}


def syntax_problem(error: Exception, file: str, text: str) -> Problem:
    """Return what is wrong with a text that is no YAML, in words that help."""
    refused = _REFUSED.search(text)
    if refused is not None:
        line = len(_LINE_END.split(text[: refused.start()]))
        name = f"U+{ord(refused.group()):04X}"
        return Problem(file, line, f"the character {name} is not allowed in YAML", "remove it")
    what = getattr(error, "problem", None) or "not valid"
    mark, opened = getattr(error, "problem_mark", None), getattr(error, "context_mark", None)
    line = mark.line + 1 if mark else 1
    lines = _LINE_END.split(text)
    last = max((number for number, written in enumerate(lines, 1) if written.strip()), default=1)
    if opened and line > last:
        line, what = min(opened.line + 1, last), "a quote or bracket is not closed"
    written = lines[line - 1].strip() if line <= len(lines) else ""
    shown = f" in {written[:80]!r}" if written else ""
    hint = "check the indentation, and put texts that hold ': ' or start with one of {[*&!@`%|> in quotes"
    if _CUT_CALL.search(written):
        hint = "put each command in quotes, or on a line of its own: YAML splits lists in brackets at commas"
    return Problem(file, line, f"not valid YAML: {what}{shown}", hint)


def cut_comments(ends: list[tuple[int, int, int]], file: str, text: str) -> tuple[Problem, ...]:
    """Find texts that YAML cuts at ` #` although no blank follows the hash: hardly a comment."""
    lines = _LINE_END.split(text)
    found = []
    for end_line, column, line in ends:
        if end_line >= len(lines):
            continue
        rest = lines[end_line][column:]
        cut = rest.lstrip()
        if rest[:1] in {" ", "\t"} and cut.startswith("#") and cut[1:2].strip() not in {"", "#"}:
            message = f"the text ends before {cut.strip()[:40]!r}: YAML reads it as a comment"
            found.append(Problem(file, line, message, "quote the whole text, or put a blank after the #"))
    return tuple(found)
