import json

import numpy as np
import pytest
from sacrebleu.metrics import BLEU as SACREBLEU

from snellen import Study
from snellen.errors import BrokenRowsError, DataError, MetricError
from snellen.reading.reports.metrics import Metric, Pair, bleu, metric_named
from snellen.scoring.report_metrics import ReportRow, read_pairs, reports_of, score_reports
from snellen.stats import mean
from studied import results_of

pytestmark = pytest.mark.usefixtures("no_groups")

TEXTS = ["No effusion.", "There is a left pleural effusion.", "The heart is enlarged.", "Clear lungs bilaterally."]
ROWS = [
    ReportRow(f"{i}-{j}", Pair(one, other), f"patient {i}")
    for i, one in enumerate(TEXTS)
    for j, other in enumerate(TEXTS)
]


def value_is(number, **more):
    def score(pairs):
        return np.array([number(pair) for pair in pairs], dtype=float)

    return Metric(name="test", title="Test", about="A test.", source="Us", score=score, **more)


def test_the_mean_is_that_of_pairs_with_an_interval_over_patients():
    """Several reports of one patient are one cluster."""
    scores = score_reports(ROWS, [metric_named("rouge-l")])
    of = scores.metrics[0]
    values = metric_named("rouge-l").score([row.pair for row in ROWS])
    np.testing.assert_array_equal(of.values, values)
    expected = mean(values, [row.patient for row in ROWS])
    assert (of.mean.value, of.mean.n, of.mean.method) == (expected.value, 16, "cluster-t")
    assert of.mean.low == pytest.approx(max(0, expected.low))
    assert scores.patients == 4


def test_intervals_have_a_width_whatever_the_order():
    """Ten reports that are all right do not show that every report is; shuffled rows give the same."""
    rows = [ReportRow(str(at), Pair("No effusion.", "No effusion."), str(at)) for at in range(10)]
    [score] = score_reports(rows, [metric_named("rouge-l")]).metrics
    assert (score.mean.value, score.mean.high) == (1, 1)
    assert 0.6 < score.mean.low < 0.8
    forward, back = (score_reports(rows, [metric_named("bleu")]).metrics[0] for rows in (ROWS, ROWS[::-1]))
    for name in ("mean", "corpus"):
        one, other = getattr(forward, name), getattr(back, name)
        assert (one.value, one.low, one.high) == pytest.approx((other.value, other.low, other.high))


def test_corpus_bleu_is_sacrebleus_with_an_interval_around_it():
    """It counts the runs of words of all pairs together; whole patients are drawn again for its interval."""
    corpus = score_reports(ROWS, [metric_named("bleu")]).metrics[0].corpus
    generated, references = zip(*(row.pair for row in ROWS), strict=True)
    expected = SACREBLEU(**bleu.SETTINGS).corpus_score(list(generated), [list(references)]).score / 100
    assert corpus.value == pytest.approx(expected)
    assert corpus.low < corpus.value < corpus.high
    assert corpus.method == "cluster-bootstrap-percentile"


def test_what_cannot_be_compared_is_counted_and_never_zero():
    """Empty, foreign and endless reports are set aside, each for its reason, and no metric sees them."""
    rows = [
        ReportRow("ok", Pair("No effusion.", "IMPRESSION: No effusion.")),
        ReportRow("empty", Pair("", "No effusion.")),
        ReportRow("foreign", Pair("Kein Pleuraerguss.", "No effusion.")),
        ReportRow("long", Pair("word " * 20_000, "No effusion.")),
        ReportRow("no reference", Pair("No effusion.", "")),
    ]
    seen = []
    scores = score_reports(rows, [value_is(lambda pair: seen.append(pair) or 1.0), metric_named("rouge-l")])
    assert seen == [rows[0].pair]
    assert list(scores.set_aside.values()) == [1, 1, 1, 1]
    np.testing.assert_array_equal(scores.metrics[1].values, [1.0, *[np.nan] * 4])
    assert scores.metrics[1].mean.n == 1
    assert (scores.metrics[1].empty_as_zero.value, scores.metrics[1].empty_as_zero.n) == (0.5, 2)
    assert scores.patients is None
    assert scores.without_impression == 0


def test_values_that_are_none_or_impossible():
    """NaN is counted and has no mean; a value beyond the metric's bounds is an error."""
    some = score_reports(ROWS, [value_is(lambda pair: 0.5 if "effusion" in pair.generated else np.nan)]).metrics[0]
    assert (some.without_value, some.mean.value, some.mean.n) == (8, 0.5, 8)
    none = score_reports(ROWS, [value_is(lambda pair: np.nan)]).metrics[0]
    assert (none.without_value, none.mean, none.empty_as_zero) == (16, None, None)
    odd = Metric(name="odd", title="Odd", about="?", source="?", score=lambda pairs: np.full(len(pairs), 57.0))
    with pytest.raises(MetricError, match="odd gave 57 for a pair, expected 0 to 1"):
        score_reports([ReportRow("1", Pair("No effusion.", "No effusion."))], [odd])


