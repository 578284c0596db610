"""Read a report: a reason for no report, or its comparison with the reference."""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Item
from snellen.reading.language.acts.declining import declines_outright, opening_of, read_unanswered
from snellen.reading.language.acts.missing import UNSEEN, missing_in
from snellen.reading.language.cleaning import clean_text, lower_keeping_offsets
from snellen.reading.language.image_roles import shape_response
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Readable
from snellen.reading.reports.comparison import ReportComparison, compare_reports
from snellen.reading.reports.findings import readable
from snellen.reading.reports.sections import Sections, sections_of

RULES = {
    "compared": "the findings of the report, compared with the reference",
    "findings-alone": "the same for the findings alone: the reference has no impression",
    "impression-alone": "the same for the impression alone: the reference has no findings",
    "no-image": "says that there is no image",
    "nothing-to-see": "says that nothing is to be seen in the image, and reports no finding",
    "declines": "declines to write a report, or says that it cannot tell",
    "empty": "says nothing",
    "other-language": "is in a language in which no finding can be read",
    "too-long": "has more words than any report",
    "nothing-found": "no finding can be read in it",
    "reference-unread": "no finding can be read in the reference",
}
WEIGHS = frozenset(RULES) - {"no-image", "nothing-to-see", "declines"}
"""Rules that need the complete response. The missing part of a truncated report could change the reading."""
_EVIDENCE = 160


class ReportReading(NamedTuple):
    """A report compared with its reference, or the reason why not, with rule and evidence.

    `generated` and `reference` are the compared texts; they have the sections that the reference has. `whole` is the
    entire response, for references with other sections.
    """

    rule: str
    outcome: Outcome
    evidence: str = ""
    compared: ReportComparison | None = None
    generated: str = ""
    reference: str = ""
    whole: str = ""


def read_report(reply: Readable, item: Item) -> ReportReading:
    """Read a response as a report and compare it with the reference.

    >>> from snellen.models.base import Response
    >>> told = "FINDINGS: Small left pleural effusion. IMPRESSION: Left pleural effusion."
    >>> item = Item(id="1", question="Write the report.", kind="report", answer=told)
    >>> read_report(Response("FINDINGS: There is a small effusion on the left."), item).rule
    'compared'
    >>> read_report(Response("I cannot see any image. Please attach it."), item).outcome.value
    'abstained'
    """
    if readable(reply.text) == "too-long":  # checked before cleaning, which cuts a long response
        return ReportReading("too-long", Outcome.UNPARSED, reply.text[:_EVIDENCE])
    said = clean_text(reply.text).strip()
    if silent := _silent(said, item):
        return silent
    reference = clean_text(str(item.answer))
    if readable(reference):
        return ReportReading("reference-unread", Outcome.UNPARSED, said[:_EVIDENCE])
    rule, generated, wanted = align_sections(said, reference)
    if why := readable(generated):
        return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE])
    return ReportReading(
        rule, Outcome.SCORED, said[:_EVIDENCE], compare_reports(generated, wanted), generated, wanted, said
    )


def _silent(said: str, item: Item) -> ReportReading | None:
    """Return the reason why a response is not a report: no image, declined, or unreadable. None if it may be one."""
    why = readable(said)
    if why == "empty":
        return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE])
    missing = missing_in(shape_response(said, item.question))
    if missing and declines_outright(missing.sentence):
        return ReportReading("declines", Outcome.REFUSED, missing.sentence[:_EVIDENCE])
    if missing and missing.way not in UNSEEN:
        return ReportReading("no-image", Outcome.ABSTAINED, missing.sentence[:_EVIDENCE])
    if missing and why:
        return ReportReading("nothing-to-see", Outcome.ABSTAINED, missing.sentence[:_EVIDENCE])
    opening = opening_of(said)
    found = read_unanswered(" ".join(lower_keeping_offsets(opening).split())) if why else None
    if found is not None and found.silence is not None:
        return ReportReading("declines", found.silence, found.evidence)
    return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE]) if why else None


def align_sections(said: str, reference: str) -> tuple[str, str, str]:
    """Return the rule and the two comparable texts, without a section that the reference lacks."""
    own, wanted = sections_of(said), sections_of(reference)
    if wanted.findings and not wanted.impression:
        return "findings-alone", _join_sections(Sections(own.findings or own.impression, "")), _join_sections(wanted)
    if wanted.impression and not wanted.findings:
        return "impression-alone", _join_sections(Sections("", own.impression or own.findings)), _join_sections(wanted)
    return "compared", _join_sections(own), _join_sections(wanted)


def _join_sections(sections: Sections) -> str:
    parts = zip(("FINDINGS", "IMPRESSION"), sections, strict=True)
    return "\n\n".join(f"{heading}: {text}" for heading, text in parts if text)
