"""Options, and the right one among them, in the many ways in which files write them down."""

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
"""A text behind its letter: `A) left`, `(A) left`, `A. left`, `A: left`, `A、left`, `A - left`."""
_DATE = re.compile(r"\d{4}-\d\d-\d\dT00:00:00")
_NOWHERE: frozenset[int] = frozenset()
_NEVER = (None, 0)
LONGEST_LITERAL = 100_000
"""Characters of a list that is written as Python writes it."""
_POSITIVE = frozenset(("yes", "true", "present", "positive", "abnormal"))
_NEGATIVE = frozenset(("no", "false", "absent", "negative", "normal"))
_WRITE = "Write the option's letter, or name the column answer_index (counted from 0)"


class LabelledOption(NamedTuple):
    """An option and the label under which the file knows it."""

    label: str
    option: Option


class Reading(NamedTuple):
    """What an answer may mean: a whole number, the options whose label it is, and those whose text it is."""

    number: int | None
    lettered: frozenset[int]
    worded: frozenset[int]


class Parsed(tuple[LabelledOption, ...]):
    """Options that were read already, and what each answer means that was held against them."""

    def __init__(self, _: Iterable[LabelledOption] = ()) -> None:
        self._readings: dict[str, Reading] = {}
        self._keys: Keys | None = None
        self._places: dict[str, int] = {}
        self._bare: Parsed | None = None
        self._has_letters: bool | None = None
        self.offered = tuple([option for _, option in self])
        """The options alone: one tuple for all items that offer them."""

    def reading(self, text: str) -> Reading:
        """What an answer may mean; found out once, for the look at all answers and for the item."""
        found = self._readings.get(text)
        if found is None:
            number = _whole(text)
            found = self._readings[text] = Reading(number, _by_letter(text, self), _by_text(text, number, self))
        return found

    def place(self, text: str, keys: Keys) -> int:
        """The place of the right option, as `parse_answer` finds it; found out once."""
        if keys is not self._keys:
            self._keys, self._places = keys, {}
        found = self._places.get(text)
        if found is None:
            found = self._places[text] = parse_answer(text, self, keys)
        return found

    def unmarked(self) -> Unmarked:
        """The options without the letters before their texts, as `unmarked` takes them off; found out once."""
        if self._has_letters is None:
            bare, self._has_letters = unmarked(self)
            self._bare = bare if self._has_letters else None  # not itself, which would keep it in memory
        return Unmarked(self if self._bare is None else self._bare, self._has_letters)


NO_OPTIONS = Parsed()
"""Those of a question that offers none."""


def parse_options(value: object) -> Parsed:
    """Options as a list of texts or records, as letter → text, or as one string: a list or parts between `|`.

    A list in a string is written as JSON or as Python writes it.

    >>> [option.text for _, option in parse_options("Left | Right")]
    ['Left', 'Right']
    """
    if isinstance(value, Parsed):
        return value
    if isinstance(value, str):
        value = from_json(value, "options") if value.lstrip().startswith(("[", "{")) else _split(value)
    if isinstance(value, Mapping):
        return lettered({str(label): text for label, text in _by_label(value).items() if text is not None})
    if not isinstance(value, list | tuple):
        raise DataError(f"its options are {value!r}, expected a list")
    if len(value) > len(LETTERS):
        raise DataError(f"it has {len(value)} options, expected 2 to {len(LETTERS)}")
    return Parsed([_labelled(entry, letter) for entry, letter in zip(value, LETTERS, strict=False)])


def _by_label(value: Mapping[str, object]) -> Mapping[str, object]:
    """Label → text, also where the two stand in a list each: `{"label": ["A", "B"], "text": ["left", "right"]}`."""
    labels, texts = (next((value[key] for key in keys if key in value), None) for keys in (_LABEL_KEYS, _TEXT_KEYS))
    if len(value) != 2 or not isinstance(labels, list) or not isinstance(texts, list):
        return value
    if len(labels) != len(texts) or len({*map(str, labels)}) < len(labels):
        raise DataError(f"its options have {len(labels)} labels for {len(texts)} texts, or a label twice: {labels}")
    return {str(label): text for label, text in zip(labels, texts, strict=True)}


def lettered(texts: Mapping[str, object]) -> Parsed:
    """Options by their letters, in the order of the letters, so that A stays A."""
    single = {1}.issuperset(map(len, texts))
    labels = sorted(texts) if single else list(texts)
    return Parsed([LabelledOption(label, Option(_option_text(texts[label]))) for label in labels])


class Unmarked(NamedTuple):
    """Options, and whether letters that stood before their texts were taken off."""

    options: Parsed
    taken_off: bool = False


