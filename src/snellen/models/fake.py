"""FakeModel: a function as a model, for tests and trials."""

from __future__ import annotations

from collections.abc import Callable

from snellen.models.base import Model, Response, receipt
from snellen.prompts import Request


class FakeModel(Model):
    """Answers with what a function says. It reads no letters, so that none are shown to it before a run.

    >>> import asyncio
    >>> model = FakeModel(lambda request: "Answer: B")
    >>> asyncio.run(model.answer(Request(model.name, "A or B?"))).text
    'Answer: B'
    """

    reads_letters = False

    def __init__(self, function: Callable[[Request], str | Response], *, name: str = "fake/function") -> None:
        self.name = name
        self._function = function

    async def answer(self, request: Request) -> Response:
        """The function's word, with a receipt for every image."""
        reply = self._function(request)
        if isinstance(reply, Response):
            return reply
        if not isinstance(reply, str):
            raise TypeError(f"expected the function to return a text or a Response, got {reply!r:.80}")
        return Response(reply, sent=tuple(receipt(image) for image in request.every_image))
