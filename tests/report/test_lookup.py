import numpy as np
import pytest

from snellen.report.lookup import ModelOnBenchmark, family, in_order

GROUNDED = ModelOnBenchmark("organism/grounded", "phantoms:items=30,leak=0.5")


def test_number_is_that_of_the_results(ready_lookup, ready_rows):
    """A number is found by its test's name without settings, and it is the one that results.csv has."""
    found = ready_lookup.find(["rationale"], GROUNDED, "image-removed", "described_rate")
    row = ready_rows[(*GROUNDED, "rationale:image-removed,original+cot", "image-removed", "described_rate")]
    estimate = found.estimate
    assert (estimate.value, estimate.low, estimate.high, estimate.n) == (
        row["value"], row["low"], row["high"], row["n"]
    )  # fmt: skip
    assert found.printed.anchor == "rows-organism-grounded-phantoms-items-30-leak-0-5-image-removed"


def test_first_family_that_has_the_number_counts(ready_lookup):
    """Of several families the first that has it is shown; one of all families can be left out."""
    of_all = ready_lookup.find(["chain-of-thought", "image-needed"], GROUNDED, "image-removed", "accuracy")
    of_some = ready_lookup.find(["visual-necessity", "image-needed"], GROUNDED, "image-removed", "accuracy")
    assert (family(of_all.finding), family(of_some.finding)) == ("image-needed", "visual-necessity")
    assert of_all.estimate.n > of_some.estimate.n
    assert ready_lookup.find(["no-such-test"], GROUNDED, "original", "accuracy") is None
    assert "visual-necessity" not in ready_lookup.families(but="visual-necessity")
    assert "image-needed" in ready_lookup.families(but="visual-necessity")


def test_chance_is_of_the_items_that_were_asked(ready_lookup):
    """Luck is the mean over the items of an arm, and not known where nothing was asked."""
    table = ready_lookup.evidence.results.tables[GROUNDED]
    asked = table.arms["distractors-replaced:count=4"].ordinal
    found = ready_lookup.chance(GROUNDED, "distractors-replaced:count=4")
    assert found == pytest.approx(np.mean([1 / len(table.items[at].options) for at in asked]))
    assert found == pytest.approx(0.2)
    assert ready_lookup.chance(GROUNDED, "image-blank") is None


def test_arms_with_an_image_come_first():
    """The order within each kind stays."""
    arms = ["image-removed", "original+low", "image-blank:fill=noise", "original"]
    assert in_order(arms) == ["original+low", "original", "image-removed", "image-blank:fill=noise"]
