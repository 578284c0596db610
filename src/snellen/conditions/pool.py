"""Pool: the whole benchmark, in which a condition finds the other items that it needs."""

from __future__ import annotations

import hashlib
import re
import zlib
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, lru_cache
from itertools import chain, islice
from operator import attrgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from snellen.errors import ImageError
from snellen.images import Image
from snellen.images.roles import kinds_of_series, series_in
from snellen.items import Item, Substitute
from snellen.perturb.alike import are_alike, content, names_thing, places_in
from snellen.perturb.polar import (
    asks_for_misfit,
    asks_where,
    is_polar,
    is_relative,
    means_unknown,
    names_both,
    refers_to_others,
)
from snellen.perturb.sides import speaks_of_sides
from snellen.perturb.topics import FINDINGS, PARTS, REGIONS, bearings, may_be_shown, modalities_of, parts_of, regions_of

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
"""Words that do not change what a question asks about an image."""
MOST_LENDERS = 16
"""Largest number of images for one wrong option."""
MOST_COMPARED = 100
"""Largest number of items with the same answer that are compared with one question."""
FEW_LENDERS = 4
"""Largest number of images for one wrong option if the images must be opened."""
THUMBNAIL = 32
"""Width and height in pixels of the thumbnail that shows if an image is in colour."""
COLOURED = 12
"""An image is in colour from this mean difference between its channels on, in grey levels."""
KIND_COLUMNS = ("modality", "body_part")
"""Columns that describe the kind of an image."""
ADD_COLUMNS = "; add the columns "
"""Text before the missing columns in a reason."""


_SAY_NOTHING_ALONE = (is_relative, refers_to_others, means_unknown)
Made = TypeVar("Made")


class Stranger(NamedTuple):
    """An option of an unrelated question, with the anatomy and findings that it is about."""

    text: str
    bearings: frozenset[str]


class _ImageKind(NamedTuple):
    """A kind of image: modality as written and as recognised, body part, and regions shown."""

    modality: str
    modalities: frozenset[str]
    part: str
    regions: frozenset[str]


class _QuestionSense(NamedTuple):
    """The sense of a question: its content words, and the body places it names or asks for."""

    words: tuple[str, ...]
    where: bool
    places: frozenset[str]


