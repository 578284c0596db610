"""Visual substitution: what the new image shows is right now, and nobody knows it to show what was right before."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks import folder, load
from snellen.conditions import ImageSubstituted, Pool, vary
from snellen.errors import BrokenRowsError, Inapplicable, StudyError
from snellen.images import Image, encode
from snellen.items import Benchmark, Option, Substitute
from snellen.perturb.polar import is_relative
from strategies import benchmarks, findings, picture

SHOWN = "chest"
ABDOMEN = {"modality": "CT", "body_part": "abdomen"}


def case(place, number, **fields):
    """A question whose right answer is the option at a place, of a patient of its own."""
    item = replace(findings()[1], id=f"c{number}", answer=place, images=(picture(number),), cluster=f"p{number}")
    return replace(item, **fields)


def lent(item, *others, nth=1):
    """The item with another image, out of a pool with the others."""
    return vary(item, ImageSubstituted(nth), seed=0, pool=Pool([item, *others]))


def reason(item, *others):
    """Why the item can have no other image."""
    with pytest.raises(Inapplicable) as found:
        lent(item, *others)
    return str(found.value)


@given(pool=benchmarks(), seed=st.integers(0, 2**32), nth=st.integers(1, 3))
def test_the_new_answer_is_what_the_new_image_shows(pool, seed, nth):
    """Words and options stay, the answer is another option, and the image is one that is known to show it."""
    by_id = {item.id: item for item in pool}
    for item in pool:
        try:
            variant = vary(item, ImageSubstituted(nth), seed=seed, pool=Pool(pool))
        except Inapplicable:
            continue
        made, drawn = variant.item, variant.drawn
        assert made == replace(item, images=made.images, answer=drawn["shows"], substitutes=())
        assert made.answer != item.answer
        if item.substitutes:
            assert Substitute(made.images, made.options[made.answer].text) in item.substitutes
            continue
        lender = by_id[drawn["lent_by"]]
        assert made.images == lender.images
        assert lender.options[lender.answer].text == made.options[made.answer].text
        missing = [name for name in ("modality", "body_part") if name not in item.metadata]
        assert drawn.get("without_columns", []) == missing
        assert missing or dict(lender.metadata) == dict(item.metadata)
        assert not item.cluster or lender.cluster != item.cluster
        assert lender.images != item.images or lender.cluster != item.cluster
        assert asked(lender) == asked(item) or not is_relative(made.options[made.answer].text)
        same = [each for each in pool if (each.cluster or each.images) == (lender.cluster or lender.images)]
        right = item.options[item.answer].text
        assert not any(
            each.options[each.answer].text == right and asked(each) == asked(item) and about(each) == about(item)
            for each in same
        )


def asked(item):
    """Which of the strategies' questions it is, whatever stands around it."""
    return "largest" if "largest" in item.question else "shown"


def about(item):
    """The kind of image."""
    return dict(item.metadata)


def test_another_patient_lends_its_image():
    """The donor is of the same kind of image, and its answer is one of the wrong options."""
    variant = lent(case(0, 1), case(2, 2))
    assert (variant.item.images, variant.item.answer) == ((picture(2),), 2)
    assert variant.drawn == {"shows": 2, "substitute": 0, "lent_by": "c2"}
    assert variant.original.answer == 0


@pytest.mark.parametrize(
    ("lender", "why"),
    [
        (case(2, 2, cluster="p1"), "no other patient's image"),
        (case(0, 2), "no other patient's image"),
        (case(2, 2, metadata={"modality": "MRI", "body_part": SHOWN}), "no other patient's image"),
        (case(2, 2, metadata={"modality": "scan", "body_part": "knee"}), "no other patient's image"),
        (case(2, 2, question="Which of these is NOT shown?"), "no other patient's image"),
        (case(2, 2, language="it"), "no other patient's image"),
        (case(2, 2, images=()), "no other patient's image"),
        (case(2, 2, kind="open", answer="Cardiomegaly", options=()), "no other patient's image"),
    ],
    ids=["own patient", "same answer", "modality", "body part", "question", "language", "no image", "open"],
)
def test_whose_image_cannot_stand_in(lender, why):
    """The same patient or answer, another kind of image or language, what is not shown, no image, no options."""
    assert why in reason(case(0, 1), lender)


