"""The robustness score of the Readiness paper: recomputed from the printed accuracies, to the fourth decimal."""

from copy import deepcopy
from itertools import product
from math import nan
from types import SimpleNamespace

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from snellen.cli import cli
from snellen.cli.figures import show_published
from snellen.papers import printed, sheets
from snellen.papers.readiness.published import accuracies, scores, tabulate_results
from snellen.papers.readiness.tests.robustness import TESTS, fragilities, robustness

PAPER, NUMBER = "readiness", "000"
EXPECTED = {
    "GPT-5": "0.8315", "Gemini-2.5 Pro": "0.8202", "OpenAI-o3": "0.8472", "OpenAI-o4-mini": "0.8504",
    "GPT-4o": "0.9475",
}  # fmt: skip


def values(test, model):
    """The printed accuracies of a test in their order, without intervals."""
    return [figure[0] for figure in printed("readiness")["tests"][test]["figures"][model].values()]


def by_hand(oracle, model):
    """Supplementary Note 1 in percent, written out."""
    jama, nejm = oracle["t1"][model]["JAMA"], oracle["t1"][model]["NEJM"]
    n, text, image = oracle["n"], oracle["t4_text"][model], oracle["t4_image"][model]
    order = oracle["t2_t3"][model]
    lost = n["JAMA"] * max(0, jama[0] - jama[1]) + n["NEJM"] * max(0, nejm[0] - nejm[1])
    return (
        lost / (100 * (n["JAMA"] + n["NEJM"])),
        max(0, order["text"] - 20) / 80,
        max(0, order["text"] - order["text_reordered"]) / 100,
        (0.5 * max(0, text[0] - text[5]) + 0.3 * max(0, image[5] - image[0]) + 0.2 * max(0, text[1] - text[0])) / 100,
        max(0, oracle["t5"][model][0] - oracle["t5"][model][1]) / 100,
    )


def test_the_five_scores():
    """From the figures that we carry, to four decimals."""
    assert {score.model: f"{score.robustness:.4f}" for score in scores()} == EXPECTED


def test_the_scores_are_those_of_the_formula_written_out(oracle):
    """Every fragility, from the figures that somebody else wrote down."""
    assert {score.model for score in scores()} == set(oracle["robustness_computed_from_these_tables"])
    for score in scores():
        expected = by_hand(oracle, score.model)
        assert score.fragilities == pytest.approx(expected, abs=1e-12)
        assert score.robustness == pytest.approx(1 - sum(expected) / 5, abs=1e-12)
        assert round(score.robustness, 4) == oracle["robustness_computed_from_these_tables"][score.model]


def test_the_figures_that_we_carry_are_the_printed_ones(oracle):
    """Every model, test and column, and the numbers of items."""
    tests = printed("readiness")["tests"]
    assert tests["T1"]["n"] == {"JAMA": oracle["n"]["JAMA"], "NEJM": oracle["n"]["NEJM"]}
    assert {tests[test]["n"]["NEJM-VS"] for test in ("T2", "T3", "T4")} == {oracle["n"]["NEJM_VS"]}
    expected = {
        "T1": {model: row["JAMA"] + row["NEJM"] for model, row in oracle["t1"].items()},
        "T2": {model: [row["image"], row["text"]] for model, row in oracle["t2_t3"].items()},
        "T3": {model: list(row.values()) for model, row in oracle["t2_t3"].items()},
        "T4": {model: oracle["t4_text"][model] + oracle["t4_image"][model] for model in oracle["t4_text"]},
        "T5": oracle["t5"],
        "T6": {model: oracle["t6_nejm"][model] + oracle["t6_vqarad"][model] for model in oracle["t6_nejm"]},
    }
    assert {test: {model: values(test, model) for model in tests[test]["figures"]} for test in tests} == expected


def test_intervals_and_abstentions_are_those_of_the_paper(text):
    """Every accuracy stands in the paper with its interval, and every line of abstention rates."""
    bare = "".join(text.replace("†", "").split())
    for test in printed("readiness")["tests"].values():
        for row in test["figures"].values():
            for value, low, high in row.values():
                assert f"{value:.2f}[{low:.2f},{high:.2f}]" in bare
    for model, rates in printed("readiness")["abstention"]["figures"].items():
        assert f"\n{model} {' '.join(f'{rate:g}' for rate in rates.values())}\n" in text


