"""A model of your own: anything that turns a request into a reply.

As a plug-in, name the class in your package's pyproject.toml and use it as `cautious/yes,brightness=100`:

    [project.entry-points."snellen.models"]
    cautious = "own_model:Cautious"
"""

from io import BytesIO

import numpy as np
from PIL.Image import open as open_image

from snellen import Model, Request, Response, Study
from snellen.models.base import receipt


class Cautious(Model):
    """Says yes where an image is bright and yes is offered, and nothing without an image."""

    def __init__(self, variant: str = "yes", *, brightness: int = 64) -> None:
        self.name = f"cautious/{variant}"
        self.brightness = brightness

    async def answer(self, request: Request) -> Response:
        """A reply, with a receipt for every image that was read."""
        images = tuple(receipt(image) for image in request.images)
        if not images:
            return Response("I cannot answer this: no image was provided.")
        bright = all(np.asarray(open_image(BytesIO(image.data))).mean() > self.brightness for image in request.images)
        letter = "A" if bright and "A. Yes" in request.text else "C"
        return Response(f"I see nothing unusual.\n\nAnswer: {letter}", sent=images)


if __name__ == "__main__":
    study = Study(models=[Cautious()], benchmarks=["phantoms:items=40"], out="exam-own-model")
    print(study.run())
