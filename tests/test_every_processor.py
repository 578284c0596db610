"""What must be the same on every processor, to the byte: pictures, artefacts, draws and replies.

The hashes below were found on aarch64 and on x86-64, with and without fused multiplication. Where one changes because
the product was changed on purpose, put in what the failure shows; where it changes with the machine, that is a bug.
"""

import asyncio
import hashlib
import json
from dataclasses import replace

import numpy as np
import pytest

from snellen.benchmarks import load
from snellen.benchmarks.phantoms import Phantom
from snellen.benchmarks.phantoms.catalogue import MODALITIES
from snellen.benchmarks.phantoms.patients import with_finding
from snellen.conditions import Pool, condition_named, vary
from snellen.errors import Inapplicable
from snellen.images import Encoder, encode
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.perturb.arithmetic import exponential
from snellen.perturb.artefacts import ARTEFACTS, Degradation
from snellen.perturb.artefacts.noise import quantiles
from snellen.perturb.blank import Blanked, Placeholder
from snellen.prompts import PROMPTS, Settings, ask

TABLES = {"powers of e": "2d3b0cb9d69bcf3d", "quantiles": "8c7767241e266732"}
PHANTOMS = {
    "cxr": "a2e8fdc1d1d84a48",
    "mri": "cb8a2bfc152e54ca",
    "oct": "9d4b7338dfa7501c",
    "fundus": "f5ae74f93ee788bc",
}
TASKS = {
    "questions": "b06a96a400085b0a",
    "detection": "06a00cd4f650285b",
    "diagnosis": "114dd5c446ae0303",
    "report": "644bc47a7fd1cfae",
}
SENT = {"grey": "ddef604d2d0e6264", "colour": "a905470e61042345", "blank": "5c4c060c29ca0f65"}
DEGRADED = {
    "noise": "97c5ed4aed3f2f64",
    "motion": "df365370855eef9b",
    "bias-field": "a24270a653f73ea9",
    "crop": "791a5b1f0242f2e0",
    "rotation": "bb0e096d0761f96f",
    "motion-as-published": "800e5868491ea43f",
    "ghosting": "fc006c68590b8503",
    "blur": "9d4762d27dd7c797",
    "low-contrast": "8cdeb8a8e1e7c014",
    "exposure": "b555dcfcd4b7e71f",
    "jpeg": "56200f076e6d0678",
    "device": "3ea439800be36f9d",
    "burned-text": "c2a4d3b670446c15",
}
DRAWN = {
    "options-shuffled": "18ceeb4dae139fa8",
    "distractors-replaced:count=2": "15985dabe9e7de45",
    "image-substituted": "53abbbee1a6cde12",
    "degraded:motion,strength=strong": "f6c54e57290e48de",
}
REPLIES = {
    "grounded": "bee6ae150d26c1f4",
    "blind": "74a01e5adfc6f6c4",
    "mirage": "5760ce2c7f40ac56",
    "positional": "002ad92a0da3ad73",
    "refuser": "d6bd0c6be990b415",
    "random": "dbdff045f266da59",
    "memoriser": "c936d66d68914679",
    "rambler": "82b252e477e8a030",
    "longest-option": "3e20c80b91f0a386",
    "contrarian": "81083328b51e40f8",
    "flagger": "1d35eb09ee031abd",
    "pretender": "0e693feb41fc05cb",
    "reader": "b02796e751d4dc0e",
    "text-driven": "50fa552696874c7b",
    "normal-report": "180fea2ed8c2a1ee",
    "nearsighted-2": "5c9a5f88e5db86c7",
    "nearsighted-4": "b445d9f847f94151",
    "nearsighted-8": "421ee42c858bfb90",
    "prior": "76d618faf5182620",
    "tag-reader": "dec9924663e3ad4e",
}
REPORTS = {
    "grounded": "bf4a2daaa4fc7141",
    "blind": "d3945ecb65b56c17",
    "mirage": "853d9a0743f28a69",
    "positional": "5bbd477a87958cca",
    "refuser": "100c292d010413e8",
    "random": "0cdd71d6cd7a9d61",
    "memoriser": "3e8f71bb2efddd27",
    "rambler": "b6d2dbba79617f02",
    "longest-option": "1b5761b04c07c60d",
    "flagger": "ff25522731d6bee4",
    "pretender": "3510bdc2c947107f",
    "reader": "94b952855dbab999",
    "text-driven": "0a435042b3cde9dc",
    "contrarian": "654b8cfcf419d76e",
    "normal-report": "83840dfd2e84c96a",
    "nearsighted-2": "aaa9c3cb79e21d72",
    "nearsighted-4": "6dc8d46effde1b73",
    "nearsighted-8": "e43c0b8511b092a5",
    "prior": "a266230baed6d0d0",
    "tag-reader": "5ee7f2294d361091",
}


def digest(*parts):
    """The hash of arrays with their shapes, of bytes, and of what JSON holds."""
    hashed = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            hashed.update(f"{part.dtype}{part.shape}".encode())
            part = np.ascontiguousarray(part).tobytes()
        hashed.update(part if isinstance(part, bytes) else json.dumps(part, sort_keys=True).encode())
    return hashed.hexdigest()[:16]


