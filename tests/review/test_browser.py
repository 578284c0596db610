"""The page that clinicians work on, in a real browser: keys, marks, images, bad networks, everybody's eyes and hands."""

import base64
import re
from pathlib import Path
from urllib.parse import urlsplit

import axe_core_python
import numpy as np
import pytest
from playwright.sync_api import expect, sync_playwright

from browser import CHROMIUM, needs_chromium
from snellen.images import encode
from snellen.review.case import BlindCase, BlindImage, DrawnCase, Passage, Subject
from snellen.review.tasks import TASKS

pytestmark = needs_chromium

AXE = Path(axe_core_python.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
WRONG = """axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa']}).then((found) => found.violations.flatMap(
  (rule) => rule.nodes.map((node) => `${rule.id}: ${node.html.slice(0, 200)} ${node.any[0]?.message ?? ''}`)))"""
TOO_WIDE = """[...document.querySelectorAll('body *')].filter((each) => each.checkVisibility() && !each.closest('.spoken, .frame')
  && each.getBoundingClientRect().right > document.documentElement.clientWidth + 1).map((each) => each.outerHTML.slice(0, 120))"""
SELECT = """([needle, until]) => {
  const nodes = [], walker = document.createTreeWalker(document.querySelector('.text.marked'), NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const first = nodes.find((node) => node.data.includes(needle));
  const last = nodes.findLast((node) => node.data.includes(until));
  getSelection().setBaseAndExtent(first, first.data.indexOf(needle), last, last.data.indexOf(until) + until.length);
}"""
RESPONSE = (
    "A nodule 🫁 in the left upper lobe.\r\nIts margins are smooth\u202e, so it is benign\u202c.\n\nNo effusion, e\u0301tat stable "
    "\u200b\u200b👩\u200d⚕️ agrees. Answer: B"
)
HOSTILE = (
    "</div></main><script>window.hurt = 1</script><img src=x onerror='window.hurt = 2'><style>body{display:none}</style>"
    "<form action='https://evil.example/'><button id=save>x</button></form>{{ 7*7 }} &lt;b&gt; \u202eturned\u202c \x00 ' \" `\n"
)


def case(task, *, images=1, response=RESPONSE):
    """A case of a task that shows whatever the task can."""
    passages = {
        "profile": (),
        "reference": (),
        "verdict": (Passage("Reference answer", "A granuloma"), Passage("Response", response)),
    }
    shown = tuple(BlindImage(f"Image {place + 1}", 64, 48) for place in range(images))
    said = passages.get(task, (Passage("Response", response),))
    return BlindCase("", task, "What is it?", "Cough for three weeks.", ("A. Cancer", "B. Granuloma"), said, shown)
