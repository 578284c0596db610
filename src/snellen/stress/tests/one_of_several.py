"""One of several images: does the answer use it when it has the others? Measured, not judged."""

from __future__ import annotations

from snellen.conditions import ImageBlank, ImageRemoved
from snellen.conditions.which import ALL, in_words
from snellen.errors import StudyError
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import Design, Presentation


def one_of_several(which: str = "last") -> StressTest:
    """The test on one image of each item: `first`, `last`, or that of a role such as `prior` or `lateral`."""
    if which == ALL:
        raise StudyError("one-of-several is about one image: say first, last or a role. image-needed removes them all.")
    return StressTest(
        Design(
            "one-of-several" if which == "last" else f"one-of-several:which={which}",
            f"Would the model answer the same without {in_words(which)}, if it had the others?",
            arms=(ImageRemoved(which), ImageBlank(which=which)),
        ),
        Analysis(Expectation.UNKNOWN),
        Presentation(
            f"what {in_words(which)} adds",
            "Nobody knows how many questions need that image. The accuracies are reported beside each other, "
            "without a verdict. Items without such an image are not asked.",
        ),
    )
