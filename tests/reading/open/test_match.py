"""Open answers compared with their references: what is the same, what is not, and laws that hold for any text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from snellen.items import Item
from snellen.reading.open.reading import RULES, read_open
from snellen.reading.outcomes import OpenGrade, Outcome
from steps import lines_run

CORRECT, INCORRECT, UNCLEAR = OpenGrade.CORRECT, OpenGrade.INCORRECT, OpenGrade.UNCLEAR


def read(text, *references, question="What is seen?", **metadata):
    """What is read in a response to an open question with these references."""
    item = Item(
        id="o/1",
        question=question,
        kind="open",
        answer=references[0],
        metadata={**metadata, **({"answers": list(references)} if len(references) > 1 else {})},
    )
    return read_open(text, item)


SAME = [
    ("CXR", "chest X-ray"),
    ("a radiograph of the thorax", "chest x-ray"),
    ("Computed tomography", "CT"),
    ("MRI", "magnetic resonance imaging"),
    ("LLL", "left lower lobe"),
    ("lower lobe of the left lung", "left lower lobe"),
    ("RUQ", "right upper quadrant"),
    ("PTX", "pneumothorax"),
    ("haemorrhage", "hemorrhage"),
    ("Bleeding", "hemorrhage"),
    ("oedematous", "edema"),
    ("The heart is enlarged.", "cardiomegaly"),
    ("cholelithiasis", "gallstones"),
    ("renal cysts", "kidney cyst"),
    ("56 mm", "5.6 cm"),
    ("5,6 cm", "5.6 cm"),
    ("about 5.6 centimetres", "5.6cm"),
    ("three", "3"),
    ("25 x 17 mm", "2.5 cm x 1.7 cm"),
    ("fluid and air in both lungs", "air and fluid, bilateral lungs"),
    ("right-sided pleural effusion", "pleural effusion"),
    ("No fracture is seen.", "no fracture"),
    ("The fracture is absent.", "no fracture"),
    ("Answer: left kidney", "Left kidney"),
    ("It could be the spleen at first sight.\n\nFinal answer: [[left kidney]]", "left kidney"),
    ("The bowel is normal and so is the liver in all the sections that I was shown here, whatever that may be "
     "worth. The most likely diagnosis is acute appendicitis. See a surgeon.", "appendicitis"),
    ("<b>Pleural&nbsp;effusion</b>", "pleural effusion"),
    ("No abnormality was found.", "normal"),
    ("No acute cardiopulmonary disease", "normal chest x-ray"),
    ("torn ACL", "rupture of the anterior cruciate ligament"),
    ("Heart attack", "myocardial infarction"),
    ("Cerebrovascular accident", "stroke"),
    ("Intracranial haemorrhage", "brain bleed"),
    ("Pneumoperitoneum", "air under the diaphragm"),
    ("Free air under the right hemidiaphragm", "free air under the diaphragm"),
    ("several", "multiple"),
    ("long-standing", "chronic"),
    ("SCFE", "slipped capital femoral epiphysis"),
    ("T2DM", "type 2 diabetes mellitus"),
    ("Colles' fracture", "distal radius fracture"),
    ("IM nailing", "intramedullary nail"),
    ("Non-operative treatment", "conservative management"),
    ("Non-steroidal anti-inflammatory drugs", "NSAIDs"),
    ("LAD", "left anterior descending artery"),
    ("common fibular nerve", "common peroneal nerve"),
    ("S. aureus", "Staphylococcus aureus"),
    ("L4/5", "L4-L5"),
    ("Herniated disc at L4-L5", "lumbar disc herniation"),
    ("Gustilo type 3A", "type IIIA"),
    ("type 2", "II"),
    ("inferior vena cava", "IVC"),
    ("0.5 g", "500 mg"),
    ("First lumbar vertebra", "L1"),
    ("Paracetamol", "acetaminophen"),
    ("Inflammation of the plantar fascia", "plantar fasciitis"),
    ("undisplaced", "nondisplaced"),
    ("Ewing sarcoma is less likely than osteosarcoma", "osteosarcoma"),
    ("acute on chronic pancreatitis", "acute pancreatitis"),
    ("14 days", "2 weeks"),
    ("4 to 6 weeks", "4-6 weeks"),
    ("Surgery, as conservative treatment has failed", "surgery"),
    ("Osteosarcoma rather than Ewing sarcoma", "osteosarcoma"),
    ("Osteomyelitis; a fracture has been ruled out", "osteomyelitis"),
    ("Epatomegalia", "epatomegalia"),
    ("右肺上叶", "右肺上叶"),
]  # fmt: skip


def test_the_same_in_other_words_is_correct():
    """Synonyms, abbreviations, spellings, units, order, sentences and added detail change nothing."""
    assert [(text, reference) for text, reference in SAME if read(text, reference).grade is not CORRECT] == []


OTHER = [
    ("left lower lobe", "right lower lobe"),
    ("RLL", "right upper lobe"),
    ("bilateral", "left"),
    ("no pleural effusion", "pleural effusion"),
    ("The lungs are clear of effusion", "effusion"),
    ("pneumothorax", "pleural effusion"),
    ("5.6 mm", "5.6 cm"),
    ("6.5 cm", "5.6 cm"),
    ("two", "3"),
    ("MRI of the chest", "CT of the chest"),
    ("hypodense lesion", "hyperdense lesion"),
    ("posterior mediastinum", "anterior mediastinum"),
    ("There is a fracture.", "no fracture"),
    ("A stone in the kidney", "stone in the gallbladder"),
    ("Answer: right\nThe left looks fine.", "left"),
    ("No other abnormality besides a pneumothorax", "normal"),
    ("PCL tear", "ACL tear"),
    ("Ewing sarcoma rather than osteosarcoma", "osteosarcoma"),
    ("Ewing sarcoma instead of osteosarcoma", "osteosarcoma"),
    ("Ewing sarcoma is more likely than osteosarcoma", "osteosarcoma"),
    ("Although septic arthritis was suspected, the findings indicate gout.", "septic arthritis"),
    ("Avoid amoxicillin; give azithromycin.", "amoxicillin"),
    ("Thrombolysis is contraindicated; thrombectomy", "thrombolysis"),
    ("chronic pancreatitis", "acute pancreatitis"),
    ("Mesenteric adenitis mimicking appendicitis", "appendicitis"),
    ("LCL", "medial collateral ligament"),
    ("volar angulation", "dorsal angulation"),
    ("displaced", "nondisplaced"),
    ("a non-displaced fracture", "displaced fracture"),
    ("Osteomyelitis has been ruled out; this is a stress fracture.", "osteomyelitis"),
    ("Osteosarcoma is less likely, and Ewing sarcoma is the diagnosis", "osteosarcoma"),
    ("pneumonitis", "pneumonia"),
    ("dysphasia", "dysphagia"),
    ("type 3B", "type 3A"),
    ("Type IIIB", "type IIIA"),
    ("type II", "type III"),
    ("S. epidermidis", "Staphylococcus aureus"),
    ("L3-4", "L4/5"),
    ("large bowel obstruction", "small bowel obstruction"),
    ("benign tumor", "malignant tumor"),
    ("surgical treatment", "conservative treatment"),
    ("right coronary artery", "LAD"),
    ("5 g", "500 mg"),
    ("2 months", "2 weeks"),
]


def test_another_side_number_place_or_finding_is_incorrect():
    """What contradicts the reference, denies it or names something else in its place is not unclear."""
    assert [(text, reference) for text, reference in OTHER if read(text, reference).grade is not INCORRECT] == []


OPEN_ENDED = [
    ("lower lobe", "right lower lobe"),
    ("MRI", "T2 weighted MRI"),
    ("air", "air and fluid"),
    ("pleural effusion or pneumonia", "pleural effusion"),
    ("Either the left kidney or the spleen", "left kidney"),
    ("the left, or perhaps the right", "left"),
    ("2.5 cm", "2.5 x 1.7 cm"),
    ("two or three", "2"),
    ("4-6 weeks", "6 weeks"),
    ("between 2 and 4 cm", "2 cm"),
    ("This could be glioblastoma, lymphoma, metastasis or abscess.", "glioblastoma"),
]


def test_part_of_the_reference_and_alternatives_are_unclear():
    """Less than the reference says, or the reference beside something else, is neither right nor wrong."""
    assert [(text, reference) for text, reference in OPEN_ENDED if read(text, reference).grade is not UNCLEAR] == []


@pytest.mark.parametrize(
    ("text", "reference", "question", "grade"),
    [
        ("Right", "right sided pleural effusion", "On which side is the pathology?", CORRECT),
        ("Left", "right sided pleural effusion", "On which side is the pathology?", INCORRECT),
        ("X-ray", "CXR", "What is the modality?", CORRECT),
        ("There is a single mass.", "1", "How many masses are there?", CORRECT),
        ("both", "2", "How many kidneys are seen?", CORRECT),
        ("Yes, it is.", "In the midline", "Is the trachea midline?", CORRECT),
        ("No", "yes", "Is there an effusion?", INCORRECT),
        ("There is no effusion.", "no", "Is there an effusion?", CORRECT),
        ("An effusion is present.", "no", "Is there an effusion?", INCORRECT),
        ("This is a non-contrast CT.", "no contrast", "Was contrast used?", CORRECT),
        ("Surgery is needed, as conservative treatment failed.", "yes", "Is surgery indicated?", CORRECT),
        ("Avoid weight bearing.", "weight bearing", "What should be avoided?", CORRECT),
        ("Full weight bearing is allowed.", "weight bearing", "What should be avoided?", INCORRECT),
        ("The cardiac silhouette is normal in size.", "no", "Is there cardiomegaly?", CORRECT),
        ("The cardiac silhouette is enlarged.", "no", "Is there cardiomegaly?", INCORRECT),
        ("left lobe", "left hepatic lobe", "Which part of the liver is it in?", CORRECT),
    ],
)
def test_an_answer_is_read_as_one_to_its_question(text, reference, question, grade):
    """What the question has said need not be said again, and only what it asks for is needed."""
    assert read(text, reference, question=question).grade is grade


def test_any_of_several_references_may_match():
    """References that disagree are each accepted, and the one that matched is kept."""
    assert read("a cyst", "abscess", "cyst").reference == "cyst"
    assert [read(text, "left", "right").grade for text in ("left", "right")] == [CORRECT] * 2


STEPS = ["The costophrenic angle is blunted", "There is a meniscus sign", "So there is a pleural effusion"]


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        (
            "The left costophrenic angle is blunted. A meniscus sign is present. This is a pleural effusion.",
            "steps-made",
        ),
        ("The costophrenic angles are blunted, and I see a meniscus sign. So: pneumonia.", "steps-some"),
        ("The heart is enlarged. There is no pleural effusion.", "steps-missing"),
    ],
)
def test_a_chain_of_steps_is_graded_by_the_share_of_them(text, rule):
    """Most steps are correct, few are incorrect, and what lies between is unclear."""
    assert read(text, "pleural effusion", steps=STEPS).rule == rule


@pytest.mark.parametrize(
    ("text", "silence"),
    [
        ("I cannot see the image.", Outcome.ABSTAINED),
        ("I don't know.", Outcome.ABSTAINED),
        ("I'm sorry, but I can't provide a medical diagnosis.", Outcome.REFUSED),
        ("The image is too blurry to tell.", Outcome.FLAGGED_QUALITY),
        (" \n", Outcome.UNPARSED),
    ],
)
def test_a_silence_is_never_wrong(text, silence):
    """What gives no answer is kept apart from a wrong one."""
    found = read(text, "pleural effusion")
    assert (found.grade, found.silence) == (None, silence)


PARTS = st.sampled_from(
    ["liver", "kidney", "spleen", "brain", "lung", "cerebellum", "pancreas", "trachea", "aorta", "pelvis", "bladder"]
)
FINDINGS = st.sampled_from(
    ["mass", "cyst", "abscess", "fracture", "effusion", "edema", "hematoma", "infarct", "nodule", "thrombosis"]
)
REFERENCES = st.tuples(st.sampled_from(("left", "right")), PARTS, FINDINGS).map(" ".join)


@given(REFERENCES, st.sampled_from((str.upper, str.title, "  {}.\n".format, "The image shows a {}.".format)))
def test_a_reference_always_matches_itself(reference, said):
    """In any case and spacing, and in a sentence."""
    assert read(said(reference), reference).grade is CORRECT


@given(st.text(min_size=1, max_size=60).filter(lambda text: any(map(str.isalnum, text))))
def test_any_text_matches_itself(reference):
    """Whatever the language; unless it is a silence, it is correct."""
    found = read(reference, reference)
    assert found.grade is CORRECT or found.silence is not None or not any(map(str.isalnum, found.evidence))


@given(REFERENCES, st.sampled_from(("no {}", "There is no {}.", "without {}", "The image does not show a {}.")))
def test_a_denied_reference_never_matches(reference, form):
    """What is said not to be there is not the reference."""
    assert read(form.format(reference), reference).grade is INCORRECT


@given(REFERENCES)
def test_the_other_side_never_matches(reference):
    """Left is not right."""
    swapped = {"left": "right", "right": "left"}
    other = " ".join(swapped.get(word, word) for word in reference.split())
    assert read(other, reference).grade is INCORRECT


@given(st.integers(1, 400), st.sampled_from(("mm", "millimeters")))
def test_units_convert(tenths, unit):
    """A length is the same in centimetres and millimetres, and ten times as long is another."""
    assert read(f"{tenths} {unit}", f"{tenths / 10:g} cm").grade is CORRECT
    assert read(f"{tenths * 10} {unit}", f"{tenths / 10:g} cm").grade is INCORRECT


@settings(deadline=None)
@given(st.text(max_size=200), st.text(max_size=80), st.text(max_size=80))
def test_any_text_is_read_by_a_rule_with_words(text, reference, question):
    """No text raises, be it in the response, the reference or the question."""
    found = read(text, reference, question=question)
    assert RULES[found.rule]
    assert (found.grade is None) != (found.silence is None)


@pytest.mark.parametrize("piece", ["effusion ", "no ", "<b>", "1 x ", "or ", "胸", "The left lung. ", "(", "2 cm by "])
def test_a_megabyte_is_no_more_work_than_a_tenth_of_it(piece):
    """Of very long responses and references so much is read and no more."""

    def work(size):
        long = piece * (size // len(piece))
        return lines_run(lambda: (read(long, "pleural effusion"), read("pleural effusion", long)))

    work(100_000)  # what is kept of texts that were read is kept by now
    assert work(1_000_000) <= 1.1 * work(100_000) + 200
