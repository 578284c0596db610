"""Questions: an Item from the fields of one row, in our names for them or in those of Inspect's samples."""

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
    lettered,
    parse_index,
    parse_options,
)
from snellen.benchmarks.columns import FIELDS
from snellen.benchmarks.gallery import Gallery, are_copies, holds_image, names_image_file
from snellen.benchmarks.printed_options import without_printed_options
from snellen.benchmarks.rows import Row
from snellen.benchmarks.tasks import task_named
from snellen.errors import DataError
from snellen.images import Image
from snellen.items import LETTERS, Item, Kind, Substitute, is_ungradable
from snellen.prompts import Task

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
"""The fields of an item that are texts, beside its id and its question."""
MAY_BE_LISTS = ("input", "answer", "target", "answers", "steps")
"""Columns of a table whose cells may hold a list as text."""
LETTERS_TAKEN_OFF = "letters_in_options"
"""Stands in the metadata of an item whose options had their letters before their texts."""
OPTIONS_IN_QUESTION = "options_in_question"
"""Stands in the metadata of an item whose question printed its options."""
_ROLE_COLUMNS = ("image_roles", "roles", "image_views", "views", "view_positions", "ImageViewPosition", "ViewPosition")
"""Lists with a text for each image of the row."""
_ROLE_FIELDS = ("role", "view", "view_position", "ViewPosition")
_POSITIONS = {"pa": "frontal (PA)", "ap": "frontal (AP)", "ll": "lateral", "rl": "lateral", "lat": "lateral"}
"""The view positions of DICOM, in words."""
ASKED = "Write the report of this {image}."
SECTIONS = ("findings", "impression")
_OF_QUESTIONS = {"question", "input", "options", "choices", "answer", "target", "answers"}


class PromptParts(NamedTuple):
    """What a prompt holds: the question, what stands before it, and its images."""

    question: str
    context: str
    images: list[object]


def item_from(fields: Mapping[str, Any], *, number: int, gallery: Gallery, keys: Keys = ONE_BY_ONE) -> Item:
    """The item of a row, not yet checked for sense; DataError says what of it cannot be read.

    `keys` is how the row's file writes its answers. A list of the options that the question prints itself is taken
    out of it. Fields that have no meaning here are kept in the item's metadata, but for images. A row that names its
    `task` has its history and examination told before the question, unless it has a context of its own.
    """
    left = _given(fields)
    item_id = id_of(left, number)
    left.pop("id", None)
    metadata = _metadata(left.pop("metadata")) if "metadata" in left else {}
    reported = _is_report(left)
    if reported and not {"question", "input"} & left.keys():
        left["question"] = _asked_for(left)
    asked = _asked(_one_of(left, "question", "input"))
    options = _options(left)
    if keys.marked and options:
        options, taken_off = options.unmarked()
        if taken_off:
            metadata[LETTERS_TAKEN_OFF] = True
    references = [*_images(left), *asked.images]
    images = _with_roles(references, [gallery.all(reference) for reference in references], left)
    substitutes: tuple[Substitute, ...] = ()
    if "substitutes" in left:
        substitutes = tuple(_substitutes(left.pop("substitutes"), options, gallery))
        _check_apart(images, substitutes)
    kind = left.pop("kind", "report" if reported else "choice" if options else "open")
    task = _task(left, kind, offers=bool(options))
    if kind == "open":
        _take_premise(left, metadata)
    if kind == "report":
        if named := [name for name in ("indication", "context") if name in left]:
            left["context"] = _one_of(left, *named)
        answer: int | str | None = _take_sections(left) or _reported(left, metadata)
    elif kind == "choice":
        answer = None if _needs_no_answer(left, metadata) else _answer(left, options, keys)
    else:
        answer = _reference(left, metadata, task, needed=kind != "open" or not gallery.keep_unreadable)
    texts = {name: as_text(left.pop(name), f"its {name}") for name in TEXTS if name in left}
    _take_report(left)
    if task is not None and not texts.get("context", asked.context).strip():
        texts["context"] = _told(left, task)
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


def _given(fields: Mapping[str, Any]) -> dict[str, Any]:
    """A copy of the fields that hold something."""
    if None not in fields.values():
        return dict(fields)
    return {name: value for name, value in fields.items() if value is not None}


