"""`du-eval agent`: run agent cases, or the example server."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, reporting_errors
from du_eval.cli.more_reports import write_page
from du_eval.cli.options_cache import cache_mode
from du_eval.cli.options_report import Html

if TYPE_CHECKING:
    from du_eval.agents.assessor import Assessment
    from du_eval.agents.results import AgentRun

SERVE = "serve-example"
Servers = Annotated[
    list[str] | None,
    typer.Option(
        "--server",
        envvar="DU_EVAL_AGENT_SERVER",
        help="Address of the server, http://host:port[/base/path]; once for http, once for https. "
        "With serve-example: where to listen.",
    ),
]
CaFile = Annotated[Path | None, typer.Option("--ca", help="PEM file of the CA that signs the https server.")]
Certificate = Annotated[
    Path | None,
    typer.Option(
        "--certificate", help="PEM file of the client's certificate; with serve-example the server's."
    ),
]
PrivateKey = Annotated[Path | None, typer.Option("--private-key", help="PEM file of the certificate's key.")]
AgentsModule = Annotated[
    str, typer.Option("--agents", help="Python module in which 'direct' connections find agents by name.")
]
Model = Annotated[str, typer.Option("--model", help="Chat model for gist checks and 'direct' chat agents.")]
BaseUrl = Annotated[
    str | None,
    typer.Option(
        "--base-url", help="OpenAI-compatible endpoint; default $OPENAI_BASE_URL, key $OPENAI_API_KEY."
    ),
]
Votes = Annotated[int, typer.Option("--gist-votes", min=1, max=99, help="Votes of the model for each gist.")]
GistThreshold = Annotated[
    float | None,
    typer.Option(
        "--gist-threshold", min=0.0, max=1.0, help="Let similarity decide gist checks, from this value on."
    ),
]
Similarity = Annotated[
    str, typer.Option("--similarity", help="auto, tfidf, or a sentence-transformers model or folder.")
]
Toxicity = Annotated[
    str, typer.Option("--toxicity", help="lexicon, detoxify, or detoxify:MODEL_OR_CHECKPOINT.")
]
Timeout = Annotated[
    float,
    typer.Option("--timeout", min=0.001, help="Seconds for an interaction that sets no time limit itself."),
]
Concurrency = Annotated[int, typer.Option("-n", "--concurrency", min=1, help="Samples that run at once.")]
AllowEnv = Annotated[
    bool, typer.Option("--allow-env", help="Let ${NAME} in HOCON files read environment variables.")
]
Compat = Annotated[
    bool,
    typer.Option(
        "--neuro-san-compat", help="less, greater and continue_conversation as in the original tool."
    ),
]
Cache = Annotated[
    bool | None,
    typer.Option(
        "--cache/--no-cache",
        help="Keep the answers of chat models, and use kept ones (default: not).",
        show_default=False,
    ),
]
Refresh = Annotated[bool, typer.Option("--refresh", help="Ask chat models again, and replace kept answers.")]
Offline = Annotated[bool, typer.Option("--offline", help="Ask no chat model: only kept answers.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the JSON report instead of the text.")]


def agent(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="PATH...",
            help=f"Case files, folders, or FILE::NAME; '{SERVE}' starts the example server.",
        ),
    ],
    keyword: Annotated[
        str, typer.Option("-k", help="Only cases that match: words with and, or, not, ().")
    ] = "",
    deselect: Annotated[
        list[str] | None, typer.Option("--deselect", help="Leave out a case by name.")
    ] = None,
    connection: Annotated[
        list[str] | None, typer.Option("--connection", help="Use this connection instead of the case's own.")
    ] = None,
    server: Servers = None,
    ca: CaFile = None,
    certificate: Certificate = None,
    private_key: PrivateKey = None,
    agents: AgentsModule = "",
    model: Model = "",
    base_url: BaseUrl = None,
    gist_votes: Votes = 1,
    gist_threshold: GistThreshold = None,
    similarity: Similarity = "auto",
    toxicity: Toxicity = "lexicon",
    timeout: Timeout = 120.0,
    concurrency: Concurrency = 8,
    all_samples: Annotated[
        bool, typer.Option("--all-samples", help="Take every sample, also when the case is decided.")
    ] = False,
    allow_env: AllowEnv = False,
    neuro_san_compat: Compat = False,
    journal: Annotated[
        Path | None,
        typer.Option("--journal", help="Write finished samples to this file, not below .du-eval/."),
    ] = None,
    no_journal: Annotated[bool, typer.Option("--no-journal", help="Keep no journal.")] = False,
    resume: Annotated[
        Path | None,
        typer.Option(
            "--resume",
            metavar="[JOURNAL]",
            help="Continue a run (default: the last one); nothing is asked twice.",
            show_default=False,
        ),
    ] = None,
    retry_errors: Annotated[
        bool, typer.Option("--retry-errors", help="With --resume: take errored samples again.")
    ] = False,
    cache: Cache = None,
    refresh: Refresh = False,
    offline: Offline = False,
    as_json: AsJson = False,
    output_file: Annotated[
        list[Path] | None,
        typer.Option("--output-file", "-o", help="Also write a report: .json, .xml (JUnit) or .txt."),
    ] = None,
    transcripts: Annotated[
        Path | None,
        typer.Option("--transcripts", help="Write the dialogue of each sample below this folder."),
    ] = None,
    html: Html = None,
    verbose: Annotated[bool, typer.Option("--verbose", "-v", help="Show what passed, too.")] = False,
) -> None:
    """Run agent cases (HOCON, YAML or JSON) and report what passed.

    Examples: `du-eval agent serve-example` in one terminal, then `du-eval agent examples/agents` in another;
    `du-eval agent cases/ -k "music and not slow" --server http://localhost:8080`.
    """
    from du_eval.cli.agent_options import AgentOptions, Keeping, resumed_journal, run_selected, serve_example

    options = AgentOptions(
        servers=tuple(server or ()),
        files={"ca_file": ca, "certificate": certificate, "private_key": private_key},
        agents_module=agents,
        model=model,
        base_url=base_url,
        gist=(gist_votes, gist_threshold),
        judges=(similarity, toxicity),
        timeout_seconds=timeout,
        concurrency=concurrency,
        allows_environment=allow_env,
        is_compatible=neuro_san_compat,
        connections=tuple(connection or ()),
    )
    with reporting_errors():
        if paths[0] == SERVE:
            serve_example(options)
            return
        options = replace(options, cache=cache_mode(cache, refresh=refresh, offline=offline) or "off")
        from du_eval.agents.select import Selection

        selection = Selection(tuple(paths), keyword, tuple(deselect or ()))
        keeping = Keeping(journal, resumed_journal(resume), not no_journal, retry_errors)
        run = run_selected(options, selection, keeping, takes_all=all_samples)
        assessments = _assessed(run, similarity)
        reports = {path: _rendered(path, run, assessments) for path in output_file or ()}
        _print(run, assessments, as_json, verbose)
        _write(reports)
        if transcripts is not None:
            from du_eval.reports.agents_transcript import write_transcripts

            write_transcripts(run, transcripts)
        page_of(html, run, assessments)
    raise typer.Exit(int(run.exit_code))


def _assessed(run: AgentRun, similarity: str) -> tuple[Assessment, ...]:
    from du_eval.agents.assessor import assess
    from du_eval.judges.similarity import similarity_judge

    return assess(run, similarity_judge(similarity))


def page_of(html: str | None, run: AgentRun, assessments: tuple[Assessment, ...]) -> None:
    """Write the page of a run, where one is asked for."""
    import json

    from du_eval.reports.agents_json import render_json

    if html is not None:
        write_page(html, json.loads(render_json(run, assessments)), "agent cases")


def _print(run: AgentRun, assessments: tuple[Assessment, ...], as_json: bool, verbose: bool) -> None:
    import sys

    from du_eval.reports.agents_console import AgentConsoleReport
    from du_eval.reports.agents_json import render_json

    if as_json:
        out(render_json(run, assessments))
        return
    has_colour = sys.stdout.isatty() and "NO_COLOR" not in os.environ
    out(AgentConsoleReport(has_colour, verbose).render(run, assessments))


def _rendered(path: Path, run: AgentRun, assessments: tuple[Assessment, ...]) -> str:
    from du_eval.errors import InputError
    from du_eval.reports.agents_console import AgentConsoleReport
    from du_eval.reports.agents_json import render_json
    from du_eval.reports.agents_junit import render_junit

    match path.suffix:
        case ".json":
            return render_json(run, assessments)
        case ".xml":
            return render_junit(run)
        case ".txt":
            return AgentConsoleReport(is_detailed=True).render(run, assessments)
        case suffix:
            raise InputError(f"--output-file {path}: no report is called '{suffix}'; use .json, .xml or .txt")


def _write(reports: dict[Path, str]) -> None:
    from du_eval.errors import ReportError

    for path, text in reports.items():
        try:
            path.write_text(text, encoding="utf-8")
        except OSError as error:
            raise ReportError(f"the report {path} cannot be written: {error}") from error
