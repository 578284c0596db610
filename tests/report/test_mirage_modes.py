import re
from dataclasses import replace

import pytest

from snellen.items import Benchmark
from snellen.protocols.mirage.report.grounding import groundings
from snellen.protocols.mirage.report.guessing import guessing, naming
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.dumbbells import CIRCLE, DIAMOND, dumbbell, key
from snellen.report.figures.marks import scale
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.stats import Estimate
from strategies import items

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
    lookup = Lookup(Evidence(*mirages(["guess-mode"], benchmarks=[asked()], wary=wary)))
    [found] = guessing(lookup)
    [model] = found.models
    assert (model.less, model.more, model.same) == (2, 0, 1)
    shown = {pair.label: (pair.untold.estimate.value, pair.told.estimate.value) for pair in model.categories}
    assert shown == {"chest": (1.0, 0.0), "brain": (1.0, 1.0), "eye": (1.0, 0.5)}
    assert [pair.change.estimate.value for pair in model.categories] == [-1.0, 0.0, -0.5]
    assert model.whole.change.estimate.n == 18
    assert found.short


def test_one_category_is_all_items(mirages):
    """Where all items are of one category, the whole stands alone."""
    lookup = Lookup(Evidence(*mirages(["guess-mode"], benchmarks=[Benchmark("b", items(12))], wary=wary)))
    [found] = guessing(lookup)
    assert found.models[0].categories == ()
    assert found.models[0].whole.label == "all items"


def test_page_tells_the_sides(mirages):
    """The summary of a model counts its categories in words, and the legend names both marks."""
    text = render(*mirages(["guess-mode"], benchmarks=[asked()], wary=wary))
    assert "3 categories: 2 lower, 0 higher, 1 equal" in text
    assert "mirage mode: untold" in text
    assert "guess mode: told" in text


def test_marks_stand_where_the_shares_are():
    """The hollow circle is the first share, the filled diamond the second, and the bar runs between them."""
    svg = dumbbell(estimate(0.6), estimate(0.2))
    ruler = scale([], "share")
    assert f'x1="{ruler.at(0.6)}" x2="{ruler.at(0.2)}"' in svg
    assert f'<svg x="{ruler.at(0.6)}" y="50%" overflow="visible"><path class="shape blind" d="{CIRCLE}"/>' in svg
    assert f'<svg x="{ruler.at(0.2)}" y="50%" overflow="visible"><path class="shape seen" d="{DIAMOND}"/>' in svg
    assert 'aria-label="untold 60%, told to guess 20%"' in svg
    assert CIRCLE in key(0)
    assert DIAMOND in key(1)


def knowing(request):
    """Right where the benchmark is named, wrong elsewhere."""
    return right(request) if "dataset" in request.system else wrong(request)


@pytest.mark.parametrize(
    ("test", "shown"),
    [("dataset-name", "No image was sent."), ("dataset-name:image=kept", "The image was there.")],
)
def test_name_that_helps_is_seen(mirages, test, shown):
    """Both ways of asking stand side by side with the paired change, with the image or without."""
    results, store = mirages([test], benchmarks=[asked()], knows=knowing)
    [found] = naming(Lookup(Evidence(results, store)))
    [line] = found.comparison.lines
    assert found.shown == shown
    assert [(words, number.estimate.value) for words, number in line.numbers] == [("not named", 0.0), ("named", 1.0)]
    assert line.change.estimate.value == 1.0
    assert shown in render(results, store)


def test_signal_is_drawn_against_one_who_never_looks(mirage):
    """Every model has its signal and its shift on a line at 0, and each of its categories too."""
    lookup = Lookup(Evidence(*mirage))
    found = groundings(lookup)
    assert [each.benchmark for each in found] == list(lookup.benchmarks)
    signal, shift = found[0].forests
    assert signal.caption.startswith("Grounding signal")
    assert shift.caption.startswith("Shift of all answers")
    assert [mark.label for mark in signal.marks] == ["organism/mirage", "organism/grounded", "organism/random"]
    assert all('class="reference"' in mark.picture for mark in signal.marks)
    assert signal.marks[1].number.value == "1.00"
    assert not found[0].once
    assert {mark.label for mark in found[0].models[0].forests[0].marks} == {
        "chest X-ray", "brain MRI", "OCT", "fundus photograph",
    }  # fmt: skip


def test_questions_asked_once_have_no_signal(mirages):
    """With one run the shift alone is drawn, and the page says what is missing."""
    results, store = mirages(["grounding-signal"], benchmarks=[asked()], one=right)
    [found] = groundings(Lookup(Evidence(results, store)))
    assert found.once
    assert len(found.forests) == 1
    assert "Every question has one response, so that there is no signal" in render(results, store)


def test_telling_words_stand_in_the_chapter_and_do_nothing(mirages, checked, parsed):
    """The terms that tell are a table of inert text: markup in a response becomes words."""
    seen = lambda request: "<script>alert(1)</script> the film &amp; <b>shows</b> it. Answer: A"  # noqa: E731
    unseen = "Typically <img src=x onerror=alert(1)> one expects this. Answer: A"
    said = lambda request: seen(request) if request.images else unseen  # noqa: E731
    results, store = mirages(["mirage-words"], benchmarks=[Benchmark("b", items(30))], one=said)
    text = render(results, store)
    assert "mirage-words" in checked(text)
    part = text[text.index('id="mirage-words"') :]
    part = part[: part.index("</section>")]
    assert '<td dir="auto">typically</td><td class="figure">0 : 30</td>' in part
    assert "<script" not in part
    assert "<img" not in part
    assert not [tag for tag, _, _ in parsed(part).elements if tag in ("script", "img", "b") and tag != "b"]
