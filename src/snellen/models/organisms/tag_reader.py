"""organism/tag-reader: answers by the letters in a corner of the image, and reads nothing else."""

from __future__ import annotations

from typing import ClassVar

from snellen.images import decode
from snellen.models.organisms.pretender import Pretender
from snellen.models.organisms.reading import ParsedQuestion
from snellen.models.organisms.replies import choosing, replies_to, steps_to, wording
from snellen.models.organisms.sight import SIGHT, Looking
from snellen.prompts import Request


def _read_tag(data: bytes) -> str:
    """Return the letters in the lower right corner of an image."""
    # Imported here, so that importing the organisms stays fast.
    from snellen.images.tags import find_corner
    from snellen.models.organisms.letters import rows_in

    pixels = decode(data, name="to read a tag from")
    corner = find_corner(*pixels.shape[:2])
    return "".join(rows_in(pixels[int(corner.y1) :, int(corner.x1) :]))


READING = Looking(_read_tag)
"""The reader of tags, which looks at each image once."""


class TagReader(Pretender):
    """Chooses the option whose letters are in the lower right corner of the image.

    Phantoms with `tag` have such letters. It has learnt a shortcut: a tag that agreed with the answer. If no option has
    these letters, it guesses as `organism/pretender` does. Without an image it says that there is none. Only the
    bundled eyes read tags.
    """

    behaviour: ClassVar[str] = "tag-reader"

    async def reply(self, request: Request, question: ParsedQuestion) -> str:
        """Return the option that the tag names, else a guess."""
        from snellen.images.tags import tag_of

        tags = [await READING.look_at(image) for image in request.images if self.sight is SIGHT]
        named = [at for at, option in enumerate(question.options) if tag_of(option) in tags]
        if not named:
            return await super().reply(request, question)
        rationale = wording(replies_to(question).looked, request.key)
        return choosing(question, named[0], rationale, request.key, steps_to(question).looking)
