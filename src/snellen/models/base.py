"""Model: a request in, a Response out; what answers, and what came back."""

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
    """Tokens as the provider counted them; None where it does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    image_tokens: int | None = None
    reasoning_tokens: int | None = None
    """Those of the output that were spent on reasoning before the answer."""


UNCOUNTED = Usage()
TEXTS = ("text", "finish", "reasoning", "served_by", "logprobs")
"""The fields of a response that are texts."""


ZERO_SHOT = "zero-shot"
"""How a response ends that a model gave by probabilities alone: it has no words to flag or refuse anything in."""
CUT_OFF = frozenset(
    (
        *("length", "max_tokens", "max_output_tokens", "model_length", "continuation"),
        "model_context_window_exceeded",
    )
)
"""How responses end, in providers' own words, that were cut off at the token limit."""
FILTERED = frozenset(
    (
        *("content_filter", "safety", "refusal", "recitation", "blocklist", "prohibited_content"),
        *("spii", "image_safety", "model_armor", "jailbreak"),
        *("guardrail_intervened", "content_filtered"),
    )
)
"""How responses end that the provider held back or the model declined."""
GUARD_WARNING = "Note: the model gives this answer without the image too. It may not rest on the image. Check it."
GUARD_BLOCKED = (
    "This answer was held back: the model gives it without the image too, so it may not rest on the image. "
    "Look at the image yourself."
)
GUARD_HELD_BACK = "This answer was held back: it could not be checked whether it rests on the image."
"""What `snellen guard` writes after a response or in its place: its own words, and none of the model's."""
FINISHED = frozenset(("stop", "end_turn", "stop_sequence", "completed"))
"""How responses end, in providers' own words, that the model itself ended."""
MOST_TOKENS = 2**32
"""The largest count of one response that is believed; two billion of them add up to less than 2**63."""


def remove_guard_words(text: str) -> str:
    r"""The model's own words, without those that `snellen guard` put behind them or in their place.

    >>> remove_guard_words("Answer: B\n\n" + GUARD_WARNING), remove_guard_words(GUARD_BLOCKED)
    ('Answer: B', '')
    """
    if text in (GUARD_BLOCKED, GUARD_HELD_BACK):
        return ""
    return text.removesuffix(GUARD_WARNING).rstrip() if text.endswith(GUARD_WARNING) else text


class Receipt(NamedTuple):
    """An image as we sent it: these bytes were handed to the model, or to its server.

    It does not prove that they arrived, which `snellen.sight.delivery` looks for, nor that the model looked at them,
    which the tests ask.
    """

    sha256: str
    size: int
    media_type: str
    rule: str = ""
    """How its pixels were made from those of the original, in words; empty where none were changed."""
    original: tuple[int, int] | None = None
    """Width and height of the original, where it is sent in another size."""


@dataclass(frozen=True)
class Response:
    """What came back. `finish` is why it ended: stop, length, content_filter, refusal or the provider's own word.

    An empty `finish` means that nobody knows how the response ended.
    """

    text: str
    finish: str = "stop"
    reasoning: str = ""
    usage: Usage = UNCOUNTED
    latency: float = 0.0
    served_by: str = ""
    """The model that answered, as its server names it."""
    sent: tuple[Receipt, ...] = ()
    logprobs: str = ""
    """The log-probabilities of its tokens, as JSON in the provider's own form; empty where none came."""

    @property
    def is_empty(self) -> bool:
        """Whether it says nothing though it was neither cut off nor held back."""
        return not self.text.strip() and self.finish.lower() not in CUT_OFF | FILTERED

    def without(self, secrets: KnownSecrets) -> Response:
        """The same with keys and logins masked that the server repeats in it."""
        texts = (self.text, self.finish, self.reasoning, self.served_by, self.logprobs)
        if not secrets.are_in("\n".join(texts)):
            return self
        hidden: dict[str, Any] = {name: secrets.hide(text) for name, text in zip(TEXTS, texts, strict=True)}
        return replace(self, **hidden)

    def with_receipts(self, latency: float, sent: tuple[Receipt, ...]) -> Response:
        """The same with how long it took and what was sent."""
        response = object.__new__(Response)
        response.__dict__.update(self.__dict__, latency=latency, sent=sent)
        return response

    @classmethod
    def of_fields(cls, **fields: Any) -> Response:
        """The response with these fields, several times as fast as by its own constructor: imports make 100,000."""
        response = object.__new__(cls)
        response.__dict__.update(_DEFAULTS, **fields)
        return response


_DEFAULTS: Mapping[str, Any] = {each.name: each.default for each in fields(Response) if each.default is not MISSING}


