"""Missing images: what a reply does about an image that was never sent."""

from __future__ import annotations

import gzip
import json
import re
import tarfile
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from reading.admissions_by_hand import (
    DESCRIBES,
    EMPTY,
    GENERIC,
    HEDGES,
    MISSING,
    PARAPHRASES,
    QUESTIONS,
    REFUSES,
)
from rows import take_rows
from snellen.benchmarks import load
from snellen.reading.language.acts.missing import WAYS
from snellen.reading.language.cleaning import WINDOW, cut_long
from snellen.reading.language.image_roles import LETTER, Lexicon, pattern
from snellen.reading.language.patterns import RolePattern
from snellen.reading.language.words.roles import ROLES
from snellen.reading.missing_image import Admission, denies_image, read_admission
from snellen.reading.missing_image import parser as patterns
from snellen.stats import cohens_kappa

ROOT = Path(__file__).parents[3]
LABELLED = ROOT / "tests" / "data" / "labelled" / "missing_image.jsonl"
ANSWERS = ROOT.parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
REPORTS = ROOT.parent / "shared" / "data" / "openi-reports" / "NLMCXR_reports.tgz"
FLOOR = 0.87
"""Kappa on the training rows was 0.89 (n = 805) when this was written; they were in sight while the rules were made."""

EXAMPLES = [
    (text, label)
    for label, languages in (
        (Admission.MISSING, MISSING),
        (Admission.REFUSES, REFUSES),
        (Admission.HEDGES, HEDGES),
        (Admission.GENERIC, GENERIC),
        (Admission.DESCRIBES, DESCRIBES),
        (Admission.EMPTY, EMPTY),
    )
    for texts in languages.values()
    for text in texts
]
PHRASED = [
    (text, QUESTIONS[language], label)
    for label, languages in PARAPHRASES.items()
    for language, texts in languages.items()
    for text in texts.strip().splitlines()
]
ENGLISH = [text for texts in (MISSING, REFUSES, HEDGES, GENERIC, DESCRIBES) for text in texts["en"] if "\n" not in text]


def test_each_label_is_read_in_each_language():
    """What a reply does about the image that was never sent is read in six languages."""
    for text, label in EXAMPLES:
        assert read_admission(text).label == label, text


def test_many_ways_of_saying_it_are_read():
    """A label does not hang on one wording: what did not come, cannot be opened, is asked for or declined is heard."""
    for text, question, label in PHRASED:
        assert read_admission(text, question).label == label, text


@pytest.mark.parametrize(
    "ending", ["Clinical correlation is advised.", "I'm not a doctor, so please see one.", "Hope it helps!"]
)
def test_caution_after_a_description_is_no_doubt_and_no_refusal(ending):
    """A description stays one when the usual words of caution follow."""
    assert read_admission(f"The X-ray shows an effusion on the left. {ending}").label == Admission.DESCRIBES


@pytest.mark.parametrize("wish", ["a higher resolution image", "previous films", "the clinical history"])
def test_wanting_more_is_not_wanting_the_image(wish):
    """After a description, a request for something else does not deny the image."""
    text = f"The X-ray shows an effusion on the left. For a fuller reading please provide {wish}."
    assert read_admission(text).label == Admission.DESCRIBES


def test_an_admission_at_the_very_end_counts():
    """A long description that ends by admitting that no image came is an admission."""
    text = "The image shows a quiet street. Two cars are parked on the left. Actually, no picture was attached."
    assert read_admission(text).label == Admission.MISSING


def test_only_what_follows_thinking_counts():
    """Thoughts do not count where an answer follows them, and are all there is where none does."""
    thought = "<think>I can't see the image, but sarcoidosis is typical.</think>"
    assert read_admission(f"{thought}\nThe answer is sarcoidosis.").label == Admission.DESCRIBES
    assert read_admission(thought).label == Admission.MISSING


