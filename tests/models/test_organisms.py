"""The organisms: each shows the behaviour that was planted in it, and no other."""

import ast
import asyncio
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections import Counter
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import snellen.models.organisms as family
from models.seeing import Seen, moved, shown, true_eyes, without_image
from snellen.benchmarks import phantoms
from snellen.errors import ImageError, PluginError, RejectedError
from snellen.images import EncodedImage, Encoder, encode
from snellen.items import Item, Option
from snellen.models.base import check_sent
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.hunches import given_away, leaning
from snellen.models.organisms.knowledge import asked_kind, is_answerable, meaning, modality_named, usual_order
from snellen.models.organisms.languages import LANGUAGES, language_of
from snellen.models.organisms.organism import VERSION
from snellen.models.organisms.reading import ParsedQuestion, read
from snellen.models.organisms.sight import CachedSight, weights_digest
from snellen.prompts import PROMPTS, Request, Settings, ask
from snellen.reading import Outcome, grade
from snellen.reading.claims.parser import read_rationale

ANSWERS = {Outcome.CORRECT, Outcome.WRONG}


def picture(data=b"picture"):
    """Some image; test eyes do not mind what it holds."""
    return EncodedImage(data, "image/png", 56, 28)


def reply(name, request, *, eyes=lambda data: Seen()):
    """The words an organism replies with."""
    model = open_organism(name, eyes=eyes)
    return asyncio.run(model.answer(replace(request, model=model.name))).text


@cache
def asked(item, prompt):
    """An item as a request that any organism can be asked, made once for all of them."""
    return ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=lambda image: shown(image.source))


@cache
def with_true_eyes(name):
    """An organism whose eyes are never wrong: what it saw for one test it knows in the next."""
    return open_organism(name, eyes=true_eyes)


def outcomes(name, items, *, prompt="letter", replicate=0):
    """What becomes of an organism's replies to items, in order."""
    model = with_true_eyes(name)

    async def main():
        requests = (asked(item, prompt).address_to(model.name, model.revision, replicate) for item in items)
        return [(await model.answer(request)).text for request in requests]

    return [grade(text, "stop", item) for text, item in zip(asyncio.run(main()), items, strict=True)]


ITEMS = list(phantoms.load(items=120, leak=0.0))
LEAKED = list(phantoms.load(items=120, leak=1.0))
CHANCE = sum(item.chance for item in ITEMS) / len(ITEMS)


def texts(grades, items):
    """The words of the options chosen."""
    return [item.options[one.choice].text for one, item in zip(grades, items, strict=True)]


def share(grades, outcome=Outcome.CORRECT):
    """The share of grades with that outcome."""
    return sum(one.outcome is outcome for one in grades) / len(grades)


class TestOnPhantoms:
    """The planted behaviours, with eyes that are never wrong."""

    def test_the_longest_option_is_taken_whatever_is_asked(self):
        """Neither image nor order nor question changes it; of equally long ones always the same, and never Unknown."""
        first = texts(outcomes("longest-option", ITEMS), ITEMS)
        for item, chosen in zip(ITEMS, first, strict=True):
            assert len(chosen) == max(len(option.text) for option in item.options)
        reworded = [replace(item, context="", question="Choose the most likely answer.") for item in ITEMS]
        for items in (without_image(ITEMS), moved(ITEMS), reworded):
            assert texts(outcomes("longest-option", items), items) == first
        unsure = Item("u", "Which?", (Option("I do not know"), Option("Cyst"), Option("Mass")), 1)
        assert texts(outcomes("longest-option", [unsure]), [unsure])[0] in ("Cyst", "Mass")

    def test_mirage_answers_without_the_image(self):
        """Without the image it claims to see, and scores what the text allows."""
        grades = outcomes("mirage", without_image(ITEMS))
        assert {one.outcome for one in grades} == ANSWERS
        assert share(grades) == pytest.approx(CHANCE, abs=0.1)
        assert share(outcomes("mirage", without_image(LEAKED))) == 1
        words = reply(
            "mirage", ask(without_image(ITEMS)[0], prompt=PROMPTS["letter"], settings=Settings(), encode=shown)
        )
        assert "image" in words

    def test_random_is_at_chance_and_independent(self):
        """Its score is chance, its replicates agree no more often than chance, and a repeat is the same."""
        first, again, other = (outcomes("random", ITEMS, replicate=replicate) for replicate in (0, 0, 1))
        assert [one.choice for one in first] == [one.choice for one in again]
        assert share(first) == pytest.approx(CHANCE, abs=0.1)
        agreeing = [one.choice == two.choice for one, two in zip(first, other, strict=True)]
        assert np.mean(agreeing) == pytest.approx(CHANCE, abs=0.1)

    def test_random_is_uniform(self):
        """Each of five options is drawn about as often (χ² with 4 degrees of freedom under its 0.999 quantile)."""
        text = "Which?\n\nA. v\nB. w\nC. x\nD. y\nE. z\n\nEnd with 'Answer: X'."
        model = open_organism("random")

        async def main():
            return [(await model.answer(Request(model.name, text, replicate=i))).text[-1] for i in range(2000)]

        counts = Counter(asyncio.run(main()))
        assert sum((counts[letter] - 400) ** 2 / 400 for letter in "ABCDE") < 18.5

    def test_grounded_sees_with_its_own_eyes(self):
        """With the bundled network, from real pixels, at least nine of ten answers are right."""
        items = list(phantoms.load(items=40, seed=20))
        model = open_organism("grounded")

        async def main():
            asked = [ask(item, prompt=PROMPTS["letter"], settings=Settings(), encode=Encoder()) for item in items]
            return [(await model.answer(request.address_to(model.name, model.revision, 0))).text for request in asked]

        assert share([grade(text, "stop", item) for text, item in zip(asyncio.run(main()), items, strict=True)]) >= 0.9


