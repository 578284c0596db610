"""Statements that the image and the text of a question do not belong together."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from snellen.lexicon import read_lexicon
from snellen.perturb.topics import MODALITIES, PARTS_IN_CHINESE, REGIONS, modalities_of, parts_of
from snellen.reading.language.sentences import sentences_of
from snellen.runtime import regex


class TopicPair(NamedTuple):
    """Topics (body parts or modalities) of a question's text and its image, if known."""

    told: frozenset[str]
    shown: frozenset[str]


class NamedContradiction(NamedTuple):
    """Kind of a contradiction that a text names, and the sentence that names it."""

    way: str
    sentence: str


_NE = regex("(?<![a-z])n'(?=[a-z])")


def _plain(text: str) -> str:
    """Return a text in lower case without accents; French "n'est pas" becomes "ne est pas"."""
    parted = unicodedata.normalize("NFD", text.casefold().replace("œ", "oe"))
    return _NE.sub("ne ", "".join(sign for sign in parted if not unicodedata.combining(sign)))


_LEXICON = read_lexicon("contradiction")


def _any_of(name: str) -> re.Pattern[str]:
    """Return a pattern of any piece of a list. Latin pieces must be whole words; Chinese ones match anywhere."""
    pieces = _LEXICON.read_lines(name)
    latin = "|".join(piece for piece in pieces if piece.isascii())
    signs = "|".join(piece for piece in pieces if not piece.isascii())
    return regex(f"(?<![a-z])(?:{latin})(?![a-z])|{signs}" if signs else f"(?<![a-z])(?:{latin})(?![a-z])")


_IMAGE = _any_of("image")
_FOUND = regex(rf"\W{{0,2}}(?:{_any_of('findings').pattern})")
_TELLING, _HOW_MUCH = _any_of("telling"), _any_of("person")
_NOT, _FITS = _any_of("not"), _any_of("fits")
_NOT_AFTER = _any_of("not after")
_MISFIT, _MISMATCH = _any_of("misfit"), _any_of("mismatch")
_WRONG, _OTHER, _UNRELATED = _any_of("wrong image"), _any_of("other part"), _any_of("unrelated")
_COMPLAINS, _REQUESTED = _any_of("complains"), _any_of("requested")
_UNSHOWN, _UNSENT, _SAME = _any_of("unshown"), _any_of("unsent"), _any_of("same")
_NOTHING, _STRANGE = _any_of("nothing"), _any_of("strange")
_SOUND = regex(rf"(?:{_any_of('sound').pattern}) $")
_NAMES = _any_of("names")
_TOGETHER, _NOT_BY, _OF_DISEASE = _any_of("together"), _any_of("not by"), _any_of("of disease")
_WITH = regex(r"(?<![a-z])(?:mit|zu|zur|zum|von)(?: [a-z]+){0,2} $|[与和跟同][^,，]{0,6}$")
"""A preposition such as "mit" or "与" directly before a position.

In German and Chinese, the thing that does not fit may precede the verb.
"""
_JOINED = regex(r" (?:and|e|y|et|und) (?:\w+ ){0,2}$|[与和及、]$")
_BUT, _RATHER = _any_of("but"), _any_of("rather")
_SUPPOSES, _SHOWS = _any_of("supposes"), _any_of("shows")
_LATIN = regex("[a-z]+")
_CLAUSE = regex(r"[,;:，；：]| - ")
_ALONE = regex(r"\W*(?:joint|region|area|itself|at all|image|mri|ct|x ?-?ray|scan|radiograph)?\W*$")
_NEAR = 28
"""Most characters between a denying word and the word that it denies."""
_SHORT = 20
"""Most characters between a comma and a "but" that belongs to its clause."""
_LIMBS = _LEXICON.read_table("limbs")
_FAMILY = {**dict.fromkeys(("shoulder", "elbow", "hand"), "arm"), **dict.fromkeys(("hip", "knee", "foot"), "leg")}


