"""The Mirage paper: its figures as we carry them, what is recomputed from them, and what does not fit its text."""

from copy import deepcopy
from dataclasses import replace
from itertools import product
from math import inf, log, nan
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats.contingency import relative_risk

from snellen.cli.figures import show_published
from snellen.papers import printed, sheets
from snellen.papers.mirage.published import (
    BenchmarkResult,
    Cleaned,
    bclean_sheets,
    is_whole_count,
    list_cleaned,
    mean_per_benchmark,
    mean_per_model,
    mean_sheet,
    pairs,
    score_sheet,
    tabulate_results,
)
from snellen.study import Study, rescore

PAPER, NUMBER = "mirage", "003"
EXPECTED = {
    ("GPT-5.1", "MMMU-Pro"): 63.05, ("Gemini-2.5-Pro", "MMMU-Pro"): 72.93, ("Gemini-3-Pro", "MMMU-Pro"): 55.09,
    ("GPT-5.1", "MedXpertQA-MM"): 66.95, ("Gemini-2.5-Pro", "MedXpertQA-MM"): 74.66,
    ("Gemini-3-Pro", "MedXpertQA-MM"): 48.71,
    ("GPT-5.1", "MicroVQA"): 71.16, ("Gemini-2.5-Pro", "MicroVQA"): 70.73, ("Gemini-3-Pro", "MicroVQA"): 46.73,
}  # fmt: skip
COUNTS = st.integers(2, 5000).flatmap(lambda n: st.tuples(st.just(n), st.integers(1, n), st.integers(1, n)))


def flat(words):
    """The words, however the lines were broken."""
    return " ".join(words.split())


def note(sheet, words):
    """The one note that has these words."""
    (found,) = (each for each in sheet.notes if words in each)
    return found


def kept_sheet(record):
    """What B-Clean keeps."""
    return next(bclean_sheets(record))


def rank_sheet(record):
    """Accuracies and ranks before B-Clean and after."""
    return list(bclean_sheets(record))[1]


def pair(n, right, right_with_image):
    """A pair by counts."""
    return BenchmarkResult("m", "b", n, right, right_with_image / n)


def test_the_counts_are_those_that_somebody_else_wrote_down(oracle):
    """Benchmarks, models, counts and accuracies, none missing on either side."""
    ours = printed("mirage")["counts"]["benchmarks"]
    assert {name: given["accuracy"] for name, given in ours.items()} == oracle["bclean_accuracy"]
    sizes = {
        name: {"n": given["n"], "kept": given["kept"], "correct_without_image": given["right_without_image"]}
        for name, given in ours.items()
    }
    assert sizes == oracle["bclean_sizes"]


def test_what_we_carry_stands_in_the_paper(text):
    """Every count and accuracy with the words beside it; ranges, settings and names."""
    record, text = printed("mirage"), flat(text)
    said, settings = record["said"], record["settings"]
    for name, counts in record["counts"]["benchmarks"].items():
        right = counts["right_without_image"]
        assert f"{name} ({counts['n']:,} questions), " in text
        assert f" {right['GPT-5.1']}, {right['Gemini-2.5-Pro']}, and {right['Gemini-3-Pro']}" in text
        assert f"{counts['kept']} of {counts['n']:,}" in text
        assert f"for {name} ({said['removed']['percent'][name]:.1f}% removed)" in text
        for full, clean in counts["accuracy"].values():
            assert f"{full:.1f}% to {clean:.1f}%" in text
    kept = said["kept"]["percent"]
    phantom, bias = settings["questions_without_images"], settings["mirage_bias"]
    low, high = settings["mirage_rate_printed"]["with_scaffolds"]
    for words in (
        "{}–{}% of their fully image-enabled".format(*said["mean_per_model"]["percent"]),
        "{}–{}% susceptibility".format(*said["mean_per_benchmark"]["percent"]),
        f"leaving only {kept['MMMU-Pro']}%, {kept['MedXpertQA-MM']}%, and {kept['MicroVQA']}%",
        "one half to three fourth of the benchmark questions were removed",
        "rankings changed on two of the three",
        f"consisting of {phantom['questions']} open-ended questions",
        f"{phantom['categories']} domain–category pairs ({phantom['questions_per_category']} questions each)",
        f"used {settings['mirage_rate']['judge']} as an automated judge",
        f"over {settings['mirage_rate_printed']['over']}% of the time",
        f"{low}%-{high}% of the time",
        f"{bias['seeds']} different random seeds",
        f"temperature was set to {settings['mirage_score']['temperature']},",
        *bias["modalities"],
        *record["tested"]["models"],
    ):
        assert words in text
    assert len(bias["modalities"]) == 5
    assert phantom["questions"] == phantom["categories"] * phantom["questions_per_category"]
    assert {name.lower() for name in record["tested"]["benchmarks"]} <= set(text.lower().replace(",", " ").split())


