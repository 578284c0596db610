"""The Mirage paper: its figures as we carry them, and what is said where they do not fit its text."""

import json
from copy import deepcopy
from pathlib import Path

import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.papers import printed, sheets
from snellen.papers.mirage.published.tables import mean_sheet, score_sheet

SHARED = Path(__file__).parents[3].parent / "shared"
PUBLISHED = SHARED / "oracles" / "published.json"
PAPERS = SHARED / "papers"


@pytest.fixture(scope="module")
def oracle():
    """The printed figures as somebody else wrote them down."""
    if not PUBLISHED.exists():
        pytest.skip(f"the printed figures are not at {PUBLISHED}")
    return json.loads(PUBLISHED.read_text())["mirage"]


@pytest.fixture(scope="module")
def text():
    """The paper, in one line."""
    paper = next(PAPERS.glob("003_*.txt"), None)
    if paper is None:
        pytest.skip(f"the text of the paper is not in {PAPERS}")
    return flat(paper.read_text())


@pytest.fixture
def record():
    """The figures, to be changed."""
    return deepcopy(printed("mirage"))


def flat(words):
    """The words, however the lines were broken."""
    return " ".join(words.split())


def note(sheet, words):
    """The one note that has these words."""
    (found,) = (each for each in sheet.notes if words in each)
    return found


def test_the_counts_are_those_that_somebody_else_wrote_down(oracle):
    """Benchmarks, models, counts and accuracies, none missing on either side."""
    ours = printed("mirage")["counts"]["benchmarks"]
    assert {name: given["accuracy"] for name, given in ours.items()} == oracle["bclean_accuracy"]
    sizes = {
        name: {"n": given["n"], "kept": given["kept"], "correct_without_image": given["right_without_image"]}
        for name, given in ours.items()
    }
    assert sizes == oracle["bclean_sizes"]


def test_the_counts_stand_in_the_paper(text):
    """Every count and accuracy, with the words beside it."""
    for name, given in printed("mirage")["counts"]["benchmarks"].items():
        right = given["right_without_image"]
        assert f"{name} ({given['n']:,} questions), " in text
        assert f" {right['GPT-5.1']}, {right['Gemini-2.5-Pro']}, and {right['Gemini-3-Pro']}" in text
        removed = printed("mirage")["said"]["removed"]["percent"][name]
        assert f"{given['kept']} of {given['n']:,}" in text
        assert f"for {name} ({removed:.1f}% removed)" in text
        for full, clean in given["accuracy"].values():
            assert f"{full:.1f}% to {clean:.1f}%" in text


def test_what_is_said_and_how_it_was_asked_stand_in_the_paper(text):
    """Ranges, settings and names."""
    record = printed("mirage")
    said, settings = record["said"], record["settings"]
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


def test_every_pair_has_a_line(record):
    """Both accuracies and the score with intervals, in percent."""
    rows = {row[:2]: row[2:] for row in score_sheet(record).rows}
    assert len(rows) == 9
    assert rows["Gemini-3-Pro", "MicroVQA"] == ("1,042", "32.1 [29.4, 35.0]", "68.8 [65.9, 71.5]", "46.7 [42.4, 51.5]")


def test_pairs_against_the_text_are_named(record):
    """Two of nine have more from the image than without it."""
    found = note(score_sheet(record), "in every pair")
    assert "9 of 24 pairs, and 2 of them do not fit it, however they were rounded: Gemini-3-Pro on MedXp" in found
    assert "Gemini-3-Pro on MicroVQA, 335 of 1,042 right without the image, 32.1%, and 36.7 points more" in found
    assert "intervals of 2 of these reach 50%" in found


def test_where_every_pair_fits_that_is_said(record):
    """The note is computed: other counts give another note."""
    for given in record["counts"]["benchmarks"].values():
        given["right_without_image"]["Gemini-3-Pro"] = given["n"] // 2
    assert note(score_sheet(record), "in every pair").endswith("9 of 24 pairs, and it holds in all of them.")


def test_a_pair_that_only_rounding_decides_is_not_called_certain(record):
    """Half of the printed accuracy, to within the printed digit."""
    given = record["counts"]["benchmarks"]["MicroVQA"]
    given["right_without_image"]["Gemini-3-Pro"] = 360
    given["accuracy"]["Gemini-3-Pro"][0] = 69.1
    found = note(score_sheet(record), "in every pair")
    assert "do not fit it: " in found
    assert "however" not in found


def test_an_interval_below_one_half_is_told_apart(record):
    """A count so low that sampling does not explain it."""
    record["counts"]["benchmarks"]["MicroVQA"]["right_without_image"]["Gemini-3-Pro"] = 200
    assert "intervals of 1 of these reach 50%" in note(score_sheet(record), "in every pair")


def test_means_stand_beside_what_the_text_says(record):
    """Over the printed benchmarks two of three models are outside, the benchmarks are within."""
    rows = {row[0]: row[1:] for row in mean_sheet(record).rows}
    assert rows["Gemini-3-Pro"] == ("3", "4,772", "50.2 [48.1, 52.3]", "70–80", "OUTSIDE")
    assert {name: row[-1] for name, row in rows.items()} == {
        "GPT-5.1": "OUTSIDE", "Gemini-2.5-Pro": "within", "Gemini-3-Pro": "OUTSIDE",
        "MMMU-Pro": "within", "MedXpertQA-MM": "within", "MicroVQA": "within",
    }  # fmt: skip


def test_what_the_other_benchmarks_would_have_to_score(record):
    """With the other three at that score, the mean of six is what the text says; who is above is not named."""
    sheet = mean_sheet(record)
    assert "other 3 would have to average 89.8% or more" in note(sheet, "For Gemini-3-Pro to come to 70%")
    assert "average 72.9% or more" in note(sheet, "For GPT-5.1 to come to 70%")
    assert not any("For Gemini-2.5-Pro" in each for each in sheet.notes)


def test_medical_benchmarks_are_held_against_the_general_one(record):
    """Not higher by the printed counts, nor could one more model take them to the upper end."""
    found = note(mean_sheet(record), "medical benchmarks")
    assert "MedXpertQA-MM 63.4% and MicroVQA 62.9% are not higher than MMMU-Pro 63.7%" in found
    assert "If Claude Opus 4.5, of which no counts are printed, kept 100%" in found
    assert "72.6%, in the lower half" in found
    for name in ("MedXpertQA-MM", "MicroVQA"):
        given = record["counts"]["benchmarks"][name]
        given["right_without_image"] = dict.fromkeys(given["right_without_image"], given["n"] // 2)
    found = note(mean_sheet(record), "medical benchmarks")
    assert "are higher than MMMU-Pro" in found
    assert "in the upper half" in found


def test_rates_without_counts_are_told_with_what_so_many_questions_can_show(record):
    """The settings, and the interval of the printed share."""
    found = note(mean_sheet(record), "Mirage rates")
    for words in ("over 60%", "90–100%", "200 questions in 20 categories", "GPT-5", "[53, 67]", "10 it is [31, 83]"):
        assert words in found
    assert "5 modalities, 200 seeds each" in found


def test_the_command_prints_everything():
    """Four tables, and on a narrow screen no figure is cut in two."""
    done = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["paper", "figures", "mirage"])
    assert done.exit_code == 0
    for sheet in sheets("mirage"):
        assert sheet.title in flat(done.output)
        for row in sheet.rows:
            assert all(cell in done.output for cell in row[sheet.words :])
        assert all(flat(each) in flat(done.output) for each in sheet.notes)
