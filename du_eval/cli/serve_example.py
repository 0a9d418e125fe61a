"""`du-eval agent serve-example`: the example server, until it is interrupted."""

from __future__ import annotations

import asyncio
import ssl
from typing import TYPE_CHECKING, Any

from du_eval.cli.edge import out, say
from du_eval.errors import InputError

if TYPE_CHECKING:
    from du_eval.agents.settings import AgentSettings


def serve_example(config: AgentSettings) -> None:
    """Run the example server until it is interrupted."""
    from du_eval.agents.connect import parse_server_options
    from du_eval.agents.example_server import ExampleServer, Listening

    places = parse_server_options(config.server) or {"http": {}}
    if len(places) > 1:
        raise InputError("the example server listens at one address: give one --server")
    ((scheme, place),) = places.items()
    tls = _make_tls(config) if scheme == "https" else None
    listening = Listening(place.get("host", "127.0.0.1"), place.get("port", 8080), tls)
    try:
        asyncio.run(_serve(ExampleServer(), listening, scheme))
    except OSError as error:
        raise InputError(f"cannot listen at {listening.host}:{listening.port}: {error.strerror}") from error
    except KeyboardInterrupt:
        say("stopped")


async def _serve(server: Any, listening: Any, scheme: str) -> None:
    from du_eval.agents.example_server import serve

    runner, port = await serve(server, listening)
    names = ", ".join(server.agents)
    out(f"the example server listens at {scheme}://{listening.host}:{port} (stop it with Ctrl-C)\n")
    out(f"agents: {names}\n")
    try:
        await asyncio.Event().wait()
    finally:
        await runner.cleanup()


def _make_tls(config: AgentSettings) -> ssl.SSLContext:
    if config.certificate is None:
        raise InputError(
            "an https server needs --certificate, and --private-key if the key is in its own file"
        )
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    try:
        context.load_cert_chain(config.certificate, config.private_key)
    except (OSError, ssl.SSLError) as error:
        raise InputError(f"the certificate {config.certificate} cannot be used: {error}") from error
    return context
