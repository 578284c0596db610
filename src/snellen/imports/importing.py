"""Import of response files as a study of a store."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks import load
from snellen.errors import BrokenRow, BrokenRowsError, DataError, PluginError, SnellenError, StudyError
from snellen.imports import MEMBERS
from snellen.imports.answer import Answer
from snellen.imports.conditions import ImageContradiction, check_names
from snellen.imports.fields import Given, Note, fields_from, ignore_note
from snellen.imports.gathering import AT_ONCE, DiskQueue, Gathering, Taken
from snellen.imports.importer import Importer, importer_named
from snellen.imports.inspect_file import choose_logs
from snellen.imports.recognising import files_in, looks_like, recognise_format
from snellen.imports.storing import StoreNumbers, Storing, in_part, stored_answers, tests_of
from snellen.items import Benchmark
from snellen.runtime import ALL_KEPT, few_collections, provenance
from snellen.scoring.human_reference import human_reference
from snellen.store import Store, Writer, name_for

Watch = Callable[[str, int], None]
"""Function that receives the current step ("reading", "storing") and the number of answers done."""


class AnswerFile(NamedTuple):
    """File of responses, with the options given for it."""

    file: str
    sha256: str
    said: tuple[Any, ...]
    """The given options. They distinguish two imports of the same file."""
    read: Callable[[Note], Iterator[Answer | BrokenRow]]
    """Function that yields the file's answers; it receives a function for notes on guesses."""
    conditions: tuple[str, ...] = ()
    """Conditions that only this format has."""

    @property
    def record(self) -> dict[str, str]:
        """Name and hash of the file, for the study's record."""
        return {"file": self.file, "sha256": self.sha256}


@dataclass(frozen=True)
class Imported:
    """Result of an import: responses by model, benchmark and arm, and unusable rows.

    `replies` and `failed` count all that are stored now; `new` are the responses that this import added. `unknown_ends`
    is the number of responses without a recorded ending.
    """

    folder: Path
    study: str
    """Name of the study that has the responses now."""
    replies: Mapping[tuple[str, str, str], int]
    new: int
    failed: int
    unknown_ends: int
    broken: tuple[BrokenRow, ...]
    tests: tuple[str, ...]
    parsers: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    """Accepted contradictions between requests and the names of their conditions, as sentences."""
    notes: tuple[str, ...] = ()
    """Guesses and unknowns about the files, as sentences."""


def sources(
    files: Sequence[str | Path],
    *,
    format: str | None = None,  # noqa: A002 - the word that users expect
    arm: str | None = None,
    name: str | None = None,
    model: str | None = None,
    fields: str | Mapping[str, str] = "",
    benchmarks: Sequence[Benchmark] = (),
    note: Note = ignore_note,
) -> list[AnswerFile]:
    """Return the files, ready to be read; a folder gives all logs in it.

    Without `format`, the format is recognised. `arm`, `name`, `model` and `benchmarks` are used if the rows lack them.
    `fields` names the fields of question, options and answer: `question=Q,answer=label`.
    """
    if format is None:
        format = recognise_format(list(map(Path, files)))  # noqa: A001 - the word that users expect
        note(f"Read as {importer_named(format).title} (--from {format}).")
    importer = importer_named(format)
    mapped = fields_from(fields) if isinstance(fields, str) else dict(fields)
    given = Given(arm, name, model, mapped, {each.name: each for each in benchmarks})
    found = map(_check_name, _files(files, format, note))
    further = (model, sorted(mapped.items()), sorted(given.known))
    settings = (arm, name, *(each for each in further if each))
    read = partial(_read_answers, importer, format)
    return [
        AnswerFile(file.name, _sha256(file), settings, partial(read, file, given), importer.conditions)
        for file in (choose_logs(found, note) if format == "inspect" else found)
    ]


def _read_answers(importer: Importer, name: str, file: Path, given: Given, note: Note) -> Iterator[Answer | BrokenRow]:
    try:
        yield from importer.read(file, replace(given, note=note))
    except Exception as error:
        if name in MEMBERS or isinstance(error, SnellenError | OSError):
            raise
        raise PluginError(f"The importer {name!r} failed on {file.name}: {type(error).__name__}: {error}.") from error


