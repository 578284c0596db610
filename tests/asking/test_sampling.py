"""Sampling: in proportion, the same everywhere, and said."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.asking.sampling import allotted, sampled
from snellen.errors import StudyError
from snellen.items import Benchmark, Item, Option
from snellen.study import Study


def benchmark(**sizes):
    options = (Option("yes"), Option("no"))
    items = [
        Item(f"{category}-{number}", "Is it?", options, 0, category=category)
        for category, size in sizes.items()
        for number in range(size)
    ]
    return Benchmark("mixed", tuple(items))


@given(st.lists(st.integers(1, 60), min_size=1, max_size=8), st.data())
def test_every_category_has_its_share(sizes, data):
    """Shares add up, none exceeds its category or misses its proportion by a whole item, and none is left out."""
    sizes = {str(place): size for place, size in enumerate(sizes)}
    count = data.draw(st.integers(1, sum(sizes.values())))
    found = allotted(sizes, count)
    assert sum(found.values()) == count
    assert all(found[name] <= sizes[name] for name in sizes)
    exact = {name: count * size / sum(sizes.values()) for name, size in sizes.items()}
    if len(sizes) <= count:
        assert min(found.values()) >= 1
        small = sum(each < 1 for each in exact.values())
        assert all(-1 - small < found[name] - exact[name] < 1 + small for name in sizes)
    else:
        assert all(abs(found[name] - exact[name]) < 1 for name in sizes)


def test_the_same_seed_draws_the_same_items_in_any_order():
    """Neither the order of the items nor what else is in the benchmark's other categories changes who is drawn."""
    whole = benchmark(chest=60, brain=30, bone=10)
    turned = replace(whole, items=whole.items[::-1])
    first = sampled(whole, 20, seed=3)
    assert {item.id for item in first} == {item.id for item in sampled(turned, 20, seed=3)}
    assert {item.id for item in first} != {item.id for item in sampled(whole, 20, seed=4)}
    assert [item.id for item in first] == [item.id for item in whole if item.id in {each.id for each in first}]
    assert first.about["sample"] == "20 of 100 items, drawn by category (3), seed 3"


def test_a_larger_sample_holds_the_smaller():
    """Of each category the first by lot are taken, so that what a small sample asked is asked by a larger one too."""
    whole = benchmark(chest=60, brain=30, bone=10)
    small, large = ({item.id for item in sampled(whole, count, seed=0)} for count in (20, 50))
    assert small < large


def test_a_study_asks_the_sample():
    """`sample` draws from every benchmark that is named; a limit beside it is refused."""
    given = benchmark(chest=30, brain=10)
    study = Study(models=["organism/random"], benchmarks=[given], tests=["option-order"], sample=8, seed=5)
    (drawn,) = study.plan().benchmarks
    assert (drawn.name, drawn) == ("mixed", sampled(given, 8, seed=5))
    assert len(drawn) == 8
    with pytest.raises(StudyError, match="sample or a limit"):
        Study(sample=8, limit=8)
