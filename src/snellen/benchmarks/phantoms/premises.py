"""Phantoms with premises, half of them false.

A premise is a finding that the question assumes. Questions come in pairs with the same text, history included. In one
image the premise is true; in the other the finding is absent, on the other side, or there in another number. The text
does not show which is which, so a model that ignores the image corrects true premises as often as false ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from itertools import count
from typing import NamedTuple

from numpy.random import Generator

from snellen.benchmarks.phantoms.catalogue import NORMAL, Modality, PhantomFinding
from snellen.benchmarks.phantoms.diseases import DISEASES, NUMBERS
from snellen.benchmarks.phantoms.patients import generator_of, on_one_side, pick
from snellen.benchmarks.phantoms.phantom import Phantom
from snellen.benchmarks.phantoms.questions import vignette
from snellen.benchmarks.phantoms.regions import show
from snellen.benchmarks.phantoms.wording import ENGLISH
from snellen.items import Item

PREMISES = "premises"
_ID = "phantoms/premises/"
_rng = partial(generator_of, stream=6)
_ORDER, _PAIR = range(2)
_SHORT = {"tumour": "brain tumour", "infarct": "cerebral infarct", "haemorrhage": "intracerebral haemorrhage",
          "branch vein occlusion": "branch retinal vein occlusion"}  # fmt: skip
"""Names of findings in the questions, if they differ from those in the catalogue."""
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
"""Findings that may occur together, as an occluded vein bleeds. An image never shows one if the other is claimed."""
SIZE, SIDE, LOCATION, COUNT, CAUSE, TREATMENT = "size", "side", "location", "count", "cause", "treatment"
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    SIZE: ("How large {are} {the}?", "What size {are} {the} on this {modality}?"),
    SIDE: ("On which side {are} {the}?", "Which side {do} {the} affect on this {modality}?"),
    LOCATION: ("Where exactly {are} {the} located?", "In which region of this {modality} {are} {the}?"),
    COUNT: ("How many of {the} can you count?", "What is the number of {the} on this {modality}?"),
    CAUSE: ("What most likely caused {the}?", "What would explain {the} on this {modality}?"),
    TREATMENT: ("How should {the} be treated?", "Which treatment do you recommend for {the} on this {modality}?"),
}
"""Questions about a premise, in several wordings, by what they ask."""
_LEFT_IS_RIGHT = "The patient's right is on the left of the image."
_CONVENTION = {"cxr": _LEFT_IS_RIGHT, "mri": _LEFT_IS_RIGHT, "oct": "Sides are those of the image.", "fundus": ""}
_ONE_SIDE = frozenset(("left", "right"))
PRESENT, ON_SIDE, IN_NUMBER = "finding", "side", "count"


class PremiseCell(NamedTuple):
    """Assumed finding of a question, what the question asks, and the number of its wording."""

    claims: str
    finding: PhantomFinding
    asks: str
    wording: int


class PremiseClaim(NamedTuple):
    """Premise, with an image that supports it and one that does not."""

    words: str
    true: Phantom
    false: Phantom


def pairs(modality: Modality, seed: int) -> Iterator[tuple[Item, Item]]:
    """Yield one modality's pairs without end.

    Findings, premises, questions and wordings take turns.
    """
    cells = _cells(modality)
    for number in count():
        turn, place = divmod(number, len(cells))
        order = _rng(seed, modality, turn, _ORDER).permutation(len(cells))
        yield _pair(cells[int(order[place])], modality, seed, number)


@cache
def _cells(modality: Modality) -> tuple[PremiseCell, ...]:
    return tuple(
        PremiseCell(claims, finding, asks, wording)
        for finding in modality.findings
        for claims in _claimable(finding, modality)
        for asks in _askable(claims, finding, modality)
        for wording in range(len(QUESTIONS[asks]))
    )


def _claimable(finding: PhantomFinding, modality: Modality) -> Iterator[str]:
    yield PRESENT
    if _is_sided(finding, modality):
        yield ON_SIDE
    if finding.countable:
        yield IN_NUMBER


def _askable(claims: str, finding: PhantomFinding, modality: Modality) -> Iterator[str]:
    """Yield the question topics for a finding, except what the premise already states."""
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


def _is_sided(finding: PhantomFinding, modality: Modality) -> bool:
    """Return True if a finding has a side. In fundus photographs, only the eye has one."""
    return finding.sided and "both" in modality.sides


def _pair(cell: PremiseCell, modality: Modality, seed: int, number: int) -> tuple[Item, Item]:
    rng = _rng(seed, modality, number, _PAIR)
    claim = _claim(cell, modality, rng)
    told = vignette(modality, ENGLISH, rng)
    context = " ".join(filter(None, (told.text, _CONVENTION[modality.code])))
    shown = [(claim.true, True), (claim.false, False)]
    if rng.integers(2):
        shown.reverse()

    def build_item(place: str, phantom: Phantom, *, holds: bool) -> Item:
        series = f"{_ID}{seed}/{modality.code}-{number:06d}-{place}"
        return Item(
            id=series,
            question=_question(cell, modality, claim.words),
            answer=_reference(cell, phantom, modality) if holds else f"The image does not show {claim.words}.",
            images=(show(phantom),),
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
                "question_kind": cell.asks,
                "age": told.age,
                "sex": told.sex,
            },
        )

    (one, is_true), (other, is_other_true) = shown
    return build_item("a", one, holds=is_true), build_item("b", other, holds=is_other_true)


def _claim(cell: PremiseCell, modality: Modality, rng: Generator) -> PremiseClaim:
    """Draw a premise, with two images that differ only in it."""
    name = cell.finding.name
    if cell.claims == PRESENT:
        true = _draw_fitting(modality, name, rng, lambda phantom: cell.asks != SIDE or phantom.side in _ONE_SIDE)
        return PremiseClaim(
            _add_article(name), true, on_one_side(modality, _draw_other_finding(name, modality, rng), rng)
        )
    if cell.claims == ON_SIDE:
        true = _draw_fitting(modality, name, rng, lambda phantom: phantom.side in _ONE_SIDE)
        false = _draw_fitting(modality, name, rng, lambda phantom: phantom.side in _ONE_SIDE - {true.side})
        return PremiseClaim(_on_side(name, true.side, modality), true, false)
    true = _draw_fitting(modality, name, rng, lambda phantom: phantom.count > 1)
    false = _draw_fitting(modality, name, rng, lambda phantom: phantom.count not in (1, true.count))
    return PremiseClaim(f"{NUMBERS[true.count]} {name}", true, false)


def _draw_other_finding(name: str, modality: Modality, rng: Generator) -> str:
    """Draw normal with probability ½, else a finding that excludes the claimed one."""
    others = [each for each in modality.names[1:] if each != name and frozenset((each, name)) not in ALIKE]
    return NORMAL if rng.integers(2) else pick(rng, others)


def _draw_fitting(modality: Modality, name: str, rng: Generator, fits: Callable[[Phantom], bool]) -> Phantom:
    while not fits(phantom := on_one_side(modality, name, rng)):
        pass
    return phantom


def _add_article(name: str) -> str:
    called = _SHORT.get(name, name)
    if name in _MANY or name in _BARE:
        return called
    return f"{'an' if called[0] in 'aeiou' else 'a'} {called}"


def _on_side(name: str, side: str, modality: Modality) -> str:
    called = _SHORT.get(name, name)
    if modality.code == "oct":
        return f"{_add_article(name)} in the {side} half of the image"
    return f"{'' if name in _MANY or name in _BARE else 'a '}{side}-sided {called}"


def _question(cell: PremiseCell, modality: Modality, claims: str) -> str:
    many = cell.finding.name in _MANY
    words = {
        "the": f"the {claims.removeprefix('an ').removeprefix('a ')}",
        "are": "are" if many else "is",
        "do": "do" if many else "does",
        "modality": ENGLISH.modality[modality.code],
    }
    return QUESTIONS[cell.asks][cell.wording].format(**words)


def _reference(cell: PremiseCell, phantom: Phantom, modality: Modality) -> str:
    if cell.asks == CAUSE:
        return DISEASES[modality.code][phantom.finding].cause
    if cell.asks == TREATMENT:
        return DISEASES[modality.code][phantom.finding].fill_words(phantom).treatments[0]
    if cell.asks == SIDE:
        return ENGLISH.side[modality.code][phantom.side]
    if cell.asks == COUNT:
        return str(phantom.count)
    return ENGLISH.option[phantom.location if cell.asks == LOCATION else phantom.size]
