"""The methods behind intervals in words, and the words that parsers declare for themselves and their rules."""

from __future__ import annotations

from snellen.reading.parsers import parser_named

BY_PATIENT = " Items of one patient are drawn and counted together."
METHOD_WORDS = {
    "wilson": "Wilson's interval for a share of independent items.",
    "cluster-wilson": "Wilson's interval at the number of independent items that would tell as much, because items of "
    "one patient or several responses to one item are not independent.",
    "cluster-delong-in-folds-and-permutation": "AUC on patients held out, within folds; DeLong's variance by patient, "
    "as wide as chance makes it near 0.5 (the two responses of patients swapped at random), and Wilson's interval.",
    "bonett-price": "Paired by item; the interval of Bonett and Price; p by McNemar's exact test.",
    "cluster-bonett-price": "Paired by item; the interval of Bonett and Price made robust to patients with several "
    "items; p by swapping the two conditions at random, patient by patient.",
    "one-over-options": "Known without a sample: one over the options that are real answers, on average.",
    "betting": "Anytime-valid: a confidence sequence by betting, which holds however often one looks and whenever "
    "asking stops; p is one over what bets against no change have won.",
    "betting-ratio": "Anytime-valid: a ratio of accuracies above chance with a confidence sequence by betting; no end "
    "where the data cannot bound it.",
    "student-t": "Mean with a Student-t interval.",
    "cluster-t": "Mean with a Student-t interval that is robust to patients with several items.",
    "chi-square-over-runs": "Variance of the runs' scores, with its interval for normal values (chi-square); where the "
    "runs differ by less than chance within the items would have it, the upper end is that of chance.",
    "nothing-varied": "No item ever changed between runs; the upper end is what so many items may have hidden.",
    "bootstrap-over-items": "Items drawn again a thousand times, each time with one more that varies as little or as "
    "much as an item can: percentiles, widened as Student's t widens them for few items.",
    "bootstrap-over-patients": "Patients drawn again a thousand times with all their items, each time with one more "
    "that varies as little or as much as one can: percentiles, widened as Student's t widens them for few patients.",
    "one patient only": "All items are of one patient, which says nothing of others: anything is possible.",
    "student-t-over-items": "Mean of the items' own accuracies with a Student-t interval over items, as published, but "
    "cut at 0 and 100%.",
    "fleiss-cohen-everitt": "Cohen's κ with the large-sample interval of Fleiss, Cohen and Everitt; n counts "
    "responses, taken as independent.",
    "wilson-of-agreement": "κ where all responses agree or all differ, with Wilson's bounds of the agreement; n counts "
    "responses, taken as independent.",
    "bootstrap-percentile": "Items drawn again two thousand times: percentiles, as papers print them. Too narrow "
    "for few items.",
    "delta-method": "Mean of the items' differences over their standard deviation, with an interval by the delta "
    "method that allows for skewed differences.",
    "cluster-delta-method": "Mean of the items' differences over their standard deviation, with an interval by the "
    "delta method that is robust to patients with several items.",
    "bootstrap-both-ways": "Items drawn again two thousand times through the whole formula, together with a few that "
    "nobody saw; from the lower to the higher of percentiles and mirrored percentiles, because a score with floors is "
    "biased.",
    "fieller": "Fieller's interval for the ratio of two accuracies on the same items, with two items nobody saw, one "
    "right under the first condition alone and one under the second; no end where the data cannot bound it.",
    "fieller-above-chance": "The same ratio with what guessing scores taken off both accuracies, by Fieller's "
    "interval; no end where the data cannot tell the accuracy with the image from guessing.",
    "unseen-bootstrap": "Mean of several ratios; items drawn again four thousand times, together with two nobody saw: "
    "percentiles, moved back where those two pull them inwards.",
    "crossed-t": "Mixed model of patients and models as crossed samples: each has its own variance and its own "
    "Student's t, what the two have together counted once; for other patients and other models. Never narrower than "
    "Student's t over patients alone; other intervals over patients may be wider.",
    "mover": "Difference of two groups, with an interval made of the two groups' own intervals (MOVER, Zou and Donner "
    "2008); n counts the items of both.",
    "crossed-fieller": "Fieller's interval for the ratio of two accuracies by the same mixed model of patients and "
    "models; no end where the data cannot bound it.",
    "unseen-mean-t": "Mean with a Student-t interval over items, together with two nobody saw, one all right and one "
    "all wrong.",
    "other-half-of-patients": "Models chosen on a random half of the patients and measured on the other half; mean of "
    "four hundred such splits. Interval by a jackknife: each of twenty groups of patients is left out once.",
    "two-unseen-t": "Mean over items with a Student-t interval, together with two items nobody saw, one at each end of "
    "the scale; p by the same t-test.",
    "cluster-two-unseen-t": "Mean over items with a Student-t interval robust to patients (and donors of swapped "
    "images) with several items, together with two patients nobody saw, one at each end; p by the same t-test.",
    "unseen-fieller": "Fieller's interval for the ratio of two means over items, together with two items nobody saw, "
    "one at each end of the scale; no end where the data cannot bound it.",
    "cluster-unseen-fieller": "Fieller's interval for the ratio of two means, robust to patients (and donors of "
    "swapped images) with several items, together with two patients nobody saw; no end where the data cannot bound it.",
    "unseen-t": "Mean over items with a Student-t interval, together with an item that moved wholly and one that did "
    "not, whom nobody saw; p by dealing an item's responses to the two conditions at random.",
    "swapped-bonett-price": "Distance between the answers under two conditions, less what swapping them item by "
    "item makes of it; from below what is left to above what was seen; p by the same swaps.",
    "stratified-bootstrap-percentile": "Items drawn again a thousand times, normal and diseased ones each from their "
    "own: percentiles, as the artefacts paper prints them. No width where all are right or none is.",
    "stratified-bootstrap-normal": "The same bootstrap: mean of its means ± 1.96 of their standard deviations.",
    "stratified-bootstrap-published-text": "As in the artefacts paper's text: the same with the standard deviation "
    "divided by 5. It holds the truth about three times in ten.",
    "t-test-as-published": "As in the artefacts paper: a t-test between two sets of a thousand bootstrap means. Its p "
    "falls with the number of resamples, which anybody may choose, and means nothing; shown, and never decided by.",
    "mean-slope": "Each item's own slope over the strengths, and their mean; interval and p as for a paired change.",
    "unseen-bootstrap; resamples=1000": "Items drawn again a thousand times with all their strengths, among them one "
    "nobody saw that is always right and one that never is; the curve fitted anew each time. No end where the fall may "
    "lie beyond the strengths asked.",
    "one rater with one label": "κ is 0 whatever the other says, because one of the two always says the same.",
    "undefined: one label only": "κ is not defined, because both always say the same.",
    "kruskal-wallis": "Kruskal and Wallis's H over the models, as published; p from the chi-square law, as if no two "
    "models had answered the same items.",
    "all scores equal": "H is 0, because all models have the same score on every item.",
    "dunn": "Dunn's z of two models by their mean ranks, as published; p is multiplied by the number of pairs.",
    "cochran-q": "Cochran's Q over the models, on the items that all answered; p from the chi-square law.",
    "permutation-of-models": "Cochran's Q over the models, on the items that all answered; p by swapping the models at "
    "random, item by item.",
    "no item on which models differ": "Q is 0, because no item tells the models apart.",
    "holm-over-pairs": "By which models are surely better and which surely worse, pair by pair on the same items; p is "
    "corrected over all pairs (Holm), so that all ranks together are right in 95 of 100 studies.",
    "bootstrap-share": "Share of two thousand draws of the items, those of one patient together, in which the model "
    "comes first. It is no probability that the model is the best.",
    "ppi++": "Mean of people's labels and of the grades of all other responses, the grades corrected by how far they "
    "differ from the labels (PPI++); n counts labels.",
}


def parser_words(name: str) -> str:
    """Whose form of answer a parser takes, and what for an answer."""
    return parser_named(name).words


def rule_words(parser: str, rule: str) -> str:
    """A rule in the words of its parser.

    >>> rule_words("lenient", "bare-letter"), rule_words("missing-image", "missing: send-it")
    ('a letter and nothing else', 'asks for the image')
    """
    return parser_named(parser).rule_words(rule)


def method_words(name: str) -> str:
    """How an interval was made; a method over patients that has no words of its own takes those of the one over items.

    >>> method_words("cluster-permutation-of-models").endswith(f"item by item.{BY_PATIENT}")
    True
    """
    first, settings, _ = name.partition(";")
    plain = first.removeprefix("cluster-").replace("-cluster-", "-")
    known = (name, name.removeprefix("cluster-") if settings else name, first)
    words = next((METHOD_WORDS[each] for each in known if each in METHOD_WORDS), "")
    of_items = METHOD_WORDS[plain] + BY_PATIENT if plain in METHOD_WORDS else "A method of the test's own."
    return words or of_items
