"""Phantoms with premises: questions that take a finding, its side or its number for granted, half of them wrongly.

Questions come in pairs of the same words, vignette included. One is asked about an image that bears the premise out,
the other about one that does not: the finding is absent, on the other side, or there in another number. Nothing in the
words tells the two apart, so who does not look corrects true premises as often as false ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count
from typing import NamedTuple

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import NORMAL, Finding, Modality
from snellen.benchmarks.phantoms.diseases import DISEASES, NUMBERS
from snellen.benchmarks.phantoms.patients import at_one_place, generator_of, pick
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import vignette
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.images import Image
from snellen.items import Item

PREMISES = "premises"
_ID = "phantoms/premises/"
_rng = partial(generator_of, stream=6)
_ORDER, _PAIR = range(2)
_SHORT = {"tumour": "brain tumour", "infarct": "cerebral infarct", "haemorrhage": "intracerebral haemorrhage",
          "branch vein occlusion": "branch retinal vein occlusion"}  # fmt: skip
"""Findings by what the questions call them, where that is not their name."""
_MANY = ("lung nodules", "white matter lesions", "drusen", "intraretinal cysts", "retinal haemorrhages",
         "hard exudates", "cotton-wool spots")  # fmt: skip
"""Findings in the plural."""
_BARE = ("consolidation", "cardiomegaly", "hydrocephalus", "subretinal fluid", "glaucomatous cupping")
"""Findings without an indefinite article."""
ALIKE = frozenset(
    (
        frozenset(("retinal haemorrhages", "branch vein occlusion")),
        frozenset(("infarct", "white matter lesions")),
    )
)
"""Findings that do not rule each other out: an occluded vein bleeds. Neither is shown where the other is claimed."""
SIZE, SIDE, LOCATION, COUNT, CAUSE, TREATMENT = "size", "side", "location", "count", "cause", "treatment"
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    SIZE: ("How large {are} {the}?", "What size {are} {the} on this {modality}?"),
    SIDE: ("On which side {are} {the}?", "Which side {do} {the} affect on this {modality}?"),
    LOCATION: ("Where exactly {are} {the} located?", "In which region of this {modality} {are} {the}?"),
    COUNT: ("How many of {the} can you count?", "What is the number of {the} on this {modality}?"),
    CAUSE: ("What most likely caused {the}?", "What would explain {the} on this {modality}?"),
    TREATMENT: ("How should {the} be treated?", "Which treatment do you recommend for {the} on this {modality}?"),
}
"""What is asked of something that is taken for granted, in several wordings."""
_LEFT_IS_RIGHT = "The patient's right is on the left of the image."
_CONVENTION = {"cxr": _LEFT_IS_RIGHT, "mri": _LEFT_IS_RIGHT, "oct": "Sides are those of the image.", "fundus": ""}
_ONE_SIDE = frozenset(("left", "right"))
PRESENT, ON_SIDE, IN_NUMBER = "finding", "side", "count"


class Cell(NamedTuple):
    """What a question takes for granted of which finding, what it asks, and in which wording."""

    claims: str
    finding: Finding
    asked: str
    wording: int


class Claim(NamedTuple):
    """A premise, with an image that bears it out and one that does not."""

    words: str
    true: Phantom
    false: Phantom


def pairs(modality: Modality, seed: int) -> Iterator[tuple[Item, Item]]:
    """The endless sequence of one modality's pairs: findings, premises, questions and wordings take turns."""
    cells = _cells(modality)
    for number in count():
        turn, place = divmod(number, len(cells))
        order = _rng(seed, modality, turn, _ORDER).permutation(len(cells))
        yield _pair(cells[int(order[place])], modality, seed, number)


@cache
def _cells(modality: Modality) -> tuple[Cell, ...]:
    return tuple(
        Cell(claims, finding, asked, wording)
        for finding in modality.findings
        for claims in _claimable(finding, modality)
        for asked in _askable(claims, finding, modality)
        for wording in range(len(QUESTIONS[asked]))
    )


def _claimable(finding: Finding, modality: Modality) -> Iterator[str]:
    yield PRESENT
    if _is_sided(finding, modality):
        yield ON_SIDE
    if finding.countable:
        yield IN_NUMBER


def _askable(claims: str, finding: Finding, modality: Modality) -> Iterator[str]:
    """What can be asked of a finding beside what is taken for granted of it."""
    if finding.sized:
        yield SIZE
    if claims == PRESENT and _is_sided(finding, modality):
        yield SIDE
    if claims != IN_NUMBER and finding.located and not finding.countable:
        yield LOCATION
    if claims != IN_NUMBER and finding.countable:
        yield COUNT
    yield CAUSE
    yield TREATMENT


