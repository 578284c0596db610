"""The parser of responses to an image that was never sent, on the question behind the mirage rate."""

from __future__ import annotations

from snellen.errors import StudyError
from snellen.judging.qualify.qualification import Qualification
from snellen.reading.missing_image.columns import flag_word
from snellen.reading.parsers import USUAL, WITHOUT_IMAGE, parser_named


def flagging(done: Qualification) -> Qualification:
    """The same on the paper's one question: is the response flagged, as missing or hedging, or not?

    >>> from snellen.judging.qualify.qualification import Read
    >>> rows = (Read("row 1", {}, "missing", "hedges", "doubts"), Read("row 2", {}, "generic", "describes", "states"))
    >>> done = Qualification("missing-image", rows)
    >>> done.agreement.value, flagging(done).agreement.value
    (0.0, 1.0)
    """
    if parser_named(done.parser).kind != WITHOUT_IMAGE:
        usual = USUAL[WITHOUT_IMAGE]
        raise StudyError(
            f"Whether a response admits that it saw no image is known for {usual} only, got rows read by "
            f"{done.parser}. Qualify {usual}, or leave the judge out."
        )
    return done.simplify(flag_word)
