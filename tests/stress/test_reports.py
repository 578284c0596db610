"""The test `reports`: who sees passes, who copies or invents fails, and what is no report is never scored as 0."""

import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from snellen import Study
from snellen.benchmarks import load
from snellen.items import Benchmark, Item
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.reading import grade
from snellen.reading.reports.columns import reports
from snellen.reading.reports.reading import read_report
from snellen.stats import Estimate, proportion
from snellen.stress import stress_test
from snellen.stress.base import Measure, Status
from snellen.stress.reports import KINDS, report_measures
from snellen.stress.table import Grades, Table, code
from snellen.stress.tests.reports import conclude
from snellen.study import publish
from strategies import picture
from studied import results_of

pytestmark = pytest.mark.usefixtures("no_groups")

FINDINGS = ("pleural effusion", "pneumothorax", "consolidation", "cardiomegaly")


def report(named):
    lines = [f"There is a {each}." if each == named else f"No {each}." for each in FINDINGS]
    return f"FINDINGS: {' '.join(lines)}\n\nIMPRESSION: {named.capitalize() if named else 'Normal chest'}."


def items(count=40):
    """Patients who have one finding in turn, or none; their images tell them apart."""
    has = (*FINDINGS, "")
    return tuple(
        Item(
            id=f"r{at}",
            question="Write the report of this chest X-ray.",
            kind="report",
            context="Cough.",
            answer=report(has[at % len(has)]),
            images=(picture(6 * at),),
            category="chest X-ray",
            cluster=f"patient-{at}",
        )
        for at in range(count)
    )


ITEMS = items()
TRUTH = {item.images[0].encoded().sha256: item.answer for item in ITEMS}


def sees(request):
    shown = [TRUTH.get(image.sha256) for image in request.images]
    return (shown and shown[0]) or "I cannot see any image. Please attach the X-ray."


def invents(request):
    return report(random.Random(request.key).choice(FINDINGS))


def writes_always(request):
    """Right with the image, and the usual normal report without it."""
    return sees(request) if request.images and request.images[0].sha256 in TRUTH else report("")


def cut_off(request):
    return Response(report("")[:60], "length", sent=tuple(receipt(image) for image in request.images))


def abroad(request):
    """Right with the image, and reports in another language without it."""
    return sees(request) if request.images and request.images[0].sha256 in TRUTH else BAD["italian"][0]


MODELS = {
    "sees": sees, "copies": lambda _: report(""), "invents": invents, "both": writes_always, "cut": cut_off,
    "abroad": abroad, "refuses": lambda _: "I'm sorry, but I can't assist with that.",
}  # fmt: skip


@pytest.fixture(scope="module")
def examined(no_groups, tmp_path_factory):
    """The results of all of these models."""
    made = [FakeModel(function, name=f"fake/{name}") for name, function in MODELS.items()]
    out = tmp_path_factory.mktemp("reports") / "out"
    return results_of(Study(models=made, benchmarks=[Benchmark("mine", ITEMS)], tests=["reports"], out=out))


@pytest.fixture(scope="module")
def found(examined):
    """The findings by model."""
    return {each.model.removeprefix("fake/"): each for each in examined.findings}


def test_who_sees_passes_and_who_does_not_fails(examined, found):
    """The copy has most of the usual negatives, so that F1 alone does not tell; the page is drawn."""
    assert found["sees"].verdict.status is Status.PASS
    assert found["copies"].verdict.status is Status.FAIL
    assert found["invents"].verdict.status is not Status.PASS
    assert found["invents"].measure("original", "findings_beyond_others").estimate.low < 0.05
    copies = {(each.arm, each.name): each.estimate for each in found["copies"].measures}
    assert copies["original", "findings_f1"].value > 0.6
    assert copies["original", "abnormal_f1"].value < 0.2
    assert abs(copies["original", "findings_beyond_others"].value) < 0.05
    assert copies["image-removed", "found_without_image"].value == 1
    seen = {(each.arm, each.name): each.estimate for each in found["sees"].measures}
    assert seen["original", "findings_f1"].value == 1
    assert seen["image-removed", "written_rate"].value == 0
    assert seen["image-removed", "found_without_image"].value == 0
    assert ("image-removed", "findings_f1") not in seen
    page = (publish(examined.out).folder / "report.html").read_text()
    assert "could not be drawn" not in page
    assert "No test of this study asked without an image" not in page
    assert not examined.models_compared


