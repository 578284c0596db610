"""The eye chart: planted sight is measured, planted flaws are named, and whoever reads nothing gets no number."""

import asyncio
import json
import re
from dataclasses import replace

import cv2
import numpy as np
import pytest

from snellen.cli import cli
from snellen.errors import RejectedError, StudyError, UnusableModelError
from snellen.images import decode, encode
from snellen.models import open_model
from snellen.models.base import Model, Response, Usage, receipt
from snellen.prompts import Request
from snellen.tools.chart.charts import ACUITY, CORNERS, chart_of, list_unread, nine_chart, row_chart, rows_of
from snellen.tools.chart.exam import MOST_REQUESTS, Exam, exhaustive_series, mark_letters
from snellen.tools.chart.files import LOG, ChartLog, Examined
from snellen.tools.chart.measured import measure
from snellen.tools.chart.result import Trial


class Patient(Model):
    """An organism whose images are changed on the way to its eyes."""

    def __init__(self, organism="grounded", seen=lambda pixels: pixels, fails=lambda number: False):
        self.name = "patient/one"
        self._organism, self._seen, self._fails = open_model(f"organism/{organism}"), seen, fails
        self.asked = []

    async def answer(self, request):
        self.asked.append(request.images[0].sha256)
        if self._fails(len(self.asked)):
            raise RejectedError("patient/one: the request was rejected.")
        sent = request.images[0]
        image = encode(self._seen(decode(sent.data, name="chart")))
        reply = await self._organism.answer(Request(self._organism.name, request.text, images=(image,)))
        return Response(reply.text, usage=Usage(100, 5), sent=(receipt(sent),))


def smaller(pixels, side):
    return cv2.resize(pixels, (side, side), interpolation=cv2.INTER_AREA)


