"""Burned-in text: text in the pixels of images, read by OCR. Runs on demand: seconds per image.

Side markers and device settings are normal on films; names, dates and numbers are not. Results show all text masked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from enum import StrEnum

from snellen.errors import MissingExtraError, UnusableModelError
from snellen.images import Image
from snellen.items import Item
from snellen.models.ocr import Reader, TextLine, reader
from snellen.reading.invented.parser import mask_characters
from snellen.stats import wilson
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity, list_finding
from snellen.tools.audit.identifying import Identifier, identifiers_in, identifiers_in_name
from snellen.tools.audit.looks import Look

NAME = "burned-in-text"
LEAST_SCORE = 0.6
"""Minimum confidence of OCR in a line. Below, it reads letters into bones and vessels."""
LONG = 24
"""Minimum letters of a long line; no marker has as many."""


class Burned(StrEnum):
    """Kind of a line of text in an image."""

    IDENTIFIER = "identifier"
    DATE = "date"
    LONG = "long"
    SHORT = "short"
    MARKER = "marker"


_MARKERS = re.compile(
    r"(?i)(?:l|r|lt|rt|left|right|ap|pa|lat(?:eral)?|port(?:able)?|supine|erect|upright|semi-?(?:erect|upright)|"
    r"decub(?:itus)?|insp|exp|ant|post|sup|inf|a|p|h|f|s|i|ax|cor|sag|t1|t2|flair|dwi|adc|gre|se|fse|tse|stir|pd|"
    r"[+-]?c|fs|ns|w/?o?|contrast|bone|lung|soft ?tissue|brain|stat|mobile|bed|icu|er|oblique|axial|sagittal|coronal|"
    r"zoom|view|[a-z]{1,2})\b[ .:]*"
)
_DEVICE = re.compile(
    r"(?i)[\s\d.,:;/x×*+<>()%=|_-]*(?:(?:kvp?|mas?|mm|cm|ms|te|tr|ti|fov|thk|sp|wl?|ww|c|l|lvl|im(?:age)?|img|se(?:ries)?|"
    r"sl(?:ice)?|loc|nex|et|zoom|mag|hz|deg|sec|s|hu|fl|rot|acq|ph|fr|p|r|a|h|f|i)[\s\d.,:;/x×*+<>()%=|_-]*)*"
)
_LABELLED = re.compile(
    r"(?i:\b(?:uploader|source|author|photographer|patient|pat|pt|name|physician|radiologist|technologist|tech|ref|dr)"
    r"\b\.?)\s*[:;]?\s*(?P<told>(?:Dr\.? ?)?[A-Z][A-Za-z.'’-]{2,}.*)"
)
_NUMBERED = re.compile(r"(?i:\b(?:id|mrn|pid|acc(?:ession)?|case|no)\b\.?)\s*[:#.;]?\s*(?P<told>[A-Z]{0,3}\d{4,})")
_BORN = re.compile(r"(?i)\b(?:dob|d\.o\.b|born)\b")
_DIRECT = frozenset(Identifier) - {Identifier.DATE, Identifier.INSTITUTION, Identifier.AGE}


def kind_of(text: str) -> Burned:
    """Classify a line of burned-in text, tolerating the spaces that OCR loses.

    >>> [kind_of(each).value for each in ("R", "AP PORTABLE", "120 kVp 5 mAs", "Name: SMITH JOHN", "07-28-2005")]
    ['marker', 'marker', 'marker', 'identifier', 'date']
    """
    kinds = {each.kind for each in (*identifiers_in(text), *identifiers_in_name(text))}
    if kinds & _DIRECT or any(pattern.search(text) for pattern in (_LABELLED, _NUMBERED, _BORN)):
        return Burned.IDENTIFIER
    if Identifier.DATE in kinds or Identifier.INSTITUTION in kinds:
        return Burned.DATE
    if all(_MARKERS.fullmatch(word) for word in text.split()) or _DEVICE.fullmatch(text):
        return Burned.MARKER
    return Burned.LONG if sum(map(str.isalpha, text)) >= LONG else Burned.SHORT


def look(audited: Audited) -> Checked:
    """Find text in the images of the items. If the extra is missing, the result says so."""
    try:
        return look_with(reader(), audited)
    except (MissingExtraError, UnusableModelError) as error:
        return Checked(NAME, 0, cannot=(str(error),))


def look_with(read: Reader, audited: Audited) -> Checked:
    """Find text with the given reader. Each distinct image is read once."""
    images: dict[str, Image] = {}
    shown: dict[str, list[Item]] = defaultdict(list)
    for item in (*audited.items, *audited.training):
        for image in item.images:
            if isinstance(seen := audited.look_of(image), Look):
                images.setdefault(seen.pixels, image)
                shown[seen.pixels].append(item)
    lines: dict[str, list[TextLine]] = {}
    failed = 0
    for done, (key, image) in enumerate(images.items(), 1):
        try:
            lines[key] = [each for each in read(image.pixels()) if each.score >= LEAST_SCORE and each.text.strip()]
        except Exception as error:
            if isinstance(error, MissingExtraError):
                raise
            failed += 1
        audited.tell(NAME, done, len(images))
    if not lines:
        return Checked(NAME, 0, cannot=("No image could be read for text.",))
    kinds = {key: [(each, kind_of(each.text)) for each in found] for key, found in lines.items()}
    findings = [finding for kind in _ADVICE for finding in _find_kind(kind, kinds, shown)]
    with_text = sum(bool(found) for found in lines.values())
    return Checked(
        NAME,
        len(lines),
        tuple(findings),
        (Number("images_with_text", "images with any text that OCR reads", wilson(with_text, len(lines))),),
        (f"{failed:,} images could not be read for text.",) if failed else (),
        ("Side markers, settings of the device and other short text are normal on films and not flagged.",),
    )


_ADVICE = {
    Burned.IDENTIFIER: (
        Severity.HIGH,
        "a name, a number of a patient or record, or a date of birth",
        "Look at each image and cover what identifies a patient, in every published copy. A model can read it, too.",
    ),
    Burned.DATE: (
        Severity.MEDIUM,
        "a full date or the name of a hospital",
        "Cover it: with other sources it may identify the patient, and a model can read date and place.",
    ),
    Burned.LONG: (
        Severity.LOW,
        f"a line of {LONG} letters or more",
        "If it says what the question asks, the item can be answered by reading.",
    ),
}
"""Severity, label and repair for each kind of text that is a problem."""


def _find_kind(
    kind: Burned, kinds: Mapping[str, Sequence[tuple[TextLine, Burned]]], shown: Mapping[str, Sequence[Item]]
) -> tuple[Finding, ...]:
    flagged: dict[str, Flagged] = {}
    images = 0
    for key, lines in kinds.items():
        if found := [line for line, each in lines if each == kind]:
            images += 1
            quote = f"{mask_characters(found[0].text)[:80]} ({len(found[0].text)} characters)"
            evidence = f"OCR reads {len(found)} such lines in its image (the surest {found[0].score:.0%} sure)."
            for item in shown[key]:
                flagged.setdefault(item.id, Flagged(item.id, evidence, quote, (), found[0].score))
    severity, words, fix = _ADVICE[kind]
    sentence = (
        f"{images:,} of {len(kinds):,} images have text in their pixels that looks like {words}; {len(flagged):,} "
        "items show them."
    )
    return list_finding(NAME, severity, sentence, fix, flagged.values(), sure=0.5)


CHECK = Check(NAME, "Is there text in the pixels that names a person or gives the answer?", look, on_demand=True)
