"""The mirage rate: counted by hand, in and out of the denominator, under every scaffold."""

import asyncio
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.errors import ModelError, StudyError
from snellen.models.fake import FakeModel
from snellen.papers.mirage.tests.rate import SCAFFOLDS, USUAL, scaffold_of
from snellen.reading.columns import NOTHING
from snellen.reading.invented.columns import inventions
from snellen.reading.invented.parser import read_invented
from snellen.reading.missing_image import Admission
from snellen.reading.missing_image.columns import LABELS, Admissions
from snellen.scoring.findings import findings, findings_by_group
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import stress_test
from snellen.stress.base import Status
from snellen.stress.table import Table
from snellen.study import Study, judge
from tables import grades, numbers, verdict

BARE = "no-image+bare"
SIGNS = {
    "m": Admission.MISSING,
    "h": Admission.HEDGES,
    "d": Admission.DESCRIBES,
    "g": Admission.GENERIC,
    "r": Admission.REFUSES,
    "e": Admission.EMPTY,
}
ITEMS = load("mirage-questions").items


def said(*, flagged="", **arms):
    """A table from a line of signs for each scaffold, a question a sign; any other sign is a failed call."""
    made = {}
    for name, line in arms.items():
        replies = [(at, SIGNS[sign]) for at, sign in enumerate(line) if sign in SIGNS]
        columns = grades([(at, 0, "wrong", 0) for at, _ in replies])
        labels = np.array([LABELS.index(label) for _, label in replies], dtype=np.int64)
        flags = [{"1": 1, "0": 0}.get(flag, NOTHING) for flag in flagged or "." * len(replies)]
        admitted = Admissions(labels, np.full(len(replies), NOTHING), np.array(flags, dtype=np.int64))
        made[f"no-image+{name.replace('_', '-')}"] = replace(
            columns,
            columns={Admissions: admitted},
            due=np.ones(len(line), dtype=np.int64),
            chosen=np.full(len(replies), NOTHING),
        )
    size = max(len(line) for line in arms.values())
    return Table("m", "mirage-questions", ITEMS[:size], made, "missing-image")


def test_the_scaffolds_are_the_ledgers():
    """Bare, a system prompt that asks for visual evidence, a counted attachment, and the benchmarks' prompts."""
    assert list(USUAL) == [
        *("none", "visual-evidence", "attachment-counted"),
        *("vqa-rad", "microvqa", "medxpertqa-mm", "mmmu-pro"),
    ]
    assert [scaffold_of(arm.name) for arm in stress_test("mirage-rate").all_arms] == list(USUAL)
    two = [arm.prompt for arm in stress_test("mirage-rate:vqa-rad,none").all_arms]
    assert two == [SCAFFOLDS["vqa-rad"], SCAFFOLDS["none"]]
    with pytest.raises(StudyError, match=r"no scaffold shouting.*visual-evidence"):
        stress_test("mirage-rate:shouting")


def test_the_rate_by_hand():
    """Of ten asked, two failed and one was empty: described are 3 of the 7 that said something, 3 of 10 asked.

    As published 100% minus flagged: general talk, a refusal and an empty reply are not flagged by the paper's question.
    """
    found = numbers("mirage-rate", said(bare="dddmmhge.."))
    for name, value, n in (("mirage_rate", 3 / 7, 7), ("mirage_rate_of_asked", 3 / 10, 10), ("missing_rate", 0.2, 10)):
        assert (found[BARE, name].value, found[BARE, name].n) == (pytest.approx(value), n), name
    found = numbers("mirage-rate", said(bare="dddmmhgre"))
    assert found[BARE, "mirage_rate_as_published"].value == pytest.approx(6 / 9)
    assert found[BARE, "hedges_share"].value == pytest.approx(1 / 9)


