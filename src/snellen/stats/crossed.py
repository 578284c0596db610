"""Crossed random effects: means over patients and models that generalise to other patients and models."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from math import inf, isfinite, sqrt
from typing import NamedTuple

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

from snellen.stats.clustered import Clustered, gather
from snellen.stats.estimate import Estimate
from snellen.stats.observations import Codes, Numbers, group_codes, open_fraction
from snellen.stats.ratios import fieller_ends, ratio_of_accuracies

FEWEST_MODELS = 3
"""Fewest models for statements about other models: with two, Student's t allows any value."""


class CrossedMean(NamedTuple):
    """Mean over patients and models, with the standard deviation of each component.

    `together` is the SD of the interaction (patients who are hard for some models only) and of chance. The three SDs
    are nan for fewer than three models, or a single patient.
    """

    estimate: Estimate
    patients: float
    models: float
    together: float


def crossed_mean(values: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95) -> CrossedMean:
    """Mean of an items × models table in [0, 1], with a crossed-effects interval.

    The mixed model is y = μ + patient + model + patient × model, all but μ random; `clusters` names the patients. The
    squared half-width of the interval is t²(patients − 1) · V_patients + t²(models − 1) · V_models (Banerjee 1960).
    V_models includes the interaction and V_patients does not.

    The interval assumes that the models are a random sample whose errors are independent (two versions of one model are
    not) and have no long tail. It is never narrower than Student's t over the patients and two hypothetical ones, all
    right and all wrong. With fewer than three models it is that interval.

    >>> print(crossed_mean([[1, 1, 0, 1, 1, 0], [1, 0, 0, 1, 0, 1], [1, 1, 1, 0, 1, 1]] * 20).estimate)
    0.67 [0.45, 0.89] (n=60, crossed-t; models=6)
    """
    table, codes = _table(values, "values"), group_codes(clusters, len(np.asarray(values)))
    alone = _unseen_t(gather(table.mean(axis=1), codes), open_fraction(level, "level"))
    spread = _Spread(table[:, :, None], codes, level)
    if spread.models < FEWEST_MODELS or spread.single:
        return CrossedMean(_over_patients(alone, spread.models), np.nan, np.nan, np.nan)
    half = sqrt(max(float(part[0, 0]) for part in spread.squares))
    low, high = max(alone.value - half, 0.0), min(alone.value + half, 1.0)
    return CrossedMean(_widen_interval(alone, low, high, spread.models), *spread.deviations)


