"""Pool: the whole benchmark, where a condition finds what it needs of other items."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import islice
from operator import attrgetter
from pathlib import Path
from typing import NamedTuple

from snellen.errors import ImageError
from snellen.images import Image
from snellen.images.roles import kinds_of_series, series_in
from snellen.items import Item, Substitute
from snellen.perturb.alike import content
from snellen.perturb.modalities import modalities_of
from snellen.perturb.polar import asks_for_misfit, is_polar, is_relative, means_unknown, refers_to_others
from snellen.perturb.regions import REGIONS, may_be_shown, regions_of
from snellen.perturb.sides import speaks_of_sides
from snellen.perturb.topics import bearings, parts_of

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=\S)|(?<=[。！？])")
_WORD = re.compile(r"[^\W_]+")
_IN_THIS_IMAGE = re.compile(r"\b(?:in|on|from|by|of|does) (?:this|the|that) (?:image|picture|patient)\b")
_FILLER = frozenset(
    (
        "a", "an", "the", "is", "are", "was", "were", "be", "do", "does", "did", "there", "any", "of", "in",
        "on", "at", "to", "for", "it", "its", "seen", "see", "visible", "present", "shown", "show", "shows",
        "noted", "evidence", "sign", "signs", "image", "picture", "patient",
    )
)  # fmt: skip
"""Words that a question can have or lack and still ask the same of one kind of image."""
MOST_LENDERS = 16
"""So many images for one wrong option are enough to draw from."""


class Stranger(NamedTuple):
    """An option of another category, with all that would make it related to a question."""

    text: str
    bearings: frozenset[str]


class _Kind(NamedTuple):
    """A kind of image: its modality as told and as known, its body part, and the regions that it shows."""

    modality: str
    modalities: frozenset[str]
    part: str
    regions: frozenset[str]


class Pool:
    """The whole benchmark, in an order that neither loader nor limit changes."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._given = tuple(items)
        self._strangers: dict[tuple[str, str], list[Stranger]] = {}

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All items, by their ids."""
        return tuple(sorted(self._given, key=attrgetter("id")))

    def __len__(self) -> int:
        return len(self._given)

    def strangers(self, item: Item) -> list[Stranger]:
        """The options that only questions of other categories offer, in the item's language; none where it has none."""
        key = (item.category, item.language)
        if key not in self._strangers:
            self._strangers[key] = self._options_elsewhere(*key) if item.category else []
        return self._strangers[key]

    def _options_elsewhere(self, category: str, language: str) -> list[Stranger]:
        own = {content(text) for _, text in self._offered.get((category, language), ())}
        found = {
            text
            for (other, spoken), offered in self._offered.items()
            if other not in ("", category) and spoken == language
            for free, text in offered
            if free and content(text) not in own
        }
        return [Stranger(text, self._asked_about[language, text] | bearings(text)) for text in sorted(found)]

    @cached_property
    def _offered(self) -> dict[tuple[str, str], set[tuple[bool, str]]]:
        """The options by category and language, each with whether it says something without its question."""
        offered: dict[tuple[str, str], set[tuple[bool, str]]] = defaultdict(set)
        for item in self.items:
            polar = is_polar([option.text for option in item.options])
            for option in item.options:
                bound = polar or option.abstains or is_relative(option.text) or _says_nothing_alone(option.text)
                offered[item.category, item.language].add((not bound, option.text))
        return offered

    @cached_property
    def _asked_about(self) -> dict[tuple[str, str], frozenset[str]]:
        """The parts of the body that the questions are about which offer an option, by language and option."""
        found: dict[tuple[str, str], frozenset[str]] = defaultdict(frozenset)
        for item in self.items:
            about = _parts_asked_about(item)
            for option in item.options:
                found[item.language, option.text] |= about
        return found

    def kind_of_image(self, item: Item) -> tuple[str, str] | None:
        """Modality and body part, where the benchmark tells both."""
        modality, part = (str(item.metadata.get(name, "") or "").casefold() for name in ("modality", "body_part"))
        return (modality, part) if modality and part else None

    def lent_to(self, item: Item) -> Iterator[Substitute]:
        """The images of other patients that are known to show one of the item's wrong options.

        The lender asks the same of the same kind of image. One whose image is known to show the item's right answer as
        well is left out. What an image does not show, or shows besides what others list, cannot be lent.
        """
        key = self._asks(item)
        if key is None or not isinstance(item.answer, int) or not can_borrow(item):
            return
        by_answer, shown, own = self._by_question.get(key, {}), self._showing(item, key), self._patient(item)
        for place, option in enumerate(item.options):
            if place == item.answer or option.abstains or means_unknown(option.text):
                continue
            lenders = _from_anywhere(by_answer.get(_plain(option.text), ()), item.id)
            others = ((lender, self._patient(lender)) for lender in lenders)
            honest = (lender for lender, patient in others if patient not in shown and patient != own)
            for lender in islice(honest, MOST_LENDERS):
                yield Substitute(lender.images, option.text, lender.id)

    def elsewhere(self, item: Item) -> Iterator[Substitute]:
        """The images of other patients that show no part of the body of which the item's words speak.

        Those of its own modality, or any where there are none.
        """
        asked, named = _regions_asked_about(item), regions_of(f"{item.context}\n{item.question}")
        far = [
            kind
            for kind in self._by_kind
            if asked.isdisjoint(may_be_shown(kind.regions)) and named.isdisjoint(kind.regions)
        ]
        told, own = _told(item, "modality"), modalities_of(_told(item, "modality"))
        alike = [kind for kind in far if told == kind.modality or (own and own == kind.modalities)]
        yield from self._lenders(item, alike) or self._lenders(item, far)

    def otherwise(self, item: Item) -> Iterator[Substitute]:
        """The images of other patients that show the item's body part by another modality than its words name."""
        part, words = _unsided(_told(item, "body_part")), f"{item.context}\n{item.question}"
        own = modalities_of(_told(item, "modality")) | modalities_of(words)
        same = (kind for kind in self._by_kind if part == kind.part)
        yield from self._lenders(item, [kind for kind in same if kind.modalities and own.isdisjoint(kind.modalities)])

    def _lenders(self, item: Item, kinds: Iterable[_Kind]) -> list[Substitute]:
        """Some images of each of these kinds, none of the item's own patient."""
        lent = []
        for kind in kinds:
            lenders, own = _from_anywhere(self._by_kind[kind], item.id), self._patient(item)
            others = (each for each in lenders if self._patient(each) != own)
            strange = (each for each in others if each.images != item.images)
            lent += [Substitute(each.images, kind.part, each.id) for each in islice(strange, MOST_LENDERS)]
        return lent

    def other_series(self, item: Item) -> Iterator[Substitute]:
        """The videos or stacks of other patients, of the item's own kind where that is told, for its own.

        A video stands in for a video, a stack of slices for a stack.
        One that is known to show the item's right answer is left out.
        """
        key, own = self._asks(item), self._patient(item)
        shown = self._showing(item, key) if key is not None and isinstance(item.answer, int) else set()
        kind, alike = self.kind_of_image(item), (item.question, _right(item))
        own_series = kinds_of_series(item.images)
        others = _from_anywhere(self._with_series.get(kind, ()), item.id)
        honest = (
            each
            for each in others
            if self._patient(each) != own and self._patient(each) not in shown and each.images != item.images
            and (each.question, _right(each)) != alike and kinds_of_series(each.images) == own_series
        )  # fmt: skip
        for lender in islice(honest, MOST_LENDERS):
            yield Substitute(lender.images, "", lender.id)

    @cached_property
    def _with_series(self) -> dict[tuple[str, str] | None, list[Item]]:
        """The items whose images are frames of a video or slices of a stack, by their kind; all of them under None."""
        found: dict[tuple[str, str] | None, list[Item]] = defaultdict(list)
        for item in self.items:
            if series_in(item.images):
                for kind in {self.kind_of_image(item), None}:
                    found[kind].append(item)
        return found

    def of_the_same_images(self, item: Item) -> Sequence[Item]:
        """The other items about an item's images, in its language."""
        return [each for each in self._by_images.get((item.images, item.language), ()) if each.id != item.id]

    @cached_property
    def _by_images(self) -> dict[Hashable, list[Item]]:
        found: dict[Hashable, list[Item]] = defaultdict(list)
        for item in self.items:
            found[item.images, item.language].append(item)
        return found

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """The items by their id."""
        return {item.id: item for item in self.items}

    @cached_property
    def _by_kind(self) -> dict[_Kind, list[Item]]:
        """The items whose image is known to show which regions, by that and by their modality."""
        found: dict[_Kind, list[Item]] = defaultdict(list)
        for item in self.items:
            told = self.kind_of_image(item)
            if told is not None and item.images and regions_of(told[1]):
                kind = _Kind(told[0], modalities_of(told[0]), _unsided(told[1]), _regions_asked_about(item))
                found[kind].append(item)
        return found

    def _showing(self, item: Item, key: tuple[str, ...]) -> set[Hashable]:
        """Who is known to show the item's right answer: whatever was asked, unless it says nothing without that."""
        right = item.options[int(item.answer or 0)].text
        return self._patients.get((key if is_relative(right) else key[:3], _plain(right)), set())

    @cached_property
    def _by_question(self) -> dict[tuple[str, ...], dict[str, list[Item]]]:
        """The items by what they ask of which kind of image, then by their right answer."""
        found: dict[tuple[str, ...], dict[str, list[Item]]] = {}
        for item in self.items:
            key = self._asks(item)
            if key is not None and item.images and isinstance(item.answer, int):
                right = _plain(item.options[item.answer].text)
                found.setdefault(key, {}).setdefault(right, []).append(item)
        return found

    @cached_property
    def _patients(self) -> dict[tuple[tuple[str, ...], str], set[Hashable]]:
        """The patients who are known to show an answer, to one question and to any about that kind of image."""
        found: dict[tuple[tuple[str, ...], str], set[Hashable]] = defaultdict(set)
        for key, by_answer in self._by_question.items():
            for right, lenders in by_answer.items():
                for asked in (key, key[:3]):
                    found[asked, right].update(map(self._patient, lenders))
        return found

    def _patient(self, item: Item) -> Hashable:
        """Whose item it is; where nobody says, items with the same images, or of the same scans, are one patient's."""
        origins = dict.fromkeys(self._copies.get(image, image).origin for image in item.images)
        return item.cluster or tuple(origins) or item.id

    @cached_property
    def _copies(self) -> dict[Image, Image]:
        """The first of several files that hold the same image, for all but the first; files of other sizes differ."""
        by_size: dict[int, list[Image]] = defaultdict(list)
        for image in dict.fromkeys(image for item in self.items if not item.cluster for image in item.images):
            if isinstance(image.source, Path) and not image.steps:
                with suppress(OSError):
                    by_size[image.source.stat().st_size].append(image)
        first: dict[bytes, Image] = {}
        alike = (image for images in by_size.values() if len(images) > 1 for image in images)
        found = ((image, first.setdefault(_content(image), image)) for image in alike)
        return {image: original for image, original in found if image is not original}

    def _asks(self, item: Item) -> tuple[str, ...] | None:
        """What is asked of which kind of image; where options mean nothing alone, the whole question must be one."""
        kind = self.kind_of_image(item)
        if kind is None or item.kind != "choice" or item.answer is None:
            return None
        relative = any(is_relative(option.text) for option in item.options)
        asked = item.question if relative else last_asked(item.question)
        plain = _IN_THIS_IMAGE.sub(" ", _plain(asked))
        words = tuple(word for word in plain.split() if word not in _FILLER)
        return (*kind, item.language, *(words or (_plain(asked),)))


