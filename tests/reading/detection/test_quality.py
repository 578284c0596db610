"""What calls an image poor, in one word or in passing, and what only sounds like it; answers in keys and values."""

from rows import take_rows
from snellen.items import Item, Option
from snellen.reading import Outcome, grade
from snellen.reading.detection import DetectionLabel, read_detection

SCAN = Item("1", "Is there a tumor?", options=(Option("brain tumor"), Option("normal")), metadata={"normal": "normal"})
CHOICE = Item("1", "What is shown?", options=tuple(map(Option, ("Pneumonia", "Fracture", "Normal"))), answer=0)


@take_rows("text")
def test_an_image_is_called_poor(text):
    """By the parser of detections and by that of choices alike; a word that a prompt may offer is enough."""
    assert read_detection(text, SCAN).label is DetectionLabel.QUALITY
    assert grade(text, "stop", CHOICE).outcome is Outcome.FLAGGED_QUALITY


@take_rows("text")
def test_what_only_sounds_like_it(text):
    """Movement, distortion and poor quality of something else than the image, and persons whom it will not name."""
    assert not read_detection(text, SCAN).flags
    assert grade(text, "stop", CHOICE).outcome is not Outcome.FLAGGED_QUALITY


@take_rows("text, label")
def test_keys_and_values(text, label):
    """A field on disease says what it says; null says nothing."""
    assert read_detection(text, SCAN).label is DetectionLabel[label]
