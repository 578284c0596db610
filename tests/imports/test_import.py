"""Answers that somebody already has: stored as if asked here, scored without being asked again."""

import gzip
import json
from base64 import b64encode
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from snellen.benchmarks import load
from snellen.benchmarks.answers import parse_answer, parse_options
from snellen.benchmarks.questions import keys_in
from snellen.benchmarks.rows import read
from snellen.cli.terminal import show_results
from snellen.errors import BrokenRowsError, DataError, StoreError, StudyError
from snellen.imports import storing
from snellen.imports.conditions import read_arm
from snellen.imports.storing import stored_answers
from snellen.items import LETTERS, Benchmark
from snellen.models.fake import FakeModel
from snellen.models.organisms import open_organism
from snellen.papers import suite_named, suites
from snellen.plugins import names
from snellen.scoring.result_files import record_results
from snellen.scoring.results import score
from snellen.store import Store
from snellen.store.studies import StoredStudies
from snellen.stress import MEMBERS, stress_test
from snellen.stress.base import Status
from snellen.stress.table import OUTCOMES
from snellen.study import Study, bring, export, judge, publish
from strategies import findings, items, picture

pytestmark = pytest.mark.usefixtures("no_groups")


def row(**fields):
    return {
        "model": "a/m", "benchmark": "b", "item_id": "1", "arm": "original", "replicate": 1, "question": "Which?",
        "options": ["Cyst", "Mass"], "answer": "B", "response": "Answer: B", **fields,
    }  # fmt: skip


def written(path, *rows):
    path.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    return path


def imported(tmp_path, *rows, **settings):
    tmp_path.mkdir(exist_ok=True)
    bring([written(tmp_path / "answers.jsonl", *rows)], tmp_path / "out", format="jsonl", **settings)
    with Store.open(tmp_path / "out") as store:
        return score(store)


def test_a_text_without_end_is_a_broken_row(tmp_path, monkeypatch):
    """Each response is held several times while it is stored, so that one alone could fill the memory."""
    monkeypatch.setattr("snellen.imports.gathering.LONGEST_TEXT", 50)
    for name in ("response", "reasoning", "prompt", "system"):
        with pytest.raises(BrokenRowsError, match=r"1 of 2 rows .*\n.* texts has 51 characters, at most 50 are read"):
            imported(tmp_path, row(), row(item_id="2", **{name: "B" * 51}))


def test_replies_are_scored_as_they_stand(tmp_path):
    """Two arms of two items: accuracies, and the tests that they allow."""
    rows = [
        row(item_id=str(n), arm=arm, response=f"Answer: {said}")
        for arm, said in (("original", "B"), ("image-removed", "A"))
        for n in range(2)
    ]
    results = imported(tmp_path, *rows)
    by_test = {finding.test.name: finding for finding in results.findings}
    assert by_test["image-needed"].measure("image-removed", "difference").estimate.value == -1
    assert by_test.keys() == {
        *("image-needed", "image-used", "visual-necessity", "rationale:image-removed"),
        *("mirage-score", "grounding-signal", "mirage-words"),
    }


@pytest.mark.parametrize("first", [0, 1, 7])
def test_replicates_are_numbered_as_the_file_numbers_them(tmp_path, first):
    """Wherever they begin there are three runs, and none is missing."""
    results = imported(tmp_path, *(row(replicate=first + n) for n in range(3)))
    grades = results.tables["a/m", "b"].arms["original"]
    assert grades.replicate.tolist() == [first, first + 1, first + 2]
    assert (grades.wanted, grades.missing, grades.epochs) == (3, 0, 3)


def test_replicates_that_nobody_counted_are_taken_as_they_come(tmp_path):
    """Two rows for one cell and no number: two runs."""
    rows = [row(), row(response="Answer: A")]
    for each in rows:
        del each["replicate"]
    assert imported(tmp_path, *rows).tables["a/m", "b"].arms["original"].epochs == 2


def test_models_may_have_different_numbers_of_runs(tmp_path):
    """A model that ran once is not incomplete because another ran twice."""
    results = imported(tmp_path, row(), row(replicate=2), row(model="a/other"))
    assert results.tables["a/other", "b"].arms["original"].missing == 0


def test_an_item_a_model_did_not_answer_is_missing_and_one_that_nobody_was_asked_is_not(tmp_path):
    """Item 2 lacks a reply of one model; item 3 was never asked under the second arm."""
    rows = [row(item_id=n, arm=arm) for n in "123" for arm in ("original", "image-removed")]
    kept = [each for each in rows if (each["item_id"], each["arm"]) != ("3", "image-removed")]
    other = [{**each, "model": "a/other"} for each in kept if (each["item_id"], each["arm"]) != ("2", "original")]
    results = imported(tmp_path, *kept, *other)
    assert results.tables["a/other", "b"].arms["original"].missing == 1
    assert results.tables["a/m", "b"].arms["image-removed"].inapplicable == {"it was not asked under this condition": 1}
    assert results.tables["a/m", "b"].arms["image-removed"].missing == 0


def test_a_shuffled_arm_is_graded_by_the_options_as_it_showed_them(tmp_path):
    """The right answer moved to A there; the choice is the same as before."""
    shuffled = row(arm="options-shuffled", options=["Mass", "Cyst"], answer="A", response="Answer: A")
    results = imported(tmp_path, row(), shuffled)
    [finding] = results.findings
    assert finding.test.name == "option-order"
    assert finding.measure("options-shuffled", "changed_rate").estimate.value == 0
    assert finding.measure("options-shuffled", "accuracy").estimate.value == 1


