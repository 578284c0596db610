"""A judge reads rationales side by side: asked once, never told the right answer, its word kept as an opinion."""

import json
import re
from dataclasses import replace

import pytest

from snellen.errors import StoreError
from snellen.items import Benchmark
from snellen.judging.opinions import opinions
from snellen.models.fake import FakeModel
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.taxonomy import BIT, DESCRIBES
from snellen.study import Study, bring, judge
from strategies import items

SEEN = "The image shows a large mass on the left. Answer: A"
UNSEEN = "The image shows a small cyst on the right. Answer: A"


def careful(request):
    """A judge that quotes the sentence about the image of each reply, and holds the first two against each other."""
    quotes = re.findall(r"The image shows a \w+ \w+ on the \w+", request.text)
    entries = [{"reply": n, "sees": [quote], "unsupported": []} for n, quote in enumerate(quotes, 1)]
    against = [{"reply": 1, "quote": quotes[0], "other": 2, "other_quote": quotes[1]}]
    return f"Here you are:\n```json\n{json.dumps({'replies': entries, 'contradictions': against})}\n```"


def unbelieving(request):
    """A judge that finds every statement about the image untrue, whether or not it has the image."""
    quotes = re.findall(r"The image shows a \w+ \w+ on the \w+", request.text)
    return json.dumps(
        {"replies": [{"reply": n, "sees": [quote], "unsupported": [quote]} for n, quote in enumerate(quotes, 1)]}
    )


def ask(out, *, images=True, **settings):
    """A model that describes an image whether or not there is one, asked about three items."""
    model = FakeModel(lambda request: SEEN if request.images else UNSEEN, name="fake/m")
    benchmark = Benchmark("b", items(3, images=images))
    study = Study(models=[model], benchmarks=[benchmark], tests=["image-needed", "rationale"], out=out, **settings)
    study.ask(lambda progress: None)


def judged(out, answer, **settings):
    """Have a judge answer by a function; the requests it got, and what its opinions are taken to be."""
    requests = []
    model = FakeModel(lambda request: requests.append(request) or answer(request), name="fake/judge")
    judge(out, model, watch=lambda progress: None, **settings)
    with Store.open(out) as store:
        study = store.studies.record()
        return requests, opinions(store, study, "b", tuple(study["models"][0]))


@pytest.fixture
def asked(tmp_path):
    """A study of two arms and three items."""
    ask(tmp_path)
    return tmp_path


def test_a_question_without_an_image_is_not_judged_as_if_it_had_one(tmp_path):
    """The judge is told what was sent with each question, not what its condition is called."""
    told = items(4, images=True)
    mixed = Benchmark("b", (*told[:2], *(replace(item, images=()) for item in told[2:])))
    model = FakeModel(lambda request: SEEN if request.images else UNSEEN, name="fake/m")
    study = Study(models=[model], benchmarks=[mixed], tests=["option-order"], out=tmp_path)
    study.ask(lambda progress: None)
    requests, _ = judged(tmp_path, careful)
    assert sorted((bool(each.images), "(shown the image)" in each.text, "(shown no image)" in each.text)
                  for each in requests) == [(False, False, True)] * 2 + [(True, True, False)] * 2  # fmt: skip


def test_opinions_become_measures_under_the_judges_name(asked):
    """What the judge quoted counts; that the two replies contradict each other makes the reasoning answer-driven."""
    judge(asked, FakeModel(careful, name="fake/judge"), watch=lambda progress: None)
    with Store.open(asked) as store:
        results = score(store, unqualified=True)
    [finding] = [each for each in results.findings if each.test.name == "rationale"]
    measure = finding.measure("image-removed", "answer_driven_reasoning_by_judge_rate")
    assert (measure.estimate.value, measure.estimate.n) == (1, 3)
    assert (measure.parser, measure.judge) == ("lenient", "fake/judge")
    assert "judge=" not in measure.estimate.method
    assert finding.measure("image-removed", "hallucinated_features_by_judge_rate").estimate.value == 1
    assert finding.measure("original", "hallucinated_features_by_judge_rate").estimate.value == 0
    said = results.tables["fake/m", "b"].arms["image-removed"].rationales
    assert said.heard.all()
    assert (said.judged & DESCRIBES > 0).all()


def test_the_judge_is_asked_once_for_each_run_of_an_item(asked):
    """Three requests; asked again, none."""
    seen = []
    model = FakeModel(lambda request: seen.append(request) or careful(request), name="fake/judge")
    assert judge(asked, model, watch=lambda progress: None).done == 3
    assert judge(asked, model, watch=lambda progress: None).total == 0
    assert len(seen) == 3
    assert all(len(request.images) == 1 and request.settings.temperature == 0 for request in seen)


def test_a_limit_judges_the_first_items_only(asked):
    """One item: one opinion, and the rates are over that item alone."""
    judge(asked, FakeModel(careful, name="fake/judge"), limit=1, watch=lambda progress: None)
    with Store.open(asked) as store:
        results = score(store, unqualified=True)
    [finding] = [each for each in results.findings if each.test.name == "rationale"]
    assert finding.measure("image-removed", "visual_misperception_by_judge_rate").estimate.n == 1


