"""Train a parser of acts from labelled rows: TF-IDF of n-grams and a logistic regression for each act.

The same rows give the same bytes. Nothing here looks at a row kept apart: how strongly weights are held down, the
threshold and the calibration come from folds of the training rows, split by question.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from features import COLUMNS, Features, document_frequency, weigh
from labelled_rows import Row
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.sparse import csr_matrix

Floats = NDArray[np.float64]
STRENGTHS = (4.0, 16.0)
"""Tried in this order: each fit starts where the one before it ended."""
FOLDS = 3
STEPS = 40
"""Steps of each fit; stopping early holds weights down as well."""
RAREST = 3
"""A column that stands in fewer responses is not learned from."""
Readings = Sequence[bool]


class Vocabulary(NamedTuple):
    """What is counted on the training rows: inverse document frequencies, 0 for rare columns; means and spreads."""

    idf: NDArray[np.float32]
    mean: NDArray[np.float32]
    spread: NDArray[np.float32]

    @classmethod
    def from_features(cls, features: Sequence[Features]) -> Vocabulary:
        """Count the columns of the rows to train on."""
        counts = document_frequency(columns for columns, _, _ in features)
        idf = np.where(counts < RAREST, 0, np.log((1 + len(features)) / (1 + counts)) + 1).astype(np.float32)
        dense = np.stack([dense for _, _, dense in features])
        return cls(idf, dense.mean(0), dense.std(0) + np.float32(1e-3))


class Matrix(NamedTuple):
    """Rows as features: n-grams, and all others."""

    grams: csr_matrix
    dense: Floats

    def take(self, places: NDArray[np.int64]) -> Matrix:
        """Some of the rows."""
        return Matrix(self.grams[places], self.dense[places])


def make_matrix(features: Sequence[Features], vocabulary: Vocabulary, readings: Sequence[Readings] = ()) -> Matrix:
    """The features of rows, weighted; with `readings`, also those of the rules."""
    values, columns, ends, dense = [], [], [0], []
    for place, (ids, counts, others) in enumerate(features):
        weights = weigh(ids, counts, vocabulary.idf)
        known = weights > 0
        values.append(weights[known])
        columns.append(ids[known])
        ends.append(ends[-1] + int(known.sum()))
        extra = np.asarray(readings[place] if readings else (), np.float32)
        dense.append(np.concatenate([(others - vocabulary.mean) / vocabulary.spread, extra]))
    grams = csr_matrix(
        (np.concatenate(values).astype(np.float64), np.concatenate(columns).astype(np.int32), np.asarray(ends)),
        shape=(len(features), COLUMNS),
    )
    return Matrix(grams, np.stack(dense).astype(np.float64))


class ActParser(NamedTuple):
    """A logistic regression for one act, with its calibration and the threshold above which the act is read."""

    grams: NDArray[np.float16]
    dense: NDArray[np.float32]
    bias: float
    slope: float
    shift: float
    threshold: float
    strength: float

    def probabilities(self, matrix: Matrix) -> Floats:
        """How probable the act is, by row."""
        return _sigmoid(self.slope * self._score(matrix) + self.shift)

    def _score(self, matrix: Matrix) -> Floats:
        return matrix.grams @ self.grams.astype(np.float64) + matrix.dense @ self.dense.astype(np.float64) + self.bias

    def digest(self) -> str:
        """SHA-256 of all that was learned."""
        rest = np.array([self.bias, self.slope, self.shift, self.threshold, self.strength], np.float32)
        return hashlib.sha256(self.grams.tobytes() + self.dense.tobytes() + rest.tobytes()).hexdigest()


def _sigmoid(score: Floats) -> Floats:
    return 1 / (1 + np.exp(-np.clip(score, -30, 30)))


class _Problem:
    """The logistic loss of some rows: n-grams in the columns that they use, then the other features, then the bias."""

    def __init__(self, matrix: Matrix, labels: Floats) -> None:
        self.used = np.flatnonzero(np.bincount(matrix.grams.indices, minlength=COLUMNS))
        self._small = matrix.grams[:, self.used]
        self._wide = self._small.T.tocsr()
        self._dense, self._labels = matrix.dense, labels

    def start(self) -> Floats:
        """All weights 0."""
        return np.zeros(len(self.used) + self._dense.shape[1] + 1)

    def loss(self, weights: Floats, strength: float) -> tuple[float, Floats]:
        """The loss with the squares of all weights but the bias, and its slope."""
        n = len(self.used)
        score = self._small @ weights[:n] + self._dense @ weights[n:-1] + weights[-1]
        held, error = weights[:-1], _sigmoid(score) - self._labels
        slope = np.concatenate([self._wide @ error, self._dense.T @ error, [error.sum()]])
        slope[:-1] += held / strength
        return float(np.logaddexp(0, score).sum() - self._labels @ score + held @ held / (2 * strength)), slope

    def fit(self, strength: float, start: Floats) -> Floats:
        """The weights after some steps from a start."""
        return minimize(self.loss, start, (strength,), jac=True, method="L-BFGS-B", options={"maxiter": STEPS}).x

    def fits(self) -> Iterator[tuple[float, Floats]]:
        """The weights by strength, each from those before."""
        weights = self.start()
        for strength in STRENGTHS:
            weights = self.fit(strength, weights)
            yield strength, weights

    def split(self, weights: Floats) -> tuple[Floats, Floats, float]:
        """Weights of all columns, of the other features, and the bias."""
        grams = np.zeros(COLUMNS)
        grams[self.used] = weights[: len(self.used)]
        return grams, weights[len(self.used) : -1], float(weights[-1])


def _held_out_scores(matrix: Matrix, labels: Floats, folds: NDArray[np.int64]) -> dict[float, Floats]:
    """By strength, the scores of rows by weights from the other folds."""
    scores = {strength: np.zeros(len(labels)) for strength in STRENGTHS}
    for fold in range(FOLDS):
        inside, outside = np.flatnonzero(folds != fold), np.flatnonzero(folds == fold)
        problem, part = _Problem(matrix.take(inside), labels[inside]), matrix.take(outside)
        for strength, weights in problem.fits():
            grams, dense, bias = problem.split(weights)
            scores[strength][outside] = part.grams @ grams + part.dense @ dense + bias
    return scores


def _log_loss(scores: Floats, labels: Floats) -> float:
    return float(np.mean(np.logaddexp(0, scores) - labels * scores))


def _calibrate(scores: Floats, labels: Floats) -> tuple[float, float]:
    """Slope and shift of Platt's calibration."""

    def loss(pair: Floats) -> tuple[float, Floats]:
        score = pair[0] * scores + pair[1]
        error = _sigmoid(score) - labels
        return float(np.logaddexp(0, score).sum() - labels @ score), np.array([error @ scores, error.sum()])

    slope, shift = minimize(loss, np.array([1.0, 0.0]), jac=True, method="L-BFGS-B").x
    return float(np.float32(slope)), float(np.float32(shift))