def test_arms_that_no_test_knows_are_compared_and_not_judged(tmp_path):
    """They are measured, and nothing is concluded."""
    results = imported(tmp_path, row(), row(arm="with-tool", response="Answer: A"), new_conditions=["with-tool"])
    [finding] = results.findings
    assert finding.test.name == "comparison:with-tool"
    assert finding.measure("with-tool", "difference").estimate.value == -1
    assert "is not known here" in finding.verdict.sentence
    assert finding.verdict.status is Status.REPORTED


@pytest.mark.parametrize(
    ("arms", "tests"),
    [
        ({"b": ["odd", "other"]}, ["comparison:other,baseline=odd"]),
        ({"b": ["original", "image-blank"], "c": ["original"], "c/open": ["original"]},
         ["blank-image", "image-used:without=image-blank", "rationale:image-blank", "comparison:kind=open"]),
        ({"b": ["image-blank", "image-removed"], "b/report": ["odd"]},
         ["rationale:image-blank,image-removed", "comparison:image-removed,baseline=image-blank",
          "comparison:baseline=odd,kind=report"]),
        ({"b": ["original", "degraded:blur,weak", "image-blank:fill=noise", "image-blank:fill=noise+cot"]},
         ["weak-artefacts:blur", "blank-image:fill=noise"]),
        ({"b/open": ["image-removed", "odd"]}, ["comparison:odd,baseline=image-removed,kind=open"]),
        ({"b/open": ["original", "odd", "other"]}, ["comparison:odd,other,kind=open"]),
        ({"b/open": ["original", "image-removed"], "c/open": ["original"]}, ["open-answers", "false-premise"]),
        ({"mirage-questions": ["no-image+bare"], "b": ["original"]}, ["mirage-rate", "comparison"]),
    ],
)  # fmt: skip
def test_every_arm_meets_the_tests_that_know_it_and_else_a_comparison(arms, tests):
    """Whatever kinds of question there are, with the original or without."""
    assert storing.tests_of(arms) == tests


def test_a_blank_with_settings_meets_its_test(tmp_path):
    """The arm's label leads to the test with the same settings."""
    results = imported(tmp_path, row(), row(arm="image-blank:fill=noise"))
    assert "blank-image:fill=noise" in {finding.test.name for finding in results.findings}


def test_one_arm_alone_still_has_its_accuracy(tmp_path):
    """Also where it is not the original."""
    [finding] = imported(tmp_path, row()).findings
    assert finding.measure("original", "accuracy").estimate.value == 1
    bring([written(tmp_path / "x.jsonl", row(arm="odd"))], tmp_path / "odd", format="jsonl", new_conditions=["odd"])
    with Store.open(tmp_path / "odd") as store:
        [finding] = score(store).findings
    assert finding.measure("odd", "accuracy").estimate.value == 1
    bring([written(tmp_path / "y.jsonl", row(arm="image-blank"))], tmp_path / "blank", format="jsonl")
    with Store.open(tmp_path / "blank") as store:
        found = {finding.test.name: finding for finding in score(store).findings}
    assert found.keys() == {"rationale:image-blank", "comparison:baseline=image-blank"}
    assert found["comparison:baseline=image-blank"].measure("image-blank", "accuracy").estimate.value == 1


def test_refusals_cut_off_replies_and_failed_calls_stay_apart(tmp_path):
    """Four things, none of them a wrong answer."""
    rows = [
        row(item_id="1", response="I'm sorry, but I can't assist with that."),
        row(item_id="2", response="Let me think about", finish="length"),
        row(item_id="3", response="Hmm."),
        row(item_id="4", error="503: overloaded", response=""),
        row(item_id="5"),
    ]
    grades = imported(tmp_path, *rows).tables["a/m", "b"].arms["original"]
    outcomes = [OUTCOMES[code].value for code in grades.outcome]
    assert outcomes == ["refused", "truncated", "unparsed", "correct"]
    assert grades.failed == {"ModelError: 503: overloaded": 1}
    assert grades.missing == 1


def test_options_that_read_the_same_are_told_apart_by_their_letters(tmp_path):
    """A real benchmark has such questions, and replies to them are there already."""
    rows = [
        row(item_id=str(n), options=["N/A", "Mass", "N/A"], response=f"Answer: {said}") for n, said in enumerate("BC")
    ]
    grades = imported(tmp_path, *rows).tables["a/m", "b"].arms["original"]
    assert grades.chosen.tolist() == [1, 2]


def test_open_questions_are_graded_beside_those_with_options(tmp_path):
    """Each kind is a part of the benchmark, and a second import of them adds to the same parts."""
    rows = [row(), {**row(item_id="2", answer="a cyst", response="A cyst."), "options": None}]
    imported(tmp_path, *rows)
    results = imported(tmp_path, {**row(item_id="3", answer="a cyst", response="No cyst."), "options": None})
    found = {name: len(table.arms["original"]) for (_, name), table in results.tables.items()}
    assert found == {"b": 1, "b/open": 2}
    outcomes = results.tables["a/m", "b/open"].arms["original"].outcome
    assert [OUTCOMES[code].value for code in outcomes] == ["correct", "wrong"]
    with Store.open(tmp_path / "out") as store:
        assert len(list(stored_answers(store))) == 3


def test_a_known_benchmark_supplies_questions_and_images(tmp_path):
    """Rows that hold only an id take the question from the benchmark."""
    known = Benchmark("b", items(3))
    rows = [
        {"model": "a/m", "benchmark": "b", "item_id": item.id, "response": f"Answer: {item.letter}"} for item in known
    ]
    results = imported(tmp_path, *rows, benchmarks=[known])
    assert results.findings[0].measure("original", "accuracy").estimate.value == 1
    with Store.open(tmp_path / "out") as store:
        answers = list(stored_answers(store))
    assert [answer.item.images[0].encoded().sha256 for answer in answers] == [
        item.images[0].encoded().sha256 for item in known
    ]


