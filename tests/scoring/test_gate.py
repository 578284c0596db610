"""The gate: requirements are read as they are written, and met only where the numbers show it."""

from dataclasses import replace
from math import nan
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.errors import RequirementError
from snellen.reading.claims.columns import Rationales
from snellen.scoring.findings import Unsure, findings, mark_model, withhold_verdict
from snellen.scoring.gate import (
    GateDecision,
    RequiredMeasure,
    RequiredVerdict,
    RequirementCheck,
    StudyGate,
    check,
    parse,
)
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival, Delivery
from snellen.stats import Estimate
from snellen.stress import stress_test
from snellen.stress.base import Status, Verdict
from snellen.stress.verdicts.marks import is_judged
from snellen.stress.verdicts.possible_without import judge_benchmark
from snellen.study import gate
from strategies import items
from tables import sheet

pytestmark = pytest.mark.usefixtures("no_groups")

MET, NOT_DECIDED, NOT_MET = GateDecision.MET, GateDecision.NOT_DECIDED, GateDecision.NOT_MET
WITH, WITHOUT, BLANK = "original", "image-removed", "image-blank"


def claiming(table, **described):
    """The table in which so many responses of each condition claim to see something, and all say more than a letter."""
    arms = dict(table.arms)
    for arm, count in described.items():
        name = arm.replace("_", "-")
        places = np.arange(len(arms[name]))
        never, none = np.zeros(len(places), dtype=bool), np.zeros(len(places), dtype=np.int64)
        said = Rationales((places < count).astype(np.int64), never, never, never, ~never, none, never, never)
        arms[name] = arms[name].having(said)
    return replace(table, arms=arms)


def results(tests, *tables, **more):
    """Results of these tests on these tables."""
    named = [stress_test(test) if isinstance(test, str) else test for test in tests]
    readings = {"lenient": {(table.model, table.benchmark): table for table in tables}}
    found = tuple(finding for table in tables for finding in findings(named, table))
    made = {"marks": tuple(mark for table in tables if is_judged(table) for mark in mark_model(table)), **more}
    return Results(Path(), {"parser": "lenient", "name": "first"}, {}, readings, found, **made)


LEFT = "options-only"
SIGHTED = sheet({WITH: "+" * 200, WITHOUT: "-" * 160 + "+" * 40, LEFT: "-" * 160 + "+" * 40}, wanted=200)
BLIND = replace(sheet({WITH: "+-" * 100, WITHOUT: "+-" * 100, LEFT: "+-" * 100}, wanted=200), model="blind")
BOTH = results(["text-needed", "option-order"], SIGHTED, BLIND)
SHOWN = sheet({WITH: "+" * 60, WITHOUT: "o" * 60, BLANK: "o" * 60}, items(60))
"""A table of items with images, so that it gets the three verdicts."""


def marked(**statuses):
    """Results whose three verdicts have these statuses."""
    said = {name: Verdict(Status(status), "90%", "a reason") for name, status in statuses.items()}
    return tuple(replace(mark, verdict=said[mark.test.name]) for mark in mark_model(SHOWN))


def decisions(found, *required, point=False):
    return [each.decision for each in check(found, parse(required), point=point).checks]


NAMES = st.from_regex(r"[a-z]{1,6}(-[a-z]{1,6})?", fullmatch=True)
SET = st.sampled_from(["", ":image=removed", ":image-removed,original+cot", ":n=2,list=needed.txt"])
TESTS = st.builds(str.__add__, NAMES, SET)
CONDITIONS = st.sampled_from(["", "image-removed", "degraded:noise,weak", "degraded:blur/noise,0.25+detection-cot"])
REQUIRED = st.one_of(
    st.builds(
        RequiredVerdict,
        TESTS,
        st.sampled_from(["=", "!="]),
        st.sets(st.sampled_from(Status), min_size=1).map(lambda few: tuple(each for each in Status if each in few)),
    ),
    st.builds(
        RequiredMeasure,
        NAMES.map(lambda name: f"{name.replace('-', '_')}_rate"),
        st.sampled_from(["<=", ">=", "<", ">"]),
        st.floats(-1e9, 1e9),
        st.one_of(st.just(""), TESTS),
        CONDITIONS,
    ),
)


