"""Allocation: the least cost against all combinations, one by one."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from snellen.stats.item_contrast import ItemContrast
from snellen.tools.planner.claims import VerdictClaim
from snellen.tools.planner.frontier import NOTHING, Allocation, Size, VerdictNeeds, area

SIZES = st.builds(Size, st.integers(0, 6), st.integers(0, 4))
ARMS = "abcd"


@given(st.lists(SIZES, max_size=4))
def test_what_tests_share_counts_once(sizes):
    """As counting the single responses says."""
    cells = {(item, run) for items, runs in sizes for item in range(items) for run in range(runs)}
    assert len(cells) == area(sizes)


@st.composite
def allocations(draw):
    """A few tests that share conditions, small enough to try everything."""
    repeats = draw(st.integers(1, 3))
    made = st.tuples(st.floats(0.3, 0.9), st.floats(0, 0.3), st.floats(0, 0.4)).map(lambda each: ItemContrast(*each))
    claim = made.map(lambda each: (VerdictClaim("", (each,) * repeats),))
    claims = st.one_of(claim, claim, claim, st.sampled_from([(), None]))
    arms = st.lists(st.sampled_from(ARMS), min_size=1, unique=True).map(tuple)
    askings = [
        VerdictNeeds(f"test {number}", draw(arms), draw(claims), draw(st.sampled_from([1.0, 0.7])))
        for number in range(draw(st.integers(1, 3)))
    ]
    weights = {arm: draw(st.sampled_from([0.5, 1.0, 3.0])) for arm in ARMS}
    return Allocation(tuple(askings), weights, Size(draw(st.integers(2, 5)), repeats))


@given(allocations(), st.sampled_from([0.5, 0.8]))
def test_the_least_is_the_least_of_all_combinations(allocation, power):
    """No size of any test is left untried, and no verdict falls below the power, or below what it has with all."""
    most = allocation.most
    every = [Size(items, runs) for items in range(1, most.items + 1) for runs in range(1, most.repeats + 1)]
    ways = []
    for each in allocation.askings:
        enough = [size for size in every if each.claims and each.power(size) >= power]
        ways.append([NOTHING] if each.claims == () else enough or [most])
    names = [each.test for each in allocation.askings]
    cheapest = min(allocation.cost(dict(zip(names, sizes, strict=True))) for sizes in product(*ways))
    found = allocation.least(power)
    assert allocation.cost(found) <= cheapest * (1 + 1e-12)
    for each, way in zip(allocation.askings, ways, strict=True):
        assert found[each.test] in way
