"""Contradictory keys: the same question about the same image, with the same options, and different right answers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from snellen.items import Item
from snellen.perturb.alike import content
from snellen.perturb.polar import is_polar
from snellen.tools.audit.audited import Audited, right_place
from snellen.tools.audit.checks import Check
from snellen.tools.audit.duplicates import Duplicates, ItemWords, duplicates, named_beside, plain_words
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, quoted

NAME = "contradictory-keys"
_QUOTED_QUESTION = 110
"""Characters of a question that are quoted, so that the key after it is quoted too."""
_DENYING = {"no": "", "not": "", "without": "", "abnormal": "normal", "asymmetric": "symmetric", "irregular": "regular"}
"""Words that turn a question round, and what stands there when it is not."""


class _Clash(NamedTuple):
    """Items of which not all can be right, and why."""

    places: tuple[int, ...]
    why: str


def look(audited: Audited) -> Checked:
    """List the items whose key contradicts that of another item."""
    items = tuple(item for item in (*audited.items, *audited.training) if item.has_choice)
    own = len(audited.choices)
    if not own:
        return Checked(
            NAME, 0, cannot=("No item is a choice between answers, so no two keys can contradict each other.",)
        )
    found = duplicates(items)
    clashes = [
        clash
        for clash in chain(_same(items, found), _near(items, found), _negated(items, found))
        if min(clash.places) < own
    ]
    flagged = tuple(_flagged(items, clash, at) for clash in clashes for at in clash.places if at < own)
    finding = _finding(flagged, own) if flagged else ()
    return Checked(NAME, own, finding, notes=_notes(audited))


def _finding(flagged: Sequence[Flagged], own: int) -> tuple[Finding]:
    many = len({each.item_id for each in flagged})
    sentence = (
        f"{many:,} of {own:,} items contradict another one: the same is asked of the same image, or without any, and "
        "another answer is right."
    )
    fix = "Read the items again and correct the key that is wrong; until then leave both out of the score."
    return (Finding(NAME, Severity.HIGH, sentence, fix, tuple(flagged)),)


def _notes(audited: Audited) -> tuple[str, ...]:
    return ("Keys of training items are held against those of the test, too.",) if audited.training_choices else ()


def _flagged(items: Sequence[Item], clash: _Clash, at: int) -> Flagged:
    key = items[at].options[right_place(items[at])].text
    quote = quoted(f"{quoted(items[at].question)[:_QUOTED_QUESTION]} – {key}")
    return Flagged(items[at].id, clash.why, quote, named_beside(items, clash.places, at))


def _key(item: Item) -> tuple[str, ...]:
    return tuple(plain_words(item.options[right_place(item)].text))


def _same(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    for places in found.same:
        if len({_key(items[at]) for at in places}) > 1:
            yield _Clash(places, "It is the same as another item, which has another right answer.")


def _near(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    for one, other, share in found.near:
        first, second = found.wordings[one], found.wordings[other]
        if first.options == second.options and _key(items[one]) != _key(items[other]) and _means_same(first, second):
            why = (
                f"It shares {share:.0%} of its pairs of words, and all words that carry meaning, with an item that has "
                "another right answer."
            )
            yield _Clash((one, other), why)


def _means_same(one: ItemWords, other: ItemWords) -> bool:
    """Whether both have the same words but for endings and words such as "the"."""
    return all(
        content(" ".join(first)) == content(" ".join(second))
        for first, second in ((one.question, other.question), (one.context, other.context))
    )


def _negated(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    """Yes to a question and to the same with a "no" in it."""
    turned: dict[tuple[object, ...], dict[bool, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, (item, said) in enumerate(zip(items, found.wordings, strict=True)):
        if len(item.options) == 2 and is_polar([option.text for option in item.options]):
            denying = [word for word in said.question if word in _DENYING]
            plain = tuple(put for word in said.question if (put := _DENYING.get(word, word)))
            if len(denying) < 2:
                turned[plain, said.context, said.shows, _key(item)][bool(denying)].append(at)
    for both in turned.values():
        if len(both) == 2:
            places = (*both[False], *both[True])
            yield _Clash(places, "Its answer is the same as that of an item which asks the opposite of the same image.")


CHECK = Check(NAME, "Do keys contradict each other?", look)
