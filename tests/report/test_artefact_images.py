"""Artefacts in images: curves, maps, real images and the degraded images that the page shows."""

import math
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scans import ARTEFACTS, SIDE, begins, careful, scan, scans
from snellen.images import Image, decode, encode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.chapter import draw_artefacts, draw_real_images
from snellen.papers.artefacts.report.curves import NO_GROWTH, NONE_WITHIN, draw_curves
from snellen.papers.artefacts.report.images import MOST, NONE, choose, draw_images
from snellen.papers.artefacts.report.maps import MOST_GROUPS, draw_conflict_map, draw_strong_maps, draw_weak_maps
from snellen.perturb.artefacts import distance
from snellen.report.components import Fold, Listing, Note, Panel, Panels, Section
from snellen.report.drawing import draw
from snellen.report.evidence.album import Album
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.curves import LINE_HEIGHT, Axis, FittedLine, curve_panel, spread_heights
from snellen.report.figures.palette import SHAPES
from snellen.report.lookup import Lookup
from snellen.report.sections.tests import sections
from snellen.stats import dose_response
from walking import rows, walk

AXIS = Axis(1.0, ((0.0, "none"), (1.0, "strong")))


def falling(last_right=True):
    """Sixty items that fall between the doses 0.25 and 0.75, or only at the last."""
    rows = [[1, 1, 0, 0, 0], [1, 1, 1, 0, 0], [1, 1, 0, 0, 0]] if last_right else [[1, 1, 1, 1, 0]] * 3
    return dose_response([0, 0.25, 0.5, 0.75, 1], np.array(rows * 20), chance=0.0)


def drawn_of(lookup):
    """The panels of each set of models by artefact: by severity, then by measured degradation if there is any."""
    sections = [part for part in draw_curves(lookup) if isinstance(part, Section)]
    return [
        [{panel.title: panel for panel in part.panels} for part in walk(each.parts) if isinstance(part, Panels)]
        for each in sections
    ]


def told(panel):
    """What is told of each model below a panel."""
    return {cell.words.partition(":")[0]: cell for cell in panel.parts[0].items}


def test_panel_for_every_artefact_with_all_models(degraded_lookup):
    """By severity each artefact has a panel, and each model its threshold or the reason why there is none."""
    note, section = draw_curves(degraded_lookup)
    assert section.title == "Standard prompt"
    assert "half of what can be lost is lost" in note.words
    [[by_severity, _]] = drawn_of(degraded_lookup)
    assert list(by_severity) == ["noise", "crop"]
    assert list(told(by_severity["noise"])) == ["careful", "torn", "wordless"]
    [row] = [row for row in degraded_lookup.evidence.results.rows()
             if (row["model"], row["arm"], row["measure"]) == ("fake/careful", "degraded:noise", "threshold")
             and row["parser"] != "detection-as-published"]  # fmt: skip
    cell = told(by_severity["noise"])["careful"]
    assert cell.words.endswith(f" {row['value']:.2f} ({row['low']:.2f} to {row['high']:.2f})")
    assert (cell.n, cell.how) == ("n 16", row["method"])
    assert told(by_severity["crop"])["wordless"].note.startswith(NONE_WITHIN)


def test_measured_degradation_has_curves_where_it_grows(degraded_lookup):
    """Noise takes an image ever further from the original; a crop of a plain one does not, and that is said."""
    [[_, by_ssim]] = drawn_of(degraded_lookup)
    assert by_ssim["noise"].drawing is not None
    assert by_ssim["crop"].drawing is None
    assert list(told(by_ssim["crop"])) == [NO_GROWTH.partition(":")[0]]


def test_weak_and_strong_make_a_curve_of_three_points(scanned):
    """Without the test of doses, no, weak and strong artefacts are the three points of a curve."""
    results, store = scanned(
        [f"weak-artefacts:{ARTEFACTS}", f"strong-artefacts:{ARTEFACTS}"],
        by=[FakeModel(careful, name="fake/careful")],
    )
    [[by_severity, *_]] = drawn_of(Lookup(Evidence(results, store)))
    assert str(by_severity["noise"].drawing).count('class="whisker') == 3
    assert "half is lost at" in told(by_severity["noise"])["careful"].words
    limits = [
        line for panel in by_severity.values() for line in re.findall(r'<line class="limit"[^>]*>', panel.drawing)
    ]
    assert limits  # five points below the accuracy on the images as they are, at the weak strength
    assert all(float(re.search(r'x1="([\d.]+)', each)[1]) == pytest.approx(41.4, abs=3) for each in limits)