def spot(shape, seed=0):
    """Levels of 8 bits by whole numbers alone: rings, a bright bar and grain; no side is a multiple of four."""
    rows, columns = np.indices(shape[:2])
    rings = (rows - shape[0] // 2) ** 2 + (columns - shape[1] // 3) ** 2
    picture = (rings // 9) % 180 + 40 * ((columns // 11) % 5 == 0)
    planes = picture if len(shape) == 2 else np.stack([picture, picture[::-1], 200 - picture // 2], axis=2)
    return (planes + np.random.default_rng(seed).integers(0, 16, shape)).astype(np.uint8)


def test_tables():
    """What is looked up instead of computed."""
    found = {"powers of e": exponential(np.linspace(-20, 20, 99_999, dtype=np.float32)), "quantiles": quantiles()}
    assert {name: digest(table) for name, table in found.items()} == TABLES


@pytest.mark.parametrize("modality", MODALITIES, ids=[modality.code for modality in MODALITIES])
def test_phantoms(modality):
    """Every finding of every modality, twice."""
    drawn = [
        with_finding(modality, name, np.random.default_rng(seed)).draw() for name in modality.names for seed in (1, 2)
    ]
    assert digest(*drawn) == PHANTOMS[modality.code]


def test_tasks():
    """Patients, questions, options and answers of every task."""
    found = {}
    for task in TASKS:
        items = load(f"phantoms:task={task},items=24,seed=5").items
        said = [(item.id, item.question, [each.text for each in item.options], item.answer) for item in items]
        found[task] = digest(said, [repr(item.images[0].source) for item in items])
    assert found == TASKS


def test_pictures_as_sent():
    """Bytes of the PNG file, on which the key of a request rests."""
    grey, colour = (Phantom(name, "normal", seed=3).draw() for name in ("chest X-ray", "fundus photograph"))
    blank = Placeholder("noise", seed=4).draw()
    found = {"grey": grey, "colour": colour, "blank": Blanked("noise", seed=2)(blank)}
    assert {name: digest(encode(pixels).data) for name, pixels in found.items()} == SENT


@pytest.mark.parametrize("name", ARTEFACTS)
def test_degraded_pictures(name):
    """Weak and strong, grey and coloured, alone, after noise, and spread over all levels."""
    found = []
    for severity in (0.5, 1.0):
        part = ARTEFACTS[name].draw(severity, np.random.default_rng(8), kind="MRI")
        before = ARTEFACTS["noise"].draw(0.3, np.random.default_rng(9), kind="MRI")
        found += [Degradation((part,))(spot(shape)) for shape in ((203, 187), (101, 90, 3))]
        found += [Degradation((before, part), scale)(spot((121, 75))) for scale in ("kept", "stretched")]
    assert digest(*found) == DEGRADED[name]


@pytest.mark.parametrize("label", DRAWN)
def test_draws_of_conditions(label):
    """From the seed, the condition and the item's id alone."""
    items = load("phantoms:items=48,seed=6").items
    condition, pool, found = condition_named(label), Pool(items), []
    for item in items[:24]:
        try:
            varied = vary(item, condition, seed=1, pool=pool)
        except Inapplicable as reason:
            found.append(str(reason))
        else:
            found += [varied.item.answer, [each.text for each in varied.item.options]]
            found += [image.fingerprint for image in varied.item.images]
    assert digest(found) == DRAWN[label]


@pytest.fixture(scope="module")
def requests():
    """Questions about phantoms as they are, about a spoilt one, and without an image."""
    encoded, found = Encoder(), []
    spoilt = condition_named("degraded:rotation,strength=weak")
    removed = condition_named("image-removed")
    for task, prompt in (("questions", "letter-cot"), ("diagnosis", "detection")):
        items = load(f"phantoms:task={task},items=8,seed=7").items
        for item in items:
            found.append(ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=encoded))
        for condition in (spoilt, removed):
            item = vary(items[0], condition, seed=1, pool=Pool(items)).item
            found.append(ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=encoded))
    return found


def replies(name, requests):
    """What an organism answers to requests."""
    model = open_organism(name)

    async def answered():
        return [(await model.answer(request.address_to(model.name, model.revision, 0))).text for request in requests]

    return asyncio.run(answered())


@pytest.mark.parametrize("name", ORGANISMS)
def test_replies_of_organisms(name, requests):
    """Word for word."""
    assert digest(replies(name, requests)) == REPLIES[name]


@pytest.fixture(scope="module")
def reports():
    """Reports that are asked for with an image and without, in our words and in those of the Readiness paper."""
    encoded, items = Encoder(), load("phantoms:task=report,items=8,seed=7").items
    asked = [*items, replace(items[0], images=())]
    return [
        ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=encoded)
        for prompt in ("letter", "readiness")
        for item in asked
    ]


@pytest.mark.parametrize("name", ORGANISMS)
def test_reports_of_organisms(name, reports):
    """Word for word."""
    assert digest(replies(name, reports)) == REPORTS[name]
