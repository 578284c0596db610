"""The command `snellen serve`: the organisms behind an OpenAI-compatible endpoint, for testing.

HTTP has no field for the repeat number, so `organism/random` draws from the content and the field `seed`. A client that
wants independent repeats must send a different seed each time. Images must be data URIs; nothing is downloaded.
"""

from __future__ import annotations

import asyncio
import binascii
import time
from base64 import b64decode
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import orjson
from aiohttp import web
from aiohttp.typedefs import Handler

from snellen.errors import ImageError, ModelError, RejectedError, StudyError, TransientError
from snellen.images import EncodedImage, check
from snellen.listening import (
    Bodies,
    Callers,
    Refusal,
    Server,
    as_json,
    check_key,
    is_loopback,
    listen,
    parse_body,
    send,
)
from snellen.models.base import UNCOUNTED, Model, Response
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.organism import rough_usage
from snellen.prompts import Request, Settings

MAX_TEXT = 200_000
"""Maximum characters of all messages; organisms need about a second for this many."""
_LONG_BODY = 1_000_000
_NUMBERS = {"temperature": float, "top_p": float, "max_tokens": int, "max_completion_tokens": int, "seed": int}


@dataclass(frozen=True)
class Chat:
    """A parsed request body: model, question, images, settings, and whether to stream."""

    model: str
    system: str
    text: str
    images: tuple[EncodedImage, ...]
    settings: Settings
    stream: bool
    usage_streamed: bool


def read_chat(body: bytes) -> Chat:
    """Parse a chat completion's body; raise Refusal if it is invalid."""
    try:
        sent = parse_body(body)
    except ValueError as error:
        raise Refusal(f"The body is not valid JSON: {error}.", code="invalid_json") from error
    if not isinstance(sent, dict):
        raise Refusal(f"The body must be a JSON object, got {type(sent).__name__}.")
    if not isinstance(sent.get("model"), str):
        raise Refusal("The body must name a 'model'.", code="model_missing")
    if sent.get("n") not in (None, 1) or isinstance(sent.get("n"), bool):
        raise Refusal(f"One response per request: 'n' must be 1, got {_brief(sent['n'])}. Ask again for another one.")
    streaming = sent.get("stream_options") or {}
    if not isinstance(streaming, dict):
        raise Refusal(f"'stream_options' must be an object, got {type(streaming).__name__}.")
    system, text, images = _conversation(sent.get("messages"))
    if (length := len(system) + len(text)) > MAX_TEXT:
        message = f"The messages have {length:,} characters; at most {MAX_TEXT:,} are accepted."
        raise Refusal(message, status=413, code="request_too_large")
    stream, usage_streamed = _switch(sent, "stream"), _switch(streaming, "include_usage")
    return Chat(sent["model"], system, text, images, _settings(sent), stream, usage_streamed)


def _switch(sent: Mapping[str, Any], name: str) -> bool:
    value = sent.get(name)
    if value is not None and not isinstance(value, bool):
        raise Refusal(f"'{name}' must be true or false, got {_brief(value)}.")
    return bool(value)


