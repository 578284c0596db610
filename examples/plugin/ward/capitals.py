"""A check of an audit."""

from snellen.tools.audit import Audited, Check, Checked, Finding, Flagged, Severity

NAME = "capitals"


def look(audited: Audited) -> Checked:
    """Name the questions without a small letter."""
    flagged = tuple(Flagged(item.id, "It has no small letter.") for item in audited.items if item.question.isupper())
    sentence = f"{len(flagged)} questions are in capital letters."
    finding = Finding(NAME, Severity.LOW, sentence, "Write them as sentences.", flagged)
    return Checked(NAME, len(audited.items), (finding,) if flagged else ())


CHECK = Check(NAME, "Are questions in capital letters?", look)
