"""Hypothesis strategies for our records, in one place."""

from __future__ import annotations

from hypothesis import strategies as st

from snellen.images import Image, encode
from snellen.items import Item, Option

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(
    str.strip
)


def picture(value: int = 0, size: int = 8) -> Image:
    """A small grey picture."""
    import numpy as np

    return Image(encode(np.full((size, size), value, np.uint8)).data)


@st.composite
def choices(draw: st.DrawFn, *, images: bool | None = None, max_options: int = 6) -> Item:
    """Any usable question with options."""
    texts = draw(st.lists(WORDS, min_size=2, max_size=max_options, unique_by=lambda text: text.strip().casefold()))
    shown = draw(st.booleans()) if images is None else images
    return Item(
        id=draw(st.uuids()).hex,
        question=draw(WORDS),
        options=tuple(Option(text) for text in texts),
        answer=draw(st.integers(0, len(texts) - 1)),
        images=(picture(draw(st.integers(0, 255))),) if shown else (),
        context=draw(st.one_of(st.just(""), WORDS)),
        cluster=draw(st.sampled_from(["", "p1", "p2"])),
    )


def items(count: int = 20, *, options: int = 5, images: bool = True) -> tuple[Item, ...]:
    """A plain benchmark's items: the right answer goes round."""
    return tuple(
        Item(
            id=f"q{i:03}",
            question=f"What does picture {i} show?",
            options=tuple(Option(f"finding {'abcdefghij'[j]}{i}") for j in range(options)),
            answer=i % options,
            images=(picture(i % 256),) if images else (),
        )
        for i in range(count)
    )
