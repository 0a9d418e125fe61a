"""`--watch`: run again when a file changes that the answers or the judgement depend on."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from du_eval.cli.edge import say

if TYPE_CHECKING:
    from du_eval.settings.commands import TestSettings

_EVERY_SECONDS = 0.5
_ENDINGS = frozenset({".yml", ".yaml", ".py"})
"""What counts in folders; other files count where they are named: a run writes some itself."""
_SKIPPED = frozenset({".du-eval", ".git", ".venv", "__pycache__", "node_modules", "site-packages"})
Stamps = Mapping[Path, tuple[int, int]]


def list_watched(configs: Sequence[TestSettings]) -> list[Path]:
    """Return what runs depend on, each once: suite, assistant, prompts, and code in the working directory."""
    return list(dict.fromkeys(path for config in configs for path in _list_inputs(config)))


def _list_inputs(config: TestSettings) -> list[Path]:
    named = [path.partition("::")[0] for path in config.paths]
    others = (config.assistant, config.prompt, config.system_prompt, config.body, config.syntax)
    kind, _, rest = config.generator.partition(":")
    code = ["."] if rest and kind != "recorded" else [rest] if rest else []
    found = [Path(one) for one in (*named, *filter(None, others), *code)]
    nearest = [path if path.is_dir() else path.parent for path in map(Path, named)]
    return [path for path in (*found, *nearest) if path.exists()]


def take_stamps(watched: Sequence[Path]) -> Stamps:
    """Return when each watched file was changed, and its size."""
    found = {}
    for path in _list_files(watched):
        try:
            told = path.stat()
        except OSError:
            continue
        found[path] = (told.st_mtime_ns, told.st_size)
    return found


def _list_files(watched: Sequence[Path]) -> Iterator[Path]:
    for path in watched:
        if path.is_file():
            yield path
            continue
        for folder, folders, files in os.walk(path):
            folders[:] = [one for one in folders if one not in _SKIPPED]
            yield from (Path(folder, one) for one in files if Path(one).suffix in _ENDINGS)


def wait_for_change(watched: Sequence[Path], before: Stamps) -> list[Path]:
    """Return the files that changed, once some have; those that are gone count, too."""
    while True:
        time.sleep(_EVERY_SECONDS)
        now = take_stamps(watched)
        changed = [path for path in {**before, **now} if before.get(path) != now.get(path)]
        if changed:
            return sorted(changed)


def is_suite_only(changed: Sequence[Path], config: TestSettings) -> bool:
    """Tell whether only test files changed, so that answers to what stayed the same still hold."""
    roots = [Path(path.partition("::")[0]).resolve() for path in config.paths]
    own = [path.resolve() for path in changed]
    is_below = all(any(path == root or path.is_relative_to(root) for root in roots) for path in own)
    return is_below and all(path.suffix in {".yml", ".yaml"} for path in own)


def find_words() -> list[str]:
    """Return the words of this call without --watch: what each round of watching is called with."""
    return [word for word in sys.argv[1:] if word != "--watch"]


def watch(
    words: Sequence[str],
    configs: Sequence[TestSettings],
    others: Sequence[Path] = (),
    *,
    runs_first: bool = True,
) -> None:
    """Call du-eval with these words after each change, and at once if asked to; Ctrl-C ends it.

    `configs` are the settings of the run, or those of each arm. After a change of test files only, the last
    run goes on: just what differs is asked again. After any other change a new run begins; the cache still
    answers every request that stayed the same.
    """
    command = [sys.executable, "-m", "du_eval.cli", *words]
    more: list[str] = []
    try:
        while True:
            watched = [*list_watched(configs), *others]
            before = take_stamps(watched)
            if runs_first:
                subprocess.run([*command, *more], check=False)  # noqa: S603 - our own command again
            runs_first = True
            say("watching for changes; stop with Ctrl-C")
            changed = wait_for_change(watched, before)
            say(f"changed: {', '.join(map(str, changed[:5]))}")
            is_same = is_suite_only(changed, configs[0]) and configs[0].journal
            more = ["--resume", "last"] if is_same else []
    except KeyboardInterrupt:
        say("no longer watching")
