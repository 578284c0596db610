"""The first screen of every suite: one truth in headline and table, words instead of raw names, within the screen."""

from __future__ import annotations

import html
import re

import pytest

from browser import TOO_WIDE
from organisms import scored
from snellen import report
from snellen.conditions import MEMBERS as CONDITIONS
from snellen.prompts import PROMPTS
from snellen.report.components import Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.first_screen import describe_trust, list_tables
from snellen.report.sections.headline import describe_demonstration, headline
from snellen.report.sections.standing import list_standings
from snellen.report.sections.tests import sections
from snellen.stress import MEMBERS as TESTS
from snellen.stress.base import Status

every_suite = pytest.mark.parametrize("suite", ["ready", "mirage", "degraded", "pathway"])
RAW = [name for name in (*CONDITIONS, *PROMPTS, *TESTS) if "-" in name]


@pytest.fixture(scope="module")
def pathway(tmp_path_factory):
    """Three organisms on 40 questions of the clinical pathway: too few to decide anything."""
    out = tmp_path_factory.mktemp("pathway") / "out"
    with scored(out, ("grounded", "blind", "mirage"), None, ("pathway",), limit=40) as study:
        yield study


@pytest.fixture(scope="module")
def pathway_text(pathway):
    """The page of that study."""
    return report.write(*pathway).read_text(encoding="utf-8")


def tables(study):
    """The first tables of a study."""
    evidence = Evidence(*study)
    return [part for part in list_tables(evidence, sections(evidence)) if isinstance(part, Table)]


