"""A model: anything that turns a request into a response."""

from snellen import Model, Request, Response
from snellen.models.base import receipt


class Cautious(Model):
    """Says yes where it is offered, and nothing without an image."""

    revision = "rules of May"  # a model of that name with other rules is another model

    def __init__(self, variant: str = "yes") -> None:
        self.name = f"cautious/{variant}"

    async def answer(self, request: Request) -> Response:
        """A response, with a receipt for every image that was used."""
        images = tuple(receipt(image) for image in request.images)
        if not images:
            return Response("I cannot answer this: no image was provided.")
        letter = "A" if "A. Yes" in request.text else "C"
        return Response(f"I see nothing unusual.\n\nAnswer: {letter}", sent=images)
