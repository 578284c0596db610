"""Stand-ins: of the same kind as the image that a query asks about, or none."""

import numpy as np
import pytest

from snellen.errors import SnellenError
from snellen.images import encode
from snellen.tools.guard.stand_ins import draw_phantom, stand_ins


@pytest.mark.parametrize(
    ("question", "drawn"),
    [
        ("Does this chest X-ray show an effusion?", True),
        ("La radiografia del torace mostra un versamento?", True),
        ("Which side is the infarct on in this brain MRI?", True),
        ("Fundus photograph: are there haemorrhages?", True),
        ("Is the wrist broken in this X-ray?", False),
        ("Does this knee MRI show a tear?", False),
        ("Is there a mass on the mammogram?", False),
        ("Compare the chest X-ray with the chest CT.", False),
        ("What is shown?", False),
    ],
)
def test_phantom_of_the_kind_that_is_named(question, drawn):
    """A phantom stands in only where the words name what is drawn; the number chooses among several."""
    first, second = draw_phantom(question, 0), draw_phantom(question, 1)
    assert (first is not None) == drawn
    if drawn:
        assert first.data == draw_phantom(question, 0).data != second.data


def test_folder(tmp_path):
    """A subfolder's name is looked for in the words; images without one stand in for the rest."""
    for value, name in enumerate(["loose.png", "hand-x-ray/hand.png", "mammogram/breast.png"]):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(encode(np.full((4, 4), value, np.uint8)).data)
    chosen = stand_ins(str(tmp_path))
    asked = ("Hand X-ray, any fracture?", "This mammogram?", "An ultrasound?")
    shown = [int(np.frombuffer(chosen(each, 5).data, np.uint8).sum()) for each in asked]
    assert len(set(shown)) == 3
    (tmp_path / "loose.png").unlink()
    assert chosen.__class__.read(tmp_path)("An ultrasound?", 0) is None


def test_folder_without_images(tmp_path):
    """A folder that is empty or not there is refused before anything is asked, and so is a file that is no image."""
    for given in (tmp_path, tmp_path / "nowhere"):
        with pytest.raises(SnellenError, match="folder"):
            stand_ins(str(given))
    (tmp_path / "broken.png").write_bytes(b"no image")
    with pytest.raises(SnellenError, match=r"broken\.png"):
        stand_ins(str(tmp_path))
