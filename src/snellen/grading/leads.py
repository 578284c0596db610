"""Letters to which a reply leads in words that mean nothing else: "leaving C", "Result: B", "looks like D"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice

from snellen.grading.fragments import read_fragment
from snellen.grading.keywords import MOST
from snellen.grading.letters import LATIN
from snellen.grading.option_text import OptionWords
from snellen.grading.phrases import LEADING, one_of
from snellen.grading.statements import NEGATIVES, SUPPOSED, Statement, sentence_before

_LETTER = re.compile(
    rf"(?<![{LATIN}])[A-Z](?![{LATIN}'])"
    r"(?!\s(?!as\b|because|since|and|or|is\b|are\b|if|to me|over|here|rather|instead|due|given|but)[a-z])(?![ "
    r"-][A-Z])(?!-)"
)
_LEAD = re.compile(
    rf"(?<![{LATIN}'])(?:{one_of(LEADING)})(?![{LATIN}'])\s?(?:is|are|would be|è|es|est|ist|la)?\s?[:=]?\s?"
    rf"(?:only |with |us with |the |la |option |choice |answer |as |l'opzione |la risposta |l'option |"
    rf"la opción )?[(\[\"']?$"
)
_TEMPTED = re.compile(r"\b(?:tempting|wrong|easy|inclined|wanted|going|mistake) to\s$")
_REACH = 48


def led_to(text: str, low: str, words: OptionWords) -> Iterator[Statement]:
    """The letters that follow a leading word at once; never firm."""
    for letter in islice(_LETTER.finditer(text), 5 * MOST):
        begin = max(0, letter.start() - _REACH)
        lead = _LEAD.search(low[begin : letter.start()].rpartition("\n")[2])
        if lead is None:
            continue
        start = letter.start() - len(lead.group())
        before = sentence_before(low, start, 24)
        if before.rstrip().endswith(NEGATIVES) or SUPPOSED.search(before) or _TEMPTED.search(before):
            continue
        fragment = read_fragment(text[letter.start() : letter.start() + 60].split("\n", 1)[0], words)
        if fragment is None or not (fragment.choice is None or fragment.rule.startswith(("letter", "combined"))):
            continue
        rule = "answer-phrase" if fragment.choice is not None else fragment.rule
        yield Statement(start, letter.end(), fragment.choice, rule, firm=False)
