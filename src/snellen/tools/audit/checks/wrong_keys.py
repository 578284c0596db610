"""Wrong keys: items on which models agree against the key, ranked for review."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile
from math import nan

import numpy as np

from snellen.runtime import counted
from snellen.stats import proportion
from snellen.stats.key_likelihood import KeyEvidence, key_evidence, versions
from snellen.tools.audit.answers import AnswerMatrix, collect_answered
from snellen.tools.audit.audited import Audited, Ints
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity

NAME = "wrong-keys"
LEAST_MODELS = 5
"""Minimum number of models. If fewer models agree on a wrong option, that is often chance."""
LEAST_ITEMS = 50
"""Minimum number of items, from which the check learns how often models agree on a wrong option."""
MOST_WRONG = 0.25
"""Maximum share of keys that models disagree with. Above, models share errors, or all keys are shifted."""

NO_ANSWERS = (
    "Wrong keys and dead items cannot be identified: no answers of models to these items are given. Name a folder of "
    "stored responses, of a run or an import."
)

_OTHER_ANSWERS = (
    "Keys cannot be checked: the stored responses answer no original item of this benchmark. "
    "Name the folder in which this benchmark was asked, under the condition original."
)


def look(audited: Audited) -> Checked:
    """Compare the keys with the answers of models, if these suffice."""
    given = collect_answered(audited)
    if given is None:
        return Checked(NAME, 0, cannot=(NO_ANSWERS if audited.answers is None else _OTHER_ANSWERS,))
    numbers, columns = _agreement(given)
    whose = versions(given.chosen, given.key)
    voices = int(whose.max()) + 1
    notes = tuple(_notes(audited, given, voices))
    if lacks := _lacks(given, voices, numbers[0].estimate.value):
        return Checked(NAME, 0, (), numbers, (lacks,), notes, columns)
    chosen = _one_each(given.chosen, whose)
    found = key_evidence(chosen, given.options, given.key, given.groups)
    columns["wrong_key_score"] = _by_item(given, np.log10(np.maximum(found.evidence, 1e-300)))
    listed = _rank(given, chosen, found)
    reviewed = _count_wrong(audited, given, listed)
    findings = (_finding(given, chosen, found, listed, reviewed),) if listed.size else ()
    return Checked(NAME, len(given.items), findings, (*numbers, *reviewed), (), notes, columns)


def _lacks(given: AnswerMatrix, voices: int, against: float) -> str:
    """Explain why keys cannot be compared with the answers; empty if they can."""
    if voices < LEAST_MODELS:
        among = "" if voices == len(given.models) else f", {voices} of them independent of each other"
        return (
            f"Wrong keys cannot be identified: answers of {given.whose} were found{among}, and at least "
            f"{LEAST_MODELS} different models are needed. Runs and versions of one model share their errors and count "
            "once."
        )
    if len(given.items) < LEAST_ITEMS:
        return (
            f"Wrong keys cannot be identified: {counted(len(given.items), 'item')} with answers are too few to "
            f"learn how often these models agree on a wrong option; {LEAST_ITEMS} are needed."
        )
    if against > MOST_WRONG:
        return (
            f"Wrong keys cannot be identified: the models agree against {against:.0%} of the keys. Either the items "
            "are very hard, or the models share most of their errors, as versions of one model do, or all keys are "
            "wrong, such as shifted by one item."
        )
    return ""


def _notes(audited: Audited, given: AnswerMatrix, voices: int) -> Iterator[str]:
    if voices < len(given.models):
        yield (
            f"{len(given.models)} models count as {voices}: some share half of their wrong answers or more, as "
            "versions of one model do."
        )
    left_out = audited.answers.left_out if audited.answers else {}
    for reason, count in left_out.items():
        yield f"{counted(count, 'stored item')} {reason} {'was' if count == 1 else 'were'} left out."
    if voices >= LEAST_MODELS:
        yield (
            "The score only orders the list: it is the logarithm (base 10) of how much likelier the answers are if "
            "another option is the key. A wrong belief that models share looks the same as a wrong key. How many of "
            "the listed keys are wrong is known only after a review (--key-review)."
        )


def _agreement(given: AnswerMatrix) -> tuple[tuple[Number, ...], dict[str, dict[str, float]]]:
    """Count how many models agree on one wrong option of each item."""
    votes = np.array([(given.chosen == option).sum(axis=0) for option in range(int(given.options.max()))]).T
    votes[np.arange(len(given.items)), given.key] = 0
    many = votes.max(axis=1)
    asked = (given.chosen >= 0).sum(axis=0)
    most = proportion((many > asked / 2).astype(np.float64), given.groups)
    number = Number("most_models_agree_on_a_wrong_option", "most models choose the same wrong option", most)
    return (number,), {"agreement_wrong": _by_item(given, many / asked)}


def _one_each(chosen: Ints, whose: Ints) -> Ints:
    """Merge versions of a model to the answer of the version that answered most."""
    rows = []
    for voice in range(int(whose.max()) + 1):
        own = chosen[whose == voice]
        rows.append(own[np.argmax((own >= 0).sum(axis=1))])
    return np.array(rows, dtype=np.int64)


def _rank(given: AnswerMatrix, chosen: Ints, found: KeyEvidence) -> Ints:
    """Rank the items where another option has more votes than the key, by evidence."""
    against, agree = (chosen == found.other).sum(axis=0), (chosen == given.key).sum(axis=0)
    listed = np.flatnonzero((found.other >= 0) & (against > agree))
    return np.asarray(listed[np.argsort(-found.evidence[listed], kind="stable")])


def _count_wrong(audited: Audited, given: AnswerMatrix, listed: Ints) -> tuple[Number, ...]:
    """Estimate the share of wrong keys among the reviewed first items of the list."""
    first = list(takewhile(lambda at: given.items[at].id in audited.key_review, listed.tolist()))
    found = {at: audited.key_review[given.items[at].id] for at in first}
    settled = [at for at, wrong in found.items() if wrong is not None]
    if not settled:
        return ()
    share = proportion(np.array([float(found[at] is True) for at in settled]), given.groups[settled])
    words = f"keys that raters found wrong, of the first {len(first)} listed"
    return (Number("reviewed_keys_wrong", words, share),)


def _finding(
    given: AnswerMatrix, chosen: Ints, found: KeyEvidence, listed: Ints, reviewed: tuple[Number, ...]
) -> Finding:
    sentence = (
        f"For {counted(len(listed), 'item')} of {len(given.items):,}, more of {len(chosen)} models agree on another "
        f"option than choose the key. The list is ranked for review; it does not say that a key is wrong."
    )
    share = reviewed[0].estimate if reviewed else None
    if share is not None:
        sentence += (
            f" Reviewed by raters: {share.value:.0%} of the {share.n} first that they agree on have a wrong key "
            f"(95% CI {share.low:.0%} to {share.high:.0%})."
        )
    severity = Severity.MEDIUM if share is not None and share.value > 0 else Severity.LOW
    fix = (
        "Have a rater who knows the field answer the first items without seeing the key, and give the answers with "
        "--key-review; correct or remove the items whose key is wrong."
    )
    flagged = tuple(_flag_item(given, chosen, found, int(at)) for at in listed)
    return Finding(NAME, severity, sentence, fix, flagged, sure=0.25)


def _flag_item(given: AnswerMatrix, chosen: Ints, found: KeyEvidence, at: int) -> Flagged:
    answers = chosen[:, at]
    asked, agree = int((answers >= 0).sum()), int((answers == found.other[at]).sum())
    evidence = (
        f"{agree} of {asked} models chose {given.letter(at, int(found.other[at]))}, the key says "
        f"{given.letter(at, int(given.key[at]))}; check the key."
    )
    score = float(np.log10(found.evidence[at]))
    return Flagged(given.items[at].id, evidence, score=score, sure=0.5 if score >= 1 else nan)


def _by_item(given: AnswerMatrix, values: np.ndarray) -> dict[str, float]:
    return dict(zip((item.id for item in given.items), values.tolist(), strict=True))


CHECK = Check(NAME, "On which items do models agree against the key?", look)