def _files(paths: Sequence[str | Path], format_: str, note: Note) -> Iterator[Path]:
    """Yield every file, also in folders; DataError for missing files or another format."""
    importer = importer_named(format_)
    for path in map(Path, paths):
        if path.is_dir():
            found, others = (
                [each for each in group if each.name not in importer.beside] for group in files_in(path, format_)
            )
            if others:
                more = f" and {len(others) - 3} more" if len(others) > 3 else ""
                note(
                    f"Left out, because not {importer.title}: "
                    f"{', '.join(str(each.relative_to(path)) for each in others[:3])}{more}."
                )
            if not found:
                raise DataError(_nothing_in(path, format_))
            yield from found
        elif path.is_file():
            seen = looks_like(path) if format_ in MEMBERS else None
            if seen is not None and seen != format_:
                looks = importer_named(seen).title
                raise DataError(f"{path.name} looks like {looks}, not {importer.title}. Say --from {seen}.")
            yield path
        else:
            raise DataError(f"There is no file {str(path)!r}.")


def _check_name(file: Path) -> Path:
    try:
        str(file).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"The name {str(file)!a} is not written in UTF-8. Rename the file or folder.") from error
    return file


def _nothing_in(folder: Path, format_: str) -> str:
    importer = importer_named(format_)
    said = f"The folder {folder.name!r} does not contain {importer.title} ({', '.join(importer.files)})."
    held = [other for other in MEMBERS if other != format_ and files_in(folder, other)[0]]
    return f"{said} It holds files of {', '.join(held)}: say --from {held[0]}." if held else said


def bring(
    files: Sequence[str | Path],
    out: str | Path,
    *,
    study: str = "",
    benchmarks: Sequence[str | Benchmark] = (),
    allow_broken: bool = False,
    new_conditions: Sequence[str] = (),
    accept_contradictions: bool = False,
    human: str | None = None,
    watch: Watch = lambda doing, count: None,
    **how: Any,
) -> Imported:
    """Store existing responses, to score and report them, without asking a model.

    For a folder, every log in it is imported. `how` are the options of `snellen.imports.sources`: `format` (recognised
    by default), and `arm`, `name`, `model` and `fields` for rows without them. Unknown conditions must be in
    `new_conditions`. Requests must match the name of their condition unless `accept_contradictions` is true; then the
    benchmark gets no verdict. `study` names the study; without a name, the answers are added to the last imported
    study.
    """
    known = [load(each, allow_broken=allow_broken) if isinstance(each, str) else each for each in benchmarks]
    about = {**provenance(), "human": human_reference(human) if human else None}
    left_out: list[str] = []
    brought = sources(files, benchmarks=known, note=left_out.append, **how)
    with few_collections(ALL_KEPT):
        imported = import_answers(
            brought,
            out,
            study=study,
            allow_broken=allow_broken,
            new_conditions=new_conditions,
            accept_contradictions=accept_contradictions,
            about=about,
            watch=watch,
        )
    unusable = (*imported.broken, *(row for each in known for row in each.broken))
    return replace(imported, broken=unusable, notes=(*left_out, *imported.notes))


def import_answers(
    brought: Sequence[AnswerFile],
    out: str | Path,
    *,
    study: str = "",
    allow_broken: bool = False,
    new_conditions: Sequence[str] = (),
    accept_contradictions: bool = False,
    about: Mapping[str, Any] | None = None,
    watch: Watch = lambda doing, count: None,
) -> Imported:
    """Store the responses of files, with the options of `bring`. `about` is added to the study's record.

    All files are checked before anything is stored. Leftovers of an interrupted import are never counted.
    """
    with Store.open(out, write=True) as store, DiskQueue(store.folder) as waiting:
        before = _imported_before(store, study)
        gathered = Gathering(waiting)
        if before:
            gathered.add(map(in_part, stored_answers(store, study=before["name"])), stored=True)
        stored = gathered.replies.total()
        notes: Counter[str] = Counter()
        taken = [
            gathered.add(_report_progress(source.read(lambda note: notes.update([note])), watch)) for source in brought
        ]
        contradictions = list(gathered.sightings.contradictions())
        if contradictions and not accept_contradictions:
            raise contradictions[0].error
        _check(brought, taken, allow_broken=allow_broken)
        own = chain.from_iterable(source.conditions for source in brought)
        # Earlier conditions were checked when they were imported.
        earlier = chain.from_iterable(before.get("arms", {}).values())
        check_names(gathered.all_arms(), declared={*new_conditions, *earlier, *own})
        record = {**_record(gathered, brought, before), **_record_contradictions(contradictions, before)}
        # Only an identical import has the same hash of all imported files and options.
        everything = orjson.dumps((record["imported"], [source.said for source in brought]))
        with store.transaction():
            places = StoreNumbers(store, gathered, hashlib.sha256(everything).hexdigest())
        with closing(Writer(store)) as writer:
            storing = Storing(store, writer, places)
            storing.items(gathered)
            left_out = [set(), *({(row.where, row.item_id) for row in each.broken} for each in taken)]
            for source, entries in waiting.batches():
                if source and len(entries) == AT_ONCE:
                    watch("storing", AT_ONCE)
                storing.replies(entries, left_out[source])
        said = tuple(sentence.replace("{count}", f"{count:,}") for sentence, count in notes.items())
        if said:
            record["notes"] = [*before.get("notes", ()), *said]
        kept = {name: value for name, value in (about or {}).items() if value is not None}
        whole = {**record, "benchmarks": places.digests, "arms": places.arm_digests, **kept}
        called = store.studies.add(whole, name=study or before.get("name", ""))
    return Imported(
        folder=store.folder,
        study=called,
        replies=gathered.replies,
        new=gathered.replies.total() - stored,
        failed=gathered.failed,
        unknown_ends=gathered.unknown_ends,
        broken=tuple(gathered.broken),
        tests=tuple(record["tests"]),
        parsers=(record["parser"], *record["beside"]),
        contradictions=tuple(f"{each.benchmark}: {each.sentence}" for each in contradictions),
        notes=said,
    )


