"""Marks: the three verdicts on one model and one benchmark, corrected together.

A mark is one of these verdicts: follows the image, honest, steady.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from math import isfinite

from snellen.stats import Estimate, holm
from snellen.stress.base import Kind, Measure, Status, Unit, Verdict, by_name
from snellen.stress.table import Table
from snellen.stress.verdicts import follows, honest, steady
from snellen.stress.verdicts.decision import Number, UncorrectedVerdict, count_needed, round_up, settle
from snellen.stress.verdicts.responses import Responses, Skill, measure_skill
from snellen.stress.verdicts.sentences import describe

LEVEL = 0.05
"""Chance of any wrong mark of one model on one benchmark."""
INCOMPLETE = 0.05
NOT_ASKED = frozenset(("original-not-asked", "swap-not-asked", "no-image-not-asked", "order-not-asked"))
"""Reasons that more responses within the study cannot change."""
RULES: dict[str, Callable[[Responses, Skill], UncorrectedVerdict]] = {
    follows.NAME: follows.decide_follows,
    honest.NAME: honest.decide_honest,
    steady.NAME: steady.decide_steady,
}
NEEDS = {
    follows.NAME: ("own", "swapped", "exchanged"),
    honest.NAME: ("own", "removed", "blank"),
    steady.NAME: ("own", "reordered"),
}


@dataclass(frozen=True)
class MarkVerdict:
    """A mark: one of the three verdicts, with status, reason and numbers."""

    name: str
    status: Status
    reason: str
    decision: UncorrectedVerdict
    p: float = 1.0
    """The p-value after correction for the model's other marks."""
    needed: int | None = None
    """Number of questions that would decide with 80% power; None if decided or if no number would."""


def decide_marks(table: Table, looks: int = 1) -> tuple[MarkVerdict, ...]:
    """Decide a model's marks on a benchmark; each further look halves the level."""
    responses = Responses(table)
    skill = measure_skill(responses)
    made = [_decide(name, responses, skill) for name in RULES]
    level = LEVEL / 2 ** (looks - 1)
    family = [each for each in made if each.family]
    ps = [each.p for each in family]
    # by Holm's method, or by Bonferroni's if settled verdicts must stay
    adjusted = [min(1.0, len(RULES) * each) for each in ps] if table.looked is not None or not ps else holm(ps)
    p = dict(zip((each.verdict for each in family), map(float, adjusted), strict=True))
    return tuple(_mark(each, p.get(each.verdict, 1.0), level, len(family)) for each in made)


TOO_FEW = ("few-items", "few-patients")
"""Reasons that take precedence over "not shown to beat guessing": too few questions show nothing."""


def _decide(name: str, responses: Responses, skill: Skill | None) -> UncorrectedVerdict:
    """Return one verdict before correction, or the reason why there is none."""
    if not responses.has_images:
        return settle(name, Status.NOT_APPLICABLE, "no-images")
    if skill is None or responses.own is None:
        return settle(name, Status.INCONCLUSIVE, "original-not-asked")
    numbers: dict[str, Number] = {"accuracy": skill.accuracy, "guessing": skill.guessing, "answered": skill.answered}
    if not responses.own.answered.any():
        return settle(name, Status.NOT_APPLICABLE, "answers-nothing", **numbers)
    made = RULES[name](responses, skill)
    made = replace(made, numbers={**numbers, **made.numbers})
    guesses = 2 * skill.p > LEVEL
    known = made.settled is Status.NOT_APPLICABLE or made.open_reason in (*NOT_ASKED, *TOO_FEW)
    if known or (made.settled and not guesses):
        return made
    if (gap := responses.find_gap(NEEDS[name], INCOMPLETE)) is not None:
        lacking: dict[str, Number] = {"condition": gap[0], "share": gap[1]}
        told = {**made.numbers, **lacking}
        return replace(made, settled=Status.INCONCLUSIVE, open_reason="incomplete", family=False, numbers=told)
    if guesses:
        reason = "answers-few" if skill.answered < 0.5 else "not-shown-to-beat-guessing"
        # A model that only guesses can still fail for inventing findings.
        fails = name == honest.NAME and made.settled is None
        return replace(
            made, passes=1.0, open_reason=reason, family=fails, settled=None if fails else Status.INCONCLUSIVE
        )
    return made


