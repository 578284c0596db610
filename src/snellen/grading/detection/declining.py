"""Whether a reply declines to read the image, sends its reader to a specialist, or says that there is no image."""

from __future__ import annotations

from collections.abc import Sequence

from snellen.grading.detection.roles import pattern
from snellen.grading.detection.sentences import Sentence
from snellen.grading.sight import notices_no_image

REFUSES = pattern(
    "sorry ..8 cannot ..4 help|diagnosis|medical",
    "sorry ..12 cannot|not|decline",
    "sorry ..4 cannot ..2 concluding|so this",
    "not ..6 i ..3 diagnosis",
    "sorry ..6 cannot ..1 provide",
    "i ..4 <cannot> ..3 help",
    "i ..4 <cannot> ..3 provide ..6 diagnosis|medical",
    "i ..4 <cannot> ..4 diagnosis|medical",
    "i ..4 <cannot> ..2 tell ..4 medical|picture",
    "i ..3 not ..2 tell ..4 medical|picture",
    "i ..3 not ..3 provide ..4 diagnosis|medical",
    "i ..4 not ..2 decline",
    "i ..3 decline",
    "i ..4 not ..3 doctor",
    "ai ..8 <cannot>|not ..4 tell|diagnosis|medical|provide",
    "ai ..4 not ..2 decline|let",
    "i ..3 not let",
    "^ <cannot> ..3 provide ..4 diagnosis|medical",
    "i ..4 <cannot> ..3 choose ..4 medical|picture|this",
    "not ..2 decline ..4 tell|diagnosis",
    "<cannot> ..2 tell ..2 medical",
    "can ..2 no ..2 diagnosis",
    "decline with ..2 tell|provide",
    "be decline",
)
"""A sentence in which the reply declines the task."""
DEFERS = pattern(
    "consult ..8 doctor",
    "doctor ..4 would|need ..6 tell|consult|see|provide",
    "doctor ..3 would",
    "see ..2 doctor",
    "doctor be the",
    "with ..2 doctor with ..1 tell",
    "tell|consult|see ..4 by ..4 doctor",
    "doctor ..4 need",
    "need ..6 doctor",
    "only ..2 doctor",
    "by ..3 doctor",
)
"""A sentence that leaves the answer to a specialist."""

ASKS = pattern("send ..3 picture|it|this", "^ other provide the ..1 picture", "^ how picture")


def misses_image(told: Sequence[Sentence]) -> Sentence | None:
    """The sentence that says that there is no image, or asks for it."""
    asking = next((one for one in told if ASKS.search(one.shape)), None)
    if asking is None and notices_no_image("\n".join([one.text for one in told])):
        return next((one for one in told if notices_no_image(one.text)), None)
    return asking
