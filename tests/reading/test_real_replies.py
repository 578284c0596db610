"""Real replies to an Italian exam: the published table under the strict parser, our own reading under the lenient one.

The replies are not part of the project; the tests skip where they are not beside it.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

from rows import read_table
from snellen.items import LETTERS, Item, Option
from snellen.reading import grade, read_choice
from snellen.reading.choice.strict import read_first_line

SHARED = Path(__file__).parents[2].parent / "shared"
ANSWERS = SHARED / "data" / "italian-medvqa" / "answers.jsonl.gz"
PUBLISHED = SHARED / "oracles" / "published.json"

pytestmark = pytest.mark.skipif(
    not (ANSWERS.exists() and PUBLISHED.exists()), reason=f"the replies of the Italian paper are not at {SHARED}"
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


def test_the_strict_parser_recomputes_the_published_table(rows):
    """Mean accuracy per model and arm is the printed one, to the printed digit."""
    table = json.loads(PUBLISHED.read_text(encoding="utf-8"))["italian"]["table"]
    right = defaultdict(list)
    for row in rows:
        graded = grade(row["response"], "stop", as_item(row), "strict-first-line")
        right[row["model"], row["arm"].removeprefix("image-")].append(graded.outcome == "correct")
    assert {("anthropic/claude-sonnet-4-5", "blank"), ("openai/gpt-5-mini", "original")} <= right.keys()
    for (model, arm), hits in right.items():
        assert table[model][arm][0] == round(100 * sum(hits) / len(hits), 1)


def test_the_lenient_parser_agrees_where_the_strict_one_reads(rows):
    """Whatever the strict parser reads is read alike by the lenient one: reasoning after it changes nothing."""
    differing = [
        (row["item_id"], row["arm"], row["replicate"], row["model"])
        for row in rows
        for strict in [read_first_line(row["response"], as_item(row))]
        if strict.choice is not None and strict.choice != read_choice(row["response"], as_item(row)).choice
    ]
    assert differing == []


READ_BY_HAND = read_table(__file__, "READ_BY_HAND")


def test_reads_as_we_did_where_the_strict_parser_reads_nothing(rows):
    """Replies without the required first line, read by a person: the answer stands under headings, or there is none."""
    by_key = {(row["item_id"], row["arm"], row["replicate"], row["model"]): row for row in rows}
    for *key, expected in READ_BY_HAND:
        row = by_key[tuple(key)]
        reading = read_choice(row["response"], as_item(row))
        assert expected == (LETTERS[reading.choice] if reading.choice is not None else reading.rule), key


SEEN = read_table(__file__, "SEEN")
"""A random sample of the other replies, drawn by model and arm; first line, opening and end were read by eye."""


def test_reads_a_random_sample_as_we_did(rows):
    """Replies with the required first line: the reasoning after it neither changes nor hides the answer."""
    responses = {(row["model"], row["arm"], f"{row['item_id']}/{row['replicate']}"): row for row in rows}
    differing = []
    for model, arm, seen in SEEN:
        for key, letter in (entry.split("=") for entry in seen):
            row = responses[model, arm, key]
            if read_choice(row["response"], as_item(row)).choice != LETTERS.index(letter):
                differing.append((model, arm, key))
    assert differing == []
    assert sum(len(seen) for _, _, seen in SEEN) + len(READ_BY_HAND) >= 250


def test_reasoning_alone_is_never_read_against_the_stated_answer(rows):
    """With its first line taken away, a reply is read as what that line said, or not at all.

    One reply argues against its own first line and is left out.
    """
    read, against = 0, []
    for row in rows[::2]:
        strict = read_first_line(row["response"], as_item(row))
        if strict.choice is None or (row["item_id"], row["arm"], row["replicate"]) == ("IT1100", "original", 8):
            continue
        choice = read_choice(row["response"].partition("\n")[2], as_item(row)).choice
        read += choice is not None
        if choice not in (None, strict.choice):
            against.append((row["item_id"], row["arm"], row["replicate"], row["model"]))
    assert against == []
    assert read > 100
