"""`snellen benchmark show` and `snellen list benchmarks`: what a benchmark holds, and what its text cannot do."""

import json

import numpy as np
from click.testing import CliRunner

from image_files import jpeg, png
from snellen.benchmarks import MEMBERS, list_published
from snellen.cli import cli
from snellen.errors import DataError
from snellen.images import encode
from snellen.plugins import find

HOSTILE = '<img src=x onerror="alert(1)">'


def run(*words):
    done = CliRunner().invoke(cli, words, catch_exceptions=False, terminal_width=200)
    assert done.exit_code == 0, done.output
    return " ".join(done.output.split())


def refused(*words):
    """What is printed, and the message of the error that ends it."""
    done = CliRunner().invoke(cli, words, terminal_width=200)
    assert isinstance(done.exception, DataError)
    return " ".join(done.output.split()), str(done.exception)


def test_counts_and_items_are_shown_and_hostile_words_are_inert(tmp_path):
    """Counts on the terminal; on the page the items with image, options and answer, and no markup of theirs."""
    image = encode(np.full((8, 8), 90, np.uint8)).data
    (tmp_path / "a.png").write_bytes(image)
    rows = [
        {"id": "1", "question": HOSTILE, "options": ["left", "right"], "answer": "B", "image": "a.png"},
        {"id": "2", "question": "What is it?", "answer": "a cyst", "image": "gone.png", "category": "chest"},
        {"id": "3", "question": "Which?", "options": ["x", "x"], "answer": "A"},
    ]
    (tmp_path / "items.json").write_text(json.dumps(rows))
    said, why = refused("benchmark", "show", str(tmp_path), "--out", str(tmp_path / "sheet.html"))
    page = (tmp_path / "sheet.html").read_text()
    assert "2: choice 1, open 1" in said
    assert why == "1 image and 1 row cannot be used. Fix or remove them: an exam would stop at them."
    assert "1 row cannot be used" in said
    assert HOSTILE not in page
    assert "&lt;img src=x" in page
    assert page.count("data:image/jpeg;base64,") == 1
    assert "gone.png" in page
    assert "a cyst" in page


def test_images_that_an_exam_would_stop_at_do_not_pass(tmp_path):
    """Missing, elsewhere, on the web or cut off: each is named with its reason, and the command fails."""
    (tmp_path / "b").mkdir()
    (tmp_path / "elsewhere.png").write_bytes(png())
    (tmp_path / "b" / "good.png").write_bytes(png())
    (tmp_path / "b" / "cut.jpg").write_bytes(jpeg()[:-40])
    reasons = {
        "gone.png": "is not there",
        "../elsewhere.png": "lies outside the folder",
        "https://example.org/a.png": "is a web address",
        "cut.jpg": "end",
    }
    for bad, reason in reasons.items():
        rows = [
            {"id": str(at), "question": "Which?", "options": ["x", "y"], "answer": "A", "image": image}
            for at, image in enumerate(("good.png", bad))
        ]
        (tmp_path / "b" / "items.json").write_text(json.dumps(rows))
        said, why = refused("benchmark", "show", str(tmp_path / "b"), "--out", str(tmp_path / "sheet.html"))
        assert why.startswith("1 image cannot be used")
        assert reason in said.partition("item '1': ")[2]


def test_cases_without_an_answer_do_not_pass(tmp_path):
    """They can be audited and annotated, and not asked."""
    (tmp_path / "items.json").write_text(json.dumps([{"id": "1", "question": "What is it?"}]))
    said, why = refused("benchmark", "show", str(tmp_path), "--out", str(tmp_path / "sheet.html"))
    assert "item '1': its reference answer is empty" in said
    assert why.startswith("1 item cannot be used.")


def test_a_published_benchmark_says_how_to_get_it():
    """Every published benchmark is listed, and its bare name shows its licence, its tier and what to do."""
    listed = run("list", "benchmarks")
    for name, told in list_published().items():
        assert told.title in listed
        said = run("benchmark", "show", name)
        assert told.licence.split()[0] in said
        assert told.tier in said


def test_every_published_benchmark_says_all_that_is_asked_of_it():
    """Tier, licence, citation, splits and how to get it; an unverified one knows its columns."""
    for name, told in list_published().items():
        assert told.get.endswith("."), name
        assert told.licence, name
        assert told.citation, name
        assert told.splits, name
        assert not told.unverified or told.columns, name
        assert callable(find("datasets", MEMBERS, name))


def test_a_guess_is_said_and_a_map_overrules_it(tmp_path):
    """What is read as images without being told so is said on the terminal too."""
    (tmp_path / "a.png").write_bytes(encode(np.full((8, 8), 90, np.uint8)).data)
    (tmp_path / "q.csv").write_text("question,options,answer,image_path\nWhere?,left|right,A,a.png\n")
    words = ("benchmark", "show", str(tmp_path / "q.csv"), "--out", str(tmp_path / "sheet.html"))
    assert "read `image_path` as images" in run(*words)
    said = run(*words, "--map", "images=none")
    assert "read `image_path`" not in said
    assert "0 images 1" in said
