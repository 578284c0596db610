"""The page that clinicians work on, in a real browser: keys, marks, images, bad networks, and everybody's eyes."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urlsplit

import axe_core_python
import numpy as np
import pytest
from click.testing import CliRunner
from playwright.sync_api import expect, sync_playwright

from reviewing import serving
from snellen.cli import cli
from snellen.images import Image, encode
from snellen.items import Benchmark, Item
from snellen.models.fake import FakeModel
from snellen.store import Store
from snellen.study import Study
from snellen.tools.review.ballots import Ballots
from snellen.tools.review.case import BlindCase, BlindImage, CasePassage, DrawnCase, Subject
from snellen.tools.review.tasks import TASKS

PATIENCE = 30_000
"""Milliseconds until something that never shows up is given up."""
AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
RULES = "['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']"
# Only of violations every element is named: a name for each that passes took a third of the time.
WRONG = f"""axe.run(document, {{runOnly: {RULES}, resultTypes: ['violations']}})
  .then((found) => found.violations.flatMap(
  (rule) => rule.nodes.map((node) => `${{rule.id}}: ${{node.html.slice(0, 200)}} ${{node.any[0]?.message ?? ''}}`)))"""
TOO_WIDE = """() => [...document.querySelectorAll('body *')].filter((each) => each.checkVisibility()
  && !each.closest('.spoken, .frame') && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1)
  .map((each) => each.outerHTML.slice(0, 120))"""
SELECT = """([words, until]) => {
  const nodes = [], walker = document.createTreeWalker(document.querySelector('.text.marked'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const first = nodes.find((node) => node.data.includes(words));
  const last = nodes.findLast((node) => node.data.includes(until));
  getSelection().setBaseAndExtent(first, first.data.indexOf(words), last, last.data.indexOf(until) + until.length);
}"""
RESPONSE = (
    "A nodule 🫁 in the left upper lobe.\r\nIts margins are smooth\u202e, so it is benign\u202c.\n\n"
    "No effusion, e\u0301tat stable. \u200b\u200b👩\u200d⚕️ agrees. Answer: B"
)
HOSTILE = (
    "</div></main><script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'><style>body{display:none}"
    "</style><form action='https://evil.example/'><button id=save>x</button></form>{{ 7 * 7 }} &lt;b&gt; "
    "\u202eturned\u202c \x00 ' \" ` <iframe src='https://evil.example/'></iframe>\n"
)


def case(task, *, images=1, response=RESPONSE):
    """A case that shows all that its task can show."""
    said = (CasePassage("Response", response),)
    passages = {"profile": (), "reference": (), "verdict": (CasePassage("Reference answer", "A granuloma"), *said)}
    shown = tuple(BlindImage(f"Image {place + 1}", 64, 48) for place in range(images))
    options = ("A. Cancer", "B. Granuloma")
    return BlindCase("", task, "What is it?", "Cough for weeks.", options, passages.get(task, said), shown)


class Pictures:
    """Grey images by their place: the left half dark, the right half bright."""

    def load_encoded(self, sha256):
        """An image, whose sha256 is its number here."""
        pixels = np.full((48, 64), 100, np.uint8)
        pixels[:, 32:] = 150 + int(sha256)
        return encode(pixels)


@pytest.fixture(scope="module")
def chromium(browser):
    """The browser of all tests, driven by Playwright."""
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as driver:
        yield driver.chromium.connect_over_cdp(browser.url)


class Room:
    """A review with one rater, and the pages that they open; what a page complains of or asks for is noted."""

    def __init__(self, chromium, ballots, url):
        self.chromium, self.ballots, self.url = chromium, ballots, url
        self.complaints, self.hosts, self.contexts = [], set(), []

    def open(self, *, width=1280, height=800, rater="One", **seen):
        """The page of a rater, by their link."""
        context = self.chromium.new_context(viewport={"width": width, "height": height}, **seen)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("console", lambda said: said.type == "error" and self.complaints.append(said.text))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).hostname))
        page.goto(f"{self.url}/enter/{self.ballots.invite(rater)}")
        return page

    def votes(self, task):
        """What was said of the cases that somebody voted on, in the order of the votes."""
        votes = [vote for each in self.ballots.read(task) for vote in each.votes]
        return [vote.value for vote in sorted(votes, key=lambda vote: vote.cast_at)]

    def sent(self):
        """How many votes were ever kept, counting those that were taken back."""
        return self.ballots.in_transaction(lambda: self.ballots._run("SELECT count(*) FROM votes").fetchone()[0])


@pytest.fixture
def room(chromium, tmp_path):
    """Set a review up and serve it: `room(task, …)`."""
    opened = []

    @contextmanager
    def made(*tasks, count=4, **shown):
        with Ballots.open(tmp_path) as ballots:
            images = tuple(map(str, range(shown.get("images", 1))))
            for task in tasks:
                drawn = [DrawnCase(case(task, **shown), Subject("bench", str(n), n, ""), images) for n in range(count)]
                ballots.add_review(task, {}, drawn)
            with serving(ballots, store=SimpleNamespace(folder=tmp_path, images=Pictures())) as served:
                opened.append(Room(chromium, ballots, served.url))
                yield opened[-1]
                for context in opened[-1].contexts:
                    context.close()

    yield made
    assert [each for one in opened for each in one.complaints if "favicon" not in each] == []
    assert {host for one in opened for host in one.hosts} <= {"127.0.0.1"}


def saved(page, count):
    """Wait until so many cases are done."""
    expect(page.locator("#said")).to_contain_text(re.compile(rf"^(Saved|Skipped)\. {count} of"))


def press(page, *keys):
    """Press keys, one after another."""
    for key in keys:
        page.keyboard.press(key)


def test_keys_alone_are_enough(room):
    """Choose, save, skip, undo, go back and forth, write; every step lands on the heading and is kept as pressed."""
    with room("verdict") as one:
        page = one.open()
        press(page, "Enter")
        expect(page.locator("#problem")).to_have_text("No answer yet: Is the response correct?")
        press(page, "1", "Enter")
        saved(page, 1)
        assert page.evaluate("document.activeElement.id") == "case"
        press(page, "t")
        page.keyboard.type("no, 1 us0")
        press(page, "Escape", "2", "Enter")
        saved(page, 2)
        assert one.votes("verdict") == [{"verdict": "correct"}, {"verdict": "incorrect", "reason": "no, 1 us0"}]
        press(page, "s")
        saved(page, 3)
        press(page, "Backspace")
        expect(page.locator("#said")).to_contain_text("taken back")
        words, links = (page.locator(each).bounding_box() for each in ("#said", ".far nav"))
        assert links["x"] + links["width"] <= words["x"]
        press(page, "2", "Enter")
        saved(page, 3)
        press(page, "ArrowLeft")
        page.wait_for_url("**/case/*")
        press(page, "ArrowLeft")
        expect(page.locator("textarea")).to_have_value("no, 1 us0")
        assert page.is_checked("input[value=incorrect]")
        press(page, "1", "Enter")
        saved(page, 3)
        assert page.url == f"{one.url}/"
        assert one.votes("verdict")[-1] == {"verdict": "correct", "reason": "no, 1 us0"}
        press(page, "1", "Enter")
        expect(page.locator("h1")).to_have_text("Thank you. Nothing is left for you to read.")
        press(page, "u")
        expect(page.locator("h1")).to_have_text("Is the response correct?")
        press(page, "?")
        expect(page.locator("dialog")).to_be_visible()
        page.uncheck("#single")
        press(page, "Escape", "2")
        assert page.is_checked("input[value=correct]")


def test_ten_axes_move_on_by_themselves(room):
    """Ten keys answer ten axes and end at the button that saves; a stack is leafed through without losing a place."""
    with room("profile", images=6) as one:
        page = one.open()
        press(page, *"123123")
        page.keyboard.press("PageDown")
        expect(page.locator(".where")).to_have_text("2 of 6")
        press(page, *"1231")
        assert page.evaluate("document.activeElement.id") == "save"
        page.keyboard.press("Enter")
        saved(page, 1)
        assert one.votes("profile") == [
            dict(zip((each.name for each in TASKS["profile"].fields), "1231231231", strict=True))
        ]


def test_marked_words_are_those_of_the_stored_text(room):
    """By selection and by keys, over line ends, emoji and what is spelled out; overlapping; and after a reload."""
    with room("rationale") as one:
        page = one.open()
        for place, (words, until) in enumerate([("nodule", "lobe"), ("left", "smooth"), ("smooth", "benign")]):
            page.evaluate(SELECT, [words, until])
            expect(page.locator(".selected")).to_contain_text(until)
            page.locator(".pattern").nth(place).click()
        page.evaluate(SELECT, ["tat", "agrees"])
        press(page, "5", "m", "End", "Shift+ArrowLeft")
        expect(page.locator(".selected")).to_have_text("Selected: “Answer: B”")
        press(page, "6", "7", "7")
        page.reload()
        expect(page.locator(".made li")).to_have_count(5)
        assert page.locator("mark mark").count() > 0
        page.click("#save")
        saved(page, 1)
        (vote,) = one.votes("rationale")
        assert [RESPONSE[each["start"] : each["end"]] for each in vote["patterns"]] == [
            "nodule 🫁 in the left upper lobe",
            "left upper lobe.\r\nIts margins are smooth",
            "smooth\u202e, so it is benign",
            "tat stable. \u200b\u200b👩\u200d⚕️ agrees",
            "Answer: B",
        ]
        page.keyboard.press("Enter")
        expect(page.locator("#problem")).to_contain_text("No answer yet")
        press(page, "8", "Enter")
        saved(page, 2)
        assert one.votes("rationale")[-1] == {"patterns": []}
        page.click("a[rel=prev]")
        expect(page.locator(".nothing")).to_have_attribute("aria-pressed", "true")
        page.click("a[rel=prev]")
        page.locator(".made button").first.click()
        expect(page.locator(".made li")).to_have_count(4)
        page.click("#save")
        saved(page, 2)
        assert one.votes("rationale")[-1] == {"patterns": vote["patterns"][1:]}


@pytest.mark.parametrize("reached", [False, True], ids=["not sent", "sent, not heard"])
def test_vote_that_was_not_heard_of_is_sent_again_and_counts_once(room, reached):
    """The answer stays, also over a reload, and every further try carries the same nonce."""
    with room("verdict") as one:
        page = one.open()
        nonces = []

        def lost(route):
            nonces.append(route.request.post_data_json["nonce"])
            if reached:
                route.fetch()
            route.abort()

        page.route("**/vote", lost)
        press(page, "1", "Enter")
        expect(page.locator("#problem")).to_contain_text("Not saved yet: the server cannot be reached.")
        assert page.is_checked("input[value=correct]")
        page.keyboard.press("Enter")
        expect(page.locator("#save")).to_contain_text("Try again now")
        page.unroute("**/vote")
        with page.expect_request("**/vote") as again:
            page.reload()
        expect(page.locator("#said")).to_contain_text("saved" if reached else "Saved.")
        assert {*nonces, again.value.post_data_json["nonce"]} == {nonces[0]}
        assert one.votes("verdict") == [{"verdict": "correct"}]
        assert one.sent() == 1
        assert page.evaluate("Object.keys(sessionStorage).length") == 0
        one.complaints[:] = [each for each in one.complaints if "ERR_FAILED" not in each]


def test_reload_loses_nothing_that_was_not_sent(room):
    """Half of a quality label and a text come back as they were, and only for their case."""
    with room("reference") as one:
        page = one.open()
        page.fill("#field-answer", "A granuloma\u200d <b>")
        page.fill("#field-also", "Old tuberculosis\nHamartoma")
        page.reload()
        expect(page.locator("#field-also")).to_have_value("Old tuberculosis\nHamartoma")
        page.locator("#field-answer").press("Control+Enter")
        saved(page, 1)
        expect(page.locator("#field-answer")).to_have_value("")
        assert one.votes("reference") == [{"answer": "A granuloma\u200d <b>", "also": "Old tuberculosis\nHamartoma"}]
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#field-answer")).to_have_value("A granuloma\u200d <b>")


def test_images_are_zoomed_moved_and_windowed(room):
    """Wheel, drag, right button, keys and buttons; the pixels on the screen are those of the window by hand."""
    with room("verdict", images=2) as one:
        page = one.open(width=1280, height=800)
        first = page.locator(".frame").first
        first.scroll_into_view_if_needed()
        style = (
            "[...document.querySelectorAll('.frame img')].map((image) => [image.style.transform, image.style.filter])"
        )
        untouched = page.evaluate(style)
        box = first.bounding_box()
        centre = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(*centre)
        page.mouse.wheel(0, -300)
        expect(first).to_have_class(re.compile("zoomed"))
        scale = r"translate\((-[\d.]+)px, (-[\d.]+)px\) scale\(2\)"
        before = re.fullmatch(scale, page.evaluate(style)[0][0])
        page.mouse.down()
        page.mouse.move(centre[0] + 30, centre[1] + 20)
        page.mouse.up()
        after = re.fullmatch(scale, page.evaluate(style)[0][0])
        moved = [float(after[place]) - float(before[place]) for place in (1, 2)]
        assert moved == pytest.approx([30, 20], abs=0.01)
        assert page.evaluate(style)[1] == untouched[1]
        page.keyboard.press("r")
        assert page.evaluate(style) == untouched
        page.mouse.move(*centre)
        page.mouse.down(button="right")
        page.mouse.move(centre[0] - 100, centre[1])
        page.mouse.up(button="right")
        expect(page.locator(".window")).to_have_text("Window 128, level 128")
        shot = page.screenshot(clip={"x": centre[0] - 20, "y": centre[1] - 2, "width": 40, "height": 4})
        dark, bright = _ends(shot)
        assert [dark, bright] == pytest.approx([2 * (100 - 127.5) + 127.5, 2 * (150 - 127.5) + 127.5], abs=2)
        page.keyboard.press("i")
        dark, bright = _ends(page.screenshot(clip={"x": centre[0] - 20, "y": centre[1] - 2, "width": 40, "height": 4}))
        assert [dark, bright] == pytest.approx([255 - 72.5, 255 - 172.5], abs=2)
        page.click("[data-do=together]")
        assert page.evaluate(style)[1][1] != ""
        page.click("[data-do=stack]")
        expect(page.locator(".pane:visible")).to_have_count(1)
        page.mouse.wheel(0, 0)
        page.focus(".place")
        page.keyboard.press("ArrowRight")
        expect(page.locator(".where")).to_have_text("2 of 2")


def _ends(shot):
    """The grey values at the left and the right end of a screenshot."""
    import cv2

    pixels = cv2.imdecode(np.frombuffer(shot, np.uint8), cv2.IMREAD_GRAYSCALE).astype(float)
    return pixels[:, 0].mean(), pixels[:, -1].mean()


def test_hostile_responses_are_inert_and_stay_in_their_box(room):
    """Markup is shown as text, nothing runs, nothing is fetched, and 200,000 characters scroll inside."""
    with room("rationale", response=HOSTILE + "so\u202elong⟨U+202E⟩" * 13_000 + "end") as one:
        page = one.open()
        box = page.locator(".text.marked")
        assert box.text_content().startswith(HOSTILE[:40])
        assert "⟨U+202E⟩turned⟨U+202C⟩ ⟨U+0000⟩" in box.text_content()
        page.evaluate(SELECT, ["turned", "end"])
        page.keyboard.press("1")
        expect(page.locator(".made li")).to_have_count(1)
        assert page.evaluate("window.hurt") is None
        assert page.locator("iframe, main form[action*=evil], main style, main script").count() == 0
        inner, outer = box.evaluate("(each) => [each.scrollHeight, each.clientHeight]")
        assert inner > 10 * outer
        page.click("#save")
        saved(page, 1)
        ((mark,),) = [vote["patterns"] for vote in one.votes("rationale")]
        assert (mark["start"], mark["end"]) == (HOSTILE.index("turned"), len(HOSTILE) + 15 * 13_000 + 3)


def test_everybody_can_use_every_task(room):
    """No rule of WCAG 2.1 AA that can be checked is broken, in light and dark; at 320 pixels nothing sticks out."""
    with room(*TASKS, count=1, images=2) as one:
        page = one.open(width=1180, height=820)
        seen = set()
        for done in range(1, len(TASKS) + 1):
            page.emulate_media(color_scheme=("light", "dark")[done % 2])
            task = page.get_attribute("#vote", "data-task")
            seen.add(task)
            if task == "rationale":
                page.evaluate(SELECT, ["nodule", "smooth"])
                page.keyboard.press("3")
                page.evaluate(SELECT, ["left", "benign"])
                page.keyboard.press("4")
            else:
                page.keyboard.press("Enter")
            page.evaluate(AXE)
            assert page.evaluate(WRONG) == []
            page.click("#theme")
            assert page.evaluate(WRONG) == []
            page.click("#theme")
            page.set_viewport_size({"width": 320, "height": 640})
            assert page.evaluate(TOO_WIDE) == []
            page.set_viewport_size({"width": 1180, "height": 820})
            page.click("#skip")
            if done < len(TASKS):
                saved(page, done)
        assert seen == set(TASKS)
        expect(page.locator("h1")).to_contain_text("Thank you")
        assert page.evaluate(WRONG) == []


def test_plain_forms_work_without_script(room):
    """A vote, a skip and an undoing by forms alone; marks without words."""
    with room("rationale") as one:
        page = one.open(java_script_enabled=False)
        page.check("input[value='uninformative steps']")
        page.fill("textarea", "why <not>")
        with page.expect_request("**/vote") as sent:
            page.click("#save")
        # Without TLS, on another computer's address, nothing else tells that the form is of this site.
        assert sent.value.all_headers()["origin"] == page.url.rstrip("/")
        page.click("#skip")
        assert one.votes("rationale") == [{"patterns": [{"tag": "uninformative steps"}], "note": "why <not>"}, None]
        page.click("#take-back")
        page.check("input[value='none of these']")
        page.click("#save")
        assert one.votes("rationale")[-1] == {"patterns": []}


def test_a_link_in_a_mail_leads_to_the_case(room):
    """Whoever follows a link on a page of another site, such as a mail in a browser, sees the first case."""
    with room("verdict") as one:
        context = one.chromium.new_context()
        one.contexts.append(context)
        page = context.new_page()
        mail = f"<a href='{one.url}/enter/{one.ballots.invite('One')}'>Your cases</a>"
        page.route("http://mail.example/*", lambda route: route.fulfill(body=mail, content_type="text/html"))
        page.goto("http://mail.example/1")
        page.click("a")
        expect(page.locator("h1")).to_have_text("Is the response correct?")


def test_revoked_link_is_refused_at_once(room):
    """In the middle of a case: the vote is not kept, the page says why, and nothing more is shown."""
    with room("verdict") as one:
        page = one.open()
        page.keyboard.press("1")
        one.ballots.revoke("One")
        page.keyboard.press("Enter")
        expect(page.locator("#problem")).to_contain_text("This link is not valid")
        page.reload()
        expect(page.locator("h1")).to_have_text("This page cannot be opened")
        page.evaluate(AXE)
        assert page.evaluate(WRONG) == []
        assert one.votes("verdict") == []
        one.complaints[:] = [each for each in one.complaints if "403" not in each]


FINDINGS = 10
ONE, OTHER = {0, 1, 2, 3, 7, 8}, {0, 1, 2, 3, 9}
"""What the first and the second rater call correct: they agree on seven of ten, and on five would by chance."""
KAPPA = (0.7 - (0.6 * 0.5 + 0.4 * 0.5)) / (1 - 0.5)


@pytest.fixture
def out(tmp_path):
    """A study of answers in words."""
    items = [
        Item(
            f"o{n}",
            f"Finding {n}?",
            answer="effusion",
            kind="open",
            images=(Image(np.full((16, 16), 9 * n, np.uint8)),),
        )
        for n in range(FINDINGS)
    ]
    study = Study(
        models=[FakeModel(lambda request: "Answer: effusion", name="maker/some-model")],
        benchmarks=[Benchmark("films", items)], tests=["open-answers"], out=tmp_path / "out",
    )  # fmt: skip
    with ThreadPoolExecutor(1) as apart:  # the browser's driver keeps this thread's event loop
        apart.submit(study.ask, lambda progress: None).result()
    return study.out


@contextmanager
def reviewing(out, *options, port=0):
    """The command that serves a review, its address, and the links that it printed."""
    command = [sys.executable, "-m", "snellen", "review", str(out), "--port", str(port), *options]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        links = {}
        for line in process.stdout:
            if found := re.fullmatch(r"(\w+): (http://\S+/enter/\S+)\n", line):
                links[found[1]] = found[2]
            if found := re.match(r"Raters are served at (http://\S+)", line):
                break
        yield process, found[1], links
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def vote(page, right):
    """Judge the case that is shown, by the number of its finding."""
    number = int(re.search(r"\d+", page.text_content(".question"))[0])
    page.keyboard.press("1" if number in right else "2")
    page.keyboard.press("Enter")
    return number


def test_from_two_raters_who_disagree_to_the_report(chromium, out):
    """A server killed between two votes loses none; a third settles; κ in the report is the one computed by hand."""
    people = ("--task", "verdict", "--rater", "anna", "--rater", "bert", "--settler", "carla")
    run = CliRunner().invoke
    pages = {}
    with reviewing(out, *people) as (process, url, links):
        for name, link in links.items():
            pages[name] = chromium.new_context(viewport={"width": 1180, "height": 820}).new_page()
            pages[name].goto(link)
        anna, bert, carla = pages.values()
        expect(carla.locator("h1")).to_contain_text("Nothing is left")
        seen = anna.get_attribute("#vote", "data-case")
        assert bert.request.get(f"{url}/case/{seen}").status == 404
        assert bert.request.get(f"{url}/image/{seen}/0").status == 404
        assert anna.request.get(f"{url}/image/{seen}/0").status == 200
        for done in range(1, 5):
            vote(anna, ONE)
            saved(anna, done)
        process.kill()
        process.wait()
        vote(anna, ONE)
        expect(anna.locator("#problem")).to_contain_text("Not saved yet")
    with reviewing(out, port=urlsplit(url).port) as (_, url, again):
        assert again == {}
        anna.keyboard.press("Enter")
        saved(anna, 5)
        for done in range(6, FINDINGS + 1):
            vote(anna, ONE)
            expect(anna.locator("#done")).to_contain_text(f"{done} of")
        for done in range(1, FINDINGS + 1):
            vote(bert, OTHER)
            expect(bert.locator("#done")).to_contain_text(f"{done} of")
        assert run(cli, ["review", "revoke", str(out), "bert"]).exit_code == 0
        bert.reload()
        expect(bert.locator("h1")).to_have_text("This page cannot be opened")
        carla.reload()
        settled = set()
        for done in range(1, 4):
            settled.add(vote(carla, ONE | OTHER))
            expect(carla.locator("#done")).to_contain_text(f"{done} of")
        assert settled == ONE ^ OTHER
        expect(carla.locator("h1")).to_contain_text("Nothing is left")
        assert all("some-model" not in page.content() for page in pages.values())
    for page in pages.values():
        page.context.close()
    said = run(cli, ["review", "results", str(out)])
    assert said.exit_code == 0, said.output
    with Store.open(out) as store:
        (record,) = store.labels.reviews(store.studies.record()["name"]).values()
    kappa = next(each for each in record["agreement"] if each["statistic"] == "Cohen's κ")
    assert (kappa["value"], kappa["n"]) == (pytest.approx(KAPPA), FINDINGS)
    assert (record["agreed"], record["settled"], record["open"]) == (7, 3, 0)
    report = next(out.rglob("report.html")).read_text(encoding="utf-8")
    assert re.search(rf"Cohen's κ[^§]{{0,200}}?{KAPPA:.2f}", re.sub(r"<[^>]+>|\s+", " ", report).replace("&#39;", "'"))
    assert not re.search("anna|bert|carla", report)