def test_figures_agree_with_each_other():
    """Tables 4, 5 and 6 repeat the questions as asked first; each accuracy is a whole number of its items.

    Those of T5 out of 120, not of 40. Without the image 15 of 175 were answered and 6 were right: the 40% of the text.
    """
    tests = printed("readiness")["tests"]
    for model, row in tests["T2"]["figures"].items():
        for how in ("image", "text"):
            assert row[how] == tests["T3"]["figures"][model][how] == tests["T4"]["figures"][model][f"{how} base"]
    for test in tests.values():
        counts = test.get("denominator", test["n"])
        for row in test["figures"].values():
            for part, (value, low, high) in row.items():
                n = counts.get(part.split()[0]) or next(iter(counts.values()))
                assert round(100 * round(value * n / 100) / n, 2) == value
                assert low <= value <= high
    assert not any(round(100 * round(value * 0.4) / 40, 2) == value for value in values("T5", "GPT-5"))
    rate = printed("readiness")["abstention"]["figures"]["GPT-4o"]["NEJM-VS text"]
    right = tests["T2"]["figures"]["GPT-4o"]["text"][0]
    assert (round(175 * (1 - rate / 100)), round(175 * right / 100)) == (15, 6)
    assert round(right / (100 - rate), 2) == 0.4


@given(st.sampled_from(sorted(EXPECTED)), st.randoms(use_true_random=False))
def test_what_rounding_hid_does_not_matter(model, random):
    """Whatever the third decimals were, the score moves by less than 0.0001."""
    record = printed("readiness")
    before = float(robustness(fragilities(*accuracies(record, model))))
    moved = deepcopy(record)
    for test in TESTS:
        for figure in moved["tests"][test]["figures"][model].values():
            figure[0] += random.choice((-0.005, random.uniform(-0.005, 0.005), 0.005))
    assert abs(float(robustness(fragilities(*accuracies(moved, model)))) - before) < 1e-4


def flat(text):
    """The words, however the lines were broken."""
    return " ".join(text.split())


def test_the_command_prints_the_scores():
    """A line a model with its fragilities and its score, in the paper's order; no ranking; what it does not say."""
    done = CliRunner(env={"COLUMNS": "120"}).invoke(cli, ["paper", "figures", "readiness"])
    assert done.exit_code == 0
    scored = done.output.split("generated reports")[0]
    lines = {line[:16].strip(): line[16:].split() for line in scored.splitlines()}
    for score in scores():
        assert lines[score.model] == [f"{part:.4f}" for part in score.fragilities] + [EXPECTED[score.model]]
    assert "Ranking" not in done.output
    assert lines["n"] == ["1,884", "175", "175", "175", "40"]
    alone = "By R alone, GPT-4o would stand first (0.9475). R alone ranks nothing"
    for words in (alone, "No interval", "no printed R"):
        assert words in flat(done.output)


def test_what_the_lead_hangs_on_and_what_is_left_open():
    """The parts of the lead, the largest first, sum to it: more of it is T5 than refusing in T2, which is rewarded."""
    notes = next(sheets("readiness")).notes
    lead = next(note for note in notes if " is ahead of " in note)
    head, _, tail = lead.rstrip(".").partition(", which is ")
    shares = {part: float(share) for part, share in (each.split() for each in tail.split(", "))}
    assert head == "GPT-4o is ahead of OpenAI-o4-mini by 0.0971"
    assert sum(shares.values()) == pytest.approx(0.0971, abs=3e-4)
    assert list(shares)[:2] == ["f5", "f2"]
    left = next(note for note in notes if note.startswith("Left open"))
    for words in ("91.43%", "3.43%", "40% right", "R would be 0.90", "36.67%", "41.67%"):
        assert words in left


def found(model, measure, value, **changed):
    """A row of results, with an interval of a tenth to either side."""
    row = {"model": model, "benchmark": "b", "test": "robustness", "arm": "original", "measure": measure}
    return {
        **row, "value": value, "low": value - 0.1, "high": value + 0.1, "n": 1200,
        "method": "bootstrap", "parser": "lenient", "subset": "the list a.txt", "judge": "", **changed,
    }  # fmt: skip


