"""Conversion of a row's fields, ours or Inspect's, into an Item."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from itertools import combinations
from types import MappingProxyType
from typing import Any, NamedTuple, cast

from snellen.benchmarks.answers import (
    LONGEST_LITERAL,
    NO_OPTIONS,
    ONE_BY_ONE,
    Keys,
    Parsed,
    as_text,
    from_json,
    keys_of,
    parse_index,
    parse_lettered,
    parse_options,
)
from snellen.benchmarks.columns import FIELDS
from snellen.benchmarks.gallery import Gallery, are_copies, holds_image, names_image_file
from snellen.benchmarks.printed_options import without_printed_options
from snellen.benchmarks.regions import read_regions
from snellen.benchmarks.rows import FileRow
from snellen.benchmarks.tasks import task_named
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import LETTERS, Item, Kind, Substitute, is_ungradable
from snellen.prompts import PathwayStep

_OPTION_COLUMN = re.compile(r"(?:(?:option|choice)[ _])?([A-L])", re.IGNORECASE)
_IMAGE_COLUMN = re.compile(r"image_(\d+)")
_CALLED_IMAGE = re.compile(
    r"(?:image|img|picture|pic|photo)s?(?:[ _-]?(?:path|file|filename|name|url|uri|link|src|data|bytes|base64)s?)?",
    re.IGNORECASE,
)
COUNTED_IMAGE = re.compile(
    r"(?:image|img|picture|pic|photo|figure|fig|scan|view)s?[ _-]?(?:path|file)?[ _-]?\d+", re.IGNORECASE
)
_QUOTED = re.compile(r"'([^'\\]*)'")
_QUOTED_LIST = re.compile(r"\[\s*'[^'\\]*'(?:\s*,\s*'[^'\\]*')*\s*,?\s*\]")
TEXTS = ("context", "category", "language", "cluster")
"""Text fields of an item, besides its id and question."""
MAY_BE_LISTS = ("input", "answer", "target", "answers", "steps")
"""Columns of a table whose cells may hold a list as text."""
LETTERS_TAKEN_OFF = "letters_in_options"
"""Metadata key of items whose option texts began with letters, which were removed."""
OPTIONS_IN_QUESTION = "options_in_question"
"""Metadata key of items whose question contained the option list."""
_ROLE_COLUMNS = ("image_roles", "roles", "image_views", "views", "view_positions", "ImageViewPosition", "ViewPosition")
"""Columns that may list a text for each image of the row."""
_ROLE_FIELDS = ("role", "view", "view_position", "ViewPosition")
_POSITIONS = {"pa": "frontal (PA)", "ap": "frontal (AP)", "ll": "lateral", "rl": "lateral", "lat": "lateral"}
"""DICOM's view positions as words."""
ASKED = "Write the report of this {image}."
SECTIONS = ("findings", "impression")
_OF_QUESTIONS = {"question", "input", "options", "choices", "answer", "target", "answers"}


class PromptParts(NamedTuple):
    """Parts of a prompt: question, context before it, and images."""

    question: str
    context: str
    images: list[object]


