"""Words of side and position in six languages, and words that only look like them."""

from snellen.perturb.sides import speaks_of_sides

SIDES = (
    "Which lung is affected?\nLeft or right?", "Right lower lobe", "RLL opacity", "Is the lesion in the LUL?", "L",
    "R > L", "The R lung", "upper", "superior to the hilum", "Which quadrant?", "Turned clockwise?", "at 3 o'clock",
    "at the top", "Which side?", "right-sided effusion", "Is the mass posteromedial?", "Nel polmone destro",
    "in basso a sinistra", "lobo inferior derecho", "arriba", "poumon gauche", "co\u0302te\u0301",
    "côté droit de l'image", "en bas", "linke Lunge", "rechts", "im rechten Oberlappen", "unten",
    "im Uhrzeigersinn", "左肺", "右上叶", "下叶", "顺时针", "哪一侧？",
)  # fmt: skip


def test_a_side_is_found():
    """A quarter turn makes what is said of it false."""
    for text in SIDES:
        assert speaks_of_sides(text), text


NO_SIDES = (
    "Which of the following is right?", "What is the right answer?", "All right", "How much is left?",
    "if left untreated", "He left the hospital.", "bilateral infiltrates", "5 mmol/L", "2 L of saline",
    "L5 fracture", "Are the lateral ventricles enlarged?", "Is this a lateral view?", "upper respiratory infection",
    "side effects", "basal cell carcinoma", "superiore a 5", "tiene derecho a una consulta", "todas las anteriores",
    "Il a le droit de refuser", "voir ci-dessous", "Er hat recht.", "recht gut", "richtig",
    "以上都是", "以下哪项正确？",
    "约5厘米左右", "左氧氟沙星", "这张胸部X线片上肺结节的数量是多少？", "What does the image show?", "copyright",
)  # fmt: skip


def test_what_only_looks_like_a_side_is_none():
    """Correct, remaining, law, greater, a litre, a vertebra: such questions stay as true when the image is turned."""
    for text in NO_SIDES:
        assert not speaks_of_sides(text), text