def _mark(made: UncorrectedVerdict, p: float, level: float, family: int) -> MarkVerdict:
    if made.settled is not None or not made.family:
        return MarkVerdict(made.verdict, made.settled or Status.INCONCLUSIVE, made.open_reason, made)
    if p <= level and _excludes_limit(made):
        reason = made.pass_reason if made.leans is Status.PASS else made.fail_reason
        return MarkVerdict(made.verdict, made.leans, reason, made, p)
    needed = count_needed(made.decides, level / family) if made.decides and not made.open_reason else None
    reason = made.open_reason or ("more-questions" if needed else "at-the-limit")
    if needed and made.p <= level:
        reason = "after-correction"
    return MarkVerdict(made.verdict, Status.INCONCLUSIVE, reason, made, p, round_up(needed) if needed else None)


def _excludes_limit(made: UncorrectedVerdict) -> bool:
    """Return True if the printed interval excludes the limit, as every pass or fail needs."""
    found = made.decides.estimate if made.decides else None
    return found is None or not found.low <= made.limit <= found.high


KINDS = by_name(
    Kind("followed_share", "share of its skill that follows the image", Unit.RATIO),
    Kind("admits_rate", "says that it cannot see, or declines", Unit.SHARE, parser="claims"),
    Kind("invents_rate", "describes findings and does not say that it cannot see", Unit.SHARE, parser="claims"),
    Kind("order_adds", "answers that change with the order, beyond those that change between two runs", Unit.POINTS),
    Kind("order_moves", "answers that change with the order, each asked once", Unit.SHARE),
    Kind("runs_differ", "answers that differ between two runs", Unit.SHARE),
)
NUMBERS = {
    "followed": "followed_share",
    "added": "order_adds",
    "moved": "order_moves",
    "runs_differ": "runs_differ",
    **{f"{act}_{where}": f"{act}_rate" for act in ("admits", "invents") for where in ("own", "removed", "blank")},
}
"""Measures in results.csv, by the names of a verdict's numbers."""


def list_measures(mark: MarkVerdict, table: Table) -> dict[str, Measure]:
    """Return a mark's numbers as rows of results.csv, by the number's name."""
    responses, found = Responses(table), {}
    arms = {"own": responses.own, "swapped": responses.swapped or responses.exchanged, "reordered": responses.reordered}
    arms |= responses.without
    usual = {"follows": "swapped", "steady": "reordered"}.get(mark.name, "own")
    for name, estimate in mark.decision.numbers.items():
        where = name.rpartition("_")[2] if name.rpartition("_")[2] in arms else usual
        if not isinstance(estimate, Estimate) or not estimate.n or not isfinite(estimate.value):
            continue
        if name in NUMBERS and (view := arms[where]) is not None:
            found[name] = Measure(view.arm, KINDS[NUMBERS[name]], estimate).read_in(table)
    return found


def make_verdict(mark: MarkVerdict, measures: Mapping[str, Measure]) -> Verdict:
    """Convert a mark to a verdict with its sentence."""
    numbers = dict(mark.decision.numbers)
    if mark.needed is not None:
        numbers["needed"] = f"{mark.needed:,}"
    words = describe(mark.name, mark.reason, numbers)
    leads = "" if words.remedy.startswith("no ") else "what would decide: "
    meaning = f"{words.meaning}; {leads}{words.remedy}" if words.remedy else words.meaning
    decided = mark.status in (Status.PASS, Status.FAIL)
    # never a measure from the original image
    act, condition = "invents" if mark.reason == "invents" else "admits", mark.decision.numbers.get("condition")
    names = ("followed", "added", "moved", f"{act}_{condition}", f"{act}_removed", f"{act}_blank")
    rests_on = next((measures[name] for name in names if name in measures), None)
    return Verdict(mark.status, str(words.cell), words.meaning if decided else meaning, rests_on, mark.reason, numbers)


def is_judged(table: Table) -> bool:
    """Return True if the table has any condition, besides the original, that a mark needs."""
    seen = Responses(table)
    return bool(seen.own and (seen.without or seen.swapped or seen.exchanged or seen.reordered))
