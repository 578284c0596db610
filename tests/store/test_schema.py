"""Stores of other versions: an older one is scored with the same numbers, a newer one is refused in a sentence.

`before/` was made by the code of commit c4a7b03, before there were schemas: eight questions with images of 32 × 32
pixels, a model that says many things and the organism `mirage`, each question twice, under the tests standard,
mirage-rate, mirage-bias and weak-artefacts:noise,blur. Beside the store lies what that code found.
"""

import gzip
import math
from pathlib import Path

import orjson
import pytest

from snellen.errors import StoreError
from snellen.papers.mirage.tests.rate import INVENTED_KINDS as INVENTED
from snellen.scoring.many_models import KINDS as MANY_MODELS
from snellen.scoring.result_files import record_results
from snellen.scoring.results import score
from snellen.store import Store
from snellen.store.files import FILE
from snellen.store.studies import SCHEMA

BEFORE = Path(__file__).parent / "before"
STATUSES = {
    "as hoped": "pass",
    "not as hoped": "fail",
    "cannot tell": "inconclusive",
    "not judged": "reported",
}
KEYS = ("model", "benchmark", "test", "arm", "measure", "parser", "group", "method")
SINCE = {
    *("kept_above_chance", "kept_above_chance_answered", "changed_beyond_rerun", "unsure_rate", *MANY_MODELS),
    *("empty_rate", "diagnosed_share_of_said", "mean_accuracy", *INVENTED),
}
"""What was not measured then."""
OTHERWISE = {
    ("fake/many", name)
    for name in (
        *("changed_rate", "described_rate", "unparsed_rate"),
        *("mirage_rate", "mirage_rate_of_asked", "describes_share", "generic_share"),
    )
}
"""Of the model that was asked repeatedly: moved choices are counted over all pairs of runs by now, the parser of claims
reads one of its responses more strictly, empty responses have a rate of their own, and a lone letter describes no
image."""
OTHER_PARSERS = {
    "missing_rate": "",
    **dict.fromkeys(("described_rate", "notice_rate", "hedge_rate", "explained_rate"), "claims"),
    **dict.fromkeys(("quality_mentioned_rate", "conflict_rate", "conflict_rate_reasoned"), "quality"),
}


@pytest.fixture(scope="module")
def before():
    """What the old code found."""
    return orjson.loads(gzip.decompress((BEFORE / "results.json.gz").read_bytes()))


@pytest.fixture(scope="module")
def now(tmp_path_factory):
    """What the same replies come to now."""
    out = tmp_path_factory.mktemp("before")
    (out / FILE).write_bytes(gzip.decompress((BEFORE / "responses.sqlite.gz").read_bytes()))
    with Store.open(out) as store:
        return record_results(score(store))


def by_key(rows):
    """Every number under its names."""
    values = ("value", "low", "high", "n", "p", "p_adjusted", "detectable", "delivery")
    return {tuple(row.get(name) for name in KEYS): {name: row[name] for name in values} for row in rows}


def renamed(row):
    """A row of before with today's columns: the parser was in the method, also where nothing hung on it."""
    method, _, parser = row["method"].rpartition("; reader=")
    return {**row, "method": method, "parser": OTHER_PARSERS.get(row["measure"], parser)}


VERDICTS = ("follows", "honest", "steady")
REPORTED = ("image-needed", "blank-image", "image-used", "rationale", "option-order", "open-answers")


def same(one, other):
    """Whether two values are equal, up to the last digits of a float."""
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-12)
    return one == other


@pytest.mark.parametrize(("part", "least"), [("results", 300), ("breakdown", 200)])
def test_a_store_from_before_has_the_same_numbers(before, now, part, least):
    """Every number that the old code found is found again under its new name, but for effect sizes without a spread."""
    # Infinite ends are null in JSON.
    told = by_key(orjson.loads(orjson.dumps(now[part])))
    expected = by_key(renamed(row) for row in before[part] if (row["model"], row["measure"]) not in OTHERWISE)
    assert len(expected) > least
    expected = {key: values for key, values in expected.items() if key[4] != "cohens_d" or key in told}
    assert set(told) >= set(expected)
    added = {key for key in set(told) - set(expected) if key[2] not in VERDICTS}
    assert [key for key in added if key[4] not in SINCE and (key[0], key[4]) not in OTHERWISE] == []
    different = {
        key: (values, told[key])
        for key, values in expected.items()
        if not all(same(value, told[key][name]) for name, value in values.items())
    }
    assert different == {}


def test_a_store_from_before_has_the_same_verdicts(before, now):
    """In the words of today; what has become a published measure is reported without one."""

    def verdicts(rows, words):
        return {
            (row["model"], row["benchmark"], row["test"]): words.get(row["status"], row["status"])
            for row in rows
            if row["test"] not in (*REPORTED, *VERDICTS)
        }

    expected = verdicts(before["verdicts"], STATUSES)
    assert verdicts(now["verdicts"], {}) == expected
    assert set(expected.values()) >= {"inconclusive"}


def test_results_say_their_schema(now):
    """At the top, with the columns of the tables that go with it."""
    assert list(now)[:3] == ["schema", "rules", "columns"]
    assert (now["schema"], now["rules"]) == (2, 2)
    assert set(now["results"][0]) == set(now["columns"])


def test_a_study_says_its_schema_and_a_newer_one_is_refused(tmp_path):
    """In one sentence that says what to do."""
    with Store.open(tmp_path, write=True) as store:
        store.studies.add({"schema": SCHEMA + 1})
        with pytest.raises(StoreError) as refused:
            store.studies.record()
    assert str(refused.value) == (
        f"The study in {tmp_path / FILE} has the schema {SCHEMA + 1}, and this version of snellen reads up to "
        f"{SCHEMA}. Upgrade snellen to read it."
    )
