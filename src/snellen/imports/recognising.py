"""Recognise the tool that wrote a file, and find its logs in a folder."""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from zipfile import BadZipFile, ZipFile

import orjson

from snellen.errors import DataError
from snellen.imports import MEMBERS
from snellen.imports.importer import Importer, importer_named
from snellen.plugins import create_member, names

LOOK = 65_536
_KEYS = re.compile(rb'"([A-Za-z_]{2,40})"\s*:')


def looks_like(path: Path) -> str | None:
    """Return the most likely of our formats for a file; None if unknown.

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
    """Return the common format of files or folders; DataError for none or several.

    Importers of plug-ins are tried if no file has one of our formats.
    """
    for path in paths:
        if not path.exists():
            raise DataError(f"There is no file {str(path)!r}.")
    every = (file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path]))
    files = [file for file in every if file.is_file()]
    found = dict.fromkeys(filter(None, map(looks_like, files))) or _of_plug_ins(files)
    if len(found) == 1:
        return next(iter(found))
    named = ", ".join(path.name for path in paths)
    if not found:
        known = ", ".join(names("importers", MEMBERS))
        raise DataError(f"The format of {named} is not recognised. Name it with --from: {known}.")
    raise DataError(f"{named}: these are files of several formats. Import one at a time: --from {' or '.join(found)}.")


def _of_plug_ins(files: Sequence[Path]) -> dict[str, None]:
    theirs = (name for name in names("importers", MEMBERS) if name not in MEMBERS)
    return dict.fromkeys(name for name in theirs if any(_is_recognised(file, name) for file in files))


def _is_recognised(path: Path, name: str) -> bool:
    recognises = importer_named(name).recognises
    failure = f"The importer {name!r} cannot tell whether {path.name} is its own"
    return recognises is not None and bool(create_member(recognises, path, failure=failure))


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
        try:
            return _of_row(orjson.loads(line))
        except orjson.JSONDecodeError:
            return _of_keys(start)
    if suffix in (".tsv", ".csv", ".txt"):
        columns = {cell.strip().strip('"') for cell in re.split(r"[\t,;]", line.decode(errors="replace"))}
        return _of_columns(columns)
    return None


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
    """Recognise a JSON document by the field names at its start."""
    names = {name.decode() for name in _KEYS.findall(start)}
    if "doc_id" in names:
        return "lm-eval" if names & {"gen_args_0", "prompt_hash"} else "lmms-eval" if "input" in names else None
    if {"eval", "version", "status"} <= names:
        return "inspect"
    return _of_document(names)


def files_in(folder: Path, format_: str) -> tuple[list[Path], list[Path]]:
    """Return a folder's files of a format, and those with only a similar name.

    A `.json` file must be recognised. Any other file must only not be recognised as another format. The importer of a
    plug-in decides for itself if it can recognise files.
    """
    importer = importer_named(format_)
    named = sorted({path for pattern in importer.files for path in folder.rglob(pattern) if path.is_file()})
    ours = [path for path in named if _may_be(path, format_, importer)]
    return ours, [path for path in named if path not in ours]


def _may_be(path: Path, format_: str, importer: Importer) -> bool:
    if importer.recognises is not None:
        return _is_recognised(path, format_)
    found = looks_like(path)
    return found == format_ or (found is None and (format_ not in MEMBERS or path.suffix != ".json"))
