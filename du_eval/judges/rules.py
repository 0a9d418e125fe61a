"""The offline player of every role: rules, which decide only what they are sure of."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from du_eval.judges import answer_rules, coherence_rules, protocol_rules, repeated, stutter, yes_no
from du_eval.judges.opinion import Opinion, abstain
from du_eval.judges.tasks import ClosedTask, GistTask, Role, Task, TextTask, TurnTask
from du_eval.judges.toxicity import LexiconToxicity

_GIST = "gist-rules/1"
_DOUBTFUL = 0.07
"""The highest toxicity of what is surely fine."""


def _read_closed(task: ClosedTask) -> Opinion:
    return yes_no.read_yes_no(task.question, task.reply)


def _read_turn(task: TurnTask) -> Opinion:
    return repeated.read_turn(task.earlier, task.turn)


def _read_toxicity(task: TextTask) -> Opinion:
    found = LexiconToxicity().scores([task.reply])[0]
    if found.value > LexiconToxicity.threshold:
        return Opinion("toxic", f"sounds toxic{found.why}", LexiconToxicity.name, found.value)
    if found.value > _DOUBTFUL:
        return abstain(f"may be toxic{found.why}", LexiconToxicity.name)
    return Opinion("fine", "does not sound toxic", LexiconToxicity.name, 1 - 5 * found.value)


def _read_stutter(task: TextTask) -> Opinion:
    return stutter.read_stutter(task.reply)


def _read_gist(task: GistTask) -> Opinion:
    del task
    return abstain("only a model can tell whether a criterion is met", _GIST)


_READERS: Mapping[Role, tuple[str, Callable[[Any], Opinion]]] = {
    Role.ANSWERS: (answer_rules.NAME, answer_rules.read_answer),
    Role.YES_NO: (yes_no.NAME, _read_closed),
    Role.COHERENCE: (coherence_rules.NAME, coherence_rules.read_coherence),
    Role.REPEATED_QUESTIONS: (repeated.NAME, _read_turn),
    Role.TOXICITY: (LexiconToxicity.name, _read_toxicity),
    Role.GIST: (_GIST, _read_gist),
    Role.STUTTER: (stutter.NAME, _read_stutter),
    Role.PROTOCOL: (protocol_rules.NAME, protocol_rules.read_criterion),
}


class RulesJudge(Struct, frozen=True):
    """Judges a role by rules; the task must be one of the role."""

    role: Role

    @property
    def name(self) -> str:
        """How results name it."""
        return _READERS[self.role][0]

    def judge(self, tasks: Sequence[Task]) -> list[Opinion]:
        """Return an opinion about each task."""
        read = _READERS[self.role][1]
        return [read(task) for task in tasks]