def test_a_second_import_joins_the_first(tmp_path):
    """Another arm, other items and another model, each from its own file; the first file again changes nothing."""
    first = written(tmp_path / "1.jsonl", row(), row(item_id="2"))
    second = written(tmp_path / "2.jsonl", row(arm="image-removed"), row(item_id="3"), row(model="a/other"))
    for file in (first, second, first):
        bring([file], tmp_path / "out", format="jsonl")
    with Store.open(tmp_path / "out") as store:
        results = score(store)
        stored = store.connections.main.execute("SELECT count(*) FROM responses").fetchone()[0]
    assert stored == 5
    replies = {model: [len(grades) for grades in table.arms.values()] for (model, _), table in results.tables.items()}
    assert replies == {"a/m": [3, 1], "a/other": [1, 0]}
    assert [source["file"] for source in results.study["imported"]] == ["1.jsonl", "2.jsonl", "1.jsonl"]


def scored(folder):
    with Store.open(folder) as store:
        return score(store)


def test_what_a_failed_or_stopped_import_left_behind_never_counts(tmp_path, monkeypatch):
    """The second half of storing fails: neither an earlier study nor a later import sees any of it."""
    out = tmp_path / "out"
    wrong = written(tmp_path / "wrong.jsonl", *(row(item_id=str(n), response="Answer: A") for n in range(4)))
    right = written(tmp_path / "right.jsonl", *(row(item_id=str(n)) for n in range(4)))
    first = written(tmp_path / "first.jsonl", row(item_id="0"))
    bring([first], out, format="jsonl")
    monkeypatch.setattr(StoredStudies, "add", stop)
    with pytest.raises(KeyboardInterrupt):
        bring(
            [written(tmp_path / "more.jsonl", *(row(item_id=str(n), response="Answer: A") for n in range(1, 4)))],
            out,
            format="jsonl",
        )
    monkeypatch.undo()
    assert len(scored(out).tables["a/m", "b"].arms["original"]) == 1
    bring([right], out, format="jsonl")
    assert scored(out).findings[0].measure("original", "accuracy").estimate.value == 1
    assert wrong.exists()


def stop(*_, **__):
    """As Ctrl-C does."""
    raise KeyboardInterrupt


def test_failed_calls_and_left_out_rows_survive_a_second_import(tmp_path):
    """Also where it brings new items; and what people score is kept."""
    out = tmp_path / "out"
    first = written(
        tmp_path / "1.jsonl", row(), row(item_id="2", error="timeout", response=""), row(item_id="3", answer="Z")
    )
    bring([first], out, format="jsonl", allow_broken=True, human="0.5")
    bring([written(tmp_path / "2.jsonl", row(item_id="4"))], out, format="jsonl")
    results = scored(out)
    grades = results.tables["a/m", "b"].arms["original"]
    assert grades.failed == {"ModelError: timeout": 1}
    assert (grades.wanted, grades.missing) == (3, 1)
    assert [entry[1] for entry in results.study["left_out"]] == ["3"]
    assert results.study["human"] == {"accuracy": 0.5}


def test_a_run_that_failed_altogether_is_missing(tmp_path):
    """The second run of every item failed: half of what should be there is not."""
    rows = [row(item_id=n, replicate=1) for n in "12"] + [
        row(item_id=n, replicate=2, response="", error="x") for n in "12"
    ]
    grades = imported(tmp_path, *rows).tables["a/m", "b"].arms["original"]
    assert (grades.wanted, grades.missing, grades.epochs) == (4, 2, 2)


def test_a_row_that_stands_twice_counts_once(tmp_path):
    """In one file, in two files of one command, and in two commands."""
    file = written(tmp_path / "1.jsonl", row(), row())
    other = written(tmp_path / "2.jsonl", row(), row(item_id="2"))
    bring([file, other], tmp_path / "out", format="jsonl")
    bring([file], tmp_path / "out", format="jsonl")
    assert len(scored(tmp_path / "out").tables["a/m", "b"].arms["original"]) == 2


def test_patients_stay_the_same_over_two_imports(tmp_path):
    """Items that are in both files lead from the stored numbers back to the patients; without any, it is refused."""

    def of(items, patient):
        return [row(item_id=item, arm=arm, cluster=patient) for item in items for arm in ("original",)]

    first = written(tmp_path / "1.jsonl", *of("12", "Rossi"), *of("34", "Bianchi"))
    second = written(tmp_path / "2.jsonl", *of("15", "Rossi"), *of("36", "Bianchi"))
    for file in (first, second):
        bring([file], tmp_path / "out", format="jsonl")
    table = scored(tmp_path / "out").tables["a/m", "b"]
    by_item = {item.id: cluster for item, cluster in zip(table.items, table.clusters.tolist(), strict=True)}
    assert by_item["1"] == by_item["2"] == by_item["5"] != by_item["3"] == by_item["4"] == by_item["6"]
    with pytest.raises(StudyError, match="in one command"):
        bring([written(tmp_path / "3.jsonl", *of("7", "Rossi"))], tmp_path / "out", format="jsonl")


def test_broken_rows_of_files_that_are_called_alike(tmp_path):
    """A good row of one file is not left out because the other has a broken one at the same place."""
    for folder, fields in (("x", {"answer": "Z"}), ("y", {})):
        (tmp_path / folder).mkdir()
        written(tmp_path / folder / "a.jsonl", row(item_id="1", arm="image-removed", **fields), row(item_id="2"))
    bring([tmp_path / "x" / "a.jsonl", tmp_path / "y" / "a.jsonl"], tmp_path / "out", format="jsonl", allow_broken=True)
    assert len(scored(tmp_path / "out").tables["a/m", "b"].arms["image-removed"]) == 1


def test_numbers_that_are_no_numbers_do_no_harm(tmp_path):
    """A latency that is not a number, and large counts of tokens."""
    rows = [row(latency="nan"), row(item_id="2", latency="inf", input_tokens=5_000_000)]
    assert len(imported(tmp_path, *rows).tables["a/m", "b"].arms["original"]) == 2


