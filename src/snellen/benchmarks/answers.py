"""Parsing of options and answer keys, which files write in many forms."""

from __future__ import annotations

import ast
import re
import tokenize
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO
from itertools import pairwise
from typing import NamedTuple

import orjson

from snellen.benchmarks.rows import TOO_DEEP, is_too_deep
from snellen.errors import DataError
from snellen.items import LETTERS, Option

_LETTER = re.compile(r"\(?([A-Za-z])[).:]?")
_LABEL_KEYS = ("letter", "label", "key")
_TEXT_KEYS = ("text", "content", "value")
_NUMBER = re.compile(r"(\d{1,4})(?:\.0*)?", re.ASCII)
_MARKED = re.compile(r"\s*[(\[（]?([A-Za-z])(?:[)\].:：、．）][)\]]?|\s+[-–](?=\s))\s*(?=\S)(?s:(.+))")
"""Pattern of a text after its letter, as in `A) left`, `(A) left`, `A. left`, `A: left`, `A、left`, `A - left`."""
_DATE = re.compile(r"\d{4}-\d\d-\d\dT00:00:00")
_NOWHERE: frozenset[int] = frozenset()
_NEVER = (None, 0)
LONGEST_LITERAL = 100_000
"""Most characters of a list in Python syntax."""
_POSITIVE = frozenset(("yes", "true", "present", "positive", "abnormal"))
_NEGATIVE = frozenset(("no", "false", "absent", "negative", "normal"))
_WRITE = "Write the option's letter, or name the column answer_index (counted from 0)"


class LabelledOption(NamedTuple):
    """Option with its label in the file."""

    label: str
    option: Option


class AnswerMeaning(NamedTuple):
    """Possible meanings of an answer: a number, or options by label or text."""

    number: int | None
    lettered: frozenset[int]
    worded: frozenset[int]


class Parsed(tuple[LabelledOption, ...]):
    """Parsed options, with a cache of the meanings of answers."""

    def __init__(self, _: Iterable[LabelledOption] = ()) -> None:
        self._readings: dict[str, AnswerMeaning] = {}
        self._keys: Keys | None = None
        self._places: dict[str, int] = {}
        self._bare: Parsed | None = None
        self._has_letters: bool | None = None
        self.offered = tuple([option for _, option in self])
        """Options without labels; all items with these options share the tuple."""

    def reading(self, text: str) -> AnswerMeaning:
        """Return the meaning of an answer, parsed only once."""
        found = self._readings.get(text)
        if found is None:
            number = _parse_whole(text)
            found = self._readings[text] = AnswerMeaning(number, _by_letter(text, self), _by_text(text, number, self))
        return found

    def place(self, text: str, keys: Keys) -> int:
        """Return the index of the correct option, as `parse_answer` finds it; cached."""
        if keys is not self._keys:
            self._keys, self._places = keys, {}
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = parse_answer(text, self, keys)
        return found

    def strip_letters(self) -> Unmarked:
        """Return the options without letters before their texts, computed only once."""
        if self._has_letters is None:
            bare, self._has_letters = strip_letters(self)
            self._bare = bare if self._has_letters else None  # not itself, which would keep it in memory
        return Unmarked(self if self._bare is None else self._bare, self._has_letters)


NO_OPTIONS = Parsed()


def parse_options(value: object) -> Parsed:
    """Parse options from a list, a mapping of letters, or a string with `|`.

    A list in a string is written in JSON or Python syntax.

    >>> [option.text for _, option in parse_options("Left | Right")]
    ['Left', 'Right']
    """
    if isinstance(value, Parsed):
        return value
    if isinstance(value, str):
        in_json = value.lstrip().startswith(("[", "{"))
        value = from_json(value, "options") if in_json else [part.strip() for part in value.split("|")]
    if isinstance(value, Mapping):
        return parse_lettered({str(label): text for label, text in _by_label(value).items() if text is not None})
    if not isinstance(value, list | tuple):
        raise DataError(f"its options are {value!r}, expected a list")
    if len(value) > len(LETTERS):
        raise DataError(f"it has {len(value)} options, expected 2 to {len(LETTERS)}")
    return Parsed([_parse_option(entry, letter) for entry, letter in zip(value, LETTERS, strict=False)])


