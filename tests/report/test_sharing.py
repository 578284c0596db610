import re
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from xml.etree import ElementTree

import pytest
from markupsafe import Markup

from snellen import report
from snellen.report.components import Cell, Column, Link, Note, Row, Table
from snellen.report.figures.plain import SVG
from snellen.report.sharing import NAMES, list_shared_files
from snellen.report.sharing.card import MOST_MODELS, WIDTH
from snellen.report.sharing.shared_table import SharedCell, SharedResult, SharedRow, SharedTable, read_tables
from snellen.stress.base import Status

MARKS = ("Follows the image?", "Honest without the image?", "Steady?")
HOSTILE = r"a_b & 50% $x$ #1 {y} ~z ^w <i> | [q] *p* \end{table} --"
PASS = SharedCell(Status.PASS, "100% (97 to 100)", "of its skill follows the image.")
FAIL = SharedCell(Status.FAIL, "97% (93 to 99)", "invent findings")


def a_table(*models, cells=(PASS, FAIL, PASS), benchmark="bench", columns=MARKS):
    rows = (
        SharedRow(
            SharedCell(number=name),
            {"Accuracy": SharedCell(number="99.5% (96 to 99.9)"), **dict(zip(columns, cells, strict=True))},
        )
        for name in models
    )
    about = {"Accuracy": "with the image, n 200", **dict.fromkeys(columns, "n 176")}
    return SharedTable(benchmark, about, tuple(rows), ("Score possible without images: 66%.",))


def a_result(*tables, headline="No model passes all three tests."):
    return SharedResult(headline, "", "bench, 200 questions", "asked 2026-07-01", tables)


def words_of(svg):
    """The texts of a drawing, from the top down."""
    return [each.text for each in ElementTree.fromstring(svg).iter(f"{{{SVG}}}text")]


def cells_of(line):
    return [each.strip() for each in re.split(r"(?<!\\)\|", line)[1:-1]]


@pytest.fixture(scope="module")
def drawn(study, unconverted):
    """The folder of a report with three tests that give marks; its drawings are PNG and PDF as users have them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("snellen.report.figures.folder._convert", unconverted)
        return report.write(*study(tests=("follows", "honest", "steady"))).parent


def test_card_says_what_the_page_says(drawn, parsed):
    """The card has the page's headline, its models in their order, and all their marks as words."""
    page = parsed((drawn / "report.html").read_text())
    words = words_of((drawn / "card.svg").read_text())
    [(_, headline)] = page.all("h1")
    assert headline.strip() in " ".join(words)
    table = (drawn / "report.html").read_text().partition('<table class="first">')[2].partition("</table>")[0]
    marks = [each for each in words if each in {status.words for status in Status}]
    assert len(marks) == len(re.findall(r'class="status', table))
    assert re.findall(r'data-model="fake/(\w+)"', table) == [each for each in words if each in ("one", "two")]


def test_card_has_its_size_and_loads_nothing(drawn):
    """1200 × 630, in light colours alone, with nothing from elsewhere and its version on it."""
    text = (drawn / "card.svg").read_text()
    root = ElementTree.fromstring(text)
    assert (root.get("width"), root.get("height")) == ("1200", "630")
    assert not re.search(r"href|url\(|@media|<script|<style", text)
    assert re.search(r"asked 2026-07-01 · Snellen \d", text)
    image = (drawn / "card.png").read_bytes()
    assert struct.unpack(">II", image[16:24]) == (1200, 630)


def test_card_says_what_it_leaves_out():
    """Of many models eight are shown, of three benchmarks the first; fails without a column are counted."""
    names = [f"model-{number}-{'x' * 60}-{number}" for number in range(20)]
    words = words_of(list_shared_files(a_result(a_table(*names)))["card.svg"])
    shown = [each for each in words if each.startswith("model-")]
    assert [(each[:8], each[-2:]) for each in shown] == [(f"model-{n}-", f"-{n}") for n in range(MOST_MODELS)]
    assert "and 12 more models" in words
    svg = list_shared_files(a_result(*(a_table("one", benchmark=name) for name in ("a", "b", "c"))))["card.svg"]
    assert "Shown is a, the first of three benchmarks." in words_of(svg)
    columns = (*MARKS, "d?", "e?", "f?")
    cells = (PASS, PASS, SharedCell(Status.PASS, "1", "", ("corrects a false premise",)), FAIL, FAIL, FAIL)
    words = words_of(list_shared_files(a_result(a_table("one", cells=cells, columns=columns)))["card.svg"])
    assert "Other tests" in words
    assert "4 failed" in words


def test_one_reason_for_all_marks_is_said_once():
    """A cell over all marks stands on the card once, with its reason."""
    open_cell = SharedCell(Status.INCONCLUSIVE, "", "Not shown to beat guessing; no number would")
    rest = SharedCell(Status.INCONCLUSIVE)
    words = words_of(list_shared_files(a_result(a_table("one", cells=(open_cell, rest, rest))))["card.svg"])
    assert words.count("not decided") == 1
    assert "Not shown to beat guessing" in words


