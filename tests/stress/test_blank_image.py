"""The blank-image test: its settings, its arms, its contract."""

import pytest

from snellen.conditions import IMAGE_BLANK, ImageBlank, Pool, vary
from snellen.errors import Inapplicable, StudyError
from snellen.stress import stress_test
from snellen.testing import check_condition
from strategies import items


@pytest.mark.parametrize("fill", ["white", "black", "grey", "noise"])
@pytest.mark.parametrize("size", ["kept", "placeholder"])
def test_every_blank_keeps_the_contract(fill, size):
    """Input untouched, repeatable, replayable, and no request depends on the right answer."""
    check_condition(ImageBlank(fill, size), items(4))


def test_the_usual_blank_has_a_plain_name_and_others_say_what_differs():
    """So that imported replies under `image-blank` meet the test, and two blanks can stand in one study."""
    assert [arm.name for arm in stress_test("blank-image").all_arms] == ["original", "image-blank"]
    noisy = stress_test("blank-image:fill=noise")
    assert noisy.name == "blank-image:fill=noise"
    assert noisy.arms[0].label == "image-blank:fill=noise"
    assert stress_test(noisy.name).arms == noisy.arms


def test_the_size_is_kept_or_that_of_the_placeholder():
    """The blank has the picture's own size, or 279 by 175 whatever the picture."""
    item = items(1)[0]
    was = item.images[0].encoded()
    for condition, size in (
        (ImageBlank("grey"), (was.width, was.height)),
        (ImageBlank(size="placeholder"), (279, 175)),
    ):
        made = vary(item, condition, seed=0, pool=Pool([item])).item.images[0].encoded()
        assert (made.width, made.height) == size
        assert made.sha256 != was.sha256


def test_one_placeholder_serves_all_items():
    """Every item gets the identical picture, byte for byte, as published."""
    made = [vary(item, ImageBlank(size="placeholder"), seed=0, pool=Pool(items(3))).item.images[0] for item in items(3)]
    assert len({image.encoded().sha256 for image in made}) == 1


def test_an_item_without_an_image_cannot_be_blanked():
    """It is left out with a reason."""
    item = items(1, images=False)[0]
    with pytest.raises(Inapplicable, match="no image to blank"):
        vary(item, IMAGE_BLANK, seed=0, pool=Pool([item]))


@pytest.mark.parametrize("spec", ["blank-image:fill=pink", "blank-image:size=large", "blank-image:colour=white"])
def test_unknown_settings_are_refused(spec):
    """With what there is."""
    with pytest.raises(StudyError, match=r"white, black, grey or noise|cannot be made"):
        stress_test(spec)


def test_a_test_without_settings_says_so():
    """A setting for a test that has none is an error, not ignored."""
    with pytest.raises(StudyError, match="takes no settings"):
        stress_test("image-needed:seed=3")
