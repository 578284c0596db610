"""Conditions on the options: the right one stays right; what is new comes from elsewhere and means something else."""

import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import load
from snellen.conditions import DistractorsReplaced, OptionsShuffled, Pool, UnknownOffered, vary
from snellen.conditions.pool import bearings_of
from snellen.errors import Inapplicable, StudyError
from snellen.items import LETTERS, Option
from snellen.perturb.alike import are_alike
from snellen.perturb.topics import bearings
from snellen.reading import grade
from snellen.reading.outcomes import Outcome
from strategies import FINDINGS, benchmarks, choices, findings, items

SEEDS = st.integers(0, 2**32)


def applied(condition, pool, seed=0):
    """The variants of the items to which a condition applies."""
    made, shelf = [], Pool(pool)
    for item in pool:
        try:
            made.append(vary(item, condition, seed=seed, pool=shelf))
        except Inapplicable:
            continue
    return made


def reason(item, condition, pool=None):
    """Why a condition does not apply to an item."""
    with pytest.raises(Inapplicable) as found:
        vary(item, condition, seed=0, pool=Pool(pool or findings()))
    return str(found.value)


def offering(*texts, **fields):
    """An item with these options, the first of them right."""
    return replace(findings()[0], options=tuple(Option(text) for text in texts), answer=0, **fields)


@given(item=choices(), seed=SEEDS)
def test_shuffling_keeps_the_meaning_of_the_answer(item, seed):
    """The right option stays right, the options stay the same, their order does not."""
    shuffled = vary(item, OptionsShuffled(), seed=seed, pool=Pool([item])).item
    assert shuffled.options[shuffled.answer] == item.options[item.answer]
    assert sorted(option.text for option in shuffled.options) == sorted(option.text for option in item.options)
    assert shuffled.options != item.options


@pytest.mark.parametrize("condition", [OptionsShuffled(), DistractorsReplaced(1), UnknownOffered()])
@pytest.mark.parametrize(
    "text", ["All of the above", "none of these", "B and C", "A, B and D", "Both A and B", "The above"]
)
def test_options_that_point_at_others_stay_where_they_are(condition, text):
    """An option that refers to others by their place can neither be moved nor stand beside others than it means."""
    assert "refers to others" in reason(offering("Drusen", "Cataract", text), condition)
    assert "printed in the image" in reason(offering("a", "b", "c", metadata={"options_in_image": True}), condition)


@pytest.mark.parametrize("text", ["Above the diaphragm", "Vitamin A and D deficiency", "Both lungs", "Neither"])
def test_shuffling_takes_options_that_only_look_like_it(text):
    """Anatomy and vitamins are not references to other options."""
    item = items(1)[0]
    item = replace(item, options=(*item.options[:-1], replace(item.options[-1], text=text)))
    assert vary(item, OptionsShuffled(), seed=0, pool=Pool([item])).item.options != item.options


@given(pool=benchmarks(), seed=SEEDS, count=st.integers(1, 4))
def test_replacing_keeps_the_right_option_and_takes_strangers(pool, seed, count):
    """So many wrong options are new; each is one of an unrelated question's and like none that is or was there."""
    for variant in applied(DistractorsReplaced(count), pool, seed):
        before, after = variant.original, variant.item
        by_category = Pool(pool).tells_category(before)
        assert variant.drawn.get("without_columns") == (None if by_category else ["category"])
        assert after.answer == before.answer
        assert after.options[after.answer] == before.options[before.answer]
        new = [place for place, option in enumerate(after.options) if option != before.options[place]]
        assert len(new) == count
        own = {option.text for item in pool if item.category == before.category for option in item.options}
        elsewhere = {
            option.text for item in pool if item.category not in ("", before.category) for option in item.options
        }
        assert not by_category or {after.options[place].text for place in new} <= elsewhere - own
        for place in new:
            others = [option.text for at, option in enumerate(after.options) if at != place]
            assert not any(are_alike(after.options[place].text, other) for other in others)
            assert not any(are_alike(after.options[place].text, option.text) for option in before.options)
            assert bearings(after.options[place].text).isdisjoint(bearings_of(before))


@given(pool=benchmarks(), seed=SEEDS)
def test_more_replacements_keep_the_fewer(pool, seed):
    """Nested: what stands in one place under 1R stands there under 2R, and so on to 4R."""
    for item in pool:
        kept = []
        for count in (1, 2, 3, 4):
            try:
                drawn = vary(item, DistractorsReplaced(count), seed=seed, pool=Pool(pool)).drawn["replaced"]
            except Inapplicable:
                break
            assert drawn[:-1] == kept
            kept = drawn


