"""Contradictions: what two responses say they see that cannot both be true of one image.

Only rules that can be precise are here: a pair is named when each reply says one thing throughout and the two differ.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from snellen.grading.claims.parser import says_absent
from snellen.grading.language.passages import plain

Said = Iterator[tuple[str, frozenset[str]]]
"""Of what something is said, and what."""


class _Statement(NamedTuple):
    """All that a response says of one thing, and the claim in which it says so first."""

    values: frozenset[str]
    claim: int


_FINDINGS = {
    "pneumothorax": r"pneumothorax|pneumotorace|neumotórax|气胸",
    "effusion": r"pleural effusion|versamento pleurico|derrame pleural|épanchement pleural|pleuraerguss|胸腔积液",
    "fracture": r"fractur\w+|frattur[ae]|fraktur|骨折",
    "haematoma": r"ha?ematoma|ematoma|hématome|hämatom|血肿",
    "haemorrhage": r"intraparenchymal ha?emorrhage|emorragia (?:intra)?parenchimale",
    "consolidation": r"consolidation|consolidamento|addensamento|实变",
    "dislocation": r"dislocation|lussazione",
    "cardiomegaly": r"cardiomegal\w+",
}
_SIDES = {"left": r"\bleft\b|\bsinistr[aoei]\b|左", "right": r"\bright\b|\bdestr[aoei]\b|右"}
_NOT_A_SIDE = re.compile(
    r"(?:(?:to|toward|towards|verso)(?: the| il lato| la)? |)(?:left|right|destr[aoei]|sinistr[aoei])(?: side|"
    r" half)? "
    r"(?:of|dell)\W{0,2}(?:the )?(?:image|immagine)|(?:lato|side|parte) (?:destr[ao]|sinistr[ao]) dell'immagine|"
    r"\b(?:to|towards?|verso) (?:the |il lato )?(?:left|right|destra|sinistra|destro|sinistro)\b|"
    r"\bleft anterior descending|discendente anteriore sinistra|"
    r"\b(?:left|right) (?:ventric|atri|bundle|heart|coronary|main|axis|dominan)\w*|"
    r"\b(?:ventricol\w+|atri\w*|coronaria|branca|cuore|strain|emiblocco) (?:destr|sinistr)\w+"
)
_NONE_OF = (
    r"(?:^|[^\w])(?:no|nessun[oa]?|assenza di|absence of|non (?:ci sono|vi (?:è|sono)|c'è|sono presenti|è presente|"
    r"si \w+)|未见|无)"
    r"[ ']{0,2}(?:(?:evidence of|evidenze? di|signs? of|segni (?:evidenti )?di|any|un[oa]?|visible|"
    r"evident[ei]?)[ ']){0,3}"
)
_PLACE_FOLLOWS = r"(?![^,.;]{0,40}\b(?:in|on|at|of the|nell\w*|nel|a|del\w*|sul\w*|significant\w*)\b)"
_OPTION = re.compile(r"\W{0,4}[a-h][):]")
_UNSURE = re.compile(
    r"possib|suspect|sospett|rather than|piuttosto|exclud|esclud|rul(?:es?|ing) out|\bvs\b|\bor\b|\bo\b"
)

_ELEVATION = re.compile(
    r"(?:st[- ]?(?:segment)? ?elevat\w+|elevat\w+ (?:of|in) (?:the )?st|sopraslivell\w+(?: (?:del|dello) (?:tratto|"
    r"segmento))?(?: st)?|"
    r"st sopraslivellat\w+|elevazion\w+ (?:del )?(?:tratto )?st|st-elevazione)"
    r"((?:(?!reciproc|depress|sottosl|\bma\b|\bbut\b|\bnon\b|\bno\b|\bwithout\b|\bsenza\b|\bq\b)[^.;]){0,110})"
)
_LEADS = re.compile(r"\bv([1-6])(?: ?[-–‑] ?v?([1-6]))?\b|\b(iii|ii|avf|avl)\b|\b(inferior|precordial)\w*")
_PLANES = {
    "sagittal": r"\bsagittal\w*|矢状",
    "axial": r"\b(?:axial\w*|assial[ei]|transverse)\b|轴位",
    "coronal": r"\bcoronal\w*|冠状",
}
_WEIGHTED = re.compile(r"\b(?:immagine|image|figura|figure) ([ab])\b")
_SHAPES = {
    "lens": r"biconvex|biconvess|lenticol|lenticular|lentiform|lens-shaped",
    "crescent": r"crescent|semiluna|\bfalc|mezzaluna",
}
_RHYTHMS = {
    "irregular": r"irregolarmente irregolar|irregularly irregular|ritmo (?:\w+ )?irregolare|irregular rhythm",
    "regular": r"\bregular rhythm|rhythm is regular|ritmo (?:sinusale )?(?:è )?regolare",
}
_COUNTED = re.compile(
    r"\b(two|three|four|five|six|due|tre|quattro|cinque|sei|\d{1,2})\s(?:\w+\s){0,2}?(nodul|electrode|elettrod|cyst|"
    r"cisti|calcul|stone)"
)
_NUMBERS = {"due": "two", "tre": "three", "quattro": "four", "cinque": "five", "sei": "six"}


def contradictions(first: Sequence[str], second: Sequence[str]) -> list[tuple[int, int, str]]:
    """Pairs of claims, one of each response, that cannot both be true of one image, with the name of the rule.

    >>> contradictions(["The X-ray shows a left pneumothorax."], ["There is a right pneumothorax."])
    [(0, 0, 'side')]
    >>> contradictions(["A left pneumothorax is seen."], ["The left lung is clear."])
    []
    """
    here, there = _statements(first), _statements(second)
    return sorted(
        (here[at].claim, there[at].claim, at[0])
        for at in here.keys() & there.keys()
        if _opposed(at[0], here[at].values, there[at].values)
    )


def _opposed(rule: str, one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two responses differ: in no lead do they agree, or each says one thing and not the other."""
    if rule == "leads":
        return one.isdisjoint(other)
    return len(one) == len(other) == 1 and one != other


