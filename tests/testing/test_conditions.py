"""Planted mistakes of conditions: each is found, with a sentence that says what to change."""

from dataclasses import dataclass, replace
from itertools import count
from typing import ClassVar

import numpy as np
import pytest

from snellen import load
from snellen.conditions import Condition, Effects
from snellen.errors import Inapplicable
from snellen.items import Option
from snellen.testing import check_condition

ITEMS = load("phantoms:items=4").items
CALLS = count()


@dataclass(frozen=True)
class Kept:
    """A step that is right: a darker copy."""

    def __call__(self, pixels):
        return pixels // 2


class Raising(Kept):
    """Raises."""

    def __call__(self, pixels):
        raise ZeroDivisionError("division by zero")


class Float(Kept):
    """Gives numbers from 0 to 1."""

    def __call__(self, pixels):
        return pixels / 255


class Fresh(Kept):
    """Draws new noise at each call."""

    def __call__(self, pixels):
        return pixels ^ np.uint8(next(CALLS) % 251)


class Overwriting(Kept):
    """Writes into the pixels that it is given."""

    def __call__(self, pixels):
        np.copyto(pixels, 255 - pixels)
        return pixels


class Same(Kept):
    """Gives back what came."""

    def __call__(self, pixels):
        return pixels.copy()


class Batched(Kept):
    """Adds an axis."""

    def __call__(self, pixels):
        return pixels[None]


@dataclass(frozen=True)
class Halved:
    """A step that leaves out every second pixel, and does not say where the others go."""

    def __call__(self, pixels):
        return pixels[::2, ::2].copy()


class Unnamed:
    """A step that is no dataclass, so that nothing says what it does."""

    def __call__(self, pixels):
        return pixels // 2


def on_image(step):
    """A condition that puts a step on every image."""

    @dataclass(frozen=True)
    class Stepped(Condition):
        """Darkens the images."""

        name: ClassVar[str] = "stepped"
        touches: ClassVar[frozenset[str]] = frozenset({"image"})
        declared: ClassVar[Effects] = Effects("altered", makes_image=True)

        def apply(self, item, drawn):
            return replace(item, images=tuple(image.then(step()) for image in item.images))

    return Stepped()


def on_item(change, *, name="changed", declared=None, touches=frozenset(), draw=None):
    """A condition that makes `change(item, drawn)` of an item."""
    body = {"name": name, "declared": declared, "touches": touches, "apply": lambda _, item, drawn: change(item, drawn)}
    if draw is not None:
        body["draw"] = lambda _, item, rng, pool: draw(item, rng)
    return dataclass(frozen=True)(type("Changed", (Condition,), body))()


TEXT = {"declared": Effects(text="changed"), "touches": frozenset({"text"})}
REORDERED = {"declared": Effects(options="reordered", truth="moved"), "touches": frozenset({"options"})}


def ask_politely(item, drawn):
    """The question with a please."""
    return replace(item, question=f"Please: {item.question}")


def turn_options(item, drawn):
    """The options from last to first, and the key with them."""
    return replace(item, options=item.options[::-1], answer=len(item.options) - 1 - item.answer)


def find_key(item, drawn):
    """Look up a field that items do not have."""
    return replace(item, question=item.metadata["history"])


def leave_out(item, drawn):
    """Leave the item out without a reason."""
    raise Inapplicable("")


def write_into(item, drawn):
    """Change the item that came."""
    object.__setattr__(item, "question", item.question + "!")
    return item


