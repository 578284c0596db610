"""Reports: their sections and findings, and comparison with a reference by findings."""

from __future__ import annotations

from snellen.reading.parsers import REPORT, Parser
from snellen.reading.reports.columns import reports
from snellen.reading.reports.reading import RULES, WEIGHS, read_report

__all__ = ["columns", "comparison", "findings", "metrics", "reading", "sections", "unusable"]

FINDINGS = Parser(
    name="report-findings",
    kind=REPORT,
    source="Our own, for generated reports",
    about="each finding that a report or its reference names, with its presence, side and severity, by rules, in "
    "English. It was measured on edited real reports, not against radiologists.",
    takes=lambda item: item.kind == "report",
    read=read_report,
    outcome=lambda read, item: read.outcome,
    rules=RULES,
    weighs=WEIGHS,
    lasts=frozenset(RULES) - WEIGHS,
    columns=reports,
)
