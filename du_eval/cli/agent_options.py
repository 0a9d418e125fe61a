"""From the options of `agent` and `assess` to a run."""

from __future__ import annotations

import asyncio
import os
import ssl
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import typer

from du_eval.agents.checks.base import Judges
from du_eval.agents.connect import Connecting, server_options
from du_eval.agents.connections.kinds import find_kinds
from du_eval.agents.converse import SampleSetting
from du_eval.agents.journal import Journal, read_journal
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.pipeline import RunSetting, run_cases
from du_eval.agents.results import AgentRun, SampleResult
from du_eval.agents.select import Selection, select_cases
from du_eval.assembly.networked import build_chat_model
from du_eval.cli.edge import out
from du_eval.errors import InputError, did_you_mean
from du_eval.judges.chat import EndpointChat
from du_eval.judges.gist import GistJudge, ModelGist, SimilarityGist, UndecidedGist
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.toxicity import toxicity_judge
from du_eval.runs.store import LAST

_JOURNALS = Path(".du-eval") / "agent-runs"


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What the command line says, but for selection and reports."""

    servers: tuple[str, ...] = ()
    files: dict[str, Path | None] = field(default_factory=dict)
    agents_module: str = ""
    model: str = ""
    base_url: str | None = None
    gist: tuple[int, float | None] = (1, None)
    """Votes of the model; the threshold of similarity where that is to decide without one."""
    judges: tuple[str, str] = ("auto", "lexicon")
    timeout_seconds: float = 120.0
    concurrency: int = 8
    allows_environment: bool = False
    is_compatible: bool = False
    connections: tuple[str, ...] = ()
    cache: str = "off"

    def chat(self, model: str = "") -> EndpointChat:
        """Return the client of a chat model: the one that is named, or that of the options."""
        values = {
            "model": model or self.model,
            "base_url": self.base_url,
            "cache": self.cache,
            "concurrency": self.concurrency,
        }
        return build_chat_model(values, os.environ)

    @property
    def connecting(self) -> Connecting:
        """What they say about connections."""
        files = {key: str(path) for key, path in self.files.items() if path is not None}
        return Connecting(
            server_options(self.servers), files, self.agents_module, self.model, chat_of=self.chat
        )

    def judging(self, model: EndpointChat | None) -> Judges:
        """Return the judges they choose."""
        similarity = similarity_judge(self.judges[0])
        votes, threshold = self.gist
        gist: GistJudge = UndecidedGist() if threshold is None else SimilarityGist(similarity, threshold)
        if model is not None:
            gist = ModelGist(model, votes, model.model)
        return Judges(gist, similarity, toxicity_judge(self.judges[1]))


@dataclass(frozen=True, slots=True)
class Keeping:
    """Where finished samples go, and where earlier ones come from."""

    journal: Path | None = None
    resumed: Path | None = None
    is_wanted: bool = True
    retries_errors: bool = False

    def opened(self) -> Journal | None:
        """Return the journal to write to."""
        if self.journal is None and self.resumed is None and not self.is_wanted:
            return None
        stamp = datetime.now(UTC).strftime("%Y%m%d-%H%M%S-%f")
        return Journal(self.journal or self.resumed or _JOURNALS / f"{stamp}.jsonl")


def resumed_journal(name: Path | None) -> Path | None:
    """Return the journal to go on with; `last` is the newest of those that were kept."""
    if name != Path(LAST):
        return name
    kept = sorted(_JOURNALS.glob("*.jsonl"))
    if not kept:
        raise InputError(f"there is no run to continue: {_JOURNALS} holds no journal")
    return kept[-1]


def run_selected(
    options: AgentOptions,
    selection: Selection,
    keeping: Keeping,
    *,
    takes_all: bool,
    adapt: Callable[[AgentCase], AgentCase] = lambda case: case,
) -> AgentRun:
    """Load the selected cases, run them, and say where their journal is."""
    model = options.chat() if options.model else None
    connecting, judges = options.connecting, options.judging(model)
    environment = os.environ if options.allows_environment else None
    selected = select_cases(selection, environment)
    for warning in selected.warnings:
        typer.echo(f"warning: {warning}", err=True)
    cases = tuple(adapt(_adapted(case, options)) for case in selected.cases)
    known = read_journal(keeping.resumed) if keeping.resumed else {}
    journal = keeping.opened()
    with _progress(sum(case.ratio.samples * len(case.connections) for case in cases)) as on_sample:
        setting = RunSetting(
            SampleSetting(judges, options.timeout_seconds),
            connecting,
            options.concurrency,
            takes_all,
            journal,
            known,
            keeping.retries_errors,
            on_sample,
            (model,) if model else (),
        )
        run = run_cases(cases, setting)
    if journal is not None:
        journal.close()
        if run.is_interrupted:
            typer.echo(f"interrupted; go on with: --resume {journal.path}", err=True)
    return run


def _adapted(case: AgentCase, options: AgentOptions) -> AgentCase:
    if options.connections:
        case = replace(case, connections=tuple(_connection(name, case) for name in options.connections))
    return replace(case, is_compatible=True) if options.is_compatible else case


def _connection(name: str, case: AgentCase) -> Connection:
    """Return the case's own connection of that kind, or a plain one."""
    kinds = list(find_kinds())
    if name not in kinds:
        hint = did_you_mean(name, kinds) or f"known: {', '.join(kinds)}"
        raise InputError(f"--connection {name}: there is no such connection ({hint})")
    own = [connection for connection in case.connections if connection.kind == name]
    return own[0] if own else Connection(name)


@contextmanager
def _progress(samples: int) -> Iterator[Callable[[SampleResult], None]]:
    """Show a bar on a terminal; elsewhere nothing."""
    if not sys.stderr.isatty() or samples < 2:
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("samples", total=samples)
        yield lambda _: progress.advance(task)


def serve_example(options: AgentOptions) -> None:
    """Run the example server until it is interrupted."""
    from du_eval.agents.example_server import ExampleServer, Listening

    places = server_options(options.servers) or {"http": {}}
    if len(places) > 1:
        raise InputError("the example server listens at one address: give one --server")
    ((scheme, place),) = places.items()
    tls = _server_tls(options) if scheme == "https" else None
    listening = Listening(place.get("host", "127.0.0.1"), place.get("port", 8080), tls)
    try:
        asyncio.run(_serving(ExampleServer(), listening, scheme))
    except OSError as error:
        raise InputError(f"cannot listen at {listening.host}:{listening.port}: {error.strerror}") from error
    except KeyboardInterrupt:
        typer.echo("stopped", err=True)


async def _serving(server: Any, listening: Any, scheme: str) -> None:
    from du_eval.agents.example_server import serve

    runner, port = await serve(server, listening)
    names = ", ".join(server.agents)
    out(f"the example server listens at {scheme}://{listening.host}:{port} (stop it with Ctrl-C)\n")
    out(f"agents: {names}\n")
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _server_tls(options: AgentOptions) -> ssl.SSLContext:
    certificate, key = options.files.get("certificate"), options.files.get("private_key")
    if certificate is None:
        raise InputError(
            "an https server needs --certificate, and --private-key if the key is in its own file"
        )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(certificate, key)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"the certificate {certificate} cannot be used: {error}") from error
    return context
