"""Results of a study, with how its images were sent."""

import ast
import csv
import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from errno import ENOSPC

import numpy as np
import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from image_files import RGB, deep_png, png
from interrupting import stopped_at_each_move
from snellen.asking.plan import Plan
from snellen.asking.run import run
from snellen.cli.terminal import show_results
from snellen.errors import BrokenRow, RejectedError, StoreError, StudyError
from snellen.files import write_whole, written_whole
from snellen.images import USUAL_SIDE, Encoder, Image, encode
from snellen.items import Benchmark
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.prompts import PROMPTS, Settings
from snellen.report.figures.standalone import Figures
from snellen.report.page import RenderedReport
from snellen.scoring.resolving import study_record
from snellen.scoring.result_files import COLUMNS, record_results
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress import stress_test
from snellen.study import Study, export, publish, rescore
from strategies import items
from studied import results_of

TESTS = tuple(stress_test(name).design for name in ("image-needed", "option-order"))


def scored(folder, reply, benchmark, **more):
    plan = Plan((benchmark,), (FakeModel(reply),), TESTS, PROMPTS["letter"], Settings(temperature=0), **more)
    with Store.open(folder, write=True) as store:
        store.studies.add(study_record(plan, store, {}))
        run(plan, store)
        return score(store)


def sighted(request):
    """Right when it sees: the number of the picture is the brightness, and the key goes round."""
    if not request.images:
        return "I cannot see an image."
    number = int(request.text.split("picture ")[1].split()[0])
    wanted = f"finding {'abcde'[number % 5]}{number}"
    letter = next(line[0] for line in request.text.splitlines() if line.endswith(wanted))
    return f"It clearly shows the finding of this picture. Answer: {letter}"


def test_a_model_that_looks_comes_out_as_one(tmp_path):
    """All right with the image, steady under reordering, and it declines without the image, which is honest."""
    results = scored(tmp_path, sighted, Benchmark("b", items(150)))
    rows = {(row["test"], row["arm"], row["measure"]): row for row in results.rows()}
    assert rows["image-needed", "original", "accuracy"]["value"] == 1.0
    assert rows["image-needed", "image-removed", "abstention_rate"]["value"] == 1.0
    assert rows["image-needed", "image-removed", "difference"]["value"] == -1.0
    assert rows["option-order", "options-shuffled", "difference"]["value"] == 0.0
    assert rows["option-order", "options-shuffled", "changed_rate"]["value"] == 0.0
    assert [finding.verdict.status for finding in results.findings] == ["reported", "reported"]
    marks = {mark.test.name: (mark.verdict.status, mark.verdict.reason) for mark in results.marks}
    assert marks["steady"] == ("pass", "order-moves-few")
    assert marks["follows"] == ("inconclusive", "swap-not-asked")
    assert marks["honest"] == ("inconclusive", "ask-blank")


def test_every_number_has_interval_n_and_method(tmp_path):
    """No bare number anywhere, and the value lies within its interval."""
    for row in scored(tmp_path, sighted, Benchmark("b", items(12))).rows():
        assert row["n"] > 0
        assert row["method"]
        assert row["low"] <= row["value"] <= row["high"]


def test_the_headlines_of_a_model_are_corrected_together(tmp_path):
    """Holm: the smaller of two p-values is doubled."""
    results = scored(tmp_path, sighted, Benchmark("b", items(40)))
    differences = [row for row in results.rows() if row["measure"] == "difference"]
    smaller, larger = sorted(differences, key=lambda row: row["p"])
    assert smaller["p_adjusted"] == pytest.approx(min(1, 2 * smaller["p"]))
    assert larger["p_adjusted"] == pytest.approx(max(smaller["p_adjusted"], larger["p"]))


