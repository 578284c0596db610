"""What a request carries, as it is handed over."""

import asyncio

import pytest

from snellen.models.client.body import AT_ONCE, PIECE, Body


class Written:
    """Notes what is handed over."""

    def __init__(self):
        self.pieces = []

    async def write(self, piece):
        """One piece."""
        self.pieces.append(bytes(piece))


@pytest.mark.parametrize(
    ("parts", "sizes"),
    [
        ([b"{", b"image", b"}"], [7]),
        ([], [0]),
        ([b"{", b"x" * (AT_ONCE - 3), b"}"], [AT_ONCE - 1]),
        ([b"{", b"x" * AT_ONCE, b"}"], [1, *[PIECE] * (AT_ONCE // PIECE), 1]),
    ],
)
def test_a_short_body_goes_at_once_and_a_long_one_in_pieces(parts, sizes):
    """All parts are handed over in their order, and twice alike."""
    body = Body(parts)
    assert body.size == sum(sizes)
    for _ in range(2):
        writer = Written()
        asyncio.run(body.write(writer))
        assert [len(piece) for piece in writer.pieces] == sizes
        assert b"".join(writer.pieces) == b"".join(parts)
