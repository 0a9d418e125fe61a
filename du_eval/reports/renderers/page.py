"""The page: one file that opens anywhere, asks nobody, and runs nothing that a text in it says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from msgspec import Struct

from du_eval.reports.renderers.page_data import encode_view
from du_eval.reports.renderers.page_parts import Json
from du_eval.reports.sections import View

_SCRIPTS = ("base.js", "sections.js", "charts.js", "entries.js", "arms.js", "main.js")
_UNSAFE = re.compile("[<>&\u2028\u2029\ud800-\udfff]")


class Host(Struct, frozen=True):
    """Who shows the page, where it is more than a file: what it adds to the page, and whom it may ask."""

    data: Json
    scripts: tuple[str, ...]
    """They run before the page is drawn."""
    style: str
    policy: str
    """What the content policy allows besides: `connect-src 'self'`."""


def render_page(views: Sequence[View], host: Host | None = None) -> str:
    """Return the page of one or several views; several are tabs."""
    before, after = _read_frame(*((host.scripts, host.style, host.policy) if host else ()))
    heads: list[Json] = []
    elements: list[str] = []
    for number, view in enumerate(views):
        encoded, pieces = encode_view(view)
        heads.append([encoded["title"], encoded["headline"]])
        elements.append(_make_element(f"view-{number}", encoded))
        elements += [_make_element(f"details-{number}-{at}", piece) for at, piece in enumerate(pieces)]
    if host is not None:
        elements.append(_make_element("host", host.data))
    return "".join([before, _make_element("data", heads), *elements, after])


def _make_element(name: str, data: Json) -> str:
    return f'<script type="application/json" id="{name}">{write_inert_json(data)}</script>\n'


def write_inert_json(data: Json) -> str:
    """Return JSON that cannot end the script element it stands in, whatever texts it holds."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


@cache
def _read_frame(added: tuple[str, ...] = (), added_style: str = "", policy: str = "") -> tuple[str, str]:
    """Return the page before and after its data; only our own style and scripts may run, by their hashes."""
    folder = files("du_eval.reports.renderers") / "assets"
    style, text, *scripts = (
        (folder / name).read_text(encoding="utf-8") for name in ("page.css", "page.html", *_SCRIPTS)
    )
    style += added_style
    scripts[-1:] = [*added, scripts[-1]]
    replacements = {
        "%POLICY%": f"{policy}; " if policy else "",
        "%STYLE_HASH%": _hash(style),
        "%SCRIPT_HASHES%": " ".join(map(_hash, scripts)),
        "%STYLE%": style,
        "%SCRIPTS%": "\n".join(f"<script>{script}</script>" for script in scripts),
    }
    for key, value in replacements.items():
        text = text.replace(key, value)
    before, _, after = text.partition("%DATA%")
    return before, after


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
