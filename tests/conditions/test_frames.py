"""Conditions on videos and stacks: another order, one frame alone, another patient's."""

from dataclasses import replace

import pytest

from snellen.conditions import FramesShuffled, OneFrame, OtherVideo, Pool, condition_named, vary
from snellen.errors import Inapplicable, StudyError
from snellen.images import Image
from snellen.items import Item, Option
from snellen.testing import check_condition

YES_NO = (Option("Yes"), Option("No"))


def clip(name, frames=5, **about):
    """An item about a video; each frame is some bytes of its own."""
    images = tuple(Image(f"{name}-{n}".encode(), role=f"frame {n} of {frames} (0:0{n})") for n in range(1, frames + 1))
    return Item(name, "Does the valve close?", YES_NO, 0, images, cluster=name, **about)


def under(item, condition, *others, seed=0):
    return vary(item, condition, seed=seed, pool=Pool((item, *others))).item


@pytest.mark.parametrize("condition", [FramesShuffled(), OneFrame(), OneFrame("drawn"), OtherVideo()], ids=str)
def test_the_contract_of_conditions_is_kept(condition):
    """Input untouched, repeatable, replayable; every video of three is changed."""
    assert check_condition(condition, [clip("a"), clip("b", frames=2), replace(clip("c"), answer=1)]) == 3


def test_frames_move_and_what_is_told_of_them_stays():
    """The same frames in another order; the roles stay in their places, so that they do not betray it."""
    item = clip("a")
    orders = {tuple(image.source for image in under(item, FramesShuffled(), seed=seed).images) for seed in range(20)}
    assert tuple(image.source for image in item.images) not in orders
    assert len(orders) > 5
    shuffled = under(item, FramesShuffled())
    assert sorted(image.source for image in shuffled.images) == [image.source for image in item.images]
    assert [image.role for image in shuffled.images] == [image.role for image in item.images]


def test_two_frames_change_places():
    """Of two frames there is one other order."""
    item = clip("a", frames=2)
    assert all(under(item, FramesShuffled(), seed=seed).images == item.images[::-1] for seed in range(5))


def test_each_video_is_shuffled_by_itself_and_other_images_stay():
    """A photograph between two videos keeps its place, and no frame goes over to the other video."""
    item = replace(clip("a"), images=(*clip("a").images, Image(b"photo", role="photograph"), *clip("b").images))
    shuffled = under(item, FramesShuffled())
    assert shuffled.images[5].source == b"photo"
    assert {image.source[:1] for image in shuffled.images[:5]} == {b"a"}
    assert [image.source for image in under(item, OneFrame()).images] == [b"a-3", b"photo", b"b-3"]


@pytest.mark.parametrize(("frame", "kept"), [("middle", b"a-3"), ("first", b"a-1"), ("last", b"a-5")])
def test_one_frame_is_left(frame, kept):
    """The middle one, or the one that is named."""
    assert [image.source for image in under(clip("a"), OneFrame(frame)).images] == [kept]


def test_slices_of_a_stack_are_a_series_too():
    """Slices have an order, as frames have."""
    images = tuple(Image(bytes([n]), role=f"axial slice {4 * n} of 40") for n in range(1, 6))
    assert len(under(replace(clip("a"), images=images), OneFrame()).images) == 1


@pytest.mark.parametrize("condition", [FramesShuffled(), OneFrame(), OtherVideo()], ids=str)
def test_images_that_are_no_frames_are_left_alone(condition):
    """Two views of a chest have no order that could be changed."""
    views = (Image(b"1", role="frontal"), Image(b"2", role="lateral"))
    with pytest.raises(Inapplicable, match="neither video frames nor slices"):
        under(replace(clip("a"), images=views), condition, clip("b"))


@pytest.mark.parametrize("condition", [FramesShuffled(), OneFrame()], ids=str)
def test_a_video_of_one_frame_has_nothing_to_change(condition):
    """It is left out with that reason; beside a longer video it stays as it is."""
    with pytest.raises(Inapplicable, match="has only one image"):
        under(clip("a", frames=1), condition)
    both = replace(clip("a"), images=(*clip("b", frames=1).images, *clip("a").images))
    assert under(both, condition).images[0] == both.images[0]


def test_another_video_is_of_another_patient_and_not_known_to_show_the_answer():
    """Neither a video of the same patient nor one with the same answer to the same question is lent."""
    item = clip("a")
    same_patient, same_answer = replace(clip("b"), cluster="a"), clip("c")
    with pytest.raises(Inapplicable, match="no other patient's video"):
        under(item, OtherVideo(), same_patient, same_answer)
    other = replace(clip("d"), answer=1)
    lent = under(item, OtherVideo(), same_patient, same_answer, other)
    assert (lent.images, lent.answer, lent.question) == (other.images, item.answer, item.question)


def test_another_video_is_of_the_same_kind_where_that_is_told():
    """An echocardiogram is replaced by one, not by a film of an endoscopy."""
    heart, gut = ({"modality": m, "body_part": p} for m, p in (("ultrasound", "heart"), ("endoscopy", "colon")))
    item, other = clip("a", metadata=heart), replace(clip("b", metadata=heart), answer=1)
    strangers = [replace(clip(f"s{n}", metadata=gut), answer=1) for n in range(9)]
    assert all(under(item, OtherVideo(), other, *strangers, seed=s).images == other.images for s in range(9))


def test_names_are_read_back():
    """The names of the conditions make them, and a frame that there is not is refused."""
    assert condition_named("one-frame:frame=last") == OneFrame("last")
    assert OneFrame("last").label == "one-frame:frame=last"
    with pytest.raises(StudyError, match="expected frame to be"):
        condition_named("one-frame:frame=best")


def test_a_stack_of_slices_does_not_stand_in_for_a_video():
    """Where nobody tells modality and body part, a video is still lent by videos alone."""
    options = (Option("Stenosis"), Option("Thrombus"))
    film, stack = (replace(clip(name), question=f"What does {name} show?", options=options) for name in "ab")
    slices = tuple(replace(image, role=f"axial slice {n} of 5") for n, image in enumerate(stack.images, 1))
    with pytest.raises(Inapplicable, match="no other patient's video"):
        under(film, OtherVideo(), replace(stack, images=slices))
    assert under(film, OtherVideo(), stack).images == stack.images