def _by_label(value: Mapping[str, object]) -> Mapping[str, object]:
    """Return texts by label, also from two lists: `{"label": ["A"], "text": ["left"]}`."""
    labels, texts = (next((value[key] for key in keys if key in value), None) for keys in (_LABEL_KEYS, _TEXT_KEYS))
    if len(value) != 2 or not isinstance(labels, list) or not isinstance(texts, list):
        return value
    if len(labels) != len(texts) or len({*map(str, labels)}) < len(labels):
        raise DataError(f"its {len(texts)} options need as many different labels, got {labels}")
    return {str(label): text for label, text in zip(labels, texts, strict=True)}


def parse_lettered(texts: Mapping[str, object]) -> Parsed:
    """Return options by letter, in the order of the letters, so that A stays A."""
    single = {1}.issuperset(map(len, texts))
    labels = sorted(texts) if single else list(texts)
    return Parsed([LabelledOption(label, Option(_option_text(texts[label]))) for label in labels])


class Unmarked(NamedTuple):
    """Options, and True if letters before their texts were removed."""

    options: Parsed
    taken_off: bool = False


def strip_letters(options: Parsed) -> Unmarked:
    """Return the options without letters before their texts, if each has its own letter.

    The prompt prints letters anyway. DataError if the letters have another order, since an answer's letter is then
    ambiguous.

    >>> [option.text for _, option in strip_letters(parse_options(["A) left", "B) right"])).options]
    ['left', 'right']
    """
    if len(options) < 2 or not _MARKED.match(options[0].option.text):
        return Unmarked(options)
    found = [mark for _, option in options if (mark := _MARKED.fullmatch(option.text))]
    if len(found) < len(options):
        return Unmarked(options)
    letters = [mark[1].upper() for mark in found]
    if letters != [LETTERS[at] if len(each.label) > 1 else each.label.upper() for at, each in enumerate(options)]:
        if sorted(letters) != sorted(LETTERS[: len(letters)]):
            return Unmarked(options)
        raise DataError(
            f"the letters in its option texts are out of order ({', '.join(letters)}); remove the letters, or sort the "
            "options by letter"
        )
    bare = (
        LabelledOption(label, Option(mark[2].strip(), option.abstains))
        for (label, option), mark in zip(options, found, strict=True)
    )
    return Unmarked(Parsed(bare), taken_off=True)


class Keys(NamedTuple):
    """Form of a file's answer keys, found from all rows.

    `texts`: keys are options' texts, never letters. `places`: some numeric keys can only be positions of options.
    `first`: the number of the first position, as far as the rows show it: 0, 1, both or neither. `marked`: letters
    before option texts do not belong to them, since most rows have them or no other row is known. `labels`: the only
    numbers are 0 and 1, for yes and no, and 1 may mean yes. `index_from_one`: `answer_index` seems to count from 1
    instead of 0.
    """

    texts: bool = False
    places: bool = False
    first: frozenset[int] = frozenset()
    marked: bool = True
    labels: bool = False
    index_from_one: bool = False

    @property
    def sentence(self) -> str:
        """Sentence on how numeric answers are read; "" without numbers or a rule."""
        if not self.places or len(self.first) != 1:
            return ""
        if 0 in self.first:
            return "read numeric answers as positions counted from 0, because at least one answer is 0"
        return (
            "read numeric answers as positions counted from 1, because an answer equals the number of options and none "
            "is 0"
        )


ONE_BY_ONE = Keys()
"""Form of an answer key that is read alone, without other rows to compare."""


def keys_of(answers: Iterable[tuple[object, Parsed]]) -> Keys:
    """Find the form of a file's answer keys from all answers and options.

    >>> keys_of([(1, parse_options("a | b")), (0, parse_options("a | b"))]).first
    frozenset({0})
    """
    by_text = by_letter = places = False
    first: set[int] = set()
    numbers: set[tuple[int, bool]] = set()
    rows = marked = 0
    seen: dict[tuple[str, int], tuple[Parsed, int]] = {}  # the options are kept, so that no others get their id
    for value, given in answers:
        at = (str(value), id(given))
        seen[at] = (given, seen.get(at, _NEVER)[1] + 1)
    for (text, _), (given, count) in seen.items():
        rows += count
        try:
            options, taken_off = given.strip_letters()
        except DataError:  # the row is named when it is read
            options, taken_off = given, True
        marked += count * taken_off
        number, lettered, worded = options.reading(text.strip())
        by_text |= number is None and bool(worded and not lettered)
        by_letter |= bool(lettered and not worded)
        if number is not None and not worded and not lettered and number <= len(options):
            places = True
            numbers.add((number, _asks_whether(options)))
            first |= {0} if number == 0 else {1} if number == len(options) else set()
    labels = numbers == {(0, True), (1, True)}
    return Keys(by_text and not by_letter, places, frozenset(first), marked=2 * marked >= rows, labels=labels)


