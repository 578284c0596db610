"""Open answers from question to number: asked in words, graded by words or by judges, and never a judge unqualified."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from snellen.asking.requests import NumberedModel
from snellen.cli import cli
from snellen.errors import RejectedError, StudyError
from snellen.images import Image
from snellen.items import Benchmark, Item, Option
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.source import JudgeSource
from snellen.models.fake import FakeModel
from snellen.reading.open.judged import GRADES, UNCLEAR, JudgedAnswers
from snellen.reading.outcomes import OpenGrade
from snellen.scoring.responses import responses
from snellen.store import Store
from snellen.store.labels import Label
from snellen.study import Study, compare, export, judge, rescore

ANSWERS = ("pleural effusion", "pneumothorax", "cardiomegaly", "fracture")


def picture(number):
    return Image(np.full((16, 16), 20 + 11 * number, dtype=np.uint8))


def mixed(open_items=12, choices=4):
    """Open questions with images and questions with options without, every reference a word of its own."""
    in_words = (
        Item(
            f"o{n}",
            f"Finding number {n}?",
            answer=ANSWERS[n % 4],
            kind="open",
            images=(picture(n),),
            metadata={"report": f"The report says {ANSWERS[n % 4]}.", "task": "diagnosis"},
        )
        for n in range(open_items)
    )
    listed = (Item(f"c{n}", f"Which, {n}?", (Option("this"), Option("that")), n % 2) for n in range(choices))
    return Benchmark("mixed", (*in_words, *listed))


def knowing(benchmark, asked=None):
    """A model that knows every open answer if it has the image or the report, and the first option of the others."""
    by_question = {item.question: item for item in benchmark}

    def answer(request):
        if asked is not None:
            asked.append(request)
        item = next(each for question, each in by_question.items() if question in request.text)
        if item.options:
            return "Answer: A"
        seen = request.images or "The report says" in request.text
        return f"Answer: {item.answer}" if seen else "I cannot see an image."

    return answer


def grading(grades, name="lab/judge", heard=None):
    """A judge that gives these grades in turn, one for each opinion."""

    def answer(request):
        if heard is not None:
            heard.append(request)
        return grades[request.replicate % len(grades)]

    return FakeModel(answer, name=name)


def rows_of(results, **wanted):
    return [row for row in results.rows() if all(row[name] == value for name, value in wanted.items())]


def number(results, measure, parser, arm="original", **more):
    (row,) = rows_of(results, measure=measure, parser=parser, arm=arm, **more)
    return row


@pytest.fixture
def asked(tmp_path):
    """A study of one model, with what it was asked."""
    requests, benchmark = [], mixed()
    model = FakeModel(knowing(benchmark, requests), name="maker/gpt-model", revision="")
    study = Study(models=[model], benchmarks=[benchmark], tests=["open-answers", "image-needed"], out=tmp_path / "out")
    study.ask(lambda progress: None)
    return study, requests


def test_open_questions_stand_beside_those_with_options(asked):
    """Each part has its tests and its own numbers; without the image a refusal is no wrong answer."""
    study, requests = asked
    results = rescore(study.out)
    assert {table.benchmark: (table.kind, table.parser) for table in results.tables.values()} == {
        "mixed": ("choice", "lenient"),
        "mixed/open": ("open", "match"),
    }
    assert number(results, "accuracy", "match", test="open-answers")["value"] == 1
    assert number(results, "abstention_rate", "match", "image-removed", test="open-answers")["value"] == 1
    assert not any(answer in request.text for request in requests if "Finding" in request.text for answer in ANSWERS)


def test_the_three_ways_to_count_unclear():
    """Held against a plain loop over the opinions, for every mix of three."""
    runs = list(np.ndindex(3, 3, 3))
    said = {(at, 0): {"j": [GRADES[place] for place in run]} for at, run in enumerate(runs)}
    judged = JudgedAnswers.from_opinions(["j"], said, [(at, 0) for at in range(len(runs))])
    for way, worth in UNCLEAR.items():
        for at, run in enumerate(runs):
            values = [{0: 1.0, 1: 0.0, 2: worth}[place] for place in run]
            kept = [value for value in values if value == value]
            wanted = sum(kept) / len(kept) if kept else np.nan
            assert judged.score(way)[at] == pytest.approx(wanted, nan_ok=True)


def test_a_judge_grades_and_the_models_are_asked_nothing(asked):
    """Three opinions each; another judge later grades the same responses, and no model hears of it."""
    study, requests = asked
    before, heard = len(requests), []
    judge(study.out, grading(['{"grade": "correct"}', '{"grade": "unclear"}', '{"grade": "incorrect"}'], heard=heard))
    # three opinions of each open answer under two conditions; the four questions with options once each
    open_answers = [request for request in heard if "REFERENCE" in request.text]
    assert Counter(request.replicate for request in open_answers) == {0: 24, 1: 24, 2: 24}
    results = rescore(study.out, unqualified=True)
    shares = {way: number(results, f"accuracy_unclear_{way}", "judge:lab/judge")["value"] for way in UNCLEAR}
    assert shares == pytest.approx({"half": 0.5, "wrong": 1 / 3, "left_out": 0.5})
    assert number(results, "judge_unanimous_rate", "judge:lab/judge")["value"] == 0
    judge(study.out, grading(['{"grade": "correct"}'], name="other/judge"), opinions=1)
    again = rescore(study.out, unqualified=True)
    assert number(again, "accuracy", "judge:other/judge", test="open-answers")["value"] == 1
    assert number(again, "accuracy", "match", test="open-answers")["value"] == 1
    assert len(requests) == before
    with Store.open(study.out) as store:
        digest = OPEN_ANSWER.digest(store.studies.record(), "mixed/open", "original", "maker/gpt-model")
        _, record = store.studies.arm(digest)
    assert "Answer with one JSON object" in record["words"]


def test_the_responses_of_a_model_of_the_same_name_are_judged_anew(tmp_path):
    """Two servers under one name in one folder: what was said of the first one's responses is not said of the other's.

    Back at the first, everything is known.
    """
    benchmark, heard = mixed(choices=0), []

    def graded(revision, says):
        model = FakeModel(lambda request: says, name="maker/model")
        model.revision = revision
        Study(models=[model], benchmarks=[benchmark], tests=["open-answers"], out=tmp_path / "out").ask(
            lambda seen: None
        )
        told = FakeModel(
            lambda request: (
                heard.append(request) or f'{{"grade": "{"correct" if "mass" in request.text else "incorrect"}"}}'
            ),
            name="lab/judge",
        )
        judge(tmp_path / "out", told, opinions=1)
        return number(rescore(tmp_path / "out", unqualified=True), "accuracy", "judge:lab/judge")["value"]

    assert graded("http://one", "A mass.") == 1
    assert graded("http://two", "A shadow.") == 0
    asked = len(heard)
    assert graded("http://one", "A mass.") == 1
    assert len(heard) == asked


def test_open_answers_are_judged_in_all_runs_and_rationales_in_one(tmp_path):
    """Whichever benchmark comes first: the open part of one does not change how the next is judged."""
    first = mixed(open_items=2, choices=2)
    second = Benchmark("second", tuple(replace(item, id=f"s{n}") for n, item in enumerate(mixed(0, 2))))
    model = FakeModel(knowing(first), name="maker/model")
    tests = ["open-answers", "comparison"]
    study = Study(models=[model], benchmarks=[first, second], tests=tests, epochs=2, out=tmp_path / "out")
    study.ask(lambda progress: None)
    with Store.open(study.out, write=True) as store:
        address = NumberedModel(store.studies.add_model("lab/judge", ""), "lab/judge", "")
        wanted = JudgeSource(store, store.studies.record(), opinions=1).count([address])
    # two open items, three conditions, two runs; two items of each benchmark with options, one run
    assert wanted == [2 * 3 * 2 + 2 + 2]


def test_a_panel_without_the_models_own_provider(asked):
    """Each judge counts the same; the view without the model's own family leaves its judge out."""
    study, _ = asked
    judge(
        study.out,
        [
            grading(['{"grade": "correct"}'], name="azure/gpt-judge"),
            grading(['{"grade": "incorrect"}'], name="anthropic/claude-judge"),
        ],
        opinions=1,
    )
    results = rescore(study.out, unqualified=True)
    assert results.tables["maker/gpt-model", "mixed/open"].parser == "judges"
    found = {
        row["parser"]: row["value"] for row in rows_of(results, measure="accuracy", arm="original", test="open-answers")
    }
    assert found == {
        "judges": 0.5,
        "judges-of-other-providers": 0,
        "judge:azure/gpt-judge": 1,
        "judge:anthropic/claude-judge": 0,
        "match": 1,
    }
    assert number(results, "judge_agreement", "judges")["value"] <= 0


