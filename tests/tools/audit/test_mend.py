"""The items to mend: planted defects are listed, clean items are not, and what is about the set stands apart."""

import csv
import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import planted
from snellen.benchmarks import load
from snellen.items import Item, Option
from snellen.tools.audit.audit import LEAST_SURE, Audit, audit, list_about_set, list_to_mend
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.needs_no_image import explain_no_need
from snellen.tools.audit.files import write
from snellen.tools.audit.finding import Checked, Finding, Flagged, Severity
from strategies import picture

TEXT = (
    "contradictory-keys", "option-labels", "overlapping-options", "key-fits", "wording", "needs-no-image",
    "options-in-question",
)  # fmt: skip
SHARE = 0.03
OPEN = ("What is seen here?", "Where is the lesion?", "Which organ is this?", "Describe the shadow in this image.")


@cache
def clean(count=300):
    """Cases with options, and open questions about images, none of which has a defect."""
    keys = ("Calcified granuloma", "Right upper lobe", "Spleen", "Round and smooth")
    asked = tuple(
        Item(
            f"o{at}", f"{OPEN[at % 4]}", kind="open", answer=keys[at % 4], images=(picture(at % 200),), cluster=f"i{at}"
        )
        for at in range(count // 2)
    )
    return (*planted.clean(11, count - len(asked)), *asked)


def letters(item, rng):
    names = [f"Figure {letter}" for letter in "BCDEA"[: max(3, len(item.options))]]
    return replace(item, kind="choice", options=tuple(map(Option, names)), answer=0)


def in_question(words):
    return lambda item, rng: replace(item, question=f"{words} {item.question}")


@cache
def frequent_words():
    """Words of nine letters and more that at least twenty of the clean items have."""
    held = Counter(
        word for item in clean() for word in set(re.findall(r"[a-z]{9,}", f"{item.context} {item.question}"))
    )
    return sorted(word for word, items in held.items() if items >= 20)


def misspell(item, rng):
    """Two letters inside a word change places."""
    word = str(rng.choice(frequent_words()))
    at = int(rng.choice([at for at in range(3, len(word) - 3) if word[at] != word[at + 1]]))
    slip = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return replace(item, question=f"{item.question} {slip}")


def lose_letter(item, rng):
    """A consonant inside a word is missing."""
    word = str(rng.choice(frequent_words()))
    at = int(rng.choice([at for at in range(3, len(word) - 3) if word[at] not in "aeiouyhl" and word[at - 1] != word[at]
                         and word[at + 1] != word[at]]))  # fmt: skip
    return replace(item, question=f"{item.question} {word[:at] + word[at + 1 :]}")


def break_word(item, rng):
    """A space stands before the last letter of a word."""
    word = str(rng.choice([word for word in frequent_words() if word[-1] not in "ai"]))
    return replace(item, question=f"{item.question} {word[:-1]} {word[-1]}")


def offer(*texts):
    """Give an item these options, the first of which is right, in any order."""

    def change(item, rng):
        order = rng.permutation(len(texts)).tolist()
        options = tuple(Option(texts[at]) for at in order)
        return replace(item, kind="choice", options=options, answer=order.index(0))

    return change


def name_side(item, rng):
    return replace(offer("Left", "Right", "Both")(item, rng), question="Which side is the left lung lesion on?")


def open_key(question, key):
    return lambda item, rng: replace(item, kind="open", options=(), question=question, answer=key, images=(picture(3),))


def yes_to(question):
    return lambda item, rng: replace(offer("Yes", "No")(item, rng), question=question)


def without_case(question):
    return lambda item, rng: replace(item, context="", question=question, images=(picture(int(rng.integers(200))),))


def asks_generally(item, rng):
    return replace(item, question="What is a pneumothorax?", images=(picture(int(rng.integers(200))),))


DEFECTS = {
    "letters of other options": letters,
    "lost letter": in_question("The patient\ufffds film is shown."),
    "web codes": in_question("Cough &amp; fever."),
    "template": in_question("Where is/are the lesion?"),
    "apostrophe": in_question('Crohn"s disease is known.'),
    "misspelled": misspell,
    "lost letter of a word": lose_letter,
    "broken word": break_word,
    "repeated word": in_question("What is the the cause?"),
    "repeated question": lambda item, rng: replace(item, question=f"{item.question}{item.question}"),
    "equal options": offer("Oedema of the lung", "Edema of lung", "Nodule"),
    "turned option": offer("Left lung", "Lung, left", "Right lung"),
    "one length in two units": offer("5 cm", "50 mm", "7 cm"),
    "nested options": offer("Fracture", "Femoral fracture", "Normal bone"),
    "overlapping ranges": offer("10-20 mm", "15-30 mm", "40-50 mm"),
    "side in the question": name_side,
    "another unit": open_key("How wide is the mass in cm?", "23 mm"),
    "many right answers": open_key("What is the differential diagnosis?", "Abscess"),
    "what is not shown": open_key("What organ is not shown?", "Brain"),
    "doubtful key": open_key("What is this?", "A cyst?"),
    "key of another kind": open_key("Is the heart enlarged?", "Left ventricle"),
    "plane and projection": open_key("In what plane is this?", "PA"),
    "number": open_key("How many masses are there?", "In the liver"),
    "length": open_key("How large is the mass?", "3.4 cm"),
    "general knowledge": asks_generally,
    "general rule": without_case("What does fat stranding suggest?"),
    "general effect": without_case("Can a mass in the pancreatic head cause jaundice?"),
    "general anatomy": without_case("Where does the left renal vein drain?"),
    "general function": without_case("What is the main function of the liver?"),
    "general share": without_case("How often is a Wilms tumour bilateral?"),
    "general choice": without_case("Which stain is usually used for amyloid?"),
    "yes for a thing": yes_to("What do the two densities indicate?"),
    "key that goes on": open_key("Which deficits follow from the place of the lesion?", "Aphasia, weakness, etc."),
    "template in capitals": in_question("Is/Are the mass near the midline?"),
}


@pytest.mark.parametrize("kind", DEFECTS)
def test_planted_defects_are_listed(kind):
    """Of defects in 3% of the items at least nine in ten are on the list, and hardly anything else is."""
    flawed = planted.plant(clean(), SHARE, 5, DEFECTS[kind])
    listed = {each.item_id for each in list_to_mend(audit(Audited("made up", flawed.items), TEXT))}
    assert len(listed & flawed.ids) >= 0.9 * len(flawed.ids)
    assert len(listed - flawed.ids) <= 0.02 * len(flawed.items)


def test_linked_items_with_keys_that_exclude_each_other_are_listed():
    """The file links two ways to ask one thing; other words for one answer, and another thing asked, are no defect."""

    def pair(at, one, first, other, second):
        shared = {"images": (picture(at),), "kind": "open", "metadata": {"linked": f"l{at}"}}
        return Item(f"{at}a", one, answer=first, **shared), Item(f"{at}b", other, answer=second, **shared)

    items = (
        *pair(1, "Where is the lesion located?", "Right hilum", "What is the location of the lesion?", "Mediastinum"),
        *pair(2, "Where is the mass?", "Right upper lobe", "Which lobe is the mass in?", "Upper lobe, right"),
        *pair(4, "What deficits follow?", "Motor deficit, neglect", "Which deficits will follow?", "Deficit of memory"),
        *pair(3, "What organ is shown?", "Liver", "Where is the mass in the liver?", "Left lobe"),
    )
    assert {each.item_id for each in list_to_mend(audit(Audited("linked", items), TEXT))} == {"1a", "1b", "4a", "4b"}


CONTRADICTIONS = (
    ("Is there a pleural effusion?", "No", "Where is the pleural effusion?", "Left"),
    ("Does the picture contain liver?", "No", "Which part of the liver is bright?", "Left lobe"),
    ("Is this a CT scan?", "No", "What is the modality of the image?", "CT"),
    ("Is the image normal?", "Yes", "Is the spleen abnormal?", "Yes"),
    ("Is this cancer or hemorrhage?", "Cancer", "Which is more likely? Cancer or hemorrhage?", "Hemorrhage"),
    ("Is the spleen normal or enlarged?", "Normal", "Is the spleen enlarged?", "Yes"),
)
AGREEMENTS = (
    ("Is there a pleural effusion?", "No", "Where is the effusion in the knee?", "Left"),
    ("Is there another mass?", "No", "Where is the mass?", "Left"),
    ("Is the mass only in the liver?", "No", "Where is the mass?", "Liver"),
    ("Is the heart normal?", "Yes", "Is the spleen abnormal?", "Yes"),
    ("Is this cancer or hemorrhage?", "Cancer", "Is the mass dense?", "No"),
    ("Which is denser, the mass or the brain?", "The brain", "Is the mass dense?", "No"),
    ("Would a fracture be visible?", "No", "Where is the fracture?", "Left"),
)


def pairs_about_images(pairs):
    return tuple(
        Item(f"p{at}{part}", asked, kind="open", answer=key, images=(picture(200 + at),))
        for at, (one, first, other, second) in enumerate(pairs)
        for part, asked, key in (("a", one, first), ("b", other, second))
    )


def test_questions_about_one_image_that_deny_each_other_are_listed():
    """However each is asked: if a thing is there, where it is, which of two it is. Other images contradict nothing."""
    planted_pairs = pairs_about_images(CONTRADICTIONS)
    items = (*clean(), *planted_pairs, *pairs_about_images(AGREEMENTS * 2)[len(planted_pairs) :])
    found = {each.item_id for each in list_to_mend(audit(Audited("pairs", items), ["contradictory-keys"]))}
    assert found == {item.id for item in planted_pairs}
    apart = tuple(replace(item, images=(picture(200 + at),)) for at, item in enumerate(planted_pairs))
    assert not list_to_mend(audit(Audited("apart", apart), ["contradictory-keys"]))


@pytest.mark.parametrize(
    "question",
    [
        "What does this finding suggest?",
        "What caused the lesion?",
        "Where is the lesion best seen?",
        "Does the mass cause a shift?",
        "What is the most likely underlying cause?",
        "What is the function of the organ on the left?",
        "Where does the tube in the stomach drain?",
    ],
)
def test_a_question_about_the_case_needs_its_image(question):
    """It has the words of a general question, and speaks of one patient."""
    assert not explain_no_need(Item("1", question, kind="open", answer="A", images=(picture(1),)))


def test_clean_phantoms_have_hardly_an_item_to_mend():
    """At most 2% of the items of a benchmark made without a defect are listed."""
    given = tuple(load("phantoms:items=120", seed=3))
    assert len(list_to_mend(audit(Audited("phantoms", given)))) <= 0.02 * len(given)


def problem(check, ids, sure, severity=Severity.HIGH):
    return Checked(
        check, 40, (Finding(check, severity, f"{check}.", "Do.", tuple(Flagged(i, "So.") for i in ids), sure=sure),)
    )


ITEMS = tuple(Item(f"i{at}", "Which side?", (Option("Left"), Option("Right")), 0) for at in range(40))


def test_what_is_about_the_set_is_no_item_to_mend():
    """An item stands once with all its problems, the surest first; a problem of a quarter of the items is the set's."""
    done = Audit(
        Audited("mine", ITEMS),
        (
            problem("majority", ["i1", "i2"], np.nan),
            problem("wording", ["i3", "i4"], 0.5, Severity.LOW),
            problem("key-fits", ["i4"], 0.6),
            problem("dead-items", ["i25"], LEAST_SURE / 2),
            problem("option-labels", [item.id for item in ITEMS[:20]], 0.9),
        ),
    )
    listed = list_to_mend(done)
    assert [each.item_id for each in listed] == ["i4", "i3"]
    assert [each.finding.check for each in listed[0].problems] == ["option-labels", "key-fits", "wording"]
    assert listed[0].sure == pytest.approx(1 - 0.5 * 0.4 * 0.1)
    assert {each.check for each in list_about_set(done)} == {"majority", "option-labels"}


def test_mend_csv_says_what_to_do_with_an_item(tmp_path):
    """Question, options, key, what is wrong and what to do; without quotes only what we say of it."""
    flawed = (replace(ITEMS[0], question="Which side is/are it?"), *ITEMS[1:])
    done = audit(Audited("mine", flawed), ("wording",))
    write(done, tmp_path / "with", {"created": ""})
    write(done, tmp_path / "without", {"created": ""}, quotes=False)
    [row] = csv.DictReader((tmp_path / "with" / "mend.csv").read_text().splitlines())
    assert (row["item_id"], row["question"], row["key"]) == ("i0", "Which side is/are it?", "A: Left")
    assert (row["options"], row["problems"]) == ("A: Left | B: Right", "wording")
    assert "template" in row["evidence"]
    assert row["to_do"]
    [bare] = csv.DictReader((tmp_path / "without" / "mend.csv").read_text().splitlines())
    assert not bare["question"] + bare["key"] + bare["options"] + bare["quote"]
    told = json.loads((tmp_path / "with" / "audit.json").read_text())
    assert [each["item_id"] for each in told["mend"]] == ["i0"]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (("Which ribs are near the shadow?", "4th and 5th"), ("What level is the shadow at?", "T5")),
        (("What is a pleural effusion?", "Fluid round the lung"), ("What tells a pleural effusion?", "A blunt angle")),
        (("How would you describe the renal mass?", "Round"), ("What is the renal mass?", "Exophytic cyst")),
    ],
)
def test_linked_questions_that_ask_for_other_things_do_not_contradict(first, second):
    """A part is another thing than a level, a sign than a definition, a name than a look."""
    pair = tuple(
        Item(key, asked, kind="open", answer=key, images=(picture(1),), metadata={"linked": "l"})
        for asked, key in (first, second)
    )
    assert not list_to_mend(audit(Audited("mine", pair), ["contradictory-keys"]))


