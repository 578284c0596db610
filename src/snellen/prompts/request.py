"""Requests: everything that can change a response; their hash is the key of the response."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import orjson

from snellen.images import EncodedImage, Image
from snellen.items import Item
from snellen.prompts.prompt import Prompt
from snellen.prompts.settings import PROVIDER_DEFAULTS, Settings


class Example(NamedTuple):
    """Solved question shown before the item's own: text, images, and the correct response."""

    text: str
    images: tuple[EncodedImage, ...]
    reply: str


@dataclass(frozen=True)
class Request:
    """Everything that can change a response.

    `sample` is the item's id if the model samples: equal questions then get separate responses.
    """

    model: str
    text: str
    system: str = ""
    images: tuple[EncodedImage, ...] = ()
    settings: Settings = PROVIDER_DEFAULTS
    revision: str = ""
    replicate: int = 0
    sample: str = ""
    examples: tuple[Example, ...] = ()

    def address_to(self, model: str, revision: str, replicate: int) -> Request:
        """Return the same request for a model, revision and repeat."""
        addressed = object.__new__(Request)  # several times as fast as the constructor
        addressed.__dict__.update(self.__dict__, model=model, revision=revision, replicate=replicate)
        addressed.__dict__.pop("key", None)
        return addressed

    @property
    def every_image(self) -> tuple[EncodedImage, ...]:
        """Images of the examples, then the request's own, in the order sent."""
        if not self.examples:
            return self.images
        return (*(image for example in self.examples for image in example.images), *self.images)

    @cached_property
    def key(self) -> bytes:
        """SHA-256 of all fields; each image counts by the SHA-256 of its bytes as sent."""
        parts: tuple[object, ...] = (
            self.model,
            self.revision,
            self.system,
            self.text,
            [image.sha256 for image in self.images] if self.images else [],
            self.settings.chosen,
            self.replicate,
            self.sample,
        )
        if self.examples:
            parts += tuple([text, [each.sha256 for each in images], reply] for text, images, reply in self.examples)
        return hashlib.sha256(orjson.dumps(parts)).digest()


def ask(item: Item, *, prompt: Prompt, settings: Settings, encode: Callable[[Image], EncodedImage]) -> Request:
    """Return the item as a request without a model; `address_to` adds the model."""
    system, text = prompt.render(item)
    return Request(
        model="",
        text=text,
        system=system,
        images=tuple(map(encode, item.images)),
        settings=settings,
        sample=item.id if settings.samples else "",
    )