class Pool:
    """The whole benchmark, in an order independent of loader and limit."""

    def __init__(self, items: Iterable[Item]) -> None:
        self._given = tuple(items)
        self._strangers: dict[tuple[str, str], list[Stranger]] = {}
        self._made: dict[Hashable, Any] = {}
        self._kinds: dict[Hashable, _ImageKind] = {}
        self._questions: dict[str, tuple[Item, _QuestionSense]] = {}
        self._colours: dict[Image, bool] = {}

    @cached_property
    def items(self) -> tuple[Item, ...]:
        """All items, sorted by id."""
        return tuple(sorted(self._given, key=attrgetter("id")))

    def __len__(self) -> int:
        return len(self._given)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """Compute a value of this pool once and keep it."""
        if key not in self._made:
            self._made[key] = make()
        made: Made = self._made[key]
        return made

    def strangers(self, item: Item) -> list[Stranger]:
        """Return the options that only questions of other categories offer, in the item's language.

        If categories do not distinguish questions, return the options of questions about body parts.
        """
        key = (item.category if self.tells_category(item) else "", item.language)
        if key not in self._strangers:
            self._strangers[key] = self._options_elsewhere(*key) if key[0] else self._options_about_parts(item.language)
        return self._strangers[key]

    def tells_category(self, item: Item) -> bool:
        """Return whether the item's category distinguishes it from other items in its language."""
        spoken = {category for category, language in self._offered if language == item.language and category}
        return bool(item.category) and not spoken <= {item.category}

    def _options_about_parts(self, language: str) -> list[Stranger]:
        """The options in a language, with the body parts of all questions that offer them."""
        offered = {
            text
            for (_, spoken), options in self._offered.items()
            if spoken == language
            for free, text in options
            if free
        }
        around: dict[str, frozenset[str]] = defaultdict(frozenset)
        for item in self.items:
            if item.language == language:
                parts = bearings_of(item) & PARTS.keys()
                for option in item.options:
                    around[option.text] |= parts
        return [Stranger(text, around[text] | bearings(text)) for text in sorted(offered) if around[text]]

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
        """Options by category and language. Each begins with True if it has a meaning without its question."""
        offered: dict[tuple[str, str], set[tuple[bool, str]]] = defaultdict(set)
        for item in self.items:
            polar = is_polar([option.text for option in item.options])
            for option in item.options:
                bound = polar or option.abstains or any(check(option.text) for check in _SAY_NOTHING_ALONE)
                offered[item.category, item.language].add((not bound, option.text))
        return offered

    @cached_property
    def _asked_about(self) -> dict[tuple[str, str], frozenset[str]]:
        """The body parts of the questions that offer an option, by language and option."""
        found: dict[tuple[str, str], frozenset[str]] = defaultdict(frozenset)
        for item in self.items:
            about = _parts_asked_about(item)
            for option in item.options:
                found[item.language, option.text] |= about
        return found

    def kind_of_image(self, item: Item) -> tuple[str, str] | None:
        """Return modality and body part of the image; None unless the benchmark gives both."""
        modality, part = (_read_metadata(item, name) for name in KIND_COLUMNS)
        return (modality, part) if modality and part else None

    def lent_to(self, item: Item) -> Iterator[Substitute]:
        """Return images of other patients that show one of the item's wrong options.

        First choice are images of the same kind with the same question. Otherwise any question counts, if the option
        has a meaning without it ("left" has none). If columns do not give the kind, texts and images do. Patients known
        to show the item's correct answer are left out. Questions that ask which option does not fit, and options that
        refer to other options, cannot borrow images.
        """
        if item.kind != "choice" or not isinstance(item.answer, int) or not can_borrow(item):
            return
        found = [*self._iter_lent(item, self._find_same_question)] or [*self._iter_lent(item, self._find_same_answer)]
        yield from found

    def _iter_lent(self, item: Item, find_lenders: Callable[[Item, str], Iterator[Item]]) -> Iterator[Substitute]:
        missing = list_missing_columns(item)
        for place, option in enumerate(item.options):
            if place == item.answer or option.abstains or means_unknown(option.text):
                continue
            for lender in islice(find_lenders(item, option.text), MOST_LENDERS if not missing else FEW_LENDERS):
                yield Substitute(lender.images, option.text, lender.id, missing)

    def _find_same_question(self, item: Item, shown: str) -> Iterator[Item]:
        """Find items of other patients with the same question and this answer."""
        if (key := self._asks(item)) is None:
            return
        excluded = self._showing(item, key) | {self._patient(item)}
        lenders = _from_anywhere(self._by_question.get(key, {}).get(_plain(shown), ()), item.id)
        yield from (each for each in lenders if self._patient(each) not in excluded)

    def _find_same_answer(self, item: Item, shown: str) -> Iterator[Item]:
        """Other patients' items with this option as answer and a related question."""
        kind, own, right = self.kind_of_image(item), self._patient(item), _right(item)
        if kind and is_bound(shown):
            return
        fits = self._asks_alike if kind else self._is_related
        lenders = _from_anywhere(self._by_answer.get((kind, item.language, _plain(shown)), ()), item.id)
        for lender in islice(lenders, MOST_COMPARED):
            patient = self._patient(lender)
            if patient == own or lender.images == item.images or not fits(item, lender, shown):
                continue
            if can_borrow(lender) and not any(_mean_same(right, text) for text in self._answers_of[patient]):
                yield lender

    def with_same_answer(self, item: Item) -> Iterator[Substitute]:
        """Return images of other patients that show the item's correct answer to a related question."""
        if item.kind != "choice" or not isinstance(item.answer, int) or not can_borrow(item):
            return
        kind, shown, missing = self.kind_of_image(item), _right(item), list_missing_columns(item)
        fits = self._is_related if missing else self._asks_alike
        lenders = _from_anywhere(self._by_answer.get((kind, item.language, _plain(shown)), ()), item.id)
        others = (
            each
            for each in islice(lenders, MOST_COMPARED)
            if self._patient(each) != self._patient(item) and each.images != item.images and fits(item, each, shown)
        )
        for lender in islice(others, FEW_LENDERS if missing else MOST_LENDERS):
            yield Substitute(lender.images, shown, lender.id, missing)

    def _asks_alike(self, item: Item, lender: Item, shown: str) -> bool:
        """Return True if an option means the same as an answer to both questions."""
        one, other = self._read_question(item), self._read_question(lender)
        if one.words == other.words:
            return True
        if is_bound(shown):
            return False
        if one.where or not names_thing(shown):
            return one.where and other.where
        asked = one.places - places_in(_read_metadata(item, "body_part")) - places_in(item.category)
        return not asked or not asked.isdisjoint(other.places | places_in(shown))

    def _is_related(self, item: Item, lender: Item, shown: str) -> bool:
        """Return True if two images have the same kind, by columns, texts and colour."""
        if not self._asks_alike(item, lender, shown):
            return False
        one, other, named = self._read_kind(item), self._read_kind(lender), regions_of(shown)
        if one.regions and other.regions:
            near = not one.regions.isdisjoint(other.regions)
        elif named:
            near = all(not each or not each.isdisjoint(named) for each in (one.regions, other.regions))
        else:
            listed = {_plain(option.text) for option in lender.options}
            same = self._read_question(item).words == self._read_question(lender).words
            near = same and _plain(_right(item)) in listed
        if not near or not one.modalities or not other.modalities:
            return near and self._is_coloured(item) == self._is_coloured(lender)
        return not one.modalities.isdisjoint(other.modalities)

    def _read_question(self, item: Item) -> _QuestionSense:
        """Return the sense of an item's question, cached by item."""
        known, found = self._questions.get(item.id, (None, None))
        if found is None or known is not item:
            asked = last_asked(item.question)
            found = _QuestionSense(_take_words(item), asks_where(asked), places_in(asked))
            self._questions[item.id] = (item, found)
        return found

    def _read_kind(self, item: Item) -> _ImageKind:
        """Return the kind of an item's image.

        It comes from the item's columns, or from the texts of all items with this image.
        """
        key = (item.images, item.language)
        if key not in self._kinds:
            about = self._by_images.get(key) or [item]
            told = (_list_statements(each, _right(each), last_asked(each.question)) for each in about)
            asked = "\n".join(chain.from_iterable(told))
            told = ([each.context, *_list_statements(each, _right(each), each.question)] for each in about)
            whole = "\n".join(chain.from_iterable(told))
            self._kinds[key] = _ImageKind("", modalities_of(whole), "", regions_of(asked) or regions_of(whole))
        kind, (modality, part) = self._kinds[key], (_read_metadata(item, name) for name in KIND_COLUMNS)
        offered = frozenset[str]().union(*(regions_of(option.text) for option in item.options))
        return _ImageKind(
            modality,
            modalities_of(modality) if modality else kind.modalities,
            part,
            regions_of(part) if part else kind.regions or offered,
        )

    def _is_coloured(self, item: Item) -> bool:
        """Return True if an item's first image has colour; an unreadable image counts as grey."""
        image = item.images[0]
        if image not in self._colours:
            with suppress(ImageError):
                pixels = image.thumbnail(THUMBNAIL)
                self._colours[image] = pixels.ndim == 3 and bool(np.ptp(pixels, axis=2).mean() > COLOURED)
        return self._colours.setdefault(image, False)

    def others_alike(self, item: Item) -> Iterator[Substitute]:
        """Return images of other patients with the item's modality, and its body part if known.

        If columns do not give the kind, texts do; if these do not give the modality, colour does.
        """
        modality, part = self._kind_key(item)
        own, missing = self._patient(item), list_missing_columns(item)
        for key in dict.fromkeys(((modality, part), (modality, ""))):
            lenders = _from_anywhere(self._by_kind_key.get(key, ()), item.id)
            others = (each for each in lenders if self._patient(each) != own and each.images != item.images)
            if found := list(islice(others, MOST_LENDERS)):
                yield from (Substitute(each.images, "", each.id, missing) for each in found)
                return

    def _kind_key(self, item: Item) -> tuple[Hashable, Hashable]:
        """Return modality and body part of an item's image; "" for an unknown part.

        The answer key is not used: another key must not change which images are alike.
        """
        about = self._by_images.get((item.images, item.language)) or [item]
        words = "\n".join(chain.from_iterable(_list_statements(each, each.context, each.question) for each in about))
        modality, part = (_read_metadata(item, name) for name in KIND_COLUMNS)
        modalities = modality or modalities_of(words) or self._is_coloured(item)
        return modalities, _strip_side(part) or regions_of(words) or ""

    @cached_property
    def _by_kind_key(self) -> dict[tuple[Hashable, Hashable], list[Item]]:
        """Items with images by modality and part. The part "" has all items of a modality."""
        found: dict[tuple[Hashable, Hashable], list[Item]] = defaultdict(list)
        for item in self.items:
            if item.images and item.metadata.get("task") != "mismatch":
                modality, part = self._kind_key(item)
                for key in dict.fromkeys(((modality, part), (modality, ""))):
                    found[key].append(item)
        return found

    def elsewhere(self, item: Item) -> Iterator[Substitute]:
        """Return other patients' images that show no body part named in the item's text.

        They have the item's modality, or any known modality, or any at all, whichever is found first.
        """
        asked, named = _regions_asked_about(item), regions_of(f"{item.context}\n{item.question}")
        far = [
            kind
            for kind in self._by_kind
            if asked.isdisjoint(may_be_shown(kind.regions)) and named.isdisjoint(kind.regions)
        ]
        told, own = _read_metadata(item, "modality"), modalities_of(_read_metadata(item, "modality"))
        known = [kind for kind in far if kind.modality]
        alike = [kind for kind in known if told == kind.modality or (own and own == kind.modalities)]
        yield from self._lenders(item, alike) or self._lenders(item, known) or self._lenders(item, far)

    def otherwise(self, item: Item) -> Iterator[Substitute]:
        """Return other patients' images of the same body part by another modality.

        It must differ from the item's modality and from those named in its text.
        """
        part, words = _strip_side(_read_metadata(item, "body_part")), f"{item.context}\n{item.question}"
        own = modalities_of(_read_metadata(item, "modality")) | modalities_of(words)
        same = (kind for kind in self._by_kind if part == kind.part)
        yield from self._lenders(item, [kind for kind in same if kind.modalities and own.isdisjoint(kind.modalities)])

    def _lenders(self, item: Item, kinds: Iterable[_ImageKind]) -> list[Substitute]:
        """Some images of each of these kinds, none of the item's own patient."""
        lent = []
        for kind in kinds:
            lenders, own = _from_anywhere(self._by_kind[kind], item.id), self._patient(item)
            others = (each for each in lenders if self._patient(each) != own)
            strange = (each for each in others if each.images != item.images)
            lent += [Substitute(each.images, kind.part, each.id) for each in islice(strange, MOST_LENDERS)]
        return lent

    def other_series(self, item: Item) -> Iterator[Substitute]:
        """Return videos or stacks of other patients, of the item's kind if it is known.

        A video replaces a video, and a stack of slices a stack. Patients known to show the item's correct answer are
        left out.
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
        """Items with videos or stacks, by kind; None has all of them."""
        found: dict[tuple[str, str] | None, list[Item]] = defaultdict(list)
        for item in self.items:
            if series_in(item.images):
                for kind in {self.kind_of_image(item), None}:
                    found[kind].append(item)
        return found

    def of_the_same_images(self, item: Item) -> Sequence[Item]:
        """Return the other items with the same images and language."""
        return [each for each in self._by_images.get((item.images, item.language), ()) if each.id != item.id]

    @cached_property
    def _by_images(self) -> dict[Hashable, list[Item]]:
        found: dict[Hashable, list[Item]] = defaultdict(list)
        for item in self.items:
            found[item.images, item.language].append(item)
        return found

    @cached_property
    def by_id(self) -> dict[str, Item]:
        """Items by id."""
        return {item.id: item for item in self.items}

    @cached_property
    def _by_kind(self) -> dict[_ImageKind, list[Item]]:
        """Items whose shown regions are known, by kind of image."""
        found: dict[_ImageKind, list[Item]] = defaultdict(list)
        for item in self.items:
            modality, part = (_read_metadata(item, name) for name in KIND_COLUMNS)
            if item.images and item.metadata.get("task") != "mismatch" and regions_of(part):
                kind = _ImageKind(modality, modalities_of(modality), _strip_side(part), _regions_asked_about(item))
                found[kind].append(item)
        return found

    def _showing(self, item: Item, key: tuple[str, ...]) -> set[Hashable]:
        """Patients whose images show the item's correct answer."""
        right = item.options[int(item.answer or 0)].text
        return self._patients.get((key if is_relative(right) else key[:3], _plain(right)), set())

    @cached_property
    def _by_question(self) -> dict[tuple[str, ...], dict[str, list[Item]]]:
        """Items by question and kind of image, then by correct answer."""
        found: dict[tuple[str, ...], dict[str, list[Item]]] = {}
        for item in self.items:
            key = self._asks(item)
            if key is not None and item.images and isinstance(item.answer, int):
                right = _plain(item.options[item.answer].text)
                found.setdefault(key, {}).setdefault(right, []).append(item)
        return found

    @cached_property
    def _patients(self) -> dict[tuple[tuple[str, ...], str], set[Hashable]]:
        """Patients known to show an answer, by question and by kind of image."""
        found: dict[tuple[tuple[str, ...], str], set[Hashable]] = defaultdict(set)
        for key, by_answer in self._by_question.items():
            for right, lenders in by_answer.items():
                for asked in (key, key[:3]):
                    found[asked, right].update(map(self._patient, lenders))
        return found

    def _patient(self, item: Item) -> Hashable:
        """Return the patient of an item; if unknown, items with the same images share one."""
        if item.cluster:
            return item.cluster
        return tuple(dict.fromkeys(self._copies.get(image, image).origin for image in item.images)) or item.id

    @cached_property
    def _copies(self) -> dict[Image, Image]:
        """First of several files with the same content, by image."""
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
        """Key of an item's kind of image and question. None if the kind is not known."""
        kind = self.kind_of_image(item)
        if kind is None or item.kind != "choice" or item.answer is None:
            return None
        return (*kind, item.language, *_take_words(item))

    @cached_property
    def _by_answer(self) -> dict[tuple[tuple[str, str] | None, str, str], list[Item]]:
        """Items by kind of image, language and correct answer. The kind None has all items."""
        found: dict[tuple[tuple[str, str] | None, str, str], list[Item]] = defaultdict(list)
        for item in self.items:
            if item.kind == "choice" and item.images and isinstance(item.answer, int):
                for kind in {self.kind_of_image(item), None}:
                    found[kind, item.language, _plain(_right(item))].append(item)
        return found

    @cached_property
    def _answers_of(self) -> dict[Hashable, set[str]]:
        """Answers that each patient is known to show, if they mean something without their question."""
        found: dict[Hashable, set[str]] = defaultdict(set)
        for item in self.items:
            if isinstance(item.answer, int | str) and not is_relative(right := _right(item)):
                found[self._patient(item)].add(right)
        return found


