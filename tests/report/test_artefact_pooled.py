"""All models, prompts and artefacts together, on the page: the numbers of the results beside the printed ones."""

from dataclasses import replace

import pytest

from scans import ARTEFACTS, begins, careful, scans, torn, wordless
from snellen.models.fake import FakeModel
from snellen.papers.artefacts.report.chapter import LINES, draw_pooled
from snellen.report.components import Listing, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.tests import sections
from snellen.report.words import numbers as wording
from snellen.scoring.findings import ALL_MODELS
from walking import rows, walk

TEST = f"pooled-artefacts:{ARTEFACTS},prompts=own"


def made(results, store):
    """The fold of the only such test: its parts, and its tables."""
    evidence = Evidence(results, store)
    [fold] = draw_pooled(Lookup(evidence), sections(evidence))
    return fold, [part for part in walk([fold]) if isinstance(part, Table)]


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
    fold, (means, *_) = made(*asked)
    found = rows(means)
    titles = ["All images, n 8", "Chest X-ray, n 4", "OCT, n 4"]
    assert list(dict.fromkeys(title for title, _ in found)) == titles
    [finding] = [each for each in results.over_all if each.model == ALL_MODELS]
    measured = {(each.subset, each.name): each.estimate.value for each in finding.measures}
    original, flagged = LINES[0][0], LINES[-1][0]
    published, mixed, _ = found[titles[0], original]
    assert begins([published, mixed]) == [
        wording.tenths(measured["", name], "share") for name in ("pooled_accuracy", "pooled_accuracy_mixed")
    ]
    assert published.n == "4 cells of 4 models"
    assert found[titles[0], flagged][0].n == "6 cells of 3 models"
    assert [[cells[2].words for (block, _), cells in found.items() if block == title] for title in titles] == [
        ["–", "–", "–", "–", "–"],
        ["60.4%", "−10.46%", "–", "–", "11.5%"],
        ["60.2%", "−9.06%", "–", "–", "12.8%"],
    ]
    of_kind = wording.tenths(measured["category=chest X-ray", "pooled_accuracy"], "share")
    assert begins(found[titles[1], original][:1]) == [of_kind]
    assert "a kind of model that makes up 53% of all may be missing" in fold.parts[0].words


def test_the_three_best_are_named(asked):
    """With what they score by the choice, and on the other half of the patients; and each model by itself."""
    _, (_, best, apart) = made(*asked)
    names, accuracy, _, *other_half = rows(best)["", "All images"]
    assert names.words == "fake/careful-0, fake/careful-2, fake/wordless-3"
    assert begins([accuracy]) == ["100.0%"]
    assert all("%" in cell.words for cell in other_half)
    assert (apart.folded, len(apart.rows)) == ("4 models, each by itself", 4)


def test_the_page_says_what_each_way_is_for(asked, checked):
    """Both ways, the caveat of the choice, the paper's figure, and a place of its own."""
    results, store = asked
    text = render(results, store)
    fold, _ = made(results, store)
    assert fold.anchor in checked(text)
    told = text[text.index(f'id="{fold.anchor}"') :]
    for words in ("mixed, 95% CI over patients and models", "lucky", "4 models, each by itself", "−10.46%"):
        assert words in told


def test_few_models_stand_for_themselves(scanned):
    """Two are taken as fixed and one has no other; there is no best three, and the note says that it is so."""
    two, store = scanned([TEST], by=models(careful, torn), benchmarks=(scans(4, ("MRI",)),))
    fold, (means, apart) = made(two, store)
    assert "too few models" in fold.parts[0].words
    assert len(apart.rows) == 2
    assert rows(means)["MRI, n 4", LINES[0][0]][2].words == "64.5%"
    alone = replace(two, findings=two.findings[:1], over_all=())
    fold, [means] = made(alone, store)
    assert "too few models" in fold.parts[0].words
    assert rows(means)["MRI, n 4", LINES[0][0]][1].words == "–"
    assert isinstance(fold.parts[-1], Listing)