def test_replacements_are_drawn_and_not_always_the_same():
    """Over the seeds, every wrong option is replaced at some time and many strangers come in."""
    drawn = [applied(DistractorsReplaced(1), findings(), seed)[0].drawn["replaced"][0] for seed in range(60)]
    assert {place for place, _ in drawn} == {1, 2, 3, 4}
    assert {text for _, text in drawn} <= {*FINDINGS["chest"], *FINDINGS["eye"]}
    assert len({text for _, text in drawn}) > 5


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (offering("x", "y", "z", question="Which?", category="", metadata={}), "names no body part"),
        (offering("Yes", "No"), "cannot be replaced"),
        (offering("Drusen"), "offers no options"),
        (offering("Drusen", "Cataract"), "fewer than 2 wrong options"),
        (replace(offering("Drusen", "Cataract"), kind="open", answer="Drusen", options=()), "offers no options"),
    ],
)
def test_what_cannot_be_replaced_is_left_out_with_a_reason(item, why):
    """No category and no part of the body, yes and no, one option, too few wrong ones, an open question."""
    assert why in reason(item, DistractorsReplaced(2))


@pytest.mark.parametrize("category", ["", "radiology"])
def test_without_categories_questions_are_related_by_their_text(category):
    """If none is told, or the same of all, options of questions about other parts of the body are unrelated."""
    chest, related, eye, unread = (
        offering(*texts, id=f"q{at}", question="What is the diagnosis?", category=category, metadata={})
        for at, texts in enumerate(
            (("Pneumothorax", "Rib fracture"), ("Pneumonia", "Cataract"), ("Drusen", "Macular hole"), ("Lupus", "Gout"))
        )
    )
    made = applied(DistractorsReplaced(1), [chest, related, eye, unread])
    [drawn] = [each.drawn for each in made if each.original is chest]
    assert drawn["replaced"][0][1] in ("Drusen", "Macular hole")
    assert drawn["without_columns"] == ["category"]
    assert unread not in [each.original for each in made]
    assert "add the columns category" in reason(unread, DistractorsReplaced(1), [chest, unread])


def test_yes_and_no_stay_yes_and_no_beside_an_option_that_abstains():
    """A third option that means "I do not know" makes no other question of it."""
    item = offering("Yes", "No")
    item = replace(item, options=(*item.options, Option("Cannot tell", abstains=True)))
    assert "cannot be replaced" in reason(item, DistractorsReplaced(1))


def test_an_option_that_abstains_is_not_a_wrong_one():
    """It is never the one that goes."""
    item = findings()[0]
    item = replace(item, options=(*item.options[:2], Option("I do not know", abstains=True)))
    for seed in range(20):
        assert vary(item, DistractorsReplaced(1), seed=seed, pool=Pool(findings())).item.options[2].abstains
    assert "fewer than 2" in reason(item, DistractorsReplaced(2))


def test_where_nothing_is_surely_unrelated_nothing_is_replaced():
    """Other categories offer the same in other words only, or what says nothing without its question."""
    item = offering("Heart attack", "Rib fracture", category="chest")
    others = [
        offering("Myocardial infarction", "Left", id="x", category="heart"),
        offering("1", "2", id="y", category="counts"),
        offering("Drusen", "Cataract", id="z", category="", metadata={}),
        offering("Drusen", "Cataract", id="w", category="eye", language="it", metadata={}),
    ]
    assert "too few options that differ in body part, kind of finding" in reason(
        item, DistractorsReplaced(1), [item, *others]
    )
    assert not Pool([item, *others[2:]]).tells_category(item)
    free = vary(item, DistractorsReplaced(1), seed=0, pool=Pool([item, *others, findings()[2]])).item
    assert free.options[1].text in FINDINGS["eye"]


@pytest.mark.parametrize("language", ["en", "it", "zh"])
def test_phantoms_lend_nothing_of_the_same_body_part_and_no_word_of_the_item(language):
    """OCT and fundus photograph are both of the eye; a side that is asked for comes from nobody else."""
    pool = load(f"phantoms:items=96,language={language}").items
    offered_of = {}
    for item in pool:
        for option in item.options:
            offered_of.setdefault(option.text, set()).add(item.metadata["body_part"])
    made = applied(DistractorsReplaced(1), pool)
    for variant in (*made, *applied(DistractorsReplaced(4), pool)):
        item = variant.original
        words = re.findall(r"\w{5,}", " ".join([item.question, *(each.text for each in item.options)]).lower())
        for _, text in variant.drawn["replaced"]:
            assert item.metadata["body_part"] not in offered_of[text]
            assert not set(words) & set(re.findall(r"\w{5,}", text.lower())) - {"della"}
    assert len(made) == sum(item.metadata["question_kind"] != "presence" for item in pool)


SHARING = {
    "Pleural plaque": "the part of the body",
    "Rib notching": "the part of the body, and its name",
    "Left atrial thrombus": "a side",
    "Hip fracture": "a finding",
    "Asymmetry": "a word",
}


def test_what_shares_anything_with_the_item_is_not_lent():
    """By its own words, or by those of the question that offers it."""
    item = offering("Left rib fracture", "Cardiomegaly", question="Why this asymmetry?", category="x", metadata={})
    for lent, shared in SHARING.items():
        lender = offering(lent, id="y", question="What is it?", category="y", metadata={})
        assert "differ in body part" in reason(item, DistractorsReplaced(1), [item, lender]), shared
    stated = offering("Crackles", id="y", question="What is heard over the lungs?", category="y", metadata={})
    assert "differ in body part" in reason(item, DistractorsReplaced(1), [item, stated])
    free = offering("Cataract", id="y", question="What is it?", category="y", metadata={})
    assert vary(item, DistractorsReplaced(1), seed=0, pool=Pool([item, free])).item.options[1].text == "Cataract"


