"""The chapter of the clinical pathway: from small studies of models whose skill is known."""

import hashlib
import re

import pytest

from snellen.datasets import load
from snellen.models.fake import FakeModel
from snellen.prompts.pathway import BY_NAME
from snellen.protocols.pathway.report.chapter import CHAPTER
from snellen.protocols.pathway.report.groups import contrasts
from snellen.protocols.pathway.report.image_or_report import lost
from snellen.protocols.pathway.report.printed import is_called, printed_lines
from snellen.protocols.pathway.report.profile import Tasks, benchmarks, profile
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import Lookup
from snellen.report.page import render
from snellen.scoring.results import score
from snellen.stats import Estimate
from snellen.store import Store
from snellen.study import Study

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
    benchmark = load("phantoms:task=pathway,items=42")
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
    )
    asked.ask(lambda progress: None)
    with Store.open(out) as store:
        results = score(store)
        evidence = Evidence(results, store)
        lookup = Lookup(evidence)
        (name,) = benchmarks(evidence)
        return Tasks(lookup, name), render(results, store)


def test_every_task_has_a_row_with_every_model(study):
    """I to VIII, each number that of its task; guessing is drawn where there are options alone."""
    tasks, _ = study
    made = profile(tasks)
    assert [row.task.number for row in made.rows] == ["I", "II", "III", "IV", "V", "VI", "VII", "VIII"]
    assert [bool(row.chance) for row in made.rows] == [True] * 3 + [False] * 5
    by_task = {row.task.name: dict(zip(made.models, row.cells, strict=True)) for row in made.rows}
    assert by_task["knowledge"]["m/six"].estimate.value == 1
    assert by_task["image"]["m/six"].estimate.value < 0.3  # some questions about the image alone read alike
    for name in ("diagnosis", "treatment"):
        assert by_task[name]["m/six"].measure.subset == f"task={name}"
        assert by_task[name]["m/six"].measure.arm == "original"
    assert by_task["mismatch"]["m/six"].measure.name == "named_rate"
    assert made.figure.csv.count("\n") > 40


def test_a_model_without_vision_is_told_by_the_report(study):
    """Its numbers are under the report, hollow and said so; it has none where an image is all there is."""
    tasks, page = study
    made = profile(tasks)
    assert made.by_report == ("words/seven",)
    assert tasks.find("words/seven", BY_NAME["diagnosis"]).measure.arm == "report-for-image"
    assert tasks.find("words/seven", BY_NAME["image"]) is None
    assert "words/seven takes no images" in page
    assert "These numbers say nothing about sight." in page


def test_the_sentence_says_what_is_lost_in_looking_and_in_reasoning():
    """By the paired difference; what may be chance is not called a loss."""
    before = Estimate(0.4, 0.3, 0.5, 90, "wilson")
    said = lost(before, Estimate(0.35, 0.2, 0.5, 90, "bonett-price"))
    assert "35 points more (95% CI 20 to 50, n 90): so much is lost in looking" in said
    assert "25% are wrong even with the report" in said
    unsure = lost(before, Estimate(0.05, -0.1, 0.2, 90, "bonett-price"))
    assert "no loss in looking is shown, though 20 points are possible" in unsure
    better = lost(before, Estimate(-0.3, -0.4, -0.2, 90, "bonett-price"))
    assert "30 points fewer" in better
    assert "what is lost in looking cannot be told" in better
    assert "nothing is wrong" in lost(before, Estimate(0.6, 0.5, 0.7, 90, "bonett-price"))


def test_groups_are_means_over_models(study):
    """Three models are a group and two are none; who takes no images is not mixed with those who do."""
    tasks, _ = study
    medical, vision = contrasts(tasks)
    assert medical.sides == ("medical", "all others")
    diagnosis = next(line for line in medical.lines if line.task.name == "diagnosis")
    assert [cell.models for cell in diagnosis.cells] == [3, 3]
    values = [tasks.find(name, BY_NAME["diagnosis"]).estimate.value for name in ("m/four", "m/five", "m/six")]
    assert diagnosis.cells[0].mean.startswith(f"{100 * sum(values) / 3:.0f}%")
    assert diagnosis.difference
    assert not medical.few
    assert vision.few == ("without vision, given the report",)
    assert not any(line.difference for line in vision.lines)
    assert all(not line.cells[1].mean for line in vision.lines)


def test_both_kinds_of_response_are_quoted_with_the_image_sent(study):
    """Of a model that does both, one that names the contradiction and one that does not; text stays text."""
    _, page = study
    quoted = page.partition("What they said of a contradictory image")[2].partition("</section>")[0]
    assert "The image does not match the history." in quoted
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in quoted
    assert HOSTILE not in page
    assert quoted.count('<use href="#image-') >= 2


def test_side_by_side_the_own_image_is_not_called_contradictory_and_no_diagnosis_right(study):
    """The control says that it is one, and that only the naming of a contradiction is graded there."""
    _, page = study
    panes = {re.search(r"<h3>(.*?)</h3>", pane)[1]: pane for pane in page.split('<article class="pane">')[1:]}
    control = next(pane for name, pane in panes.items() if "donor" in name)
    assert "own image, asked in the same words; it is right to name no contradiction." in control
    assert "replaced by one that contradicts" not in control
    assert "Reference: Image and text fit: no contradiction is to be named." in control
    sayings = control.partition("<dl")[2]
    assert "names no contradiction" in sayings
    assert not re.search(r">\s*(?:right|wrong)\s*<", sayings)


def test_what_the_paper_prints_stands_folded(study):
    """Every printed accuracy; ours beside it only for the same model."""
    tasks, page = study
    lines = printed_lines(tasks)
    assert len(lines) == 11
    assert not any(line.ours for line in lines)
    assert "no count of 203" in {line.stands_for for line in lines}
    assert "the same model here" not in page
    assert is_called("openai/gpt-4o", "GPT-4o")
    assert is_called("x/Qwen2_VL", "Qwen2-VL")


def test_the_chapter_holds_its_tests_and_is_drawn(study):
    """None of them has a section elsewhere, and links to them lead here."""
    _, page = study
    assert "could not be drawn" not in page
    ids = re.findall(r'<section class="test" id="(test-[^"]+)"', page)
    assert sorted(ids) == ["test-mismatched-image", "test-pathway-answers", "test-pathway-choices"]
    assert CHAPTER.anchor == "pathway"


def test_nothing_is_wider_than_the_screen(study, tmp_path, browser):
    """On a desk, a tablet and a phone, all that is folded unfolded."""
    _, page = study
    file = tmp_path / "report.html"
    file.write_text(page)
    for width in (1400, 820, 390):
        browser.open(f"file://{file}", width=width)
        browser.evaluate("document.querySelectorAll('main details:not(#browse)').forEach(each => each.open = true)")
        assert browser.evaluate("document.documentElement.scrollWidth") <= width
        assert browser.complaints == []