def list_missing_columns(item: Item) -> tuple[str, ...]:
    """List the empty columns among those that describe the kind of an item's image."""
    return tuple(name for name in KIND_COLUMNS if not _read_metadata(item, name))


_mean_same = lru_cache(maxsize=2**16)(are_alike)


def _take_words(item: Item) -> tuple[str, ...]:
    """Content words of an item's question; of the whole text if options mean nothing alone."""
    relative = any(is_relative(option.text) for option in item.options)
    asked = item.question if relative else last_asked(item.question)
    plain = _IN_THIS_IMAGE.sub(" ", _plain(asked))
    return tuple(word for word in plain.split() if word not in _FILLER) or (_plain(asked),)


@lru_cache(maxsize=2**14)
def is_bound(option: str) -> bool:
    """Return True if an option means something only with its question: a side, size or treatment.

    >>> is_bound("Left"), is_bound("Mild"), is_bound("No abnormality"), is_bound("Right upper lobe")
    (True, True, True, False)
    """
    topics = bearings(option) & FINDINGS.keys()
    named = names_thing(option) or places_in(option)
    return not named or is_relative(option) or "nothing wrong" in topics or topics == {"procedure"}


def _list_statements(item: Item, other: str, question: str) -> list[str]:
    """Return statements of an item about its image: its category, the text `other`, and its question.

    A question states nothing if the answer may be no, or if the question names its options.
    """
    texts = [option.text for option in item.options]
    may_be_denied = (texts and is_polar(texts)) or names_both(question, texts)
    return [item.category, other, *([] if may_be_denied else [question])]


