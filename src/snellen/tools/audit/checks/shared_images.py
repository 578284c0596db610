"""Shared images: images that test items share with training items or other patients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.items import Item
from snellen.runtime import counted
from snellen.stats import wilson
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity, list_finding
from snellen.tools.audit.looks import Likeness, Look, find_alike

NAME = "shared-images"
_FIX_SPLIT = (
    "Split by patient, so that no image is in both parts, or say with every score that test images were trained on."
)
_FIX_PATIENTS = "Find out whose image it is and give one patient's items one `cluster`, or drop the wrong item."
_NOTE = (
    "Two images count as the same if their perceptual hashes differ in at most 28 of 143 bits, their details correlate "
    "at 0.93 or more and their fine details at 0.92 or more. None of 53,628 pairs of different radiology images "
    "reached this (research/audit_images)."
)
_CLOSE = (
    "Images of {n} (look-alikes.txt) resemble a training image or another patient's image. They may be changed "
    "copies, or different images of one kind. Compare them by eye."
)


class SharedImage(NamedTuple):
    """A distinct image: its look, and the items that show it."""

    look: Look
    items: tuple[Item, ...]


class ImagePair(NamedTuple):
    """Two images that may be the same, each named by the digest of its pixels."""

    one: str
    other: str
    likeness: Likeness


def look(audited: Audited) -> Checked:
    """Find images that test items share with training items, and that patients share."""
    tests, training = _pictures(audited.items, audited), _pictures(audited.training, audited)
    if not tests:
        return Checked(NAME, 0, cannot=("No test item has an image that can be read, so none can be compared.",))
    cannot: tuple[str, ...] = ()
    if not audited.training:
        cannot = (
            "There are no training items: no item names its split, and no training benchmark was given. It is unknown "
            "if test images were also in training.",
        )
    elif not training:
        cannot = ("No training item has an image that can be read, so none can be compared with the test images.",)
    findings: list[Finding] = []
    numbers: list[Number] = []
    of_training: list[ImagePair] = []
    if training:
        share = wilson(sum(key in training for key in tests), len(tests))
        numbers.append(Number("test_images_in_training", "test images that training items show", share, 0.0))
        of_training = list(_pair_images({key: tests[key] for key in tests if key not in training}, training))
        findings.extend(_in_training(tests, training, of_training))
    findings.extend(_patients_in_training(audited))
    pictures = _pictures((*audited.items, *audited.training), audited)
    of_patients = [each for each in _pair_images(pictures) if _of_other_patients(each, pictures)]
    findings.extend(_across_patients(pictures, of_patients))
    close = [tests[each.one] for each in of_training if not each.likeness.same]
    close += [pictures[key] for each in of_patients if not each.likeness.same for key in (each.one, each.other)]
    ids = _distinct(item for picture in close for item in picture.items)
    notes = (_NOTE, _CLOSE.format(n=counted(len(ids), "item"))) if ids else (_NOTE,)
    lists = {"look-alikes": tuple(ids)} if ids else {}
    seen = sum(bool(item.images) for item in audited.items)
    return Checked(NAME, seen, tuple(findings), tuple(numbers), cannot, notes, lists=lists)


def _pictures(items: Iterable[Item], audited: Audited) -> dict[str, SharedImage]:
    """Collect the distinct images of items by the digest of their pixels, without blank images."""
    looks: dict[str, Look] = {}
    shown: dict[str, dict[str, Item]] = defaultdict(dict)
    for item in items:
        for image in item.images:
            found = audited.look_of(image)
            if isinstance(found, Look) and not found.blank:
                looks.setdefault(found.pixels, found)
                shown[found.pixels][item.id] = item
    return {key: SharedImage(looks[key], tuple(shown[key].values())) for key in looks}


def _in_training(
    tests: Mapping[str, SharedImage], training: Mapping[str, SharedImage], pairs: Sequence[ImagePair]
) -> Iterator[Finding]:
    """Find test images that are also in training, whether identical or similar."""
    same, all_tests = [key for key in tests if key in training], len(tests)
    flagged = _flag_items((tests[key], training[key], "Its image is also shown by {training}.", 1.0) for key in same)
    of = len(_distinct(item for picture in tests.values() for item in picture.items))
    sentence = (
        f"{len(same):,} of {all_tests:,} test images ({len(same) / all_tests:.1%}) are also images of training items, "
        f"pixel for pixel; {len(flagged):,} of {of:,} test items with images show one. In a benchmark split by "
        "patient there is none."
    )
    yield from list_finding(NAME, Severity.HIGH, sentence, _FIX_SPLIT, flagged)
    nearest: dict[str, ImagePair] = {}
    for pair in pairs:
        if pair.likeness.same and (pair.one not in nearest or nearest[pair.one].likeness.bits > pair.likeness.bits):
            nearest[pair.one] = pair
    flagged = _flag_copies(nearest.values(), tests, training, "Its image looks the same as one of {training}")
    sentence = (
        f"{len(nearest):,} of {all_tests:,} test images look the same as an image of training items, though their "
        "pixels differ: resized, compressed, cropped, mirrored or changed in brightness."
    )
    yield from list_finding(NAME, Severity.HIGH, sentence, f"Compare them by eye. {_FIX_SPLIT}", flagged)


def _pair_images(
    images: Mapping[str, SharedImage], others: Mapping[str, SharedImage] | None = None
) -> Iterator[ImagePair]:
    """Pair the similar images of one set or two."""
    keys, known = list(images), list(images if others is None else others)
    against = None if others is None else [each.look for each in others.values()]
    for one, other, likeness in find_alike([each.look for each in images.values()], against):
        yield ImagePair(keys[one], known[other], likeness)


def _of_other_patients(pair: ImagePair, pictures: Mapping[str, SharedImage]) -> bool:
    first, second = _patients(pictures[pair.one].items), _patients(pictures[pair.other].items)
    return bool(first and second) and first.isdisjoint(second)


def _patients_in_training(audited: Audited) -> tuple[Finding, ...]:
    """Find patients with both test and training items, by the names that both give."""
    tested, both = _patients(audited.items), _patients(audited.items) & _patients(audited.training)
    evidence = "Training items give the same patient name."
    flagged = [Flagged(item.id, evidence) for item in audited.items if item.cluster in both]
    sentence = (
        f"{len(both):,} of {len(tested):,} patients of the test items also have training items, by their names; "
        f"{len(flagged):,} of {len(audited.items):,} test items belong to such a patient."
    )
    fix = "Split by patient. If each file numbers its patients anew, this means nothing: give each its own name."
    return list_finding(NAME, Severity.MEDIUM, sentence, fix, flagged)


def _across_patients(pictures: Mapping[str, SharedImage], pairs: Sequence[ImagePair]) -> Iterator[Finding]:
    """Find images that several patients share, whether identical or similar."""
    shared = [picture for picture in pictures.values() if len(_patients(picture.items)) > 1]
    patients = {name for picture in shared for name in _patients(picture.items)}
    flagged = _flag_items((each, each, "{items} show its image, under several patients.", 1.0) for each in shared)
    sentence = (
        f"{len(shared):,} of {len(pictures):,} images are given to several patients ({len(patients):,} in all), pixel "
        "for pixel."
    )
    yield from list_finding(NAME, Severity.MEDIUM, sentence, _FIX_PATIENTS, flagged)
    copies: dict[str, ImagePair] = {}
    for pair in pairs:
        if pair.likeness.same:
            copies.setdefault(pair.one, pair)
            copies.setdefault(pair.other, pair._replace(one=pair.other, other=pair.one))
    alike = "Its image looks the same as one of {items} of another patient"
    flagged = _flag_copies(copies.values(), pictures, pictures, alike)
    sentence = (
        f"{len(copies):,} of {len(pictures):,} images look the same as an image of another patient, though their "
        "pixels differ."
    )
    yield from list_finding(NAME, Severity.MEDIUM, sentence, f"Compare them by eye. {_FIX_PATIENTS}", flagged)


def _flag_copies(
    pairs: Iterable[ImagePair], shown: Mapping[str, SharedImage], others: Mapping[str, SharedImage], alike: str
) -> tuple[Flagged, ...]:
    found = []
    for one, other, likeness in pairs:
        how = f"{likeness.bits} of 143 bits of the hash differ, correlation {likeness.correlation:.2f}"
        found.append((shown[one], others[other], f"{alike} ({how}).", likeness.correlation))
    return _flag_items(found)


def _flag_items(shared: Iterable[tuple[SharedImage, SharedImage, str, float]]) -> tuple[Flagged, ...]:
    """Flag each item of the first images once. The flag has the other image's items, evidence and score."""
    found: dict[str, Flagged] = {}
    for picture, other, evidence, score in shared:
        said = evidence.format(
            items=counted(len(other.items), "item"), training=counted(len(other.items), "training item")
        )
        for item in picture.items:
            ids = tuple(dict.fromkeys(each.id for each in other.items if each is not item))
            found.setdefault(item.id, Flagged(item.id, said, "", ids, score))
    return tuple(found.values())


def _patients(items: Iterable[Item]) -> frozenset[str]:
    return frozenset(item.cluster for item in items if item.cluster)


def _distinct(items: Iterable[Item]) -> dict[str, Item]:
    return {item.id: item for item in items}


CHECK = Check(NAME, "Are images of the test items also in training, or given to several patients?", look)
