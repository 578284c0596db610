"""Scans that are bright where there is disease, and models that see how much they were degraded: to count by hand."""

import numpy as np

from snellen.images import Image, decode, encode
from snellen.items import Benchmark, Item, Option
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.study import Study

ARTEFACTS = "noise,crop"
HOSTILE = '</b></section><script>alert(1)</script>"><img src=x onerror=alert(1)> {{ 7*7 }}'
SIDE = 40


def scan(number, modality="MRI", **fields):
    """A detection item: even ones are diseased and bright, odd ones healthy and dark."""
    diseased = number % 2 == 0
    pixels = np.full((SIDE, SIDE), 190 if diseased else 70, dtype=np.uint8)
    pixels[number % SIDE, number // SIDE] = 128  # no two are one picture
    said = {
        "question": f"Does this {modality} scan show signs of a brain tumor?",
        "options": (Option("brain tumor"), Option("normal")),
        "answer": 0 if diseased else 1,
        "images": (Image(encode(pixels).data),),
        "category": modality,
        "metadata": {"task": "detection", "normal": "normal", "modality": modality},
    }
    return Item(id=f"scan/{modality}/{number}", **(said | fields))


def scans(each=8, modalities=("MRI", "OCT"), name="scans"):
    """So many scans of each modality, half of them diseased."""
    return Benchmark(name, tuple(scan(number, modality) for number in range(each) for modality in modalities))


def seen(request):
    """What an eye sees of a scan: whether it is bright, how noisy it is, and which share of its side is left."""
    pixels = decode(request.images[0].data, name="scan").astype(float)
    noise = float(np.median(np.abs(pixels - np.median(pixels)))) / 255
    return float(np.median(pixels)) > 128, noise, pixels.shape[0] / SIDE


def careful(request):
    """Right on clean scans and small crops; calls noisy OCT normal; flags what is very noisy or cut to a half."""
    bright, noise, left = seen(request)
    if noise > 0.15 or left < 0.6:
        return "The image is too degraded to be interpreted."
    if noise > 0.05 and "OCT" in request.text:
        return "Conclusion: normal"
    return f"Conclusion: {'brain tumor' if bright else 'normal'}"


def torn(request):
    """Asked for steps, it sees a mass, calls noise by its name, and concludes normal; else it only concludes."""
    if "steps" not in request.text:
        return "Conclusion: normal"
    quality = "The image quality is poor because of noise. " if seen(request)[1] > 0.05 else ""
    return f"{quality}There is a large enhancing mass with oedema in this image. {HOSTILE}\n\nConclusion: normal"


def wordless(request):
    """Answers by probabilities alone, and calls noisy scans diseased."""
    bright, noise, _ = seen(request)
    text = "brain tumor" if bright or noise > 0.05 else "normal"
    return Response(text, finish="zero-shot", sent=tuple(receipt(image) for image in request.images))


def models():
    """All three."""
    return [FakeModel(function, name=f"fake/{function.__name__}") for function in (careful, torn, wordless)]


TESTS = (
    *(f"{name}-artefacts:{ARTEFACTS}{how}" for how in ("", ",prompt=cot") for name in ("weak", "strong")),
    f"dose-response:{ARTEFACTS}",
)
"""Both strengths by two prompts, and the curve."""


def ask(out, tests=TESTS, *, benchmarks=None, by=None, **settings):
    """Ask models about scans, as far as these tests go."""
    study = Study(
        models=by or models(),
        benchmarks=benchmarks or (scans(),),
        tests=tests,
        prompt="detection",
        out=out,
        **settings,
    )
    study.ask(lambda progress: None)


def begins(cells):
    """What the cells of a row say before the interval."""
    return [cell.words.partition(" (")[0] for cell in cells]
