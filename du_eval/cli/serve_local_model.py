"""`du-eval serve-local-model`: a real, small and weak language model, for a first look without any key."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
import threading
from typing import Annotated

import typer

from du_eval.cli.edge import out, say
from du_eval.errors import InputError


def serve_local_model(
    install: Annotated[
        bool, typer.Option("--install", help="Install the two packages it needs, showing the commands.")
    ] = False,
    port: Annotated[int, typer.Option("--port", help="The port on 127.0.0.1.")] = 8080,
    threads: Annotated[int, typer.Option("--threads", help="Threads (0: all cores but one).")] = 0,
    max_tokens: Annotated[
        int, typer.Option("--max-tokens", help="Maximum length of an answer, in tokens.")
    ] = 64,
) -> None:
    """Serve a small real language model on this machine.

    SmolLM2 (135 million parameters) answers as a chat endpoint until Ctrl-C; no key, no network. A model this
    small understands little; use it as a smoke test of the whole pipeline.

    Examples:
      du-eval serve-local-model --install

      du-eval serve-local-model --port 8080

      du-eval test -g llm --model smollm2-135m --base-url http://127.0.0.1:8080/v1 --sample 5

    """
    from du_eval.llm.local_model import MODEL, ServerSetting, list_missing_packages, start_server

    if install:
        _install(list_missing_packages())
        return
    if missing := list_missing_packages():
        raise InputError(f"not installed: {', '.join(missing)} (du-eval serve-local-model --install)")
    _server, address = start_server(ServerSetting(port, threads, answer_tokens=max_tokens))
    try:
        out(f"{MODEL} answers at {address}/v1 (stop it with Ctrl-C)\n")
        say(f"try: du-eval test -g llm --model {MODEL} --base-url {address}/v1 --sample 5")
        threading.Event().wait()
    except KeyboardInterrupt:
        say("stopped")
        sys.stdout.flush()
        os._exit(0)  # the engine would finish the answers under way first, which nobody waits for


def _install(packages: tuple[str, ...]) -> None:
    from du_eval.llm.local_model import install_commands

    if not packages:
        out("both packages are already installed\n")
    for command in install_commands(packages):
        out(f"+ {shlex.join(command)}\n")
        if subprocess.run(command, check=False).returncode:  # noqa: S603 - our own words
            raise InputError(f"this failed: {shlex.join(command)}")
