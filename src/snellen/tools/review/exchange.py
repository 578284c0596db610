"""Exchange: export of a review's cases and votes, and import of votes, as CSV or Label Studio JSON.

A normal export names model and condition of each case. A blind one does not, so it can be given to raters who use
another tool. A case has the same key in both formats: its number and a hash of its content, so that votes on another
review's cases are noticed. In CSV, each row is a vote. A text that a spreadsheet would run as a formula gets a leading
apostrophe, which the import removes.
"""

from __future__ import annotations

import csv
import hashlib
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from math import isfinite
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

import orjson

from snellen.errors import DataError, StudyError
from snellen.files import write_whole
from snellen.schemas import FIELD, later
from snellen.scoring.writing import inert_text, plain_text
from snellen.tools.review.ballots import Ballots, ReviewedCase, Vote, normalise_name
from snellen.tools.review.case import RESPONSE, Subject
from snellen.tools.review.task import Field, ReviewTask
from snellen.tools.review.tasks import TASKS

SCHEMA = 1
SHOWN = ("question", "context", "options", "response", "beside", "images")
CAST = ("rater", "settles", "skipped", "seconds", "cast_at")
YES = frozenset(("yes", "true", "1", "x"))
"""Cell values that mean yes, in any capitalisation."""
LONGEST_CELL = 100_000_000
ImportedVote = tuple[str, Vote]
"""A position in the file, for messages, and the vote there."""


def key(case: ReviewedCase) -> str:
    """Return the key of a case in files: its number and a hash of its content."""
    return f"{case.number}-{hashlib.sha256(case.shown.json.encode()).hexdigest()[:12]}"


def export(ballots: Ballots, file: Path, *, blind: bool = False) -> int:
    """Write all cases with their votes to a file; return the number of cases.

    `blind` leaves out subjects, votes and raters. A blind .json comes with one `NAME-TASK.xml` per task,
    the interface for Label Studio; answers collected with it can be imported here.
    """
    write = _format(file, {".csv": as_csv, ".json": as_label_studio})
    cases = [case for task in ballots.reviews() for case in ballots.read(task)]
    write_whole(file, write(cases, blind=blind).encode())
    if blind and write is as_label_studio:
        for task in ballots.reviews():
            write_whole(file.with_name(f"{file.stem}-{task}.xml"), label_config(TASKS[task]).encode())
    return len(cases)


def import_votes(ballots: Ballots, file: Path) -> int:
    """Import the votes of a file, all or none; return how many are new.

    Raise DataError for an unknown case, an invalid answer, or two votes of a rater on one case.
    """
    read = _format(file, {".csv": from_csv, ".json": from_label_studio})
    cases = {key(case): case for task in ballots.reviews() for case in ballots.read(task)}
    try:
        text = file.read_bytes().decode("utf-8-sig")
    except OSError as error:
        raise DataError(f"{file} cannot be read: {error.strerror}.") from error
    except UnicodeDecodeError as error:
        raise DataError(f"{file} is not a text in UTF-8 (byte {error.start}). Save it as UTF-8.") from error
    keys = {case.number: named for named, case in cases.items()}
    votes: list[Vote] = []
    places: dict[tuple[int, str], str] = {}
    for where, vote in read(text, cases, file.name):
        if before := places.get(at := (vote.case, normalise_name(vote.rater))):
            raise DataError(
                f"{where}: {vote.rater} voted on case {keys[vote.case]} before, in {before}. Keep one vote."
            )
        places[at] = where
        votes.append(vote)
    return ballots.add_votes(votes)


def _format(file: Path, known: Mapping[str, Callable[..., Any]]) -> Callable[..., Any]:
    if file.suffix.lower() in known:
        return known[file.suffix.lower()]
    raise StudyError(f"Expected a file that ends in {' or '.join(known)}, got {file.name!r}.")


def _check_schema(schema: object, where: str) -> None:
    if problem := later(where, schema, SCHEMA):
        raise DataError(problem)


def _case(named: str, cases: Mapping[str, ReviewedCase], where: str) -> ReviewedCase:
    if named in cases:
        return cases[named]
    raise DataError(
        f"{where}: there is no case {named!r:.40} in this review. Copy the `case` of each vote from the export."
    )


