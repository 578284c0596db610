import re

import pytest

from scans import ARTEFACTS, careful, scan
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.maps import MOST_GROUPS, conflict_maps, strong_maps, weak_maps
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render


def blocks(maps):
    return {block.label: block for block in maps.overview}


def shown(row):
    return [cell and cell.found.printed.value for cell in row.cells]


def rarely(request):
    """Right on no scan at all."""
    return f"Conclusion: {'normal' if 'brain tumor' in careful(request) else 'brain tumor'}"


def test_weak_map_has_the_change_of_every_artefact_and_of_all(degraded_lookup):
    """Half of the diseased OCT scans are lost to noise: 4 of 16, and nothing to a small crop."""
    maps = weak_maps(degraded_lookup)
    assert maps.columns == ("noise", "crop", "all artefacts")
    rows = blocks(maps)["fake/careful"].rows
    assert [row.words for row in rows] == ["standard prompt", "steps asked for"]
    assert [row.n for row in rows] == ["16", "16"]
    assert shown(rows[0]) == ["−25%", "0%", "−13%"]
    assert [cell.note for cell in rows[0].cells] == ["100% → 75%", "100% → 100%", ""]
    assert [cell.look for cell in rows[0].cells] == ["heat-5", "heat-0", "heat-2"]


def test_weak_map_by_modality_is_of_that_modality_alone(degraded_lookup):
    """All that is lost is lost on OCT."""
    by_modality = dict(weak_maps(degraded_lookup).by_modality)
    found = {block.label: block.rows[0] for block in by_modality["fake/careful"]}
    assert set(found) == {"MRI", "OCT"}
    assert shown(found["MRI"])[0] == "0%"
    assert shown(found["OCT"])[0] == "−50%"
    assert found["OCT"].cells[0].note == "100% → 50%"
    assert found["OCT"].n == "8"


def test_only_what_was_tested_is_called_sure(degraded_lookup):
    """The mark stands where the corrected paired p is small, on all images only; never on a small part of them."""
    maps = weak_maps(degraded_lookup)
    sure = {(label, cell.found.measure.arm) for label, block in blocks(maps).items()
            for row in block.rows for cell in row.cells if cell and cell.sure}  # fmt: skip
    expected = {
        (finding.model, measure.arm)
        for finding in degraded_lookup.evidence.results.findings
        for measure in finding.measures
        if finding.test.name.startswith("weak") and measure.name == "difference"
        and (measure.p_adjusted or 1) < 0.05 and measure.estimate.value < 0
    }  # fmt: skip
    assert sure == expected != set()
    parts = [cell for _, those in maps.by_modality for block in those for row in block.rows for cell in row.cells]
    assert not any(cell.sure for cell in parts if cell)


def test_what_was_never_right_has_a_dash(scanned):
    """There is no share of nothing to lose: the row is there, without a number."""
    maps = weak_maps(Lookup(Evidence(*scanned(
        [f"weak-artefacts:{ARTEFACTS}"],
        by=[FakeModel(rarely, name="fake/rarely"), FakeModel(careful, name="fake/careful")],
    ))))  # fmt: skip
    assert shown(blocks(maps)["fake/rarely"].rows[0]) == [None, None, None]
    assert shown(blocks(maps)["fake/careful"].rows[0]) == ["−25%", "0%", "−13%"]


def test_strong_map_begins_with_what_is_flagged_for_nothing(degraded_lookup):
    """The false alarms on clean images come first, in another colour than what is rightly flagged."""
    maps = strong_maps(degraded_lookup)
    assert maps.columns == ("image as it is", "noise", "crop", "all artefacts")
    row = blocks(maps)["fake/careful"].rows[0]
    assert shown(row) == ["0%", "100%", "100%", "100%"]
    assert [cell.look for cell in row.cells] == ["heat-0", "cool heat-10", "cool heat-10", "cool heat-10"]


def test_quality_spoken_of_stands_beside_what_is_flagged(degraded_lookup):
    """One that calls the image noisy and diagnoses all the same has flagged nothing, and both is said."""
    plain, steps = blocks(strong_maps(degraded_lookup))["fake/torn"].rows
    assert [cell.note for cell in steps.cells] == ["", "spoken of 100%", "", ""]
    assert [cell.note for cell in plain.cells] == ["", "", "", ""]


def test_conflicts_are_of_replies_that_reason(degraded_lookup):
    """A mass seen and normal concluded, under every arm; nobody else reasons, and no prompt but the one with steps."""
    maps = conflict_maps(degraded_lookup)
    assert maps.columns == ("image as it is", "noise, weak", "crop, weak", "noise, strong", "crop, strong")
    [block] = maps.overview
    [row] = block.rows
    assert (block.label, row.words, row.n) == ("fake/torn", "steps asked for", "16")
    assert shown(row) == ["100%"] * 5


def test_conflicts_are_told_where_only_strong_artefacts_were_asked(scanned):
    """The columns are those that there are."""
    maps = conflict_maps(Lookup(Evidence(*scanned([f"strong-artefacts:{ARTEFACTS},prompt=cot"]))))
    assert maps.columns == ("image as it is", "noise, strong", "crop, strong")
    assert [block.label for block in maps.overview] == ["fake/torn"]


def test_largest_modalities_are_shown_where_there_are_many(scanned):
    """Of many modalities the largest have a block; the others are in breakdown.csv."""
    items = [scan(number, f"kind {kind}") for kind in range(MOST_GROUPS + 2) for number in range(2 + 2 * (kind > 1))]
    results, store = scanned(
        ["weak-artefacts:crop"],
        benchmarks=(Benchmark("many", tuple(items)),),
        by=[FakeModel(careful, name="fake/careful")],
    )
    [(_, found)] = weak_maps(Lookup(Evidence(results, store))).by_modality
    assert {block.label for block in found} == {f"kind {kind}" for kind in range(2, MOST_GROUPS + 2)}


def test_every_cell_prints_its_number_and_interval(degraded_text):
    """No cell speaks by its colour alone."""
    cells = re.findall(r'<td class="(?:cool )?heat-\d+" title="[^"]+, n \d+"><b>[^<]+</b>.*?</td>', degraded_text)
    assert len(cells) == len(re.findall(r'<td class="(?:cool )?heat-', degraded_text)) > 60
    assert all(re.search(r'<span class="between">[^<]+ to [^<]+</span>', cell) for cell in cells)


@pytest.mark.parametrize("spec", ["weak-artefacts:crop,scale=stretched", "strong-artefacts:crop,scale=stretched"])
def test_stretched_grey_scale_is_said(scanned, spec):
    """A test that saves images as the paper did says so wherever it says how it was asked."""
    results, store = scanned([spec], by=[FakeModel(careful, name="fake/careful")])
    lookup = Lookup(Evidence(results, store))
    maps = weak_maps(lookup) if spec.startswith("weak") else strong_maps(lookup)
    assert [row.words for block in maps.overview for row in block.rows] == ["standard prompt, grey scale stretched"]
    assert "crop, " in (text := render(results, store))
    assert "grey scale stretched" in text
