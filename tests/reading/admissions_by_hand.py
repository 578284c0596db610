"""Replies written for the tests of the missing-image parser, by label and language: many ways of saying one thing."""

from __future__ import annotations

from rows import read_table

QUESTIONS = read_table(__file__, "QUESTIONS")
"""A question for each language, since brief replies may belong to two."""

MISSING = read_table(__file__, "MISSING")
REFUSES = read_table(__file__, "REFUSES")
HEDGES = read_table(__file__, "HEDGES")
GENERIC = read_table(__file__, "GENERIC")
DESCRIBES = read_table(__file__, "DESCRIBES")
EMPTY = {"any": ["", "  \n\t", "...", "()", "N/A", "k. A.", "<|im_end|>", "</s>", "<answer></answer>", "Answer:"]}

PARAPHRASES = read_table(__file__, "PARAPHRASES")
"""More ways of saying it, a line each, to be read with the question of their language."""