def test_one_strength_makes_no_curve(scanned):
    """Two points tell that something falls, but not where."""
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], benchmarks=(scans(4),))
    assert draw_curves(Lookup(Evidence(results, store))) == []


def test_more_models_than_shapes_are_drawn_in_several_sets(scanned):
    """No panel has two models of one shape, and a legend tells them apart."""
    many = [FakeModel(careful, name=f"fake/{number}") for number in range(len(SHAPES) + 1)]
    results, store = scanned(["dose-response:noise,steps=2"], benchmarks=(scans(4),), by=many)
    found = [part for part in walk(draw_curves(Lookup(Evidence(results, store)))) if isinstance(part, Panels)]
    assert [len(each.key) for each in found if "severity" in each.figure.name] == [len(SHAPES), 1]


def test_models_differ_by_more_than_colour():
    """Every line has its own shape and its own name at its end; points, whiskers and the curve are all there."""
    fitted = falling()
    drawn = str(curve_panel([FittedLine("a/first", fitted, 0), FittedLine("a/second", fitted, 1)], AXIS, 0.5))
    assert drawn.count(f'd="{SHAPES[0]}"') == drawn.count(f'd="{SHAPES[1]}"') == 6  # five doses and the threshold
    assert drawn.count('class="whisker') == 10
    assert drawn.count('class="fall') == 2
    assert ">first</text>" in drawn
    assert ">second</text>" in drawn
    assert 'role="img"' in drawn
    assert "a/first: 0.00: 100%, 95% CI" in drawn


def test_band_spans_the_interval():
    """The threshold's band lies between the ends of its interval."""
    fitted = falling()
    drawn = str(curve_panel([FittedLine("m", fitted, 0)], AXIS, 0.0))
    [(left, width)] = re.findall(r'class="band" x="([\d.]+)%" y="[\d.]+" width="([\d.]+)%"', drawn)
    found = fitted.threshold
    assert float(left) == pytest.approx(AXIS.across(found.low), abs=0.01)
    assert float(left) + float(width) == pytest.approx(AXIS.across(found.high), abs=0.02)


def test_threshold_that_may_lie_beyond_ends_in_an_arrow():
    """An interval without an end runs to the edge and points on."""
    fitted = falling(last_right=False)
    assert fitted.threshold is not None
    open_ended = type(fitted)(
        **{**vars(fitted), "threshold": type(fitted.threshold)(0.9, 0.8, math.inf, 60, "unseen-bootstrap")}
    )
    drawn = str(curve_panel([FittedLine("m", open_ended, 0)], AXIS, 0.0))
    assert drawn.count('class="tip"') == 1


def test_a_curve_without_threshold_has_no_band():
    """A model that loses nothing has an empty lane, and a hostile name is text at the end of its line."""
    flat = dose_response([0, 0.5, 1], np.ones((20, 3)), chance=0.5)
    drawn = str(curve_panel([FittedLine("m", flat, 0)], AXIS, 0.5))
    assert 'class="band' not in drawn
    assert drawn.count('class="whisker') == 3
    drawn = str(curve_panel([FittedLine('x"><script>', falling(), 0)], AXIS, 0.5))
    assert "<script>" not in drawn


@given(st.lists(st.floats(0, 200), min_size=1, max_size=4))
def test_names_never_stand_on_one_another(heights):
    """However near the lines end, their names keep a line's height between them and their order."""
    placed = spread_heights(heights)
    order = sorted(range(len(heights)), key=lambda at: heights[at])
    steps = np.diff([placed[at] for at in order])
    assert (steps >= LINE_HEIGHT - 1e-6).all()
    assert sum(placed) == pytest.approx(sum(heights), abs=1e-6)


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


def test_maps_by_kind_and_of_false_alarms(degraded_lookup):
    """All that is lost is lost on OCT; false alarms on clean images come first, in a colour of their own."""
    found = rows(by_kind(draw_weak_maps(degraded_lookup))["careful by kind of image"])
    assert {heading for heading, _ in found} == {"MRI", "OCT"}
    assert begins(found["MRI", STANDARD])[0] == "0%"
    assert begins(found["OCT", STANDARD])[0] == "−50%"
    assert notes(found["OCT", STANDARD])[0] == ["100% → 50%"]
    table = draw_strong_maps(degraded_lookup)[0]
    assert heads(table) == ["image as it is", "noise", "crop", "all artefacts"]
    cells = rows(table)["careful", STANDARD]
    assert begins(cells) == ["0%", "100%", "100%", "100%"]
    assert [cell.heat for cell in cells] == ["heat-0", "heat-10 cool", "heat-10 cool", "heat-10 cool"]


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


