import re
from base64 import b64encode
from decimal import Decimal
from hashlib import sha256
from html import unescape

from snellen.errors import BrokenRow, RejectedError
from snellen.items import Option
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel
from snellen.papers.paper import describe_method
from snellen.report.components import Cell, Column, Row, Table
from snellen.report.evidence.evidence import Evidence
from snellen.report.figures.forests import grid
from snellen.report.page import render
from snellen.report.sections import responses
from snellen.report.words import numbers as wording
from snellen.report.words.arms import page_words
from snellen.stats import Estimate

HOSTILE = (
    "<script>window.hurt = 1</script>",
    "</script><script>window.hurt = 2</script>",
    "</template></pre></details></style><iframe src='https://evil.example/'></iframe>",
    "{{ 7*7 }} {% raw %}",
    "--><img src=x onerror=alert(1)>",
    "\"><svg onload=alert(1)><a href='javascript:alert(1)'>",
    "line\u2028separator \u202eback\u202c bell\x07 zero\u200bwidth \ufeff",
    "&lt;b&gt; already escaped &amp;",
)


ROWS = '<details class="chapter" id="rows">'
"""Where the responses begin."""


def test_page_has_every_part(usual, usual_page, usual_text, parsed):
    """It is one file of the study's folder, its path is returned, and every part is there."""
    assert usual[0].folder / "report.html" == usual_page
    ids = parsed(usual_text).ids()
    expected = {"summary", "verdicts", "looks", "knows", "stable", "benchmark", "order", "typical", "rows", "methods"}
    expected |= {"parsers", "cite", "account"}
    assert expected <= set(ids)


def test_every_number_of_the_results_is_on_the_page(usual, usual_text):
    """For each row of results.csv the page prints value and interval, linked to the rows behind it, and the method.

    The method stands in the fold below the table. The order of the models rests on the rows of all of them, and has a
    table of its own.
    """
    results, _ = usual
    cells = set()
    for numbers, ways in list_numbers(usual_text):
        cells |= {(way, *number) for way in ways for number in numbers}
    rows = [row for row in results.rows() if row["test"] != "many-models"]
    assert len(rows) > 0
    for row in rows:
        kind = row["kind"]
        anchor = f"rows-{row['model'].replace('/', '-')}-bench-{row['arm']}"
        values = {wording.figure(row["value"], kind, digits) for digits in range(3)}
        ends = wording.interval(Estimate(row["value"], row["low"], row["high"], 1, ""), kind)
        assert {(describe_method(row), anchor, wording.with_ends(value, ends)) for value in values} & cells, row


def list_numbers(text):
    """The numbers of each table with the anchors that they lead to, and the ways that the fold below it names."""
    for table in re.findall(r"<table.*?(?=<table|\Z)", text, re.DOTALL):
        numbers, _, below = table.partition("</table>")
        cells = re.findall(r'<a class="v" href="#([^"]+)">([^<]*)</a>', numbers)
        ways = re.findall(r"<code>([^<]*)</code></li>", below.partition("How these numbers were made")[2])
        yield [tuple(map(unescape, each)) for each in cells], [unescape(each) for each in ways]


def test_a_change_agrees_with_both_accuracies_of_its_table(study, question):
    """In whole per cents, or if those cannot agree with one decimal; thirds of 12 questions are a tenth apart."""

    def right(request, share):
        number = int(re.search(r"picture (\d+)", request.text)[1])
        return f"Answer: {'ABC'[(number + (number >= share)) % 3]}"

    models = tuple(
        FakeModel(lambda request, before=before, after=after: right(request, before if request.images else after),
                  name=f"fake/{before}-{after}")
        for before in (16, 13, 8) for after in (5, 8, 11)
    )  # fmt: skip
    results, store = study([question(number) for number in range(16)], models, tests=("image-needed",))
    evidence, findings = Evidence(results, store), results.findings
    rows = {(row.heading, row.head.words): row for row in grid(findings, evidence.anchors, ()).rows}
    names = ("accuracy before the change, on the same items", "accuracy", "change in accuracy")
    removed = [next(row.cells for (_, words), row in reversed(rows.items()) if words == name) for name in names]
    for cells in zip(*removed, strict=True):
        printed = [each.words.partition("%")[0].partition(" ")[0].replace("−", "-") for each in cells]
        before, after, change = map(Decimal, printed)
        assert abs(after - before - change) <= (Decimal("0.1") if "." in printed[2] else 0), printed