def sites_of(text: str) -> frozenset[str]:
    """Return the body parts that a text names. Joints of arm and leg are kept separate.

    >>> sorted(sites_of("left knee")), sorted(sites_of("MRI of the leg")), sorted(sites_of("lung"))
    (['knee'], ['leg'], ['chest'])
    """
    return frozenset(site for _, _, sites in _locate_parts(_plain(text)) for site in sites)


def compare_topics(part: str, shown: str, modality: str = "", shown_modality: str = "") -> TopicPair:
    """Return the topics in which text and image differ.

    They are body parts or, if these do not differ, modalities. If neither differs, return the body parts, without
    shared ones for the image.
    """
    told, seen = sites_of(part), sites_of(shown)
    if told and seen and not _kin(told, seen):
        return TopicPair(told, seen)
    kinds, others = modalities_of(modality), modalities_of(shown_modality)
    if kinds and others and kinds.isdisjoint(others):
        return TopicPair(kinds, others)
    return TopicPair(told, seen - told)


def contradiction_in(text: str, case: TopicPair) -> NamedContradiction | None:
    """Return the first statement that image and text do not match. None if there is none.

    >>> knee = compare_topics("knee", "shoulder")
    >>> contradiction_in("The image shows a shoulder, not a knee.", knee).way
    'other-part'
    >>> contradiction_in("The findings are not consistent with a fracture.", knee) is None
    True
    """
    before = _Sentence("", "", case)
    for said in sentences_of(text):
        sentence = _Sentence(said, _plain(said), case)
        if way := sentence.way(before):
            return NamedContradiction(way, said)
        sentence.seen |= before.seen
        before = sentence
    return None


def describes(text: str, case: TopicPair) -> str | None:
    """Return the sentence that describes a topic other than the question's. None if there is none."""
    for said in sentences_of(text):
        sentence = _Sentence(said, _plain(said), case)
        if sentence.shown and sentence.pictured:
            return said
    return None


def _is_sound(low: str, end: int) -> bool:
    """Return whether the word directly before a place says that all is well."""
    return bool(_SOUND.search(low, low.rfind(" ", 0, max(end - 2, 0)) + 1, end))


