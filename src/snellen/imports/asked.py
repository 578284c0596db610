"""Questions of imported responses, found in a benchmark or in the tool's own record.

If the prompt that was sent lists the options, their order is taken from it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from snellen.benchmarks.answers import NO_OPTIONS, ONE_BY_ONE, Parsed, as_text, from_json, parse_answer, parse_options
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.printed_options import LAYOUTS, find_printed, without_printed_options
from snellen.errors import DataError, ImageError
from snellen.images import Image
from snellen.imports.conditions import find_changes
from snellen.imports.fields import Fields, Given, in_order_of_letters
from snellen.items import LETTERS, Benchmark, Item, Option

FIELDS = ("question", "options", "context", "category", "language", "cluster", "image")
_TEXTS = ("context", "category", "language", "cluster")
_LETTERED = re.compile(r"[A-Z]\**[)\].:][)*\]]*(?=\s)")
"""Pattern of an option's letter and its punctuation, as in `A.`, `(A)`, `**A**:`. Characters before it are checked
later."""
_HEADS = tuple(tuple(f"{before}{letter}{behind}" for letter in LETTERS) for before, behind in LAYOUTS)
_TEXT = frozenset((str,))
_POLAR = (Option("Yes"), Option("No"))


class Record(NamedTuple):
    """A tool's record of a question.

    `fields` is the dataset's own record, if the log has it. `target` is the tool's correct answer: a letter, a text, or
    a number (index of the option shown). `options` are the texts between which the tool let the model choose. `place`
    is the index of the question in the dataset; `ids` are possible ids in a benchmark.
    """

    id: str
    fields: Mapping[str, Any] = MappingProxyType({})
    prompt: str = ""
    target: object = None
    options: tuple[str, ...] = ()
    place: int | None = None
    ids: tuple[str, ...] = ()


class FoundItem(NamedTuple):
    """An item as sent; `has_image` is also True for an image that was not sent."""

    item: Item
    has_image: bool


def with_images(item: Item, images: tuple[Image, ...], missing: list[str]) -> Item:
    """Return the item as sent: with these images, and reasons for missing ones in its metadata."""
    metadata = {**item.metadata, "images_missing": missing} if missing else item.metadata
    return replace(item, images=images, metadata=metadata)


class FileQuestions:
    """Finder of a file's questions; equal records give the same item."""

    def __init__(self, folder: Path, given: Given) -> None:
        self._given = given
        self._fields = Fields(given.fields, given.note)
        self._gallery = Gallery(folder)
        self._made: dict[Any, FoundItem] = {}
        self._names: dict[str, Mapping[str, Item]] = {}
        self._changed: dict[str, frozenset[str]] = {}
        """Parts of an item that each arm changes, such as "image"."""
        self._usable: dict[int, tuple[Option, ...]] = {}
        """Options already found usable, by their memory address, so that they are checked only once."""

    def find(self, record: Record, *, benchmark: str, arm: str) -> FoundItem:
        """Return the item for a record; DataError explains why there is none."""
        key = (record.id, arm, record.prompt, record.options, str(record.target))
        found = self._made.get(key)
        if found is None:
            home = self._given.find_benchmark(benchmark)
            if (changed := self._changed.get(arm)) is None:
                changed = self._changed[arm] = find_changes(arm)
            found = (
                self._read_item(record, changed) if home is None else self._match_benchmark_item(record, home, changed)
            )
            item = found.item
            usable = self._usable.get(id(item.options)) is item.options
            if (problem := item.problem(alike=True, options_usable=usable)) is not None:
                raise DataError(problem)
            if item.kind == "choice":
                self._usable[id(item.options)] = item.options
            self._made[key] = found
        return found

    def arm_in(self, fields: Mapping[str, Any]) -> object:
        """Return the condition that the dataset's own record names, or None."""
        return self._fields.read(fields, "arm").get("arm") if fields else None

    def ids_in(self, fields: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the ids in the dataset's own record, the user's id field first."""
        return tuple(str(value) for value in self._fields.read(fields, "id").values())

    @property
    def id_is_said(self) -> bool:
        """True if the user named the field of the id."""
        return "id" in self._given.fields

    # --- From a benchmark

    def _match_benchmark_item(self, record: Record, home: Benchmark, changed: frozenset[str]) -> FoundItem:
        known = self._find_named(record, home)
        asked = record.prompt or str(self._fields.read(record.fields, "question").get("question", ""))
        if asked and "text" not in changed and _plain(known.question) not in _plain(asked):
            raise DataError(
                f"the item {known.id!r} of the benchmark {home.name!r} asks {_short(known.question)}, but the "
                f"prompt asks {_short(asked)}. Name the field that holds the benchmark's ids (--map id=FIELD), or "
                "import the file without --benchmark"
            )
        item = known if known.kind != "choice" else self._in_order(known, record, changed)
        images = () if "image" in changed else known.images
        return FoundItem(replace(item, images=images), bool(known.images))

    def _find_named(self, record: Record, home: Benchmark) -> Item:
        for name in (*record.ids, record.id):
            if (found := self._by_name(home).get(name)) is not None:
                return found
        if record.place is not None and not self.id_is_said and record.place < len(home):
            return home.items[record.place]
        raise DataError(
            f"the benchmark {home.name!r} has no item {', '.join(map(repr, (*record.ids, record.id)))}; name the field "
            "that holds its ids (--map id=FIELD)"
        )

    def _by_name(self, home: Benchmark) -> Mapping[str, Item]:
        """Index the benchmark's items by id, and by its last part if unique."""
        if home.name not in self._names:
            last: dict[str, list[Item]] = {}
            for item in home:
                last.setdefault(item.id.rpartition("/")[2], []).append(item)
            single = {name: items[0] for name, items in last.items() if len(items) == 1}
            self._names[home.name] = {**single, **home.by_id}
        return self._names[home.name]

    def _in_order(self, known: Item, record: Record, changed: frozenset[str]) -> Item:
        """Return the benchmark's item with its options in the order in which they were shown."""
        texts = [option.text for option in known.options]
        order = _order(record, texts)
        if order is None and ("options" in changed or _prints_others(record, texts)):
            raise DataError(
                "the order of its options cannot be read: the prompt does not list the benchmark's options "
                f"({', '.join(map(repr, texts))})"
            )
        if order is None:
            self._given.note("{count} prompts list no options that can be read: the benchmark's order was used.")
        order = order or tuple(range(len(texts)))
        assert isinstance(known.answer, int)
        item = replace(known, options=tuple(known.options[at] for at in order), answer=order.index(known.answer))
        told = _right(record, item.options)
        if told is not None and told != item.answer:
            raise DataError(
                f"its answer is {LETTERS[told]} in this file but {item.letter} in the benchmark (letters as shown); "
                "correct one of them"
            )
        return item

    # --- From the record itself

    def _read_item(self, record: Record, changed: frozenset[str]) -> FoundItem:
        told = self._fields.read(record.fields, *FIELDS) if record.fields else {}
        answer = record.target
        if answer is None or "answer" in self._given.fields:
            answer = self._fields.read(record.fields, "answer").get("answer")
        answer = _alternatives(answer)
        common, has_image = self._read_common(told, changed)
        common["id"] = record.id
        question = as_text(told.get("question", record.prompt), "its question")
        if options := self._options(told, record):
            if type(answer) is int and answer is not record.target:
                answer = str(answer)  # a field's number may count from 0 or from 1
            right = _place(answer, options)
            shown = options.offered
            common.update(question=without_printed_options(question, shown), options=shown, answer=right)
            return FoundItem(_as_shown(Item.of_fields(**common), record), has_image)
        listed = printed_in(record.prompt)
        if (right_letter := _letter(answer, listed)) is not None:
            self._given.note("{count} questions have no options in the file: the options were read from the prompt.")
            shown = _make_options(listed)
            common.update(question=without_printed_options(question, shown), options=shown, answer=right_letter)
            return FoundItem(Item.of_fields(**common), has_image)
        if isinstance(answer, str) and answer.strip().rstrip(".").casefold() in ("yes", "no"):
            self._given.note(
                "{count} questions without options have the answer yes or no: they were read as yes/no questions."
            )
            right = int(answer.strip().casefold().startswith("n"))
            return FoundItem(Item.of_fields(question=question, options=_POLAR, answer=right, **common), has_image)
        if listed:
            if type(answer) is int:
                raise DataError(
                    f"its answer is the number {answer}, which does not identify one of the {len(listed)} options in "
                    "the prompt. Name the field with its letter or text (--map answer=FIELD), or the benchmark that "
                    "holds the question (--benchmark)"
                )
            self._given.note(
                "{count} prompts print a lettered list that does not contain the answer: they were read as open "
                "questions."
            )
        reference, accepted = _references(answer, record)
        if len(accepted) > 1:
            common["metadata"] = {**common.get("metadata", {}), "answers": accepted}
        return FoundItem(Item.of_fields(question=question, answer=reference, kind="open", **common), has_image)

    def _read_common(self, told: Mapping[str, Any], changed: frozenset[str]) -> tuple[dict[str, Any], bool]:
        """Read what all kinds of question may have; return also whether there is an image."""
        common: dict[str, Any] = {name: as_text(told[name], f"its {name}") for name in _TEXTS if name in told}
        if "image" not in told:
            return common, False
        images, missing = self.images(told["image"])
        common["images"] = () if "image" in changed else images
        if missing:
            common["metadata"] = {"images_missing": missing}
        return common, bool(images or missing)

    def _options(self, told: Mapping[str, Any], record: Record) -> Parsed:
        own = tuple(map(str.strip, record.options)) if record.options else ()
        if own and own != tuple(LETTERS[: len(own)]):
            return _parse_texts(own)
        if (value := told.get("options")) is not None:
            options = _options_in(value)
            if not own or len(own) == len(options):
                return options
        listed = printed_in(record.prompt) if own else ()
        return _parse_texts(listed if len(listed) == len(own) else own) if own else NO_OPTIONS

    def images(self, value: object) -> tuple[tuple[Image, ...], list[str]]:
        """Load the record's images; return also the reasons for missing ones. Nothing is downloaded."""
        images: list[Image] = []
        missing: list[str] = []
        for reference in value if isinstance(value, list) else [] if value is None else [value]:
            plain = reference.removeprefix("file://") if isinstance(reference, str) else reference
            try:
                images += self._gallery.find_all(plain)
            except ImageError as error:
                missing.append(str(error)[:300])
        return tuple(images), missing


def printed_in(prompt: str) -> tuple[str, ...]:
    r"""Extract the last lettered list of a prompt; empty if there is no list.

    >>> printed_in("Which side?\nA. left\nB. right\nAnswer with a letter.")
    ('left', 'right')
    """
    if plainly := _line_by_line(prompt):
        return plainly
    marks = marks_in(prompt)
    letters = "".join([letter for letter, _, _ in marks])
    for first in reversed([at for at, letter in enumerate(letters) if letter == "A"]):
        run = first
        while run + 1 < len(marks) and letters[run + 1] == LETTERS[run + 1 - first : run + 2 - first]:
            run += 1
        if run > first:
            texts = [prompt[marks[at][2] : marks[at + 1][1]].strip() for at in range(first, run)]
            texts.append(prompt[marks[run][2] :].lstrip().partition("\n")[0].strip())
            if all(texts) and len({text.casefold() for text in texts}) == len(texts):
                return tuple(texts)
    return ()


def _line_by_line(prompt: str) -> tuple[str, ...]:
    r"""Return the options of a clear list with lines such as `A. left`.

    Empty for any other prompt; `printed_in` then examines each letter.
    """
    for heads in _HEADS:
        start = prompt.rfind("\n" + heads[0])
        if start >= 0:
            break
    else:
        return ()
    texts: list[str] = []
    for head, line in zip(heads, prompt[start + 1 :].split("\n"), strict=False):
        if not line.startswith(head):
            break
        texts.append(line[len(head) :].strip())
    whole = len(texts) > 1 and "" not in texts and len(_LETTERED.findall(prompt, start)) == len(texts)
    return tuple(texts) if whole and len(set(map(str.casefold, texts))) == len(texts) else ()


@lru_cache(maxsize=4096)
def _make_options(texts: tuple[str, ...]) -> tuple[Option, ...]:
    return tuple(map(Option, texts))


def marks_in(prompt: str) -> list[tuple[str, int, int]]:
    """Find the letters that mark options in a prompt, with their start and end."""
    found: list[tuple[str, int, int]] = []
    for mark in _LETTERED.finditer(prompt):
        letter, end = mark.span()
        start = letter
        while start and prompt[start - 1] == "*":
            start -= 1
        if start and prompt[start - 1] in "([":
            start -= 1
        if not start or prompt[start - 1].isspace():
            found.append((prompt[letter], start, end))
    return found


def _options_in(value: object) -> Parsed:
    """Parse a record's options, also from lists of labels and texts. Equal lists of texts are parsed only once."""
    if isinstance(value, list) and _TEXT.issuperset(map(type, value)):
        return _parse_texts(tuple(value))
    if isinstance(value, Mapping) and isinstance(value.get("text"), list) and isinstance(value.get("label"), list):
        value = dict(zip(map(str, value["label"]), value["text"], strict=False))
    options = parse_options(value)
    in_order_of_letters(options)
    return options


@lru_cache(maxsize=4096)
def _parse_texts(texts: tuple[str, ...]) -> Parsed:
    return parse_options(list(texts))


def _order(record: Record, texts: Sequence[str]) -> tuple[int, ...] | None:
    plain = [_plain(text) for text in texts]
    own = [_plain(text) for text in record.options]
    if own and sorted(own) == sorted(plain) and len(set(plain)) == len(plain):
        return tuple(plain.index(text) for text in own)
    found = find_printed(record.prompt, texts)
    return None if found is None or found.goes_on else found.order


def _prints_others(record: Record, texts: Sequence[str]) -> bool:
    """Return True if the prompt or the tool lists options other than these."""
    own = tuple(text.strip() for text in record.options)
    lettered = own == tuple(LETTERS[: len(own)]) and len(own) == len(texts)
    return bool(printed_in(record.prompt)) or (bool(own) and not lettered)


def _as_shown(item: Item, record: Record) -> Item:
    """Put an item's options into the order in which the prompt lists them."""
    if record.options and tuple(option.text for option in item.options) == tuple(map(str.strip, record.options)):
        return item
    found = find_printed(record.prompt, [option.text for option in item.options])
    if found is None or found.goes_on or found.order == tuple(range(len(item.options))):
        return item
    assert isinstance(item.answer, int)
    if isinstance(record.target, str) and _letter_place(record.target, len(item.options)) is not None:
        raise DataError(
            "its prompt prints the options in another order than the file, so the letter of its answer is ambiguous. "
            "Name the benchmark that holds the question (--benchmark)"
        )
    order = found.order
    return replace(item, options=tuple(item.options[at] for at in order), answer=order.index(item.answer))


def _letter_place(text: str, count: int) -> int | None:
    """Return the index of the option that a letter such as `(B)` names."""
    letter = text.strip().strip("().:").upper()
    return LETTERS.index(letter) if len(letter) == 1 and letter in LETTERS[:count] else None


def _place(answer: object, options: Parsed) -> int:
    if type(answer) is int and 0 <= answer < len(options):
        return answer
    if answer is None:
        raise DataError("it has no answer; name the field that holds it (--map answer=FIELD)")
    if isinstance(answer, list):
        if len(answer) != 1:
            raise DataError(f"it has {len(answer)} right answers ({answer}), expected one")
        answer = answer[0]
    return options.place(answer, ONE_BY_ONE) if isinstance(answer, str) else parse_answer(answer, options)


def _alternatives(answer: object) -> object:
    """Return several correct answers as a list, even if they are written as one text.

    >>> _alternatives("['liver', 'the liver']"), _alternatives(["yes", "yes"]), _alternatives("[1, 2]")
    (['liver', 'the liver'], 'yes', '[1, 2]')
    """
    found = answer
    if isinstance(answer, str) and "[" not in answer:
        return answer
    if isinstance(answer, str) and answer.strip().startswith("[") and answer.strip().endswith("]"):
        with suppress(DataError):
            found = from_json(answer, "answers")
    if not isinstance(found, list) or not found or not all(isinstance(each, str) for each in found):
        return answer
    once = list(dict.fromkeys(found))
    return once if len(once) > 1 else once[0]


def _letter(answer: object, texts: Sequence[str]) -> int | None:
    """Find an option by letter or text; None if none matches."""
    if not texts or not isinstance(answer, str):
        return None
    if (place := _letter_place(answer, len(texts))) is not None:
        return place
    alike = [at for at, text in enumerate(texts) if text.casefold() == answer.strip().casefold()]
    if alike:
        return alike[0]
    with suppress(DataError):  # letter and text together: `B. right`
        return parse_answer(answer, _parse_texts(tuple(texts)))
    return None


def _right(record: Record, shown: Sequence[Option]) -> int | None:
    if record.target is None:
        return None
    with suppress(DataError):
        return _place(record.target, _parse_texts(tuple([option.text for option in shown])))
    return None


def _references(answer: object, record: Record) -> tuple[str, list[str]]:
    accepted = [
        as_text(each, "its answer") for each in (answer if isinstance(answer, list) else [answer]) if each is not None
    ]
    if not accepted:
        raise DataError(
            f"it has no answer; its fields are {sorted(record.fields)}. Name the field (--map answer=FIELD), or the "
            "benchmark that holds the question (--benchmark)"
        )
    return accepted[0], accepted


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _short(text: str) -> str:
    plain = " ".join(text.split())
    return repr(plain if len(plain) <= 80 else f"{plain[:79]}…")
