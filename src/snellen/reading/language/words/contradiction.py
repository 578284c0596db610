"""Words about an image that does not belong to its text, in six languages.

Each line is a piece of a regular expression for lower-case text without accents. Latin pieces match whole words;
Chinese ones match anywhere.
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("contradiction")

IMAGE = _WORDS.read_lines("image")
SENT = _WORDS.read_lines("sent")
SOUND = _WORDS.read_lines("sound")
FINDINGS = _WORDS.read_lines("findings")
TELLING = _WORDS.read_lines("telling")
PERSON = _WORDS.read_lines("person")
NOT = _WORDS.read_lines("not")
NOTHING = _WORDS.read_lines("nothing")
STRANGE = _WORDS.read_lines("strange")
NOT_AFTER = _WORDS.read_lines("not after")
FITS = _WORDS.read_lines("fits")
MISFIT = _WORDS.read_lines("misfit")
MISMATCH = _WORDS.read_lines("mismatch")
WRONG_IMAGE = _WORDS.read_lines("wrong image")
OTHER_PART = _WORDS.read_lines("other part")
UNRELATED = _WORDS.read_lines("unrelated")
COMPLAINS = _WORDS.read_lines("complains")
BUT = _WORDS.read_lines("but")
RATHER = _WORDS.read_lines("rather")
SHOWS = _WORDS.read_lines("shows")
TOGETHER = _WORDS.read_lines("together")
NOT_BY = _WORDS.read_lines("not by")
OF_DISEASE = _WORDS.read_lines("of disease")
REQUESTED = _WORDS.read_lines("requested")
UNSHOWN = _WORDS.read_lines("unshown")
UNSENT = _WORDS.read_lines("unsent")
SAME = _WORDS.read_lines("same")
SUPPOSES = _WORDS.read_lines("supposes")
NAMES = _WORDS.read_lines("names")
LIMBS = _WORDS.read_table("limbs")
ARM, LEG = ("shoulder", "elbow", "hand"), ("hip", "knee", "foot")