def test_opinions_of_a_judge_that_nobody_measured_are_held_back(asked):
    """No number rests on them, and the table says whose they are and what to do."""
    judge(asked, FakeModel(careful, name="fake/judge"), watch=lambda progress: None)
    with Store.open(asked) as store:
        held, let_in = score(store), score(store, unqualified=True)
    assert not [row for row in held.rows() if row["judge"]]
    assert [row for row in let_in.rows() if row["judge"] == "fake/judge"]
    [table] = held.tables.values()
    [why] = table.held_back
    assert why.startswith("The opinions of fake/judge (rationale) are held back: its agreement with people")
    assert let_in.tables["fake/m", "b"].held_back == ()


def test_judging_changes_nothing_else(asked):
    """Every number that was there before is still the same."""
    with Store.open(asked) as store:
        before = list(score(store).rows())
    judge(asked, FakeModel(careful, name="fake/judge"), watch=lambda progress: None)
    with Store.open(asked) as store:
        after = [row for row in score(store, unqualified=True).rows() if not row["judge"]]
    assert after == before


def test_a_judge_that_cannot_be_read_has_no_opinion(asked):
    """Its answers are stored, counted as unread, and amount to nothing."""
    _, said = judged(asked, lambda request: "I would rather not.", limit=2)
    assert (said.judge, said.unread, dict(said.by_reply)) == ("fake/judge", 2, {})
    with Store.open(asked) as store:
        results = score(store, unqualified=True)
    assert not results.tables["fake/m", "b"].arms["image-removed"].rationales.heard.any()


def test_only_what_was_judged_can_be_unread(asked):
    """One answer of three cannot be read; the others are opinions on both replies of their items."""
    _, said = judged(asked, lambda request: "No." if "picture 1" in request.text else careful(request))
    assert said.unread == 1
    assert {ordinal for ordinal, _ in said.by_reply["original"]} == {0, 2}


def test_nobody_judged_and_nothing_is_unread(asked):
    """Without a judge there is neither a name nor a count."""
    with Store.open(asked) as store:
        study = store.studies.record()
        said = opinions(store, study, "b", tuple(study["models"][0]))
    assert (said.judge, said.unread, dict(said.by_reply)) == ("", 0, {})


def test_a_judge_with_the_image_may_call_a_description_untrue(asked):
    """The image is attached, so its word on it counts, also for the reply to the image as asked."""
    requests, said = judged(asked, unbelieving)
    assert all(len(request.images) == 1 for request in requests)
    assert all(said.by_reply["original"][ordinal, 0].unsupported for ordinal in range(3))


def test_a_judge_without_the_image_cannot_call_a_description_untrue(tmp_path):
    """The same judge on items without images: what is said to be seen is kept, that it is untrue is not."""
    ask(tmp_path, images=False)
    requests, said = judged(tmp_path, unbelieving)
    assert not any(request.images for request in requests)
    assert all(said.by_reply["original"][ordinal, 0].sees for ordinal in range(3))
    assert not any(opinion.unsupported for by_run in said.by_reply.values() for opinion in by_run.values())
    with Store.open(tmp_path) as store:
        bits = score(store, unqualified=True).tables["fake/m", "b"].arms["original"].rationales.judged
    assert not (bits & BIT["hallucinated features"]).any()


def test_replies_that_the_study_no_longer_asks_for_are_not_judged(tmp_path):
    """Stored with two runs of three items, asked for again with one run of two: two requests."""
    ask(tmp_path, epochs=2)
    ask(tmp_path, limit=2)
    requests, said = judged(tmp_path, careful, epochs=5)
    assert len(requests) == 2
    assert said.by_reply["original"].keys() == {(0, 0), (1, 0)}


@pytest.mark.parametrize(("epochs", "expected"), [(1, {4}), (2, {4, 7}), (3, {4, 7, 9})])
def test_imported_runs_are_counted_not_looked_up_by_number(tmp_path, epochs, expected):
    """The first run of an item is its first, whatever its source called it; 0 is a run of another item."""
    rows = [
        {"model": "m", "benchmark": "b", "item_id": item, "arm": "original", "replicate": replicate, "response": SEEN,
         "question": f"What is {item}?", "options": ["a mass", "a cyst"], "answer": "A"}
        for item, replicate in (("q0", 0), ("q1", 9), ("q1", 4), ("q1", 7))
    ]  # fmt: skip
    (tmp_path / "answers.jsonl").write_text("\n".join(map(json.dumps, rows)))
    bring([tmp_path / "answers.jsonl"], tmp_path / "out", format="jsonl")
    _, said = judged(tmp_path / "out", unbelieving, epochs=epochs)
    assert {replicate for ordinal, replicate in said.by_reply["original"] if ordinal == 1} == expected


def test_a_folder_without_a_study_is_not_made_into_one(tmp_path):
    """It says that there is nothing to judge, and leaves no file."""
    with pytest.raises(StoreError, match="There are no responses in"):
        judge(tmp_path, FakeModel(careful, name="fake/judge"), watch=lambda progress: None)
    assert not list(tmp_path.iterdir())