FACTS = (
    *("name", "spec", "revision", "text_only", "largest_side", "reads_letters", "takes_examples", "address", "at"),
    *("connections", "about", "timeout", "batching"),
)
"""What is known of a model before it is asked."""


class Model(ABC):
    """Something that answers. It sees the request and nothing else: no item, no key.

    `name` is provider/model, `revision` whatever else tells this model from another of the same name.
    """

    name: str
    spec: str = ""
    """provider/model, where the name is a label; empty where it is the name."""
    revision: str = ""
    text_only: bool = False
    """Whether it takes words alone; no image is ever sent to it."""
    largest_side: int | None = None
    """Pixels on the longer side beyond which its provider scales an image down itself; None where nobody says."""
    reads_letters: bool = True
    """Whether it can be expected to read large letters in an image; one that cannot is asked no chart before a run."""
    takes_examples: bool = True
    """Whether it can be shown worked examples before its question."""
    address: str = ""
    """Where it is asked and by which key, to be shown before anything is sent; empty where nothing leaves here."""
    at: str = ""
    """The address alone, without login or key; no part of what a response is known by."""
    connections: int | None = None
    """Requests in flight at most; None leaves it to the study."""
    about: Mapping[str, Any] = MappingProxyType({})
    """What a study says of it that may change its responses: its system prompt, more fields of each request."""
    timeout: float | None = None
    """Seconds one call may take; None where the model waits for nobody."""
    batching: Batching | None = None
    """The batch API of its provider, where it has one."""
    trouble: str = ""
    """Why no response comes just now and what is waited for, shown during a run; empty while all is well."""

    def stand_for(self, model: Model) -> None:
        """Be known as another model is: by the same name, asked at the same place."""
        for fact in FACTS:
            setattr(self, fact, getattr(model, fact))

    @property
    def host(self) -> str:
        """The machine that requests go to; empty where none leaves this one."""
        return host_elsewhere(self.at) if self.at else ""

    @abstractmethod
    async def answer(self, request: Request) -> Response:
        """The response; raises ModelError where there is none."""

    def as_sent(self, request: Request) -> Request:
        """The request as it goes out: a model may be told more than the prompt says."""
        return request

    def untaken(self, settings: Settings) -> tuple[str, ...]:
        """The names of the settings that it would refuse, and that are therefore not sent; most models take all."""
        return ()

    async def close(self) -> None:  # noqa: B027 - most models hold nothing
        """Let go of connections."""


def receipt(image: EncodedImage) -> Receipt:
    """The receipt that a backend gives for an image that it has handed over whole."""
    return Receipt(image.sha256, len(image.data), image.media_type, image.rule, image.original)


def check_sent(request: Request, response: Response) -> None:
    """Raise where an image of the request is not among those that the backend says it sent."""
    if (problem := find_response_problem(response)) is not None:
        raise TypeError(problem)
    wanted = [image.sha256 for image in request.every_image]
    sent = [image.sha256 for image in response.sent]
    if wanted != sent:
        raise RejectedError(
            f"{request.model} was to be sent {len(wanted)} images and its backend says that it sent {len(sent)} of "
            "them. The response is not used: an image that was not sent must not look like one that was ignored."
        )


def find_response_problem(response: object) -> str | None:
    """What keeps a response from being stored; None where nothing does."""
    if not isinstance(response, Response):
        return f"expected a Response, got {type(response).__name__}"
    texts: tuple[object, ...] = (
        *(response.text, response.finish, response.reasoning, response.served_by, response.logprobs),
    )
    for value in texts:
        if not isinstance(value, str):
            name = next(name for name in TEXTS if getattr(response, name) is value)
            return f"expected a Response whose {name} is a text, got {type(value).__name__}"
    usage: object = response.usage
    for tokens in usage if isinstance(usage, Usage) else (-1,):
        if tokens is not None and (type(tokens) is not int or not 0 <= tokens <= MOST_TOKENS):
            return f"expected a Response whose usage counts tokens, got {usage!r}"
    if not isinstance(response.latency, int | float) or not isfinite(response.latency):
        return f"expected a Response whose latency is a number of seconds, got {response.latency!r}"
    return None


def bug(model: Model, error: BaseException) -> ModelError:
    """What a model raised that is no word of a model's, told with the place where it was raised."""
    where = traceback.extract_tb(error.__traceback__)[-1]
    said = hide_environment(repr(error))
    return ModelError(f"The model {model.name} has a bug: {said} ({Path(where.filename).name}, line {where.lineno})")
