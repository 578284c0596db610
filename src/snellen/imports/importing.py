"""Importing: the answers of some files become a study of a store, to be scored here."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks import load
from snellen.errors import BrokenRow, BrokenRowsError, DataError, PluginError, SnellenError, StudyError
from snellen.imports import MEMBERS, inspect_set
from snellen.imports.answer import Answer
from snellen.imports.conditions import Contradiction, check_names
from snellen.imports.fields import Note, fields_from
from snellen.imports.gathering import Gathering, Taken
from snellen.imports.given import Given, unheard
from snellen.imports.importer import Importer, importer_named
from snellen.imports.recognising import files_in, looks_like, recognise_format
from snellen.imports.storing import Places, Storing, in_part, stored_answers, tests_of
from snellen.imports.waiting import AT_ONCE, Waiting
from snellen.items import Benchmark
from snellen.runtime import ALL_KEPT, few_collections, provenance
from snellen.scoring.human_reference import human_reference
from snellen.store import Store, Writer, name_for

Watch = Callable[[str, int], None]
"""Hears what is being done ("reading", "storing") and how many answers it has come to."""


class AnswerFile(NamedTuple):
    """A file of answers that can be read again and again, and what was said of it when it was given."""

    file: str
    sha256: str
    said: tuple[Any, ...]
    read: Callable[[Note], Iterator[Answer | BrokenRow]]
    """Reads it; hears what has to be guessed."""
    conditions: tuple[str, ...] = ()
    """The conditions of its format's own."""

    @property
    def record(self) -> dict[str, str]:
        """What is kept of it."""
        return {"file": self.file, "sha256": self.sha256}


@dataclass(frozen=True)
class Imported:
    """What an import brought: responses by model, benchmark and arm, and what could not be used.

    `replies` and `failed` are all that are stored now, `new` the responses that this import added to them. Of
    `unknown_ends` responses nobody says how they ended.
    """

    folder: Path
    study: str
    """The name of the study that holds them now."""
    replies: Mapping[tuple[str, str, str], int]
    new: int
    failed: int
    unknown_ends: int
    broken: tuple[BrokenRow, ...]
    tests: tuple[str, ...]
    parsers: tuple[str, ...]
    contradictions: tuple[str, ...] = ()
    """Where what was sent contradicts the name of its condition, if that was accepted; each in a sentence."""
    notes: tuple[str, ...] = ()
    """What had to be guessed or cannot be known from the files; each in a sentence."""


def sources(
    files: Sequence[str | Path],
    *,
    format: str | None = None,  # noqa: A002 - the word people use
    arm: str | None = None,
    name: str | None = None,
    model: str | None = None,
    fields: str | Mapping[str, str] = "",
    benchmarks: Sequence[Benchmark] = (),
    note: Note = unheard,
) -> list[AnswerFile]:
    """The files, ready to be read; of a folder, every log that it holds. Without a format, it is recognised.

    `arm`, `name`, `model` and `benchmarks` stand in for what their rows do not say. `fields` says which fields hold
    the question, its options and its answer where a tool lets everybody name them: `question=Q,answer=label`.
    """
    if format is None:
        format = recognise_format(list(map(Path, files)))  # noqa: A001 - the word people use
        note(f"Read as {importer_named(format).title} (--from {format}).")
    importer = importer_named(format)
    mapped = fields_from(fields) if isinstance(fields, str) else dict(fields)
    given = Given(arm, name, model, mapped, {each.name: each for each in benchmarks})
    found = map(_check_name, _files(files, format, note))
    return [
        AnswerFile(file.name, _sha256(file), _said(given), _reading(file, format, given), importer.conditions)
        for file in (inspect_set.counting(found, note) if format == "inspect" else found)
    ]


def _reading(file: Path, format_: str, given: Given) -> Callable[[Note], Iterator[Answer | BrokenRow]]:
    importer = importer_named(format_)
    if format_ in MEMBERS:
        return lambda note: importer.read(file, replace(given, note=note))
    return lambda note: _read_by_plug_in(importer, format_, file, replace(given, note=note))


def _read_by_plug_in(importer: Importer, name: str, file: Path, given: Given) -> Iterator[Answer | BrokenRow]:
    try:
        yield from importer.read(file, given)
    except (SnellenError, OSError):
        raise
    except Exception as error:
        raise PluginError(f"The importer {name!r} failed on {file.name}: {type(error).__name__}: {error}.") from error


def _said(given: Given) -> tuple[Any, ...]:
    """What the same files must be given with to be the same import."""
    further = (given.model, sorted(given.fields.items()), sorted(given.known))
    return (given.arm, given.name, *(each for each in further if each))


