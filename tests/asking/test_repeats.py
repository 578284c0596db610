"""Both orders of the options are asked twice on some items, so that what runs change by themselves can be told."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.asking.bill import bill_plan
from snellen.asking.repeats import draw_repeated
from snellen.asking.stored import completeness, shares
from snellen.errors import RejectedError
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.scoring.responses import stored_responses
from snellen.scoring.result_files import record_results
from snellen.store import Store
from snellen.stress import stress_test
from snellen.study import Study, rescore
from strategies import items

pytestmark = pytest.mark.usefixtures("no_groups")

ITEMS, AGAIN = 12, 5
ORDERS = ("original", "options-shuffled")
NO_REPEAT = {"repeat": False}


class Changeable(FakeModel):
    """A model that answers otherwise when it is asked again, and counts what it is asked."""

    def __init__(self, name="fake/changeable", *, fails_again=False):
        super().__init__(self._reply, name=name)
        self.asked, self.fails_again = Counter(), fails_again

    def _reply(self, request):
        self.asked[request.replicate] += 1
        if self.fails_again and request.replicate:
            raise RejectedError("not again")
        return f"Answer: {'AB'[request.replicate]}"


def study(folder, model, **changes):
    """A study of two tests, of which one asks its conditions again on a few items."""
    order = stress_test("option-order").with_settings(repeated=AGAIN)
    given = {"benchmarks": [Benchmark("b", items(ITEMS))], "tests": ["image-needed", order], "canary": False}
    return Study(models=[model], out=folder, **{**given, **changes})


def ask(folder, model, **changes):
    """Ask a study; how many requests went out, by repeat."""
    study(folder, model, **changes).ask(lambda progress: None)
    return dict(model.asked)


def test_both_orders_are_asked_again_on_some_items(tmp_path):
    """So many items and no other condition; plan, bill, store, rows and results count the same."""
    model = Changeable()
    planned = study(tmp_path, model)
    counts = {count.test: count for count in planned.plan().counts()}
    assert [each.repeated for each in counts.values()] == [0, 2 * AGAIN]
    assert counts["option-order"].requests - counts["option-order"].shared == ITEMS + 2 * AGAIN
    (bill,) = bill_plan(planned.plan())
    assert bill.requests == 3 * ITEMS + 2 * AGAIN
    assert ask(tmp_path, model) == {0: 3 * ITEMS, 1: 2 * AGAIN}
    with Store.open(tmp_path) as store:
        record = store.studies.record()
        again = record["repeated"]["b"]["items"]
        assert record["repeated"] == {"b": {"arms": list(ORDERS), "items": again}}
        assert len(again) == AGAIN
        assert completeness(store, record) == (bill.requests, bill.requests)
        rows = [(row["arm"], row["item_id"]) for row in stored_responses(store) if row["replicate"] == 1]
    assert sorted(rows) == sorted((arm, f"q{at:03}") for arm in ORDERS for at in again)
    wanted = {each["arm"]: each["wanted"] for each in record_results(rescore(tmp_path))["accounting"]}
    assert wanted == {"original": ITEMS + AGAIN, "image-removed": ITEMS, "options-shuffled": ITEMS + AGAIN}


def test_measures_are_made_of_the_first_responses(tmp_path):
    """What papers define is the same with repeats and without; only what asks for all responses sees them."""
    for name, changes in (("with", {}), ("without", NO_REPEAT)):
        ask(tmp_path / name, Changeable(), **changes)
    found = {name: rescore(tmp_path / name) for name in ("with", "without")}
    rows = {name: [row for row in each.rows() if row["test"] != "steady"] for name, each in found.items()}
    assert rows["with"] == rows["without"]
    (table,) = found["with"].tables.values()
    assert {arm: len(grades) for arm, grades in table.arms.items()} == dict.fromkeys(table.arms, ITEMS)
    assert len(table.with_repeats().moved_by_itself("original").ordinal) == AGAIN
    assert table.with_repeats().moved_by_itself("original").value.tolist() == [1.0] * AGAIN
    few = table.select_items(np.arange(ITEMS) < 1).with_repeats()
    assert max(map(len, few.arms.values())) <= 2


def test_a_stored_study_is_asked_the_second_responses_alone(tmp_path):
    """One that never asked again, as those of 0.2.0, keeps its arms, keys and name."""
    assert ask(tmp_path, Changeable(), **NO_REPEAT) == {0: 3 * ITEMS}
    with Store.open(tmp_path) as store:
        before = store.studies.record()
        assert "repeated" not in before
        assert completeness(store, before) == (3 * ITEMS, 3 * ITEMS)
    assert ask(tmp_path, Changeable()) == {1: 2 * AGAIN}
    assert ask(tmp_path, Changeable()) == {}
    with Store.open(tmp_path) as store:
        assert [each.name for each in store.studies.load_all()] == [before["name"]]
        assert store.studies.record()["arms"] == before["arms"]


def test_nothing_is_added_to_several_epochs(tmp_path):
    """Then all items are repeated anyway."""
    assert ask(tmp_path, Changeable(), epochs=2) == {0: 3 * ITEMS, 1: 3 * ITEMS}


@pytest.mark.parametrize("suite", ["standard", "readiness"])
def test_the_suites_ask_both_orders_again(tmp_path, suite):
    """Of 200 items, or of all if there are fewer."""
    planned = Study(models=["organism/grounded"], tests=[suite], benchmarks=["phantoms"], out=tmp_path, limit=7).plan()
    repeats = planned.repeats_of(planned.benchmarks[0])
    assert set(repeats.arms) == set(ORDERS)
    assert repeats.items == tuple(range(7))
    assert {stress_test(name).repeated for name in ("steady", "option-order")} == {200}


def test_second_responses_that_failed_are_missing(tmp_path):
    """They are told with their error, and asked for again by the next run."""
    ask(tmp_path, Changeable(fails_again=True))
    (accounting,) = (each for each in record_results(rescore(tmp_path))["accounting"] if each["arm"] == "original")
    assert (accounting["missing"], accounting["failed"]) == (AGAIN, {"RejectedError: not again": AGAIN})
    with Store.open(tmp_path) as store:
        assert sum(each.wanted - each.stored for each in shares(store, store.studies.record())) == 2 * AGAIN
    assert ask(tmp_path, Changeable()) == {1: 2 * AGAIN}


def test_asking_in_rounds_includes_them(tmp_path):
    """A study that stops once its verdicts are settled is whole with its second responses."""
    made = {"until_settled": True, "benchmarks": [Benchmark("b", items(ITEMS))]}
    assert ask(tmp_path, Changeable(), **made) == {0: 3 * ITEMS, 1: 2 * AGAIN}
    with Store.open(tmp_path) as store:
        assert completeness(store, store.studies.record()) == (3 * ITEMS + 2 * AGAIN,) * 2


@given(clusters=st.lists(st.sampled_from("abcd"), min_size=1, max_size=30), seed=st.integers(0, 9), data=st.data())
def test_items_to_ask_again_are_drawn_by_patient_whatever_the_limit(clusters, seed, data):
    """A patient's items come together, and who is drawn of more items was drawn of fewer."""
    every = [replace(item, cluster=name) for item, name in zip(items(len(clusters)), clusters, strict=True)]
    count, asked = data.draw(st.integers(0, 30)), data.draw(st.integers(1, len(every)))
    all_drawn, drawn = (draw_repeated(every, most, count, seed) for most in (len(every), asked))
    assert len(drawn) == min(count, asked)
    assert {at for at in all_drawn if at < asked} <= set(drawn)
    split = [
        name
        for name in set(clusters[:asked])
        if 0 < sum(clusters[at] == name for at in drawn) < clusters[:asked].count(name)
    ]
    assert len(split) <= 1
