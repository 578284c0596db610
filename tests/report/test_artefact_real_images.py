"""Real images by their quality: groups that nobody degraded stand in the chapter beside the artefacts put on."""

from dataclasses import replace

import numpy as np

from scans import SIDE, begins, careful, scan
from snellen.images import Image, encode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.chapter import draw_real_images
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from walking import rows


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
