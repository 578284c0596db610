"""Real images by their quality: what a model scores on groups that nobody degraded, beside the artefacts put on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from snellen.items import UNGRADABLE
from snellen.protocols.artefacts.report.tests import STRONG, WEAK, of_family, strategy
from snellen.protocols.artefacts.tests.quality_groups import CONTRAST, GROUPS, HIGH, LOW, SCORES, quality_of
from snellen.report.figures.forests import Forest, plotted
from snellen.report.lookup import Found, Lookup
from snellen.report.sections.tests import label
from snellen.report.words import numbers as wording
from snellen.scoring.findings import Finding

WORDS = {HIGH: "high quality", LOW: "low quality", UNGRADABLE: "ungradable"}
RATES = ("flagged_rate", "declined_rate")


class RealGroup(NamedTuple):
    """One group of images, or high minus low: the scores, and how often responses flag or decline; None for none."""

    words: str
    numbers: tuple[Found | None, ...]


class RealModel(NamedTuple):
    """One model asked in one way."""

    title: str
    strategy: str
    lines: tuple[RealGroup, ...]


class RealImages(NamedTuple):
    """Every model's groups, plots of them, and how many images are in each group and in none."""

    models: tuple[RealModel, ...]
    plots: tuple[Forest, ...]
    counts: str
    others: str


def real_images(lookup: Lookup) -> RealImages | None:
    """The groups of a study whose images have a quality; None for any other."""
    findings = list(_findings(lookup))
    if not findings:
        return None
    asked = dict.fromkeys(each.benchmark for each in findings)
    items = [item for name in asked for item in lookup.evidence.results.benchmarks[name]]
    sizes = Counter(map(quality_of, items))
    return RealImages(
        tuple(_model(lookup, each) for each in findings),
        tuple(_plots(lookup, findings)),
        ", ".join(f"{words} {wording.count(sizes[group])}" for group, words in WORDS.items()),
        wording.count(sizes[""]) if sizes[""] else "",
    )


def _findings(lookup: Lookup) -> Iterator[Finding]:
    """A finding for every model, benchmark and prompt: weak and strong artefacts have the same images as they are."""
    seen: set[tuple[str, str, str]] = set()
    for finding in (*of_family(lookup, WEAK), *of_family(lookup, STRONG)):
        place = (finding.model, finding.benchmark, finding.test.baseline.name)
        if place not in seen and any(each.arm in GROUPS.values() for each in finding.measures):
            seen.add(place)
            yield finding


def _model(lookup: Lookup, finding: Finding) -> RealModel:
    lines = [
        RealGroup(words, tuple(_found(lookup, finding, GROUPS[group], f"group_{name}") for name in (*SCORES, *RATES)))
        for group, words in WORDS.items()
    ]
    apart = tuple(_found(lookup, finding, CONTRAST, f"group_{name}_difference") for name in SCORES)
    lines.append(RealGroup("high minus low", (*apart, *(None for _ in RATES))))
    words = strategy(finding.test, lookup.evidence.results.study)
    shown = tuple(line for line in lines if any(line.numbers))
    return RealModel(label(finding, lookup.evidence), words, shown)


def _found(lookup: Lookup, finding: Finding, arm: str, name: str) -> Found | None:
    measure = finding.measure(arm, name)
    return None if measure is None else lookup.printed(finding, measure)


PLOTS = (
    (GROUPS[HIGH], "group_accuracy", "Accuracy: real images of high quality"),
    (GROUPS[LOW], "group_accuracy", "Accuracy: real images of low quality"),
    (CONTRAST, "group_accuracy_difference", "Accuracy on high minus on low quality, in points: other patients"),
    (GROUPS[UNGRADABLE], "group_flagged_rate", "Flagged: real images that nobody can grade"),
)


def _plots(lookup: Lookup, findings: Sequence[Finding]) -> Iterator[Forest]:
    """Accuracy on high and low quality, how far apart they are, and how often the ungradable are flagged."""
    for arm, name, caption in PLOTS:
        found = [(each, measure) for each in findings if (measure := each.measure(arm, name)) is not None]
        if found:
            yield plotted(found, lookup.evidence, lambda each: _row(lookup, each), where=arm, caption=caption)


def _row(lookup: Lookup, finding: Finding) -> str:
    return f"{label(finding, lookup.evidence)}, {strategy(finding.test, lookup.evidence.results.study)}"
