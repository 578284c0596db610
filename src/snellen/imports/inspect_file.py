"""Files of Inspect logs, `.eval` (a zip) or `.json`: their header and samples, and which files to import.

Our own code reads them, so that an import does not need Inspect. Old versions of Inspect compress with deflate, new
ones with Zstandard, which Python's zip module cannot read before 3.14.

`inspect eval-set` and `inspect eval-retry` write a new log for each attempt at a task, which repeats earlier responses.
Only the latest complete attempt is imported.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import BadZipFile, ZipFile, ZipInfo

from snellen.errors import DataError, MissingExtraError, StudyError
from snellen.imports.document import as_object, parse_json
from snellen.imports.fields import Note
from snellen.imports.inspect_sample import KEY
from snellen.unpacking import check_json, check_zip

LARGEST_JSON = 4_000_000_000
ZSTANDARD = 93
"""Number of Zstandard among the zip format's compression methods."""

_SAMPLE = re.compile(r"samples/(.*)_epoch_([0-9]{1,9})\.json", re.DOTALL)
_CHUNKED = re.compile(r"samples/.*_epoch_\d+/sample\.json", re.DOTALL)
_HEADERS = ("header.json", "_journal/start.json")
# zipfile raises many types: RuntimeError for a member with a password, NotImplementedError for an unknown method,
# ValueError for an offset before the file's start.
_UNREADABLE = (BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError, ValueError)


class Entry(NamedTuple):
    """Sample of a log: place, id and fields, or the reason why it is unreadable."""

    where: str
    item_id: str
    fields: dict[str, Any]
    reason: str | None = None


@dataclass(frozen=True)
class InspectLog:
    """An open log: its header, its number of samples, and its samples."""

    header: Mapping[str, Any]
    samples: int
    entries: Iterator[Entry]


@contextmanager
def open_log(path: Path) -> Iterator[InspectLog]:
    """Open a log file; DataError if it is not a complete log."""
    try:
        with path.open("rb") as file:
            is_zip = file.read(2) == b"PK"
        archive = ZipFile(path) if is_zip else None
        whole = None if is_zip else _log_of_json(path)
    except (OSError, BadZipFile) as error:
        raise DataError(
            f"{path.name} cannot be read as an Inspect log: {getattr(error, 'strerror', None) or error}. Expected a "
            "whole .eval or .json file; copy it again, or repair it with: inspect log recover."
        ) from error
    if whole is not None:
        yield whole
    if archive is not None:
        with archive:
            check_zip(archive, path.name, path.stat().st_size)
            yield _log_of_zip(archive, path.name)


def _log_of_zip(archive: ZipFile, name: str) -> InspectLog:
    members = {info.filename: info for info in archive.infolist()}  # of two members with one name, the later one counts
    if any(_CHUNKED.fullmatch(member) for member in members):
        raise DataError(
            f"{name} has Inspect's chunked layout, which cannot be read here. "
            "Convert it to one entry per sample or to JSON: inspect log convert."
        )
    header_name = next((header for header in _HEADERS if header in members), None)
    if header_name is None:
        raise DataError(f"{name} is a zip file but not an Inspect log: it has neither {' nor '.join(_HEADERS)}.")
    try:
        header = _object(_bytes(archive, members[header_name]))
    except DataError as error:
        raise DataError(f"{name}: its {header_name} cannot be read: {error}.") from error
    samples = [(match, info) for member, info in members.items() if (match := _SAMPLE.fullmatch(member))]
    rank = _ranks(header)
    samples.sort(key=lambda pair: (int(pair[0].group(2)), rank.get(pair[0].group(1), len(rank)), pair[0].group(1)))
    return InspectLog(header, len(samples), _zip_entries(archive, name, samples))


def _zip_entries(archive: ZipFile, name: str, samples: Sequence[tuple[re.Match[str], ZipInfo]]) -> Iterator[Entry]:
    for match, info in samples:
        where = _format_place(name, match.group(1), match.group(2))
        try:
            yield Entry(where, match.group(1), _object(_bytes(archive, info)))
        except DataError as error:
            yield Entry(where, match.group(1), {}, str(error))


def _bytes(archive: ZipFile, info: ZipInfo) -> bytes:
    """Return a member's complete content, but never more than its stated size."""
    try:
        data = _unpack(archive, info) if info.compress_type == ZSTANDARD else archive.read(info)
    except _UNREADABLE as error:
        raise DataError(f"it is damaged ({error}); copy the log again") from error
    check_json(info.filename, data, info.compress_size)
    return data


def _unpack(archive: ZipFile, info: ZipInfo) -> bytes:
    file = archive.fp
    assert file is not None
    file.seek(info.header_offset)
    head = file.read(30)
    if len(head) < 30 or head[:4] != b"PK\x03\x04":
        raise BadZipFile("its local header is missing")
    file.seek(int.from_bytes(head[26:28], "little") + int.from_bytes(head[28:30], "little"), 1)
    packed = file.read(info.compress_size)
    try:
        import zstandard
    except ImportError as error:
        raise MissingExtraError("zstandard", "inspect-logs") from error
    pieces = zstandard.ZstdDecompressor().stream_reader(packed, read_across_frames=True)
    try:
        # One byte more than stated shows if a member is larger than it states.
        data = bytes(pieces.read(info.file_size + 1))
    except zstandard.ZstdError as error:
        raise BadZipFile(str(error)) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise BadZipFile(f"got {len(data)} bytes or a wrong checksum, expected {info.file_size} bytes")
    return data


