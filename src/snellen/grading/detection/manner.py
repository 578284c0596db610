"""Whether a sentence speaks of this image, or of such images and diseases at large."""

from __future__ import annotations

import re

from snellen.grading.detection.roles import LETTER, pattern

_AT_THE_IMAGE = pattern("this|the ..3 picture", "i ..3 see")
_POINTS = pattern("this ..1 body", "^ this $", "^ this !abnormal|normal")
_PLAINLY = pattern("there be|no|not|see", "see", "quote", "so", "concluding", "no|not ..3 finding")
_TELLS_WHAT_TO_DO = pattern("general", "order", "if")
_GENERAL = pattern(
    "general",
    "^ order|tell|spot|choose",
    "comma if !i",
    "abnormal|normal ~3 would",
    "you ..2 would",
)
_OF_ANYONE = pattern("^ with|a? ~1 normal picture|body", "^ a body", "^ doctor")
_ALWAYS = pattern("^ with spot|tell|see", "^ if !i", "^ with =1 abnormal", "^ be there")
_CAN = re.compile("(?<![nNi])(?<![nNi].)m(?![nN])[^;,]?(?![vBli])")
# A disease as the subject: "Gliomas infiltrate", "CNV is a", but not "A tumour is visible" or "Brain tumour: yes".
_SUBJECT = re.compile('[-@w]{0,2}_?1(?:,1,|[,&/_]{1,3}1)*(?![,:"vA;]|-(?!.*[B4gmWh])|B[^;,]{0,2}[vlA](?!Y)|$)')
_BRIEF = 3


def speaks_at_large(shape: str, *, lesson: bool = False, after: bool = False, end: bool = False) -> bool:
    """Whether a sentence of this shape is general.

    One in a `lesson` is, unless it points at the image; one `after` another that is, unless it plainly reports. At the
    `end`, the name of a disease is the conclusion and not what a lesson is about.
    """
    if len(shape) <= _BRIEF and _TELLS_WHAT_TO_DO.search(shape) is None:
        return lesson
    if _ALWAYS.search(shape):
        return True
    at_the_image = _AT_THE_IMAGE.search(shape) is not None
    if lesson and not at_the_image:
        return True
    subject = not end and (_SUBJECT.match(shape) or _OF_ANYONE.search(shape))
    general = any((subject, _GENERAL.search(shape), LETTER["can"] in shape and _CAN.search(shape)))
    if at_the_image or _POINTS.search(shape):
        return general and lesson
    return general or (after and not end and _PLAINLY.search(shape) is None)
