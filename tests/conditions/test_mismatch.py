"""Words and image that contradict each other: never the part of which the words speak, never the same patient."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.conditions import ImageMismatched, Pool, vary
from snellen.conditions.mismatch import CONTRADICTORY, DIAGNOSIS
from snellen.errors import Inapplicable, StudyError
from snellen.items import Item, Option
from snellen.perturb.topics import may_be_shown, regions_of
from snellen.prompts.pathway import BY_NAME, MISMATCH
from strategies import HISTORIES, open_benchmarks, picture


def case(part, number, *, modality="MRI", **fields):
    """An open question about a part of the body, of a patient of its own."""
    made = Item(
        id=f"c{number}",
        question="What is the diagnosis?",
        answer="Torn ligament",
        kind="open",
        images=(picture(number),),
        context=HISTORIES.get(part, f"A man has pain in the {part}."),
        cluster=f"p{number}",
        metadata={"modality": modality, "body_part": part, "task": "diagnosis"},
    )
    return replace(made, **fields)


def mismatched(item, *others, donor="anatomy", seed=0):
    """The item with an image that contradicts it, out of a pool with the others."""
    return vary(item, ImageMismatched(donor), seed=seed, pool=Pool([item, *others]))


def reason(item, *others, donor="anatomy"):
    """Why no image contradicts the item."""
    with pytest.raises(Inapplicable) as found:
        mismatched(item, *others, donor=donor)
    return str(found.value)


@given(pool=open_benchmarks(), seed=st.integers(0, 2**32), donor=st.sampled_from(["anatomy", "modality"]))
def test_only_the_image_is_another_and_it_contradicts_the_words(pool, seed, donor):
    """Words and id stay; the donor is another patient's and shows nothing that the words name.

    An item that contradicts itself already stays as it is.
    """
    by_id = {item.id: item for item in pool}
    for item in pool:
        try:
            variant = vary(item, ImageMismatched(donor), seed=seed, pool=Pool(pool))
        except Inapplicable:
            continue
        if item.metadata.get("task") == MISMATCH:
            assert (variant.item, variant.drawn) == (item, {})
            continue
        made, lender = variant.item, by_id[variant.drawn["lent_by"]]
        assert (made.id, made.context, made.question) == (item.id, item.context, item.question)
        assert made.images == lender.images != item.images
        assert lender.cluster != item.cluster or not item.cluster
        assert made.metadata["shown_body_part"] == lender.metadata["body_part"]
        assert made.metadata["shown_modality"] == lender.metadata["modality"]
        told, shown = item.metadata["body_part"], lender.metadata["body_part"]
        if donor == "anatomy":
            assert regions_of(told).isdisjoint(may_be_shown(regions_of(shown)))
            assert regions_of(item.context).isdisjoint(regions_of(shown))
        else:
            assert (told, item.metadata["modality"]) != (shown, lender.metadata["modality"])
            assert told == shown


def test_the_item_tells_what_it_shows_and_what_is_right_now():
    """Its task is the one that is solved by naming the contradiction, and the answer says so."""
    variant = mismatched(case("left knee", 1), case("shoulder", 2))
    assert variant.drawn == {"substitute": 0, "lent_by": "c2", "shown_body_part": "shoulder", "shown_modality": "MRI"}
    assert variant.item.metadata["task"] == MISMATCH == CONTRADICTORY
    assert DIAGNOSIS in BY_NAME
    assert variant.item.answer == "The image does not fit the text: it shows shoulder, MRI."
    assert variant.original.answer == "Torn ligament"


@pytest.mark.parametrize(
    ("one", "other"),
    [("knee", "left knee"), ("lung", "chest"), ("brain", "head"), ("knee", "hip"), ("shoulder", "chest"),
     ("lumbar spine", "abdomen"), ("eye", "head"), ("ginocchio", "knee"), ("knee", "bone"), ("knee", "whole body")],
)  # fmt: skip
def test_what_may_show_the_same_part_is_no_donor(one, other):
    """By meaning, not by spelling; a neighbour's image may show it as well, and of a tissue nobody knows where."""
    assert "no image of another patient" in reason(case(one, 1), case(other, 2))