def test_a_repeated_question_says_nothing():
    """What a reply merely repeats of its question is neither an admission nor a description."""
    question = "Please look at the photo above. Please upload no other photo. What is the colour of the car?"
    assert read_admission(question, question).label == Admission.GENERIC
    assert read_admission(f"{question} Red.", question).label == Admission.DESCRIBES


@take_rows("told, asked")
def test_an_image_that_the_question_calls_missing_is_missing_if_the_reply_says_so(told, asked):
    """To repeat that there is no image is to say so; to repeat all of the question is to say nothing."""
    question = f"{told} {asked}"
    assert read_admission(told, question).label == Admission.MISSING
    assert read_admission(question, question).label == Admission.GENERIC


@take_rows("question, no")
def test_no_is_an_admission_where_the_question_is_whether_the_image_is_seen(question, no):
    """A bare "no" denies what was asked: the image itself, or something in it."""
    assert read_admission(no, question).label == Admission.MISSING
    assert read_admission(no, "Can you see a fracture in the image?").label == Admission.DESCRIBES


@pytest.mark.parametrize(
    "aside", ["a rare condition that usually affects adults", "which is often caused by an infection"]
)
@pytest.mark.parametrize(
    "statement",
    ["Yes, there is evidence of lymphadenopathy", "The image appears to show oedema", "The diagnosis is sarcoidosis"],
)
def test_what_is_said_of_a_finding_in_general_leaves_it_a_finding(statement, aside):
    """A finding is told even if its definition follows, in its own sentence or in others."""
    assert read_admission(f"{statement}, {aside}.").label == Admission.DESCRIBES
    lecture = "It can be seen at any age. Patients may have no symptoms. Treatment is usually not needed."
    assert read_admission(f"{statement}. {lecture}").label == Admission.DESCRIBES


@take_rows("text")
def test_definitions_aims_and_offers_say_nothing_of_the_image(text):
    """A thing that was defined is still spoken of in general in the sentences that go on about it."""
    assert read_admission(text).label == Admission.GENERIC


@take_rows("text")
def test_answers_with_words_of_general_talk_are_answers(text):
    """Words such as "would be", "after" and "when compared" are said of this image too."""
    question = "Questa radiografia mostra un versamento?" if "ì" in text else ""
    assert read_admission(text, question).label == Admission.DESCRIBES


def test_the_quality_of_an_image_that_is_asked_about_is_an_answer():
    """That an image is not sharp enough is a doubt, unless it was the question."""
    text = "The image is not sharp enough to diagnose a nodule."
    assert read_admission(text, "Is there a nodule?").label == Admission.HEDGES
    assert read_admission(text, "Is this image sharp enough to diagnose a nodule?").label == Admission.DESCRIBES


def test_what_a_method_cannot_detect_is_not_missing():
    """That a kind of scan cannot find something says nothing of an image that did not come."""
    assert read_admission("A CT scan cannot detect a small lesion.").label != Admission.MISSING
    assert read_admission("The CT scan, I cannot find it.").label == Admission.MISSING


def test_a_question_that_comes_back_as_a_statement_is_an_answer():
    """Repeating the words of a yes-or-no question as a statement answers it."""
    assert read_admission("Il disco ottico è normale.", "Il disco ottico è normale?").label == Admission.DESCRIBES


@pytest.mark.parametrize("echo", ["Structure.", "The marked structure.", "The structure in the photo is marked."])
def test_an_echo_of_an_open_question_answers_nothing(echo):
    """A reply made of the words of a question that asks which one is no answer; one that chooses between them is."""
    assert read_admission(echo, "Which structure is marked in the photo?").label == Admission.GENERIC
    assert read_admission("The liver.", "Which one is marked, the liver or the spleen?").label == Admission.DESCRIBES


def test_talk_of_all_when_one_is_asked_about_is_general():
    """To a question about one thing, a sentence about all of its kind says nothing of it."""
    assert read_admission("Rivers are long.", "What is the name of the river?").label == Admission.GENERIC
    assert read_admission("Rivers are long.", "What do the rivers look like?").label == Admission.DESCRIBES