def _brief(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"a {type(value).__name__}"
    shown = repr(value)
    return shown if len(shown) <= 50 else f"{shown[:50]}…"


def _conversation(messages: Any) -> tuple[str, str, tuple[EncodedImage, ...]]:
    """Return the system text, user text and images of a conversation with one turn."""
    if not isinstance(messages, list) or not messages:
        raise Refusal("'messages' must be a list of at least one message.")
    texts: dict[str, list[str]] = {"system": [], "developer": [], "user": []}
    images: list[EncodedImage] = []
    for message in messages:
        role = message.get("role") if isinstance(message, dict) else None
        if not isinstance(role, str) or role not in texts:
            raise Refusal(
                f"A message's role must be 'system', 'developer' or 'user', got {_brief(role)}. Send one turn only."
            )
        for part in _parts(message.get("content")):
            if part.get("type") == "image_url" and role == "user":
                images.append(_image(part.get("image_url")))
            elif part.get("type") == "text" and isinstance(part.get("text"), str):
                texts[role].append(part["text"])
            else:
                raise Refusal(f"A {role} message cannot hold a part of type {_brief(part.get('type'))}.")
    return "\n\n".join(texts["system"] + texts["developer"]), "\n\n".join(texts["user"]), tuple(images)


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    if isinstance(content, list) and all(isinstance(part, dict) for part in content):
        return content
    raise Refusal(f"A message's content must be a string or a list of parts, got {type(content).__name__}.")


def _image(given: Any) -> EncodedImage:
    """Read the image in a data URI, byte for byte."""
    url = given.get("url") if isinstance(given, dict) else given
    if not isinstance(url, str) or not url.startswith("data:"):
        raise Refusal("Images must come as base64 data URIs: nothing is downloaded.", code="invalid_image")
    head, comma, encoded = url.partition(",")
    if not comma or not head.endswith(";base64"):
        raise Refusal("A data URI must read 'data:image/…;base64,…'.", code="invalid_image")
    try:
        data = b64decode(encoded, validate=True)
        header = check(data, name="in the request")
    except (binascii.Error, ValueError) as error:
        raise Refusal(f"An image's base64 cannot be read: {error}.", code="invalid_image") from error
    except ImageError as error:
        raise Refusal(str(error), code="invalid_image") from error
    return EncodedImage(data, header.media_type, header.width, header.height)


def _settings(sent: Mapping[str, Any]) -> Settings:
    """Read the settings in a body; settings that organisms do not use are ignored."""
    chosen: dict[str, Any] = {}
    for name, number in _NUMBERS.items():
        value = sent.get(name)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | number):
            kind = "a number" if number is float else "a whole number"
            raise Refusal(f"'{name}' must be {kind}, got {_brief(value)}.")
        chosen["max_tokens" if name == "max_completion_tokens" else name] = value
    if (effort := sent.get("reasoning_effort")) is not None:
        if not isinstance(effort, str):
            raise Refusal(f"'reasoning_effort' must be a text, got {_brief(effort)}.")
        chosen["reasoning_effort"] = effort
    if chosen.get("max_tokens", 1) < 1:
        raise Refusal(f"'max_tokens' must be at least 1, got {chosen['max_tokens']}.")
    try:
        return Settings(**chosen)
    except StudyError as error:
        raise Refusal(str(error)) from error


class Endpoint:
    """HTTP handlers of the API for a set of models."""

    def __init__(self, models: Mapping[str, Model], key: str | None, callers: Callers) -> None:
        self._models, self._key, self._callers = models, key, callers
        self._bodies = Bodies()
        self._opened = int(time.time())

    def app(self) -> web.Application:
        """Return the web application; all errors have OpenAI's format."""
        app = web.Application(middlewares=[self._guard])
        app.router.add_post("/v1/chat/completions", self._complete)
        app.router.add_get("/v1/models", self._list)
        return app

    @web.middleware
    async def _guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Check the key or the caller, and convert all errors to OpenAI's format."""
        try:
            if self._key:
                check_key(request, self._key)
            else:
                self._callers.check(request.headers)
            return await handler(request)
        except Refusal as refusal:
            return refusal.json
        except web.HTTPException as error:
            met = f"{request.method} {request.path}: {error.reason}."
            return Refusal(met, status=error.status, code="not_found").json
        except Exception as error:
            return Refusal(f"The model failed: {error!r}.", status=500, code="model_failed").json

    async def _list(self, http: web.Request) -> web.Response:
        about = {"object": "model", "created": self._opened, "owned_by": "snellen"}
        return as_json({"object": "list", "data": [{"id": name, **about} for name in self._models]})

    async def _complete(self, http: web.Request) -> web.StreamResponse:
        async with self._bodies.body(http) as body:
            chat = await asyncio.to_thread(read_chat, body) if len(body) > _LONG_BODY else read_chat(body)
            return await self._answer_chat(http, chat)

    async def _answer_chat(self, http: web.Request, chat: Chat) -> web.StreamResponse:
        model = self._models.get(chat.model) or self._models.get(f"organism/{chat.model}")
        if model is None:
            message = f"There is no model {chat.model!r} here. There are: {', '.join(self._models)}."
            raise Refusal(message, status=404, code="model_not_found")
        request = Request(model.name, chat.text, chat.system, chat.images, chat.settings, model.revision)
        reply = await _ask_model(model, request)
        frame = {"id": f"chatcmpl-{request.key.hex()[:24]}", "created": int(time.time()), "model": chat.model}
        frame["system_fingerprint"] = model.revision
        usage = _usage(request, reply)
        if chat.stream:
            return await _stream_chunks(http, _chunks(frame, reply, usage if chat.usage_streamed else None))
        choice = {"index": 0, "message": _message(reply), "finish_reason": _finish(reply), "logprobs": None}
        return as_json({**frame, "object": "chat.completion", "choices": [choice], "usage": usage})


