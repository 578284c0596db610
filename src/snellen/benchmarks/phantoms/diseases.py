"""Clinical texts for findings: diagnoses, reports, treatments and reasons.

Places in braces are filled with what the image shows: size, side, location and number. This is textbook medicine for
testing machines, not advice for patients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.wording import read_texts

NUMBERS = ("no", "one", "two", "three", "four", "five")
"""Numbers of a countable finding as words."""
_ACROSS = {"left": "right", "right": "left"}
PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}
"""Locations of retinal findings as words; any other location is a quadrant."""


@dataclass(frozen=True)
class DiseaseText:
    """Clinical texts for a finding. The first diagnosis and treatment are the reference, the others are accepted.

    `shows` is what the image shows, as a step of reasoning. `reasons` are the steps that lead to the treatment, `cause`
    is the usual cause. `one` and `several` are a report's words for one or several findings; the location follows
    unless they contain `{side}` or `{place}`. `absent` is a report's words for its absence: a sentence, or a noun that
    follows "no".
    """

    diagnoses: tuple[str, ...]
    report: str
    shows: str
    treatments: tuple[str, ...]
    reasons: tuple[str, ...]
    cause: str = ""
    one: tuple[str, ...] = ()
    several: tuple[str, ...] = ()
    absent: tuple[str, ...] = ()

    def fill_words(self, phantom: Phantom) -> DiseaseText:
        """Return the texts for the finding as this image shows it.

        >>> DISEASES["cxr"]["pleural effusion"].fill_words(Phantom("", "", side="left", size="large")).diagnoses[0]
        'Large left-sided pleural effusion'
        """
        words = _words(phantom)

        def fill_texts(texts: tuple[str, ...]) -> tuple[str, ...]:
            filled = (text.format(**words) for text in texts)
            return tuple(f"{text[:1].upper()}{text[1:]}" for text in filled)

        report, shows = fill_texts((self.report, self.shows))
        diagnoses, treatments, reasons = map(fill_texts, (self.diagnoses, self.treatments, self.reasons))
        return replace(self, diagnoses=diagnoses, report=report, shows=shows, treatments=treatments, reasons=reasons)


def _words(phantom: Phantom) -> Mapping[str, str]:
    one = phantom.count == 1
    quadrant = f"in the {phantom.location} quadrant"
    return {
        "size": "medium-sized" if phantom.size == "medium" else phantom.size,
        "side": phantom.side,
        "other": _ACROSS.get(phantom.side, ""),
        "location": phantom.location,
        "place": PLACES.get(phantom.location, quadrant),
        "number": NUMBERS[phantom.count],
        "s": "" if one else "s",
        "are": "is" if one else "are",
        "drusen": "druse" if one else "drusen",
    }


DISEASES: Mapping[str, Mapping[str, DiseaseText]] = {
    code: {name: DiseaseText(**texts) for name, texts in findings.items()}
    for code, findings in read_texts("diseases").items()
}
"""Texts by code of the modality and name of the finding."""