OTHERS = [code for code in LANGUAGES if code != "en"]
SPOKEN = {code: list(phantoms.load(items=60, language=code)) for code in LANGUAGES}
TELLING = {code: list(phantoms.load(items=60, leak=1.0, language=code)) for code in LANGUAGES}
BLANKS = {
    "white": np.full((512, 512), 255, np.uint8),
    "black": np.zeros((512, 512), np.uint8),
    "grey": np.full((512, 512), 128, np.uint8),
    "noise": np.random.default_rng(1).integers(0, 256, (512, 512), dtype=np.uint8),
    "coloured noise": np.random.default_rng(2).integers(0, 256, (512, 512, 3), dtype=np.uint8),
    "placeholder": np.full((175, 279, 3), 255, np.uint8),
}


def words_of(name, items, *, prompt="letter", images=None, eyes=true_eyes):
    """What an organism replies to items, their images replaced where others are given."""
    model = with_true_eyes(name) if eyes is true_eyes else open_organism(name, **({"eyes": eyes} if eyes else {}))

    async def main():
        for item in items:
            request = asked(item, prompt) if images is None else replace(asked(item, prompt), images=images)
            yield (await model.answer(request.address_to(model.name, model.revision, 0))).text

    async def everything():
        return [text async for text in main()]

    return asyncio.run(everything())


@pytest.mark.parametrize("code", LANGUAGES)
class TestInEveryLanguage:
    """The behaviours do not depend on the language, and replies are in that of the question."""

    @pytest.mark.parametrize("prompt", ["letter", "readiness"])
    @pytest.mark.parametrize("change", [list, moved])
    @pytest.mark.parametrize("name", ["grounded", "mirage", "rambler"])
    def test_those_who_look_are_right(self, code, name, change, prompt):
        """With the image every answer is right, whatever the order of the options and the wording of the prompt."""
        assert share(outcomes(name, change(SPOKEN[code][:24]), prompt=prompt)) == 1

    @pytest.mark.parametrize("name", ["grounded", "positional", "rambler"])
    def test_the_honest_abstain_without_the_image(self, code, name):
        """Even where the text gives the answer away, after either prompt, and in every wording there is."""
        for items, prompt in product((SPOKEN[code][:24], TELLING[code]), ("letter", "readiness")):
            grades = outcomes(name, without_image(items), prompt=prompt)
            assert share(grades, Outcome.ABSTAINED) == 1
        said = set(words_of(name, without_image(TELLING[code])))
        assert said == set(LANGUAGES[code].replies.no_image)

    def test_blind_is_moved_by_nothing(self, code):
        """Removing the image or moving the options changes no choice; what the text gives away is read."""
        items = SPOKEN[code]
        first = outcomes("blind", items)
        assert texts(outcomes("blind", without_image(items)), items) == texts(first, items)
        assert texts(outcomes("blind", moved(items)), moved(items)) == texts(first, items)
        assert texts(outcomes("blind", items, prompt="readiness"), items) == texts(first, items)
        assert share(first) == pytest.approx(CHANCE, abs=0.1)
        for change in (list, moved, without_image):
            assert share(outcomes("blind", change(TELLING[code]))) == 1

    def test_positional_is_right_in_the_usual_order_only(self, code):
        """With the options moved it is always wrong. A translated question keeps the order that it has learnt."""
        assert share(outcomes("positional", SPOKEN[code])) == 1
        assert share(outcomes("positional", moved(SPOKEN[code])), Outcome.WRONG) == 1

    def test_refuser_refuses(self, code):
        """With and without the image, in every wording there is."""
        for change in (list, without_image):
            assert share(outcomes("refuser", change(SPOKEN[code])), Outcome.REFUSED) == 1
        assert set(words_of("refuser", SPOKEN[code])) == set(LANGUAGES[code].replies.refusals)