def test_results_are_tidy_on_disk(tmp_path):
    """results.csv has the promised columns first, results.json the same numbers with verdicts and accounting."""
    results = scored(tmp_path, sighted, Benchmark("b", items(12)))
    table, record = results.save()
    with table.open() as file:
        rows = list(csv.DictReader(file))
    names, numbers = ["model", "benchmark", "test", "arm", "measure", "parser", "subset"], ["value", "low", "high", "n"]
    assert list(rows[0])[:12] == [*names, *numbers, "method"]
    assert tuple(rows[0]) == COLUMNS
    saved = json.loads(record.read_text())
    assert len(saved["results"]) == len(rows)
    assert {entry["arm"]: entry["replies"] for entry in saved["accounting"]} == {
        "original": 12, "image-removed": 12, "options-shuffled": 12,
    }  # fmt: skip
    assert saved["study"]["seed"] == 0
    assert {entry["status"] for entry in saved["verdicts"]} <= {"inconclusive", "reported"}
    assert saved["rules"] == 2
    keys = {(row["test"], row["arm"], row["measure"]) for row in saved["results"]}
    resting = [entry for entry in saved["verdicts"] if entry["arm"] is not None]
    assert {(entry["test"], entry["arm"], entry["measure"]) for entry in resting} <= keys
    assert {row["kind"] for row in rows if row["measure"] == "difference"} == {"points"}


QUESTIONS = tuple(replace(item, cluster=f"p{i // 2}") for i, item in enumerate(items(15)))


@pytest.fixture(scope="module")
def in_order(tmp_path_factory):
    """The results of the questions in their order."""
    return scored(tmp_path_factory.mktemp("one"), sighted, Benchmark("b", QUESTIONS))


@settings(max_examples=6)
@given(st.permutations(range(15)))
def test_the_order_of_items_changes_no_number(in_order, tmp_path_factory, order):
    """Shuffling the benchmark leaves every estimate as it was."""
    two = scored(tmp_path_factory.mktemp("two"), sighted, Benchmark("b", tuple(QUESTIONS[i] for i in order)))
    for a, b in zip(in_order.rows(), two.rows(), strict=True):
        assert a == {**b, **{name: pytest.approx(b[name]) for name in ("value", "low", "high") if b[name] is not None}}


def test_missing_replies_withhold_the_verdict(tmp_path):
    """Where the hard questions failed, those that came are not the score; the gap is a number and in the verdict."""

    def picky(request):
        if request.images and int(request.text.split("picture ")[1].split()[0]) % 2:
            raise RejectedError("too hard")
        return sighted(request)

    results = scored(tmp_path, picky, Benchmark("b", items(60)))
    rows = {(row["test"], row["arm"], row["measure"]): row for row in results.rows()}
    assert rows["image-needed", "original", "missing_rate"]["value"] == 0.5
    assert rows["image-needed", "original", "accuracy"]["n"] == 30
    for finding in results.findings:
        assert finding.verdict.status == "reported"
        assert "30 of 60 responses of the condition original are missing" in finding.verdict.sentence
    steady = next(mark for mark in results.marks if mark.test.name == "steady")
    assert (steady.verdict.status, steady.verdict.reason) == ("inconclusive", "incomplete")
    assert "with the original image, 50%" in steady.verdict.sentence
    assert record_results(results)["accounting"][0]["failed"] == {"RejectedError: too hard": 30}


def test_replies_cut_off_are_no_sign_of_looking(tmp_path):
    """A model that is only cut off without the image has not said that it cannot see."""

    def wordy(request):
        if not request.images:
            return Response("Let me think about", finish="length")
        return Response(sighted(request), sent=tuple(receipt(image) for image in request.images))

    honest = scored(tmp_path, wordy, Benchmark("b", items(60))).marks[1].verdict
    assert (honest.status, honest.reason) == ("inconclusive", "incomplete")
    assert "Incomplete (without the image, 100%)" in honest.sentence


