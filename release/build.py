"""Build the wheel and the sdist into dist/ and check them: `python release/build.py`. Nothing is uploaded.

Checked is: what both hold, against the files that git tracks; that a copy of those files elsewhere gives the same
bytes, the wheel once from the files and once from the sdist; `twine check --strict`; and that pip installs the wheel
into an empty environment in which `snellen` works from another folder.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from email import message_from_bytes
from email.message import Message
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DIST = ROOT / "dist"
IN_SDIST = ("src/", "tests/", "examples/", "docs/", "benchmarks/", "release/", "LICENSES/")
"""Folders of which every tracked file is in the sdist."""


def main() -> None:
    """Build, check, and say what was checked."""
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        wheel, sdist = built(ROOT, DIST)
        told(f"built {wheel.name} ({wheel.stat().st_size / 1e6:.1f} MB), {sdist.name}")
        stop_for([*wrong_in_wheel(wheel), *wrong_in_sdist(sdist)])
        told("they hold every file of the package that git tracks, and nothing else")
        again = built(copied(folder / "elsewhere"), folder / "again", "--wheel", "--sdist")
        pairs = zip((wheel, sdist), again, strict=True)
        other = [one.name for one, two in pairs if one.read_bytes() != two.read_bytes()]
        stop_for(f"{name} has other bytes when it is built again" for name in other)
        told("built again in another folder, the wheel from the files and from the sdist: the same bytes")
        run(sys.executable, "-m", "twine", "check", "--strict", wheel, sdist)
        told("twine check --strict")
        tried(wheel, folder)
        told("installed into an empty environment: snellen --version, list and exam work from another folder")
    print(f"In {DIST.relative_to(ROOT)}/: {wheel.name} and {sdist.name}. Nothing was uploaded.")


def told(what: str) -> None:
    """Say what is done."""
    print(f"ok: {what}", flush=True)


def stop_for(wrong: Iterable[str]) -> None:
    """End if anything is wrong, and say what."""
    if found := list(wrong):
        sys.exit("\n".join(f"wrong: {each}" for each in found))


def run(*command: str | Path, cwd: Path | None = None, env: Mapping[str, str] | None = None) -> str:
    """What a program prints; if it fails, everything ends with what it said."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, env=env, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"wrong: {' '.join(map(str, command))}\n{done.stdout[-3000:]}{done.stderr[-3000:]}")
    return done.stdout


def version() -> str:
    """The version in pyproject.toml, the only place that states it for the code."""
    found: str = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
    return found


def tracked() -> list[str]:
    """The files that git tracks and that are there."""
    named = run("git", "ls-files", "-z", cwd=ROOT).split("\0")
    return [name for name in named if name and (ROOT / name).is_file()]


def built(source: Path, out: Path, *kinds: str) -> tuple[Path, Path]:
    """The wheel and the sdist of a folder; without `kinds` the wheel is made from the sdist, as pip would make it."""
    moment = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    env = {**os.environ, "SOURCE_DATE_EPOCH": moment}
    run(sys.executable, "-m", "build", *kinds, "--outdir", out, source, env=env)
    [wheel], [sdist] = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def copied(folder: Path) -> Path:
    """The tracked files in a folder of their own, as new as today."""
    for name in tracked():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    return folder


def wrong_in_wheel(wheel: Path) -> Iterator[str]:
    """What a wheel lacks, holds too much of, or says wrongly."""
    about = f"snellen-{version()}.dist-info"
    licences = [name for name in tracked() if name in ("LICENSE", "NOTICE") or name.startswith("LICENSES/")]
    written = {"METADATA", "WHEEL", "RECORD", "entry_points.txt", *(f"licenses/{name}" for name in licences)}
    expected = {name.removeprefix("src/") for name in tracked() if name.startswith("src/")}
    expected |= {f"{about}/{name}" for name in written}
    with zipfile.ZipFile(wheel) as archive:
        yield from _other_than(expected, set(archive.namelist()), wheel.name)
        for place in (ROOT, Path(sys.prefix), Path.home()):
            if len(place.parts) > 1:
                holding = (name for name in archive.namelist() if os.fsencode(f"{place}/") in archive.read(name))
                yield from (f"{name} in {wheel.name} names a folder of this machine: {place}" for name in holding)
        yield from _wrong_in_metadata(message_from_bytes(archive.read(f"{about}/METADATA")), licences)


def _wrong_in_metadata(said: Message, licences: list[str]) -> Iterator[str]:
    wanted = {"Metadata-Version": ["2.4"], "Name": ["snellen"], "Version": [version()],
              "License-Expression": ["Apache-2.0"], "License-File": sorted(licences)}  # fmt: skip
    for field, expected in wanted.items():
        if (there := sorted(said.get_all(field, []))) != expected:
            yield f"METADATA says {field} {there}, expected {expected}"


def wrong_in_sdist(sdist: Path) -> Iterator[str]:
    """What an sdist lacks, or holds that git does not track."""
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()} - {"PKG-INFO"}
    files = set(tracked())
    needed = {name for name in files if name.startswith(IN_SDIST)} | {
        "LICENSE",
        "NOTICE",
        "README.md",
        "pyproject.toml",
    }
    yield from (f"{name} is missing in {sdist.name}" for name in sorted(needed - names))
    yield from (f"{name} in {sdist.name} is not tracked by git" for name in sorted(names - files))


def _other_than(expected: set[str], there: set[str], where: str) -> Iterator[str]:
    yield from (f"{name} is missing in {where}" for name in sorted(expected - there))
    yield from (f"{name} in {where} is not tracked by git" for name in sorted(there - expected))


def tried(wheel: Path, folder: Path) -> None:
    """Install a wheel with pip into an empty environment, and examine organisms with it from another folder."""
    run(sys.executable, "-m", "venv", folder / "empty")
    python, snellen = (folder / "empty" / "bin" / name for name in ("python", "snellen"))
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "SNELLEN"))}
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, env=env)
    run(python, "-m", "pip", "check", env=env)
    work = folder / "work"
    work.mkdir()
    if (said := run(snellen, "--version", cwd=work, env=env)).split()[-1] != version():
        stop_for([f"`snellen --version` says {said.strip()!r}, expected {version()}"])
    run(snellen, "list", cwd=work, env=env)
    run(snellen, "exam", "--model", "organism/grounded", "--model", "organism/blind", "--limit", "12", "--out", "exam",
        cwd=work, env=env)  # fmt: skip
    missing = [name for name in ("report.html", "results.json", "results.csv") if not (work / "exam" / name).is_file()]
    stop_for(f"`snellen exam` wrote no {name}" for name in missing)


if __name__ == "__main__":
    main()
