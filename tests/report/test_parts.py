from snellen.report.figures.forests import Forest, ForestMark, Number
from snellen.report.sections.cards import CardPart, answers, within
from snellen.stress.base import Status

NUMBER = Number("1", "0 to 2", "9", "wilson", (), "rows")


def part(rows, models=1):
    """A part with a forest of so many rows."""
    names = [(Status.PASS, f"m, {number}") for number in range(models)]
    return CardPart(
        answers(names), (Forest("", (ForestMark("m", NUMBER, ""),) * rows, ""),), anchor="there", heading="h"
    )


def test_pictures_fill_the_room_and_others_are_lines():
    """Parts are pictured in their order while their rows fit; what does not fit keeps its link and its answers."""
    shown = within([part(6), part(6), part(6)], 12)
    assert [each.brief for each in shown] == [False, False, True]
    assert (shown[2].rows, shown[2].anchor, shown[2].heading) == (0, "there", "h")


def test_first_picture_is_always_there():
    """However long, the first picture is not left out."""
    assert [each.brief for each in within([part(50), part(1)], 12)] == [False, True]


def test_many_names_are_counted_in_a_line():
    """A short answer names few models and counts many, whatever their names hold."""
    shown = within([part(50), part(1, models=3), part(1, models=4)], 12)
    assert [each.answers[0].about for each in shown[1:]] == ["m, 0, m, 1, m, 2", "4 models"]


def test_status_that_is_no_answer_keeps_its_own_words():
    """What was not judged is called so."""
    assert answers([(Status.REPORTED, "m")])[0].word == "reported"