def _needs_no_answer(left: Mapping[str, Any], metadata: Mapping[str, Any]) -> bool:
    """Whether a row without an answer says that nobody can grade its image."""
    said = left.get("quality", metadata.get("quality"))
    return is_ungradable(said) and not {"answer", "target", "answer_index"} & left.keys()


def _reported(left: dict[str, Any], metadata: dict[str, Any]) -> str:
    """The reference of a report that is written in one piece."""
    if not {"answer", "target"} & left.keys():
        raise DataError("it has neither findings nor an impression; a report needs one of them, or an 'answer'")
    return _reference(left, metadata, None, needed=True)


def _task(left: dict[str, Any], kind: str, *, offers: bool) -> Task | None:
    """The task of the clinical pathway that a row names in a column of its own; its name is kept under that.

    Other benchmarks have such a column too: a task that is none of the pathway's, or whose questions are of another
    kind there, is kept as it is and means nothing here. One that is nearly a name of the pathway's is refused.
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
    """Put what a question takes for granted where it is looked for, and give a false premise its reference.

    It is `premise` with `premise_holds`, or an object with `claims` and `holds`.
    """
    premise, holds = left.pop("premise", None), left.pop("premise_holds", None)
    if isinstance(premise, str) and premise.lstrip().startswith("{"):
        premise = from_json(premise, "premise")
    if isinstance(premise, Mapping):
        if holds is not None or set(premise) != {"claims", "holds"}:
            raise DataError(f"its premise is {premise!r}, expected 'claims' and 'holds' alone, and no 'premise_holds'")
        premise, holds = premise["claims"], premise["holds"]
    told, said = (_is_said(each) for each in (premise, holds))
    if not told and not said:
        return
    if not (told and said):
        there, lacks = ("premise", "premise_holds") if told else ("premise_holds", "premise")
        raise DataError(
            f"it has {there!r} and no {lacks!r}; 'premise' is what its question takes for granted, and 'premise_holds' "
            "says whether that is so (true or false): give both or neither"
        )
    claims = as_text(premise, "its premise").strip()
    metadata["premise"] = {"claims": claims, "holds": _truth(holds)}
    named = {"answer", "target", "answers", "references", "reference", "steps"}
    if not metadata["premise"]["holds"] and not any(_is_said(left.get(name)) for name in named):
        left["answer"] = f"The image does not show {claims}."


def _is_said(value: object) -> bool:
    """Whether a field is there; an empty cell of a table is not."""
    return value is not None and not (isinstance(value, str) and not value.strip())


_TRUTHS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


def _truth(value: object) -> bool:
    told = _TRUTHS.get(str(value).strip().lower())
    if told is None:
        raise DataError(f"its premise_holds is {value!r}, expected true or false")
    return told


def _take_report(left: dict[str, Any]) -> None:
    """Put the radiology report, under either name, where it is looked for."""
    if "report" in left or "radiology_report" in left:
        left["report"] = _one_of(left, "report", "radiology_report")


def _told(left: Mapping[str, Any], task: Task) -> str:
    """History and examination as the context of a question in free words, or of a note; other choices go without."""
    if task.kind == "choice" and task.name != "note":
        return ""
    parts = ((name, as_text(left[name], f"its {name}").strip()) for name in ("history", "examination") if name in left)
    return "\n".join(f"{name.capitalize()}: {text}" for name, text in parts if text)


def keys_in(rows: Iterable[Row]) -> Keys:
    """How the rows of a file write their right answers down."""
    held = list(rows)
    return keys_of(_answers_in(held))._replace(index_from_one=_counts_from_one(held))


def _counts_from_one(rows: Iterable[Row]) -> bool:
    """Whether some `answer_index` equals the number of options, and none is 0."""
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
    """The letter of a row's right option, as far as it can be read although the row cannot be used; else ""."""
    with suppress(DataError):
        left = _given(fields)
        options = _options(left)
        if options:
            options = options.unmarked().options if keys.marked else options
            return LETTERS[_answer(left, options, keys) or 0]
    return ""


def _answers_in(rows: Iterable[Row]) -> Iterator[tuple[object, Parsed]]:
    """The right answer of each row that has one, with its options."""
    for row in rows:
        fields = row.fields
        options, answer = fields.get("options"), fields.get("answer")
        if type(options) is Parsed and type(answer) is str and "target" not in fields and answer[:1] != "[":
            yield answer, options
            continue
        try:
            fields = from_cells(fields) if row.in_table else fields
            answers = [value for name in ("answer", "target") if (value := fields.get(name)) is not None]
            if len(answers) == 1 and len(answers := _listed(answers[0])) == 1:
                options = fields.get("options")
                if not isinstance(options, Parsed):
                    options, _ = _options_in(fields)
                if options:
                    yield answers[0], options
        except DataError:  # the row is named when it is read
            continue


