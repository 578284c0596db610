"""Near-duplicates: questions asked twice of one image, patients with the same history, and equal options."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product

from snellen.items import LETTERS, Item
from snellen.lexicon import read_lexicon
from snellen.perturb.words import folded
from snellen.stress.conclusions import percent
from snellen.tools.audit.audited import Audited, narrative_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import (
    EXTRA,
    NEAR,
    Duplicates,
    duplicates,
    named_beside,
    near_duplicates,
    plain_words,
    shown,
)
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, quoted

NAME = "near-duplicates"
_Partners = dict[int, dict[int, float]]
_MOST_KEPT = 12
"""Of more copies, so many of the first and of the last (which are training items) are looked at."""
_MANY = 0.01
"""Where a larger share of the items is also in training, scores cannot be taken at their word."""
_FEWEST_WORDS = 8
"""Words of a history that two patients do not share by chance."""
_INSTRUCTION = 0.1
"""A text that precedes a larger share of the questions, and more than three of them, is no patient's history."""
_PROSE = re.compile(r"[^\W\d_]+(?:[ ,.;:'’()/-]+[^\W\d_]+)*[ .;]*")
_WORD = re.compile(r"[^\W\d_]+")
_DENYING = frozenset(("no", "not", "without", "except", "least", "never", "none", "normal", "abnormal", "both"))
_OPPOSED = frozenset(re.findall(r"[^\W\d_]+", " ".join(read_lexicon("synonyms").read_lines("opposites"))))


def look(audited: Audited) -> Checked:
    """List the items that are asked twice or nearly so, also in training, and the options that say the same."""
    items = (*audited.items, *audited.training)
    found = duplicates(items)
    partners = _partners(found)
    repeated = _repeated_histories(audited.items)
    kinds = [
        _asked_twice(items, found, len(audited.items)),
        _nearly(items, partners, len(audited.items)),
        _same_history(audited.items, repeated),
        _in_training(items, partners, len(audited.items)),
        _same_options(audited.items),
    ]
    later = tuple(audited.items[at].id for at, others in repeated.items() if at > min(others))
    lists = {"repeated-histories": later} if later else {}
    cannot: tuple[str, ...] = () if audited.items else ("There are no items that could be duplicates.",)
    if found.method == "part":
        install = f"pip install 'snellen[{EXTRA}]'"
        cannot += (f"So many items are so alike that not all near-duplicates are listed. To find them: {install}.",)
    findings = tuple(filter(None, kinds))
    return Checked(NAME, len(audited.items), findings, cannot=cannot, notes=_notes(audited, found), lists=lists)


def _notes(audited: Audited, found: Duplicates) -> tuple[str, ...]:
    images: dict[tuple[object, ...], set[frozenset[str]]] = defaultdict(set)
    counts: dict[tuple[object, ...], int] = defaultdict(int)
    for each in found.wordings[: len(audited.items)]:
        images[each.parts].add(each.shows)
        counts[each.parts] += 1
    reworded = sum(counts[text] for text, shown in images.items() if len(shown) > 1)
    notes = [
        f"Near-duplicates are items about the same images, or without any, that share at least {percent(NEAR)} of the "
        "pairs of neighbouring words in question, context and options (Jaccard index). Case, punctuation, articles and "
        "the order of the options do not count. Histories of patients are compared in the same way, whatever their "
        "images."
    ]
    if found.method == "minhash":
        notes.append("They were looked for by MinHash, which misses one in 400 of those that share exactly 80%.")
    variants = sum(_varied(found, each.one, each.other) for each in found.near if each.one < len(audited.items))
    if variants:
        notes.append(
            f"{variants:,} pairs share as much but differ in a number, a letter, a side or a denial: they are taken "
            "for variants and not listed."
        )
    if reworded:
        notes.append(
            f"{reworded:,} items ask word for word what is also asked of another image; that is usual and no fault."
        )
    return tuple(notes)


