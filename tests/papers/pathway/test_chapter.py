"""The chapter of the clinical pathway: from small studies of models whose skill is known."""

import hashlib
import re

import pytest

from snellen.benchmarks import load
from snellen.models.fake import FakeModel
from snellen.papers.pathway.report.chapter import (
    CHAPTER,
    Tasks,
    describe_loss,
    draw_contrasts,
    draw_image_or_report,
    draw_printed,
    draw_profile,
    is_called,
    list_benchmarks,
)
from snellen.prompts.pathway import BY_NAME
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.report.sections.first_screen import list_tables
from snellen.report.sections.tests import sections
from snellen.scoring.results import score
from snellen.stats import Estimate
from snellen.store import Store
from snellen.study import Study
from walking import rows, tables, value, words

HOSTILE = "<script>alert(1)</script><img src=x onerror=alert(2)>"


def drawn(*parts):
    """A number between 0 and 1 that the parts alone decide."""
    return int(hashlib.sha256("|".join(map(str, parts)).encode()).hexdigest()[:8], 16) / 2**32


def model(name, benchmark, *, reads=1.0, sees=0.0, notices=0.0):
    """A model that is right about so many words and so many images, and names so many wrong images."""
    items = sorted(benchmark, key=lambda item: -len(item.context + item.question))

    def answer(request):
        item = next(each for each in items if each.question in request.text and each.context in request.text)
        if item.options:
            right = drawn(name, item.id) < (sees if item.images else reads)
            return f"Answer: {'ABCDEFGH'[item.answer if right else (item.answer + 1) % len(item.options)]}"
        if "reasons for it" in request.text:
            named = drawn(name, item.id, len(request.images[0].data)) < notices
            return "The image does not match the history." if named else f"Diagnosis: gout. {HOSTILE}"
        right = drawn(name, item.id) < (sees if request.images else reads)
        return item.references[0] if right else f"Something else. {HOSTILE}"

    return FakeModel(answer, name=name)


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    """Seven models, three of them called medical, one that takes no images."""
    out = tmp_path_factory.mktemp("pathway") / "out"
    benchmark = load("phantoms:task=pathway,items=28")
    skills = {"a/one": 0.9, "a/two": 0.6, "a/three": 0.5, "m/four": 0.4, "m/five": 0.2, "m/six": 0.0}
    models = [model(name, benchmark, sees=sees, notices=sees) for name, sees in skills.items()]
    models.append(model("words/seven", benchmark, reads=0.8))
    medical = [name for name in skills if name.startswith("m/")]
    asked = Study(
        models=models,
        benchmarks=[benchmark],
        tests=["pathway"],
        out=out,
        text_only=["words/seven"],
        groups={"medical": medical},
        canary=False,
    )
    asked.ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        evidence = Evidence(results, store)
        lookup = Lookup(evidence)
        (name,) = list_benchmarks(evidence)
        return Tasks(lookup, name), render(results, store)


def test_every_task_has_a_row_with_every_model(study):
    """I to VIII, each number that of its task; guessing is drawn only for tasks with options."""
    tasks, _ = study
    plot, numbers = [table for part in draw_profile(tasks) for table in tables(part)][:2]
    assert [row.head.words.partition(" ")[0] for row in plot.rows] == ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]
    assert [bool(row.cells[1].note) for row in plot.rows] == [True] * 3 + [False] * 5
    assert ['class="reference"' in row.cells[0].drawing for row in plot.rows] == [True] * 3 + [False] * 5
    by_task = dict(zip((each.words for each in numbers.columns[1:]), rows(numbers)["", "six"], strict=True))
    assert value(by_task["I Knowledge recall"]) == "100%"
    assert int(value(by_task["III Image"]).rstrip("%")) < 30  # some questions about the image alone read alike
    for name in ("diagnosis", "treatment"):
        found = tasks.find("m/six", BY_NAME[name])
        assert (found.measure.subset, found.measure.arm) == (f"task={name}", "original")
        assert by_task[f"{BY_NAME[name].number} {BY_NAME[name].title}"].words == found.printed.said
    assert tasks.find("m/six", BY_NAME["mismatch"]).measure.name == "named_rate"
    assert plot.figure.csv.count("\n") > 40


def test_how_numbers_were_made_names_no_task_that_stands_beside_them(study):
    """One way for all open answers: their methods differ by nothing that row and column do not say."""
    by_task, unclear = (tables(part)[0] for part in draw_profile(study[0])[2:5:2])
    assert [each.how for each in unclear.list_ways()] == ["wilson; parser=match"]
    assert {each.how for each in by_task.list_ways()} == {f"wilson; parser={name}" for name in (
        "lenient", "match", "mismatch")}  # fmt: skip
    assert all(" " not in cell.n for row in by_task.rows for cell in row.cells)


def test_a_model_without_vision_is_told_by_the_report(study):
    """Its numbers are under the report, hollow and said so; it has none if an image is all there is."""
    tasks, _ = study
    parts = draw_profile(tasks)
    assert tasks.find("words/seven", BY_NAME["diagnosis"]).measure.arm == "report-for-image"
    assert tasks.find("words/seven", BY_NAME["image"]) is None
    assert "seven takes no images." in words(parts)
    assert "These numbers say nothing about sight." in words(parts)
    diagnosis = next(row for row in tables(parts[1])[0].rows if row.head.words == "IV Diagnosis")
    assert diagnosis.cells[0].drawing.count("shape blind") == 1


