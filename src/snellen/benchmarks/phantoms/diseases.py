"""What each finding means as a disease: its diagnosis in several wordings, its report, its treatment and the reasons.

The places in braces are filled with what the image shows: its size, side, location and number. It is textbook
medicine for examining machines, and no advice for patients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.wording import read_texts

NUMBERS = ("no", "one", "two", "three", "four", "five")
"""How many of a countable finding there are, in words."""
_ACROSS = {"left": "right", "right": "left"}
PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}
"""Where a finding of the retina is, in words; any other place is a quadrant."""


@dataclass(frozen=True)
class Disease:
    """A finding in the clinic. The first diagnosis and the first treatment are the reference, the others are accepted.

    `shows` is what the image shows, as a step of reasoning; `reasons` are the steps that lead to the treatment; `cause`
    is what usually causes it. `one` and `several` are how a report says that it is there, once or several times: the
    place follows unless `{side}` or `{place}` stands among the words. `absent` is how a report says that it is not: a
    sentence, or a noun that follows "no".
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

    def of(self, phantom: Phantom) -> Disease:
        """The disease as this image shows it.

        >>> DISEASES["cxr"]["pleural effusion"].of(Phantom("", "", side="left", size="large")).diagnoses[0]
        'Large left-sided pleural effusion'
        """
        words = _words(phantom)

        def told(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(_capital(text.format(**words)) for text in texts)

        report, shows = told((self.report, self.shows))
        diagnoses, treatments, reasons = map(told, (self.diagnoses, self.treatments, self.reasons))
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


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


DISEASES: Mapping[str, Mapping[str, Disease]] = {
    code: {name: Disease(**told) for name, told in findings.items()}
    for code, findings in read_texts("diseases").items()
}
"""By the code of the modality and the name of the finding."""
