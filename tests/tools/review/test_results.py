"""Results of a review: agreement against other implementations, settled labels and profiles by hand."""

from __future__ import annotations

from statistics import fmean, stdev

import krippendorff
import numpy as np
import orjson
import pytest
from scipy.stats import t as student_t
from statsmodels.stats import inter_rater

from snellen.stats import clustered_kappa, cohens_kappa, fleiss_kappa, proportion, wilson
from snellen.tools.review.ballots import ReviewedCase, Vote
from snellen.tools.review.case import BlindCase, Subject
from snellen.tools.review.results import settle, summarise_review
from snellen.tools.review.tasks.profile import PROFILE, REASONING, VISUAL
from snellen.tools.review.tasks.quality import QUALITY
from snellen.tools.review.tasks.rationale import RATIONALE
from snellen.tools.review.tasks.reference import REFERENCE
from snellen.tools.review.tasks.verdict import VERDICT

YES, NO = {"verdict": "correct"}, {"verdict": "incorrect"}


def case(number, task, votes, *, wanted=2, settler=None, **about):
    """A case with votes by name, in the order in which they were cast; None is a skip."""
    cast = [Vote(number, name, False, value, 5.0, 100.0 * number + place) for place, (name, value) in enumerate(votes)]
    cast += [Vote(number, "Prof. Settler", True, settler, 5.0, 1e6)] if settler is not None else []
    subject = Subject(**{"benchmark": "films", "item_id": f"i{number}", "ordinal": number, "stratum": "all", **about})
    return ReviewedCase(number, task.name, subject, BlindCase(str(number), task.name), wanted, "open", tuple(cast))


def found(done, statistic, tag="", field=None):
    return next(
        each.estimate
        for each in done.agreement
        if (each.statistic, each.tag) == (statistic, tag) and field in (None, each.field.name)
    )


def test_two_raters_get_cohens_kappa_with_items_as_clusters():
    """Value as statsmodels has it; responses to one item are left out together; a skip is no vote."""
    rng = np.random.default_rng(1)
    first = rng.random(60) < 0.6
    second = np.where(rng.random(60) < 0.8, first, ~first)
    cases = [
        case(n, VERDICT, [("Ann", YES if a else NO), ("Bob", YES if b else NO)], item_id=f"i{n // 2}")
        for n, (a, b) in enumerate(zip(first, second, strict=True))
    ]
    cases.append(case(60, VERDICT, [("Ann", YES), ("Bob", None)]))
    done = summarise_review(cases, VERDICT)
    table = np.histogram2d(first, second, bins=2)[0]
    kappa = found(done, "Cohen's κ")
    assert kappa.value == pytest.approx(inter_rater.cohens_kappa(table).kappa)
    clusters = [f"i{n // 2}" for n in range(60)]
    assert kappa == clustered_kappa(first.tolist(), second.tolist(), clusters)
    assert found(done, "agreement") == proportion((first == second).astype(float), clusters)
    alpha = krippendorff.alpha(np.array([first, second], dtype=float), level_of_measurement="nominal")
    assert found(done, "Krippendorff's α").value == pytest.approx(alpha)
    assert {each.statistic for each in done.agreement} == {"agreement", "Cohen's κ", "Krippendorff's α"}
    (confusion,) = done.record["confusion"]
    assert confusion["labels"] == ["correct", "incorrect"]
    assert confusion["counts"] == table[::-1, ::-1].astype(int).tolist()
    assert (confusion["rows"], confusion["columns"]) == ("Rater 1", "Rater 2")
    assert (done.record["cases"], done.record["read"]) == (61, 60)


def test_whoever_reads_a_disputed_case_later_settles_it_and_is_no_third_rater():
    """Only the two who read every case count for agreement: the third saw disagreements alone."""
    agree = [case(n, VERDICT, [("Ann", YES), ("Bob", YES)]) for n in range(6)]
    agree += [case(n, VERDICT, [("Ann", NO), ("Bob", NO)]) for n in range(6, 10)]
    disputed = [case(n, VERDICT, [("Ann", YES), ("Bob", NO), ("Cem", NO)]) for n in range(10, 13)]
    done = summarise_review([*agree, *disputed], VERDICT)
    assert found(done, "Cohen's κ") == cohens_kappa("YYYYYYNNNNYYY", "YYYYYYNNNNNNN")
    assert [done.settled[number] for number in (0, 10)] == [("agreement", YES), ("majority", NO)]
    assert [done.record[name] for name in ("read", "agreed", "settled", "open")] == [13, 10, 3, 0]


