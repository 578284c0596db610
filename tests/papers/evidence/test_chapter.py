"""The chapter on evidence: verdicts, effects by finding as a figure with its numbers, and images side by side."""

import csv
import re

import pytest

from snellen.report.page import render_page
from snellen.scoring.results import score
from snellen.store import Store
from snellen.study import Study

TESTS = ("rests-on-finding", "label-swaps", "cues:tag,frame", "follows")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The page of two organisms, and its figures."""
    out = tmp_path_factory.mktemp("evidence") / "out"
    models = ["organism/grounded", "organism/blind"]
    Study(
        models=models, benchmarks=["phantoms:items=48"], tests=list(TESTS), out=out, canary=False, image_side=128
    ).ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        made = render_page(results, store)
    return made.page[made.page.index('id="evidence"') :], made.figures, results


def test_every_test_of_the_chapter_has_its_section_and_no_other(page):
    """With its question, once; the three marks stay on the first screen."""
    html = page[0]
    for question in (
        "Does the answer rest on the finding, and not on another part of the image?",
        "Do the answers follow a letter, words, a hint or a mark that is not evidence?",
        "Does the answer stay with another patient&#39;s image of the same label, and change with another label?",
    ):
        assert html.count(f">{question}") == 1, question


def test_the_figure_has_both_effects_of_every_finding(page):
    """With intervals and n in its CSV, for all questions and by finding; equal to the measures."""
    _, figures, results = page
    [figure] = [each for each in figures if each.name.startswith("rests-on-finding-effects")]
    rows = list(csv.DictReader(figure.csv.splitlines()))
    assert {row["measure"] for row in rows} == {"evidence_effect", "elsewhere_effect"}
    assert {row["model"] for row in rows} == {"organism/grounded", "organism/blind"}
    assert any(row["group"].startswith("body part: ") for row in rows)
    [finding] = [each for each in results.findings
                 if each.test.name == "rests-on-finding" and each.model == "organism/grounded"]  # fmt: skip
    measured = {(each.name, each.subset): each.estimate for each in finding.measures}
    for row in (row for row in rows if row["model"] == "organism/grounded"):
        estimate = measured[row["measure"], row["group"]]
        assert float(row["value"]) == pytest.approx(estimate.value, abs=1e-6)
        assert int(row["n"]) == estimate.n


def test_images_stand_side_by_side_with_the_finding_outlined(page):
    """The original has the box; with the finding hidden, another part, or swapped it has none. Answers are below."""
    html = page[0]
    shown = html[html.index("evidence-images") :]
    for title in ("Original", "Finding hidden", "Another part hidden", "Another patient’s image"):
        assert shown.count(f">{title}<") >= 2, title
    images = re.findall(r'<svg viewBox="0 0 (\d+) (\d+)"[^>]*>(.*?)</svg>', shown)
    outlined = [drawn for *_, drawn in images if 'class="outlined"' in drawn]
    assert 2 <= len(outlined) <= 4
    for *_, x, y, wide, high in re.findall(
        r'class="(outlined)" x="(.*?)" y="(.*?)" width="(.*?)" height="(.*?)"', shown
    ):
        assert 0 <= float(x) <= float(x) + float(wide) <= 128.1
        assert 0 <= float(y) <= float(y) + float(high) <= 128.1
    assert "grounded" in shown
    assert "Right answer: <b>" in shown
