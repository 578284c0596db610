"""The body of a chat completion, and the bodies of the guard's extra calls.

The original body is forwarded to the upstream unchanged, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Set
from dataclasses import dataclass, field
from typing import Any

import orjson

from snellen.images import EncodedImage
from snellen.listening import parse_body

LONGEST_QUESTION = 50_000
"""Maximum characters of a question whose responses are compared."""
IMAGE_PARTS = ("image_url", "input_image", "image")
_SOUNDS = ("input_audio", "audio_url")
_WORDS = ("text", "refusal")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_MESSAGE_FIELDS = frozenset((
    "role", "content", "name", "tool_calls", "tool_call_id", "function_call", "refusal", "audio", "annotations",
    "reasoning", "reasoning_content", "prefix", "partial",
))  # fmt: skip
_BODY_FIELDS = frozenset((
    "model", "messages", "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
    "max_completion_tokens", "max_tokens", "metadata", "modalities", "n", "parallel_tool_calls", "prediction",
    "presence_penalty", "prompt_cache_key", "reasoning", "reasoning_effort", "response_format", "safety_identifier",
    "seed", "service_tier", "stop", "store", "stream", "stream_options", "temperature", "thinking", "tool_choice",
    "tools", "top_logprobs", "top_p", "user", "verbosity", "web_search_options", "bad_words", "chat_template",
    "chat_template_kwargs", "documents", "ebnf", "fallbacks", "format", "grammar", "guided_choice",
    "guided_decoding_backend", "guided_grammar", "guided_json", "guided_regex", "json_schema", "keep_alive",
    "lora_path", "media_io_kwargs", "mm_processor_kwargs", "models", "options", "provider", "regex", "request_id",
    "samplers", "stop_token_ids", "structured_outputs", "transforms", "usage", "vllm_xargs",
))  # fmt: skip
"""Known fields of a request body, of OpenAI and of common servers, that cannot hold an image."""
_MARKS = ("data:image/", "data:video/", "data:application/", "<img ", "<img\n", "<img/", "<img>")
_LONGEST_SCANNED = 1_000_000
"""Maximum characters of text searched for an image; a longer body counts as holding one."""
_BASE64 = re.compile(r"(?<![\w+/-])[\w+/-]{60,}+(?:\s{1,2}[\w+/-]{60,}+)*+", re.ASCII)
_LONGEST_WORD = 1000
"""Minimum characters of a base64 text (in lines of 60 or more) that may be an image."""
REWORDINGS = (
    "Here is an image with a question about it. Please answer the question.\n\n",
    "Consider the image and what is asked about it. Then reply.\n\n",
    "The following question is about the image.\n\n",
)
"""Sentences put before a query's text to reword it."""
_NOT_REPEATED = ("stream", "stream_options", "store", "metadata", "logprobs", "top_logprobs")
"""Fields that concern only the delivery of the response; the extra calls leave them out."""


@dataclass(frozen=True)
class Query:
    """A chat completion query, as read from its body.

    `images` also counts unknown fields that may hold an image. `unfit` is the reason why its responses cannot be
    compared, as a word of `log.REASONS`; empty if they can.
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
        """Return the body of the same query without its images."""
        return self._change_images(lambda part: None)

    def with_image(self, stand_in: EncodedImage) -> bytes:
        """Return the body of the same query with another image in place of each."""
        url = f"data:{stand_in.media_type};base64,{stand_in.base64.decode()}"
        return self._change_images(lambda part: _other_image(part, url))

    def reword(self, number: int) -> bytes:
        """Return the body of the same query, images included, in other words."""
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

    def _change_images(self, change: Callable[[dict[str, Any]], dict[str, Any] | None]) -> bytes:
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


def _other_image(part: dict[str, Any], url: str) -> dict[str, Any]:
    """Copy an image part, with another image's URL."""
    if isinstance(part.get("image_url"), dict):
        return {**part, "image_url": {**part["image_url"], "url": url}}
    return {"type": "image_url", "image_url": {"url": url}} if part["type"] == "image" else {**part, "image_url": url}


