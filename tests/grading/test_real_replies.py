"""Real replies to an Italian exam: the published table under the strict reader, our own reading under the lenient one.

The replies are not part of the project; the tests skip where they are not beside it.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from snellen.grading import READERS, grade, read_choice
from snellen.items import LETTERS, Item, Option

SHARED = Path(__file__).parents[2].parent / "shared"
ANSWERS = SHARED / "data" / "italian-medvqa" / "answers.jsonl.gz"
PUBLISHED = SHARED / "oracles" / "published.json"

pytestmark = pytest.mark.skipif(
    not (ANSWERS.exists() and PUBLISHED.exists()), reason=f"the replies of paper 002 are not at {SHARED}"
)


@pytest.fixture(scope="module")
def rows():
    """All replies, as published."""
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def as_item(row):
    """The question of a row; its options are letters only."""
    return Item(
        id=row["item_id"],
        question=row["question"],
        options=tuple(map(Option, row["options"])),
        answer=LETTERS.index(row["answer"]),
        language="it",
    )


def test_the_strict_reader_recomputes_the_published_table(rows):
    """Mean accuracy per model and arm is the printed one, to the printed digit."""
    table = json.loads(PUBLISHED.read_text(encoding="utf-8"))["italian"]["table"]
    right = defaultdict(list)
    for row in rows:
        graded = grade(row["response"], "stop", as_item(row), "strict-first-line")
        right[row["model"], row["arm"].removeprefix("image-")].append(graded.outcome == "correct")
    assert {("anthropic/claude-sonnet-4-5", "blank"), ("openai/gpt-5-mini", "original")} <= right.keys()
    for (model, arm), hits in right.items():
        assert table[model][arm][0] == round(100 * sum(hits) / len(hits), 1)


def test_the_lenient_reader_agrees_where_the_strict_one_reads(rows):
    """Whatever the strict reader reads is read alike by the lenient one: reasoning after it changes nothing."""
    differing = [
        (row["item_id"], row["arm"], row["replicate"], row["model"])
        for row in rows
        for strict in [READERS["strict-first-line"](row["response"], as_item(row))]
        if strict.choice is not None and strict.choice != read_choice(row["response"], as_item(row)).choice
    ]
    assert differing == []


CLAUDE, GPT = "anthropic/claude-sonnet-4-5", "openai/gpt-5-mini"
READ_BY_HAND = [
    ("IT0063", "image-blank", 1, CLAUDE, "C"),
    ("IT0455", "original", 1, CLAUDE, "B"),
    ("IT0507", "image-blank", 1, CLAUDE, "B"),
    ("IT1100", "image-blank", 1, CLAUDE, "D"),
    ("IT0229", "image-blank", 2, CLAUDE, "A"),
    ("IT1100", "image-blank", 2, CLAUDE, "D"),
    ("IT0229", "image-blank", 3, CLAUDE, "A"),
    ("IT0455", "original", 3, CLAUDE, "B"),
    ("IT1100", "image-blank", 3, CLAUDE, "D"),
    ("IT0229", "image-blank", 4, CLAUDE, "A"),
    ("IT0532", "original", 4, CLAUDE, "C"),
    ("IT1100", "image-blank", 4, CLAUDE, "D"),
    ("IT0229", "image-blank", 5, CLAUDE, "A"),
    ("IT0455", "original", 5, CLAUDE, "B"),
    ("IT1100", "image-blank", 5, CLAUDE, "E"),
    ("IT0032", "original", 6, CLAUDE, "no-answer"),
    ("IT0229", "image-blank", 6, CLAUDE, "A"),
    ("IT0455", "original", 6, CLAUDE, "B"),
    ("IT1100", "image-blank", 6, CLAUDE, "D"),
    ("IT0455", "original", 7, CLAUDE, "B"),
    ("IT0532", "original", 7, CLAUDE, "C"),
    ("IT0563", "image-blank", 7, CLAUDE, "E"),
    ("IT0375", "image-blank", 8, CLAUDE, "C"),
    ("IT0507", "image-blank", 8, CLAUDE, "B"),
    ("IT0532", "original", 8, CLAUDE, "C"),
    ("IT1100", "image-blank", 8, CLAUDE, "D"),
    ("IT0229", "original", 9, CLAUDE, "A"),
    ("IT0229", "image-blank", 9, CLAUDE, "A"),
    ("IT0455", "original", 9, CLAUDE, "B"),
    ("IT0532", "original", 9, CLAUDE, "C"),
    ("IT0563", "image-blank", 9, CLAUDE, "E"),
    ("IT1100", "image-blank", 9, CLAUDE, "E"),
    ("IT0063", "image-blank", 10, CLAUDE, "C"),
    ("IT0229", "image-blank", 10, CLAUDE, "A"),
    ("IT0507", "image-blank", 10, CLAUDE, "B"),
    ("IT0532", "original", 10, CLAUDE, "C"),
    ("IT1100", "image-blank", 10, CLAUDE, "E"),
    ("IT1100", "image-blank", 7, GPT, "no-answer"),
    ("IT0053", "image-blank", 10, GPT, "no-answer"),
]


@pytest.mark.parametrize(("item_id", "arm", "replicate", "model", "expected"), READ_BY_HAND)
def test_reads_as_we_did_where_the_strict_reader_reads_nothing(rows, item_id, arm, replicate, model, expected):
    """Replies without the required first line, read by a person: the answer stands under headings, or there is none."""
    key = (item_id, arm, replicate, model)
    [row] = [row for row in rows if (row["item_id"], row["arm"], row["replicate"], row["model"]) == key]
    reading = read_choice(row["response"], as_item(row))
    assert expected == (LETTERS[reading.choice] if reading.choice is not None else reading.rule)


def test_reasoning_alone_is_never_read_against_the_stated_answer(rows):
    """With its first line taken away, a reply is read as what that line said, or not at all.

    One reply argues against its own first line and is left out.
    """
    read, against = 0, []
    for row in rows:
        strict = READERS["strict-first-line"](row["response"], as_item(row))
        if strict.choice is None or (row["item_id"], row["arm"], row["replicate"]) == ("IT1100", "original", 8):
            continue
        choice = read_choice(row["response"].partition("\n")[2], as_item(row)).choice
        read += choice is not None
        if choice not in (None, strict.choice):
            against.append((row["item_id"], row["arm"], row["replicate"], row["model"]))
    assert against == []
    assert read > 250