def test_an_option_that_its_own_category_offers_elsewhere_is_no_stranger():
    """A distractor that cases of this kind really have is not unrelated, whoever else has it."""
    item = offering("Pneumothorax", "Rib fracture", category="chest", metadata={})
    same = offering("Cardiomegaly", "Aneurysm", id="x", category="chest", metadata={})
    other = offering("Aneurysm", "Meningioma", id="y", category="brain", metadata={})
    drawn = {
        applied(DistractorsReplaced(1), [item, same, other], seed)[0].drawn["replaced"][0][1] for seed in range(20)
    }
    assert drawn == {"Meningioma"}


@pytest.mark.parametrize("count", [0, -1, 1.5, True, "two"])
def test_so_many_options_cannot_be_replaced(count):
    """It is said before anything is asked."""
    with pytest.raises(StudyError, match="whole number of wrong options"):
        DistractorsReplaced(count)


@given(pool=benchmarks(), seed=SEEDS)
def test_unknown_stands_in_for_one_wrong_option(pool, seed):
    """One option is new and abstains; the right one is as it was; choosing the new one is an abstention."""
    for variant in applied(UnknownOffered(), pool, seed):
        before, after = variant.original, variant.item
        new = [place for place, option in enumerate(after.options) if option != before.options[place]]
        assert [after.options[place] for place in new] == [Option("Unknown", abstains=True)]
        assert after.answer == before.answer
        assert after.answer not in new
        assert after.chance == pytest.approx(1 / (len(before.options) - 1))
        said = f"Answer: {LETTERS[new[0]]}"
        assert grade(said, "stop", after, "lenient").outcome is Outcome.ABSTAINED
        assert grade(f"Answer: {after.letter}", "stop", after, "lenient").outcome is Outcome.CORRECT


@pytest.mark.parametrize(
    ("language", "text"), [("en", "Unknown"), ("it-CH", "Sconosciuto"), ("zh", "未知"), ("tlh", "Unknown")]
)
def test_unknown_speaks_the_language_of_the_question(language, text):
    """By the language without its region; English where there are no words."""
    item = replace(findings()[0], language=language)
    variant = vary(item, UnknownOffered(), seed=0, pool=Pool([item]))
    assert variant.item.options[variant.drawn["place"]] == Option(text, abstains=True)


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (offering("Drusen", "Cataract"), "only the correct answer would be left"),
        (offering("Drusen", "Cataract", "unknown."), "it already has an"),
        (replace(offering("a", "b"), options=(Option("a"), Option("b"), Option("?", abstains=True))), "it already has"),
        (replace(offering("a", "b"), kind="open", answer="a", options=()), "offers no options"),
    ],
)
def test_where_unknown_has_no_place_it_is_left_out_with_a_reason(item, why):
    """Two options, one that says it already, whether it is marked or not, an open question."""
    assert why in reason(item, UnknownOffered())


def test_three_options_are_enough_for_unknown():
    """One wrong option goes, and one stays beside the right answer; with two, none would stay."""
    item = offering("Drusen", "Cataract", "Glaucoma")
    varied = vary(item, UnknownOffered(), seed=0, pool=Pool([item])).item
    assert [option.abstains for option in varied.options].count(True) == 1
    assert len(varied.options) == 3


@pytest.mark.parametrize("question", ["Which is the least likely finding?", "All are seen EXCEPT which?"])
def test_questions_for_the_odd_one_out_keep_their_distractors(question):
    """An unrelated option is an odd one out too, and would be right."""
    assert "does not fit" in reason(replace(findings()[0], question=question), DistractorsReplaced(1))


def test_questions_that_name_their_two_options_keep_them():
    """Asked whether it is solid or cystic, "diffuse" is true of the lesion and no answer."""
    asked = offering("solid", "cystic", question="Is the lesion solid or cystic?")
    assert "names both options" in reason(asked, DistractorsReplaced(1))


def test_neither_sides_nor_abstentions_are_lent():
    """The left half of one image is the left side of another, and who cannot tell is always right not to."""
    asked = replace(
        findings()[0], question="Which half?", category="one", options=(Option("Left half"), Option("Both"))
    )
    lent = ("Left side", "Cannot be determined", "Cataract")
    other = offering(*lent, id="other", category="two")
    assert [stranger.text for stranger in Pool([asked, other]).strangers(asked)] == ["Cataract"]


@pytest.mark.parametrize("text", ["Don't know", "Cannot be determined", "Unknown."])
def test_unknown_is_not_offered_twice(text):
    """Where an option says already that one cannot tell, another would be the same once more."""
    assert "already" in reason(offering("Drusen", "Cataract", text), UnknownOffered())
