"""Statistical functions: they take arrays and return an `Estimate` (value, interval, n and method)."""

from __future__ import annotations

from snellen.stats.agreement import clustered_kappa, cohens_kappa, fleiss_kappa, krippendorff_alpha, unanimity
from snellen.stats.auc import aucs_in_folds, cross_validated_auc
from snellen.stats.bootstrap import bootstrap
from snellen.stats.chosen import chosen_on_one_half
from snellen.stats.crossed import CrossedMean, crossed_difference, crossed_mean, crossed_ratio
from snellen.stats.dose_response import DoseResponse, dose_response
from snellen.stats.estimate import Estimate
from snellen.stats.grounding import ItemDistances, distribution_distance, grounding_signal, item_distances
from snellen.stats.human import Human, human, human_accuracy
from snellen.stats.intervals import mean, mean_score, median, proportion, student_t_over_items, wilson
from snellen.stats.joint import bootstrap_of_means
from snellen.stats.label_planning import (
    AccuracyPlan,
    KappaPlan,
    labels_for_accuracy,
    labels_for_kappa_above,
    labels_for_kappa_width,
)
from snellen.stats.limits import LimitTest, compare_mean, compare_ratio, compare_share
from snellen.stats.many_models import (
    DunnPair,
    ModelPair,
    ModelRank,
    OmnibusTest,
    Ranking,
    cochrans_q,
    compare_models,
    dunn,
    kruskal_wallis,
    ranks,
)
from snellen.stats.multiple import benjamini_hochberg, holm
from snellen.stats.one_sided import above_chance_p, luck_p, positive_mean_p
from snellen.stats.paired import bonett_price, cohens_d, paired_difference
from snellen.stats.percent_change import percent_change, t_test_as_published
from snellen.stats.permutation import mcnemar_exact, paired_permutation, permutation_test
from snellen.stats.power import (
    mcnemar_power,
    minimum_detectable_effect,
    minimum_detectable_gain,
    minimum_detectable_mean,
)
from snellen.stats.prediction_powered import (
    PredictionPowered,
    prediction_powered_by_stratum,
    prediction_powered_difference,
    prediction_powered_mean,
)
from snellen.stats.ratios import mean_of_ratios, ratio_above_chance, ratio_of_accuracies
from snellen.stats.repeats import Spread, spread
from snellen.stats.roc import RocPoint, area_under_curve, roc, threshold_at
from snellen.stats.sequential import at_any_time, confidence_sequence
from snellen.stats.stratified import stratified_bootstrap, stratified_law, stratified_means
from snellen.stats.two_groups import group_difference, shared_correlation

__all__ = [
    "AccuracyPlan", "CrossedMean", "DoseResponse", "DunnPair", "Estimate", "Human", "ItemDistances", "KappaPlan",
    "LimitTest", "ModelPair", "ModelRank", "OmnibusTest", "PredictionPowered", "Ranking", "RocPoint", "Spread",
    "above_chance_p", "area_under_curve", "at_any_time", "aucs_in_folds", "benjamini_hochberg", "bonett_price",
    "bootstrap", "bootstrap_of_means", "chosen_on_one_half", "clustered_kappa", "cochrans_q", "cohens_d",
    "cohens_kappa", "compare_mean", "compare_models", "compare_ratio", "compare_share", "compromised",
    "confidence_sequence", "cross_validated_auc", "crossed_difference", "crossed_mean", "crossed_ratio",
    "distribution_distance", "dose_response", "dunn", "falling_curve", "fleiss_kappa", "grounding_signal",
    "group_difference", "holm", "human", "human_accuracy", "item_contrast", "item_distances", "item_response", "joint",
    "key_likelihood", "krippendorff_alpha", "kruskal_wallis", "label_planning", "labels_for_accuracy",
    "labels_for_kappa_above", "labels_for_kappa_width", "luck_p", "mcnemar_exact", "mcnemar_power", "mean",
    "mean_of_ratios", "mean_score", "median", "minimum_detectable_effect", "minimum_detectable_gain",
    "minimum_detectable_mean", "observations", "one_sided", "paired_difference", "paired_permutation", "percent_change",
    "permutation", "permutation_test", "positive_mean_p", "prediction_powered_by_stratum",
    "prediction_powered_difference", "prediction_powered_mean", "proportion", "psychometric", "ranks",
    "ratio_above_chance", "ratio_of_accuracies", "roc", "shared_correlation", "spread", "stratified",
    "stratified_bootstrap", "stratified_law", "stratified_means", "student_t_over_items", "t_test_as_published",
    "threshold_at", "unanimity", "wilson",
]  # fmt: skip