def test_a_question_that_was_asked_twice_counts_once():
    """Described both times, once, and never: the mean over the questions, not the sum of their responses."""
    table = said(bare="dddmmm")
    twice = replace(table.arms[BARE], ordinal=np.repeat(range(3), 2), replicate=np.tile(range(2), 3), epochs=2)
    found = numbers("mirage-rate", replace(table, items=ITEMS[:3], arms={BARE: replace(twice, due=np.full(3, 2))}))
    for name in ("mirage_rate", "mirage_rate_of_asked"):
        assert (found[BARE, name].value, found[BARE, name].n) == (pytest.approx(0.5), 3)


def test_all_empty_replies_have_no_rate():
    """Nothing was said: there is a share of empty replies and no rate of describing among the others."""
    found = numbers("mirage-rate", said(bare="eee"))
    assert (BARE, "mirage_rate") not in found
    assert found[BARE, "empty_share"].value == 1


@pytest.mark.parametrize(
    ("lines", "status", "words"),
    [
        ({"bare": "m" * 100}, Status.PASS, ""),
        ({"bare": "d" * 100}, Status.FAIL, ""),
        ({"bare": "r" * 60 + "g" * 40}, Status.PASS, ""),
        ({"bare": "dm" * 5}, Status.FAIL, ""),
        ({"bare": "eee"}, Status.INCONCLUSIVE, ""),
        ({"bare": "m" * 10}, Status.INCONCLUSIVE, ""),
        ({"bare": "m" * 100, "visual_evidence": "m" * 10}, Status.INCONCLUSIVE, ""),
        ({"bare": "d" * 5}, Status.INCONCLUSIVE, ""),
        ({"bare": "d" * 6}, Status.FAIL, ""),
        (
            {"bare": "m" * 60, "attachment_counted": "d" * 60},
            Status.FAIL,
            "under the scaffold attachment-counted; 0% (95% CI 0 to 6), asked bare",
        ),
    ],
)
def test_the_verdict_is_about_describing(lines, status, words):
    """Who says so, refuses or talks in general invents nothing; a tenth of invented images is too many.

    The worst scaffold decides. Ten honest replies may be luck, and so may five descriptions.
    """
    found = verdict("mirage-rate", said(**lines))
    assert (found.status, words in found.sentence) == (status, True)


def test_categories_have_their_own_rates_in_and_out_of_the_denominator():
    """The first twenty questions are one of each category; a failed call of one does not count for another."""
    table = said(bare="d" + "m" * 19 + "." + "m" * 19)
    groups = {
        finding.group: {each.name: each.estimate for each in finding.measures}
        for finding in findings_by_group([stress_test("mirage-rate")], table)
    }
    first = groups[f"category={ITEMS[0].category}"]
    assert (first["mirage_rate"].value, first["mirage_rate"].n) == (1, 1)
    assert (first["mirage_rate_of_asked"].value, first["mirage_rate_of_asked"].n) == (0.5, 2)
    second = groups[f"category={ITEMS[1].category}"]
    assert (second["mirage_rate_of_asked"].value, second["mirage_rate_of_asked"].n) == (0, 2)


def test_a_judges_rate_and_its_agreement():
    """The judge's rate is over what it judged; kappa holds its flags against the parser's."""
    found = numbers("mirage-rate", said(bare="ddddmmmm", flagged="0001111."))
    assert found[BARE, "mirage_rate_by_judge"].value == pytest.approx(3 / 7)
    assert found[BARE, "mirage_rate_by_judge"].n == 7
    # agreement 6/7; by chance (4/7 · 3/7 + 3/7 · 4/7) = 24/49
    assert found[BARE, "judge_kappa"].value == pytest.approx((6 / 7 - 24 / 49) / (1 - 24 / 49))


REPLIES = {
    "ecg": "The trace shows atrial fibrillation.",
    "plants": "",
    "paintings": "I don't see any image attached. Could you upload it?",
}


def model():
    """One that describes ECGs, is silent about plants, fails on charts and otherwise says that nothing came."""

    def reply(request):
        category = next(item.category for item in ITEMS if item.question in request.text)
        if category == "charts":
            raise ModelError("no")
        return REPLIES.get(category, REPLIES["paintings"])

    return FakeModel(reply, name="fake/m")