# Scores ---------------------------------------------------------------------------------------------------------------


def test_the_nine_scores_and_their_means():
    """In percent, to two decimals, worked out by hand; two are not above one half, however they were rounded."""
    assert {(each.model, each.benchmark): round(100 * each.score.value, 2) for each in pairs()} == EXPECTED
    low = [(each.model, each.benchmark) for each in pairs() if not each.mostly_without]
    assert low == [("Gemini-3-Pro", "MedXpertQA-MM"), ("Gemini-3-Pro", "MicroVQA")]
    assert all(each.certain for each in pairs())
    for by, means in ((0, mean_per_model(pairs())), (1, mean_per_benchmark(pairs()))):
        for name, mean in means.items():
            own = [score for about, score in EXPECTED.items() if about[by] == name]
            assert len(own) == 3
            assert 100 * mean.value == pytest.approx(sum(own) / 3, abs=0.01)


@given(COUNTS)
def test_a_score_is_a_relative_risk(counts):
    """With scipy's interval for two samples; above one half there is more without the image than it adds."""
    n, right, with_image = counts
    found, theirs = pair(*counts), relative_risk(right, n, with_image, n)
    assert (found.score.value, found.score.n) == (pytest.approx(theirs.relative_risk), n)
    assert (found.score.low, found.score.high) == pytest.approx(tuple(theirs.confidence_interval(0.95)))
    assert found.without.value + found.adds == pytest.approx(found.with_image.value)
    if abs(found.score.value - 0.5) > 1e-9:
        assert found.mostly_without == (found.score.value > 0.5)


@given(st.sampled_from(pairs()), st.floats(-0.0005, 0.0005))
def test_rounding_changes_no_certain_verdict(found, off):
    """Whatever the next decimals of the printed accuracy were; 39.98% of 80.0%, which may have been 79.95%, is none."""
    assert replace(found, accuracy=found.accuracy + off).mostly_without == found.mostly_without
    assert not BenchmarkResult("m", "b", 10_000, 3998, 0.8).certain
    assert BenchmarkResult("m", "b", 10_000, 3990, 0.8).certain


def test_questions_tending_to_be_right_both_ways_narrow_the_interval():
    """Replies drawn so give ratios that scatter less than the interval has it; drawn apart, as much."""
    random = np.random.default_rng(3)
    with_image = random.random((4000, 1000)) < 0.7
    apart = random.random((4000, 1000)) < 0.35
    nested = with_image & (random.random((4000, 1000)) < 0.5)
    error = pair(1000, 350, 700).error
    scatter = [float(np.std(np.log(without.mean(1) / with_image.mean(1)))) for without in (apart, nested)]
    assert scatter[0] == pytest.approx(error, rel=0.05)
    assert scatter[1] < 0.9 * error


def test_means_by_hand():
    """Of 0.5 and 1.0 it is 0.75; over benchmarks the errors add as squares, over models as they are."""
    two = [BenchmarkResult("m", "a", 100, 40, 0.8), BenchmarkResult("m", "b", 300, 150, 0.5)]
    shared = [replace(two[0], model="one"), replace(two[0], model="other", right=80)]
    for some, mean, n, add in (
        (two, mean_per_model(two)["m"], 400, np.hypot),
        (shared, mean_per_benchmark(shared)["a"], 100, np.add),
    ):
        halves = [each.score.value * log(each.score.high / each.score.value) for each in some]
        assert (mean.value, mean.n) == (pytest.approx(0.75), n)
        assert (mean.high - mean.value, mean.value - mean.low) == pytest.approx((add(*halves) / 2,) * 2)


