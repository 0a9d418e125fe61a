"""`du-eval assess`: how often a case passes, and in which ways it fails."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.agent import (
    AgentsModule,
    AllowEnv,
    AsJson,
    BaseUrl,
    Cache,
    CaFile,
    Certificate,
    Compat,
    Concurrency,
    GistThreshold,
    Model,
    Offline,
    PrivateKey,
    Refresh,
    Servers,
    Similarity,
    Timeout,
    Toxicity,
    Votes,
    page_of,
)
from du_eval.cli.edge import out, reporting_errors
from du_eval.cli.options_cache import cache_mode
from du_eval.cli.options_report import Html

if TYPE_CHECKING:
    from du_eval.agents.assessor import Assessment
    from du_eval.cli.agent_options import AgentOptions


def assess(
    case: Annotated[str, typer.Argument(metavar="CASE", help="A case file, a folder, or FOLDER::NAME.")],
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples", min=1, max=10_000, help="Samples to take; default: those of success_ratio."
        ),
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
    allow_env: AllowEnv = False,
    neuro_san_compat: Compat = False,
    as_json: AsJson = False,
    cache: Cache = None,
    refresh: Refresh = False,
    offline: Offline = False,
    output_file: Annotated[
        Path | None, typer.Option("--output-file", "-o", help="Also write the JSON report to this file.")
    ] = None,
    html: Html = None,
) -> None:
    """Take all samples of a case, and group its failures into modes.

    A chat model (--model) gives the modes their names; without one they are grouped and named by rules and
    similarity. Exit code 0 where the case passes by its ratio, 1 where it fails, 3 where it cannot be judged.
    """
    from du_eval.cli.agent_options import AgentOptions, Keeping, run_selected

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
        options = replace(options, cache=cache_mode(cache, refresh=refresh, offline=offline) or "off")
        from du_eval.agents.assessor import assess as assess_run
        from du_eval.agents.assessor import taking_samples
        from du_eval.agents.select import Selection
        from du_eval.judges.similarity import similarity_judge
        from du_eval.reports.agents_json import render_json
        from du_eval.reports.agents_modes import render_assessment

        run = run_selected(
            options,
            Selection((case,)),
            Keeping(is_wanted=False),
            takes_all=True,
            adapt=lambda one: taking_samples(one, samples),
        )
        found = _named(assess_run(run, similarity_judge(similarity)), options)
        report = render_json(run, found)
        out(report if as_json else render_assessment(found))
        if output_file is not None:
            _write(output_file, report)
        page_of(html, run, found)
    raise typer.Exit(int(run.exit_code))


def _named(found: tuple[Assessment, ...], options: AgentOptions) -> tuple[Assessment, ...]:
    """Let the chat model name the modes, where there is one."""
    if not options.model or not any(one.modes for one in found):
        return found
    import asyncio

    from du_eval.agents.assessor import name_modes

    async def named() -> tuple[Assessment, ...]:
        model = options.chat()
        try:
            return await name_modes(found, model, model.model)
        finally:
            await model.aclose()

    return asyncio.run(named())


def _write(path: Path, report: str) -> None:
    from du_eval.errors import ReportError

    try:
        path.write_text(report, encoding="utf-8")
    except OSError as error:
        raise ReportError(f"the report {path} cannot be written: {error}") from error