def test_a_patient_does_not_lend_to_itself_out_of_any_pool():
    """Also where the item is not among those that lend."""
    with pytest.raises(Inapplicable):
        vary(case(0, 1), ImageSubstituted(), seed=0, pool=Pool([case(2, 2, cluster="p1")]))
    assert vary(case(0, 1), ImageSubstituted(), seed=0, pool=Pool([case(2, 2)])).item.answer == 2


def test_an_image_that_is_known_to_show_the_right_answer_too_is_not_lent():
    """Whoever has both says nothing about which of the two is seen, also if the other was asked in other words."""
    both = [case(2, 2), case(0, 3, cluster="p2", images=(picture(2),))]
    assert "no other patient" in reason(case(0, 1), *both)
    elsewhere = replace(both[1], question="Which finding is the largest?")
    assert "no other patient" in reason(case(0, 1), both[0], elsewhere)
    assert lent(case(0, 1), *both, case(2, 4)).drawn["lent_by"] == "c4"
    assert "no other patient" in reason(case(1, 1), both[0], case(1, 3, cluster="p2"))


def test_items_that_share_an_image_are_one_patient_where_nobody_says():
    """Two questions about one picture do not lend it to each other."""
    one, two = case(0, 1, cluster=""), case(2, 2, cluster="", images=(picture(1),))
    assert "no other patient" in reason(one, two)
    assert lent(one, two, case(2, 3, cluster="")).drawn["lent_by"] == "c3"


def test_yes_and_no_are_lent_for_the_very_same_question_only():
    """What yes means is decided by the whole question, the case told before it included."""
    yes, no = (Option("Yes"), Option("No")), "Is there a fracture?"
    item = case(0, 1, options=yes, question=no)
    assert lent(item, case(1, 2, options=yes, question="Is there any fracture?")).item.answer == 1
    assert "no other patient" in reason(item, case(1, 2, options=yes, question="Is there an effusion?"))
    untold = (case(place, place + 1, options=yes, question=no, metadata={}) for place in (0, 1))
    assert lent(*untold).item.answer == 1
    for options in (yes, (*yes, Option("Cyst"))):
        told = case(0, 1, options=options, question=f"After a fall. {no}")
        assert "no other patient" in reason(told, case(1, 2, options=options, question=no))


def test_yes_of_other_questions_does_not_count_as_the_right_answer():
    """A patient with many a yes can still lend the image that shows no."""
    yes = (Option("Yes"), Option("No"))
    item = case(0, 1, options=yes, question="Is there a fracture?")
    other = case(1, 2, options=yes, question="Is there a fracture?")
    unlike = case(0, 3, options=yes, question="Is there an effusion?", cluster="p2")
    assert lent(item, other, unlike).drawn["lent_by"] == "c2"


@pytest.mark.parametrize(
    ("one", "two", "same"),
    [
        ("A man of 70. What is shown?", "What is shown?", True),
        ("What is shown? Choose one.", "What is shown?", True),
        ("这位患者70岁。这张图像显示什么？", "这张图像显示什么？", True),
        ("这张图像显示什么？", "病变在哪里？", False),
        ("What is shown.", "What is missing.", False),
    ],
)
def test_what_stands_around_a_question_does_not_make_another_of_it(one, two, same):
    """The sentence that asks is what counts, in scripts without spaces too."""
    bound = {"options": tuple(map(Option, ("Enlarged heart", "Mild", "Severe")))}
    item, lender = case(0, 1, question=one, **bound), case(2, 2, question=two, **bound)
    assert lent(item, lender).item.answer == 2 if same else "no other patient" in reason(item, lender)


