"""The first screen: every mark and every fail in one table, what each model does in bars, and whether to trust it."""

from __future__ import annotations

import re
from types import SimpleNamespace

import numpy as np
import pytest

from organisms import EXAM, scored
from snellen.report.components import Bars, Table, write_shares
from snellen.report.evidence.acts import SHOWN, Act, list_acts
from snellen.report.evidence.evidence import Evidence
from snellen.report.page import render
from snellen.report.result_lines import measure_accuracy
from snellen.report.sections.benchmark import draw_with_without
from snellen.report.sections.first_screen import _repeats, describe_trust, list_tables
from snellen.report.sections.headline import headline
from snellen.report.sections.outcome_bars import draw_outcomes
from snellen.report.sections.tests import sections
from snellen.stress.base import Status

FEW = "phantoms:items=24,leak=0.5"


@pytest.fixture(scope="module")
def exam(examined_alone):
    """Four organisms that pass, invent, do not look and answer nothing, and their page."""
    results, store = examined_alone("refuser", "blind", "grounded", "mirage")
    return results, Evidence(results, store), render(results, store)


def table_of(evidence):
    """The first table of a study."""
    return next(part for part in list_tables(evidence, sections(evidence)) if isinstance(part, Table))


def test_every_mark_stands_in_its_cell_with_its_number(exam):
    """As the results have it; one cell where one reason leaves all three open."""
    results, evidence, page = exam
    table = table_of(evidence)
    assert [each.words for each in table.columns] == [
        "Model", "Accuracy", "Follows the image?", "Honest without the image?", "Steady?",
    ]  # fmt: skip
    for row in table.rows:
        marks = [each.verdict for each in results.marks if each.model == row.model]
        accuracy, *cells = row.cells
        assert accuracy.order == measure_accuracy(results, row.model, row.benchmark).value
        if len(cells) == 1:
            assert {(each.status, each.reason) for each in marks} == {(cells[0].status, marks[0].reason)}
            assert cells[0].columns == 3
            continue
        assert [each.status for each in cells] == [each.status for each in marks]
        for cell, verdict in zip(cells, marks, strict=True):
            decided = verdict.status in (Status.PASS, Status.FAIL)
            assert (
                verdict.numbers.startswith(cell.words)
                if decided
                else verdict.meaning.casefold() in cell.note.casefold()
            )
            assert cell.words in page


def test_columns_say_what_is_good_and_rows_are_ordered(exam):
    """In its column, whatever the number counts; who passes comes first, who answers nothing last."""
    _, evidence, _ = exam
    notes = {each.words: each.note for each in table_of(evidence).columns}
    assert notes["Follows the image?"].endswith("; higher is better")
    assert notes["Honest without the image?"].endswith("; admitting: higher is better; inventing: lower is better")
    assert notes["Steady?"].endswith("; lower is better")
    _, evidence, _ = exam
    order = [row.model.rpartition("/")[2] for row in table_of(evidence).rows]
    assert order == ["grounded", "mirage", "blind", "refuser"]


@pytest.mark.parametrize("suite", ["mirage", "ready", "degraded"])
def test_no_failed_test_is_missing_from_the_first_table(request, suite):
    """Whatever a model fails stands in its row, by a mark in its column or by name, on whichever questions."""
    results, store = request.getfixturevalue(suite)
    evidence = Evidence(results, store)
    anchors = {each.test.name: each.anchor for each in sections(evidence)}
    failed = {(each.model, each.test.name) for each in results.own_findings if each.verdict.status is Status.FAIL}
    assert failed
    tables = [part for part in list_tables(evidence, sections(evidence)) if isinstance(part, Table)]
    for model, name in failed:
        rows = [row for table in tables for row in table.rows if row.model == model]
        linked = {link.to for row in rows for cell in (row.head, *row.cells) for link in cell.links}
        marked = sum(cell.status is Status.FAIL for row in rows for cell in row.cells)
        named = sum(anchors[test] in linked for whose, test in failed if whose == model)
        assert anchors[name] in linked or marked
        assert marked + named >= sum(whose == model for whose, _ in failed)


def test_a_test_with_settings_has_the_column_of_its_family(mirage):
    """The settings stand below the words of the column."""
    columns = {each.words: each.note for each in table_of(Evidence(*mirage)).columns}
    assert "seeds 6" in columns["Diagnoses images never sent?"].split(", ")
    assert "Describes images never sent?" in columns


