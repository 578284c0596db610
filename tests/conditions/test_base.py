"""Conditions: choosing apart from doing, the same draw anywhere; the laws of every one of them."""

import json
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import ClassVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.conditions import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    OPTIONS_ONLY,
    ORIGINAL,
    QUESTION_ONLY,
    Condition,
    DistractorsReplaced,
    ImageBlank,
    ImageDegraded,
    ImageExchanged,
    ImageMirrored,
    ImageMismatched,
    ImageSubstituted,
    OptionsShuffled,
    Pool,
    ReportForImage,
    Together,
    UnknownOffered,
    generator,
    vary,
)
from snellen.errors import Inapplicable
from snellen.images import Encoder
from snellen.perturb.artefacts import ARTEFACTS
from snellen.prompts import Arm
from snellen.testing import check_condition, check_no_key
from strategies import benchmarks, choices, findings, items, open_benchmarks, told_cases

ON_OPTIONS = [OptionsShuffled(), UnknownOffered(), *(DistractorsReplaced(count) for count in (1, 2, 3, 4))]
ON_OPEN = [ImageMismatched(), ImageMismatched("modality"), ReportForImage()]
EVERY_CONDITION = [
    *ON_OPEN,
    ORIGINAL,
    IMAGE_REMOVED,
    IMAGE_BLANK,
    ImageBlank("noise", "placeholder"),
    QUESTION_ONLY,
    OPTIONS_ONLY,
    Together((OPTIONS_ONLY, OptionsShuffled())),
    *ON_OPTIONS,
    *(ImageSubstituted(nth) for nth in (1, 2, 3)),
    ImageExchanged(),
    *(Together((IMAGE_REMOVED, condition)) for condition in ON_OPTIONS),
    *(ImageDegraded(artefact, "weak") for artefact in ARTEFACTS),
    ImageDegraded("noise/crop", "strong", "stretched"),
    ImageMirrored(),
]
LENT = (DistractorsReplaced(4), ImageSubstituted(2), ImageExchanged(), ImageMismatched())
UNDRAWN = [condition for condition in EVERY_CONDITION if getattr(condition, "artefact", "") not in ARTEFACTS]
POOLS = (
    st.lists(choices(images=True), min_size=1, max_size=5, unique_by=lambda item: item.id)
    | benchmarks(max_size=8)
    | open_benchmarks(max_size=8)
)
"""Items of any words, and benchmarks with categories, kinds of image, patients and images of other options."""
LAWS = settings(max_examples=15)
ENCODE = Encoder()


@given(pool=POOLS, artefact=st.sampled_from(sorted(ARTEFACTS)), seed=st.integers(0, 2**32))
@LAWS
def test_every_condition_keeps_its_contract(pool, artefact, seed):
    """Input untouched, id kept, repeatable, replayable, whatever the items say and lend to each other."""
    for condition in (*UNDRAWN, ImageDegraded(artefact, "weak")):
        check_condition(condition, pool, seed=seed)


@given(pool=POOLS, artefact=st.sampled_from(sorted(ARTEFACTS)), seed=st.integers(0, 2**32))
@LAWS
def test_the_answer_key_never_reaches_a_request(pool, artefact, seed):
    """What was drawn once makes the same request, whichever option is right; the right one never abstains."""
    for condition in (*UNDRAWN, ImageDegraded(artefact, "weak")):
        check_no_key(Arm(condition), pool, ENCODE)
        for variant in varied(condition, pool, seed):
            after = variant.item
            assert after.kind == "open" or not after.options[after.answer].abstains


@pytest.mark.parametrize("condition", EVERY_CONDITION, ids=lambda condition: condition.label)
def test_every_condition_applies_where_it_can(condition):
    """The laws are not kept by leaving every item out: here each condition applies to all."""
    where = told_cases() if condition in ON_OPEN else findings(15)
    assert check_condition(condition, where) == len(where)


def varied(condition, pool, seed=0):
    """The items to which a condition applies, as it leaves them."""
    made, shelf = [], Pool(pool)
    for item in pool:
        try:
            made.append(vary(item, condition, seed=seed, pool=shelf))
        except Inapplicable:
            continue
    return made


def test_a_draw_depends_on_neither_process_nor_machine():
    """Every process has another hash seed, and all draw the same, also from what other items offer and lend."""
    drawn = json.dumps([drawn_by(condition) for condition in LENT])
    assert sha256(drawn.encode()).hexdigest()[:16] == "2a4499308ec27521"


def drawn_by(condition):
    """What is drawn for some items, out of a pool that came in another order."""
    where = told_cases() if condition in ON_OPEN else findings()
    return [dict(vary(item, condition, seed=7, pool=Pool(where[::-1])).drawn) for item in where[:9]]


@given(st.integers(), st.text(max_size=8), st.text(max_size=8))
def test_seed_condition_and_item_all_matter(seed, one, two):
    """Different seeds or names, different streams."""
    first = generator(seed, "condition", one).integers(1 << 62)
    assert first != generator(seed + 1, "condition", one).integers(1 << 62)
    assert (one == two) == bool(first == generator(seed, "condition", two).integers(1 << 62))


def test_the_contract_notices_a_condition_that_looks_at_the_key():
    """One that marks the right option in its words fails."""

    @dataclass(frozen=True)
    class Tells(Condition):
        """Says which option is right."""

        name: ClassVar[str] = "tells"

        def apply(self, item, drawn):
            """The question with its answer."""
            return replace(item, question=f"{item.question} ({item.letter})")

    with pytest.raises(AssertionError, match="depends on the right answer"):
        check_no_key(Arm(Tells()), items(2))