def item_from(fields: Mapping[str, Any], *, number: int, gallery: Gallery, keys: Keys = ONE_BY_ONE) -> Item:
    """Build a row's item without checking it; DataError if the row is unreadable.

    `keys` is the form of the file's answer keys. An option list within the question is removed. Fields without a
    meaning here are kept in the item's metadata, except images. If a row names its `task` and has no context, its
    history and examination become the context.
    """
    left = _drop_missing(fields)
    item_id = id_of(left, number)
    left.pop("id", None)
    metadata = _metadata(left.pop("metadata")) if "metadata" in left else {}
    sectioned = not left.keys().isdisjoint(SECTIONS) and left.keys().isdisjoint(_OF_QUESTIONS)
    reported = left["kind"] == "report" if "kind" in left else sectioned
    if reported and not {"question", "input"} & left.keys():
        left["question"] = _ask_for_report(left.get("modality"))
    asked = _read_question(_one_of(left, "question", "input"))
    options = _options(left)
    if keys.marked and options:
        options, taken_off = options.strip_letters()
        if taken_off:
            metadata[LETTERS_TAKEN_OFF] = True
    references = [*_images(left), *asked.images]
    images = _with_roles(references, [gallery.find_all(reference) for reference in references], left)
    if "regions" in left:
        images = read_regions(images, left.pop("regions"), gallery)
    substitutes: tuple[Substitute, ...] = ()
    if "substitutes" in left:
        substitutes = tuple(_substitutes(left.pop("substitutes"), options, gallery))
        _check_apart(images, substitutes)
    kind = left.pop("kind", "report" if reported else "choice" if options else "open")
    task = _task(left, kind, offers=bool(options))
    if kind == "open":
        _take_premise(left, metadata)
    if kind == "report":
        answer: int | str | None = _report(left, metadata)
    elif kind == "choice":
        answer = _choice(left, metadata, options, keys)
    else:
        answer = _reference(left, metadata, task, needed=kind != "open" or not gallery.keep_unreadable)
    texts = {name: as_text(left.pop(name), f"its {name}") for name in TEXTS if name in left}
    if "report" in left or "radiology_report" in left:
        left["report"] = _one_of(left, "report", "radiology_report")
    if task is not None and not texts.get("context", asked.context).strip():
        texts["context"] = _read_context(left, task)
    if asked.context:
        texts["context"] = "\n".join(filter(None, (asked.context, texts.get("context"))))
    _check_images_read(left, images)
    question = without_printed_options(asked.question, options.offered)
    if question != asked.question:
        metadata[OPTIONS_IN_QUESTION] = True
    return Item.of_fields(
        id=item_id,
        question=question,
        options=options.offered,
        answer=answer,
        images=images,
        kind=cast("Kind", kind),
        metadata=MappingProxyType({**left, **metadata}),
        substitutes=substitutes,
        **texts,
    )


def _ask_for_report(modality: object) -> str:
    return ASKED.format(image=modality if isinstance(modality, str) and modality.strip() else "image")


def _drop_missing(fields: Mapping[str, Any]) -> dict[str, Any]:
    if None not in fields.values():
        return dict(fields)
    return {name: value for name, value in fields.items() if value is not None}


def _choice(left: dict[str, Any], metadata: Mapping[str, Any], options: Parsed, keys: Keys) -> int | None:
    """Remove and return the answer of a choice; None for an ungradable image without one."""
    ungradable = is_ungradable(left.get("quality", metadata.get("quality")))
    answered = {"answer", "target", "answer_index"} & left.keys()
    return None if ungradable and not answered else _answer(left, options, keys)


def _report(left: dict[str, Any], metadata: dict[str, Any]) -> str:
    """Remove and return the reference of a report: its sections, or one field. Its indication is the context."""
    if named := [name for name in ("indication", "context") if name in left]:
        left["context"] = _one_of(left, *named)
    sections = [as_text(left.pop(name), f"its {name}") if name in left else "" for name in SECTIONS]
    if reference := reference_of(*sections):
        return reference
    if not {"answer", "target"} & left.keys():
        raise DataError("it has neither findings nor an impression; a report needs one of them, or an 'answer'")
    return _reference(left, metadata, None, needed=True)


def _task(left: dict[str, Any], kind: str, *, offers: bool) -> PathwayStep | None:
    """Return the step of the clinical pathway that the column `task` names, or None.

    Other benchmarks have such a column too. A task outside the pathway, or with another kind of question there, is only
    kept as metadata. A name similar to one of the pathway's raises DataError.
    """
    named = left.pop("task", None)
    if named is None or (isinstance(named, str) and not named.strip()):
        return None
    left["task"] = named
    task = task_named(named) if isinstance(named, str) else None
    if task is None or task.kind != ("open" if kind == "open" and not offers else "choice"):
        return None
    left["task"] = task.name
    return task


def _take_premise(left: dict[str, Any], metadata: dict[str, Any]) -> None:
    """Move the premise to the metadata; add a reference answer if it is false.

    It is `premise` with `premise_holds`, or an object with `claims` and `holds`.
    """
    premise, holds = left.pop("premise", None), left.pop("premise_holds", None)
    if isinstance(premise, str) and premise.lstrip().startswith("{"):
        premise = from_json(premise, "premise")
    if isinstance(premise, Mapping):
        if holds is not None or set(premise) != {"claims", "holds"}:
            raise DataError(f"its premise is {premise!r}, expected only 'claims' and 'holds', without 'premise_holds'")
        premise, holds = premise["claims"], premise["holds"]
    told, said = (_is_said(each) for each in (premise, holds))
    if not told and not said:
        return
    if not (told and said):
        there, lacks = ("premise", "premise_holds") if told else ("premise_holds", "premise")
        raise DataError(
            f"it has {there!r} but no {lacks!r}: give both or neither. 'premise' is what its question presupposes, "
            "'premise_holds' says if that is true or false"
        )
    claims = as_text(premise, "its premise").strip()
    metadata["premise"] = {"claims": claims, "holds": _truth(holds)}
    named = {"answer", "target", "answers", "references", "reference", "steps"}
    if not metadata["premise"]["holds"] and not any(_is_said(left.get(name)) for name in named):
        left["answer"] = f"The image does not show {claims}."