@given(st.lists(REQUIRED, min_size=1, unique=True))
def test_requirements_are_read_as_they_are_printed(required):
    """Printed and joined by commas or lines, they are read as the same, names with settings included."""
    printed = [str(each) for each in required]
    assert parse([",".join(printed)]) == parse(["\n".join(printed)]) == parse(printed) == tuple(required)


@pytest.mark.parametrize(
    ("text", "number"), [("a<=5%", 0.05), ("a <= 14.1 %", 0.141), ("a<=.5", 0.5), ("a<=1e-2", 0.01), ("a<=-5%", -0.05)]
)
def test_numbers_and_percent(text, number):
    """A percent is a hundredth to the last digit, and spaces do not matter."""
    assert parse([text]) == (RequiredMeasure("a", "<=", number),)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "No requirement was given"),
        ("image-needed", "cannot be read"),
        ("image-needed=psas,invents<=5%", "'psas' is not a verdict. Verdicts: pass, fail"),
        ("invents=0.05", "write <=, >=, < or >"),
        ("invents<=few", "'few' is not a number"),
        ("invents<=nan", "'nan' is not a number"),
        ("invents<=1e999", "too large"),
        ("invents<=0,05", "'05' cannot be read"),
        ("rationale.<=5%", "cannot be read"),
        ("rationale.described_rate@<=5%", "cannot be read"),
    ],
)
def test_what_cannot_be_read_is_told(text, said):
    """Each slip has its own sentence."""
    with pytest.raises(RequirementError, match=said):
        parse([text])


@given(st.permutations(["text-needed=pass", "text-needed!=fail", "accuracy>=0.6", "difference<=0", "unsure<=0.5"]))
def test_the_order_of_requirements_does_not_matter(required):
    """The same checks, and the same end."""
    first, here = check(BOTH, parse(sorted(required))), check(BOTH, parse(required))
    assert set(first.checks) == set(here.checks)
    assert first.passed == here.passed
    assert check(BOTH, parse([*required, *required])) == here


@given(st.lists(st.sampled_from(GateDecision), min_size=1))
def test_a_gate_is_as_good_as_its_worst_check(came_to):
    """It passes only if every check is met."""
    required = RequiredVerdict("t", "=", (Status.PASS,))
    done = StudyGate(BOTH, tuple(RequirementCheck("m", "b", required, each, "") for each in came_to))
    assert done.passed == (max(came_to, key=lambda each: each.rank) is MET)
    assert done.summary.startswith("Passed" if done.passed else "Not passed")
    failures = [each.get("type") for each in ElementTree.fromstring(done.junit()).iter("failure")]
    assert failures == [each.replace(" ", "-") for each in came_to if each is not MET]


def carrying(*rows, model="m", benchmark="b"):
    """A finding with these numbers: condition, measure, value, low, high, and n if that is not 100."""
    [finding] = results(["text-needed"], SIGHTED).findings
    one = finding.measures[0]
    made = [
        replace(one, arm=arm, kind=one.kind._replace(name=name), estimate=Estimate(*[*ends, 100][:4], "wilson"))
        for arm, name, *ends in rows
    ]
    return replace(finding, model=model, benchmark=benchmark, measures=tuple(made))


def measured(*ends):
    """Results with one number under one condition."""
    return replace(BOTH, findings=(carrying((WITHOUT, "described_rate", *ends)),))


