"""Video used: does the answer need the whole video, in its order, and this patient's? Measured, not judged."""

from __future__ import annotations

from snellen.conditions import FramesShuffled, OneFrame, OtherVideo
from snellen.conditions.frames import Kept
from snellen.stress.base import Analysis, Expectation, StressTest
from snellen.stress.design import Design, Presentation


def video_used(*, frame: Kept = "middle") -> StressTest:
    """The test; `frame` is the one that is shown alone: middle, first, last, or drawn."""
    return StressTest(
        Design(
            "video-used" if frame == "middle" else f"video-used:frame={frame}",
            "Would the model answer the same with one frame, with the frames in another order, or on another's video?",
            arms=(FramesShuffled(), OneFrame(frame), OtherVideo()),
        ),
        Analysis(Expectation.UNKNOWN),
        Presentation(
            "what the video adds",
            "Nobody knows how much a question needs of a video: many are answered by one frame. The accuracies are "
            "reported beside each other, without a verdict. What is kept on another patient's video was not seen.",
        ),
    )
