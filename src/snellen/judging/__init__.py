"""Judging: another model reads the rationales of one question side by side, and says what rules cannot know.

What it says is its opinion, shown as such. It never learns the right answer: whether a response was right is known
without it, and joined to its opinion afterwards.
"""

from __future__ import annotations

from snellen.judging.opinions import Opinions, columns, opinions
from snellen.judging.single import Said, said
from snellen.judging.source import JudgeSource
from snellen.stress.taxonomy import DESCRIBES

__all__ = ["DESCRIBES", "JudgeSource", "Opinions", "Said", "columns", "opinions", "said"]