def test_quality_in_words_is_no_flag(degraded_lookup):
    """One that calls the image noisy and diagnoses has flagged nothing; one without words has dashes."""
    found = rows(draw_strong_maps(degraded_lookup)[0])
    assert notes(found["torn", STEPS]) == [[], ["spoken of 100%"], [], []]
    assert notes(found["torn", STANDARD]) == [[], [], [], []]
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


def photograph(number, quality):
    """A scan of one quality: low is so noisy that OCT is called normal, ungradable too noisy for anybody."""
    item = scan(number, "OCT")
    spread = {"high": 0, "low": 30, "ungradable": 110}[quality]
    noise = np.random.default_rng(number).normal(0, spread, (SIDE, SIDE))
    pixels = np.clip((190 if item.answer == 0 else 70) + noise, 0, 255).astype(np.uint8)
    pixels[0, number % SIDE] = number
    return replace(
        item,
        id=f"{quality}/{number}",
        images=(Image(encode(pixels).data),),
        answer=None if quality == "ungradable" else item.answer,
        metadata={**item.metadata, "quality": quality},
    )


PHOTOGRAPHS = Benchmark(
    "photographs",
    tuple(photograph(at, quality) for quality in ("high", "low", "ungradable") for at in range(6)),
)


def blind(request):
    """Calls everything normal, and flags nothing."""
    return "Conclusion: normal"


def test_groups_stand_beside_the_artefacts_put_on(scanned):
    """High, low and their difference, flagged among the ungradable, which count in no accuracy; other patients."""
    both = [FakeModel(function, name=f"fake/{function.__name__}") for function in (careful, blind)]
    results, store = scanned(["weak-artefacts:noise"], benchmarks=(PHOTOGRAPHS,), by=both)
    note, *drawn = draw_real_images(Lookup(Evidence(results, store)))
    assert "high quality 6, low quality 6, ungradable 6" in note.words
    assert "<b>The groups are of other patients</b>" in note.words
    *plots, first, _ = drawn
    assert first.folded == "careful, standard prompt"
    assert [column.words for column in first.columns[1:]] == [
        "accuracy", "sensitivity", "specificity", "flagged", "declined",
    ]  # fmt: skip
    dashes = ["–"] * 2
    assert {words: begins(cells) for (_, words), cells in rows(first).items()} == {
        "high quality": ["100%", "100%", "100%", "0%", "0%"],
        "low quality": ["50%", "0%", "100%", "0%", "0%"],
        "ungradable": ["–", "–", "–", "100%", "0%"],
        "high minus low": ["+50 points", "+100 points", "0 points", *dashes],
    }
    assert [cell.n for cell in rows(first)["", "high minus low"]] == ["n 12", "n 6", "n 6", "", ""]
    assert [[(row.head.words, *begins(row.cells[1:])) for row in plot.rows] for plot in plots] == [
        [("careful, standard prompt", careful_one), ("blind, standard prompt", blind_one)]
        for careful_one, blind_one in (("100%", "50%"), ("50%", "50%"), ("+50 points", "0 points"), ("100%", "0%"))
    ]
    finding = next(each for each in results.findings if each.model == "fake/careful")
    assert finding.measure("original", "accuracy").estimate.n == 12
    apart = finding.measure("real images, high minus low quality", "group_accuracy_difference").estimate
    # Newcombe's interval of 6/6 against 3/6, from the two Wilson intervals by hand
    assert (round(apart.low, 3), round(apart.high, 3)) == (0.000, 0.812)


def test_without_qualities_there_is_no_such_part(scanned):
    """A quality that is none of the three makes no group."""
    odd = [replace(item, metadata={**item.metadata, "quality": "good"}) for item in PHOTOGRAPHS.items[:4]]
    blind_one = [FakeModel(blind, name="fake/blind")]
    results, store = scanned(["weak-artefacts:noise"], benchmarks=(Benchmark("odd", tuple(odd)),), by=blind_one)
    assert draw_real_images(Lookup(Evidence(results, store))) == []


