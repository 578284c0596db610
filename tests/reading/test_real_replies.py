"""Real replies to an Italian exam: the published table under the strict parser, our own reading under the lenient one.

The replies are not part of the project; the tests skip where they are not beside it.
"""

from __future__ import annotations

import gzip
import json
from collections import defaultdict
from pathlib import Path

import pytest

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


def test_reads_as_we_did_where_the_strict_parser_reads_nothing(rows):
    """Replies without the required first line, read by a person: the answer stands under headings, or there is none."""
    by_key = {(row["item_id"], row["arm"], row["replicate"], row["model"]): row for row in rows}
    for *key, expected in READ_BY_HAND:
        row = by_key[tuple(key)]
        reading = read_choice(row["response"], as_item(row))
        assert expected == (LETTERS[reading.choice] if reading.choice is not None else reading.rule), key


SEEN = {
    (CLAUDE, "image-blank"): (
        "IT0031/2=A IT0032/5=B IT0054/5=A IT0063/7=C IT0111/5=B IT0111/7=B IT0111/8=B IT0131/10=A "
        "IT0131/3=A IT0131/9=A IT0136/4=B IT0136/8=B IT0169/9=B IT0198/7=C IT0198/8=C IT0200/9=E "
        "IT0214/8=A IT0214/9=A IT0229/8=A IT0235/1=C IT0235/2=C IT0235/8=C IT0236/10=A IT0236/5=A "
        "IT0311/6=E IT0390/10=C IT0390/8=C IT0455/10=B IT0455/7=B IT0456/3=B IT0456/6=B IT0563/4=E "
        "IT0563/8=E IT0597/5=D IT0653/6=B IT0675/3=A IT0675/4=A IT0676/6=D IT0713/10=C IT0713/4=C "
        "IT0784/5=D IT0860/1=B IT0890/4=E IT0890/6=E IT0891/6=C IT0892/4=E IT0919/9=E IT0949/6=E "
        "IT0972/4=E IT0972/6=E IT1023/7=A IT1113/9=B IT1118/2=D IT1118/4=D"
    ),
    (CLAUDE, "original"): (
        "IT0007/9=C IT0031/4=A IT0053/1=C IT0053/5=C IT0053/7=C IT0054/9=A IT0065/10=A IT0065/2=A "
        "IT0065/5=A IT0095/7=C IT0130/10=A IT0131/8=A IT0136/2=B IT0136/6=B IT0169/6=B IT0200/2=E "
        "IT0200/3=E IT0229/5=A IT0235/3=C IT0250/4=A IT0311/7=E IT0311/9=E IT0340/2=C IT0375/3=C "
        "IT0455/4=B IT0507/10=B IT0507/4=B IT0533/5=E IT0563/5=E IT0563/6=E IT0593/4=A IT0593/7=A "
        "IT0597/8=D IT0653/3=B IT0675/8=A IT0675/9=A IT0713/9=C IT0784/2=D IT0861/2=A IT0861/7=A "
        "IT0890/6=E IT0890/7=E IT0891/4=C IT0892/1=E IT0919/5=E IT0919/6=E IT0972/10=E IT0972/4=E "
        "IT0972/6=E IT1053/3=C IT1053/5=C IT1113/4=B IT1118/3=D IT1118/9=D"
    ),
    (GPT, "image-blank"): (
        "IT0006/1=B IT0007/3=C IT0007/5=C IT0031/2=A IT0031/3=A IT0032/4=B IT0053/4=C IT0054/3=A "
        "IT0054/7=A IT0054/9=A IT0063/4=C IT0065/3=A IT0095/8=C IT0111/4=B IT0169/4=B IT0198/1=C "
        "IT0200/3=E IT0229/10=A IT0229/6=A IT0235/9=C IT0236/4=A IT0236/6=A IT0250/6=A IT0456/2=B "
        "IT0507/1=B IT0507/2=B IT0512/1=A IT0512/8=A IT0533/4=A IT0593/4=A IT0597/10=D IT0597/4=D "
        "IT0675/10=A IT0675/9=A IT0713/5=C IT0783/8=D IT0785/4=E IT0861/3=A IT0890/3=E IT0890/8=E "
        "IT0891/2=C IT0892/5=E IT0892/7=E IT0892/8=E IT0919/3=E IT0919/7=E IT0949/2=E IT0972/9=E "
        "IT1023/8=A IT1053/10=C IT1053/4=C IT1113/1=B IT1113/3=B IT1118/10=D"
    ),
    (GPT, "original"): (
        "IT0006/3=A IT0031/1=A IT0031/3=A IT0053/3=C IT0053/4=C IT0095/2=C IT0095/8=C IT0111/1=B "
        "IT0130/7=A IT0131/7=A IT0169/6=B IT0198/8=C IT0200/10=E IT0200/3=E IT0214/5=A IT0235/10=B "
        "IT0235/3=C IT0236/5=A IT0236/8=A IT0311/9=E IT0340/8=C IT0375/1=B IT0375/6=B IT0390/10=C "
        "IT0390/1=C IT0390/8=C IT0390/9=C IT0455/10=A IT0456/9=B IT0593/6=C IT0675/2=A IT0675/9=A "
        "IT0676/1=C IT0713/4=C IT0713/5=C IT0713/9=C IT0783/10=D IT0783/6=D IT0784/3=A IT0785/9=E "
        "IT0860/3=E IT0860/6=E IT0890/3=E IT0891/6=C IT0908/4=A IT0908/6=A IT0949/2=E IT0949/4=E "
        "IT0972/1=E IT1053/1=C IT1053/8=C IT1100/4=D IT1113/8=C IT1118/3=D"
    ),
}
"""A random sample of the other replies, drawn by model and arm; first line, opening and end were read by eye."""


def test_reads_a_random_sample_as_we_did(rows):
    """Replies with the required first line: the reasoning after it neither changes nor hides the answer."""
    responses = {(row["model"], row["arm"], f"{row['item_id']}/{row['replicate']}"): row for row in rows}
    differing = []
    for (model, arm), seen in SEEN.items():
        for key, letter in (entry.split("=") for entry in seen.split()):
            row = responses[model, arm, key]
            if read_choice(row["response"], as_item(row)).choice != LETTERS.index(letter):
                differing.append((model, arm, key))
    assert differing == []
    assert sum(len(seen.split()) for seen in SEEN.values()) + len(READ_BY_HAND) >= 250


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
