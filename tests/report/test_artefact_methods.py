"""How the numbers of artefacts are made: parsers and judge by name, the paper's intervals and test beside ours."""

import json
from importlib.resources import files

from scans import ARTEFACTS, careful, scans
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.methods import INTERVALS, KAPPAS, draw_methods
from snellen.report.components import Note, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.words.numbers import tenths
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import judge
from walking import rows, walk

CAREFUL = "careful, standard prompt"


def tables(lookup):
    """The tables of intervals and of p-values, as far as there are any."""
    return [part for part in walk(draw_methods(lookup)) if isinstance(part, Table)]


def said(lookup):
    """All that the notes say."""
    return " ".join(str(part.words) for part in walk(draw_methods(lookup)) if isinstance(part, Note))


def test_intervals_stand_side_by_side(degraded_lookup):
    """Ours and the paper's three, for every model, prompt and image; the one of its text is a fifth as wide."""
    intervals, _ = tables(degraded_lookup)
    assert intervals.folded == "18 models, prompts and images"
    value, n, *ends = [cell.words for cell in rows(intervals)[CAREFUL, "noise"]]
    assert (value, n, len(ends)) == ("75.0%", "16", len(INTERVALS))
    low, high = zip(*(map(float, each.replace("−", "-").split(" to ")) for each in ends), strict=True)
    widths = [after - before for before, after in zip(low, high, strict=True)]
    assert abs(widths[3] - widths[2] / 5) < 0.2
    found = {(row["model"], row["test"], row["arm"], row["measure"]): row
             for row in degraded_lookup.evidence.results.rows() if "as-published;" not in row["method"]}  # fmt: skip
    row = found["fake/careful", f"weak-artefacts:{ARTEFACTS}", "degraded:noise,weak", "accuracy"]
    assert ends[0] == f"{tenths(row['low'], 'share')[:-1]} to {tenths(row['high'], 'share')[:-1]}"


def test_published_test_stands_beside_the_paired_one(degraded_lookup):
    """A change of 4 in 16 is nothing sure when paired, and below 0.001 as published."""
    _, p_values = tables(degraded_lookup)
    change, n, paired, corrected, published = [cell.words for cell in rows(p_values)[CAREFUL, "noise"]]
    assert (change, n, paired, published) == ("−25 points", "16", "0.12", "< 0.001")
    assert float(corrected) >= float(paired)


def test_parsers_and_their_agreement_are_named(degraded_lookup):
    """The chapter says who read the replies, and how far that parser agrees with labels, as the facts file has it."""
    words = said(degraded_lookup)
    assert "is read by <code>lenient</code>, and beside it by <code>detection-as-published</code>" in words
    for known in json.loads(files("snellen.reading.detection").joinpath("agreement.json").read_text()):
        assert f"{known['n']:,} {known['of']}" in words
        for name, of in KAPPAS.items():
            value, low, high = known[name]
            assert f"κ {value:.2f} ({low:.2f} to {high:.2f}) {of}" in words
    assert "No judge was asked about these responses." in words


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
        words = said(Lookup(Evidence(results, store)))
        text = render(results, store)
    # 8 scans as they are, half of them diseased and called normal by the judge, and 16 that all flag
    assert "On the class of a response it agrees with the parser on 83% of 24: κ " in words
    assert "A judge, fake/judge, was asked the same of each response." in words
    assert "judge 100%" in text


def test_tables_are_not_drawn_without_weak_artefacts(scanned):
    """The paper's intervals and test are about weak artefacts; without them there is no empty table."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    lookup = Lookup(Evidence(results, store))
    assert tables(lookup) == []
    assert "Responses are read offline and by rules." in said(lookup)