def _is_said(value: object) -> bool:
    """Return True if a field has a value; an empty table cell has none."""
    return value is not None and not (isinstance(value, str) and not value.strip())


_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _truth(value: object) -> bool:
    told = _TRUTHS.get(str(value).strip().lower())
    if told is None:
        raise DataError(f"its premise_holds is {value!r}, expected true or false")
    return told


def _read_context(left: Mapping[str, Any], task: PathwayStep) -> str:
    """Return history and examination as context, for open questions and notes."""
    if task.kind == "choice" and task.name != "note":
        return ""
    parts = ((name, as_text(left[name], f"its {name}").strip()) for name in ("history", "examination") if name in left)
    return "\n".join(f"{name.capitalize()}: {text}" for name, text in parts if text)


def keys_in(rows: Iterable[FileRow]) -> Keys:
    """Find the form of a file's answer keys from its rows."""
    held = list(rows)
    return keys_of(_answers_in(held))._replace(index_from_one=_counts_from_one(held))


def _counts_from_one(rows: Iterable[FileRow]) -> bool:
    """Return True if an `answer_index` equals the number of options, and none is 0."""
    last = False
    for row in rows:
        if (index := row.fields.get("answer_index")) is None:
            continue
        if not isinstance(options := row.fields.get("options"), Parsed):
            continue
        number = str(index).strip().removesuffix(".0")
        if number == "0":
            return False
        last |= number == str(len(options))
    return last


def key_of(fields: Mapping[str, Any], keys: Keys) -> str:
    """Return the letter of an unusable row's correct option, if readable; else ""."""
    with suppress(DataError):
        left = _drop_missing(fields)
        options = _options(left)
        if options:
            options = options.strip_letters().options if keys.marked else options
            return LETTERS[_answer(left, options, keys) or 0]
    return ""


def _answers_in(rows: Iterable[FileRow]) -> Iterator[tuple[object, Parsed]]:
    """Yield the correct answer of each row that has one, with its options."""
    for row in rows:
        fields = row.fields
        options, answer = fields.get("options"), fields.get("answer")
        if type(options) is Parsed and type(answer) is str and "target" not in fields and answer[:1] != "[":
            yield answer, options
            continue
        try:
            fields = from_cells(fields) if row.in_table else fields
            answers = [value for name in ("answer", "target") if (value := fields.get(name)) is not None]
            if len(answers) == 1 and len(answers := _as_list(answers[0])) == 1:
                options = fields.get("options")
                if not isinstance(options, Parsed):
                    options, _ = _options_in(fields)
                if options:
                    yield answers[0], options
        except DataError:  # the row is named when it is read
            continue


def _check_images_read(left: Mapping[str, Any], images: tuple[Image, ...]) -> None:
    """Raise DataError if an unread column contains or names an image."""
    called = _called_images(tuple(left))
    for name, value in left.items():
        plain = type(value) is str and len(value) < 60 and "." not in value[-8:] and "#" not in value
        if plain and name not in called:
            continue  # neither a file's name nor an image itself
        if images:
            refers = names_image_file(value) and COUNTED_IMAGE.fullmatch(name) is not None
        else:
            refers = names_image_file(value) or (
                name in called and isinstance(value, str | list | Mapping) and bool(value)
            )
        if refers or holds_image(value):
            raise DataError(
                f"its column {name!r} looks like an image but is not read as one. Name the column of the image: --map "
                "images=COLUMN, or images=none if no image is shown. Or rename it 'image', or remove it"
            )