def _files(paths: Sequence[str | Path], format_: str, note: Note) -> Iterator[Path]:
    """Every file, those of folders too; DataError where one is missing or of another format."""
    importer = importer_named(format_)
    for path in map(Path, paths):
        if path.is_dir():
            found, others = (
                [each for each in group if each.name not in importer.beside] for group in files_in(path, format_)
            )
            if others:
                more = f" and {len(others) - 3} more" if len(others) > 3 else ""
                note(
                    f"Not {importer.title}, and left out: "
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
    """Refuse a file whose name no store can hold: the study and its benchmark are known by it."""
    try:
        str(file).encode()
    except UnicodeEncodeError as error:
        raise DataError(f"The name {str(file)!a} is not written in UTF-8. Rename the file or folder.") from error
    return file


def _nothing_in(folder: Path, format_: str) -> str:
    """Why a folder gives nothing, and which format it holds instead."""
    importer = importer_named(format_)
    said = f"The folder {folder.name!r} holds nothing that is {importer.title} ({', '.join(importer.files)})."
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
    """Store answers that somebody already has, so that they can be scored and reported; asks nothing.

    A file may be a folder: then every log in it is taken. `how` are the settings of `snellen.imports.sources`:
    `format` (recognised if it is not given), and `arm`, `name`, `model` and `fields` where the rows do not say.
    A condition that Snellen does not know is declared in `new_conditions`. What was sent must agree with the name of
    its condition, unless `accept_contradictions`: then no verdict is drawn on the benchmark. `study` names the study;
    without a name, the answers are added to the study that was imported last.
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
    """Store the answers of some files in a folder, as a study that is called `study`.

    They are added to the imported study of that name; without a name, to the one that was imported last.

    Responses wait on disk until all files are seen to be usable, and are then stored. Nothing counts before all is
    stored; what a stopped import left behind is never counted. `new_conditions` names conditions that
    Snellen does not know; any other must be what its name says, unless `accept_contradictions`: then no verdict is
    drawn on the benchmark. `about` goes into the study's record.
    """
    with Store.open(out, write=True) as store, Waiting(store.folder) as waiting:
        before = _imported_before(store, study)
        gathered = Gathering(waiting)
        if before:
            gathered.add(map(in_part, stored_answers(store, study=before["name"])), stored=True)
        stored = gathered.replies.total()
        notes: Counter[str] = Counter()
        hear = partial(_hear, notes)
        taken = [gathered.add(_watched(source.read(hear), watch)) for source in brought]
        contradictions = list(gathered.sightings.contradictions())
        if contradictions and not accept_contradictions:
            raise contradictions[0].error
        _check(brought, taken, allow_broken=allow_broken)
        check_names(gathered.all_arms(), declared=_declared(new_conditions, brought, before))
        record = {**_record(gathered, brought, before), **_contradicted(contradictions, before)}
        with store.transaction():
            places = Places(store, gathered, _generation(record["imported"], brought))
        writer = Writer(store)
        try:
            storing = Storing(store, writer, places)
            storing.items(gathered)
            left_out = [set(), *({(row.where, row.item_id) for row in each.broken} for each in taken)]
            for source, entries in waiting.batches():
                if source and len(entries) == AT_ONCE:
                    watch("storing", AT_ONCE)
                storing.replies(entries, left_out[source])
        finally:
            writer.close()
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


def _watched(answers: Iterator[Answer | BrokenRow], watch: Watch) -> Iterator[Answer | BrokenRow]:
    for count, answer in enumerate(answers, 1):
        if count % AT_ONCE == 0:
            watch("reading", AT_ONCE)
        yield answer if isinstance(answer, BrokenRow) else in_part(answer)


def _imported_before(store: Store, study: str) -> dict[str, Any]:
    """The imported study that is added to, if there is one; a study that was run here is left alone."""
    known = store.studies.all()
    if study:
        if any(each.name == study and not each.imported for each in known):
            raise StudyError(f"The study {study!r} in {store.folder} was run, not imported. Choose another name.")
        name_for({"imported": []}, known, store.folder, given=study)  # refused before anything is read
        earlier = [each for each in known if each.name == study]
    else:
        earlier = sorted((each for each in known if each.imported), key=lambda each: each.latest)
    return store.studies.record(earlier[-1].name) if earlier else {}


def _hear(notes: Counter[str], sentence: str) -> None:
    notes[sentence] += 1


def _declared(new_conditions: Sequence[str], brought: Sequence[AnswerFile], before: Mapping[str, Any]) -> set[str]:
    """The conditions beside our own that may be there: declared now or earlier, or a format's own."""
    return {*new_conditions, *_arms_of(before), *(arm for source in brought for arm in source.conditions)}


def _arms_of(study: Mapping[str, Any]) -> set[str]:
    """The arms of an earlier import; those of its own were declared then."""
    return {arm for arms in study.get("arms", {}).values() for arm in arms}


def _check(brought: Sequence[AnswerFile], taken: Sequence[Taken], *, allow_broken: bool) -> None:
    """Raise where rows are broken and that is not allowed, and where a file, or all of them, bring nothing."""
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


def _generation(everything: Sequence[Mapping[str, str]], brought: Sequence[AnswerFile]) -> str:
    """What is imported together: the same again is the same generation, anything else is another."""
    return hashlib.sha256(orjson.dumps((everything, [source.said for source in brought]))).hexdigest()


def _record(gathered: Gathering, brought: Sequence[AnswerFile], before: Mapping[str, Any]) -> dict[str, Any]:
    """The study as the store keeps it: how many responses there should be is not known, so `epochs` is None.

    If second responses are marked, each question was asked once beside them.
    """
    names, repeated = gathered.benchmarks(), gathered.repeated()
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


def _contradicted(found: Sequence[Contradiction], before: Mapping[str, Any]) -> dict[str, dict[str, list[str]]]:
    """What the record says of contradictions that were accepted, by benchmark; nothing where there are none."""
    said = {benchmark: list(each) for benchmark, each in before.get("contradictions", {}).items()}
    for each in found:
        said.setdefault(each.benchmark, []).append(each.sentence)
    return {"contradictions": said} if said else {}


def _sha256(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()