@pytest.mark.parametrize("file", ["rows.csv", "rows.parquet", "rows"])
def test_every_published_accuracy_follows_from_the_exported_rows(asked, tmp_path, file):
    """After judges that are not qualified and do not agree, too: the mean of `right` is what the report prints."""
    study, _ = asked
    judges = [
        grading([f'{{"grade": "{each}"}}' for each in ("correct", "incorrect", "correct")], name="azure/gpt-judge"),
        grading(['{"grade": "incorrect"}'], name="anthropic/claude-judge"),
    ]
    judge(study.out, judges, opinions=3)
    published = rows_of(rescore(study.out, unqualified=True), measure="accuracy", subset="")
    assert {row["parser"] for row in published} > {"judges", "judge:azure/gpt-judge", "match"}
    kind = "csv" if file.endswith("csv") else "parquet"
    export(study.out, tmp_path / file, format=kind, unqualified=True)
    frame = pd.read_csv(tmp_path / file) if kind == "csv" else pd.read_parquet(tmp_path / file)
    frame = frame[frame.state == "answered"].astype({"model": str, "arm": str})
    keys = ["model", "benchmark", "arm", "parser"]
    means = frame.groupby([*keys, "item_id"]).right.mean().groupby(keys).mean()
    for row in published:
        assert means[tuple(row[key] for key in keys)] == pytest.approx(row["value"])
    assert set(frame[frame.parser == "judges"].opinions.notna()) == {True}
    with pytest.raises(StudyError, match="not graded"):
        export(study.out, tmp_path / "rows.jsonl", unqualified=True)


