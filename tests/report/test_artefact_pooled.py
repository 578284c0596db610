"""All models, prompts and artefacts together, on the page: the numbers of the results beside the printed ones."""

from dataclasses import replace

import pytest

from scans import ARTEFACTS, careful, scans, torn, wordless
from snellen.models.fake import FakeModel
from snellen.protocols.artefacts.report.pooled import pooled
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.tests import sections
from snellen.report.words import numbers as wording
from snellen.scoring.findings import ALL_MODELS

TEST = f"pooled-artefacts:{ARTEFACTS},prompts=own"


def made(results, store):
    """The parts of the chapter."""
    evidence = Evidence(results, store)
    return pooled(Lookup(evidence), sections(evidence))


def models(*functions):
    """Models that do what these functions do, however many of each."""
    return [FakeModel(each, name=f"fake/{each.__name__}-{at}") for at, each in enumerate(functions)]


@pytest.fixture(scope="module")
def asked(scanned):
    """Four models on X-rays and OCT."""
    return scanned([TEST], by=models(careful, torn, careful, wordless), benchmarks=(scans(4, ("chest X-ray", "OCT")),))


def test_every_number_is_that_of_the_results(asked):
    """Two ways and the paper's own figures for each kind of image; none for all of them together."""
    results, _ = asked
    [part] = made(*asked)
    assert [block.title for block in part.blocks] == ["all images", "chest X-ray", "OCT"]
    [finding] = [each for each in results.over_all if each.model == ALL_MODELS]
    rows = {(each.subset, each.name): each.estimate for each in finding.measures}
    first = part.blocks[0].lines[0]
    assert first.published.value == wording.tenths(rows["", "pooled_accuracy"].value, "share")
    assert first.mixed.value == wording.tenths(rows["", "pooled_accuracy_mixed"].value, "share")
    assert first.cells == "4 cells of 4 models"
    assert part.blocks[0].lines[-1].cells == "6 cells of 3 models"
    assert [[line.printed for line in block.lines] for block in part.blocks] == [
        ["", "", "", "", ""],
        ["60.4%", "−10.46%", "", "", "11.5%"],
        ["60.2%", "−9.06%", "", "", "12.8%"],
    ]
    assert part.blocks[1].lines[0].published.value == wording.tenths(
        rows["category=chest X-ray", "pooled_accuracy"].value, "share"
    )
    assert not part.few
    assert part.unseen == "53%"


def test_the_three_best_are_named(asked):
    """With what they score by the choice, and on the other half of the patients."""
    [part] = made(*asked)
    top = part.blocks[0].top
    assert top.names == "fake/careful-0, fake/careful-2, fake/wordless-3"
    assert top.accuracy.value == "100.0%"
    assert [each.value.endswith("%") for each in top.apart] == [True, True]


def test_the_page_says_what_each_way_is_for(asked, checked):
    """Both ways, the models one by one, the caveat of the choice, and a link from the contents."""
    results, store = asked
    text = render(results, store)
    ids = checked(text)
    [part] = made(results, store)
    assert part.section.anchor in ids
    start = text.index(f'id="{part.section.anchor}"')
    told = text[start : text.index("</section>", start)]
    for words in ("mixed, 95% CI over patients and models", "lucky", "4 models, each by itself", "−10.46%", "53%"):
        assert words in told
    assert f'href="#{part.section.anchor}"' in text


def test_few_models_stand_for_themselves(scanned):
    """Two are taken as fixed and one has no other; there is no best three, and the page says that it is so."""
    two, store = scanned([TEST], by=models(careful, torn), benchmarks=(scans(4, ("MRI",)),))
    [part] = made(two, store)
    assert part.few
    assert [(block.title, block.top) for block in part.blocks] == [("MRI", None)]
    assert part.blocks[0].lines[0].printed == "64.5%"
    assert "too few models" in render(two, store)
    alone = replace(two, findings=two.findings[:1], over_all=())
    [part] = made(alone, store)
    assert part.few
    assert part.models == ()
    assert part.blocks[0].lines[0].mixed is None