ASKED = {
    "names a finding": ("Which finding is old?", "What does it show?", "Cardiomegaly", True),
    "in another place": ("What is in the liver?", "What is in the kidney?", "Cyst", False),
    "in the same place": ("What is in the liver?", "Which lesion has the liver?", "Cyst", True),
    "a place, both ask where": ("Where is the mass?", "In which lobe is the nodule?", "Right upper lobe", True),
    "a place, one asks what": ("Where is the mass?", "What is the dark area?", "Right upper lobe", False),
    "a place, the other asks where": ("What is the dark area?", "Where is the mass?", "Right upper lobe", False),
    "a size": ("How large is the mass?", "How large is the heart?", "Large", False),
    "a treatment": ("What is next?", "What was done?", "Lobectomy", False),
    "nothing wrong": ("How is the lung?", "How is the heart?", "No abnormality", False),
}


@pytest.mark.parametrize(("one", "two", "shown", "lends"), ASKED.values(), ids=ASKED)
def test_an_option_that_says_enough_alone_is_lent_whatever_was_asked(one, two, shown, lends):
    """As the ledger has it: same modality and body part, that answer, another patient."""
    options = {"options": (Option("Abscess"), Option("Stone"), Option(shown)), "metadata": ABDOMEN}
    item, lender = case(0, 1, question=one, **options), case(2, 2, question=two, **options)
    assert lent(item, lender).drawn["lent_by"] == "c2" if lends else "no other patient" in reason(item, lender)
    untold = (replace(each, metadata={}) for each in (item, lender))
    assert lends or "no other patient" in reason(*untold)


def test_who_was_asked_the_same_lends_first():
    """What was drawn from such lenders before is drawn again."""
    item, wide = case(0, 1), [case(place, place + 9, question="Which finding is old?") for place in (1, 2, 3)]
    assert lent(item, *wide, case(2, 2)) == lent(item, case(2, 2))


def test_an_image_that_shows_the_right_answer_in_other_words_is_not_lent_for_another_question():
    """A patient with a pneumothorax has one whatever it is called."""
    item = case(0, 1, options=(Option("Pneumothorax"), Option("Rib fracture")))
    lender = case(1, 2, options=item.options, question="Which finding is old?")
    other = case(0, 3, cluster="p2", options=(Option("Left pneumothorax"), Option("Nodule")), question="What else?")
    assert lent(item, lender).drawn["lent_by"] == "c2"
    assert "no other patient" in reason(item, lender, other)


def colour(number):
    """A small picture in colour."""
    return Image(encode(np.full((8, 8, 3), (200, number, 30), np.uint8)).data)


RELATED = {
    "the finding tells the part": ({}, {}, True),
    "modalities in the text": ({"question": "What does this chest X-ray show?"}, {}, True),
    "another modality in the text": (
        {"question": "What does this X-ray show?"}, {"question": "What does this CT show?"}, False,
    ),
    "another part in the text": (
        {"question": "What does the knee show?"}, {"question": "What does the chest show?"}, False,
    ),
    "grey and colour": ({}, {"images": (colour(2),)}, False),
    "both in colour": ({"images": (colour(1),)}, {"images": (colour(2),)}, True),
    "a column against the text": ({"question": "Which chest finding?"}, {"metadata": {"body_part": "knee"}}, False),
}  # fmt: skip


@pytest.mark.parametrize(("one", "two", "related"), RELATED.values(), ids=RELATED)
def test_without_columns_items_are_related_by_text_and_image(one, two, related):
    """What is drawn says so, and so does the reason where nothing is related."""
    item, lender = case(0, 1, **{"metadata": {}, **one}), case(2, 2, **{"metadata": {}, **two})
    if related:
        drawn = lent(item, lender).drawn
        assert (drawn["lent_by"], drawn["without_columns"]) == ("c2", ["modality", "body_part"])
    else:
        assert reason(item, lender).endswith("add the columns modality and body_part")


