"""Model: takes a request and returns a Response."""

from __future__ import annotations

import traceback
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import MISSING, dataclass, fields, replace
from math import isfinite
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from snellen.errors import ModelError, RejectedError
from snellen.images import EncodedImage
from snellen.models.client.address import host_elsewhere
from snellen.models.secrets import KnownSecrets, hide_environment
from snellen.prompts import Request, Settings

if TYPE_CHECKING:
    from snellen.models.batching import Batching


class Usage(NamedTuple):
    """Tokens as the provider counted them; None for counts that it does not report."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    image_tokens: int | None = None
    reasoning_tokens: int | None = None
    """Output tokens that were spent on reasoning before the answer."""


UNCOUNTED = Usage()
TEXTS = ("text", "finish", "reasoning", "served_by", "logprobs")
"""The fields of a response that are texts."""


ZERO_SHOT = "zero-shot"
"""`finish` of a response that a model gave only as probabilities: it has no words to flag or refuse anything."""
CUT_OFF = frozenset((
    "length", "max_tokens", "max_output_tokens", "model_length", "continuation", "model_context_window_exceeded",
))  # fmt: skip
"""Providers' words for `finish` if a response was truncated at the token limit."""
FILTERED = frozenset((
    "content_filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content", "spii", "image_safety",
    "model_armor", "jailbreak", "guardrail_intervened", "content_filtered",
))  # fmt: skip
"""Providers' words for `finish` if the provider blocked the response or the model declined."""
GUARD_WARNING = "Note: the model gives this answer without the image too. It may not rest on the image. Check it."
GUARD_BLOCKED = (
    "This answer was held back: the model gives it without the image too, so it may not rest on the image. "
    "Look at the image yourself."
)
GUARD_HELD_BACK = "This answer was held back: it could not be checked whether it rests on the image."
"""Texts that `snellen guard` writes after a response or in its place. They are not the model's words."""
FINISHED = frozenset(("stop", "end_turn", "stop_sequence", "completed"))
"""Providers' words for `finish` if the model itself ended the response."""
MOST_TOKENS = 2**32
"""The largest token count of a response that is accepted. Two billion of them add up to less than 2**63."""


def remove_guard_words(text: str) -> str:
    r"""Return the model's own words, without the texts that `snellen guard` put there.

    >>> remove_guard_words("Answer: B\n\n" + GUARD_WARNING), remove_guard_words(GUARD_BLOCKED)
    ('Answer: B', '')
    """
    if text in (GUARD_BLOCKED, GUARD_HELD_BACK):
        return ""
    return text.removesuffix(GUARD_WARNING).rstrip() if text.endswith(GUARD_WARNING) else text


class Receipt(NamedTuple):
    """Proof that an image's bytes were handed to the model or its server.

    It does not prove that they arrived, which `snellen.sight.delivery` checks, nor that the model looked at the image,
    which the tests check.
    """

    sha256: str
    size: int
    media_type: str
    rule: str = ""
    """How the pixels were made from the original's, in words; empty if they are unchanged."""
    original: tuple[int, int] | None = None
    """Width and height of the original if the image was sent in another size. Else None."""


@dataclass(frozen=True)
class Response:
    """A model's response. `finish` is why it ended: stop, length, content_filter, refusal or the provider's word.

    An empty `finish` means that it is unknown how the response ended.
    """

    text: str
    finish: str = "stop"
    reasoning: str = ""
    usage: Usage = UNCOUNTED
    latency: float = 0.0
    served_by: str = ""
    """Name of the model that answered, as its server reports it."""
    sent: tuple[Receipt, ...] = ()
    logprobs: str = ""
    """Log-probabilities of its tokens, as JSON in the provider's form; empty if there are none."""

    @property
    def is_empty(self) -> bool:
        """True if it has no text although it was neither truncated nor blocked."""
        return not self.text.strip() and self.finish.lower() not in CUT_OFF | FILTERED

    def mask_secrets(self, secrets: KnownSecrets) -> Response:
        """Return the response with keys and logins masked that the server repeats in it."""
        texts = tuple(getattr(self, name) for name in TEXTS)
        if not secrets.are_in("\n".join(texts)):
            return self
        hidden: dict[str, Any] = {name: secrets.hide(text) for name, text in zip(TEXTS, texts, strict=True)}
        return replace(self, **hidden)

    def with_receipts(self, latency: float, sent: tuple[Receipt, ...]) -> Response:
        """Return the response with its latency and the images that were sent."""
        response = object.__new__(Response)
        response.__dict__.update(self.__dict__, latency=latency, sent=sent)
        return response

    @classmethod
    def of_fields(cls, **fields: Any) -> Response:
        """Make a response from these fields, faster than the constructor, for large imports."""
        response = object.__new__(cls)
        response.__dict__.update(_DEFAULTS, **fields)
        return response


