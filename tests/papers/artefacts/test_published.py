"""The artefacts paper on the command line, and a study of one's own under it."""

from types import SimpleNamespace

from click.testing import CliRunner

from snellen.cli import cli
from snellen.papers import sheets
from snellen.papers.artefacts.published.tables import measured, pooled_sheet
from snellen.papers.paper import figures


def flat(words):
    """The words, however the lines were broken."""
    return " ".join(words.split())


def row(measure, value, **changed):
    """A row of results, with an interval of a tenth to either side."""
    about = {"model": "m", "benchmark": "b", "test": "weak-artefacts", "arm": "degraded:noise,weak", "measure": measure}
    ends = {"value": value, "low": value - 0.1, "high": value + 0.1, "n": 200}
    return {**about, **ends, "method": "fieller", "parser": "ours", "subset": "", "judge": "", **changed}


def test_the_command_prints_everything():
    """Four tables, and on a narrow screen no figure is cut in two."""
    done = CliRunner(env={"COLUMNS": "80"}).invoke(cli, ["paper", "figures", "artefacts"])
    assert done.exit_code == 0
    assert len(list(sheets("artefacts"))) == 4
    for sheet in sheets("artefacts"):
        assert sheet.title in flat(done.output)
        for line in sheet.rows:
            assert all(cell in done.output for cell in line[sheet.words :])
        assert all(flat(each) in flat(done.output) for each in sheet.notes)


def test_a_study_of_ones_own_stands_under_the_printed_figures():
    """A line a model, benchmark and artefact, by the study's own parser, with the methods."""
    rows = [
        row("accuracy", 0.5),
        row("percent_change", -0.25),
        row("accuracy", 0.9, parser="other"),
        row("accuracy", 0.8, arm="original"),
        row("flagged_quality_rate", 0.3, arm="degraded:motion,strong"),
        row("abstention_rate", 0.1),
    ]
    *_, own = sheets("artefacts", SimpleNamespace(rows=lambda: iter(rows)))
    assert own.rows == (
        ("m", "b", "noise,weak", "50.0 [40.0, 60.0]", "-25.0 [-35.0, -15.0]", "–"),
        ("m", "b", "motion,strong", "–", "–", "30.0 [20.0, 40.0]"),
    )
    assert "Method: fieller; parser=ours." in own.notes[0]


def test_averages_stand_beside_the_printed_ones():
    """A line a kind of image and average, over all models where there are several; without the best models."""
    pooled = {"test": "pooled-artefacts:noise", "model": "all models"}
    rows = [
        row("pooled_accuracy", 0.7, **{**pooled, "model": "m"}),
        row("pooled_accuracy", 0.6, **pooled),
        row("pooled_accuracy_mixed", 0.6, **pooled),
        row("pooled_accuracy", 0.65, **pooled, subset="category=brain MRI"),
        row("pooled_change", -0.2, **pooled, subset="category=brain MRI"),
        row("top_accuracy", 0.9, **pooled, subset="category=brain MRI; best 3 of 6: a, b, c"),
        row("pooled_detection_rate", 0.3, **pooled, subset="category=fundus photograph"),
    ]
    averages = figures("artefacts")["averages"]
    assert pooled_sheet(rows, averages).rows == (
        ("b", "accuracy", "60.0 [50.0, 70.0]", "60.0 [50.0, 70.0]", "–"),
        ("brain MRI", "accuracy", "65.0 [55.0, 75.0]", "–", "64.5"),
        ("brain MRI", "change", "-20.0 [-30.0, -10.0]", "–", "-3.34"),
        ("fundus photograph", "flagged", "30.0 [20.0, 40.0]", "–", "–"),
    )
    alone = [{**each, "model": "m", "benchmark": name} for each in rows[1:2] for name in ("b", "c")]
    assert [line[0] for line in pooled_sheet(alone, averages).rows] == ["b", "c"]
    assert "did not ask" in pooled_sheet([row("accuracy", 0.5)], averages).notes[0]


def test_a_study_without_degraded_images_is_told_so():
    """No empty table without a word."""
    sheet = measured([row("accuracy", 0.5, arm="original")])
    assert sheet.rows == ()
    assert "no results of degraded images" in sheet.notes[0]
