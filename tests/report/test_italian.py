"""The Italian paper from its raw replies: imported, reported, its Table 1 found to the printed digit, and verdicts.

The replies are not part of the project; the tests skip where they are not beside it.
"""

import csv
import json
from pathlib import Path

import pytest

from snellen.papers import compared

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "oracles" / "published.json"

pytestmark = pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the printed table is not at {PUBLISHED}")


@pytest.fixture(scope="module")
def published(italian):
    """The imported study, scored and drawn."""
    return italian[0]


@pytest.fixture(scope="module")
def rows(published):
    """results.csv."""
    with (published.folder / "results.csv").open(newline="") as file:
        return list(csv.DictReader(file))


def accuracies(rows, parser):
    return {
        (row["model"], row["arm"]): row
        for row in rows
        if row["measure"] == "accuracy" and (row["method"], row["parser"]) == ("student-t-over-items", parser)
    }


def test_table_1_to_the_printed_digit(rows):
    """Mean over items, Student-t interval over items, strict parser: value and both ends, for every model and arm."""
    printed = json.loads(PUBLISHED.read_text())["italian"]["table"]
    found = accuracies(rows, "strict-first-line")
    assert len({row["test"] for row in found.values()}) == 1
    assert len(found) == 4
    for (model, arm), row in found.items():
        ours = [round(100 * float(row[end]), 1) for end in ("value", "low", "high")]
        assert ours == printed[model][arm.removeprefix("image-")]
        assert row["n"] == "60"


def test_the_lenient_parser_stands_beside_it(rows):
    """It reads at least what the strict one reads, and more where answers stand under headings."""
    strict, lenient = accuracies(rows, "strict-first-line"), accuracies(rows, "lenient")
    assert strict.keys() == lenient.keys()
    assert all(float(lenient[key]["value"]) >= float(strict[key]["value"]) for key in strict)
    claude = ("anthropic/claude-sonnet-4-5", "image-blank")
    assert float(lenient[claude]["value"]) > float(strict[claude]["value"]) + 0.02


def test_the_page_and_the_printed_table(published):
    """56.9 points are 71.0%; the page names models, parsers and reference; both models equal the printed digits."""
    assert round(100 * published.study["human"]["accuracy"], 1) == 71.0
    page = (published.folder / "report.html").read_text()
    for word in ("anthropic/claude-sonnet-4-5", "strict-first-line", "71%"):
        assert word in page
    found = {(line.model, line.arm): line.agrees for line in compared("italian", published)}
    assert list(found.values()).count(True) == 2 * len(published.tables)
    assert list(found.values()).count(False) == 0


def test_the_spread_over_runs_is_shown_apart(rows):
    """Between runs, within items, between items: for both models and arms, under both parsers."""
    names = {"between_run_variance", "within_item_variance", "between_item_variance"}
    kept = [row for row in rows if row["measure"] in names and row["test"] == "blank-image"]
    assert len(kept) == 2 * 2 * 2 * 3
    assert all(0 <= float(row["low"]) <= float(row["value"]) <= float(row["high"]) for row in kept)


def test_blank_images_are_described(published):
    """With a blank in place of the image, both models claim to see findings, also where they are right."""
    for finding in published.findings:
        if finding.test.name.startswith("rationale"):
            assert finding.measure("image-blank", "described_rate").estimate.low > 0.05
            assert finding.measure("image-blank", "hallucinated_perception_by_rule_rate").estimate.value > 0.05


MODELS = ("anthropic/claude-sonnet-4-5", "openai/gpt-5-mini")
SAID = {
    ("blank-image", MODELS[0]): (
        "reported",
        "85% → 80% with blank images (−5 points, ",
        "keeps 92% above chance (95% CI 80",
    ),
    ("blank-image", MODELS[1]): (
        "reported",
        "88% → 79.5% with blank images (−8.5 points, ",
        "keeps 88% above chance (95% CI 74",
    ),
    ("rationale:image-blank", MODELS[0]): ("reported", "22% (95% CI 13 to 34) ", "describe findings"),
    ("rationale:image-blank", MODELS[1]): ("reported", "20% (95% CI 11 to 31) ", "describe findings"),
    **{
        ("image-used:without=image-blank", model): ("reported", "No images were swapped; ", "the image adds")
        for model in MODELS
    },
}


def test_the_verdicts_on_both_models(published):
    """Both scores hardly need the image: half of the best skill is possible without; what was not asked is open."""
    found = {(each.test.name, each.model): each.line() for each in published.findings if each.model in MODELS}
    [line] = published.lines
    assert line.sentence.startswith("Score possible without images: the best of these models scores 80% (")
    assert line.sentence.endswith(" of the best model's skill; more than the limit, half.")
    marks = {(each.model, each.test.name): (each.verdict.status, each.verdict.reason) for each in published.marks}
    assert marks == {
        (model, test): said
        for model in MODELS
        for test, said in {
            "follows": ("inconclusive", "swap-not-asked"),
            "honest": ("fail", "silent"),
            "steady": ("inconclusive", "order-not-asked"),
        }.items()
    }
    assert found.keys() >= SAID.keys()
    for key, (status, begins, within) in SAID.items():
        _, given, said = found[key]
        assert (given, said.startswith(begins), within in said) == (status, True, True), said


def test_which_model_lost_most_is_as_published(published):
    """By the printed table and by ours, with the share kept in the opposite order."""
    printed = json.loads(PUBLISHED.read_text())["italian"]["table"]
    lost = {model: printed[model]["original"][0] - printed[model]["blank"][0] for model in MODELS}
    ours = {
        each.model: (each.measure("image-blank", "difference"), each.measure("image-blank", "kept_above_chance"))
        for each in published.findings
        if each.test.name == "blank-image"
    }
    assert max(lost, key=lost.get) == min(ours, key=lambda model: ours[model][0].estimate.value) == MODELS[1]
    assert min(ours, key=lambda model: ours[model][1].estimate.value) == MODELS[1]