def _asked_twice(items: Sequence[Item], found: Duplicates, own: int) -> Finding | None:
    lists = [places for each in found.same if len(places := [at for at in each if at < own]) > 1]
    flagged = [
        Flagged(
            items[at].id,
            _others(len(places) - 1, items[at]),
            quoted(items[at].question),
            named_beside(items, places, at),
            1.0,
        )
        for places in lists
        for at in places
    ]
    if not flagged:
        return None
    more = len(flagged) - len(lists)
    sentence = (
        f"{len(flagged):,} of {own:,} items are the same as another one about the same image or none: "
        f"{more:,} are asked once too often."
    )
    return Finding(NAME, Severity.MEDIUM, sentence, "Keep one of each; a copy counts a question twice.", tuple(flagged))


def _nearly(items: Sequence[Item], partners: _Partners, own: int) -> Finding | None:
    flagged = [
        Flagged(
            items[at].id,
            _evidence(items[at], max(known.values())),
            quoted(items[at].question),
            named_beside(items, sorted(known), at),
            round(max(known.values()), 3),
        )
        for at in range(own)
        if (known := {to: share for to, share in partners.get(at, {}).items() if to < own and share < 1})
    ]
    if not flagged:
        return None
    sentence = f"{len(flagged):,} of {own:,} items are nearly the same as another one about the same image or none."
    fix = "Read each pair: keep one, or count both as one question of the same group."
    return Finding(NAME, Severity.LOW, sentence, fix, tuple(flagged))


