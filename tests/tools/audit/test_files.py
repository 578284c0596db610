"""An audit's files say the same in four forms, hold hostile text as text, and quote nothing where that is asked."""

import csv
import json
from types import MappingProxyType

import pytest

from interrupting import stopped_at_each_move
from snellen.errors import StoreError, StudyError
from snellen.items import Item, Option
from snellen.stats import Estimate, wilson
from snellen.tools.audit.audit import Audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks import Check
from snellen.tools.audit.files import write
from snellen.tools.audit.finding import Checked, Curve, Finding, Flagged, Number, Severity

HOSTILE = "</style><script>alert(1)</script>"
ITEMS = tuple(Item(name, "Which side?", (Option("Left"), Option("Right")), 0) for name in (f"=1+1{HOSTILE}", "b"))


@pytest.fixture
def done(monkeypatch):
    """An audit with a finding about a hostile item."""
    monkeypatch.setitem(
        __import__("snellen.tools.audit.checks", fromlist=["MEMBERS"]).MEMBERS, "sides", f"{__name__}:CHECK"
    )
    flagged = Flagged(ITEMS[0].id, "it is named twice", HOSTILE, ("b",), 0.5)
    numbers = (Number("left", "always left", wilson(2, 2), 0.5),)
    curve = Curve("pruned", "items removed", "accuracy", ((0.0, wilson(2, 2)), (1.0, wilson(1, 2))), 0.5)
    found = Finding("sides", Severity.HIGH, "Left is right in 2 of 2 items.", "Shuffle them.", (flagged,), 0.01)
    columns = MappingProxyType({"guess": {"b": 0.25}})
    checked = Checked(
        "sides", 2, (found,), numbers, ("Nothing can be said of splits.",), ("n is small.",), columns, (curve,),
        {"kept": ("b",)},
    )  # fmt: skip
    return Audit(Audited("mine", ITEMS), (checked,))


CHECK = Check("sides", "Is left right too often?", lambda audited: Checked("sides", 0))


