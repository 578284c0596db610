"""Image or report: what is lost in looking at the image, and what in reasoning from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from snellen.conditions import ORIGINAL
from snellen.prompts.pathway import BY_NAME
from snellen.protocols.pathway.report.profile import ANSWERS, Tasks, whole_name
from snellen.protocols.pathway.tests.tasks import REPORT, subset_of
from snellen.report.lookup import Lookup
from snellen.report.sections.comparison import Compared, Comparison, Ways, compared
from snellen.stats import Estimate
from snellen.stress.conclusions import percent, points

ASKED = ("diagnosis", "treatment")
LOOKS = (("seen", "with the image"), ("plain", "with the radiology report in its place"))


class Lost(NamedTuple):
    """One model in one task, in a sentence."""

    model: str
    sentence: str


@dataclass(frozen=True)
class ImageOrReport:
    """One task: the models with the image and with the report, and a sentence for each."""

    title: str
    comparison: Comparison
    sentences: tuple[Lost, ...]


def image_or_report(lookup: Lookup, tasks: Tasks) -> list[ImageOrReport]:
    """Diagnosis and treatment, as far as both were asked."""
    made = []
    for name in ASKED:
        task = BY_NAME[name]
        ways = Ways(
            (ANSWERS,),
            (ORIGINAL.name, REPORT.label),
            ("image", "report"),
            ("seen", "plain"),
            subset_of(name),
            f"{task.title} right",
        )
        for each in compared(lookup, ways):
            lines = tuple(line for line in each.lines if line.change is not None)
            if whole_name(each.benchmark) == tasks.benchmark and lines:
                said = tuple(Lost(line.model, sentence) for line in lines for sentence in _sentence(line))
                made.append(ImageOrReport(task.title, each, said))
    return made


def _sentence(line: Compared) -> Iterator[str]:
    base = line.change and line.change.finding
    if base is None or line.change is None:
        return
    subset = line.change.measure.subset
    before = next(
        (each.estimate for each in base.measures
         if each.name == "baseline_accuracy" and each.arm == line.change.measure.arm and each.subset == subset),
        None,
    )  # fmt: skip
    if before is not None:
        yield lost(before, line.change.estimate)


def lost(before: Estimate, change: Estimate) -> str:
    """What the report adds to the image was lost in looking; what is wrong even with it, in reasoning.

    >>> lost(Estimate(0.4, 0.3, 0.5, 90, "wilson"), Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    '40% right with the image and 75% with the report, 35 points more (95% CI 20 to 50, n 90): so much is \
lost in looking; the 25% still wrong with the report are lost in reasoning.'
    """
    after = min(1.0, max(0.0, before.value + change.value))
    said = f"{percent(before.value)} right with the image and {percent(after)} with the report"
    ends = f"95% CI {100 * change.low:.0f} to {100 * change.high:.0f}, n {change.n}".replace("-", "−")
    wrong = (
        f"the {percent(1 - after)} still wrong with the report are lost in reasoning"
        if after < 1
        else ("with the report nothing is wrong")
    )
    if change.low > 0:
        return f"{said}, {points(change.value)} more ({ends}): so much is lost in looking; {wrong}."
    if change.high < 0:
        return f"{said}, {points(-change.value)} fewer ({ends}): the image tells it more than the report; {wrong}."
    possible = f", though {points(change.high)} are possible" if change.high > 0 else ""
    return f"{said} (difference {ends}): no loss in looking is shown{possible}; {wrong}."
