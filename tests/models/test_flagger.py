"""organism/flagger: reads what can be read, and says of the rest that it is too poor."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

from models.seeing import Seen
from snellen.benchmarks import phantoms
from snellen.images import encode
from snellen.items import Option
from snellen.models.base import check_sent
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.sight import Quality, weights_digest
from snellen.prompts import PROMPTS, Request, Settings, ask
from snellen.reading import Outcome, grade

SHOWN = {name: prompt for name, prompt in PROMPTS.items() if prompt.shows_options}
FINE, NOISY, TURNED = (encode(np.random.default_rng(seed).integers(0, 256, (24, 24), np.uint8)) for seed in range(3))
EMPTY = encode(np.zeros((24, 24), np.uint8))
VERDICTS = {
    FINE.data: Quality(0.1, "noise"),
    NOISY.data: Quality(0.9, "noise"),
    TURNED.data: Quality(0.7, "rotation"),
}
ITEM = next(iter(phantoms.load(task="detection", items=1)))


def flagger(judge=VERDICTS.__getitem__):
    """A flagger with test eyes and a judge that knows the pictures above."""
    return open_organism("flagger", eyes=lambda data: Seen(), judge=judge)


def request(item=ITEM, *, images=(NOISY,), prompt="detection", replicate=0):
    """A request with these images."""
    asked = ask(item, prompt=PROMPTS[prompt], settings=Settings(), encode=lambda image: images[0])
    return replace(asked, images=images, replicate=replicate)


def reply(asked, model=None):
    """Its words."""
    return asyncio.run((model or flagger()).answer(asked)).text


@cache
def spoken(language):
    """Questions in a language."""
    return phantoms.load(items=16, language=language).items


@pytest.mark.parametrize("prompt", SHOWN)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_poor_image_is_flagged_however_it_is_asked(prompt, language):
    """In every prompt and language it answers nothing, in more than one wording, and names the problem."""
    items, model = spoken(language), flagger()

    async def replies():
        return [(await model.answer(request(item, prompt=prompt))).text for item in items]

    said = asyncio.run(replies())
    assert {grade(text, "stop", item).outcome for item, text in zip(items, said, strict=True)} == {
        Outcome.FLAGGED_QUALITY
    }
    assert all(LANGUAGES[language].problems["noise"] in text for text in said)
    assert len(set(said)) == len(LANGUAGES[language].replies.too_poor)


@pytest.mark.parametrize("prompt", ["detection", "detection-structured", "detection-cot"])
@pytest.mark.parametrize("problem", LANGUAGES["en"].problems)
def test_every_wording_of_every_problem_is_read_as_a_flag(problem, prompt):
    """Whatever it believes to be wrong, and however it puts it."""
    model = flagger(lambda data: Quality(1.0, problem))
    for text in {reply(request(prompt=prompt, replicate=replicate), model) for replicate in range(12)}:
        for parser in ("lenient", "detection-as-published"):
            assert grade(text, "stop", ITEM, parser).outcome is Outcome.FLAGGED_QUALITY, text


@pytest.mark.parametrize("prompt", SHOWN)
def test_a_readable_image_is_read(prompt):
    """Then it says what grounded says, word for word."""
    asked = replace(request(images=(FINE,), prompt=prompt), model="m", revision="r")
    grounded = open_organism("grounded", eyes=lambda data: Seen())
    assert reply(asked) == reply(asked, grounded)
    assert grade(reply(asked), "stop", ITEM).outcome in (Outcome.CORRECT, Outcome.WRONG)


def test_one_readable_image_is_enough():
    """Of several images all must be poor; the first says what is wrong."""
    assert grade(reply(request(images=(NOISY, FINE))), "stop", ITEM).outcome is not Outcome.FLAGGED_QUALITY
    assert LANGUAGES["en"].problems["rotation"] in reply(request(images=(TURNED, NOISY)))


def test_nothing_is_not_poor():
    """A missing image is missing and an empty one empty, as grounded has it; neither is judged."""
    model = open_organism("flagger", eyes=lambda data: Seen(modality="none"), judge=VERDICTS.__getitem__)
    spoken = LANGUAGES["en"].replies
    assert reply(replace(request(), images=()), model) in spoken.no_image
    assert reply(request(images=(EMPTY,)), model) in spoken.nothing_seen


def test_an_option_that_means_unknown_is_taken():
    """Where it is offered, with the reason before it."""
    item = replace(ITEM, options=(*ITEM.options, Option("Unknown", abstains=True)))
    text = reply(request(item, prompt="letter"))
    assert grade(text, "stop", item).outcome is Outcome.ABSTAINED
    assert text.endswith("C")
    assert "noise" in text


def test_open_questions():
    """It declines to describe what it cannot read."""
    text = reply(Request("", "Describe this chest X-ray.", images=(NOISY,)))
    assert text in [said.format(problem="noise") for said in LANGUAGES["en"].replies.too_poor]


def test_each_picture_is_judged_once():
    """However often it is asked about."""
    looks = []
    model = flagger(lambda data: looks.append(data) or Quality(0.0, "noise"))
    for replicate in range(3):
        reply(request(images=(FINE,), replicate=replicate), model)
    assert looks == [FINE.data]


def test_its_judge_is_part_of_its_revision():
    """Other weights, eyes or judges are another model; eyes of one's own see nothing amiss."""
    bundled, own, both = (
        open_organism("flagger"),
        open_organism("flagger", eyes=lambda data: Seen()),
        flagger(),
    )
    assert bundled.revision.endswith(weights_digest("quality"))
    assert bundled.revision.startswith(open_organism("grounded").revision)
    assert len({bundled.revision, own.revision, open_organism("grounded").revision}) == 3
    assert grade(reply(request(), own), "stop", ITEM).outcome is not Outcome.FLAGGED_QUALITY
    asked = request().address_to(both.name, both.revision, 0)
    check_sent(asked, asyncio.run(both.answer(asked)))


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_problem_has_a_name(language):
    """In every language, the same ones."""
    assert list(LANGUAGES[language].problems) == list(LANGUAGES["en"].problems)
    assert len(set(LANGUAGES[language].problems.values())) == len(LANGUAGES["en"].problems)
    assert len(LANGUAGES[language].replies.too_poor) > 2


def test_it_is_listed():
    """Like every organism."""
    assert ORGANISMS["flagger"].behaviour == "flagger"