@given(
    st.lists(st.floats(0, 1), min_size=3, max_size=3).map(sorted), st.sampled_from(["<=", ">=", "<", ">"]), st.data()
)
def test_what_the_whole_interval_shows_the_number_shows_too(ends, sign, data):
    """Decided by the 95% CI, it is decided alike by the number; and what is met is not met with the sign reversed."""
    low, value, high = ends
    limit = data.draw(st.one_of(st.sampled_from(ends), st.floats(0, 1)))
    found = measured(value, low, high)
    [required] = parse([f"described_rate{sign}{limit!r}"])
    [whole], [alone] = (check(found, [required], point=point).checks for point in (False, True))
    assert whole.decision in (NOT_DECIDED, alone.decision)
    assert alone.decision is not NOT_DECIDED
    against = replace(required, sign={"<=": ">", ">": "<=", ">=": "<", "<": ">="}[sign])
    [opposite] = check(found, [against]).checks
    assert {whole.decision, opposite.decision} in ({MET, NOT_MET}, {NOT_DECIDED})


def test_a_number_that_cannot_be_settled_decides_nothing():
    """Without an interval it is judged by itself alone; no number of questions is told beyond all numbers."""
    [only] = check(measured(1e-222, 0.0, 1.0), parse(["described_rate<=1e-180"])).checks
    assert only.decision is NOT_DECIDED
    assert "would settle it" not in only.found
    found = measured(0.1, nan, nan)
    assert decisions(found, "described_rate<=0.5") == [NOT_DECIDED]
    assert decisions(found, "described_rate<=0.5", point=True) == [MET]
    assert decisions(measured(nan, nan, nan), "described_rate<=0.5", point=True) == [NOT_DECIDED]
    assert decisions(measured(0.0, 0.0, 0.0, 0), "described_rate<=0.5") == [NOT_DECIDED]


@pytest.mark.parametrize(
    ("required", "decision", "named"),
    [
        ("x_rate<=0.25", NOT_MET, "high"),
        ("x_rate>=0.25", NOT_MET, "low"),
        ("x_rate>=0.5", NOT_MET, "low"),
        ("x_rate<=0.35", NOT_DECIDED, "unknown"),
        ("x_rate>=0.05", NOT_DECIDED, "unknown"),
        ("x_rate@high<=0.35", NOT_DECIDED, "high"),
        ("x_rate@low>=0.05", MET, "low"),
    ],
)
def test_the_worst_condition_decides(required, decision, named):
    """Not met before not decided before met, then what reaches furthest to the wrong side."""
    found = carrying(
        ("low", "x_rate", 0.1, 0.05, 0.2),
        ("high", "x_rate", 0.3, 0.26, 0.4),
        ("unknown", "x_rate", 0.2, nan, nan),
        ("middle", "x_rate", 0.3, 0.2, 0.36),
    )
    [line] = check(replace(BOTH, findings=(found,)), parse([required])).checks
    assert line.decision is decision
    assert line.found.startswith(f"text-needed, {named}: ")


def test_a_model_without_a_number_that_another_has_is_not_decided():
    """But a benchmark on which nobody has it is none of the requirement's business; what spans several is."""
    other, spans = replace(SIGHTED, model="other"), carrying(("score", "x_rate", 0.9, 0.8, 1.0), benchmark="all")
    elsewhere = replace(SIGHTED, benchmark="elsewhere")
    have = carrying(("score", "x_rate", 0.1, 0.0, 0.2))
    found = results(["text-needed"], SIGHTED, other, elsewhere)
    found = replace(found, findings=(have, *found.findings[1:]), over_all=(spans,))
    lines = check(found, parse(["x_rate<=0.5"])).checks
    came_to = [(line.model, line.benchmark, line.decision) for line in lines]
    assert came_to == [("m", "b", MET), ("other", "b", NOT_DECIDED), ("m", "all", NOT_MET)]


def test_who_admits_says_so_where_nothing_was_shown():
    """In words of its own (rationale) or asked about an image that was never sent (mirage-rate)."""
    shown = (WITH, "notice_rate", 0.0, 0.0, 0.1)
    for arm, name in ((BLANK, "notice_rate"), ("no-image+bare", "missing_share")):
        found = replace(BOTH, findings=(carrying(shown, (arm, name, 0.9, 0.8, 1.0)),))
        assert decisions(found, "admits>=0.8", "admits>=0.95", "admits<0.8") == [MET, NOT_DECIDED, NOT_MET]