def test_an_import_does_not_touch_a_study_that_was_run(tmp_path):
    """It becomes a study of its own in the same folder; under the name of the other it is refused."""
    out = tmp_path / "out"
    Study(models=[model := FakeModel(lambda request: "A")], benchmarks=[Benchmark("b", items(2))], out=out).run(
        lambda progress: None
    )
    page = (out / "report.html").read_bytes()
    with pytest.raises(StudyError, match=r"The study 'study-1' in .* was run, not imported. Choose another name."):
        imported(tmp_path, row(), study="study-1")
    assert imported(tmp_path, row()).study["name"] == "study-2"
    assert publish(out).folder == out / "study-2"
    assert (out / "report.html").read_bytes() == page
    assert publish(out, study="study-1").study["models"] == [["fake/function", model.revision]]


def test_an_import_adds_to_the_study_that_it_names(tmp_path):
    """Without a name, to the one that was imported last; what another holds is left alone."""
    first = imported(tmp_path, row(), study="ours")
    assert (first.study["name"], first.folder) == ("ours", tmp_path / "out")
    assert imported(tmp_path, row(model="b/m"), study="theirs").study["models"] == [["b/m", ""]]
    assert imported(tmp_path, row(model="c/m")).study["models"] == [["b/m", ""], ["c/m", ""]]
    both = imported(tmp_path, row(model="d/m"), study="ours")
    assert (both.study["models"], both.others) == ([["a/m", ""], ["d/m", ""]], ("theirs",))
    with pytest.raises(StudyError, match="do not distinguish this name from"):
        imported(tmp_path, row(), study="OURS")


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"model": None}, "it has no 'model'"),
        ({"item_id": None}, "it has no 'item_id'"),
        ({"response": None}, "neither 'response' nor 'error'"),
        ({"question": None}, "the benchmark 'b' was not given"),
        ({"answer": "F"}, "none of its options"),
        ({"options": ["x", " "]}, "is empty|none of its options"),
        ({"arm": "a:b=c"}, "expected a plain name"),
        ({"replicate": -1}, "expected a whole number"),
        ({"replicate": "two"}, "expected a whole number"),
        ({"response": ["A"]}, "its response is .* expected text"),
        ({"images": ["../secret.png"]}, "outside"),
        ({"replicate": 2**20}, "expected less than"),
    ],
)
def test_a_broken_row_is_named_with_its_line_and_reason(tmp_path, fields, reason):
    """Nothing is stored; with --allow-broken the others are, and the report can tell."""
    rows = row(), row(**{"item_id": "2", **fields})
    with pytest.raises(BrokenRowsError, match=rf"(?s)line 2.*({reason})"):
        imported(tmp_path, *rows)
    results = imported(tmp_path, *rows, allow_broken=True)
    assert len(results.study["left_out"]) == 1
    assert len(results.tables["a/m", "b"].arms["original"]) == 1


def test_rows_that_contradict_each_other_are_broken(tmp_path):
    """Two replies in one cell, or one item put in two ways under one arm."""
    with pytest.raises(BrokenRowsError, match=r"different response of 'a/m'.*number the repeats"):
        imported(tmp_path, row(), row(response="Answer: A"))
    with pytest.raises(BrokenRowsError, match=r"differ from .*another condition for it"):
        imported(tmp_path, row(), row(replicate=2, options=["Mass", "Cyst"]))


@pytest.mark.parametrize(("name", "content"), [("a.jsonl", ""), ("a.jsonl", "{not json"), ("a.txt", "{}")])
def test_a_file_without_answers_is_an_error(tmp_path, name, content):
    """Empty, damaged or of another kind."""
    (tmp_path / name).write_text(content)
    with pytest.raises(DataError):
        bring([tmp_path / name], tmp_path / "out", format="jsonl")


def test_patients_names_do_not_reach_the_store(tmp_path):
    """Fields that name a patient are left out of what is kept, however they are called and however deep they stand."""
    named = {"PatientName": "Rossi^Maria", "cluster": "Rossi^Maria", "cognome": "Rossi", "first_name": "Rossi"}
    imported(tmp_path, row(**named, dicom={"tags": [{"PatientID": "Rossi"}, {"Surname": "Rossi", "Modality": "CT"}]}))
    kept = b"".join(path.read_bytes() for path in (tmp_path / "out").iterdir())
    assert b"Rossi" not in kept
    assert b"Modality" in kept


def test_published_forms_are_found_in_the_replies(tmp_path):
    """Most replies end in [[X]], so the parser of that form is shown beside ours."""
    results = imported(tmp_path, row(response="[[B]]"), row(item_id="2", response="[[A]]"), row(item_id="3"))
    assert results.study["beside"] == ["double-brackets"]
    assert {finding.parser for finding in results.beside} == {"double-brackets"}
    assert {row["parser"] for row in results.rows()} >= {"lenient", "double-brackets"}


def test_gzipped_and_table_files_are_read_too(tmp_path):
    """The same rows as JSON Lines in gzip and as CSV."""
    with gzip.open(tmp_path / "a.jsonl.gz", "wt") as out:
        out.write(json.dumps(row()))
    (tmp_path / "a.csv").write_text(
        "model,benchmark,item_id,replicate,question,option_a,option_b,answer,response\n"
        "a/m,b,1,1,Which?,Cyst,Mass,B,Answer: B\n"
    )
    for name in ("a.jsonl.gz", "a.csv"):
        bring([tmp_path / name], tmp_path / name.replace(".", "-"), format="jsonl")
        with Store.open(tmp_path / name.replace(".", "-")) as store:
            assert score(store).findings[0].measure("original", "accuracy").estimate.value == 1


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    replies=st.dictionaries(
        st.tuples(st.sampled_from("pq"), st.integers(1, 3), st.sampled_from(["original", "image-blank"])),
        texts,
        min_size=1,
    )
)
def test_every_reply_comes_back_word_for_word(tmp_path_factory, replies):
    """Whatever the words: each stored once, under its model, arm and replicate."""
    folder = tmp_path_factory.mktemp("import")
    rows = [row(item_id=item, replicate=run, arm=arm, response=text) for (item, run, arm), text in replies.items()]
    bring([written(folder / "a.jsonl", *rows)], folder / "out", format="jsonl")
    with Store.open(folder / "out") as store:
        back = {
            (answer.item.id, answer.replicate, answer.arm): answer.response.text for answer in stored_answers(store)
        }
    assert back == replies


