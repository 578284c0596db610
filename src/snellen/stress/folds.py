"""Folds: items apart for cross-validation, those of one patient together, the same on every machine."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.items import Item


def patient_of(item: Item) -> str:
    """Who an item is about; an item without a patient stands for its own."""
    return item.cluster or item.id


def patients_without_names(items: Sequence[Item]) -> list[str]:
    """Who each item is about, by the first of the patient's ids: the same in a store, which keeps no names."""
    first: dict[str, str] = {}
    for item in items:
        patient = patient_of(item)
        first[patient] = min(first.get(patient, item.id), item.id)
    return [first[patient_of(item)] for item in items]


def in_drawn_order(
    items: Sequence[Item], places: Sequence[int], seed: int, *, patients: Sequence[str] | None = None
) -> list[int]:
    """By a hash of the patient, so that the order in which items came changes nothing, to the last bit.

    `patients` says who each item is about, where that is not told by the items' own names for patients.
    """

    def rank(place: int) -> tuple[bytes, str]:
        patient = patient_of(items[place]) if patients is None else patients[place]
        return hashlib.sha256(f"{seed}/{patient}".encode()).digest(), items[place].id

    return sorted(places, key=rank)


def folds_of(items: Sequence[Item], folds: int) -> NDArray[np.int64]:
    """The fold of each item: its patients are dealt out in turn; in no more folds than would hold two patients each."""
    turn = {patient: number for number, patient in enumerate(dict.fromkeys(map(patient_of, items)))}
    folds = max(1, min(folds, len(turn) // 2))
    return np.array([turn[patient_of(item)] % folds for item in items])


def split_patients(items: Sequence[Item]) -> list[int]:
    """Which half of the patients each item is in, 0 or 1: by a hash, so that the order of the items changes nothing."""
    who = patients_without_names(items)
    ranked = sorted(set(who), key=lambda patient: hashlib.sha256(patient.encode()).digest())
    place = {patient: number for number, patient in enumerate(ranked)}
    return [place[patient] % 2 for patient in who]