@pytest.mark.parametrize("code", OTHERS)
class TestInOtherLanguages:
    """What is read and said in other languages than English."""

    def test_every_question_is_understood(self, code):
        """Kind, options and kind of image are read from the words alone, in both prompts."""
        for item, english in zip(SPOKEN[code], SPOKEN["en"], strict=True):
            for prompt in ("letter", "readiness"):
                question = read(Request("", PROMPTS[prompt].render(item).text))
                assert question.language == code
                assert question.options == tuple(option.text for option in item.options)
                assert is_answerable(question)
                assert question.stem == item.question
                assert question.vignette == item.context
            twin = read(Request("", PROMPTS["letter"].render(english).text))
            assert asked_kind(question) == asked_kind(twin)
            assert modality_named(question.stem, code) == modality_named(twin.stem)

    def test_mirage_describes_what_is_not_there(self, code):
        """Without the image every reply claims to have seen one, and names the finding it chose."""
        seeing = {
            "it": re.compile("immagine[^.]* (?:mostra|evidenzia|documenta) "),
            "zh": re.compile("图像.*(?:显示|可见)"),
        }
        items = without_image(TELLING[code])
        for item, said in zip(items, words_of("mirage", items), strict=True):
            assert seeing[code].search(said)
            if item.metadata["question_kind"] == "finding" and item.metadata["finding"] != "normal":
                assert item.options[item.answer].text.lower() in said
        assert share(outcomes("mirage", items)) == 1

    def test_answers_end_in_many_ways(self, code):
        """Each rationale meets each ending; no English is left."""
        replies = LANGUAGES[code].replies
        said = words_of("grounded", [*SPOKEN[code], *TELLING[code]])
        shapes = {re.sub(r"[A-E](\. .+)?", lambda named: "X. …" if named[1] else "X", text) for text in said}
        assert len(shapes) == len(replies.looked) * len(replies.endings)
        assert not any("Answer" in text or "option" in text for text in said)

    def test_image_of_another_kind(self, code):
        """Grounded names both kinds, in the language."""
        item = next(item for item in SPOKEN[code] if item.category == "chest X-ray")
        (said,) = words_of("grounded", [item], eyes=lambda data: Seen(modality="brain MRI", finding="normal"))
        assert LANGUAGES[code].modality("brain MRI") in said
        assert LANGUAGES[code].modality("chest X-ray") in said
        assert grade(said, "stop", item).outcome is Outcome.ABSTAINED

    @pytest.mark.parametrize("percept", [Seen(), Seen(finding="normal")], ids=["pneumothorax", "normal"])
    def test_open_questions(self, code, percept):
        """Those who look answer in a few words of the language."""
        asked = {
            "it": ("Qual è il reperto principale?", "C'è uno pneumotorace?", "Su quale lato si trova?"),
            "zh": ("主要表现是什么？", "是否可见气胸？", "位于哪一侧？"),
        }[code]
        ill = percept.finding != "normal"
        expected = {
            "it": ("pneumotorace" if ill else "alterazion", "Sì." if ill else "No.", "Lato sinistro."),
            "zh": ("气胸" if ill else "未见", "是。" if ill else "否。", "左侧。"),
        }[code]
        for question, answer in zip(asked, expected, strict=True):
            assert answer in reply("grounded", Request("", question, images=(picture(),)), eyes=lambda data: percept)

    def test_open_question_without_an_image(self, code):
        """Grounded asks for it, mirage describes it in ever new ways, blind and random suppose."""
        asked = {"it": "Descrivi la radiografia del torace.", "zh": "请描述这张胸部X线片。"}[code]
        known = [LANGUAGES[code].name("finding", finding) for finding in LANGUAGES["en"].words["finding"]]
        requests = [Request("", asked, replicate=i) for i in range(30)]
        assert {reply("grounded", request) for request in requests} <= set(LANGUAGES[code].replies.no_image)
        described = {reply("mirage", request) for request in requests}
        assert len(described) > 5
        for said in (*described, *(reply(name, requests[0]) for name in ("blind", "random"))):
            assert any(finding in said for finding in known)

    @pytest.mark.parametrize(
        ("asked", "style"),
        [("Rispondi solo con la lettera.", "letter"), ("只回答字母。", "letter"), ("[[X]]", "brackets")],
    )
    def test_styles(self, code, asked, style):
        """How the answer is wanted is read in the prompt's language."""
        text = {"it": "Quale?\n\nA. p\nB. q", "zh": "哪一个？\nA．甲\nB．乙"}[code]
        question = read(Request("", f"{text}\n\n{asked}"))
        assert (question.style, question.letters) == (style, "AB")


class TestBlankImages:
    """A blank picture, seen with the bundled eyes."""

    @pytest.mark.parametrize("blank", BLANKS)
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_the_honest_see_nothing_and_mirage_sees_all_the_same(self, code, blank):
        """One tone or noise, of the picture's size or a placeholder's: nothing to see, in every kind of question."""
        items = SPOKEN[code][:12]
        images = (encode(BLANKS[blank]),)
        replies = LANGUAGES[code].replies
        for name in ("grounded", "positional", "rambler"):
            assert set(words_of(name, items, images=images, eyes=None)) <= set(replies.nothing_seen)
        seeing = {"en": "image", "it": "immagine", "zh": "图像"}[code]
        for item, said in zip(items, words_of("mirage", items, images=images, eyes=None), strict=True):
            assert seeing in said
            assert grade(said, "stop", item).outcome in ANSWERS


class TestEnglishReplies:
    """What English replies have always been."""

    DIGESTS: ClassVar = {
        "blind": "e8955049a0c7",
        "contrarian": "2a41ed2838bc",
        "flagger": "31705ff009bd",
        "grounded": "ee2bd806729c",
        "longest-option": "0680bc5c7ce5",
        "memoriser": "e50d36e106f1",
        "mirage": "7bcf4795cfb1",
        "positional": "072c70ef4de4",
        "pretender": "1bcc07757b7b",
        "rambler": "3b30f7165eff",
        "random": "0c5068e08fab",
        "reader": "4a9ddfa43789",
        "refuser": "f701913a9c56",
        "text-driven": "6905ffbbc2ac",
        "normal-report": "fd5ba2688997",
        "nearsighted-2": "6501fe7015cb",
        "nearsighted-4": "23321ee3d4e3",
        "nearsighted-8": "19ecb0501ff1",
        "prior": "e55f04d1f677",
        "tag-reader": "a7415c2e1ba6",
    }

    @pytest.mark.parametrize("name", sorted(ORGANISMS))
    def test_they_stay_as_they_are(self, name):
        """Stored replies stand for what the organism says: where one changes, VERSION has to be raised too."""
        said = [
            text
            for items in (ITEMS, LEAKED, without_image(ITEMS))
            for prompt in ("letter", "readiness")
            for text in words_of(name, items, prompt=prompt)
        ]
        digest = hashlib.sha256("\0".join(said).encode()).hexdigest()[:12]
        assert (VERSION, digest) == ("1", self.DIGESTS[name])


class TestLanguages:
    """Which language a question is in."""

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("Dov'è la lesione?", "it"),
            ("In quale lobo si trova l'alterazione?", "it"),
            ("Questa RM mostra un tumore?", "it"),
            ("这张OCT图像显示什么？", "zh"),
            ("Y a-t-il un épanchement pleural ?", "en"),
            ("¿Cuál es el hallazgo principal en esta radiografía?", "en"),
            ("Qual é o achado principal nesta radiografia?", "en"),
            ("Welche Seite ist betroffen?", "en"),
            ("この画像の主な所見は何ですか？", "en"),
            ("Is IL-6 elevated in 结核?", "en"),
            ("", "en"),
        ],
    )
    def test_language_of(self, text, code):
        """Chinese by its signs, Italian by its little words; all else is answered in English."""
        assert language_of(text) == code

    def test_real_english_questions_are_english(self):
        """No question of VQA-RAD is taken for another language."""
        folder = Path(__file__).parents[2].parent / "shared" / "data" / "vqa-rad"
        if not folder.is_dir():
            pytest.skip("the real VQA-RAD is not here")
        questions = json.loads((folder / "testset.json").read_text(encoding="utf-8"))
        assert {language_of(row["question"]) for row in questions} == {"en"}

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_every_language_can_say_everything(self, code):
        """Each meaning that English has a word for has one, and each reply comes in more than one wording."""
        language, english = LANGUAGES[code], LANGUAGES["en"]
        assert {kind: list(words) for kind, words in language.words.items()} == {
            kind: list(words) for kind, words in english.words.items()
        }
        assert list(language.modalities) == list(english.modalities)
        assert all(language.name(kind, value) for kind, words in english.words.items() for value in words)
        assert min(len(language.replies.no_image), len(language.replies.nothing_seen)) > 2
        assert len(language.replies.refusals) > 3


