import pytest

from snellen.conditions import (
    IMAGE_REMOVED,
    ORIGINAL,
    DistractorsReplaced,
    ImageBlank,
    ImportedCondition,
    OptionsShuffled,
    Together,
)
from snellen.prompts import PROMPTS, WITH_STEPS, Arm, Settings
from snellen.report.words.arms import arm_words, words_of

REPLACED = "Some wrong options replaced by options of unrelated questions; the right one keeps its place."


@pytest.mark.parametrize(
    ("arm", "words"),
    [
        (Arm(ORIGINAL), "The unchanged item."),
        (Arm(ImageBlank(fill="noise")), "The same words, every image replaced by a blank one. (fill noise.)"),
        (Arm(DistractorsReplaced(2)), f"{REPLACED} (count 2.)"),
        (
            Arm(Together((IMAGE_REMOVED, OptionsShuffled()))),
            "The same words, no image. The options in another order, drawn at random, the answer key moved with them.",
        ),
        (Arm(Together((IMAGE_REMOVED, DistractorsReplaced(3)))), f"The same words, no image. {REPLACED} (count 3.)"),
        (
            Arm(ORIGINAL, rewording=WITH_STEPS),
            "The unchanged item. It is asked to reason step by step before it answers.",
        ),
        (
            Arm(ORIGINAL, settings=Settings(reasoning_effort="low")),
            "The unchanged item. Reasoning effort is set to low.",
        ),
        (Arm(ORIGINAL, prompt=PROMPTS["letter"]), "The unchanged item. Asked by the prompt “letter”."),
        (
            Arm(ImportedCondition("a:b+c")),
            "An arm of imported responses; how it changed the items is unknown.",
        ),
    ],
)
def test_arm_is_told_by_its_parts(arm, words):
    """What an arm does is what its conditions do, then how it asks."""
    assert words_of(arm) == words


def test_every_arm_of_a_study_has_words(ready):
    """No arm of the whole protocol is without words, and no two are told alike."""
    words = arm_words(ready[0])
    assert set(words) >= set(next(iter(ready[0].tables.values())).arms)
    assert len(set(words.values())) == len(words)