def drawn(results, store, **limits):
    """The panels of each kind of image by their titles, the fold that they are in, and the album."""
    evidence = Evidence(results, store)
    evidence.album = Album(store, **limits)
    folds = [part for part in draw_images(evidence, choose(evidence)) if isinstance(part, Fold)]
    panels = {fold.title: {each.title: each for each in walk(fold.parts) if isinstance(each, Panel)} for fold in folds}
    return panels, folds, evidence.album


def words(panel):
    """What stands between the image and the quotations."""
    return [str(part.words) for part in panel.parts if isinstance(part, Note)]


def shown(panel, album):
    """The image of a panel, by its hash."""
    short = re.search(r"#image-(\w+)", panel.drawing)[1]
    return next(each.sha256 for each in album.embedded if each.short == short)


ALL = ["as it is", "noise, weak", "crop, weak", "", "noise, strong", "crop, strong"]


def test_one_sheet_for_each_kind_of_image(degraded):
    """Each kind has one item of its own, as it is and under every artefact and strength; the first is open."""
    panels, folds, album = drawn(*degraded)
    assert list(panels) == ["MRI", "OCT"]
    assert [fold.open for fold in folds] == [True, False]
    for fold in folds:
        about = str(fold.parts[0].words)
        number = int(re.search(rf"scan/{fold.title}/(\d+)", about)[1])
        assert f"Right answer: <b>{'brain tumor' if number % 2 == 0 else 'normal'}</b>" in about
        assert list(panels[fold.title]) == ALL
        assert len({shown(each, album) for title, each in panels[fold.title].items() if title}) == 5
    assert len(album.embedded) == 10


def test_distances_are_those_of_the_images_as_sent(degraded):
    """SSIM and PSNR under an image are what one measures between it and the original; the original has none."""
    _, store = degraded
    for panels in (found := drawn(*degraded))[0].values():
        before = decode(store.images.data(shown(panels["as it is"], found[2])), name="original")
        assert words(panels["as it is"]) == []
        for title in ("noise, weak", "crop, weak", "noise, strong", "crop, strong"):
            after = decode(store.images.data(shown(panels[title], found[2])), name="degraded")
            ssim, psnr = re.fullmatch(r"SSIM (\S+), PSNR (\S+) dB", words(panels[title])[0]).groups()
            measured = distance(before, after)
            assert ssim == f"{measured.ssim:.2f}"
            assert abs(float(psnr) - measured.psnr) < 1


def test_every_model_says_something_of_every_image(degraded):
    """Under each image stands the response of each model, as it was read, with a link to it."""
    panels, _, _ = drawn(*degraded)
    [listing] = [part for part in panels["MRI"]["noise, strong"].parts if isinstance(part, Listing)]
    assert [cell.words for cell in listing.items] == ["careful", "torn", "wordless"]
    first = listing.items[0]
    assert (first.note, first.n) == ("The image is too degraded to be interpreted.", "image too poor")
    assert first.to.startswith("reply-")


def test_the_largest_kinds_are_shown(scanned):
    """Of many kinds of image the largest have a sheet."""
    items = [scan(number, f"kind {kind}") for kind in range(MOST + 2) for number in range(2 + 2 * (kind > 1))]
    results, store = scanned(
        ["weak-artefacts:crop"],
        benchmarks=(Benchmark("many", tuple(items)),),
        by=[FakeModel(careful, name="fake/careful")],
    )
    assert set(drawn(results, store)[0]) == {f"kind {kind}" for kind in range(2, MOST + 2)}


def test_what_the_album_has_no_room_for_is_said(degraded):
    """An image that is not embedded leaves its reason in its place, and the page stays within its limit."""
    panels = drawn(*degraded, max_embedded=2000)[0]
    without = [each for those in panels.values() for title, each in those.items() if title and each.drawing is None]
    assert without
    assert all("not shown: this page has reached" in words(each)[0] for each in without)


def test_study_without_artefacts_has_no_sheet(usual):
    """Other studies show none, and say so."""
    results, store = usual
    assert drawn(results, store)[0] == {}
    assert [part.words for part in draw_images(Evidence(results, store), [])] == [NONE]


def test_one_strength_alone_makes_a_sheet_of_one_row(scanned):
    """What was not asked has no row."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], by=[FakeModel(careful, name="fake/careful")])
    panels, _, _ = drawn(results, store)
    assert [list(those) for those in panels.values()] == [["as it is", "noise, strong", "crop, strong"]] * 2
