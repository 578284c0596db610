"""Effects of a condition on an item, for tests, judges and reports."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple, TypeVar

ImageEffect = Literal["own", "none", "blank", "part", "altered", "other", "words", "unknown"]
TextEffect = Literal["own", "question", "options", "changed"]
OptionsEffect = Literal["own", "reordered", "replaced", "abstain", "unknown"]
TruthEffect = Literal["same", "moved", "changed", "contradicted", "unknown"]
Value = TypeVar("Value", bound=str)


class Effects(NamedTuple):
    """What a condition shows to the model; not part of any identity, label or digest."""

    image: ImageEffect = "own"
    """`part`: some of several images. `other`: another patient's image. `words`: a report instead of the image."""
    text: TextEffect = "own"
    """`question`, `options`: only these. `changed`: in a way that the condition does not declare."""
    options: OptionsEffect = "own"
    """`abstain`: one option states that the model does not know."""
    truth: TruthEffect = "same"
    """The correct answer: `moved` to another position, `changed`, or `contradicted` (image and text do not fit)."""
    makes_image: bool = False
    """Whether the store keeps a separate image for each item."""
    shown: str = ""
    """Description of the image for a judge, unless it is the item's own, blank or missing."""

    @property
    def sends_image(self) -> bool:
        """Whether an image may be sent."""
        return self.image not in ("none", "words")

    @property
    def sees(self) -> bool:
        """Whether the model may know the image's content, from the image or a report."""
        return self.image not in ("none", "blank")

    @property
    def reads_all_words(self) -> bool:
        """Whether the whole text is sent."""
        return self.text == "own"

    @property
    def changes(self) -> frozenset[str]:
        """Parts known to change: image, text or options."""
        named = {"image": self.image, "text": self.text, "options": self.options}
        return frozenset(part for part, effect in named.items() if effect not in ("own", "unknown"))

    @property
    def own_case(self) -> bool:
        """Whether responses concern the item's own case: its image, question and options."""
        other = self.image in ("other", "words") or self.text in ("question", "options")
        return not (other or self.options in ("replaced", "abstain") or self.truth in ("changed", "contradicted"))

    @property
    def is_certain(self) -> bool:
        """Whether the model sees all images that decide, and the correct answer is known."""
        complete = self.image in ("own", "altered", "other")
        return complete and self.truth not in ("contradicted", "unknown")


UNKNOWN = Effects(image="unknown", truth="unknown")
"""Effects of a condition about which nothing is known, such as an imported one."""


def derive_effects(touches: frozenset[str]) -> Effects:
    """Derive the effects of a condition that declares only `touches`.

    >>> derive_effects(frozenset({"options"})).sees, derive_effects(frozenset({"image"})).image
    (True, 'unknown')
    """
    if not touches or "image" in touches:
        return UNKNOWN
    text: TextEffect = "changed" if "text" in touches else "own"
    return Effects(text=text, options="unknown" if "options" in touches else "own", truth="unknown")


def merge_effects(effects: Iterable[Effects]) -> Effects:
    """Merge the effects of combined conditions. If two change the same part, its effect is unknown.

    >>> merge_effects([Effects(image="none"), Effects(options="reordered", truth="moved")])[:4]
    ('none', 'own', 'reordered', 'moved')
    """
    merged = Effects()
    for one in effects:
        merged = Effects(
            image=_pick(merged.image, one.image, "own", "unknown"),
            text=_pick(merged.text, one.text, "own", "changed"),
            options=_pick(merged.options, one.options, "own", "unknown"),
            truth=_pick(merged.truth, one.truth, "same", "unknown"),
            makes_image=merged.makes_image or one.makes_image,
            shown=merged.shown or one.shown,
        )
    return merged


def _pick(one: Value, two: Value, plain: Value, doubt: Value) -> Value:
    """Return the value that differs from the default `plain`; `doubt` if both differ."""
    if plain in (one, two):
        return two if one == plain else one
    return one if one == two else doubt
