"""The words taken away: the question alone, the options alone."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks.printed_options import without_printed_options
from snellen.conditions import IMAGE_REMOVED, OPTIONS_ONLY, QUESTION_ONLY, Pool, vary
from snellen.conditions.text import CHOOSE, told_and_asked
from snellen.errors import Inapplicable
from snellen.images import Encoder
from snellen.items import Item, Option
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, ask
from strategies import choices, items

OPTIONS = (Option("Zoster"), Option("Psoriasis"), Option("Eczema"))
IMAGES = items(1)[0].images
PUBLISHED = Path(__file__).parents[3] / "shared" / "data" / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"
CASE = Item(
    id="case",
    question="A man of 70 has an itching rash. Which diagnosis is most likely?",
    options=OPTIONS,
    answer=1,
    images=IMAGES,
    context="He takes lithium.",
)


def under(condition, item=CASE):
    """The item as the condition leaves it."""
    return vary(item, condition, seed=0, pool=Pool([item])).item


def request(item):
    """The words and images that are sent."""
    made = ask(item, prompt=PROMPTS["letter"], settings=PROVIDER_DEFAULTS, encode=Encoder())
    return made.system, made.text, made.images


def test_the_question_alone_has_no_context_no_image_and_no_story():
    """What asks stays, with options and answer."""
    asked = "Which diagnosis is most likely?"
    assert under(QUESTION_ONLY) == replace(CASE, images=(), context="", question=asked)


def test_the_options_alone_have_a_line_that_asks_to_choose():
    """Options and answer stay; of the question, the context and the image nothing is sent."""
    left = under(OPTIONS_ONLY)
    assert left == replace(CASE, images=(), context="", question="Choose the most likely answer.")
    _, text, images = request(left)
    assert not images
    for gone in ("70", "rash", "diagnosis", "lithium"):
        assert gone not in text
    assert all(option.text in text for option in OPTIONS)


@pytest.mark.parametrize(
    ("language", "said"),
    [("en", "en"), ("it-CH", "it"), ("es", "es"), ("FR", "fr"), ("de_DE", "de"), ("zh", "zh"), ("pl", "en")],
)
def test_the_line_is_in_the_language_of_the_item(language, said):
    """English where there is none of its own."""
    assert under(OPTIONS_ONLY, replace(CASE, language=language)).question == CHOOSE[said]
    assert len(set(CHOOSE.values())) == 6


def test_what_was_asked_is_stored():
    """So that it can be replayed, whatever becomes of the rule that found it."""
    for condition in (QUESTION_ONLY, OPTIONS_ONLY):
        drawn = vary(CASE, condition, seed=0, pool=Pool([CASE])).drawn
        assert condition.apply(CASE, {"question": "Which?"}).question == "Which?"
        assert set(drawn) == {"question"}


def test_without_a_story_the_request_is_that_without_the_image():
    """And is therefore asked once."""
    plain = replace(CASE, context="", question="What is shown?")
    assert request(under(QUESTION_ONLY, plain)) == request(under(IMAGE_REMOVED, plain))
    assert request(under(QUESTION_ONLY)) != request(under(IMAGE_REMOVED))


def test_items_that_never_had_an_image_lose_their_words():
    """The options alone have a meaning everywhere; the question alone where it is not all there is."""
    words = replace(CASE, images=())
    assert under(OPTIONS_ONLY, words).question == CHOOSE["en"]
    assert under(QUESTION_ONLY, words).context == ""
    bare = replace(words, context=" ", question="What is it?")
    assert under(OPTIONS_ONLY, bare).question == CHOOSE["en"]
    with pytest.raises(Inapplicable, match="no image, no context and no story"):
        under(QUESTION_ONLY, bare)


def test_where_it_has_no_meaning_it_says_why():
    """An open question has no options, and a report is no question; an open question can stand alone."""
    open_question = replace(CASE, kind="open", options=(), answer="Psoriasis")
    report = replace(open_question, kind="report")
    for item in (open_question, report):
        with pytest.raises(Inapplicable, match="offers no options"):
            under(OPTIONS_ONLY, item)
    with pytest.raises(Inapplicable, match="asks for a report"):
        under(QUESTION_ONLY, report)
    assert under(QUESTION_ONLY, open_question).question == "Which diagnosis is most likely?"


@pytest.mark.parametrize(
    ("question", "story", "asked"),
    [
        ("What is shown?", "", "What is shown?"),
        ("Select the diagnosis.", "", "Select the diagnosis."),
        ("A rash is seen. Select the diagnosis.", "A rash is seen.", "Select the diagnosis."),
        ("She asks “Is it bad?” and leaves. What is it?", "She asks “Is it bad?” and leaves.", "What is it?"),
        ("A cough. What is it? How is it treated?", "A cough.", "What is it? How is it treated?"),
        ("A cough. What is it? (Choose one.)", "A cough.", "What is it? (Choose one.)"),
        ("See *Image One.* Which is it?\n\nImage One", "See *Image One.*", "Which is it?\n\nImage One"),
        ("Dr. Hill vs. Dr. Moss: who is right?", "", "Dr. Hill vs. Dr. Moss: who is right?"),
        ("Is the lesion 2.5 cm or approx. 3 cm?", "", "Is the lesion 2.5 cm or approx. 3 cm?"),
        ("He has hepatitis B. What now?", "He has hepatitis B.", "What now?"),
        ("Labs:\nSodium 140\nWhich is it?", "Labs:\nSodium 140", "Which is it?"),
        ("What is the most\nlikely diagnosis?", "", "What is the most\nlikely diagnosis?"),
        ("患者，60岁。咳嗽三周。最可能的诊断是什么？", "患者，60岁。咳嗽三周。", "最可能的诊断是什么？"),
        ("Uomo di 70 anni. Tosse. Qual è la diagnosi?", "Uomo di 70 anni. Tosse.", "Qual è la diagnosi?"),
    ],
)
def test_what_asks_is_told_from_the_story(question, story, asked):
    """In one sentence or many, with and without a question mark."""
    assert told_and_asked(question) == (story, asked)


@pytest.mark.skipif(not PUBLISHED.exists(), reason="the published file is not here")
def test_the_stories_of_a_real_benchmark_are_found():
    """MedXpertQA-MM tells the case within the question in four of five; what is left asks, and is short."""
    rows = [json.loads(line) for line in gzip.decompress(PUBLISHED.read_bytes()).splitlines()]
    options = [[Option(each["content"]) for each in row["options"]] for row in rows]
    asked = [without_printed_options(row["question"], each) for row, each in zip(rows, options, strict=True)]
    parts = [told_and_asked(question) for question in asked]
    assert sum(bool(story) for story, _ in parts) == 1600
    assert sum("?" not in words for _, words in parts) == 11
    assert max(len(words) for _, words in parts) < 600
    assert min(len(words) for _, words in parts) > 15


@given(st.text(alphabet='aB.?!。？ \n*"”d' + "r", max_size=60))
def test_no_word_is_lost_between_story_and_question(text):
    """The two together are the text, and a text with anything in it asks something."""
    story, asked = told_and_asked(text)
    assert "".join(f"{story}{asked}".split()) == "".join(text.split())
    assert bool(asked) == bool(text.strip())


@given(choices(images=True))
def test_options_and_answer_stay(item):
    """Under both, whatever the item says."""
    for condition in (QUESTION_ONLY, OPTIONS_ONLY):
        left = under(condition, item)
        assert (left.options, left.answer, left.id) == (item.options, item.answer, item.id)
        assert (left.images, left.context) == ((), "")
        assert left.question in {*CHOOSE.values(), told_and_asked(item.question)[1]}
