"""Items with several images for tests: videos, and X-rays in views of which one is prior."""

import numpy as np

from snellen.images import Image, encode
from snellen.items import Item, Option

YES_NO = (Option("Yes"), Option("No"))
VIEWS = ("frontal", "lateral", "prior frontal")


def shade(level, role):
    """An even picture with a role."""
    return Image(encode(np.full((16, 16), level, np.uint8)).data, role=role)


def clips(number=4, frames=5):
    """Videos of as many patients; half of the answers are yes."""
    return [
        Item(
            f"clip-{at}",
            "Does the valve close?",
            YES_NO,
            at % 2,
            tuple(shade(20 * at + n, f"frame {n + 1} of {frames} (0:0{n})") for n in range(frames)),
            cluster=f"patient-{at}",
        )
        for at in range(number)
    ]


def views(number=2, roles=VIEWS):
    """Chest X-rays in several views."""
    return [
        Item(
            f"chest-{at}",
            "Is the effusion new?",
            YES_NO,
            at % 2,
            tuple(shade(10 * at + n, role) for n, role in enumerate(roles)),
            cluster=f"chest-{at}",
        )
        for at in range(number)
    ]
