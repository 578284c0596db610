"""Report shortcuts: does a report name a finding without its region, or because of the other findings?"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from snellen.conditions import ElsewhereHidden, EvidenceHidden, ImageExchanged, NeighboursElsewhere, NeighboursHidden
from snellen.papers.evidence.tests.right_answers import RIGHT, measure_difference, measure_share, split_table
from snellen.reading.columns import NOTHING, Floats
from snellen.reading.outcomes import Outcome
from snellen.reading.reports.columns import Reports
from snellen.reading.reports.findings import statements_of
from snellen.stress.base import Analysis, Expectation, Kind, Measure, Status, StressTest, Unit, Verdict, by_name
from snellen.stress.conclusions import Measures, leave_open, points_of, rate_of
from snellen.stress.design import Design, Presentation
from snellen.stress.measures import SILENT, column, nothing
from snellen.stress.reports import measure_written, score_findings
from snellen.stress.table import Table

OWN, OTHER = EvidenceHidden.name, ElsewhereHidden.name
AROUND, APART = NeighboursHidden.name, NeighboursElsewhere.name
SWAPPED = ImageExchanged.name
DIRECT, LOST, CONTEXT, SHOWN = "direct_shortcut", "lost_beyond_elsewhere", "contextual_shortcut", "shown_beyond_asked"
KEPT, CAUSED = "kept_elsewhere", "lost_with_neighbours"
KINDS = by_name(
    Kind(DIRECT, "reported findings that are still reported with their region hidden", Unit.SHARE),
    Kind(KEPT, "reported findings that are still reported with another part hidden", Unit.SHARE),
    Kind(LOST, "reported findings lost with their region hidden, beyond another part", Unit.POINTS),
    Kind(CAUSED, "reported findings lost with the other findings hidden", Unit.SHARE),
    Kind(CONTEXT, "reported findings lost with the other findings hidden, beyond parts elsewhere", Unit.POINTS),
    Kind(SHOWN, "findings F1 against the patient shown minus that asked about, with images exchanged", Unit.POINTS),
)


def report_shortcuts() -> StressTest:
    """Build the test. It follows the finding that the metadata of a report name; other findings are its neighbours."""
    return StressTest(
        Design(
            "report-shortcuts",
            "Does a report name a finding that cannot be seen, or only because of the other findings?",
            arms=(EvidenceHidden(), ElsewhereHidden(), NeighboursHidden(), NeighboursElsewhere(), ImageExchanged()),
            item_kind="report",
            benchmark="phantoms:task=report",
        ),
        Analysis(Expectation.UNKNOWN, headline=LOST, measure=measure, conclude=conclude),
        Presentation("reports rest on the finding?"),
    )


def measure(test: StressTest, table: Table) -> Iterator[Measure]:
    """Measure reported findings that stay or are lost, and reports with images exchanged."""
    own = test.baseline.name
    for arm in test.all_arms:
        yield from measure_written(arm.name, table)
    yield from _measure_findings(own, table)
    for subset, part in table.compute_once(("evidence", "subsets"), lambda: split_table(table)).items():
        yield from (each.with_subset(subset) for each in _measure_findings(own, part))
    yield from measure_difference(SWAPPED, KINDS[SHOWN], table, *_score_references(table))


def _measure_findings(own: str, table: Table) -> Iterator[Measure]:
    reported = find_reported(table, own) >= RIGHT
    stays = {arm: np.where(reported, find_reported(table, arm), np.nan) for arm in (OWN, OTHER, AROUND, APART)}
    yield from measure_share(OWN, KINDS[DIRECT], table, stays[OWN])
    yield from measure_share(OTHER, KINDS[KEPT], table, stays[OTHER])
    yield from measure_difference(OWN, KINDS[LOST], table, 1 - stays[OTHER], 1 - stays[OWN])
    yield from measure_share(AROUND, KINDS[CAUSED], table, 1 - stays[AROUND])
    yield from measure_difference(AROUND, KINDS[CONTEXT], table, 1 - stays[APART], 1 - stays[AROUND])


def find_reported(table: Table, arm: str) -> Floats:
    """Return each item's share of responses that report its finding as present.

    A response that says nothing about the image reports none. An item is NaN if its finding has no name that can be
    read, or if no response was read.
    """
    grades = table.arms.get(arm)
    said = grades.of(Reports) if grades else None
    if grades is None or said is None:
        return nothing(table)
    names = [_read_names(str(item.metadata.get("finding") or "")) for item in table.items]
    there = [
        compared is not None and any(each.present and each.finding in names[at] for each in compared.generated)
        for at, compared in zip(grades.ordinal, said.compared, strict=True)
    ]
    known = np.array([bool(names[at]) for at in grades.ordinal], dtype=np.bool_)
    read = grades.is_(Outcome.SCORED, *SILENT) & known
    return column(table, table.rate(arm, np.array(there, dtype=np.bool_), among=read))


def _read_names(finding: str) -> set[str]:
    """Return the parser's names for a finding; none if it has none."""
    return {each.finding for each in statements_of(finding) if each.present}


def _score_references(table: Table) -> tuple[Floats, Floats]:
    """Return each item's findings F1 with another patient's image: by its own reference, and by that patient's."""
    grades = table.arms.get(SWAPPED)
    said = grades.of(Reports) if grades else None
    if grades is None or said is None or not len(grades.donor):
        return nothing(table), nothing(table)
    asked, shown = np.full((2, len(grades)), np.nan)
    for at in np.flatnonzero(grades.is_(Outcome.SCORED)):
        donor = int(grades.donor[grades.ordinal[at]])
        if donor != NOTHING:
            asked[at] = said.f1[at]
            shown[at] = score_findings(said.whole[at], str(table.items[donor].answer))
    both = np.isfinite(asked) & np.isfinite(shown)
    one, other = (table.means(grades.ordinal[both], each[both]) for each in (asked, shown))
    return column(table, one), column(table, other)


def conclude(test: StressTest, measures: Measures) -> Verdict:
    """Report findings that stay unseen, those lost with others, and which patient reports fit."""
    direct, lost, context = measures.get((OWN, DIRECT)), measures.get((OWN, LOST)), measures.get((AROUND, CONTEXT))
    shown = measures.get((SWAPPED, SHOWN))
    told = [
        f"{rate_of(direct.estimate)} of reported findings stay with their region hidden" if direct else "",
        f"{points_of(lost.estimate)} more are lost than with another part hidden" if lost else "",
        f"with the others hidden, {points_of(context.estimate)} more are lost than elsewhere" if context else "",
        f"with images exchanged, reports fit the patient shown {points_of(shown.estimate)} better" if shown else "",
    ]
    if not any(told):
        return leave_open("few-answers", "", "too few reports name a marked finding")
    return Verdict(Status.REPORTED, "; ".join(filter(None, told)), rests_on=lost or direct or context or shown)
