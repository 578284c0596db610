"""Words by which a response says that what a question takes for granted is not so, in six languages.

They are pieces of patterns over a text in small letters without accents, in which French "n'est" is "ne est".
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("premises")

CONCEPTS = _WORDS.table("concepts")
WITHIN = _WORDS.table("within")
CONTRARY = _WORDS.table("contrary")
ALL_NORMAL = _WORDS.lines("all normal")
OTHERWISE = _WORDS.text("otherwise")
PREMISE = _WORDS.lines("premise")
NOT_SO = _WORDS.text("not so")
NONE = _WORDS.text("none")
NOTHING_AT_ALL = _WORDS.text("nothing at all")
HEADING = _WORDS.text("heading")
NO = _WORDS.text("no")
NOT = _WORDS.text("not")
SEES = _WORDS.text("sees")
ABLE = _WORDS.text("able")
DEGREE = _WORDS.text("degree")
CHANGE = _WORDS.text("change")
ANOTHER = _WORDS.text("another")
PRESENT = _WORDS.text("present")
GONE = _WORDS.text("gone")
BEFORE = _WORDS.text("before")
UNTOLD = _WORDS.text("untold")
UNMEASURED = _WORDS.text("unmeasured")
SUPPOSED = _WORDS.text("supposed")
GENERAL = _WORDS.text("general")
POINTS = _WORDS.text("points")
DETERMINED = _WORDS.text("determined")
SIDES = _WORDS.table("sides")
BOTH_SIDES = _WORDS.text("both sides")
NUMBERS = {int(number): words for number, words in _WORDS.table("numbers").items()}
COUNTED = _WORDS.text("counted")
COUNTS = _WORDS.text("counts")
ASKS = _WORDS.table("asks")
ANSWERS = _WORDS.table("answers")
DEPENDS = _WORDS.text("depends")
ASKS_BACK = _WORDS.text("asks back")
DESCRIBES = _WORDS.text("describes")
TOO_POOR = _WORDS.text("too poor")
DEFINES = _WORDS.text("defines")
