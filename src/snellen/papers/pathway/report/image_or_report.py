"""Image or report: what is lost in looking at the image, and what in reasoning from it."""

from __future__ import annotations

from collections.abc import Iterator

from snellen.conditions import ORIGINAL
from snellen.items import whole_of
from snellen.papers.pathway.report.profile import ANSWERS, Tasks
from snellen.papers.pathway.tests.tasks import REPORT, SILENT, subset_of
from snellen.prompts.pathway import BY_NAME
from snellen.report.components import Cell, Listing, Part, rich
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.comparison import Ways, draw_comparison
from snellen.stats import Estimate
from snellen.stress.conclusions import interval, percent, points

ASKED = ("diagnosis", "treatment")


def draw_image_or_report(tasks: Tasks) -> list[Part]:
    """Diagnosis and treatment with the image and with the report, and a sentence for each model."""
    parts: list[Part] = []
    for task in (BY_NAME[name] for name in ASKED):
        ways = Ways((ANSWERS,), (ORIGINAL.name, REPORT.label), ("image", "report"), ("seen", "plain"),
                    subset_of(task.name), f"{task.title} right")  # fmt: skip
        for benchmark, table in draw_comparison(tasks.lookup, ways).items():
            if whole_of(benchmark) == tasks.benchmark and (said := list(_list_losses(tasks.lookup, benchmark, ways))):
                parts += [table, Listing(tuple(said), "dots")]
    return parts


def _list_losses(lookup: Lookup, benchmark: str, ways: Ways) -> Iterator[Cell]:
    for place in lookup.places(benchmark):
        if (change := ways.change(lookup, place)) is not None and (said := _describe(change)):
            yield Cell(rich("**{}**: {}", lookup.short_names[place.model], said))


NEARLY_NONE = 1e-9


def _describe(change: Found) -> str:
    """What one model loses in a task; nothing if its accuracy on the same questions is not known."""
    changed = change.measure
    alike = [each for each in change.finding.measures if each.subset == changed.subset]
    found = {(each.arm, each.name): each.estimate for each in alike}
    before = found.get((changed.arm, "baseline_accuracy"))
    unseen, silent = (
        sum(found[arm, name].value for name in SILENT if (arm, name) in found) for arm in (ORIGINAL.name, changed.arm)
    )
    return "" if before is None else describe_loss(before, change.estimate, silent, unseen)


def describe_loss(before: Estimate, change: Estimate, silent: float = 0.0, unseen: float = 0.0) -> str:
    """What the report adds to the image was lost in looking; what is wrong even with it, was not.

    `silent` and `unseen` are the shares of responses that give no answer with the report, and with the image: who
    declines to look has lost nothing in looking.

    >>> describe_loss(Estimate(0.4, 0.3, 0.5, 90, "wilson"), Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    '40% right with the image and 75% with the report, 35 points more (95% CI 20 to 50, n 90): that is \
lost in looking at the image; 25% are wrong even with the report.'
    """
    after = min(1.0, max(0.0, before.value + change.value))
    said = f"{percent(before.value)} right with the image and {percent(after)} with the report"
    ends = f"{interval(change.low, change.high)}, n {change.n}"
    wrong = max(0.0, 1 - after - silent)
    rest = [f"{percent(wrong)} are wrong even with the report"] if wrong > NEARLY_NONE else []
    rest += [f"{percent(silent)} give no answer to the report"] if silent > NEARLY_NONE else []
    others = " and ".join(rest) or "with the report nothing is wrong"
    if change.low > 0 and unseen > change.value / 2:
        why = f"{percent(unseen)} give no answer with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(change.value)} more ({ends}): {why}; {others}."
    if change.low > 0:
        return f"{said}, {points(change.value)} more ({ends}): that is lost in looking at the image; {others}."
    if change.high < 0:
        more = "it does better with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(-change.value)} fewer ({ends}): {more}; {others}."
    possible = f", but up to {points(change.high)} are possible" if change.high > 0 else ""
    return f"{said} (difference {ends}): no loss in looking is shown{possible}; {others}."
