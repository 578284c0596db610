"""Effects: what a condition shows is declared once, and every place that asks has the same answer."""

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

import snellen
from snellen.conditions import MEMBERS, Condition, Effects, condition_named
from snellen.conditions.image import ImportedCondition
from snellen.conditions.labels import arm_effects, read_label
from snellen.errors import StudyError
from snellen.imports.answer import Answer
from snellen.imports.conditions import Sightings
from snellen.judging.rubric import SHOWN_OTHERWISE, is_about_own_case, shown_under
from snellen.models.base import Response
from snellen.plugins import find
from snellen.prompts import PROMPTS, WITH_STEPS, Arm, asked_blind
from snellen.reading.claims.columns import Rationales
from snellen.reading.outcomes import Outcome
from snellen.scoring.gate import SHORT_NAMES
from snellen.stress import stress_test
from snellen.stress.taxonomy import BIT, by_rule, hides_image
from snellen.testing import check_condition
from snellen.tools.planner.planned import PaperStudy
from strategies import items
from tables import table

EFFECTS = {
    "original": Effects(),
    "image-removed": Effects("none"),
    "image-removed:which=prior": Effects("part", shown="shown the images without some"),
    "no-image": Effects("none"),
    "image-blank": Effects("blank"),
    "image-blank:fill=noise": Effects("blank"),
    "image-blank:which=last": Effects("part", shown="shown the images, some of them blank"),
    "degraded:noise,strong": Effects("altered", makes_image=True, shown="shown the image, degraded"),
    "window:bone": Effects("altered", makes_image=True, shown="shown the image in another window"),
    "mirrored": Effects("altered", truth="changed", makes_image=True),
    "frames-shuffled": Effects("altered", truth="unknown", makes_image=True, shown="shown the frames in another order"),
    "one-frame": Effects("part", shown="shown one frame alone"),
    "image-substituted": Effects("other", truth="changed"),
    "image-exchanged": Effects("other", truth="unknown"),
    "image-mismatched": Effects("other", truth="contradicted"),
    "image-mismatched:donor=none": Effects(),
    "other-video": Effects("other", truth="unknown"),
    "report-for-image": Effects("words"),
    "options-shuffled": Effects(options="reordered", truth="moved"),
    "distractors-replaced:count=1": Effects(options="replaced"),
    "unknown-offered": Effects(options="abstain"),
    "question-only": Effects("none", text="question"),
    "question-only:options=hidden": Effects("none", text="question"),
    "options-only": Effects("none", text="options"),
    "image-removed+options-shuffled": Effects("none", options="reordered", truth="moved"),
    "options-shuffled+image-blank": Effects("blank", options="reordered", truth="moved"),
    "image-removed+distractors-replaced:count=2": Effects("none", options="replaced"),
}
"""Conditions of ours, with the settings that change what is shown."""


def test_every_condition_declares_its_effects():
    """As the table says, or its own test; none of ours is left to what it touches."""
    members = {name: find("conditions", MEMBERS, name) for name in MEMBERS}
    assert [name for name, kind in members.items() if not kind.declared and kind.effects is Condition.effects] == []
    assert {label: condition_named(label).effects for label in EFFECTS} == EFFECTS


def test_effects_are_no_part_of_an_identity_or_a_label():
    """Two conditions that differ in them alone are one (see also `test_stored_studies`)."""
    one, other = Curtain(), type("Other", (Curtain,), {"declared": Effects("blank")})()
    assert one.effects != other.effects
    assert (one.identity, one.label, one.stream) == (other.identity, other.label, other.stream)


@pytest.mark.parametrize("label", EFFECTS)
def test_the_name_of_an_arm_leads_to_the_effects_of_its_condition(label):
    """In whatever way it asks; only what the name begins with decides."""
    condition = condition_named(label)
    for arm in (Arm(condition), Arm(condition, PROMPTS["letter"], rewording=WITH_STEPS)):
        assert arm.effects == condition.effects == arm_effects(arm.name)
    assert read_label(f"{label}+letter+cot").ways == ("letter", "cot")
    assert arm_effects(f"my {label}") == ImportedCondition("mine").effects


@pytest.mark.parametrize("label", EFFECTS)
def test_every_place_says_the_same_of_what_was_shown(label):
    """No image sent, nothing to see, another case: tests, gate, planner, import, judge and report agree."""
    effects = EFFECTS[label]
    nothing_seen, none_sent = not effects.sees, not effects.sends_image
    assert [hides_image(label), *(SHORT_NAMES[name].under(label) for name in ("invents", "admits"))] == [
        nothing_seen
    ] * 3
    assert [contradicts_a_sent_image(label), is_planned_without_image(condition_named(label))] == [none_sent] * 2
    assert is_about_own_case(label) is effects.own_case
    assert shown_under(label).startswith("shown no image") is (effects.own_case and effects.image == "none")


@pytest.mark.parametrize(
    ("arm", "sees", "sends_image"),
    [
        ("no-image", False, False),
        ("image-removed+options-shuffled", False, False),
        ("image-blank", False, True),
        ("report-for-image", True, False),
        ("image-removed:which=prior", True, True),
        ("somebody's own", True, True),
    ],
)
def test_places_that_disagreed(arm, sees, sends_image):
    """A report is no image, and tells what one shows; of what is not known nothing is said."""
    assert (not hides_image(arm), not SHORT_NAMES["invents"].under(arm)) == (sees, sees)
    assert contradicts_a_sent_image(arm) is not sends_image
    assert arm_effects(arm).sends_image is sends_image


