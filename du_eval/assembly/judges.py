"""Names of judges into judges."""

from __future__ import annotations

from du_eval.errors import ConfigError
from du_eval.judges.judge import Judge
from du_eval.judges.rules import RulesJudge
from du_eval.judges.tasks import Role
from du_eval.plugins import load_object


def build_judge(role: Role, choice: str) -> Judge:
    """Return the judge of a role by name: `rules`, or the class path of a user's own."""
    if choice == "rules":
        return RulesJudge(role)
    if ":" in choice:
        found: Judge = load_object(choice)()
        return found
    raise ConfigError(
        f"there is no judge '{choice}' (rules, or the class path of your own: my_module:MyJudge)"
    )