def _repeated_histories(items: Sequence[Item]) -> dict[int, dict[int, float]]:
    """The items of other patients whose history is the same or nearly so, by the place of an item, with the share."""
    places: dict[tuple[str, ...], list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        if len(words := tuple(plain_words(narrative_of(item)))) >= _FEWEST_WORDS:
            places[words].append(at)
    told = [each for each in places.items() if len(each[1]) <= max(3, _INSTRUCTION * len(items))]
    pairs, _ = near_duplicates([[words] for words, _ in told])
    same = [(at, at, 1.0) for at in range(len(told))]
    found: dict[int, dict[int, float]] = defaultdict(dict)
    for one, other, share in (*same, *pairs, *((other, one, share) for one, other, share in pairs)):
        for at, to in product(told[one][1], told[other][1][:_MOST_KEPT]):
            if at != to and _of_other_patients(items[at], items[to]):
                found[at][to] = share
    return dict(sorted(found.items()))


def _of_other_patients(one: Item, other: Item) -> bool:
    """Whether two items are of other patients; if they do not say so, whether they show other images."""
    if one.cluster and other.cluster:
        return one.cluster != other.cluster
    return shown(one) != shown(other)


def _same_history(items: Sequence[Item], repeated: Mapping[int, Mapping[int, float]]) -> Finding | None:
    flagged = [
        Flagged(
            items[at].id,
            f"The history of another patient shares {percent(max(others.values()))} of its pairs of words.",
            quoted(narrative_of(items[at])),
            named_beside(items, sorted(others), at),
            round(max(others.values()), 3),
            sure=0.5 if max(others.values()) == 1 else 0.2,
        )
        for at, others in repeated.items()
    ]
    if not flagged:
        return None
    sentence = f"{len(flagged):,} of {len(items):,} items tell nearly the same history as an item of another patient."
    fix = "Read each pair. Leave one case out (repeated-histories.txt), or give both the same cluster."
    return Finding(NAME, Severity.MEDIUM, sentence, fix, tuple(flagged), sure=0.2)


def _in_training(items: Sequence[Item], partners: _Partners, own: int) -> Finding | None:
    flagged = [
        Flagged(
            items[at].id,
            _evidence(items[at], max(known.values()), "in training"),
            quoted(items[at].question),
            named_beside(items, sorted(known), at),
            round(max(known.values()), 3),
        )
        for at in range(own)
        if (known := {to: share for to, share in partners.get(at, {}).items() if to >= own})
    ]
    if not flagged:
        return None
    exact = sum(each.score == 1 for each in flagged)
    sentence = (
        f"{len(flagged):,} of {own:,} items are also in training, about the same image or none: {exact:,} the same, "
        f"{len(flagged) - exact:,} nearly."
    )
    fix = "Take these items out of the test or out of training; split by patient."
    severity = Severity.HIGH if len(flagged) > _MANY * own else Severity.MEDIUM
    return Finding(NAME, severity, sentence, fix, tuple(flagged))


def _partners(found: Duplicates) -> _Partners:
    """The duplicates of each item, at most so many of each kind, with the share of words that both have."""
    members = {each[0]: each for each in found.same}
    partners: _Partners = defaultdict(dict)
    kinds = [(each, each, 1.0) for each in found.same]
    for one, other, share in found.near:
        if not _varied(found, one, other):
            first, second = members.get(one, (one,)), members.get(other, (other,))
            kinds += [(first, second, share), (second, first, share)]
    for some, others, share in kinds:
        named = (*others[:_MOST_KEPT], *others[-_MOST_KEPT:])
        for at in some:
            partners[at].update((to, share) for to in named if to != at)
    return partners


def _varied(found: Duplicates, one: int, other: int) -> bool:
    """Whether two items differ in a number, a letter, a side or a denial: they are variants then, no duplicates."""
    first, second = (Counter(word for part in found.wordings[at].parts for word in part) for at in (one, other))
    differing = [*(first - second), *(second - first)]
    return any(
        (len(word) == 1 and word.isascii()) or word in _DENYING or word in _OPPOSED or any(map(str.isdigit, word))
        for word in differing
    )


def _evidence(item: Item, share: float, where: str = "") -> str:
    another = f"Another item {where}{' ' if where else ''}{_about(item)}"
    if share == 1:
        return f"{another} says the same."
    return f"{another} shares {percent(share)} of its pairs of words."


def _others(count: int, item: Item) -> str:
    return _evidence(item, 1.0) if count == 1 else f"{count} other items {_about(item)} say the same."


def _about(item: Item) -> str:
    if not item.images:
        return "without an image"
    return "about the same image" if len(item.images) == 1 else "about the same images"


def _same_options(items: Sequence[Item]) -> Finding | None:
    flagged = [flag for item in items for flag in _twins(item)]
    if not flagged:
        return None
    sentence = (
        f"{len({each.item_id for each in flagged}):,} of {len(items):,} items offer two options that say the same."
    )
    fix = "Replace one of the two; where the right answer is one of them, both are right."
    right = any(each.score == 1 for each in flagged)
    return Finding(NAME, Severity.MEDIUM if right else Severity.LOW, sentence, fix, tuple(flagged), sure=0.7)


def _twins(item: Item) -> Iterator[Flagged]:
    places = item.real_places
    keys = [(_exact(item.options[at].text), at) for at in places]
    for (one, first), (other, second) in combinations(keys, 2):
        if one == other and len(LETTERS) > second:
            right = item.answer in (first, second)
            which = "one of them is the right answer" if right else "both are wrong"
            evidence = f"Options {LETTERS[first]} and {LETTERS[second]} say the same; {which}."
            quote = quoted(f"{item.options[first].text} / {item.options[second].text}")
            yield Flagged(item.id, evidence, quote, score=float(right))


def _exact(text: str) -> object:
    """Equal for options that differ in case, small signs, spelling or number (lesion, lesions) alone."""
    if not _PROSE.fullmatch(text):  # in a formula or a table every sign has a meaning
        return " ".join(text.split())
    return tuple(_singular(word) for word in _WORD.findall(text))


def _singular(word: str) -> str:
    """A word without the s of its plural, in one spelling; abbreviations and genotypes (XaXa) as they are."""
    if not (len(word) > 2 and (word.istitle() or word.islower() or (word.isupper() and len(word) > 5))):
        return word
    plain = " ".join(plain_words(word)) or word
    return folded(plain).removesuffix("s") if len(word) > 4 and not plain.endswith(("ss", "us", "is")) else plain


CHECK = Check(NAME, "Are questions asked twice, in the test or in training, or options offered twice?", look)
