import re

from snellen import report
from snellen.report.evidence.evidence import people
from snellen.report.figures.marks import forest_axis, forest_mark, scale
from snellen.stats import Estimate, human


def test_points_say_how_they_became_a_share():
    """The exam's points, its rules and the sum stand in the note, and that no interval is known."""
    found = people({"human": human(points=56.9)})
    assert round(found.accuracy, 3) == 0.71
    assert found.note == (
        "People: 71%, from 56.9 points in an exam of 60 questions with +1.5 for a right and −0.4 for a wrong answer: "
        "(56.9 + 24) / 114, if they answered every question. No interval is known."
    )


def test_nobody_known_is_nobody_drawn(usual, usual_text):
    """A study that knows nothing of people has no such line."""
    assert people(usual[0].study) is None
    assert "people:" not in usual_text


def test_line_is_drawn_where_people_stand():
    """At the same place in every mark and the axis, which names it; near an end the label turns inwards."""
    span = scale([], "share", people=0.71)
    at = span.format_place(0.71)
    mark = forest_mark(Estimate(0.5, 0.4, 0.6, 9, "wilson"), span)
    assert f'<line class="people" x1="{at}"' in mark
    assert f'<line class="people" x1="{at}"' in forest_axis(span)
    assert f'x="{at}" y="37" text-anchor="middle">people: 71%</text>' in forest_axis(span)
    assert 'text-anchor="end">people: 98%' in forest_axis(scale([], "share", people=0.98))
    assert 'text-anchor="start">people: 2%' in forest_axis(scale([], "share", people=0.02))


def test_only_accuracies_are_held_against_people(study):
    """The line stands in the pictures of accuracy, with its note, and in no other."""
    results, store = study(human=human(accuracy=0.71))
    text = report.write(results, store).read_text(encoding="utf-8")
    plots = [each for each in re.findall(r'<table class="drawn">.*?</table>', text, re.DOTALL) if "forest-mark" in each]
    with_people = [each for each in plots if 'class="people"' in each]
    assert with_people
    assert all("<caption>Accuracy" in each for each in with_people)
    assert all('class="people"' in each for each in plots if re.search("<caption>Accuracy(,| when)", each))
    assert "People: 71%, as given with the study. No interval is known." in text
