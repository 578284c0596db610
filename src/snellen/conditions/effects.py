"""Effects: what a condition does to an item, as tests, judges and reports need to know it."""

from __future__ import annotations

from collections.abc import Iterable
from functools import reduce
from typing import Literal, NamedTuple, TypeVar

ImageEffect = Literal["own", "none", "blank", "part", "altered", "other", "words", "unknown"]
TextEffect = Literal["own", "question", "options", "changed"]
OptionsEffect = Literal["own", "reordered", "replaced", "abstain", "unknown"]
TruthEffect = Literal["same", "moved", "changed", "contradicted", "unknown"]
Value = TypeVar("Value", bound=str)


class Effects(NamedTuple):
    """What a model was shown under a condition. It is part of no identity, label or digest."""

    image: ImageEffect = "own"
    """`part`: some of several images. `other`: another patient's. `words`: a report in its place."""
    text: TextEffect = "own"
    """`question`, `options`: these alone. `changed`: in a way that the condition does not declare."""
    options: OptionsEffect = "own"
    """`abstain`: one of them says that the model does not know."""
    truth: TruthEffect = "same"
    """The right answer: `moved` to another place, `changed`, `contradicted` (image and text do not fit)."""
    makes_image: bool = False
    """Whether the store keeps an image of its own for each item."""
    shown: str = ""
    """What a judge is told of an image that is neither the item's own nor gone nor blank."""

    @property
    def sends_image(self) -> bool:
        """Whether an image may be sent."""
        return self.image not in ("none", "words")

    @property
    def sees(self) -> bool:
        """Whether the model may know what an image shows: from an image, or from a report in its place."""
        return self.image not in ("none", "blank")

    @property
    def reads_all_words(self) -> bool:
        """Whether the whole text was sent."""
        return self.text == "own"

    @property
    def changes(self) -> frozenset[str]:
        """What is known to change: image, text or options."""
        named = {"image": self.image, "text": self.text, "options": self.options}
        return frozenset(part for part, effect in named.items() if effect not in ("own", "unknown"))

    @property
    def own_case(self) -> bool:
        """Whether responses are about the case that a judge has: its image, its question, its options."""
        other = self.image in ("other", "words") or self.text in ("question", "options")
        return not (other or self.options in ("replaced", "abstain") or self.truth in ("changed", "contradicted"))

    @property
    def is_certain(self) -> bool:
        """Whether the model saw all images that decide the answer, and the right answer is known."""
        complete = self.image in ("own", "altered", "other")
        return complete and self.truth not in ("contradicted", "unknown")


UNKNOWN = Effects(image="unknown", truth="unknown")
"""Effects of a condition of which nobody says anything, such as an imported one."""


def derive_effects(touches: frozenset[str]) -> Effects:
    """Effects of a condition that declares only what it touches.

    >>> derive_effects(frozenset({"options"})).sees, derive_effects(frozenset({"image"})).image
    (True, 'unknown')
    """
    if not touches or "image" in touches:
        return UNKNOWN
    text: TextEffect = "changed" if "text" in touches else "own"
    return Effects(text=text, options="unknown" if "options" in touches else "own", truth="unknown")


def merge_effects(effects: Iterable[Effects]) -> Effects:
    """Effects of several conditions at once. If two of them change one thing, nothing is known of it.

    >>> merge_effects([Effects(image="none"), Effects(options="reordered", truth="moved")])[:4]
    ('none', 'own', 'reordered', 'moved')
    """
    return reduce(_merge_two, effects, Effects())


def _merge_two(one: Effects, two: Effects) -> Effects:
    return Effects(
        image=_pick(one.image, two.image, "own", "unknown"),
        text=_pick(one.text, two.text, "own", "changed"),
        options=_pick(one.options, two.options, "own", "unknown"),
        truth=_pick(one.truth, two.truth, "same", "unknown"),
        makes_image=one.makes_image or two.makes_image,
        shown=one.shown or two.shown,
    )


def _pick(one: Value, two: Value, plain: Value, doubt: Value) -> Value:
    """The value that is not the plain one; `doubt` if there are two."""
    if plain in (one, two):
        return two if one == plain else one
    return one if one == two else doubt
