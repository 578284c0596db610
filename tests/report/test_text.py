"""Parts as plain text: nothing is lost, no line is too long, and text from elsewhere does nothing."""

from hypothesis import given, settings
from hypothesis import strategies as st
from markupsafe import Markup

from snellen.report.components import Cell, Column, Facts, Fold, Grid, Listing, Note, Row, Section, Table, rich
from snellen.report.text import draw_text
from snellen.stress.base import Status

COLUMNS = (Column("model"), Column("follows?"), Column("items", look="figure"))


def table(*rows, **more):
    return Table(COLUMNS, tuple(Row(Cell(name), cells) for name, *cells in rows), **more)


def test_each_part_is_written():
    """Notes follow each other, other parts stand apart; marks are words, markup is gone, a closed fold is its title."""
    parts = [
        Note("No model passes.", "Found:"),
        Note(rich("Read **{}** in `x`.", "<b>")),
        table(
            ("blind", Cell("0% (0 to 7)", Status.FAIL, n="n 90", note="keeps its answer"), Cell("12")),
            ("mirage", Cell("100%", Status.PASS), Cell("1,200")),
            caption="The marks", note="Parentheses are 95% intervals.",
        ),
        Section("Why", (Listing((Cell("one", note="and why"), Cell("two"))),), name="id"),
        Fold("All items", (Note("unseen"),), "12 of them"),
        Facts((("items", "90"), ("patients", "12"))),
        Grid((Note("left"), Note("right"))),
    ]  # fmt: skip
    assert draw_text(parts, 60) == "\n".join([
        "Found: No model passes.",
        "Read <b> in x.",
        "",
        "The marks",
        " model    follows?                items",
        " ──────────────────────────────────────",
        " blind    fail 0% (0 to 7) n 90      12",
        "          keeps its answer",
        " mirage   pass 100%               1,200",
        "Parentheses are 95% intervals.",
        "",
        "Why (id)",
        "  - one",
            "    and why",
        "  - two",
        "",
        "All items: 12 of them",
        "",
        "items      90",
        "patients   12",
        "",
        "left",
        "right",
    ])  # fmt: skip


def test_a_column_of_drawings_and_an_empty_table_are_left_out():
    """A heading goes over all columns, and a cell may reach over several."""
    drawn = Table(
        (Column("model"), Column("drawn"), Column("n")),
        (Row(Cell("blind"), (Cell(drawing=Markup("<svg/>")), Cell("3")), heading="phantoms"),),
    )
    assert draw_text([drawn]).splitlines()[2:] == [" phantoms", "   blind   3"]
    assert draw_text([table(("refuser", Cell("not applicable", columns=2)))]).endswith("refuser   not applicable")
    assert draw_text([Table(COLUMNS, (), "Nothing")]) == "Nothing"


def test_a_heading_that_rows_share_stands_once():
    """It stands above the first of them; a row without a heading belongs to those before it."""
    named = (("a", "one"), ("b", "one"), ("c", ""), ("d", "one"), ("e", "two"))
    rows = tuple(Row(Cell(name), (Cell("1"), Cell("2")), heading=heading) for name, heading in named)
    assert [heading for heading, _ in Table(COLUMNS, rows).list_headed_rows()] == ["one", "", "", "", "two"]
    assert draw_text([Table(COLUMNS, rows)]).count("one") == 1


words = st.lists(st.text("abcdefgh(), 0123456789", max_size=40), min_size=2, max_size=2)


@given(rows=st.lists(words, min_size=1, max_size=4), width=st.integers(24, 90))
@settings(max_examples=40)
def test_whatever_the_width_nothing_is_lost(rows, width):
    """Every letter is there, and no line is longer than the terminal is wide."""
    drawn = draw_text([table(*((f"row{at}", Cell(one), Cell(two)) for at, (one, two) in enumerate(rows)))], width)
    assert max(map(len, drawn.splitlines())) <= width
    for row in rows:
        for letter in set("".join(row).replace(" ", "")):
            assert drawn.count(letter) >= "".join(row).count(letter)


def test_text_from_elsewhere_begins_no_line_and_moves_no_cursor():
    """Control characters are spelled out, line breaks are spaces, markup stays text."""
    evil = "\x1b[31m[red]x\u202e\nWARNING: false"
    drawn = draw_text(
        [Note(evil * 9), table((evil, Cell(evil), Cell(evil)), note=evil * 9), Listing((Cell(evil),))], 70
    )
    assert not {"\x1b", "\u202e", "\r"} & set(drawn)
    assert "\nWARNING" not in drawn
    assert "[red]x" in drawn