def test_options_that_name_marks_need_the_image():
    """A long case or a general question that speaks of no image needs it if the answer is a mark in it."""
    case = "A man of 60 has weakness of an arm, and his speech is slurred; he has high pressure. " * 4 + "What is hurt?"
    for question in (case, "Which injury is best treated with a flap?"):
        named, marks = (
            Item("1", question, tuple(map(Option, texts)), 0, images=(picture(1),))
            for texts in (("The pons", "The thalamus", "The medulla"), ("Area 3", "Area 1", "Area 2"))
        )
        assert explain_no_need(named)
        assert not explain_no_need(marks)


@pytest.mark.parametrize(
    ("question", "key", "said"),
    [
        ("Can you name the organ?", "Brain", ""),
        ("Is the mass pushing the wall?", "A bit", ""),
        ("Where are the kidneys?", "Not seen here", "The question takes something for given"),
    ],
)
def test_what_a_key_says_of_its_question_is_called_by_its_name(question, key, said):
    """A request is no question of yes or no, a degree is a yes, and what is not there is no doubt."""
    item = Item("1", question, kind="open", answer=key, images=(picture(1),))
    found = [each.flagged.evidence for one in list_to_mend(audit(Audited("mine", (item,)), ["key-fits"]))
             for each in one.problems]  # fmt: skip
    assert len(found) == bool(said)
    assert all(each.startswith(said) for each in found)


def test_a_quoted_word_is_no_apostrophe_and_a_word_with_kin_no_misspelling():
    """A closing quotation mark after an s, and a word that the set has with other endings, are sound."""
    words = [
        'He sees "wavy lines" in one eye.',
        'Sjogrens" disease is it.',
        "There is irritation.",
        "It irritated him.",
    ]
    items = [Item(str(at), text, kind="open", answer="Yes") for at, text in enumerate(words)]
    items += [Item(f"f{at}", "There was irrigation.", kind="open", answer="Yes") for at in range(20)]
    assert {each.item_id for each in list_to_mend(audit(Audited("mine", tuple(items)), ["wording"]))} == {"1"}


def test_a_second_problem_of_a_check_makes_an_item_no_less_sure():
    """The surest problem that a check has with an item counts."""
    less, more = (
        Finding("wording", Severity.LOW, "It is.", "Do.", (Flagged("1", "so"),), sure=sure) for sure in (0.5, 0.8)
    )
    for findings in ((more, less), (less, more)):
        found = Audit(
            Audited("mine", (Item("1", "Which?", kind="open", answer="A"),)), (Checked("wording", 1, findings),)
        )
        assert list_to_mend(found)[0].sure == pytest.approx(0.8)