class TestBeyondPhantoms:
    """What the organisms do with images and questions they do not know."""

    ITEM = Item(id="x/1", question="Which vessel is occluded?", options=tuple(map(Option, "pqrst")), answer=0)

    def asked(self, item=None, images=(), prompt="letter"):
        """The item as a request."""
        rendered = PROMPTS[prompt].render(item or self.ITEM)
        return Request("", rendered.text, rendered.system, images)

    @pytest.mark.parametrize("name", ["grounded", "mirage", "positional"])
    def test_unknown_question_is_answered_from_the_image_bytes(self, name):
        """The choice changes with the image and with nothing else."""
        chosen = [reply(name, self.asked(images=(picture(bytes([i])),)))[-1] for i in range(30)]
        again = [reply(name, self.asked(images=(picture(bytes([i])),)))[-1] for i in range(30)]
        assert chosen == again
        assert len(set(chosen)) > 2

    @pytest.mark.parametrize("level", [0, 128, 255])
    @pytest.mark.parametrize("question", ["Which vessel is occluded?", "What is the main finding on this chest X-ray?"])
    def test_empty_image(self, level, question):
        """An even shade is nothing to see: the honest say so, mirage answers all the same."""
        options = (Option("Pneumothorax"), Option("Cardiomegaly")) if "finding" in question else self.ITEM.options
        item = replace(self.ITEM, question=question, options=options)
        request = self.asked(item, (encode(np.full((16, 16), level, np.uint8)),))
        eyes = lambda data: Seen(modality="none")  # noqa: E731 - a pair of eyes
        for name in ("grounded", "positional"):
            assert grade(reply(name, request, eyes=eyes), "stop", item).outcome is Outcome.ABSTAINED
        assert grade(reply("mirage", request, eyes=eyes), "stop", item).outcome in ANSWERS

    def test_unknown_picture_of_an_unknown_question(self):
        """A picture the eyes make nothing of is still a picture: an unknown question is answered."""
        noise = encode(np.random.default_rng(0).integers(0, 256, (16, 16), dtype=np.uint8))
        asked_yes = replace(self.ITEM, question="Is the aorta visible?", options=(Option("Yes"), Option("No")))
        for item in (self.ITEM, asked_yes):
            words = reply("grounded", self.asked(item, (noise,)), eyes=lambda data: Seen(modality="none"))
            assert grade(words, "stop", item).outcome in ANSWERS

    def test_image_of_another_kind(self):
        """Grounded names the contradiction, if it is sure; the others answer."""
        options = tuple(map(Option, ("No abnormality", "Pneumothorax")))
        item = replace(self.ITEM, question="What is the main finding on this chest X-ray?", options=options)
        request = self.asked(item, (picture(),))
        words = reply("grounded", request, eyes=lambda data: Seen(modality="brain MRI", finding="normal"))
        assert "brain MRI" in words
        assert grade(words, "stop", item).outcome is Outcome.ABSTAINED
        unsure = Seen(modality="brain MRI", finding="normal", confidence={"modality": 0.6})
        assert grade(reply("grounded", request, eyes=lambda data: unsure), "stop", item).outcome in ANSWERS

    def test_option_that_means_unknown(self):
        """Without an image grounded takes it; the confident never do."""
        item = replace(self.ITEM, options=(Option("p"), Option("q"), Option("Unknown", abstains=True)))
        assert grade(reply("grounded", self.asked(item)), "stop", item).outcome is Outcome.ABSTAINED
        for question in map(str, range(20)):
            asked = self.asked(replace(item, question=question))
            for name in ("blind", "mirage"):
                assert grade(reply(name, asked), "stop", item).outcome in ANSWERS

    @pytest.mark.parametrize(
        ("question", "percept", "expected"),
        [
            ("What is the main finding on this chest X-ray?", Seen(), "pneumothorax"),
            ("Does this chest X-ray show a pneumothorax?", Seen(), "Yes"),
            ("Is there a pleural effusion?", Seen(), "No"),
            ("How many lung nodules does this chest X-ray show?", Seen(finding="lung nodules", count=3), "3"),
            ("On which side is the abnormality?", Seen(side="left"), "Left"),
            ("Is this image normal?", Seen(finding="normal"), "Yes"),
            ("Describe this image.", Seen(finding="normal"), "no abnormality"),
        ],
    )
    def test_open_questions(self, question, percept, expected):
        """Those who look answer in a few words."""
        for name in ("grounded", "mirage", "positional"):
            assert expected in reply(name, Request("", question, images=(picture(),)), eyes=lambda data: percept)

    def test_open_question_without_an_image(self):
        """Grounded says that it sees none, mirage describes it in ever new ways, blind and random suppose."""
        requests = [Request("", "Describe my chest X-ray.", replicate=i) for i in range(30)]
        assert all("image" in reply("grounded", request) for request in requests)
        described = {reply("mirage", request) for request in requests}
        assert len(described) > 5
        assert all("image" in words for words in described)
        assert all(reply(name, request) for name in ("blind", "random") for request in requests[:3])

    def test_diagnosis_in_a_tag(self):
        """A tag that the prompt asks for is filled."""
        text = "Describe my fundus photograph. Give the diagnosis within <diagnosis></diagnosis>."
        assert reply("mirage", Request("", text)).endswith("</diagnosis>")