def _content(image: Image) -> bytes:
    """What tells the file of an image from any other; a file that cannot be read is like no other."""
    try:
        return hashlib.sha256(image.read()).digest()
    except ImageError:
        return image.name.encode(errors="surrogateescape")


def bearings_of(item: Item) -> frozenset[str]:
    """All that makes an option related to an item: by its words, its options, its answer, its category."""
    answer = [item.answer] if isinstance(item.answer, str) else []
    texts = (item.context, item.question, *(option.text for option in item.options), *answer)
    return _parts_asked_about(item).union(*map(bearings, texts))


def _parts_asked_about(item: Item) -> frozenset[str]:
    """The parts of the body that an item says that it is about, or asks about."""
    told = (str(item.metadata.get(name, "") or "") for name in ("body_part", "modality"))
    return frozenset().union(*map(parts_of, (item.category, *told, last_asked(item.question))))


def _regions_asked_about(item: Item) -> frozenset[str]:
    """The regions of the body that an item's image is told to be of, and those that it is asked about."""
    return regions_of(_told(item, "body_part")) | (_parts_asked_about(item) & REGIONS)


def _told(item: Item, name: str) -> str:
    return str(item.metadata.get(name, "") or "").casefold()


def _unsided(part: str) -> str:
    """A body part without its side: "left knee" is a knee.

    >>> _unsided("Left knee"), _unsided("ginocchio destro")
    ('knee', 'ginocchio')
    """
    return " ".join(word for word in _plain(part).split() if not speaks_of_sides(word))


