"""The words of radiology reports: findings and parts of the body by one name each, and what the words around them do.

What each list is stands beside its words, in `lexicon/reports.tsv`.
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("reports")

WHOLE = "abnormality"
"""The finding that a normal image lacks; every other finding is below it."""

FINDINGS = _WORDS.table("findings")
ABOVE = _WORDS.table("above")
DIFFUSE = _WORDS.words("diffuse")
ABSENT_AS = {"costophrenic blunting": "pleural effusion"}
"""Signs whose absence means that of the finding they are a sign of."""

ELSEWHERE = (
    (
        r"\b(?:brain|cerebral|intracranial|ventricles|hemispheres?|gray matter|white matter|midline shift|cortical|"
        r"(?:frontal|temporal|parietal|occipital) lobe)\b",
        r"\b(?:chest|lungs?|heart|cardiac|pleural?|pulmonary|thora\w+)\b",
        {"pulmonary edema": "brain edema"},
    ),
    (
        r"\b(?:fundus|retinal?|intraretinal|subretinal|macular?|fove\w+|optic|drusen|cotton[- ]wool)\b",
        r"\b(?:chest|lungs?|brain|cerebral|intracranial)\b",
        {"hemorrhage": "retinal hemorrhage", "pulmonary edema": "intraretinal cyst"},
    ),
)
"""Words of reports on the brain or the eye, words that those do not have, and what a bare name means there."""

UNSIDED = frozenset(_WORDS.lines("unsided"))
STRUCTURES = _WORDS.table("structures")
SOUND = _WORDS.table("sound")
WELL = _WORDS.table("well")
ILL = _WORDS.table("ill")
BECOMES = {tuple(both.split("|")): finding for both, finding in _WORDS.table("becomes").items()}
ANYTHING = _WORDS.text("anything")
ABNORMAL = _WORDS.text("abnormal")
DO = _WORDS.table("do")
BREAKS = _WORDS.words("breaks")
SIDES = {word: tuple(sides.split("|")) for sides, words in _WORDS.table("sides").items() for word in words.split()}
SEVERITIES = {word: degree for degree, words in _WORDS.table("severities").items() for word in words.split()}
EMPTY = _WORDS.words("empty")
DENYING_HEADING = _WORDS.text("denying heading")
SHORTHAND = _WORDS.rewriting("shorthand")
HEADINGS = _WORDS.table("headings")
