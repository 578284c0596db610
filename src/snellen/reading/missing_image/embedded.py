"""Missing images, read with sentence embeddings: admissions in words that the rules do not know. English only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.items import WITHOUT_IMAGE
from snellen.reading.embeddings import Array, Embed, embedder, is_english
from snellen.reading.language.cleaning import cleaned
from snellen.reading.language.sentences import sentences_of
from snellen.reading.missing_image.columns import QUESTION, RULES, WEIGHS, admissions, without_image
from snellen.reading.missing_image.parser import Admission, Admitted, read_admission
from snellen.reading.parsers import Parser

WEIGHTS = Path(__file__).with_suffix(".npz")
"""Made by `research/missing_image/train_embedded.py`."""
RULE = "embedded"
"""The rule of a reading that is not the rules' own."""
LABELS = tuple(Admission)
ADMITS = (Admission.MISSING, Admission.HEDGES, Admission.REFUSES)
"""What a reply may be found to do here. Embeddings know a topic better than a manner: on real replies of a small model
they took absurd descriptions for general talk, so telling those two apart is left to the rules."""

_FIRST, _LAST = 16, 8
_EVIDENCE = 120


class Weights(NamedTuple):
    """What was learnt: anchor sentences as embeddings, a weight for each feature and label, and rules to believe."""

    anchors: Array
    matrix: Array
    believed: frozenset[str]


def read_admission_embedded(text: str, question: str = "") -> Admitted:
    """What a response does: by the rules, unless they are doubtful and a sentence of it sounds like an admission.

    Responses that are not English are left to the rules, since the embeddings know little else.
    A reading that differs from that of the rules has the rule "embedded", and the telling sentence as its evidence.
    """
    # Loaded first, so that a missing package shows at the first response and not at the first doubt.
    embed, weights = embedder(), shipped_weights()
    return reread(read_admission(text, question), text, question, embed=embed, weights=weights)


def reread(ruled: Admitted, text: str, question: str, *, embed: Embed, weights: Weights) -> Admitted:
    """What the rules read in a response, or the admission they missed."""
    if named(ruled) in weights.believed or not is_english(f"{question} {cleaned(text)}"):
        return ruled
    said = sentences(text)
    if not said:
        return ruled
    likeness = np.array([embed(sentence) for sentence in said]) @ weights.anchors.T
    label = LABELS[int(np.argmax(features(likeness, ruled.label) @ weights.matrix))]
    if label is ruled.label or label not in ADMITS:
        return ruled
    speaks_for = weights.matrix[: likeness.shape[1], LABELS.index(label)]
    return Admitted(label, RULE, said[int(np.argmax(likeness @ speaks_for))][:_EVIDENCE])


def named(read: Admitted) -> str:
    """The full name of the rule of a reading."""
    return f"{read.label}: {read.rule}"


def sentences(text: str) -> tuple[str, ...]:
    """The different sentences and lines of a response that hold a word; of very many, the first and the last.

    >>> sentences("**Sorry.** I see a cat. I see a cat. ---")
    ('Sorry.', 'I see a cat.')
    """
    parts = sentences_of(cleaned(text))
    found = tuple(dict.fromkeys(part for part in parts if any(map(str.isalnum, part))))
    return found if len(found) <= _FIRST + _LAST else found[:_FIRST] + found[-_LAST:]


def features(likeness: Array, ruled: Admission) -> Array:
    """What the regression sees: how near any sentence (row) comes to each anchor (column), the rules' label, a one."""
    return np.concatenate((likeness.max(axis=0), [float(label is ruled) for label in LABELS], (1.0,)))


@cache
def shipped_weights() -> Weights:
    """The weights that came with the package."""
    with np.load(WEIGHTS) as stored:
        return weights_from(stored)


def weights_from(stored: Mapping[str, Any]) -> Weights:
    """Weights as they lie in a file."""
    anchors, matrix = (stored[name].astype(np.float64) for name in ("anchors", "matrix"))
    return Weights(anchors, matrix, frozenset(map(str, stored["believed"])))


EMBEDDED = Parser(
    name="missing-image-embedded",
    kind=WITHOUT_IMAGE,
    source="Our own, for the same questions, English only",
    about="the rules of missing-image where they are sure, and a model of what sentences mean where they are not.",
    read=without_image(read_admission_embedded),
    rules={**RULES, **{f"{label}: {RULE}": "a sentence that means an admission" for label in ADMITS}},
    weighs=WEIGHS,
    columns=admissions,
    question=QUESTION,
)
