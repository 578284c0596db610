from scans import ARTEFACTS, careful, scan
from snellen.images import decode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.perturb.artefacts import distance
from snellen.protocols.artefacts.report.images import MOST, choose, sheets
from snellen.report.evidence.album import Album
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render


def drawn(results, store, **limits):
    evidence = Evidence(results, store)
    evidence.album = Album(store, **limits)
    return sheets(evidence, choose(evidence)), evidence.album


def test_one_sheet_for_each_modality(degraded):
    """Each modality has one item of its own, as it is and under every artefact and strength."""
    found, album = drawn(*degraded)
    assert [sheet.modality for sheet in found] == ["MRI", "OCT"]
    assert all(f"scan/{sheet.modality}/" in sheet.item_id for sheet in found)
    for sheet in found:
        assert sheet.artefacts == ("noise", "crop")
        assert [how for how, _ in sheet.strengths] == ["weak", "strong"]
        shots = [shot for _, those in sheet.strengths for shot in those]
        assert len({shot.images for shot in (sheet.original, *shots)}) == 5
        assert sheet.truth == ("brain tumor" if int(sheet.item_id.rpartition("/")[2]) % 2 == 0 else "normal")
    assert len(album.embedded) == 10


def test_distances_are_those_of_the_images_as_sent(degraded):
    """SSIM and PSNR under an image are what one measures between it and the original; the original has none."""
    _, store = degraded
    found, _ = drawn(*degraded)
    for sheet in found:
        before = decode(store.image(sheet.original.images[0]), name="original")
        assert (sheet.original.ssim, sheet.original.psnr) == ("", "")
        for shot in (shot for _, those in sheet.strengths for shot in those):
            measured = distance(before, decode(store.image(shot.images[0]), name="degraded"))
            assert shot.ssim == f"{measured.ssim:.2f}"
            assert abs(float(shot.psnr) - measured.psnr) < 1


def test_every_model_says_something_of_every_image(degraded):
    """Under each image stands the reply of each model, as it was read."""
    found, _ = drawn(*degraded)
    (_, (noise, _)) = found[0].strengths[1]
    assert [model for model, _ in noise.said] == ["fake/careful", "fake/torn", "fake/wordless"]
    assert noise.said[0][1].reply.text == "The image is too degraded to be interpreted."
    assert noise.said[0][1].grade.outcome.value == "flagged_quality"


def test_the_largest_modalities_are_shown(scanned):
    """Of many kinds of image the largest have a sheet."""
    items = [scan(number, f"kind {kind}") for kind in range(MOST + 2) for number in range(2 + 2 * (kind > 1))]
    results, store = scanned(
        ["weak-artefacts:crop"],
        benchmarks=(Benchmark("many", tuple(items)),),
        by=[FakeModel(careful, name="fake/careful")],
    )
    found, _ = drawn(results, store)
    assert {sheet.modality for sheet in found} == {f"kind {kind}" for kind in range(2, MOST + 2)}


def test_what_the_album_has_no_room_for_is_said(degraded, degraded_text):
    """An image that is not embedded leaves its reason in its place, and the page stays within its limit."""
    _, album = drawn(*degraded, max_embedded=2000)
    assert album.left_out > 0
    assert "as it was sent, made small" in degraded_text


def test_study_without_artefacts_has_no_sheet(study):
    """Other studies show none."""
    assert drawn(*study())[0] == []


def test_one_strength_alone_makes_a_sheet_of_one_row(scanned):
    """What was not asked has no row, and the page says so nowhere else."""
    results, store = scanned([f"strong-artefacts:{ARTEFACTS}"], by=[FakeModel(careful, name="fake/careful")])
    found, _ = drawn(results, store)
    assert [[how for how, _ in sheet.strengths] for sheet in found] == [["strong"], ["strong"]]
    text = render(results, store)
    assert text.count('<table class="sheet">') == 2
