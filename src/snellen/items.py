"""Items: one question of a benchmark, with its options, answer and images."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, ClassVar, Literal, NamedTuple, get_args

import orjson

from snellen.errors import BrokenRow, BrokenRowsError, DataError
from snellen.images import Image
from snellen.runtime import is_encodable

Kind = Literal["choice", "open", "report"]
_KINDS: tuple[Kind, ...] = get_args(Kind)
CHOICE: Kind = "choice"
"""Kind of questions with options. Parsers of this kind find the chosen option."""
WITHOUT_IMAGE = "missing-image"
"""Kind of parsers that find whether a response says that no image was sent."""

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
LONGEST_OPTION = 10_000
LONGEST_TEXT = 200_000
"""Most characters of an option, and of a question or its context. Texts are compared with every response."""
DEEPEST = 50
"""Most levels of nested metadata."""
UNGRADABLE = "ungradable"
"""Value of `metadata["quality"]` for an image that cannot be graded. The item then needs no correct option."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer that a question offers. `abstains` is True for options such as "I do not know"."""

    text: str
    abstains: bool = False


class Substitute(NamedTuple):
    """Images that could replace an item's own, with the option and patient that they show."""

    images: tuple[Image, ...]
    shows: str
    lent_by: str = ""
    without_columns: tuple[str, ...] = ()
    """Columns that the benchmark lacks; the other item was then found by text and image."""
    change: str = ""
    """How images of the same patient differ from the item's own: the finding is removed, moved, enlarged, replaced."""


class Premise(NamedTuple):
    """Claim that a question assumes, such as "a pleural effusion", and whether it is true."""

    claims: str
    holds: bool


_TEXTS = (("id", "a text"), ("question", "a text"), ("context", "a text"), ("language", "a code such as 'en'"))
_LISTS = (("options", Option), ("images", Image))


