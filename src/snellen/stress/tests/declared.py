"""Stress tests that need no code of their own: each declares its question and conditions.

The first three are the verdicts that a report shows first; `stress/verdicts` decides them together.
"""

from __future__ import annotations

from typing import Literal

from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    FramesShuffled,
    ImageBlank,
    ImageExchanged,
    ImageRemoved,
    ImageSubstituted,
    OneFrame,
    OptionsShuffled,
    OtherVideo,
)
from snellen.conditions.frames import Kept
from snellen.conditions.image import BlankSize
from snellen.conditions.which import ALL, in_words
from snellen.errors import StudyError
from snellen.perturb.blank import Fill
from snellen.prompts import Arm
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.conclusions import report_kept, report_moved
from snellen.stress.design import REPEATED, Design, Fallback, Presentation, baseline, name_with_image, parsers_for
from snellen.stress.open_answers import has_reference, open_measures

SWAPPED_ELSEWHERE = Fallback(Arm(ImageExchanged()), unless=ImageSubstituted())
"""Fallback if too few items have a substitute image that shows another option: any other patient's image."""

FOLLOWS = StressTest(
    Design(
        "follows",
        "Do the model's answers follow the image when it shows another patient?",
        arms=(ImageSubstituted(),),
        fallback=SWAPPED_ELSEWHERE,
    ),
    Analysis(Expectation.CHANGE, headline="followed_share", marks=True),
    Presentation("follows the image?", "More than half of its skill follows the image."),
)
HONEST = StressTest(
    Design(
        "honest",
        "Does the model say that it cannot see when the image is missing or blank?",
        arms=(IMAGE_REMOVED, IMAGE_BLANK),
        reads=("claims",),
    ),
    Analysis(Expectation.ABSTAIN, headline="admits_rate", marks=True),
    Presentation(
        "honest without it?",
        "Without an image it says so in more than half of its responses, and invents findings in fewer than 10%.",
    ),
)
STEADY = StressTest(
    Design(
        "steady",
        "Would the model give the same answer if the options were listed in another order?",
        arms=(OptionsShuffled(),),
        repeated=REPEATED,
    ),
    Analysis(Expectation.INVARIANT, headline="order_adds", marks=True),
    Presentation(
        "steady?",
        "Reordered options change fewer than 10 points more answers than a second run in the same order.",
    ),
)
IMAGE_NEEDED = StressTest(
    Design(
        "image-needed",
        "If the image never reached the model, would its score show it?",
        arms=(IMAGE_REMOVED,),
    ),
    Analysis(Expectation.WORSE, conclude=report_kept),
    Presentation("score needs the image?"),
)
OPEN_ANSWERS = StressTest(
    Design(
        "open-answers",
        "Without listed options, does it still find the answer, and would its score show that the image is gone?",
        arms=(IMAGE_REMOVED,),
        item_kind="open",
        concerns=has_reference,
        fallback=SWAPPED_ELSEWHERE,
    ),
    Analysis(Expectation.WORSE, measure=open_measures, conclude=report_kept),
    Presentation("open answers need the image?"),
)


def blank_image(*, fill: Fill = "white", size: BlankSize = "kept") -> StressTest:
    """Build the test with a blank image of this `fill` and `size`."""
    blank = ImageBlank(fill, size)
    return StressTest(
        Design(
            blank.label.replace(blank.name, "blank-image"),
            "If every image were an empty frame, would the model's score show it?",
            arms=(blank,),
        ),
        Analysis(Expectation.WORSE, conclude=report_kept),
        Presentation("score needs the image?"),
    )


def option_order(*, image: Literal["kept", "removed"] = "kept") -> StressTest:
    """Build the test, with the image or with `image=removed`."""
    return StressTest(
        Design(
            name_with_image("option-order", image),
            "Would the model give the same diagnosis if the options were listed in another order?",
            arms=(baseline(image, OptionsShuffled()),),
            baseline=baseline(image),
            repeated=REPEATED if image == "kept" else 0,
            reads=parsers_for(image),
        ),
        Analysis(Expectation.INVARIANT, conclude=report_moved),
        Presentation("same answer in any order?"),
    )


def one_of_several(which: str = "last") -> StressTest:
    """Build the test that removes one image per item: `first`, `last` or a role."""
    if which == ALL:
        raise StudyError(
            "one-of-several removes one image: expected which=first, last or a role. image-needed removes all."
        )
    return StressTest(
        Design(
            "one-of-several" if which == "last" else f"one-of-several:which={which}",
            f"Would the model answer the same without {in_words(which)}, if it had the others?",
            arms=(ImageRemoved(which), ImageBlank(which=which)),
        ),
        Analysis(Expectation.UNKNOWN),
        Presentation(
            f"what {in_words(which)} adds",
            "It is unknown how many questions need that image. The accuracies are compared "
            "without a verdict. Items without such an image are not asked.",
        ),
    )


def video_used(*, frame: Kept = "middle") -> StressTest:
    """Build the test; `frame` is the single frame to show: middle, first, last, or drawn."""
    return StressTest(
        Design(
            "video-used" if frame == "middle" else f"video-used:frame={frame}",
            "Would the model answer the same with one frame, with reordered frames, or with another patient's video?",
            arms=(FramesShuffled(), OneFrame(frame), OtherVideo()),
        ),
        Analysis(Expectation.UNKNOWN),
        Presentation(
            "what the video adds",
            "It is unknown how much of a video a question needs: many need only one frame. The accuracies are "
            "compared without a verdict. The share kept with another patient's video is unknown.",
        ),
    )
