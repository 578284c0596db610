import json
import re
from importlib.resources import files

from scans import ARTEFACTS, HOSTILE, careful, scans
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.methods import INTERVALS, KAPPAS, detection_agreement, methods
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.words.numbers import tenths
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import judge


def test_intervals_stand_side_by_side(degraded_lookup):
    """Ours and the paper's three, for every model, prompt and image; the one of its text is a fifth as wide."""
    found = methods(degraded_lookup)
    assert len(found.intervals) == 3 * 2 * 3
    [line] = [line for line in found.intervals
              if (line.title, line.arm) == ("fake/careful, standard prompt", "noise")]  # fmt: skip
    assert (line.value, line.n, len(line.ends)) == ("75.0%", "16", len(INTERVALS))
    low, high = zip(*(map(float, ends.replace("−", "-").split(" to ")) for ends in line.ends), strict=True)
    widths = [after - before for before, after in zip(low, high, strict=True)]
    assert abs(widths[3] - widths[2] / 5) < 0.2
    rows = {(row["model"], row["test"], row["arm"], row["measure"]): row
            for row in degraded_lookup.evidence.results.rows() if "as-published;" not in row["method"]}  # fmt: skip
    row = rows["fake/careful", f"weak-artefacts:{ARTEFACTS}", "degraded:noise,weak", "accuracy"]
    assert line.ends[0] == f"{tenths(row['low'], 'share')[:-1]} to {tenths(row['high'], 'share')[:-1]}"


def test_published_test_stands_beside_the_paired_one(degraded_lookup):
    """A change of 4 in 16 is nothing sure when paired, and below 0.001 as published."""
    found = methods(degraded_lookup)
    [line] = [line for line in found.tests
              if (line.title, line.arm) == ("fake/careful, standard prompt", "noise")]  # fmt: skip
    assert (line.change, line.n) == ("−25 points", "16")
    assert (line.paired, line.published) == ("0.12", "< 0.001")
    assert float(line.corrected) >= float(line.paired)


def test_parsers_and_their_agreement_are_named(degraded_lookup, degraded_text):
    """The chapter says who read the replies, and how far that parser agrees with labels, as the facts file has it."""
    found = methods(degraded_lookup)
    assert (found.parser, found.published_parser) == ("lenient", "detection-as-published")
    facts = json.loads(files("snellen.grading.detection").joinpath("agreement.json").read_text())
    for known in facts:
        assert f"{known['n']:,} {known['of']}" in found.agreement
        for name, words in KAPPAS.items():
            assert f"κ {known[name][0]:.2f} [{known[name][1]:.2f}, {known[name][2]:.2f}] {words}" in found.agreement
    assert detection_agreement() == found.agreement
    assert "No judge was asked about these responses." in degraded_text


def test_judge_is_named_with_its_agreement(scanned):
    """A judge's rates stand beside the parser's own, with its name and how far the two agree."""
    _, asked = scanned(
        [f"strong-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),), by=[FakeModel(careful, name="fake/careful")]
    )

    def opinion(request):
        poor = "too degraded" in request.text
        return f'{{"class": {2 if poor else 0}, "flags": {str(poor).lower()}, "conflict": null}}'

    judge(asked.folder, FakeModel(opinion, name="fake/judge"), watch=lambda progress: None)
    with Store.open(asked.folder) as store:
        results = score(store)
        found = methods(Lookup(Evidence(results, store))).judging
        text = render(results, store)
    assert found is not None
    assert found.judge == "fake/judge"
    # 8 scans as they are, half of them diseased and called normal by the judge, and 16 that all flag
    assert found.agreement.startswith("On the class of a response it agrees with the parser on 83% of 24: κ ")
    assert "judge 100%" in text
    assert "A judge, fake/judge, was asked the same of each response." in text


def test_tables_are_not_drawn_without_weak_artefacts(scanned):
    """The paper's intervals and test are about weak artefacts; without them there is no empty table."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    found = methods(Lookup(Evidence(results, store)))
    assert (found.intervals, found.tests) == ((), ())
    text = render(results, store)
    assert "The paper&#39;s intervals beside ours" not in text
    assert "The paper's intervals beside ours" not in text
    assert HOSTILE not in text
    assert re.search(r'id="artefact-methods"', text)