def parse_answer(value: object, given: tuple[LabelledOption, ...], keys: Keys = ONE_BY_ONE) -> int:
    """Return the index of the correct option, found by letter, text or number.

    A letter is understood as a letter, even if an option has the same text, unless all answers of the file are texts.

    >>> parse_answer("b", parse_options(["Left", "Right"])), parse_answer("A", parse_options(["B", "A"]))
    (1, 0)
    """
    options = given if isinstance(given, Parsed) else Parsed(given)
    text = as_text(value, "its answer").strip()
    number, lettered, worded = options.reading(text)
    if number is not None and not lettered:
        return _by_number(number, worded, options, keys)
    exact = {at for at in worded if options[at].option.text.strip() == text}
    as_labelled = {at for at in lettered if options[at].label == _bare(text)}
    readings = (exact, worded, lettered) if keys.texts else (as_labelled, lettered | exact, worded)
    found = next(filter(None, readings), None) or _by_both(text, options)
    if len(found) > 1:
        raise DataError(f"its answer {text!r} fits more than one option ({_format_options(options)})")
    if not found:
        expected = f"expected a letter or a text of {_format_options(options)}"
        raise DataError(f"its answer {text!r} is none of its options; {expected}")
    return next(iter(found))


def _by_number(number: int, worded: frozenset[int], options: Parsed, keys: Keys) -> int:
    """Return the index of the option with this number as text or position."""
    if not keys.places and len(worded) == 1:
        return next(iter(worded))
    counted = {number - first for first in keys.first} & set(range(len(options)))
    if len(keys.first) == 1 and counted and worded <= counted:
        _check_no_gap(number, options)
        if keys.labels:
            raise DataError(
                f"its answer is the number {number}: as a position from 0 it means "
                f"{options[number].option.text!r}, as a label of 0 or 1 it means {options[0].option.text!r}. {_WRITE}"
            )
        return counted.pop()
    raise DataError(_no_number(number, bool(worded), options, keys))


def _asks_whether(options: Parsed) -> bool:
    """Return True if the options are yes and no, in that order."""
    texts = [option.text.strip().rstrip(".").casefold() for _, option in options]
    return len(texts) == 2 and texts[0] in _POSITIVE and texts[1] in _NEGATIVE


def parse_index(value: object, options: tuple[LabelledOption, ...], keys: Keys = ONE_BY_ONE) -> int:
    """Return the index of the correct option from a number counted from 0."""
    text = as_text(value, "its answer_index").strip()
    number = _parse_whole(text)
    if number is None or number >= len(options):
        raise DataError(f"its answer_index is {text!r}, expected 0 to {len(options) - 1}")
    if keys.index_from_one:
        raise DataError(
            f"its answer_index is {text!r}, but the file seems to count from 1: an answer_index equals the number of "
            "options and none is 0. If it counts from 1, use --map answer=answer_index"
        )
    _check_no_gap(number, options)
    return number


def _check_no_gap(number: int, options: tuple[LabelledOption, ...]) -> None:
    """Raise DataError if an option letter is missing: numbers may or may not count it."""
    labels = [label for label, _ in options]
    if (
        all(label in LETTERS for label in labels)
        and sorted(labels) == labels
        and labels[-1:] > [LETTERS[len(labels) - 1]]
    ):
        raise DataError(
            f"its answer is the number {number}, but its options skip a letter ({', '.join(labels)}), so the number is "
            "ambiguous. Write the option's letter"
        )


