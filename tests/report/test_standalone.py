import csv
import io
import re
import struct
import sys
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen import report
from snellen.errors import MissingExtraError, StudyError
from snellen.files import replace_set, write_whole
from snellen.reading.outcomes import Outcome
from snellen.report.components import Cell, Row, Table
from snellen.report.evidence.reply_kinds import BY_OUTCOME
from snellen.report.figures.folder import INDEX, as_pdf, as_png, check_format, write_figures
from snellen.report.figures.layout import axis_of, in_rows, width_of, wrap_text
from snellen.report.figures.marks import forest_mark, kind_bar, scale
from snellen.report.figures.plain import SVG, plain, style_of
from snellen.report.figures.standalone import About, Datum, Figures
from snellen.stats import Estimate

ESTIMATE = Estimate(0.123456789012345, 0.1, 0.2, 90, "wilson")


def a_figure(figures, name="test", model="fake/one", label="fake/one"):
    ruler = scale([], "share", reference=0.25)
    cells = Cell(drawing=forest_mark(ESTIMATE, ruler, 0)), Cell("12% (10 to 20)", n="n 90")
    table = Table((), (Row(Cell(label, place=0), cells),))
    data = [Datum("accuracy", ESTIMATE.value, 0.1, 0.2, 90, "wilson", model)]
    return figures.draw(
        About([name], "Accuracy"),
        data,
        in_rows(table, axis_of(ruler, "Accuracy (%)", "guessing 25%"), row_height=24.0),
    )


def drawn(path):
    return ElementTree.parse(path).getroot()


@pytest.fixture(scope="module")
def folder(ready, ready_text):
    """The folder of the readiness study's figures, which its page was written with."""
    return ready[0].folder / "figures"


def test_every_figure_has_a_drawing_its_numbers_and_a_caption(folder):
    """Beside the report lie SVG and CSV files of the same names, and one file with all captions."""
    names = {path.stem for path in folder.glob("*.svg")}
    assert names == {path.stem for path in folder.glob("*.csv")}
    assert set(re.findall(r"^## (.+)$", (folder / "captions.md").read_text(), re.M)) == names
    assert all(re.fullmatch(r"[a-z0-9-]+", name) for name in names)
    kinds = ("summary-accuracy", "image-needed-kept-above-chance", "readiness-perturbed", "robustness-fragilities")
    assert all(any(name.startswith(kind) for name in names) for kind in kinds)


def test_figures_stand_alone(folder):
    """Each is well-formed, has its own style for light and dark, loads nothing and runs nothing."""
    for path in folder.glob("*.svg"):
        text, root = path.read_text(), drawn(path)
        assert root.tag == f"{{{SVG}}}svg"
        assert {each.tag.rpartition("}")[2] for each in root.iter()} <= {
            "svg", "title", "desc", "style", "defs", "pattern", "g", "rect", "line", "path", "circle", "text",
        }  # fmt: skip
        assert "var(" not in text
        assert "@media (prefers-color-scheme: dark)" in text
        assert not re.search(r"href|url\((?!#)|<script|@import|on\w+=", text)
        assert root.find(f"{{{SVG}}}title").text
        assert root.find(f"{{{SVG}}}desc").text.endswith(".")


def test_every_class_of_a_figure_that_needs_a_rule_has_one(folder):
    """Nothing is drawn in the colour of chance: shapes and lines have a rule, and patterns are there."""
    for path in folder.glob("*.svg"):
        root = drawn(path)
        style = root.find(f"{{{SVG}}}style").text
        for each in root.iter():
            if each.tag.rpartition("}")[2] in ("line", "path", "circle", "rect"):
                names = each.get("class", "").split()
                assert any(f".{name}" in style for name in names), (path.name, each.attrib)
        for name in re.findall(r"url\(#(\w+)\)", style):
            assert any(each.get("id") == name for each in root.iter()), (path.name, name)


def test_axes_have_titles_and_reference_lines_numbers(folder):
    """What an axis shows stands below it, with the unit; what the dashed line stands for is in the CSV."""
    told = {path.stem: {each.text for each in drawn(path).iter(f"{{{SVG}}}text")} for path in folder.glob("*.svg")}
    assert "Accuracy (%)" in told[next(name for name in told if name.startswith("summary-accuracy"))]
    change = next(name for name in told if name.startswith("option-order-difference"))
    assert "Change in accuracy (percentage points)" in told[change]
    path = next(folder.glob("summary-accuracy*.csv"))
    assert "guessing" in {each["measure"] for each in csv.DictReader(path.read_text().splitlines())}


