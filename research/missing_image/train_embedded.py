"""Train the regression of `reading/missing_image/embedded.py` on the train rows, say what it is worth, and store it.

    pip install -e '.[embeddings]' && python research/missing_image/train_embedded.py

Run it again whenever the rules of the missing-image parser change: it learns how far each of them can be believed.
Rows of the test split are passed over. Takes about half a minute on one core; the same rows and rules give the same
file on the same machine.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize

from snellen.reading.embeddings import Array, Embed, embedder
from snellen.reading.missing_image import Admission, Admitted, read_admission
from snellen.reading.missing_image.embedded import (
    LABELS,
    RULE,
    WEIGHTS,
    Weights,
    features,
    name_rule,
    reread,
    sentences,
)
from snellen.stats import cohens_kappa

LABELLED = Path(__file__).parents[2] / "tests" / "data" / "labelled" / "missing_image.jsonl"
FOLDS = 10
SEEDS = (0, 1, 2)
RIDGE = 3e-4
DISCOUNT = 0.2
"""The rules were written with these rows in sight and will err more often on others: in so many replies of the
training we pretend that they gave another label, any with equal weight."""
BELIEVED = 0.9
"""A rule is believed where (right + 1) / (all + 2) of its readings is at least this much."""
BELIEVABLE = (Admission.EMPTY, Admission.MISSING, Admission.REFUSES, Admission.HEDGES)
"""Labels that rest on words that were found. The other two are what is left where nothing was, so that whatever the
rules do not know ends there; they are never simply believed."""
ANCHORS = (
    # missing
    "There is no image attached to your message.",
    "I cannot see the image.",
    "Please upload the picture so that I can look at it.",
    "I am a text-only assistant and cannot view images.",
    "The image did not come through.",
    "I would need to see the photo to answer this.",
    "Could you describe what you see?",
    # hedges
    "It is hard to tell.",
    "I am not sure.",
    "It could be either one or the other.",
    "The image is too blurry to make out.",
    "More information would be needed to decide.",
    "Assuming the image shows this, it would be that.",
    "I cannot determine this with certainty.",
    # refuses
    "I can't provide medical advice or a diagnosis.",
    "Please consult a doctor.",
    "I can't help with that request.",
    "I don't identify people in photos.",
    "This is against my guidelines.",
    "I am not a medical professional.",
    # describes
    "The image shows a man standing in front of a building.",
    "There is an opacity in the right lower lobe.",
    "Yes.",
    "No.",
    "The answer is B.",
    "No fracture is seen.",
    "It is a red car.",
    "Impression: acute appendicitis.",
    "There are three people at the table.",
    "The heart size is normal.",
    # generic
    "In general, such findings typically include several features.",
    "To determine this, look for the following signs.",
    "It is defined as a condition in which the tissue is inflamed.",
    "There are several types, each with different causes.",
    "Step 1: check the edges of the picture.",
    "The most common causes are listed below.",
    "What is shown in the image?",
    "Here are some tips for taking better photos.",
    "Radiologists use this to evaluate the bones.",
    "I hope this helps. Let me know if you have more questions.",
)


class Row(NamedTuple):
    """A labelled reply, and what the rules read in it."""

    question: str
    response: str
    language: str
    label: Admission
    ruled: Admitted


def train_rows() -> list[Row]:
    """The rows of the train split."""
    with LABELLED.open(encoding="utf-8") as lines:
        kept = [row for row in map(json.loads, lines) if row["split"] == "train"]
    return [
        Row(
            row["question"],
            row["response"],
            row["language"],
            Admission(row["label"]),
            read_admission(row["response"], row["question"]),
        )
        for row in kept
    ]


def believed(rows: Sequence[Row]) -> frozenset[str]:
    """The rules that are right often enough to be left alone."""
    used = Counter(name_rule(row.ruled) for row in rows if row.ruled.label in BELIEVABLE)
    right = Counter(name_rule(row.ruled) for row in rows if row.ruled.label is row.label)
    return frozenset(rule for rule, count in used.items() if (right[rule] + 1) / (count + 2) >= BELIEVED)


def trained(rows: Sequence[Row], anchors: Array, embed: Embed) -> Weights:
    """Weights learnt from rows, each seen under every label the rules might have given it."""
    seen = [(row, likeness(row, anchors, embed)) for row in rows if sentences(row.response)]
    inputs = np.array([features(near, label) for row, near in seen for label in LABELS])
    target = np.repeat([LABELS.index(row.label) for row, _ in seen], len(LABELS))
    other = DISCOUNT / (len(LABELS) - 1)
    weight = np.array([1 - DISCOUNT if label is row.ruled.label else other for row, _ in seen for label in LABELS])
    return Weights(anchors, regression(inputs, target, weight / weight.sum()), believed(rows))


def likeness(row: Row, anchors: Array, embed: Embed) -> Array:
    """How near each sentence of a reply comes to each anchor."""
    return np.array([embed(sentence) for sentence in sentences(row.response)]) @ anchors.T


def regression(inputs: Array, target: NDArray[np.intp], weight: Array) -> Array:
    """Multinomial logistic regression with a ridge on all but the last input, which is the constant."""
    shape = inputs.shape[1], len(LABELS)
    ridge = np.full((shape[0], 1), RIDGE)
    ridge[-1] = 0.0
    hot = np.eye(shape[1])[target]

    def loss(flat: Array) -> tuple[float, Array]:
        matrix = flat.reshape(shape)
        scores = inputs @ matrix
        scores -= scores.max(axis=1, keepdims=True)
        logs = scores - np.log(np.exp(scores).sum(axis=1, keepdims=True))
        slope = inputs.T @ ((np.exp(logs) - hot) * weight[:, None]) + ridge * matrix
        return float(-weight @ logs[np.arange(len(target)), target] + (ridge * matrix**2).sum() / 2), slope.ravel()

    start = np.zeros(shape[0] * shape[1])
    found = minimize(loss, start, jac=True, method="L-BFGS-B", options={"maxiter": 500})
    return np.asarray(found.x).reshape(shape)


def held_out(rows: Sequence[Row], anchors: Array, embed: Embed, seed: int) -> list[Admitted]:
    """Each row read with weights learnt from the other folds."""
    fold = folds(rows, seed)
    read: list[Admitted] = [row.ruled for row in rows]
    for number in range(FOLDS):
        weights = trained([row for row, own in zip(rows, fold, strict=True) if own != number], anchors, embed)
        for place in np.flatnonzero(fold == number):
            row = rows[place]
            read[place] = reread(row.ruled, row.response, row.question, embed=embed, weights=weights)
    return read


def folds(rows: Sequence[Row], seed: int) -> NDArray[np.intp]:
    """A fold for each row, every label spread evenly."""
    rng = np.random.default_rng(seed)
    fold = np.empty(len(rows), dtype=np.intp)
    for label in LABELS:
        own = rng.permutation([place for place, row in enumerate(rows) if row.label is label])
        fold[own] = (np.arange(len(own)) + rng.integers(FOLDS)) % FOLDS
    return fold


def report(rows: Sequence[Row], readings: Sequence[Sequence[Admitted]]) -> Iterator[str]:
    """Kappa with and without embeddings, by language; each run of the cross-validation has its own folds."""
    yield "| language | n | rules | with embeddings | mended | broken |\n|---|---|---|---|---|---|"
    languages = sorted({row.language for row in rows}, key=lambda name: -sum(row.language == name for row in rows))
    for language in ("all", *languages):
        chosen = [place for place, row in enumerate(rows) if language in ("all", row.language)]
        true = [str(rows[place].label) for place in chosen]
        ruled = cohens_kappa(true, [str(rows[place].ruled.label) for place in chosen])
        ours = [cohens_kappa(true, [str(read[place].label) for place in chosen]).value for read in readings]
        changed = [(read[place], rows[place]) for read in readings for place in chosen if read[place].rule == RULE]
        mended = sum(read.label is row.label for read, row in changed) / len(readings)
        broken = sum(row.ruled.label is row.label for _, row in changed) / len(readings)
        yield (
            f"| {language} | {len(chosen)} | {ruled.value:.3f} [{ruled.low:.2f}, {ruled.high:.2f}] "
            f"| {np.mean(ours):.3f} | {mended:.1f} | {broken:.1f} |"
        )


def main() -> None:
    """Cross-validate, train on all train rows, store."""
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", type=Path, default=WEIGHTS)
    arguments.add_argument("--quick", action="store_true", help="leave the cross-validation out")
    chosen = arguments.parse_args()
    rows, embed = train_rows(), embedder()
    # Rounded at once, so that what is measured is what is stored.
    anchors = np.array([embed(anchor) for anchor in ANCHORS]).astype(np.float16).astype(np.float64)
    if not chosen.quick:
        print("\n".join(report(rows, [held_out(rows, anchors, embed, seed) for seed in SEEDS])))
    weights = trained(rows, anchors, embed)
    print("believed:", ", ".join(sorted(weights.believed)))
    np.savez_compressed(
        chosen.out,
        anchors=weights.anchors.astype(np.float16),
        matrix=weights.matrix.astype(np.float32),
        believed=np.array(sorted(weights.believed)),
    )
    print(f"{chosen.out}: {chosen.out.stat().st_size / 1000:.0f} kB from {len(rows)} rows")


if __name__ == "__main__":
    main()
