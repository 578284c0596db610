"""What verdicts rest on: one number, which sentence, first screen, section and terminal show."""

from dataclasses import replace
from itertools import takewhile

import pytest

from snellen.report.components import Fold, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import forest, resting
from snellen.report.sections.tests import draw_test, sections
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import figure
from snellen.stress.base import Status, Unit
from snellen.stress.conclusions import interval


@pytest.fixture(params=["ready", "mirage", "degraded"])
def results(request):
    """The results of each protocol."""
    return request.getfixturevalue(request.param)


def test_the_sentence_is_about_the_number_that_it_rests_on(results):
    """Whatever decides is one of the test's own numbers, and its interval stands in the sentence."""
    found = [*results[0].findings, *results[0].over_all]
    decided = [(each, each.verdict.rests_on) for each in found if each.verdict.rests_on is not None]
    assert len(decided) > len(found) / 2
    for finding, decides in decided:
        assert decides in finding.measures
        if decides.kind.unit in (Unit.SHARE, Unit.POINTS, Unit.RATIO):
            assert interval(decides.estimate.low, decides.estimate.high) in finding.verdict.sentence, finding.test.name


def test_the_terminal_says_the_same(results):
    """One line: the verdict's own words, at least its numbers, and why where nothing is decided."""
    for finding in results[0].own_findings:
        question, status, said = finding.line()
        assert question
        assert status.lower() == finding.verdict.status.words
        assert finding.verdict.sentence.startswith(f"{said[0].upper()}{said[1:]}")
        assert finding.verdict.status is not Status.INCONCLUSIVE or finding.verdict.sentence == f"{said}."


def test_the_section_of_a_test_begins_with_it(results):
    """As many rows as there are verdicts that rest on a number; no plot of the section stands there twice."""
    evidence = Evidence(*results)
    for shown in sections(evidence):
        _, verdicts, *rest = draw_test(evidence, shown).parts
        resting_on = sum(each.verdict.rests_on is not None for each in shown.findings)
        limits = len(
            list(takewhile(lambda each: isinstance(each, Table) and "Accuracy step by step" not in each.caption, rest))
        )
        assert sum(len(plot.rows) for plot in rest[:limits]) == resting_on
        assert len(verdicts.items) == len(shown.findings)
        folded = [each for fold in rest if isinstance(fold, Fold) for each in fold.parts if isinstance(each, Table)]
        drawn = [(plot.caption, plot.rows) for plot in (*rest[:limits], *folded) if plot.look == "drawn"]
        assert all(drawn.count(each) == 1 for each in drawn)


def test_limits_are_lines_that_the_caption_names(ready):
    """The share kept is held against 50%, choices that move against 10%; a mark against its own limit."""
    evidence = Evidence(*ready)
    captions = [
        each.caption
        for shown in sections(evidence)
        for each in draw_test(evidence, shown).parts
        if isinstance(each, Table)
    ]
    for words, limit in (
        ("accuracy above chance that is kept", "50%"), ("choices that changed", "10%"), ("follows the image", "50%"),
    ):  # fmt: skip
        those = [each for each in captions if words in each.lower()]
        assert all(each.endswith(f"; the dashed line is the limit, {limit}") for each in those), words
    assert sum("the limit" in each for each in captions) > 2


def test_every_limit_of_a_verdict_is_drawn(results):
    """Whatever a verdict is held against stands as a line in its plot; option order has its 5 points and its 10%."""
    evidence = Evidence(*results)
    for shown in sections(evidence):
        for finding in shown.findings:
            decides = finding.verdict.rests_on
            limits = [finding.verdict.values.get(name) for name in ("limit", "upper_limit")]
            named = [figure(each, decides.kind.unit) for each in limits if each]
            captions = [plot.caption for plot in resting([finding], evidence=evidence, label=lambda each: each.model)]
            assert all(f"{each}" in captions[0].partition("; the dashed line")[2] for each in named), finding.test.name
    if orders := [each for each in results[0].findings if each.test.name == "option-order"]:
        lines = {
            name: forest(orders, "options-shuffled", name, evidence=evidence, label=lambda each: each.model)
            for name in ("difference", "changed_rate")
        }
        assert lines["difference"].caption.endswith("the dashed lines are the limits, −5 points and +5 points")
        assert lines["changed_rate"].caption.endswith("the dashed line is the limit, 10%")
        assert all(row.cells[0].drawing.count('class="reference"') == 2 for row in lines["difference"].rows)


def test_rows_name_their_arm_where_arms_differ(ready):
    """Models that are decided by different arms stand in one plot, each with its own."""
    results, store = ready
    several = [each for each in results.findings if each.test.name == "distractors"][:2]
    arms = several[0].test.compared
    told = [
        replace(each, verdict=replace(each.verdict, rests_on=each.measure(arm.name, "difference")))
        for each, arm in zip(several, arms, strict=False)
    ]
    [plot] = resting(told, evidence=Evidence(results, store), label=lambda each: each.model)
    begins = "Change in accuracy, under the condition that decides (percentage points)"
    assert plot.caption == f"{begins}; the dashed line is the limit, −5 points"
    assert [row.head.words for row in plot.rows] == [
        f"{each.model}, {arm_label(arm.name)}" for each, arm in zip(told, arms, strict=False)
    ]