def unmarked(options: Parsed) -> Unmarked:
    """The options without the letters before their texts, where each has its own; the prompt prints them anyway.

    DataError where these are letters of another order: then nobody knows which of them an answer means.

    >>> [option.text for _, option in unmarked(parse_options(["A) left", "B) right"])).options]
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
            f"the letters before its options are in another order ({', '.join(letters)}) than the options; take the "
            "letters off, or put the options in the order of their letters"
        )
    bare = (
        LabelledOption(label, Option(mark[2].strip(), option.abstains))
        for (label, option), mark in zip(options, found, strict=True)
    )
    return Unmarked(Parsed(bare), taken_off=True)


class Keys(NamedTuple):
    """How a file writes its right answers down, as all of its rows together show it.

    `texts`: it writes options' texts and never their letters. `places`: some of its numbers can only be places among
    the options. `first`: what such numbers count from, as far as the rows prove it: 0, 1, both or neither. `marked`:
    letters before the texts of options are no part of them, since most rows have them or no other row is known.
    `labels`: its numbers are 0 and 1 alone, for yes and no, of which 1 may mean yes. `index_from_one`: its
    `answer_index`, which should count from 0, cannot do so.
    """

    texts: bool = False
    places: bool = False
    first: frozenset[int] = frozenset()
    marked: bool = True
    labels: bool = False
    index_from_one: bool = False

    @property
    def sentence(self) -> str:
        """By which rule numbers are read as answers; empty where there are none, or no rule."""
        if not self.places or len(self.first) != 1:
            return ""
        if 0 in self.first:
            return "read numbers among the answers as places counted from 0, since some answer is 0"
        return (
            "read numbers among the answers as places counted from 1, since some answer equals the number of options "
            "and none is 0"
        )


ONE_BY_ONE = Keys()
"""An answer on its own: no other row says how to read it."""


def keys_of(answers: Iterable[tuple[object, Parsed]]) -> Keys:
    """What the answers of a file, each with its options, show about how they are written.

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
            options, taken_off = given.unmarked()
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
    """The place of the right option, given by its letter, its text, or a number where the file shows what it means.

    A letter is a letter, also where an option reads the same, unless the file writes texts throughout.

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
    if len(found) != 1:
        raise DataError(_no_answer(text, options, ambiguous=bool(found)))
    return next(iter(found))


def _by_number(number: int, worded: frozenset[int], options: Parsed, keys: Keys) -> int:
    """The option that a number means: the one that reads so, or the one at that place."""
    if not keys.places and len(worded) == 1:
        return next(iter(worded))
    counted = {number - first for first in keys.first} & set(range(len(options)))
    if len(keys.first) == 1 and counted and worded <= counted:
        _check_no_gap(number, options)
        if keys.labels:
            _refuse_label(number, options)
        return counted.pop()
    raise DataError(_no_number(number, bool(worded), options, keys))


def _refuse_label(number: int, options: Parsed) -> None:
    """Raise where 0 is the place of `yes` and 1 that of `no`: as a label, 1 is what is there."""
    raise DataError(
        f"its answer is the number {number}, which counted from 0 is the place of {options[number].option.text!r}; as "
        f"a label 1 would mean {options[0].option.text!r}. {_WRITE}"
    )


def _asks_whether(options: Parsed) -> bool:
    """Whether the options are yes and no, in that order."""
    texts = [option.text.strip().rstrip(".").casefold() for _, option in options]
    return len(texts) == 2 and texts[0] in _POSITIVE and texts[1] in _NEGATIVE


def parse_index(value: object, options: tuple[LabelledOption, ...], keys: Keys = ONE_BY_ONE) -> int:
    """The position of the right option, given as a number counted from 0."""
    text = as_text(value, "its answer_index").strip()
    number = _whole(text)
    if number is None or number >= len(options):
        raise DataError(f"its answer_index is {text!r}, expected 0 to {len(options) - 1}")
    if keys.index_from_one:
        raise DataError(
            f"its answer_index is {text!r} and should count from 0, but some answer_index of the file equals the "
            "number of options and none is 0, so they seem to count from 1. Say --map answer=answer_index to read "
            "them so"
        )
    _check_no_gap(number, options)
    return number


def _check_no_gap(number: int, options: tuple[LabelledOption, ...]) -> None:
    """Raise where a letter is left out, as that of an empty column: a number may count it or not."""
    labels = [label for label, _ in options]
    if (
        all(label in LETTERS for label in labels)
        and sorted(labels) == labels
        and labels[-1:] > [LETTERS[len(labels) - 1]]
    ):
        raise DataError(
            f"its answer is the number {number}, and its options leave a letter out ({', '.join(labels)}), which it "
            "may count or not. Write the option's letter"
        )


def as_text(value: object, what: str) -> str:
    """Text, or a number as text; anything else is refused."""
    if isinstance(value, str):
        return value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    raise DataError(f"{what} is {value!r}, expected text")


def listed(value: object, what: str) -> list[str]:
    """A list of texts, also where it is written as JSON or as Python writes one; nothing is an empty list.

    >>> listed("['Left', 'Right']", "options"), listed(None, "options")
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
    """A value that a table's cell holds as JSON, or as Python writes lists and dictionaries.

    >>> from_json("['a cyst', 'a heart']", "options")
    ['a cyst', 'a heart']
    """
    try:
        found: object = orjson.loads(text)
    except orjson.JSONDecodeError as error:
        if (found := _literal(text, what)) is not None:
            return found
        raise DataError(f"its {what} look like JSON and are not: {error}") from error
    if is_too_deep(text.encode(), found):
        raise DataError(f"its {what} cannot be read: {TOO_DEEP}")
    return found