MISTAKES = {
    "a step that raises": (lambda: on_image(Raising), "the step Raising raised ZeroDivisionError: division by zero"),
    "float pixels": (lambda: on_image(Float), "returned pixels of the type float64. Return uint8"),
    "an axis too many": (lambda: on_image(Batched), "Return height × width"),
    "new pixels at each call": (lambda: on_image(Fresh), "makes other pixels at each call"),
    "pixels overwritten": (lambda: on_image(Overwriting), "writes into the pixels that it is given"),
    "another size without a movement": (lambda: on_image(Halved), "Say where pixels go"),
    "a step without fields": (lambda: on_image(Unnamed), "Make each step a frozen dataclass"),
    "no pixel changed": (lambda: on_image(Same), "changes no pixel"),
    "nothing changed": (lambda: on_item(lambda item, _: item, **TEXT), "leaves the text of all 4 items as it was"),
    "a key that stays behind": (
        lambda: on_item(lambda item, _: replace(item, options=item.options[::-1]), **REORDERED),
        "Move `answer` with the option",
    ),
    "a key moved": (
        lambda: on_item(lambda item, _: replace(ask_politely(item, _), answer=(item.answer + 1) % 2), **TEXT),
        "Move `answer` with the option",
    ),
    "a key printed": (
        lambda: on_item(lambda item, _: replace(item, question=f"{item.question} ({item.letter})"), **TEXT),
        "depend on the right answer",
    ),
    "a key printed by what is drawn": (
        lambda: on_item(
            lambda item, drawn: replace(item, question=f"{item.question} {drawn['hint']}"),
            draw=lambda item, rng: {"hint": item.letter},
            **TEXT,
        ),
        "depend on the right answer",
    ),
    "effects not declared": (lambda: on_item(ask_politely), r"declared = Effects\(text='changed'\)"),
    "an image that is left undeclared": (
        lambda: on_item(lambda item, _: replace(item, images=()), touches=frozenset({"image"})),
        r"declared = Effects\(image='none'\)",
    ),
    "another text than declared": (
        lambda: on_item(ask_politely, declared=Effects(options="reordered"), touches=frozenset({"options"})),
        "changes the text",
    ),
    "other options than declared": (lambda: on_item(turn_options, **TEXT), "changes the options"),
    "fewer options than declared": (
        lambda: on_item(
            lambda item, _: replace(item, options=(*item.options[::-1], Option("Both")), answer=1 - item.answer),
            **REORDERED,
        ),
        "declares options='reordered'",
    ),
    "no option that abstains": (
        lambda: on_item(
            lambda item, _: replace(item, options=(*item.options, Option("I do not know"))),
            declared=Effects(options="abstain"),
            touches=frozenset({"options"}),
        ),
        "abstains=True",
    ),
    "an image that is sent after all": (
        lambda: on_item(ask_politely, declared=Effects("none"), touches=frozenset({"image"})),
        "sends an image",
    ),
    "touches that say something else": (
        lambda: on_item(ask_politely, declared=Effects(text="changed"), touches=frozenset({"options"})),
        "`touches`",
    ),
    "a name that no command line can carry": (
        lambda: on_item(ask_politely, name="asked, politely", **TEXT),
        "small letters, digits and hyphens",
    ),
    "no name": (lambda: on_item(ask_politely, name="", **TEXT), "small letters, digits and hyphens"),
    "a class in place of a condition": (lambda: type(on_item(ask_politely, **TEXT)), "expected a Condition"),
    "applying that raises": (lambda: on_item(find_key, **TEXT), "apply raised KeyError: 'history'"),
    "drawing that raises": (
        lambda: on_item(ask_politely, draw=lambda item, rng: {"at": [][0]}, **TEXT),
        "draw raised IndexError",
    ),
    "a draw that JSON cannot hold": (
        lambda: on_item(ask_politely, draw=lambda item, rng: {"at": {1, 2}}, **TEXT),
        "JSON",
    ),
    "a draw that differs": (
        lambda: on_item(
            lambda item, drawn: replace(item, question=f"{item.question} {drawn['at']}"),
            draw=lambda item, rng: {"at": next(CALLS)},
            **TEXT,
        ),
        "draws .* differently",
    ),
    "no item returned": (lambda: on_item(lambda item, _: None, **TEXT), "expected apply to return an Item, got None"),
    "no reason": (lambda: on_item(leave_out, **TEXT), "gives no reason"),
    "an input that is changed": (lambda: on_item(write_into, **TEXT), "changed its input"),
    "another id": (lambda: on_item(lambda item, _: replace(item, id="x"), **TEXT), "changed the id"),
    "an unusable item": (lambda: on_item(lambda item, _: replace(item, question=""), **TEXT), "question is empty"),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_each_mistake_is_named(mistake):
    """With what to change, and never by an exception from inside."""
    make, words = MISTAKES[mistake]
    with pytest.raises(AssertionError, match=words):
        check_condition(make(), [replace(item) for item in ITEMS])


def test_conditions_without_a_mistake_pass():
    """Also on phantoms of its own, if no items are given; one that applies to none of them says so."""
    assert check_condition(on_image(Kept), ITEMS) == check_condition(on_item(turn_options, **REORDERED), ITEMS) == 4
    assert check_condition(on_item(ask_politely, **TEXT))
    assert check_condition(on_item(ask_politely, declared=Effects(text="changed")), ITEMS) == 4

    def skip(item, drawn):
        raise Inapplicable("it has no scale bar")

    with pytest.raises(AssertionError, match=r"applies to none of .* phantoms: it has no scale bar"):
        check_condition(on_item(skip, **TEXT))
