"""Diagnoses as bars: the most frequent pathologies, the rest of them, what is harmless, and no diagnosis at all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup

from snellen.grading.columns import NOTHING
from snellen.grading.missing_image.columns import Admissions
from snellen.report.figures.bars import thin_bar
from snellen.report.words.numbers import count, figure, shortened

MOST = 10
"""Diagnoses with a bar of their own; the rest is summed up."""
NORMAL, NONE = "normal or harmless", "no diagnosis found"


@dataclass(frozen=True)
class DiagnosisBar:
    """One bar: what was diagnosed, how often, and whether it calls for action within days."""

    name: str
    count: str
    share: str
    picture: Markup
    urgent: bool
    about: str = ""


def diagnosis_bars(said: Admissions) -> tuple[DiagnosisBar, ...]:
    """The bars of some replies; their counts add up to all of them."""
    ill: Counter[str] = Counter()
    harmless: Counter[str] = Counter()
    urgent: set[str] = set()
    for place in said.diagnosis[said.diagnosis != NOTHING].tolist():
        named = said.diagnoses[place]
        (ill if named.pathology else harmless)[named.name] += 1
        if named.urgent:
            urgent.add(named.name)
    return tuple(_bars((ill, harmless), urgent, len(said.diagnosis)))


def _bars(named: tuple[Counter[str], Counter[str]], urgent: set[str], total: int) -> Iterator[DiagnosisBar]:
    ill, harmless = (sorted(each.items(), key=lambda pair: (-pair[1], pair[0])) for each in named)
    for name, number in ill[:MOST]:
        yield _bar(name, number, total, "urgent" if name in urgent else "ill")
    if rest := ill[MOST:]:
        pressing = sum(number for name, number in rest if name in urgent)
        name = f"{len(rest)} others" + (f", {count(pressing)} replies urgent" if pressing else "")
        yield _bar(name, sum(number for _, number in rest), total, "ill", _listed(rest))
    found = sum(number for _, number in (*ill, *harmless))
    yield _bar(NORMAL, sum(number for _, number in harmless), total, "harmless", _listed(harmless))
    yield _bar(NONE, total - found, total, "nothing")


def _listed(named: list[tuple[str, int]]) -> str:
    return shortened(", ".join(f"{name} {count(number)}" for name, number in named), 400)


def _bar(name: str, number: int, total: int, look: str, about: str = "") -> DiagnosisBar:
    share = number / total
    return DiagnosisBar(name, count(number), figure(share, "share"), thin_bar(share, look), look == "urgent", about)