def test_ways_are_named_by_the_fewest_words():
    """Each way once, with the rows or columns that it is of; the most usual one is of all others."""

    def row(words, *ways, heading=""):
        return Row(Cell(words), tuple(Cell("1", how=way) for way in ways), heading=heading)

    columns = tuple(map(Column, ("measure", "one", "two")))
    by_row = Table(columns, (row("a", "w", "w", heading="first"), row("b", "t", "t"), row("c", "w", "w")))
    by_column = Table(columns, (row("a", "w", "t"), row("b", "w", "t"), row("c", "w", "")))
    mixed = Table(columns, (row("a", "w", "w", heading="first"), row("a", "w", "t", heading="second")))
    alike = Table(columns, (row("a", "w", "w"), row("b", "", "")))
    assert [each.list_ways() for each in (by_row, by_column, mixed, alike)] == [
        [("t", "b"), ("w", "all others")],
        [("t", "two"), ("w", "all others")],
        [("t", "a (second two)"), ("w", "all others")],
        [("w", "")],
    ]


def test_every_verdict_is_on_the_page(usual, usual_text):
    """In its own words, with status in words; with p, the p after Holm, and what could be shown."""
    for finding in usual[0].findings:
        said = f"{finding.model.rpartition('/')[2]}: {page_words(finding.verdict.sentence)}"
        assert re.search(rf'{finding.verdict.status.words}</span> <span class="v">{re.escape(said)}', usual_text), said
    assert re.search(r"n 12, p [=&]", usual_text)
    assert "Holm p" in usual_text
    assert "with 80% power; a smaller change may be missed." in usual_text


def test_hostile_text_stays_text(study, question, parsed):
    """Whatever a question, an option, an id, a model, a reply, its reasoning or a group holds, it adds no element."""

    def items(mark):
        options = (Option(f"yes {mark}"), Option(f"no {mark}"))
        fields = {"context": mark, "options": options, "answer": 0}
        return [question(n, question=f"{mark} {n}", category=f"{mark}{n % 2}", **fields) for n in range(3)]

    def answer(request, mark):
        delivered = tuple(receipt(image) for image in request.images)
        return Response(f"{mark}\nAnswer: A", reasoning=mark, sent=delivered)

    def tags(mark):
        models = (FakeModel(lambda request: answer(request, mark), name=f"fake/{mark}"),)
        broken = (BrokenRow(f"line {mark}", mark, mark),)
        page = parsed(render(*study(items(mark), models, broken=broken)))
        assert page.problems == []
        return [(tag, sorted(attributes)) for tag, attributes, _ in page.elements]

    plain = tags("plain")
    assert [tags(" ".join(HOSTILE[at::3])) for at in range(3)] == [plain] * 3


def test_hostile_text_is_shown_as_it_came(study, question, parsed, packed):
    """Escaping changes nothing a reader sees, braces are not filled in, and hidden characters are spelled out."""
    reply = "{{ 7*7 }} <b>bold</b> \u202eback \x07\nAnswer: A"
    text = render(*study([question(0)], (FakeModel(lambda request: reply, name="fake/one"),)))
    said = "{{ 7*7 }} <b>bold</b> ⟨U+202E⟩back ⟨U+0007⟩\nAnswer: A"
    assert said.replace("\n", " ") in [words.strip() for _, words in parsed(text).all("dd")]
    assert {row["text"] for row in packed(text).rows} == {said}


