"""Printed figures: ours to carry, and equal to the papers'."""

import json
from pathlib import Path

import pytest

from snellen.errors import StudyError
from snellen.published import PAPERS, compared, printed
from snellen.study import bring, rescore

PUBLISHED = Path(__file__).parents[2].parent / "shared" / "oracles" / "published.json"


@pytest.mark.skipif(not PUBLISHED.exists(), reason=f"the printed figures are not at {PUBLISHED}")
def test_the_italian_table_is_the_printed_one():
    """Every model and arm, value and interval."""
    table = json.loads(PUBLISHED.read_text())["italian"]["table"]
    ours = {(line.model, line.arm.removeprefix("image-")): list(line.printed) for line in compared("italian")}
    assert ours == {(model, arm): figures for model, arms in table.items() for arm, figures in arms.items()}


@pytest.mark.parametrize("paper", PAPERS)
def test_without_replies_there_is_nothing_to_compare(paper):
    """The printed figures stand alone."""
    assert {line.agrees for line in compared(paper)} == {None}
    assert printed(paper)["paper"]


def test_an_unknown_paper_is_refused():
    """With those there are."""
    with pytest.raises(StudyError, match="There are: italian"):
        printed("nature")


def row(model, arm, right, benchmark):
    """A reply of one of ten items; the first so many are right."""
    return [
        {
            "model": model, "benchmark": benchmark, "item_id": str(n), "arm": arm, "replicate": run, "question": "?",
            "options": ["A", "B"], "answer": "A", "response": f"{n}, {'A' if n < right else 'B'}",
        }
        for n in range(10)
        for run in range(2)
    ]  # fmt: skip


def test_ours_stands_beside_the_printed_figure(tmp_path):
    """Nine of ten right is not what was printed, and is said so; another benchmark beside it changes nothing."""
    model = "openai/gpt-4o"
    rows = [*row(model, "original", 9, "europemedqa-ssm-it"), *row(model, "original", 2, "another")]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)))
    bring([tmp_path / "a.jsonl"], tmp_path / "out", format="jsonl")
    lines = {(line.model, line.arm): line for line in compared("italian", rescore(tmp_path / "out"))}
    found = lines[model, "original"]
    assert found.ours[0] == 90.0
    assert found.agrees is False
    assert lines[model, "image-blank"].agrees is None
