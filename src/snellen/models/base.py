"""Model: a request in, a Response out; what answers, and what came back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import NamedTuple

from snellen.errors import RejectedError
from snellen.images import EncodedImage
from snellen.prompts import Request, Settings


class Usage(NamedTuple):
    """Tokens as the provider counted them; None where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    image_tokens: int | None = None


UNCOUNTED = Usage()


ZERO_SHOT = "zero-shot"
"""How a reply ends that a model gave by probabilities alone: it has no words to flag or refuse anything in."""


class Receipt(NamedTuple):
    """An image as it was put on the wire."""

    sha256: str
    size: int
    media_type: str


@dataclass(frozen=True)
class Response:
    """What came back. `finish` is why it ended: stop, length, content_filter, refusal or the provider's own word."""

    text: str
    finish: str = "stop"
    reasoning: str = ""
    usage: Usage = UNCOUNTED
    latency: float = 0.0
    served_by: str = ""
    delivered: tuple[Receipt, ...] = ()


class Model(ABC):
    """Something that answers. It sees the request and nothing else: no item, no key.

    `name` is provider/model, `revision` whatever else tells this model from another of the same name.
    """

    name: str
    revision: str = ""

    @abstractmethod
    async def answer(self, request: Request) -> Response:
        """The reply; raises ModelError where there is none."""

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The names of the settings that it would refuse, and that are therefore not sent; most models take all."""
        return ()

    async def close(self) -> None:  # noqa: B027 - most models hold nothing
        """Let go of connections."""


def receipt(image: EncodedImage) -> Receipt:
    """The receipt a backend gives for an image it has sent whole."""
    return Receipt(image.sha256, len(image.data), image.media_type)


def check_delivery(request: Request, response: Response) -> None:
    """Raise where an image of the request is not on the response's receipt: it may never have been sent."""
    if not isinstance(response, Response) or not isinstance(response.text, str):
        raise TypeError(f"expected a Response with text, got {response!r}")
    if not request.images and not response.delivered:
        return
    sent = [image.sha256 for image in request.images]
    delivered = [image.sha256 for image in response.delivered]
    if sent != delivered:
        raise RejectedError(
            f"{request.model} was to be sent {len(sent)} images and its receipt lists {len(delivered)} of them. "
            "The reply is not used: an image that did not arrive must not look like one that was ignored."
        )
