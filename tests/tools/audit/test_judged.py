"""A judge reads items as items: its doubts are listed, and count as far as labels of people bear them out."""

import pytest

from snellen.errors import DataError, StudyError
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.study import Study
from snellen.tools.audit.audit import audit, list_to_mend
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.judged import FEWEST_LABELS, STUDY, TEST, UNQUALIFIED, judge_items, qualify_judge, read_judge
from strategies import picture

COUNT = 60
SIDES = (Option("Left"), Option("Right"))
ITEMS = (
    *(Item(f"q{at}", f"Which side has shadow {at}?", SIDES, at % 2, images=(picture(at),)) for at in range(COUNT - 1)),
    Item("open", "What is a cyst?", kind="open", answer="A sac"),
)
BENCHMARK = Benchmark("films", ITEMS)
DOUBTED = {f"q{at}" for at in range(0, 50, 2)}


def judging(request):
    """Doubts the key of every second of the first fifty, says nothing readable of one, and finds the rest sound."""
    assert "Answer key:" in request.text
    assert not request.images
    if "What is a cyst" in request.text:
        return "Answer: D"
    number = int(request.text.partition("shadow ")[2].partition("?")[0])
    if number == 1:
        return "Hm."
    return "Answer: B" if f"q{number}" in DOUBTED else "Answer: A"


@pytest.fixture
def judged(tmp_path):
    """What the judge said, asked as a study."""
    asked = judge_items(BENCHMARK, images=False)
    judge = FakeModel(judging, name="lab/judge")
    study = Study(models=[judge], benchmarks=[asked], tests=[TEST], out=tmp_path, name=STUDY, canary=False)
    study.ask(lambda progress: None)
    return read_judge(tmp_path, asked)


def test_doubts_are_listed_and_alone_make_no_item_to_mend(judged):
    """What the judge said of each item; what cannot be read is counted; nobody labelled, so nothing is to be mended."""
    assert {name for name, said in judged.said.items() if said == "key"} == DOUBTED
    assert (judged.said["open"], judged.unread, judged.sure) == ("no-image", 1, UNQUALIFIED)
    done = audit(Audited("films", ITEMS, judged=judged), ["doubts-of-a-judge"])
    [finding] = done.findings
    assert finding.sentence == f"lab/judge doubts {len(DOUBTED) + 1} of the {COUNT - 1} items that it read."
    assert "key is wrong" in finding.items[0].evidence
    assert list_to_mend(done) == []
    assert any("Its answer to 1 item could not be read" in note for note in done.checked[0].notes)
    nobody = audit(Audited("films", ITEMS), ["doubts-of-a-judge"]).checked[0]
    assert "--judge MODEL" in nobody.cannot[0]


def test_labels_of_people_say_how_far_a_doubt_counts(judged, tmp_path):
    """Precision, recall and κ; with enough labels a doubt counts with the lower end of the precision's interval."""
    labels = tmp_path / "labels.csv"
    right = sorted(DOUBTED)[: len(DOUBTED) - 2]
    rows = [f"{item.id},{'wrong key' if item.id in right or item.id == 'q51' else ''}" for item in ITEMS]
    labels.write_text("item_id,defect\n" + "\n".join(rows))
    found = qualify_judge(judged, labels, ITEMS)
    assert found.qualified.precision.n == len(DOUBTED) + 1 >= FEWEST_LABELS
    assert found.qualified.precision.value == pytest.approx(len(right) / (len(DOUBTED) + 1))
    assert found.qualified.recall.value == pytest.approx(len(right) / (len(right) + 1))
    assert found.sure == found.qualified.precision.low > 0.6
    done = audit(Audited("films", ITEMS * 3, judged=found), ["doubts-of-a-judge"])
    share = f"of its doubts with a label, {found.qualified.precision.value:.0%} ("
    assert share in done.findings[0].sentence
    listed = list_to_mend(done)
    assert {each.item_id for each in listed} == DOUBTED | {"open"}
    labels.write_text("item_id,defect\nother,x\n")
    with pytest.raises(DataError, match="no item 'other'"):
        qualify_judge(judged, labels, ITEMS)


def test_a_judge_reads_the_key_and_sees_images_only_if_wanted():
    """The question names options and key; items without a key are left out, and a set without one is refused."""
    asked = judge_items(BENCHMARK, images=True)
    assert asked.items[0].images == ITEMS[0].images
    assert "Options: A: Left | B: Right\nAnswer key: A: Left" in asked.items[0].question
    assert "not shown here" in judge_items(BENCHMARK, images=False).items[0].question
    with pytest.raises(StudyError, match="no item with a key"):
        judge_items(Benchmark("none", (Item("a", "What?", kind="open"),)), images=False)
