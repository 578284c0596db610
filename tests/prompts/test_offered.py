"""The choices of a rendered prompt, read back."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.items import Item, Option
from snellen.prompts import BARE, DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS, PROMPTS
from snellen.prompts.offered import Offer, list_choices, offer
from strategies import choices

LISTING = [name for name, prompt in PROMPTS.items() if "{options}" in prompt.user]
NAMING = ["detection", "detection-structured", "detection-cot"]
PLAIN = Item(id="1", question="Is it healthy?", options=(Option("brain tumor"), Option("normal")))


def texts(item):
    return tuple(option.text for option in item.options)


def without_quotes(item):
    """The item, its options without the signs that a sentence puts around them."""
    bare = (option.text.translate(dict.fromkeys(map(ord, '"“”'))) for option in item.options)
    return replace(item, options=tuple(Option(text if text.strip() else "none") for text in bare))


@given(choices(), st.sampled_from(LISTING), st.sampled_from(["en", "it", "zh", "nl"]))
def test_listed_options_are_read_back_from_every_prompt(item, prompt, language):
    """What a prompt that lists options offers are the item's options, in their order, whatever they hold."""
    rendered = PROMPTS[prompt].render(replace(item, language=language)).text
    assert offer(rendered) == Offer(texts(item), lettered=True)


@given(choices(), st.sampled_from(NAMING))
def test_quoted_choices_are_read_back_from_the_detection_prompts(item, prompt):
    """What a prompt that names the options in a sentence offers are the item's options, to be named in words."""
    bare = without_quotes(item)
    assert offer(PROMPTS[prompt].render(bare).text) == Offer(texts(bare), lettered=False)


@pytest.mark.parametrize("prompt", [DETECTION, DETECTION_STRUCTURED, DETECTION_WITH_STEPS], ids=lambda each: each.name)
@pytest.mark.parametrize("words", [("glioma", "meningioma", "pituitary", "normal"), ("COVID-19", "no. 2 or more")])
def test_curly_quotes_do_as_well(prompt, words):
    """A prompt whose quotes were made typographic offers the same."""
    text = prompt.render(replace(PLAIN, options=tuple(map(Option, words)))).text
    for word in words:
        text = text.replace(f'"{word}"', f"“{word}”")
    assert list_choices(text) == words


def test_quotes_within_a_choice_belong_to_it():
    """A quoted word within a choice does not end it."""
    item = replace(PLAIN, options=(Option('the "white" lung'), Option("normal")))
    assert list_choices(DETECTION.render(item).text) == ('the "white" lung', "normal")


def test_a_list_within_the_question_is_not_what_is_offered():
    """The choices stand after the question; a list or a sentence of choices within it is part of the question."""
    item = replace(PLAIN, question='A. one\nB. two\nSomeone is choosing between "x" and "y".\nWhich is shown?')
    assert list_choices(PROMPTS["letter"].render(item).text) == texts(PLAIN)
    assert list_choices(DETECTION.render(item).text) == texts(PLAIN)


def test_options_of_several_lines_are_whole():
    """An option's second line is its own, and no letter within it begins another."""
    item = replace(PLAIN, options=(Option("one\ntwo"), Option("three\nD. four"), Option("five")))
    assert list_choices(PROMPTS["readiness"].render(item).text) == texts(item)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "What does the image show?",
        "A. a list of one\nand nothing else",
        "Someone is choosing between tumour and normal.",
        'They are choosing between "tumour" alone.',
        "B. begins\nC. in the middle",
        BARE.render(PLAIN).text,
        PROMPTS["mirage-vqa-rad"].render(PLAIN).text,
    ],
)
def test_where_nothing_is_offered_nothing_is_read(text):
    """A question without choices offers none."""
    assert offer(text) == Offer()
