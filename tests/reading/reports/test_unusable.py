from rows import read_table
from snellen.reading.reports.metrics import Pair
from snellen.reading.reports.unusable import MOST_WORDS, in_another_language, unusable

CLEAR = "The lungs are clear."
FOREIGN = read_table(__file__, "FOREIGN")
ENGLISH = read_table(__file__, "ENGLISH")


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
