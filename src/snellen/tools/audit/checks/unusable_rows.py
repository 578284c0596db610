"""Unusable rows: the rows of a benchmark that cannot be asked, by fault."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.errors import BrokenRow
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity, list_finding, shorten_quote
from snellen.tools.audit.identifying import identifiers_in_name, without_identifiers, without_identifiers_in_name

NAME = "unusable-rows"
_PATH = re.compile(r"[^\s'\"]+\.\w{2,5}\b")


class _RowFault(NamedTuple):
    """A kind of broken row: pattern, description, severity and repair."""

    reads: str
    wrong: str
    severity: Severity
    fix: str


_FAULTS = (
    _RowFault(
        r"same id", "has the same id as another row", Severity.HIGH,
        "Give every row an id of its own. Tools that join answers by id would grade one question by the other's key.",
    ),
    _RowFault(
        r"the same picture as .* another answer", "shows the same image as another row but has another answer",
        Severity.HIGH, "Find out which answer is right and drop the other row.",
    ),
    _RowFault(
        r"(?:it has|more than) \d+ options", "has fewer than two options, or more than 26", Severity.MEDIUM,
        "Give it 2 to 26 options, or ask it as an open question.",
    ),
    _RowFault(
        r"options read the same|two columns for one option", "has an option twice", Severity.MEDIUM,
        "Remove one of the two options, and see which of them the key means.",
    ),
    _RowFault(
        r"image|picture|link (?:to|that)", "has an image that is missing or cannot be read", Severity.HIGH,
        "Add or repair the image. A tool that leaves it out asks the question without it.",
    ),
    _RowFault(
        r"\banswers?\b", "has no right answer, or one that is not among its options", Severity.HIGH,
        "Correct the key. Tools that do not notice count every response as wrong.",
    ),
    _RowFault(
        r"empty|it has no\b|nothing", "lacks a field that it needs, or has an empty one", Severity.MEDIUM,
        "Fill in the field, or drop the row.",
    ),
    _RowFault(
        r"JSON|line is longer|characters|nested|surrogate|not an object|column", "cannot be read as a row of the file",
        Severity.MEDIUM, "Write the row again, as one valid record in UTF-8.",
    ),
)  # fmt: skip
_OTHER = _RowFault("", "cannot be used", Severity.MEDIUM, "Mend the row, or drop it.")


def look(audited: Audited) -> Checked:
    """Make a finding for each kind of broken row."""
    rows: dict[_RowFault, list[BrokenRow]] = {}
    for row in audited.broken:
        fault = next((each for each in _FAULTS if re.search(each.reads, row.reason, re.IGNORECASE)), _OTHER)
        rows.setdefault(fault, []).append(row)
    total = len(audited.items) + len(audited.training) + len(audited.broken)
    findings = [_finding(fault, rows[fault], total) for fault in (*_FAULTS, _OTHER) if fault in rows]
    items = (*audited.items, *audited.training)
    lacking = [
        Flagged(item.id, "It has no reference answer.") for item in items if item.kind == "open" and not item.references
    ]
    of_lacking = (
        f"Open questions without a reference answer: {len(lacking):,} of {total:,} rows. They cannot be asked yet."
    )
    fix_lacking = "Have two people write the answers down: snellen review OUT --benchmark CASES --task reference."
    marked = [
        Flagged(item.id, "Its authors mark it as not evaluated.")
        for item in audited.items
        if item.id in audited.left_out
    ]
    of_marked = f"The authors mark {len(marked):,} of {len(audited.items):,} items as not evaluated."
    fix_marked = "Have a second person check their keys, or state scores without them, too."
    findings += list_finding(NAME, Severity.MEDIUM, of_lacking, fix_lacking, lacking, sure=0.95)
    findings += list_finding(NAME, Severity.LOW, of_marked, fix_marked, marked)
    return Checked(NAME, total, tuple(findings))


def _finding(fault: _RowFault, rows: list[BrokenRow], total: int) -> Finding:
    sentence = f"{len(rows):,} of {total:,} rows cannot be used: each {fault.wrong}."
    if len(rows) == 1:
        sentence = f"1 of {total:,} rows cannot be used: it {fault.wrong}."
    flagged = (_flag_row(row, f"The row {fault.wrong}.") for row in rows)
    return Finding(NAME, fault.severity, sentence, fault.fix, tuple(flagged), sure=0.95)


def _flag_row(row: BrokenRow, evidence: str) -> Flagged:
    """Flag a row by its id, or by place if its id identifies a patient."""
    shown = row.where if any(identifiers_in_name(row.item_id)) else row.item_id
    reason = row.reason.replace(row.item_id, shown) if shown != row.item_id else row.reason
    reason = _PATH.sub(lambda path: without_identifiers_in_name(path[0]), reason)
    return Flagged(shown, evidence, shorten_quote(without_identifiers(f"{row.where}: {reason}")))


CHECK = Check(NAME, "Which rows of the benchmark cannot be used, and why?", look)
