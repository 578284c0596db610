"""Replies that say what is there, in place of the option's word."""

from __future__ import annotations

import pytest

from snellen.items import Item, Option
from snellen.reading import read_choice
from steps import lines_run


def read(question, reply, options=("Yes", "No")):
    """The option's text that is read, or None."""
    item = Item("1", question, options=tuple(map(Option, options)))
    choice = read_choice(reply, item).choice
    return None if choice is None else options[choice]


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is there a pneumothorax?", "There is no evidence of pneumothorax in the image.", "No"),
        ("Is the heart enlarged?", "The heart appears to be normal in size.", "No"),
        ("Is the cardiac silhouette normal?", "The cardiac silhouette appears normal", "Yes"),
        ("Is there cardiomegaly?", "The cardiac silhouette is enlarged.", "Yes"),
        ("Are the ventricles normal?", "The lateral ventricles are dilated.", "No"),
        ("Is there a pleural effusion?", "No pneumothorax, consolidation, or pleural effusion is seen.", "No"),
        ("Is there a pleural effusion?", "No pneumothorax, but a small pleural effusion is present.", "Yes"),
        ("Is there a fracture?", "The bones are intact.", "No"),
        ("Is this a CT scan?", "This is an MRI of the brain.", "No"),
        ("Is this an axial image?", "The image is a coronal section.", "No"),
        ("Are both kidneys visible?", "Only the right kidney is visible.", "No"),
        ("Is the effusion larger on the right?", "It is larger on the left than on the right.", "No"),
        ("Is the mass located in the liver?", "The mass is located in the pancreas.", "No"),
        ("Is anything not normal in the image?", "The image appears normal.", "No"),
        ("Il cuore è ingrandito?", "Il cuore è di dimensioni normali.", "No"),
        ("Ist das Herz vergrößert?", "Das Herz ist vergrößert.", "Yes"),
        ("The image is too dark. Is there a mass?", "A 4 cm mass with spiculated margins in the left breast.", "Yes"),
        ("Is the mediastinum widened?", "There is no enlargement of the mediastinum.", "No"),
        ("Is the ET tube properly placed?", "The endotracheal tube is in good position.", "Yes"),
        ("Are there multiple nodules?", "There is a single nodule in the left lung.", "No"),
        ("Is there a lesion?", "A non-enhancing lesion is seen in the liver.", "Yes"),
        ("Are the lungs clear?", "The lungs are not clear.", "No"),
        ("Is this image normal?", "The lungs are clear. There is an old rib fracture.", "No"),
    ],
)
def test_a_statement_answers_the_question_it_was_asked(question, reply, answer):
    """What is found or not found is held against what the question asks for."""
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is there no evidence of blunting of the costophrenic angles?", "The costophrenic angles are sharp.", "Yes"),
        ("Is there no evidence of consolidation?", "There is consolidation in the left lower lobe.", "No"),
        ("Are the lungs free of consolidation?", "There is no consolidation.", "Yes"),
        ("Was this image taken without motion artifact?", "There is motion artifact in the image.", "No"),
    ],
)
def test_a_question_asked_in_the_negative_turns_the_answer(question, reply, answer):
    """Yes then means that nothing is there."""
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Is there a pleural effusion?", "There is a small pneumothorax on the right."),
        ("Is there a skull fracture?", "There is a rib fracture."),
        ("Is there a mass in the liver?", "The kidneys appear normal."),
        ("Is there a mass in the liver?", "The liver is normal in size."),
        ("Is there a nodule?", "The right lung is clear."),
        ("Is there a pneumothorax?", "A pneumothorax cannot be excluded."),
        ("Is there a pneumothorax?", "There may be a small pneumothorax."),
        ("Is there a pleural effusion?", "A pleural effusion is a collection of fluid in the pleural space."),
        ("Is there cardiomegaly?", "Cardiomegaly means that the heart is enlarged."),
        ("Are the lungs hyperinflated?", "No acute cardiopulmonary abnormality."),
        ("What is shown here?", "No pneumothorax is seen."),
        ("Is this a CT or an MRI?", "This is an MRI."),
    ],
)
def test_what_does_not_answer_is_left_unread(question, reply):
    """Another finding, another part or side, doubt, a definition, or a question that yes and no do not answer."""
    assert read(question, reply) is None


@pytest.mark.parametrize(
    ("question", "reply", "options", "answer"),
    [
        ("Is pneumothorax present or absent?", "There is no pneumothorax.", ("Present", "Absent"), "Absent"),
        ("Is this image normal or abnormal?", "There are no abnormalities.", ("Normal", "Abnormal"), "Normal"),
        ("Is this image normal or abnormal?", "There is a large mass.", ("Normal", "Abnormal"), "Abnormal"),
        ("Which side?", "The lesion is in the left lobe.", ("Left", "Right"), "Left"),
        ("Which side?", "The left looks normal, while the right has a lesion.", ("Left", "Right"), "Right"),
        ("Which is larger, left or right?", "The effusion is smaller on the left.", ("Left", "Right"), "Right"),
        ("Which side?", "Both sides are affected.", ("Left", "Right"), None),
        ("Which modality?", "This is a computed tomography image.", ("X-ray", "CT", "MRI"), "CT"),
        ("Is this a CT or an MRI?", "This is a T1-weighted image.", ("CT", "MRI"), "MRI"),
        ("With contrast?", "This is a non-contrast scan.", ("With contrast", "Without contrast"), "Without contrast"),
    ],
)
def test_contraries_sides_and_kinds_are_read_by_what_they_mean(question, reply, options, answer):
    """The option's own word need not stand in the reply."""
    assert read(question, reply, options) == answer


