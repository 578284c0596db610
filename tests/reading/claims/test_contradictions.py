"""Contradictions between what two replies say they see."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.reading.claims.contradictions import contradictions

CONTRARY = [
    ("The X-ray shows a left pneumothorax.", "There is a right pneumothorax.", "side"),
    ("Si osserva una frattura del femore sinistro.", "La frattura è a destra.", "side"),
    ("图像显示左侧气胸。", "图像显示右侧气胸。", "side"),
    ("The image shows a pleural effusion.", "No pleural effusion.", "presence"),
    ("La radiografia mostra un pneumotorace.", "Non si osserva un pneumotorace.", "presence"),
    ("ST elevation in V1-V4.", "ST-segment elevation in leads II, III and aVF.", "leads"),
    (
        "Sopraslivellamento del tratto ST nelle precordiali con sottoslivellamento in II.",
        "Sopraslivellamento ST nelle derivazioni inferiori.",
        "leads",
    ),
    ("L'immagine A è una sequenza T1.", "Image A shows a T2 sequence.", "weighting"),
    ("The MRI shows a sagittal plane.", "The image is in the coronal plane.", "plane"),
    ("A biconvex collection.", "Una raccolta a semiluna.", "shape"),
    ("The rhythm is regular.", "Il ritmo è irregolarmente irregolare.", "rhythm"),
    ("Two nodules are visible.", "Si vedono tre noduli.", "count"),
]


@pytest.mark.parametrize(("first", "second", "rule"), CONTRARY)
def test_names_what_cannot_both_be_true(first, second, rule):
    """Sides, presence, leads, planes, weightings, shapes, rhythms, counts that exclude each other, either way round."""
    assert [(0, 0, rule)] == contradictions([first], [second])
    assert [(0, 0, rule)] == contradictions([second], [first])


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A left pneumothorax is seen.", "The left lung has collapsed."),
        ("A left pneumothorax is seen.", "The right side of the image shows a pneumothorax."),
        ("A left fracture.", "Fractures on the left and the right."),
        ("ST elevation in V1-V4 with reciprocal changes in II, III, aVF.", "ST elevation in V2 and V3."),
        ("No fracture of the clavicle.", "There is a fracture of the humerus."),
        ("No significant pleural effusion.", "A small pleural effusion."),
        ("Left ventricular hypertrophy with a fracture.", "A right rib fracture."),
        ("Possible fracture on the left.", "A fracture on the right."),
        ("L'immagine A è una sequenza T1.", "L'immagine B è una sequenza T2."),
        ("Not biconvex.", "A crescent-shaped collection."),
        ("Two nodules.", "Two nodules."),
        ("", "A mass."),
    ],
)
def test_better_none_than_wrong(first, second):
    """What may both be true, or is said with a condition, is no contradiction."""
    assert contradictions([first], [second]) == []


def test_a_reply_that_says_both_contradicts_no_one():
    """Only replies that say one thing throughout are held against each other."""
    assert contradictions(["A left pneumothorax.", "A right pneumothorax."], ["A right pneumothorax."]) == []


def test_points_at_the_claims():
    """The pair gives the first claim of each reply that speaks of it."""
    found = contradictions(["Clear lungs.", "A left fracture.", "Left fracture."], ["A mass.", "A right fracture."])
    assert found == [(1, 1, "side")]


CLAIMS = st.lists(st.one_of(st.text(), st.sampled_from([text for row in CONTRARY for text in row[:2]])), max_size=4)


@given(CLAIMS, CLAIMS)
def test_is_the_same_either_way_round_and_never_against_oneself(first, second):
    """Turning the replies round turns the pairs round; no reply contradicts itself."""
    turned = sorted((j, i, rule) for i, j, rule in contradictions(second, first))
    assert contradictions(first, second) == turned
    assert contradictions(first, first) == []