def test_a_verdict_on_nothing_is_not_decided():
    """Where nothing was measured, `!=fail` is not met either."""
    [finding] = results(["text-needed"], SIGHTED).findings
    nothing = replace(finding, verdict=Verdict(Status.INCONCLUSIVE, meaning="nothing was asked both ways"))
    found = replace(BOTH, findings=(nothing,))
    assert decisions(found, "text-needed!=fail", "text-needed=inconclusive") == [NOT_DECIDED, NOT_DECIDED]


def test_verdicts():
    """Pass and fail decide; an inconclusive one is not decided, unless it is among what is allowed."""
    few = replace(sheet({WITH: "+" * 9, LEFT: "+-" * 4}), model="few")
    found = results(["text-needed"], SIGHTED, BLIND, few)
    assert [each.verdict.status for each in found.findings] == ["pass", "fail", "inconclusive"]
    assert decisions(found, "text-needed=pass") == [MET, NOT_MET, NOT_DECIDED]
    assert decisions(found, "TEXT_NEEDED==Pass | inconclusive") == [MET, NOT_MET, MET]
    assert decisions(found, "text-needed!=fail") == [MET, NOT_MET, MET]
    assert decisions(found, "text-needed!=inconclusive") == [MET, MET, NOT_MET]
    unsure = replace(found, findings=(replace(found.findings[0], unsure=Unsure(9, 400, Status.FAIL)),))
    assert check(unsure, parse(["text-needed=pass"])).checks[0].found.endswith("are unsure. Without them: fail")


def test_a_reported_test_ends_in_no_verdict():
    """It cannot pass, and the line says what to require instead; one that was a verdict once is not met by `!=fail`."""
    found = results(["rationale"], claiming(SIGHTED, image_removed=3), marks=())
    [line] = check(found, parse(["rationale=pass"])).checks
    assert line.decision is NOT_DECIDED
    assert "require one of its measures" in line.found
    assert "require one" not in check(found, parse(["rationale!=fail"])).checks[0].found
    assert decisions(found, "rationale=pass|reported", "rationale!=fail") == [MET, NOT_DECIDED]


THREE = {"follows": "pass", "honest": "pass", "steady": "pass"}


@pytest.mark.parametrize(
    ("changed", "decision", "said"),
    [
        ({}, MET, "all three pass"),
        ({"honest": "fail"}, NOT_MET, "follows pass; honest fail; steady pass"),
        ({"honest": "fail", "steady": "inconclusive"}, NOT_MET, "steady not decided: a reason"),
        ({"steady": "inconclusive"}, NOT_DECIDED, "follows pass; honest pass; steady not decided: a reason"),
        ({"steady": "not_applicable"}, NOT_DECIDED, "steady not applicable: a reason"),
        (dict.fromkeys(THREE, "withheld"), NOT_DECIDED, "all three withheld: a reason"),
    ],
)
def test_the_standard_is_three_passes_and_nothing_less(changed, decision, said):
    """One fail is not met; what is not decided, not applicable or withheld is not decided."""
    found = results([], SHOWN, marks=marked(**{**THREE, **changed}))
    [line] = check(found, parse(["standard"])).checks
    assert (line.decision, said in line.found) == (decision, True), line.found


def test_the_standard_of_a_study_without_its_conditions_is_not_decided():
    """Where nothing was asked beside the original, and the questions that a test brings are not counted."""
    only = sheet({WITH: "+" * 60}, items(60))
    [line] = check(results([], only), parse(["Standard"])).checks
    assert line.decision is NOT_DECIDED
    assert "run the suite standard" in line.found
    [brings] = results(["text-needed"], SIGHTED).findings
    own = replace(brings, benchmark="own", test=replace(brings.test, questions="own"))
    found = replace(results([], SHOWN, replace(only, benchmark="own"), marks=marked(**THREE)), findings=(own,))
    assert decisions(found, "standard") == [MET]