def test_what_decides_is_told(found):
    """Of a pass how much better reports fit their own patient; reports without the image fail however good they are.

    What was cut off is not scored, and what nobody could read is no sign that none was written.
    """
    assert found["sees"].verdict.rests_on is found["sees"].measure("original", "findings_beyond_others")
    assert not [each for each in found["cut"].measures if (each.arm, each.name) == ("original", "findings_f1")]
    for name, status, meaning in (
        ("both", Status.FAIL, "it writes reports without the image"),
        ("refuses", Status.INCONCLUSIVE, "no report to compare"),
        ("cut", Status.INCONCLUSIVE, ""),
        ("abroad", Status.INCONCLUSIVE, "100% of its responses were cut off or not readable, and may be reports"),
    ):
        assert (found[name].verdict.status, meaning in found[name].verdict.meaning) == (status, True), name


def concluded(written, kept=None, beyond=(0.8, 0.7, 0.9, 200)):
    """The verdict where so many of 200 responses without the image are reports, and what these keep is known or not."""
    test = stress_test("reports")
    sees, nothing = proportion([1.0] * 200), proportion([0.0] * 200)
    rate = proportion([1.0] * written + [0.0] * (200 - written))
    found = {("original", "written_rate"): sees, ("original", "findings_f1"): sees}
    found["original", "findings_beyond_others"] = Estimate(*beyond, "m")
    found |= {(arm.name, "written_rate"): rate if at == 0 else nothing for at, arm in enumerate(test.compared)}
    if kept is not None:
        found[test.compared[0].name, "findings_kept"] = Estimate(kept, kept - 0.1, kept + 0.1, written, "m")
    return conclude(test, {at: Measure(at[0], KINDS[at[1]], estimate) for at, estimate in found.items()})


def test_a_few_reports_without_the_image_pass_only_if_they_are_known_to_keep_little():
    """None at all passes. A few of which it is not known what they keep leave it open; most of it kept fails."""
    cases = ((0, None), (4, 0.1), (4, None), (4, 0.45), (4, 0.9), (60, None))
    expected = [Status.PASS, Status.PASS, Status.INCONCLUSIVE, Status.INCONCLUSIVE, Status.FAIL, Status.FAIL]
    assert [concluded(*case).status for case in cases] == expected
    few, unsure = (concluded(0, beyond=found) for found in ((0.8, 0.7, 0.9, 5), (0.1, -0.1, 0.3, 200)))
    assert (few.status, few.meaning) == (Status.INCONCLUSIVE, "too few to tell")
    assert unsure.meaning.startswith("its reports may fit other patients as well as this one")
    assert unsure.numbers.startswith("findings F1 1.00")
    assert " against the patient's own reference, 10 points (95% CI −10 to 30) higher than against those" in (
        unsure.numbers
    )


def test_a_model_that_takes_no_images_is_not_said_to_write_too_few_reports(tmp_path):
    """What it did without the image is told, and that nothing was asked with it."""
    made = FakeModel(lambda _: report(""), name="fake/words")
    benchmark = Benchmark("mine", ITEMS)
    study = Study(
        models=[made], text_only=["fake/words"], benchmarks=[benchmark], tests=["reports"], out=tmp_path / "o"
    )
    [found] = results_of(study).findings
    assert found.verdict.status is Status.INCONCLUSIVE
    assert found.verdict.meaning == "nothing was answered with the image"
    assert found.verdict.numbers.startswith("without the image, 100% (95% CI 91 to 100) of its responses are reports")


def test_where_all_patients_are_alike_a_right_report_does_not_fail(tmp_path):
    """However many there are: no report could fit its own patient better than others."""
    many = [
        replace(item, id=f"{item.id}-{n}", cluster=f"{item.cluster}-{n}", answer=report(""))
        for n in range(3)
        for item in ITEMS
    ]
    models = [
        FakeModel(
            lambda request: (
                report("") if request.images and request.images[0].sha256 in TRUTH else "No image was attached."
            ),
            name="fake/sees",
        ),
        FakeModel(lambda _: report(""), name="fake/copies"),
    ]
    study = Study(models=models, benchmarks=[Benchmark("normal", tuple(many))], tests=["reports"], out=tmp_path / "out")
    sees, copies = results_of(study).findings
    assert sees.measure("original", "findings_beyond_others").estimate.high < 0.05
    assert sees.measure("original", "reference_beyond_others").estimate.value == 0
    assert sees.verdict.status is Status.INCONCLUSIVE
    assert "the references of different patients say nearly the same" in sees.verdict.meaning
    assert (copies.verdict.status, copies.verdict.meaning) == (Status.FAIL, "it writes reports without the image")


