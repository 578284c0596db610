"""Reading a report: a silence, or what it says held against the reference; by which rule."""

from __future__ import annotations

from typing import NamedTuple

from snellen.items import Item
from snellen.reading.language.acts.declining import declines_outright, read_unanswered
from snellen.reading.language.acts.missing import UNSEEN, missing_in
from snellen.reading.language.cleaning import cleaned, lowered
from snellen.reading.language.image_roles import shaped
from snellen.reading.language.sentences import sentences_of
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import Readable
from snellen.reading.reports.comparison import Compared, compared
from snellen.reading.reports.findings import readable
from snellen.reading.reports.sections import Sections, sections_of

RULES = {
    "compared": "what the report says, held against the reference",
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
"""Of these, the rules that weigh a whole response: the rest of a report that was cut off is not known."""
_EVIDENCE = 160
_SHORT = 30
"""Of a response of more words, only the first sentence can decline all that follows."""


class ReportReading(NamedTuple):
    """A report held against its reference, or why it was not; by which rule, from which words.

    `generated` and `reference` are the texts that were compared: of both the sections that the reference has. `whole`
    is all of the response, for references that have other sections.
    """

    rule: str
    outcome: Outcome
    evidence: str = ""
    compared: Compared | None = None
    generated: str = ""
    reference: str = ""
    whole: str = ""


def read_report(reply: Readable, item: Item) -> ReportReading:
    """What a response says as a report.

    >>> from snellen.models.base import Response
    >>> told = "FINDINGS: Small left pleural effusion. IMPRESSION: Left pleural effusion."
    >>> item = Item(id="1", question="Write the report.", kind="report", answer=told)
    >>> read_report(Response("FINDINGS: There is a small effusion on the left."), item).rule
    'compared'
    >>> read_report(Response("I cannot see any image. Please attach it."), item).outcome.value
    'abstained'
    """
    if readable(reply.text) == "too-long":  # before it is cleaned, which keeps both ends of a long response
        return ReportReading("too-long", Outcome.UNPARSED, reply.text[:_EVIDENCE])
    said = cleaned(reply.text).strip()
    if silent := _silent(said, item):
        return silent
    reference = cleaned(str(item.answer))
    if readable(reference):
        return ReportReading("reference-unread", Outcome.UNPARSED, said[:_EVIDENCE])
    rule, generated, wanted = alike(said, reference)
    if why := readable(generated):
        return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE])
    return ReportReading(rule, Outcome.SCORED, said[:_EVIDENCE], compared(generated, wanted), generated, wanted, said)


def _silent(said: str, item: Item) -> ReportReading | None:
    """Why a response is no report: it says that there is no image, declines, or cannot be read at all."""
    why = readable(said)
    if why == "empty":
        return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE])
    missing = missing_in(shaped(said, item.question))
    if missing and declines_outright(missing.sentence):
        return ReportReading("declines", Outcome.REFUSED, missing.sentence[:_EVIDENCE])
    if missing and missing.way not in UNSEEN:
        return ReportReading("no-image", Outcome.ABSTAINED, missing.sentence[:_EVIDENCE])
    if missing and why:
        return ReportReading("nothing-to-see", Outcome.ABSTAINED, missing.sentence[:_EVIDENCE])
    opening = said if len(said.split()) <= _SHORT else (sentences_of(said) or [said])[0]
    found = read_unanswered(" ".join(lowered(opening).split())) if why else None
    if found is not None and found.silence is not None:
        return ReportReading("declines", found.silence, found.evidence)
    return ReportReading(why, Outcome.UNPARSED, said[:_EVIDENCE]) if why else None


def alike(said: str, reference: str) -> tuple[str, str, str]:
    """The texts that can be compared: where the reference lacks a section, that of the response is left out too."""
    own, wanted = sections_of(said), sections_of(reference)
    if wanted.findings and not wanted.impression:
        return "findings-alone", _told(Sections(own.findings or own.impression, "")), _told(wanted)
    if wanted.impression and not wanted.findings:
        return "impression-alone", _told(Sections("", own.impression or own.findings)), _told(wanted)
    return "compared", _told(own), _told(wanted)


def _told(sections: Sections) -> str:
    """Sections as one text, each under its heading."""
    parts = zip(("FINDINGS", "IMPRESSION"), sections, strict=True)
    return "\n\n".join(f"{heading}: {text}" for heading, text in parts if text)
