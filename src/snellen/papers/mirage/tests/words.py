"""Mirage words (the Mirage paper): do the words of a response reveal that its image was missing?

A classifier of words learns from the responses of some patients. It must find the responses without the image among
those of other patients.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy
from numpy.typing import NDArray

from snellen.conditions import IMAGE_REMOVED
from snellen.reading.columns import Floats, Integers
from snellen.reading.wording.columns import Wordings
from snellen.stats import Estimate, aucs_in_folds, cross_validated_auc, proportion
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open
from snellen.stress.design import Design, Presentation, find_blind_condition
from snellen.stress.folds import folds_of, in_drawn_order
from snellen.stress.table import Table

ALL, UNADMITTED, PAIRS = "words_auc", "words_auc_unadmitted", "unadmitted_rate"
KINDS = by_name(
    Kind(
        UNADMITTED,
        "told apart by the words (AUC), of responses that do not say that the image is missing",
        Unit.SCORE,
        parser="wording",
    ),
    Kind(ALL, "told apart by the words (AUC), of all responses", Unit.SCORE, parser="wording"),
    Kind(PAIRS, "pairs in which neither response says that the image is missing", Unit.SHARE, parser="claims"),
)
GUESSING = 0.5
NOBODY = 0.6
"""A classifier with an AUC surely below this is of no use."""
CLEARLY = 0.7
"""With an AUC surely above this, the words reveal which responses had the image."""
FOLDS, SEED = 5, 0
RIDGE = 1.0
"""Ridge penalty of the regression; its rows have length 1. It is fixed, so that it is not tuned to the data."""
SWAPS = 200
"""Number of random swaps of each patient's two responses, to estimate chance AUC."""
MOST_PAIRS = 2500
"""Largest number of pairs, to save time; a hash of the item chooses them."""
FEWEST_PATIENTS = 20
"""With fewer patients the classifier has too little to learn from and to be tested on."""
IN_PATIENTS = 3
"""Words in the responses of fewer patients are ignored: they do not generalise and may identify a patient."""
SHOWN = 10
"""Largest number of terms shown per side."""


