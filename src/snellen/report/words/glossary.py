"""Descriptions of interval methods for the report."""

from __future__ import annotations

BY_PATIENT = " Items of one patient are resampled and counted together."
METHOD_WORDS = {
    "wilson": "Wilson's interval for a share of independent items.",
    "cluster-wilson": "Wilson's interval with the effective number of independent items, because items of one patient "
    "or several responses to one item are not independent.",
    "cluster-delong-in-folds-and-permutation": "AUC on held-out patients, within folds; DeLong's variance by patient, "
    "widened near 0.5 to that of randomly swapped responses of a patient, and Wilson's interval.",
    "bonett-price": "Paired by item; the interval of Bonett and Price; p by McNemar's exact test.",
    "cluster-bonett-price": "Paired by item; the interval of Bonett and Price made robust to patients with several "
    "items; p by swapping the two conditions at random, patient by patient.",
    "one-over-options": "Known without a sample: the average of 1 / number of options that are real answers.",
    "betting": "Anytime-valid: a confidence sequence by betting, valid at every look and whenever asking stops; p is "
    "1 / the capital won by bets against no change.",
    "betting-ratio": "Anytime-valid: a ratio of accuracies above chance with a confidence sequence by betting; no end "
    "if the data cannot bound it.",
    "student-t": "Mean with a Student-t interval.",
    "cluster-t": "Mean with a Student-t interval that is robust to patients with several items.",
    "chi-square-over-runs": "Variance of the runs' scores, with its interval for normal values (chi-square); if "
    "runs differ by less than chance within the items predicts, the upper end is that of chance.",
    "nothing-varied": "No item ever changed between runs; the upper end is the largest spread that this number of "
    "items could miss.",
    "bootstrap-over-items": "Bootstrap: a thousand resamples of the items, each with one hypothetical item of least or "
    "most possible variation; percentiles, widened like Student's t for few items.",
    "bootstrap-over-patients": "Bootstrap: a thousand resamples of patients with all their items, each with one "
    "hypothetical patient of least or most possible variation; percentiles, widened like Student's t for few patients.",
    "one patient only": "All items belong to one patient, which says nothing about other patients: the interval "
    "covers everything.",
    "student-t-over-items": "Mean of the items' own accuracies with a Student-t interval over items, as published, but "
    "cut at 0 and 100%.",
    "fleiss-cohen-everitt": "Cohen's κ with the large-sample interval of Fleiss, Cohen and Everitt; n counts "
    "responses, taken as independent.",
    "wilson-of-agreement": "κ if all responses agree or all differ, with Wilson's bounds of the agreement; n counts "
    "responses, taken as independent.",
    "bootstrap-percentile": "Bootstrap: percentiles of two thousand resamples of the items, as in the papers. Too "
    "narrow for few items.",
    "delta-method": "Mean of the items' differences over their standard deviation, with an interval by the delta "
    "method that allows for skewed differences.",
    "cluster-delta-method": "Mean of the items' differences over their standard deviation, with an interval by the "
    "delta method that is robust to patients with several items.",
    "bootstrap-both-ways": "Bootstrap: two thousand resamples of the items, with a few hypothetical ones, through the "
    "whole formula; the interval spans the percentiles and the mirrored percentiles, because a score with floors is "
    "biased.",
    "fieller": "Fieller's interval for the ratio of two accuracies on the same items, with two hypothetical items, one "
    "right under the first condition alone and one under the second; no end if the data cannot bound it.",
    "fieller-above-chance": "Fieller's interval for the ratio of two accuracies above guessing on the same items; no "
    "end if the accuracy with the image may be guessing.",
    "unseen-bootstrap": "Mean of several ratios; bootstrap with four thousand resamples of the items and two "
    "hypothetical ones: percentiles, corrected if these two move them inwards.",
    "crossed-t": "Mixed model with patients and models as crossed random samples, each with its own variance and "
    "Student's t, shared variance counted once. Holds for other patients and other models. Never narrower than "
    "Student's t over patients alone; other intervals over patients may be wider.",
    "mover": "Difference of two groups, with an interval made of the two groups' own intervals (MOVER, Zou and Donner "
    "2008); n counts the items of both.",
    "crossed-fieller": "Fieller's interval for the ratio of two accuracies by the same mixed model of patients and "
    "models; no end if the data cannot bound it.",
    "unseen-mean-t": "Mean with a Student-t interval over items, with two hypothetical ones added, one all "
    "right and one all wrong.",
    "other-half-of-patients": "Models chosen on a random half of the patients and measured on the other half; mean of "
    "four hundred such splits. Interval by a jackknife: each of twenty groups of patients is left out once.",
    "two-unseen-t": "Mean over items with a Student-t interval, together with two hypothetical items, one at "
    "each end of the scale; p by the same t-test.",
    "cluster-two-unseen-t": "Mean over items with a Student-t interval robust to patients (and donors of swapped "
    "images) with several items, together with two hypothetical patients, one at each end; p by the same t-test.",
    "unseen-fieller": "Fieller's interval for the ratio of two means over items, with two hypothetical items, "
    "one at each end of the scale; no end if the data cannot bound it.",
    "cluster-unseen-fieller": "Fieller's interval for the ratio of two means, robust to patients (and donors of "
    "swapped images) with several items, and two hypothetical patients; no end if the data cannot bound it.",
    "unseen-t": "Mean over items with a Student-t interval, with two hypothetical items, one that changed fully and "
    "one that did not change; p by assigning each item's responses to the two conditions at random.",
    "swapped-bonett-price": "Distance between the answers under two conditions, minus the distance expected if they "
    "are swapped item by item; the interval runs from the lower limit of this difference to the upper limit of the "
    "distance; p by the same swaps.",
    "stratified-bootstrap-percentile": "Bootstrap: percentiles of a thousand resamples of the items, normal and "
    "diseased ones drawn separately, as in the artefacts paper. It has no width if all items are right or none is.",
    "stratified-bootstrap-normal": "Bootstrap of a thousand resamples, normal and diseased items drawn separately: "
    "mean of the resamples' means ± 1.96 of their standard deviations.",
    "stratified-bootstrap-published-text": "As in the artefacts paper's text: mean of a thousand resamples' means "
    "± 1.96 of their standard deviations divided by 5. It contains the true value about three times in ten.",
    "t-test-as-published": "As in the artefacts paper: a t-test between two sets of a thousand bootstrap means. Its p "
    "falls with the number of resamples, an arbitrary choice, and means nothing: it is shown but decides nothing.",
    "mean-slope": "Each item's own slope over the strengths, and their mean; interval and p as for a paired change.",
    "unseen-bootstrap; resamples=1000": "Bootstrap: a thousand resamples of items with all their strengths, with one "
    "hypothetical item that is always right and one that never is; the curve is fitted to each. No end if the "
    "accuracy may fall only beyond the strengths asked.",
    "one rater with one label": "κ is 0, because one of the two always gives the same label.",
    "undefined: one label only": "κ is not defined, because both always give the same label.",
    "kruskal-wallis": "Kruskal and Wallis's H over the models, as published; p from the chi-square law, as if no two "
    "models had answered the same items.",
    "all scores equal": "H is 0, because all models have the same score on every item.",
    "dunn": "Dunn's z of two models by their mean ranks, as published; p is multiplied by the number of pairs.",
    "cochran-q": "Cochran's Q over the models, on the items that all answered; p from the chi-square law.",
    "permutation-of-models": "Cochran's Q over the models, on the items that all answered; p by swapping the models at "
    "random, item by item.",
    "no item on which models differ": "Q is 0, because all models have the same result on every item.",
    "holm-over-pairs": "Rank from the models that are surely better and surely worse, pair by pair on the same items; "
    "p is corrected over all pairs (Holm), so that all ranks together are right in 95 of 100 studies.",
    "bootstrap-share": "Share of two thousand resamples of the items (those of one patient together) in which the "
    "model comes first. It is not the probability that the model is the best.",
    "ppi++": "Mean of people's labels and of the grades of all other responses, the grades corrected by how far they "
    "differ from the labels (PPI++); n counts labels.",
}


def method_words(name: str) -> str:
    """Describe how an interval was made, given the name of its method.

    >>> method_words("cluster-permutation-of-models").endswith(f"item by item.{BY_PATIENT}")
    True
    """
    first, settings, _ = name.partition(";")
    plain = first.removeprefix("cluster-").replace("-cluster-", "-")
    known = (name, name.removeprefix("cluster-") if settings else name, first)
    words = next((METHOD_WORDS[each] for each in known if each in METHOD_WORDS), "")
    of_items = METHOD_WORDS[plain] + BY_PATIENT if plain in METHOD_WORDS else "A method defined by the test itself."
    return words or of_items
