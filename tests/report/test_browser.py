"""The page in a browser: its responses filtered, searched, opened by links and by keys, and hostile ones inert."""

import json
from urllib.parse import quote

import pytest

from snellen import report
from snellen.models.base import Response, receipt
from snellen.models.fake import FakeModel

HOSTILE = """# Finding <b>bold</b>
**A** <script>window.hurt = 1</script></script><img src=x onerror="window.hurt = 2">
[a link](https://evil.example/) ![an image](https://evil.example/x.png) javascript:alert(1)

- `code` and *soft*
- turned \u202eround

| a | b |
|---|---|
| 1 | <i>2</i> |

Answer: A"""


@pytest.fixture
def opened(browser):
    """Open a page at a link into its responses and wait until they are there."""

    def at(path, link, **seen):
        browser.open(f"{path.as_uri()}#{link}", **seen)
        browser.wait_for("document.querySelectorAll('.browser .lines').length === 1")
        return browser

    return at


def status(browser):
    return browser.evaluate("document.querySelector('.browser [role=status]').textContent")


def heading(browser):
    return browser.evaluate("document.querySelector('.response h3 + p').textContent")


def press(browser, key):
    browser.evaluate(f"document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
                     f"{{key: {json.dumps(key)}, bubbles: true, cancelable: true}})), 0")  # fmt: skip


def fill(browser, name, value):
    browser.evaluate(f"(() => {{ const control = document.querySelector('.browser [name={name}]');"
                     f"if (control.type === 'checkbox') control.checked = {json.dumps(value)};"
                     f"else control.value = {json.dumps(value)};"
                     "control.dispatchEvent(new Event('input', {bubbles: true})); })()")  # fmt: skip


def test_nothing_is_unpacked_until_it_is_wanted(usual_page, browser):
    """The policy lets our script and style through, nobody complains, and the browser is empty until it is opened."""
    browser.open(usual_page.as_uri())
    assert browser.evaluate("document.documentElement.dataset.script") == "ran"
    assert browser.evaluate("document.querySelectorAll('.browser').length") == 0
    browser.evaluate("document.querySelector('#browse > summary').click()")
    browser.wait_for("document.querySelectorAll('.browser .line').length === 50")
    assert status(browser) == "1 to 50 of 72 responses."
    assert browser.complaints == []


def test_filters_and_search_find_what_the_tables_count(usual_page, usual_text, packed, opened):
    """Each filter, and the search, leaves as many responses as a count in Python, and the address remembers them."""
    rows = packed(usual_text).rows
    browser = opened(usual_page, "rows")
    outcomes = {row["kind"] for row in rows}
    assert len(outcomes) >= 4
    for name, field, values in (
        ("model", "model", ("fake/one", "fake/two")),
        ("condition", "condition", ("original", "image-removed", "options-shuffled")),
        ("outcome", "kind", outcomes),
    ):
        for value in values:
            fill(browser, name, value)
            count = sum(row[field] == value for row in rows)
            assert f"of {count} responses (of 72 in this page)" in status(browser)
        fill(browser, name, "")
    fill(browser, "moved", True)
    assert f"of {sum(row['moved'] for row in rows)} responses" in status(browser)
    fill(browser, "model", "fake/two")
    fill(browser, "q", "PICTURE 3 show")
    both = [row for row in rows if row["moved"] and row["model"] == "fake/two" and row["id"] == "set/3"]
    assert len(both) == browser.evaluate("document.querySelectorAll('.line').length")
    assert browser.evaluate("location.hash") == "#rows?model=fake%2Ftwo&moved=1&q=PICTURE+3+show"
    browser = opened(usual_page, "rows?model=fake%2Ftwo&moved=1&q=PICTURE+3+show")
    browser.wait_for(f"document.querySelectorAll('.line').length === {len(both)}")
    assert browser.complaints == []


def test_link_of_a_number_shows_its_responses_and_a_link_of_a_response_that_one(study, question, opened):
    """Both kinds of link that the chapters have lead where they say, also when followed one after the other."""
    path = report.write(*study([question(n) for n in range(70)]))
    browser = opened(path, "rows-fake-one-bench-image-removed")
    assert status(browser).startswith("1 to 50 of 70 responses")
    assert browser.evaluate("document.querySelector('#browse [name=condition]').value") == "image-removed"
    browser.evaluate("location.hash = '#reply-rows-fake-two-bench-original-63-0'")
    browser.wait_for("document.querySelectorAll('.response h3').length === 1")
    assert heading(browser) == "fake/two · as asked"
    assert browser.evaluate("document.querySelector('.response h3').textContent").startswith("set/63 ")
    assert browser.evaluate("document.querySelector('.line[aria-current] code').textContent") == "set/63"
    browser.evaluate("location.hash = '#reply-rows-fake-two-bench-original-99-0'")
    browser.wait_for("!document.querySelector('.browser .note').hidden")
    said = browser.evaluate("document.querySelector('.browser .note').textContent")
    assert said.startswith("That response is not in this page. It is in responses.sqlite")
    assert browser.complaints == []


