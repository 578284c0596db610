"""Hue and shape of each model, fixed by its place in the study.

There are six hues and four shapes. Their combinations repeat only after twelve models, and models of one shape differ
in hue. `style/tokens.css` has the hues; people with any colour blindness can distinguish any two of them.
"""

from __future__ import annotations

from markupsafe import Markup

HUES = 6
MODELS = 12
"""Number of models with a look of their own; the next model looks like the first one."""
SHAPES = (
    "M-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0Z",
    "M-4.2 -4.2H4.2V4.2H-4.2Z",
    "M0 -5.5L5.2 4H-5.2Z",
    "M0 -5.6L5.6 0L0 5.6L-5.6 0Z",
)
"""Markers of the models; a panel holds at most this many models."""


def hue(place: int | None) -> str:
    """CSS class of a model's hue. "" without a model.

    >>> hue(1), hue(13), hue(None)
    (' model-1', ' model-1', '')
    """
    return "" if place is None else f" model-{place % MODELS}"


def shape(place: int | None) -> str:
    """Outline of a model's marker around its centre."""
    return SHAPES[(place or 0) % len(SHAPES)]


def set_of(place: int) -> int:
    """Number of the model's set. Models of one set differ in shape and may share a panel."""
    return place // len(SHAPES)


def model_dot(place: int | None) -> Markup:
    """Draw a model's marker for use next to its name. Empty without a model."""
    if place is None:
        return Markup("")
    outline = Markup('<path class="dot" d="{}"/>').format(shape(place))
    return Markup('<svg class="model-dot{}" width="14" height="12" aria-hidden="true">{}</svg>').format(
        hue(place), Markup('<svg x="6" y="6" overflow="visible">{}</svg>').format(outline)
    )