def _literal(text: str, what: str) -> object | None:
    """A list or dictionary as Python writes it; None where it is none, DataError where texts stand side by side."""
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


def _split(text: str) -> list[str]:
    return [part.strip() for part in text.split("|")]


def _labelled(entry: object, letter: str) -> LabelledOption:
    if isinstance(entry, str) or not isinstance(entry, Mapping):
        return LabelledOption(letter, Option(_option_text(entry)))
    text = next((entry[key] for key in _TEXT_KEYS if key in entry), None)
    label = next((entry[key] for key in _LABEL_KEYS if key in entry), letter)
    return LabelledOption(str(label), Option(_option_text(text), abstains=entry.get("abstains") is True))


def _option_text(value: object) -> str:
    """An option's text; what pandas and Excel put in the place of one is refused."""
    text = value if isinstance(value, str) else as_text(value, "an option")
    if text == "nan":
        raise DataError("an option reads 'nan', as pandas writes a value that is missing; leave its cell empty")
    if text[4:5] == "-" and _DATE.fullmatch(text):
        raise DataError(f"an option is {text!r}, as Excel makes of a text such as 3-4; type it into a cell of text")
    return text


def _by_letter(text: str, options: Parsed) -> frozenset[int]:
    wanted = _bare(text).casefold()
    return _places(wanted, [label.casefold() for label, _ in options])


def _by_both(text: str, options: Parsed) -> frozenset[int]:
    """The option that an answer names by its letter and its text at once: `A) left`."""
    mark = _MARKED.fullmatch(text)
    if mark is None:
        return _NOWHERE
    worded = mark[2].strip()
    return _by_letter(mark[1], options) & _by_text(worded, _whole(worded), options)


def _bare(text: str) -> str:
    """A letter without its brackets."""
    letter = _LETTER.fullmatch(text)
    return letter.group(1) if letter else text


def _places(wanted: str, among: Sequence[str]) -> frozenset[int]:
    return frozenset([at for at, each in enumerate(among) if each == wanted]) if wanted in among else _NOWHERE


def _by_text(text: str, number: int | None, options: Parsed) -> frozenset[int]:
    """The options that read as an answer does, or are the same whole number as it is."""
    found = _places(text.casefold(), [option.text.strip().casefold() for _, option in options])
    if number is not None:
        found |= {at for at, (_, option) in enumerate(options) if _whole(option.text) == number}
    return found


def _whole(text: str) -> int | None:
    """The whole number that a text writes, also as a table writes it that knows fractions only: `2.0`."""
    match = _NUMBER.fullmatch(text.strip())
    return int(match.group(1)) if match else None


def _no_answer(text: str, options: Parsed, *, ambiguous: bool) -> str:
    if ambiguous:
        return f"its answer {text!r} fits more than one option ({_offered(options)})"
    return f"its answer {text!r} is none of its options; expected a letter or a text of {_offered(options)}"


def _no_number(number: int, worded: bool, options: Parsed, keys: Keys) -> str:
    """Why a number names no option, and what to write in its place."""
    if number > len(options) and not worded:
        why = f"it has {len(options)} options"
    elif worded:
        why = "one of its options reads the same, and other numbers of the file count the options"
    elif keys.first == {0, 1}:
        why = "some numbers of the file are 0 and some are as high as the number of options, so they do not count alike"
    elif keys.first:
        why = f"the file's numbers count from {min(keys.first)}, and it has {len(options)} options"
    else:
        why = "it may be counted from 0 or from 1, and no answer of the file shows which"
    return f"its answer is the number {number}: {why}. {_WRITE} ({_offered(options)})"


def _offered(options: Parsed) -> str:
    return ", ".join(f"{label}: {option.text!r}" for label, option in options)
