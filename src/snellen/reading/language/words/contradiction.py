"""Words by which a response says that an image and the words with it do not belong together, in six languages.

Each line is a piece of a regular expression, for text in small letters without accents. Latin pieces begin and end at
words; Chinese ones stand anywhere.
"""

from __future__ import annotations

from snellen.lexicon import read_lexicon

_WORDS = read_lexicon("contradiction")

IMAGE = _WORDS.lines("image")
SENT = _WORDS.lines("sent")
SOUND = _WORDS.lines("sound")
FINDINGS = _WORDS.lines("findings")
TELLING = _WORDS.lines("telling")
PERSON = _WORDS.lines("person")
NOT = _WORDS.lines("not")
NOTHING = _WORDS.lines("nothing")
STRANGE = _WORDS.lines("strange")
NOT_AFTER = _WORDS.lines("not after")
FITS = _WORDS.lines("fits")
MISFIT = _WORDS.lines("misfit")
MISMATCH = _WORDS.lines("mismatch")
WRONG_IMAGE = _WORDS.lines("wrong image")
OTHER_PART = _WORDS.lines("other part")
UNRELATED = _WORDS.lines("unrelated")
COMPLAINS = _WORDS.lines("complains")
BUT = _WORDS.lines("but")
RATHER = _WORDS.lines("rather")
SHOWS = _WORDS.lines("shows")
TOGETHER = _WORDS.lines("together")
NOT_BY = _WORDS.lines("not by")
OF_DISEASE = _WORDS.lines("of disease")
REQUESTED = _WORDS.lines("requested")
UNSHOWN = _WORDS.lines("unshown")
UNSENT = _WORDS.lines("unsent")
SAME = _WORDS.lines("same")
SUPPOSES = _WORDS.lines("supposes")
NAMES = _WORDS.lines("names")
LIMBS = _WORDS.table("limbs")
ARM, LEG = ("shoulder", "elbow", "hand"), ("hip", "knee", "foot")
