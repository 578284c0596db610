"""Requests: everything that can change a reply is in the key, the right answer never is."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions import IMAGE_REMOVED, ORIGINAL
from snellen.errors import StudyError
from snellen.images import Encoder
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, Arm, Request, Settings, ask, prompt_named
from snellen.stress.option_order import OptionsShuffled
from snellen.testing import check_no_key
from strategies import choices, items, picture

BASE = Request("openai/m", "words", "system", (picture(1).encoded(),), Settings(temperature=0.0), "r", 0, "s")


@pytest.mark.parametrize(
    "change",
    [
        {"model": "openai/n"},
        {"text": "word s"},
        {"system": ""},
        {"images": ()},
        {"images": (picture(2).encoded(),)},
        {"images": (picture(1).encoded(), picture(1).encoded())},
        {"settings": Settings(temperature=0.1)},
        {"settings": Settings(temperature=0.0, max_tokens=5)},
        {"settings": Settings(temperature=0.0, reasoning_effort="low")},
        {"revision": ""},
        {"replicate": 1},
        {"sample": ""},
    ],
    ids=str,
)
def test_all_that_can_change_a_reply_changes_the_key(change):
    """Model, revision, words, every image as sent, settings, replicate and sample are all in the key."""
    assert replace(BASE, **change).key != BASE.key


def test_equal_requests_have_one_key():
    """The key depends on nothing else: not on the object, not on how the image came about."""
    assert replace(BASE, images=(picture(1).encoded(),)).key == BASE.key


@pytest.mark.parametrize("arm", [Arm(ORIGINAL), Arm(IMAGE_REMOVED), Arm(OptionsShuffled())], ids=lambda arm: arm.name)
@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=lambda prompt: prompt.name)
@given(st.lists(choices(images=True), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_the_answer_key_never_reaches_a_request(arm, prompt, pool):
    """Whichever option is right, the request is the same."""
    check_no_key(replace(arm, prompt=prompt), pool)


def test_a_sampled_request_is_salted_with_the_item():
    """Two items in equal words share a reply at temperature 0 and are drawn apart when the model samples."""
    one, two = items(1)[0], replace(items(1)[0], id="other")
    keys = {}
    for settings in (Settings(temperature=0), Settings(temperature=1), PROVIDER_DEFAULTS):
        asked = [ask(item, prompt=PROMPTS["letter"], settings=settings, encode=Encoder()) for item in (one, two)]
        keys[settings] = len({request.key for request in asked})
    assert list(keys.values()) == [1, 2, 2]


def test_braces_in_a_question_are_only_words():
    """A question that looks like a template is sent as it is."""
    item = replace(items(1)[0], question="What is {options} in {0}?")
    assert "What is {options} in {0}?" in PROMPTS["letter"].render(item).text


def test_settings_of_an_arm_win_over_the_study():
    """What an arm sets stands, the rest comes from the study."""
    assert Settings(temperature=0.0).over(Settings(temperature=1.0, max_tokens=9)) == Settings(
        temperature=0.0, max_tokens=9
    )


def test_an_unknown_prompt_is_named_with_those_there_are():
    """The error lists the prompts."""
    with pytest.raises(StudyError, match=r"no prompt 'nope'.*letter"):
        prompt_named("nope")
