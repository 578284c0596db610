"""Missing images: what a reply does about an image that was never sent."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.grading import (
    missing_chinese,
    missing_denials,
    missing_english,
    missing_french,
    missing_german,
    missing_italian,
    missing_patterns,
    missing_spanish,
)
from snellen.grading.cleaning import WINDOW, windowed
from snellen.grading.missing_image import Admission, read_admission
from snellen.grading.missing_roles import LETTER, Lexicon
from snellen.grading.missing_shapes import pattern
from snellen.stats import cohens_kappa

ROOT = Path(__file__).parents[2]
LABELLED = ROOT / "studies" / "missing_image" / "labelled.jsonl"
ANSWERS = ROOT.parent / "shared" / "data" / "italian-medvqa" / "answers.jsonl.gz"
FLOOR = 0.87
"""Kappa on the training rows was 0.91 (n = 343) when this was written."""

MISSING = {
    "en": [
        "I don't see any attachment in our conversation.",
        "It looks like the upload didn't go through. Could you try again?",
        "I'm a text-based AI, so pictures are beyond me.",
        "Could you share the scan?",
        "No image was provided, but based on typical cases the answer is probably B.",
        "To give you an accurate answer, I would need to see the actual tracing in the photo.",
        "Without the image, I can only offer general guidance: look at the leaf margins.",
        "If you can describe the rash, I can help.",
        "You may have forgotten the attachment!",
        "The patient has pneumonia. (I was not shown the X-ray, so this is an assumption.)",
        "I lack the ability to interpret visual data.",
    ],
    "it": [
        "Mi dispiace, ma non vedo alcuna immagine allegata. Può caricarla di nuovo?",
        "Essendo un modello testuale, non sono in grado di vedere la radiografia.",
        "Senza l'immagine non posso stabilirlo, ma di solito si tratta di un'ernia.",
    ],
    "es": [
        "Lo siento, pero no veo ninguna imagen adjunta. ¿Podría subirla de nuevo?",
        "Necesitaría ver la imagen para responder.",
        "No me ha llegado la radiografía.",
    ],
    "fr": [
        "Aucune image n'a été fournie.",
        "Il n'y a pas d'image dans votre message.",
        "Si vous m'envoyez l'image, je pourrai vous aider.",
    ],
    "de": [
        "Es tut mir leid, aber ich sehe kein angehängtes Bild.",
        "Als Sprachmodell kann ich das Röntgenbild nicht ansehen.",
        "Ohne das Bild kann ich das nicht beurteilen.",
    ],
    "zh": ["抱歉，我没有看到任何图片。请您重新上传。", "作为一个文本模型，我无法查看图像。", "没有图片，我无法判断。"],
}
REFUSES = {
    "en": [
        "I'm sorry, but I can't help with that.",
        "Please consult a radiologist to interpret the image.",
        "As an AI, I am not qualified to diagnose skin conditions. Please see a dermatologist.",
        "I'm not able to identify people in images.",
    ],
    "it": ["Mi dispiace, non posso fornire diagnosi mediche."],
    "es": ["No puedo ayudar con esa solicitud."],
    "fr": ["Je ne peux pas fournir de diagnostic médical."],
    "de": ["Bitte wenden Sie sich an einen Arzt."],
    "zh": ["抱歉，我不能提供医疗诊断。"],
}
HEDGES = {
    "en": [
        "It is hard to tell from the picture.",
        "I cannot determine this.",
        "Assuming the image shows a typical chest film, the heart would be normal.",
        "If this is a chest X-ray, then it might be pneumonia.",
        "It could be an oak or a maple; more information is needed.",
        "Without more context I can't say.",
        "The image is too blurry to tell.",
    ],
    "it": ["Non sono sicuro, potrebbe essere un merlo."],
    "es": ["La imagen está demasiado borrosa para distinguirlo."],
    "fr": ["S'il s'agit d'une radiographie du thorax, il pourrait y avoir une pneumonie."],
    "de": ["Das ist anhand des Fotos schwer zu sagen."],
    "zh": ["我不确定，可能是麻雀。"],
}
GENERIC = {
    "en": [
        "To identify the species, look at the leaf margins, the bark and the buds.",
        "Chest X-rays can show many types of fracture, such as rib fractures.",
        "To answer this I would look at the image for signs of consolidation.",
        "A pie chart is a circular graphic divided into slices. Each slice represents a proportion.",
        "1. Look at the trachea.\n2. Check the heart borders.\n3. Examine the lung fields.",
        "What is the colour of the car? What is the colour of the car?",
        "Sure! I'd be happy to help you with that.",
    ],
    "it": ["Per identificare la specie, osserva la forma delle foglie e il margine."],
    "es": ["La neumonía es una infección de los pulmones que suele causar fiebre."],
    "fr": ["Les radiographies peuvent montrer différents types de fractures."],
    "de": ["Um die Art zu bestimmen, achten Sie auf die Form der Blätter."],
    "zh": ["肺炎是一种肺部感染，常见症状包括发热和咳嗽。"],
}
DESCRIBES = {
    "en": [
        "Yes.",
        "[[B]]",
        "42",
        "Paris",
        "A red sedan with plate KJH 4821",
        "There is no fracture visible in this X-ray.",
        "No text is visible in the picture.",
        "I cannot identify the people in the image, but they are wearing hats.",
        "As an AI I cannot make a diagnosis, but the X-ray shows consolidation.",
        "The lesion appears to be a melanoma. Please consult a dermatologist.",
        "FINDINGS: Heart size is normal. Lungs are clear. IMPRESSION: No acute abnormality.",
        "The bird in the image is a cardinal. Cardinals are typically found in North America.",
        "The only text in the image is a street name.",
        "There are several nodules but none is calcified.",
        "When I look at the image, I see a dog chasing a ball.",
        "The doctor is examining a child with a stethoscope.",
        "I don't see any cats in the picture, only two dogs.",
        "No image artefacts. The lungs are clear.",
    ],
    "it": ["Nella foto si vedono tre persone sedute a un tavolo.", "Non si osservano fratture."],
    "es": ["La imagen muestra una neumonía en el lóbulo inferior derecho."],
    "fr": ["Aucune fracture n'est visible.", "C'est un chat noir."],
    "de": ["Es ist keine Fraktur zu sehen.", "Vorhofflimmern"],
    "zh": ["图片显示右下肺有肺炎。", "未见骨折。"],
}
EMPTY = {"any": ["", "  \n\t", "...", "()", "N/A", "k. A.", "<|im_end|>", "</s>", "<answer></answer>", "Answer:"]}
EXAMPLES = [
    pytest.param(text, label, id=f"{label}-{language}-{place}")
    for label, languages in (
        (Admission.MISSING, MISSING),
        (Admission.REFUSES, REFUSES),
        (Admission.HEDGES, HEDGES),
        (Admission.GENERIC, GENERIC),
        (Admission.DESCRIBES, DESCRIBES),
        (Admission.EMPTY, EMPTY),
    )
    for language, texts in languages.items()
    for place, text in enumerate(texts)
]
ENGLISH = [text for texts in (MISSING, REFUSES, HEDGES, GENERIC, DESCRIBES) for text in texts["en"] if "\n" not in text]


@pytest.mark.parametrize(("text", "label"), EXAMPLES)
def test_each_label_is_read_in_each_language(text, label):
    """What a reply does about the image that was never sent is read in six languages."""
    assert read_admission(text).label == label


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


def test_a_question_that_comes_back_as_a_statement_is_an_answer():
    """Repeating the words of a yes-or-no question as a statement answers it."""
    assert read_admission("Il disco ottico è normale.", "Il disco ottico è normale?").label == Admission.DESCRIBES


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
    """No text and no question break the reader, and the same reply always has the same label."""
    assert read_admission(text, question) == read_admission(text, question)


@given(st.lists(st.sampled_from([word for text in ENGLISH for word in text.split()]), max_size=40).map(" ".join))
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
    assert len(windowed(text)) < WINDOW + 10
    assert read_admission(text) == read_admission(windowed(text))


def patterns():
    """Every pattern of roles that the reader uses."""
    own = [value for value in vars(missing_patterns).values() if hasattr(value, "pattern")]
    return own + [found for _, found in missing_denials.DENIALS]


def test_no_pattern_can_run_away():
    """Every repetition in a pattern of roles is bounded, so that a search is linear in the reply."""
    assert len(patterns()) > 15
    assert not [found.pattern for found in patterns() if set("*+") & set(found.pattern)]


def test_every_role_is_used():
    """Each role that words may have is a letter of some pattern."""
    letters = set("".join(found.pattern for found in patterns()))
    assert not [role for role, letter in LETTER.items() if letter not in letters]


@pytest.mark.parametrize(
    "words",
    [missing_english, missing_italian, missing_spanish, missing_french, missing_german, missing_chinese],
    ids=lambda module: module.__name__.rsplit("_", 1)[-1],
)
def test_every_word_has_one_role(words):
    """No word of a language stands under two roles, where the second would silently win."""
    listed = [word for text in words.ROLES.values() for word in text.split()]
    assert not sorted({word for word in listed if listed.count(word) > 1})
    assert set(words.ROLES) <= set(LETTER)


def test_stems_and_endings_stand_for_many_words():
    """A word that is not listed has the role of its longest stem, or else of its ending, or none."""
    words = Lexicon({"send": "up*", "given": "uploaded*", "picture": "*bild"})
    names = {letter: role for role, letter in LETTER.items()}
    assert [names[words[word]] for word in ("upload", "uploadedly", "röntgenbild", "37", "tree")] == [
        "send", "given", "picture", "number", "other",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("line", "roles", "expected"),
    [
        ("cannot ..1 see", "stop cannot i see stop", True),
        ("cannot ..1 see", "stop cannot i i see stop", False),
        ("cannot ..3 see", "stop cannot stop see stop", False),
        ("see ~2 <pic>", "stop see in picture stop", False),
        ("see ~2 <pic>", "stop see the study stop", True),
        ("<pic> !flaw", "stop picture flaw stop", False),
        ("^^ yes", "stop comma yes stop", False),
        ("^ yes", "stop i comma yes stop", True),
        ("no other? $", "stop no other stop", True),
        ("the =1 is", "stop the have is stop", False),
    ],
)
def test_lines_of_roles_mean_what_they_say(line, roles, expected):
    """Gaps, negations, beginnings and ends of a line of roles are found, and only they."""
    shape = "".join(LETTER[role] for role in roles.split())
    assert bool(pattern(line).search(shape)) is expected


@pytest.mark.skipif(not LABELLED.exists(), reason=f"no labelled replies at {LABELLED}")
def test_agrees_with_the_labelled_training_replies():
    """On the replies it was built with, the reader agrees with the labels well beyond chance."""
    rows = [json.loads(line) for line in LABELLED.read_text(encoding="utf-8").splitlines()]
    rows = [row for row in rows if row["split"] == "train"]
    read = [read_admission(row["response"], row["question"]).label.value for row in rows]
    kappa = cohens_kappa([row["label"] for row in rows], read)
    assert kappa.n > 300
    assert kappa.value >= FLOOR


@pytest.mark.skipif(not ANSWERS.exists(), reason=f"the replies of paper 002 are not at {ANSWERS}")
def test_real_replies_to_images_that_were_sent_are_descriptions():
    """Real models that were shown an image, and answered, are not said to miss it."""
    with gzip.open(ANSWERS, "rt", encoding="utf-8") as lines:
        rows = [row for row in map(json.loads, lines) if row["arm"] == "original"]
    labels = [read_admission(row["response"], row["question"]).label for row in rows]
    assert len(labels) == 1200
    assert labels.count(Admission.DESCRIBES) >= 0.97 * len(labels)
    assert labels.count(Admission.MISSING) <= 0.01 * len(labels)