def test_an_export_names_the_opinions_that_it_leaves_out(asked, tmp_path):
    """A judge that is not qualified is left out with a sentence that says how to let it in; let in, it is not named."""
    study, _ = asked
    judge(study.out, grading(['{"grade": "incorrect"}'], name="lab/held"), opinions=1)
    typed = ["export", str(study.out), "--to", "csv", "--file", str(tmp_path / "rows.csv")]
    left_out, let_in = (CliRunner().invoke(cli, [*typed, *more]) for more in ([], ["--unqualified-judges"]))
    assert "The opinions of lab/held (open answer) are held back" in left_out.output
    assert "--unqualified-judges" in left_out.output
    assert "held back" not in let_in.output
    assert "judge:lab/held" in (tmp_path / "rows.csv").read_text()


def test_bad_answers_of_a_judge_are_counted_and_are_no_grades(asked):
    """Prose, a typo, twice, nothing, and a call that fails: what can be read is, what cannot is counted."""
    study, _ = asked
    said = [
        "I would say that it is mostly fine.",
        "{'grade': 'Correct',}",
        '{"grade": "correct"}\n{"grade": "correct"}',
        "",
    ]

    def fails(request):
        if "number 3?" in request.text:
            raise RejectedError("not this one")
        return said[request.replicate]

    judge(study.out, FakeModel(fails, name="lab/poor"), opinions=4)
    results = rescore(study.out, unqualified=True)
    table = results.tables["maker/gpt-model", "mixed/open"]
    judged = table.arms["original"].of(JudgedAnswers)
    assert judged.counts.sum(axis=0).tolist() == [[22, 0, 0]]
    assert judged.unread.sum() == 22
    assert 3 not in table.arms["original"].ordinal
    assert (table.arms["original"].missing, table.arms["original"].ungraded.tolist()) == (0, [3])
    (found,) = [finding for finding in results.findings if finding.test.name == "open-answers"]
    assert "no qualified judge has graded 1 of 12 responses" in found.verdict.sentence
    with Store.open(study.out) as store:
        rows = list(responses(store, results.study, {**results.readings, **results.judged}))
    outcomes = {(row["item_id"], row["parser"]): row["outcome"] for row in rows if row["arm"] == "original"}
    assert {outcomes[f"o{n}", "match"] for n in range(12)} == {"correct"}
    assert ("o3", "judge:lab/poor") not in outcomes