def test_means_of_a_mean_scatter_as_their_interval_has_it():
    """Over benchmarks drawn apart, nineteen of twenty intervals hold the true mean."""
    random = np.random.default_rng(5)
    held = 0
    for _ in range(400):
        drawn = [
            BenchmarkResult("m", name, 800, random.binomial(800, 0.4), random.binomial(800, 0.8) / 800)
            for name in "abc"
        ]
        found = mean_per_model(drawn)["m"]
        held += found.low <= 0.5 <= found.high
    assert 365 <= held <= 395


def test_every_pair_has_a_line_and_those_against_the_text_are_named(record):
    """Two of nine have more from the image than without it; the note is computed, and certain only if rounding is."""
    rows = {row[:2]: row[2:] for row in score_sheet(record).rows}
    assert len(rows) == 9
    assert rows["Gemini-3-Pro", "MicroVQA"] == ("1,042", "32.1 [29.4, 35.0]", "68.8 [65.9, 71.5]", "46.7 [42.4, 51.5]")
    found = note(score_sheet(record), "in every pair")
    assert "9 of 24 pairs, and 2 of them do not fit it, however they were rounded: Gemini-3-Pro on MedXp" in found
    assert "Gemini-3-Pro on MicroVQA, 335 of 1,042 right without the image, 32.1%, and 36.7 points more" in found
    assert "intervals of 2 of these reach 50%" in found
    counts = record["counts"]["benchmarks"]["MicroVQA"]
    counts["right_without_image"]["Gemini-3-Pro"] = 200
    assert "intervals of 1 of these reach 50%" in note(score_sheet(record), "in every pair")
    counts["right_without_image"]["Gemini-3-Pro"], counts["accuracy"]["Gemini-3-Pro"][0] = 360, 69.1
    found = note(score_sheet(record), "in every pair")
    assert ("do not fit it: " in found, "however" in found) == (True, False)
    for counts in record["counts"]["benchmarks"].values():
        counts["right_without_image"]["Gemini-3-Pro"] = counts["n"] // 2
    assert note(score_sheet(record), "in every pair").endswith("9 of 24 pairs, and it holds in all of them.")


def test_means_stand_beside_what_the_text_says(record):
    """Two of three models are outside, benchmarks within; what the others would have to score for the text to hold."""
    sheet = mean_sheet(record)
    rows = {row[0]: row[1:] for row in sheet.rows}
    assert rows["Gemini-3-Pro"] == ("3", "4,772", "50.2 [48.1, 52.3]", "70–80", "OUTSIDE")
    assert {name: row[-1] for name, row in rows.items()} == {
        "GPT-5.1": "OUTSIDE", "Gemini-2.5-Pro": "within", "Gemini-3-Pro": "OUTSIDE",
        "MMMU-Pro": "within", "MedXpertQA-MM": "within", "MicroVQA": "within",
    }  # fmt: skip
    assert "other 3 would have to average 89.8% or more" in note(sheet, "For Gemini-3-Pro to come to 70%")
    assert "average 72.9% or more" in note(sheet, "For GPT-5.1 to come to 70%")
    assert not any("For Gemini-2.5-Pro" in each for each in sheet.notes)
    rates = note(sheet, "Mirage rates")
    for words in ("over 60%", "90–100%", "200 questions in 20 categories", "GPT-5", "[53, 67]", "10 it is [31, 83]"):
        assert words in rates
    assert "5 modalities, 200 seeds each" in rates


