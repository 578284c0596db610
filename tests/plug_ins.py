"""Packages of plug-ins, as an installer would leave them."""

import tomllib
from pathlib import Path

WARD = Path(__file__).parents[1] / "examples" / "plugin"
ENTRY_POINTS = tomllib.loads((WARD / "pyproject.toml").read_text())["project"]["entry-points"]


def install(folder, name, groups):
    """Note in a folder of the path what a package brings to each group of entry points."""
    about = folder / f"{name}-1.0.dist-info"
    about.mkdir(parents=True)
    (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
    lines = (f"[{group}]\n" + "".join(f"{n} = {r}\n" for n, r in points.items()) for group, points in groups.items())
    (about / "entry_points.txt").write_text("\n".join(lines))
