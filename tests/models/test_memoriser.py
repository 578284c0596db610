"""The memoriser: knows the letters of what it was trained on, and nothing else."""

import asyncio
from dataclasses import replace

import pytest

from models.seeing import moved, without_image
from snellen.benchmarks import phantoms
from snellen.errors import StudyError
from snellen.images import EncodedImage
from snellen.items import Item, Option
from snellen.models import open_model
from snellen.models.organisms import open_organism
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.memoriser import memory
from snellen.prompts import PROMPTS, Request, Settings, ask
from snellen.reading import Outcome, grade
from snellen.reading.claims.parser import read_rationale

ITEMS = list(phantoms.load(items=60, leak=0.5))
CHANCE = sum(item.chance for item in ITEMS) / len(ITEMS)
OWN, ANOTHER = (EncodedImage(name, "image/png", 56, 28) for name in (b"own", b"another"))


def closed(data):
    """Eyes that must not be used."""
    raise AssertionError("the memoriser looked")


def replies(items, /, *, name="memoriser", prompt="letter", image=OWN, **settings):
    """What an organism replies to items."""
    model = open_organism(name, eyes=closed, **settings)

    async def main():
        asked = [ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=lambda _: image) for item in items]
        return [(await model.answer(request.address_to(model.name, model.revision, 0))).text for request in asked]

    return asyncio.run(main())


def grades(items, /, **asked):
    """What becomes of these replies."""
    return [grade(text, "stop", item) for item, text in zip(items, replies(items, **asked), strict=True)]


def choices(items, /, **asked):
    """The options chosen, by their place."""
    return [one.choice for one in grades(items, **asked)]


def accuracy(items, /, **asked):
    """The share of right answers."""
    return sum(one.outcome is Outcome.CORRECT for one in grades(items, **asked)) / len(items)


def exchanged(items):
    """The items, one wrong option of each replaced by one of another question."""
    for item in items:
        wrong = next(at for at in range(len(item.options)) if at != item.answer)
        yield replace(item, options=(*item.options[:wrong], Option("Kyphosis"), *item.options[wrong + 1 :]))


@pytest.mark.parametrize("prompt", [name for name, each in PROMPTS.items() if not each.in_words])
def test_what_it_learnt_it_knows_without_the_image(prompt):
    """Every answer is right, image or no image, leaked or not, however it is asked."""
    assert accuracy(ITEMS, prompt=prompt) == accuracy(without_image(ITEMS), prompt=prompt) == 1
    assert CHANCE < 0.4


def test_it_learnt_the_letter_not_the_option():
    """With every option moved, the letters stay and every answer is wrong."""
    assert choices(moved(ITEMS)) == choices(ITEMS)
    assert accuracy(moved(ITEMS)) == 0


def test_another_image_changes_nothing():
    """It sticks to the answer of the image it was trained with."""
    assert choices(ITEMS, image=ANOTHER) == [item.answer for item in ITEMS]


def test_an_exchanged_option_makes_it_guess():
    """A question with another option is another question: it chooses as the blind one does."""
    items = list(exchanged(phantoms.load(items=60, leak=0.0)))
    assert choices(items) == choices(items, name="blind")
    assert accuracy(items) < 0.5


@pytest.mark.parametrize(
    "change",
    [
        lambda item: replace(item, context=f"{item.context} Left-handed."),
        lambda item: replace(item, question=item.question.replace("?", " at all?")),
    ],
    ids=["vignette", "question"],
)
def test_other_words_make_it_guess(change):
    """One word more, and it does not know the question."""
    items = [change(item) for item in ITEMS]
    assert choices(items) == choices(items, name="blind") != choices(ITEMS)