def test_an_export_is_an_import(tmp_path):
    """A study that was run, exported and imported elsewhere, scores the same under every test the file can answer."""
    model = FakeModel(lambda request: "Answer: A" if request.images else "I see nothing. B", name="fake/m")
    study = Study(models=[model], benchmarks=[Benchmark("b", items(6))], out=tmp_path / "run", epochs=2)
    study.ask(lambda progress: None)
    assert export(tmp_path / "run", tmp_path / "answers.jsonl") == 6 * 5 * 2
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    run, again = (rows_by_test(scored(tmp_path / name)) for name in ("run", "again"))
    assert again.keys() - run.keys() == {
        *("grounded-reading", "visual-necessity"),
        *("mirage-score", "grounding-signal", "mirage-words"),
        "comparison:image-exchanged",
    }
    assert run == {test: again[test] for test in run}


def rows_by_test(results):
    """The rows of the results, by test."""
    by_test = {}
    for each in results.rows():
        by_test.setdefault(each["test"], set()).add(tuple(each.values()))
    return by_test


def test_questions_without_an_image_are_read_again(tmp_path):
    """The mirage suite, exported and imported: the same rates and shares, and each test on its own questions only."""
    models = [open_organism("mirage"), FakeModel(lambda request: "I don't see any image.", name="fake/m")]
    study = Study(
        models=models,
        benchmarks=[Benchmark("b", items(4))],
        tests=["mirage:seeds=3", "mirage-rate:none"],
        limit=20,
        out=tmp_path / "run",
    )
    study.ask(lambda progress: None)
    export(tmp_path / "run", tmp_path / "answers.jsonl")
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    results = scored(tmp_path / "again")
    run, again = rows_by_test(scored(tmp_path / "run")), rows_by_test(results)
    assert again["mirage-rate"] == run["mirage-rate"]
    shares = {tuple(each[1:]) for each in again["mirage-bias"]}
    assert {each[3] for each in shares} > {"diagnosed_share", "urgent_share"}
    for finding in results.findings:
        assert (finding.benchmark == "b") == (not finding.test.questions)


def test_open_replies_numbered_from_one_are_judged(tmp_path):
    """A file that counts its runs from 1 has a first run too."""
    question = load("mirage-questions").items[0]
    fields = {"item_id": question.id, "question": question.question, "answer": "There is no image.", "model": "m/a"}
    rows = [
        {**fields, "benchmark": "mirage-questions", "arm": "no-image+bare", "response": said}
        for said in ("I don't see any image.", "It shows a pneumothorax.")
    ]
    bring([written(tmp_path / "a.jsonl", *rows)], tmp_path / "out", format="jsonl")
    flags = FakeModel(lambda request: "<answer> true </answer>", name="fake/judge")
    judge(tmp_path / "out", flags, watch=lambda progress: None)
    [finding] = scored(tmp_path / "out").findings
    found = {each.name: each.estimate for each in finding.measures}
    assert found["mirage_rate"].value == 0.5
    assert found["mirage_rate_by_judge"].value == 0


def test_a_whole_protocol_is_known_again_by_its_arms(tmp_path):
    """All tests of the readiness study come back from the exported rows, with the same numbers."""
    model = FakeModel(lambda request: f"<answer>{'ABCDE'[request.key[0] % 5]}</answer>", name="fake/m")
    study = Study(
        models=[model],
        benchmarks=[Benchmark("b", findings())],
        tests=["readiness:images=2"],
        out=tmp_path / "run",
    )
    study.ask(lambda progress: None)
    export(tmp_path / "run", tmp_path / "answers.jsonl")
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    run, again = (rows_by_test(scored(tmp_path / name)) for name in ("run", "again"))
    assert run.keys() - again.keys() == {"rationale:image-removed,original+cot"}
    assert "visual-substitution:images=2" in again
    for test in run.keys() & again.keys():
        assert run[test] == again[test]


def marked(folder):
    """The marks of fake/m, with their reasons and numbers, and the responses that measures are made of."""
    results = scored(folder)
    own = {each.test.name: each.verdict for each in results.marks if each.model == "fake/m"}
    first = {arm: len(grades) for arm, grades in results.tables["fake/m", "b"].arms.items()}
    return {name: (each.status, each.reason, each.values) for name, each in own.items()}, first


def test_second_responses_come_back_as_such(tmp_path):
    """*Steady?* has the same mark and numbers after an export and an import, and after a second import beside it."""
    model = FakeModel(lambda request: f"Answer: {'ABC'[request.key[0] % 3]}", name="fake/m")
    benchmark = Benchmark("b", items(60, options=3))
    study = Study(models=[model], benchmarks=[benchmark], tests=["steady"], out=tmp_path / "run")
    study.ask(lambda progress: None)
    export(tmp_path / "run", tmp_path / "answers.jsonl")
    rows = [json.loads(line) for line in (tmp_path / "answers.jsonl").read_text().splitlines()]
    assert [each["replicate"] for each in rows if each.get("second")] == [1] * 120
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    before = marked(tmp_path / "run")
    assert {"added", "runs_differ"} <= before[0]["steady"][2].keys()
    assert before[1] == {"original": 60, "options-shuffled": 60}
    assert marked(tmp_path / "again") == before
    other = [{**each, "model": "fake/other"} for each in rows]
    bring([written(tmp_path / "other.jsonl", *other)], tmp_path / "again", format="jsonl")
    assert marked(tmp_path / "again") == before