def as_text(value: object, what: str) -> str:
    """Return text, or a number as text; DataError for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"{what} is {value!r}, expected text")


def parse_list(value: object, what: str) -> list[str]:
    """Parse a list of texts, also from JSON or Python syntax; empty without a value.

    >>> parse_list("['Left', 'Right']", "options"), parse_list(None, "options")
    (['Left', 'Right'], [])
    """
    if isinstance(value, str):
        value = from_json(value, what) if value.strip() else None
    if value is None:
        return []
    if not isinstance(value, list | tuple):
        raise DataError(f"its {what} are {value!r}, expected a list")
    return [as_text(each, f"one of its {what}") for each in value]


def from_json(text: str, what: str) -> object:
    """Parse a table cell with JSON, or with Python lists and dictionaries.

    >>> from_json("['a cyst', 'a heart']", "options")
    ['a cyst', 'a heart']
    """
    try:
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if (found := _literal(text, what)) is not None:
            return found
        raise DataError(f"its {what} look like JSON but cannot be read: {error}") from error
    if is_too_deep(text.encode(), found):
        raise DataError(f"its {what} cannot be read: {TOO_DEEP}")
    return found


def _literal(text: str, what: str) -> object | None:
    """Parse a Python list or dictionary; None if it is neither."""
    if len(text) > LONGEST_LITERAL:
        return None
    try:
        found = ast.literal_eval(text.strip())
        tokens = [token.type for token in tokenize.generate_tokens(StringIO(f"({text.strip()})").readline)]
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError, tokenize.TokenError):
        return None
    words = [kind for kind in tokens if kind != tokenize.NL]
    if any(first == second == tokenize.STRING for first, second in pairwise(words)):
        raise DataError(f"its {what} are {text[:60]!r}, a list without commas; write it as JSON")
    return found if isinstance(found, list | tuple | dict) else None


def _parse_option(entry: object, letter: str) -> LabelledOption:
    if isinstance(entry, str) or not isinstance(entry, Mapping):
        return LabelledOption(letter, Option(_option_text(entry)))
    text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    label = next((entry[key] for key in _LABEL_KEYS if key in entry), letter)
    return LabelledOption(str(label), Option(_option_text(text), abstains=entry.get("abstains") is True))


def _option_text(value: object) -> str:
    """Return an option's text; DataError for marks of missing values and Excel's dates."""
    text = value if isinstance(value, str) else as_text(value, "an option")
    if text == "nan":
        raise DataError("an option reads 'nan', as pandas writes a value that is missing; leave its cell empty")
    if text[4:5] == "-" and _DATE.fullmatch(text):
        raise DataError(f"an option is {text!r}: Excel made a date of it; format the cell as text and type it again")
    return text


def _by_letter(text: str, options: Parsed) -> frozenset[int]:
    return _places(_bare(text).casefold(), [label.casefold() for label, _ in options])


def _by_both(text: str, options: Parsed) -> frozenset[int]:
    """Return the option that an answer names by letter and text together: `A) left`."""
    mark = _MARKED.fullmatch(text)
    if mark is None:
        return _NOWHERE
    worded = mark[2].strip()
    return _by_letter(mark[1], options) & _by_text(worded, _parse_whole(worded), options)


def _bare(text: str) -> str:
    """Remove the brackets around a letter."""
    letter = _LETTER.fullmatch(text)
    return letter.group(1) if letter else text


def _places(wanted: str, among: Sequence[str]) -> frozenset[int]:
    return frozenset([at for at, each in enumerate(among) if each == wanted]) if wanted in among else _NOWHERE


def _by_text(text: str, number: int | None, options: Parsed) -> frozenset[int]:
    """Return the options with an answer's text, or with the same whole number."""
    found = _places(text.casefold(), [option.text.strip().casefold() for _, option in options])
    if number is not None:
        found |= {at for at, (_, option) in enumerate(options) if _parse_whole(option.text) == number}
    return found


def _parse_whole(text: str) -> int | None:
    match = _NUMBER.fullmatch(text.strip())
    return int(match.group(1)) if match else None


def _no_number(number: int, worded: bool, options: Parsed, keys: Keys) -> str:
    """Explain why a number names no option, and what to write instead."""
    if number > len(options) and not worded:
        why = f"it has {len(options)} options"
    elif worded:
        why = "it is the text of an option, but other numbers in the file are positions of options"
    elif keys.first == {0, 1}:
        why = "in this file some numbers seem to count from 0 and others from 1"
    elif keys.first:
        why = f"positions in this file count from {min(keys.first)}, and it has {len(options)} options"
    else:
        why = "it may be counted from 0 or from 1, and no answer of the file shows which"
    return f"its answer is the number {number}: {why}. {_WRITE} ({_format_options(options)})"


def _format_options(options: Parsed) -> str:
    return ", ".join(f"{label}: {option.text!r}" for label, option in options)