def _log_of_json(path: Path) -> InspectLog:
    if (size := path.stat().st_size) > LARGEST_JSON:
        raise DataError(
            f"{path.name} has {size:,} bytes; at most {LARGEST_JSON:,} are read of a .json log. "
            "Convert it to .eval, which is read sample by sample: inspect log convert."
        )
    try:
        header = _object(path.read_bytes())
    except DataError as error:
        raise DataError(f"{path.name} is not a complete Inspect log: {error}.") from error
    if "eval" not in header:
        raise DataError(f"{path.name} is JSON but not an Inspect log: expected the field 'eval', got {sorted(header)}.")
    held = header.pop("samples", None)
    samples = held if isinstance(held, list) else []
    return InspectLog(header, len(samples), _json_entries(path.name, samples, _ranks(header)))


def _json_entries(name: str, samples: Sequence[Any], rank: Mapping[str, int]) -> Iterator[Entry]:
    def place(sample: Any) -> tuple[str, int, str]:
        fields = sample if isinstance(sample, dict) else {}
        item_id = str(fields.get("id"))
        return str(fields.get("epoch")).zfill(9), rank.get(item_id, len(rank)), item_id

    for sample in sorted(samples, key=place):
        fields = sample if isinstance(sample, dict) else {}
        item_id = str(fields.get("id"))
        reason = None if fields else f"expected an object, got {type(sample).__name__}"
        yield Entry(_format_place(name, item_id, fields.get("epoch")), item_id, fields, reason)


def _format_place(name: str, item_id: str, epoch: object) -> str:
    return f"{name}, sample {item_id!r}, epoch {epoch}"


def _ranks(header: Mapping[str, Any]) -> dict[str, int]:
    """Return the index of each sample id in the log's dataset."""
    about = header.get("eval")
    dataset = about.get("dataset") if isinstance(about, Mapping) else None
    ids = dataset.get("sample_ids") if isinstance(dataset, Mapping) else None
    return {str(item_id): at for at, item_id in enumerate(ids)} if isinstance(ids, list) else {}


def _object(data: bytes) -> dict[str, Any]:
    value = parse_json(data)
    if not isinstance(value, dict):
        raise DataError(f"expected a JSON object, got {type(value).__name__}")
    return value


COMPANIONS = ("eval-set.json", "logs.json", "listing.json")
"""Files that Inspect writes next to its logs."""
SUCCESS = "success"


class Attempt(NamedTuple):
    """One attempt at a task: log, start, status, samples, and Snellen's metadata."""

    path: Path
    task_id: str
    created: str
    status: str
    samples: int
    told: Mapping[str, Any]

    @property
    def task(self) -> str:
        """Identifier that all attempts at a task share."""
        return self.task_id or str(self.path)

    @property
    def rank(self) -> tuple[bool, int, str, str]:
        """Sort key: the attempt to use comes last. It is successful, or else has most samples."""
        ended_well = self.status == SUCCESS
        return ended_well, 0 if ended_well else self.samples, self.created, self.path.name


def choose_logs(paths: Iterable[Path], note: Note) -> list[Path]:
    """Select the logs to import, and note those that are not used."""
    attempts = [_attempt(path) for path in dict.fromkeys(paths)]
    latest: dict[str, Attempt] = {}
    for attempt in sorted(attempts, key=lambda each: each.rank):
        latest[attempt.task] = attempt
    for attempt in attempts:
        if attempt is not (chosen := latest[attempt.task]):
            how = f"{attempt.path.name} ({attempt.status or 'of unknown status'})"
            note(f"{how} is left out: {chosen.path.name} has the same task and is used instead.")
    kept = [attempt for attempt in attempts if attempt is latest[attempt.task]]
    _check_asked_alike(kept)
    return [attempt.path for attempt in kept if not _is_left_out(attempt, note, alone=len(kept) == 1)]


def _is_left_out(attempt: Attempt, note: Note, *, alone: bool) -> bool:
    """Return True if a log without samples should be skipped; note unfinished logs."""
    if attempt.status in (SUCCESS, ""):
        return False
    empty = not alone and not attempt.samples
    brought = "It has no samples and is left out" if empty else "Its samples are imported"
    note(f"{attempt.path.name} did not finish: its status is {attempt.status!r}. {brought}.")
    return empty


def _check_asked_alike(attempts: Sequence[Attempt]) -> None:
    """Raise StudyError if logs ask one benchmark with different prompts or seeds."""
    ways: dict[tuple[str, str], dict[object, str]] = {}
    for attempt in attempts:
        for setting in ("prompt", "seed") if attempt.told else ():
            asked = ways.setdefault((str(attempt.told.get("benchmark")), setting), {})
            asked.setdefault(str(attempt.told.get(setting)), attempt.path.name)
    for (benchmark, setting), values in ways.items():
        if len(values) > 1:
            listed = ", ".join(f"{value} in {name}" for value, name in values.items())
            raise StudyError(
                f"The logs ask {benchmark!r} with more than one {setting}: {listed}. A study has one "
                f"{setting} for each condition. Import the logs one by one, each with its own name (--name)."
            )


def _attempt(path: Path) -> Attempt:
    """Read the header of a log; an unreadable log raises an error later."""
    with suppress(OSError, DataError), open_log(path) as log:
        spec = as_object(log.header.get("eval"))
        told = as_object(as_object(spec.get("metadata")).get(KEY))
        status = str(log.header.get("status") or "started")
        task_id, created = (str(spec.get(name) or "") for name in ("task_id", "created"))
        return Attempt(path, task_id, created, status, log.samples, told)
    return Attempt(path, "", "", "", 0, {})
