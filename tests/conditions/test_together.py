"""Several changes at once: each is the very change that it is alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    DistractorsReplaced,
    ImageSubstituted,
    OptionsShuffled,
    Pool,
    Together,
    UnknownOffered,
    condition_named,
    vary,
)
from snellen.errors import Inapplicable, StudyError
from strategies import benchmarks

PARTS = [OptionsShuffled(), UnknownOffered(), *(DistractorsReplaced(count) for count in (1, 2, 3, 4))]


@given(pool=benchmarks(), seed=st.integers(0, 2**32), part=st.sampled_from(PARTS))
def test_together_draws_what_its_parts_draw_alone(pool, seed, part):
    """Without the image the options are the same as with it, and an item that one part leaves out stays out."""
    both, shelf = Together((IMAGE_REMOVED, part)), Pool(pool)
    for item in pool:
        try:
            alone = vary(item, part, seed=seed, pool=shelf)
        except Inapplicable as why:
            with pytest.raises(Inapplicable, match=str(why)):
                vary(item, both, seed=seed, pool=shelf)
            continue
        together = vary(item, both, seed=seed, pool=shelf)
        assert together.drawn == {"image-removed": {}, part.label: alone.drawn}
        assert (together.item.options, together.item.answer) == (alone.item.options, alone.item.answer)
        assert together.item.images == ()
        assert together.item == vary(item, Together((part, IMAGE_REMOVED)), seed=seed, pool=shelf).item


@pytest.mark.parametrize(
    "parts",
    [
        (OptionsShuffled(), DistractorsReplaced(1)),
        (UnknownOffered(), OptionsShuffled()),
        (ImageSubstituted(), DistractorsReplaced(1)),
        (IMAGE_REMOVED, ImageSubstituted()),
        (IMAGE_REMOVED, IMAGE_BLANK),
        (DistractorsReplaced(1), DistractorsReplaced(2)),
    ],
    ids=lambda parts: "+".join(part.label for part in parts),
)
def test_two_changes_of_one_thing_do_not_go_together(parts):
    """A place drawn before a shuffle may be the right option's after it, and a removed image must not come back."""
    with pytest.raises(StudyError, match=r"cannot be combined: more than one changes the (?:image|options)"):
        Together(parts)


def test_the_label_names_the_parts_and_leads_back():
    """As arms are named in files."""
    made = Together((IMAGE_REMOVED, DistractorsReplaced(3)))
    assert made.label == "image-removed+distractors-replaced:count=3"
    assert condition_named(made.label) == made
    assert made.identity != Together((IMAGE_REMOVED, DistractorsReplaced(2))).identity
    assert made.changes == {"image", "options"}
