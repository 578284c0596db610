"""Unknown option: of no use to one who sees, the way out for one who cannot."""

import pytest

from snellen.papers.readiness.tests.options import HEADLINE
from snellen.stress.base import Status
from tables import numbers, sheet, verdict

SEEN, BLIND = "unknown-offered", "image-removed+unknown-offered"
WITHOUT = "unknown-option:image=removed"


def offered(line, before=None, *, wanted=0):
    """A table of what it says when Unknown is offered and no image."""
    return sheet({"image-removed": before or "-" * len(line), BLIND: line}, wanted=wanted)


def test_silence_is_held_against_luck():
    """Of ten replies four take Unknown and one refuses; picking any of five options would take it in two."""
    found = numbers(WITHOUT, offered("oooox++---"))
    assert found[BLIND, HEADLINE].value == pytest.approx(0.5 - 0.2)
    assert found[BLIND, "silence_rate"].value == pytest.approx(0.5)
    assert found[BLIND, "difference"].value == pytest.approx(0.2)


@pytest.mark.parametrize(
    ("line", "status", "words"),
    [
        ("o" * 60, Status.PASS, "it says that it cannot tell"),
        ("x" * 60, Status.PASS, "it says that it cannot tell"),
        ("ox" * 30, Status.PASS, "100% (95% CI 94 to 100) of 60 questions"),
        ("+-" * 30, Status.FAIL, "It avoids Unknown like a wrong diagnosis"),
        ("o" * 12 + "-" * 48, Status.INCONCLUSIVE, "0 points (95% CI −11 to 11) more than by chance"),
        ("-", Status.INCONCLUSIVE, "too few"),
        (" ", Status.INCONCLUSIVE, "No question could be offered with Unknown"),
    ],
    ids=["unknown", "refused", "half and half", "never", "as luck would", "one item", "no reply"],
)
def test_what_is_concluded_without_the_image(line, status, words):
    """Most take it, however they put it: it passes. Fewer than by luck: ruled out. Between the two nothing is said."""
    found = verdict(WITHOUT, offered(line))
    assert (found.status, words in found.sentence) == (status, True), found.sentence


@pytest.mark.parametrize(
    ("line", "status"),
    [
        ("+" * 80 + "-" * 20, Status.PASS),
        ("+" * 95 + "-" * 5, Status.PASS),
        ("o" * 100, Status.FAIL),
        ("+" * 30 + "o" * 70, Status.FAIL),
        ("+" * 76 + "o" * 24, Status.INCONCLUSIVE),
        (" " * 100, Status.INCONCLUSIVE),
    ],
)
def test_what_is_concluded_with_the_image(line, status):
    """It should answer as before; one who flees into Unknown gets worse."""
    assert verdict("unknown-option", sheet({"original": "+" * 80 + "-" * 20, SEEN: line})).status is status


def test_all_failed_is_no_verdict():
    """Nothing came of what was wanted."""
    assert "20 of 20 responses" in verdict(WITHOUT, offered(" " * 20, wanted=20)).sentence


def test_the_margin_is_corrected_with_the_other_tests():
    """What is shown alone is not beside two tests with a limit that show nothing; reported tests do not count."""
    line, others = "o" + "-" * 29, ("image-substituted", "distractors-replaced:count=1")
    found = sheet({"original": line, "image-removed": line, BLIND: line, **dict.fromkeys(others, line)})
    assert verdict(WITHOUT, found, "comparison:image-substituted", "image-needed", "mirage-score").status is Status.FAIL
    beside = verdict(WITHOUT, found, "visual-substitution", "distractors")
    assert (beside.status, beside.reason) == (Status.INCONCLUSIVE, "after-correction")