def _choose_threshold(chances: Floats, labels: Floats) -> float:
    """The probability above which the F1 of the held-out folds is best."""
    grid = np.arange(0.05, 0.96, 0.01)
    read = chances[None, :] >= grid[:, None]
    both = (read & (labels == 1)).sum(1)
    return float(np.float32(grid[np.argmax(2 * both / (read.sum(1) + labels.sum()))]))


def train_act(rows: Sequence[Row], matrix: Matrix, act: str) -> ActParser:
    """The parser of an act, from the rows of which it is known."""
    places = np.array([place for place, row in enumerate(rows) if row.acts[act] is not None])
    labels = np.array([float(bool(rows[place].acts[act])) for place in places])
    folds = np.array([int(rows[place].group, 16) % FOLDS for place in places])
    part = matrix.take(places)
    tried = _held_out_scores(part, labels, folds)
    strength = min(tried, key=lambda each: _log_loss(tried[each], labels))
    slope, shift = _calibrate(tried[strength], labels)
    threshold = _choose_threshold(_sigmoid(slope * tried[strength] + shift), labels)
    problem = _Problem(part, labels)
    grams, dense, bias = problem.split(dict(problem.fits())[strength])
    return ActParser(
        grams.astype(np.float16), dense.astype(np.float32), float(np.float32(bias)), slope, shift, threshold, strength
    )
