"""Words about a premise and its denial, in six languages.

They are pieces of patterns for lower-case text without accents, in which French "n'est" is "ne est".
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("premises")

CONCEPTS = _WORDS.read_table("concepts")
WITHIN = _WORDS.read_table("within")
CONTRARY = _WORDS.read_table("contrary")
ALL_NORMAL = _WORDS.read_lines("all normal")
OTHERWISE = _WORDS.read_text("otherwise")
PREMISE = _WORDS.read_lines("premise")
NOT_SO = _WORDS.read_text("not so")
NONE = _WORDS.read_text("none")
NOTHING_AT_ALL = _WORDS.read_text("nothing at all")
HEADING = _WORDS.read_text("heading")
NO = _WORDS.read_text("no")
NOT = _WORDS.read_text("not")
SEES = _WORDS.read_text("sees")
ABLE = _WORDS.read_text("able")
DEGREE = _WORDS.read_text("degree")
CHANGE = _WORDS.read_text("change")
ANOTHER = _WORDS.read_text("another")
PRESENT = _WORDS.read_text("present")
GONE = _WORDS.read_text("gone")
BEFORE = _WORDS.read_text("before")
UNTOLD = _WORDS.read_text("untold")
UNMEASURED = _WORDS.read_text("unmeasured")
SUPPOSED = _WORDS.read_text("supposed")
GENERAL = _WORDS.read_text("general")
POINTS = _WORDS.read_text("points")
DETERMINED = _WORDS.read_text("determined")
SIDES = _WORDS.read_table("sides")
BOTH_SIDES = _WORDS.read_text("both sides")
NUMBERS = {int(number): words for number, words in _WORDS.read_table("numbers").items()}
COUNTED = _WORDS.read_text("counted")
COUNTS = _WORDS.read_text("counts")
ASKS = _WORDS.read_table("asks")
ANSWERS = _WORDS.read_table("answers")
DEPENDS = _WORDS.read_text("depends")
ASKS_BACK = _WORDS.read_text("asks back")
DESCRIBES = _WORDS.read_text("describes")
TOO_POOR = _WORDS.read_text("too poor")
DEFINES = _WORDS.read_text("defines")
