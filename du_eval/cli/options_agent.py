"""Options of `du-eval agent` and `du-eval assess`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def _option(*names: str, **settings: Any) -> Any:
    return typer.Option(*names, show_default=False, **settings)


class SelectingOptions:
    """Which cases run, and how often."""

    keyword: Annotated[
        str, _option("-k", help="Only cases that match: words with and, or, not and brackets.")
    ] = ""
    deselect: Annotated[list[str] | None, _option("--deselect", help="Leave out a case by name.")] = None
    samples: Annotated[
        int | None,
        _option("--samples", min=1, max=10_000, help="Samples per case (default: those of success_ratio)."),
    ] = None


class AskingOptions:
    """How agents are reached, and who judges their answers."""

    connection: Annotated[
        list[str] | None, _option("--connection", help="Use this connection instead of the case's own.")
    ] = None
    server: Annotated[
        list[str] | None,
        _option(
            "--server",
            envvar="DU_EVAL_AGENT_SERVER",
            help="Address of the server, http://host:port[/base/path]; once for http, once for https. "
            "With serve-example: where to listen.",
        ),
    ] = None
    ca: Annotated[Path | None, _option("--ca", help="PEM file of the CA that signs the https server.")] = None
    certificate: Annotated[
        Path | None,
        _option(
            "--certificate", help="PEM file of the client's certificate; with serve-example the server's."
        ),
    ] = None
    private_key: Annotated[
        Path | None, _option("--private-key", help="PEM file of the certificate's key.")
    ] = None
    agents: Annotated[
        str, _option("--agents", help="Python module in which 'direct' connections find agents by name.")
    ] = ""
    model: Annotated[str, _option("--model", help="Chat model for gist checks and 'direct' chat agents.")] = (
        ""
    )
    base_url: Annotated[
        str | None,
        _option(
            "--base-url", help="OpenAI-compatible endpoint; default $OPENAI_BASE_URL, key $OPENAI_API_KEY."
        ),
    ] = None
    gist_votes: Annotated[
        int, typer.Option("--gist-votes", min=1, max=99, help="Votes of the model for each gist.")
    ] = 1
    gist_threshold: Annotated[
        float | None,
        _option(
            "--gist-threshold",
            min=0.0,
            max=1.0,
            help="Let similarity decide gist checks, from this value on.",
        ),
    ] = None
    similarity: Annotated[
        str, typer.Option("--similarity", help="auto, tfidf, or a sentence-transformers model or folder.")
    ] = "auto"
    toxicity: Annotated[
        str, typer.Option("--toxicity", help="lexicon, detoxify, or detoxify:MODEL_OR_CHECKPOINT.")
    ] = "lexicon"
    timeout: Annotated[
        float,
        typer.Option(
            "--timeout", min=0.001, help="Seconds for an interaction that sets no time limit itself."
        ),
    ] = 120.0
    concurrency: Annotated[
        int, typer.Option("-n", "--concurrency", min=1, help="Samples that run at once.")
    ] = 8
    allow_env: Annotated[
        bool, _option("--allow-env", help="Let ${NAME} in HOCON files read environment variables.")
    ] = False
    neuro_san_compat: Annotated[
        bool,
        _option(
            "--neuro-san-compat", help="less, greater and continue_conversation as in the original tool."
        ),
    ] = False
    cache: Annotated[
        bool | None,
        _option(
            "--cache/--no-cache",
            help="Keep the answers of chat models, and use kept ones (default: not).",
        ),
    ] = None
    refresh: Annotated[
        bool, _option("--refresh", help="Ask chat models again, and replace kept answers.")
    ] = False
    offline: Annotated[bool, _option("--offline", help="Ask no chat model: only kept answers.")] = False


class KeepingOptions:
    """Where runs are kept, and which one goes on."""

    resume: Annotated[
        str | None,
        _option(
            "--resume",
            metavar="[RUN]",
            help="Continue a run (default: the last one) with its settings; nothing is asked twice.",
        ),
    ] = None
    retry_errors: Annotated[
        bool, _option("--retry-errors", help="With --resume: take errored samples again.")
    ] = False
    runs_dir: Annotated[
        str | None, _option("--runs-dir", help="Where runs are kept (default .du-eval/runs).")
    ] = None
    no_journal: Annotated[bool, _option("--no-journal", help="Do not keep this run.")] = False
    journal: Annotated[str | None, _option("--journal", hidden=True)] = None


class PrintingOptions:
    """What is printed and written of a run."""

    json_output: Annotated[bool, _option("--json", help="Print the whole run as JSON.")] = False
    quiet: Annotated[
        bool, _option("-q", "--quiet", help="No details of failures, only tables and figures.")
    ] = False
    verbose: Annotated[bool, _option("--verbose", "-v", help="Show the dialogues that passed, too.")] = False
    output_file: Annotated[
        list[str] | None,
        _option(
            "--output-file",
            "-o",
            help="Write a report: .json (the whole run), .xml (JUnit), .html, .md, .xlsx, .txt. Repeatable.",
        ),
    ] = None
    transcripts: Annotated[
        Path | None, _option("--transcripts", help="Write the dialogue of each sample below this folder.")
    ] = None
