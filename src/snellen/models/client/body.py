"""Body: what a request carries, in parts that several requests share; apart, as it is loaded with aiohttp."""

from __future__ import annotations

from collections.abc import Sequence

from aiohttp import Payload
from aiohttp.abc import AbstractStreamWriter

AT_ONCE = 1024 * 1024
"""Shorter requests are handed over whole."""
PIECE = 128 * 1024
"""Longer ones in pieces of so many bytes, as fast as the server takes them."""


class Body(Payload):
    """The parts are joined only as they are sent, and not kept so while the response is awaited."""

    _value: Sequence[bytes]

    def __init__(self, parts: Sequence[bytes]) -> None:
        super().__init__(parts, content_type="application/json")
        self._bytes = sum(map(len, parts))

    @property
    def size(self) -> int:
        """How many bytes it has."""
        return self._bytes

    async def write(self, writer: AbstractStreamWriter) -> None:
        """Hand over the whole or piece after piece."""
        if self._bytes < AT_ONCE:
            await writer.write(b"".join(self._value))
            return
        for part in self._value:
            view = memoryview(part)
            for start in range(0, len(view), PIECE):
                await writer.write(view[start : start + PIECE])

    def decode(self, encoding: str = "utf-8", errors: str = "strict") -> str:
        """The whole as text."""
        return b"".join(self._value).decode(encoding, errors)
