"""Replies in Italian and Chinese, from question to grade: every parser reads what the organism meant, or nothing."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from itertools import product

import numpy as np
import pytest

from snellen.benchmarks import phantoms
from snellen.images import EncodedImage, encode
from snellen.items import CHOICE, Option
from snellen.models.organisms import ORGANISMS, open_organism
from snellen.models.organisms.hunches import given_away, hunch, leaning
from snellen.models.organisms.knowledge import matching_option
from snellen.models.organisms.languages import LANGUAGES
from snellen.models.organisms.longest_option import longest
from snellen.models.organisms.reading import read
from snellen.models.organisms.sight import ShownFinding
from snellen.prompts import PROMPTS, Prompt, Settings, ask
from snellen.reading import Outcome, grade
from snellen.reading.parsers import our_parsers

OTHERS = [code for code in LANGUAGES if code != "en"]
LENIENT = ("lenient", "detection-as-published")
"""The parsers that read any form; the second differs only where an option means normal."""
ITEMS = {code: phantoms.load(items=24, leak=0.5, language=code).items for code in LANGUAGES}
BLANK = encode(np.full((8, 8), 255, np.uint8))
ARMS = ("with image", "without image", "blank image", "another image")
SHOWN = {name: prompt for name, prompt in PROMPTS.items() if not prompt.dataset}
"""The prompts that were not written for one benchmark; those that were ask for the same forms."""
MARKED = {name: prompt.parser for name, prompt in SHOWN.items()} | {"brackets": "double-brackets", "boxed": "boxed"}
"""The prompts that ask for a marked answer, and the strict parser of that mark."""
FORMS = {
    **SHOWN,
    "brackets": Prompt("brackets", "{question}\n\n{options}\n\n[[X]]"),
    "boxed": Prompt("boxed", "{question}\n\n{options}\n\n\\boxed{{X}}"),
}


@dataclass(frozen=True)
class Seen:
    """A percept without a network."""

    modality: str = "none"
    finding: str = ""
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""
    confidence: dict = field(default_factory=lambda: {"modality": 1.0})


def eyes(data):
    """Eyes that are never wrong: an image's bytes describe what it shows."""
    if data == BLANK.data:
        return Seen()
    phantom = eval(data.decode(), {"Phantom": phantoms.Phantom})
    return Seen(phantom.modality, phantom.finding, phantom.side, phantom.location, phantom.count, phantom.size)


def shown(image, item, arm):
    """The image that an arm sends for an item's own."""
    if arm == "blank image":
        return BLANK
    phantom = image.source
    if arm == "another image":
        other = next(one for one in ITEMS["en"] if one.category != item.category)
        phantom = other.images[0].source
    return EncodedImage(repr(phantom).encode(), "image/png", 512, 512)


def asked(item, arm, prompt):
    """The item under an arm as a request."""
    varied = replace(item, images=()) if arm == "without image" else item
    return ask(varied, prompt=prompt, settings=Settings(), encode=lambda image: shown(image, item, arm))


NEARSIGHTED = ("nearsighted-2", "nearsighted-4", "nearsighted-8")
SILENT_UNSEEING = ("grounded", "positional", "rambler", "flagger", "text-driven", *NEARSIGHTED)


def meant(name, item, request, arm):
    """What an organism means: the index of an option, or an outcome."""
    if name == "refuser":
        return Outcome.REFUSED
    if name == "random":
        return int.from_bytes(request.key[:16], "big") % len(item.options)
    question = read(request)
    if name == "longest-option":
        return longest(question)
    # the memoriser has learnt English questions only
    if name in ("blind", "contrarian", "memoriser") or (name == "text-driven" and given_away(question) is not None):
        return hunch(question)
    if name == "normal-report":
        normal = matching_option(question, ShownFinding(item.category, "normal"))
        return hunch(question) if normal is None else normal
    if name in ("pretender", "tag-reader", "prior"):  # these eyes read no tags, and no answer of these items is usual
        return hunch(question) if arm == "with image" else Outcome.ABSTAINED
    if arm == "with image":
        if name == "positional" and question.in_words:
            return 0
        return leaning(question, name, besides=item.answer) if name == "rambler" and question.steps else item.answer
    return Outcome.ABSTAINED if name in SILENT_UNSEEING else hunch(question)


