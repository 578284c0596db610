"""The numbers by category and by language: to look at, not to conclude from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from snellen.report.components import Fold, Grid, Note, Part, Section, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import forest
from snellen.report.sections.headline import short_names
from snellen.report.words.numbers import count
from snellen.scoring.findings import GROUPINGS, Finding

FEW = 20
"""Groups of fewer items than this are marked."""
MOST_GROUPS = 40
"""More groups than this are not drawn; the largest are."""
MOST_ARMS = 6
"""Of more arms than this, the first are drawn."""
SHOWN = ("accuracy", "difference")
INTRO = (
    "The same numbers for parts of the questions. Groups are small and there are many of them, so some will stand out "
    f"by chance alone: look at them, and conclude nothing from one. Those of fewer than {FEW} items are marked “few "
    "items”."
)


def draw_groups(evidence: Evidence) -> Iterator[Fold]:
    """Every benchmark by each grouping of its items that has several groups, folded."""
    parts: list[Part] = []
    for benchmark in evidence.benchmarks:
        for grouping in GROUPINGS:
            found = [each for each in evidence.results.groups
                     if each.benchmark == benchmark and each.group.startswith(f"{grouping}=")]  # fmt: skip
            if found:
                name = benchmark if evidence.several else ""
                parts.append(Section(f"By {grouping}", tuple(_draw_grouping(evidence, found)), name=name))
    if parts:
        groupings = dict.fromkeys(str(part.title).lower() for part in parts if isinstance(part, Section))
        yield Fold("By group", (Note(INTRO), *parts), ", ".join(groupings), "breakdown")


def _draw_grouping(evidence: Evidence, found: Sequence[Finding]) -> Iterator[Part]:
    """A fold for each model with its plots over the groups, and what is not drawn."""
    sizes: dict[str, int] = {}
    for each in found:
        sizes[each.group] = max(sizes.get(each.group, 0), _size(each))
    largest = sorted(sizes, key=lambda group: (-sizes[group], group))[:MOST_GROUPS]
    if len(largest) < len(sizes):
        words = f"The {len(largest)} largest of {count(len(sizes))} groups; breakdown.csv has all of them."
        yield Note(words, look="quiet")
    if (left := len(_list_arms(found, SHOWN[0])) - MOST_ARMS) > 0:
        yield Note(f"{left} more conditions are in breakdown.csv.", look="quiet")
    for model in dict.fromkeys(each.model for each in found):
        plots = _draw_plots(evidence, [each for each in found if each.model == model], largest)
        yield Fold(short_names(evidence.results)[model], (Grid(tuple(plots)),))


def _draw_plots(evidence: Evidence, found: Sequence[Finding], groups: Sequence[str]) -> Iterator[Table]:
    """Accuracy under every arm, then every change; an arm that several tests share is drawn once."""
    for name in SHOWN:
        for arm in _list_arms(found, name)[:MOST_ARMS]:
            measured = {each.group: each for each in reversed(found) if each.measure(arm, name) is not None}
            rows = [measured[group] for group in groups if group in measured]
            plot = forest(rows, arm, name, evidence=evidence, label=_label)
            if plot is not None:
                yield plot


def _list_arms(found: Sequence[Finding], name: str) -> list[str]:
    return list(dict.fromkeys(measure.arm for each in found for measure in each.measures if measure.name == name))


def _label(finding: Finding) -> str:
    name = finding.group.partition("=")[2]
    return f"{name} (few items)" if _size(finding) < FEW else name


def _size(finding: Finding) -> int:
    return max((measure.estimate.n for measure in finding.measures), default=0)