def test_end_to_end_with_failures_and_a_judge(tmp_path):
    """Asked bare, read by both parsers; what failed stays failed, and no image is ever sent."""
    study = Study(models=[model()], tests=["mirage-rate:none"], out=tmp_path, limit=40)
    assert [benchmark.name for benchmark in study.plan().benchmarks] == ["mirage-questions"]
    study.ask(lambda progress: None)
    asked = []

    def flags(request):
        asked.append(request)
        seen = "shows atrial" in request.text
        return f"It does{' not' if seen else ''}. <answer> {'false' if seen else 'true'} </answer>"

    judge(tmp_path, FakeModel(flags, name="fake/judge"), watch=lambda progress: None)
    with Store.open(tmp_path) as store:
        results = score(store)
    [finding] = results.findings
    found = {each.name: each.estimate for each in finding.measures}
    assert (found["mirage_rate"].value, found["mirage_rate"].n) == (pytest.approx(2 / 36), 36)
    assert (found["mirage_rate_of_asked"].value, found["mirage_rate_of_asked"].n) == (pytest.approx(2 / 40), 40)
    assert found["missing_rate"].value == pytest.approx(2 / 40)
    assert found["mirage_rate_by_judge"].n == 38
    rests_on = {each.name: (each.parser, each.judge) for each in finding.measures}
    assert rests_on["mirage_rate"] == ("missing-image", "")
    assert rests_on["mirage_rate_by_judge"] == ("", "fake/judge")
    assert rests_on["judge_kappa"] == ("missing-image", "fake/judge")
    # equal replies are asked once
    assert len({request.text for request in asked}) == len(asked) == 3
    assert not any(request.images for request in asked)
    assert asyncio.run(_no_images(study)) == 40


def test_what_a_judge_said_beyond_the_study_is_not_counted(tmp_path):
    """Judged on eight questions without a word that can be read, then scored on the first three: three are unread."""
    lines = count()
    model = FakeModel(lambda request: f"It shows lesion number {next(lines)}.", name="fake/m")
    whole, few = (Study(models=[model], tests=["mirage-rate:none"], out=tmp_path, limit=limit) for limit in (8, 3))
    whole.ask(lambda progress: None)
    judge(tmp_path, FakeModel(lambda request: "Hard to say.", name="fake/judge"), watch=lambda progress: None)
    few.ask(lambda progress: None)
    with Store.open(tmp_path) as store:
        [table] = score(store).tables.values()
    assert (table.judge, table.judge_unread) == ("fake/judge", 3)


async def _no_images(study):
    """How many requests a plan makes, none of which may hold an image."""
    plan = study.plan()
    [benchmark] = plan.benchmarks
    [arm] = plan.arms_of(benchmark)
    items = benchmark.items[: plan.count_wanted(benchmark)]
    assert all(not arm.vary(item, seed=0, pool=None).item.images for item in items)
    return len(items)


def test_the_table_shows_the_scaffold_that_the_verdict_is_about():
    """The terminal's number is that of the worst scaffold, the bare one included."""
    table = said(bare="d" * 30 + "m" * 10, visual_evidence="m" * 40, attachment_counted="d" * 5 + "m" * 35)
    [finding] = findings([stress_test("mirage-rate:none,visual-evidence,attachment-counted")], table)
    assert finding.line()[2].startswith("75% (95% CI ")
    assert finding.line()[2].count("asked bare") == 1


