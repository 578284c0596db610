"""The printed accuracies of the Pathway paper: typed as they stand there, and recomputed as far as they can be."""

import re
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from snellen.papers import printed, sheets
from snellen.papers.pathway.published import accuracies, counts_of, disagreements, tabulate_results
from snellen.stats import cohens_kappa

PAPERS = Path(__file__).parents[4] / "shared" / "papers"
COUNTS = {
    ("GPT-4o", "I"): 112, ("GPT-4o", "II"): 96, ("MedGPT", "II"): 97, ("MedGPT", "IV"): 169, ("DeepSeek-R1", "IV"): 142,
    ("DeepSeek-R1", "VI"): None, ("GPT-4o", "VII"): 8, ("Claude 3.5", "VIII"): 71, ("Llama-3.2-Vision", "VIII"): 31,
    ("GPT-4o", "VIII"): None, ("Qwen2-VL", "VIII"): 2,
}  # fmt: skip


def said():
    """All that the command prints of the paper alone."""
    return "\n".join(line for sheet in sheets("pathway") for line in (*map(" ".join, sheet.rows), *sheet.notes))


def test_the_counts_behind_the_printed_percentages():
    """Found by trying every count; where none gives the printed figure there is none."""
    found = {(each.model, each.task): each.counts[0] if each.counts else None for each in accuracies()}
    assert found == COUNTS
    for each in accuracies():
        every = [k for k in range(each.n + 1) if f"{100 * k / each.n:.1f}" == f"{each.value:.1f}"]
        assert list(each.counts) == every


def test_a_figure_that_no_count_gives_has_no_interval_and_is_named():
    """With the counts beside it; one that a sample of thirty gives is named too."""
    assert [each.model for each in accuracies() if each.interval is None] == ["DeepSeek-R1", "GPT-4o"]
    assert "GPT-4o, task VIII: no count of 203 prints as 8.8; 17 print as 8.4 and 18 print as 8.9." in said()
    assert "25 (83.3%), 21 (70.0%), 16 (53.3%)" in said()
    assert counts_of(53.3, 3 * 203) == ()
    assert "no whole number of 609 opinions, but 324.5 if an Unclear counts as a half" in said()


def test_the_interval_is_wilsons():
    """By its formula, for 112 of 129."""
    first = accuracies()[0].interval
    z, n, p = 1.959963985, 129, 112 / 129
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    assert (first.low, first.high) == pytest.approx((middle - half, middle + half))


def test_the_sizes_and_the_sites_add_up():
    """1,245 questions without task VIII, and all sites together."""
    record = printed("pathway")
    assert sum(each["n"] for number, each in record["tasks"].items() if number != "VIII") == record["questions"] == 1245
    assert sum(record["sites"].values()) == pytest.approx(100)
    assert "The sum of tasks I to VII, 1,245, is the printed total" in said()


def test_the_kappa_leaves_one_to_three_disagreements():
    """The same as trying every table of two people's labels."""
    tables = set()
    for both, first, second in product(range(121), range(7), range(7)):
        rest = 120 - both - first - second
        if rest < 0 or not first + second:
            continue
        one, two = both + first, both + second
        chance = (one * two + (120 - one) * (120 - two)) / 120**2
        if chance < 1 and round(1 - (first + second) / 120 / (1 - chance), 2) == 0.95:
            tables.add(first + second)
    assert tables == {1, 2, 3} == {each.items for each in disagreements(0.95, 120)}
    assert cohens_kappa([1, 0] * 60, [1, 0] * 60).value == 1


@pytest.mark.skipif(not PAPERS.exists(), reason=f"the paper is not at {PAPERS}")
def test_every_accuracy_stands_in_the_paper():
    """To the printed digit, and the remarks do not deny what it says."""
    (text,) = [path.read_text() for path in PAPERS.glob("*.txt") if "Bones and Joints" in path.read_text()[:6000]]
    for each in accuracies():
        assert re.search(rf"\b{each.value:.1f}0?%", text), each
    for site, share in printed("pathway")["sites"].items():
        assert f"{site} ({share:.1f}%)" in re.sub(r"\n\d*\s*", " ", text)
    assert "Kappa coefficient between the two senior experts was 0.95" in re.sub(r"\n\d*\s*", " ", text)


def test_a_study_stands_under_it():
    """Each task with its 95% CI and n; another parser than the one that counts is left out."""
    row = {
        "model": "m", "benchmark": "b/open", "test": "pathway-answers", "arm": "original", "measure": "accuracy",
        "parser": "judges", "subset": "task=diagnosis", "value": 0.5, "low": 0.4, "high": 0.6, "n": 90,
        "method": "wilson", "judge": "j",
    }  # fmt: skip
    named = {**row, "test": "mismatched-image", "measure": "named_rate", "subset": "", "arm": "image-mismatched"}
    (sheet,) = tabulate_results([row, {**row, "parser": "match"}, {**row, "subset": ""}, named])
    assert [line[2:] for line in sheet.rows] == [
        ("IV", "original", "50.0 [40.0, 60.0]", "90"),
        ("VIII", "image-mismatched", "50.0 [40.0, 60.0]", "90"),
    ]
    (none,) = tabulate_results([])
    assert not none.rows
