"""Query: a chat completion's body as the guard understands it, and the same query asked in other ways.

The body itself is never changed: it goes to the upstream byte for byte. Only the guard's own extra calls are made here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import orjson

from snellen.images import EncodedImage

LONGEST_QUESTION = 50_000
"""Characters; the words of longer ones are not compared."""
IMAGE_PARTS = ("image_url", "input_image", "image")
_ATTACHED = ("image", "video", "file", "input_file", "input_video")
"""How the type or a field of a part begins that may show something, in a form that some servers know and we do not."""
REWORDINGS = (
    "Here is an image with a question about it. Please answer the question.\n\n",
    "Consider the image and what is asked about it. Then reply.\n\n",
    "The following question is about the image.\n\n",
)
"""What is put before the words of a query to ask the same in other words."""
_NOT_REPEATED = ("stream", "stream_options", "store", "metadata", "logprobs", "top_logprobs")
"""Settings of a body that say how the reply is to be delivered or kept; an extra call has no use for them."""


@dataclass(frozen=True)
class Query:
    """What a body asks.

    `unfit` is why its replies cannot be compared, as a word of `log.REASONS`; empty where they can.
    """

    model: str
    question: str
    images: int
    unfit: str
    streams: bool
    usage_streamed: bool
    wants_json: bool
    sent: dict[str, Any] = field(repr=False, compare=False)

    def without_image(self) -> bytes:
        """The same query without its images."""
        return self._asked(_no_part)

    def about(self, stand_in: EncodedImage) -> bytes:
        """The same query about another image in the place of each of its own."""
        url = f"data:{stand_in.media_type};base64,{stand_in.base64.decode()}"
        return self._asked(lambda part: _other_image(part, url))

    def reworded(self, number: int) -> bytes:
        """The same query with its images, in other words."""
        before = REWORDINGS[number % len(REWORDINGS)]
        messages = [dict(message) for message in self.sent["messages"]]
        last = next(message for message in reversed(messages) if message["role"] == "user" and any(_texts(message)))
        if isinstance(last["content"], str):
            last["content"] = before + last["content"]
        else:
            at = next(at for at, part in enumerate(last["content"]) if part["type"] == "text")
            parts = list(last["content"])
            parts[at] = {**parts[at], "text": before + parts[at]["text"]}
            last["content"] = parts
        return self._body(messages)

    def _asked(self, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> bytes:
        messages = []
        for message in self.sent["messages"]:
            content = message["content"]
            if not isinstance(content, str):
                changed = [change(part) if part["type"] in IMAGE_PARTS else part for part in content]
                content = [part for part in changed if part is not None]
            if content:
                messages.append({**message, "content": content})
        return self._body(messages)

    def _body(self, messages: list[dict[str, Any]]) -> bytes:
        kept = {name: value for name, value in self.sent.items() if name not in _NOT_REPEATED}
        return orjson.dumps({**kept, "messages": messages})


def _no_part(part: dict[str, Any]) -> None:
    return None


def _other_image(part: dict[str, Any], url: str) -> dict[str, Any]:
    """An image part as it is, with another image in it."""
    if isinstance(part.get("image_url"), dict):
        return {**part, "image_url": {**part["image_url"], "url": url}}
    return {"type": "image_url", "image_url": {"url": url}} if part["type"] == "image" else {**part, "image_url": url}


def read_query(body: bytes) -> Query | None:
    """What a body asks; None where it is no chat completion's, which is for the upstream to say.

    >>> read_query(b'{"model": "m", "messages": [{"role": "user", "content": "Which?"}]}').question
    'Which?'
    """
    try:
        sent = orjson.loads(body)
    except orjson.JSONDecodeError:
        return None
    messages = sent.get("messages") if isinstance(sent, dict) else None
    if not isinstance(messages, list):
        return None
    understood = all(map(_is_message, messages))
    question = "\n\n".join(text for each in messages if understood and each["role"] == "user" for text in _texts(each))
    streaming, wanted = sent.get("stream_options"), sent.get("response_format")
    return Query(
        model=sent["model"] if isinstance(sent.get("model"), str) else "",
        question=question,
        images=sum(_shows(part) for message in messages for part in _parts(message)),
        unfit=_unfit(sent, messages, question) if understood else "other parts",
        streams=sent.get("stream") is True,
        usage_streamed=isinstance(streaming, dict) and streaming.get("include_usage") is True,
        wants_json=isinstance(wanted, dict) and wanted.get("type") in ("json_object", "json_schema"),
        sent=sent,
    )


def _parts(message: Any) -> list[Any]:
    content = message.get("content") if isinstance(message, dict) else None
    return content if isinstance(content, list) else []


def _is_image(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in IMAGE_PARTS


def _shows(part: Any) -> bool:
    """Whether a part may hold an image: in the usual form, in another one, or without saying what it is."""
    if not isinstance(part, dict) or _is_text(part):
        return False
    return any(str(name).startswith(_ATTACHED) for name in (part.get("type"), *part))


def _is_message(message: Any) -> bool:
    """Whether nothing in a message is strange to us: words and images in the usual form."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return False
    content = message.get("content")
    if not isinstance(content, list):
        return isinstance(content, str) or message["role"] != "user"
    return all(_is_image(part) or _is_text(part) for part in content)


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def _texts(message: dict[str, Any]) -> Iterator[str]:
    content = message["content"]
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content if part["type"] == "text")


def _unfit(sent: dict[str, Any], messages: list[dict[str, Any]], question: str) -> str:
    """Why the replies to a query cannot be compared."""
    if sent.get("n") not in (None, 1):
        return "several replies"
    if sent.get("tools") or sent.get("functions"):
        return "tools"
    if any(message["role"] not in ("system", "developer", "user") for message in messages):
        return "earlier turns"
    if not question.strip():
        return "no words"
    return "too long" if len(question) > LONGEST_QUESTION else ""
