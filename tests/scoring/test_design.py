"""What verdicts must know of a study's design: who lent images, which items are one patient's, room for words."""

from dataclasses import replace

import numpy as np
import pytest

from snellen import Study
from snellen.items import Benchmark, Option
from snellen.models.base import ZERO_SHOT, Response, receipt
from snellen.models.fake import FakeModel
from snellen.reading.columns import NOTHING
from snellen.scoring.tables import find_donors
from snellen.stress import stress_test
from snellen.stress.folds import group_patients
from snellen.stress.table import Table
from snellen.study import publish, rescore
from strategies import findings, items, picture

pytestmark = pytest.mark.usefixtures("no_groups")

LETTER = "{question}\n{options}\nAnswer with the letter alone."


def score(folder, answer="Answer: A", finish="stop", **given):
    """The table of a model that always says the same."""

    def reply(request):
        return Response(answer, finish, sent=tuple(map(receipt, request.images)))

    model = FakeModel(reply, name="fake/m")
    given = {"benchmarks": [Benchmark("b", findings())], "tests": ["follows"], "canary": False, **given}
    Study(models=[model], out=folder, **given).ask(lambda progress: None)
    (table,) = rescore(folder).tables.values()
    return table


def test_tables_say_who_lent_the_images(tmp_path):
    """A swap has the place of its lender, also of one that is not asked; other conditions have none."""
    table = score(tmp_path, limit=6)
    swapped = table.arms["image-substituted"]
    assert len(swapped.donor) == 6
    assert len({*swapped.donor.tolist()}) == 6
    assert 0 <= swapped.donor.min() <= swapped.donor.max() < 24
    assert swapped.donor.max() >= 6
    assert not len(table.arms["original"].donor)


def test_one_image_is_one_donor_whoever_lent_it():
    """Items that lent the same image stand as the first of them; conditions together are looked into."""
    lent = {0: {"lent_by": "a"}, 1: {"image-substituted": {"lent_by": "b"}}, 2: {"lent_by": ""}, 3: {"lent_by": "c"}}
    shown = {0: ("x",), 1: ("x",), 3: ("y",)}
    places = {"a": 5, "b": 6, "c": 7}
    assert find_donors(lent, shown, places, 5).tolist() == [5, 5, NOTHING, 7, NOTHING]
    assert find_donors({}, {}, places, 5).tolist() == []


def test_a_study_of_an_older_version_keeps_its_swaps(tmp_path, monkeypatch):
    """Its draws are stored: a model that is added sees the images that the others saw, whatever is drawn today."""
    folder = tmp_path / "out"
    with monkeypatch.context() as older:
        older.setattr("snellen.conditions.lending.MOST_MATCHED", 0)
        before = score(folder).arms["image-substituted"]
    fresh = score(tmp_path / "fresh").arms["image-substituted"]
    assert before.donor.tolist() != fresh.donor.tolist()
    later = FakeModel(lambda request: "Answer: B", name="fake/later")
    study = Study(models=[later], benchmarks=[Benchmark("b", findings())], tests=["follows"], canary=False, out=folder)
    study.ask(lambda progress: None)
    (table,) = rescore(folder).tables.values()
    assert table.arms["image-substituted"].donor.tolist() == before.donor.tolist()


def test_items_without_a_patient_are_grouped_by_image_and_case(tmp_path):
    """In a store as in the benchmark; a named patient counts as it is, and a text of all items is no case."""
    shared = [
        replace(item, images=(picture(at // 2),), context="Answer in English." if at < 9 else "A man of 70.")
        for at, item in enumerate(items(12))
    ]
    shared[11] = replace(shared[11], cluster="p1")
    table = score(tmp_path, benchmarks=[Benchmark("b", tuple(shared))])
    assert not table.names_patients
    assert table.patients.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4, 5]
    assert len(np.unique(table.clusters)) == 12
    publish(tmp_path)
    said = (tmp_path / "report.html").read_text(encoding="utf-8")
    told = "11 items name no patient: for verdicts, items that share an image or a case text count as one."
    assert f"{told} 12 items count as 6 patients." in said
    named = [replace(item, cluster=f"p{at % 3}") for at, item in enumerate(shared)]
    assert group_patients(named, {0: ["x"], 1: ["x"]}).tolist() == [0, 1, 2] * 4
    assert Table("m", "b", tuple(named), {}).names_patients


@pytest.mark.parametrize(
    ("given", "answer", "room"),
    [
        ({}, "Answer: A", True),
        ({"prompt": "mirage"}, "[[A]]", False),
        ({"prompt": "readiness-cot"}, "<answer>A</answer>", True),
        ({"prompt": LETTER}, "A", None),
        ({"prompt": "{question}\n{options}\n{answer_format}"}, "Answer: A", True),
        ({"finish": ZERO_SHOT}, "Answer: A", False),
    ],
)
def test_tables_say_whether_the_prompt_leaves_room_for_words(tmp_path, given, answer, room):
    """Our prompts declare it, others have our sentence or nobody says; probabilities of options leave none."""
    assert score(tmp_path, answer, **given).has_room is room


def yes_no(count):
    """Questions without labels, so that no other image is known to show the other answer."""
    options = (Option("Yes"), Option("No"))
    asked = (replace(item, question=f"Is sign {item.id} present?", options=options) for item in items(count))
    return tuple(replace(item, answer=at % 2, metadata={"modality": "CT"}) for at, item in enumerate(asked))


@pytest.mark.parametrize(
    ("benchmark", "asked"),
    [
        (yes_no(8), True),
        (findings(24), True),
        (findings(30), False),
        (tuple(replace(item, images=()) for item in yes_no(8)), False),
        (tuple(replace(item, kind="open", options=(), answer="yes") for item in yes_no(8)), True),
    ],
    ids=["yes or no", "few swaps", "enough swaps", "no image", "open"],
)
def test_any_other_image_is_asked_where_too_few_swaps_have_a_known_answer(tmp_path, benchmark, asked):
    """The standard exam asks it only there; it counts in the plan and is graded by the old key."""
    study = Study(models=["organism/random"], benchmarks=[Benchmark("b", benchmark)], out=tmp_path, repeat=False)
    plan = study.plan()
    assert ("image-exchanged" in [arm.name for arm in plan.arms_of(plan.benchmarks[0])]) == asked
    if asked:
        counts = {count.test: count for count in plan.counts()}
        test = "open-answers" if "open-answers" in counts else "follows"
        assert counts[test].requests >= len(benchmark) * (3 if test == "open-answers" else 2)
        study.ask(lambda progress: None)
        (table,) = rescore(tmp_path).tables.values()
        assert len(table.arms["image-exchanged"]) == len(benchmark)
        assert table.key("image-exchanged").tolist() == table.key("original").tolist()
    if benchmark[0].kind == "choice":
        stopping = replace(study, until_settled=True, out=tmp_path / "rounds").plan()
        assert ("image-exchanged" in [arm.name for arm in stopping.arms_of(stopping.benchmarks[0])]) == asked
    assert stress_test("follows:prompt=letter-cot").fallback.arm.name == "image-exchanged+letter-cot"