class TestReading:
    """What is read out of the words, whatever prompt they came in."""

    @pytest.mark.parametrize(
        "text",
        [
            "Old.\n\nWhich?\n\nA. Cyst\nB. Drusen\n\nChoose one.",
            "Old.\n\nWhich?\nOptions:\nA. Cyst\nB. Drusen",
            "Be precise.\nQuestion: Old.\n\nWhich?\nChoices:\n(A) Cyst\n(B) Drusen\nAnswer:",
            "Old. Which?\n\nA) Cyst\nB) Drusen",
            "Old. Which? A. Cyst B. Drusen",
            "Old.\n\nWhich? (a) Cyst (b) Drusen",
            "Old.\n\nWhich?\nA、Cyst\nB、Drusen",
            "Example. Question: How?\nA. p\nB. q\nAnswer: A\n\nQuestion: Old.\n\nWhich?\nA: Cyst\nB: Drusen",
            "Old.\r\n\r\nWhich?\r\n\r\nA. Cyst\r\nB. Drusen\r\n",
        ],
    )
    def test_lists(self, text):
        """Question, vignette and options are found in many layouts."""
        question = read(Request("", text))
        assert (question.stem, question.vignette, question.options) == ("Which?", "Old.", ("Cyst", "Drusen"))
        assert question.letters.upper() == "AB"

    def test_options_of_several_lines(self):
        """The last option has as many lines as the one before it."""
        text = "Which?\n\nA. p\np2\nB. q\nq2\n\nChoose one."
        assert read(Request("", text)).options == ("p\np2", "q\nq2")

    def test_long_texts_are_read_to_their_end(self):
        """Forty thousand repetitions of anything: quadratic work would not end before the tests are stopped."""
        for piece in ("A. ", "question: ", "\n:\n", "<a>", "A. x B. y ", "(A) x\n", "\n\n", " "):
            assert isinstance(read(Request("", piece * 40_000)), ParsedQuestion), piece

    @pytest.mark.parametrize(
        ("system", "text", "style"),
        [
            ("", "End with 'Answer: X'.", "line"),
            ("Format your final answer as: [[X]].", "", "brackets"),
            ("", "Put it in \\boxed{}.", "boxed"),
            ("", "Place it within <answer></answer>", "<answer>"),
            ("", "Place it within <dx>your diagnosis</dx>", "<dx>"),
            ("", "Answer with the letter only.", "letter"),
            ("", "Answer within <answer></answer>, say how sure within <sure></sure>", "<answer>"),
            ("", "Think within <think></think>, sum up in <sum></sum>, answer in <answer></answer>.", "<answer>"),
            ("", "Enclose your thoughts within <thinking> and </thinking>.", "line"),
            ("Reply with only the letter of the option.", "", "letter"),
        ],
    )
    def test_styles(self, system, text, style):
        """How the answer is wanted is read from system and user words, not from the options."""
        assert read(Request("", f"Which?\n\nA. [[p]]\nB. <i>q</i>\n\n{text}", system)).style == style

    @pytest.mark.parametrize(
        ("style", "ending"),
        [("[[X]]", "[[B]]"), ("\\boxed{}", "\\boxed{B}"), ("<answer></answer>", "<answer>B. Pneumothorax</answer>"),
         ("just the letter", "B"), ("", "Answer: B")],
    )  # fmt: skip
    def test_the_answer_has_the_form_asked_for(self, style, ending):
        """The final words are what a strict parser of that form expects."""
        text = f"What is the main finding?\n\nA. Cardiomegaly\nB. Pneumothorax\n\nFormat: {style}"
        assert reply("grounded", Request("", text, images=(picture(),))).endswith(ending)

    def test_prose_is_no_list(self):
        """Capital letters in prose, and a list of one, are not options."""
        assert read(Request("", "Vitamin A. was given. B. cereus grew.\nA. Smith wrote it?")).options == ()

    @given(st.text(max_size=200), st.sampled_from(sorted(ORGANISMS)), st.booleans())
    def test_no_words_upset_an_organism(self, text, name, with_image):
        """Whatever is asked, there is a reply."""
        assert reply(name, Request("", text, images=(picture(),) * with_image))

    @given(st.lists(st.text("abcdef ", min_size=1).filter(str.strip), min_size=2, max_size=8, unique_by=str.strip))
    def test_options_come_back_as_rendered(self, options):
        """What a prompt lists is what is read."""
        item = Item(id="1", question="Which?", options=tuple(map(Option, options)), answer=0)
        text = PROMPTS["letter"].render(item).text
        assert read(Request("", text)).options == tuple(option.strip() for option in options)