def test_numbers_and_sentences_on_the_card_are_whole():
    """Intervals fit into four columns, in letters of one size; no sentence and no head of a column is cut."""
    columns = ("Knowledge", "Takes “Unknown” without the image?", "Image", "A report in place of the image")
    number = SharedCell(None, "100% (34 to 100)")
    table = a_table("one", "two", cells=(number, SharedCell(None, "0% (0 to 66)"), number, number), columns=columns)
    lede = f"{'A first sentence of some length. ' * 3}{'A long one ' * 20}"
    svg = list_shared_files(replace(a_result(table), lede=lede))["card.svg"]
    words = words_of(svg)
    assert words.count("100% (34 to 100)") == 6
    assert not [each for each in words if "…" in each]
    texts = ElementTree.fromstring(svg).iter(f"{{{SVG}}}text")
    assert len({each.get("font-size") for each in texts if re.match(r"\d+% \(", each.text)}) == 1


@pytest.mark.parametrize("name", ["نموذج الرؤية", HOSTILE, "x" * 80, "W" * 400])
def test_card_holds_any_name(name):
    """Whatever a model is called, the card is well-formed, and no text begins outside of it."""
    svg = list_shared_files(a_result(a_table(name), headline=f"One of two models passes: {name}."))["card.svg"]
    texts = list(ElementTree.fromstring(svg).iter(f"{{{SVG}}}text"))
    assert all(0 < float(each.get("x")) < WIDTH and 0 < float(each.get("y")) < 630 for each in texts)


def test_parts_of_the_page_are_read_as_words():
    """A cell over several columns stands in the first; hidden letters are spelled out, and fails keep their names."""
    cells = (Cell("–"), Cell("", Status.NOT_APPLICABLE, "Why.", columns=2, links=(Link("mirror", "x"),)))
    columns = (Column("Model"), Column("Accuracy"), Column("Steady?", "n 9"), Column("Honest?"))
    parts = [
        Table(columns, (Row(Cell("a\u202eb", note="takes no images"), cells, "m", "bench:leak=0.5"),), look="first"),
        Note(Markup("the <b>best</b> scores"), "Possible:", status=Status.FAIL),
    ]
    [table] = read_tables(parts)
    [row] = table.rows
    assert (table.benchmark, table.lines) == ("bench (leak 0.5)", ("Possible: fail the best scores",))
    assert row.model == SharedCell(number="a⟨U+202E⟩b", note="takes no images")
    assert row.cells["Accuracy"].mark == "–"
    assert row.cells["Steady?"] == SharedCell(Status.NOT_APPLICABLE, "", "Why.", ("mirror",))
    assert row.cells["Honest?"] == SharedCell(Status.NOT_APPLICABLE)


def test_tables_are_one_over_all_benchmarks():
    """Three benchmarks are one table: each model under the name of its benchmark, each column once."""
    tables = [a_table("one", "two", benchmark=name) for name in ("a", "b", "c")]
    tables[1] = a_table("one", cells=(PASS,), benchmark="b", columns=("Describes images never sent?",))
    files = list_shared_files(a_result(*tables))
    lines = [line for line in files["tables/verdicts.md"].splitlines() if line.startswith("|")]
    assert cells_of(lines[0]) == ["Model", "Accuracy", *MARKS, "Describes images never sent?"]
    heads = [cells_of(line)[0] for line in lines[2:]]
    assert heads == ["*a*", "one", "two", "*b*", "one", "*c*", "one", "two"]
    assert cells_of(lines[6])[2:] == ["–", "–", "–", "pass: 100% (97 to 100) of its skill follows the image"]
    assert files["tables/verdicts.md"].count("Score possible without images") == 1  # it is the same for all
    latex = files["tables/verdicts.tex"]
    assert latex.count(r"\toprule") == latex.count(r"\bottomrule") == latex.count(r"\begin{table}") == 1
    assert latex.count(r"\midrule") == 3


def test_markdown_has_marks_as_words_and_numbers_with_intervals(drawn):
    """Each cell of the page's table is a cell of the Markdown, with its mark as a word."""
    text = (drawn / "tables" / "verdicts.md").read_text()
    lines = [cells_of(line) for line in text.splitlines() if line.startswith("|")]
    assert lines[0][:2] == ["Model", "Accuracy"]
    assert {each[0] for each in lines[3:]} == {"one", "two"}
    assert all(re.fullmatch(r"\d\S*% \(\S+ to \S+\)", each[1]) for each in lines[3:])
    marks = [cell for each in lines[3:] for cell in each[2:]]
    assert all(re.match(r"(pass|fail|not decided|not applicable)\b", cell) for cell in marks)
    assert "Score possible without images" in text