def test_what_a_later_load_says_of_a_benchmark_counts(tmp_path):
    """Broken rows that were mended are no longer reported, though the items are the same."""
    questions = items(10)
    broken = Benchmark("b", questions, broken=(BrokenRow("line 3", "x", "no answer"),))
    assert scored(tmp_path, sighted, broken).benchmarks["b"].broken == broken.broken
    assert scored(tmp_path, sighted, Benchmark("b", questions)).benchmarks["b"].broken == ()


def test_results_are_written_whole_or_not_at_all(tmp_path):
    """Where the new file cannot be written, the old one stays."""
    path = tmp_path / "results.csv"
    write_whole(path, b"old")
    with pytest.raises(StoreError, match="No space left"), written_whole(path):
        raise OSError(ENOSPC, "No space left on device")
    assert path.read_bytes() == b"old"
    with pytest.raises(StoreError, match=r"cannot be written: Is a directory"):
        write_whole(tmp_path, b"new")
    assert list(tmp_path.iterdir()) == [path]


def test_two_who_write_the_same_file_do_not_mix(tmp_path):
    """Each writes a file of its own; the last to finish is the one that stays, whole."""
    path = tmp_path / "results.csv"
    with written_whole(path) as first:
        first.write(b"first ")
        with written_whole(path) as second:
            second.write(b"second, whole")
        assert path.read_bytes() == b"second, whole"
        first.write(b"and whole")
    assert path.read_bytes() == b"first and whole"
    assert list(tmp_path.iterdir()) == [path]


def test_no_cell_of_a_table_is_a_formula(tmp_path):
    """Names from elsewhere that a spreadsheet would run get an apostrophe; numbers keep their sign."""
    name = "=HYPERLINK(1)"
    questions = tuple(replace(item, category=f"@{at % 2}") for at, item in enumerate(items(10)))
    scored(tmp_path, sighted, Benchmark(name, questions)).save()
    for table in ("results.csv", "breakdown.csv"):
        with (tmp_path / table).open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["benchmark"] for row in rows} == {f"'{name}"}
        assert {float(row["value"]) for row in rows if row["measure"] == "difference"} >= {-1.0}
        starts = {
            row[column][:1] for row in rows for column in ("model", "test", "arm", "method", "group") if column in row
        }
        assert not starts & set("=+-@")


def test_repeats_are_averaged_within_an_item(tmp_path):
    """Three epochs of ten items are ten observations, not thirty."""
    results = scored(tmp_path, sighted, Benchmark("b", items(10)), epochs=3)
    assert {row["n"] for row in results.rows() if row["measure"] == "accuracy"} == {10}
    assert len(results.tables["fake/function", "b"].arms["original"]) == 30


def test_another_parser_changes_the_grades_and_nothing_else(tmp_path):
    """Scoring again with a strict parser asks nothing and says which parser it was."""
    scored(tmp_path, sighted, Benchmark("b", items(10)))
    with Store.open(tmp_path) as store:
        strict = score(store, parsers=["double-brackets"])
    rows = {(row["arm"], row["measure"]): row for row in strict.rows()}
    assert rows["original", "accuracy"]["value"] == 0.0
    assert rows["original", "unparsed_rate"]["value"] == 1.0
    assert (rows["original", "accuracy"]["parser"], rows["original", "missing_rate"]["parser"]) == (
        "double-brackets",
        "",
    )


