"""Modalities of phantoms, their findings and possible questions."""

from __future__ import annotations

from dataclasses import dataclass

from snellen.errors import StudyError

NORMAL = "normal"
SIZES = ("small", "medium", "large")
COUNTS = (1, 2, 3, 4, 5)
KINDS = ("finding", "presence", "side", "location", "count", "size")
"""Kinds of question, in the order in which they are asked."""


@dataclass(frozen=True)
class PhantomFinding:
    """Finding and the questions that it can answer."""

    name: str
    sided: bool = False
    located: bool = False
    countable: bool = False
    sized: bool = False

    def answers(self, kind: str) -> bool:
        """Return True if a question of this kind can be asked about the finding."""
        return {"side": self.sided, "location": self.located, "count": self.countable, "size": self.sized}.get(
            kind, True
        )


@dataclass(frozen=True)
class Modality:
    """Kind of image.

    `sides` and `locations` are the possible answers to questions about side and location. `most_on_a_side` is how many
    countable lesions fit on one side.
    """

    code: str
    name: str
    body_part: str
    findings: tuple[PhantomFinding, ...]
    sides: tuple[str, ...]
    locations: tuple[str, ...]
    most_on_a_side: int = 5

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all that the image can show, normal first."""
        return (NORMAL, *(finding.name for finding in self.findings))

    def finding(self, name: str) -> PhantomFinding:
        """Return the finding with this name; a normal one if there is none."""
        return next((finding for finding in self.findings if finding.name == name), PhantomFinding(NORMAL))

    def locations_on(self, side: str) -> tuple[str, ...]:
        """Return the locations on a side; all if the side does not matter."""
        if "both" not in self.sides:
            return self.locations
        return tuple(location for location in self.locations if side in location.split())

    def side_of(self, location: str) -> str:
        """Return the side of a location; "" if it has none."""
        return next((side for side in ("left", "right") if side in location.split()), "")


_SIDES = ("both", "left", "neither", "right")

CHEST_XRAY = Modality(
    code="cxr",
    name="chest X-ray",
    body_part="chest",
    findings=(
        PhantomFinding("pleural effusion", sided=True, sized=True),
        PhantomFinding("pneumothorax", sided=True),
        PhantomFinding("consolidation", sided=True, located=True, sized=True),
        PhantomFinding("lung nodules", sided=True, located=True, countable=True, sized=True),
        PhantomFinding("cardiomegaly"),
    ),
    sides=_SIDES,
    locations=tuple(f"{side} {zone} zone" for side in ("left", "right") for zone in ("lower", "mid", "upper")),
)

BRAIN_MRI = Modality(
    code="mri",
    name="brain MRI",
    body_part="head",
    findings=(
        PhantomFinding("tumour", sided=True, located=True, sized=True),
        PhantomFinding("infarct", sided=True, located=True),
        PhantomFinding("haemorrhage", sided=True, located=True, sized=True),
        PhantomFinding("white matter lesions", sided=True, countable=True, sized=True),
        PhantomFinding("hydrocephalus"),
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
        PhantomFinding("macular hole", sized=True),
        PhantomFinding("subretinal fluid", sided=True, located=True, sized=True),
        PhantomFinding("intraretinal cysts", sided=True, located=True),
        PhantomFinding("drusen", sided=True, located=True, countable=True, sized=True),
        PhantomFinding("epiretinal membrane", sided=True),
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
        PhantomFinding("retinal haemorrhages", sided=True, located=True, countable=True, sized=True),
        PhantomFinding("hard exudates", sided=True, located=True),
        PhantomFinding("cotton-wool spots", sided=True, located=True, countable=True, sized=True),
        PhantomFinding("glaucomatous cupping", sided=True),
        PhantomFinding("branch vein occlusion", sided=True),
    ),
    sides=("left", "right"),
    locations=("inferonasal", "inferotemporal", "macula", "superonasal", "superotemporal"),
)

MODALITIES = (CHEST_XRAY, BRAIN_MRI, OCT, FUNDUS)


def modality_named(name: str) -> Modality:
    """Return the modality with this name or short code.

    >>> modality_named("cxr").name
    'chest X-ray'
    """
    for member in MODALITIES:
        if name in (member.code, member.name):
            return member
    known = ", ".join(f"{member.code!r} ({member.name})" for member in MODALITIES)
    raise StudyError(f"There are no phantoms of the modality {name!r}. Expected one of {known}.")