def _report_progress(answers: Iterator[Answer | BrokenRow], watch: Watch) -> Iterator[Answer | BrokenRow]:
    for count, answer in enumerate(answers, 1):
        if count % AT_ONCE == 0:
            watch("reading", AT_ONCE)
        yield answer if isinstance(answer, BrokenRow) else in_part(answer)


def _imported_before(store: Store, study: str) -> dict[str, Any]:
    """Return the record of the imported study to add to; empty if there is none."""
    known = store.studies.load_all()
    if study:
        if any(each.name == study and not each.imported for each in known):
            raise StudyError(f"The study {study!r} in {store.folder} was run, not imported. Choose another name.")
        name_for({"imported": []}, known, store.folder, given=study)  # raise before anything is read
        earlier = [each for each in known if each.name == study]
    else:
        earlier = sorted((each for each in known if each.imported), key=lambda each: each.latest)
    return store.studies.record(earlier[-1].name) if earlier else {}


def _check(brought: Sequence[AnswerFile], taken: Sequence[Taken], *, allow_broken: bool) -> None:
    """Raise if rows are broken and not allowed, or a file has no responses."""
    files = ", ".join(source.file for source in brought)
    broken = [row for each in taken for row in each.broken]
    if broken and not allow_broken:
        raise BrokenRowsError(files, broken, sum(each.replies + each.failed for each in taken))
    for source, (replies, failed, unusable) in zip(brought, taken, strict=True):
        if not replies and not failed:
            first = f": all {len(unusable)} of its rows are broken, such as {unusable[0]}" if unusable else ""
            raise DataError(f"{source.file}: no answers were found{first}. Nothing is imported.")
    if not any(each.replies for each in taken):
        raise DataError(f"{files}: all {sum(each.failed for each in taken)} calls had failed. Nothing is imported.")


def _record(gathered: Gathering, brought: Sequence[AnswerFile], before: Mapping[str, Any]) -> dict[str, Any]:
    """Return the study's record; `epochs` is None because the planned number is unknown.

    If there are marked second responses, every question has exactly one ordinary response.
    """
    names, repeated = gathered.benchmarks(), gathered.find_repeats()
    return {
        "imported": [*before.get("imported", ()), *(source.record for source in brought)],
        "left_out": [*before.get("left_out", ()), *(list(row) for row in gathered.broken)],
        "models": [[model, revision] for model, revision in gathered.revisions.items()],
        "sources": {name: {"about": {}, "broken": []} for name in names},
        "tests": tests_of({name: gathered.arms(name) for name in names}),
        "seed": None,
        "epochs": None,
        **({"epochs_of": {name: each.epochs for name, each in repeated.items()}} if repeated else {}),
        **({"repeated": {name: each.record() for name, each in repeated.items()}} if repeated else {}),
        "limit": None,
        "prompt": "as imported",
        "settings": {},
        "parser": "lenient",
        "beside": gathered.parsers(),
        "human": before.get("human"),
        "unknown_ends": gathered.unknown_ends,
    }


def _record_contradictions(
    found: Sequence[ImageContradiction], before: Mapping[str, Any]
) -> dict[str, dict[str, list[str]]]:
    said = {benchmark: list(each) for benchmark, each in before.get("contradictions", {}).items()}
    for each in found:
        said.setdefault(each.benchmark, []).append(each.sentence)
    return {"contradictions": said} if said else {}


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