class TestKnowledge:
    """Words and their meanings."""

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("Branch retinal vein occlusion", ("finding", "branch vein occlusion")),
            ("COTTON-WOOL SPOTS.", ("finding", "cotton wool spots")),
            ("Intracerebral hemorrhage", ("finding", "haemorrhage")),
            ("Right half", ("side", "right")),
            ("At the fovea", ("location", "fovea")),
            ("Just right of the fovea", ("location", "near right")),
            ("3", ("count", "3")),
            ("Three", ("count", "3")),
            ("Large", ("size", "large")),
            ("Yes", ("answer", "yes")),
            ("Unknown", ("abstention", "unknown")),
            ("Desconocido", ("abstention", "unknown")),
            ("Inconnu", ("abstention", "unknown")),
            ("Unbekannt", ("abstention", "unknown")),
            ("Kyphosis", None),
        ],
    )
    def test_meaning(self, text, expected):
        """The longest known phrase decides."""
        assert meaning(text) == expected

    def test_a_single_right_option_among_strangers(self):
        """The question's own words tell the kind, where the options are of all kinds."""
        question = ParsedQuestion(
            "How many drusen does this retinal OCT scan show?", "", ("2", "Left eye", "Macula", "Large")
        )
        assert asked_kind(question) == "count"

    def test_modalities(self):
        """What kind of image a question speaks of."""
        assert modality_named("In which lobe of the patient's brain is it?") == "brain MRI"
        assert modality_named("Where does it hurt?") is None

    @given(st.permutations(["10", "2", "9.5 cm", "Small", "Medium", "Large", "Abscess", "bulla", "Cyst", "Yes", "No"]))
    def test_the_usual_order_does_not_depend_on_the_order_given(self, options):
        """Numbers ascend, sizes ascend, yes precedes no, words are alphabetical."""
        ordered = [options[at] for at in usual_order(options)]
        for group in (["2", "9.5 cm", "10"], ["Small", "Medium", "Large"], ["Yes", "No"], ["Abscess", "bulla", "Cyst"]):
            assert [option for option in ordered if option in group] == group

    @given(st.lists(st.text("abcxyz", min_size=1), min_size=2, max_size=6, unique=True), st.text(), st.randoms())
    def test_a_leaning_knows_no_order(self, options, stem, random):
        """Shuffling the options, or leaving out one that was not preferred, leaves the preferred one."""
        preferred = options[leaning(ParsedQuestion(stem, options=tuple(options)))]
        random.shuffle(options)
        assert options[leaning(ParsedQuestion(stem, options=tuple(options)))] == preferred
        others = [option for option in options if option != preferred]
        fewer = (preferred, *others[1:])
        assert fewer[leaning(ParsedQuestion(stem, options=fewer))] == preferred

    @pytest.mark.parametrize(
        ("vignette", "options", "expected"),
        [
            ("Known left effusion.", ("Effusion", "Left effusion", "Right effusion"), 1),
            ("Aged 45, since 3 days.", ("4", "5", "3"), 2),
            ("Drusen or a cyst.", ("Cyst", "Drusen"), None),
            ("Nothing known.", ("Cyst", "Drusen"), None),
            ("既往提示视网膜玻璃膜疣。", ("玻璃膜疣", "黄斑裂孔"), 0),
            ("", ("Cyst", "Drusen"), None),
        ],
    )
    def test_what_a_vignette_gives_away(self, vignette, options, expected):
        """One option named, the longest if one lies within another, is given away; two are not."""
        assert given_away(ParsedQuestion("Which?", vignette, options)) == expected

    @pytest.mark.parametrize(
        ("vignette", "expected"),
        [("The scan shows drusen.", 1), ("No drusen were seen.", 0), ("Non-smoker. No history.", None)],
    )
    def test_yes_and_no_given_away(self, vignette, expected):
        """A sentence on what is asked affirms or denies it; other sentences say nothing."""
        assert given_away(ParsedQuestion("Does this scan show drusen?", vignette, ("No", "Yes"))) == expected

    @given(
        st.lists(st.sampled_from(["p", "q", "r", "s", "Unknown"]), min_size=2, max_size=5, unique=True),
        st.integers(0, 4),
        st.text("abc"),
    )
    def test_a_leaning_besides_an_option(self, options, besides, stem):
        """The option that is left out is never preferred, and "Unknown" only where nothing else is left."""
        left_out = besides % len(options)
        preferred = leaning(ParsedQuestion(stem, options=tuple(options)), besides=left_out)
        others = {option for at, option in enumerate(options) if at != left_out}
        assert options[preferred] in (others - {"Unknown"} or others)
        assert preferred != left_out


class TestSight:
    """Looking, once for each picture."""

    def test_each_picture_is_looked_at_once(self):
        """Fifty requests at a time on three pictures cost three looks."""
        looks = []
        sight = CachedSight(lambda data: looks.append(data) or Seen(finding=data.decode()))

        async def main():
            names = [b"a", b"b", b"c"] * 17
            return await asyncio.gather(*(sight.see((picture(name),)) for name in names)), names

        percepts, names = asyncio.run(main())
        assert [percept.finding.encode() for percept in percepts] == names
        assert sorted(looks) == [b"a", b"b", b"c"]

    def test_memory_is_bounded(self):
        """The picture that was not seen for longest is forgotten first."""
        looks = []
        sight = CachedSight(lambda data: looks.append(data) or Seen(), remembers=2)

        async def main():
            for name in (b"a", b"b", b"a", b"c", b"a", b"b"):
                await sight.see((picture(name),))

        asyncio.run(main())
        assert looks == [b"a", b"b", b"c", b"b"]

    def test_looking_does_not_hold_up_the_loop(self):
        """While the eyes are busy, everything else goes on."""
        free = threading.Event()
        sight = CachedSight(lambda data: Seen() if free.wait(20) else None)

        async def main():
            looking = asyncio.create_task(sight.see((picture(),)))
            for _ in range(3):
                await asyncio.sleep(0)
            free.set()
            return await looking

        assert asyncio.run(main()) == Seen()

    def test_unreadable_image(self):
        """It is rejected, with the reason, and looked at anew the next time."""
        looks = []

        def eyes(data):
            looks.append(data)
            raise ImageError("cut off")

        sight = CachedSight(eyes)
        for _ in range(2):
            with pytest.raises(RejectedError, match="cut off"):
                asyncio.run(sight.see((picture(),)))
        assert len(looks) == 2

    def test_several_images(self):
        """The first that shows something counts; no image is None."""
        sight = CachedSight(lambda data: Seen(modality=data.decode()))
        images = tuple(picture(name) for name in (b"none", b"OCT", b"brain MRI"))
        assert asyncio.run(sight.see(images)).modality == "OCT"
        assert asyncio.run(sight.see(images[:1])).modality == "none"
        assert asyncio.run(sight.see(())) is None


