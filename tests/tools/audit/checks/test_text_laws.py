"""Laws of the checks on text and keys: the order of the items and their ids change nothing, and no input is too odd."""

from dataclasses import replace
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import planted
from audit_planted import look
from snellen.items import Item, Option
from strategies import choices

NAMES = (
    "answer-position", "option-length", "majority", "near-duplicates", "contradictory-keys", "answer-given-away",
    "options-in-question", "option-labels", "key-fits", "wording", "needs-no-image",
)  # fmt: skip
FLAWED = [
    planted.duplicated(planting(planted.clean(seed, 60), 0.3, seed).items, 0.1, seed).items
    for seed, planting in enumerate([planted.FLAWS["longer-key"][1], planted.FLAWS["spelled-out"][1]])
]


def said(checked, names=None):
    """What a check says, apart from the order in which it lists items, by other names of these."""
    known = names or {}

    def of(item_id):
        return known.get(item_id, item_id)

    findings = [
        (
            each.severity,
            each.sentence,
            each.p,
            sorted((of(i), e, q, sorted(map(of, w)), repr(s), repr(sure)) for i, e, q, w, s, sure in each.items),
        )
        for each in checked.findings
    ]
    columns = {name: {of(key): value for key, value in column.items()} for name, column in checked.columns.items()}
    lists = {name: sorted(map(of, ids)) for name, ids in checked.lists.items()}
    return findings, checked.numbers, checked.cannot, checked.notes, columns, lists


@cache
def said_of_flawed(name, which):
    """What a check says of one of the flawed benchmarks as it is."""
    return said(look(name, FLAWED[which]))


@pytest.mark.parametrize("name", NAMES)
@given(st.sampled_from(range(len(FLAWED))), st.randoms(use_true_random=False))
@settings(max_examples=5, deadline=None)
def test_the_order_of_the_items_changes_nothing(name, which, random):
    """The same items in another order give the same sentences, numbers, p-values and lists."""
    other = list(FLAWED[which])
    random.shuffle(other)
    assert said(look(name, other)) == said_of_flawed(name, which)


@pytest.mark.parametrize("name", NAMES)
@given(st.sampled_from(range(len(FLAWED))), st.randoms(use_true_random=False))
@settings(max_examples=4, deadline=None)
def test_other_ids_change_nothing_but_ids(name, which, random):
    """Items of other names are told of in the same way, by those names."""
    items = FLAWED[which]
    numbers = list(range(len(items)))
    random.shuffle(numbers)
    names = {f"other-{number}": item.id for number, item in zip(numbers, items, strict=True)}
    renamed = [replace(item, id=f"other-{number}") for number, item in zip(numbers, items, strict=True)]
    assert said(look(name, renamed), names) == said_of_flawed(name, which)


@pytest.mark.parametrize("name", NAMES)
@given(st.lists(choices(max_options=4), max_size=24, unique_by=lambda item: item.id))
@settings(max_examples=6, deadline=None)
def test_any_items_can_be_looked_at(name, items):
    """No item is too odd, the items are left as they are, and every p and quote is within its bounds."""
    before = [replace(item) for item in items]
    checked = look(name, items, training=tuple(replace(item, id=f"t{item.id}") for item in items[:3]))
    assert items == before
    assert checked.check == name
    for finding in checked.findings:
        assert finding.p is None or 0 < finding.p <= 1
        assert all(len(each.quote) <= 160 for each in finding.items)


def made(count, question="Which sign is this, then?", options=("Mass", "Cyst", "Stone"), **fields):
    return [
        Item(str(n), question, tuple(map(Option, options)), n % len(options), cluster=f"p{n}", **fields)
        for n in range(count)
    ]


BAD = {
    "no items": [],
    "twelve items": made(12),
    "one class": [replace(item, answer=0) for item in made(60, "Which sign is this, then?")],
    "26 options": made(40, options=[f"sign number {n}" for n in range(26)]),
    "30 options": made(40, options=[f"sign number {n}" for n in range(30)]),
    "open questions": [Item(str(n), "What is it?", kind="open", answer="A mass") for n in range(40)],
    "Chinese": made(60, "患者男，60岁，肺炎，图中箭头所示为何物？", options=("肺炎", "肺癌", "气胸")),
    "signs alone": made(30, "???", options=("...", "!!!", "—")),
    "long": made(3, "the lung and the heart of patient " * 6_000),
    "identical": made(3_000),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kind", BAD)
def test_odd_benchmarks_are_told_of_in_sentences(name, kind):
    """A benchmark that lacks what a check needs is told so in a sentence."""
    checked = look(name, BAD[kind])
    assert all(sentence.endswith(".") and len(sentence) > 20 for sentence in (*checked.cannot, *checked.notes))
    reads_open = ("near-duplicates", "contradictory-keys", "key-fits", "wording")
    if kind == "no items" or (kind == "open questions" and name not in reads_open):
        assert checked.cannot or name in ("near-duplicates", "wording")
    if kind == "twelve items" and name in ("answer-position", "option-length", "majority"):
        assert "20" in checked.cannot[0]
