"""Options that take a list separated by spaces, as the documents write them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence

LIST_OPTIONS = frozenset({"--additional-commands", "--remove-default-commands"})
_RUN = re.compile(r"last|\d{8}(?:-[\da-f-]*)?")
_WORD = re.compile(r"[A-Za-z_][\w.]*(?::[\w.]+)?")


def expand_lists(arguments: Sequence[str]) -> list[str]:
    """Repeat a list option before each of its words: `--option a b` becomes `--option a --option b`.

    A word that exists as a path, or has another form than a class path, ends the list.
    """
    found: list[str] = []
    option, taken = "", 0
    for index, argument in enumerate(arguments):
        if argument == "--":
            return found + list(arguments[index:])
        if argument in LIST_OPTIONS:
            option, taken = argument, 0
        elif option and _WORD.fullmatch(argument) and (taken == 0 or not os.path.exists(argument)):
            found += [option, argument]
            taken += 1
        else:
            if option and not taken:
                found.append(option)
            option = ""
            found.append(argument)
    return found + ([option] if option and not taken else [])


def with_resume_value(arguments: Sequence[str]) -> list[str]:
    """Give `--resume` its value: the run that follows it, or else the last one."""
    found: list[str] = []
    words = iter(arguments)
    for word in words:
        if word == "--":
            return [*found, word, *words]
        if word != "--resume":
            found.append(word)
            continue
        following = next(words, None)
        if following is None or not _is_run(following):
            found += ["--resume=last", *([] if following is None else [following])]
        else:
            found.append(f"--resume={following}")
    return found


def with_printed_markdown(arguments: Sequence[str]) -> list[str]:
    """Let `compare --markdown` print where no file for it follows."""
    found = list(arguments)
    if "compare" in found[:2] and "--markdown" in found:
        place = found.index("--markdown") + 1
        if not found[place : place + 1] or not found[place].endswith((".md", "-")):
            found.insert(place, "-")
    return found


def with_trust_first(arguments: Sequence[str]) -> list[str]:
    """Let `--trust` stand anywhere: it is about the whole call."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    own, rest = arguments[:end], arguments[end:]
    others = [word for word in own if word != "--trust"]
    return [*(["--trust"] if len(others) < len(own) else []), *others, *rest]


def _is_run(word: str) -> bool:
    """Tell whether a word after --resume names a run: a path of tests, or another option, does not."""
    if _RUN.fullmatch(word) or word.endswith(".jsonl"):
        return True
    if any(os.path.exists(os.path.join(word, file)) for file in ("manifest.json", "journal.jsonl")):
        return True
    return not word.startswith("-") and not os.path.exists(word.partition("::")[0])
