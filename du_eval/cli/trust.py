"""`du-eval trust`: agree to what settings would do that are found with a suite, and take it back."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from du_eval.cli.edge import out, say, say_error
from du_eval.errors import ConfigError, UntrustedError

if TYPE_CHECKING:
    from du_eval.trust.effects import FoundSettings


def trust(
    path: Annotated[
        str | None,
        typer.Argument(
            help="A suite, its settings file, an agent case, or the folder of a run.", metavar="PATH"
        ),
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Only show what it would do, with its hash.")] = False,
    forget: Annotated[bool, typer.Option("--forget", help="Withdraw the consent.")] = False,
) -> None:
    """Review and allow what the settings found with a suite would do.

    Settings that come with a suite may choose files and numbers. To run code, contact hosts, or send headers
    and environment variables, they need your consent. It is pinned to what they do: a change asks again.
    Without a path, everything that is trusted is listed.

    Examples:
      du-eval trust downloaded_suite --show

      du-eval trust downloaded_suite

      du-eval trust downloaded_suite --forget

    """
    from du_eval.trust.consent import find_store
    from du_eval.trust.effects import digest_effects

    store = find_store(os.environ)
    if path is None:
        for file, digest in sorted(store.pins().items()):
            out(f"{digest[:12]}  {file}\n")
        return
    found = find_settings(path)
    if forget:
        was_pinned = store.forget(found.path)
        out(f"{found.path} {'is no longer' if was_pinned else 'was not'} trusted\n")
        return
    for effect in found.effects:
        out(f"{effect}\n")
    digest = digest_effects(found.effects)
    if not found.effects:
        out(f"{found.path} needs no consent: it runs no code and contacts no host\n")
    elif show:
        state = "trusted" if store.is_pinned(found.path, digest) else "not trusted"
        out(f"{found.path} is {state}; its hash for DU_EVAL_TRUST: {digest}\n")
    else:
        store.pin(found.path, digest)
        out(f"{found.path} is trusted until one of these changes\n")


def find_settings(path: str) -> FoundSettings:
    """Return the settings that would be found for a path."""
    from du_eval.assembly.settings import find_config
    from du_eval.cli.validate import are_agent_cases
    from du_eval.runs.manifest import Manifest
    from du_eval.settings.sources import SECTIONS
    from du_eval.trust.effects import FoundSettings

    place = Path(path)
    if not place.exists():
        raise ConfigError(f"{path}: no such file or folder")
    manifest = place if place.name == "manifest.json" else place / "manifest.json"
    if manifest.is_file():
        settings = Manifest.from_file(manifest).settings
        is_test = Manifest.from_file(manifest).kind in SECTIONS
        return FoundSettings(manifest, settings if is_test else {"settings": settings})
    if place.is_file() and are_agent_cases([path]):
        from du_eval.agents.load import load_case
        from du_eval.agents.select import find_case_settings

        return find_case_settings(load_case(place, place.stem).case)
    source = find_config([path])
    if source is None:
        raise ConfigError(f"no settings were found for {path}: nothing needs consent")
    return FoundSettings(source.path, source.values)


def ask_consent(error: UntrustedError) -> bool:
    """Show what settings would do, ask at the terminal, and keep a yes."""
    from du_eval.trust.consent import find_store

    say_error(error)
    sys.stderr.write("Allow this until one of these settings changes? [y/N] ")
    sys.stderr.flush()
    if sys.stdin.readline().strip().lower() not in {"y", "yes"}:
        say("nothing was run")
        return False
    find_store(os.environ).pin(Path(error.file), error.digest)
    return True
