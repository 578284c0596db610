"""The heat maps of artefacts: every cell has its number, interval and shade, and says what it is of."""

import re

import pytest

from scans import ARTEFACTS, begins, careful, scan, scans
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.chapter import draw_artefacts
from snellen.papers.artefacts.report.images import choose
from snellen.papers.artefacts.report.maps import MOST_GROUPS, draw_conflict_map, draw_strong_maps, draw_weak_maps
from snellen.report.components import Fold
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from walking import rows

STANDARD, STEPS = "standard prompt", "steps asked for"


def rarely(request):
    """Right on no scan at all."""
    return f"Conclusion: {'normal' if 'brain tumor' in careful(request) else 'brain tumor'}"


def heads(table):
    return [column.words for column in table.columns[1:]]


def notes(cells):
    """What stands below the intervals."""
    return [str(cell.note).split("<br>")[1:] for cell in cells]


def by_kind(maps):
    """The map of each model by kind of image."""
    return {each.title: each.parts[0] for each in maps if isinstance(each, Fold)}


def test_weak_map_has_the_change_of_every_artefact_and_of_all(degraded_lookup):
    """Half of the diseased OCT scans are lost to noise: 4 of 16, and nothing to a small crop."""
    table = draw_weak_maps(degraded_lookup)[0]
    assert (table.look, heads(table)) == ("heat", ["noise", "crop", "all artefacts"])
    assert [row.head.n for row in table.rows][:2] == ["n 16", "n 16"]
    assert list(rows(table))[:2] == [("careful", STANDARD), ("careful", STEPS)]
    cells = rows(table)["careful", STANDARD]
    assert begins(cells) == ["−25%", "0%", "−13%"]
    assert notes(cells) == [["100% → 75%"], ["100% → 100%"], []]
    assert [cell.heat for cell in cells] == ["heat-5", "heat-0", "heat-2"]


def test_weak_map_by_kind_of_image_is_of_that_kind_alone(degraded_lookup):
    """All that is lost is lost on OCT."""
    found = rows(by_kind(draw_weak_maps(degraded_lookup))["careful by kind of image"])
    assert {heading for heading, _ in found} == {"MRI", "OCT"}
    assert begins(found["MRI", STANDARD])[0] == "0%"
    assert begins(found["OCT", STANDARD])[0] == "−50%"
    assert notes(found["OCT", STANDARD])[0] == ["100% → 50%"]


def test_only_what_was_tested_is_called_sure(degraded_lookup):
    """The words stand where the corrected paired p is small, on all images only; never on a small part of them."""
    overview, *apart = draw_weak_maps(degraded_lookup)
    sure = [(model, head) for (model, _), cells in rows(overview).items()
            for head, cell in zip(heads(overview), cells, strict=True) if "surely lower" in str(cell.note)]  # fmt: skip
    expected = [
        (finding.model.removeprefix("fake/"), measure.arm.removeprefix("degraded:").partition(",")[0])
        for finding in degraded_lookup.evidence.results.findings
        for measure in finding.measures
        if finding.test.name.startswith("weak") and measure.name == "difference"
        and (measure.p_adjusted or 1) < 0.05 and measure.estimate.value < 0
    ]  # fmt: skip
    assert sorted(sure) == sorted(expected) != []
    parts = [cell for each in by_kind(apart).values() for cells in rows(each).values() for cell in cells]
    assert not any("surely lower" in str(cell.note) for cell in parts)


def test_what_was_never_right_has_a_dash(scanned):
    """There is no share of nothing to lose: the row is there, without a number."""
    both = [FakeModel(rarely, name="fake/rarely"), FakeModel(careful, name="fake/careful")]
    table = draw_weak_maps(Lookup(Evidence(*scanned([f"weak-artefacts:{ARTEFACTS}"], by=both))))[0]
    assert begins(rows(table)["rarely", STANDARD]) == ["–", "–", "–"]
    assert begins(rows(table)["careful", STANDARD]) == ["−25%", "0%", "−13%"]