def test_numbers_are_those_of_the_results(folder, ready):
    """A mark's row has the numbers of results.csv with all their digits."""
    rows = {(row["model"], row["benchmark"], row["test"], row["arm"], row["measure"]): row for row in ready[0].rows()}
    path = next(folder.glob("image-needed-kept-above-chance-image-removed*.csv"))
    found = list(csv.DictReader(path.read_text().splitlines()))
    assert found
    assert {each["measure"] for each in found if not each["model"]} == {"limit"}
    for each in found:
        if not each["model"]:  # the line that the numbers are compared with
            continue
        row = rows[each["model"], each["benchmark"], "image-needed", each["condition"], each["measure"]]
        assert [float(each[name]) for name in ("value", "low", "high", "n")] == [
            row[name] for name in ("value", "low", "high", "n")
        ]


def test_page_has_buttons_for_its_figures(folder, ready_text, parsed):
    """Every button names a file that lies in the folder, and says what it does."""
    every = [attributes for attributes, _ in parsed(ready_text).all("button")]
    buttons = [each for each in every if each.get("data-file", "").startswith("figures/")]
    files = {each["data-file"] for each in buttons}
    assert len(files) > 20
    assert {name.partition("/")[2] for name in files} <= {path.name for path in folder.iterdir()}
    assert all(re.fullmatch(r"Download [a-z0-9-]+ as (SVG|CSV)", each["aria-label"]) for each in buttons)