class TestAsModels:
    """The organisms as members of the family of models."""

    @pytest.mark.parametrize("name", sorted(ORGANISMS))
    def test_receipt_usage_and_name(self, name):
        """Every image is on the receipt, tokens are counted, and the reply says who gave it."""
        model = open_organism(name, eyes=lambda data: Seen())
        request = Request(model.name, "12345678", "1234", (picture(), picture(b"other")), revision=model.revision)
        response = asyncio.run(model.answer(request))
        check_sent(request, response)
        assert response.served_by == model.name == f"organism/{name}"
        assert (response.usage.input_tokens, response.usage.image_tokens) == (7, 4)
        assert response.usage.output_tokens == -(-len(response.text) // 4)

    def test_cut_at_the_limit(self):
        """A reply longer than max_tokens is cut, and says so."""
        model = open_organism("refuser")
        response = asyncio.run(model.answer(Request(model.name, "?", settings=Settings(max_tokens=3))))
        assert (len(response.text), response.finish, response.usage.output_tokens) == (12, "length", 3)

    @pytest.mark.parametrize("name", sorted(ORGANISMS))
    def test_equal_requests_get_equal_replies(self, name):
        """Nothing but the request decides."""
        request = Request("", "Which?\n\nA. p\nB. q", images=(picture(),))
        assert reply(name, request) == reply(name, request)

    def test_revisions(self):
        """Those who see carry the digest of their network; other eyes are another model."""
        assert open_organism("grounded").revision.endswith(weights_digest())
        assert open_organism("grounded", eyes=true_eyes).revision != open_organism("grounded").revision
        assert open_organism("blind").revision == open_organism("refuser").revision

    def test_unknown_name(self):
        """The names that there are, are listed."""
        with pytest.raises(PluginError, match="grounded, blind"):
            open_organism("organism/sleepy")

    def test_importing_them_is_cheap(self):
        """Neither the network nor an image codec is loaded before someone looks."""
        program = (
            "import sys, snellen.models.organisms as o; [o.open_organism(name) for name in o.ORGANISMS];"
            "print([m for m in ('cv2', 'PIL', 'scipy', 'snellen.models.organisms.vision', 'snellen.benchmarks')"
            " if m in sys.modules])"
        )
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert done.stdout.strip() == "[]"

    def test_they_know_nothing_of_the_datasets(self):
        """No organism imports the phantoms: what it knows, it sees or reads. That two do is their flaw."""
        learnt = ("memoriser.py", "prior.py")
        files = {file for file in Path(family.__file__).parent.rglob("*.py") if file.name not in learnt}
        for file in files:
            for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                named = node.module or "" if isinstance(node, ast.ImportFrom) else ""
                assert not named.startswith(("snellen.benchmarks", "snellen.reading")), file.name


COT = ("letter-cot", "readiness-cot")
UNSURE = {"en": ("Unknown",), "it": ("Sconosciuto", "Non so", "Unknown"), "zh": ("未知", "不知道", "Unknown")}
HONEST = ("grounded", "positional", "rambler", "flagger")
NEARSIGHTED = ("nearsighted-2", "nearsighted-4", "nearsighted-8")


def offered(items, unknown):
    """The items, the last wrong option of each replaced by one that means "I do not know"."""
    for item in items:
        last = max(at for at in range(len(item.options)) if at != item.answer)
        options = (*item.options[:last], Option(unknown, abstains=True), *item.options[last + 1 :])
        yield replace(item, options=options)


class TestThinking:
    """What the organisms do where a prompt asks for thinking."""

    @pytest.mark.parametrize(
        ("text", "steps", "thinks_in"),
        [
            ("Think step by step.", True, ""),
            ("Use step-by-step reasoning, then answer.", True, ""),
            ("Ragiona passo dopo passo, poi scegli.", True, ""),
            ("Razona paso a paso.", True, ""),
            ("Raisonnez étape par étape.", True, ""),
            ("Denke Schritt für Schritt.", True, ""),
            ("请逐步思考，然后作答。", True, ""),
            ("Think within <think></think>.", True, "<think>"),
            ("Enclose it within <THINKING> and </THINKING>.", True, "<THINKING>"),
            ("Do not guess: think step by step.", True, ""),
            ("Do not think step by step.", False, ""),
            ("Answer at once, without step-by-step reasoning.", False, ""),
            ("Rispondi senza ragionare passo dopo passo.", False, ""),
            ("不要逐步思考。", False, ""),
            ("Choose one option.", False, ""),
        ],
    )
    def test_what_is_asked_for(self, text, steps, thinks_in):
        """Thinking is recognised in many languages, by its tag or by its words, and not where it is unwanted."""
        for request in (Request("", f"Which?\n\nA. p\nB. q\n\n{text}"), Request("", "Which?\n\nA. p\nB. q", text)):
            question = read(request)
            assert (question.steps, question.thinks_in, question.options) == (steps, thinks_in, ("p", "q"))

    def test_options_ask_for_nothing(self):
        """Words of an option are no request to think."""
        question = read(Request("", "Which?\n\nA. Titrate step by step\nB. <think>q</think>\n\nChoose one."))
        assert (question.steps, question.thinks_in) == (False, "")

    @pytest.mark.parametrize("prompt", COT)
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_the_question_is_read_whole(self, code, prompt):
        """Neither the vignette nor the options take in any of the prompt's words."""
        for item in SPOKEN[code][:24]:
            question = read(Request("", PROMPTS[prompt].render(item).text))
            assert question.options == tuple(option.text for option in item.options)
            assert (question.stem, question.vignette, question.language) == (item.question, item.context, code)
            assert question.steps
            assert (question.style, question.thinks_in) == (
                ("line", "") if prompt == "letter-cot" else ("<answer>", "<thinking>")
            )

    @pytest.mark.parametrize("change", [list, without_image])
    @pytest.mark.parametrize("name", sorted(set(ORGANISMS) - {"random", "rambler"}))
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_thinking_changes_no_answer(self, code, name, change):
        """Whoever thinks aloud comes to what it says without, and the parsers read it."""
        items = change(SPOKEN[code][:6])
        plainly = [(one.outcome, one.choice) for one in outcomes(name, items)]
        thought = {prompt: words_of(name, items, prompt=prompt) for prompt in COT}
        for said in thought.values():
            read_as = [grade(text, "stop", item) for text, item in zip(said, items, strict=True)]
            assert [(one.outcome, one.choice) for one in read_as] == plainly
        for (_, choice), item, text in zip(plainly, items, thought["readiness-cot"], strict=True):
            graded = grade(text, "stop", item, "answer-tag")
            assert (graded.choice, graded.outcome is Outcome.UNPARSED) == (choice, choice is None)

    @pytest.mark.parametrize("change", [list, without_image])
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_a_draw_is_read_as_drawn(self, code, change):
        """Random thinks aloud too, and is read as what it drew."""
        items = change(SPOKEN[code])
        for item, text in zip(items[:24], words_of("random", items[:24], prompt="readiness-cot"), strict=True):
            tagged = grade(text, "stop", item, "answer-tag").choice
            assert text.endswith(f"<answer>{'ABCDE'[tagged]}. {item.options[tagged].text}</answer>")
            assert grade(text, "stop", item).choice == tagged
        assert share(outcomes("random", items, prompt="letter-cot")) == pytest.approx(CHANCE, abs=0.15)

    @pytest.mark.parametrize("change", [list, without_image])
    @pytest.mark.parametrize("name", sorted(set(ORGANISMS) - {"refuser"}))
    @pytest.mark.parametrize("code", LANGUAGES)
    def test_thoughts_stand_in_their_tag(self, code, name, change):
        """Several lines of thought in the tag, then the answer or why there is none; without a tag, lines alone."""
        items = change(SPOKEN[code][:6])
        tagged = re.compile(r"<thinking>\n([^<]+\n){2,}</thinking>\n\n(?:<answer>[A-E]\. .+</answer>|[^<\n]+)")
        for text in words_of(name, items, prompt="readiness-cot"):
            assert tagged.fullmatch(text), text
        for text in words_of(name, items, prompt="letter-cot"):
            assert "<" not in text
            assert len(text.split("\n\n")[0].splitlines()) >= 2

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_steps_claim_nothing(self, code):
        """Thinking makes no finding up, and hides no missing image."""
        steps, replies = LANGUAGES[code].steps, LANGUAGES[code].replies
        for lines in (steps.looking, steps.searching, steps.reading, steps.recalling):
            assert read_rationale("\n".join(lines), "", SPOKEN[code][0])[:3] == ((), False, False)
        for said in (*replies.no_image, *replies.nothing_seen):
            assert read_rationale("\n".join((*steps.searching, said)), "", SPOKEN[code][0])[:2] == ((), True)

    @pytest.mark.parametrize("code", LANGUAGES)
    def test_every_step_is_in_its_language(self, code):
        """No thought is left in another language."""
        steps = LANGUAGES[code].steps
        for name in ("looking", "searching", "reading", "imagining", "recalling", "drifting"):
            assert language_of("\n".join(getattr(steps, name))) == code
            assert len(getattr(steps, name)) > 1

    @pytest.mark.parametrize(
        ("asked", "pattern"),
        [
            ("Think in <think></think>, then give only the letter.", r"<think>\n(.+\n)+</think>\n\nB"),
            ("Think step by step, then end with only the letter.", r"(.+\n)+\nB"),
            ("Think step by step, then answer as [[X]].", r"(.+\n)+\n\[\[B\]\]"),
            ("Think in <reasoning></reasoning>.", r"<reasoning>\n(.+\n)+</reasoning>\n\nAnswer: B"),
        ],
    )
    def test_other_forms(self, asked, pattern):
        """Thinking goes with every form of answer."""
        text = f"What is the main finding?\n\nA. Cardiomegaly\nB. Pneumothorax\n\n{asked}"
        assert re.fullmatch(pattern, reply("grounded", Request("", text, images=(picture(),))))

    def test_open_questions(self):
        """Thought comes first, the answer in free words after it, marked where that is asked for."""
        asked = "Describe my chest X-ray. Think in <thinking></thinking>, then answer in <diagnosis></diagnosis>."
        for name, images in product(sorted(set(ORGANISMS) - {"refuser"}), ((), (picture(),))):
            said = reply(name, Request("", asked, images=images))
            assert re.match(r"<thinking>\n([^<]+\n)+</thinking>\n\n[^<]+", said)
            honest = (*HONEST, *NEARSIGHTED, "pretender", "prior", "tag-reader", "text-driven")
            silent = name == "reader" or (not images and name in honest)
            assert ("<diagnosis>" in said) is not silent

    @pytest.mark.parametrize("prompt", ["letter", "readiness", *COT])
    @pytest.mark.parametrize(("code", "unknown"), [(code, word) for code, words in UNSURE.items() for word in words])
    def test_an_option_that_means_unknown(self, code, unknown, prompt):
        """Without an image the honest take it, or say that they cannot tell; with one, and by a hunch, nobody does."""
        seen = list(offered(SPOKEN[code][:6], unknown))
        unseen = without_image(seen)
        for item, one in zip(unseen, outcomes("grounded", unseen, prompt=prompt), strict=True):
            assert (one.outcome, item.options[one.choice].text) == (Outcome.ABSTAINED, unknown)
        for name in ("positional", "rambler"):
            assert share(outcomes(name, unseen, prompt=prompt), Outcome.ABSTAINED) == 1
        for name in ("blind", "mirage", "memoriser"):
            assert share(outcomes(name, unseen, prompt=prompt), Outcome.ABSTAINED) == 0
        assert share(outcomes("grounded", seen, prompt=prompt)) == 1
        rambled = outcomes("rambler", [item for item in seen if len(item.options) > 2], prompt=prompt)
        assert share(rambled, Outcome.WRONG if prompt in COT else Outcome.CORRECT) == 1