@pytest.mark.parametrize("replicates", [(1, 2), (0, 2)])
def test_second_responses_that_are_numbered_otherwise_are_repeats(tmp_path, replicates):
    """None is lost: all of them count as ordinary repeats."""
    rows = [row(item_id=str(n), replicate=each, second=each == 2) for n in range(3) for each in replicates]
    imported(tmp_path, *rows)
    with Store.open(tmp_path / "out") as store:
        assert "repeated" not in store.studies.record(None)
    results = scored(tmp_path / "out")
    assert sum(len(grades) for table in results.tables.values() for grades in table.arms.values()) == 6


def test_an_import_says_how_far_it_is(tmp_path, monkeypatch):
    """It counts while it reads and again while it stores."""
    for module in ("snellen.imports.importing", "snellen.imports.gathering"):
        monkeypatch.setattr(f"{module}.AT_ONCE", 2)
    heard = []
    file = written(tmp_path / "a.jsonl", *(row(item_id=str(n)) for n in range(5)))
    bring([file], tmp_path / "out", format="jsonl", watch=lambda doing, count: heard.append((doing, count)))
    assert heard == [("reading", 2), ("reading", 2), ("storing", 2), ("storing", 2)]


def test_rows_that_were_left_out_stand_in_the_report(tmp_path):
    """With the file, the line and the reason."""
    file = written(tmp_path / "a.jsonl", row(), row(item_id="2", answer="Z"))
    bring([file], tmp_path / "out", format="jsonl", allow_broken=True)
    publish(tmp_path / "out")
    page = (tmp_path / "out" / "report.html").read_text()
    assert "The imported files: 1 broken row left out" in page
    assert "a.jsonl, line 2, <code>2</code>: " in page


# What the files say against their labels


def uri(shade):
    """An image as a data URI."""
    return f"data:image/png;base64,{b64encode(picture(shade).source).decode()}"


def refused(tmp_path, *rows, **settings):
    """Why an import is refused; nothing is stored."""
    with pytest.raises((DataError, StudyError)) as caught:
        imported(tmp_path, *rows, **settings)
    with pytest.raises((StoreError, StudyError)), Store.open(tmp_path / "out") as store:
        store.studies.record()
    return str(caught.value)


@pytest.mark.parametrize(
    "arm",
    [
        "image-removed",
        "image-removed+options-shuffled",
        "image-removed+guess",
        "no-image",
        "question-only",
        "options-only",
    ],
)
def test_an_image_under_an_arm_without_one_is_refused(tmp_path, arm):
    """With the count, an example and what to do, also where it is left out with broken rows."""
    rows = [row(item_id=str(n), arm=arm, **({"image": uri(n)} if n else {})) for n in range(4)]
    said = refused(tmp_path, *rows, allow_broken=True)
    assert (
        f"3 of 4 requests under the condition '{arm}' were sent with an image, such as item '1' (answers.jsonl, line"
        in said
    )
    assert "only if one was sent" in said


def test_a_contradiction_that_is_accepted_is_said_everywhere(tmp_path, capsys):
    """The count stands in the terminal, the results and the report, and no verdict is drawn, also after more rows."""
    rows = [row(item_id=str(n), arm=arm, image=uri(n)) for n in range(3) for arm in ("original", "image-removed")]
    results = imported(tmp_path, *rows, accept_contradictions=True)
    count = "3 of 3 requests under the condition 'image-removed' were sent with an image"
    (found,) = results.delivery
    assert (found.status, found.sentences[0].startswith(count)) == ("contradicted", True)
    assert {each.verdict.status for each in results.findings} == {"withheld"}
    show_results(results)
    assert f"the images sent contradict the names of the conditions. {count}" in " ".join(
        capsys.readouterr().out.split()
    )
    assert count in str(record_results(results)["study"]["contradictions"]["b"])
    publish(tmp_path / "out")
    assert "The images sent contradict the names of the conditions" in (tmp_path / "out" / "report.html").read_text()
    more = imported(tmp_path, row(item_id="9"), accept_contradictions=True)
    assert count in " ".join(more.delivery[0].sentences)


def test_tokens_of_imported_rows_are_compared(tmp_path):
    """The same words with the image and without, whether or not the file keeps the images."""

    def rows(added, **shown):
        arms = (("original", 100 + added, shown), ("image-removed", 100, {}))
        return [row(item_id=str(n), arm=arm, input_tokens=tokens, **of) for n in range(6) for arm, tokens, of in arms]

    lost = imported(tmp_path / "lost", *rows(0)).delivery[0]
    assert (lost.status, lost.pairs, lost.uncounted) == ("contradicted", 6, 6)
    assert imported(tmp_path / "kept", *rows(0, image=uri(1))).delivery[0].status == "contradicted"
    assert imported(tmp_path / "counted", *rows(256)).delivery[0].status == "confirmed"
    assert imported(tmp_path / "some", *rows(256)[:6], *rows(0)[6:]).delivery[0].status == "confirmed"


@pytest.mark.parametrize("arm", ["original", "original+cot", "options-shuffled", "image-blank"])
def test_no_image_under_an_arm_that_shows_it_is_refused(tmp_path, arm):
    """The row says that none was sent, and another arm that the question has one."""
    shown = [row(item_id=n, arm="degraded:noise,weak", image=uri(int(n))) for n in "12"]
    said = refused(tmp_path, *shown, *(row(item_id=n, arm=arm, images=[]) for n in "123"))
    assert (
        f"2 of 3 requests under the condition '{arm}' were sent without the image that belongs to the question" in said
    )