def test_reports_have_their_score_where_answers_have_an_accuracy(tmp_path):
    """Findings F1 with the image, the verdict and what that rests on; no column is for an accuracy that nobody has."""
    with scored(tmp_path, ("grounded", "refuser"), None, ("reports",), limit=8) as study:
        table = table_of(Evidence(*study))
    assert [each.words for each in table.columns] == ["Model", "Findings F1", "Reports need the image?"]
    cells = {row.head.words: row.cells for row in table.rows}
    assert cells["grounded"][0].words.startswith("1.00 (")
    assert cells["refuser"][0].words == "–"
    assert "writes a report that can be read, as asked" in cells["refuser"][1].note


def test_bars_count_every_response_once_and_lead_to_exactly_these(exam, packed):
    """The parts of a bar add up to its responses; the browser finds as many behind each link."""
    results, evidence, page = exam
    [bars] = draw_outcomes(evidence)
    assert isinstance(bars, Bars)
    held = packed(page)
    bits = {act["name"]: act["bit"] for act in held.record["acts"]}
    groups = {group["anchor"]: at for at, group in enumerate(held.record["groups"])}
    rows = held.record["responses"]
    seen = 0
    for _, model, those in bars.rows:
        for bar in those:
            assert bar.n == (len(results.tables[model, EXAM].items) if bar.n == 60 else bar.n)
            shares = [float(each.label.rstrip("%")) for each in bar.segments]
            assert sum(shares) == pytest.approx(100)
            for each in bar.segments:
                anchor, _, act = each.to.partition("--")
                found = sum(
                    group == groups[anchor] and bool(acts & bits[act])
                    for group, acts in zip(rows["group"], rows["acts"], strict=True)
                )
                assert found == each.number
                assert f'id="{each.to}"' in page
                seen += each.number
    assert seen == sum(bar.n for _, _, those in bars.rows for bar in those) > 0


def test_inventing_is_an_outcome_of_its_own_where_nothing_could_be_seen(exam):
    """By hand from the columns of the parser: describes and does not admit, without an image or with a blank one."""
    results, _, _ = exam
    for (model, _), table in results.tables.items():
        for arm in table.arms:
            acts, grades = list_acts(table, arm), table.arms[arm]
            assert (sum((acts & int(act)) > 0 for act in SHOWN) == 1).all()
            invents = (acts & int(Act.INVENTS)) > 0
            if arm not in ("image-removed", "image-blank"):
                assert not invents.any()
            elif model == "organism/mirage":
                assert invents.mean() > 0.8
                assert (grades.rationales.claims[invents] > 0).all()
            else:
                assert not invents.any()
    swapped = results.tables["organism/blind", EXAM]
    kept = (list_acts(swapped, "image-substituted") & int(Act.KEEPS)) > 0
    key = np.array([item.answer for item in swapped.items])
    grades = swapped.arms["image-substituted"]
    assert kept.tolist() == (grades.chosen == key[grades.ordinal]).tolist()
    assert kept.any()


def test_shares_are_whole_and_add_up():
    """The largest remainder gets the spare per cent; a decimal only between 99 and 100."""
    for counts in ([1, 1, 1], [131, 69], [199, 1, 0], [7, 13, 80, 11], [26, 42, 108]):
        shares = [float(each.rstrip("%")) for each in write_shares(counts)]
        assert sum(shares) == pytest.approx(100)
        assert all(abs(share - 100 * each / sum(counts)) < 1 for share, each in zip(shares, counts, strict=True))


def test_the_line_of_trust_counts_what_is_there(exam):
    """Responses, images that arrived, unsure readings, the error rate and the policy."""
    results, evidence, _ = exam
    [note] = describe_trust(evidence)
    there = sum(len(each) for table in results.tables.values() for each in table.with_repeats().arms.values())
    first = sum(len(each) for table in results.tables.values() for each in table.arms.values())
    assert note.words.startswith(
        f"All {there:,} responses ({first:,} first and {there - first:,} second ones) are here. "
        "Images are confirmed to have reached grounded and mirage."
    )
    assert "Nothing shows whether images reached refuser and blind." in note.words
    assert "at most 1 in 20 such exams has a wrong mark by chance" in note.words
    assert note.words.endswith("Of 4 models, 0 meet the policy “standard”, which needs all three passes.")


