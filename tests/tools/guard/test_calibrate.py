"""Calibration: a threshold at a stated false-alarm rate, on queries of which it is known who looked."""

import asyncio
import math
import re
from dataclasses import replace

import numpy as np
import orjson
import pytest
from click.testing import CliRunner

from snellen.cli import cli
from snellen.errors import StoreError, StudyError
from snellen.report.words.numbers import with_interval
from snellen.stats import wilson
from snellen.tools.guard.calibrate import (
    Calibrated,
    CalibrationTrial,
    cases,
    make_calibration,
    organism_trials,
    read_calibration,
    sentences,
)
from snellen.tools.guard.calibration_page import render
from snellen.tools.guard.signal import GuardStatus


@pytest.fixture(scope="module")
def asked():
    return cases(60, seed=1)


@pytest.fixture(scope="module")
def on_organisms(asked):
    return make_calibration(asyncio.run(organism_trials(asked, seed=1)), of="organisms", rate=0.05)


def made(source, scores, *, rests, first=0):
    """Trials of one source, each on a patient of its own."""
    status = [GuardStatus.UNMOVED if score > 0.5 else GuardStatus.MOVED for score in scores]
    return [
        CalibrationTrial(source, f"patient {first + at}", "questions", rests, each, "choice", score)
        for at, (score, each) in enumerate(zip(scores, status, strict=True))
    ]


def test_one_extra_call_tells_blind_and_mirage_from_grounded(on_organisms):
    """The AUC of both is 0.95 or more, and no response that rests on the image is called unmoved."""
    assert {each.source for each in on_organisms.caught} == {"organism/blind", "organism/mirage"}
    assert min(each.auc.value for each in on_organisms.caught) >= 0.95
    assert on_organisms.alarms.value <= 0.05
    assert on_organisms.verdicts["unmoved"] == 0


def test_a_pretender_is_caught_by_stand_in_images_only(asked):
    """Who admits a missing image and ignores one that is there looks grounded until another image is shown."""
    shares = {"grounded": 0.5, "pretender": 0.5}
    plain, shown = (
        make_calibration(
            asyncio.run(organism_trials(asked, shares=shares, seed=1, stand_in=each)), of="organisms", rate=0.05
        )
        for each in (False, True)
    )
    assert plain.caught[0].auc.value == pytest.approx(0.5, abs=0.1)
    assert shown.caught[0].auc.value > 0.7


def test_the_rate_holds_on_patients_on_whom_it_was_not_chosen():
    """Over many draws of scores, the mean share of false alarms is the stated one, to sampling error."""
    rng = np.random.default_rng(4)
    found = []
    for _ in range(25):
        trials = made("m", rng.random(200), rests=True) + made("x", rng.random(20), rests=False, first=200)
        found.append(make_calibration(trials, of="m", rate=0.1).alarms.value)
    error = math.sqrt(2 * 0.1 * 0.9 / 100 / 25)  # of choosing and of measuring, on 100 patients each
    assert np.mean(found) == pytest.approx(0.1, abs=4 * error + 0.01)


def test_too_few_or_an_impossible_rate_are_refused():
    """A rate that nothing was measured for is not stated."""
    with pytest.raises(StudyError, match="Only 6 responses"):
        make_calibration(made("m", [0.1] * 6, rests=True), of="m", rate=0.05)
    with pytest.raises(StudyError, match="between 0 and 1"):
        make_calibration(made("m", [0.1] * 60, rests=True), of="m", rate=5)


def test_the_page_shows_the_curve_and_holds_no_markup_of_others(on_organisms):
    """Every number of the sentences is on the page, with the rate as a limit and the curve; a name stays text."""
    page = render(on_organisms)
    for sentence in sentences(on_organisms):
        assert sentence in page
    assert "The dashed line is the requested false-alarm rate, 5%." in page
    shares = page.partition('<section class="part"')[0]
    assert shares.count('<line class="reference"') == 2 + len(on_organisms.caught)
    assert re.search(r'<svg class="curves graph".*?<path class="fall dashes-1" ', page, re.DOTALL)
    for each in on_organisms.caught:
        assert with_interval(each.auc, "score") in page.partition('id="curve"')[2]
    hostile = make_calibration(
        made("m", [0.1] * 40, rests=True) + made("<script>x", [0.9] * 9, rests=False, first=40), of="<b>m", rate=0.1
    )
    assert "<script>x" not in render(hostile)
    assert "<b>m" not in render(hostile)


def test_a_rate_that_does_not_hold_is_told_first(on_organisms):
    """A rate that the trials refute is an alarm; one that they are too few to show is a warning."""
    refuted = replace(on_organisms, alarms=wilson(30, 60))
    assert re.search(r'class="alarm"[^>]*>On patients not used to choose the threshold, false alarms', render(refuted))
    wide = replace(on_organisms, alarms=wilson(0, 20))
    assert (
        '<p class="warning">These queries are too few to show 5%: the interval reaches 16%. Ask more queries.</p>'
        in render(wide)
    )


def test_the_command_writes_what_the_guard_takes(tmp_path):
    """A calibration on organisms becomes a file with a threshold, and a page; the guard's own setting counts for it."""
    where = tmp_path / "calibration.json"
    how = ["guard", "calibrate", "--organisms", "--items", "48", "--to", str(where)]
    done = CliRunner(env={"SNELLEN_GUARD_STAND_IN": "phantom"}).invoke(cli, how)
    assert done.exit_code == 0, done.output
    assert "AUC" in done.output
    found = read_calibration(where)
    assert (0 < found.threshold < 1, found.of, found.stand_in) == (True, "organisms", True)
    assert orjson.loads(where.read_bytes())["caught"][0]["curve"][0] == {
        "threshold": None, "false_alarms": 0.0, "detected": 0.0,
    }  # fmt: skip
    assert where.with_suffix(".html").exists()


def test_a_calibration_of_another_guard_is_told():
    """A threshold found with other extra calls or another model is used, and the misfit is said."""
    assert Calibrated(0.6, "openai/m", stand_in=True).misfits("openai/m", stand_in=True) == []
    (said,) = Calibrated(0.6, "openai/m", stand_in=False).misfits("openai/m", stand_in=True)
    assert "does not fit. Run: snellen guard calibrate --stand-in" in said
    (said,) = Calibrated(0.6, "organisms", stand_in=False).misfits("openai/m", stand_in=False)
    assert "made on organisms, not on openai/m" in said


def test_no_file_is_written_over_another(tmp_path):
    """A calibration that would be its own page is refused before anything is asked."""
    done = CliRunner().invoke(cli, ["guard", "calibrate", "--organisms", "--to", str(tmp_path / "c.html")])
    assert "Choose a name" in str(done.exception)


def test_an_upstream_that_does_not_look_is_refused(tmp_path):
    """None of its right answers is known to rest on the image."""
    how = ["--upstream", "organism/blind", "--items", "24", "--to", str(tmp_path / "x.json")]
    done = CliRunner().invoke(cli, ["guard", "calibrate", *how])
    assert done.exit_code != 0
    assert "Guessing could do the same" in str(done.exception)


@pytest.mark.parametrize("content", ["", "[]", '{"threshold": "0.5"}', '{"threshold": 2}'])
def test_a_damaged_calibration_is_named(tmp_path, content):
    """What is no threshold between 0 and 1 is refused with the file's name."""
    path = tmp_path / "c.json"
    path.write_text(content)
    with pytest.raises(StoreError, match=r"c\.json"):
        read_calibration(path)