@dataclass(frozen=True)
class Item:
    """One question of a benchmark.

    For a `choice`, `answer` is the index of the correct option, or None if the image cannot be graded. For the other
    kinds it is the reference text; `metadata["answers"]` may list several correct texts. An open question with a
    premise has `metadata["premise"]`: what it `claims` and whether that `holds`. `cluster` names the patient or study,
    so that items of one patient are not counted as independent. `substitutes` are images that show wrong options, for
    swapping the image.

    >>> Item(id="cxr/1", question="Is there an effusion?", options=(Option("Yes"), Option("No")), answer=0).letter
    'A'
    """

    id: str
    question: str
    options: tuple[Option, ...] = ()
    answer: int | str | None = None
    images: tuple[Image, ...] = ()
    kind: Kind = "choice"
    context: str = ""
    category: str = ""
    language: str = "en"
    cluster: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    substitutes: tuple[Substitute, ...] = ()
    found_usable: ClassVar[bool] = False
    """Set on items that a loader has checked, so that a plan need not check them again."""

    @classmethod
    def of_fields(cls, **fields: Any) -> Item:
        """Create an item from fields, faster than its constructor."""
        item = object.__new__(cls)
        object.__setattr__(item, "__dict__", {**_DEFAULTS, **fields})
        return item

    def in_its_language(self, texts: Mapping[str, str]) -> str:
        """Return the text for the item's language, or else the English one.

        >>> Item("1", "?", language="it-IT").in_its_language({"en": "Unknown", "it": "Sconosciuto"})
        'Sconosciuto'
        """
        code = self.language.replace("_", "-").partition("-")[0].lower()
        return texts.get(code, texts["en"])

    @property
    def letter(self) -> str:
        """Letter of the correct option."""
        if not isinstance(self.answer, int):
            raise ValueError(f"Item {self.id!r} is of kind {self.kind!r} and has no answer letters.")
        if not 0 <= self.answer < len(LETTERS):
            raise ValueError(f"Item {self.id!r} has answer {self.answer}, expected 0 to {len(LETTERS) - 1}.")
        return LETTERS[self.answer]

    @property
    def chance(self) -> float:
        """Expected score of a random guess: 1 divided by the number of real answers."""
        return 1 / max(1, len(self.real_places)) if self.kind == "choice" else 0.0

    @property
    def real_places(self) -> list[int]:
        """Indices of the options that are real answers, without "I do not know"."""
        return [place for place, option in enumerate(self.options) if not option.abstains]

    @property
    def has_choice(self) -> bool:
        """True if two or more options are real answers and one is correct."""
        return self.kind == "choice" and len(self.real_places) > 1 and self.answer in self.real_places

    @property
    def references(self) -> tuple[str, ...]:
        """Correct answers of an open question or report, as texts; empty for a choice.

        >>> accepted = {"answers": ["CXR", "chest X-ray"]}
        >>> Item(id="1", question="?", kind="open", answer="CXR", metadata=accepted).references
        ('CXR', 'chest X-ray')
        """
        if self.kind == "choice":
            return ()
        listed = self._listed_answers()
        texts = (self.answer,) if listed is None else listed
        return tuple(text for text in texts if isinstance(text, str) and text.strip())

    def _listed_answers(self) -> list[str] | None:
        """Return the answers in the metadata if they are a list of texts."""
        listed = self.metadata.get("answers")
        if not isinstance(listed, list | tuple) or not listed:
            return None
        return list(listed) if all(isinstance(text, str) for text in listed) else None

    @property
    def normal(self) -> int | None:
        """Index of the option that means healthy, if the metadata name it; else None."""
        named = self.metadata.get("normal")
        if named is None:
            return None
        texts = [option.text for option in self.options]
        return texts.index(named) if named in texts else None

    @property
    def ungradable(self) -> bool:
        """True if the metadata call the image ungradable; then no answer key is needed."""
        return is_ungradable(self.metadata.get("quality"))

    @property
    def premise(self) -> Premise | None:
        """Premise of an open question, if its metadata name one; else None.

        >>> told = {"premise": {"claims": "a pleural effusion", "holds": False}}
        >>> Item(id="1", question="How large is the effusion?", kind="open", metadata=told).premise
        Premise(claims='a pleural effusion', holds=False)
        """
        told = self.metadata.get("premise")
        if self.kind != "open" or not isinstance(told, Mapping):
            return None
        claims, holds = told.get("claims"), told.get("holds")
        return Premise(claims, holds) if isinstance(claims, str) and isinstance(holds, bool) else None

    def problem(self, *, alike: bool = False, options_usable: bool = False, answered: bool = True) -> str | None:
        """Return the reason why this item is unusable, or None.

        `alike`: two options may be equal, since the item was asked already. `options_usable`: the options were checked
        with another item. Without `answered`, an open question may lack its reference answer.
        """
        if self.found_usable:
            return None
        if (reason := self._problem_of_types()) is not None:
            return reason
        if max(len(self.question), len(self.context)) > LONGEST_TEXT:
            name = "question" if len(self.question) > LONGEST_TEXT else "context"
            return f"its {name} has {len(getattr(self, name)):,} characters, at most {LONGEST_TEXT:,} are read"
        if self.metadata and is_deeper(self.metadata, DEEPEST):
            return f"its metadata is nested more than {DEEPEST} levels deep"
        if not self.id.strip():
            return "it has no id"
        if not self.question.strip():
            return "its question is empty"
        offered = "" if options_usable else "".join([option.text for option in self.options])
        if not is_encodable(f"{self.id}{self.question}{self.context}{offered}"):
            return "its text holds half a character (a lone surrogate) that cannot be sent"
        if self.kind not in _KINDS:
            return f"its kind is {self.kind!r}, expected one of {', '.join(_KINDS)}"
        if self.kind == "choice":
            return self._problem_of_choice(alike=alike, options_usable=options_usable)
        if not isinstance(self.answer, str) or (not self.answer.strip() and (answered or self.kind != "open")):
            return "its reference answer is empty"
        told = self.metadata.get("premise") if self.kind == "open" else None
        if told is not None and not (self.premise is not None and self.premise.claims.strip()):
            return f"its premise is {told!r}, expected {{'claims': a text, 'holds': true or false}}"
        empty = [text for text in self._listed_answers() or () if not text.strip()]
        return "one of its reference answers is empty" if empty else None

    def _problem_of_types(self) -> str | None:
        """Describe a field of the wrong type, which items made by hand may have."""
        if (
            type(self.id) is type(self.question) is type(self.context) is type(self.language) is str
            and type(self.options) is tuple
            and type(self.images) is tuple
            and _OPTION.issuperset(map(type, self.options))
            and _IMAGE.issuperset(map(type, self.images))
        ):
            return None
        for name, kind in _TEXTS:
            if not isinstance(value := getattr(self, name), str):
                return f"its {name} is {value!r}, expected {kind}"
        for name, made in _LISTS:
            given = getattr(self, name)
            if not isinstance(given, tuple | list):
                return f"its {name} are {given!r}, expected a tuple of {made.__name__}(…)"
            for each in given:
                if not isinstance(each, made):
                    return f"its {name} hold {each!r}, expected {made.__name__}(…)"
        return None

    def _problem_of_choice(self, *, alike: bool, options_usable: bool) -> str | None:
        if not 2 <= len(self.options) <= len(LETTERS):
            return problem_of_options(self.options)
        # True is an int in Python, but not an index of an option
        keyed = isinstance(self.answer, int) and not isinstance(self.answer, bool)
        if not (keyed and 0 <= int(self.answer or 0) < len(self.options)) and not (
            self.answer is None and self.ungradable
        ):
            return f"its answer {self.answer!r} is not one of its {len(self.options)} options"
        return None if options_usable else problem_of_options(self.options, alike=alike)

    # A mapping proxy cannot be pickled, and items are sent to other processes.
    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "metadata": dict(self.metadata)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, metadata=MappingProxyType(state["metadata"]))