def _check_images_read(left: Mapping[str, Any], images: tuple[Image, ...]) -> None:
    """Raise where a column that nothing was read from holds an image, or says where one is."""
    called = _called_images(tuple(left))
    for name, value in left.items():
        plain = type(value) is str and len(value) < 60 and "." not in value[-8:] and "#" not in value
        if plain and name not in called:
            continue  # neither a file's name nor an image itself
        if holds_image(value) or (_is_another(name, value) if images else _is_the_image(name, value)):
            raise DataError(
                f"its column {name!r} looks like an image and is not read; images are read from 'image', 'images' and "
                "'image_1', 'image_2', …: rename the column, or drop it if it is none (--map images=COLUMN, or none)"
            )


def _is_the_image(name: str, value: object) -> bool:
    """Whether a column of a row without an image means one."""
    called = _CALLED_IMAGE.fullmatch(name) is not None and isinstance(value, str | list | Mapping)
    return names_image_file(value) or (called and bool(value))


def _is_another(name: str, value: object) -> bool:
    """Whether a column means one more image; one that only repeats the file's name does not."""
    return names_image_file(value) and COUNTED_IMAGE.fullmatch(name) is not None


def _substitutes(value: object, options: Parsed, gallery: Gallery) -> Iterator[Substitute]:
    """Images that show what other options say: objects with `image` (or `images`) and `shows`, an option's text."""
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
        found = tuple(image for reference in _images(left) for image in gallery.all(reference))
        if not found:
            raise DataError(f"its substitute that shows {shows!r} has no image")
        yield Substitute(found, shows)


def _check_apart(images: tuple[Image, ...], substitutes: tuple[Substitute, ...]) -> None:
    """Raise where an image stands in for itself, or is said to show two options, which would both be right."""
    shown = [(each.images, each.shows.strip().casefold()) for each in substitutes]
    if any(are_copies(others, images) for others, _ in shown):
        raise DataError("a substitute is its own image")
    if any(are_copies(a, b) for (a, shows), (b, other) in combinations(shown, 2) if shows != other):
        raise DataError("one of its substitutes is said to show two options; leave it out")


def from_cells(cells: Mapping[str, str]) -> dict[str, Any]:
    """The fields of a table's row: messages and lists of answers stand in its cells as JSON."""
    listed = [name for name in MAY_BE_LISTS if name in cells and str(cells[name]).startswith(("[{", '["', "['"))]
    return {**cells, **{name: from_json(cells[name], name) for name in listed}}


def id_of(fields: Mapping[str, Any], number: int) -> str:
    """The id a row gives itself, or one made from the line it stands on."""
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
    """Takes out the one of several names that is there; two at once could contradict each other."""
    if given := [name for name in names if name in left]:
        _check_one(given)
        return left.pop(given[0])
    other = ", ".join(map(repr, sorted(left))) or "nothing"
    missing = f"it has no {' or '.join(map(repr, names))}; what else it has: {other}"
    raise DataError(f"{missing}. Name its column: --map {names[0]}={_likely_column(left, names[0])}")


def _likely_column(left: Mapping[str, Any], field: str) -> str:
    """The one column under a name of its own that may hold a field; COLUMN if several may, or none."""
    strange = [name for name, value in left.items() if name not in FIELDS and isinstance(value, str)]
    asks = [name for name in strange if field == "question" and left[name].rstrip().endswith("?")]
    likely = asks or strange
    return likely[0] if len(likely) == 1 else "COLUMN"


def _check_one(given: Sequence[str]) -> None:
    if len(given) > 1:
        raise DataError(f"it has {' and '.join(map(repr, given))}, which mean the same; keep one")


def _asked(value: object) -> PromptParts:
    """A question from a text, or from the chat messages of an Inspect sample."""
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
    """The parts of a message: `text` with the text, `image` with what refers to it."""
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
"""Options that were read, by their columns and their texts: most benchmarks offer the same ones again and again."""