def _is_sided(finding: Finding, modality: Modality) -> bool:
    """Whether a finding has a side; in a fundus photograph it is that of the whole eye."""
    return finding.sided and "both" in modality.sides


def _pair(cell: Cell, modality: Modality, seed: int, number: int) -> tuple[Item, Item]:
    rng = _rng(seed, modality, number, _PAIR)
    claim = _claim(cell, modality, rng)
    told = vignette(modality, ENGLISH, rng)
    context = " ".join(filter(None, (told.text, _CONVENTION[modality.code])))
    shown = [(claim.true, True), (claim.false, False)]
    if rng.integers(2):
        shown.reverse()

    def asked(place: str, phantom: Phantom, *, holds: bool) -> Item:
        series = f"{_ID}{seed}/{modality.code}-{number:06d}-{place}"
        return Item(
            id=series,
            question=_question(cell, modality, claim.words),
            answer=_reference(cell, phantom, modality) if holds else f"The image does not show {claim.words}.",
            images=(Image(phantom),),
            kind="open",
            context=context,
            category=modality.name,
            cluster=f"{series}-patient",
            metadata={
                "premise": {"claims": claim.words, "holds": holds},
                "pair": f"{seed}/{modality.code}-{number:06d}",
                "modality": modality.name,
                "body_part": modality.body_part,
                "finding": phantom.finding,
                "claimed": cell.finding.name,
                "claims": cell.claims,
                "question_kind": cell.asked,
                "age": told.age,
                "sex": told.sex,
            },
        )

    (one, is_true), (other, is_other_true) = shown
    return asked("a", one, holds=is_true), asked("b", other, holds=is_other_true)


def _claim(cell: Cell, modality: Modality, rng: Generator) -> Claim:
    """What is taken for granted; both images differ from each other in it alone, or in the whole finding."""
    name = cell.finding.name
    if cell.claims == PRESENT:
        true = _drawn(modality, name, rng, lambda phantom: cell.asked != SIDE or phantom.side in _ONE_SIDE)
        return Claim(_named(name), true, at_one_place(modality, _another(name, modality, rng), rng))
    if cell.claims == ON_SIDE:
        true = _drawn(modality, name, rng, lambda phantom: phantom.side in _ONE_SIDE)
        false = _drawn(modality, name, rng, lambda phantom: phantom.side in _ONE_SIDE - {true.side})
        return Claim(_on_side(name, true.side, modality), true, false)
    true = _drawn(modality, name, rng, lambda phantom: phantom.count > 1)
    false = _drawn(modality, name, rng, lambda phantom: phantom.count not in (1, true.count))
    return Claim(f"{NUMBERS[true.count]} {name}", true, false)


def _another(name: str, modality: Modality, rng: Generator) -> str:
    """Nothing, in half of the cases, or another finding that rules the claimed one out."""
    others = [each for each in modality.names[1:] if each != name and frozenset((each, name)) not in ALIKE]
    return NORMAL if rng.integers(2) else pick(rng, others)


def _drawn(modality: Modality, name: str, rng: Generator, fits: Callable[[Phantom], bool]) -> Phantom:
    while not fits(phantom := at_one_place(modality, name, rng)):
        pass
    return phantom


def _named(name: str) -> str:
    called = _SHORT.get(name, name)
    if name in _MANY or name in _BARE:
        return called
    return f"{'an' if called[0] in 'aeiou' else 'a'} {called}"


def _on_side(name: str, side: str, modality: Modality) -> str:
    called = _SHORT.get(name, name)
    if modality.code == "oct":
        return f"{_named(name)} in the {side} half of the image"
    return f"{'' if name in _MANY or name in _BARE else 'a '}{side}-sided {called}"


def _question(cell: Cell, modality: Modality, claims: str) -> str:
    many = cell.finding.name in _MANY
    words = {
        "the": f"the {claims.removeprefix('an ').removeprefix('a ')}",
        "are": "are" if many else "is",
        "do": "do" if many else "does",
        "modality": ENGLISH.modality[modality.code],
    }
    return QUESTIONS[cell.asked][cell.wording].format(**words)


def _reference(cell: Cell, phantom: Phantom, modality: Modality) -> str:
    """The answer where the premise holds."""
    if cell.asked == CAUSE:
        return DISEASES[modality.code][phantom.finding].cause
    if cell.asked == TREATMENT:
        return DISEASES[modality.code][phantom.finding].of(phantom).treatments[0]
    if cell.asked == SIDE:
        return ENGLISH.side[modality.code][phantom.side]
    if cell.asked == COUNT:
        return str(phantom.count)
    return ENGLISH.option[phantom.location if cell.asked == LOCATION else phantom.size]
