"""Words of radiology reports: findings, anatomy, and the words around them.

`lexicon/reports.tsv` describes each list next to its words.
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("reports")

WHOLE = "abnormality"
"""The finding that a normal image lacks; all other findings are kinds of it."""

FINDINGS = _WORDS.read_table("findings")
ABOVE = _WORDS.read_table("above")
DIFFUSE = _WORDS.read_words("diffuse")
ABSENT_AS = {"costophrenic blunting": "pleural effusion"}
"""Signs whose absence implies that the related finding is absent."""

ELSEWHERE = tuple(
    (here, _WORDS.read_table("not elsewhere")[place], dict(pair.split(">") for pair in renamed))
    for (place, here), renamed in zip(
        _WORDS.read_table("elsewhere").items(), _WORDS.split_forms("renamed").values(), strict=True
    )
)
"""Reports on the brain or the eye: words that they contain, words that they lack, and findings to rename there."""

UNSIDED = frozenset(_WORDS.read_lines("unsided"))
STRUCTURES = _WORDS.read_table("structures")
SOUND = _WORDS.read_table("sound")
WELL = _WORDS.read_table("well")
ILL = _WORDS.read_table("ill")
BECOMES = {tuple(both.split("|")): finding for both, finding in _WORDS.read_table("becomes").items()}
ANYTHING = _WORDS.read_text("anything")
ABNORMAL = _WORDS.read_text("abnormal")
DO = _WORDS.read_table("do")
BREAKS = _WORDS.read_words("breaks")
SIDES = {word: tuple(sides.split("|")) for sides, words in _WORDS.read_table("sides").items() for word in words.split()}
SEVERITIES = {word: degree for degree, words in _WORDS.read_table("severities").items() for word in words.split()}
EMPTY = _WORDS.read_words("empty")
DENYING_HEADING = _WORDS.read_text("denying heading")
SHORTHAND = _WORDS.compile_rules("shorthand")
HEADINGS = _WORDS.read_table("headings")