def _substitutes(value: object, options: Parsed, gallery: Gallery) -> Iterator[Substitute]:
    """Yield substitute images from objects with `image` (or `images`) and `shows`."""
    if isinstance(value, str):
        value = from_json(value, "substitutes")
    offered = {option.text.strip().casefold() for _, option in options}
    for each in value if isinstance(value, list) else [value]:
        if not isinstance(each, Mapping):
            raise DataError(f"its substitutes hold {each!r}, expected objects with 'image' and 'shows'")
        left = dict(each)
        shows = as_text(left.pop("shows", None), "what a substitute shows")
        if shows.strip().casefold() not in offered:
            raise DataError(f"a substitute shows {shows!r}, which is none of its options")
        change = as_text(left.pop("change", ""), "the change of a substitute")
        found = tuple(image for reference in _images(left) for image in gallery.find_all(reference))
        if not found:
            raise DataError(f"its substitute that shows {shows!r} has no image")
        yield Substitute(found, shows, change=change)


def _check_apart(images: tuple[Image, ...], substitutes: tuple[Substitute, ...]) -> None:
    """Raise DataError if a substitute repeats the image or shows two options."""
    shown = [(each.images, each.shows.strip().casefold()) for each in substitutes]
    if any(are_copies(others, images) for others, _ in shown):
        raise DataError("a substitute is the same image as the original")
    if any(are_copies(a, b) for (a, shows), (b, other) in combinations(shown, 2) if shows != other):
        raise DataError("two of its substitutes are the same image but show different options; remove it")


def from_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """Parse messages and answer lists in a table row's cells."""
    listed = [name for name in MAY_BE_LISTS if name in cells and str(cells[name]).startswith(("[{", '["', "['"))]
    return {**cells, **{name: from_json(cells[name], name) for name in listed}}


def id_of(fields: Mapping[str, Any], number: int) -> str:
    """Return the id of a row, or one made from its line number."""
    given = fields.get("id")
    if given is None or (isinstance(given, str) and not given.strip()):
        return f"row-{number}"
    return as_text(given, "its id")


def _metadata(value: object) -> dict[str, Any]:
    if isinstance(value, str):
        value = from_json(value, "metadata")
    if not isinstance(value, Mapping):
        raise DataError(f"its metadata are {value!r}, expected an object")
    return dict(value)


def _one_of(left: dict[str, Any], *names: str) -> Any:
    """Remove and return the field present under one of several names; DataError for two."""
    if given := [name for name in names if name in left]:
        _check_one(given)
        return left.pop(given[0])
    other = ", ".join(map(repr, sorted(left))) or "nothing"
    missing = f"it has no {' or '.join(map(repr, names))}; its other fields are {other}"
    raise DataError(f"{missing}. Name its column: --map {names[0]}={_likely_column(left, names[0])}")


def _likely_column(left: Mapping[str, Any], field: str) -> str:
    """Return the only column that may hold a field; "COLUMN" if several or none."""
    strange = [name for name, value in left.items() if name not in FIELDS and isinstance(value, str)]
    asks = [name for name in strange if field == "question" and left[name].rstrip().endswith("?")]
    likely = asks or strange
    return likely[0] if len(likely) == 1 else "COLUMN"


def _check_one(given: Sequence[str]) -> None:
    if len(given) > 1:
        raise DataError(f"it has {' and '.join(map(repr, given))}, which mean the same; keep one")


def _read_question(value: object) -> PromptParts:
    """Read a question from a text, or from the chat messages of an Inspect sample."""
    if not isinstance(value, list):
        return PromptParts(as_text(value, "its question"), "", [])
    said: dict[str, list[str]] = {"system": [], "user": []}
    images: list[object] = []
    for message in value:
        role = message.get("role") if isinstance(message, Mapping) else message
        if role not in tuple(said):
            raise DataError(f"its input has a message of {role!r}, expected 'user' or 'system' only")
        for kind, part in _parts(message.get("content")):
            if kind == "text":
                said[role].append(as_text(part, "a message"))
            else:
                images.append(part)
    return PromptParts("\n".join(said["user"]), "\n".join(said["system"]), images)


def _parts(content: object) -> Iterator[tuple[str, object]]:
    """Yield the parts of a message: `text` with its text, `image` with its reference."""
    for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
        kind = part.get("type") if isinstance(part, Mapping) else type(part).__name__
        if kind in ("text", "image"):
            yield kind, part.get(kind)
        elif kind == "image_url":
            address = part.get("image_url")
            yield "image", address.get("url") if isinstance(address, Mapping) else address
        else:
            raise DataError(f"its input holds a part of type {kind!r}, expected 'text' or 'image'")