def read_options(rows: Iterable[dict[str, Any]]) -> None:
    """Read the options of a table's rows once, for the look at all answers and for their items.

    What cannot be read is told later. A row that lacks the first options of its table is given empty ones: it is a
    broken choice, no open question.
    """
    known: KnownOptions = {}
    has_letters, without_first = False, []
    for row in rows:
        columns = _option_columns(there(row))
        if columns.letters and not columns.letters >= _FIRST:
            without_first.append(row)
        else:
            has_letters |= bool(columns.letters)
            _keep_options(row, columns, known)
    for row in without_first:
        if has_letters:
            row.update(dict.fromkeys(_FIRST - _option_columns(there(row)).letters, ""))
        _keep_options(row, _option_columns(there(row)), known)


def _keep_options(row: dict[str, Any], columns: _OptionColumns, known: KnownOptions) -> None:
    """Put a row's options, if they can be read, in the place of what they were read from."""
    try:
        found, taken = _options_in(row, columns, known)
    except DataError:
        return
    if found:
        for name in taken:
            del row[name]
        row["options"] = found


def _options(left: dict[str, Any]) -> Parsed:
    """The options of a row, taken out of it."""
    if isinstance(left.get("options"), Parsed) and "choices" not in left:
        return cast("Parsed", left.pop("options"))
    found, columns = _options_in(left)
    for name in columns:
        del left[name]
    return found


def _options_in(
    fields: Mapping[str, Any], columns: _OptionColumns | None = None, known: KnownOptions | None = None
) -> tuple[Parsed, Iterable[str]]:
    """The options of a row, and the columns that they stand in; those that are known are not read again."""
    named, names, labels, letters = columns or _option_columns(there(fields))
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
    return _read_once(known, labels, texts, lambda: lettered(dict(zip(labels, texts, strict=True)))), names


def _read_once(
    known: KnownOptions | None, labels: tuple[str, ...], texts: Sequence[Any], read: Callable[[], Parsed]
) -> Parsed:
    """The options that are known by these labels and texts, or else as they are read; 1 and 1.0 are not the same."""
    if known is None or not texts or not _TEXT_ONLY.issuperset(map(type, texts)):
        return read()
    found = known.get(at := (labels, tuple(texts)))
    if found is None:
        found = known[at] = read()
    return found


def there(fields: Mapping[str, Any]) -> tuple[str, ...]:
    """The names of the fields that hold something."""
    if None not in fields.values():
        return tuple(fields)
    return tuple([name for name, value in fields.items() if value is not None])


class _OptionColumns(NamedTuple):
    """The columns that hold all options; those that hold one each, the letter of each, and all of these letters."""

    named: tuple[str, ...]
    names: tuple[str, ...]
    labels: tuple[str, ...]
    letters: frozenset[str]


@lru_cache(maxsize=1024)
def _option_columns(names: tuple[str, ...]) -> _OptionColumns:
    """Those of the columns that hold options."""
    named = tuple(name for name in ("options", "choices") if name in names)
    found = {name: match[1].upper() for name in names if (match := _OPTION_COLUMN.fullmatch(name))}
    return _OptionColumns(named, tuple(found), tuple(found.values()), frozenset(found.values()))


_FIRST = frozenset("AB")
_TEXT_ONLY = frozenset((str,))


@lru_cache(maxsize=1024)
def _called_images(names: tuple[str, ...]) -> frozenset[str]:
    """Those of the columns that are called as images are."""
    return frozenset(name for name in names if _CALLED_IMAGE.fullmatch(name))


@lru_cache(maxsize=1024)
def image_columns(names: tuple[str, ...]) -> Sequence[str]:
    """Those of the columns that hold an image under its number, in that order."""
    found = {name: int(match[1]) for name in names if (match := _IMAGE_COLUMN.fullmatch(name))}
    return sorted(found, key=lambda name: (found[name], name))


def _images(left: dict[str, Any]) -> list[object]:
    found = [left.pop(name) for name in image_columns(tuple(left))]
    value = _one_of(left, "images", "image") if "images" in left or "image" in left else []
    if isinstance(value, str) and value.lstrip().startswith("["):
        value = _listed_images(value)
    if value == "":
        value = []
    return [*(value if isinstance(value, list) else [value]), *found]


def _listed_images(text: str) -> object:
    """Images in one cell; a list of long ones is taken apart by its quotes, since base64 has none."""
    if len(text) > LONGEST_LITERAL and _QUOTED_LIST.fullmatch(text.strip()):
        return _QUOTED.findall(text)
    return from_json(text, "images")


