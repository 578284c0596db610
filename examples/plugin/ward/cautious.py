"""A model: anything that turns a request into a response."""

from snellen import Model, Request, Response
from snellen.images import decode
from snellen.models.base import receipt


class Cautious(Model):
    """Says yes if yes is offered and every image is bright, and nothing without an image."""

    revision = "rules of May"  # a model of that name with other rules is another model

    def __init__(self, variant: str = "yes", *, brightness: int = 64) -> None:
        self.name = f"cautious/{variant}"
        self.brightness = brightness

    async def answer(self, request: Request) -> Response:
        """A response, with a receipt for every image that was read."""
        images = tuple(receipt(image) for image in request.images)
        if not images:
            return Response("I cannot answer this: no image was provided.")
        bright = all(decode(image.data, name="image").mean() > self.brightness for image in request.images)
        letter = "A" if bright and "A. Yes" in request.text else "C"
        return Response(f"I see nothing unusual.\n\nAnswer: {letter}", sent=images)
