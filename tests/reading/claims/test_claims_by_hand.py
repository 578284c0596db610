"""The claims parser held against a person: real replies, labelled by hand."""

from __future__ import annotations

import gzip
import json
from math import sqrt
from pathlib import Path

import pytest

from reading.claims_by_hand import BLANK, IN_DOUBT, LATER, SAMPLE, for_development, labels
from snellen.reading.claims.parser import AGREEMENT, firm_claims, read_claims
from snellen.reading.language.acts.doubting import hedges
from snellen.reading.language.acts.missing import says_missing
from snellen.reading.language.sentences import passages

ANSWERS = Path(__file__).parents[3].parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"


@pytest.fixture(scope="module")
def replies():
    """All real replies with their questions, by key."""
    if not ANSWERS.exists():
        pytest.skip(f"the replies of the Italian paper are not at {ANSWERS}")
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as lines:
        rows = map(json.loads, lines)
        return {(row["model"], row["item_id"], row["arm"], row["replicate"]): row for row in rows}


def sees(row):
    """Whether the parser finds a claim that the question had not told."""
    return any(not claim.told for claim in read_claims(row["response"], row["question"]))


def sees_firmly(row):
    """Whether the parser finds a firm claim that the question had not told."""
    return any(firm_claims(passages(row["response"]), row["question"]))


def agreement(pairs):
    """Precision and recall of what was read against what a person read."""
    pairs = list(pairs)
    both = sum(read and meant for read, meant in pairs)
    return both / sum(read for read, _ in pairs), both / sum(meant for _, meant in pairs)


@pytest.mark.parametrize(
    ("rows", "development", "floor"),
    [(SAMPLE, True, 0.97), (SAMPLE, False, 0.86), (LATER, None, 0.86)],
    ids=["development", "test", "later"],
)
def test_agrees_with_a_person_on_who_claims_to_see(replies, rows, development, floor):
    """Precision and recall of 'claims to see what it was not told' stay near what was measured."""
    chosen = [(key, label) for key, label in labels(rows) if development in (None, for_development(key))]
    precision, recall = agreement((sees(replies[key]), label.sees) for key, label in chosen)
    assert min(precision, recall) >= floor


def wilson(successes, n, z=1.959964):
    """A share with its Wilson interval, to two digits."""
    share = successes / n
    middle, half = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return tuple(
        round(each, 2) for each in (share, (middle - half) / (1 + z * z / n), (middle + half) / (1 + z * z / n))
    )


def test_the_agreement_stated_is_the_agreement_measured(replies):
    """On blank images, test half, the figures given to readers of the report are those that come out."""
    chosen = [
        (sees_firmly(replies[key]), label.sees)
        for key, label in labels(BLANK)
        if not (for_development(key) or label.borderline)
    ]
    both = sum(read and meant for read, meant in chosen)
    assert len(chosen) == AGREEMENT[0].n
    assert wilson(both, sum(read for read, _ in chosen)) == AGREEMENT[0].precision
    assert wilson(both, sum(meant for _, meant in chosen)) == AGREEMENT[0].recall


@pytest.mark.parametrize(
    ("rows", "development", "floors"),
    [
        (BLANK, True, (0.97, 0.86)),
        (BLANK, False, (0.95, 0.91)),
        (SAMPLE, True, (0.97, 0.90)),
        (SAMPLE, False, (0.94, 0.83)),
        (LATER, None, (0.97, 0.79)),
    ],
    ids=["blank-development", "blank-test", "development", "test", "later"],
)
def test_firm_claims_are_rarely_wrong(replies, rows, development, floors):
    """Who makes a firm claim is accused of one: precision comes first, and recall stays near what was measured."""
    chosen = [
        (sees_firmly(replies[key]), label.sees)
        for key, label in labels(rows)
        if development in (None, for_development(key)) and not label.borderline
    ]
    precision, recall = agreement(chosen)
    assert precision >= floors[0]
    assert recall >= floors[1]


@pytest.mark.parametrize("development", [True, False])
def test_agrees_with_a_person_on_blank_pictures_and_doubt(replies, development):
    """Who noticed that there was nothing to see, and who voiced doubt, is read as a person read it."""
    chosen = [
        (replies[key]["response"], label)
        for key, label in [*labels(SAMPLE), *labels(IN_DOUBT), *labels(LATER)]
        if for_development(key) is development
    ]
    assert min(agreement((says_missing(reply) is not None, label.notices) for reply, label in chosen)) >= 0.95
    assert min(agreement((hedges(reply), label.hedges) for reply, label in chosen)) >= 0.95


def test_the_labels_are_many_and_of_both_kinds():
    """Some hundred replies of each half were read, with and without claims."""
    read = dict(labels(SAMPLE))
    assert len(read) == 240
    assert 100 < sum(label.sees for label in read.values()) < 140
    assert 100 < sum(map(for_development, read)) < 140
    blank = dict(labels(BLANK))
    assert len(blank) == 240
    assert not blank.keys() & (read.keys() | dict(labels(LATER)).keys() | dict(labels(IN_DOUBT)).keys())
    assert sum(label.borderline for label in blank.values()) == 33
