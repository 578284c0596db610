"""Guess mode, the benchmark's name, the grounding signal and the telling words, as the chapter shows them."""

import re
from dataclasses import replace

import pytest

from snellen.items import Benchmark
from snellen.papers.mirage.report.answers import draw_grounding, draw_guessing, draw_naming, draw_words
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.dumbbells import CIRCLE, DIAMOND, dumbbell, key
from snellen.report.figures.marks import scale
from snellen.report.lookup import Lookup
from snellen.stats import Estimate
from strategies import items
from walking import find, tables, value, words

KINDS = ("chest", "brain", "eye")


def asked(count=18):
    """Questions of three categories, six of each, each with its number in its words."""
    return Benchmark("b", tuple(replace(item, category=KINDS[at % 3]) for at, item in enumerate(items(count))))


def number_of(request):
    return int(re.search(r"picture (\d+) show", request.text)[1])


def right(request):
    return f"[[{'ABCDE'[number_of(request) % 5]}]]"


def wrong(request):
    return f"[[{'ABCDE'[(number_of(request) + 1) % 5]}]]"


def wary(request):
    """Right without the image; told that it is gone, wrong about chests, right about brains, and half about eyes."""
    if "removed" not in request.system:
        return right(request)
    at = number_of(request)
    return wrong(request) if at % 3 == 0 or (at % 3 == 2 and at < 9) else right(request)


def estimate(value):
    return Estimate(value, value - 0.1, value + 0.1, 40, "wilson")


def test_categories_are_counted_by_their_side(mirages):
    """Chests and eyes score less when told, brains the same, none more; every pair says both accuracies."""
    drawn = [*draw_guessing(Lookup(Evidence(*mirages(["guess-mode"], benchmarks=[asked()], wary=wary))))]
    whole, apart = tables(drawn[0])
    sides = "3 categories: 2 lower, 0 higher, 1 equal"
    assert whole.rows[0].cells[1].note == sides
    assert apart.caption == f"wary, {sides}"
    assert {
        row.head.words: (row.head.n.replace("\N{NO-BREAK SPACE}", " "), value(row.cells[1])) for row in apart.rows
    } == {
        "all items": ("100% → 50%", "−50 points"),
        "chest": ("100% → 0%", "−100 points"),
        "brain": ("100% → 100%", "0 points"),
        "eye": ("100% → 50%", "−50 points"),
    }
    assert apart.rows[0].cells[1].n == "n 18"
    assert [each.words for each in whole.key] == ["mirage mode: untold", "guess mode: told"]
    assert [each.figure.name for each in (whole, apart)] == ["guess-mode-accuracy", "guess-mode-accuracy-fake-wary"]


def test_one_category_is_all_items(mirages):
    """Where all items are of one category, the whole stands alone."""
    benchmarks = [Benchmark("b", items(12))]
    [drawn] = draw_guessing(Lookup(Evidence(*mirages(["guess-mode"], benchmarks=benchmarks, wary=wary))))
    [whole] = tables(drawn)
    assert [row.head.words for row in whole.rows] == ["wary"]
    assert whole.rows[0].cells[1].note == ""


def test_marks_stand_where_the_shares_are():
    """The hollow circle is the first share, the filled diamond the second, and the bar runs between them."""
    svg = dumbbell(estimate(0.6), estimate(0.2))
    ruler = scale([], "share")
    assert f'x1="{ruler.format_place(0.6)}" x2="{ruler.format_place(0.2)}"' in svg
    assert (
        f'<svg x="{ruler.format_place(0.6)}" y="50%" overflow="visible"><path class="shape blind" d="{CIRCLE}"/>' in svg
    )
    assert (
        f'<svg x="{ruler.format_place(0.2)}" y="50%" overflow="visible"><path class="shape seen" d="{DIAMOND}"/>' in svg
    )
    assert 'aria-label="untold 60%, told to guess 20%"' in svg
    assert CIRCLE in key(0)
    assert DIAMOND in key(1)


def knowing(request):
    """Right where the benchmark is named, wrong elsewhere."""
    return right(request) if "dataset" in request.system else wrong(request)


@pytest.mark.parametrize(
    ("test", "shown"),
    [("dataset-name", "Accuracy without the image"), ("dataset-name:image=kept", "Accuracy with the image")],
)
def test_name_that_helps_is_seen(mirages, test, shown):
    """Both ways of asking stand side by side with the paired change, with the image or without."""
    [drawn] = draw_naming(Lookup(Evidence(*mirages([test], benchmarks=[asked()], knows=knowing))))
    [table] = tables(drawn)
    assert table.caption.startswith(shown)
    _, both, change = table.rows[0].cells
    assert [value(each) for each in both.lines] == ["not named 0%", "named 100%"]
    assert value(change) == "+100 points"


def test_signal_is_drawn_against_one_who_never_looks(mirage):
    """Every model has its signal and its shift on a line at 0, and each of its categories too."""
    lookup = Lookup(Evidence(*mirage))
    [drawn] = draw_grounding(lookup)
    plots = [each for each in drawn.parts if getattr(each, "look", "") == "drawn"]
    assert len(plots) == 2 * len(lookup.benchmarks)
    signal, shift = plots[:2]
    assert signal.caption.startswith("Grounding signal")
    assert shift.caption.startswith("Shift of all answers")
    assert [row.head.words for row in signal.rows] == ["mirage", "grounded", "random"]
    assert all('class="reference"' in row.cells[0].drawing for row in signal.rows)
    assert value(signal.rows[1].cells[1]) == "1.00"
    assert "no signal" not in words([drawn])
    apart = tables(find([drawn], "By category"))
    assert {row.head.words for row in apart[0].rows} == {"chest X-ray", "brain MRI", "OCT", "fundus photograph"}


def test_questions_asked_once_have_no_signal(mirages):
    """With one run the shift alone is drawn, and the page says what is missing."""
    [drawn] = draw_grounding(Lookup(Evidence(*mirages(["grounding-signal"], benchmarks=[asked()], one=right))))
    plots = [each for each in drawn.parts if getattr(each, "look", "") == "drawn"]
    assert [each.caption.partition(" of")[0] for each in plots] == ["Shift"]
    assert "Every question has one response, so that there is no signal" in words([drawn])


def test_telling_words_stand_in_the_chapter_and_do_nothing(mirages, parsed):
    """The terms that tell are a table of inert text: markup in a response becomes words."""
    seen = lambda request: "<script>alert(1)</script> the film &amp; <b>shows</b> it. Answer: A"  # noqa: E731
    unseen = "Typically <img src=x onerror=alert(1)> one expects this. Answer: A"
    said = lambda request: seen(request) if request.images else unseen  # noqa: E731
    results, store = mirages(["mirage-words"], benchmarks=[Benchmark("b", items(30))], one=said)
    [drawn] = draw_words(Lookup(Evidence(results, store)))
    table = tables(find([drawn], "The words that tell"))[0]
    assert table.caption.startswith("one, of 30 pairs")
    assert ("typically", "0 : 30") in [(row.cells[1].words, row.cells[2].words) for row in table.rows]
    html = parsed(str(draw([drawn])))
    assert html.problems == []
    assert not [tag for tag, _, _ in html.elements if tag in ("script", "img")]
