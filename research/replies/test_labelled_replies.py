"""Real replies that were labelled by reading: the figures that the docs state are those that come out."""

from __future__ import annotations

import json
import runpy
from pathlib import Path

import pytest

from snellen.reading.acts import NETWORK
from snellen.reading.claims.parser import AGREEMENT
from snellen.reading.confidence import COUNTED
from snellen.reading.parsers import parser_named

STUDY = Path(__file__).parent
DATA = STUDY.parents[2] / "shared" / "data"


@pytest.fixture(scope="module")
def measure():
    """The script of the study."""
    return runpy.run_path(str(STUDY / "measure.py"))


@pytest.fixture(scope="module")
def complete():
    """Skips where the questions and replies of others are not beside the project."""
    for name in ("vqa-rad", "medxpertqa-mm", "mmmu-pro-replies", "italian-medvqa"):
        if not (DATA / name).exists():
            pytest.skip(f"{name} is not at {DATA}")


@pytest.mark.usefixtures("complete")
def test_figures_and_counts_are_those_measured(measure):
    """What the docs quote, and what confidence rests on, is what the parsers read today."""
    assert measure["as_record"](measure["figures"]()) == json.loads(measure["MEASURED"].read_text(encoding="utf-8"))
    counts, stored = measure["counts"](), json.loads(COUNTED.read_bytes())
    # What only the network reads is counted on more rows, by research/acts/second_reader.py.
    for each in (counts, stored):
        each["missing-image"] = {rule: n for rule, n in each["missing-image"].items() if not rule.endswith(NETWORK)}
    assert counts == {parser: stored[parser] for parser in counts}


@pytest.mark.usefixtures("complete")
def test_the_error_of_the_acts_is_the_one_measured():
    """What the verdicts allow for misread acts is what the parsers misread today."""
    acts = runpy.run_path(str(STUDY / "acts.py"))
    assert acts["measure_acts"](DATA) == json.loads(acts["WRITTEN"].read_text(encoding="utf-8"))


def test_reports_quote_the_figures_of_the_replies_kept_apart(measure):
    """Claims and missing images: to the digits that are printed."""
    known = json.loads(measure["MEASURED"].read_text(encoding="utf-8"))["kept apart"]
    quoted = AGREEMENT[1]
    assert quoted.precision == tuple(round(end, 2) for end in known["claims: precision"][:3])
    assert quoted.recall == tuple(round(end, 2) for end in known["claims: recall"][:3])
    first = parser_named("missing-image").read_agreement()[0]
    assert [*first["kappa"], first["n"]] == known["six labels: κ"]
    assert [*first["flagged_kappa"], first["n"]] == known["missing or in doubt: κ"]


def test_questions_of_others_are_named_and_not_copied(measure):
    """A row has its own question, or says whose it is; a third of all was kept apart."""
    lines = (STUDY / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    rows = list(map(json.loads, lines))
    assert all(("of" in row) != ("question" in row) for row in rows)
    assert all(row["of"].startswith(("vqa-rad/", "medxpertqa-mm/")) for row in rows if "of" in row)
    assert len({row["id"] for row in rows}) == len(rows) >= 1200
    assert sum("again" in row for row in rows) >= 300
    assert sum(row["split"] == "apart" for row in rows) >= len(rows) // 3
    known = measure["rows"]()
    assert len(known) >= sum("question" in row for row in rows)


def test_what_is_read_of_questions_of_our_own_stays_as_good(measure):
    """On the rows that need nothing beside the project, agreement is near what it was when they were labelled."""
    own = [row for row in measure["rows"]() if "of" not in row]
    found = measure["measured"](own)
    assert found["missing image: κ"].value >= 0.9
    assert found["claims: precision"].value >= 0.8
    assert found["claims: recall"].value >= 0.8
    assert found["choices: wrong"].value <= 0.03