KnownOptions = dict[tuple[tuple[str, ...], tuple[str, ...]], Parsed]
"""Cache of parsed options, by columns and texts, since most benchmarks repeat the same options."""


def read_options(rows: Iterable[dict[str, Any]]) -> None:
    """Parse the options of all rows in place, each distinct list once.

    Errors are reported when the row is read. If a row lacks the first options of its table, they become empty texts, so
    that it is a broken choice and not an open question.
    """
    known: KnownOptions = {}
    has_letters, without_first = False, []
    for row in rows:
        columns = _option_columns(list_present(row))
        if columns.letters and not columns.letters >= _FIRST:
            without_first.append(row)
        else:
            has_letters |= bool(columns.letters)
            _keep_options(row, columns, known)
    for row in without_first:
        if has_letters:
            row.update(dict.fromkeys(_FIRST - _option_columns(list_present(row)).letters, ""))
        _keep_options(row, _option_columns(list_present(row)), known)


def _keep_options(row: dict[str, Any], columns: _OptionColumns, known: KnownOptions) -> None:
    """Replace a row's option columns by its parsed options."""
    try:
        found, taken = _options_in(row, columns, known)
    except DataError:
        return
    if found:
        for name in taken:
            del row[name]
        row["options"] = found


def _options(left: dict[str, Any]) -> Parsed:
    if isinstance(left.get("options"), Parsed) and "choices" not in left:
        return cast("Parsed", left.pop("options"))
    found, columns = _options_in(left)
    for name in columns:
        del left[name]
    return found


def _options_in(
    fields: Mapping[str, Any], columns: _OptionColumns | None = None, known: KnownOptions | None = None
) -> tuple[Parsed, Iterable[str]]:
    """Return the options of a row and their columns, from the cache if known."""
    named, names, labels, letters = columns or _option_columns(list_present(fields))
    if named:
        _check_one(named)
        value = fields[named[0]]
        listed = value if isinstance(value, list) else ()
        return _read_once(known, (), listed, lambda: parse_options(value)), named
    if not letters >= _FIRST:
        return NO_OPTIONS, ()
    if len(letters) < len(names):
        raise DataError(f"it has two columns for one option: {sorted(names)}")
    texts = tuple([fields[name] for name in names])
    return _read_once(known, labels, texts, lambda: parse_lettered(dict(zip(labels, texts, strict=True)))), names


def _read_once(
    known: KnownOptions | None, labels: tuple[str, ...], texts: Sequence[Any], read: Callable[[], Parsed]
) -> Parsed:
    """Parse options once per labels and texts; 1 and 1.0 differ."""
    if known is None or not texts or not _TEXT_ONLY.issuperset(map(type, texts)):
        return read()
    found = known.get(at := (labels, tuple(texts)))
    if found is None:
        found = known[at] = read()
    return found