def contradicts_a_sent_image(arm):
    """Whether an import says that no image may be sent under an arm."""
    sightings = Sightings()
    sightings.add(Answer("m", "b", arm, items(1)[0], Response("Answer: A"), image_sent=True))
    return any("with an image" in each.said for each in sightings.contradictions())


def is_planned_without_image(condition):
    """Whether a plan from sizes alone counts no tokens of an image for it."""
    read = [PaperStudy()._condition("a", Arm(each)).once.read for each in (condition, condition_named("original"))]
    return read[0] != read[1]


@dataclass(frozen=True)
class Curtain(Condition):
    """The image behind a curtain: a plug-in's way to hide it."""

    name: ClassVar[str] = "curtain"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})
    declared: ClassVar[Effects] = Effects("none")

    def apply(self, item, drawn):
        """The item without its images."""
        return replace(item, images=())


@dataclass(frozen=True)
class Smudge(Condition):
    """A plug-in of 0.2.0, which declares nothing but what it touches."""

    name: ClassVar[str] = "smudge"
    touches: ClassVar[frozenset[str]] = frozenset({"image"})

    def apply(self, item, drawn):
        """The item with each image twice."""
        return replace(item, images=2 * item.images)


@pytest.fixture
def plugged(monkeypatch):
    """Two conditions of a plug-in, by name."""
    for each in (Curtain, Smudge):
        monkeypatch.setitem(MEMBERS, each.name, f"{__name__}:{each.__name__}")
    read_label.cache_clear()
    yield
    read_label.cache_clear()


@pytest.mark.usefixtures("plugged")
def test_a_plug_in_that_hides_the_image_needs_nothing_else():
    """Rules, gate, plan, import, judge, twin arm and report take it for what it declares."""
    arm = "curtain+options-shuffled"
    assert hides_image(arm)
    assert SHORT_NAMES["invents"].under(arm)
    assert contradicts_a_sent_image(arm)
    assert is_planned_without_image(Curtain())
    assert shown_under(arm) == "shown no image, the options in another order"
    assert asked_blind(["original", "image-blank", "curtain"]) == "curtain"
    [tags] = tagged(table(original=ANSWERED, curtain=ANSWERED), "curtain", claims=[0])
    assert "hallucinated perception" in tags


@pytest.mark.usefixtures("plugged")
def test_what_is_not_declared_is_never_held_against_an_image():
    """A plug-in's touched image is unknown: no rule, no contradiction, no word to a judge; nor of an imported arm."""
    assert arm_effects("smudge") == arm_effects("somebody's own") == Effects("unknown", truth="unknown")
    for arm in ("smudge", "somebody's own"):
        assert not hides_image(arm)
        assert not contradicts_a_sent_image(arm)
        assert shown_under(arm) == SHOWN_OTHERWISE
        assert tagged(table(original=ANSWERED, **{arm: ANSWERED}), arm, claims=[0]) == [set()]


ANSWERED = [(0, 0, Outcome.CORRECT, 0)]


def tagged(found, arm, *, claims):
    """The names of the tags that rules give each response of an arm, some of which claim to see something."""
    none = np.zeros(len(found.arms[arm]), dtype=bool)
    marks = np.isin(np.arange(len(none)), claims)
    said = Rationales(marks.astype(np.int64), none, none, none, ~none, none.astype(np.int64), none, none)
    bits = by_rule(replace(found, arms={**found.arms, arm: found.arms[arm].having(said)}), arm, "original")
    return [{name for name, bit in BIT.items() if each & bit} for each in bits]


@pytest.mark.parametrize(("declared", "fault"), [(Effects("none"), "sends an image"), (Effects(), "changes the image")])
def test_the_contract_refuses_a_condition_that_does_otherwise_than_it_declares(declared, fault):
    """One that sends an image though it declares none, or changes what it declares to leave."""
    liar = type(
        "Liar",
        (Smudge,),
        {"declared": declared, "apply": lambda self, item, drawn: replace(item, images=2 * item.images)},
    )
    with pytest.raises(AssertionError, match=fault):
        check_condition(liar(), items(1))


def test_a_condition_that_hides_the_image_can_be_compared_with():
    """`image-used` and `mirage-words` take any; not one that leaves the image, or takes words too."""
    assert stress_test("image-used:without=image-blank").compared[0].effects.image == "blank"
    for name in ("options-shuffled", "question-only", "nothing-known"):
        with pytest.raises(StudyError, match="Expected without to be a condition that hides the image"):
            stress_test(f"mirage-words:without={name}")


ELSEWHERE = {"perturb/alike.py", "benchmarks/columns.py", "reading/reports/findings.py", "cli/frontier.py"}
"""Modules that split something else at a plus: words, columns, findings, tests."""
BY_USERS = {"conditions/__init__.py", "conditions/labels.py", "tools/inspect/tasks.py"}
"""Modules that read labels: by name, of arms, and in a list that a user types."""


def test_names_of_arms_are_taken_apart_in_one_module():
    """Whoever wants to know what an arm does asks its effects, or `labels`."""
    folder = Path(snellen.__file__).parent
    splits = re.compile(r'(?:split|partition)\("\+"\)|"which="')
    found = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*.py") if splits.search(path.read_text("utf-8"))
    }
    assert found == ELSEWHERE | BY_USERS
