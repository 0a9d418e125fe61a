"""From the options of `agent` and `assess` to cases that can run."""

from __future__ import annotations

import asyncio
import os
import ssl
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import typer

from du_eval.agents.assessor import taking_samples
from du_eval.agents.checks.base import Judges
from du_eval.agents.connect import Connecting, server_options
from du_eval.agents.connections.base import find_kinds
from du_eval.agents.consent import require_case_consent
from du_eval.agents.converse import SampleSetting
from du_eval.agents.model import AgentCase, Connection
from du_eval.agents.pipeline import RunSetting
from du_eval.agents.select import Selection, select_cases
from du_eval.assembly.networked import build_chat_model
from du_eval.cli.edge import out
from du_eval.cli.options_cache import cache_mode
from du_eval.errors import InputError, did_you_mean
from du_eval.judges.chat import EndpointChat
from du_eval.judges.gist import GistJudge, ModelGist, SimilarityGist, UndecidedGist
from du_eval.judges.similarity import similarity_judge
from du_eval.judges.toxicity import toxicity_judge


@dataclass(frozen=True, slots=True)
class AgentOptions:
    """What the command line says, but for selection and reports."""

    servers: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
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

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> AgentOptions:
        """Return what the options of the command line say."""
        files = {"ca_file": "ca", "certificate": "certificate", "private_key": "private_key"}
        return cls(
            servers=tuple(given["server"] or ()),
            files={key: Path(given[name]) for key, name in files.items() if given[name]},
            agents_module=given["agents"],
            model=given["model"],
            base_url=given["base_url"],
            gist=(given["gist_votes"], given["gist_threshold"]),
            judges=(given["similarity"], given["toxicity"]),
            timeout_seconds=given["timeout"],
            concurrency=given["concurrency"],
            allows_environment=given["allow_env"],
            is_compatible=given["neuro_san_compat"],
            connections=tuple(given["connection"] or ()),
            cache=cache_mode(given["cache"], refresh=given["refresh"], offline=given["offline"]) or "off",
        )

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
        files = {key: str(path) for key, path in self.files.items()}
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
class PreparedCases:
    """The cases that are to run, and how."""

    cases: tuple[AgentCase, ...]
    setting: RunSetting
    warnings: tuple[str, ...] = ()


def prepare_cases(options: AgentOptions, selection: Selection, samples: int | None = None) -> PreparedCases:
    """Load the selected cases, with the judges and connections that the options name."""
    model = options.chat() if options.model else None
    connecting, judges = options.connecting, options.judging(model)
    selected = select_cases(selection, os.environ if options.allows_environment else None)
    setting = RunSetting(
        SampleSetting(judges, options.timeout_seconds),
        connecting,
        options.concurrency,
        closing=(model,) if model else (),
    )
    cases = tuple(taking_samples(_adapted(case, options), samples) for case in selected.cases)
    require_case_consent(cases, selection.targets, os.environ)
    return PreparedCases(cases, setting, tuple(map(str, selected.warnings)))


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