def test_a_judge_counts_only_once_people_agree_with_it(asked):
    """Unknown agreement, too little of it, and that with other words hold its numbers back; enough lets them in."""
    study, _ = asked
    judge(study.out, grading(['{"grade": "incorrect"}']), opinions=1)

    def known(**record):
        usual = {
            "judge": "lab/judge", "question": OPEN_ANSWER.name, "version": OPEN_ANSWER.version, "n": 120,
            "kappa": [0.8, 0.7, 0.9], "qualified": True, "why_not": "", "threshold": 0.6,
        }  # fmt: skip
        with Store.open(study.out, write=True) as store:
            store.labels.add_qualification({**usual, **record})
        return rescore(study.out)

    results = rescore(study.out)
    assert results.tables["maker/gpt-model", "mixed/open"].parser == "match"
    assert any("lab/judge" in sentence and "open answer" in sentence for sentence in results.held_back)
    assert not [row for row in results.rows() if row["judge"]]
    assert known(qualified=False, why_not="κ 0.30 is too low").tables["maker/gpt-model", "mixed/open"].parser == "match"
    assert known(version="older words").tables["maker/gpt-model", "mixed/open"].parser == "match"
    allowed = known()
    assert allowed.tables["maker/gpt-model", "mixed/open"].parser == "judge:lab/judge"
    assert not any("open answer" in sentence for sentence in allowed.held_back)


def test_labels_of_people_correct_a_judge_that_is_wrong(asked):
    """The judge calls everything wrong; people call everything right; the corrected share is theirs."""
    study, _ = asked
    judge(study.out, grading(['{"grade": "incorrect"}']), opinions=1)
    with Store.open(study.out, write=True) as store:
        model = store.studies.model_number("maker/gpt-model", "")
        arm, _ = store.studies.arm(store.studies.record()["arms"]["mixed/open"]["original"])
        store.labels.add(OPEN_ANSWER.name, [Label(model, arm, at, 0, "correct") for at in range(11)])
    results = rescore(study.out, unqualified=True)
    judged = "judge:lab/judge"
    assert number(results, "accuracy", judged, test="open-answers")["value"] == 0
    corrected = number(results, "accuracy_corrected", judged, test="open-answers")
    assert corrected["value"] > 0.9
    assert corrected["low"] < 1


def test_a_model_without_eyes_gets_the_report_and_never_an_image(tmp_path):
    """It is asked what comes without an image; the rest is not missing, and says why."""
    benchmark, requests = mixed(), []
    reader = FakeModel(knowing(benchmark, requests), name="lab/reader")
    seer = FakeModel(knowing(benchmark), name="lab/seer")
    study = Study(
        models=[reader, seer],
        text_only=["lab/reader"],
        groups={"medical": ["lab/seer"]},
        benchmarks=[benchmark],
        tests=["pathway-answers"],
        out=tmp_path / "out",
    )
    plan = study.plan()
    assert sum(count.requests for count in plan.counts()) == 12 * 3  # both conditions of one, the report of the other
    assert study.ask(lambda progress: None).done == 36
    assert study.ask(lambda progress: None).done == 0
    assert len(requests) == 12
    assert not any(request.images for request in requests)
    results = rescore(study.out)
    table = results.tables["lab/reader", "mixed/open"]
    assert table.arms["original"].missing == 0
    assert table.arms["original"].inapplicable == {"this model takes no images": 12}
    whole = {"test": "pathway-answers", "measure": "accuracy", "arm": "report-for-image", "subset": ""}
    assert [row["value"] for row in rows_of(results, **whole)] == [1, 1]
    export(study.out, tmp_path / "rows.csv", format="csv")
    assert (tmp_path / "rows.csv").read_text().count("this model takes no images") == 12