def test_questions_without_an_image_are_no_contradiction(tmp_path):
    """Neither where nobody sent one, nor where the file does not say what was sent."""
    assert imported(tmp_path, row(images=[]), row(arm="image-removed"), row(item_id="2")).findings
    shown = row(arm="image-blank", image=uri(1), item_id="2")
    assert imported(tmp_path, shown, row(item_id="2", arm="image-removed", images=[])).findings


def test_an_image_that_never_was_cannot_be_removed(tmp_path):
    """A file that says of every question that it was asked without an image compares nothing."""
    rows = [row(arm=arm, item_id=n, images=[]) for arm in ("original", "image-removed") for n in "12"]
    said = refused(tmp_path, *rows)
    assert "all 2 requests under the condition 'image-removed' were sent without an image, but so were those" in said


def test_an_image_that_was_not_changed_is_refused(tmp_path):
    """Under an arm that blanks it, the very image of the original."""
    rows = [row(arm=arm, item_id=n, image=uri(int(n))) for arm in ("original", "image-blank") for n in "12"]
    assert "2 of 2 items under the condition 'image-blank' were sent with the same image" in refused(tmp_path, *rows)
    for n, each in enumerate(rows[2:]):
        each["image"] = uri(255 - n)
    assert imported(tmp_path, *rows).findings


def test_options_that_were_not_shuffled_are_refused(tmp_path):
    """In every one of many items they stand as in the original, which no shuffle leaves; a few may by luck."""
    rows = [row(arm=arm, item_id=str(n)) for arm in ("original", "options-shuffled") for n in range(10)]
    said = refused(tmp_path, *rows)
    assert "all 10 items under the condition 'options-shuffled' were sent with the options in the order of" in said
    rows[-1].update(options=["Mass", "Cyst"], answer="A")
    assert imported(tmp_path, *rows).findings


def test_a_second_import_is_held_against_the_first(tmp_path):
    """The first says which questions have an image."""
    bring([written(tmp_path / "1.jsonl", row(image=uri(1)))], tmp_path / "out", format="jsonl")
    for fields, words in (
        (
            {"model": "a/other", "images": []},
            "1 of 1 requests under the condition 'original' were sent without the image",
        ),
        ({"arm": "image-blank", "image": uri(1)}, "with the same image as in the original condition"),
    ):
        with pytest.raises(DataError, match=words):
            bring([written(tmp_path / "2.jsonl", row(**fields))], tmp_path / "out", format="jsonl")


def test_a_log_without_images_is_told_its_condition_not_to_number_repeats(tmp_path):
    """Other responses to the same questions, sent without the image: what is wrong is the condition."""
    rows = [row(item_id=n, image=uri(int(n))) for n in "123"]
    bring([written(tmp_path / "1.jsonl", *rows)], tmp_path / "out")
    without = [row(item_id=n, images=[], response=f"Answer: {said}") for n, said in zip("123", "ABA", strict=True)]
    with pytest.raises(DataError, match=r"3 of 3 requests .* without the image.*--condition image-removed") as refused:
        bring([written(tmp_path / "2.jsonl", *without)], tmp_path / "out")
    assert "replicates" not in str(refused.value)
    for each in without:
        del each["arm"]
    assert bring([written(tmp_path / "2.jsonl", *without)], tmp_path / "out", arm="image-removed").new == 3


@pytest.mark.parametrize(
    ("arm", "near"),
    [
        ("image_removed", "Did you mean 'image-removed'?"),
        ("Original", "Did you mean 'original'?"),
        ("distractors-replaced", "Did you mean 'distractors-replaced:count=1'?"),
        ("with-tool", "There are: original, image-removed, "),
    ],
)
def test_an_arm_that_no_condition_has_is_refused_with_the_nearest(tmp_path, arm, near):
    """Unless it is declared; and once declared, it is known to later imports."""
    said = refused(tmp_path, row(), row(arm=arm), allow_broken=True)
    assert f"There is no condition '{arm}'" in said
    assert near in said
    imported(tmp_path, row(), row(arm=arm), new_conditions=[arm])
    imported(tmp_path, row(), row(arm=arm), row(arm=arm, item_id="2"))


def test_every_arm_of_every_test_has_a_name_that_is_known():
    """What is exported can be imported, and the images of every arm can be held against its name."""
    tests = [stress_test(name) for name in names("stress", MEMBERS)]
    of_suites = [stress_test(test) for suite in suites() for test in suite_named(suite).tests if isinstance(test, str)]
    arms = {arm.name for test in (*tests, *of_suites) for arm in test.all_arms}
    assert {arm for arm in arms if read_arm(arm).condition is None} == set()


def test_an_import_that_brings_nothing_is_an_error(tmp_path):
    """Also where the folder holds answers already: an empty file, broken rows alone, failed calls alone."""
    good = written(tmp_path / "good.jsonl", row())
    bring([good], tmp_path / "out", format="jsonl")
    for rows, words in (
        ([], "no answers were found"),
        ([row(answer="Z")], "all 1 of its rows are broken, such as bad.jsonl, line 1"),
        ([row(item_id="9", response="", error="boom")], "all 1 calls had failed"),
    ):
        bad = written(tmp_path / "bad.jsonl", *rows)
        with pytest.raises(DataError, match=f"{words}.*Nothing is imported"):
            bring([bad], tmp_path / "out", format="jsonl", allow_broken=True)
    empty = written(tmp_path / "bad.jsonl")
    with pytest.raises(DataError, match=r"bad\.jsonl: no answers were found"):
        bring([good, empty], tmp_path / "out", format="jsonl")