def crossed_difference(
    first: ArrayLike, second: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> CrossedMean:
    """Difference of two items × models tables, paired by item and model.

    >>> before, after = [[1, 1, 1, 1], [1, 1, 0, 1]] * 20, [[1, 1, 0, 1], [1, 0, 0, 1]] * 20
    >>> print(crossed_difference(before, after).estimate)
    -0.25 [-0.71, 0.21] (n=40, crossed-t; models=4)
    """
    one, two = _check_aligned(first, second, ("first", "second"))
    found = crossed_mean((1 + two - one) / 2, clusters, level)
    value, low, high = (2 * each - 1 for each in (found.estimate.value, found.estimate.low, found.estimate.high))
    spread = (2 * each for each in (found.patients, found.models, found.together))
    return CrossedMean(replace(found.estimate, value=value, low=low, high=high), *spread)


def crossed_ratio(
    numerator: ArrayLike, denominator: ArrayLike, clusters: ArrayLike | None = None, level: float = 0.95
) -> Estimate:
    """Ratio of the means of two items × models tables.

    The interval holds the ratios r for which the mean of numerator − r · denominator does not differ significantly from
    0 in the mixed model of `crossed_mean` (Fieller). Pairs are kept: one patient's two answers by one model. `high` is
    infinite if the data cannot bound the ratio. It is never narrower than `ratio_of_accuracies` over patients alone.

    >>> before, after = [[1, 1, 1, 1], [1, 1, 0, 1]] * 20, [[1, 1, 0, 1], [1, 0, 0, 1]] * 20
    >>> print(crossed_ratio(after, before))
    0.71 [0.00, 1.19] (n=40, crossed-fieller; models=4)
    """
    above, below = _check_aligned(numerator, denominator, ("numerator", "denominator"))
    alone = ratio_of_accuracies(above.mean(axis=1), below.mean(axis=1), clusters, level)
    spread = _Spread(np.stack((above, below), axis=2), group_codes(clusters, len(above)), level)
    if spread.single:
        return _over_patients(replace(alone, low=0.0, high=inf), spread.models)
    if spread.models < FEWEST_MODELS or not isfinite(alone.value):
        return _over_patients(alone, spread.models)
    top, bottom = above.mean(), below.mean()
    product = np.array([[top * top, top * bottom], [top * bottom, bottom * bottom]])
    ends = [fieller_ends(left[1, 1], left[0, 1], left[0, 0]) for left in (product - part for part in spread.squares)]
    low, high = min(end[0] for end in ends), max(end[1] for end in ends)
    return _widen_interval(alone, low, high, spread.models, "crossed-fieller")


def _check_aligned(first: ArrayLike, second: ArrayLike, names: tuple[str, str]) -> tuple[Numbers, Numbers]:
    one, two = _table(first, names[0]), _table(second, names[1])
    if one.shape != two.shape:
        raise ValueError(f"`{names[0]}` and `{names[1]}` must be aligned, got {one.shape} and {two.shape}.")
    return one, two


def _unseen_t(patients: Clustered, level: float) -> Estimate:
    """Student's t interval over the patients and two hypothetical ones, all right and all wrong."""
    size, n = patients.items / patients.count, round(patients.items)
    method = "unseen-mean-t" if patients.count == n else "cluster-unseen-mean-t"
    if not isfinite(patients.quantile(level)):
        return Estimate(patients.mean, 0.0, 1.0, n, method)
    low, high = patients.ends_with((size, 0.0), size, (0.0, 1.0), level)
    return Estimate(patients.mean, low, high, n, method)


def _table(values: ArrayLike, name: str) -> Numbers:
    table = np.asarray(values, dtype=np.float64)
    if table.ndim != 2 or not table.size:
        raise ValueError(f"`{name}` must have a row for each item and a column for each model, got {table.shape}.")
    if not (np.isfinite(table).all() and table.min() >= 0 and table.max() <= 1):
        raise ValueError(f"`{name}` must lie in [0, 1] for every item and model.")
    return table


def _over_patients(alone: Estimate, models: int) -> Estimate:
    return replace(alone, method=f"{alone.method}; models={models}, taken as fixed")


def _widen_interval(alone: Estimate, low: float, high: float, models: int, method: str = "crossed-t") -> Estimate:
    return replace(alone, low=min(low, alone.low), high=max(high, alone.high), method=f"{method}; models={models}")


@dataclass(frozen=True)
class _Spread:
    """A number per item and model, with variances over patients and models."""

    values: NDArray[np.float64]
    codes: Codes | None
    level: float

    @property
    def models(self) -> int:
        return int(self.values.shape[1])

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the patients; unequal numbers of items reduce them."""
        return 1 / float(np.sum(self.weights**2)) - 1

    @property
    def single(self) -> bool:
        """True if practically all items belong to one patient."""
        return self.freedom < 0.05

    @cached_property
    def weights(self) -> Numbers:
        """Share of the items of each patient."""
        sizes = np.ones(len(self.values)) if self.codes is None else np.bincount(self.codes)
        return np.asarray(sizes / len(self.values))

    @cached_property
    def parts(self) -> tuple[Numbers, Numbers, Numbers]:
        """Covariances of the means from patients, models and their interaction."""
        weights, models = self.weights, self.models
        by_patient = self._by_patient()
        patient, model = by_patient.mean(axis=1), np.einsum("p,pmk->mk", weights, by_patient)
        mean = model.mean(axis=0)
        left = by_patient - patient[:, None] - model + mean
        bessel = len(weights) / (len(weights) - 1)
        return (
            bessel * _products(weights[:, None] * (patient - mean)),
            _products(model - mean) / (models * (models - 1)),
            bessel * _products((weights[:, None, None] * left).reshape(-1, left.shape[2])) / (models * (models - 1)),
        )

    def _by_patient(self) -> NDArray[np.float64]:
        """Mean of each patient's items, independent of their order."""
        if self.codes is None:
            return self.values
        sums = np.zeros((len(self.weights), *self.values.shape[1:]))
        np.add.at(sums, self.codes, self.values)
        return np.asarray(sums / np.bincount(self.codes)[:, None, None])

    @property
    def squares(self) -> tuple[Numbers, ...]:
        """Squared half-widths for patients and models, patients only and models only; the largest is used."""
        patients, models, together = self.parts
        degrees = (self.freedom, self.models - 1)
        of_patients, of_models = (float(scipy.special.stdtrit(each, (1 + self.level) / 2)) ** 2 for each in degrees)
        both = of_patients * (patients - together) + of_models * models
        return both, of_patients * patients, of_models * models

    @property
    def deviations(self) -> tuple[float, float, float]:
        """Standard deviations of patients, models and their interaction; at least 0."""
        patients, models, together = (float(part[0, 0]) for part in self.parts)
        share = float(np.sum(self.weights**2))
        found = ((patients - together) / share, (models - together) * self.models, together * self.models / share)
        one, two, three = (sqrt(max(each, 0.0)) for each in found)
        return one, two, three


def _products(rows: Numbers) -> Numbers:
    return np.asarray(rows.T @ rows)
