"""Image or report: what is lost in looking at the image, and what in reasoning from it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from snellen.conditions import ORIGINAL
from snellen.items import whole_of
from snellen.prompts.pathway import BY_NAME
from snellen.protocols.pathway.report.profile import ANSWERS, Tasks
from snellen.protocols.pathway.tests.tasks import REPORT, SILENT, subset_of
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
            if whole_of(each.benchmark) == tasks.benchmark and lines:
                said = tuple(Lost(line.model, sentence) for line in lines for sentence in _sentence(line))
                made.append(ImageOrReport(task.title, each, said))
    return made


NEARLY_NONE = 1e-9


def _sentence(line: Compared) -> Iterator[str]:
    base = line.change and line.change.finding
    if base is None or line.change is None:
        return
    changed = line.change.measure
    alike = [each for each in base.measures if each.subset == changed.subset]
    found = {(each.arm, each.name): each.estimate for each in alike}
    if (before := found.get((changed.arm, "baseline_accuracy"))) is not None:
        unseen, silent = (
            sum(found[arm, name].value for name in SILENT if (arm, name) in found)
            for arm in (ORIGINAL.name, changed.arm)
        )
        yield lost(before, line.change.estimate, silent, unseen)


def lost(before: Estimate, change: Estimate, silent: float = 0.0, unseen: float = 0.0) -> str:
    """What the report adds to the image was lost in looking; what is wrong even with it, was not.

    `silent` and `unseen` are the shares of responses that give no answer with the report, and with the image: who
    declines to look has lost nothing in looking.

    >>> lost(Estimate(0.4, 0.3, 0.5, 90, "wilson"), Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    '40% right with the image and 75% with the report, 35 points more (95% CI 20 to 50, n 90): so much is \
lost in looking; 25% are wrong even with the report.'
    """
    after = min(1.0, max(0.0, before.value + change.value))
    said = f"{percent(before.value)} right with the image and {percent(after)} with the report"
    ends = f"95% CI {100 * change.low:.0f} to {100 * change.high:.0f}, n {change.n}".replace("-", "−")
    wrong = max(0.0, 1 - after - silent)
    rest = [f"{percent(wrong)} are wrong even with the report"] if wrong > NEARLY_NONE else []
    rest += [f"{percent(silent)} give no answer to the report"] if silent > NEARLY_NONE else []
    others = " and ".join(rest) or "with the report nothing is wrong"
    if change.low > 0 and unseen > change.value / 2:
        why = f"{percent(unseen)} give no answer with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(change.value)} more ({ends}): {why}; {others}."
    if change.low > 0:
        return f"{said}, {points(change.value)} more ({ends}): so much is lost in looking; {others}."
    if change.high < 0:
        more = "it does better with the image, so that what is lost in looking cannot be told"
        return f"{said}, {points(-change.value)} fewer ({ends}): {more}; {others}."
    possible = f", though {points(change.high)} are possible" if change.high > 0 else ""
    return f"{said} (difference {ends}): no loss in looking is shown{possible}; {others}."