_DEFAULTS: Mapping[str, Any] = {each.name: each.default for each in fields(Response) if each.default is not MISSING}


FACTS = (
    *("name", "spec", "revision", "text_only", "largest_side", "reads_letters", "takes_examples", "address", "at"),
    *("connections", "about", "timeout", "batching"),
)
"""Names of a model's attributes that are known before it is asked."""


class Model(ABC):
    """A model that answers requests. It sees only the request: no item and no answer key.

    `name` is provider/model, `revision` identifies the version of the model.
    """

    name: str
    spec: str = ""
    """provider/model if `name` is a label chosen by the user; otherwise empty."""
    revision: str = ""
    text_only: bool = False
    """True if no image is ever sent to the model."""
    largest_side: int | None = None
    """Images with a longer side above this many pixels are scaled down by the provider. None if unknown."""
    reads_letters: bool = True
    """True if it can be expected to read large letters in an image. Otherwise it is shown no letters before a run."""
    takes_examples: bool = True
    """True if examples can be shown before its question."""
    address: str = ""
    """Address and name of its key, shown before anything is sent. Empty if it runs on this machine."""
    at: str = ""
    """The address without login or key. It is not part of a response's key in the store."""
    connections: int | None = None
    """The most requests in flight; None leaves it to the study."""
    about: Mapping[str, Any] = MappingProxyType({})
    """Settings in a study that may change its responses: a system prompt, or more fields of each request."""
    timeout: float | None = None
    """Seconds that one call may take; None for no limit."""
    batching: Batching | None = None
    """The batch API of its provider; None if it has none."""
    trouble: str = ""
    """Why no response is coming at the moment, shown during a run. Empty if there is no trouble."""

    def stand_for(self, model: Model) -> None:
        """Take name, address and other facts from another model."""
        for fact in FACTS:
            setattr(self, fact, getattr(model, fact))

    @property
    def host(self) -> str:
        """The host that requests go to; empty if they stay on this machine."""
        return host_elsewhere(self.at) if self.at else ""

    @abstractmethod
    async def answer(self, request: Request) -> Response:
        """Return the response to a request; raise ModelError on failure."""

    def as_sent(self, request: Request) -> Request:
        """Return the request as sent, since a model may add to the prompt."""
        return request

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """Return the names of requested settings that the model does not support. They are not sent."""
        return ()

    async def close(self) -> None:  # noqa: B027 - most models hold nothing
        """Close the connections."""


def receipt(image: EncodedImage) -> Receipt:
    """Return the receipt for an image that a backend has handed over completely."""
    return Receipt(image.sha256, len(image.data), image.media_type, image.rule, image.original)


def check_sent(request: Request, response: Response) -> None:
    """Raise RejectedError if the backend's receipts lack an image of the request."""
    if (problem := find_response_problem(response)) is not None:
        raise TypeError(problem)
    wanted = [image.sha256 for image in request.every_image]
    sent = [image.sha256 for image in response.sent]
    if wanted != sent:
        raise RejectedError(
            f"{request.model}: expected its backend to send {len(wanted)} images, but it reports {len(sent)}. The "
            "response is not used: it does not show if the model ignores images."
        )


def find_response_problem(response: object) -> str | None:
    """Return the reason why a response cannot be stored; None if it can."""
    if not isinstance(response, Response):
        return f"expected a Response, got {type(response).__name__}"
    for name in TEXTS:
        if not isinstance(value := getattr(response, name), str):
            return f"expected a Response whose {name} is a text, got {type(value).__name__}"
    usage: object = response.usage
    for tokens in usage if isinstance(usage, Usage) else (-1,):
        if tokens is not None and (type(tokens) is not int or not 0 <= tokens <= MOST_TOKENS):
            return f"expected a Response whose usage counts tokens, got {usage!r}"
    if not isinstance(response.latency, int | float) or not isfinite(response.latency):
        return f"expected a Response whose latency is a number of seconds, got {response.latency!r}"
    return None


def bug(model: Model, error: BaseException) -> ModelError:
    """Turn a model's unexpected exception into a ModelError that says where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    said = hide_environment(repr(error))
    return ModelError(f"The model {model.name} has a bug: {said} ({Path(where.filename).name}, line {where.lineno})")
