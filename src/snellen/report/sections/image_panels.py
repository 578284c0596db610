"""One item's image under a condition, with the models' responses below it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from markupsafe import Markup

from snellen.report.components import Cell, Listing, Panel, quiet
from snellen.report.evidence.album import OutlinedBox
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, row_anchor
from snellen.report.sections.headline import short_names
from snellen.report.words.numbers import OUTCOME_WORDS, shorten_text


def list_addresses(evidence: Evidence, benchmark: str, arms: Iterable[str]) -> list[ArmAddress]:
    """List the conditions under which models were asked a benchmark."""
    wanted = list(arms)
    models = [model for model, name in evidence.results.tables if name == benchmark]
    found = [ArmAddress(model, benchmark, arm) for model in models for arm in wanted]
    return [address for address in found if address in evidence.anchors]


def expect_item(evidence: Evidence, addresses: Iterable[ArmAddress], ordinal: int) -> None:
    """Request an item's first responses and its images from the store."""
    for address in addresses:
        evidence.expect(address, _find_first(evidence, address, ordinal))
        asked = evidence.load_asked(address.benchmark, address.arm).get(ordinal)
        for sha256 in evidence.album.choose_images(asked.images) if asked else ():
            evidence.album.picture(sha256)


def list_sayings(evidence: Evidence, addresses: Iterable[ArmAddress], ordinal: int) -> dict[ArmAddress, Saying]:
    """Return each model's first response to an item under these conditions."""
    return {
        address: saying
        for address in addresses
        for saying in evidence.sayings(address, _find_first(evidence, address, ordinal)).values()
    }


def draw_panel(
    evidence: Evidence,
    title: str,
    said: dict[ArmAddress, Saying],
    *,
    notes: Sequence[str] = (),
    outlines: Sequence[Sequence[OutlinedBox]] = (),
) -> Panel:
    """Draw the images of one condition with boxes, and a line for each response."""
    if not said:
        return Panel(title, parts=(quiet("not asked, or not answered"),))
    sent = next(iter(said.values())).asked.images
    pictures = [evidence.album.picture(each) for each in evidence.album.choose_images(sent)]
    missing = "The image is not in the imported file." if evidence.imported else "No image was sent."
    problems = [each.problem for each in pictures if not each.link] if pictures else [missing]
    boxes = dict(zip(sent, outlines, strict=False))
    drawn = Markup("").join(
        each.draw(f"The image of this case: {title}", outlines=boxes.get(each.sha256, ()))
        for each in pictures
        if each.link
    )
    quotes = tuple(_quote(evidence, address, saying) for address, saying in said.items())
    return Panel(title, drawn or None, (*map(quiet, filter(None, (*problems, *notes))), Listing(quotes)))


def _quote(evidence: Evidence, address: ArmAddress, saying: Saying) -> Cell:
    outcome, text = saying.grade.outcome, shorten_text(saying.reply.text, 90) or "(an empty response)"
    to = row_anchor(evidence, address, _find_first(evidence, address, saying.reply.ordinal)[0])
    name = short_names(evidence.results)[address.model]
    return Cell(name, note=text, to=to, n=OUTCOME_WORDS[outcome], swatch=f"outcome {outcome.value}")


def _find_first(evidence: Evidence, address: ArmAddress, ordinal: int) -> list[int]:
    """Return the position of the item's first response."""
    return [int(at) for at in np.flatnonzero(evidence.grades(address).ordinal == ordinal)[:1]]
