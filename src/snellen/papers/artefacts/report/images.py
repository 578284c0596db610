"""Typical degraded images: one item per modality, original and with every artefact."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isfinite
from typing import NamedTuple

import numpy as np

from snellen.papers.artefacts.report.maps import STRONG, WEAK, arms_by_artefact
from snellen.papers.artefacts.tests.dose_response import KINDS
from snellen.report.components import Fold, Panel, Panels, Part, quiet, rich
from snellen.report.evidence.evidence import Evidence
from snellen.report.lookup import family
from snellen.report.sections.image_panels import draw_panel, expect_item, list_addresses, list_sayings
from snellen.report.sections.side_by_side import typical
from snellen.report.words.arms import artefact_words
from snellen.report.words.numbers import figure, shorten_text
from snellen.stress.base import StressTest

MOST = 4
"""Largest number of modalities shown, largest first."""
MOST_ARTEFACTS = 8
"""Largest number of artefacts shown."""
DISTANCES = {"ssim": "SSIM {}", "psnr": "PSNR {} dB"}
MEANT = {"weak": "Weak: it can still be read.", "strong": "Strong: meant to be an image that cannot be graded."}
ABOUT = (
    "One item of each kind of image, chosen for being typical, not the worst: the one on which the outcomes were most "
    "usual over these conditions and all models. SSIM is how like the original it is, 1 being the same; PSNR is its "
    "signal to noise in decibels, more being nearer. An image of another size is compared at the size of the original."
)
NONE = "No image was degraded and answered, so that there is none to show."


class TypicalItem(NamedTuple):
    """A typical item of one modality, with its baseline arm and its degraded arms."""

    benchmark: str
    modality: str
    ordinal: int
    baseline: str
    strengths: Mapping[str, Mapping[str, str]]


def choose(evidence: Evidence) -> list[TypicalItem]:
    """Choose a typical item per large modality. Its images and responses are requested from the store."""
    found = [each for name in evidence.benchmarks for each in _list_typical(evidence, name)][: 2 * MOST]
    for chosen in found:
        arms = (chosen.baseline, *(arm for each in chosen.strengths.values() for arm in each.values()))
        expect_item(evidence, list_addresses(evidence, chosen.benchmark, arms), chosen.ordinal)
    return found


def _list_typical(evidence: Evidence, benchmark: str) -> Iterator[TypicalItem]:
    """Return the typical item per modality, largest modality first, with the first prompt."""
    here = [each for each in evidence.results.findings if each.benchmark == benchmark]
    asked = [each.test for each in here if family(each) in (WEAK, STRONG)]
    tables = [table for (_, name), table in evidence.results.tables.items() if name == benchmark]
    if not asked:
        return
    baseline = asked[0].baseline.name
    strengths = _list_strengths(asked, baseline)
    shown = {baseline, *(arm for each in strengths.values() for arm in each.values())}
    cut = [replace(table, arms={arm: table.arms[arm] for arm in table.arms if arm in shown}) for table in tables]
    names = np.array([str(item.metadata.get("modality") or item.category) for item in tables[0].items])
    sizes = {name: int((names == name).sum()) for name in dict.fromkeys(names.tolist())}
    for name in sorted(sizes, key=lambda name: -sizes[name])[:MOST]:
        if candidates := typical([table.select_items(names == name) for table in cut], evidence.baselines):
            yield TypicalItem(benchmark, name, candidates[0], baseline, strengths)


def _list_strengths(tests: Sequence[StressTest], baseline: str) -> dict[str, dict[str, str]]:
    """Map each strength to its arms by artefact, if they share this baseline."""
    found: dict[str, dict[str, str]] = {}
    for test in (each for each in tests if each.baseline.name == baseline):
        arms = list(arms_by_artefact(test).items())[:MOST_ARTEFACTS]
        found.setdefault("weak" if test.name.startswith(WEAK) else "strong", dict(arms))
    return found


def draw_images(evidence: Evidence, chosen: Sequence[TypicalItem]) -> list[Part]:
    """Draw the images of the chosen items with the models' responses."""
    made: list[Part] = [quiet(ABOUT if chosen else NONE)]
    for each in chosen:
        item = evidence.results.benchmarks[each.benchmark].items[each.ordinal]
        truth = item.options[item.answer].text if isinstance(item.answer, int) else ""
        whose = f"{each.modality}, {each.benchmark}" if evidence.several else each.modality
        asked = rich("Asked: {} Right answer: **{}**. Item `{}`.", shorten_text(item.question, 260), truth, item.id)
        panels = [Panels(tuple(those), columns=len(those)) for those in _list_rows(evidence, each)]
        made.append(Fold(whose, (quiet(asked), *panels), open=len(made) == 1))
    return made


def _list_rows(evidence: Evidence, chosen: TypicalItem) -> Iterator[list[Panel]]:
    """Return one row of panels per strength, one panel per artefact. The first row starts with the original."""
    names = list(dict.fromkeys(name for arms in chosen.strengths.values() for name in arms))
    for at, (how, arms) in enumerate(chosen.strengths.items()):
        first = _draw_panel(evidence, chosen, chosen.baseline, "as it is")
        panels = [_draw_panel(evidence, chosen, arms.get(name, ""), f"{artefact_words(name)}, {how}") for name in names]
        yield [Panel("", parts=(quiet(MEANT[how]),)) if at else first, *panels]


def _draw_panel(evidence: Evidence, chosen: TypicalItem, arm: str, title: str) -> Panel:
    said = list_sayings(evidence, list_addresses(evidence, chosen.benchmark, [arm]), chosen.ordinal)
    far = []
    for name, words in DISTANCES.items():
        columns = (evidence.grades(address).distances.get(name) for address in said)
        values = (float(each[chosen.ordinal]) for each in columns if each is not None)
        far += [words.format(figure(each, KINDS[name].unit)) for each in values if isfinite(each)][:1]
    return draw_panel(evidence, title, said, notes=[", ".join(far)])
