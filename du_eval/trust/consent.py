"""Whether what found settings would do is allowed: pinned in the user's folder, or for this call."""

from __future__ import annotations

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from du_eval.errors import Problem, ReportError, UntrustedError
from du_eval.trust.effects import FoundSettings, digest_effects
from du_eval.trust.files import write_privately
from du_eval.trust.reading import find_place, read_file

FOLDER_VARIABLE = "DU_EVAL_CONFIG_DIR"
_FILE, _KEY = "trusted.json", "seal.key"
_KEY_BYTES = 32


def find_config_folder(environment: Mapping[str, str]) -> Path | None:
    """Return the user's folder for our settings; None where there is no home."""
    if given := environment.get(FOLDER_VARIABLE):
        return Path(given)
    import platformdirs  # noqa: PLC0415 - only needed where nothing was given

    try:
        folder = Path(platformdirs.user_config_dir("du-eval", appauthor=False))
    except RuntimeError:
        return None
    return folder if folder.is_absolute() else None


class TrustStore(Struct, frozen=True):
    """The files that the user agreed to, each with the hash of what it would do."""

    folder: Path | None

    def pins(self) -> dict[str, str]:
        """Return path and hash of everything that is trusted; what cannot be read is not trusted."""
        if self.folder is None:
            return {}
        try:
            data = json.loads(read_file(self.folder / _FILE))
        except (OSError, ValueError, RecursionError):
            return {}
        found = data.get("files") if isinstance(data, dict) else None
        return {str(path): str(pin) for path, pin in found.items()} if isinstance(found, dict) else {}

    def is_pinned(self, path: Path, digest: str) -> bool:
        """Tell whether the user agreed to what this file would do."""
        return self.pins().get(str(find_place(path))) == digest

    def pin(self, path: Path, digest: str) -> None:
        """Remember that the user agreed."""
        self._write(self.pins() | {str(find_place(path)): digest})

    def forget(self, path: Path) -> bool:
        """Take consent back; tell whether there was any."""
        pins = self.pins()
        was_pinned = pins.pop(str(find_place(path)), None) is not None
        if was_pinned:
            self._write(pins)
        return was_pinned

    def seal(self, text: str) -> str:
        """Return a mark that only this user can make; empty where nothing can be kept."""
        key = self._key()
        return hmac.new(key, text.encode("utf-8", "surrogatepass"), hashlib.sha256).hexdigest() if key else ""

    def is_sealed(self, text: str, seal: str) -> bool:
        """Tell whether a mark is this user's."""
        return bool(seal) and hmac.compare_digest(self.seal(text).encode(), seal.encode())

    def _key(self) -> bytes:
        if self.folder is None:
            return b""
        path = self.folder / _KEY
        with suppress(OSError):
            if not path.exists():
                write_privately(path, [secrets.token_bytes(_KEY_BYTES)])
            found = path.read_bytes()
            return found if len(found) == _KEY_BYTES else b""
        return b""

    def _write(self, pins: Mapping[str, str]) -> None:
        if self.folder is None:
            raise ReportError(f"there is no home folder to keep consent in: set {FOLDER_VARIABLE}")
        content = json.dumps({"format": "du-eval trust/1", "files": pins}, indent=1, sort_keys=True)
        try:
            write_privately(self.folder / _FILE, [content.encode()])
        except OSError as error:
            raise ReportError(f"{self.folder / _FILE} cannot be written: {error.strerror}") from error


VARIABLE = "DU_EVAL_TRUST"
_YES = frozenset({"1", "true", "yes"})


def require_consent(
    found: FoundSettings, environment: Mapping[str, str], used: Mapping[str, int] | None = None
) -> None:
    """Raise unless the user agreed to what the settings do that are used, given with their lines."""
    effects = found.effects
    asked = [one for one in effects if used is None or one.setting in used]
    if not asked:
        return
    # The hash is about the whole file: consent does not depend on the command that asks for it.
    digest = digest_effects(effects)
    if _is_allowed(digest, environment) or find_store(environment).is_pinned(found.path, digest):
        return
    name = str(found.path)
    problems = [Problem(name, (used or {}).get(one.setting, 0), str(one)) for one in asked]
    raise UntrustedError(problems, name, digest)


def find_store(environment: Mapping[str, str]) -> TrustStore:
    """Return where this user's consent is kept."""
    return TrustStore(find_config_folder(environment))


def _is_allowed(digest: str, environment: Mapping[str, str]) -> bool:
    """Tell whether everything, or exactly this, is allowed for this call."""
    words = {word.strip().lower() for word in environment.get(VARIABLE, "").split(",")}
    return bool(words & _YES) or digest in words
