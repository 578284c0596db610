"""The degraded images on the page: one item of each kind as it is and under every artefact, with what was said."""

import re

from scans import ARTEFACTS, careful, scan
from snellen.images import decode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.images import MOST, NONE, choose, draw_images
from snellen.perturb.artefacts import distance
from snellen.report.components import Fold, Listing, Note, Panel
from snellen.report.evidence.album import Album
from snellen.report.evidence.evidence import Evidence
from walking import walk


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
    panels, _, album = drawn(*degraded, max_embedded=2000)
    without = [each for those in panels.values() for title, each in those.items() if title and each.drawing is None]
    assert album.left_out == len(without) > 0
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