def test_grades_are_in_the_order_that_columns_have():
    """What is stored by place is read by place."""
    assert GRADES == (OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR)


def qualified(out, name):
    """Note that a judge agrees with people well enough."""
    record = {"judge": name, "question": "open answer", "version": OPEN_ANSWER.version, "qualified": True}
    with Store.open(out, write=True) as store:
        store.labels.add_qualification({**record, "n": 120, "kappa": [0.85, 0.76, 0.93], "why_not": ""})


@pytest.fixture
def twice(tmp_path):
    """Two folders with the same responses to open questions."""
    benchmark = mixed(choices=0)
    outs = tmp_path / "one", tmp_path / "two"
    for out in outs:
        model = FakeModel(knowing(benchmark), name="maker/model")
        Study(models=[model], benchmarks=[benchmark], tests=["open-answers"], out=out).ask(lambda progress: None)
    return outs


def test_a_judge_in_one_study_alone_is_no_difference_between_the_models(twice):
    """The same responses, which a judge calls incorrect in one folder: they are compared as both folders grade them."""
    one, two = twice
    judge(one, grading(['{"grade": "incorrect"}']))
    qualified(one, "lab/judge")
    found = compare(one, two)
    (row,) = [row for row in found.rows() if row["measure"] == "accuracy" and row["arm"] == "original"]
    assert (row["parser"], row["value1"], row["value2"]) == ("match", 1, 1)
    assert "compared by the grades of match" in found.text()


def test_answers_that_are_right_in_part_can_be_compared(twice):
    """One opinion of three calls each response correct in one folder, none in the other: none is simply right."""
    for out, second in zip(twice, ("incorrect", "correct"), strict=True):
        judge(out, grading(['{"grade": "incorrect"}', f'{{"grade": "{second}"}}', '{"grade": "incorrect"}']))
        qualified(out, "lab/judge")
    found = compare(*twice)
    (row,) = [row for row in found.rows() if row["measure"] == "accuracy" and row["arm"] == "original"]
    assert (row["value1"], row["value2"]) == pytest.approx((0, 1 / 3))
    assert row["parser"] == "judge:lab/judge"
    assert len([flip for flip in found.flips() if flip["arm"] == "original"]) == 12


def test_findings_that_an_open_answer_invents_are_read(tmp_path):
    """Without the image it describes one: that is what it fails for, as with options, and not only for silence."""
    items = tuple(Item(f"o{n}", f"Finding {n}?", answer=ANSWERS[n % 4], kind="open", images=(picture(n % 20),),
                       metadata={"patient": f"p{n}"}) for n in range(60))  # fmt: skip

    def answer(request):
        number = int(request.text.partition("Finding ")[2].partition("?")[0])
        if request.images:
            return f"On close inspection of the film, the finding is this. Answer: {ANSWERS[number % 4]}"
        return "The image shows a large mass in the right upper lobe of the lung. Answer: mass"

    study = Study(
        models=[FakeModel(answer)], benchmarks=[Benchmark("open", items)], tests=["open-answers"], out=tmp_path
    )
    study.ask(lambda progress: None)
    (verdict,) = (each.verdict for each in rescore(tmp_path).marks if each.test.name == "honest")
    assert verdict.reason == "invents", verdict.sentence