def test_a_thing_of_the_question_stands_for_the_picture():
    """What the question asks about cannot be seen if the picture cannot; other things may be out of view."""
    question = "Which shop is in this street?"
    assert read_admission("I'm unable to see the street.", question).label == Admission.MISSING
    assert read_admission("I'm unable to see the left lung apex.", question).label == Admission.DESCRIBES


def test_a_late_doubt_about_a_detail_leaves_a_description():
    """One doubt after several statements is about a detail; the same doubt alone is about the answer."""
    doubt = "I can't make out the name on the plaque."
    text = f"The street is narrow. The houses are red. There is a cat on the sill. {doubt}"
    assert read_admission(text).label == Admission.DESCRIBES
    assert read_admission(doubt).label == Admission.HEDGES


@take_rows("text")
def test_a_policy_on_medical_images_is_a_refusal(text):
    """Declining to interpret medical images is a policy; not being able to view or analyse images is an admission."""
    assert read_admission(text).label == Admission.REFUSES
    assert read_admission("I'm not able to view or analyze images.").label == Admission.MISSING


def test_the_question_tells_the_language_of_a_brief_reply():
    """Two words may belong to two languages; the question decides."""
    assert read_admission("Sin imagen", "¿Cuántos coches hay en la calle?").label == Admission.MISSING


def test_the_words_that_decided_are_given():
    """The evidence is the sentence that decided, at most 120 characters of it."""
    found = read_admission(f"Hello there. I cannot see the image {'at all ' * 40}.")
    assert (found.label, found.rule) == (Admission.MISSING, "cannot-see")
    assert found.evidence.startswith("i cannot see the image")
    assert len(found.evidence) <= 120


@given(st.text(), st.text())
def test_any_text_has_a_label(text, question):
    """No text and no question break the parser, and the same reply always has the same label."""
    assert read_admission(text, question) == read_admission(text, question)


@given(st.lists(st.sampled_from([word for text in ENGLISH for word in text.split()]), max_size=40).map(" ".join))
@example("Without I image.")
def test_case_space_and_decoration_change_nothing(text):
    """Capitals, wide spaces and bold type leave the label as it is."""
    label = read_admission(text).label
    for other in (text.upper(), text.lower(), f" \n{text.replace(' ', '   ')}\n", f"**{text}**" if text else text):
        assert read_admission(other).label == label


@given(st.text(alphabet=" \t\n\r.,;:!?-*_#()[]{}", max_size=60))
def test_signs_alone_are_empty(text):
    """Space and punctuation say nothing."""
    assert read_admission(text).label == Admission.EMPTY