def test_the_benchmarks_line_is_printed_beside_the_standard_alone():
    """It is not required: a benchmark that gives everything away does not change what the models come to."""
    blind = sheet({WITH: "+" * 200, WITHOUT: "+" * 200}, items(200))
    line = judge_benchmark([blind])
    assert line.status is Status.FAIL
    found = results([], SHOWN, marks=marked(**THREE), lines=(line,))
    said = str(check(found, parse(["standard"]))).splitlines()
    assert said[1].startswith("b: Score possible without images: this model scores 100%")
    assert said[-1] == "Passed: 1 of 1 check met."
    assert len(str(check(found, parse(["follows=pass"]))).splitlines()) == 2


@pytest.mark.parametrize(
    ("old", "now"), [("image-used", "follows"), ("rationale", "honest"), ("option-order", "steady")]
)
def test_an_old_name_means_the_verdict_that_took_its_place(old, now):
    """And says so; with `reported` among the verdicts, it means the test."""
    found = results([old], claiming(SHOWN, image_removed=3), marks=marked(**{**THREE, now: "fail"}))
    required = (f"{old}=pass", f"{old}!=fail", f"{now}=pass", f"{now}=fail", f"{old}=pass|reported")
    assert decisions(found, *required) == [NOT_MET, NOT_MET, NOT_MET, MET, MET]
    assert check(found, parse([f"{old}=pass"])).checks[0].found.startswith(f"judged as {now}: {now}: fail")


def test_what_was_a_verdict_on_the_score_is_the_benchmarks_line():
    """It never passes; where it is not a fail, `!=fail` is met, unless nothing is known or responses are missing."""
    names = ("image-needed=pass", "image-needed!=fail", "blank-image!=pass", "image-needed=fail")
    given_away = sheet({WITH: "+" * 200, WITHOUT: "+" * 200}, items(200))
    kept = sheet({WITH: "+" * 200, WITHOUT: "-" * 200}, items(200))
    lost = sheet({WITH: "+" * 200, WITHOUT: "-" * 100}, items(200), wanted=200)
    silent = sheet({WITH: "+" * 200, WITHOUT: "o" * 200}, items(200))
    for table, came_to in (
        (given_away, [NOT_MET, NOT_MET, MET, MET]),
        (kept, [NOT_DECIDED, MET, MET, NOT_DECIDED]),
        (lost, [NOT_DECIDED] * 4),
        (silent, [NOT_DECIDED] * 4),
    ):
        found = results(["image-needed"], table, lines=(judge_benchmark([table]),))
        assert decisions(found, *names) == came_to
        assert "the benchmark's line" in check(found, parse(names)).checks[0].found


def test_the_numbers_of_the_three_verdicts_are_required_by_their_names():
    """Of both conditions the worse decides: what is invented, admitted or changed by the order."""
    table = claiming(sheet({WITH: "+" * 200, WITHOUT: "+" * 200, BLANK: "+" * 200}, items(200)), image_removed=0)
    found = results([], claiming(table, original=0, image_blank=100))
    assert decisions(found, "invents_rate@image-removed<=10%", "honest.invents_rate<=10%") == [MET, NOT_MET]
    [line] = check(found, parse(["invents_rate<=10%"])).checks
    assert line.found.startswith("honest, image-blank: invents_rate 50.0% (95% CI 4")


def test_withheld_is_never_met_unless_it_is_named():
    """Where images may never have arrived, neither verdicts nor numbers count."""
    doubt = Delivery("m", "b", pairs=50, uncounted=50, tokens_with=90, tokens_without=90)
    assert doubt.status is Arrival.CONTRADICTED
    found = replace(
        BOTH, findings=tuple(withhold_verdict(each, [doubt]) for each in BOTH.findings if each.model == "m")
    )
    assert decisions(found, "text-needed=pass", "text-needed!=fail", "accuracy>=0.5") == [NOT_DECIDED] * 3
    assert decisions(found, "text-needed=pass|withheld") == [MET]
    assert "Withheld: images seem not to have reached" in check(found, parse(["accuracy>=0.5"])).checks[0].found


