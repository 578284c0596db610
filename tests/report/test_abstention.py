"""Who gives no answer under each condition, and what could not be asked, and why."""

import pytest

from snellen.papers.readiness.report.abstention import NEEDED, SCORES, draw_abstention, draw_applicability
from snellen.report.components import Fold, Note
from snellen.report.words.arms import arm_label
from snellen.report.words.numbers import count, figure
from walking import rows, tables, walk


@pytest.fixture(scope="module")
def drawn(ready_lookup):
    [section] = draw_abstention(ready_lookup)
    return section


def test_every_condition_of_every_model_has_its_row(drawn, ready_lookup, ready_rows):
    """Those with the image stand first, then the questions that need it; numbers are those of results.csv."""
    _, table, *_ = tables(drawn)
    [name, _] = ready_lookup.benchmarks
    of_one = [row for row in table.rows if row.model == "organism/mirage"]
    arms = list(ready_lookup.evidence.results.tables["organism/mirage", name].arms)
    assert sorted(row.head.words for row in of_one if not row.head.note) == sorted(map(arm_label, arms))
    assert [row.head.words for row in of_one if row.head.note == NEEDED] == ["as asked", "without the image"]
    blind = [row.head.words.startswith("without the image") for row in of_one if not row.head.note]
    assert blind == sorted(blind)
    for row in (row for row in table.rows if row.head.note == NEEDED):
        for measure, cell in zip(("abstention_rate", "refusal_rate", *SCORES), row.cells, strict=False):
            arm = {"as asked": "original", "without the image": "image-removed"}[row.head.words]
            key = (row.model, name, "visual-necessity", arm, measure)
            assert cell.words == "–" or cell.words.startswith(figure(ready_rows[key]["value"], "share"))


def test_short_table_tells_refusing_apart(drawn):
    """With the image and without it, of all questions and of those that need it: cannot tell, and refuses."""
    table = tables(drawn)[0]
    assert [(each.words, each.note) for each in table.columns[1:]] == [
        ("as asked", ""), ("without the image", ""), ("as asked", NEEDED), ("without the image", NEEDED),
    ]  # fmt: skip
    said = {name: [[line.words.partition(" (")[0] for line in cell.lines] for cell in cells]
            for (_, name), cells in rows(table).items()}  # fmt: skip
    silent, speaks = ["cannot tell 100%", "refuses 0%"], ["cannot tell 0%", "refuses 0%"]
    assert said["grounded"] == [speaks, silent, speaks, silent]
    assert said["refuser"] == [["cannot tell 0%", "refuses 100%"]] * 4


def test_long_table_is_folded_and_what_is_never_done_has_no_column(drawn):
    """A table of many conditions is closed until it is opened; kinds that no model shows are named in a sentence."""
    folds = [each for each in walk([drawn]) if isinstance(each, Fold)]
    assert len(folds) == 2
    assert all(each.title.startswith("Every model and condition on phantoms (items ") for each in folds)
    notes = [each.words for each in walk([drawn]) if isinstance(each, Note)]
    assert "Never, under no condition and by no model: image too poor, unparsed, truncated, empty." in notes
    assert "truncated" not in [each.words for each in folds[0].parts[0].columns]


def test_what_was_not_asked_adds_up_to_all_questions(ready_lookup):
    """For each condition the questions asked and those left out, by reason, the most frequent reason first."""
    section = draw_applicability(ready_lookup)
    everywhere = [each.words for each in section.parts if isinstance(each, Note)]
    for benchmark, table, note in zip(ready_lookup.benchmarks, tables(section), everywhere, strict=True):
        grades = ready_lookup.evidence.results.tables["organism/refuser", benchmark]
        total, names = len(grades.items), {arm_label(arm): arm for arm in grades.arms}
        told = {}
        for row in table.rows:
            arms, (asked, reason, number) = row.head.words or arms, row.cells  # noqa: F821 - the row above
            told.setdefault(arms, []).append((asked.words, reason.words, number.words))
        for arms, lines in told.items():
            numbers = [int(number) for _, _, number in lines]
            assert numbers == sorted(numbers, reverse=True)
            assert lines[0][0] == f"{total - sum(numbers)} of {count(total)}"
            for arm in arms.split(", "):
                assert {reason: int(number) for _, reason, number in lines} == grades.arms[names[arm]].inapplicable
        named = {*note.partition(": ")[2].rstrip(".").split(", "), *(arm for arms in told for arm in arms.split(", "))}
        assert named == {*names}