def _statements(claims: Sequence[str]) -> dict[tuple[str, str], _Statement]:
    """What the claims of one response say, by rule and by what they say it of."""
    said: dict[tuple[str, str], _Statement] = {}
    for number, claim in enumerate(claims):
        for at, values in _read(claim):
            known = said.get(at, _Statement(frozenset(), number))
            said[at] = _Statement(known.values | values, known.claim)
    return said


@lru_cache(maxsize=8192)
def _read(claim: str) -> tuple[tuple[tuple[str, str], frozenset[str]], ...]:
    """All that one claim says, by rule; a claim is held against those of every arm, and read once."""
    low = plain(claim)
    if _ANYTHING.search(low) is None:
        return ()
    return tuple(((rule, thing), values) for rule, read in _RULES.items() for thing, values in read(low))


def _named(low: str, names: dict[str, str]) -> frozenset[str]:
    return frozenset(name for name, pattern in names.items() if re.search(pattern, low))


def _sides(low: str) -> Said:
    """On which side a finding is."""
    if says_absent(low) or _UNSURE.search(low) or _OPTION.match(low):
        return
    sides = _named(_NOT_A_SIDE.sub(" ", low), _SIDES)
    for finding in _named(low, _FINDINGS) if sides else ():
        yield finding, sides


def _presence(low: str) -> Said:
    """Whether a finding is there at all; absence counts only where no place narrows it."""
    if says_absent(low):
        for finding, pattern in _FINDINGS.items():
            if re.search(rf"{_NONE_OF}(?:{pattern}){_PLACE_FOLLOWS}", low):
                yield finding, frozenset({"absent"})
    elif not _UNSURE.search(low) and " no" not in low and "senza" not in low and "without" not in low:
        for finding in _named(low, _FINDINGS):
            yield finding, frozenset({"present"})


def _leads(low: str) -> Said:
    """In which leads the ST segment is elevated."""
    if says_absent(low):
        return
    for elevation in _ELEVATION.finditer(low):
        leads = frozenset(lead for found in _LEADS.finditer(elevation.group(1)) for lead in _leads_of(found))
        if leads:
            yield "st-elevation", leads


def _leads_of(found: re.Match[str]) -> Iterator[str]:
    start, end, limb, region = found.groups()
    if start:
        yield from (f"v{number}" for number in range(int(start), int(end or start) + 1))
    elif limb:
        yield limb
    else:
        yield from ("ii", "iii", "avf") if region == "inferior" else ("v1", "v2", "v3", "v4", "v5", "v6")


def _one_of(thing: str, names: dict[str, str]) -> Callable[[str], Said]:
    """A rule by which a positive claim that names exactly one of the names says it of the image."""

    def read(low: str) -> Said:
        named = _named(low, names)
        if len(named) == 1 and not says_absent(low) and not _UNSURE.search(low):
            yield thing, named

    return read


def _weighting(low: str) -> Said:
    """Which weighting a lettered image has."""
    letters = set(_WEIGHTED.findall(low))
    weightings = frozenset(re.findall(r"\bt[12]\b", low))
    if len(letters) == len(weightings) == 1 and not says_absent(low):
        yield letters.pop(), weightings


def _counts(low: str) -> Said:
    """How many of something there are."""
    if not says_absent(low):
        for number, thing in _COUNTED.findall(low):
            yield thing, frozenset({_NUMBERS.get(number, number)})


_RULES: dict[str, Callable[[str], Said]] = {
    "side": _sides,
    "presence": _presence,
    "leads": _leads,
    "plane": _one_of("plane", _PLANES),
    "weighting": _weighting,
    "shape": _one_of("shape", _SHAPES),
    "rhythm": _one_of("rhythm", _RHYTHMS),
    "count": _counts,
}
_ANYTHING = re.compile(
    "|".join([*_FINDINGS.values(), *_PLANES.values(), *_SHAPES.values(), *_RHYTHMS.values()])
    + r"|\bst\b|\bst-|elevat|sopraslivell|\bt[12]\b|nodul|electrode|elettrod|cyst|cisti|calcul|stone"
)
"""A claim without any of this says nothing that a rule here knows."""
