"""Shared images: images that test items share with training items or other patients."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from snellen.items import Item
from snellen.runtime import counted
from snellen.stats import wilson
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.finding import Checked, Finding, Flagged, Number, Severity
from snellen.tools.audit.looks import Likeness, Look, find_alike

NAME = "shared-images"
_FIX_SPLIT = (
    "Split by patient, so that no image is in both parts, or say with every score that test images were trained on."
)
_FIX_PATIENTS = "Find out whose image it is and give one patient's items one `cluster`, or drop the wrong item."
_NOTE = (
    "Images look the same where their perceptual hashes differ in at most 28 of 143 bits, their details correlate at "
    "0.93 or more and their fine details at 0.92 or more. None of 53,628 pairs of different radiology images does "
    "(research/audit_images)."
)
_CLOSE = (
    "Images of {n} (look-alikes.txt) come near an image of training or of another patient, but not so near that "
    "different images of one kind could not: they may be changed copies. Compare them by eye."
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
    seen = sum(bool(item.images) for item in audited.items)
    if not tests:
        return Checked(NAME, 0, cannot=("No test item has an image that can be read, so none can be compared.",))
    cannot = (
        []
        if audited.training
        else [
            "There are no training items: no item names its split, and no training benchmark was given. Whether models "
            "may have seen the test images in training cannot be said."
        ]
    )
    findings: list[Finding] = []
    numbers: list[Number] = []
    of_training: list[ImagePair] = []
    if training:
        same = [key for key in tests if key in training]
        numbers.append(
            Number(
                "test_images_in_training", "test images that training items show", wilson(len(same), len(tests)), 0.0
            )
        )
        findings.extend(_in_training(same, tests, training))
        of_training = _pairs_with_training(tests, training)
        findings.extend(_like_training(tests, training, of_training))
    elif audited.training:
        cannot.append("No training item has an image that can be read, so none can be compared with the test images.")
    findings.extend(_patients_in_training(audited))
    pictures = _pictures((*audited.items, *audited.training), audited)
    of_patients = _pairs_of_patients(pictures)
    findings.extend(_across_patients(pictures, of_patients))
    close = [tests[each.one] for each in of_training if not each.likeness.same]
    close += [pictures[key] for each in of_patients if not each.likeness.same for key in (each.one, each.other)]
    ids = _distinct(item for picture in close for item in picture.items)
    notes = (_NOTE, _CLOSE.format(n=counted(len(ids), "item"))) if ids else (_NOTE,)
    lists = {"look-alikes": tuple(ids)} if ids else {}
    return Checked(NAME, seen, tuple(findings), tuple(numbers), tuple(cannot), notes, lists=lists)


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
    same: Sequence[str], tests: Mapping[str, SharedImage], training: Mapping[str, SharedImage]
) -> Iterator[Finding]:
    if not same:
        return
    asked = _distinct(item for key in same for item in tests[key].items)
    of = len(_distinct(item for picture in tests.values() for item in picture.items))
    share = wilson(len(same), len(tests))
    yield Finding(
        NAME,
        Severity.HIGH,
        f"{len(same):,} of {len(tests):,} test images ({share.value:.1%}) are also images of training items, pixel for "
        f"pixel; {len(asked):,} of {of:,} test items with images show one. In a benchmark split by patient there is "
        "none.",
        _FIX_SPLIT,
        _flag_items(same, tests, lambda key: (training[key].items, "Its image is also shown by {training}.", 1.0)),
    )


def _pairs_with_training(tests: Mapping[str, SharedImage], training: Mapping[str, SharedImage]) -> list[ImagePair]:
    """Pair test images with training images that are similar but not identical."""
    left = [key for key in tests if key not in training]
    known = list(training)
    found = find_alike([tests[key].look for key in left], [training[key].look for key in known])
    return [ImagePair(left[one], known[other], likeness) for one, other, likeness in found]


def _like_training(
    tests: Mapping[str, SharedImage], training: Mapping[str, SharedImage], pairs: Sequence[ImagePair]
) -> Iterator[Finding]:
    best: dict[str, tuple[str, Likeness]] = {}
    for one, other, likeness in pairs:
        if likeness.same and (one not in best or best[one][1].bits > likeness.bits):
            best[one] = (other, likeness)
    if not best:
        return

    def evidence(key: str) -> tuple[tuple[Item, ...], str, float]:
        other, likeness = best[key]
        return (
            training[other].items,
            f"Its image looks the same as one of {{training}} ({_format_likeness(likeness)}).",
            likeness.correlation,
        )

    yield Finding(
        NAME,
        Severity.HIGH,
        f"{len(best):,} of {len(tests):,} test images look the same as an image of training items, though their pixels "
        "differ: resized, compressed, cropped, mirrored or changed in brightness.",
        "Compare them by eye. " + _FIX_SPLIT,
        _flag_items(list(best), tests, evidence),
    )


def _patients_in_training(audited: Audited) -> Iterator[Finding]:
    """Find patients with both test and training items, by the names that both give."""
    tested, trained = _patients(audited.items), _patients(audited.training)
    both = tested & trained
    if not both:
        return
    flagged = tuple(
        Flagged(item.id, "Training items are of the same patient, by the name that both give.")
        for item in audited.items
        if item.cluster in both
    )
    yield Finding(
        NAME,
        Severity.MEDIUM,
        f"{len(both):,} of {len(tested):,} patients of the test items also have training items, by their names; "
        f"{len(flagged):,} of {len(audited.items):,} test items belong to such a patient.",
        "Split by patient. If each file numbers its patients anew, this means nothing: give each its own name.",
        flagged,
    )


def _pairs_of_patients(pictures: Mapping[str, SharedImage]) -> list[ImagePair]:
    """Pair the similar images of different patients."""
    keys = list(pictures)
    found = []
    for one, other, likeness in find_alike([pictures[key].look for key in keys]):
        first, second = _patients(pictures[keys[one]].items), _patients(pictures[keys[other]].items)
        if first and second and first.isdisjoint(second):
            found.append(ImagePair(keys[one], keys[other], likeness))
    return found


def _across_patients(pictures: Mapping[str, SharedImage], pairs: Sequence[ImagePair]) -> Iterator[Finding]:
    """Find images that several patients share, whether identical or similar."""
    shared = [key for key, picture in pictures.items() if len(_patients(picture.items)) > 1]
    if shared:
        patients = {name for key in shared for name in _patients(pictures[key].items)}
        yield Finding(
            NAME,
            Severity.MEDIUM,
            f"{len(shared):,} of {len(pictures):,} images are given to several patients ({len(patients):,} in all), "
            "pixel for pixel.",
            _FIX_PATIENTS,
            _flag_items(
                shared,
                pictures,
                lambda key: (pictures[key].items, "{items} show its image, under several patients.", 1.0),
            ),
        )
    best: dict[str, tuple[str, Likeness]] = {}
    for one, other, likeness in pairs:
        if likeness.same:
            best.setdefault(one, (other, likeness))
            best.setdefault(other, (one, likeness))
    if not best:
        return

    def evidence(key: str) -> tuple[tuple[Item, ...], str, float]:
        other, likeness = best[key]
        told = f"Its image looks the same as one of {{items}} of another patient ({_format_likeness(likeness)})."
        return pictures[other].items, told, likeness.correlation

    yield Finding(
        NAME,
        Severity.MEDIUM,
        f"{len(best):,} of {len(pictures):,} images look the same as an image of another patient, though their pixels "
        "differ.",
        "Compare them by eye. " + _FIX_PATIENTS,
        _flag_items(list(best), pictures, evidence),
    )


def _flag_items(
    keys: Sequence[str],
    pictures: Mapping[str, SharedImage],
    evidence: Callable[[str], tuple[tuple[Item, ...], str, float]],
) -> tuple[Flagged, ...]:
    """Flag every item that shows one of these images, once, with its evidence."""
    found: dict[str, Flagged] = {}
    for key in keys:
        others, told, score = evidence(key)
        for item in pictures[key].items:
            ids = tuple(dict.fromkeys(each.id for each in others if each is not item))
            said = told.format(items=counted(len(others), "item"), training=counted(len(others), "training item"))
            found.setdefault(item.id, Flagged(item.id, said, "", ids, score))
    return tuple(found.values())


def _patients(items: Iterable[Item]) -> frozenset[str]:
    return frozenset(item.cluster for item in items if item.cluster)


def _distinct(items: Iterable[Item]) -> dict[str, Item]:
    return {item.id: item for item in items}


def _format_likeness(likeness: Likeness) -> str:
    return f"{likeness.bits} of 143 bits of the hash differ, correlation {likeness.correlation:.2f}"


CHECK = Check(NAME, "Are images of the test items also in training, or given to several patients?", look)
