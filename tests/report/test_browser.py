import shutil
import subprocess

import pytest

from snellen import report

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the page with")


def opened(url, profile):
    """The page as the browser has it once its script ran, and what the browser complained of."""
    flags = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
             "--disable-component-update", "--disable-sync", "--host-resolver-rules=MAP * ~NOTFOUND",
             "--enable-logging=stderr", f"--user-data-dir={profile}", "--dump-dom")  # fmt: skip
    done = subprocess.run([CHROMIUM, *flags, url], capture_output=True, text=True, timeout=90, check=True)
    return done.stdout, [line for line in done.stderr.splitlines() if "CONSOLE" in line]


def test_page_opens_offline_and_its_script_runs(study, tmp_path):
    """The policy lets our script and style through, the linked rows open with their tools, nobody complains."""
    path = report.write(*study())
    dom, complaints = opened(f"{path.as_uri()}#rows-fake-one-bench-original", tmp_path / "profile")
    assert complaints == []
    assert 'data-script="ran"' in dom
    assert 'class="group" data-total="12" open=""' in dom
    assert dom.count('type="search"') == 1
    assert "1 to 12 of 12" in dom


def test_link_to_a_reply_opens_it(study, question, tmp_path):
    """Following a rule's count opens the group, turns to the page that holds the reply, and unfolds it."""
    path = report.write(*study([question(n) for n in range(40)]))
    dom, complaints = opened(f"{path.as_uri()}#reply-rows-fake-two-bench-original-33-0", tmp_path / "profile")
    assert complaints == []
    assert "31 to 40 of 40" in dom
    row = dom[dom.index('id="reply-rows-fake-two-bench-original-33-0"') :]
    assert row.partition(">")[2].startswith('<details open="">')
