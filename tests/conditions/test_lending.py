"""An image is lent once if that is possible, the same to the same item on any machine."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import load
from snellen.conditions import ImageSubstituted, Pool, lending, vary
from snellen.conditions.lending import share_lenders
from snellen.errors import Inapplicable
from strategies import findings

WANTED = st.dictionaries(st.sampled_from("abcdefgh"), st.lists(st.sampled_from("uvwxyz"), min_size=1, unique=True))


def most_matched(wanted, taken=frozenset()):
    """How many borrowers can have a lender of their own, by trying everything."""
    if not wanted:
        return 0
    (_, lenders), *rest = wanted.items()
    left = dict(rest)
    kept = [1 + most_matched(left, taken | {each}) for each in lenders if each not in taken]
    return max([*kept, most_matched(left, taken)])


@given(WANTED)
def test_as_many_lenders_as_possible_lend(wanted):
    """Everybody has a lender that it wants, and no other way has more different lenders."""
    found = share_lenders(wanted)
    assert found.keys() == wanted.keys()
    assert all(found[each] in wanted[each] for each in wanted)
    assert len({*found.values()}) == most_matched(wanted)


@given(st.integers(1, 12), st.integers(1, 4))
def test_what_must_be_shared_is_shared_evenly(borrowers, lenders):
    """No lender lends twice more often than another."""
    names = [f"l{at}" for at in range(lenders)]
    counts = Counter(share_lenders({f"b{at:02}": names for at in range(borrowers)}).values())
    assert max(counts.values()) - min(counts[name] for name in names) <= 1


def swaps(items, seed=0, nth=1):
    """Who lends to each item, in a pool of all."""
    pool, found = Pool(items), {}
    for item in items:
        try:
            found[item.id] = vary(item, ImageSubstituted(nth), seed=seed, pool=pool).drawn
        except Inapplicable:
            continue
    return found


def test_swapped_images_of_phantoms_are_lent_once_where_possible(monkeypatch):
    """Each draws by itself only in a benchmark that is too large to be matched; then few lend much."""
    items = load("phantoms").items
    images = {item.id: item.images for item in items}
    matched = [images[each["lent_by"]] for each in swaps(items).values()]
    monkeypatch.setattr(lending, "MOST_MATCHED", 0)
    alone = [images[each["lent_by"]] for each in swaps(items).values()]
    assert len(matched) == len(alone) > 150
    assert len(set(matched)) > 1.2 * len(set(alone))
    assert max(Counter(matched).values()) < max(Counter(alone).values())


def test_every_image_of_a_plain_benchmark_is_lent_once():
    """Where as many show each answer, no image is lent twice, and another seed lends otherwise."""
    items = findings(60)
    by_seed = [[each["lent_by"] for each in swaps(items, seed).values()] for seed in (0, 1)]
    assert all(len(each) == len({*each}) == 60 for each in by_seed)
    assert by_seed[0] != by_seed[1]


def test_a_limit_changes_no_draw():
    """The pool is the whole benchmark, in any order."""
    items = findings(60)
    whole, shelf = swaps(items), Pool(items[::-1])
    assert [vary(item, ImageSubstituted(), seed=0, pool=shelf).drawn for item in items[:7]] == list(whole.values())[:7]


def test_several_substitutes_of_an_item_show_different_options():
    """Each number is matched by itself, without the options that lower numbers show."""
    items = findings(60)
    shown = [swaps(items, nth=nth) for nth in (1, 2, 3)]
    assert all(len({each[item.id]["shows"] for each in shown}) == 3 for item in items)
    assert all(len({each["lent_by"] for each in one.values()}) == 60 for one in shown)