def can_borrow(item: Item) -> bool:
    """Whether another's image can answer the item: not where it is asked what does not fit, nor by "none of these"."""
    texts = [option.text for option in item.options]
    open_ended = asks_for_misfit(last_asked(item.question)) and not is_polar(texts)
    return not open_ended and not any(map(refers_to_others, texts))


def _says_nothing_alone(option: str) -> bool:
    return refers_to_others(option) or means_unknown(option)


def last_asked(question: str) -> str:
    """The sentence that asks: what stands before it is the case, and after it how to answer.

    >>> last_asked("A man of 70. What is shown? Choose one.")
    'What is shown?'
    """
    sentences = [sentence for sentence in _SENTENCE.split(question) if sentence.strip()]
    asking = [sentence for sentence in sentences if sentence.rstrip().endswith(("?", "？"))]
    return (asking or sentences)[-1]


def _from_anywhere(lenders: Sequence[Item], item_id: str) -> Iterator[Item]:
    """All of them, beginning at a place that differs from item to item."""
    start = zlib.crc32(item_id.encode(errors="replace"))
    return (lenders[(start + step) % len(lenders)] for step in range(len(lenders)))


def _right(item: Item) -> str:
    return item.options[item.answer].text if isinstance(item.answer, int) else str(item.answer)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
