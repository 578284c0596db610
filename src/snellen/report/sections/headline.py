"""The headline: who was examined on what, and the most important thing that was found, in one sentence.

What was found is told by the first rule that has anything to say: images that may not have arrived, a score that does
not need its images, a model that does not use them, answers that hang on the order of the options, a model that is no
better than guessing, a score that needs its images, a model that uses them, and that nothing is settled.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.scoring.findings import Finding
from snellen.scoring.results import Results
from snellen.sight.delivery import Arrival
from snellen.stress.base import Measure, Status
from snellen.stress.conclusions import TOLERATED, percent, points
from snellen.stress.taxonomy import unseen

NEEDS = ("image-needed", "blank-image")
USED, ORDER = "image-used", "option-order"
NAMED = 3
"""So many models or benchmarks are named; of more, the others are counted."""


@dataclass(frozen=True)
class Headline:
    """The title of a report, what it rests on in a line, what was found, and what that means."""

    title: str
    found: str
    meaning: str
    status: Status


def headline(evidence: Evidence) -> Headline:
    """The title and the sentence of a study."""
    results = evidence.results
    found, meaning, status = next(told for rule in RULES if (told := rule(results)) is not None)
    return Headline(_title(results), found, meaning, status)


def _title(results: Results) -> str:
    models = _listed([name for name, _ in results.study["models"]])
    asked = [f"{name} ({len(each.items):,} questions)" for name, each in results.benchmarks.items()]
    return f"{models} on {_listed(asked)}"


def _listed(names: Sequence[str]) -> str:
    """Names in a row; of many, the first and how many more.

    >>> _listed(["a", "b"]), _listed(["a", "b", "c", "d", "e"])
    ('a and b', 'a, b, c and 2 more')
    """
    names = list(dict.fromkeys(names))
    shown = names if len(names) <= NAMED else [*names[:NAMED], f"{len(names) - NAMED} more"]
    return " and ".join(filter(None, (", ".join(shown[:-1]), shown[-1])))


Told = tuple[str, str, Status]


def _not_delivered(results: Results) -> Told | None:
    lost = [each for each in results.delivery if each.status is Arrival.CONTRADICTED]
    if not lost:
        return None
    whom = _listed([each.model for each in lost])
    return (
        f"The images seem not to have reached {whom}",
        "What came back says nothing of how it sees",
        Status.WITHHELD,
    )


def _does_not_need(results: Results) -> Told | None:
    failed = _of_family(results, NEEDS, Status.FAIL)
    if not failed:
        return None
    arm = next(each.verdict.rests_on.arm for each in failed if each.verdict.rests_on is not None)
    kept = f"{_plural(failed, 'keeps', 'keep')} {_kept(failed, arm)}{_chance(results, failed)}"
    return (
        f"{_who(failed, results)} {kept}{_describing(results, arm, {each.model for each in failed})}",
        "Most of this score does not show that the image was looked at",
        Status.FAIL,
    )


def _ignores(results: Results) -> Told | None:
    failed = _of_family(results, (USED,), Status.FAIL)
    if not failed:
        return None
    uses = _plural(failed, "does not use", "do not use")
    return f"{_who(failed, results)} {uses} the image", _begun(failed[0].verdict.numbers), Status.FAIL


def _hangs_on_order(results: Results) -> Told | None:
    failed = _of_family(results, (ORDER,), Status.FAIL)
    if not failed:
        return None
    rates = [each for finding in failed for each in finding.measures if each.name == "changed_rate"]
    moved = _range([each.estimate.value for each in rates])
    return (
        f"{_who(failed, results)} {_plural(failed, 'changes', 'change')} {moved} of the answers when the options are "
        "reordered",
        "The order of the options carries part of the score",
        Status.FAIL,
    )


def _no_better_than_guessing(results: Results) -> Told | None:
    asked = [each for each in results.findings if family(each) in NEEDS]
    above = [(each, each.measure(each.test.baseline.name, "above_chance")) for each in asked]
    guessing = [each for each, measure in above if measure is not None and measure.estimate.low <= 0]
    if not guessing or len({each.model for each in guessing}) < len({each.model for each in asked}):
        return None
    return (
        f"{_who(guessing, results)} {_plural(guessing, 'is', 'are')} not shown to be better than guessing with the "
        "image",
        f"Whether {_plural(guessing, 'it looks', 'they look')} cannot be told from this score",
        Status.INCONCLUSIVE,
    )


def _needs(results: Results) -> Told | None:
    passed = _of_family(results, NEEDS, Status.PASS)
    if not passed:
        return None
    falls = [each for finding in passed for each in finding.measures if each.name == "difference" and unseen(each.arm)]
    lost = _range([-each.estimate.value for each in falls], points)
    return (
        f"Without the image {_who(passed, results)} {_plural(passed, 'loses', 'lose')} {lost} of accuracy",
        "Most of this score needs the image",
        Status.PASS,
    )


def _follows(results: Results) -> Told | None:
    passed = _of_family(results, (USED,), Status.PASS)
    if not passed:
        return None
    uses = _plural(passed, "uses", "use")
    return f"{_who(passed, results)} {uses} the image", _begun(passed[0].verdict.numbers), Status.PASS


def _begun(numbers: str) -> str:
    return numbers[:1].upper() + numbers[1:]


def _nothing_settled(results: Results) -> Told:
    asked = sum(len(each.items) for each in results.benchmarks.values())
    return f"Nothing is settled by {asked:,} questions", "Every verdict is open, or only reported", Status.INCONCLUSIVE


RULES: tuple[Callable[[Results], Told | None], ...] = (
    _not_delivered, _does_not_need, _ignores, _hangs_on_order, _no_better_than_guessing, _needs, _follows,
    _nothing_settled,
)  # fmt: skip
"""What may be most important, in that order; the last always has something to say."""


def _of_family(results: Results, families: Iterable[str], status: Status) -> list[Finding]:
    wanted = tuple(families)
    return [each for each in results.findings if family(each) in wanted and each.verdict.status is status]


def _who(findings: Sequence[Finding], results: Results) -> str:
    """The models of some findings: "Both models", "All 5 models", or by name."""
    models = list(dict.fromkeys(each.model for each in findings))
    every = len(results.study["models"])
    if len(models) == every and every > 1:
        return "Both models" if every == 2 else f"All {every} models"
    return _listed(models)


def _plural(findings: Sequence[Finding], one: str, many: str) -> str:
    return one if len({each.model for each in findings}) == 1 else many


def _kept(failed: Sequence[Finding], arm: str) -> str:
    """The accuracy that is kept under an arm, with the arm in words."""
    without = next(each.in_words for finding in failed for each in finding.test.compared if each.name == arm)
    values = [measure.estimate.value for each in failed if (measure := each.measure(arm, "accuracy")) is not None]
    return f"{_range(values)} accuracy {without}"


def _range(values: Sequence[float], words: Callable[[float], str] = percent) -> str:
    """One number, or the least and the most.

    >>> _range([0.8, 0.802]), _range([0.5, 0.8])
    ('80%', '50% to 80%')
    """
    least, most = words(min(values)), words(max(values))
    return least if least == most else f"{least} to {most}"


def _chance(results: Results, failed: Sequence[Finding]) -> str:
    tables = [results.tables[each.model, each.benchmark] for each in failed]
    return f" (guessing: {_range([float(table.chance.mean()) for table in tables])})"


def _describing(results: Results, arm: str, models: set[str]) -> str:
    """How many responses under an arm describe findings, where more than are tolerated surely do."""
    found = [
        measure
        for finding in results.findings
        if finding.model in models
        for measure in finding.measures
        if measure.name == "described_rate" and measure.arm == arm
    ]
    sure: list[Measure] = [each for each in found if each.estimate.low > TOLERATED]
    if not sure:
        return ""
    rates = _range([each.estimate.value for each in sure])
    return f"; {rates} of these responses describe findings that were not shown"
