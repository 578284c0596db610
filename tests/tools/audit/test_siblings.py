"""The training split beside a benchmark: found by its name, on this machine only, and read without being named."""

import json

import pytest

from snellen.benchmarks import folder, look_up_published
from snellen.tools.audit.audit import MOST_ITEMS, Sibling, audit_benchmark, find_sibling
from strategies import items


@pytest.fixture
def beside(tmp_path):
    """A test split and a training split in folders beside each other, of four and two items."""
    own = items(6)
    folder.save(own[:4], tmp_path / "bench-test")
    folder.save(own[4:], tmp_path / "bench-train")
    return tmp_path


def test_files_and_folders_are_found_by_their_names(beside):
    """`train` in the place of `test` or `validation`, of the same kind; nothing else is taken for a training split."""
    assert find_sibling(beside / "bench-test") == Sibling(str(beside / "bench-train"))
    assert find_sibling(f"folder:{beside / 'bench-test'}") == Sibling(f"folder:{beside / 'bench-train'}")
    for name in ("q_test.csv", "q_train.csv", "val.csv", "training.csv", "testset.json", "trainset.json", "latest.csv"):
        (beside / name).write_text("")
    for scored, trained in (
        ("q_test.csv", "q_train.csv"),
        ("val.csv", "training.csv"),
        ("testset.json", "trainset.json"),
    ):
        assert find_sibling(beside / scored) == Sibling(str(beside / trained))
    for alone in ("latest.csv", "q_train.csv", "bench-train"):
        assert find_sibling(beside / alone) is None
    (beside / "dev").mkdir()
    (beside / "train").write_text("a file, not a folder")
    assert find_sibling(beside / "dev") is None


def test_published_splits_are_found_by_their_names(tmp_path):
    """Only of usual test splits, since others may overlap with training; never what would be downloaded."""
    line = f"vqa-rad:{tmp_path}"
    found = Sibling(f"{line},split=train", look_up_published("vqa-rad").splits["train"])
    assert find_sibling(line) == find_sibling(f"{line},split=test") == found
    for other in (f"{line},split=authors-test", f"{line},split=train", f"{line},split=all"):
        assert find_sibling(other) is None
    assert find_sibling(f"pmc-vqa:{tmp_path},split=test-2").line == f"pmc-vqa:{tmp_path},split=train-2"
    assert find_sibling(f"folder:{tmp_path},split=test,map=id:x").line == f"folder:{tmp_path},map=id:x,split=train"
    for absent in ("vqa-rad:hf", "hf:flaviagiammarino/vqa-rad", f"{line}/none", "phantoms:items=20", "unheard-of"):
        assert find_sibling(absent) is None


def test_it_is_read_without_being_named(beside):
    """Its items are checked with the others; `none` leaves it out, and so does a training split among the items."""
    done = audit_benchmark(beside / "bench-test", checks=["missing-images"])
    assert [item.id for item in done.of.training] == ["q004", "q005"]
    assert "6 of 6 items have a blank image" in done.findings[0].sentence
    assert (
        done.of.beside == "Its training split (2 items) lies beside it and was read, too. --train none leaves it out."
    )
    alone = audit_benchmark(beside / "bench-test", train="none", checks=["missing-images"])
    assert (alone.of.training, alone.of.beside) == ((), "")
    named = audit_benchmark(beside / "bench-test", train=beside / "bench-train", checks=["missing-images"])
    assert (len(named.of.training), named.of.beside) == (2, "")
    rows = [{"id": str(at), "question": "Which?", "options": ["x", "y"], "answer": "A", "split": split}
            for at, split in enumerate(("test", "train"))]  # fmt: skip
    (beside / "all_test.json").write_text(json.dumps(rows))
    (beside / "all_train.json").write_text(json.dumps(rows))
    assert audit_benchmark(beside / "all_test.json", checks=["majority"]).of.beside == ""


def test_one_that_cannot_be_read_or_is_too_large_is_said(beside, monkeypatch):
    """Neither stops the audit."""
    (beside / "bench-train" / "items.jsonl").unlink()
    done = audit_benchmark(beside / "bench-test", checks=["majority"])
    assert done.of.training == ()
    assert done.of.beside.startswith("Its training split is not here, or cannot be read.")

    monkeypatch.setattr("snellen.tools.audit.audit.find_sibling", lambda _: Sibling("x", MOST_ITEMS + 1))
    large = audit_benchmark(beside / "bench-test", checks=["majority"])
    assert large.of.beside.startswith("Its training split has 20,001 items and was not read.")