def _format_time(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat()


def _moment(text: str, where: str) -> float:
    if not text:
        return 0.0
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError as error:
        raise DataError(f"{where}: expected a time such as 2026-01-31T12:00:00Z, got {text!r:.40}.") from error


def _seconds(given: Any, where: str) -> float:
    try:
        seconds = float(given or 0.0)
    except (TypeError, ValueError):
        seconds = -1.0
    if not (isfinite(seconds) and seconds >= 0):
        raise DataError(f"{where}: expected how many seconds the vote took, got {given!r:.40}.")
    return seconds


# CSV --------------------------------------------------------------------------------------------------------------


def as_csv(cases: Sequence[ReviewedCase], *, blind: bool = False) -> str:
    """Write one row per vote, and one per case without votes."""
    about = () if blind else Subject._fields
    tasks = dict.fromkeys(case.task for case in cases)
    answers = tuple(dict.fromkeys(field.name for task in tasks for field in TASKS[task].fields))
    text = io.StringIO()
    writer = csv.DictWriter(text, ("case", "task", *about, *SHOWN, *CAST, *answers, FIELD), restval="")
    writer.writeheader()
    for case in cases:
        of = {} if blind else case.subject._asdict()
        shared = {FIELD: SCHEMA, "case": key(case), "task": case.task, **_list_shown(case), **of}
        for cast in [_cast_cells(vote) for vote in case.votes if not blind] or [{}]:
            writer.writerow({name: inert_text(value) for name, value in {**shared, **cast}.items()})
    return f"\ufeff{text.getvalue()}"


def _list_shown(case: ReviewedCase) -> dict[str, str]:
    beside = (f"{each.title}: {each.text}" for each in case.shown.passages if each.title != RESPONSE)
    return {
        "question": case.shown.question,
        "context": case.shown.context,
        "options": "\n".join(case.shown.options),
        "response": case.shown.response,
        "beside": "\n\n".join(beside),
        "images": ", ".join(image.title for image in case.shown.images),
    }


def _cast_cells(vote: Vote) -> dict[str, str]:
    cells = {
        "rater": vote.rater,
        "settles": "yes" if vote.settles else "",
        "skipped": "yes" if vote.value is None else "",
        "seconds": repr(vote.seconds),
        "cast_at": _format_time(vote.cast_at),
    }
    answers = (vote.value or {}).items()
    return cells | {name: each if isinstance(each, str) else orjson.dumps(each).decode() for name, each in answers}


def from_csv(text: str, cases: Mapping[str, ReviewedCase], name: str) -> Iterator[ImportedVote]:
    """Read the votes of a CSV file: columns `case`, `rater` and the task's fields."""
    csv.field_size_limit(LONGEST_CELL)
    header = text.partition("\n")[0]
    delimiter = max(",;\t", key=header.count)  # spreadsheets of many countries write semicolons
    rows = csv.DictReader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    try:
        if twice := sorted(name for name, count in Counter(rows.fieldnames or ()).items() if name and count > 1):
            raise DataError(f"{name} has the column {twice[0]!r:.40} twice. Keep one.")
        if lacking := [column for column in ("case", "rater") if column not in (rows.fieldnames or ())]:
            raise DataError(
                f"{name} has no column {' and no column '.join(lacking)}. Export the cases to see all columns."
            )
        for number, row in enumerate(rows, start=2):
            texts = {column: value for column, value in row.items() if column and not isinstance(value, list)}
            cells = {column: plain_text(value) for column, value in texts.items()}
            _check_schema(cells.get(FIELD), f"{name}, row {number}")
            if cells["rater"].strip():
                yield _read_row(cells, cases, f"{name}, row {number}")
    except csv.Error as error:
        raise DataError(f"{name} is not a CSV file that can be read: {error}.") from error


def _read_row(cells: Mapping[str, str], cases: Mapping[str, ReviewedCase], where: str) -> ImportedVote:
    case = _case(cells["case"], cases, where)
    task = TASKS[case.task]
    fields = task.fields
    skipped, settles = (cells.get(name, "").strip().casefold() in YES for name in ("skipped", "settles"))
    asked = () if skipped else tuple(field.name for field in fields)
    if strange := [name for name in _ANSWERS if name not in asked and cells.get(name)]:
        raise DataError(
            f"{where}: expected {'no answer to a case that is skipped' if skipped else ' and '.join(asked)}, got "
            f"{cells[strange[0]]!r:.40} as {strange[0]!r}."
        )
    seconds, cast_at = _seconds(cells.get("seconds"), where), _moment(cells.get("cast_at", ""), where)
    value = None
    if not skipped:
        answers = {field.name: _of_cell(field, cells[field.name], where) for field in fields if cells.get(field.name)}
        value = task.validate(answers, where, response=case.shown.response)
    return where, Vote(case.number, cells["rater"], settles, value, seconds, cast_at)


_ANSWERS = tuple(dict.fromkeys(field.name for task in TASKS.values() for field in task.fields))
"""Answer columns of all tasks."""


def _of_cell(field: Field, text: str, where: str) -> Any:
    if field.kind != "marks":
        return text
    try:
        return orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DataError(
            f'{where}: expected for {field.name!r} a list such as [{{"tag": "{field.values[0]}"}}], got {text!r:.60}.'
        ) from error


# Label Studio -----------------------------------------------------------------------------------------------------


def as_label_studio(cases: Sequence[ReviewedCase], *, blind: bool = False) -> str:
    """Write one Label Studio task per case, with one annotation per vote unless blind."""
    return orjson.dumps([_task(case, blind=blind) for case in cases], option=orjson.OPT_INDENT_2).decode()


def _task(case: ReviewedCase, *, blind: bool) -> dict[str, Any]:
    data = {FIELD: SCHEMA, "case": key(case), "task": case.task, **_list_shown(case)}
    if blind:
        return {"id": case.number, "data": data}
    annotations = [_annotation(case, vote, number) for number, vote in enumerate(case.votes, start=1)]
    return {"id": case.number, "data": {**data, "about": case.subject._asdict()}, "annotations": annotations}


def _annotation(case: ReviewedCase, vote: Vote, number: int) -> dict[str, Any]:
    results = [] if vote.value is None else list(_results(case, vote.value))
    return {
        "id": number,
        "completed_by": vote.rater,
        "was_cancelled": vote.value is None,
        "lead_time": vote.seconds,
        "created_at": _format_time(vote.cast_at),
        "settles": vote.settles,
        "result": [{"id": f"{case.number}-{number}-{place}", **each} for place, each in enumerate(results)],
    }


def _results(case: ReviewedCase, value: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    response = case.shown.response
    for field in TASKS[case.task].fields:
        if (said := value.get(field.name)) is None:
            continue
        shared = {"from_name": field.name, "to_name": "response" if field.kind == "marks" else "question"}
        if field.kind == "choice":
            yield {**shared, "type": "choices", "value": {"choices": [said]}}
        elif field.kind == "scale":
            yield {**shared, "type": "rating", "value": {"rating": int(said)}}
        elif field.kind == "words":
            yield {**shared, "type": "textarea", "value": {"text": [said]}}
        else:
            for mark in said:
                yield {**shared, **_format_mark(mark, response)}


def _format_mark(mark: Mapping[str, Any], response: str) -> dict[str, Any]:
    """Format a mark as a labelled span, or as a choice without a span."""
    if "start" not in mark:
        return {"type": "choices", "value": {"choices": [mark["tag"]]}}
    span = {"start": mark["start"], "end": mark["end"], "text": response[mark["start"] : mark["end"]]}
    return {"type": "labels", "value": {**span, "labels": [mark["tag"]]}}


def label_config(task: ReviewTask) -> str:
    """Write the Label Studio interface of a task as XML."""
    view = Element("View")
    for name in ("context", "question", "options", "beside", "response"):
        SubElement(view, "Text", name=name, value=f"${name}")
    for field in task.fields:
        SubElement(view, "Header", value=field.asks)
        required = {"required": "true"} if field.required and field.kind != "marks" else {}
        shared = {"name": field.name, "toName": "response" if field.kind == "marks" else "question"}
        if field.kind == "words":
            SubElement(view, "TextArea", {**shared, **required})
        elif field.kind == "scale":
            SubElement(view, "Rating", {**shared, **required, "maxRating": str(len(field.choices))})
            for choice in field.choices:
                SubElement(view, "Header", value=f"{choice.label}: {choice.means}", size="6")
        else:
            tags = ("Labels", "Label") if field.kind == "marks" else ("Choices", "Choice")
            offered = SubElement(view, tags[0], {**shared, **required})
            for choice in field.choices:
                SubElement(offered, tags[1], value=choice.value, hint=choice.means or choice.label)
    indent(view)
    return tostring(view, encoding="unicode")


def from_label_studio(text: str, cases: Mapping[str, ReviewedCase], name: str) -> Iterator[ImportedVote]:
    """Read the votes of a Label Studio export (JSON)."""
    try:
        tasks = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        raise DataError(f"{name} is not JSON: {error}.") from error
    if not isinstance(tasks, list):
        raise DataError(f"{name}: expected a list of tasks as Label Studio exports them, got {tasks!r:.60}.")
    for number, task in enumerate(tasks, start=1):
        if not isinstance(task, Mapping):
            raise DataError(f"{name}, task {number}: expected a task as Label Studio exports it, got {task!r:.60}.")
        data = _part(task, "data", dict)
        _check_schema(data.get(FIELD), f"{name}, task {number}")
        for place, annotation in enumerate(_part(task, "annotations", list), start=1):
            where = f"{name}, task {number}, annotation {place}"
            yield _read_annotation(_case(str(data.get("case")), cases, where), annotation, where)


def _part(given: Any, name: str, kind: type) -> Any:
    part = given.get(name) if isinstance(given, Mapping) else None
    return part if isinstance(part, kind) else kind()


def _read_annotation(case: ReviewedCase, annotation: Any, where: str) -> ImportedVote:
    if not isinstance(annotation, Mapping):
        raise DataError(f"{where}: expected an annotation, got {annotation!r:.60}.")
    who = annotation.get("completed_by")
    rater = str(next((who[name] for name in ("email", "id") if who.get(name)), "") if isinstance(who, Mapping) else who)
    if not rater or isinstance(who, bool | list | None):
        raise DataError(f"{where}: expected the name of the rater as completed_by, got {who!r:.60}.")
    value = None
    if annotation.get("was_cancelled") is not True:
        answers = _read_answers(case, annotation.get("result"), where)
        value = TASKS[case.task].validate(answers, where, response=case.shown.response)
    settles, seconds = annotation.get("settles") is True, _seconds(annotation.get("lead_time"), where)
    cast_at = _moment(str(annotation.get("created_at") or ""), where)
    return where, Vote(case.number, rater, settles, value, seconds, cast_at)


def _read_answers(case: ReviewedCase, results: Any, where: str) -> dict[str, Any]:
    """Read a vote from the results of an annotation; unmarked patterns count as absent."""
    fields = {field.name: field for field in TASKS[case.task].fields}
    if not isinstance(results, list):
        raise DataError(f"{where}: expected a list of answers as `result`, got {results!r:.60}.")
    value: dict[str, Any] = {name: [] for name, field in fields.items() if field.kind == "marks"}
    for result in results:
        name, said = (_part(result, part, kind) for part, kind in (("from_name", str), ("value", dict)))
        if name not in fields:
            raise DataError(f"{where}: the task {case.task} has the fields {', '.join(fields)}, got {name!r:.40}.")
        if fields[name].kind == "marks":
            value[name] += _marks(said, case.shown.response, where)
        elif name in value:
            raise DataError(f"{where}: there are two answers to {name!r}. Keep one.")
        else:
            value[name] = _read_answer(fields[name], said, where)
    return value


def _read_answer(field: Field, said: Mapping[str, Any], where: str) -> Any:
    part = {"choice": "choices", "scale": "rating", "words": "text"}[field.kind]
    answer = said.get(part, said.get("choices"))
    if not isinstance(answer, list):
        return answer
    if field.kind == "words":
        return "\n".join(map(str, answer))
    if len(answer) != 1:
        raise DataError(f"{where}: expected for {field.name!r} one answer, got {answer!r:.60}.")
    return answer[0]


def _marks(said: Mapping[str, Any], response: str, where: str) -> list[dict[str, Any]]:
    """Read the marks of one result: labelled spans, or choices for marks without words."""
    tags = said.get("labels", said.get("choices"))
    if not isinstance(tags, list):
        raise DataError(f"{where}: expected a list of `labels` or `choices`, got {tags!r:.60}.")
    if "labels" not in said:
        return [{"tag": tag} for tag in tags]
    start, end, words = said.get("start"), said.get("end"), said.get("text")
    if isinstance(start, int) and isinstance(end, int) and isinstance(words, str) and response[start:end] != words:
        units = response.encode("utf-16-le")  # browsers count some characters as two
        before, inside = (units[2 * a : 2 * b].decode("utf-16-le", "replace") for a, b in ((0, start), (start, end)))
        if inside != words:
            raise DataError(f"{where}: the words from {start} to {end} of the response are not {words!r:.60}.")
        start, end = len(before), len(before) + len(inside)
    return [{"tag": tag, "start": start, "end": end} for tag in tags]
