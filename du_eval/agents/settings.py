"""Everything that can be set for `du-eval agent` and `du-eval assess`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Literal

from du_eval.settings.declare import JUDGES, OWN, REPORTS, RUN, Flag, setting, switch
from du_eval.settings.shared import (
    CACHE_FLAG,
    NO_BATCHES,
    ActivitySettings,
    EndpointSettings,
    JournalSettings,
    PathSettings,
    QuietSettings,
    SampleSettings,
    SelectionSettings,
    SimilaritySettings,
    WorkSettings,
)
from du_eval.settings.words import Files, Words


class AgentSettings(
    PathSettings,
    SelectionSettings,
    EndpointSettings,
    SimilaritySettings,
    SampleSettings,
    JournalSettings,
    QuietSettings,
    WorkSettings,
    ActivitySettings,
    panel=OWN,
):
    """How agents are reached, who judges their answers, and what is shown of them."""

    section: ClassVar[str] = "agent"
    refused: ClassVar[Mapping[str, str]] = {
        "--seed": "agent cases use no randomness; set an agent's seed in the agent itself",
        **NO_BATCHES,
        "--journal": "runs are kept in .du-eval/runs now; --runs-dir names another folder",
    }

    paths: Words = setting(
        [],
        "Case files, folders, or FILE::NAME; 'serve-example' starts the example server.",
        flag=Flag(is_argument=True, is_path=True),
    )
    connection: Words = setting([], "Use this connection instead of the case's own. Repeatable.")
    server: Files = setting(
        [],
        "Address of the server, http://host:port[/base/path]; once for http, once for https. "
        "With serve-example: where to listen.",
    )
    ca: str | None = setting(None, "PEM file of the CA that signs the https server.", flag=Flag(is_path=True))
    certificate: str | None = setting(
        None,
        "PEM file of the client's certificate; with serve-example the server's.",
        flag=Flag(is_path=True),
    )
    private_key: str | None = setting(None, "PEM file of the certificate's key.", flag=Flag(is_path=True))
    agents: str = setting("", "Python module in which 'direct' connections find agents by name.")
    timeout: float = setting(
        120.0,
        "Time limit in seconds for interactions that set none themselves.",
        panel=RUN,
        ge=0.001,
    )
    allow_env: bool = switch("Let ${NAME} in HOCON files read environment variables.")
    neuro_san_compat: bool = switch(
        "Handle less, greater and continue_conversation as the original tool does."
    )
    model: str = setting("", "Chat model for gist checks and 'direct' chat agents.", panel=JUDGES)
    cache: Literal["use", "off", "refresh", "offline"] = setting(
        "off", "How the cache of the answers of chat models is used.", flag=CACHE_FLAG
    )
    judges: str = setting(
        "",
        "Judge of gist checks: offline, models, llm (--model), or a chain such as models>llm.",
        panel=JUDGES,
    )
    gist_votes: int = setting(1, "Number of votes of the model per gist check.", panel=JUDGES, ge=1, le=99)
    gist_threshold: float | None = setting(
        None,
        "Decide gist checks by similarity: the lowest value that passes.",
        panel=JUDGES,
        ge=0,
        le=1,
    )
    toxicity: str = setting(
        "lexicon",
        "Judge of toxicity: lexicon, detoxify, or detoxify:MODEL_OR_CHECKPOINT.",
        panel=JUDGES,
    )
    verbose: bool = switch("Also show the dialogues that passed.", "-v", "--verbose", panel=REPORTS)
    transcripts: str | None = setting(
        None,
        "Write the dialogue of each sample to this folder.",
        flag=Flag(panel=REPORTS, is_path=True),
    )