def test_a_column_that_does_not_tell_the_kind_leaves_it_to_finding_and_image():
    """A bone is of any region, and a scan of any kind: the option names the region, the colours count."""
    bone, knee, scan = (
        {"metadata": each} for each in ({"body_part": "bone"}, {"body_part": "knee"}, {"modality": "x"})
    )
    assert lent(case(0, 1, metadata={}), case(2, 2, **bone)).drawn["lent_by"] == "c2"
    assert "add the columns modality" in reason(case(0, 1, **knee), case(2, 2, **bone))
    assert "add the columns body_part" in reason(case(0, 1, **scan), case(2, 2, images=(colour(2),), **scan))


def test_findings_of_any_part_are_related_by_what_else_is_listed():
    """A fracture can be anywhere: both must ask the same and list each other's answers, or name the part."""
    made = {"options": (Option("Fracture"), Option("Osteoma"), Option("Cyst")), "metadata": {}, "category": ""}
    item = case(0, 1, **made)
    assert lent(item, case(2, 2, **made)).drawn["lent_by"] == "c2"
    other = case(2, 2, **{**made, "options": (Option("Abscess"), Option("Osteoma"), Option("Cyst"))})
    assert "add the columns" in reason(item, other)


def test_questions_about_one_image_tell_its_kind_to_each_other():
    """One names the modality and another the part; a modality that is denied names nothing."""
    item = case(0, 1, metadata={}, question="What does the chest X-ray show?")
    lender = case(2, 2, metadata={})
    yes = (Option("Yes"), Option("No"))
    kind = case(0, 3, cluster="p2", images=lender.images, metadata={}, question="Which scan is it?")
    as_ct = replace(kind, options=(Option("CT"), Option("MRI")))
    denied = replace(kind, question="Is this a CT?", options=yes, answer=1)
    assert "add the columns" in reason(item, lender, as_ct)
    assert lent(item, lender, denied).drawn["lent_by"] == "c2"


@pytest.mark.parametrize(
    ("item", "why"),
    [
        (case(0, 1, metadata={}, options=(Option("Cyst"), Option("Abscess"))), "columns modality and body_part"),
        (case(0, 1, metadata={"modality": "X-ray", "body_part": ""}, language="it"), "add the columns body_part"),
        (case(0, 1, images=()), "no image to replace"),
        (case(0, 1, kind="open", answer="x", options=()), "offers no options"),
    ],
)
def test_an_item_without_an_honest_donor_says_why(item, why):
    """Nothing is known of its image, it has none, or it has no options."""
    assert why in reason(item, case(2, 2))


def test_several_substitutes_show_several_options():
    """The first, second and third are of different options; a fourth there is not."""
    pool = [case(place, place + 1) for place in range(4)]
    drawn = [lent(*pool, nth=nth).item.answer for nth in (1, 2, 3)]
    assert sorted(drawn) == [1, 2, 3]
    with pytest.raises(Inapplicable, match="fewer than 4"):
        lent(*pool, nth=4)


def test_an_items_own_images_come_first():
    """Where the benchmark brings labelled images, nobody else lends."""
    item = case(0, 1, substitutes=(Substitute((picture(9),), "cardiomegaly."),))
    made = lent(item, case(1, 2))
    assert (made.item.images, made.item.answer) == ((picture(9),), 2)
    assert made.drawn["lent_by"] == ""


def test_an_image_of_an_option_that_abstains_makes_no_right_answer():
    """Nobody can be shown to know nothing."""
    options = (Option("Drusen"), Option("Cataract"), Option("Unknown", abstains=True))
    item = case(0, 1, options=options, substitutes=(Substitute((picture(9),), "Unknown"),))
    assert "none of its own other images" in reason(item)


def test_no_donor_serves_all():
    """Out of many, items draw different ones, and no draw depends on how many there are beside them."""
    pool = [case(place % 2, place + 1) for place in range(200)]
    shelf = Pool(pool)
    drawn = {vary(item, ImageSubstituted(), seed=0, pool=shelf).drawn["lent_by"] for item in pool}
    assert len(drawn) > 60


@pytest.mark.parametrize("nth", [0, 1.5, True, "first"])
def test_substitutes_are_counted_from_one(nth):
    """It is said before anything is asked."""
    with pytest.raises(StudyError, match="counted in whole numbers"):
        ImageSubstituted(nth)


