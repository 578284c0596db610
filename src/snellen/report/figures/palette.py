"""Palette: the hue and the shape of each model, fixed by its place in the study and the same in every figure.

There are six hues and four shapes. Counted together they repeat only after twelve models, and models of one shape
differ in hue. `style/tokens.css` has the hues; any two of them can be told apart without red, green or blue cones.
"""

from __future__ import annotations

from markupsafe import Markup

HUES = 6
MODELS = 12
"""Models with a look of their own; the next one looks like the first again."""
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4.2 -4.2H4.2V4.2H-4.2Z",
    "M0 -5.5L5.2 4H-5.2Z",
    "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
)
"""The marks of the models; a panel holds at most as many models."""


def hue(place: int | None) -> str:
    """The class that gives a figure, or a part of one, the hue of a model; none for what belongs to no model.

    >>> hue(1), hue(13), hue(None)
    (' model-1', ' model-1', '')
    """
    return "" if place is None else f" model-{place % MODELS}"


def shape(place: int | None) -> str:
    """The outline of a model's mark, around its middle."""
    return SHAPES[(place or 0) % len(SHAPES)]


def set_of(place: int) -> int:
    """Which models may share a panel: those of one set all differ in shape."""
    return place // len(SHAPES)


def model_dot(place: int | None) -> Markup:
    """The mark of a model beside its name; nothing for what belongs to no model."""
    if place is None:
        return Markup("")
    outline = Markup('<path class="dot" d="{}"/>').format(shape(place))
    return Markup('<svg class="model-dot{}" width="14" height="12" aria-hidden="true">{}</svg>').format(
        hue(place), Markup('<svg x="6" y="6" overflow="visible">{}</svg>').format(outline)
    )
