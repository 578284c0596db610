from dataclasses import replace

import pytest

from snellen.report.evidence.album import Album
from snellen.report.evidence.evidence import Evidence, row_anchor
from snellen.report.sections import rows
from snellen.report.sections.rows import LIMITS, chosen, look_at, text_limit


def groups(evidence, wanted=()):
    evidence.lead_to(wanted)
    return rows.groups(evidence, chosen(evidence))


def test_group_for_every_model_and_arm(study):
    """Every model, benchmark and arm has its rows, and its counts add up to all its replies."""
    evidence = Evidence(*study())
    found = groups(evidence)
    assert len(found) == 6
    for group in found:
        assert group.total == sum(tally.of for tally in group.tallies) == 12
        assert sum(tally.shown for tally in group.tallies) == len(group.rows)
        assert all(row.saying.grade.outcome == row.outcome for row in group.rows)


def test_rows_are_few_enough_for_the_page(study, monkeypatch):
    """With many arms, each shows fewer rows, and still some of every outcome."""
    monkeypatch.setattr(rows, "ROWS_OF_THE_PAGE", 36)
    for group in groups(Evidence(*study())):
        assert len(group.rows) == 6
        assert all(tally.shown for tally in group.tallies)


def test_chosen_option_is_marked_where_the_model_saw_it(study):
    """Under another order of options, the letter marked is the one the model named."""
    evidence = Evidence(*study())
    shuffled = next(
        g for g in groups(evidence) if g.address.model == "fake/two" and g.address.arm == "options-shuffled"
    )
    for row in shuffled.rows:
        assert [choice.letter for choice in row.saying.choices if choice.chosen] == ["B"]
        right = [choice.text for choice in row.saying.choices if choice.right]
        assert right == [row.saying.item.options[row.saying.item.answer].text]
    assert any(row.moved for row in shuffled.rows)


def test_images_are_taken_in_turn(study):
    """When there is room for few images, every group gets some before any gets all."""
    results, store = study()
    found = groups(Evidence(results, store))
    album = Album(store)
    look_at(album, [replace(group, rows=group.rows[:2]) for group in found])
    wanted = {sha for group in found for row in group.rows[:2] for sha in row.saying.asked.images}
    assert {picture.sha256 for picture in album.embedded} == wanted


@pytest.mark.parametrize(("budget", "limit"), [(10**9, LIMITS[0]), (0, LIMITS[-1])])
def test_long_texts_are_cut_to_fit(study, monkeypatch, budget, limit):
    """The page's limit of characters decides how much of a text is shown."""
    monkeypatch.setattr(rows, "TEXT_OF_THE_PAGE", budget)
    assert text_limit(groups(Evidence(*study()))) == limit


def test_wanted_replies_are_among_the_rows(study, monkeypatch):
    """A reply that something on the page leads to is shown even where it was not sampled."""
    monkeypatch.setattr(rows, "ROWS_OF_THE_PAGE", 36)
    evidence = Evidence(*study())
    address = next(iter(evidence.anchors))
    shown = {row.anchor for row in groups(evidence)[0].rows}
    place = next(at for at in range(12) if row_anchor(evidence, address, at) not in shown)
    again = groups(evidence, [(address, place)])[0]
    assert {row.anchor for row in again.rows} - shown == {row_anchor(evidence, address, place)}


def test_replies_are_read_once_per_arm(study, monkeypatch):
    """However many parts of the page show replies, each arm of each model is taken out of the store once."""
    results, store = study()
    evidence, read = Evidence(results, store), []
    monkeypatch.setattr(store, "replies", lambda *cell, own=store.replies: read.append(cell) or own(*cell))
    drawn = chosen(evidence)
    for address, each in drawn.items():
        evidence.sayings(address, each.places[:1].tolist())
    rows.groups(evidence, drawn)
    assert len(read) == len(set(read)) == 6