def test_first_screen_has_a_column_for_each_task(study):
    """One table for both parts of the benchmark; open questions count with their image, then with the report."""
    evidence = study[0].lookup.evidence
    [table] = [each for each in list_tables(evidence, sections(evidence)) if hasattr(each, "rows")]
    assert [each.words for each in table.columns] == [
        "Model", "Accuracy", "Knowledge", "Clinical note", "Image", "Open questions", "Notices a wrong image?",
    ]  # fmt: skip
    six = next(row for row in table.rows if row.head.words == "six")
    assert re.fullmatch(r"with the report in place of the image it answers right: 100% \(.*\)", six.cells[4].note)


def test_each_model_has_its_sentence_below_the_comparison(study):
    """Diagnosis and treatment are compared on the same questions; a model that never had the image is left out."""
    parts = draw_image_or_report(study[0])
    assert [type(each).__name__ for each in parts] == ["Table", "Listing"] * 2
    assert [row.head.words for row in parts[0].rows][:6] == ["one", "two", "three", "four", "five", "six"]
    assert len(parts[1].items) == 6
    assert str(parts[1].items[5].words).startswith("<b>six</b>: ")
    assert "right with the image and 100% with the report" in parts[1].items[5].words


def test_the_sentence_says_what_is_lost_in_looking_and_in_reasoning():
    """By the paired difference; what may be chance is not called a loss."""
    before = Estimate(0.4, 0.3, 0.5, 90, "wilson")
    said = describe_loss(before, Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    assert "35 points more (20 to 50, n 90): that is lost in looking" in said
    assert "25% are wrong even with the report" in said
    unsure = describe_loss(before, Estimate(0.05, -0.1, 0.2, 90, "bonett-price"))
    assert "no loss in looking is shown, but up to 20 points are possible" in unsure
    better = describe_loss(before, Estimate(-0.3, -0.4, -0.2, 90, "bonett-price"))
    assert "30 points fewer" in better
    assert "what is lost in looking cannot be told" in better
    assert "nothing is wrong" in describe_loss(before, Estimate(0.6, 0.5, 0.7, 90, "bonett-price"))


def test_groups_are_means_over_models(study):
    """Three models are a group and two are none; a model that takes no images is not mixed with those that do."""
    tasks, _ = study
    medical, vision = draw_contrasts(tasks)
    assert [each.words for each in tables(medical)[0].columns] == ["task", "medical", "all others", "first less second"]
    first, second, less = rows(tables(medical)[0])["", "IV Diagnosis"]
    values = [tasks.find(name, BY_NAME["diagnosis"]).estimate.value for name in ("m/four", "m/five", "m/six")]
    assert first.words.startswith(f"{100 * sum(values) / 3:.0f}%")
    assert (first.n, second.n) == ("3 models", "3 models")
    assert "points (" in less.words
    assert "Fewer than" not in words([medical])
    assert "Fewer than 3 models: without vision, given the report." in words([vision])
    assert all(not two.n and less.words == "–" for _, two, _, less in rows(tables(vision)[0]).values())


def test_both_kinds_of_response_are_quoted_with_the_image_sent(study):
    """Of a model that does both, one that names the contradiction and one that does not; text stays text."""
    _, page = study
    quoted = page.partition("Responses to a contradictory image")[2].partition("</details>")[0]
    assert "The image does not match the history." in quoted
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in quoted
    assert HOSTILE not in page
    assert quoted.count('<use href="#image-') >= 2


def test_side_by_side_the_own_image_is_not_called_contradictory_and_no_diagnosis_right(study):
    """The control says that it is one, and that only the naming of a contradiction is graded there."""
    _, page = study
    panes = dict(re.findall(r'<article class="pane"><h3>(.*?)</h3>(.*?)</article>', page, re.DOTALL))
    control = next(pane for name, pane in panes.items() if "own image" in name)
    assert "With its own image, asked in the same words" in panes
    assert "replaced by one that contradicts" not in control
    assert "Reference: Image and text fit: no contradiction is to be named." in control
    sayings = control.partition("<dl")[2]
    assert "names no contradiction" in sayings
    assert not re.search(r">\s*(?:right|wrong)\s*<", sayings)


def test_what_the_paper_prints_stands_folded(study):
    """Every printed accuracy with its interval; ours beside it only for the same model."""
    [table] = tables(draw_printed(study[0]))
    assert len(table.rows) == 11
    assert [each.words for each in table.columns] == ["model", "task", "printed", "stands for"]
    assert "no count of 203" in {row.cells[2].words for row in table.rows}
    assert table.rows[0].cells[1].words == "86.8% (79.9 to 91.6)"
    assert is_called("openai/gpt-4o", "GPT-4o")
    assert is_called("x/Qwen2_VL", "Qwen2-VL")


def test_the_chapter_holds_its_tests_and_is_drawn(study):
    """None of them has a section elsewhere, and links to them lead here."""
    _, page = study
    assert "could not be drawn" not in page
    assert [page.count(f'id="test-{name}"') for name in ("mismatched-image", "pathway-answers", "pathway-choices")] == [
        1, 1, 1,
    ]  # fmt: skip
    assert page.count("All tasks together: ") == 2
    assert CHAPTER.anchor == "pathway"


def test_nothing_is_wider_than_the_screen(study, tmp_path, browser):
    """On a desk, a tablet and a phone, all that is folded unfolded."""
    _, page = study
    file = tmp_path / "report.html"
    file.write_text(page)
    browser.open(f"file://{file}")
    browser.evaluate("document.querySelectorAll('main details:not(#browse)').forEach(each => each.open = true)")
    for width in (1400, 820, 390):
        browser.resize(width)
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
    assert browser.complaints == []