def read_query(body: bytes) -> Query | None:
    """Read the body of a chat completion; None if invalid or ambiguous.

    >>> read_query(b'{"model": "m", "messages": [{"role": "user", "content": "Which?"}]}').question
    'Which?'
    """
    try:
        sent = parse_body(body)
        json.loads(body, object_pairs_hook=_check_pairs)
    except (ValueError, RecursionError):
        return None
    messages = sent.get("messages") if isinstance(sent, dict) else None
    if not isinstance(messages, list):
        return None
    parts = [part for message in messages for part in _parts(message)]
    shown = sum(map(_is_image, parts))
    values = [*_iter_values(sent, {id(part) for part in parts if _is_image(part) or _is_sound(part)})]
    strange = sum(_count_strange(sent, messages)) + sum(map(_is_image, values))
    in_words = _embed_image([value for value in values if isinstance(value, str)])
    understood = not strange and all(map(_is_message, messages))
    question = "\n\n".join(text for each in messages if understood and each["role"] == "user" for text in _texts(each))
    streaming, wanted = sent.get("stream_options"), sent.get("response_format")
    unfit = _unfit(sent, messages, question) if understood else "other parts"
    return Query(
        model=sent["model"] if isinstance(sent.get("model"), str) else "",
        question=question,
        images=shown + max(strange, in_words),
        unfit="image in the text" if in_words and understood else unfit,
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


def _check_pairs(pairs: list[tuple[str, Any]]) -> None:
    """Raise ValueError if a field occurs twice, since servers differ in which one they use."""
    if len({name for name, _ in pairs}) != len(pairs):
        raise ValueError("a field stands twice")


def _count_strange(sent: dict[str, Any], messages: list[Any]) -> Iterator[int]:
    """Count unknown fields and parts, which might show an image to some servers."""
    yield _count_unknown(sent, _BODY_FIELDS)
    tools = sent.get("tools") or []
    for tool in tools if isinstance(tools, list) else [tools]:
        yield int(not isinstance(tool, dict) or tool.get("type") not in ("function", "custom"))
    for message in messages:
        if not isinstance(message, dict):
            yield 1
            continue
        content = message.get("content")
        yield _count_unknown(message, _MESSAGE_FIELDS) + (message.get("role") not in _ROLES)
        yield int(not isinstance(content, str | list | None))
        yield sum(not (isinstance(part, str) or _is_image(part) or _is_bare(part)) for part in _parts(message))


def _count_unknown(fields: dict[str, Any], known: Set[str]) -> int:
    """Count unknown fields with a value that is not empty, a number or a boolean."""
    unknown = [value for name, value in fields.items() if name not in known]
    return sum(bool(value) and not isinstance(value, int | float) for value in unknown)


def _is_bare(part: Any) -> bool:
    """Return whether a part holds only text or sound, without unknown fields."""
    kind = part.get("type") if isinstance(part, dict) else None
    if not _is_sound(part) and not (kind in _WORDS and isinstance(part.get(kind), str)):
        return False
    return not _count_unknown(part, {"type", str(kind), "cache_control"})


def _is_sound(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") in _SOUNDS


def _iter_values(sent: Any, left_out: set[int]) -> Iterator[Any]:
    """Yield all values in a body, except inside the objects whose ids are in `left_out`."""
    left = [sent]
    while left:
        value = left.pop()
        if id(value) in left_out:
            continue
        yield value
        if isinstance(value, list):
            left += value
        elif isinstance(value, dict):
            left += [*value, *value.values()]


def _embed_image(texts: list[str]) -> bool:
    """Return whether texts contain an image or an image link, which some servers load.

    >>> _embed_image(["Look: ![scan](https://example.org/a.png)"]), _embed_image(["The image shows a mass."])
    (True, False)
    """
    if sum(map(len, texts)) > _LONGEST_SCANNED:
        return True
    for text in texts:
        lowered = text.lower()
        if any(mark in lowered for mark in _MARKS) or ("![" in text and "](" in text):
            return True
        if any(len(run[0]) >= _LONGEST_WORD and len({*run[0]}) > 24 for run in _BASE64.finditer(text)):
            return True
    return False


def _is_message(message: Any) -> bool:
    """Return whether a message holds only text and images in the usual format."""
    if not isinstance(message, dict) or not isinstance(message.get("role"), str):
        return False
    content = message.get("content")
    if not isinstance(content, list):
        return isinstance(content, str) or message["role"] != "user"
    return all(_is_image(part) or (_is_bare(part) and part["type"] == "text") for part in content)


def _texts(message: dict[str, Any]) -> Iterator[str]:
    content = message["content"]
    if isinstance(content, str):
        yield content
    else:
        yield from (part["text"] for part in content if part["type"] == "text")


def _unfit(sent: dict[str, Any], messages: list[dict[str, Any]], question: str) -> str:
    """Return why the responses to a query cannot be compared; empty if they can."""
    if sent.get("n") not in (None, 1):
        return "several replies"
    if sent.get("tools") or sent.get("functions"):
        return "tools"
    if any(message["role"] not in ("system", "developer", "user") for message in messages):
        return "earlier turns"
    if not question.strip():
        return "no words"
    return "too long" if len(question) > LONGEST_QUESTION else ""
