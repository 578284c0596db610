"""The folder of a cleaned benchmark: every tool can load it, nothing is overwritten, hostile names stay names."""

import csv
import json
import re
from dataclasses import replace
from shutil import rmtree
from types import SimpleNamespace

import pytest

from interrupting import stopped_at_each_move
from snellen.benchmarks import load
from snellen.errors import StudyError
from snellen.items import Benchmark
from snellen.tools.audit.bclean import clean, collect_responses
from snellen.tools.audit.cleaned import as_given, free_folder, write
from strategies import items, picture
from tables import sheet

ABOUT = {"created": "2026-01-01", "study": "mine", "note": "</li><script>alert(1)</script>"}
HOSTILE = '=HYPERLINK("x")\n<script>alert(1)</script>'


def cleaned(*, asked=None, model="one", without="+-x"):
    """Three items, of which the first is compromised."""
    table = replace(sheet({"original": "++-", "image-removed": without}, asked), model=model, benchmark="b<i>|x")
    [found] = collect_responses(SimpleNamespace(tables={(model, "b"): table}, out="OUT"))
    return clean(found)


def test_the_items_can_be_loaded_again(tmp_path):
    """Text, key and images are those of the benchmark."""
    own = items(3)
    given = Benchmark("b", tuple(replace(item, images=(picture(100 + at),)) for at, item in enumerate(own)))
    done = cleaned(asked=own)
    done = replace(done, asked=as_given(done.asked, given))
    folder = write(done, tmp_path / "b-clean", ABOUT, done.kept_items)
    again = load(folder)
    assert [item.id for item in again] == ["q001", "q002"]
    assert again.items[0].options == own[1].options
    assert again.items[0].answer == own[1].answer
    assert again.items[0].images[0].encoded().sha256 == picture(101).encoded().sha256
    assert (folder / "kept.txt").read_text() == "q001\nq002\n"


def test_without_items_only_ids_are_written_and_the_card_says_so(tmp_path):
    """No text of the benchmark is in any file."""
    folder = write(cleaned(), tmp_path / "new", ABOUT)
    assert sorted(path.name for path in folder.iterdir()) == [
        "README.md", "bclean.html", "bclean.json", "kept.txt", "removed.csv",
    ]  # fmt: skip
    card = (folder / "README.md").read_text()
    assert "no items: text and images were not given" in card
    assert not any("What does picture" in path.read_text() for path in folder.iterdir())


def test_a_folder_is_there_whole_or_not_at_all(tmp_path, monkeypatch):
    """Half a benchmark would be loaded as one."""
    for _ in stopped_at_each_move(
        monkeypatch,
        lambda: rmtree(tmp_path / "new", ignore_errors=True),
        lambda: write(cleaned(), tmp_path / "new", ABOUT),
    ):
        assert len(list(tmp_path.rglob("*"))) in (0, 6)
    assert (tmp_path / "new").is_dir()


def test_nothing_is_overwritten(tmp_path):
    """A folder that holds anything is refused, an empty one is taken."""
    write(cleaned(), tmp_path / "new", ABOUT)
    before = (tmp_path / "new" / "README.md").read_bytes()
    with pytest.raises(StudyError, match="is there already, and nothing is overwritten"):
        write(cleaned(without="-++"), tmp_path / "new", ABOUT)
    assert (tmp_path / "new" / "README.md").read_bytes() == before
    (tmp_path / "empty").mkdir()
    assert free_folder(tmp_path / "empty") == tmp_path / "empty"


def test_the_card_says_what_was_removed_and_why(tmp_path):
    """Its front matter is JSON in YAML; the body has models, rule, accuracies and settings."""
    folder = write(cleaned(), tmp_path / "new", ABOUT)
    card = (folder / "README.md").read_text()
    _, front, body = card.split("---\n", 2)
    fields = {name: json.loads(value) for name, _, value in (line.partition(": ") for line in front.splitlines())}
    assert fields["size_kept"] == 2
    assert fields["size_original"] == 3
    assert fields["models"] == ["one"]
    assert fields["rule"] == "paper"
    assert "| one | 1 | 1 | 1 | 1 | 0 |" in body
    assert "One model answers 1 of 3 items right without the image (33%)." in body
    assert "- created: 2026-01-01" in body


def test_hostile_names_are_inert(tmp_path):
    """Neither a spreadsheet, nor a browser, nor a list of lines is led astray by an id or a model's name."""
    own = (replace(items(1)[0], id=HOSTILE), *items(3)[1:])
    done = cleaned(asked=own, model="=cmd|<img src=x onerror=alert(1)>")
    folder = write(done, tmp_path / "new", ABOUT)
    with (folder / "removed.csv").open(newline="") as file:
        [row] = csv.DictReader(file)
    assert row["item_id"].startswith("'=")
    assert row["models"].startswith("'=")
    body = (folder / "README.md").read_text().split("---\n", 2)[2]
    assert "<script" not in body
    assert "<img" not in body
    assert "b&lt;i&gt;\\|x" in body
    page = (folder / "bclean.html").read_text()
    assert page.count("<script") == 1
    assert "<script>alert" not in page
    assert "<img" not in page
    assert "&lt;script&gt;alert(1)" in page
    record = json.loads((folder / "bclean.json").read_text())
    assert record["removed"][0]["item_id"] == HOSTILE
    kept = write(cleaned(asked=own, without="-+x"), tmp_path / "kept", ABOUT) / "kept.txt"
    assert len(kept.read_text().splitlines()) == 2


def test_other_items_than_those_asked_are_refused():
    """An item that is missing, or has another key, is named."""
    done = cleaned()
    with pytest.raises(StudyError, match="has no item 'q002'"):
        as_given(done.asked, Benchmark("b", items(2)))
    changed = Benchmark("b", (*items(2), replace(items(3)[2], answer=0)))
    with pytest.raises(StudyError, match="'q002' of b has another text or key"):
        as_given(done.asked, changed)


def test_the_json_holds_every_number_and_no_nan(tmp_path):
    """What is undefined is null."""
    record = json.loads((write(cleaned(), tmp_path / "new", ABOUT) / "bclean.json").read_text())
    assert record["accuracies"][0]["clean"]["value"] is None
    assert record["accuracies"][0]["all"]["value"] == pytest.approx(2 / 3)
    assert record["by_luck"]["value"] == pytest.approx(0.4)
    assert record["kept_ids"] == ["q001", "q002"]
    assert record["removed"][0]["models"] == ["one"]
    assert record["models"]["one"]["no_answer"] == 1


def test_the_page_says_the_same(tmp_path):
    """Counts, accuracies with their n, and the removed item with its reason."""
    page = (write(cleaned(), tmp_path / "new", ABOUT) / "bclean.html").read_text()
    assert "One model answers 1 of 3 items right without the image (33%)." in page
    first_screen, _, folded = page.partition('<details class="chapter"')
    cells = re.findall(r'<span class="v">(.*?)</span>', first_screen)
    assert cells == ["one", "1", "1", "1", "1", "0"]
    row = re.search(r"<code>q000</code>.*?</tr>", folded, re.DOTALL)[0]
    assert re.findall(r'<td.*?<span class="v">(.*?)</span>', row) == [
        "answered right without the image by 1 model", "one", "1 of 1", "–",
    ]  # fmt: skip
    kept = re.search(r'<span class="v">kept</span>.*?</tr>', folded, re.DOTALL)[0]
    assert "rank" in kept
    assert "67%" in folded
