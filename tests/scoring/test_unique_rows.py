"""Numbers that people can compute with: each stands once in results.csv, under names that no other has."""

from collections import Counter

import pandas as pd
import pytest

from snellen.benchmarks import load
from snellen.papers.paper import describe_method
from snellen.scoring.result_files import COLUMNS
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study

NAMES = ("model", "benchmark", "test", "arm", "measure", "parser", "subset")
PARSERS = ("lenient", "answer-tag")


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    """Two models on two benchmarks, read by three parsers, under every suite that asks about some of the items only."""
    out = tmp_path_factory.mktemp("unique")
    benchmarks = [load(name) for name in ("phantoms:items=10,leak=0.5", "phantoms:items=8,seed=1,language=it")]
    listed = out / "needed.txt"
    listed.write_text("\n".join(item.id for item in benchmarks[0].items[:4]))
    tests = ("standard", "readiness", "mirage", f"visual-necessity:items={listed}", "visual-necessity:words=40")
    Study(models=("organism/grounded", "organism/mirage"), benchmarks=benchmarks, tests=tests, limit=10, out=out).ask(
        lambda progress: None
    )
    with Store.open(out) as store:
        return score(store, parsers=PARSERS)


def repeated(rows, names):
    """The names that more than one row has."""
    return {
        key: count for key, count in Counter(tuple(row[name] for name in names) for row in rows).items() if count > 1
    }


def test_no_two_rows_have_the_same_names(results):
    """Whatever the parsers, the models, the benchmarks and the choice of items."""
    rows = list(results.rows())
    assert COLUMNS[: len(NAMES)] == NAMES
    assert repeated(rows, NAMES) == {}
    assert repeated(rows, [name for name in NAMES if name != "parser"]) != {}
    assert {row["parser"] for row in rows} >= {"", "missing-image", *PARSERS}
    assert {row["test"] for row in rows if row["subset"]} >= {
        "grounded-reading",
        "robustness",
        "visual-necessity:words=40",
    }
    assert len({row["subset"] for row in rows}) > 3


def test_every_number_is_counted_once(results):
    """No two rows of the breakdown have the same names; of the own parser's accuracies there is one each."""
    rows = list(results.breakdown())
    assert len({row["group"] for row in rows}) > 2
    assert repeated(rows, (*NAMES, "group")) == {}
    assert repeated(rows, NAMES) != {}
    frame = pd.DataFrame(results.rows())
    own = frame[(frame.measure == "accuracy") & (frame.parser == "lenient") & (frame.subset == "")]
    counts = own.pivot_table(index=["model", "benchmark"], columns=["test", "arm"], values="value", aggfunc="size")
    assert counts.max().max() == counts.min().min() == 1


def test_the_method_and_the_subset_say_what_they_are(results):
    """The method is the statistical one alone; only what is about some of the items has a subset."""
    rows = [*results.rows(), *results.breakdown()]
    assert not [row for row in rows for word in ("parser=", "items=", "judge=") if word in row["method"]]
    assert {row["parser"] for row in rows if row["measure"] == "missing_rate"} == {""}
    found = next(row for row in rows if row["test"] == "visual-necessity:words=40" and row["measure"] == "accuracy")
    assert found["subset"].startswith("screen: at most 40 words")
    assert describe_method(found) == f"{found['method']}; parser=lenient; items={found['subset']}"
    subsets = {row["measure"]: row["subset"] for row in results.rows() if row["test"] == "grounded-reading"}
    assert subsets["sight_gain"].startswith("screen")
    assert subsets["sight_gain_all_items"] == ""
    assert {row["subset"] for row in results.rows() if row["test"] == "image-needed"} == {""}
