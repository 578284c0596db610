"""Division: which questions are learnt from, watched on and tested; no patient and no image is on two sides."""

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
    """A division for each training: one where there is a training split, or as many as there are folds.

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
    groups = grouped(items)
    first = len(audited.training_choices)
    dealt = _dealt(items[first:], groups[first:], folds, seed) if folds else [0] * len(audited.choices)
    made = []
    for fold in range(max(folds, 1)):
        tested = {first + place for place, own in enumerate(dealt) if own == fold}
        others = [place for place in range(len(items) if folds else first) if place not in tested]
        held = {groups[place] for place in tested}
        kept = [place for place in others if groups[place] not in held]
        drawn = sorted(sorted(kept, key=lambda place: _rank(seed, items[place].id))[:questions])
        watched = _watched(
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


def grouped(items: Sequence[Item]) -> list[int]:
    """The group of each item: those of one patient or one image are together.

    An item of the same id and the same words is the same item, with an image or without.
    """
    told = [replace(item, images=(*item.images, _words(item))) for item in items]
    return [int(group) for group in groups_of(told)]


def _words(item: Item) -> Image:
    """What stands for an item as an image stands for itself."""
    words = (item.id, item.context, item.question, *(option.text for option in item.options))
    return Image(hashlib.sha256("\x1f".join(words).encode()).digest())


def _dealt(items: Sequence[Item], groups: Sequence[int], folds: int, seed: int) -> list[int]:
    """The fold of each item: groups go, the largest first, to the fold that has the fewest items so far."""
    members = _members(items, groups, seed)
    if folds < 2 or len(members) < folds:
        raise StudyError(f"{len(members)} patients or images cannot be dealt out into {folds} folds of two or more.")
    sizes = [0] * folds
    fold_of: dict[int, int] = {}
    for group in sorted(members, key=lambda each: -members[each]):
        fold = sizes.index(min(sizes))
        fold_of[group] = fold
        sizes[fold] += members[group]
    return [fold_of[group] for group in groups]


def _watched(items: Sequence[Item], groups: Sequence[int], share: float, seed: int) -> list[bool]:
    """Whether each training item is set aside for validation: whole groups, until they hold the share."""
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
    """How many items each group has; the groups in an order that seed and ids decide, not the order of the items."""
    ranked = sorted(zip((_rank(seed, item.id) for item in items), groups, strict=True))
    counts: dict[int, int] = {}
    for _, group in ranked:
        counts[group] = counts.get(group, 0) + 1
    return counts


def _rank(seed: int, item_id: str) -> bytes:
    return hashlib.sha256(f"{seed}/{item_id}".encode()).digest()