def test_substitutes_come_from_a_folder(tmp_path):
    """Written and read again they are the same images of the same options."""
    item = case(0, 1, substitutes=(Substitute((picture(9), picture(8)), "Cardiomegaly"),))
    folder.save([item], tmp_path / "mine")
    [read] = load(str(tmp_path / "mine"))
    [substitute] = read.substitutes
    assert substitute.shows == "Cardiomegaly"
    assert [image.encoded().sha256 for image in substitute.images] == [picture(n).encoded().sha256 for n in (9, 8)]
    assert lent(read).item.answer == 2


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ('[{"image": "a.png", "shows": "Aneurysm"}]', "none of its options"),
        ('[{"shows": "No"}]', "has no image"),
        ('["a.png"]', "expected objects"),
        ('[{"image": "missing.png", "shows": "No"}]', "missing.png"),
        ('[{"image": "a.png", "shows": "No"}]', "same image as the original"),
        ('[{"image": "copy.png", "shows": "No"}]', "same image as the original"),
        ('[{"image": "b.png", "shows": "No"}, {"image": "b.png", "shows": "Yes"}]', "show different options"),
    ],
)
def test_substitutes_that_make_no_sense_are_named(tmp_path, given, why):
    """An option that is not offered, no image, no object, no file, the image itself, one for two options."""
    for name, number in (("a", 1), ("copy", 1), ("b", 2)):
        (tmp_path / f"{name}.png").write_bytes(picture(number).read())
    row = f'{{"question": "?", "options": ["Yes", "No"], "answer": "Yes", "images": ["a.png"], "substitutes": {given}}}'
    (tmp_path / "items.jsonl").write_text(row, encoding="utf-8")
    with pytest.raises(BrokenRowsError, match=why):
        load(str(tmp_path))


def test_what_donors_are_found_by_is_part_of_the_benchmark():
    """Another modality, body part or substitute makes another digest: other images would be sent."""
    item = case(0, 1)
    others = [
        replace(item, metadata={"modality": "MRI", "body_part": SHOWN}),
        replace(item, metadata={"modality": "scan", "body_part": "knee"}),
        replace(item, metadata={}),
        replace(item, substitutes=(Substitute((picture(9),), "Cardiomegaly"),)),
        replace(item, substitutes=(Substitute((picture(8),), "Cardiomegaly"),)),
    ]
    assert len({Benchmark("b", (each,)).digest for each in (item, *others)}) == 6


@pytest.mark.parametrize("text", ["None of the above", "Cannot be determined"])
def test_no_image_shows_that_nothing_listed_fits(text):
    """Another question listed other things: its image may well show what is listed here."""
    asked = case(0, 1, options=(Option("Effusion"), Option("Nodule"), Option(text)))
    lender = case(2, 2, options=(Option("Fracture"), Option("Cyst"), Option(text)))
    assert reason(asked, lender)


def test_what_does_not_fit_is_not_shown_by_another_image():
    """The lender's image lacks what its own question listed, and may lack what is listed here as well."""
    asked, lender = (case(place, place + 1, question="Which of these is NOT shown?") for place in (0, 2))
    assert "can show that" in reason(asked, lender)


def test_a_copy_of_a_file_is_no_other_patient(tmp_path):
    """The same picture under another name is the same picture: the question would not change, its answer would."""
    row = '{{"id": "{name}", "question": "Shown?", "options": ["Effusion", "Nodule"], "answer": "{answer}", "images": '
    row += '["{name}.png"], "metadata": {{"modality": "X-ray", "body_part": "chest"}}}}\n'
    for name in ("one", "copy"):
        (tmp_path / f"{name}.png").write_bytes(picture(1).read())
    lines = row.format(name="one", answer="A") + row.format(name="copy", answer="B")
    (tmp_path / "items.jsonl").write_text(lines, encoding="utf-8")
    assert "no other patient" in reason(*load(str(tmp_path)))