def test_same_item_is_one_step_away_under_every_condition_and_model(usual_page, opened):
    """The grid has a cell for every condition and model, each leads there, and its image follows."""
    browser = opened(usual_page, "reply-rows-fake-one-bench-original-5-0")
    browser.wait_for("document.querySelectorAll('.response .cell').length === 6")
    browser.wait_for("[...document.querySelectorAll('.response img')].some((image) => image.naturalWidth === 32)")
    browser.evaluate("document.querySelector('.cell[aria-label^=\"fake/two, without the image\"]').click()")
    assert heading(browser) == "fake/two · without the image"
    assert browser.evaluate("document.querySelector('.response .none').textContent") == "No image was sent."
    assert browser.evaluate("document.querySelector('.cell[aria-current]').getAttribute('aria-label')").startswith(
        "fake/two, without the image: "
    )
    assert browser.evaluate("document.querySelectorAll('.response .choices .chosen').length") == 1
    assert browser.complaints == []


def test_keys_move_between_responses_but_not_while_typing(usual_page, opened):
    """The keys do what the hint says; in the search they are letters, and with Ctrl they are not ours."""
    browser = opened(usual_page, "reply-rows-fake-one-bench-original-0-0")
    browser.wait_for("document.querySelectorAll('.response h3').length === 1")
    press(browser, "]")
    assert heading(browser) == "fake/one · without the image"
    press(browser, "[")
    press(browser, "j")
    assert heading(browser) == "fake/two · as asked"
    press(browser, "k")
    assert heading(browser) == "fake/one · as asked"
    browser.evaluate("document.activeElement.dispatchEvent(new KeyboardEvent('keydown', "
                     "{key: 'j', ctrlKey: true, bubbles: true})), 0")  # fmt: skip
    assert heading(browser) == "fake/one · as asked"
    press(browser, "/")
    assert browser.evaluate("document.activeElement.name") == "q"
    press(browser, "j")
    assert heading(browser) == "fake/one · as asked"
    press(browser, "Escape")
    assert browser.evaluate("document.activeElement === document.body")
    browser.evaluate("document.querySelector('.line').focus()")
    press(browser, "Escape")
    assert browser.evaluate("document.querySelector('.response').hidden")
    assert browser.evaluate("document.activeElement.className") == "line"


def test_hostile_response_is_inert(study, question, opened):
    """Markdown is formatted; markup, links and images in a response stay words, and nothing is asked of a network."""

    def answer(request):
        return Response(HOSTILE, reasoning=HOSTILE, sent=tuple(receipt(image) for image in request.images))

    items = [question(n, question=f"{HOSTILE} {n}", context=HOSTILE) for n in range(2)]
    path = report.write(*study(items, (FakeModel(answer, name=f"fake/{HOSTILE[:40]}"),)))
    browser = opened(path, "rows?q=" + quote("Finding <b>bold"))
    browser.evaluate("document.querySelector('.line').click()")
    said = "document.querySelector('.response .said')"
    shown = browser.evaluate(f"{said}.textContent")
    for words in (
        "<script>window.hurt = 1</script></script>",
        "[a link](https://evil.example/)",
        "⟨U+202E⟩",
        "<i>2</i>",
    ):
        assert words in shown
    assert browser.evaluate(f"[...{said}.querySelectorAll('*')].map((each) => each.localName)") == [
        "div", "p", "p", "strong", "br", "ul", "li", "code", "em", "li", "div", "table", "thead", "tr", "th", "th",
        "tbody", "tr", "td", "td", "p",
    ]  # fmt: skip
    assert browser.evaluate("document.querySelectorAll('.response a:not(.steps a)').length") == 0
    browser.evaluate("document.querySelector('.response [aria-pressed]').click()")
    assert browser.evaluate(f"{said}.firstChild.textContent") == HOSTILE.replace("\u202e", "⟨U+202E⟩")
    loaded = browser.evaluate("performance.getEntriesByType('resource').map((each) => each.name)")
    assert [name for name in loaded if not name.startswith(("blob:", "data:"))] == []
    assert browser.evaluate("window.hurt === undefined")
    assert browser.complaints == []


def test_phone_needs_no_sideways_scrolling(usual_page, opened):
    """At 390 pixels neither the list nor a response is wider than the screen, and a closed response leaves the list."""
    browser = opened(usual_page, "reply-rows-fake-one-bench-options-shuffled-3-0", width=390, height=844)
    browser.wait_for("document.querySelectorAll('.response h3').length === 1")
    wide = (
        "Math.max(...[...document.querySelectorAll('#rows *')].filter((each) => !each.closest('.wide') && "
        "!each.closest('.spoken')).map((each) => each.getBoundingClientRect().right))"
    )
    assert browser.evaluate(wide) <= 390
    browser.evaluate("document.querySelector('.response .close').click()")
    assert browser.evaluate("document.querySelector('.listing').offsetParent !== null")
    assert browser.evaluate(wide) <= 390


def test_responses_are_not_printed(usual_page, opened):
    """On paper a sentence stands where the browser is on a screen."""
    browser = opened(usual_page, "rows")
    browser.send("Emulation.setEmulatedMedia", media="print")
    assert browser.evaluate("getComputedStyle(document.getElementById('browse')).display") == "none"
    assert browser.evaluate("getComputedStyle(document.querySelector('#rows .print-only')).display") == "block"
    browser.send("Emulation.setEmulatedMedia", media="")