def _content(image: Image) -> bytes:
    """Identify an image file by its content; an unreadable file equals no other."""
    try:
        return hashlib.sha256(image.read()).digest()
    except ImageError:
        return image.name.encode(errors="surrogateescape")


def bearings_of(item: Item) -> frozenset[str]:
    """Return the anatomy and findings of an item, from all its texts."""
    answer = [item.answer] if isinstance(item.answer, str) else []
    texts = (item.context, item.question, *(option.text for option in item.options), *answer)
    return _parts_asked_about(item).union(*map(bearings, texts))


def _parts_asked_about(item: Item) -> frozenset[str]:
    told = (str(item.metadata.get(name, "") or "") for name in ("body_part", "modality"))
    return frozenset().union(*map(parts_of, (item.category, *told, last_asked(item.question))))


def _regions_asked_about(item: Item) -> frozenset[str]:
    return regions_of(_read_metadata(item, "body_part")) | (_parts_asked_about(item) & REGIONS)


def _read_metadata(item: Item, name: str) -> str:
    return str(item.metadata.get(name, "") or "").casefold()


def _strip_side(part: str) -> str:
    """Remove the side from a body part: "left knee" becomes knee.

    >>> _strip_side("Left knee"), _strip_side("ginocchio destro")
    ('knee', 'ginocchio')
    """
    return " ".join(word for word in _plain(part).split() if not speaks_of_sides(word))


def can_borrow(item: Item) -> bool:
    """Return True if another patient's image can answer the item's question."""
    texts = [option.text for option in item.options]
    open_ended = asks_for_misfit(last_asked(item.question)) and not is_polar(texts)
    return not open_ended and not any(map(refers_to_others, texts))


def last_asked(question: str) -> str:
    """Return the last sentence that asks; the sentences before it are the case.

    >>> last_asked("A man of 70. What is shown? Choose one.")
    'What is shown?'
    """
    sentences = [sentence for sentence in _SENTENCE.split(question) if sentence.strip()]
    asking = [sentence for sentence in sentences if sentence.rstrip().endswith(("?", "？"))]
    return (asking or sentences)[-1]


def _from_anywhere(lenders: Sequence[Item], item_id: str) -> Iterator[Item]:
    """Return all lenders in order, starting at a position that depends on the item."""
    start = zlib.crc32(item_id.encode(errors="replace"))
    return (lenders[(start + step) % len(lenders)] for step in range(len(lenders)))


def _right(item: Item) -> str:
    return item.options[item.answer].text if isinstance(item.answer, int) else str(item.answer)


def _plain(text: str) -> str:
    return " ".join(_WORD.findall(text.casefold()))
