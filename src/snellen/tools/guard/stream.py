"""A streamed reply: its events as they came, the text that they add up to, and the events that the guard adds."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import orjson

from snellen.tools.guard.signal import Answered

LONGEST_EVENT = 16_000_000
_END = re.compile(rb"\r\n\r\n|\n\n|\r\r|\n\r\n")
LONGEST_TRANSCRIPT = 64_000_000
"""Bytes of events that are read; what comes after them passes, and the whole is not compared."""
DONE = b"data: [DONE]\n\n"


class Events:
    """Bytes of a stream, cut where its events end; put together again they are the same bytes."""

    def __init__(self) -> None:
        self.rest = b""

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """The events that are whole by now, each with the empty line that ends it."""
        start, whole, begins = max(0, len(self.rest) - 3), self.rest + piece, 0
        for end in _END.finditer(whole, start):
            yield whole[begins : end.end()]
            begins = end.end()
        self.rest = whole[begins:]
        if len(self.rest) > LONGEST_EVENT:
            raise ConnectionError(f"an event of the stream is longer than {LONGEST_EVENT:,} bytes")


class Transcript:
    """What the events of a stream add up to."""

    def __init__(self) -> None:
        self.done = self.finished = False
        self.frame: dict[str, Any] = {}
        self._text: list[str] = []
        self._read = 0
        self._finish = ""
        self._tokens: int | None = None
        self._odd = False

    def take(self, event: bytes) -> None:
        """Read one event; what is no chunk of a chat completion leaves the whole unread."""
        self._read += len(event)
        if self._read > LONGEST_TRANSCRIPT:
            self._odd, self._text = True, []
            return
        data = b"\n".join(line[5:].strip() for line in event.splitlines() if line.startswith(b"data:"))
        if not data:
            return
        if data == b"[DONE]":
            self.done = True
            return
        try:
            self._chunk(orjson.loads(data))
        except (orjson.JSONDecodeError, AttributeError, TypeError, LookupError):
            self._odd = True

    def _chunk(self, chunk: dict[str, Any]) -> None:
        self._odd |= "error" in chunk
        self.frame = self.frame or {name: chunk[name] for name in ("id", "created", "model") if name in chunk}
        counted = (chunk.get("usage") or {}).get("prompt_tokens")
        self._tokens = counted if isinstance(counted, int) else self._tokens
        for choice in chunk.get("choices") or ():
            delta = choice.get("delta") or {}
            self._odd |= bool(choice.get("index") or delta.get("tool_calls") or delta.get("function_call"))
            self._text += [said for said in (delta.get("content"), delta.get("refusal")) if said]
            if delta.get("refusal"):
                self._finish = "refusal"
            if choice.get("finish_reason"):
                self.finished = True
                self._finish = self._finish or choice["finish_reason"]

    @property
    def text(self) -> str:
        """All that was said."""
        return "".join(each for each in self._text if isinstance(each, str))

    @property
    def answered(self) -> Answered | None:
        """The reply; None where the stream broke off or was no chat completion's."""
        whole = self.finished and not self._odd and all(isinstance(each, str) for each in self._text)
        return Answered(self.text, str(self._finish), input_tokens=self._tokens) if whole else None


def chunk(frame: Mapping[str, Any], **more: Any) -> bytes:
    """An event that holds a chunk of a chat completion."""
    return b"data: " + orjson.dumps({**frame, "object": "chat.completion.chunk", **more}) + b"\n\n"


def delta(frame: Mapping[str, Any], said: Mapping[str, Any], finish: str | None = None) -> bytes:
    """An event that adds something to the reply, or ends it."""
    return chunk(frame, choices=[{"index": 0, "delta": said, "finish_reason": finish}])


def verdict(frame: Mapping[str, Any], said: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """The guard's opinion as a comment, which every client passes over.

    A chunk without choices comes after it where the client asked for one with the usage, and so can take such chunks:
    many programs take it for granted that every other chunk has a choice.
    """
    comment = b": snellen " + orjson.dumps(said) + b"\n\n"
    return comment + chunk(frame, choices=[], snellen=said) if as_chunk else comment


def in_place(frame: Mapping[str, Any], sentence: str, said: Mapping[str, Any], *, as_chunk: bool) -> bytes:
    """A whole stream that says a sentence in the place of the reply."""
    spoken = delta(frame, {"role": "assistant", "content": sentence}) + delta(frame, {}, "content_filter")
    return spoken + verdict(frame, said, as_chunk=as_chunk) + DONE