def test_strong_map_begins_with_what_is_flagged_for_nothing(degraded_lookup):
    """The false alarms on clean images come first, in another colour than what is rightly flagged."""
    table = draw_strong_maps(degraded_lookup)[0]
    assert heads(table) == ["image as it is", "noise", "crop", "all artefacts"]
    cells = rows(table)["careful", STANDARD]
    assert begins(cells) == ["0%", "100%", "100%", "100%"]
    assert [cell.heat for cell in cells] == ["heat-0", "heat-10 cool", "heat-10 cool", "heat-10 cool"]


def test_quality_spoken_of_stands_beside_what_is_flagged(degraded_lookup):
    """One that calls the image noisy and diagnoses all the same has flagged nothing, and both is said."""
    found = rows(draw_strong_maps(degraded_lookup)[0])
    assert notes(found["torn", STEPS]) == [[], ["spoken of 100%"], [], []]
    assert notes(found["torn", STANDARD]) == [[], [], [], []]


def test_a_model_without_words_has_dashes_and_no_map_of_its_own(degraded_lookup):
    """It cannot flag an image, which is not the same as never doing so; its accuracy it has."""
    overview, *apart = draw_strong_maps(degraded_lookup)
    assert begins(rows(overview)["wordless", STANDARD]) == ["–"] * 4
    assert "wordless by kind of image" not in by_kind(apart)
    assert begins(rows(draw_weak_maps(degraded_lookup)[0])["wordless", STANDARD]) != ["–"] * 3


def test_conflicts_are_of_replies_that_reason(degraded_lookup):
    """A mass seen and normal concluded, under every arm; nobody else reasons, and no prompt but the one with steps."""
    table = draw_conflict_map(degraded_lookup)
    assert heads(table) == ["image as it is", "noise, weak", "crop, weak", "noise, strong", "crop, strong"]
    [(place, cells)] = rows(table).items()
    assert (place, table.rows[0].head.n) == (("torn", STEPS), "n 16")
    assert begins(cells) == ["100%"] * 5


def test_conflicts_are_told_where_only_strong_artefacts_were_asked(scanned):
    """The columns are those that there are."""
    table = draw_conflict_map(Lookup(Evidence(*scanned([f"strong-artefacts:{ARTEFACTS},prompt=cot"]))))
    assert heads(table) == ["image as it is", "noise, strong", "crop, strong"]
    assert [model for model, _ in rows(table)] == ["torn"]


def test_largest_kinds_of_image_are_shown_where_there_are_many(scanned):
    """Of many kinds the largest have a row; the others are in breakdown.csv."""
    items = [scan(number, f"kind {kind}") for kind in range(MOST_GROUPS + 2) for number in range(2 + 2 * (kind > 1))]
    results, store = scanned(
        ["weak-artefacts:crop"],
        benchmarks=(Benchmark("many", tuple(items)),),
        by=[FakeModel(careful, name="fake/careful")],
    )
    [table] = by_kind(draw_weak_maps(Lookup(Evidence(results, store)))).values()
    assert {kind for kind, _ in rows(table)} == {f"kind {kind}" for kind in range(2, MOST_GROUPS + 2)}


def test_every_cell_prints_its_number_and_interval_and_leads_to_its_responses(degraded_text):
    """No cell speaks by its colour alone."""
    cells = re.findall(r'<td class="[^"]*heat-\d+[^"]*".*?</td>', degraded_text, re.DOTALL)
    assert len(cells) > 60
    number = r'<a class="v" href="#[^"]+">[^<]+%</a>.*<small>\([^<]+ to [^<]+\)'
    assert all(re.search(number, cell, re.DOTALL) for cell in cells)


@pytest.mark.parametrize("spec", ["weak-artefacts:crop,scale=stretched", "strong-artefacts:crop,scale=stretched"])
def test_stretched_grey_scale_is_said(scanned, spec):
    """A test that saves images as the paper did says so wherever it says how it was asked."""
    few = {"by": [FakeModel(careful, name="fake/careful")], "benchmarks": (scans(4, ("MRI",)),)}
    evidence = Evidence(*scanned([spec], **few))
    lookup = Lookup(evidence)
    maps = draw_weak_maps(lookup) if spec.startswith("weak") else draw_strong_maps(lookup)
    assert list(rows(maps[0])) == [("careful", "standard prompt, grey scale stretched")]
    assert "Standard prompt, grey scale stretched" in draw(
        draw_artefacts(evidence, sections(evidence), choose(evidence))
    )
