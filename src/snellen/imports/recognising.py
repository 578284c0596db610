"""Recognising: which tool wrote a file, by the little of it that one look shows; and the logs that a folder holds."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import orjson

from snellen.errors import DataError

LOOK = 65_536
TITLES = {
    "jsonl": "rows of our own format",
    "inspect": "a log of Inspect AI",
    "lmms-eval": "a samples file of lmms-eval",
    "lm-eval": "a samples file of lm-eval",
    "vlmevalkit": "a prediction file of VLMEvalKit",
    "promptfoo": "results of promptfoo",
    "helm": "the scenario state of a HELM run",
}
"""What the files of each format are, in words."""
_KEYS = re.compile(rb'"([A-Za-z_]{2,40})"\s*:')


def titled(format_: str) -> str:
    """What a format's files are, in words."""
    return TITLES.get(format_, format_)


def looks_like(path: Path) -> str | None:
    """The format that a file is most likely in; None where nothing tells.

    >>> looks_like(Path("nowhere.xyz")) is None
    True
    """
    try:
        with path.open("rb") as file:
            start = file.read(LOOK)
        if start[:4] == b"PAR1":
            return "jsonl"
        if start[:2] == b"PK":
            return _of_zip(path)
        if start[:2] == b"\x1f\x8b":
            with gzip.open(path) as packed:
                start = packed.read(LOOK)
    except (OSError, EOFError, zlib.error, BadZipFile, RuntimeError, NotImplementedError):
        return None
    return _of_text(start.removeprefix(b"\xef\xbb\xbf").lstrip(), path.suffix.lower())


def recognise_format(paths: Sequence[Path]) -> str:
    """The one format of some files and of the logs in some folders; DataError if there is none, or several."""
    for path in paths:
        if not path.exists():
            raise DataError(f"There is no file {str(path)!r}.")
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    found = dict.fromkeys(filter(None, (looks_like(file) for file in files if file.is_file())))
    if len(found) == 1:
        return next(iter(found))
    named = ", ".join(path.name for path in paths)
    if not found:
        raise DataError(f"The format of {named} is not recognised. Name it with --from: {', '.join(TITLES)}.")
    raise DataError(f"{named}: these are files of several formats. Import one at a time: --from {' or '.join(found)}.")


def _of_zip(path: Path) -> str | None:
    with ZipFile(path) as archive:
        names = set(archive.namelist())
        if names & {"header.json", "_journal/start.json"}:
            return "inspect"
        for member in names & {"xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"}:
            with archive.open(member) as opened:
                start = opened.read(LOOK)
            if b">prediction<" in start and b">index<" in start:
                return "vlmevalkit"
    return None


def _of_text(start: bytes, suffix: str) -> str | None:
    line = start.partition(b"\n")[0].rstrip(b"\r")
    if start[:1] == b"{":
        row = _object(line)
        return _of_row(row) if row is not None else _of_keys(start)
    if suffix in (".tsv", ".csv", ".txt"):
        columns = {cell.strip().strip('"') for cell in re.split(r"[\t,;]", line.decode(errors="replace"))}
        return _of_columns(columns)
    return None


def _object(line: bytes) -> Mapping[str, object] | None:
    try:
        row = orjson.loads(line)
    except orjson.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def _of_row(row: Mapping[str, object]) -> str | None:
    names = set(row)
    if "doc_id" in names and names & {"resps", "filtered_resps"}:
        if isinstance(row.get("arguments"), Mapping) or "prompt_hash" in names:
            return "lm-eval"
        return "lmms-eval"
    return _of_document(names) or _of_columns(names)


def _of_columns(names: set[str]) -> str | None:
    if {"index", "prediction"} <= names:
        return "vlmevalkit"
    return "jsonl" if "item_id" in names and names & {"response", "error"} else None


def _of_document(names: set[str]) -> str | None:
    if "request_states" in names or {"adapter_spec", "instances"} <= names:
        return "helm"
    if "evalId" in names or {"results", "config", "shareableUrl"} <= names:
        return "promptfoo"
    return "inspect" if {"eval", "plan"} <= names or {"eval", "samples"} <= names else None


def _of_keys(start: bytes) -> str | None:
    """A document whose end is not seen, by the names that its start holds."""
    names = {name.decode() for name in _KEYS.findall(start)}
    if "doc_id" in names:
        return "lm-eval" if names & {"gen_args_0", "prompt_hash"} else "lmms-eval" if "input" in names else None
    if {"eval", "version", "status"} <= names:
        return "inspect"
    return _of_document(names)


def files_in(folder: Path, format_: str, patterns: tuple[str, ...]) -> tuple[list[Path], list[Path]]:
    """The files of a format in a folder and below it, and those that are called alike and are something else.

    A `.json` may be anything, so that it must be recognised; any other must not be seen to be something else.
    """
    named = sorted({path for pattern in patterns for path in folder.rglob(pattern) if path.is_file()})
    seen = {path: looks_like(path) for path in named}
    ours = [path for path, found in seen.items() if found == format_ or (found is None and path.suffix != ".json")]
    return ours, [path for path in named if path not in ours]