_DEFAULTS: Mapping[str, Any] = {
    **{each.name: each.default for each in fields(Item) if each.default is not MISSING},
    "metadata": MappingProxyType({}),
}
_OPTION, _IMAGE = (frozenset((each,)) for each in (Option, Image))
_SCALARS = frozenset((str, int, float, bool, type(None)))
_MAPPINGS = frozenset((dict, MappingProxyType))


def problem_of_options(options: Sequence[Option], *, alike: bool = False) -> str | None:
    """Return the reason why options are unusable, or None. `alike`: two of them may be equal."""
    if not 2 <= len(options) <= len(LETTERS):
        return f"it has {len(options)} options, expected 2 to {len(LETTERS)}"
    texts = [option.text.strip().casefold() for option in options]
    if "" in texts:
        return f"its option {LETTERS[texts.index('')]} is empty"
    lengths = [len(option.text) for option in options]
    if max(lengths) > LONGEST_OPTION:
        long = next(at for at, length in enumerate(lengths) if length > LONGEST_OPTION)
        return f"its option {LETTERS[long]} has {lengths[long]:,} characters, at most {LONGEST_OPTION:,} are read"
    if len(set(texts)) < len(texts) and not alike:
        return f"two of its options read the same: {[option.text for option in options]}"
    return None


def is_ungradable(quality: object) -> bool:
    """Return True if a quality means that the image cannot be graded."""
    return isinstance(quality, str) and quality.strip().casefold() == UNGRADABLE


def is_deeper(value: Any, levels: int) -> bool:
    """Return True if a value has more than `levels` levels of nesting, counting itself."""
    if type(value) in _MAPPINGS and _SCALARS.issuperset(map(type, value.values())):
        return levels < 1
    within = [value]
    for _ in range(levels + 1):
        if not within:
            return False
        nested = [each for each in within if isinstance(each, Mapping | list | tuple)]
        within = [part for each in nested for part in (each.values() if isinstance(each, Mapping) else each)]
    return bool(within)


_PLACE_IN_MEMORY = re.compile(r" at 0x[0-9A-Fa-f]+")
_GRADED_BY = ("answers", "steps", "report", "task", "premise")
"""Metadata that decide the grade of a response in free text."""


def to_plain(value: Any) -> Any:
    """Convert a value that JSON lacks: sets to sorted lists, others to text.

    >>> to_plain({"b", "a"}), to_plain(object())
    (['a', 'b'], '<object object>')
    """
    if isinstance(value, set | frozenset):
        return sorted(value, key=_dump_alike)
    return _PLACE_IN_MEMORY.sub("", str(value))


def _dump_alike(value: Any) -> str:
    return json.dumps(value, default=to_plain, skipkeys=True)


PARTS: Mapping[Kind, str] = MappingProxyType({"choice": "", "open": "/open", "report": "/report"})
"""Suffix of a benchmark's name for each kind of item, used if its items are of several kinds."""


def part_of(benchmark: str, kind: Kind) -> str:
    """Return the name for a benchmark's items of one kind.

    >>> part_of("mine", "open"), part_of("mine/open", "open"), part_of("mine", "choice")
    ('mine/open', 'mine/open', 'mine')
    """
    return benchmark if benchmark.endswith(PARTS[kind]) else benchmark + PARTS[kind]


def whole_of(benchmark: str) -> str:
    """Return the benchmark's name without the suffix for a kind of item."""
    return next(
        (benchmark.removesuffix(part) for part in PARTS.values() if part and benchmark.endswith(part)), benchmark
    )


def describe_benchmark(benchmark: str) -> str:
    """Format a benchmark's name for a sentence, with its settings in brackets.

    >>> describe_benchmark("phantoms:leak=0.5,items=30"), describe_benchmark("vqa-rad")
    ('phantoms (leak 0.5, items 30)', 'vqa-rad')
    """
    name, _, settings = benchmark.partition(":")
    pairs = [each.partition("=") for each in settings.split(",")]
    if not settings or not all(equals and value and name.isidentifier() for name, equals, value in pairs):
        return benchmark
    return f"{name} ({', '.join(f'{key} {value}' for key, _, value in pairs)})"


def _kind_of(item: object) -> Kind:
    """Return an item's kind; "choice" for anything that is not an item."""
    return item.kind if isinstance(item, Item) and item.kind in PARTS else "choice"


