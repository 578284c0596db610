"""Answers are read from stored responses by item id, as scoring reads them; what differs is left out and counted."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from snellen.errors import StudyError
from snellen.items import Benchmark, Option
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.study import Study, bring
from snellen.tools.audit.answers import ChosenOptions, answers_of, stored_benchmark
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import prepare_benchmark
from strategies import items

DATA = Path(__file__).parents[4] / "shared" / "data"
SAID = ("pleura", "hilum", "apex")


def row(item, said, model="a/m", run=1, **fields):
    return {
        "model": model, "benchmark": "b", "item_id": item, "arm": "original", "replicate": run,
        "question": f"Where is {item}?", "options": list(SAID), "answer": "B", "response": said, **fields,
    }  # fmt: skip


def imported(folder, *rows):
    folder.mkdir(exist_ok=True)
    file = folder / "answers.jsonl"
    file.write_text("\n".join(json.dumps(each) for each in rows), encoding="utf-8")
    bring([file], folder / "out", format="jsonl")
    return folder / "out"


def test_each_run_is_a_vector_and_what_is_no_answer_is_minus_one(tmp_path):
    """Two models, one in two runs; a refusal, a cut-off response and an item that was not asked are −1."""
    out = imported(
        tmp_path,
        row("1", "Answer: B"),
        row("2", "I cannot answer that."),
        row("1", "Answer: C", run=2),
        row("2", "Answer: A", run=2),
        row("1", "The apex, since", model="a/n", finish_reason="length"),
        row("3", "Answer: A", model="a/n"),
    )
    found = answers_of(out, stored_benchmark(out))
    assert found.vectors == ("a/m", "a/m, run 2", "a/n")
    assert found.models == ("a/m", "a/m", "a/n")
    assert found.item_ids == ("1", "2", "3")
    assert found.chosen.tolist() == [[1, -1, -1], [2, 0, -1], [-1, -1, 0]]
    assert found.left_out == {}


def test_only_the_original_condition_is_read_unless_another_is_named(tmp_path):
    """What was answered without the image is no answer to the item."""
    out = imported(tmp_path, row("1", "Answer: B"), row("1", "Answer: A", arm="image-removed"))
    benchmark = stored_benchmark(out, "b")
    assert answers_of(out, benchmark).chosen.tolist() == [[1]]
    assert answers_of(out, benchmark, condition="image-removed").chosen.tolist() == [[0]]
    assert answers_of(out, benchmark, condition="options-shuffled").chosen.shape == (0, 1)


def test_items_that_differ_are_left_out_and_options_are_found_by_their_text(tmp_path):
    """Another question, other options or another key: left out and counted; another order of options is not."""
    out = imported(tmp_path, *(row(str(n), "Answer: C") for n in range(1, 7)))
    one, two, three, four, five, _ = stored_benchmark(out)
    theirs = Benchmark(
        "b",
        (
            replace(one, options=one.options[::-1], answer=1),
            replace(two, question="Where else?"),
            replace(three, options=(*three.options[:2], Option("heart"))),
            replace(four, answer=0),
            replace(five, question="  where IS 5?", options=(Option("Apex"), *five.options[:2]), answer=2),
        ),
    )
    found = answers_of(out, theirs)
    assert found.chosen.tolist() == [[0, -1, -1, -1, 0]]
    assert found.left_out == {
        "with another question": 1,
        "with other options": 1,
        "with another key": 1,
        "that the benchmark does not have": 1,
    }


def test_folders_are_put_together_and_named_twice_they_count_once(tmp_path):
    """A model in two folders has a run in each; the same folder twice is one; an open store may be given."""
    here = imported(tmp_path / "1", row("1", "Answer: B"), row("2", "Answer: B"))
    there = imported(tmp_path / "2", row("1", "Answer: C"), row("1", "Answer: A", model="a/n"))
    benchmark = stored_benchmark(here)
    found = answers_of([here, there, f"{here}/"], benchmark)
    assert found.vectors == ("a/m", "a/m, run 2", "a/n")
    assert found.chosen.tolist() == [[1, 1], [2, -1], [0, -1]]
    with Store.open(here) as store:
        assert answers_of(store, benchmark).chosen.tolist() == [[1, 1]]


def test_a_benchmark_of_another_name_is_found_by_its_items(tmp_path):
    """If none has its name, stored items with its ids count."""
    out = imported(tmp_path, row("1", "Answer: B"))
    stored = stored_benchmark(out)
    assert answers_of(out, replace(stored, name="mine")).chosen.tolist() == [[1]]
    elsewhere = Benchmark("mine", tuple(replace(each, id="x") for each in stored))
    assert answers_of(out, elsewhere).chosen.shape == (0, 1)


def test_a_benchmark_that_is_not_there_is_an_error_that_names_those_that_are(tmp_path):
    """One name is needed where there are several."""
    out = imported(tmp_path, row("1", "Answer: B"), row("1", "Answer: B", benchmark="c"))
    for name in (None, "d"):
        with pytest.raises(StudyError, match="b, c"):
            stored_benchmark(out, name)
    assert stored_benchmark(out, "c").name == "c"


def test_the_responses_of_a_run_are_read(tmp_path):
    """A study that was asked here: epochs are runs, revisions of one name are models of their own."""
    benchmark = Benchmark("b", items(6))

    def answering(letter, revision):
        model = FakeModel(lambda request: f"Answer: {letter}", name="fake/m")
        model.revision = revision
        return model

    for letter, revision in (("B", "r1"), ("C", "r2")):
        Study(
            models=[answering(letter, revision)], benchmarks=[benchmark], tests="image-needed", epochs=2, out=tmp_path
        ).ask()
    found = answers_of(tmp_path, benchmark)
    assert found.models == ("fake/m (r1)", "fake/m (r1)", "fake/m (r2)", "fake/m (r2)")
    assert found.chosen.tolist() == [[1] * 6, [1] * 6, [2] * 6, [2] * 6]
    assert found.by_model().chosen.tolist() == [[1] * 6, [2] * 6]


def test_most_runs_decide_what_a_model_chose():
    """The most frequent option; of several the earliest run's; −1 only if no run answered."""
    runs = np.array([[2, 1, -1, -1], [1, 1, 0, -1], [1, 0, -1, -1], [0, 0, 2, -1]])
    found = ChosenOptions(tuple("abcd"), tuple("wxyz"), runs, ("m",) * 4).by_model()
    assert found.chosen.tolist() == [[1, 1, 0, -1]]
    assert found.vectors == ("m",)


@pytest.mark.skipif(not (DATA / "italian-medvqa").is_dir(), reason="needs ../shared/data/italian-medvqa")
def test_two_real_models_in_ten_runs_suspect_no_key(tmp_path):
    """60 questions, two models, 20 runs: nothing is flagged, and it says how many models are needed."""
    bring([DATA / "italian-medvqa" / "answers.jsonl.gz"], tmp_path, format="jsonl", allow_broken=True)
    benchmark = stored_benchmark(tmp_path)
    found = answers_of(tmp_path, benchmark)
    assert len(found.vectors) > len(set(found.models)) == 2
    done = audit(prepare_benchmark(benchmark, answers=found), ["wrong-keys", "dead-items"])
    assert done.findings == ()
    assert all("2 models" in sentence for each in done.checked for sentence in each.cannot)