def test_policy_allows_our_script_and_style_alone(usual_text, parsed):
    """The policy names the hash of the one script and the one style, and nothing is loaded from anywhere."""
    page = parsed(usual_text)
    policy = next(a["content"] for a, _ in page.all("meta") if a.get("http-equiv") == "Content-Security-Policy")
    for tag in ("script", "style"):
        [text] = [text for attributes, text in page.all(tag) if attributes == {}]
        digest = b64encode(sha256(text.encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in policy
    held = [attributes for attributes, _ in page.all("script") if attributes]
    assert held == [{"type": "application/zip", "id": name} for name in ("responses", "files")]
    assert all(attributes == {} for attributes, _ in page.all("style"))
    assert policy.startswith("default-src 'none'; img-src data: blob:;")
    assert not {"link", "iframe", "img", "object", "base"} & {tag for tag, _, _ in page.elements}
    for _, attributes, _ in page.elements:
        assert not [name for name in attributes if name.startswith("on") or name in ("style", "src")]


def test_equal_results_make_an_equal_page(study):
    """Two runs of one study in two folders draw the same page to the byte: nothing of time or place is in it."""
    first, second = study(), study()
    page = render(*first)
    assert page == render(*second)
    assert str(first[0].folder) not in page


def test_each_image_is_kept_once(usual_text, parsed, packed):
    """However many responses an image was sent for, its bytes are in the page once: shown, or for the browser alone."""
    text = usual_text
    page, files = parsed(text), packed(text).files
    shown = {attributes["id"].removeprefix("image-"): attributes["href"] for attributes, _ in page.all("image")}
    kept = {name.removeprefix("images/").removesuffix(".jpg") for name in files if name.startswith("images/")}
    assert shown
    assert all(link.startswith("data:image/jpeg;base64,") for link in shown.values())
    assert len(page.all("use")) > len(shown)
    assert not kept & shown.keys()
    assert len(kept | shown.keys()) == 12


def test_page_with_some_of_the_responses_says_which_and_has_the_numbers_of_all(usual, usual_text, monkeypatch):
    """How many of how many, how they were chosen; every chapter before them is the same as with all."""
    monkeypatch.setattr(responses, "MOST_RESPONSES", 10)
    monkeypatch.setattr(responses, "BATCH", 1)
    few = render(*usual)
    chapters = [page.split(ROWS)[0].rsplit('<section id="summary"')[-1] for page in (few, usual_text)]
    assert chapters[0] == chapters[1]
    told = " ".join(few.split(ROWS)[1].split("</p>")[0].split())
    assert re.search(
        r"<p>\d\d of 72 responses are in this page, .* of 12 items\b.* chosen by a hash of their id and", told
    )
    assert told.endswith("All numbers of this report use all 72 responses, which are in responses.sqlite.")


def test_missing_replies_and_broken_rows_are_counted(study, question):
    """An arm without meaning for an item and a row that could not be read are told with their reasons."""
    items = [question(0), question(1), question(2, images=())]
    text = render(*study(items, broken=[BrokenRow("line 9", "set/9", "its question is empty")]))
    assert re.search(r"not applicable \([^)]*without the image[^)]*\): the item has no image to remove", text)
    assert "1 broken row left out" in text
    assert "line 9, <code>set/9</code>: its question is empty" in text


def test_study_without_a_single_reply_still_has_its_page(study, parsed):
    """Where every request failed, the page says so and invents no number."""

    def refuse(request):
        raise RejectedError("no")

    page = parsed(render(*study(models=(FakeModel(refuse, name="fake/none"),))))
    assert page.problems == []
    cells = [text for about, text in page.all("span") if about.get("class") == "v"]
    assert any(re.fullmatch(r"RejectedError: no \d+(, not asked \d+)?", each) for each in cells)
    assert not [text for about, text in page.all("span") if about.get("class") in ("status good", "status bad")]


def test_several_replies_to_an_item_are_told_apart(study, packed):
    """With several runs, every response has the number of its run, and runs are counted from 1."""
    found = packed(render(*study(epochs=2)))
    assert {row["run"] for row in found.rows} == {0, 1}
    assert (found.record["several_runs"], found.record["first_run"]) == (True, 1)