@pytest.mark.parametrize("piece", ["the image is not ", "i cannot see ", "图片没有", "<", "\n", "not ", "a. "])
def test_of_a_hostile_reply_only_the_ends_are_read(piece):
    """A reply of a million characters is read as its two ends, so that its length costs nothing."""
    text = piece * (1_000_000 // len(piece))
    assert len(cut_long(text)) < WINDOW + 10
    assert read_admission(text) == read_admission(cut_long(text))


def findings(report):
    """The findings and the impression of a report in XML, under their names."""
    parts = re.findall(r'<AbstractText Label="(FINDINGS|IMPRESSION)">([^<]+)<', report)
    return "\n".join(f"{name}: {text}" for name, text in parts)


def every_pattern():
    """Every pattern of roles that the parser uses."""
    own = [value for value in vars(patterns).values() if isinstance(value, RolePattern)]
    return [found.compiled for found in (*own, *(found for _, found in WAYS))]


def test_no_pattern_can_run_away():
    """Every repetition in a pattern of roles is bounded, so that a search is linear in the reply."""
    assert len(every_pattern()) > 15
    assert not [found.pattern for found in every_pattern() if set("*+") & set(found.pattern)]


def test_every_role_is_used():
    """Each role that words may have is a letter of some pattern."""
    letters = set("".join(found.pattern for found in every_pattern()))
    assert not [role for role, letter in LETTER.items() if letter not in letters]


@pytest.mark.parametrize("language", ROLES)
def test_every_word_has_one_role(language):
    """No word of a language stands under two roles, where the second would silently win."""
    listed = [word for text in ROLES[language].values() for word in text.split()]
    assert not sorted({word for word in listed if listed.count(word) > 1})
    assert set(ROLES[language]) <= set(LETTER)


def test_stems_and_endings_stand_for_many_words():
    """A word that is not listed has the role of its longest stem, or else of its ending, or none."""
    words = Lexicon({"send": "up*", "given": "uploaded*", "picture": "*bild"})
    names = {letter: role for role, letter in LETTER.items()}
    assert [names[words[word]] for word in ("upload", "uploadedly", "röntgenbild", "37", "tree")] == [
        "send", "given", "picture", "number", "other",
    ]  # fmt: skip


@take_rows("line, roles, expected")
def test_lines_of_roles_mean_what_they_say(line, roles, expected):
    """Gaps, negations, beginnings and ends of a line of roles are found, and only they."""
    shape = "".join(LETTER[role] for role in roles.split())
    assert bool(pattern(line).search(shape)) is expected


def test_agrees_with_the_labelled_training_replies():
    """On the replies it was built with, the parser agrees with the labels well beyond chance."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["split"] == "train"]
    read = [read_admission(row["response"], row["question"]).label.value for row in rows]
    kappa = cohens_kappa([row["label"] for row in rows], read)
    assert kappa.n > 300
    assert kappa.value >= FLOOR


@take_rows("text, label")
def test_what_answers_to_exam_questions_say_in_passing(text, label):
    """A doubt about the picture counts wherever it stands; what cannot be known of the world is no such doubt."""
    assert read_admission(text).label == label


@pytest.mark.skipif(not ANSWERS.exists(), reason=f"the replies of the Italian paper are not at {ANSWERS}")
def test_real_replies_to_images_that_were_sent_are_descriptions():
    """Real models that were shown an image, and answered, are not said to miss it."""
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["arm"] == "original"]
    labels = [read_admission(row["response"], row["question"]).label for row in rows[::3]]
    assert len(labels) == 400
    assert labels.count(Admission.DESCRIBES) >= 0.98 * len(labels)
    assert labels.count(Admission.MISSING) <= 0.005 * len(labels)


@pytest.mark.skipif(not REPORTS.exists(), reason=f"the reports of Open-i are not at {REPORTS}")
def test_real_reports_of_images_are_descriptions():
    """What radiologists wrote of chest films, full of "no" and "not seen", is never taken for a missing image."""
    with tarfile.open(REPORTS) as archive:
        files = (archive.extractfile(member) for place, member in enumerate(archive) if place % 8 == 0)
        texts = [findings(file.read().decode("utf-8")) for file in files if file]
    labels = [read_admission(text, "Describe the chest X-ray.").label for text in texts if text]
    assert len(labels) > 400
    assert labels.count(Admission.DESCRIBES) >= 0.98 * len(labels)
    assert Admission.MISSING not in labels


@take_rows("text, denies")
def test_an_image_that_is_called_blank_came(text, denies):
    """Only a response that says that no image came, or cannot be seen, denies it; in every language."""
    assert denies_image(text) is denies


@pytest.mark.parametrize(
    "text", ["[[A]]", "B", "(C)", "Answer: D", "The correct answer is **B**.", "Risposta: A", "答案：C"]
)
def test_the_letter_of_an_option_describes_nothing(text):
    """Not to our questions, which offer no options; where a letter is asked for, offered or named, it may answer."""
    questions = [item.question for item in load("mirage-questions") if "points A and B" not in item.question]
    assert {read_admission(text, question).label for question in questions} == {Admission.GENERIC}
    for question in ("Which letter stands at the top of this chart?", "What is it?\n\nA. Blood\nB. Air", ""):
        assert read_admission(text, question).rule != "lone-letter"
    assert read_admission("[[fracture of the femur]]", "What does the film show?").label is Admission.DESCRIBES