@every_suite
def test_no_raw_name_stands_before_the_chapters(request, suite):
    """No condition, prompt, test or setting is called as a program calls it, but for commands to type."""
    text = request.getfixturevalue(f"{suite}_text").partition('<section id="summary">')[2]
    shown = re.sub(r"<(style|svg|code)\b.*?</\1>|<[^>]+>", " ", text.partition('id="chapters"')[0], flags=re.DOTALL)
    words = html.unescape(shown)
    assert "Can this be trusted?" in words
    assert [name for name in RAW if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", words)] == []
    assert re.findall(r"\b(?:items|leak|seed|seeds|task|prompt|image|effort|donor|which|count)=\w+", words) == []


@every_suite
def test_headline_and_table_say_the_same(request, suite):
    """A model that the headline praises fails nothing and stands above each model that fails or guesses."""
    study = request.getfixturevalue(suite)
    praised = re.fullmatch(
        r".+ models? (?:passes|pass|fails no test|fail no test).*?: (.+)", headline(Evidence(*study)).found
    )
    names = re.split(", | and ", praised[1]) if praised else []
    assert bool(names) is (suite in ("ready", "mirage"))
    for table in tables(study):
        rows = [row.head.words for row in table.rows]
        failing = [row.head.words for row in table.rows if row.head.links
                   or any(cell.status is Status.FAIL for cell in row.cells)]  # fmt: skip
        assert not {*names} & {*failing}
        assert all(rows.index(name) < rows.index(other) for name in names for other in failing)


def test_who_guesses_or_stays_silent_does_not_stand(degraded, ready):
    """Failing no test is no merit of a model without skill."""
    for study, without_skill in ((degraded, "fake/torn"), (ready, "organism/refuser")):
        models = [each for table in list_standings(Evidence(*study)).values() for each in table.models]
        assert not any(each.stands for each in models if each.model == without_skill)
    assert {each.model for each in models if each.stands} == {"organism/grounded"}


def test_an_undecided_pathway_compares_what_is_known(pathway):
    """The headline decides nothing on three mismatched images; the accuracies tell who looks at the image."""
    found = headline(Evidence(*pathway))
    assert (found.found, found.status) == ("Not decided with 40 questions", Status.INCONCLUSIVE)
    assert found.meaning.startswith(
        "“Notices a wrong image?” not decided (n 3): fewer than 6 questions are too few to tell. "
    )
    assert re.search(r"Right on open questions: grounded \d\d% \([^)]+\); blind and mirage \d\d% ", found.meaning)


def test_declining_without_an_image_is_no_failure(pathway):
    """The open questions count with their image; who declines when only the report is there is not shown as wrong."""
    [table] = tables(pathway)
    at = [each.words for each in table.columns].index("Open questions") - 1
    cells = {row.head.words: row.cells[at] for row in table.rows}
    assert cells["grounded"].order > 0.8
    assert re.search(r"declines: 100% \(.*\); no error$", cells["grounded"].note)
    assert re.search(r"in place of the image it answers right: \d\d% \(", cells["blind"].note)


def test_unsure_readings_name_the_verdicts_that_they_would_change(mirage):
    """By test, model and what it would be then; as many as are counted."""
    results, _ = mirage
    said = " ".join(str(each.words) for each in describe_trust(Evidence(*mirage)))
    moved = [each for each in results.own_findings
             if each.unsure is not None and each.unsure.without is not each.verdict.status]  # fmt: skip
    assert moved
    cells = {(row.model, cell.note) for table in tables(mirage) for row in table.rows for cell in row.cells}
    for each in moved:
        words = f"rests on unsure readings: without them {each.unsure.without.words}"
        assert any(model == each.model and note.startswith(words) for model, note in cells)
    assert re.search(rf"without them {len(moved)} verdicts? would change: “[^”]+” of \w+ \(then [a-z ]+\)", said)


def test_a_demonstration_says_so_once_at_the_top(ready, ready_text, degraded_text):
    """Above the headline; studies of other models say nothing of it."""
    said = describe_demonstration(["organism/grounded"], ready[0].benchmarks)
    assert said.startswith("A demonstration: the models are Snellen’s test programs with planted behaviour")
    assert ready_text.count(said) == 1
    assert ready_text.index(said) < ready_text.index("<h1>")
    assert "A demonstration" not in degraded_text
    assert "The images are drawn" not in describe_demonstration(["organism/grounded"], ["vqa-rad"])
    assert describe_demonstration(["organism/grounded", "openai/one"]) == ""
    assert describe_demonstration([], ["phantoms"]) == "A demonstration: the images are drawn and show no patient."
    assert describe_demonstration([], ["vqa-rad"]) == ""


def test_guessing_is_said_beside_the_accuracy(degraded):
    """Unless the line on the benchmark says it."""
    [table] = tables(degraded)
    assert re.search(r"; guessing scores \d+%$", next(each.note for each in table.columns if each.words == "Accuracy"))


def test_the_same_measure_stands_in_every_row_of_a_column(ready):
    """How many choose Unknown is a share, whether the verdict rests on it or on the margin over chance."""
    results, _ = ready
    table = tables(ready)[0]
    at = [each.words for each in table.columns].index("Chooses Unknown without the image?") - len(table.columns)
    asked = [each for each in results.findings if each.test.name == "unknown-option:image=removed"]
    rates = {each.model: each.measure("image-removed+unknown-offered", "silence_rate") for each in asked
             if each.benchmark == table.rows[0].benchmark}  # fmt: skip
    cells = {row.model: row.cells[at] for row in table.rows}
    assert {cell.status for cell in cells.values()} >= {Status.PASS, Status.FAIL}
    assert {model: cell.order for model, cell in cells.items()} == {
        model: rate.estimate.value for model, rate in rates.items()
    }


@pytest.mark.usefixtures("ready_text", "pathway_text")
def test_the_table_of_a_suite_fits_the_screen(ready, pathway, browser):
    """At 1,400 and 390 pixels nothing leaves the page, and the headline is in sight."""
    for _, store in (ready, pathway):
        browser.open((store.folder / "report.html").as_uri())
        for width in (1400, 390):
            browser.resize(width)
            assert browser.evaluate(TOO_WIDE) == [], width
            assert browser.evaluate("document.querySelector('h1').getBoundingClientRect().bottom") < 400