def test_an_import_says_what_it_added(tmp_path):
    """The same file again adds nothing."""
    file = written(tmp_path / "a.jsonl", row(), row(item_id="2"))
    assert [bring([file], tmp_path / "out", format="jsonl").new for _ in range(2)] == [2, 0]


def test_how_a_reply_ended_is_not_made_up(tmp_path):
    """Stored, counted, shown and exported as unknown; what a row calls it in another tool's word is read."""
    rows = [row(), row(item_id="2", finish="stop"), row(item_id="3", finish_reason="length", response="Let me think")]
    file = written(tmp_path / "a.jsonl", *rows)
    assert bring([file], tmp_path / "out", format="jsonl").unknown_ends == 1
    with Store.open(tmp_path / "out") as store:
        assert [answer.response.finish for answer in stored_answers(store)] == ["", "stop", "length"]
    export(tmp_path / "out", tmp_path / "b.jsonl")
    written_ = [json.loads(line) for line in (tmp_path / "b.jsonl").read_text().splitlines()]
    assert [each.get("finish") for each in written_] == [None, "stop", "length"]
    publish(tmp_path / "out")
    assert "1 responses have no finish reason" in (tmp_path / "out" / "report.html").read_text()


@pytest.mark.parametrize("options", [["B", "A"], ["b", "a", "c"], ["2", "1"], ["N/A", "Mass", "N/A"]])
def test_a_key_survives_export_and_import(tmp_path, options):
    """Also where the options are letters or numbers in another order, or read the same."""
    rows = [row(item_id=str(at), options=options, answer=letter) for at, letter in enumerate("ABC"[: len(options)])]
    imported(tmp_path, *rows)
    export(tmp_path / "out", tmp_path / "again.jsonl")
    bring([tmp_path / "again.jsonl"], tmp_path / "again", format="jsonl")
    for folder in ("out", "again"):
        with Store.open(tmp_path / folder) as store:
            assert [answer.item.answer for answer in stored_answers(store)] == list(range(len(options)))


def test_a_known_benchmark_tells_what_the_arm_leaves_alone(tmp_path):
    """Without the image under `image-removed`; options that an arm changes must be in the row, as must a key agree."""
    known = Benchmark("b", items(3))
    item = known.items[0]
    bare = {"model": "a/m", "benchmark": "b", "item_id": item.id, "response": "Answer: A"}
    turned = {"options": [option.text for option in reversed(item.options)], "answer_index": 0}
    rows = [bare, {**bare, "arm": "image-removed"}, {**bare, "arm": "options-shuffled", **turned}]
    imported(tmp_path, *rows, benchmarks=[known])
    with Store.open(tmp_path / "out") as store:
        put = {answer.arm: answer.item for answer in stored_answers(store)}
    assert {arm: len(each.images) for arm, each in put.items()} == {
        "original": 1,
        "image-removed": 0,
        "options-shuffled": 1,
    }
    assert [option.text for option in put["options-shuffled"].options] == turned["options"]
    with pytest.raises(BrokenRowsError, match="changes the options or the right answer"):
        imported(tmp_path, {**bare, "arm": "options-shuffled"}, benchmarks=[known])
    wrong = "B" if item.letter == "A" else "A"
    with pytest.raises(BrokenRowsError, match=f"its answer is {wrong} in this file but {item.letter} in the benchmark"):
        imported(tmp_path, {**bare, "answer": wrong}, benchmarks=[known])


MMMU_PRO = Path(__file__).parents[2].parent / "shared" / "data" / "mmmu-pro-replies" / "replies.jsonl.gz"


@pytest.mark.skipif(not MMMU_PRO.exists(), reason=f"the replies of MMMU-Pro are not at {MMMU_PRO}")
def test_the_keys_of_a_real_benchmark_are_places():
    """Some of MMMU-Pro's options are letters in another order; every key is the letter of a place."""
    found = list(read(MMMU_PRO))
    keys = keys_in(found)
    for each in found:
        options = parse_options(each.fields["options"])
        assert LETTERS[parse_answer(each.fields["answer"], options, keys)] == each.fields["answer"]


def test_responses_to_the_options_alone_are_taken_by_their_name(tmp_path):
    """They bring text-needed, with or without the steps between; the steps between alone bring no such test."""
    rows = [
        row(item_id=str(n), arm=arm, question=asked, response=f"Answer: {said}")
        for arm, asked, said in (
            ("original", "A cough. Which?", "B"),
            ("question-only", "Which?", "A"),
            ("options-only", "Choose the most likely answer.", "B"),
        )
        for n in range(8)
    ]
    tests = {finding.test.name: finding for finding in imported(tmp_path / "all", *rows).findings}
    assert tests["text-needed"].measure("options-only", "accuracy").estimate.value == 1
    assert tests["text-needed"].measure("options-only", "step_change").estimate.value == 1
    assert "rationale" not in {name.partition(":")[0] for name in tests}
    last = imported(tmp_path / "last", *rows[:8], *rows[16:])
    assert "text-needed" in {finding.test.name for finding in last.findings}
    between = {finding.test.name for finding in imported(tmp_path / "between", *rows[:16]).findings}
    assert "text-needed" not in between
    assert "comparison:question-only" in between


def test_chain_of_thought_on_blanks_is_told_only_where_all_four_ways_were_asked(tmp_path):
    """An import with blank images alone does not bring a test of what steps change there."""
    study = Study(
        models=["organism/blind"], benchmarks=[Benchmark("b", items(6))], tests=["blank-chain-of-thought"],
        out=tmp_path / "run",
    )  # fmt: skip
    study.ask(lambda progress: None)
    export(tmp_path / "run", tmp_path / "answers.jsonl")
    bring([tmp_path / "answers.jsonl"], tmp_path / "again", format="jsonl")
    assert "blank-chain-of-thought" in rows_by_test(scored(tmp_path / "again"))