def test_a_model_that_did_not_answer_cannot_pass():
    """Nothing and too little are not decided, not even for `!=fail`; other models are judged."""
    silent = replace(sheet({WITH: "+" * 200, LEFT: " " * 200}, wanted=200), model="silent")
    dead = replace(sheet({WITH: " " * 200, LEFT: " " * 200}, wanted=200), model="dead")
    found = results(["text-needed"], SIGHTED, silent, dead)
    for required in ("text-needed!=fail", "text-needed=pass|inconclusive", "text-needed.accuracy>=0.1"):
        assert decisions(found, required) == [MET, NOT_DECIDED, NOT_DECIDED], required
    assert decisions(found, "accuracy>=0.9") == [MET, MET, NOT_DECIDED]
    assert decisions(found, "missing_rate<=0.1") == [MET, NOT_MET, NOT_MET]
    assert decisions(results(["rationale"], dead), "invents<=5%") == [NOT_DECIDED]


def test_what_is_invented_is_invented_where_nothing_was_shown():
    """To describe the image that was shown is no invention; the worse of the others decides and is named."""
    table = sheet({WITH: "+" * 200, WITHOUT: "+" * 200, BLANK: "+" * 200})
    found = results(["rationale"], claiming(table, original=200, image_removed=0, image_blank=100))
    [line] = check(found, parse(["invents<=5%"])).checks
    assert line.decision is NOT_MET
    assert line.found.startswith("rationale, image-blank: described_rate 50.0% (95% CI 4")
    assert "n=200" in line.found
    required = ("rationale.invents@image-removed<=5%", "described_rate@original<=5%", "rationale.described_rate<=5%")
    assert decisions(found, *required) == [MET, NOT_MET, NOT_MET]


def test_accuracy_is_that_with_the_image_unless_something_else_is_named():
    """A good model's accuracy falls without the image, which `accuracy` leaves alone."""
    required = ("accuracy>=0.9", "image-needed.accuracy>=0.9", "accuracy@image-removed<=0.3")
    assert decisions(results(["image-needed"], SIGHTED), *required) == [MET, NOT_MET, MET]
    some = carrying((WITH, "accuracy", 0.9, 0.8, 1.0), (WITH, "accuracy", 0.1, 0.0, 0.2))
    some = replace(some, measures=(some.measures[0], replace(some.measures[1], subset="a list")))
    assert decisions(replace(BOTH, findings=(some,)), "accuracy>=0.5", "text-needed.accuracy>=0.5") == [MET, NOT_MET]


def test_a_name_without_its_settings_means_all_that_have_it():
    """But one that has no settings is meant first."""
    table = replace(SIGHTED, arms={**SIGHTED.arms, "original+cot": SIGHTED.arms[WITH], f"{LEFT}+cot": BLIND.arms[LEFT]})
    other, own = "text-needed:prompt=cot", "text-needed"
    [line] = check(results([other], table), parse(["text-needed!=fail"])).checks
    assert line.found.startswith(f"{other}: ")
    assert len(decisions(results([other, own], table), "text-needed!=fail")) == 1
    assert decisions(results([other, own], table), f"{other}!=withheld,{own}=pass") == [MET, MET]


@pytest.mark.parametrize(
    ("required", "said"),
    [
        ("text-neded=pass", "Did you mean 'text-needed'.* Tests: text-needed, option-order"),
        ("text-neded.accuracy>=0.5", "there is no test 'text-neded'"),
        ("accuracy=pass", "in the study first: there is no test 'accuracy'"),
        ("acuracy>=0.5", "Did you mean 'accuracy'.* Measures: above_chance, abstention_rate.* Short names: invents"),
        ("text-needed>=0.5", "no measure 'text-needed'"),
        ("invents<=5%", "no measure 'invents'"),
        ("accuracy@image-gone>=0.5", "no condition 'image-gone'.* original, image-removed"),
        ("accuracy>=80", "accuracy lies between 0 and 1. Write 5% or 0.05"),
        ("difference<=-5", "difference lies between -1 and 1"),
    ],
)
def test_what_names_nothing_in_the_study_is_told(required, said):
    """With what there is; and a limit that every number meets is a slip."""
    with pytest.raises(RequirementError, match=said):
        check(BOTH, parse([required]))


