"""Rests on finding: the effect of hiding the finding beyond hiding another part decides, against half of a guess."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import StudyError
from snellen.papers.evidence.tests.rests_on_finding import BEYOND, CORNERS, ELSEWHERE, FILLED, GUESSED, HIDDEN, KEPT
from snellen.stress import stress_test
from snellen.stress.base import Status
from tables import numbers, rated, sheet, verdict

TEST = stress_test("rests-on-finding")
EVIDENCE, FIRST, SECOND, IN_CORNERS, FILL, ONLY = (arm.name for arm in TEST.compared)


def shown(own, evidence, *elsewhere, options=4, **more):
    """A table of signs for the original, the hidden finding and one or two other places."""
    asked = rated(len(own), options=options)
    named = {"corners": IN_CORNERS, "fill": FILL, "only": ONLY}
    lines = {"original": own, EVIDENCE: evidence, **dict(zip((FIRST, SECOND), elsewhere, strict=False))}
    return sheet({**lines, **{named[name]: line for name, line in more.items()}}, asked)


@pytest.mark.parametrize(
    ("own", "evidence", "elsewhere", "status", "why"),
    [
        ("+" * 60, "-" * 60, "+" * 60, Status.PASS, "100 points (95% CI 90 to 100) more, with a limit of 38 points"),
        ("+" * 60, "o" * 60, "+" * 60, Status.PASS, "rest on the finding"),
        ("+" * 60, "-+" * 30, "+" * 60, Status.INCONCLUSIVE, "too few to tell"),
        ("+" * 60, "+" * 60, "+" * 60, Status.FAIL, "fewer than half of its answers"),
        ("+-" * 30, "+-" * 30, "+-" * 30, Status.FAIL, "of 30 right answers"),
        ("+" * 60, "-" * 15 + "+" * 45, "-" * 12 + "+" * 48, Status.INCONCLUSIVE, "too few to tell"),
        ("+" * 60, "-" * 60, "-" * 60, Status.INCONCLUSIVE, "with any part hidden"),
        ("-" * 60, "+" * 60, "+" * 60, Status.INCONCLUSIVE, "fewer than 6 questions"),
        ("o" * 60, "o" * 60, "o" * 60, Status.INCONCLUSIVE, "fewer than 6 questions"),
        ("+" * 60, "", "", Status.INCONCLUSIVE, "fewer than 6 questions"),
    ],
)
def test_verdicts(own, evidence, elsewhere, status, why):
    """By what the answers do, with the numbers and the reason in the sentence."""
    found = verdict(TEST, shown(own, evidence, elsewhere, elsewhere))
    assert (found.status, why.lower() in found.sentence.lower()) == (status, True), found.sentence


def test_the_limit_is_half_of_what_a_guess_loses():
    """A quarter of all answers with two options, three eighths with four; a third of the answers lost is between."""
    evidence = "-" * 200 + "+" * 400
    assert verdict(TEST, shown("+" * 600, evidence, "+" * 600, options=2)).status is Status.PASS
    assert verdict(TEST, shown("+" * 600, evidence, "+" * 600, options=5)).status is Status.FAIL


@given(st.lists(st.tuples(*[st.sampled_from("+-o?t ")] * 7), min_size=12, max_size=40))
def test_counts_by_brute_force(rows):
    """Every effect is counted anew, item by item: right before, read after, and both kinds of places known."""
    own, evidence, first, second, corners, fill, only = ("".join(line) for line in zip(*rows, strict=True))
    found = numbers(TEST, shown(own, evidence, first, second, corners=corners, fill=fill, only=only))

    def changed(sign):
        return None if sign in "?t " else float(sign != "+")

    counted = {HIDDEN: [], ELSEWHERE: [], BEYOND: [], CORNERS: [], FILLED: [], KEPT: []}
    for before, *after in rows:
        if before != "+":
            continue
        lost, *places, corner, filled, kept = map(changed, after)
        known = [each for each in places if each is not None]
        elsewhere = sum(known) / len(known) if known else None
        if None not in (lost, elsewhere):
            counted[HIDDEN].append(lost)
            counted[ELSEWHERE].append(elsewhere)
            counted[BEYOND].append(lost - elsewhere)
        if None not in (corner, elsewhere):
            counted[CORNERS].append(corner - elsewhere)
        counted[FILLED] += [] if filled is None else [filled]
        counted[KEPT] += [] if kept is None else [1 - kept]
    arms = {HIDDEN: EVIDENCE, ELSEWHERE: FIRST, BEYOND: EVIDENCE, CORNERS: IN_CORNERS, FILLED: FILL, KEPT: ONLY}
    for name, values in counted.items():
        estimate = found.get((arms[name], name))
        assert (estimate is None) == (len(values) < 6), name
        if estimate is not None:
            assert (estimate.n, round(estimate.value, 9)) == (len(values), round(np.mean(values), 9)), name
    if (EVIDENCE, GUESSED) in found:
        assert found[EVIDENCE, GUESSED].value == pytest.approx(0.75)


@given(st.text("+-", min_size=30, max_size=90), st.integers(0, 99))
def test_who_does_not_look_never_passes(own, seed):
    """Whatever is hidden, the answers are the same, or drawn anew each time."""
    assert verdict(TEST, shown(own, own, own, own)).status is not Status.PASS
    rng = np.random.default_rng(seed)
    drawn = ["".join("+-"[each] for each in rng.integers(0, 2, len(own))) for _ in range(4)]
    assert verdict(TEST, shown(*drawn, options=2)).status is not Status.PASS


def test_findings_and_body_parts_are_measured_apart():
    """With their own n, and without a p: some of many are small by chance."""
    table = shown("+" * 24, "-" * 12 + "+" * 12, "+" * 24, "+" * 24)
    named = tuple(
        replace(item, metadata={"finding": "nodule" if at < 12 else "effusion", "body_part": "chest"})
        for at, item in enumerate(table.items)
    )
    measures = TEST.measure(replace(table, items=named))
    by_finding = {each.subset: each for each in measures if each.name == BEYOND}
    assert {name: (each.estimate.value, each.estimate.n) for name, each in by_finding.items()} == {
        "": (0.5, 24), "finding: nodule": (1.0, 12), "finding: effusion": (0.0, 12),
    }  # fmt: skip
    assert by_finding[""].estimate.p is not None
    assert by_finding["finding: nodule"].estimate.p is None


def test_the_detectable_difference_is_given():
    """Also if no answer changes."""
    [whole] = [each for each in TEST.measure(shown("+" * 60, "+" * 60, "+" * 60, "+" * 60)) if each.name == BEYOND]
    assert 0.05 < whole.detectable < 0.3


@pytest.mark.parametrize("draws", [0, 21, 1.5])
def test_draws_are_checked(draws):
    """They are a number of places."""
    with pytest.raises(StudyError, match="draws"):
        stress_test(f"rests-on-finding:draws={draws}")