def test_a_study_of_ones_own_stands_under_the_printed_scores(capsys, monkeypatch):
    """A line a model, R with its interval and method; rows of other tests and other measures are not shown."""
    monkeypatch.setenv("COLUMNS", "120")
    parts = [f"fragility_{number}" for number in range(1, 6)]
    rows = [found("mine/model", measure, 0.5, test="robustness:items=needed.txt") for measure in (*parts, "robustness")]
    rows += [found("mine/model", "accuracy", 0.25), found("other/model", "robustness", 0.75, test="image-needed")]
    show_published("readiness", SimpleNamespace(rows=lambda: iter(rows)))
    shown = capsys.readouterr().out
    upper, _, lower = shown.partition("Measured in OUT")
    assert all(score in upper for score in EXPECTED.values())
    lines = [line.split() for line in lower.splitlines() if "mine/model" in line]
    assert lines == [
        ["mine/model", "b", *["–"] * 3, "0.50", "[0.40,", "0.60]"],
        ["mine/model", "b", *["0.50"] * 5],
    ]
    assert "Method: bootstrap" in flat(lower)
    assert "other/model" not in lower


def test_r_stands_last_beside_the_grounded_reading():
    """Sight, honesty and steadiness of the same model and benchmark come first, then R and why it ranks nothing."""
    rows = [found("low/model", "robustness", 0.5), found("high/model", "robustness", 0.9)]
    rows += [
        found("low/model", name, value, test="grounded-reading", arm="reading")
        for name, value in (("sight_gain", 0.6), ("honesty", 0.7), ("steadiness", 0.8), ("honesty_product", 0.3))
    ]
    sheet, parts = tabulate_results(rows)
    assert sheet.columns == ("model", "benchmark", "sight", "honesty", "steadiness", "R")
    assert parts.columns == ("model", "benchmark", "f1", "f2", "f3", "f4", "f5")
    assert [row[0] for row in sheet.rows] == ["low/model", "high/model"], "in the order of the study"
    assert [row[2:5] for row in sheet.rows] == [("60 [50, 70]", "70 [60, 80]", "80 [70, 90]"), ("–", "–", "–")]
    assert sheet.notes[0].startswith("R alone ranks nothing")


def test_who_r_alone_would_put_first_is_named_with_what_speaks_against_it():
    """A model that invents findings and leads by R; of one that looks and invents nothing, nothing is said."""
    rows = [found("sees/model", "robustness", 0.5), found("invents/model", "robustness", 0.93)]
    rows += [
        found("invents/model", "described_rate", 0.97, test="rationale:image-removed", arm="image-removed"),
        found("sees/model", "sight_gain", 0.6, test="grounded-reading", arm="reading"),
    ]
    [said] = [note for note in tabulate_results(rows)[0].notes if note.startswith("By R alone")]
    assert said == (
        "By R alone, invents/model would stand first (0.93); it describes findings in 97% of the responses where none "
        "was shown."
    )
    rows[1] = found("invents/model", "robustness", 0.4)
    assert not [note for note in tabulate_results(rows)[0].notes if note.startswith("By R alone")]


def test_models_and_benchmarks_are_kept_apart_and_the_own_parser_counts():
    """Two of each give four lines, those of the parser that comes first; what was not measured is no number.

    A part that is missing or NaN is a dash, R of the others stands for R; without the test there is a word for it.
    """
    kinds = list(product(("lenient", "strict"), ("m", "o"), ("b", "c")))
    sheet, _ = tabulate_results(
        found(model, "robustness", 0.5 if parser == "lenient" else 0.1, benchmark=benchmark, parser=parser)
        for parser, model, benchmark in kinds
    )
    assert [row[:2] for row in sheet.rows] == [(model, benchmark) for _, model, benchmark in kinds[:4]]
    assert {row[-1].split()[0] for row in sheet.rows} == {"0.50"}
    some = [found("m", "fragility_1", 0.25), found("m", "fragility_2", nan)]
    score, parts = tabulate_results([*some, found("m", "robustness_partial", 0.75, low=nan, high=nan)])
    assert [row[2:] for row in score.rows] == [("–", "–", "–", "0.75")]
    assert [row[2:] for row in parts.rows] == [("0.25", "–", "–", "–", "–")]
    none, _ = tabulate_results([found("m", "accuracy", 0.5, test="image-needed")])
    assert (none.rows, "no results of the test `robustness`" in none.notes[0]) == ((), True)


def test_the_table_of_reports_is_the_printed_one(oracles):
    """What the oracle holds of it; the command shows every line, and says that it is not recomputed."""
    told = dict(oracles["report_generation"])
    ours = printed("readiness")["reports"]
    assert ours["columns"] == told.pop("columns")
    assert {model: ours["figures"][model] for model in told} == told
    done = CliRunner(env={"COLUMNS": "120"}).invoke(cli, ["paper", "figures", "readiness"])
    assert all(f" {model} " in done.output for model in ours["figures"])
    assert "Nothing printed lets it be recomputed" in flat(done.output)