def test_button_saves_its_file(usual_page, browser, tmp_path):
    """A press on the button saves the figure as it lies in the folder."""
    path = usual_page
    browser.open(path.as_uri())
    kept = "document.querySelector('.downloads button').dataset.file"
    text = browser.evaluate(f"archiveIn('files').text({kept})")
    assert text == (path.parent / browser.evaluate(kept)).read_text()
    assert browser.evaluate("archiveIn('files').text('results.csv')").startswith("model,benchmark,test,arm,measure")
    assert browser.evaluate("getComputedStyle(document.querySelector('.downloads')).display") == "inline-flex"
    browser.send("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(tmp_path))
    browser.evaluate("document.querySelector('.downloads button').click()")
    name = browser.evaluate(kept).partition("/")[2]
    for _ in range(200):
        if (tmp_path / name).exists():
            break
        browser.evaluate("new Promise((done) => setTimeout(done, 20))")
    assert (tmp_path / name).read_text() == text
    assert browser.complaints == []


def test_files_of_figures_have_names_and_whole_numbers():
    """Drawn twice it is one file, other numbers are another; digits are unrounded, and no cell is a formula."""
    figures = Figures()
    assert a_figure(figures).name == a_figure(figures).name == "test"
    assert a_figure(figures, model="fake/two").name == "test-2"
    assert [each.name for each in figures] == ["test", "test-2"]
    made = a_figure(Figures(), model="=HYPERLINK(1)")
    [row] = csv.DictReader(io.StringIO(made.csv))
    assert (row["value"], row["model"]) == ("0.123456789012345", "'=HYPERLINK(1)")


def test_hostile_names_are_text():
    """A model's name is text in the drawing, whatever it holds."""
    name = 'a<script>"&\x00\u202e\ufffe' + "x" * 300
    made = a_figure(Figures(), label=name)
    root = ElementTree.fromstring(made.svg)
    assert not list(root.iter(f"{{{SVG}}}script"))
    whole = [each.text for each in root.iter(f"{{{SVG}}}title")]
    assert any("<script>" in each and "x" * 300 in each for each in whole)


def write_over(folder, figures, form="svg"):
    """Replace the figures of a folder, as a report does."""
    with replace_set(folder, record="results.json", schema=1) as new:
        write_whole(new.folder / "results.json", b"{}")
        write_figures(folder, new, figures, form)


def test_older_figures_go_and_those_of_a_user_stay(tmp_path):
    """A figure that is not drawn any more is taken away; a file that we did not write never is."""
    first, second = Figures(), Figures()
    a_figure(first, "old")
    a_figure(second, "new")
    write_over(tmp_path, first)
    own = tmp_path / "figures" / "mine.svg"
    own.write_text("mine")
    (tmp_path / "outside.svg").write_text("outside")
    with (tmp_path / "figures" / INDEX).open("a") as index:
        index.write("../outside.svg\n")
    write_over(tmp_path, second)
    names = {path.name for path in (tmp_path / "figures").iterdir()}
    assert names == {"new.svg", "new.csv", "captions.md", "mine.svg", INDEX}
    assert (tmp_path / "outside.svg").exists()


def test_equal_results_make_equal_figures(usual):
    """Drawing again changes no file."""
    results, store = usual
    path = report.write(results, store).parent / "figures"
    before = {each.name: each.read_bytes() for each in path.iterdir()}
    report.write(results, store)
    assert {each.name: each.read_bytes() for each in path.iterdir()} == before


@pytest.mark.usefixtures("converted")
def test_png_is_wide_enough_for_print(tmp_path):
    """On request each figure is also there as pixels: 180 mm at 300 dpi."""
    figures = Figures()
    made = a_figure(figures)
    write_over(tmp_path, figures, "png")
    data = (tmp_path / "figures" / "test.png").read_bytes()
    assert data == as_png(made.svg)
    assert struct.unpack(">I", data[16:20]) == (2126,)
    assert data[37:41] == b"pHYs"
    assert struct.unpack(">II", data[41:49]) == (11811, 11811)
    write_over(tmp_path, figures)
    assert not (tmp_path / "figures" / "test.png").exists()


@pytest.mark.usefixtures("converted")
def test_pdf_is_the_same_each_time_and_says_what_it_shows(tmp_path):
    """On request each figure is also there as PDF, with its title, and equal figures make equal files."""
    figures = Figures()
    made = a_figure(figures)
    write_over(tmp_path, figures, "pdf")
    data = (tmp_path / "figures" / "test.pdf").read_bytes()
    assert data.startswith(b"%PDF-")
    assert data == as_pdf(made.svg)
    assert b"/Title(Accuracy)" in data


@pytest.mark.parametrize("form", ["png", "pdf"])
def test_form_without_its_package_says_what_to_install(form, monkeypatch):
    """The error names the extra, before anything is read or drawn."""
    monkeypatch.setitem(sys.modules, "typst", None)
    with pytest.raises(MissingExtraError, match=r"snellen\[figures\]"):
        check_format(form)


def test_unknown_format_is_refused():
    """Only the formats that there are."""
    with pytest.raises(StudyError, match="svg, png, pdf"):
        check_format("gif")


@given(st.text(max_size=80), st.floats(40, 300))
def test_wrapped_lines_fit(text, width):
    """No line is wider than it may be, and nothing is lost but what an ellipsis stands for."""
    lines = wrap_text(text, width, 12)
    assert all(width_of(line, 12) <= width + 1e-6 for line in lines)
    assert len(lines) <= 3
    if not lines[-1].endswith("…"):
        assert "".join("".join(lines).split()) == "".join(text.split())


def test_style_has_what_is_used_and_no_more():
    """The rules of classes that a figure has, with colours in place of variables, and the patterns of its bars."""
    style = style_of(("dot", "model-1"))
    assert ".model-1 .dot" in style
    assert ".model-0" not in style
    assert "hatch" not in style
    assert "#9770e9" in style
    svg = plain(str(kind_bar({BY_OUTCOME[Outcome.WRONG]: 1})), width=100, height=30, title="t", about="a.")
    assert 'id="hatch"' in svg
    assert 'id="posts"' not in svg


def test_nested_figures_become_groups():
    """Percentages become numbers, nested figures groups, and words for those who do not see titles."""
    svg = plain(
        '<svg x="100" y="10" width="200" height="20" role="img" aria-label="half">'
        '<line class="grid" x1="50%" x2="50%" y1="0" y2="100%"/></svg>',
        width=720, height=50, title="t", about="a.",
    )  # fmt: skip
    root = ElementTree.fromstring(svg)
    [group] = root.findall(f"{{{SVG}}}g")
    assert group.get("transform") == "translate(100 10)"
    assert group.find(f"{{{SVG}}}title").text == "half"
    line = group.find(f"{{{SVG}}}line")
    assert [line.get(name) for name in ("x1", "x2", "y1", "y2")] == ["100", "100", "0", "20"]


def test_patterns_lie_on_their_own_colour():
    """Below what is filled with a pattern lies its plain colour, since programs leave hairlines between its tiles."""
    drawn = plain(str(kind_bar({BY_OUTCOME[Outcome.WRONG]: 1})), width=100, height=30, title="t", about="a.")
    root = ElementTree.fromstring(drawn)
    [bar] = root.findall(f"{{{SVG}}}g")
    ground, pattern = bar.findall(f"{{{SVG}}}rect")
    assert (ground.get("class"), pattern.get("class")) == ("under hatch", "outcome wrong")
    assert ground.get("width") == pattern.get("width")
    assert re.search(r"\.under\.hatch \{fill: #d55e00", root.find(f"{{{SVG}}}style").text)