@pytest.mark.parametrize("settings", [{"seed": 1}, {"language": "it"}, {"items": 1}], ids=str)
def test_what_it_was_not_trained_on_it_guesses(settings):
    """Other patients, another language, items beyond the last: it chooses as the blind one does."""
    items = ITEMS[1:]
    assert choices(items, **settings) == choices(items, name="blind")


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_can_be_trained_in_any_language(code):
    """It knows the phantoms of the language it was given, and says so firmly in that language, claiming no sight."""
    items = without_image(phantoms.load(items=30, leak=0.5, language=code))
    assert accuracy(items, language=code) == 1
    for item, text in zip(items, replies(items, language=code, prompt="readiness-cot"), strict=True):
        assert read_rationale(text.split("<answer>")[0], "", item)[:3] == ((), False, False)
    firm = LANGUAGES[code].replies.recalled
    used = {
        next(one for one in firm if text.startswith(one.replace("{letter}", item.letter)))
        for item, text in zip(items, replies(items, language=code), strict=True)
    }
    assert used == set(firm)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_firm_word_is_read(code):
    """However it puts its answer, and however that ends, the parser finds the option."""
    said = LANGUAGES[code].replies
    for item in phantoms.load(items=12, language=code):
        for place, option in enumerate(item.options):
            words = {"letter": "ABCDE"[place], "option": option.text}
            for text in (f"{one}\n\n{ending}".format(**words) for one in said.recalled for ending in said.endings):
                assert grade(text, "stop", item).choice == place, text


def test_of_equal_wordings_the_first_is_kept():
    """Two patients may read the same; then it knows the answer of the first alone."""
    items = list(phantoms.load(items=1000))
    first = {}
    for item in items:
        first.setdefault((item.context, item.question, frozenset(item.options)), item.answer)
    expected = [first[item.context, item.question, frozenset(item.options)] for item in items]
    assert choices(items) == expected
    assert 0 < sum(answer != item.answer for answer, item in zip(expected, items, strict=True)) < 10


def test_all_of_one_training_share_their_memory():
    """It is learnt once, with the first reply of any of them."""
    memory.cache_clear()
    for _ in range(3):
        open_organism("memoriser", items=7)
    assert memory.cache_info().misses == 0
    for _ in range(3):
        replies(ITEMS[:2], items=7)
    assert memory.cache_info().misses == 1


def test_what_is_no_choice_it_guesses():
    """An open question is answered as the blind one answers it."""
    item = Item(id="1", question="Describe this chest X-ray.", kind="open", answer="normal")
    asked = Request("", item.question)
    said = [asyncio.run(open_organism(name).answer(asked)).text for name in ("memoriser", "blind")]
    assert said[0] == said[1]


@pytest.mark.parametrize("settings", [{"items": 0}, {"seed": -1}, {"leak": 2.0}, {"language": "tlh"}], ids=str)
def test_impossible_settings(settings):
    """They are refused at once, not with the first reply."""
    with pytest.raises(StudyError, match=str(next(iter(settings.values())))):
        open_organism("memoriser", **settings)


def test_its_training_is_its_revision():
    """Another training is another model; how much the text gives away is not part of it."""
    usual = open_organism("memoriser").revision
    assert open_organism("memoriser", leak=1.0).revision == usual
    others = [{"items": 10}, {"seed": 1}, {"language": "zh"}]
    assert len({usual, *(open_organism("memoriser", **settings).revision for settings in others)}) == 4


def test_settings_stand_behind_a_colon():
    """As the docs write it; a setting that it does not have, or that no line can hold, is refused in a sentence."""
    assert "seed=7" in open_model("organism/memoriser:seed=7").revision
    for line in ("sed=7", "7", "eyes=network", "items=many"):
        with pytest.raises(StudyError, match="cannot be opened"):
            open_model(f"organism/memoriser:{line}")
    with pytest.raises(StudyError, match="looks to be first, middle or all, got 'last'"):
        open_model("organism/grounded:looks=last")
    with pytest.raises(StudyError, match="one of first, middle, all, got 'last'"):
        open_organism("grounded", looks="last")
