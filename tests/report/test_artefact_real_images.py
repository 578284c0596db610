"""Real images by their quality: groups that nobody degraded stand in the chapter beside the artefacts put on."""

from dataclasses import replace

import numpy as np

from scans import ARTEFACTS, SIDE, careful, scan
from snellen.images import Image, encode
from snellen.items import Benchmark
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.real_images import real_images
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render


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
    tuple(photograph(at, quality) for quality in ("high", "low", "ungradable") for at in range(10)),
)


def cells(real):
    """Each line of the first model's table: what it prints, and of how many images."""
    names = ("accuracy", "sensitivity", "specificity", "flagged", "declined")
    return {
        line.words: {
            name: (found.printed.value, found.printed.n)
            for name, found in zip(names, line.numbers, strict=True)
            if found
        }
        for line in real.models[0].lines
    }


def test_groups_stand_beside_the_artefacts_put_on(scanned, checked):
    """High, low and their difference, flagged among the ungradable, which count in no accuracy; other patients."""
    careful_one = [FakeModel(careful, name="fake/careful")]
    results, store = scanned([f"weak-artefacts:{ARTEFACTS}"], benchmarks=(PHOTOGRAPHS,), by=careful_one)
    real = real_images(Lookup(Evidence(results, store)))
    silent = {"flagged": ("0%", "10"), "declined": ("0%", "10")}
    assert cells(real) == {
        "high quality": {
            "accuracy": ("100%", "10"),
            "sensitivity": ("100%", "5"),
            "specificity": ("100%", "5"),
            **silent,
        },
        "low quality": {
            "accuracy": ("50%", "10"),
            "sensitivity": ("0%", "5"),
            "specificity": ("100%", "5"),
            **silent,
        },
        "ungradable": {"flagged": ("100%", "10"), "declined": ("0%", "10")},
        "high minus low": {
            "accuracy": ("+50 points", "20"),
            "sensitivity": ("+100 points", "10"),
            "specificity": ("0 points", "10"),
        },
    }
    [finding] = results.findings
    assert finding.measure("original", "accuracy").estimate.n == 20
    apart = finding.measure("real images, high minus low quality", "group_accuracy_difference").estimate
    # Newcombe's interval of 10/10 against 5/10, from the two Wilson intervals by hand
    assert (round(apart.low, 3), round(apart.high, 3)) == (0.117, 0.763)
    text = render(results, store)
    assert "artefact-real" in checked(text)
    assert "The groups are of other patients" in text
    assert "high quality 10, low quality 10, ungradable 10" in text


def test_without_qualities_there_is_no_such_part(scanned):
    """A quality that is none of the three makes no group, and neither does one group alone."""
    odd = [replace(item, metadata={**item.metadata, "quality": "good"}) for item in PHOTOGRAPHS.items[:10]]
    results, store = scanned(
        [f"weak-artefacts:{ARTEFACTS}"],
        benchmarks=(Benchmark("odd", tuple(odd)),),
        by=[FakeModel(careful, name="fake/careful")],
    )
    assert real_images(Lookup(Evidence(results, store))) is None
    assert "artefact-real" not in render(results, store)
