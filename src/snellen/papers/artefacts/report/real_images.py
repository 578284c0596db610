"""Real images by their quality: what a model scores on groups that nobody degraded, beside the artefacts put on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from snellen.items import UNGRADABLE
from snellen.papers.artefacts.report.maps import STRONG, WEAK, describe_way, of_family
from snellen.papers.artefacts.tests.quality_groups import CONTRAST, GROUPS, HIGH, LOW, SCORES, quality_of
from snellen.report.components import Cell, Part, Row, Table, name_columns, quiet, rich
from snellen.report.figures.forests import plotted
from snellen.report.lookup import Lookup
from snellen.report.words.numbers import count
from snellen.scoring.findings import Finding

WORDS = {HIGH: "high quality", LOW: "low quality", UNGRADABLE: "ungradable"}
RATES = ("flagged_rate", "declined_rate")
COLUMNS = name_columns("images", *SCORES, "flagged", "declined")
PLOTS = (
    (GROUPS[HIGH], "group_accuracy", "Accuracy: real images of high quality"),
    (GROUPS[LOW], "group_accuracy", "Accuracy: real images of low quality"),
    (CONTRAST, "group_accuracy_difference", "Accuracy on high minus on low quality, in points: other patients"),
    (GROUPS[UNGRADABLE], "group_flagged_rate", "Flagged: real images that nobody can grade"),
)
ABOUT = (
    "Nobody degraded these images: they are asked about as they are, in groups by the quality that the benchmark gives "
    "them. Images: {}. **The groups are of other patients**, so a difference may come from who is in them, not from "
    "the quality alone; under artefacts that are put on, the same images are asked twice. Of an ungradable image no "
    "diagnosis is right: the right response flags it, and it counts in no accuracy of this chapter. 95% CIs are "
    "Wilson’s, wider where patients have several images; the difference is unpaired (MOVER, for proportions "
    "Newcombe’s). No verdict rests on these numbers."
)


def draw_real_images(lookup: Lookup) -> list[Part]:
    """The groups of a study whose images have a quality; nothing for any other."""
    findings = list(_list_findings(lookup))
    if not findings:
        return []
    asked = dict.fromkeys(each.benchmark for each in findings)
    sizes = Counter(quality_of(item) for name in asked for item in lookup.evidence.results.benchmarks[name])
    groups = ", ".join(f"{words} {count(sizes[group])}" for group, words in WORDS.items())
    others = f"; {count(sizes[''])} have none of these qualities and stand in no group" if sizes[""] else ""
    parts: list[Part] = [quiet(rich(ABOUT, groups + others))]
    for arm, name, caption in PLOTS:
        found = [(each, measure) for each in findings if (measure := each.measure(arm, name)) is not None]
        if found:
            parts.append(plotted(found, lookup.evidence, lambda each: describe_way(lookup, each), where=arm,
                                 caption=caption))  # fmt: skip
    for each in findings:
        way = describe_way(lookup, each)
        parts.append(Table(COLUMNS, tuple(_draw_groups(lookup, each)), way, folded=way))
    return parts


def _list_findings(lookup: Lookup) -> Iterator[Finding]:
    """A finding for every model, benchmark and prompt: weak and strong artefacts have the same images as they are."""
    seen: set[tuple[str, str, str]] = set()
    for finding in (*of_family(lookup, WEAK), *of_family(lookup, STRONG)):
        place = (finding.model, finding.benchmark, finding.test.baseline.name)
        if place not in seen and any(each.arm in GROUPS.values() for each in finding.measures):
            seen.add(place)
            yield finding


def _draw_groups(lookup: Lookup, finding: Finding) -> Iterator[Row]:
    """Scores and silence of every group that has any, and high minus low."""
    rows = {words: [(GROUPS[group], f"group_{name}") for name in (*SCORES, *RATES)] for group, words in WORDS.items()}
    rows["high minus low"] = [(CONTRAST, f"group_{name}_difference") for name in SCORES]
    for words, wanted in rows.items():
        if any(finding.measure(*each) for each in wanted):
            cells = [lookup.cell(finding, *each) for each in wanted]
            yield Row(Cell(words), (*cells, *[Cell("–")] * (len(COLUMNS) - 1 - len(cells))), finding.model)