@pytest.mark.parametrize(
    ("question", "reply", "answer"),
    [
        ("Is there a pneumothorax?", "The film shows a pneumothorax, which is a condition that can be fatal.", "Yes"),
        ("Is there a pneumothorax?", "This is a classic example of a pneumothorax.", "Yes"),
        ("Is there cardiomegaly?", "The heart is enlarged. Cardiomegaly is often caused by hypertension.", "Yes"),
        ("Is the heart enlarged?", "The heart is normal in size, but it could be enlarged in another view.", "No"),
        ("Is the image normal?", "It is likely normal, but please consult a radiologist.", "Yes"),
        ("Is this an axial image?", "It seems to be in the axial plane, but I'm not sure.", "Yes"),
        ("Is there consolidation?", "Consolidation in the right lower lobe suggests pneumonia.", "Yes"),
        ("Is there an infarct?", "It is hard to tell, but there appears to be an infarct.", "Yes"),
    ],
)
def test_general_remarks_and_caution_leave_a_statement_standing(question, reply, answer):
    """What is said plainly of this image counts, whatever is said around it."""
    assert read(question, reply) == answer


@pytest.mark.parametrize(
    ("question", "reply"),
    [
        ("Is the trachea located normally?", "The trachea is located normally in the upper respiratory system."),
        ("Is the trachea located normally?", "The trachea normally lies in front of the oesophagus."),
        ("Is the aorta dilated?", "The aorta is not typically dilated."),
        ("Is the heart enlarged?", "An enlarged heart, or cardiomegaly, is a sign of another condition."),
        ("Is the spleen visible?", "The spleen is visible on ultrasound in most people."),
        ("Is cortex present?", "The cortex is present in the outer layer. It is responsible for thought."),
        (
            "Is there contrast?",
            "Colours provide contrast. In design, contrast is a technique used to set things apart.",
        ),
        ("Is there free air?", "Free air under the diaphragm indicates perforation."),
        ("Is there an infarct?", "Infarcts appear hypodense on CT."),
        ("Is the mass calcified?", "Calcified masses contain calcium deposits."),
        ("Is there a haemorrhage?", "Look for areas of haemorrhage. Check for any mass."),
        ("Is this a T2 weighted image?", "In a T2 weighted image, water is bright."),
        ("Is there pneumonia?", "Pneumonia or heart failure."),
    ],
)
def test_a_textbook_sentence_is_no_answer(question, reply):
    """What is said of a thing as such, whoever has it, says nothing of this image."""
    assert read(question, reply) is None


@pytest.mark.parametrize("opening", ["Yes, ", "Yes. "])
def test_a_yes_that_its_own_sentence_denies_is_left_unread(opening):
    """A yes or no counts unless the statement after it says the contrary outright."""
    question = "Is the lesion calcified?"
    assert read(question, f"{opening}The lesion is not calcified.") is None
    assert read(question, f"{opening}The lesion is calcified.") == "Yes"
    assert read(question, f"{opening}It is in the liver.") == "Yes"


@pytest.mark.parametrize(
    ("reply", "answer"),
    [("A. No", None), ("B) Yes", None), ("A. Yes", "Yes"), ("C. No", "No"), ("X. Yes", "Yes"), ("A: No", "No")],
)
def test_a_letter_that_is_not_its_words_option_is_a_conflict_or_no_option_at_all(reply, answer):
    """A letter that is offered must agree with the yes or no after it; one that is not offered says nothing."""
    assert read("Is the heart enlarged?", reply) == answer
    assert read("Is the heart enlarged?", f"{reply}\n\nThe heart is of normal size in this film.") == answer


@pytest.mark.parametrize(
    ("question", "reply", "options", "answer"),
    [
        ("Does the patient have pneumonia?", "No, the film does not show pneumonia.", ("Pneumonia", "Normal"), 1),
        ("Does the patient have pneumonia?", "Yes.", ("Normal", "Pneumonia"), 1),
        ("Is there a bleed?", "There is no intracranial bleeding.", ("Haemorrhage", "No haemorrhage"), 1),
        ("Which lung?", "An opacity is seen in the right lower zone.", ("Left lung", "Right lung"), 1),
        ("What is it?", "There is an ischaemic stroke.", ("Brain tumour", "Cerebral infarct", "No abnormality"), 1),
        ("What is it?", "There is no tumour.", ("Brain tumour", "Cerebral infarct", "No abnormality"), None),
    ],
)
def test_a_disease_beside_its_absence_or_others_is_read_by_what_is_found(question, reply, options, answer):
    """A finding need not be named by the option's own word."""
    assert read(question, reply, options) == (None if answer is None else options[answer])


def test_contradicting_sentences_are_left_unread():
    """A reply that finds something and finds it not says nothing."""
    assert read("Is there a fracture?", "A fracture is seen. There is no fracture.") is None


def test_reading_stays_linear():
    """Ten times the text takes at most some ten times the steps."""

    def steps(times):
        reply = "no mass or cyst and the lung is a which is " * times
        return lines_run(lambda: read("Is there a mass?", reply))

    steps(20)
    assert steps(1000) < 15 * steps(100)
