"""Division of questions into training, validation and test, without shared patients or images."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace

from snellen.errors import StudyError
from snellen.images import Image
from snellen.items import Item
from snellen.tools.audit.audited import Audited, groups_of


@dataclass(frozen=True)
class Division:
    """The questions of one training."""

    training: tuple[Item, ...]
    validation: tuple[Item, ...]
    tested: tuple[Item, ...]
    shared: int = 0
    """Training questions left out, since their patient or image is among the tested ones."""
    not_drawn: int = 0
    """Training questions left out, since fewer were asked for."""


def divide(
    audited: Audited, *, folds: int = 0, validation_share: float = 0.1, questions: int | None = None, seed: int = 0
) -> list[Division]:
    """Divide the questions for each training: one for a training split, or one per fold.

    In folds, every question is tested once, by a network that learnt from the other folds and from the training split,
    so that `folds` networks are trained.
    """
    if not audited.choices:
        raise StudyError(f"{audited.name} has no question with two or more options, so that there is nothing to guess.")
    if not folds and not audited.training_choices:
        raise StudyError(
            f"{audited.name} has no training split: no item's `split` says train. Name one with --train BENCHMARK, or "
            "let other questions of the same benchmark be learnt from with --folds 5, which trains five times."
        )
    items = (*audited.training_choices, *audited.choices)
    groups = group_items(items)
    first = len(audited.training_choices)
    dealt = _assign_folds(items[first:], groups[first:], folds, seed) if folds else [0] * len(audited.choices)
    made = []
    for fold in range(max(folds, 1)):
        tested = {first + place for place, own in enumerate(dealt) if own == fold}
        others = [place for place in range(len(items) if folds else first) if place not in tested]
        held = {groups[place] for place in tested}
        kept = [place for place in others if groups[place] not in held]
        drawn = sorted(sorted(kept, key=lambda place: _rank(seed, items[place].id))[:questions])
        watched = _select_validation(
            [items[place] for place in drawn], [groups[place] for place in drawn], validation_share, seed
        )
        made.append(
            Division(
                tuple(items[place] for place, aside in zip(drawn, watched, strict=True) if not aside),
                tuple(items[place] for place, aside in zip(drawn, watched, strict=True) if aside),
                tuple(items[place] for place in sorted(tested)),
                shared=len(others) - len(kept),
                not_drawn=len(kept) - len(drawn),
            )
        )
    if not all(each.training for each in made):
        raise StudyError(
            f"{audited.name}: no question is left to learn from, since the patients or images of all training "
            "questions are tested, too."
        )
    return made


def group_items(items: Sequence[Item]) -> list[int]:
    """Group the items that share a patient or an image.

    An item of the same id and the same words is the same item, with an image or without.
    """
    told = [replace(item, images=(*item.images, _words(item))) for item in items]
    return [int(group) for group in groups_of(told)]


def _words(item: Item) -> Image:
    """What stands for an item as an image stands for itself."""
    words = (item.id, item.context, item.question, *(option.text for option in item.options))
    return Image(hashlib.sha256("\x1f".join(words).encode()).digest())


def _assign_folds(items: Sequence[Item], groups: Sequence[int], folds: int, seed: int) -> list[int]:
    """Assign groups to folds, the largest first, to the smallest fold."""
    members = _members(items, groups, seed)
    if folds < 2 or len(members) < folds:
        raise StudyError(f"{len(members)} patients or images are too few for {folds} folds.")
    sizes = [0] * folds
    fold_of: dict[int, int] = {}
    for group in sorted(members, key=lambda each: -members[each]):
        fold = sizes.index(min(sizes))
        fold_of[group] = fold
        sizes[fold] += members[group]
    return [fold_of[group] for group in groups]


def _select_validation(items: Sequence[Item], groups: Sequence[int], share: float, seed: int) -> list[bool]:
    """Set aside whole groups of training items for validation, up to a share."""
    members = _members(items, groups, seed)
    aside: set[int] = set()
    held = 0
    for group in list(members)[:-1]:
        if held >= share * len(items):
            break
        if held + members[group] <= max(share * len(items), 1):
            aside.add(group)
            held += members[group]
    return [group in aside for group in groups]


def _members(items: Sequence[Item], groups: Sequence[int], seed: int) -> dict[int, int]:
    """Count the items of each group, in an order set by seed and ids."""
    ranked = sorted(zip((_rank(seed, item.id) for item in items), groups, strict=True))
    counts: dict[int, int] = {}
    for _, group in ranked:
        counts[group] = counts.get(group, 0) + 1
    return counts


def _rank(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{item_id}".encode()).digest()
