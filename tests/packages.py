"""Packages that are not installed, but look like it: a folder on the import path with metadata."""

from __future__ import annotations

from pathlib import Path


def install(folder: Path, group: str, name: str, target: str, package: str = "fake-package") -> None:
    """Write the metadata of a package that adds one thing to a group of entry points."""
    place = folder / f"{package.replace('-', '_')}-1.0.dist-info"
    place.mkdir(parents=True, exist_ok=True)
    (place / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n", encoding="utf-8"
    )
    with (place / "entry_points.txt").open("a", encoding="utf-8") as file:
        file.write(f"[du_eval.{group}]\n{name} = {target}\n")