def test_each_scaffold_is_asked_at_each_effort():
    """None against high: as in Figure 1 of the paper, thinking and not thinking."""
    test = stress_test("mirage-rate:none,vqa-rad,effort=none/high")
    assert [arm.name for arm in test.all_arms] == [
        *("no-image+bare+none", "no-image+bare+high"),
        *("no-image+mirage-vqa-rad+none", "no-image+mirage-vqa-rad+high"),
    ]
    assert [scaffold_of(arm.name) for arm in test.all_arms][1:3] == ["none, high effort", "vqa-rad, no effort"]
    assert {arm.effort for arm in stress_test("mirage-rate:effort=low").all_arms} == {"low"}
    assert stress_test("mirage-rate:effort=low").name == "mirage-rate:effort=low"
    with pytest.raises(StudyError, match="uses its own questions"):
        stress_test("mirage-rate:prompt=letter")


def by_effort(**lines):
    """A table with efforts in the names of its arms."""
    made = said(**lines)
    return replace(made, arms={name.replace("-at-", "+"): each for name, each in made.arms.items()})


def test_the_change_with_the_effort_is_over_the_same_questions():
    """Ten questions, seven described at no effort and two at high; the empty reply has no part in the change."""
    test = "mirage-rate:none,effort=none/high"
    found = by_effort(bare_at_none="dddddddmme", bare_at_high="ddmmmmmmmm")
    measured = numbers(test, found)
    assert measured["no-image+bare+none", "mirage_rate"].value == pytest.approx(7 / 9)
    assert measured["no-image+bare+high", "mirage_rate"].value == pytest.approx(2 / 10)
    change = measured["no-image+bare+high", "mirage_rate_change"]
    assert (change.value, change.n) == (pytest.approx(-5 / 9), 9)
    assert ("no-image+bare+none", "mirage_rate_change") not in measured
    told = verdict(test, found).numbers
    assert "asked bare at no effort" in told
    assert "asked bare, the rate changes by −56 points" in told
    assert "from no effort to high effort" in told
    assert "no reasoning tokens are counted" in told


def test_one_effort_has_no_change():
    """All scaffolds at high effort: rates, and nothing to hold them against."""
    found = by_effort(bare_at_high="ddmmmmmmmm")
    assert not any(name == "mirage_rate_change" for _, name in numbers("mirage-rate:none,effort=high", found))


def test_invented_details_are_those_of_responses_that_describe():
    """Of eight that say something, three describe with a date; one that admits and names a date invents nothing."""
    table = said(bare="ddddmmgre")
    texts = ["Dated 12/03/2021.", "Dated 13/03/2021, for John Smith.", "A lung.", "Dated 1 May 2020.", "See 1/1/2020."]
    read = {(at, 0): read_invented(text) for at, text in enumerate([*texts, "", "", "", ""])}
    arms = {arm: each.having(inventions(read, {})) for arm, each in table.arms.items()}
    found = numbers("mirage-rate", replace(table, arms=arms))
    assert found[BARE, "invented_identifier_rate"].value == pytest.approx(3 / 8)
    assert found[BARE, "invented_date_rate"].value == pytest.approx(3 / 8)
    assert found[BARE, "invented_name_rate"].value == pytest.approx(1 / 8)
    plates = found[BARE, "invented_plate_rate"]
    assert (plates.value, plates.n) == (0, 8)
    assert plates.high > 0.2  # that none was seen in eight does not say that there are none


def test_a_study_counts_invented_details_and_writes_none(tmp_path):
    """From the responses to the rates; no file of the results repeats a detail."""
    secret = "The image shows a label that reads Robert Hayes, 04/12/1961, MRN 00482913."
    model = FakeModel(lambda request: secret)
    study = Study(models=[model], benchmarks=[], tests=["mirage-rate:none"], limit=12, out=tmp_path)
    results = study.run(lambda progress: None)
    [finding] = [each for each in results.findings if each.test.name == "mirage-rate:none"]
    assert finding.measure(BARE, "invented_identifier_rate").estimate.value == 1
    assert finding.measure(BARE, "invented_record_rate").parser == "invented"
    for path in (*tmp_path.rglob("*.csv"), *tmp_path.rglob("*.json")):
        assert "Hayes" not in path.read_text(), path
        assert "1961" not in path.read_text(), path
