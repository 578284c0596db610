"""Requests: everything that can change a reply is in the key, the right answer never is."""

from dataclasses import replace
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.asking.plan import Plan
from snellen.conditions import IMAGE_REMOVED, ORIGINAL, OptionsShuffled
from snellen.errors import StudyError
from snellen.images import Encoder
from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, Arm, Prompt, Request, Settings, ask, prompt_named, with_system
from snellen.stress import stress_test
from snellen.stress.tests.declared import IMAGE_NEEDED
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


@settings(max_examples=10)
@given(st.lists(choices(images=True), min_size=1, max_size=3, unique_by=lambda item: item.id))
def test_the_answer_key_never_reaches_a_request(pool):
    """Whichever option is right, the request is the same, under every prompt."""
    for condition, prompt in product((ORIGINAL, IMAGE_REMOVED, OptionsShuffled()), PROMPTS.values()):
        check_no_key(Arm(condition, prompt), pool)


def test_a_sampled_request_is_salted_with_the_item():
    """Two items in equal words share a reply at temperature 0 and are drawn apart when the model samples."""
    one, two = items(1)[0], replace(items(1)[0], id="other")
    keys = {}
    for chosen in (Settings(temperature=0), Settings(temperature=1), PROVIDER_DEFAULTS):
        asked = [ask(item, prompt=PROMPTS["letter"], settings=chosen, encode=Encoder()) for item in (one, two)]
        keys[chosen] = len({request.key for request in asked})
    assert list(keys.values()) == [1, 2, 2]


def test_braces_in_a_question_are_only_words():
    """A question that looks like a template is sent as it is."""
    item = replace(items(1)[0], question="What is {options} in {0}?")
    assert "What is {options} in {0}?" in PROMPTS["letter"].render(item).text


def test_settings_of_an_arm_win_over_the_study():
    """What an arm sets stands, the rest comes from the study."""
    assert Settings(temperature=0.0).with_defaults(Settings(temperature=1.0, max_tokens=9)) == Settings(
        temperature=0.0, max_tokens=9
    )


def test_an_unknown_prompt_is_named_with_those_there_are():
    """The error lists the prompts."""
    with pytest.raises(StudyError, match=r"no prompt 'nope'.*letter"):
        prompt_named("nope")


LETTER = PROMPTS["letter"]
LINES = {"it": "Risposta: X", "es": "Respuesta: X", "fr": "Réponse : X", "de": "Antwort: X", "zh": "答案：X"}


def asked_in(language, prompt=LETTER):
    """The words in which an item of that language is asked."""
    return prompt.render(replace(items(1)[0], language=language)).text


@pytest.mark.parametrize("language", LINES)
def test_an_item_is_asked_in_its_own_language(language):
    """The prompt has been translated; question and options stand as they are, in the same order."""
    words = asked_in(language)
    assert LINES[language] in words
    assert "Answer" not in words
    assert words.partition("\n\n")[0] == asked_in("en").partition("\n\n")[0]
    assert words.split("\n\n")[1] == asked_in("en").split("\n\n")[1]


@pytest.mark.parametrize("language", ["it-CH", "it_IT", "IT"])
def test_a_region_is_no_other_language(language):
    """Swiss Italian is asked in Italian."""
    assert asked_in(language) == asked_in("it")


@pytest.mark.parametrize("language", ["en", "en-GB", "sw", ""])
def test_a_language_without_a_translation_gets_the_usual_words(language):
    """What is not translated is asked in the prompt's own wording."""
    assert asked_in(language) == asked_in("en")


@pytest.mark.parametrize("language", LINES)
def test_a_published_wording_stays_as_it_was_published(language):
    """The prompts of papers are asked in their own words whatever the item's language."""
    assert asked_in(language, PROMPTS["readiness"]) == asked_in("en", PROMPTS["readiness"])


def test_a_translation_must_show_what_the_original_shows():
    """A translation without the options is refused when it is made."""
    with pytest.raises(StudyError, match=r"'p' has \{options\} in 'it'"):
        Prompt("p", "{question}\n{options}", translations={"it": "{question}"})


def digests(prompt, *languages):
    """The digests of a study's arms whose items are in these languages."""
    asked = tuple(replace(item, language=languages[i % len(languages)]) for i, item in enumerate(items(4)))
    plan = Plan((Benchmark("b", asked),), (FakeModel(str),), (IMAGE_NEEDED.design,), prompt, Settings(temperature=0))
    return [arm.digest("the benchmark's", 0) for arm in plan.arms_of(plan.benchmarks[0])]


def test_translations_do_not_touch_a_study_without_them():
    """An English study has the digests that it had before there were translations."""
    assert digests(LETTER, "en") == digests(replace(LETTER, translations={}), "en")
    assert digests(LETTER, "en", "sw") == digests(replace(LETTER, translations={}), "en")


def test_a_translation_in_use_is_part_of_the_digest():
    """A study with Italian items is another one when the Italian wording changes, and not when the Chinese one does."""
    before = digests(LETTER, "en", "it-CH")
    assert before != digests(LETTER, "en")
    for language, changes in (("it", True), ("zh", False)):
        other = {**LETTER.translations, language: LETTER.translations[language] + "!"}
        assert (digests(replace(LETTER, translations=other), "en", "it-CH") != before) == changes


def test_a_report_is_asked_for_in_words_that_fit_its_image():
    """The paper's prompt for chest X-rays is sent for chest X-rays, and where nobody says what the image is."""
    kinds = {
        "chest X-ray": {"modality": "chest X-ray", "body_part": "chest"},
        "brain MRI": {"modality": "brain MRI", "body_part": "head"},
        "retinal OCT scan": {"modality": "OCT"},
        "fundus photograph": {},
        "X-ray of the hand": {"body_part": "hand"},
        "image": {},
    }
    for kind, told in kinds.items():
        item = Item("1", f"Write the report of this {kind}.", kind="report", answer="Clear.", metadata=told)
        for prompt in (PROMPTS["readiness"], with_system(PROMPTS["readiness"], "Be brief.")):
            system, text = prompt.render(item)
            assert ("chest X-ray images" in text) is (kind in ("chest X-ray", "image")), kind
            assert "chest radiologist" not in system or kind in ("chest X-ray", "image")
            assert prompt is PROMPTS["readiness"] or system == "Be brief."


def test_words_for_other_images_count_only_where_they_are_used():
    """A study of chest X-rays is the same study as before; one with other images is another."""
    chest = Item("1", "Write the report.", kind="report", answer="Clear.", metadata={"modality": "chest X-ray"})
    brain = replace(chest, id="2", metadata={"modality": "brain MRI"})
    for some, expected in (([chest], {"report"}), ([chest, brain], {"report", "report/report"})):
        asked, tests = (Benchmark("b", tuple(some)),), (stress_test("reports").design,)
        plan = Plan(asked, (FakeModel(str),), tests, PROMPTS["readiness"], Settings())
        words = plan.arms_of(plan.benchmarks[0])[0].record(0)["prompt"]["tasks"]
        assert {*words, *(f"{name}/{each}" for name, of in words.items() for each in of.get("tasks", ()))} == expected