class _Sentence:
    """A sentence with the positions of words for the image, the text and their topics."""

    def __init__(self, said: str, low: str, case: TopicPair) -> None:
        self.low = low
        named = list(_kinds_placed(low) if case.told & MODALITIES else _locate_parts(low))
        self.shown = [(start, end) for start, end, sites in named if _is_shown(sites, case)]
        self.told = [(start, end) for start, end, sites in named if _kin(sites, case.told)]
        found = list(_IMAGE.finditer(low))
        images = (each for each in found if not _FOUND.match(low, each.end()))
        self.images = [each.span() for each in images if not _is_sound(low, each.start())]
        self.pictured = bool(found) or bool(self.shown and _SHOWS.search(low))
        self.tellings = [each.span() for each in _TELLING.finditer(low)]
        self.seen = bool(found)
        self.complaints = [each.span() for each in _COMPLAINS.finditer(low)]

    def way(self, before: _Sentence) -> str | None:
        """Return how the sentence names a contradiction, alone or after another sentence. None if it does not."""
        if self._says_wrong(before):
            return "wrong-image"
        if self._misfits(before):
            return "misfit"
        if self._other_part(before):
            return "other-part"
        return None

    def _says_wrong(self, before: _Sentence) -> bool:
        if any(not self._is_not_asserted(each.start()) for each in _WRONG.finditer(self.low)):
            return True
        other = (each for each in _OTHER.finditer(self.low) if not self._is_not_asserted(each.start()))
        return bool(self.images or before.images) and any(not _is_within_part(self.low, *each.span()) for each in other)

    def _misfits(self, before: _Sentence) -> bool:
        if _HOW_MUCH.search(self.low):
            return False
        if any(self._images_before(each.start(), before) for each in _UNRELATED.finditer(self.low)):
            return True
        if _STRANGE.search(self.low) and (self.shown or before.shown) and (self.seen or before.seen):
            return True
        if any(self._shown_after(each.end()) for each in _NOT_BY.finditer(self.low)):
            return True
        if any(self._sides(start, end, before) for start, end in self._denials()):
            return True
        named = (each for each in _MISMATCH.finditer(self.low) if not self._is_not_asserted(each.start()))
        return any(True for _ in named) and bool(
            self._names_image_and_text() or (before.images and self.tellings) or self._points()
        )

    def _images_before(self, start: int, before: _Sentence) -> bool:
        """Return whether an image of another topic is named before a place, not only supposed."""
        images, shown = (any(place[1] <= start for place in places) for places in (self.images, self.shown))
        named = (images and shown) or (bool(before.images and before.shown) and bool(self.told))
        return named and not _is_supposed(self.low, start)

    def _denials(self) -> Iterator[tuple[int, int]]:
        for found in _NOTHING.finditer(self.low):
            if not _is_supposed(self.low, found.start()):
                yield found.span()
        for found in _MISFIT.finditer(self.low):
            if not self._is_not_asserted(found.start()):
                yield found.span()
        for found in _FITS.finditer(self.low):
            denied = self._last(_NOT, found.start())
            if denied is not None and not _is_supposed(self.low, denied):
                yield denied, found.end()
            after = _NOT_AFTER.search(self.low, found.end(), found.end() + _NEAR)
            joined = after is not None and not _CLAUSE.search(self.low, found.end(), after.start())
            if joined and not _is_supposed(self.low, found.start()):
                yield found.span()

    def _sides(self, start: int, end: int, before: _Sentence) -> bool:
        """Return whether image and text are the two things that do not fit."""
        images, texts = self._images_around(start, end), self._texts()
        if _OF_DISEASE.search(self.low, end, end + _NEAR) or _OF_DISEASE.search(self.low, max(0, start - 4), start):
            return False
        if _stand_apart(images, texts, start, end) or self._joins_image_and_text(start):
            return True
        if (images and _SAME.search(self.low, start, end)) or (before.seen and _TOGETHER.search(self.low, start)):
            return True
        if any(place[1] <= start and _WITH.search(self.low[: place[0]]) for place in texts):
            return any(place[1] <= start for place in images)
        if not self.low[:start].strip():
            return bool(self.shown and texts)
        if any(place[0] >= end for place in texts) and not any(place[1] <= start for place in texts):
            return bool(before.images or before.shown) and not _FOUND.search(self.low[:start])
        return not self.low[end:].strip(" .!") and bool(images) and bool(texts)

    def _images_around(self, start: int, end: int) -> list[tuple[int, int]]:
        """Return the places that name the image or its topic. They are between the semicolons around a span."""
        after = self.low.find(";", end)
        low, high = self.low.rfind(";", 0, start), after if after >= 0 else len(self.low)
        images = [*self.images, *(self.shown if self.pictured else ())]
        return [place for place in images if low < place[0] < high]

    def _texts(self) -> list[tuple[int, int]]:
        """Return the places that name the question's text or its body part. Diseases of this part do not count."""
        names = [(start, end) for start, end in self.told if _NAMES.fullmatch(self.low, start, end)]
        return [*self.tellings, *names, *(self.complaints if self.shown else ())]

    def _shown_after(self, end: int) -> bool:
        """Return whether an image of another topic directly follows a place."""
        return any(end <= place[0] <= end + _NEAR for place in self.shown) and bool(self.images)

    def _joins_image_and_text(self, end: int) -> bool:
        """Return whether "image and history" or the like precedes a place."""
        ordered = sorted((*self.images, *self.tellings))
        pairs = [(one, other) for one, other in pairwise(ordered) if (one in self.images) != (other in self.images)]
        return any(other[1] <= end and _JOINED.search(self.low[one[1] : other[0]]) for one, other in pairs)

    def _asked_otherwise(self, before: _Sentence) -> bool:
        """Return whether the sentence contrasts an image of one part with the request for another."""
        shown = (self.shown and self.pictured) or (before.shown and before.pictured)
        return bool(shown and self.told and _REQUESTED.search(self.low) and not _SUPPOSES.match(self.low))

    def _other_part(self, before: _Sentence) -> bool:
        if self._denied_part(before) or self._asked_otherwise(before):
            return True
        parts = _split_at_but(self.low)
        if len(parts) > 1 and _SUPPOSES.match(self.low) is None:
            for at, (start, end) in enumerate(parts):
                others = [part for place, part in enumerate(parts) if place != at]
                if self._pictures(start, end) and any(self._tells(*other) for other in others):
                    return True
        turn = _BUT.search(self.low, 0, _NEAR)
        if turn and before.low and not _UNSENT.search(self.low):
            return bool(
                (self.shown and self.pictured and not self.told and (before.told or before.tellings))
                or (before.shown and before.pictured and not before.told and self.told and self.tellings)
            )
        return False

    def _denied_part(self, before: _Sentence) -> bool:
        """Return whether a sentence contrasts body parts: "a shoulder, not a knee", and similar."""
        for start, end in self.told:
            if (self.shown or before.shown) and _UNSHOWN.match(self.low[end:].lstrip()):
                return True
            denied = self._last(_RATHER, start)
            if denied is None or _is_supposed(self.low, denied):
                continue
            if self.pictured and any(place[1] <= denied or place[0] >= end for place in self.shown):
                return True
            pure = _NAMES.fullmatch(self.low, start, end) and _ALONE.match(self.low, end)
            if pure and any(place[1] <= denied for place in self.images):
                return True
        return False

    def _pictures(self, start: int, end: int) -> bool:
        """Return whether a clause says that the image shows a topic other than the question's."""
        shown = any(start <= place[0] < end and self._last(_RATHER, place[0]) is None for place in self.shown)
        told = any(start <= place[0] < end for place in self.told)
        image = any(start <= place[0] < end for place in self.images)
        return shown and not told and (image or bool(_SHOWS.search(self.low, start, end)))

    def _tells(self, start: int, end: int) -> bool:
        """Return whether a clause is about the question's text or its topic."""
        shown = any(start <= place[0] < end for place in self.shown)
        named = any(start <= place[0] < end for place in (*self.told, *self.tellings))
        return not shown and (named or bool(_COMPLAINS.search(self.low, start, end)))

    def _names_image_and_text(self) -> bool:
        return bool(self.images and self.tellings) or bool(self.shown and self.told)

    def _points(self) -> bool:
        return bool(self.images and (self.told or self.shown)) or bool(self.tellings and self.shown)

    def _is_not_asserted(self, start: int) -> bool:
        """Return whether the word at a place is denied or only supposed."""
        return self._last(_NOT, start) is not None or _is_supposed(self.low, start)

    def _last(self, denies: re.Pattern[str], start: int) -> int | None:
        """Return the position of the last denying word shortly before a place in its clause."""
        found = list(denies.finditer(self.low, max(0, start - _NEAR), start))
        return found[-1].start() if found and not _CLAUSE.search(self.low, found[-1].end(), start) else None