def _answer(left: dict[str, Any], options: Parsed, keys: Keys) -> int | None:
    if "answer_index" in left and "answer" not in left and "target" not in left:
        return parse_index(left.pop("answer_index"), options, keys)
    answers = _listed(_one_of(left, "answer", "target"))
    if len(answers) != 1:
        raise DataError(f"it has {len(answers)} right answers ({answers}), expected one")
    return options.place(as_text(answers[0], "its answer"), keys) if options else None


def _reference(left: dict[str, Any], metadata: dict[str, Any], task: Task | None, *, needed: bool) -> str:
    """The reference text; where several are accepted the first, and all of them in the metadata.

    A chain of reasoning may be given as its `steps` alone: joined, they are the reference. It is empty if there is none
    and none is needed.
    """
    steps, accepted = (_texts(left, name, needed=task is not None) for name in ("steps", "answers"))
    if steps:
        left["steps"] = steps
    # A column `reference` beside an answer may be where the question was taken from.
    other = () if steps or accepted or {"answer", "target"} & left.keys() else ("references", "reference")
    columns = [name for name in ("answer", "target", *other) if name in left]
    needed = needed and not (steps or accepted)
    given = _listed(_one_of(left, *(columns or ("answer", "target")))) if columns or needed else []
    first = [as_text(answer, "its answer") for answer in given]
    answers = list(dict.fromkeys((*first, *accepted)))
    if len(answers) > 1:
        metadata["answers"] = answers
    return answers[0] if answers else " ".join(steps)


def _texts(left: dict[str, Any], name: str, *, needed: bool) -> list[str]:
    """A list of texts, taken out of the row; where it is none and need not be, it stays there."""
    listed = _listed(left.get(name, []))
    if not needed and not all(isinstance(each, str) for each in listed):
        return []
    left.pop(name, None)
    found = [as_text(each, f"one of its {name}").strip() for each in listed]
    return [each for each in found if each]


def _listed(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _with_roles(
    references: Sequence[object], opened: Sequence[tuple[Image, ...]], row: Mapping[str, Any]
) -> tuple[Image, ...]:
    """The images of all references, each with its role.

    A role is told by the image's record (`role`, `view`) or by a column with one for each reference. The frames or
    slices of a file have their own, which stays behind what the row tells.
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
    if isinstance(reference, str) or not isinstance(reference, Mapping):
        return ""
    return next((_role(reference[name]) for name in _ROLE_FIELDS if isinstance(reference.get(name), str)), "")


def _listed_roles(value: object, number: int) -> list[str]:
    """A text for each image; nothing where a column is something else, such as a number of views."""
    if isinstance(value, str) and value.lstrip().startswith("["):
        with suppress(DataError):
            value = from_json(value, "views")
    if not isinstance(value, list) or len(value) != number:
        return []
    return [_role(each) for each in value] if all(each is None or isinstance(each, str) for each in value) else []


def _role(told: object) -> str:
    """A role as it is told, on one line and not too long; a view position in words.

    >>> _role("PA"), _role(" prior  frontal ")
    ('frontal (PA)', 'prior frontal')
    """
    text = " ".join(str(told or "").split())[:80]
    return _POSITIONS.get(text.lower(), text)


def reference_of(findings: str, impression: str) -> str:
    """The reference of a report item; a section that there is not is left out with its heading.

    >>> reference_of("Clear lungs.", "")
    'FINDINGS: Clear lungs.'
    """
    parts = zip(SECTIONS, (findings, impression), strict=True)
    return "\n\n".join(f"{name.upper()}: {text.strip()}" for name, text in parts if text.strip())


def _is_report(left: Mapping[str, Any]) -> bool:
    """Whether a row asks for a report: it says so, or has sections of one and neither question nor answer."""
    if "kind" in left:
        return bool(left["kind"] == "report")
    return not left.keys().isdisjoint(SECTIONS) and left.keys().isdisjoint(_OF_QUESTIONS)


def _asked_for(left: Mapping[str, Any]) -> str:
    """What is asked for in a row that says no question of its own, by the modality that it names."""
    named = left.get("modality")
    return ASKED.format(image=named if isinstance(named, str) and named.strip() else "image")


def _take_sections(left: dict[str, Any]) -> str:
    """The reference in a row's `findings` and `impression`, taken out of it; "" where it has neither."""
    found = [as_text(left.pop(name), f"its {name}") if name in left else "" for name in SECTIONS]
    return reference_of(*found)