def test_latex_takes_no_name_for_a_command():
    """What is special to LaTeX is escaped, braces close, and every row has as many cells as the head."""
    text = list_shared_files(a_result(a_table(HOSTILE)))["tables/verdicts.tex"]
    body = text.partition(r"\toprule")[2].partition(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r" \\")]
    assert {len(re.findall(r"(?<!\\)&", row)) for row in rows} == {4}
    plain = re.sub(r"\\[\\&%$#_{}]", "", text)
    assert plain.count("{") == plain.count("}")
    assert not re.search(r"(?<![\\\n])[%#]", re.sub(r"(?m)^%.*$", "", plain))
    assert plain.count("$") % 2 == 0
    assert text.count(r"\end{table}") == 1
    assert r"{[}q{]} {*}p{*} \textbackslash{}end\{table\} -{}-" in text
    assert "LuaLaTeX" not in text


def test_latex_notes_stand_once():
    """Equal notes share a letter, a failed test without a column is named; letters that it lacks are told."""
    cells = (PASS, SharedCell(Status.FAIL, "97% (93 to 99)", "invent findings", ("mirror",)), PASS)
    text = list_shared_files(a_result(a_table("one", cells=cells)))["tables/verdicts.tex"]
    assert text.count(r"\textsuperscript{a}") == 3
    assert r"fail: 97\% (93 to 99)\textsuperscript{b}" in text
    assert r"\textsuperscript{b} invent findings; fails: mirror." in text
    assert "LuaLaTeX" in list_shared_files(a_result(a_table("نموذج")))["tables/verdicts.tex"]


def test_nothing_to_share_leaves_no_files():
    """Without a table there are no files for sharing."""
    assert list_shared_files(a_result()) == {}


def test_without_its_package_the_drawings_are_there(study, monkeypatch):
    """What cannot be converted is left out, and what an earlier drawing converted goes."""
    results, store = study()
    folder = report.write(results, store).parent
    assert {name for name in NAMES if (folder / name).exists()} == set(NAMES)
    assert {path.suffix for path in (folder / "figures").glob("figure-1.*")} == {".svg", ".csv", ".png", ".pdf"}
    monkeypatch.setitem(sys.modules, "typst", None)
    report.write(results, store)
    assert {name for name in NAMES if (folder / name).exists()} == set(NAMES) - {"card.png"}
    assert {path.suffix for path in (folder / "figures").glob("figure-1.*")} == {".svg", ".csv"}


def test_figure_one_is_ready_for_print(drawn):
    """180 mm wide as PDF and PNG, with its fonts inside and all its words."""
    figure = drawn / "figures" / "figure-1"
    root = ElementTree.parse(figure.with_suffix(".svg")).getroot()
    assert root.get("width") == "180mm"
    pdf = figure.with_suffix(".pdf").read_bytes()
    [width] = re.findall(rb"/MediaBox ?\[0 0 ([\d.]+)", pdf)
    assert float(width) == pytest.approx(180 / 25.4 * 72, abs=0.1)
    assert len(re.findall(rb"/FontFile[23]?\b", pdf)) == len(re.findall(rb"/Type ?/FontDescriptor\b", pdf)) > 0
    assert struct.unpack(">I", figure.with_suffix(".png").read_bytes()[16:20]) == (2126,)
    if shutil.which("pdftotext"):
        done = subprocess.run(["pdftotext", figure.with_suffix(".pdf"), "-"], capture_output=True, check=True)
        text = " ".join(done.stdout.decode().split())
        assert all(each.text in text for each in root.iter(f"{{{SVG}}}text"))


def test_figure_one_has_a_caption_that_stands_alone(drawn):
    """What was asked of how many, the conditions, intervals, limits and the version; also inside the drawing."""
    caption = (drawn / "figures" / "captions.md").read_text().partition("## figure-1\n\n")[2].partition("\n")[0]
    for words in ("Two models answered 12 questions", "no image", "Bars have no intervals: half of 1", " to ",
                  "To pass “Follows the image?”: More than half", "Prompt: letter.", "Snellen "):  # fmt: skip
        assert words in caption
    svg = ElementTree.parse(drawn / "figures" / "figure-1.svg").getroot()
    assert svg.find(f"{{{SVG}}}desc").text == caption


def test_labels_of_figure_one_are_those_of_the_page(drawn):
    """The shares of a bar add up in the drawing as they do on the page."""
    page = re.findall(
        r'class="share"[^>]*>([\d.]+%)<', (drawn / "report.html").read_text().partition('id="figure-1"')[2]
    )
    svg = ElementTree.parse(drawn / "figures" / "figure-1.svg").getroot()
    shares = [each.text for each in svg.iter(f"{{{SVG}}}text") if each.get("class", "").startswith("share")]
    assert shares
    assert set(shares) <= set(page)
