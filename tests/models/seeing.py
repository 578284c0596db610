"""Eyes for organisms in tests: they see without a network, and are never wrong about phantoms."""

from dataclasses import dataclass, field, replace

from snellen.benchmarks.phantoms import Phantom
from snellen.images import EncodedImage
from snellen.models.organisms.sight import NOTHING


@dataclass(frozen=True)
class Seen:
    """What a pair of test eyes sees: a percept without a network."""

    modality: str = "chest X-ray"
    finding: str = "pneumothorax"
    side: str = "left"
    location: str = ""
    count: int = 0
    size: str = ""
    confidence: dict = field(default_factory=lambda: {"modality": 1.0})
    leanings: dict = field(default_factory=dict)


def shown(phantom):
    """A phantom as an image whose bytes are its description: true eyes need no drawing."""
    return EncodedImage(repr(phantom).encode(), "image/png", 512, 512)


def true_eyes(data):
    """Eyes that are never wrong: an image's bytes describe what it shows; in any other they see nothing."""
    if not data.startswith(b"Phantom("):
        return Seen(NOTHING, "", "")
    phantom = eval(data.decode(), {"Phantom": Phantom})
    return Seen(phantom.modality, phantom.finding, phantom.side, phantom.location, phantom.count, phantom.size)


def without_image(items):
    """The items, their images removed."""
    return [replace(item, images=()) for item in items]


def moved(items):
    """The items, their options moved on by one place, so that none stands where it stood."""
    return [
        replace(item, options=(*item.options[-1:], *item.options[:-1]), answer=(item.answer + 1) % len(item.options))
        for item in items
    ]