@dataclass(frozen=True)
class Benchmark:
    """Items under one name, and the rows that could not be read."""

    name: str
    items: tuple[Item, ...]
    broken: tuple[BrokenRow, ...] = ()
    about: Mapping[str, Any] = field(default_factory=lambda: MappingProxyType({}), hash=False)
    limit: int | None = None
    """Number of items that a study asks; None leaves it to the study."""

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "about": dict(self.about)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, about=MappingProxyType(state["about"]))

    def __iter__(self) -> Iterator[Item]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    @cached_property
    def kind(self) -> Kind:
        """First kind among the items, in the order choice, open, report."""
        kinds = set(map(_kind_of, self.items))
        return next((kind for kind in PARTS if kind in kinds), "choice")

    def by_kind(self) -> tuple[Benchmark, ...]:
        """Split into one benchmark per kind; return only this one if it has one kind.

        >>> choice = Item("1", "?", (Option("x"), Option("y")), 0)
        >>> mixed = Benchmark("b", (choice, Item("2", "?", answer="z", kind="open")))
        >>> [(part.name, len(part)) for part in mixed.by_kind()]
        [('b', 1), ('b/open', 1)]
        """
        kinds = set(map(_kind_of, self.items))
        if len(kinds) < 2:
            return (self,)
        found = {kind: tuple(item for item in self.items if _kind_of(item) == kind) for kind in PARTS if kind in kinds}
        return tuple(
            replace(self, name=part_of(self.name, kind), items=items, broken=() if place else self.broken)
            for place, (kind, items) in enumerate(found.items())
        )

    @cached_property
    def by_id(self) -> Mapping[str, Item]:
        """Items by their id."""
        return {item.id: item for item in self.items}

    @cached_property
    def digest(self) -> str:
        """Hash of the text and images of all items, in their order."""
        digest = hashlib.sha256(self.name.encode())
        for item in self.items:
            options = [(option.text, option.abstains) for option in item.options]
            asked = (item.id, item.kind, item.question, item.context)
            words = (*asked, options, item.answer, item.category, item.language)
            digest.update(orjson.dumps((words, item.cluster, [image.fingerprint for image in item.images])))
            if not (item.images or item.metadata or item.substitutes):
                continue
            if any(roles := [image.role for image in item.images]):  # roles are told in the prompt
                digest.update(orjson.dumps(("roles", roles)))
            # Conditions find items that lend images by these fields.
            if any(kind := [str(item.metadata.get(name) or "") for name in ("modality", "body_part")]):
                digest.update(orjson.dumps(kind))
            if item.normal is not None:  # parsers of responses use it
                digest.update(f"normal: {item.normal}".encode())
            names = ("report",) if item.kind == "choice" else _GRADED_BY
            if graded_by := {name: item.metadata[name] for name in names if item.metadata.get(name)}:
                digest.update(_dump_alike(graded_by).encode())
            for substitute in item.substitutes:
                prints = [image.fingerprint for image in substitute.images]
                digest.update(orjson.dumps((substitute.shows, prints)))
                digest.update(substitute.change.encode())
        return digest.hexdigest()


class Collector:
    """Collector of items and broken rows; `benchmark()` raises if rows are broken, unless allowed.

    Without `answered`, open questions without a reference answer are accepted.
    """

    def __init__(self, name: str, *, answered: bool = True) -> None:
        self.name = name
        self._answered = answered
        self.items: dict[str, Item] = {}
        self.broken: list[BrokenRow] = []
        self._places: dict[str, str] = {}
        self._usable: dict[int, tuple[Option, ...]] = {}

    def add(self, where: str, item: Item) -> None:
        """Add an item, or record why it cannot be used."""
        usable = self._usable.get(id(item.options)) is item.options
        reason = item.problem(options_usable=usable, answered=self._answered)
        if reason is None and item.id in self.items:
            reason = f"another row has the same id ({self._places[item.id]})"
        if reason is None:
            object.__setattr__(item, "found_usable", item.answer != "")
            if item.kind == "choice":
                self._usable[id(item.options)] = item.options
            self.items[item.id] = item
            self._places[item.id] = where
        else:
            self.refuse(where, item.id, reason)

    def refuse(self, where: str, item_id: str, reason: str) -> None:
        """Record a row from which no item could be made."""
        self.broken.append(BrokenRow(where, item_id, reason))

    def benchmark(self, *, allow_broken: bool, about: Mapping[str, Any] | None = None) -> Benchmark:
        """Return the collected benchmark; DataError if it has no usable item."""
        if self.broken and not (allow_broken and self.items):
            raise BrokenRowsError(self.name, self.broken, len(self.items))
        if not self.items:
            raise DataError(f"{self.name}: it holds no items.")
        return Benchmark(self.name, tuple(self.items.values()), tuple(self.broken), MappingProxyType(dict(about or {})))
