"""Options of `rasa test du` that du-eval answers with its own."""

from __future__ import annotations

from collections.abc import Sequence

_ANSWERS = {
    "-m": "a trained model runs on its server: start `rasa run --enable-api`, and use -g rasa --url ADDRESS",
    "--endpoints": "use -g llm --model NAME for a model, -g rasa --url ADDRESS for a running server, and "
    "--action-endpoint ADDRESS for an action server",
    "--remote-storage": "a trained model runs on its server: use -g rasa --url ADDRESS",
    "--sub-agents": "agents run on their server: use -g rasa --url ADDRESS",
    **dict.fromkeys(
        ("--logging-config-file", "-v", "-vv", "--verbose", "--debug"),
        "du-eval writes no log; its journal holds every answer",
    ),
}


def answer_flag(words: Sequence[str]) -> str:
    """Return what to use instead of the first option of Rasa among some words, or nothing."""
    for number, word in enumerate(words):
        flag, _, value = word.partition("=")
        if flag == "--model" and (value or "".join(words[number + 1 : number + 2])).endswith(".tar.gz"):
            return f"--model takes the name of a model; {_ANSWERS['-m']}"
        if flag in _ANSWERS:
            return f"{flag} is an option of rasa test du; here, {_ANSWERS[flag]}"
    return ""