def speaks_of_fit(text: str) -> bool:
    """Return whether a text says anything about image and text matching or not."""
    low = _plain(text)
    return any(each.search(low) is not None for each in (_FITS, _MISFIT, _MISMATCH))


def _is_within_part(low: str, start: int, end: int) -> bool:
    """Return whether words name an area of a part: "other brain regions". An area is not another part."""
    following = low[end : end + _NEAR]
    placed = following if following.startswith((" of ", " in ")) else ""
    return any(True for _ in _locate_parts(low[start:end] + placed))


def _is_supposed(low: str, start: int) -> bool:
    """Return whether a word earlier in the clause makes a place only supposed."""
    begin = max((each.end() for each in _CLAUSE.finditer(low, 0, start)), default=0)
    return _SUPPOSES.search(low, begin, start) is not None


def _stand_apart(ones: Sequence[tuple[int, int]], others: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Return whether one place of each group is on opposite sides of a span."""
    first = any(place[1] <= start for place in ones), any(place[0] >= end for place in ones)
    second = any(place[1] <= start for place in others), any(place[0] >= end for place in others)
    return (first[0] and second[1]) or (first[1] and second[0])


def _split_at_but(low: str) -> list[tuple[int, int]]:
    """Return the parts of a sentence contrasted by "but" or "whereas". Empty without such a contrast."""
    turns = list(_BUT.finditer(low))
    if not turns:
        return []
    cuts = {0, len(low)}
    for turn in turns:
        comma = max(low.rfind(sign, 0, turn.start()) for sign in ",，;；")
        cuts.add(comma if comma > 0 and turn.start() - comma <= _SHORT else turn.start())
        if turn.start() <= 1 and (first := re.search("[,，]", low)):
            cuts.add(first.start())
    ordered = sorted(cuts)
    return [(start, end) for start, end in pairwise(ordered) if low[start:end].strip()]


def _is_shown(sites: frozenset[str], case: TopicPair) -> bool:
    """Return whether a word names the image's topic. If that is unknown, any topic except the question's counts."""
    if _kin(sites, case.told):
        return False
    return _kin(sites, case.shown) if case.shown else bool(case.told) and bool(sites)


def _kin(ones: frozenset[str], others: frozenset[str]) -> bool:
    """Return whether two parts are the same, or one belongs to the other's limb."""
    return bool(_with_family(ones) & others or ones & _with_family(others))


def _with_family(sites: frozenset[str]) -> frozenset[str]:
    return sites | {_FAMILY[site] for site in sites if site in _FAMILY}


def _locate_parts(low: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    for found in _LATIN.finditer(low):
        if sites := _sites_of_word(found.group()):
            yield found.start(), found.end(), sites
    if not low.isascii():
        for sign, sites in _SIGNS.items():
            for found in re.finditer(sign, low):
                yield found.start(), found.end(), sites


def _kinds_placed(low: str) -> Iterator[tuple[int, int, frozenset[str]]]:
    for found in _IMAGE.finditer(low):
        if kinds := modalities_of(found.group()):
            yield found.start(), found.end(), kinds


@lru_cache(maxsize=2**14)
def _sites_of_word(word: str) -> frozenset[str]:
    """Return the body parts that a word names. Words with other senses ("other hand") name none."""
    joints = frozenset(name for name, (whole, stems) in _JOINTS.items() if word in whole or word.startswith(stems))
    return joints or (parts_of(word) & REGIONS if word not in _NO_SITE else frozenset())


def _joint(listed: str) -> tuple[frozenset[str], tuple[str, ...]]:
    names = [name for name in listed.split() if name.isascii() or name.endswith("*")]
    stems = tuple(name[:-1] for name in names if name.endswith("*"))
    return frozenset(name for name in names if not name.endswith("*")), stems


_JOINTS = {name: _joint(listed) for name, listed in _LIMBS.items()}
_NO_SITE = frozenset(("face", "disc", "cord", "vision", "radial", "general", "rein", "colonna", "neurological"))
_SIGNS = {
    **{sign: parts_of(sign) & REGIONS for signs in PARTS_IN_CHINESE.values() for sign in signs.split()
       if parts_of(sign) & REGIONS},
    **{sign: frozenset({name}) for name, listed in _LIMBS.items() for sign in listed.split()
       if not sign.isascii()},
}  # fmt: skip
"""Chinese characters and the body parts that they name."""
