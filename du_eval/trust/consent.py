"""Whether what found settings would do is allowed: pinned by the user, or allowed for this call."""

from __future__ import annotations

from collections.abc import Mapping

from du_eval.errors import Problem, UntrustedError
from du_eval.trust.effects import FoundSettings, digest_effects
from du_eval.trust.store import TrustStore, find_config_folder

VARIABLE = "DU_EVAL_TRUST"
_YES = frozenset({"1", "true", "yes"})


def require_consent(
    found: FoundSettings, environment: Mapping[str, str], used: Mapping[str, int] | None = None
) -> None:
    """Raise unless the user agreed to what the settings do that are used, given with their lines."""
    effects = found.effects
    asked = [one for one in effects if used is None or one.setting in used]
    if not asked:
        return
    # The hash is about the whole file: consent does not depend on the command that asks for it.
    digest = digest_effects(effects)
    if _is_allowed(digest, environment) or find_store(environment).is_pinned(found.path, digest):
        return
    name = str(found.path)
    problems = [Problem(name, (used or {}).get(one.setting, 0), str(one)) for one in asked]
    raise UntrustedError(problems, name, digest)


def find_store(environment: Mapping[str, str]) -> TrustStore:
    """Return where this user's consent is kept."""
    return TrustStore(find_config_folder(environment))


def _is_allowed(digest: str, environment: Mapping[str, str]) -> bool:
    """Tell whether everything, or exactly this, is allowed for this call."""
    words = {word.strip().lower() for word in environment.get(VARIABLE, "").split(",")}
    return bool(words & _YES) or digest in words
