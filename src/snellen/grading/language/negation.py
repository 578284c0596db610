"""Which label a sentence gives: what is named, what is denied, what is only compared or left open."""

from __future__ import annotations

import re
from typing import NamedTuple

from snellen.grading.language.acts.declining import REFUSES
from snellen.grading.language.detection_roles import pattern

_LABEL = re.compile("[01]")
_CLAUSE = re.compile("(?:[^;,]|,(?!H))+")
_SET_ASIDE = re.compile(
    # "normal or a tumour", '"normal" and "tumour"', "between normal and tumour": nothing is chosen
    r'0"?,?/"?[@w]?"?1|1"?,?/"?[@w]?"?0|"0",?&?"1|1"[,&]{1,2}"0|\|[^;]{0,4}?[01][^;]{0,4}?&[^;]{0,3}?[01]|'
    # "rather than a glioma", "cannot rule out a tumour", "a tumour cannot be excluded", "tell if it is normal",
    # "how tumours look"
    r">[^;:,]{0,4}?[01]|[cn][_B]{0,3}A[^;:,]{0,6}?[01]|1[^;:,]{0,3}[cn][_B]{0,3}A|[dlK].?I[^;,]*|Q[@w]?1"
)
NOT_NORMAL = re.compile(r'n[^,;:&/01nNfz]{0,4}?"?0')
_OF_A_PART = re.compile("0(?:[_fL]|y[_L]|[yp][4Wm])")
_FIRST = re.compile("3")
"""At first sight, initially: what follows may be another matter."""
_BREAK = re.compile("[;E:]|,[q@]")
_DENIED = re.compile("[nNA]|c[^;,]{0,2}[vl]")
_DENIED_AFTER = re.compile("[^;,]{0,6}?(?:A|n[^;,]{0,3}?[vB_])|:N")
UNDECIDED = pattern(
    "<cannot> ..6 tell|choose|concluding|so|diagnosis",
    "tell|choose|concluding ..4 <cannot>",
    "no ..3 tell|concluding|choose ..3 may|can",
    "no ..24 abnormal|normal ..3 can be ..1 tell|choose",
    "no ~4 would ..3 concluding|tell|choose",
    "not let",
    "^ cannot",
    "colon|be cannot $",
)
"""A clause that says that nothing can be told."""


class Stance(NamedTuple):
    """What a sentence says of the image: that it is normal, ill, or free of a disease; and which diseases it names."""

    normal: bool
    ill: bool
    denies: bool
    named: frozenset[str]

    @property
    def clear(self) -> bool:
        """Whether it says one thing."""
        return self.ill != self.normal or (self.denies and not self.ill)


NOTHING = Stance(normal=False, ill=False, denies=False, named=frozenset())
SOUND = NOTHING._replace(normal=True)
ILL = NOTHING._replace(ill=True)


def stance(shape: str, naming: str, *, final: bool = False) -> Stance:
    """The label that a shape gives; in a `final` sentence, "normal" is not said of the part named after it."""
    if _LABEL.search(shape) is None:
        return NOTHING
    normal = ill = denies = False
    named: set[str] = set()
    for part in _CLAUSE.finditer(shape):
        if _FIRST.search(part.group()) and part.end() < len(shape):
            continue
        if UNDECIDED.search(part.group()) or REFUSES.search(part.group()):
            continue
        clause = settled(part.group())
        not_normal = {found.end() - 1 for found in NOT_NORMAL.finditer(clause)}
        parts = set() if final else {found.start() for found in _OF_A_PART.finditer(clause)}
        for found in _LABEL.finditer(clause):
            place = found.start()
            if clause[place] == "0":
                ill |= place in not_normal
                normal |= place not in not_normal and place not in parts
            elif denied(clause, place):
                denies = True
            else:
                ill = True
                named.add(naming[part.start() + place])
    return Stance(normal, ill, denies, frozenset(named))


def settled(clause: str) -> str:
    """A clause without labels that it only compares or leaves open."""
    return _SET_ASIDE.sub(lambda found: "_" * len(found.group()), clause) if _LABEL.search(clause) else clause


def denied(clause: str, place: int) -> bool:
    """Whether what stands at a place of a clause is said not to be there.

    >>> denied("ENvf", 3), denied("EB@f", 3), denied("f:A", 0)
    (True, False, True)
    """
    start = max((found.end() for found in _BREAK.finditer(clause, 0, place)), default=0)
    return _DENIED.search(clause, start, place) is not None or _DENIED_AFTER.match(clause, place + 1) is not None
