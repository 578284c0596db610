from browser import needs_chromium
from snellen import report

pytestmark = needs_chromium


def test_page_opens_offline_and_its_script_runs(study, browser):
    """The policy lets our script and style through, the linked rows open with their tools, nobody complains."""
    path = report.write(*study())
    browser.open(f"{path.as_uri()}#rows-fake-one-bench-original")
    assert browser.complaints == []
    assert browser.evaluate("document.documentElement.dataset.script") == "ran"
    assert browser.evaluate("document.querySelector('.group[open]').dataset.total") == "12"
    assert "1 to 12 of 12" in browser.evaluate("document.querySelector('.group[open] .tools').textContent")


def test_link_to_a_reply_opens_it(study, question, browser):
    """Following a rule's count opens the group, turns to the page that holds the reply, and unfolds it."""
    path = report.write(*study([question(n) for n in range(40)]))
    browser.open(f"{path.as_uri()}#reply-rows-fake-two-bench-original-33-0")
    assert browser.complaints == []
    row = "document.getElementById('reply-rows-fake-two-bench-original-33-0')"
    assert browser.evaluate(f"{row}.firstElementChild.open")
    assert "31 to 40 of 40" in browser.evaluate(f"{row}.closest('.group').querySelector('.tools').textContent")
