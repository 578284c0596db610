"""The law of quoted prompts: what the report quotes is what a stored request contains."""

import re
import sqlite3
from dataclasses import replace
from html import unescape
from string import Formatter

import pytest

from snellen.conditions import NO_IMAGE, ORIGINAL
from snellen.items import Benchmark, Item, Option
from snellen.models.fake import FakeModel
from snellen.papers.mirage.tests.rate import SCAFFOLDS
from snellen.prompts import NAMED, PROMPTS, TOLD_TO_GUESS, Arm, own_prompt, with_system
from snellen.report.drawing import draw
from snellen.report.evidence.evidence import Evidence
from snellen.report.sections.provenance import draw_provenance
from snellen.scoring.results import score
from snellen.store import Store
from snellen.stress.base import Expectation, StressTest
from snellen.study import Study

OWN = own_prompt({"name": "mine", "user": "{question}\n{options}\n{answer_format}", "system": "You are careful."})
UNDER = replace(with_system(PROMPTS["readiness"], "You are brief."), name="under")
ITEMS = {
    "choice": [
        Item(f"c{number}", f"What is it ({number})?", options=(Option("effusion"), Option("nodule")), answer=0, **more)
        for number, more in enumerate(({}, {"language": "it"}, {"metadata": {"task": "note"}}))
    ],
    "open": [
        *(Item(f"{code}/{task}", f"What is it ({code}, {task})?", kind="open", answer="effusion", language=code,
               metadata={"task": task} if task else {})
          for code in ("en", "it") for task in ("", "diagnosis")),
    ],
    "report": [Item("r", "Write the report.", kind="report", context="Cough.", answer="FINDINGS: Clear lungs.")],
}  # fmt: skip
OWN_WORDS = {"note": {"user": "Note. {question}\n{options}", "system": "You read notes."}}


def prompts_of(kind):
    """Every prompt that can word items of a kind."""
    every = {each.name: each for each in (*PROMPTS.values(), *SCAFFOLDS.values(), OWN, UNDER)}
    return [each for each in every.values() if kind != "choice" or (each.shows_options or each.in_words)]


def asked(folder, kind):
    """A study that asks items of a kind by every prompt, and by one that is reworded."""
    first, *others = (Arm(ORIGINAL, prompt) for prompt in prompts_of(kind))
    reworded = [Arm(ORIGINAL, rewording=each) for each in (TOLD_TO_GUESS, NAMED)] if kind == "choice" else []
    test = StressTest("all", "Is it?", (*others, *reworded), Expectation.UNKNOWN, baseline=first, item_kind=kind)
    benchmark = Benchmark("bench", tuple(ITEMS[kind]), about={"prompts": OWN_WORDS} if kind == "choice" else {})
    model = FakeModel(lambda request: "Answer: A")
    Study(models=[model], benchmarks=[benchmark], tests=[test], out=folder).ask(lambda progress: None)
    return test


def draw_prompts(store, test):
    """The section of the page that quotes prompts."""
    return draw([draw_provenance(Evidence(score(store, tests=[test]), store), store)])


def quoted_in(page):
    """Per condition, the texts that the page quotes as its prompt."""
    part = page.partition('id="provenance"')[2].partition("</section>")[0]
    return [
        list(map(unescape, re.findall(r'<pre dir="auto">(.*?)</pre>', each, re.DOTALL)))
        for each in part.split('<p class="quiet">Condition <code>')[1:]
    ]


def contains(request, quoted):
    """Whether a stored request has the quoted words: as its system prompt, or around its question."""
    parts = ((re.escape(words), ".*" if place else "") for words, place, *_ in Formatter().parse(quoted))
    system, text = request
    return quoted == system or re.fullmatch("".join(map("".join, parts)), text, re.DOTALL) is not None


def stored_requests(store):
    """The requests of each condition, as they were stored."""
    found = {}
    for name, system, text in store.connections.main.execute(
        "SELECT a.name, coalesce(v.system, ''), v.text FROM variants v JOIN arms a ON a.id = v.arm ORDER BY a.id"
    ):
        found.setdefault(name, []).append((system, text))
    return found


@pytest.mark.parametrize("kind", ITEMS)
def test_the_report_quotes_what_was_sent(tmp_path, kind):
    """Under every prompt, for every kind, task and language: all that is quoted was sent, and each system is quoted."""
    test = asked(tmp_path, kind)
    with Store.open(tmp_path) as store:
        page = draw_prompts(store, test)
        sent = stored_requests(store)
    quoted = quoted_in(page)
    assert len(sent) == len(test.all_arms)
    for (arm, requests), texts in zip(sent.items(), quoted, strict=True):
        assert texts, arm
        assert [each for each in texts if not any(contains(request, each) for request in requests)] == [], arm
        assert {system for system, _ in requests if system} <= set(texts), arm


def test_a_store_that_names_a_system_prompt_nobody_received(tmp_path):
    """Version 0.2.0 recorded the system prompts of open questions and did not send them: they are not quoted."""
    test = asked(tmp_path, "open")
    with sqlite3.connect(tmp_path / "responses.sqlite") as old:
        old.execute("UPDATE variants SET system = NULL")
    old.close()
    with Store.open(tmp_path) as store:
        page = draw_prompts(store, test)
    assert not [text for texts in quoted_in(page) for text in texts if "You are an expert" in text]


@pytest.mark.parametrize("name", [name for name, prompt in SCAFFOLDS.items() if prompt.system])
def test_every_scaffold_reaches_the_model(name):
    """A question about an image that was never sent comes with the words of its scaffold, the benchmark named."""
    item = Item("1", "What does this scan show?", kind="open", answer="none")
    prompt = SCAFFOLDS[name]
    system, text = Arm(NO_IMAGE, prompt).asked_by(PROMPTS["mirage"], "mirage-questions").render(item)
    assert system == prompt.naming(prompt.dataset).system != ""
    assert text == item.question


def test_a_rewording_reaches_the_tasks_that_a_benchmark_words_itself():
    """What an arm adds to the system prompt is sent with the benchmark's own words too."""
    note = ITEMS["choice"][2]
    told = Arm(ORIGINAL, rewording=TOLD_TO_GUESS).asked_by(PROMPTS["letter"], "bench", OWN_WORDS).render(note)
    named = Arm(ORIGINAL, rewording=NAMED).asked_by(PROMPTS["mirage"], "bench", OWN_WORDS).render(note)
    assert told.system.startswith("You read notes. However, the image has been removed for this question.")
    assert named.system == "You read notes. The question is from the bench dataset."