def mirage_words(*, without: str = IMAGE_REMOVED.name) -> StressTest:
    """Build the test; `without=image-blank` compares with blank images instead of none."""
    return StressTest(
        Design(
            "mirage-words" if without == IMAGE_REMOVED.name else f"mirage-words:without={without}",
            "Do the words of a response show whether its image was absent?",
            arms=(find_blind_condition(without),),
            reads=("wording", "claims"),
        ),
        Analysis(Expectation.UNKNOWN, headline=UNADMITTED, measure=measure, conclude=conclude, scores=True),
        Presentation("told apart by the words?", chapter="snellen.papers.mirage.report.chapter:CHAPTER"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure how well a classifier of words finds responses without the image, on held-out patients."""
    original, without = (arm.name for arm in test.all_arms)
    every = pairs_of(table, original, without)
    if every is None:
        return
    patients = table.clusters[every.ordinal]
    silent = ~every.admits
    yield Measure(without, KINDS[PAIRS], proportion(silent.astype(np.float64), patients))
    of_all = _told_apart(table, every)
    of_silent = of_all if silent.all() else _told_apart(table, every.select_pairs(silent))
    for name, found in ((ALL, of_all), (UNADMITTED, of_silent)):
        if found is not None:
            yield Measure(without, KINDS[name], found)


@dataclass(frozen=True)
class Pairs:
    """Pairs of responses with and without the image, in alternating `rows`.

    `admits` marks the pairs in which a response says that the image is missing.
    """

    ordinal: Integers
    admits: NDArray[np.bool_]
    rows: Any
    """Sparse matrix of the terms in each response."""
    terms: tuple[str, ...]

    def select_pairs(self, kept: NDArray[np.bool_]) -> Pairs:
        """Return a subset of the pairs."""
        return Pairs(self.ordinal[kept], self.admits[kept], self.rows[np.repeat(kept, 2)], self.terms)


def pairs_of(table: Table, original: str, without: str) -> Pairs | None:
    """Return the pairs of two arms in a fixed order; None if there are none."""
    return table.compute_once(("pairs of wordings", original, without), lambda: _pairs(table, original, without))


def _pairs(table: Table, original: str, without: str) -> Pairs | None:
    arms = [table.arms.get(name) for name in (original, without)]
    words = [None if grades is None else grades.of(Wordings) for grades in arms]
    if arms[0] is None or arms[1] is None or words[0] is None or words[1] is None:
        return None
    places = table.match_responses(original, without)
    if not len(places[0]):
        return None
    rank = np.empty(len(table.items), dtype=np.int64)
    rank[in_drawn_order(table.items, range(len(table.items)), SEED)] = np.arange(len(table.items))
    order = np.lexsort((arms[0].replicate[places[0]], rank[arms[0].ordinal[places[0]]]))[:MOST_PAIRS]
    at = [each[order] for each in places]
    terms = tuple(sorted({*words[0].terms, *words[1].terms}))
    sides = [_matrix(each, terms)[place] for each, place in zip(words, at, strict=True) if each is not None]
    pairs = len(order)
    rows = scipy.sparse.vstack(sides).tocsr()[np.arange(2 * pairs).reshape(2, pairs).T.ravel()]
    noticed = [
        np.zeros(pairs, dtype=bool) if grades.rationales is None else grades.rationales.notices[place]
        for grades, place in zip(arms, at, strict=True)
        if grades is not None
    ]
    return Pairs(arms[0].ordinal[at[0]], noticed[0] | noticed[1], rows, terms)


def _matrix(words: Wordings, terms: tuple[str, ...]) -> Any:
    """Build the matrix of terms per response, with a column for each of `terms`."""
    place = {term: at for at, term in enumerate(terms)}
    new = np.array([place[term] for term in words.terms], dtype=np.int64)
    bounds = np.append(0, words.ends)
    shape = (len(words), len(terms))
    return scipy.sparse.csr_matrix((np.ones(len(words.places)), new[words.places], bounds), shape=shape)


class _Design(NamedTuple):
    """Normalised rows of terms, one per response, and the terms that are used."""

    rows: Any
    columns: Integers

    @property
    def differences(self) -> Any:
        """Row without the image minus row with it, per pair."""
        return self.rows[1::2] - self.rows[::2]


def _design(table: Table, pairs: Pairs) -> _Design:
    """Build normalised rows of the terms that several patients' responses have."""
    number = np.unique(np.repeat(table.clusters[pairs.ordinal], 2), return_inverse=True)[1]
    responses = np.arange(len(number))
    of_patient = scipy.sparse.csr_matrix((np.ones(len(number)), (number, responses)))
    spread = np.asarray(((of_patient @ pairs.rows) > 0).sum(axis=0)).ravel()
    columns = np.flatnonzero(spread >= IN_PATIENTS)
    kept = pairs.rows[:, columns]
    lengths = np.sqrt(np.maximum(np.asarray(kept.sum(axis=1)).ravel(), 1))
    return _Design((scipy.sparse.diags(1 / lengths) @ kept).tocsr(), columns)


def _ridge(alike: Floats, signs: Floats) -> Floats:
    """Weights of the pairs in a ridge regression that predicts the sign of each pair.

    `alike` has the products of the pairs' differences in terms. Swapping the two responses of a pair reverses its sign.
    The columns of `signs` are several ways to swap, solved together.
    """
    from scipy.linalg import solve  # slow to import, and commands that do not need it should not wait

    return np.asarray(solve(alike + RIDGE * np.eye(len(alike)), signs, assume_a="pos"))


def _told_apart(table: Table, pairs: Pairs) -> Estimate | None:
    """Cross-validated AUC of the classifier; None with too few patients."""
    number: dict[int, int] = {}
    patient = np.array([number.setdefault(each, len(number)) for each in table.clusters[pairs.ordinal].tolist()])
    if len(number) < FEWEST_PATIENTS:
        return None
    fold = folds_of([table.items[at] for at in pairs.ordinal.tolist()], FOLDS)
    design = _design(table, pairs)
    near = (design.rows @ design.differences.T).toarray()
    alike = near[1::2] - near[::2]
    swapped = np.random.default_rng(SEED).choice((-1.0, 1.0), size=(len(number), SWAPS))[patient]
    signs = np.hstack([np.ones((len(fold), 1)), swapped])
    scores = np.zeros((2 * len(fold), 1 + SWAPS))
    for held in range(int(fold.max()) + 1):
        rows, seen = np.repeat(fold == held, 2), fold != held
        scores[rows] = near[np.ix_(rows, seen)] @ _ridge(alike[np.ix_(seen, seen)], signs[seen])
    absent, twice = np.stack([signs < 0, signs > 0], axis=1).reshape(scores.shape), np.repeat(fold, 2)
    by_chance = aucs_in_folds(scores[:, 1:], absent[:, 1:], twice)
    return cross_validated_auc(scores[:, 0], absent[:, 0], twice, np.repeat(patient, 2), by_chance=by_chance)


@dataclass(frozen=True)
class TellingTerm:
    """A term, with the number of responses with and without the image that have it."""

    term: str
    present: int
    absent: int


@dataclass(frozen=True)
class TellingTerms:
    """Terms that point most to a present or to a missing image. `pairs` is the number of pairs of responses."""

    for_present: tuple[TellingTerm, ...]
    for_absent: tuple[TellingTerm, ...]
    pairs: int


def telling_terms(test: StressTest, table: Table) -> TellingTerms | None:
    """Find the terms that distinguish responses with the image from those without. None with too few patients.

    Pairs in which a response says that the image is missing are left out. So are terms with a digit, since dates and
    numbers may be a patient's.
    """
    original, without = (arm.name for arm in test.all_arms)
    every = pairs_of(table, original, without)
    if every is None:
        return None
    pairs = every.select_pairs(~every.admits)
    if len(np.unique(table.clusters[pairs.ordinal])) < FEWEST_PATIENTS:
        return None
    design = _design(table, pairs)
    counts = [np.asarray((design.rows[side::2] > 0).sum(axis=0)).ravel() for side in (0, 1)]
    pulls = _ridge((design.differences @ design.differences.T).toarray(), np.ones(len(pairs.ordinal)))
    weights = design.differences.T @ pulls
    terms = [pairs.terms[at] for at in design.columns.tolist()]
    showable = [at for at in np.argsort(weights, kind="stable").tolist() if not any(map(str.isdigit, terms[at]))]
    made = [TellingTerm(terms[at], int(counts[0][at]), int(counts[1][at])) for at in showable]
    signed = [weights[at] for at in showable]
    present = [each for each, weight in zip(made, signed, strict=True) if weight < 0][:SHOWN]
    absent = [each for each, weight in zip(made[::-1], signed[::-1], strict=True) if weight > 0][:SHOWN]
    return TellingTerms(tuple(present), tuple(absent), len(pairs.ordinal))


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report without pass or fail: words that reveal the image are not a merit."""
    without = test.compared[0]
    found, every, silent = (measures.get((without.name, name)) for name in (UNADMITTED, ALL, PAIRS))
    if silent is None:
        return leave_open("not-compared", "", f"no question was asked both as it is and {without.in_words}")
    of = silent.estimate.n
    if found is None:
        pairs = round(silent.estimate.value * of)
        why = (
            f"in {pairs} of {of} pairs of responses neither says that the image is missing, and they are of fewer than "
            f"{FEWEST_PATIENTS} patients: too few for a classifier"
        )
        numbers = f"of all responses, a classifier of the words tells them apart with {_auc(every)}" if every else ""
        return leave_open("few-answers", numbers, why, *([(every, 0.5)] if every else []), pairs=pairs)
    numbers = (
        f"from the words alone a classifier tells responses {without.in_words} from those with the image, where "
        f"neither says that it is missing, with {_auc(found)}"
    )
    if every is not None and found.estimate.n < of:
        numbers += f"; of all responses, with {_auc(every)}"
    return Verdict(Status.REPORTED, numbers, _meaning(found), found)


def _auc(measure: Measure) -> str:
    found = measure.estimate
    return f"AUC {found.value:.2f} (95% CI {found.low:.2f} to {found.high:.2f}; {found.n:,} pairs)"


def _meaning(measure: Measure) -> str:
    """Describe the interval of the AUC: 0.5 is chance, and below 0.6 is of no use."""
    low, high = measure.estimate.low, measure.estimate.high
    if high < NOBODY:
        return "the words do not show it" if low <= GUESSING else "the words tell hardly more than a coin"
    if low > CLEARLY:
        return "the words give away which responses had the image"
    if low > GUESSING:
        return "the words tell more than a coin does"
    return f"the words may tell nothing (0.5) or something (up to {high:.2f})"