async def _ask_model(model: Model, request: Request) -> Response:
    try:
        return await model.answer(request)
    except RejectedError as error:
        raise Refusal(str(error)) from error
    except TransientError as error:
        raise Refusal(str(error), status=503, code="overloaded") from error
    except ModelError as error:
        raise Refusal(str(error), status=500, code="model_unusable") from error


def _message(reply: Response) -> dict[str, Any]:
    content, refusal = (None, reply.text) if reply.finish == "refusal" else (reply.text, None)
    message = {"role": "assistant", "content": content, "refusal": refusal}
    return {**message, "reasoning_content": reply.reasoning} if reply.reasoning else message


def _finish(reply: Response) -> str:
    return "stop" if reply.finish == "refusal" else reply.finish


def _usage(request: Request, reply: Response) -> dict[str, Any]:
    """Return the model's own token counts, or rough ones if it reports none."""
    usage = rough_usage(request, reply.text) if reply.usage == UNCOUNTED else reply.usage
    read, written = usage.input_tokens or 0, usage.output_tokens or 0
    details = {"prompt_tokens_details": {"image_tokens": usage.image_tokens or 0, "cached_tokens": 0}}
    if usage.reasoning_tokens is not None:
        details["completion_tokens_details"] = {"reasoning_tokens": usage.reasoning_tokens}
    return {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written, **details}


def _chunks(frame: Mapping[str, Any], reply: Response, usage: dict[str, Any] | None) -> Iterator[dict[str, Any]]:
    """Yield the chunks of a streamed response, one per line."""

    def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        return {**frame, "object": "chat.completion.chunk", "choices": [choice]}

    yield chunk({"role": "assistant", "content": ""})
    field = "refusal" if reply.finish == "refusal" else "content"
    for line in reply.text.splitlines(keepends=True):
        yield chunk({field: line})
    yield chunk({}, _finish(reply))
    if usage is not None:
        yield {**frame, "object": "chat.completion.chunk", "choices": [], "usage": usage}


async def _stream_chunks(http: web.Request, chunks: Iterator[dict[str, Any]]) -> web.StreamResponse:
    stream = web.StreamResponse(headers={"Content-Type": "text/event-stream", "Cache-Control": "no-cache"})
    await stream.prepare(http)
    for chunk in chunks:
        await send(http, stream, b"data: " + orjson.dumps(chunk) + b"\n\n")
    await send(http, stream, b"data: [DONE]\n\n")
    await stream.write_eof()
    return stream


async def start(
    host: str = "127.0.0.1",
    port: int = 0,
    *,
    key: str | None = None,
    names: Iterable[str] = (),
    models: Mapping[str, Model] | None = None,
) -> Server:
    """Serve the organisms, or other models, at a port (0: any free one).

    Without a key, clients must call the server by its address or by one of `names`.
    """
    if models is None:
        models = {f"organism/{name}": open_organism(name) for name in ORGANISMS}
    return await listen(Endpoint(models, key, Callers.from_host(host, names)).app(), host, port)


def serve(host: str = "127.0.0.1", port: int = 8000, *, key: str | None = None, names: Iterable[str] = ()) -> None:
    """Serve the organisms until Ctrl-C; no key is needed unless one is given."""
    with suppress(KeyboardInterrupt):
        asyncio.run(_serve(host, port, key, names))


async def _serve(host: str, port: int, key: str | None, names: Iterable[str]) -> None:
    async with await start(host, port, key=key, names=names) as server:
        print(f"Serving {', '.join(ORGANISMS)} at {server.url} (Ctrl-C ends it). In another shell:")
        key_shown = "…" if key else "none"
        print(f"  OPENAI_BASE_URL={server.url} OPENAI_API_KEY={key_shown} snellen exam --model openai/grounded")
        if not is_loopback(host) and not key:
            print("Anybody who reaches this address can use it. Require a key with --key KEY.")
        await asyncio.Event().wait()
