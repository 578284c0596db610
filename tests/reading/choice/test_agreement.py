"""The lenient parser held against a person's reading of 3,458 real replies to questions of up to ten options.

The replies are not part of the project; the tests skip where they are not beside it. A third of the questions is kept
apart, by the SHA-256 of their ids: no rule was written with its replies in sight.
"""

from __future__ import annotations

import gzip
import hashlib
import json
from pathlib import Path

import pytest

from snellen.items import LETTERS, Item, Option
from snellen.reading import read_choice

REPLIES = Path(__file__).parents[3].parent / "shared" / "data" / "mmmu-pro-replies" / "replies.jsonl.gz"

pytestmark = pytest.mark.skipif(not REPLIES.exists(), reason=f"the labelled replies are not at {REPLIES}")


def is_kept_apart(item_id):
    """Whether a question is one of the third that no rule was written for."""
    return int(hashlib.sha256(item_id.encode()).hexdigest(), 16) % 3 == 0


def rows(*, kept_apart):
    """The replies of one part."""
    with gzip.open(REPLIES, "rt", encoding="utf-8") as lines:
        return [row for row in map(json.loads, lines) if is_kept_apart(row["item_id"]) == kept_apart]


def read(row, ending=""):
    """The letter that is read, or "none"."""
    item = Item(id=row["item_id"], question=row["question"], options=tuple(map(Option, row["options"])))
    choice = read_choice(row["response"] + ending, item).choice
    return "none" if choice is None else LETTERS[choice]


@pytest.mark.parametrize("kept_apart", [False, True])
def test_replies_are_read_as_a_person_reads_them(kept_apart):
    """At least 99.7% are, in both parts, and no letter is read that the person did not read."""
    both = [(read(row), row["label"]) for row in rows(kept_apart=kept_apart)]
    assert [pair for pair in both if pair[0] not in ("none", pair[1])] == []
    assert sum(said == label for said, label in both) >= 0.997 * len(both)


@pytest.mark.parametrize("form", ["Answer: {}", "**Final answer:** ({})", "### Answer\n\n{}", "Risposta corretta: {}"])
def test_a_last_line_with_the_answer_is_final_after_any_real_reply(form):
    """Whatever the reply says, the line that is added to it decides."""
    against = []
    for place, row in enumerate(rows(kept_apart=False)):
        letter = LETTERS[7 * place % len(row["options"])]
        if read(row, f"\n\n{form.format(letter)}") != letter:
            against.append(row["item_id"])
    assert against == []
