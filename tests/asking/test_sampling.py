"""Sampling: in proportion, the same everywhere, and said."""

import json
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.asking.sampling import allocate_items, draw_sample, spread_out
from snellen.benchmarks import load
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
    found = allocate_items(sizes, count)
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
    first = draw_sample(whole, 20, seed=3)
    assert {item.id for item in first} == {item.id for item in draw_sample(turned, 20, seed=3)}
    assert {item.id for item in first} != {item.id for item in draw_sample(whole, 20, seed=4)}
    assert [item.id for item in first] == [item.id for item in whole if item.id in {each.id for each in first}]
    assert first.about["sample"] == "20 of 100 items, drawn by category (3), seed 3"


def test_a_larger_sample_holds_the_smaller():
    """Of each category the first by lot are taken, so that what a small sample asked is asked by a larger one too."""
    whole = benchmark(chest=60, brain=30, bone=10)
    small, large = ({item.id for item in draw_sample(whole, count, seed=0)} for count in (20, 50))
    assert small < large


def test_a_study_asks_the_sample():
    """`sample` draws from every benchmark that is named; a limit beside it is refused."""
    given = benchmark(chest=30, brain=10)
    study = Study(models=["organism/random"], benchmarks=[given], tests=["option-order"], sample=8, seed=5)
    (drawn,) = study.plan().benchmarks
    assert (drawn.name, drawn) == ("mixed", draw_sample(given, 8, seed=5))
    assert len(drawn) == 8
    with pytest.raises(StudyError, match="either sample or limit"):
        Study(sample=8, limit=8)


def partners(items):
    """How many of the items each pair has."""
    return Counter(item.metadata["pair"] for item in items)


@pytest.mark.parametrize("count", [60, 61])
def test_pairs_are_drawn_together(count):
    """A question about a premise comes with the one in the same words whose premise does not hold; or neither does."""
    whole = load("phantoms:task=premises,items=200")
    limited = spread_out(whole, count)
    assert limited.limit == 60
    assert set(partners(limited.items[:60]).values()) == {2}
    assert limited.items[:20] == spread_out(whole, 20).items[:20]
    assert set(partners(draw_sample(whole, count, seed=1)).values()) == {2}
    unnamed = [replace(item, metadata={"premise": item.metadata["premise"]}) for item in whole]
    told = spread_out(Benchmark("mine", tuple(unnamed)), count)
    assert set(Counter(item.context for item in told.items[:60]).values()) == {2}


def test_items_that_are_merely_asked_alike_are_no_pair():
    """Many questions about one premise in the same words are spread as any others; the limit is as wanted."""
    premise = {"premise": {"claims": "an effusion", "holds": True}}
    items = [Item(f"{at}", "How large?", kind="open", answer="x", metadata=premise) for at in range(9)]
    assert spread_out(Benchmark("mine", tuple(items)), 5).limit == 5


MIXED = [
    *({"id": f"c{at}", "question": "Which?", "A": "x", "B": "y", "answer": "A", "kind": "choice"} for at in range(30)),
    *({"id": f"o{at}", "question": "What?", "answer": "x", "kind": "open"} for at in range(10)),
]


@pytest.mark.parametrize(
    ("line", "changes", "asked"),
    [
        ("", {"limit": 8}, (6, 2)),
        ("", {"sample": 8}, (6, 2)),
        (",limit=8", {}, (6, 2)),
        (",limit=8", {"limit": 20}, (6, 2)),
        ("", {"limit": 40}, (30, 10)),
        ("", {"limit": 1}, (1, 1)),
    ],
)
def test_a_limit_is_for_all_kinds_of_question_together(tmp_path, line, changes, asked):
    """Each kind has its share; what a benchmark's line says counts before what the study says."""
    (tmp_path / "mine.jsonl").write_text("\n".join(map(json.dumps, MIXED)))
    study = Study(
        models=["organism/blind"],
        benchmarks=[f"folder:{tmp_path}/mine.jsonl{line}"],
        tests=["option-order", "open-answers"],
        out=tmp_path / "out",
        **changes,
    )
    plan = study.plan()
    assert [benchmark.name for benchmark in plan.benchmarks] == ["mine", "mine/open"]
    assert tuple(map(plan.count_wanted, plan.benchmarks)) == asked


@pytest.mark.parametrize("limit", ["0", "-1", "some"])
def test_a_limit_in_a_line_is_a_whole_number(limit):
    """And is refused where nothing is asked."""
    with pytest.raises(StudyError, match="whole number of 1 or more"):
        load(f"phantoms:limit={limit}", takes_limit=True)
    with pytest.raises(StudyError, match="that a study asks"):
        load("phantoms:limit=3")