def test_the_score_of_others_is_the_mean_over_other_patients(examined):
    """Held against all other patients one by one, since there are fewer than are drawn at most."""
    from snellen.reading.reports.comparison import compare_reports
    from snellen.stress.reports import OTHERS, against_others

    table = examined.tables["fake/sees", "mine"]
    few = table.select_items(np.arange(len(ITEMS)) < OTHERS)
    found = against_others(few, "original")
    for at, value in zip(found.ordinal, found.value, strict=True):
        others = [
            compare_reports(ITEMS[at].answer, each.answer).f1 for each in ITEMS[:OTHERS] if each.id != ITEMS[at].id
        ]
        assert value == pytest.approx(np.mean(others))


OPENI = Path(__file__).parents[2].parent / "shared" / "data" / "openi-reports"


def test_real_reports_dealt_to_other_patients_fit_none_better():
    """Also where references lack a section; and the reports of the patients themselves do."""
    if not OPENI.is_dir():
        pytest.skip("the real reports lie beside the project")
    asked = load(f"openi:{OPENI},images=none").items[:80]
    dealt = random.Random(7).sample([item.answer for item in asked], len(asked))
    written = {"own": [item.answer for item in asked], "dealt": dealt}
    for name, texts in written.items():
        read = {
            (at, 0): read_report(Response(text), item) for at, (item, text) in enumerate(zip(asked, texts, strict=True))
        }
        scored = [code(each.outcome) for each in read.values()]
        none = np.zeros(len(asked), np.int64)
        grades = Grades(np.arange(len(asked)), none, np.array(scored, np.uint8), none - 1, none, none.astype(np.uint16))
        table = Table("m", "openi", asked, {"original": grades.having(reports(read, {}))}, "report-findings")
        measures = {each.name: each.estimate for each in report_measures(stress_test("reports"), table)}
        beyond = measures["findings_beyond_others"]
        assert (beyond.low > 0.3) if name == "own" else (beyond.low < 0 < beyond.high)


BAD = {
    "empty": ("", "empty", "empty"),
    "dots": ("…", "unparsed", "empty"),
    "italian": (
        "REPERTO: Il cuore è di dimensioni normali. Non si osservano versamenti pleurici né pneumotorace. "
        "CONCLUSIONI: Esame nei limiti della norma.",
        "unparsed",
        "other-language",
    ),
    "endless": (report("pneumothorax") + " The lungs are clear." * 5_000, "unparsed", "too-long"),
    "nothing": ("FINDINGS: Thank you for this referral.", "unparsed", "nothing-found"),
    "no image": ("I'm unable to see the image you mention. Please upload it.", "abstained", "no-image"),
    "declines": ("I'm sorry, but I can't provide medical reports.", "refused", "declines"),
}


@pytest.mark.parametrize("name", BAD)
def test_what_is_no_report_is_counted_apart(name):
    text, outcome, rule = BAD[name]
    found = grade(text, "stop", ITEMS[0], "report-findings")
    assert (found.outcome.value, found.rule) == (outcome, rule)
    assert grade(report("")[:60], "length", ITEMS[0], "report-findings").outcome.value == "truncated"


def test_only_the_sections_of_the_reference_are_compared():
    alone = Item(id="1", question="?", kind="report", answer="FINDINGS: No pleural effusion.")
    said = "FINDINGS: No pleural effusion.\n\nIMPRESSION: Pneumothorax."
    found = grade(said, "stop", alone, "report-findings")
    assert (found.outcome.value, found.rule) == ("scored", "findings-alone")
    unread = Item(id="1", question="?", kind="report", answer="FINDINGS: XXXX XXXX.")
    assert grade(said, "stop", unread, "report-findings").rule == "reference-unread"


def test_a_benchmark_of_several_kinds_is_asked_in_parts():
    mixed = Benchmark("b", (*load("phantoms:items=4"), Item("o", "?", answer="x", kind="open"), *ITEMS[:2]))
    assert [(part.name, part.kind, len(part)) for part in mixed.by_kind()] == [
        ("b", "choice", 4), ("b/open", "open", 1), ("b/report", "report", 2),
    ]  # fmt: skip
