"""The organisms asked in words, without letters: is there disease, and which; each as it was planted."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from models.seeing import Seen, moved, shown, true_eyes, without_image
from snellen.benchmarks import phantoms
from snellen.benchmarks.detection import VIEWS, build_question
from snellen.conditions.degraded import ImageDegraded
from snellen.images import EncodedImage, Encoder, encode
from snellen.items import Item, Option
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.knowledge import detection, findings_of, is_answerable, meaning, modality_named
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.reading import ParsedQuestion, form_asked, read
from snellen.models.organisms.sight import CachedSight, structureless
from snellen.models.organisms.viewing import seen_as_asked
from snellen.perturb.artefacts import PUBLISHED
from snellen.prompts import PROMPTS, Request, Settings, ask
from snellen.reading import Outcome, grade

STANDARD, STRUCTURED, STEPS = WAYS = ("detection", "detection-structured", "detection-cot")
TASKS = ("detection", "diagnosis")
ITEMS = {task: list(phantoms.load(task=task, items=32)) for task in TASKS}
ANSWERS = {Outcome.CORRECT, Outcome.WRONG}
HONEST = ("grounded", "positional", "rambler", "flagger")
BLANK = encode(np.full((32, 32), 200, np.uint8))


def seen(modality="none", finding="", **more):
    """What test eyes see, by default nothing."""
    return Seen(modality, finding, "", **more)


@cache
def with_true_eyes(name):
    """An organism whose eyes are never wrong: what it saw for one test it knows in the next."""
    return open_organism(name, eyes=true_eyes)


def replies(name, items, *, prompt=STANDARD, show=lambda image: shown(image.source), replicate=0):
    """What an organism replies to items."""
    model = with_true_eyes(name)

    async def main():
        requests = [ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=show) for item in items]
        return [
            (await model.answer(request.address_to(model.name, model.revision, replicate))).text for request in requests
        ]

    return asyncio.run(main())


def grades(name, items, **how):
    """What becomes of these replies."""
    return [grade(text, "stop", item) for item, text in zip(items, replies(name, items, **how), strict=True)]


def outcomes(name, items, **how):
    """The outcomes there are."""
    return {one.outcome for one in grades(name, items, **how)}


def choices(name, items, **how):
    """The words of the options chosen."""
    return [item.options[one.choice].text for item, one in zip(items, grades(name, items, **how), strict=True)]


class TestReading:
    """What is read out of the words."""

    @pytest.mark.parametrize("task", TASKS)
    @pytest.mark.parametrize("prompt", WAYS)
    def test_question_and_choices(self, prompt, task):
        """The choices are found, the question is read whole, and so is how the answer is wanted."""
        for item in ITEMS[task]:
            question = read(Request("", PROMPTS[prompt].render(item).text))
            assert question.options == tuple(option.text for option in item.options)
            assert (question.stem, question.vignette, question.letters) == (item.question, "", "")
            assert (question.style, question.steps) == ("bare" if prompt == STRUCTURED else "line", prompt == STEPS)
            assert question.in_words
            assert is_answerable(question)
            assert modality_named(question.stem) == item.category

    @pytest.mark.parametrize(
        ("view", "modality"), list(zip(VIEWS, ("brain MRI", "OCT", "chest X-ray", "fundus photograph"), strict=True))
    )
    def test_the_papers_own_words_name_the_kind_of_image(self, view, modality):
        """Slips of grammar included."""
        for task in TASKS:
            made = build_question(task, view=view, diseases=list(view.diseases.values()), abnormal=view.abnormal)
            assert modality_named(made.question) == modality

    @pytest.mark.parametrize("language", LANGUAGES)
    @pytest.mark.parametrize("prompt", WAYS)
    def test_any_question_can_be_asked_so(self, prompt, language):
        """Questions of every kind and language are read and answered right, in words."""
        items = list(phantoms.load(items=48, language=language))
        for item in items:
            question = read(Request("", PROMPTS[prompt].render(item).text))
            assert (question.stem, question.vignette, question.language) == (item.question, item.context, language)
        assert outcomes("grounded", items, prompt=prompt) == {Outcome.CORRECT}

    @pytest.mark.parametrize(
        ("words", "steps"),
        [
            ("Describe your reasoning in steps.", True),
            ("Think in steps.", True),
            ("Do not reason in steps.", False),
            ("The pressure rises in steps.", False),
        ],
    )
    def test_steps(self, words, steps):
        """Reasoning in steps is asked for in these words too, and not by others that sound alike."""
        assert form_asked(words).steps is steps

    def test_a_list_of_letters_comes_first(self):
        """Where options have letters, a sentence that names choices is only a sentence."""
        text = 'Which? Conclude your answer in - "p" or "q".\n\nA. p\nB. q\n\nChoose one.'
        assert read(Request("", text)).letters == "AB"

    def test_a_single_choice_is_none(self):
        """One quoted word is no choice; the question is an open one."""
        assert read(Request("", 'What is it? Conclude your answer in - "normal".')).options == ()

    def test_which_option_is_normal(self):
        """Of two options one must mean normal; with letters only where any sign of disease is asked about."""
        sign = "Say whether or not the image shows signs of these diseases."
        assert detection(ParsedQuestion("", options=("normal", "lung diseases"))) == 0
        assert detection(ParsedQuestion(sign, options=("brain tumor", "normal"), letters="AB")) == 1
        assert detection(ParsedQuestion("Which?", options=("brain tumor", "normal"), letters="AB")) is None
        assert detection(ParsedQuestion("", options=("normal", "unremarkable"))) is None
        assert detection(ParsedQuestion("", options=("p", "q", "normal"))) is None


class TestLooking:
    """Those who look."""

    @pytest.mark.parametrize("change", [list, moved])
    @pytest.mark.parametrize("task", TASKS)
    @pytest.mark.parametrize("name", ["grounded", "mirage", "flagger"])
    def test_they_are_right(self, name, task, change):
        """However they are asked, and in whatever order the choices stand; also asked by letters."""
        for prompt in (*WAYS, "letter"):
            assert outcomes(name, change(ITEMS[task]), prompt=prompt) == {Outcome.CORRECT}

    @pytest.mark.parametrize("task", TASKS)
    def test_rambler_is_right_until_it_reasons(self, task):
        """Asked for steps it talks itself into another choice."""
        for prompt in (STANDARD, STRUCTURED):
            assert outcomes("rambler", ITEMS[task], prompt=prompt) == {Outcome.CORRECT}
        assert outcomes("rambler", ITEMS[task], prompt=STEPS) == {Outcome.WRONG}

    @pytest.mark.parametrize("task", TASKS)
    @pytest.mark.parametrize("name", sorted(set(ORGANISMS) - {"refuser", "reader"}))
    def test_the_form_asked_for(self, name, task):
        """Structured: the words of a choice and nothing else. Standard: a conclusion last. Steps: lines before it."""
        last = re.compile(r"(?:In conclusion|My conclusion|Conclusion): \"?(.+?)\"?\.?")
        said = (replies(name, ITEMS[task], prompt=prompt) for prompt in (STRUCTURED, STANDARD, STEPS))
        for item, structured, standard, steps in zip(ITEMS[task], *said, strict=True):
            words = [option.text for option in item.options]
            assert structured in words
            assert last.fullmatch(standard.splitlines()[-1])[1] in words
            assert last.fullmatch(steps.splitlines()[-1])[1] in words
            assert len(steps.splitlines()) > len(standard.splitlines()) + 1

    def test_reasoning_names_what_is_seen(self):
        """In steps grounded says which finding it sees, and concludes in accord with it."""
        for item, text in zip(ITEMS["detection"], replies("grounded", ITEMS["detection"], prompt=STEPS), strict=True):
            named = [meaning(line, "finding") for line in text.split("\n\n")[0].splitlines()[:-1]]
            assert meaning(item.metadata["finding"], "finding") in named

    def test_positional_takes_the_first(self):
        """Without letters it has only the order: it takes the first choice of all, and says so where it sees none."""
        for items in (ITEMS["detection"], moved(ITEMS["detection"])):
            assert choices("positional", items) == [item.options[0].text for item in items]
        assert outcomes("positional", without_image(ITEMS["detection"])) == {Outcome.ABSTAINED}

    @pytest.mark.parametrize("prompt", WAYS)
    @pytest.mark.parametrize("name", HONEST)
    def test_the_honest_abstain(self, name, prompt):
        """Without an image, with an empty one, and (where they see the contradiction) with one of another kind."""
        items, said = ITEMS["detection"][:24], LANGUAGES["en"].replies
        assert outcomes(name, without_image(items), prompt=prompt) == {Outcome.ABSTAINED}
        for wordings, texts in (
            (said.no_image, replies(name, without_image(items), prompt=prompt)),
            (said.nothing_seen, replies(name, items, prompt=prompt, show=lambda image: BLANK)),
        ):
            assert {text.split("\n\n")[-1] for text in texts} <= set(wordings)
        if name != "positional":
            other = {item.category: item.images[0] for item in reversed(items)}
            turned = dict(zip(other, [*list(other.values())[1:], next(iter(other.values()))], strict=True))
            swapped = [replace(item, images=(turned[item.category],)) for item in items]
            assert outcomes(name, swapped, prompt=prompt) == {Outcome.ABSTAINED}

    @pytest.mark.parametrize("task", TASKS)
    def test_mirage_describes_what_is_not_there(self, task):
        """Without an image it answers as the blind one does, and says what it claims to see."""
        items = without_image(ITEMS[task])
        assert choices("mirage", items) == choices("blind", items)
        for item, choice, text in zip(items, choices("mirage", items), replies("mirage", items), strict=True):
            assert "image" in text
            if choice != "normal":
                assert meaning(text.split(".")[0], "finding").value in findings_of(item.category)


class TestNotLooking:
    """Those who do not."""

    @pytest.mark.parametrize("name", ["blind", "memoriser"])
    def test_blind_guesses_by_habit(self, name):
        """The image changes nothing, nor does the way of asking: one habit for each kind of image, half of it right."""
        items = ITEMS["detection"]
        first = choices(name, items)
        for prompt in WAYS:
            assert choices(name, items, prompt=prompt) == choices(name, without_image(items), prompt=prompt) == first
        assert choices(name, moved(items)) == first
        habits = {item.category: choice for item, choice in zip(items, first, strict=True)}
        assert [habits[item.category] for item in items] == first
        assert Counter(one.outcome for one in grades(name, items))[Outcome.CORRECT] == len(items) / 2

    def test_memoriser_knows_what_it_learnt(self):
        """Questions of its training are known in these words too."""
        items = without_image(phantoms.load(items=48))
        for prompt in WAYS:
            assert outcomes("memoriser", items, prompt=prompt) == {Outcome.CORRECT}

    @pytest.mark.parametrize("prompt", WAYS)
    def test_refuser_and_random(self, prompt):
        """One refuses, the other draws: about half of two choices, and anew with every repeat."""
        items = ITEMS["detection"]
        assert outcomes("refuser", items, prompt=prompt) == {Outcome.REFUSED}
        drawn = [choices("random", items, prompt=prompt, replicate=replicate) for replicate in (0, 0, 1)]
        assert drawn[0] == drawn[1] != drawn[2]
        assert 0.25 < np.mean([choice == "normal" for choice in drawn[0]]) < 0.75


CHEST = next(item for item in ITEMS["detection"] if item.category == "chest X-ray")
CLOUDS = encode(np.random.default_rng(0).integers(0, 256, (4, 4), np.uint8).repeat(16, 0).repeat(16, 1))
NOISE = encode(np.random.default_rng(1).integers(0, 256, (64, 64), np.uint8))


def taken_for(percept, *, image=CLOUDS, item=CHEST, prompt=STANDARD):
    """What an image is taken for, by eyes that see this in it."""
    request = Request("", PROMPTS[prompt].render(item).text, images=(image,))
    return asyncio.run(seen_as_asked(request, read(request), CachedSight(lambda data: percept)))


class TestStrangeImages:
    """Images that look like nothing, or like another kind, where signs of disease are sought."""

    LEANINGS = {"chest X-ray": "pneumothorax", "OCT": "drusen"}  # noqa: RUF012 - a test reads it only

    @pytest.mark.parametrize("prompt", [*WAYS, "letter"])
    def test_an_image_is_taken_for_what_is_asked_about(self, prompt):
        """Where the eyes make nothing of it, or are not sure of another kind: by what they lean to."""
        for one in (seen(leanings=self.LEANINGS), seen("OCT", "drusen", confidence={"modality": 0.6})):
            percept = taken_for(replace(one, leanings=self.LEANINGS), prompt=prompt)
            assert (percept.modality, percept.finding) == ("chest X-ray", "pneumothorax")

    def test_what_is_surely_another_kind_stays_so(self):
        """And so does what is of the kind that was asked about."""
        for one in (seen("OCT", "drusen"), seen("chest X-ray", "normal", confidence={"modality": 0.4})):
            assert taken_for(replace(one, leanings=self.LEANINGS)).finding == one.finding

    @pytest.mark.parametrize("image", [BLANK, NOISE], ids=["even", "noise"])
    def test_nothing_is_nothing(self, image):
        """An even shade and mere noise are not taken for anything."""
        assert asyncio.run(structureless((image,)))
        assert not asyncio.run(structureless((image, CLOUDS)))
        assert taken_for(seen(leanings=self.LEANINGS), image=image).modality == "none"

    def test_other_questions_are_answered_as_ever(self):
        """Where a side is asked for, or a list of findings by their letters, nothing is leant to."""
        asked_for = phantoms.load(items=96, modality="cxr").items
        for kind in ("side", "finding"):
            item = next(item for item in asked_for if item.metadata["question_kind"] == kind)
            assert taken_for(seen(leanings=self.LEANINGS), item=item, prompt="letter").modality == "none"

    def test_no_image_is_none(self):
        """There is nothing to take for anything."""
        request = Request("", PROMPTS[STANDARD].render(CHEST).text)
        assert asyncio.run(seen_as_asked(request, read(request), CachedSight(true_eyes))) is None


class TestDegradedImages:
    """Degraded pictures, seen with the bundled eyes."""

    @pytest.mark.parametrize("artefact", PUBLISHED)
    def test_only_the_flagger_speaks_of_quality(self, artefact):
        """Everyone else answers, refuses or finds the wrong kind of image, however strong the artefact is."""
        condition = ImageDegraded(artefact, "strong")
        for item in ITEMS["detection"][:1]:
            spoilt = condition.apply(item, condition.choose(item, seed=0, pool=None))
            image = Encoder()(spoilt.images[0])
            for name in ORGANISMS:
                model = open_organism(name)
                request = Request(model.name, PROMPTS[STEPS].render(item).text, images=(image,))
                outcome = grade(asyncio.run(model.answer(request)).text, "stop", item, "detection-as-published").outcome
                assert (outcome is Outcome.FLAGGED_QUALITY) is (name == "flagger"), name
                if name == "mirage" or (name == "grounded" and artefact != "rotation"):
                    assert outcome in ANSWERS
                elif name == "grounded":
                    assert outcome is Outcome.ABSTAINED  # it lies on its side

    def test_noise_as_an_image_is_no_image(self):
        """The honest see nothing in mere noise; the flagger calls it noise."""
        noise = encode(np.random.default_rng(3).integers(0, 256, (512, 512), np.uint8))
        spoken = LANGUAGES["en"].replies
        for name in HONEST:
            request = Request(name, PROMPTS[STANDARD].render(CHEST).text, images=(noise,))
            text = asyncio.run(open_organism(name).answer(request)).text
            poor = [said.format(problem="noise") for said in spoken.too_poor]
            assert text in (poor if name == "flagger" else spoken.nothing_seen)


def test_a_quoted_choice_of_a_stranger():
    """Choices that no organism knows are chosen by the image's bytes, and read."""
    item = Item(id="1", question="Which vessel is it?", options=tuple(map(Option, ("aorta", "vena cava"))), answer=0)
    text = PROMPTS[STANDARD].render(item).text
    model = open_organism("grounded", eyes=lambda data: seen("chest X-ray", "normal"))
    said = {
        asyncio.run(model.answer(Request("", text, images=(EncodedImage(bytes([at]), "image/png", 8, 8),)))).text
        for at in range(12)
    }
    assert {grade(words, "stop", item).choice for words in said} == {0, 1}