def test_a_test_that_is_left_out_is_not_decided():
    """It is in the study, and nobody can score it."""
    found = replace(BOTH, unscored={"own": "The test 'own' is in no package."})
    for required in ("own=pass", "own.accuracy>=0.5"):
        assert decisions(found, required) == [NOT_DECIDED] * 2
        assert "in no package" in check(found, parse([required])).checks[0].found


ANYTHING = st.text(st.characters(exclude_categories=()))


def test_the_summary_counts_and_names_what_is_not_met():
    """A requirement that several models miss is named once, with its number; so is a file for CI."""
    done = check(BOTH, parse(["text-needed=pass", "accuracy>=0.6", "accuracy>=0.5", "difference<=-0.75"]))
    said = "Not passed: 3 of 8 checks met; not met: text-needed=pass, accuracy>=0.6, difference<=-0.75"
    assert done.summary == f"{said}; not decided: accuracy>=0.5, difference<=-0.75."
    assert check(BOTH, parse(["accuracy<0.1"])).summary == "Not passed: 0 of 2 checks met; not met: accuracy<0.1 (2)."
    assert ElementTree.fromstring(done.junit()).attrib["failures"] == "5"


def test_a_line_says_why_nothing_is_decided_and_what_the_number_is_of():
    """No interval, or one on both sides of the limit; the items and the judge behind it."""
    assert check(measured(0.1, nan, nan), parse(["described_rate<=0.5"])).checks[0].found.endswith(". It has no 95% CI")
    both = check(measured(0.3, 0.05, 0.55), parse(["described_rate<=0.5"])).checks[0].found
    assert both.endswith(". The 95% CI includes the limit 50.0%; about 160 questions would settle it")
    [one] = (found := carrying(("score", "x_rate", 0.3, 0.2, 0.4))).measures
    judged = replace(BOTH, findings=(replace(found, measures=(replace(one, subset="a list", judge="j"),)),))
    assert check(judged, parse(["x_rate<=0.1"])).checks[0].found.endswith("20.0% to 40.0%, n=100, a list, judge j)")


@given(ANYTHING, ANYTHING)
def test_any_name_makes_one_line_and_well_formed_xml(model, found):
    """Control characters, line breaks and halves of characters do no harm."""
    required = RequiredMeasure("accuracy", ">=", 0.5, condition=model.replace("\n", "") or "c")
    done = StudyGate(BOTH, tuple(RequirementCheck(model, model, required, each, found) for each in GateDecision))
    cases = list(ElementTree.fromstring(done.junit()).iter("testcase"))
    assert len(cases) == 3
    assert len(str(done).splitlines()) == 4
    str(done).encode()


def test_from_python(tmp_path):
    """A folder and what is required of it; slips are told before the folder is opened."""
    from snellen import Study

    Study(models=["organism/blind"], benchmarks=["phantoms:items=40"], tests=["image-used"], out=tmp_path).run()
    before = sorted(tmp_path.iterdir())
    done = gate(tmp_path, "image-used=pass,accuracy>=90%")
    assert (done.passed, [each.decision for each in done.checks]) == (False, [NOT_DECIDED, NOT_MET])
    assert gate(tmp_path, ["accuracy<90%", "refusal_rate<0.3"], parsers=["lenient"]).passed
    assert sorted(tmp_path.iterdir()) == before
    with pytest.raises(RequirementError, match="cannot be read"):
        gate(tmp_path / "nowhere", "image-used")