def test_accuracy_without_the_image_stands_beside_that_with_it(exam):
    """On one line a model; guessing is said."""
    _, evidence, page = exam
    [table] = draw_with_without(evidence)
    assert [row.model for row in table.rows] == [
        f"organism/{name}" for name in ("refuser", "blind", "grounded", "mirage")
    ]
    assert "○ when no image was sent" in table.caption
    assert "The dashed line is guessing, 29%." in table.caption
    assert table.caption.replace("'", "&#39;") in page


def test_a_study_at_an_effort_alone_names_it(tmp_path):
    """Nothing was asked plainly: the columns are about the conditions that were, and name the effort."""
    tests = ["image-needed:effort=high", "option-order:effort=high", "rationale:effort=high"]
    with scored(tmp_path, ("grounded",), (FEW,), tests) as (results, store):
        table, page = table_of(Evidence(results, store)), render(results, store)
    assert table.columns[1].note == "with the image, high effort, n 24"
    assert "no reasoning tokens are counted, so nothing shows that the effort was applied" in re.sub(r"\s+", " ", page)


def test_blank_images_stand_in_where_none_was_left_out(tmp_path):
    """Without the image means as asked plainly: a blank image, not none at high effort; alone it has no figure."""
    with scored(tmp_path, ("blind",), (FEW,), ["image-needed:effort=high", "blank-image"]) as study:
        [table] = draw_with_without(Evidence(*study))
    assert "○ when every image was blank" in table.caption
    with scored(tmp_path / "more", ("blind",), (FEW,), ["option-order"]) as study:
        assert list(draw_with_without(Evidence(*study))) == []


def test_the_same_test_in_other_words_is_named_in_its_own_cell(degraded):
    """A test that fails by two prompts has one column; not shown to beat guessing is no number."""
    evidence = Evidence(*degraded)
    table = table_of(evidence)
    rows = {row.head.words: row for row in table.rows}
    at = [each.words for each in table.columns].index("Flags unreadable images?") - 1
    for row in rows.values():
        cell = row.cells[at]
        assert not row.head.links
        assert [link.words for link in cell.links] == (
            ["prompt “steps asked for”"] if cell.status is Status.FAIL else []
        )
    poorer = [each.words for each in table.columns].index("Accurate on poorer images?") - 1
    guesses = [name for name, row in rows.items() if row.cells[poorer].note.startswith("Not shown to beat guessing")]
    assert all(rows[name].cells[poorer].words == "" for name in guesses)
    assert guesses == ["torn"]
    assert list(rows).index("torn") > list(rows).index("wordless")  # both fail two tests


def test_a_suites_score_and_headline(ready):
    """R says that it is no mark of quality; the headline names who passes every test, and what is left open."""
    table = table_of(Evidence(*ready))
    [note] = [each.note for each in table.columns if each.words == "Robustness R"]
    assert note.startswith("no mark: a model that ignores its images keeps a high R")
    assert "better" not in note
    found = headline(Evidence(*ready))
    assert found.found == "One of three models passes both tests decided here: grounded"
    told = found.meaning.partition(". Not yet a release: ")[2]
    assert told.startswith("“Follows the image?” not decided (")
    assert "“Honest without the image?” not applicable (ask with the default prompt); " in told
    assert told.endswith(
        "“Steady?” not decided (repeat both orders of 200 questions). Not decided: “Unharmed by reasoning?”"
    )


def test_a_cell_names_no_test_that_fails_by_the_same_images():
    """A failed mark says all that such a test says; one on other images, or by an open mark, is still named."""

    def finding(status, arm):
        return SimpleNamespace(verdict=SimpleNamespace(status=status, rests_on=SimpleNamespace(arm=arm)))

    fails = finding(Status.FAIL, "image-substituted")
    assert _repeats(fails, fails)
    assert not _repeats(fails, finding(Status.FAIL, "image-removed"))
    assert not _repeats(finding(Status.INCONCLUSIVE, "image-substituted"), fails)
    assert not _repeats(None, fails)


def test_what_unsure_readings_would_change_is_said(usual):
    """Beside their number."""
    evidence = Evidence(*usual)
    said = " ".join(str(each.words) for each in describe_trust(evidence))
    assert "Of 72 readings, 24 are unsure, all of one. " in said  # no verdict is decided, so none can change
