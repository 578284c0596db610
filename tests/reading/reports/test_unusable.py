from snellen.reading.reports.metrics import Pair
from snellen.reading.reports.unusable import MOST_WORDS, in_another_language, unusable

CLEAR = "The lungs are clear."
FOREIGN = [
    "Kein Nachweis eines Pneumothorax.",
    "Das Herz ist nicht vergrößert, kein Pleuraerguss.",
    "Il n'y a pas d'épanchement pleural, le cœur est de taille normale.",
    "No se observa derrame pleural. El corazón es de tamaño normal.",
    "Non si osserva versamento pleurico; il cuore è nei limiti.",
    "Não há derrame pleural.",
    "双肺清晰,心影不大。",
    "Лёгкие чистые, сердце не увеличено.",
]
ENGLISH = [
    "Heart size normal. Clear lungs.",
    "Normal chest.",
    "No pneumothorax, pleural effusion, or focal airspace disease.",
    "1. Unremarkable per XXXX. 2. XXXX.",
    "Stable cardiomegaly, de novo left base opacity.",
    "COPD",
    "2.5 cm",
]


def test_reports_in_other_languages_are_told_from_terse_english():
    """Small words of another language, or other letters; reports in English often have no small words at all."""
    assert [text for text in FOREIGN if not in_another_language(text)] == []
    assert [text for text in ENGLISH if in_another_language(text)] == []


def test_each_reason_is_named():
    """What is wrong with a pair, the reference first."""
    long = "word " * MOST_WORDS
    expected = {
        Pair(CLEAR, CLEAR): "",
        Pair("", CLEAR): "empty report",
        Pair(" .\n", CLEAR): "empty report",
        Pair("**FINDINGS:**\n\nIMPRESSION:", CLEAR): "empty report",
        Pair("", ""): "empty reference",
        Pair(FOREIGN[0], CLEAR): "report in another language",
        Pair(CLEAR, FOREIGN[0]): "reference in another language",
        Pair(long + CLEAR, CLEAR): f"report of over {MOST_WORDS:,} words",
        Pair(long, CLEAR): "",
        Pair(CLEAR, long + CLEAR): f"reference of over {MOST_WORDS:,} words",
    }
    assert {pair: unusable(pair) for pair in expected} == expected
