"""`du-eval view`: runs in the browser, from a server on this machine."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from du_eval.cli.edge import out, say
from du_eval.cli.generated import with_options
from du_eval.settings.reading import ViewOptions

if TYPE_CHECKING:
    from du_eval.runs.store import RunStore


@with_options(ViewOptions)
def view(options: ViewOptions) -> None:
    """Browse all runs, and watch running ones live.

    The server answers only this machine, and only browsers that opened the printed address.

    Examples:
      du-eval view

      du-eval view last --open

      du-eval view --watch

      du-eval view 20260131-120000 20260201-090000

    """
    import asyncio

    from du_eval.assembly.finding import find_store
    from du_eval.viewer.access import Access
    from du_eval.viewer.library import Library
    from du_eval.viewer.server import make_application, open_socket, serve

    store = find_store(options.runs_dir)
    names, files = _name_runs(options.runs, store)
    library = Library(store, files)
    if options.watch:
        _watch(names[0] if names else "last", store)
    sock = open_socket(options.port)
    access = Access(sock.getsockname()[1])
    address = access.make_address(_choose_path(names))
    out(f"{address}\n")
    say("Stop the viewer with Ctrl-C.")
    if options.opens:
        import webbrowser

        webbrowser.open(address)
    try:
        asyncio.run(serve(make_application(library, access), sock))
    except KeyboardInterrupt:
        say("The viewer has ended.")


def _watch(run: str, store: RunStore) -> None:
    """Test again beside the viewer whenever something changes that a run of command tests depends on."""
    import threading

    from du_eval.assembly.history import make_words
    from du_eval.assembly.keeping import settle_run
    from du_eval.cli.watching import watch
    from du_eval.errors import InputError
    from du_eval.experiments.record import KIND as EXPERIMENT
    from du_eval.settings.commands import TestSettings

    if store.find(run).manifest.kind == EXPERIMENT:
        raise InputError(
            "--watch in the viewer repeats single runs; for an experiment, run du-eval experiment FILE "
            "--watch (or du-eval test … --watch with the options of the arms) alongside, and watch it here"
        )
    found = store.find(run, "test")
    flags = {"resume": str(found.folder), "runs_dir": str(store.root)}
    config = settle_run(TestSettings, flags, os.environ).config
    words = ["test", *make_words(found.manifest.settings), "--runs-dir", str(store.root), "-q"]
    threading.Thread(target=watch, args=(words, [config]), kwargs={"runs_first": False}, daemon=True).start()


def _name_runs(runs: list[str], store: RunStore) -> tuple[list[str], dict[str, Path]]:
    """Return the names of the runs to open, and the files among them."""
    names: list[str] = []
    files: dict[str, Path] = {}
    for run in runs:
        path = Path(run)
        if path.is_file():
            names.append(_add(files, path.stem, path))
            continue
        folder = store.find(run).folder
        is_kept = folder.resolve().parent == store.root.resolve()
        names.append(folder.name if is_kept else _add(files, folder.name, folder))
    return names, files


def _add(files: dict[str, Path], name: str, path: Path) -> str:
    """Return the name that a file goes under, once it has one of its own."""
    free = next(one for one in (name, *(f"{name}-{n}" for n in range(2, 100))) if one not in files)
    files[free] = path
    return free


def _choose_path(names: list[str]) -> str:
    if not names:
        return "/"
    quoted = [quote(name, safe="") for name in names]
    return f"/run/{quoted[0]}" if len(names) == 1 else f"/compare/{quoted[0]}/{quoted[1]}"
