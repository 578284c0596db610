"""The headline says who was examined on what, and the most important thing found; on every organism the right thing."""

from __future__ import annotations

import pytest

from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.sections.headline import headline
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.base import Status
from snellen.study import Study

SAYS = {
    ("blind",): ("organism/blind keeps 67% accuracy without the image (guessing: ", Status.FAIL),
    ("blind", "memoriser"): ("Both models keep ", Status.FAIL),
    ("positional",): ("organism/positional changes ", Status.FAIL),
    ("random",): ("organism/random is not shown to be better than guessing", Status.INCONCLUSIVE),
    ("refuser",): ("organism/refuser is not shown to be better than guessing", Status.INCONCLUSIVE),
    ("grounded",): ("organism/grounded uses the image", Status.PASS),
}


@pytest.mark.parametrize("organisms", SAYS, ids="-".join)
def test_the_most_important_thing_comes_first(tmp_path, organisms):
    """What was found of each organism is what it was made to do."""
    study = Study(
        models=[f"organism/{name}" for name in organisms],
        benchmarks=["phantoms:items=60,leak=0.5"],
        tests=["image-needed", "image-used", "rationale", "option-order"],
        out=tmp_path,
    )
    study.ask(lambda progress: None)
    begins, status = SAYS[organisms]
    with Store.open(tmp_path) as store:
        results = score(store)
        told = headline(Evidence(results, store))
        page = render(results, store)
    assert told.found.startswith(begins)
    assert told.status is status
    assert told.title.endswith("on phantoms:items=60,leak=0.5 (60 questions)")
    assert page.index(told.found) < page.index('id="verdicts"')