def eighth(pixels):
    return smaller(pixels, len(pixels) // 8)


@pytest.fixture(scope="module")
def sharp(tmp_path_factory):
    return Exam("organism/grounded", tmp_path_factory.mktemp("sharp") / "chart", seed=1).run()


def test_a_sharp_reader(sharp):
    """It reads 8 px and not 7, in all series, declines below, and sees in every part; in at most 60 requests."""
    assert 7 < sharp.acuity.size.low <= sharp.acuity.size.value <= sharp.acuity.size.high < 8
    assert sharp.acuity.logmar.value == pytest.approx(np.log10(sharp.acuity.size.value / 5))
    assert [each.series.name for each in sharp.others if not 0.8 < each.change.value < 1.26] == []
    assert (sharp.invention.invented.value, sharp.invention.from_size) == (0, None)
    assert [corner.name for corner in sharp.corners if corner.blind] == []
    assert sharp.shrinking.shrunk is False
    assert sharp.asked <= MOST_REQUESTS
    assert "reads letters down to 7." in sharp.sentence


def test_a_patient_with_a_known_acuity(sharp, tmp_path):
    """Images brought to an eighth: the letters must be eight times as large, within a line."""
    size = Exam(Patient(seen=eighth), tmp_path / "chart", seed=8).run().acuity.size
    assert abs(np.log10(size.value / (8 * sharp.acuity.size.value))) < 0.1


def test_a_server_that_shrinks_and_a_blind_corner_are_named(tmp_path):
    """Every image is brought to 448 px and its lower left part is white; the reader invents what it cannot read.

    It refuses three charts in a row, which ends nothing.
    """

    class Moody(Patient):
        async def answer(self, request):
            response = await super().answer(request)
            refuses = 1 < len(self.asked) <= 4
            return replace(response, text="I'm sorry, I can't help with that.") if refuses else response

    def seen(pixels):
        small = smaller(pixels, 448).copy()
        if small.mean() > 240:
            small[300:, :150] = 255
        return small

    result = Exam(Moody("mirage", seen), tmp_path / "chart", seed=3).run()
    assert [corner.name for corner in result.corners if corner.blind] == ["the bottom left"]
    assert result.shrinking.shrunk is True
    assert result.shrinking.ratio.value == pytest.approx(3, rel=0.25)
    assert result.shrinking.seen_side.value == pytest.approx(448, rel=0.25)
    assert result.invention.invented.value > 0.8
    assert result.invention.from_size == 7
    told = " ".join(result.sentences)
    assert "Large images seem to be shrunk as if every image were scaled to one size" in told
    assert "and fewer if small images are shrunk as well" in told
    assert "px in the bottom left (0 of 5) of the image (p " in told
    assert "Refused: 3 of 60 requests." in told


def test_letters_of_one_response_count_together():
    """As many letters of each size: read by whole rows, they tell less than read one by one, and the method says so."""

    def threshold(middle):
        trials = []
        rows = {6: (0, 0), 8: (0, 0), 10: middle, 12: middle, 14: middle, 18: (5, 5), 24: (5, 5)}
        for number, (size, right) in enumerate((size, right) for size, both in rows.items() for right in both):
            chart = row_chart(ACUITY, size, 1, number)
            marks = ["right"] * right + ["wrong"] * (5 - right)
            letters = (each._replace(mark=mark) for each, mark in zip(list_unread(chart), marks, strict=True))
            trials.append(Trial(number, ACUITY, tuple(letters), rows_of(chart), 0, "answered", ""))
        return measure(Examined("patient/one", "", 1, False, {}, ""), trials).acuity.size

    together, single = threshold((5, 0)), threshold((2, 3))
    assert together.n == single.n == 70
    assert together.high / together.low > 1.2 * single.high / single.low
    assert "rows of letters correlated by" in together.method


def test_a_centre_crop_is_blind_all_around():
    """Where most parts are blind, none is worse than the others; rows in the middle tell."""
    trials = []
    for number, (series, draw) in enumerate([(ACUITY, row_chart)] * 3 + [(CORNERS, nine_chart)] * 5):
        chart = draw(series, 20, 1, number)
        trial = Trial(number, series, list_unread(chart), rows_of(chart), 0, "failed", "")
        reply = "".join(trial.rows) if series is ACUITY else trial.rows[1][1]
        trials.append(mark_letters(trial, Response(reply)))
    result = measure(Examined("patient/one", "", 1, False, {}, ""), trials)
    assert [corner.blind for corner in result.corners] == [True] * 4 + [False] + [True] * 4


@pytest.mark.parametrize(
    ("reply", "finish", "outcome", "marks"),
    [
        ("C D H", "length", "cut off", None),
        ("C D H K N", "length", "answered", {"right"}),
        ("The image appears to be blank.", "stop", "answered", {"declined"}),
        ("There is no image.", "stop", "no image", None),
    ],
)
def test_a_letter_is_not_read_only_if_it_could_have_been_named(reply, finish, outcome, marks):
    """What was cut off says nothing of the rest; letters too small to be seen leave an image that looks blank."""
    chart = row_chart(ACUITY, 20, 1, 0)
    letters = tuple(each._replace(letter=letter) for each, letter in zip(list_unread(chart), "CDHKN", strict=True))
    trial = mark_letters(Trial(1, ACUITY, letters, ("CDHKN",), 0, "failed", ""), Response(reply, finish=finish))
    assert trial.outcome == outcome
    assert marks is None or {letter.mark for letter in trial.letters} == marks


@pytest.mark.parametrize("organism", ["blind", "random", "refuser"])
def test_who_reads_nothing_gets_no_number(organism, tmp_path):
    """Guesses, whatever their number, and refusals are no sight; it is found out after a few requests."""
    result = Exam(f"organism/{organism}", tmp_path / "chart", seed=5).run()
    assert (result.acuity is None or result.acuity.size is None, result.others, result.shrinking) == (True, (), None)
    assert result.asked <= 20
    assert result.sentence.startswith(f"No size can be given for organism/{organism}: ")
    assert ("Refused: 3 of 3 requests." in result.sentences) == (organism == "refuser")
    assert Exam(f"organism/{organism}", tmp_path / "chart").run() == result  # and nothing more is asked


def test_many_letters_for_a_few_are_no_reading(tmp_path):
    """Who writes the whole alphabet at every chart has named each letter, and read none."""

    class Alphabet(Patient):
        async def answer(self, request):
            return Response("CDHKNORSVZ" * 3, sent=(receipt(request.images[0]),))

    assert Exam(Alphabet(), tmp_path / "chart", seed=5).run().acuity.size is None


def test_no_image_is_sent_where_none_is_taken(tmp_path):
    """A text-only model is told of, not asked."""
    patient = Patient()
    patient.text_only = True
    result = Exam(patient, tmp_path / "chart").run()
    assert (patient.asked, result.asked) == ([], 0)
    assert "patient/one takes no images" in result.sentence


def test_a_model_that_cannot_be_used_is_asked_once(tmp_path):
    """A wrong key ends the exam with its reason."""

    class Locked(Patient):
        async def answer(self, request):
            self.asked.append(request)
            raise UnusableModelError("patient/one: the key was refused.")

    patient = Locked()
    result = Exam(patient, tmp_path / "chart").run()
    assert len(patient.asked) == 1
    assert "the key was refused" in result.sentence


def test_an_exam_goes_on_where_it_was(tmp_path):
    """Failures end it with what is known; the next run asks the rest, with fresh charts, and none twice."""
    before = Patient(seen=eighth, fails=lambda number: number > 20)
    broken = Exam(before, tmp_path / "chart", seed=1, max_connections=1).run()
    assert sum(trial.outcome == "failed" for trial in broken.trials) == 5
    log = tmp_path / "chart" / LOG
    log.write_bytes(log.read_bytes() + b'{"number": 99, "ser')  # as a crash leaves it
    after = Patient(seen=eighth)
    whole = Exam(after, tmp_path / "chart").run()
    answered = [trial for trial in whole.trials if trial.outcome == "answered"]
    assert len(after.asked) + 20 == len(answered) <= MOST_REQUESTS
    everything = before.asked + after.asked
    assert len(set(everything)) == len(everything)
    assert 56 < whole.acuity.size.value < 64
    assert (whole.input_tokens, whole.output_tokens) == (100 * len(answered), 5 * len(answered))
    assert Exam(asked := Patient(), tmp_path / "chart").run() == whole
    assert asked.asked == []
    with pytest.raises(StudyError, match="contains an eye chart of patient/one"):
        Exam("organism/grounded", tmp_path / "chart").run()


def test_a_log_behind_a_link_is_left_alone(tmp_path):
    """A folder from elsewhere may hold a link to an exam of the user's; no line is added or cut off there."""
    mine, theirs = tmp_path / "mine", tmp_path / "theirs"
    ChartLog(mine).begin(Examined("a/m", "", 0, False, {}, "2026-11-17"))
    with (mine / "chart.jsonl").open("ab") as file:
        file.write(b"half a line")
    before = (mine / "chart.jsonl").read_bytes()
    theirs.mkdir()
    (theirs / "chart.jsonl").symlink_to(mine / "chart.jsonl")
    with pytest.raises(StudyError, match="is a link or not a plain file"):
        ChartLog(theirs).mend()
    assert (mine / "chart.jsonl").read_bytes() == before
    assert {each.stat().st_mode & 0o777 for each in (mine, mine / "chart.jsonl")} == {0o700, 0o600}


def test_a_folder_of_other_files_is_left_alone(tmp_path):
    """Nothing is written beside what is not ours."""
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(StudyError, match="not from an eye chart"):
        Exam("organism/grounded", tmp_path).run()


def test_charts_are_fresh_and_can_be_drawn_again(sharp):
    """A seed and a number decide a chart; another number is another chart; a trial draws what was asked."""
    assert row_chart(ACUITY, 20, 1, 0) == row_chart(ACUITY, 20, 1, 0) != row_chart(ACUITY, 20, 1, 1)
    assert len({chart_of(trial) for trial in sharp.trials}) == sharp.asked
    for seed in range(50):
        assert nine_chart(CORNERS, 99, seed, 0).draw().shape == (448, 448)
        assert row_chart(ACUITY, 144, seed, 0).draw().shape == (448, 448)


def test_exhaustive_series_cross_everything(tmp_path):
    """Contrast, polarity and ground in all combinations, and the large image; the first is that of every exam."""
    series = exhaustive_series()
    assert len({(each.contrast, each.light_on_dark, each.ground, each.side) for each in series}) == 17
    assert series[0] == ACUITY
    assert len({each.name for each in series}) == 17


def test_the_command_writes_page_tables_and_says_it(tmp_path, capsys):
    """The page, the record without odd numbers, a row for each letter, and the first sentence in the terminal."""
    folder = tmp_path / "chart"
    cli.main(["chart", "--model", "organism/nearsighted-8", "--out", str(folder), "--seed", "2"], standalone_mode=False)
    said = " ".join(capsys.readouterr().out.split())
    assert re.search(r"organism/nearsighted-8 reads letters down to (5[6-9]|6[0-3])\.\d px \(95% CI ", said)
    told = json.loads((folder / "chart.json").read_text())
    assert (told["model"], told["seed"], "trials" in told) == ("organism/nearsighted-8", 2, False)
    rows = (folder / "trials.csv").read_text().splitlines()
    assert len(rows) - 1 == sum(
        len(json.loads(line)["letters"]) for line in (folder / LOG).read_text().splitlines()[1:]
    )
    assert "organism/nearsighted-8" in (folder / "chart.html").read_text()


def test_an_exam_runs_where_a_loop_runs(tmp_path):
    """As in a notebook."""

    async def cell():
        return Exam("organism/refuser", tmp_path / "chart").run()

    assert asyncio.run(cell()).asked == 3
