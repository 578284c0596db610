"""Contradictory keys: the same question about the same image, with incompatible keys."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import combinations, permutations
from typing import NamedTuple

from snellen.items import Item
from snellen.perturb.alike import content
from snellen.perturb.polar import is_polar
from snellen.tools.audit.audited import Audited, doubts_itself, key_of
from snellen.tools.audit.checks import Check
from snellen.tools.audit.claims import claims_of, list_telling
from snellen.tools.audit.duplicates import Duplicates, duplicates, named_beside, plain_words
from snellen.tools.audit.finding import Checked, Flagged, Severity, list_finding, shorten_quote

NAME = "contradictory-keys"
_MOST = 50
"""Maximum number of items of the same wording whose keys are compared."""
_QUOTED_QUESTION = 110
"""Characters of a question that are quoted, so that the key after it is quoted too."""
_DENYING = {"no": "", "not": "", "without": "", "abnormal": "normal", "asymmetric": "symmetric", "irregular": "regular"}
"""Words that negate a question, each with its replacement in the positive form."""


_TURNS = re.compile(
    r"\b(?:no|not|without|absent|free|normal|abnormal\w*|typical|atypical|healthy|unremarkable|clear\w*"
    r"|rule[ds]? out|spared?|intact"
    r"|less|more|larger|smaller|greater|lower|higher|superior|inferior|left|right|asymmetric\w*|symmetric\w*|loss|blur\w*"
    r"|other|another|additional|else|only|both|all|any other|acute|chronic|complete|partial)\b",
    re.IGNORECASE,
)
"""Words that can make one of two similar questions ask for something else, or the opposite."""
_KINDS = (
    (
        "place",
        re.compile(
            r"^(?:where|in what|in which|on which|which (?:lobe|side|lung|organ|hemisphere|part|area|region))\b"
            r"|\b(?:located|location)\b",
            re.I,
        ),
    ),
    ("", re.compile(r"^what (?:is|are) (?:an?|meant by)\b|\b(?:synonym\w*|alternate name)\b", re.I)),
    ("", re.compile(r"^(?:please )?describe\b|^how (?:would|can|could|do|does|should) (?:you|we|one)\b", re.I)),
    ("thing", re.compile(r"^(?:what|which|why|how|name|please)\b", re.I)),
)
"""Kinds of questions whose different answers exclude each other; not definitions, looks and methods."""
_PARTS = re.compile(
    r"^(?:(?:in|on|at) )?(?:what|which) (bone|level|lobe|lung|organ|plane|rib|sequence|side|structure|type|vessel)s?\b",
    re.I,
)
"""Matches the thing that a question asks for. Questions that name different things do not ask the same."""


class _Clash(NamedTuple):
    """Items that cannot all be right, with the reason and its confidence."""

    places: tuple[int, ...]
    why: str
    sure: float = 0.9


def look(audited: Audited) -> Checked:
    """List the items whose key contradicts that of another item."""
    every = (*audited.items, *audited.training)
    items = tuple(item for item in every if item.has_choice or item.references)
    own = sum(item.has_choice or bool(item.references) for item in audited.items)
    if not own:
        return Checked(NAME, 0, cannot=("No item has a key, so no two keys can contradict each other.",))
    found = duplicates(items)
    finders = (_same, _find_near, _find_negated, _find_linked, _find_denied)
    every_clash = [clash for find in finders for clash in find(items, found)]
    flagged: dict[tuple[str, tuple[str, ...]], Flagged] = {}
    for clash in every_clash:
        for at in clash.places:
            if at < own:
                each = _flag_item(items, clash, at)
                flagged.setdefault((each.item_id, each.with_items), each)
    sentence = (
        f"{len({each.item_id for each in flagged.values()}):,} of {own:,} items contradict another one: both ask "
        "the same about the same image, or without an image, but their keys differ."
    )
    fix = "Read the items again and correct the key that is wrong; until then leave both out of the score."
    findings = list_finding(NAME, Severity.HIGH, sentence, fix, flagged.values(), sure=0.9)
    notes = ("Keys of training items are compared with those of the test, too.",) if audited.training else ()
    return Checked(NAME, own, findings, notes=notes)


def _flag_item(items: Sequence[Item], clash: _Clash, at: int) -> Flagged:
    quote = shorten_quote(f"{shorten_quote(items[at].question)[:_QUOTED_QUESTION]} – {key_of(items[at])}")
    return Flagged(items[at].id, clash.why, quote, named_beside(items, clash.places, at), sure=clash.sure)


def _key(item: Item) -> tuple[str, ...]:
    return tuple(plain_words(key_of(item)))


def _clash(one: Item, other: Item) -> bool:
    """Return whether two keys differ in meaning. Open keys must share no meaningful word."""
    if one.kind == other.kind == "open":
        if doubts_itself(key_of(one)) or doubts_itself(key_of(other)) or _offer_other_words(one, other):
            return False
        asked = content(one.question) & content(other.question)
        first, second = content(key_of(one)) - asked, content(key_of(other)) - asked
        return bool(first and second) and not first & second
    return _key(one) != _key(other)


def _offer_other_words(one: Item, other: Item) -> bool:
    """Return whether each question offers answers in words that the other lacks."""
    asked = [set(plain_words(each.question)) for each in (one, other)]
    keys = [set(plain_words(key_of(each))) for each in (one, other)]
    return all("or" in words and key <= words for words, key in zip(asked, keys, strict=True)) and not (
        keys[0] <= asked[1] and keys[1] <= asked[0]
    )


def _same(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    for places in found.same:
        if any(_clash(items[one], items[other]) for one, other in combinations(places[:_MOST], 2)):
            yield _Clash(places, "Another item asks the same but has another key.")


def _find_near(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    for one, other, share in found.near:
        first, second = found.wordings[one], found.wordings[other]
        meant = [
            (content(" ".join(each.question)), content(" ".join(each.context)))  # without endings, and words like "the"
            for each in (first, second)
        ]
        if first.options == second.options and meant[0] == meant[1] and _clash(items[one], items[other]):
            why = (
                f"It shares {share:.0%} of its pairs of words, and all words that carry meaning, with an item that has "
                "another right answer."
            )
            yield _Clash((one, other), why)


def _find_negated(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    """Find pairs of a question and its negation that have the same answer."""
    turned: dict[tuple[object, ...], dict[bool, list[int]]] = defaultdict(lambda: defaultdict(list))
    for at, (item, said) in enumerate(zip(items, found.wordings, strict=True)):
        if is_polar_item(item):
            denying = [word for word in said.question if word in _DENYING]
            plain = tuple(put for word in said.question if (put := _DENYING.get(word, word)))
            if len(denying) < 2:
                turned[plain, said.context, said.shows, _key(item)][bool(denying)].append(at)
    for both in turned.values():
        if len(both) == 2:
            places = (*both[False], *both[True])
            yield _Clash(places, "An item that asks the opposite about the same image has the same answer.")


def _find_linked(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    """Find pairs that the benchmark links as the same question but that have incompatible keys."""
    groups: dict[str, list[int]] = defaultdict(list)
    for at, item in enumerate(items):
        if (link := str(item.metadata.get("linked") or "")).strip():
            groups[link].append(at)
    for places in groups.values():
        for one, other in combinations(places[:_MOST], 2):
            if _clash(items[one], items[other]) and _asks_same(items[one], items[other]):
                why = "The benchmark links it to an item that seems to ask the same and has another key."
                yield _Clash((one, other), why, 0.6)


def _find_denied(items: Sequence[Item], found: Duplicates) -> Iterator[_Clash]:
    """Find pairs about one image in which one key denies what the other item says."""
    shown: dict[frozenset[str], list[int]] = defaultdict(list)
    for at, said in enumerate(found.wordings):
        if said.shows:
            shown[said.shows].append(at)
    for places in shown.values():
        claims = {at: claims_of(items[at]) for at in places[:_MOST] if len(places) > 1}
        for one, other in permutations(claims, 2):
            if claims[one].denied and claims[one].denied <= claims[other].held:
                why = "One key denies what the question and key of another item about the same image say."
                yield _Clash((one, other), why, 0.6)


def _asks_same(one: Item, other: Item) -> bool:
    """Return whether two linked items want the same kind of answer, with neither question negated."""
    if is_polar_item(one) != is_polar_item(other) or {one.kind, other.kind} == {"choice", "open"}:
        return False
    if is_polar_item(one):
        turns = [frozenset(word.lower() for word in _TURNS.findall(each.question)) for each in (one, other)]
        return turns[0] == turns[1] and len(list_telling(one.question) & list_telling(other.question)) >= 2
    parts = {found.group(1).lower() for each in (one, other) if (found := _PARTS.search(each.question))}
    if len(parts) == 2:
        return False
    kinds = [next((name for name, pattern in _KINDS if pattern.search(each.question)), "") for each in (one, other)]
    return kinds[0] == kinds[1] != "" and bool(content(one.question) & content(other.question))


def is_polar_item(item: Item) -> bool:
    """Return whether an item is a choice between yes and no."""
    return len(item.options) == 2 and is_polar([option.text for option in item.options])


CHECK = Check(NAME, "Do keys contradict each other?", look)