def test_items_of_one_patient_belong_together():
    """Intervals are over patients where items name them, by benchmark; a patient is no item of the same name."""
    said = [(YES if n % 2 else NO, YES if n % 3 else NO) for n in range(24)]
    cases = [
        case(n, VERDICT, [("Ann", one), ("Bob", other)], cluster=f"p{n // 4}") for n, (one, other) in enumerate(said)
    ]
    labels = [[each["verdict"] for each in both] for both in zip(*said, strict=True)]
    kappa = found(summarise_review(cases, VERDICT), "Cohen's κ")
    assert kappa == clustered_kappa(*labels, [n // 4 for n in range(24)])
    assert kappa.method == "cluster-jackknife-t"
    levels = [{axis.name: str(1 + n % 3) for axis in PROFILE.fields} for n in range(8)]
    rated = [case(n, PROFILE, [("Ann", each)], wanted=1, cluster=f"p{n // 2}") for n, each in enumerate(levels)]
    apart = [each._replace(subject=each.subject._replace(cluster="")) for each in rated]
    (together,), (each,) = (summarise_review(some, PROFILE).record["landscape"] for some in (rated, apart))
    assert together["reasoning"]["value"] == pytest.approx(each["reasoning"]["value"])
    assert together["reasoning"]["method"] != each["reasoning"]["method"]


def test_what_one_alone_read_is_not_called_agreement():
    """Of cases outside the overlap there is a label, but nobody agreed on it."""
    alone = [case(n, VERDICT, [("Ann", YES)], wanted=1) for n in range(7)]
    both = [case(n, VERDICT, [("Ann", YES), ("Bob", YES)]) for n in range(7, 10)]
    done = summarise_review([*alone, *both], VERDICT)
    assert [done.record[name] for name in ("read", "agreed", "by_one", "settled")] == [10, 3, 7, 0]
    assert "agreed 3, read by one rater only 7, settled 0, open 0." in done.sentences[-1]


def test_two_raters_keep_cohens_kappa_where_another_stood_in_for_one():
    """Of the cases that both read; who stood in on a case that one skipped is counted by Fleiss and Krippendorff."""
    both = [case(n, VERDICT, [("Ann", YES if n % 2 else NO), ("Bob", YES if n % 3 else NO)]) for n in range(20)]
    stood_in = [case(n, VERDICT, [("Ann", None), ("Bob", YES), ("Cem", NO)]) for n in range(20, 22)]
    done = summarise_review([*both, *stood_in], VERDICT)
    first, second = ([bool(n % divisor) for n in range(20)] for divisor in (2, 3))
    assert found(done, "Cohen's κ") == cohens_kappa(first, second)
    row = next(each for each in done.record["agreement"] if each["statistic"] == "Cohen's κ")
    assert (row["raters"], row["left_out"]) == (2, 2)
    assert (found(done, "Fleiss' κ").n, found(done, "Krippendorff's α").n) == (22, 22)
    assert any("2 cases by other raters left out" in each for each in done.sentences)
    often = [case(n, VERDICT, [("Bob", YES), ("Cem", NO)]) for n in range(22, 30)]
    pool = summarise_review([*both, *often], VERDICT)
    assert "Cohen's κ" not in {each.statistic for each in pool.agreement}


def test_three_raters_get_fleiss_kappa_on_cases_with_as_many_votes():
    """As statsmodels has it, on the cases that three read; those with fewer votes are left out, and that is said."""
    rng = np.random.default_rng(2)
    truth = rng.random((40, 1)) < 0.5
    said = np.where(rng.random((40, 3)) < 0.85, truth, ~truth)
    names = ("Ann", "Bob", "Cem")
    cases = [
        case(n, VERDICT, [(name, YES if each else NO) for name, each in zip(names, row, strict=True)], wanted=3)
        for n, row in enumerate(said)
    ]
    two = [case(n, VERDICT, [("Ann", YES), ("Cem", NO)]) for n in range(40, 45)]
    one = [case(n, VERDICT, [("Bob", YES)], wanted=1) for n in range(45, 52)]
    done = summarise_review([*cases, *two, *one], VERDICT)
    kappa = found(done, "Fleiss' κ")
    assert kappa.value == pytest.approx(inter_rater.fleiss_kappa(inter_rater.aggregate_raters(said)[0]))
    assert kappa == fleiss_kappa(said.tolist())
    row = next(each for each in done.record["agreement"] if each["statistic"] == "Fleiss' κ")
    assert (row["n"], row["left_out"], row["raters"]) == (40, 12, 3)
    assert any("12 cases with another number of votes left out" in each for each in done.sentences)
    nan = np.nan
    table = np.vstack((said, [[1, nan, 0]] * 5, [[nan, 1, nan]] * 7)).T
    alpha = found(done, "Krippendorff's α")
    assert alpha.value == pytest.approx(krippendorff.alpha(table, level_of_measurement="nominal"))
    assert alpha.n == 45
    against = {each["rows"]: each for each in done.record["confusion"]}
    assert set(against) == {"Rater 1", "Rater 2", "Rater 3"}
    majority = said.sum(axis=1) > 1
    bob = [[int(((said[:, 1] == a) & (majority == b)).sum()) for b in (True, False)] for a in (True, False)]
    bob[0][0] += 7
    assert against["Rater 2"]["counts"] == bob
    assert against["Rater 2"]["columns"] == "settled label"


@pytest.mark.parametrize(
    ("votes", "settler", "came_to"),
    [
        ([("Ann", YES), ("Bob", YES)], None, ("agreement", YES)),
        ([("Ann", YES), ("Bob", NO)], None, None),
        ([("Ann", YES), ("Bob", NO)], YES, ("settler", YES)),
        ([("Ann", YES), ("Bob", NO), ("Cem", NO)], None, ("majority", NO)),
        ([("Ann", YES)], None, None),
        ([("Ann", YES), ("Bob", None)], None, None),
        ([("Ann", YES), ("Bob", YES)], NO, ("settler", NO)),
    ],
)
def test_a_case_comes_to_what_all_or_most_or_the_settler_say(votes, settler, came_to):
    """One vote of two, a skip, and a tie leave it open; reasons do not have to agree."""
    assert settle(case(1, VERDICT, votes, settler=settler), VERDICT) == came_to
    reasons = [(name, value and {**value, "reason": name}) for name, value in votes]
    found = settle(case(1, VERDICT, reasons, settler=settler), VERDICT)
    assert (None if found is None else found.value["verdict"]) == (came_to and came_to[1]["verdict"])


def test_labels_are_shares_of_settled_cases_and_open_ones_stand_apart():
    """By model and by stratum; a case that raters differ on is in no share, and never incorrect."""
    about = [("m1", "x", YES), ("m1", "y", YES), ("m1", "y", NO), ("m2", "x", NO), ("m2", "y", None)]
    cases = [
        case(n, VERDICT, [("Ann", value or YES), ("Bob", value or NO)], model=model, arm="original", stratum=stratum)
        for n, (model, stratum, value) in enumerate(about)
    ]
    record = summarise_review(cases, VERDICT).record
    assert {(row["by"], row["model"]) for row in record["labels"]} == {("model", "m1"), ("model", "m2")}
    every = [*record["labels"], *record["labels_in_detail"]]
    rows = {(row["by"], row["model"], row["stratum"]): row for row in every}
    row = rows["model", "m1", ""]
    assert (row["counts"], row["n"], row["open"]) == ({"correct": 2, "incorrect": 1}, 3, 0)
    expected = wilson(2, 3)
    assert row["share"] == {
        "of": "correct", "value": pytest.approx(2 / 3), "low": pytest.approx(expected.low),
        "high": pytest.approx(expected.high), "n": 3, "method": "wilson",
    }  # fmt: skip
    assert (rows["model", "m2", ""]["n"], rows["model", "m2", ""]["open"]) == (1, 1)
    assert (rows["stratum", "", "y"]["n"], rows["stratum", "", "y"]["open"]) == (2, 1)
    assert rows["model and stratum", "m2", "y"]["share"] is None
    together = [case(n, VERDICT, [("Ann", YES if n % 3 else NO), ("Bob", YES if n % 3 else NO)], item_id=f"i{n // 2}")
                for n in range(12)]  # fmt: skip
    share = summarise_review(together, VERDICT).record["labels"][0]["share"]
    of_items = proportion([float(n % 3 > 0) for n in range(12)], [n // 2 for n in range(12)])
    assert (share["low"], share["high"], share["method"]) == (of_items.low, of_items.high, "cluster-wilson")


def test_marks_have_a_kappa_for_each_pattern_and_one_for_all():
    """Cohen's κ of present or absent, by brute force; a pattern that half found leaves the case open."""
    tags = RATIONALE.fields[0].values[:2]
    rng = np.random.default_rng(3)
    said = rng.random((30, 2, 2)) < 0.5  # case, rater, pattern
    said[:20, 1] = said[:20, 0]
    votes = [[{"patterns": [{"tag": tag} for tag, has in zip(tags, row, strict=True) if has]} for row in each]
             for each in said]  # fmt: skip
    cases = [case(n, RATIONALE, list(zip(("Ann", "Bob"), each, strict=True))) for n, each in enumerate(votes)]
    done = summarise_review(cases, RATIONALE)
    for place, tag in enumerate(tags):
        expected = cohens_kappa(said[:, 0, place].tolist(), said[:, 1, place].tolist())
        assert found(done, "Cohen's κ", tag) == expected
    every = np.zeros((2, 30, len(RATIONALE.fields[0].values)), dtype=bool)
    every[:, :, :2] = said.transpose(1, 0, 2)
    pooled = found(done, "Cohen's κ")
    assert pooled.value == pytest.approx(cohens_kappa(*(each.ravel().tolist() for each in every)).value)
    assert (pooled.n, pooled.method) == (every[0].size, "cluster-jackknife-t")
    assert len(done.open) == sum((each[0] != each[1]).any() for each in said)
    assert [each["field"] for each in done.record["confusion"]] == ["patterns", *RATIONALE.fields[0].values]
    (row,) = done.record["labels"]
    agreed = [each[0] for each in said if (each[0] == each[1]).all()]
    assert (row["share"]["of"], row["share"]["value"]) == (
        "any of them",
        pytest.approx(np.mean([any(e) for e in agreed])),
    )
    assert row["counts"][tags[0]] == sum(each[0] for each in agreed)


def test_what_an_optional_question_was_not_answered_is_missing():
    """Agreement on it is of those who answered."""
    both = {"label": "normal", "flags": "yes"}
    cases = [case(n, QUALITY, [("Ann", both), ("Bob", both if n else {"label": "normal"})]) for n in range(4)]
    done = summarise_review(cases, QUALITY)
    assert found(done, "agreement", field="label").n == 4
    assert found(done, "agreement", field="flags").n == 3
    assert not any(each.field.name == "conflict" for each in done.agreement)
    assert any("Cohen's κ is not defined (one label only, n 4)" in each for each in done.sentences)


def test_written_answers_agree_if_they_say_the_same():
    """Capitals and a full stop are no difference; there is no confusion matrix of free words."""
    cases = [case(1, REFERENCE, [("Ann", {"answer": "Gout."}), ("Bob", {"answer": "gout"})]),
             case(2, REFERENCE, [("Ann", {"answer": "CPPD"}), ("Bob", {"answer": "Rickets"})])]  # fmt: skip
    done = summarise_review(cases, REFERENCE)
    assert found(done, "agreement").value == 0.5
    assert (done.record["agreed"], done.record["open"], done.record["confusion"], done.record["labels"]) == (
        1,
        1,
        [],
        [],
    )


def profile(rng, level):
    return {field.name: str(int(np.clip(level + rng.integers(-1, 2), 1, 3))) for field in PROFILE.fields}


def test_profiles_are_medians_means_and_a_place_in_the_landscape():
    """By brute force over the ratings: median per benchmark and axis, mean of five axes, t over items, SD of raters."""
    rng = np.random.default_rng(4)
    names = ("Ann", "Bob", "Cem")
    cases = [
        case(n, PROFILE, [(name, profile(rng, 1 + n % 2)) for name in names], wanted=3, benchmark="AB"[n % 2])
        for n in range(24)
    ]
    done = summarise_review(cases, PROFILE)
    mine = [each for each in cases if each.subject.benchmark == "B"]
    ratings = {
        axis.name: np.array([[float(vote.value[axis.name]) for vote in each.votes] for each in mine])
        for axis in PROFILE.fields
    }
    for row in done.record["profile"]:
        if row["benchmark"] == "B":
            assert row["median"] == np.median(ratings[row["axis"]])
            assert row["mean"] == pytest.approx(ratings[row["axis"]].mean())
            table = inter_rater.aggregate_raters(ratings[row["axis"]].astype(int))[0]
            assert row["kappa"]["value"] == pytest.approx(inter_rater.fleiss_kappa(table))
            assert (row["items"], row["raters"]) == (12, 3)
    assert [row["group"] for row in done.record["profile"][:10]] == ["reasoning"] * 5 + ["visual"] * 5
    place = next(row for row in done.record["landscape"] if row["benchmark"] == "B")
    for group, axes in (("reasoning", REASONING), ("visual", VISUAL)):
        stack = np.stack([ratings[axis.name] for axis in axes])
        by_item = stack.mean(axis=(0, 2))
        half = student_t.ppf(0.975, 11) * by_item.std(ddof=1) / np.sqrt(12)
        assert place[group]["value"] == pytest.approx(stack.mean())
        assert (place[group]["low"], place[group]["high"]) == pytest.approx((stack.mean() - half, stack.mean() + half))
        assert place[f"{group}_spread"] == pytest.approx(stdev(fmean(stack[:, :, at].ravel()) for at in range(3)))
    assert place["items"] == 12
    medians = {row["item_id"]: row["axes"] for row in done.record["ratings"]}
    assert medians["i1"]["text_alone"] == np.median(ratings["text_alone"][0])
    ordinal = found(done, "Krippendorff's α (ordinal)", field="spatial")
    every = np.array([[int(vote.value["spatial"]) for vote in each.votes] for each in cases]).T
    assert ordinal.value == pytest.approx(krippendorff.alpha(every, level_of_measurement="ordinal"))
    assert [done.record[name] for name in ("read", "settled", "open")] == [24, 0, 0]
    assert done.record["medians"] + done.record["agreed"] == 24
    matrices = done.record["confusion"]
    assert [(each["field"], each["rows"]) for each in matrices] == [
        ("all axes (1, 2, 3)", f"Rater {number}") for number in (1, 2, 3)
    ]
    axes = np.array([[[int(vote.value[f.name]) for vote in each.votes] for each in cases] for f in PROFILE.fields])
    own, middle = axes[:, :, 0].ravel(), np.median(axes, axis=2).ravel()
    by_hand = [[int(((own == one) & (middle == other)).sum()) for other in (1, 2, 3)] for one in (1, 2, 3)]
    assert matrices[0]["counts"] == by_hand


def test_no_rater_is_named_and_the_record_is_json():
    """Names of people reach no report; what is not a number is null."""
    done = summarise_review([case(1, VERDICT, [("Ann", YES), ("Bob", YES)], settler=YES)], VERDICT)
    record = orjson.dumps(done.record).decode()
    assert not any(name in record + " ".join(done.sentences) for name in ("Ann", "Bob", "Settler"))
    assert [(each["rater"], each["settles"]) for each in done.record["raters"]] == [
        ("Rater 1", False), ("Rater 2", False), ("Rater 3", True),
    ]  # fmt: skip
    assert next(each for each in done.record["agreement"] if each["statistic"] == "Cohen's κ")["value"] is None


@pytest.mark.parametrize("task", [VERDICT, RATIONALE, PROFILE, REFERENCE, QUALITY])
def test_a_review_that_nobody_has_begun_says_so(task):
    """No number is made of nothing."""
    done = summarise_review([case(1, task, [])], task)
    assert (done.record["cases"], done.record["read"], done.record["agreement"]) == (1, 0, [])
    assert "No case has two votes yet" in done.sentences[0]