def test_groups_are_counted_apart_and_not_concluded_from(tmp_path):
    """By category and language: the same numbers over the items of each, without p-values, in a file of their own."""
    named = tuple(
        replace(item, category="chest" if n < 6 else "brain", language="it" if n % 2 else "en")
        for n, item in enumerate(items(10))
    )
    results = scored(tmp_path, lambda request: "Answer: A", Benchmark("b", named))
    results.save()
    whole = {row["measure"]: row for row in results.rows() if (row["test"], row["arm"]) == ("image-needed", "original")}
    rows = list(results.breakdown())
    assert {row["group"] for row in rows} == {"category=chest", "category=brain", "language=it", "language=en"}
    assert {row["p"] for row in rows} == {None}
    accuracy = {
        row["group"]: row
        for row in rows
        if (row["test"], row["arm"], row["measure"]) == ("image-needed", "original", "accuracy")
    }
    right = [item.answer == 0 for item in named]
    assert accuracy["category=chest"]["value"] == pytest.approx(sum(right[:6]) / 6)
    assert accuracy["language=it"]["value"] == pytest.approx(sum(right[1::2]) / 5)
    assert accuracy["category=chest"]["n"] + accuracy["category=brain"]["n"] == whole["accuracy"]["n"]
    with (tmp_path / "breakdown.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == len(rows)
    with (tmp_path / "results.csv").open(newline="") as file:
        assert "group" not in next(csv.reader(file))


@pytest.fixture
def published(tmp_path, monkeypatch):
    """A stored study whose page says by which parser it was read."""
    scored(tmp_path, sighted, Benchmark("b", items(4)))
    page = "snellen.report.page.render_page"
    monkeypatch.setattr(page, lambda results, store: RenderedReport(f"by {results.study['parser']}", Figures(), {}))
    return tmp_path


def test_no_page_of_earlier_results_stands_beside_new_numbers(published, monkeypatch):
    """Wherever the second report is stopped: all files are of one, or the page says that they are not."""
    shown = []
    for _ in stopped_at_each_move(
        monkeypatch,
        lambda: publish(published, parsers=["lenient"]),
        lambda: publish(published, parsers=["double-brackets"]),
    ):
        page = (published / "report.html").read_text()
        told = json.loads((published / "results.json").read_text()).get("study", {}).get("parser")
        table = "lenient" if ",lenient," in (published / "results.csv").read_text() else "double-brackets"
        shown.append("says so" if "was stopped while it wrote" in page else (page, told, table))
    assert set(shown) == {(f"by {name}", name, name) for name in ("lenient", "double-brackets")} | {"says so"}


def test_results_of_a_later_version_are_not_overwritten(published):
    """The refusal comes before anything is graded, and no file is changed."""
    publish(published)
    later = {**json.loads((published / "results.json").read_text()), "schema": 99}
    (published / "results.json").write_text(json.dumps(later))
    before = {each: each.read_bytes() for each in published.iterdir() if each.is_file()}
    results = rescore(published)
    for write in (lambda: publish(published), results.save):
        with pytest.raises(StoreError, match=r"later version of snellen .*Upgrade snellen, or move"):
            write()
    assert {each: each.read_bytes() for each in published.iterdir() if each.is_file()} == before


def test_results_and_exports_are_private(published):
    """They quote responses; a file that the user opened to others stays open."""
    publish(published)
    (published / "report.html").chmod(0o644)
    publish(published)
    ends = {"jsonl": "a.jsonl.gz", "csv": "a.csv", "parquet": "a.parquet"}
    for form, name in (*ends.items(), ("parquet", "tables")):
        export(published, published / name, format=form)
    modes = {each: each.stat().st_mode & 0o777 for each in published.rglob("*")}
    assert modes.pop(published / "report.html") == 0o644
    assert {mode for each, mode in modes.items() if each.is_file()} == {0o600}
    assert {mode for each, mode in modes.items() if each.is_dir()} == {0o700}
    names = {each.name for each in modes}
    assert {"results.csv", "results.json", "figures", "tables", "part-0.parquet", *ends.values()} <= names


def test_one_category_is_no_breakdown(tmp_path):
    """Nothing is counted apart where all items are of one kind, and no file is written."""
    scored(tmp_path, lambda request: "Answer: A", Benchmark("b", items(4))).save()
    assert not (tmp_path / "breakdown.csv").exists()


def test_parsers_stand_side_by_side(tmp_path):
    """The first counts, the others are beside it; their rows say whose they are."""
    benchmark = Benchmark("b", items(6))
    scored(tmp_path, lambda request: "The right one is [[A]], as I said." if request.images else "Answer: A", benchmark)
    with Store.open(tmp_path) as store:
        results = score(store, parsers=["lenient", "double-brackets"])
    assert {finding.parser for finding in results.findings} == {"lenient"}
    assert {finding.parser for finding in results.beside} == {"double-brackets"}
    rows = {(row["arm"], row["parser"]): row["value"] for row in results.rows() if row["measure"] == "unparsed_rate"}
    assert rows["image-removed", "lenient"] == 0
    assert rows["image-removed", "double-brackets"] == 1
    named = [tuple(row[name] for name in ("test", "arm", "measure", "parser")) for row in results.rows()]
    assert len(set(named)) == len(named)
    rules = {entry["arm"]: entry["rules"] for entry in record_results(results)["accounting"]}
    assert rules["image-removed"] == {"lenient": {"answer-phrase": 6}, "double-brackets": {"no-answer": 6}}


def test_repeats_have_the_interval_over_items_and_their_spread(tmp_path):
    """Right in two runs of three for half of the items, always right for the others: counted by hand."""
    benchmark = Benchmark("b", items(6))

    def reply(request):
        item = benchmark.items[int(request.text.split("picture ")[1].split()[0])]
        wrong = request.replicate == 0 and int(request.text.split("picture ")[1].split()[0]) % 2
        letter = "ABCDE"[(item.answer + bool(wrong)) % len(item.options)]
        return f"Answer: {letter}"

    results = scored(tmp_path, reply, benchmark, epochs=3)
    rows = {row["measure"]: row for row in results.rows() if (row["test"], row["arm"]) == ("image-needed", "original")}
    assert rows["accuracy"]["value"] == pytest.approx((3 * 1 + 3 * 2 / 3) / 6)
    assert rows["accuracy"]["method"] == "student-t-over-items"
    assert rows["between_run_variance"]["value"] == pytest.approx(((0.5 - 5 / 6) ** 2 + 2 * (1 - 5 / 6) ** 2) / 2)
    assert rows["within_item_variance"]["value"] == pytest.approx((2 / 9 * 3 / 2) / 2)
    assert rows["unanimous_rate"]["value"] == 0.5


def test_the_number_shown_is_of_the_arm_that_the_verdict_is_about(tmp_path):
    """Right at low and medium effort, wrong at high: the line says by how much, and not that nothing changed."""
    benchmark = Benchmark("b", items(30))

    def reply(request):
        item = benchmark.items[int(request.text.split("picture ")[1].split()[0])]
        wrong = request.settings.reasoning_effort == "high"
        return f"Answer: {'ABCDE'[(item.answer + wrong) % len(item.options)]}"

    effort = stress_test("reasoning-effort").design
    plan = Plan((benchmark,), (FakeModel(reply),), (effort,), PROMPTS["letter"], Settings(temperature=0))
    with Store.open(tmp_path, write=True) as store:
        store.studies.add(study_record(plan, store, {}))
        run(plan, store)
        [finding] = score(store).findings
    assert finding.verdict.status == "fail"
    assert finding.line()[2].startswith("100% → 0% at high effort (−100 points, ")


NUMERIC = {"value", "low", "high", "n", "p", "p_adjusted", "detectable"}


def leaves(value, path=()):
    """Every plain value of a record, with the names on the way to it."""
    if isinstance(value, dict | list):
        for name, each in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(each, (*path, name) if isinstance(value, dict) else path)
    else:
        yield path, value


def test_every_value_of_the_files_has_the_type_that_it_means(tmp_path):
    """No number, truth value, list or object stands in results.json or results.csv as the text that Python prints."""
    models = ["organism/grounded", "organism/blind"]
    study = Study(models=models, benchmarks=["phantoms:items=12"], tests=["standard"], out=tmp_path, until_settled=True)
    results = results_of(study, canary=True)
    table, record = results.save()
    said = orjson.dumps(record_results(results))  # raises TypeError for a value that is not one of JSON's
    saved = json.loads(record.read_text())
    assert json.loads(said) == saved
    assert {each["better"] for each in saved["delivery"]} <= {True, False}
    texts = [(path, text) for path, text in leaves(saved) if isinstance(text, str)]
    printed = {path for path, text in texts if is_printed_value(text)}
    assert printed <= {("study", "models")}  # the revision of an organism is the text "1"
    with table.open() as file:
        for row in csv.DictReader(file):
            assert all(row[name] == "" or isinstance(float(row[name]), float) for name in NUMERIC)
            assert not {"True", "False", "None"} & set(row.values())


def is_printed_value(text):
    """Whether a text is what Python prints for a number, a truth value or a collection."""
    try:
        return not isinstance(ast.literal_eval(text), str)
    except (ValueError, SyntaxError):
        return "(<" in text or text.startswith(("array(", "mappingproxy("))


def test_counts_whose_sum_passes_64_bits_leave_a_study_reportable(tmp_path):
    """Earlier versions stored what servers claimed; such counts are unknown, and the study is scored and written."""
    benchmark = Benchmark("b", items(6))
    scored(tmp_path, sighted, benchmark)
    with closing(sqlite3.connect(tmp_path / "responses.sqlite")) as store, store:
        for (trigger,) in store.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            store.execute(f"DROP TRIGGER {trigger}")
        store.execute("UPDATE responses SET input_tokens = ?, output_tokens = -3", (2**63 - 1,))
        store.execute("UPDATE responses SET reasoning_tokens = ?", (2**62,))
    (spent,) = json.loads(rescore(tmp_path).save()[1].read_text())["spent"]
    assert (spent["input_tokens"], spent["output_tokens"]) == (0, 0)
    assert spent["not_counted"] == spent["responses"] > 0


def test_an_extended_study_counts_its_looks(tmp_path):
    """Verdicts that were published with fewer questions are remembered, and the error rate says so."""
    first = scored(tmp_path, sighted, Benchmark("b", items(40)), limit=20)
    first.save()
    again = scored(tmp_path, sighted, Benchmark("b", items(40)), limit=20)
    assert list(again.looks.values()) == [(20,)]
    extended = scored(tmp_path, sighted, Benchmark("b", items(40)))
    extended.save()
    assert list(extended.looks.values()) == [(20, 40)]
    said = json.loads((extended.folder / "results.json").read_text())
    assert said["looks"][0]["questions"] == [20, 40]
    assert "1 in 13" in said["error_rate"]


DEEP = "values 0 to 4,095 of 16 bits shown as 0 to 255: the brightest value fits 12 bits"
SCALED = "scaled down to 64 pixels on the longer side, each the mean of those it covers"


@pytest.fixture
def benchmark(tmp_path):
    """Four questions: one on a plain file, one on a deep one, one on a large one, one on a black one."""
    files = {
        "plain": png(RGB),
        "deep": deep_png((np.arange(120, dtype=np.uint16) * 34).reshape(12, 10)),
        "large": encode(np.tile(np.arange(0, 256, 2, dtype=np.uint8), (40, 1))).data,
        "black": encode(np.zeros((8, 8), np.uint8)).data,
    }
    for name, data in files.items():
        (tmp_path / f"{name}.png").write_bytes(data)
    named = zip(items(4), files, strict=True)
    return Benchmark(
        "b", tuple(replace(item, id=name, images=(Image(tmp_path / f"{name}.png"),)) for item, name in named)
    )


def study(tmp_path, benchmark, **settings):
    """The exam with a side that makes one of the four pictures large."""
    asked = {"models": [FakeModel(lambda request: "Answer: A")], "tests": ["image-needed", "blank-image"], "seed": 1}
    return Study(**{**asked, "benchmarks": [benchmark], "out": tmp_path / "out", "image_side": 64, **settings})


def test_rules_and_sizes_stand_in_the_row(tmp_path, benchmark, capsys):
    """In exported rows, in results.json, in the terminal and in the report; what is plain says nothing."""
    progress = study(tmp_path, benchmark).ask(lambda progress: None)
    results = study(tmp_path, benchmark).score()
    rows = {row["item_id"]: row for row in results.responses() if row["arm"] == "original"}
    told = {name: (row["image_original"], row["image_sent"], row["image_rule"]) for name, row in rows.items()}
    assert told == {
        "plain": ("10x12", "10x12", None),
        "deep": ("10x12", "10x12", DEEP),
        "large": ("128x40", "64x20", SCALED),
        "black": ("8x8", "8x8", None),
    }
    assert {row["image_sent"] for row in results.responses() if row["arm"] == "image-removed"} == {None}
    assert progress.pictures.shades == {"nearly black": ("black",)}
    assert progress.pictures == results.pictures["b"]
    assert record_results(results)["pictures"]["b"] == {
        "pictures": progress.pictures.number,
        "rules": {DEEP: 2, SCALED: 2},  # of the original and of what its blank was made from
        "nearly_black": ["black"],
        "nearly_white": [],
    }
    show_results(results)
    shown, page = capsys.readouterr().out, (results.folder / "report.html").read_text()
    assert page.count("Images as sent") == 1
    for text in (shown, page):
        assert DEEP in text
        assert SCALED in text
        assert "The image of 1 item was sent nearly black" in text


def test_a_scaled_image_can_be_sent_again_as_it_was(tmp_path, benchmark):
    """A judge sees the very bytes that the model saw, though only the path of the original is stored."""
    study(tmp_path, benchmark).ask(lambda progress: None)
    sent = Encoder(side=64)(benchmark.items[2].images[0])
    with Store.open(tmp_path / "out") as store:
        assert store.images.load_encoded(sent.sha256).data == sent.data
        assert store.connections.main.execute("SELECT count(*) FROM images WHERE path IS NOT NULL").fetchone() == (4,)
    assert receipt(sent)[3:] == (SCALED, (128, 40))


def test_another_side_is_another_study_and_the_usual_one_is_none(tmp_path, benchmark):
    """Conditions asked with other images are kept apart; what was stored before there was a side stays the same."""
    plans = [study(tmp_path, benchmark, image_side=side).plan() for side in (None, USUAL_SIDE, 64, 0)]
    records = [plan.arms_of(benchmark)[0].record(1) for plan in plans]
    assert [record.get("image_side", "unsaid") for record in records] == ["unsaid", "unsaid", 64, None]
    assert [plan.image_side for plan in plans] == [2048, 2048, 64, None]
    few = FakeModel(lambda request: "Answer: A")
    few.largest_side = 1568
    assert study(tmp_path, benchmark, models=[few], image_side=None).plan().image_side == 1568
    with pytest.raises(StudyError, match="at least 32 pixels, or 0"):
        study(tmp_path, benchmark, image_side=31)


def test_a_study_begun_by_another_rule_is_not_mixed(tmp_path, benchmark):
    """An item that was sent deep or large before this rule stops the run; bytes of another codec alone do not."""
    study(tmp_path, benchmark, epochs=1).ask(lambda progress: None)

    def altered(change):
        with Store.open(tmp_path / "out", write=True) as store:
            store.connections.main.execute(change)

    altered("UPDATE images SET sha256 = 'other codec' || sha256")
    altered("UPDATE variants SET images = replace(images, '[\"', '[\"other codec')")
    study(tmp_path, benchmark, epochs=2).ask(lambda progress: None)
    altered("UPDATE images SET rule = NULL")
    with pytest.raises(StoreError, match="'deep' under original would differ from the one sent"):
        study(tmp_path, benchmark, epochs=3).ask(lambda progress: None)