def test_intervals_end_where_values_end():
    """Of two patients, Student's t would reach beyond 0 and 1; a metric without bounds keeps what it says."""
    rows = [ROWS[0], ROWS[6]]
    values = iter([0.0, 1.0, 0.0, 1.0])
    bounded = score_reports(rows, [value_is(lambda pair: next(values))]).metrics[0].mean
    assert (bounded.low, bounded.high) == (0, 1)
    free = score_reports(rows, [value_is(lambda pair: next(values), bounds=(-np.inf, np.inf))]).metrics[0].mean
    assert free.low < 0 < 1 < free.high


def test_every_metric_that_runs_here_tells_who_sees_from_who_copies_and_who_invents(tmp_path):
    """Organisms on phantoms, with intervals over patients; abnormal findings alone make nothing of a copy."""
    models = ["organism/grounded", "organism/normal-report", "organism/mirage"]
    study = Study(models=models, benchmarks=["phantoms:task=report,items=24"], tests=["reports"], out=tmp_path)
    held = {name: rows for name, rows in reports_of(results_of(study)).items() if name.endswith(", original")}
    assert len(held) == 3
    names = ("findings-f1", "findings-f1-abnormal", "bleu", "rouge-l", "rouge-1", "rouge-2")
    sees, copies, invents = (
        {each.metric.name: each.mean for each in score_reports(rows, list(map(metric_named, names))).metrics}
        for rows in held.values()
    )
    for name in names:
        assert sees[name].low > max(copies[name].value, invents[name].value), name
    assert copies["findings-f1"].value > 0.7
    assert copies["findings-f1-abnormal"].value == 0


def test_pairs_are_scored_in_blocks_unless_they_belong_together():
    """Progress is told block by block; a metric whose values hang together sees all pairs at once."""
    rows = [ReportRow(str(place), Pair("No effusion.", "No effusion.")) for place in range(250)]
    for together, sizes in ((False, [100, 100, 50]), (True, [250])):
        seen, told = [], []

        def score(pairs, seen=seen):
            seen.append(len(pairs))
            return np.ones(len(pairs))

        metric = Metric(name="t", title="T", about="T.", source="Us", score=score, together=together)
        score_reports(rows, [metric], watch=lambda metric, done, of, told=told: told.append((done, of)))
        assert seen == sizes
        assert told == [(done, 250) for done in np.cumsum([0, *sizes]).tolist()]


def test_everything_goes_into_json():
    """All numbers and the value of every pair; null where there is none."""
    rows = [*ROWS, ReportRow("empty", Pair("", "No effusion."), "patient 9")]
    told = json.loads(json.dumps(score_reports(rows, [metric_named("bleu")]).as_json(), allow_nan=False))
    (of,) = told["metrics"]
    assert (told["pairs"], told["patients"], told["set_aside"]) == (17, 5, {"empty report": 1})
    assert of["values"][-1] == {"id": "empty", "value": None, "set_aside": "empty report"}
    assert of["values"][0] == {"id": "0-0", "value": 1.0}
    assert set(of["mean"]) == {"value", "low", "high", "n", "method"}
    assert of["corpus"]["title"] == "corpus BLEU"


def written(tmp_path, *rows):
    path = tmp_path / "pairs.jsonl"
    path.write_text("\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows))
    return path


def test_rows_are_read_with_and_without_patients(tmp_path):
    """`patient` may be a number or missing; an empty report is a report."""
    rows = read_pairs(
        written(
            tmp_path,
            {"id": 1, "reference": "Clear.", "generated": "", "patient": 7},
            {"id": "b", "reference": "Clear.", "generated": "Edema."},
        )
    )
    assert rows == [ReportRow("1", Pair("", "Clear."), "7"), ReportRow("b", Pair("Edema.", "Clear."), "")]


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"id": "a", "generated": "x"}, "it has no 'reference'"),
        ({"id": "a", "reference": "x", "generated": None}, "it has no 'generated'"),
        ({"reference": "x", "generated": "x"}, "it has no 'id'"),
        ({"id": "a", "reference": ["x"], "generated": "x"}, "its reference"),
        ("{", "it is not JSON"),
    ],
)
def test_a_row_that_cannot_be_used_is_named(tmp_path, row, said):
    """The line, the id and what is missing."""
    with pytest.raises(BrokenRowsError, match=f"pairs.jsonl, line 1.*{said}"):
        read_pairs(written(tmp_path, row))


def test_ids_are_unique_and_a_file_has_rows(tmp_path):
    """Two pairs of one id, and a file without any, are refused."""
    row = {"id": "a", "reference": "x", "generated": "x"}
    with pytest.raises(BrokenRowsError, match=r"1 of 2 rows.*\n.*line 2.*earlier row"):
        read_pairs(written(tmp_path, row, row))
    with pytest.raises(DataError, match="holds no rows"):
        read_pairs(written(tmp_path))
