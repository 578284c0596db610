"""Conditions on the options: another order, wrong ones replaced by unrelated ones, or one of them by "Unknown"."""

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
from snellen.perturb.alike import alike
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
    touches: ClassVar[frozenset[str]] = frozenset({"options"})
    declared: ClassVar[Effects] = Effects(options="reordered", truth="moved")
    told: ClassVar[str] = "with the options reordered"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Any order but the one there is."""
        _check_free(item)
        listed = list(range(len(item.options)))
        order = listed
        while order == listed:
            order = rng.permutation(len(listed)).tolist()
        return {"order": order}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The options in the drawn order; the right one stays right."""
        order = drawn["order"]
        return replace(item, options=tuple(item.options[i] for i in order), answer=order.index(item.answer))


@dataclass(frozen=True)
class DistractorsReplaced(Condition):
    """So many wrong options replaced by options of unrelated questions, the right one kept in its place.

    Unrelated questions are of another category; without the column `category`, about other parts of the body.
    Nested: two replacements are the one replacement and another.
    """

    name: ClassVar[str] = "distractors-replaced"
    touches: ClassVar[frozenset[str]] = frozenset({"options"})
    declared: ClassVar[Effects] = Effects(options="replaced")

    count: int

    def __post_init__(self) -> None:
        if isinstance(self.count, bool) or not isinstance(self.count, int) or self.count < 1:
            raise StudyError(f"Expected a whole number of wrong options to replace, got count={self.count}.")

    @property
    def in_words(self) -> str:
        """With how many are replaced."""
        return f"with {self.count} wrong option{'s' if self.count > 1 else ''} replaced"

    @property
    def stream(self) -> str:
        """One for any number of replacements, so that they are nested."""
        return self.name

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Which options go, and what stands in their place."""
        _check_free(item)
        _check_replaceable(item, pool)
        wrong = _wrong(item)
        if len(wrong) < self.count:
            raise Inapplicable(f"it has fewer than {self.count} wrong options")
        places = rng.permutation(wrong).tolist()[: self.count]
        taken = [option.text for option in item.options]
        replaced = []
        for place in places:
            text = _unrelated(item, rng, pool, taken)
            taken.append(text)
            replaced.append([place, text])
        told = {} if pool.tells_category(item) else {"without_columns": ["category"]}
        return {"replaced": replaced, **told}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with the drawn options in their places."""
        return _with_options(item, {place: Option(text) for place, text in drawn["replaced"]})


@dataclass(frozen=True)
class UnknownOffered(Condition):
    """One wrong option replaced by "Unknown", which means that the model does not know."""

    name: ClassVar[str] = "unknown-offered"
    touches: ClassVar[frozenset[str]] = frozenset({"options"})
    declared: ClassVar[Effects] = Effects(options="abstain")
    told: ClassVar[str] = "with Unknown among the options"

    def draw(self, item: Item, rng: Generator, pool: Pool) -> Drawn:
        """Which option goes."""
        _check_free(item)
        code = item.language.replace("_", "-").partition("-")[0].lower()
        text = UNKNOWN.get(code, UNKNOWN["en"])
        if any(option.abstains or means_unknown(option.text) for option in item.options):
            raise Inapplicable("an option means already that one does not know")
        if len(item.options) < 3:
            raise Inapplicable("with one option less only the right answer would be left")
        return {"place": int(rng.choice(_wrong(item))), "text": text}

    def apply(self, item: Item, drawn: Drawn) -> Item:
        """The item with the option that abstains."""
        return _with_options(item, {drawn["place"]: Option(drawn["text"], abstains=True)})


def _check_free(item: Item) -> None:
    """Raise where the options cannot be moved or exchanged one by one."""
    if item.kind != "choice" or len(item.options) < 2:
        raise Inapplicable("the question offers no options")
    if item.answer is None:
        raise Inapplicable("nobody can grade the image, so that no option is right")
    if item.metadata.get("options_in_image"):
        raise Inapplicable("the options are printed in the image")
    if any(refers_to_others(option.text) for option in item.options):
        raise Inapplicable("an option refers to others by their place")


def _check_replaceable(item: Item, pool: Pool) -> None:
    """Raise where an option of another question could be right, or could not be an answer at all."""
    texts = [option.text for option in item.options if not option.abstains]
    if is_polar(texts):
        raise Inapplicable("yes and no have no unrelated stand-in")
    if names_both(item.question, texts):
        raise Inapplicable("the question names its two options itself")
    if asks_for_misfit(last_asked(item.question)):
        raise Inapplicable("it asks for what does not fit, and an unrelated option fits no better")
    if not pool.tells_category(item) and bearings_of(item).isdisjoint(PARTS):
        raise Inapplicable(f"its text names no part of the body, so no question is surely unrelated{_ADD_CATEGORY}")


def _wrong(item: Item) -> list[int]:
    return [place for place, option in enumerate(item.options) if place != item.answer and not option.abstains]


def _unrelated(item: Item, rng: Generator, pool: Pool, taken: Sequence[str]) -> str:
    """An option of an unrelated question that shares no part of the body, kind of finding or word with the item."""
    strangers, own = pool.strangers(item), bearings_of(item)
    for place in rng.permutation(len(strangers)).tolist():
        stranger: Stranger = strangers[place]
        if own.isdisjoint(stranger.bearings) and not any(alike(stranger.text, other) for other in taken):
            return stranger.text
    told = pool.tells_category(item)
    raise Inapplicable(
        f"no {'other category' if told else 'unrelated question'} has enough options that share no part of the body, "
        f"kind of finding or word with it{'' if told else _ADD_CATEGORY}"
    )


def _with_options(item: Item, new: dict[int, Option]) -> Item:
    return replace(item, options=tuple(new.get(place, option) for place, option in enumerate(item.options)))
