"""Words of details that identify a person or a thing: titles, names, months, places, labels.

`lexicon/details.tsv` describes each list next to its words.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from snellen.lexicon import read_lexicon
from snellen.runtime import regex

_WORDS = read_lexicon("details")
DATES, ADDRESSES, HOSPITALS = (tuple(map(regex, _WORDS.read_lines(of))) for of in ("dates", "addresses", "hospitals"))
_ALSO = {"date": DATES, "place": ADDRESSES}
DETAILS: Mapping[str, tuple[re.Pattern[str], ...]] = {
    kind: (*_ALSO.get(kind, ()), *(regex(row.forms) for row in _WORDS.find_rows("details") if row.name == kind))
    for kind in _WORDS.read_table("details")
}
ASKED_FOR: Mapping[str, tuple[re.Pattern[str], re.Pattern[str]]] = {
    kind: (regex(question), regex(_WORDS.read_table("given for")[kind]))
    for kind, question in _WORDS.read_table("asked for").items()
}
NO_NAMES, NO_HOSPITALS = _WORDS.read_words("no names"), _WORDS.read_words("no hospitals")
UNTOLD, CLAUSES, TITLES = (regex(_WORDS.read_text(of)) for of in ("untold", "clauses", "titles"))
