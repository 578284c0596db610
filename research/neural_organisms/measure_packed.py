"""What packed weights answer about fresh phantoms, in NumPy.

OMP_NUM_THREADS=1 python research/neural_organisms/measure_packed.py organisms/base-0.npz --phantoms 1600

The seeds of these phantoms are above all of training. Each phantom is asked every kind of question that its image can
answer, as a benchmark asks it, once with its image and once without. Seconds count from the drawn image on, with one
image at a time. Intervals are Wilson's, at 95%, as if questions were independent.
"""

from __future__ import annotations

import argparse
import itertools
import time
from collections import defaultdict
from dataclasses import replace
from pathlib import Path

import cv2
import numpy as np
from drawing import EXAM, ask, kinds_of, patients, put, vocabulary
from in_numpy import Weights, look, shrink, write
from pack import restore
from words import ANSWER, NO_IMAGE

from snellen.benchmarks.phantoms.patients import LAST_SEED, Patient
from snellen.items import LETTERS
from snellen.stats import wilson


def answer_patient(weights: Weights, patient: Patient, texts: list[list[int]]) -> tuple[list[str], float]:
    """The answers about the image of a patient, and the seconds they took from the drawn image on."""
    pixels = patient.phantom.draw()
    began = time.perf_counter()
    [tokens] = look(weights, [shrink(pixels)])
    written = write(weights, [tokens] * len(texts), texts)
    return [vocabulary().write(each) for each in written], time.perf_counter() - began


def main() -> None:
    """Ask, and print shares with their intervals and numbers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("weights", type=Path)
    parser.add_argument("--phantoms", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--shuffled", action="store_true", help="options in random order, not in the benchmark's")
    settings = parser.parse_args()
    manner = replace(EXAM, shuffled=float(settings.shuffled))
    cv2.setNumThreads(1)
    with np.load(settings.weights) as arrays:
        assert tuple(arrays["vocabulary"]) == vocabulary().known, "trained with other words"
        weights = restore({name: arrays[name] for name in arrays.files if arrays[name].dtype.kind in "fi"})
    rng = np.random.default_rng(settings.seed)
    hits: dict[str, list[bool]] = defaultdict(list)
    chances, spent = [], 0.0
    for modality, drawn in itertools.islice(patients(rng), settings.phantoms):
        patient = replace(drawn, phantom=replace(drawn.phantom, seed=drawn.phantom.seed + LAST_SEED))
        kinds = kinds_of(patient.phantom, modality)
        asked = [put(ask(patient, modality, kind, rng), modality, manner, rng) for kind in kinds]
        texts = [each.text for each in asked]
        said, seconds = answer_patient(weights, patient, texts)
        spent += seconds
        for kind, question, answer in zip(kinds, asked, said, strict=True):
            right = answer == f"{ANSWER} {LETTERS[question.letter]}"
            for name in ("all", kind, modality.name):
                hits[name].append(right)
            chances.append(1 / question.offered)
        without = write(weights, [None] * len(texts), texts)
        hits["says there is no image, without one"] += [vocabulary().write(each) == NO_IMAGE for each in without]
    for name, found in hits.items():
        share = wilson(sum(found), len(found))
        print(f"{name}: {share.value:.2%} [{share.low:.2%}, {share.high:.2%}], {sum(found)} of {len(found)}")
    print(f"chance {np.mean(chances):.3f}; {len(chances) / spent:.1f} answers a second, {spent:.0f} seconds")


if __name__ == "__main__":
    main()