def replies(name, code, arm, prompt, items):
    """Each item with the organism's reply and what it meant by it."""
    model = open_organism(name, eyes=eyes)

    async def main():
        for item in items:
            request = asked(item, arm, prompt).address_to(model.name, model.revision, 0)
            yield item, (await model.answer(request)).text, meant(name, item, request, arm)

    async def everything():
        return [row async for row in main()]

    return asyncio.run(everything())


def was_read(text, item, parser):
    """What a parser reads: the index of an option, or an outcome."""
    graded = grade(text, "stop", item, parser)
    return graded.outcome if graded.choice is None else graded.choice


CHOOSING = [parser.name for parser in our_parsers() if parser.kind == CHOICE]
CASES = [
    (name, arm)
    for name, arm in product((name for name, each in ORGANISMS.items() if not each.text_only), ARMS)
    # In an image of another kind only grounded sees the contradiction; what the others make of it has no right name.
    if arm != "another image" or name in ("grounded", "refuser", "blind")
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("code", OTHERS)
def test_every_parser_reads_what_was_meant_or_nothing(code, form):
    """The lenient parser reads every reply; a strict one reads answers in its own form, and never anything wrong.

    Each form meets every case and every item, but each case only one of the items.
    """
    for place, (name, arm) in enumerate(CASES, start=list(FORMS).index(form)):
        for item, text, intended in replies(name, code, arm, FORMS[form], ITEMS[code][place % 24 :: 24]):
            for parser in CHOOSING:
                strict = isinstance(intended, Outcome) or MARKED.get(form) != parser
                expected = Outcome.UNPARSED if parser not in LENIENT and strict else intended
                assert was_read(text, item, parser) == expected, (name, arm, parser, text)


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_rationale_with_every_ending_is_read(code):
    """However an answer is put, the lenient parser finds the option, whichever it is and whatever is asked."""
    said = LANGUAGES[code].replies
    for item, index in product(ITEMS[code][:12], range(5)):
        if index >= len(item.options):
            continue
        words = {"letter": "ABCDE"[index], "option": item.options[index].text, "finding": said.expected}
        for rationale, ending in product((*said.looked, *said.guessed, *said.imagined), said.endings):
            text = f"{rationale}\n\n{ending}".format(**words)
            assert was_read(text, item, "lenient") == index, text


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_silence_is_told_from_the_others(code):
    """A missing, empty or wrong image is an abstention, a refusal a refusal, whatever was asked."""
    said = LANGUAGES[code].replies
    kinds = [LANGUAGES[code].modality(name) for name in ("OCT", "brain MRI")]
    another = [text.format(asked=kinds[0], shown=kinds[1]) for text in said.another_image]
    for item in ITEMS[code][:24]:
        for text in (*said.no_image, *said.nothing_seen, *another):
            assert was_read(text, item, "lenient") is Outcome.ABSTAINED, text
        for text in said.refusals:
            assert was_read(text, item, "lenient") is Outcome.REFUSED, text


@pytest.mark.parametrize(("code", "unknown"), [("it", "Non determinabile"), ("zh", "无法确定")])
def test_an_option_that_means_unknown_is_an_abstention(code, unknown):
    """Grounded takes it without an image, and the parser reads that option."""
    model = open_organism("grounded", eyes=eyes)
    for item in ITEMS[code]:
        offered = replace(item, options=(*item.options, Option(unknown, abstains=True)))
        request = asked(offered, "without image", PROMPTS["letter"]).address_to(model.name, model.revision, 0)
        graded = grade(asyncio.run(model.answer(request)).text, "stop", offered)
        assert (graded.outcome, graded.choice) == (Outcome.ABSTAINED, len(item.options))