def test_every_form_says_the_same(done, tmp_path):
    """Page, CSV and JSON have the finding, its item, its corrected p and what to do; lists are files of ids."""
    page = write(done, tmp_path / "audit", {"created": "2026-11-16"}).read_text()
    assert "Left is right in 2 of 2 items." in page
    assert "Shuffle them." in page
    assert "Nothing can be said of splits." in page
    with (tmp_path / "audit" / "findings.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert row["item_id"] == f"'{ITEMS[0].id}"
    assert (row["severity"], row["p_adjusted"], row["with_items"]) == ("high", "0.01", "b")
    told = json.loads((tmp_path / "audit" / "audit.json").read_text())
    assert told["findings"][0]["items"][0]["item_id"] == ITEMS[0].id
    assert told["checks"][0]["numbers"][0]["n"] == 2
    assert told["checks"][0]["curves"][0]["points"][1]["value"] == 0.5
    with (tmp_path / "audit" / "items.csv").open(newline="") as file:
        assert [each["guess"] for each in csv.DictReader(file)] == ["", "0.25"]
    assert (tmp_path / "audit" / "kept.txt").read_text() == "b\n"


def test_hostile_text_is_inert(done, tmp_path):
    """Neither an id nor a quote becomes markup."""
    page = write(done, tmp_path, {"created": "2026-11-16"}).read_text()
    assert page.count("<script") == page.count("</style>") == 1
    assert "<script>alert" not in page


def test_without_quotes_no_file_holds_the_benchmarks_words(done, tmp_path):
    """Only ids and figures are written."""
    plain = done.checked[0].findings[0].items[0]._replace(quote="secret words")
    finding = done.checked[0].findings[0]._replace(items=(plain,))
    quoted = Audit(done.of, (done.checked[0]._replace(findings=(finding,)),))
    write(quoted, tmp_path, {"created": "2026-11-16"}, quotes=False)
    assert not [file.name for file in tmp_path.iterdir() if "secret words" in file.read_text()]
    write(quoted, tmp_path, {"created": "2026-11-16"})
    assert len([file.name for file in tmp_path.iterdir() if "secret words" in file.read_text()]) == 3


def test_a_number_that_is_none_is_told_as_none(done, tmp_path):
    """An interval without ends breaks neither the page nor the JSON."""
    unknown = Number("odd", "odd", Estimate(float("nan"), float("nan"), float("nan"), 0, "none"))
    write(Audit(done.of, (done.checked[0]._replace(numbers=(unknown,)),)), tmp_path, {"created": "2026-11-16"})
    assert json.loads((tmp_path / "audit.json").read_text())["checks"][0]["numbers"][0]["value"] is None


def test_a_folder_that_holds_a_benchmark_is_not_written_into(done, tmp_path):
    """A benchmark's own items.csv is not overwritten by the one of the audit, nor is a file; an earlier audit is."""
    (tmp_path / "taken").write_text("")
    with pytest.raises(StudyError, match="Name another folder"):
        write(done, tmp_path / "taken", {"created": "2026-11-16"})
    (tmp_path / "items.csv").write_text("id,question\n")
    with pytest.raises(StudyError, match="none is overwritten"):
        write(done, tmp_path, {"created": "2026-11-16"})
    assert (tmp_path / "items.csv").read_text() == "id,question\n"
    for _ in range(2):
        assert write(done, tmp_path / "audit", {"created": "2026-11-16"}).exists()


def test_the_lists_of_an_earlier_audit_do_not_stay(done, tmp_path):
    """A list that this audit does not have would be taken for its own."""
    write(done, tmp_path, {"created": "2026-11-16"})
    (tmp_path / "notes.txt").write_text("mine")
    write(Audit(done.of, (done.checked[0]._replace(lists={}),)), tmp_path, {"created": "2026-11-16"})
    assert sorted(each.name for each in tmp_path.glob("*.txt")) == ["notes.txt"]


def test_no_page_of_an_earlier_audit_stands_beside_new_numbers(done, tmp_path, monkeypatch):
    """Wherever the second audit is stopped: all files are of one, or the page says that they are not."""
    fewer = Audit(done.of, (done.checked[0]._replace(findings=()),))
    shown = []
    for _ in stopped_at_each_move(
        monkeypatch,
        lambda: write(done, tmp_path, {"created": "of May"}),
        lambda: write(fewer, tmp_path, {"created": "2nd"}),
    ):
        page, rows = (tmp_path / "audit.html").read_text(), len((tmp_path / "findings.csv").read_text().splitlines())
        told = json.loads((tmp_path / "audit.json").read_text()).get("about", {}).get("created")
        shown.append("says so" if "was stopped while it wrote" in page else (told, rows, "of May" in page))
    assert set(shown) == {("of May", 2, True), "says so", ("2nd", 1, False)}


def test_an_audit_of_a_later_version_is_not_overwritten(done, tmp_path):
    """Nor is any file of it changed."""
    write(done, tmp_path, {"created": "2026-11-16"})
    later = {**json.loads((tmp_path / "audit.json").read_text()), "schema": 99}
    (tmp_path / "audit.json").write_text(json.dumps(later))
    before = {each: each.read_bytes() for each in tmp_path.iterdir()}
    with pytest.raises(StoreError, match="later version of snellen"):
        write(done, tmp_path, {"created": "2026-11-17"})
    assert {each: each.read_bytes() for each in tmp_path.iterdir()} == before


def test_an_audit_is_private(done, tmp_path):
    """It quotes the benchmark."""
    write(done, tmp_path / "audit", {"created": "2026-11-16"})
    assert {each.stat().st_mode & 0o777 for each in (tmp_path / "audit").iterdir()} == {0o600}
    assert (tmp_path / "audit").stat().st_mode & 0o777 == 0o700


def test_an_id_of_several_lines_is_one_line_of_a_list(done, tmp_path):
    """It would be read as two items."""
    listed = Audit(done.of, (done.checked[0]._replace(lists={"kept": ("a\nb", "c")}),))
    write(listed, tmp_path, {"created": "2026-11-16"})
    assert (tmp_path / "kept.txt").read_text() == "a⟨U+000A⟩b\nc\n"