def test_a_part_that_the_words_name_beside_is_not_shown():
    """An operated shoulder in a history of the knee would make a shoulder fit."""
    told = case("knee", 1, context="His knee hurts. The shoulder was operated last year.")
    assert "no image of another patient" in reason(told, case("shoulder", 2))
    assert mismatched(told, case("shoulder", 2), case("chest", 3)).drawn["lent_by"] == "c3"


def test_the_same_modality_goes_first():
    """Another modality lends only where the own one has nobody; what it is called does not matter."""
    knee, near, far = case("knee", 1), case("shoulder", 2, modality="MR"), case("chest", 3, modality="CT")
    assert {mismatched(knee, near, far, seed=seed).drawn["lent_by"] for seed in range(9)} == {"c2"}
    assert mismatched(knee, far).drawn["lent_by"] == "c3"


def test_another_modality_of_the_same_part():
    """The words have to name the modality, or nothing contradicts them; radiograph and X-ray are one."""
    knee = case("left knee", 1, modality="X-ray", context="His knee hurts; a radiograph was taken.")
    assert mismatched(knee, case("right knee", 2), donor="modality").drawn["shown_modality"] == "MRI"
    for other in (case("knee", 2, modality="radiography"), case("chest", 2), case("knee", 2, modality="scan")):
        assert "by another modality" in reason(knee, other, donor="modality")
    assert "does not name a modality" in reason(case("knee", 1, modality="X-ray"), case("knee", 2), donor="modality")


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        ({"images": ()}, "no image"),
        ({"kind": "choice", "options": (Option("a"), Option("b")), "answer": 0}, "it has options"),
        ({"metadata": {"body_part": "knee", "modality": "MRI", "task": "treatment"}}, "diagnosis questions only"),
        ({"metadata": {"modality": "MRI", "task": "diagnosis"}}, "body part is not known"),
        ({"metadata": {"body_part": "bone", "modality": "MRI"}}, "body part is not known"),
        ({"metadata": {"body_part": "knee"}, "context": ""}, "does not name a body part"),
        ({"cluster": "p2"}, "no image of another patient"),
        ({"images": (picture(2),)}, "no image of another patient"),
    ],
)  # fmt: skip
def test_what_is_in_doubt_is_left_out_with_its_reason(fields, why):
    """Nothing is silently skipped."""
    assert why in reason(case("knee", 1, **fields), case("shoulder", 2))


def test_the_control_keeps_its_image_and_is_graded_as_the_others():
    """No reference of the diagnosis is left; an item that contradicts itself is no control."""
    told = {"modality": "MRI", "body_part": "knee", "task": "diagnosis", "answers": ["A tear"], "steps": ["It hurts"]}
    knee = case("knee", 1, metadata=told)
    control, other = (mismatched(knee, case("shoulder", 2), donor=donor) for donor in ("none", "anatomy"))
    assert control.drawn == {"shown_body_part": "knee", "shown_modality": "MRI"}
    assert control.item.images == knee.images
    for made in (control.item, other.item):
        assert (made.metadata["task"], made.metadata["answers"], made.metadata["steps"]) == (MISMATCH, [], [])
    contradicted = replace(knee, metadata={**told, "task": MISMATCH})
    assert "its own image contradicts" in reason(contradicted, donor="none")
    assert mismatched(contradicted, case("shoulder", 2)).item == contradicted
    assert "no image of another patient" in reason(case("shoulder", 2), contradicted)


def test_a_diagnosis_needs_no_words_for_its_part_and_other_questions_do():
    """The task says what is asked, or the words name the part."""
    bare = case("knee", 1, context="")
    named = case("knee", 1, metadata={"modality": "MRI", "body_part": "knee"})
    for item in (bare, named):
        assert mismatched(item, case("shoulder", 2)).drawn["lent_by"] == "c2"


def test_a_donor_is_anatomy_or_modality():
    """Any other setting is told at once."""
    with pytest.raises(StudyError, match="anatomy, modality, none, got donor=patient"):
        ImageMismatched("patient")


def test_regions_that_one_image_shows_are_mutual():
    """If an image of one may show another, the other's may show the one."""
    for region in may_be_shown(regions_of("whole body")):
        assert all(region in may_be_shown(frozenset({other})) for other in may_be_shown(frozenset({region})))