def test_medical_benchmarks_are_held_against_the_general_one(record):
    """Not higher by the printed counts, nor could one more model take them to the upper end."""
    found = note(mean_sheet(record), "medical benchmarks")
    assert "MedXpertQA-MM 63.4% and MicroVQA 62.9% are not higher than MMMU-Pro 63.7%" in found
    assert "If Claude Opus 4.5, of which no counts are printed, kept 100%" in found
    assert "72.6%, in the lower half" in found
    for name in ("MedXpertQA-MM", "MicroVQA"):
        counts = record["counts"]["benchmarks"][name]
        counts["right_without_image"] = dict.fromkeys(counts["right_without_image"], counts["n"] // 2)
    found = note(mean_sheet(record), "medical benchmarks")
    assert "are higher than MMMU-Pro" in found
    assert "in the upper half" in found


# B-Clean --------------------------------------------------------------------------------------------------------------


def test_shares_are_the_printed_ones(record):
    """Removed and kept, of every benchmark, to the printed digit; one unit of the last digit is told."""
    rows = [row[:1] + row[2:] for row in kept_sheet(record).rows]
    assert rows == [
        ("MMMU-Pro", "1,302 of 1,730", "75.3", "75.3", "428", "24.7", "25", "equal"),
        ("MedXpertQA-MM", "1,486 of 2,000", "74.3", "74.3", "514", "25.7", "26", "equal"),
        ("MicroVQA", "802 of 1,042", "77.0", "77.0", "240", "23.0", "23", "equal"),
    ]
    for what, said in (("kept", 24), ("removed", 77.1)):
        changed = deepcopy(record)
        changed["said"][what]["percent"]["MicroVQA"] = said
        assert [row[-1] for row in kept_sheet(changed).rows] == ["equal", "equal", "DIFFERENT"]


@given(st.lists(st.frozensets(st.integers(0, 9)), min_size=1, max_size=4))
def test_a_union_is_at_least_the_largest_set_and_at_most_the_sum(sets):
    """Whatever the models had right is possible; sets of 5 and 3 have from 5 to 8 questions."""
    kept = 10 - len(frozenset().union(*sets))
    assert Cleaned("b", 10, kept, {str(n): len(each) for n, each in enumerate(sets)}, {}, {}).possible
    for removed, possible in ((4, False), (5, True), (8, True), (9, False)):
        assert Cleaned("b", 20, 20 - removed, {"one": 5, "other": 3}, {}, {}).possible == possible


def test_what_does_not_fit_counts_or_caption_is_named(record):
    """The printed unions are possible; more than three fourths went on two benchmarks."""
    assert all(each.possible for each in list_cleaned(record))
    assert "All that is removed is possible" in kept_sheet(record).notes[1]
    assert "74.3 to 77.0%, outside that: MMMU-Pro, MicroVQA." in note(kept_sheet(record), "caption of Fig. 5")
    record["said"]["removed_between"]["percent"] = [50, 80]
    assert "outside that: none." in note(kept_sheet(record), "caption of Fig. 5")
    record["counts"]["benchmarks"]["MicroVQA"]["kept"] = 600
    assert kept_sheet(record).notes[1] == "Not possible by its sets: MicroVQA."


def test_ranks_before_and_after(record):
    """The best stays the best, the other two change places on two benchmarks; with so few questions either may lead."""
    ranks = {row[:2]: (row[3], row[5]) for row in rank_sheet(record).rows}
    assert {about: both for about, both in ranks.items() if both[0] != both[1]} == {
        ("GPT-5.1", "MMMU-Pro"): ("2", "3"),
        ("Gemini-2.5-Pro", "MMMU-Pro"): ("3", "2"),
        ("Gemini-2.5-Pro", "MedXpertQA-MM"): ("2", "3"),
        ("GPT-5.1", "MedXpertQA-MM"): ("3", "2"),
    }
    assert {both for about, both in ranks.items() if about[0] == "Gemini-3-Pro"} == {("1", "1")}
    assert "2 of 3 benchmarks, as Section 5 says" in note(rank_sheet(record), "Ranks change")
    found = note(rank_sheet(record), "– MMMU-Pro")
    assert "GPT-5.1 less Gemini-2.5-Pro +8.0 [+5.0, +11.0] on all 1,730, -1.1 [-7.3, +5.2] on kept 428" in found
    assert "includes 0" in found
    assert "includes 0" in note(rank_sheet(record), "– MedXpertQA-MM")
    accuracies = record["counts"]["benchmarks"]["MMMU-Pro"]["accuracy"]
    accuracies["GPT-5.1"][1] = 50.0
    assert "includes 0" not in note(rank_sheet(record), "– MMMU-Pro")
    accuracies["GPT-5.1"][1], accuracies["Gemini-2.5-Pro"][1] = 60.1, 60.0
    assert "1 of 3 benchmarks, not as Section 5 says" in note(rank_sheet(record), "Ranks change")


def test_accuracies_that_do_not_fall_and_gaps_that_grow(record):
    """One of nine rises; where ranks stay, two of three gaps grow; two of nine are no number of questions."""
    counts = record["counts"]["benchmarks"]
    assert "not so Gemini-2.5-Pro on MMMU-Pro." in note(rank_sheet(record), "accuracies fall")
    found = note(rank_sheet(record), "gaps shrink")
    assert "Gemini-3-Pro to Gemini-2.5-Pro 5.3 before, 1.1 after" in found
    assert "Gemini-3-Pro to GPT-5.1 7.3 before, 7.8 after; 2 of 3 grow." in found
    odd = note(rank_sheet(record), "No whole number")
    assert "Gemini-3-Pro on MMMU-Pro, 72.8% of 428; Gemini-3-Pro on MicroVQA, 23.2% of 240:" in odd
    counts["MicroVQA"]["accuracy"]["GPT-5.1"][1] = 21.0
    changed = found.replace("6.7", "1.1").replace("7.8", "2.2").replace("2 of 3 grow", "all shrink")
    assert note(rank_sheet(record), "gaps shrink") == changed
    counts["MMMU-Pro"]["accuracy"]["Gemini-2.5-Pro"][1] = 67.9
    assert not any("accuracies fall" in each for each in rank_sheet(record).notes)
    counts["MicroVQA"]["accuracy"]["GPT-5.1"][1], counts["MMMU-Pro"]["accuracy"]["Gemini-2.5-Pro"][1] = 20.8, 68.0
    for name, accuracy in (("MMMU-Pro", 72.9), ("MicroVQA", 23.3)):
        counts[name]["accuracy"]["Gemini-3-Pro"][1] = accuracy
    assert "Gemini-3-Pro" not in next((each for each in rank_sheet(record).notes if "No whole number" in each), "")


@given(st.integers(1, 600), st.integers(0, 1000))
def test_whole_is_what_trying_every_number_finds(n, tenths):
    """By brute force."""
    found = any(abs(1000 * right - tenths * n) * 2 <= n for right in range(n + 1))
    assert is_whole_count(tenths / 10, n) == found


# A study of one's own -------------------------------------------------------------------------------------------------


def found(measure, value, **changed):
    """A row of results, with an interval of a tenth to either side."""
    test = "mirage-score" if "score" in measure else "mirage-rate"
    row = {"model": "m", "benchmark": "b", "test": test, "arm": "image-removed", "measure": measure}
    return {
        **row, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 1200,
        "method": "fieller", "parser": "lenient", "subset": "", "judge": "", **changed,
    }  # fmt: skip


def scores(*rows):
    """The lines of the table of scores."""
    return next(tabulate_results(rows)).rows


def rates(*rows):
    """The lines of the table of rates."""
    return list(tabulate_results(rows))[1].rows


def test_scores_and_rates_have_a_line_each():
    """Scores and both means; rates by arm in both ways of counting, each with its n; what is not known is a dash."""
    assert scores(
        found("mirage_score", 0.5),
        found("mean_mirage_score", 0.6, benchmark="all benchmarks"),
        found("mean_mirage_score", 0.7, model="all models", n=40),
        found("mirage_score", nan, benchmark="c"),
        found("mirage_score", 0.5, benchmark="d", low=nan, high=nan),
        found("mirage_score", 0.5, benchmark="e", high=inf),
    ) == (
        ("m", "b", "50.0 [40.0, 60.0]", "1,200"),
        ("m", "all benchmarks", "60.0 [50.0, 70.0]", "1,200"),
        ("all models", "b", "70.0 [60.0, 80.0]", "40"),
        ("m", "c", "–", "1,200"),
        ("m", "d", "50.0", "1,200"),
        ("m", "e", "50.0 [40.0, ∞]", "1,200"),
    )
    assert rates(
        found("mirage_rate", 0.5, arm="no-image+bare", n=190),
        found("mirage_rate_as_published", 0.6, arm="no-image+bare", n=200),
        found("mirage_rate_as_published", 0.7, arm="no-image+mirage-vqa-rad", test="mirage-rate:vqa-rad", n=200),
    ) == (
        ("m", "b", "no-image+bare", "50.0 [40.0, 60.0]", "190", "60.0 [50.0, 70.0]", "200"),
        ("m", "b", "no-image+mirage-vqa-rad", "–", "–", "70.0 [60.0, 80.0]", "200"),
    )


def test_only_the_tests_own_numbers_by_the_own_parser_are_shown():
    """Other tests, other measures and other parsers are left out; scores and rates may have parsers of their own."""
    others = (
        found("mirage_score", 0.5, test="image-needed"),
        found("accuracy", 0.5, test="mirage-score"),
        found("mirage_rate", 0.5, test="mirage-bias"),
        found("missing_rate", 0.5, test="mirage-rate"),
    )
    assert scores(*others) == rates(*others) == ()
    for measure, lines_of in (("mirage_score", scores), ("mirage_rate", rates)):
        kinds = list(product(("lenient", "strict"), ("m", "o"), ("b", "c")))
        lines = lines_of(
            *(found(measure, 0.5 if parser == "lenient" else 0.1, model=model, benchmark=name, parser=parser)
              for parser, model, name in kinds)
        )  # fmt: skip
        assert [line[:2] for line in lines] == [(model, name) for _, model, name in kinds[:4]]
        assert all(any(cell.startswith("50.0") for cell in line) for line in lines)
    both = [found("mirage_score", 0.5), found("mirage_rate", 0.6, method="wilson", parser="missing-image")]
    assert [len(sheet.rows) for sheet in tabulate_results(both)] == [1, 1]
    assert "Method: wilson; parser=missing-image." in list(tabulate_results(both))[1].notes[0]
    of_scores, of_rates = tabulate_results([found("accuracy", 0.5, test="image-needed")])
    assert "no results of the test `mirage-score`" in of_scores.notes[0]
    assert "no results of the test `mirage-rate`" in of_rates.notes[0]


def test_a_study_of_ones_own_stands_under_the_printed_figures(capsys, monkeypatch):
    """Its own tables come after all of the paper's."""
    monkeypatch.setenv("COLUMNS", "120")
    rows = [found("mirage_score", 0.5, model="mine/model"), found("mirage_rate", 0.25, model="mine/model")]
    show_published("mirage", SimpleNamespace(rows=lambda: iter(rows)))
    upper, title, lower = capsys.readouterr().out.partition("Mirage scores measured in OUT")
    assert title
    assert "46.7 [42.4, 51.5]" in upper
    assert "mine/model" not in upper
    lines = [line.split() for line in lower.splitlines() if "mine/model" in line]
    assert lines[0] == ["mine/model", "b", "50.0", "[40.0,", "60.0]", "1,200"]
    assert "25.0" in lines[1]
    assert "Method: fieller; parser=lenient." in lower


def test_a_study_as_it_is_run_has_what_is_shown(tmp_path):
    """Asked, scored and set under the printed figures: scores, both means, and rates of two arms."""
    study = Study(
        models=["organism/grounded", "organism/mirage"],
        benchmarks=["phantoms:items=8", "phantoms:items=8,language=it"],
        tests=["mirage-score", "mirage-rate:none,vqa-rad"],
        out=tmp_path / "out",
        limit=8,
        canary=False,
    )
    study.ask(lambda progress: None)
    of_scores, of_rates = list(sheets("mirage", rescore(tmp_path / "out")))[-2:]
    assert len(of_scores.rows) == 2 * 2 + 2 + 2
    assert {row[0] for row in of_scores.rows} == {"organism/grounded", "organism/mirage", "all models"}
    assert {row[3:5] for row in of_rates.rows if row[0] == "organism/grounded"} == {("0.0 [0.0, 32.4]", "8")}
    assert {row[5:] for row in of_rates.rows if row[0] == "organism/mirage"} == {("100.0 [67.6, 100.0]", "8")}
    assert len(of_rates.rows) == 2 * 2
