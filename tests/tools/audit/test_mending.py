"""People decide on the items that an audit doubts; the copy has their corrections, and the original stays."""

import csv
import json
from dataclasses import replace

import pytest

from snellen.benchmarks import load
from snellen.errors import StudyError
from snellen.items import Benchmark, Item, Option
from snellen.store import Store
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.mending import MendDecision, apply_decisions, doubt_items, save_mended
from snellen.tools.review.ballots import ReviewedCase, Vote
from snellen.tools.review.drawing import DrawingPlan, draw_sample
from snellen.tools.review.questions import store_questions
from snellen.tools.review.results import summarise_review
from snellen.tools.review.tasks.mend import MEND
from strategies import picture

SIDES = (Option("Left"), Option("Right"))
ITEMS = (
    Item("sound", "Which side is it?", SIDES, 0, images=(picture(1),)),
    Item("template", "Which side is/are it?", SIDES, 0, images=(picture(2),)),
    Item("doubt", "What is seen?", kind="open", answer="A cyst?", images=(picture(3),)),
    Item("general", "What is a pneumothorax?", kind="open", answer="Air in the pleural space", images=(picture(4),)),
)
BENCHMARK = Benchmark("films", ITEMS)
CHECKS = ("wording", "key-fits", "needs-no-image")


def test_decisions_make_a_corrected_copy_with_a_changelog(tmp_path):
    """Kept, mended and removed items, and those that nobody mended; the original is as it was."""
    decisions = [
        MendDecision("template", "mend", key="B", question="Which side is it on?", why="typo", decided_by="agreement"),
        MendDecision("doubt", "mend", key="A renal cyst"),
        MendDecision("general", "remove", why="needs no image"),
    ]
    before = [replace(item) for item in ITEMS]
    save_mended(BENCHMARK, decisions, tmp_path / "copy", agreement={"kappa": 1.0})
    assert list(ITEMS) == before
    copy = {item.id: item for item in load(str(tmp_path / "copy"))}
    assert set(copy) == {"sound", "template", "doubt"}
    assert (copy["template"].question, copy["template"].answer) == ("Which side is it on?", 1)
    assert copy["doubt"].references == ("A renal cyst",)
    assert copy["sound"].question == ITEMS[0].question
    rows = {
        row["item_id"]: row for row in csv.DictReader((tmp_path / "copy" / "changelog.csv").read_text().splitlines())
    }
    assert {name: row["done"] for name, row in rows.items()} == {
        "template": "mended", "doubt": "mended", "general": "removed",
    }  # fmt: skip
    assert (rows["template"]["key_before"], rows["template"]["key"]) == ("A: Left", "B: Right")
    record = json.loads((tmp_path / "copy" / "mended.json").read_text())
    assert (record["items_before"], record["items"], record["agreement"]) == (4, 3, {"kappa": 1.0})
    with pytest.raises(StudyError, match="nothing is overwritten"):
        save_mended(BENCHMARK, decisions, tmp_path / "copy")


def test_what_was_not_written_down_is_still_to_be_mended():
    """A decision to mend without a new key or question, or with a key that no option has, changes nothing."""
    vague = [
        MendDecision("template", "mend"),
        MendDecision("sound", "mend", key="Middle"),
        MendDecision("doubt", "keep"),
    ]
    kept, changes = apply_decisions(ITEMS, vague)
    assert kept == list(ITEMS)
    assert [each.done.partition(":")[0] for each in changes] == [
        "still to be mended", "still to be mended", "kept as it is",
    ]  # fmt: skip
    with pytest.raises(StudyError, match="which this benchmark does not have"):
        apply_decisions(ITEMS, [MendDecision("other", "keep")])


def test_images_that_are_missing_hinder_neither_the_review_nor_the_copy(tmp_path):
    """The page says that an image is missing; the copy keeps its name, so that it can be added."""
    (tmp_path / "set").mkdir()
    (tmp_path / "set" / "items.jsonl").write_text(
        '{"id": "a", "question": "Which side is/are it?", "options": ["Left", "Right"], "answer": "A", '
        '"images": ["gone.png"]}\n'
    )
    given = load(str(tmp_path / "set"), keep_unreadable=True)
    doubted = doubt_items(audit(Audited("films", given.items), CHECKS))
    assert doubted.items[0].metadata["doubts"][0].startswith("All its images (1) cannot be read")
    name = store_questions(tmp_path / "review", doubted, {"created": "2026-11-19"}, kinds=("choice",), stem="audit")
    with Store.open(tmp_path / "review") as store:
        [case] = draw_sample(store, store.studies.record(name), MEND, DrawingPlan()).cases
    assert not case.shown.images
    save_mended(given, [MendDecision("a", "mend", question="Which side is it?")], tmp_path / "copy")
    [copied] = load(str(tmp_path / "copy"), keep_unreadable=True)
    assert (copied.question, [image.name.rpartition("/")[2] for image in copied.images]) == (
        "Which side is it?", ["gone.png"],
    )  # fmt: skip


def test_raters_see_the_item_its_key_its_image_and_what_is_doubted(tmp_path):
    """The items to mend alone, of every kind; what two raters agree on is settled, another key is not."""
    doubted = doubt_items(audit(Audited("films", ITEMS), CHECKS))
    assert [item.id for item in doubted] == ["doubt", "template", "general"]
    name = store_questions(tmp_path, doubted, {"created": "2026-11-19"}, kinds=("choice", "open"), stem="audit")
    with Store.open(tmp_path) as store:
        cases = draw_sample(store, store.studies.record(name), MEND, DrawingPlan()).cases
    shown = {case.subject.item_id: case for case in cases}
    assert set(shown) == {"doubt", "template", "general"}
    told = {passage.title: passage.text for passage in shown["doubt"].shown.passages}
    assert told == {"Reference answer": "A cyst?", "What the audit says": "The key expresses doubt."}
    assert all(len(case.images) == 1 for case in cases)

    def case(number, *values):
        votes = tuple(Vote(number, f"r{at}", False, value, 1.0, float(at)) for at, value in enumerate(values))
        return ReviewedCase(number, MEND.name, cases[number].subject, cases[number].shown, 2, "open", votes)

    said = [{"decision": "mend", "key": "Renal cyst."}, {"decision": "mend", "key": "renal cyst", "why": "seen"}]
    found = summarise_review([case(0, *said), case(1, said[0], {"decision": "mend", "key": "abscess"})], MEND)
    assert set(found.settled) == {0}
    with pytest.raises(StudyError, match="lists no item to mend"):
        doubt_items(audit(Audited("films", ITEMS[:1]), CHECKS))
