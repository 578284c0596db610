"""All labelled rows as arrays to train on, where torch is at hand and the package need not be.

    python research/acts/arrays.py OUT.npz MINILM_FOLDER

Besides the rows: sentences with other fillers, sentences joined to responses, whole responses joined to long ones (all
with labels that follow from those of their parts), and pieces of responses mixed, whose labels only the teacher tells.
MINILM_FOLDER has the sentence embeddings that the teacher starts from: `model.safetensors` and `tokenizer.json`.
"""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from labelled_rows import ACTS as LABELLED
from labelled_rows import KEPT_APART, RESEARCH, TESTS, Row, admissions, all_rows, know, read_lines, training_rows
from written import APART, HERE, fill, is_apart, replies_rows, written_rows

from snellen.reading.acts import ACTS, PARTS, Case, hash_parts, make_words, read_rules

SEED = 7
JOINED, LONG, MIXED = 14_000, 8_000, 22_000
SPLIT = re.compile(r"(?<=[.!?])(?=\s)|\n+|(?<=[。！？])")
ABOUT_FACTS = ("corrects_premise", "names_contradiction")
PLAIN, BY_PARTS, BY_TEACHER = range(3)
"""How a row is labelled: as it stands, by its parts, by the teacher alone."""
