"""What the phantoms can show: four modalities, the findings of each, and what can be asked about a finding."""

from __future__ import annotations

from dataclasses import dataclass

from snellen.errors import StudyError

NORMAL = "normal"
SIZES = ("small", "medium", "large")
COUNTS = (1, 2, 3, 4, 5)
KINDS = ("finding", "presence", "side", "location", "count", "size")
"""The kinds of question, in the order in which they are asked."""


@dataclass(frozen=True)
class Finding:
    """A finding and what is known of it by construction: which questions beyond its presence it can answer."""

    name: str
    sided: bool = False
    located: bool = False
    countable: bool = False
    sized: bool = False

    def answers(self, kind: str) -> bool:
        """Whether a question of this kind can be put about the finding."""
        return {"side": self.sided, "location": self.located, "count": self.countable, "size": self.sized}.get(
            kind, True
        )


@dataclass(frozen=True)
class Modality:
    """A kind of image.

    `sides` are the answers to its question about side, `locations` those about location; `most_on_a_side` is how many
    countable lesions fit on one side.
    """

    code: str
    name: str
    body_part: str
    findings: tuple[Finding, ...]
    sides: tuple[str, ...]
    locations: tuple[str, ...]
    most_on_a_side: int = 5

    @property
    def names(self) -> tuple[str, ...]:
        """Everything the image can show, the normal one first."""
        return (NORMAL, *(finding.name for finding in self.findings))

    def finding(self, name: str) -> Finding:
        """The finding of that name; a normal image answers no further question."""
        return next((finding for finding in self.findings if finding.name == name), Finding(NORMAL))

    def locations_on(self, side: str) -> tuple[str, ...]:
        """The locations that lie on a side; all of them where the side says nothing about the location."""
        if "both" not in self.sides:
            return self.locations
        return tuple(location for location in self.locations if side in location.split())

    def side_of(self, location: str) -> str:
        """The side on which a location lies, or nothing where it has none."""
        return next((side for side in ("left", "right") if side in location.split()), "")


_SIDES = ("both", "left", "neither", "right")

CHEST_XRAY = Modality(
    code="cxr",
    name="chest X-ray",
    body_part="chest",
    findings=(
        Finding("pleural effusion", sided=True, sized=True),
        Finding("pneumothorax", sided=True),
        Finding("consolidation", sided=True, located=True, sized=True),
        Finding("lung nodules", sided=True, located=True, countable=True, sized=True),
        Finding("cardiomegaly"),
    ),
    sides=_SIDES,
    locations=tuple(f"{side} {zone} zone" for side in ("left", "right") for zone in ("lower", "mid", "upper")),
)

BRAIN_MRI = Modality(
    code="mri",
    name="brain MRI",
    body_part="head",
    findings=(
        Finding("tumour", sided=True, located=True, sized=True),
        Finding("infarct", sided=True, located=True),
        Finding("haemorrhage", sided=True, located=True, sized=True),
        Finding("white matter lesions", sided=True, countable=True, sized=True),
        Finding("hydrocephalus"),
    ),
    sides=_SIDES,
    locations=tuple(
        f"{side} {lobe} lobe" for side in ("left", "right") for lobe in ("frontal", "occipital", "temporal")
    ),
)

OCT = Modality(
    code="oct",
    name="OCT",
    body_part="eye",
    findings=(
        Finding("macular hole", sized=True),
        Finding("subretinal fluid", sided=True, located=True, sized=True),
        Finding("intraretinal cysts", sided=True, located=True),
        Finding("drusen", sided=True, located=True, countable=True, sized=True),
        Finding("epiretinal membrane", sided=True),
    ),
    sides=_SIDES,
    locations=("fovea", "far left", "far right", "near left", "near right"),
    most_on_a_side=3,
)

FUNDUS = Modality(
    code="fundus",
    name="fundus photograph",
    body_part="eye",
    findings=(
        Finding("retinal haemorrhages", sided=True, located=True, countable=True, sized=True),
        Finding("hard exudates", sided=True, located=True),
        Finding("cotton-wool spots", sided=True, located=True, countable=True, sized=True),
        Finding("glaucomatous cupping", sided=True),
        Finding("branch vein occlusion", sided=True),
    ),
    sides=("left", "right"),
    locations=("inferonasal", "inferotemporal", "macula", "superonasal", "superotemporal"),
)

MODALITIES = (CHEST_XRAY, BRAIN_MRI, OCT, FUNDUS)


def modality_named(name: str) -> Modality:
    """The modality of that name or short code.

    >>> modality_named("cxr").name
    'chest X-ray'
    """
    for member in MODALITIES:
        if name in (member.code, member.name):
            return member
    known = ", ".join(f"{member.code!r} ({member.name})" for member in MODALITIES)
    raise StudyError(f"No phantom shows a {name!r}. Expected one of {known}.")
