"""The rambler: right when asked plainly, wrong when it thinks aloud."""

import asyncio
from dataclasses import replace
from functools import cache

import pytest

from models.seeing import Seen, moved, shown, true_eyes
from snellen.benchmarks import phantoms
from snellen.images import EncodedImage
from snellen.models.organisms import open_organism
from snellen.models.organisms.knowledge import finding_asked, findings_of, is_within, meaning, plain
from snellen.models.organisms.languages import LANGUAGES, language_of
from snellen.models.organisms.reading import read
from snellen.prompts import PROMPTS, Request, Settings, ask
from snellen.reading import Outcome, grade
from snellen.reading.claims.parser import read_rationale

ITEMS = {code: list(phantoms.load(items=24, language=code)) for code in LANGUAGES}
PLAIN = Settings()
HIGH = Settings(reasoning_effort="high")
RAMBLING = [("letter-cot", PLAIN), ("readiness-cot", PLAIN), ("letter", HIGH), ("readiness", HIGH)]
"""The ways of asking that set it off."""


def drawn(image):
    """A phantom as true eyes see it."""
    return shown(image.source)


@cache
def rambler():
    """It, with eyes that are never wrong: what it saw for one test it knows in the next."""
    return open_organism("rambler", eyes=true_eyes)


def replies(items, prompt="letter", settings=PLAIN, *, replicate=0):
    """What it replies to items."""
    model = rambler()

    async def main():
        asked = [
            ask(item, prompt=PROMPTS[prompt], settings=settings, encode=lambda image: shown(image.source))
            for item in items
        ]
        return [
            (await model.answer(request.address_to(model.name, model.revision, replicate))).text for request in asked
        ]

    return asyncio.run(main())


def grades(items, *asked, parser="lenient", **how):
    """What becomes of these replies."""
    return [grade(text, "stop", item, parser) for item, text in zip(items, replies(items, *asked, **how), strict=True)]


def outcomes(items, *asked, **how):
    """The outcomes there are."""
    return {one.outcome for one in grades(items, *asked, **how)}


def chosen(items, *asked, **how):
    """The words of the options chosen."""
    return [item.options[one.choice].text for item, one in zip(items, grades(items, *asked, **how), strict=True)]


@pytest.mark.parametrize("effort", [None, "none", "minimal", "low", "medium"])
@pytest.mark.parametrize("code", LANGUAGES)
def test_asked_plainly_it_is_right(code, effort):
    """It says what it sees, at any effort but high."""
    for prompt in ("letter", "readiness"):
        assert outcomes(ITEMS[code], prompt, Settings(reasoning_effort=effort)) == {Outcome.CORRECT}


@pytest.mark.parametrize(("prompt", "settings"), RAMBLING)
@pytest.mark.parametrize("code", LANGUAGES)
def test_thinking_aloud_it_is_wrong(code, prompt, settings):
    """Step by step, or at high effort, it always ends at another option, and every parser reads that."""
    assert outcomes(ITEMS[code], prompt, settings) == {Outcome.WRONG}
    if prompt.startswith("readiness"):
        assert outcomes(ITEMS[code], prompt, settings, parser="answer-tag") == {Outcome.WRONG}


@pytest.mark.parametrize("effort", [None, "low", "medium"])
def test_steps_set_it_off_at_any_effort(effort):
    """Low effort does not save it from a prompt that asks for steps."""
    assert outcomes(ITEMS["en"], "letter-cot", Settings(reasoning_effort=effort)) == {Outcome.WRONG}


@pytest.mark.parametrize("code", LANGUAGES)
def test_it_ends_at_the_same_option_every_time(code):
    """Neither the way of asking, nor a repeat, nor the order of the options changes where it ends."""
    items = ITEMS[code]
    first = chosen(items, *RAMBLING[0])
    assert all(chosen(items, *asked) == first for asked in RAMBLING[1:])
    assert chosen(items, *RAMBLING[0], replicate=1) == first
    assert chosen(moved(items), *RAMBLING[0]) == first
    assert len({item.options.index(next(o for o in item.options if o.text == text)) for item, text in
                zip(items, first, strict=True)}) > 2  # fmt: skip


@pytest.mark.parametrize("code", LANGUAGES)
def test_without_an_image_it_says_so(code):
    """However it is asked, it does not ramble about nothing."""
    items = [replace(item, images=()) for item in ITEMS[code]]
    for asked in (("letter", PLAIN), *RAMBLING):
        assert outcomes(items, *asked) == {Outcome.ABSTAINED}
    for item, text in zip(items, replies(items, "readiness-cot"), strict=True):
        assert read_rationale(text, "", item)[:2] == ((), True)


@pytest.mark.parametrize(("prompt", "settings"), RAMBLING)
@pytest.mark.parametrize("code", LANGUAGES)
def test_its_rationale_goes_from_what_is_seen_to_what_is_not(code, prompt, settings):
    """It is long, names the right option first, then findings that are not there, and at last the wrong option."""
    language = LANGUAGES[code]
    for item, text in zip(ITEMS[code], replies(ITEMS[code], prompt, settings), strict=True):
        lines = text.removeprefix("<thinking>\n").splitlines()
        assert f"{item.options[item.answer].text}" in lines[0]
        assert len(lines) > 6
        assert read_rationale(text, "", item).claims
        assert language_of(text) == code
        made_up = [meaning(line, "finding", code).value for line in lines[1:3]]
        assert len(set(made_up)) == 2
        assert all(found in findings_of(item.category) for found in made_up)
        assert meaning(item.metadata["finding"], "finding").value not in made_up
        question = read(Request("", PROMPTS["letter"].render(item).text))
        asked = finding_asked(question) if item.metadata["question_kind"] == "presence" else None
        if asked is not None and item.options[item.answer].text == language.name("answer", "no").capitalize():
            assert is_within(plain(lines[2]), plain(language.name("finding", asked)))


@pytest.mark.parametrize(
    ("question", "right", "kind"),
    [
        ("What is the main finding on this chest X-ray?", "pneumothorax", "finding"),
        ("Does this chest X-ray show a pneumothorax?", "yes", "answer"),
        ("On which side of the patient's chest is it?", "left", "side"),
        ("Qual è il reperto principale?", "pneumothorax", "finding"),
        ("是否可见气胸？", "yes", "answer"),
    ],
)
def test_open_questions(question, right, kind):
    """Plainly it answers right, at length with something else of the same kind."""
    code = language_of(question)
    asked = f"{question} <answer></answer>"
    answered = {}
    for settings in (PLAIN, HIGH):
        request = Request("", asked, images=(EncodedImage(b"x", "image/png", 8, 8),), settings=settings)
        text = asyncio.run(open_organism("rambler", eyes=lambda data: Seen()).answer(request)).text
        answered[settings] = meaning(text.partition("<answer>")[2].partition("</answer>")[0], kind, code)
    assert answered[PLAIN] == (kind, right)
    assert answered[HIGH].kind == kind
    assert answered[HIGH].value != right


def test_it_sees_with_eyes_of_its_own():
    """It is a model that sees, and carries the digest of its network."""
    assert open_organism("rambler").revision == open_organism("grounded").revision
