"""Folds for cross-validation: items of one patient stay together, the same on every machine."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item


def patient_of(item: Item) -> str:
    """Return the patient of an item; an item without one counts as its own patient."""
    return item.cluster or item.id


def patients_without_names(items: Sequence[Item]) -> list[str]:
    """Replace each item's patient by the patient's first item id. So no patient names are stored."""
    first: dict[str, str] = {}
    for item in items:
        patient = patient_of(item)
        first[patient] = min(first.get(patient, item.id), item.id)
    return [first[patient_of(item)] for item in items]


def group_patients(items: Sequence[Item], images: Mapping[int, Sequence[str]]) -> NDArray[np.int64]:
    """Number the patients. Items without a patient that share an image or case count as one.

    `images` maps an item's position to the hashes of its images. A context that more than half of the items share is an
    instruction, not a case.
    """
    texts = Counter(item.context.strip() for item in items)
    names: list[list[tuple[str, str]]] = []
    for place, item in enumerate(items):
        told = item.context.strip()
        shared = [("image", each) for each in images.get(place, ())]
        shared += [("text", told)] if told and texts[told] <= len(items) / 2 else []
        names.append([("patient", item.cluster)] if item.cluster else shared)
    return group_linked(names)


def group_linked(names: Sequence[Iterable[Hashable]]) -> NDArray[np.int64]:
    """Number the groups of positions that share a name, directly or by a chain.

    >>> group_linked([["a"], ["b"], ["a", "c"], [], ["c"]]).tolist()
    [0, 1, 0, 2, 0]
    """
    parent = list(range(len(names)))

    def find_root(place: int) -> int:
        while parent[place] != place:
            parent[place] = parent[parent[place]]
            place = parent[place]
        return place

    first: dict[Hashable, int] = {}
    for place, known in enumerate(names):
        for name in known:
            one, other = find_root(first.setdefault(name, place)), find_root(place)
            parent[max(one, other)] = min(one, other)
    roots = [find_root(place) for place in range(len(names))]
    number = {root: count for count, root in enumerate(dict.fromkeys(roots))}
    return np.array([number[root] for root in roots], dtype=np.int64)


def in_drawn_order(
    items: Sequence[Item], places: Sequence[int], seed: int, *, patients: Sequence[str] | None = None
) -> list[int]:
    """Order positions by a hash of the patient. `patients` replaces the items' own patients."""

    def rank(place: int) -> tuple[bytes, str]:
        patient = patient_of(items[place]) if patients is None else patients[place]
        return hashlib.sha256(f"{seed}/{patient}".encode()).digest(), items[place].id

    return sorted(places, key=rank)


def folds_of(items: Sequence[Item], folds: int) -> NDArray[np.int64]:
    """Assign whole patients to folds, with at least two patients each."""
    turn = {patient: number for number, patient in enumerate(dict.fromkeys(map(patient_of, items)))}
    folds = max(1, min(folds, len(turn) // 2))
    return np.array([turn[patient_of(item)] % folds for item in items])


def split_patients(items: Sequence[Item]) -> list[int]:
    """Split patients into halves 0 and 1 by a hash, whatever the order of items."""
    who = patients_without_names(items)
    ranked = sorted(set(who), key=lambda patient: hashlib.sha256(patient.encode()).digest())
    place = {patient: number for number, patient in enumerate(ranked)}
    return [place[patient] % 2 for patient in who]