def list_present(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the names of the fields with a value."""
    if None not in fields.values():
        return tuple(fields)
    return tuple([name for name, value in fields.items() if value is not None])


class _OptionColumns(NamedTuple):
    """Columns with all options, or one per letter."""

    named: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    letters: frozenset[str]


@lru_cache(maxsize=1024)
def _option_columns(names: tuple[str, ...]) -> _OptionColumns:
    named = tuple(name for name in ("options", "choices") if name in names)
    found = {name: match[1].upper() for name in names if (match := _OPTION_COLUMN.fullmatch(name))}
    return _OptionColumns(named, tuple(found), tuple(found.values()), frozenset(found.values()))


_FIRST = frozenset("AB")
_TEXT_ONLY = frozenset((str,))


@lru_cache(maxsize=1024)
def _called_images(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(name for name in names if _CALLED_IMAGE.fullmatch(name))


@lru_cache(maxsize=1024)
def _image_columns(names: tuple[str, ...]) -> Sequence[str]:
    found = {name: int(match[1]) for name in names if (match := _IMAGE_COLUMN.fullmatch(name))}
    return sorted(found, key=lambda name: (found[name], name))


def _images(left: dict[str, Any]) -> list[object]:
    found = [left.pop(name) for name in _image_columns(tuple(left))]
    value = _one_of(left, "images", "image") if "images" in left or "image" in left else []
    if isinstance(value, str) and value.lstrip().startswith("["):
        long = len(value) > LONGEST_LITERAL and _QUOTED_LIST.fullmatch(value.strip())
        value = _QUOTED.findall(value) if long else from_json(value, "images")
    return [*(value if isinstance(value, list) else [value] if value != "" else []), *found]


def _answer(left: dict[str, Any], options: Parsed, keys: Keys) -> int | None:
    if "answer_index" in left and "answer" not in left and "target" not in left:
        return parse_index(left.pop("answer_index"), options, keys)
    answers = _as_list(_one_of(left, "answer", "target"))
    if len(answers) != 1:
        raise DataError(f"it has {len(answers)} right answers ({answers}), expected one")
    return options.place(as_text(answers[0], "its answer"), keys) if options else None


def _reference(left: dict[str, Any], metadata: dict[str, Any], task: PathwayStep | None, *, needed: bool) -> str:
    """Return the first accepted reference; the metadata have all of them.

    Reasoning may be given only as its `steps`, whose joined text is then the reference. "" if there is no reference and
    none is needed.
    """
    steps, accepted = (_texts(left, name, needed=task is not None) for name in ("steps", "answers"))
    if steps:
        left["steps"] = steps
    # If there is an answer, a column `reference` may be the question's source.
    other = () if steps or accepted or {"answer", "target"} & left.keys() else ("references", "reference")
    columns = [name for name in ("answer", "target", *other) if name in left]
    needed = needed and not (steps or accepted)
    given = _as_list(_one_of(left, *(columns or ("answer", "target")))) if columns or needed else []
    first = [as_text(answer, "its answer") for answer in given]
    answers = list(dict.fromkeys((*first, *accepted)))
    if len(answers) > 1:
        metadata["answers"] = answers
    return answers[0] if answers else " ".join(steps)


def _texts(left: dict[str, Any], name: str, *, needed: bool) -> list[str]:
    """Remove and return a list of texts. Optional values that are not texts stay in the row."""
    listed = _as_list(left.get(name, []))
    if not needed and not all(isinstance(each, str) for each in listed):
        return []
    left.pop(name, None)
    found = [as_text(each, f"one of its {name}").strip() for each in listed]
    return [each for each in found if each]


def _as_list(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _with_roles(
    references: Sequence[object], opened: Sequence[tuple[Image, ...]], row: Mapping[str, Any]
) -> tuple[Image, ...]:
    """Return the images of all references, each with its role.

    The role is in the image's record (`role`, `view`) or in a column with a role per reference. Frames and slices have
    a role of their own, which follows the row's.
    """
    if row.keys().isdisjoint(_ROLE_COLUMNS) and all(type(each) is str for each in references):
        return opened[0] if len(opened) == 1 else tuple([image for images in opened for image in images])
    told = [_role_in(reference) for reference in references]
    if not any(told) and not row.keys().isdisjoint(_ROLE_COLUMNS):
        listed = (_listed_roles(row[name], len(told)) for name in _ROLE_COLUMNS if name in row)
        told = next(filter(None, listed), told)
    return tuple(
        [
            replace(image, role=" ".join(filter(None, (role, image.role)))) if role else image
            for role, images in zip(told, opened, strict=True)
            for image in images
        ]
    )


def _role_in(reference: object) -> str:
    if not isinstance(reference, Mapping):
        return ""
    return next((_role(reference[name]) for name in _ROLE_FIELDS if isinstance(reference.get(name), str)), "")


def _listed_roles(value: object, number: int) -> list[str]:
    """Return a role per image; empty if the column is something else."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(DataError):
            value = from_json(value, "views")
    if not isinstance(value, list) or len(value) != number:
        return []
    return [_role(each) for each in value] if all(each is None or isinstance(each, str) for each in value) else []


def _role(told: object) -> str:
    """Return a role on one short line; view positions are spelled out.

    >>> _role("PA"), _role(" prior  frontal ")
    ('frontal (PA)', 'prior frontal')
    """
    text = " ".join(str(told or "").split())[:80]
    return _POSITIONS.get(text.lower(), text)


def reference_of(findings: str, impression: str) -> str:
    """Return the reference report, without missing sections.

    >>> reference_of("Clear lungs.", "")
    'FINDINGS: Clear lungs.'
    """
    parts = zip(SECTIONS, (findings, impression), strict=True)
    return "\n\n".join(f"{name.upper()}: {text.strip()}" for name, text in parts if text.strip())
