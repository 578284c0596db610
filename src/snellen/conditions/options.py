"""Conditions on the options: order, unrelated wrong options, or "Unknown"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from numpy.random import Generator

from snellen.conditions.base import Condition, Drawn
from snellen.conditions.effects import Effects
from snellen.conditions.pool import ADD_COLUMNS, Pool, Stranger, bearings_of, last_asked
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item, Option
from snellen.perturb.alike import are_alike
from snellen.perturb.polar import asks_for_misfit, is_polar, means_unknown, names_both, refers_to_others
from snellen.perturb.topics import PARTS

UNKNOWN = {
    "en": "Unknown", "it": "Sconosciuto", "es": "Desconocido", "fr": "Inconnu", "de": "Unbekannt", "zh": "未知",
}  # fmt: skip
"""The option that means "I do not know", by language."""
_ADD_CATEGORY = f"{ADD_COLUMNS}category"


@dataclass(frozen=True)
class OptionsShuffled(Condition):
    """The options in another order, drawn at random, the answer key moved with them."""

    name: ClassVar[str] = "options-shuffled"
    declared: ClassVar[Effects] = Effects(options="reordered", truth="moved")
    told: ClassVar[str] = "with the options reordered"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw an order of the options that differs from the original."""
        _check_free(item)
        listed = list(range(len(item.options)))
        order = listed
        while order == listed:
            order = rng.permutation(len(listed)).tolist()
        return {"order": order}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with its options in the drawn order and the same correct option."""
        order = drawn["order"]
        return replace(item, options=tuple(item.options[i] for i in order), answer=order.index(item.answer))


@dataclass(frozen=True)
class DistractorsReplaced(Condition):
    """Some wrong options replaced by options of unrelated questions; the right one keeps its place.

    Unrelated questions are of another category; without the column `category`, about other parts of the body. A larger
    `count` keeps the replacements of a smaller one.
    """

    name: ClassVar[str] = "distractors-replaced"
    declared: ClassVar[Effects] = Effects(options="replaced")

    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise StudyError(f"Expected a whole number of wrong options to replace, got count={self.count}.")

    @property
    def in_words(self) -> str:
        """Words with the number of replaced options."""
        return f"with {self.count} wrong option{'s' if self.count > 1 else ''} replaced"

    @property
    def stream(self) -> str:
        """Key of the random numbers; the same for any count, so that replacements are nested."""
        return self.name

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the options to replace, and the text of each replacement."""
        _check_free(item)
        _check_replaceable(item, pool)
        wrong = _wrong(item)
        if len(wrong) < self.count:
            raise Inapplicable(f"it has fewer than {self.count} wrong options")
        places = rng.permutation(wrong).tolist()[: self.count]
        taken = [option.text for option in item.options]
        replaced = []
        for place in places:
            text = _draw_unrelated(item, rng, pool, taken)
            taken.append(text)
            replaced.append([place, text])
        told = {} if pool.tells_category(item) else {"without_columns": ["category"]}
        return {"replaced": replaced, **told}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the drawn options."""
        return _with_options(item, {place: Option(text) for place, text in drawn["replaced"]})


@dataclass(frozen=True)
class UnknownOffered(Condition):
    """One wrong option replaced by "Unknown", which means that the model does not know."""

    name: ClassVar[str] = "unknown-offered"
    declared: ClassVar[Effects] = Effects(options="abstain")
    told: ClassVar[str] = "with Unknown among the options"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Draw the option to replace."""
        _check_free(item)
        text = item.in_its_language(UNKNOWN)
        if any(option.abstains or means_unknown(option.text) for option in item.options):
            raise Inapplicable('it already has an "I do not know" option')
        if len(item.options) < 3:
            raise Inapplicable("without one option, only the correct answer would be left")
        return {"place": int(rng.choice(_wrong(item))), "text": text}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """Return the item with the option that abstains."""
        return _with_options(item, {drawn["place"]: Option(drawn["text"], abstains=True)})


def _check_free(item: Item) -> None:
    """Raise Inapplicable if the options cannot be moved or replaced one by one."""
    if item.kind != "choice" or len(item.options) < 2:
        raise Inapplicable("the question offers no options")
    if item.answer is None:
        raise Inapplicable("the image cannot be graded, so no option is correct")
    if item.metadata.get("options_in_image"):
        raise Inapplicable("the options are printed in the image")
    if any(refers_to_others(option.text) for option in item.options):
        raise Inapplicable("an option refers to others by their place")


def _check_replaceable(item: Item, pool: Pool) -> None:
    """Raise Inapplicable if an option of another question could be correct or would not fit."""
    texts = [option.text for option in item.options if not option.abstains]
    if is_polar(texts):
        raise Inapplicable("yes and no cannot be replaced with an unrelated option")
    if names_both(item.question, texts):
        raise Inapplicable("the question itself names both options")
    if asks_for_misfit(last_asked(item.question)):
        raise Inapplicable("it asks for the option that does not fit, so an unrelated one could be correct")
    if not pool.tells_category(item) and bearings_of(item).isdisjoint(PARTS):
        raise Inapplicable(f"its text names no body part, so unrelated questions cannot be identified{_ADD_CATEGORY}")


def _wrong(item: Item) -> list[int]:
    return [place for place, option in enumerate(item.options) if place != item.answer and not option.abstains]


def _draw_unrelated(item: Item, rng: Generator, pool: Pool, taken: Sequence[str]) -> str:
    """Draw an option of an unrelated question. It shares no anatomy, finding or word with the item."""
    strangers, own = pool.strangers(item), bearings_of(item)
    for place in rng.permutation(len(strangers)).tolist():
        stranger: Stranger = strangers[place]
        if own.isdisjoint(stranger.bearings) and not any(are_alike(stranger.text, other) for other in taken):
            return stranger.text
    told = pool.tells_category(item)
    raise Inapplicable(
        f"questions {'of other categories' if told else 'unrelated to it'} have too few options that differ in body "
        f"part, kind of finding and wording{'' if told else _ADD_CATEGORY}"
    )


def _with_options(item: Item, new: dict[int, Option]) -> Item:
    return replace(item, options=tuple(new.get(place, option) for place, option in enumerate(item.options)))
