"""Body of a request, in parts that several requests share."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import Payload
from aiohttp.abc import AbstractStreamWriter

AT_ONCE = 1024 * 1024
"""Shorter bodies are sent in one piece."""
PIECE = 128 * 1024
"""Longer bodies are sent in pieces of this many bytes."""


class Body(Payload):
    """Request body whose parts are joined only while they are sent."""

    _value: Sequence[bytes]

    def __init__(self, parts: Sequence[bytes]) -> None:
        super().__init__(parts, content_type="application/json")
        self._bytes = sum(map(len, parts))

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self._bytes

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Send the body whole or in pieces."""
        if self._bytes < AT_ONCE:
            await writer.write(b"".join(self._value))
            return
        for part in self._value:
            view = memoryview(part)
            for start in range(0, len(view), PIECE):
                await writer.write(view[start : start + PIECE])

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """Return the body as text."""
        return b"".join(self._value).decode(encoding, errors)
