"""Missing images, read with sentence embeddings to find admissions that the rules miss. English only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from snellen.items import WITHOUT_IMAGE
from snellen.reading.embeddings import Array, Embed, embedder, is_english
from snellen.reading.language.cleaning import clean_text
from snellen.reading.language.sentences import sentences_of
from snellen.reading.missing_image.columns import QUESTION, RULES, WEIGHS, admissions, without_image
from snellen.reading.missing_image.parser import Admission, Admitted, read_admission
from snellen.reading.parsers import Parser

WEIGHTS = Path(__file__).with_suffix(".npz")
"""Written by `research/missing_image/train_embedded.py`."""
RULE = "embedded"
"""Rule of a reading that only the embeddings found."""
LABELS = tuple(Admission)
ADMITS = (Admission.MISSING, Admission.HEDGES, Admission.REFUSES)
"""Labels that embeddings may find.

Embeddings know topics better than manner. With responses of a small model they took absurd descriptions for general
talk, so only the rules decide between these two.
"""

_FIRST, _LAST = 16, 8
_EVIDENCE = 120


class Weights(NamedTuple):
    """Learnt weights: anchor embeddings, a weight per feature and label, and the rules to trust."""

    anchors: Array
    matrix: Array
    believed: frozenset[str]


def read_admission_embedded(text: str, question: str = "") -> Admitted:
    """Read what a response does: by rules, or by embeddings if the rules are doubtful.

    Only rules read responses that are not English, since the embeddings are trained on English. If embeddings change
    the reading, its rule is "embedded" and its evidence is the decisive sentence.
    """
    # Loaded first, so that a missing package is reported at the first response, not at the first doubtful one.
    embed, weights = embedder(), shipped_weights()
    return reread(read_admission(text, question), text, question, embed=embed, weights=weights)


def reread(ruled: Admitted, text: str, question: str, *, embed: Embed, weights: Weights) -> Admitted:
    """Return the reading of the rules, or the admission that they missed."""
    if name_rule(ruled) in weights.believed or not is_english(f"{question} {clean_text(text)}"):
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


def name_rule(read: Admitted) -> str:
    """Return the full name of the rule of a reading."""
    return f"{read.label}: {read.rule}"


def sentences(text: str) -> tuple[str, ...]:
    """Return the distinct sentences and lines of a response. Of very many, the first and last.

    >>> sentences("**Sorry.** I see a cat. I see a cat. ---")
    ('Sorry.', 'I see a cat.')
    """
    parts = sentences_of(clean_text(text))
    found = tuple(dict.fromkeys(part for part in parts if any(map(str.isalnum, part))))
    return found if len(found) <= _FIRST + _LAST else found[:_FIRST] + found[-_LAST:]


def features(likeness: Array, ruled: Admission) -> Array:
    """Return the features of the regression: similarity to each anchor, the rules' label, and a constant."""
    return np.concatenate((likeness.max(axis=0), [float(label is ruled) for label in LABELS], (1.0,)))


@cache
def shipped_weights() -> Weights:
    """Load the weights that are part of the package."""
    with np.load(WEIGHTS) as stored:
        return weights_from(stored)


def weights_from(stored: Mapping[str, Any]) -> Weights:
    """Return the weights in a loaded file."""
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
