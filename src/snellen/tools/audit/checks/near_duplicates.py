"""Near-duplicates: items that repeat another item, and patients with the same history."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import product

from snellen.items import Item
from snellen.lexicon import read_lexicon
from snellen.stress.conclusions import percent
from snellen.tools.audit.audited import Audited, narrative_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import (
    EXTRA,
    NEAR,
    Duplicates,
    duplicates,
    identify_images,
    named_beside,
    near_duplicates,
    plain_words,
)
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, list_finding, shorten_quote

NAME = "near-duplicates"
_Partners = dict[int, dict[int, float]]
_MOST_KEPT = 12
"""Maximum number listed of an item's first copies, and of its last (training) copies."""
_MANY = 0.01
"""If a larger share of the items is also in training, the problem is severe."""
_FEWEST_WORDS = 8
"""Minimum words of a history; shorter ones can be equal by chance."""
_INSTRUCTION = 0.1
"""Maximum share of questions with the same history; a more frequent text is an instruction."""
_DENYING = frozenset(("no", "not", "without", "except", "least", "never", "none", "normal", "abnormal", "both"))
_OPPOSED = frozenset(re.findall(r"[^\W\d_]+", " ".join(read_lexicon("synonyms").read_lines("opposites"))))


def look(audited: Audited) -> Checked:
    """Find items that repeat other test or training items."""
    items = (*audited.items, *audited.training)
    found = duplicates(items)
    partners = _partners(found)
    repeated = _repeated_histories(audited.items)
    findings = (
        *_asked_twice(items, found, len(audited.items)),
        *_nearly(items, partners, len(audited.items)),
        *_same_history(audited.items, repeated),
        *_in_training(items, partners, len(audited.items)),
    )
    later = tuple(audited.items[at].id for at, others in repeated.items() if at > min(others))
    lists = {"repeated-histories": later} if later else {}
    cannot: tuple[str, ...] = () if audited.items else ("There are no items that could be duplicates.",)
    if found.method == "part":
        install = f"pip install 'snellen[{EXTRA}]'"
        cannot += (f"Too many items are alike to list all near-duplicates. To list all of them: {install}.",)
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
    variants = sum(_are_variants(found, each.one, each.other) for each in found.near if each.one < len(audited.items))
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


def _flag(items: Sequence[Item], at: int, others: Mapping[int, float], where: str = "") -> Flagged:
    """Flag an item for similar ones. `others` has their places and shares of equal word pairs."""
    share = max(others.values())
    another = f"Another item {where}{' ' if where else ''}{_describe_images(items[at])}"
    evidence = f"{another} says the same."
    if share < 1:
        evidence = f"{another} shares {percent(share)} of its pairs of words."
    elif not where and len(others) > 1:
        evidence = f"{len(others)} other items {_describe_images(items[at])} say the same."
    quote = shorten_quote(items[at].question)
    return Flagged(items[at].id, evidence, quote, named_beside(items, sorted(others), at), round(share, 3))


def _asked_twice(items: Sequence[Item], found: Duplicates, own: int) -> tuple[Finding, ...]:
    lists = [places for each in found.same if len(places := [at for at in each if at < own]) > 1]
    flagged = [_flag(items, at, {to: 1.0 for to in places if to != at}) for places in lists for at in places]
    sentence = (
        f"{len(flagged):,} of {own:,} items are the same as another one about the same image or none: "
        f"{len(flagged) - len(lists):,} are superfluous copies."
    )
    fix = "Keep one of each; a copy counts a question twice."
    return list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged)


def _nearly(items: Sequence[Item], partners: _Partners, own: int) -> tuple[Finding, ...]:
    near = {
        at: {to: share for to, share in partners.get(at, {}).items() if to < own and share < 1} for at in range(own)
    }
    flagged = [_flag(items, at, others) for at, others in near.items() if others]
    sentence = f"{len(flagged):,} of {own:,} items are nearly the same as another one about the same image or none."
    fix = "Read each pair: keep one, or count both as one question of the same group."
    return list_finding(NAME, Severity.LOW, sentence, fix, flagged)


def _repeated_histories(items: Sequence[Item]) -> dict[int, dict[int, float]]:
    """Find items of different patients with nearly the same history.

    Returns, by the place of each item, the places of the others with the share of equal word pairs.
    """
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
    """Return whether two items have different patients or, if a patient is unknown, different images."""
    if one.cluster and other.cluster:
        return one.cluster != other.cluster
    return identify_images(one) != identify_images(other)


def _same_history(items: Sequence[Item], repeated: Mapping[int, Mapping[int, float]]) -> tuple[Finding, ...]:
    flagged = []
    for at, others in repeated.items():
        share = max(others.values())
        evidence = f"The history of another patient shares {percent(share)} of its pairs of words."
        quote, named = shorten_quote(narrative_of(items[at])), named_beside(items, sorted(others), at)
        sure = 0.5 if share == 1 else 0.2
        flagged.append(Flagged(items[at].id, evidence, quote, named, round(share, 3), sure))
    sentence = f"{len(flagged):,} of {len(items):,} items tell nearly the same history as an item of another patient."
    fix = "Read each pair. Leave one case out (repeated-histories.txt), or give both the same cluster."
    return list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged, sure=0.2)


def _in_training(items: Sequence[Item], partners: _Partners, own: int) -> tuple[Finding, ...]:
    trained = {at: {to: share for to, share in partners.get(at, {}).items() if to >= own} for at in range(own)}
    flagged = [_flag(items, at, others, "in training") for at, others in trained.items() if others]
    exact = sum(each.score == 1 for each in flagged)
    sentence = (
        f"{len(flagged):,} of {own:,} items are also in training, about the same image or none: {exact:,} the same, "
        f"{len(flagged) - exact:,} nearly."
    )
    fix = "Take these items out of the test or out of training; split by patient."
    severity = Severity.HIGH if len(flagged) > _MANY * own else Severity.MEDIUM
    return list_finding(NAME, severity, sentence, fix, flagged)


def _partners(found: Duplicates) -> _Partners:
    """Collect the near-duplicates of each item by place, with the share of equal word pairs."""
    members = {each[0]: each for each in found.same}
    partners: _Partners = defaultdict(dict)
    kinds = [(each, each, 1.0) for each in found.same]
    for one, other, share in found.near:
        if not _are_variants(found, one, other):
            first, second = members.get(one, (one,)), members.get(other, (other,))
            kinds += [(first, second, share), (second, first, share)]
    for some, others, share in kinds:
        named = (*others[:_MOST_KEPT], *others[-_MOST_KEPT:])
        for at in some:
            partners[at].update((to, share) for to in named if to != at)
    return partners


def _are_variants(found: Duplicates, one: int, other: int) -> bool:
    """Return whether two items differ in a number, a letter, a side or a negation."""
    first, second = (Counter(word for part in found.wordings[at].parts for word in part) for at in (one, other))
    differing = [*(first - second), *(second - first)]
    return any(
        (len(word) == 1 and word.isascii()) or word in _DENYING or word in _OPPOSED or any(map(str.isdigit, word))
        for word in differing
    )


def _describe_images(item: Item) -> str:
    if not item.images:
        return "without an image"
    return "about the same image" if len(item.images) == 1 else "about the same images"


CHECK = Check(NAME, "Are questions asked twice, in the test or in training?", look)
