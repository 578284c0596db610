"""Left and right in six languages: what names a side, and what the other one is called."""

from hypothesis import given
from hypothesis import strategies as st

from snellen.perturb.left_and_right import in_signs, names_a_side, other_side

OTHER = {
    "Right lower lobe": "Left lower lobe", "RLL": "LLL", "LUQ": "RUQ", "OD": "OS", "R frontal lobe": "L frontal lobe",
    "LEFT": "RIGHT", "right-sided effusion": "left-sided effusion", "shifted leftward": "shifted rightward",
    "at 2 o'clock": "at 10 o'clock", "seven o'clock": "five o'clock", "clockwise": "counterclockwise",
    "polmone destro": "polmone sinistro", "in basso a sinistra": "in basso a destra", "a ore 4": "a ore 8",
    "pulmón izquierdo": "pulmón derecho", "lado derecho": "lado izquierdo", "a las 9": "a las 3",
    "poumon gauche": "poumon droit", "à gauche": "à droite", "rein droit": "rein gauche",
    "linker Unterlappen": "rechter Unterlappen", "rechtsseitig": "linksseitig", "auf 4 Uhr": "auf 8 Uhr",
    "im Uhrzeigersinn": "gegen den Uhrzeigersinn", "左肺下叶": "右肺下叶", "右侧": "左侧", "三点钟": "九点钟",
    "顺时针": "逆时针", "polmone sx": "polmone dx", "li. Lunge": "re. Lunge", "pulmón izq.": "pulmón der.",
    "rodilla izda": "rodilla dcha", "poumon G": "poumon D", "LT kidney": "RT kidney", "LT": "RT", "Dx": "Sx",
    "RIJ line": "LIJ line", "8点方向": "4点方向",
}  # fmt: skip
NO_SIDE = (
    "Is the lesion on the left or right?", "In the left kidney or in the right kidney?", "Left/right lung?",
    "Do the left and right middle cerebral arteries appear patent?", "A destra o a sinistra?", "¿Izquierda o derecha?",
    "Poumon droit ou gauche ?", "Links oder rechts?", "左侧还是右侧？", "左右两侧均有", "Both sides", "bilateral",
    "The patient's right is on the left of the image.", "La destra del soggetto è a sinistra nell'immagine.",
    "图像左侧为患者右侧。", "Im Bild ist die rechte Seite des Patienten links.", "at 12 o'clock", "6 Uhr", "upper lobe",
    "superior to the hilum", "the medial meniscus", "superotemporal", "Which of these is right?", "if left untreated",
    "L5 fracture", "5 mmol/L", "约5厘米左右", "tiene derecho a una consulta", "il a le droit de refuser",
    "Er hat recht.", "Left lung or right lung?", "Polmone destro o polmone sinistro?", "RLL or LLL?",
    "左肺还是右肺？", "What is the most likely dx?", "à côté d'un nodule", "carence en vitamine D",
)  # fmt: skip
SIDES = (
    "Is the left lung more opaque than the right?", "The patient's right is on the left of the image. Left effusion?",
    "From left to right, what is shown?", "anticlockwise", "A man with left-sided weakness.",
    "Is there a left effusion or a right pneumothorax?", "Effusion on the left and pneumothorax on the right?",
    "In the left upper lobe or the right lower lobe?", "Opacities in RLL and LUL?",
    "Lesions at 3 o'clock and 8 o'clock?",
    "Versamento destro o pneumotorace sinistro?", "Erguss links und Pneumothorax rechts?", "左肺炎或右气胸？",
    "The CT image of the patient shows left hydronephrosis and a right renal cyst.",
)  # fmt: skip


def test_the_other_side_by_its_name():
    """In every language, with its ending, its capitals and its hour."""
    for text, other in OTHER.items():
        assert names_a_side(text), text
        assert other_side(text) == other, text
        assert in_signs(text, mirrored=True) == in_signs(other), text
        assert in_signs(text) != in_signs(other), text


def test_what_a_mirror_leaves_true_names_no_side():
    """Both sides together, how to read the image, above and below, from the midline, and words of other meanings."""
    for text in NO_SIDE:
        assert not names_a_side(text), text
        assert other_side(text) in (text, None) or "patient" in text.lower() or "soggetto" in text or "患者" in text, (
            text
        )


def test_a_side_among_others_is_named():
    """A comparison of two sides is false in a mirror, and so is an order from left to right."""
    for text in SIDES:
        assert names_a_side(text), text


PIECES = st.sampled_from(
    [*OTHER, *OTHER.values(), *NO_SIDE, *SIDES, "lEFT", "anticlockwise", "droit", " ", "or", "and", ",", "/", "Ⅻ"]
)


@given(st.lists(PIECES | st.text(max_size=4), max_size=5).map(" ".join))
def test_there_and_back(text):
    """The other side of the other side is the text itself, or there is no other side of it by rule."""
    other = other_side(text)
    assert other is None or other_side(other) == text


def test_what_cannot_be_turned_back_has_no_other_side():
    """No word is made up: of anticlockwise, one would get back counterclockwise."""
    assert [other_side(text) for text in ("anticlockwise", "lEft lung")] == [None, None]
