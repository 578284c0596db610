"""The eight ways to go wrong, from stage to consequence: how many replies of each model show each, with an example."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from snellen.grading.columns import Integers
from snellen.grading.outcomes import Outcome
from snellen.report.evidence.evidence import ArmAddress, Evidence, row_anchor
from snellen.report.evidence.sampling import first_by_hash
from snellen.report.evidence.tags import columns
from snellen.stress.taxonomy import BIT, JUDGED, MODES, ONLY_A_JUDGE, Tag

BY = ("rule", "judge")
ANY = sum(BIT[tag.name] for tag in MODES)
Examples = dict[tuple[str, str, str], tuple[ArmAddress, int]]
"""One response for a mode, a model and who says so."""


@dataclass(frozen=True)
class ModeCount:
    """How many responses of one model show a mode by one source, of how many, and the row of one of them."""

    by: str
    count: int
    of: int
    anchor: str


@dataclass(frozen=True)
class ModeLine:
    """One mode over the models; `unknown` says why nobody can know it here."""

    tag: Tag
    cells: tuple[tuple[ModeCount, ...], ...]
    unknown: str
    aliases: tuple[Tag, ...] = ()
    """The other modes that the very same responses show."""


@dataclass(frozen=True)
class ModeTable:
    """All modes over all models, and how many wrong responses no mode is known of."""

    models: tuple[str, ...]
    lines: tuple[ModeLine, ...]
    never: tuple[Tag, ...]
    """The modes that no response of any model shows."""
    unexplained: tuple[tuple[int, int], ...]
    judged: bool


def mode_examples(evidence: Evidence) -> Examples:
    """For every mode, model and source one response that shows it, chosen by a hash."""
    places: dict[tuple[str, str, str], dict[ArmAddress, Integers]] = {}
    for address in evidence.with_options:
        for by, bits in columns(evidence, address).items():
            for tag in MODES:
                found = np.flatnonzero(bits & BIT[tag.name])
                if len(found):
                    places.setdefault((tag.name, address.model, by), {})[address] = found
    return {key: first_by_hash(evidence, those, 1)[0] for key, those in places.items()}


def mode_table(evidence: Evidence, examples: Examples) -> ModeTable:
    """The table of all modes; a judge has a count only where it was heard."""
    models = tuple(name for name, _ in evidence.results.study["models"])
    totals = {(model, by): _total(evidence, model, by) for model in models for by in BY}
    judged = any(totals[model, "judge"] for model in models)
    lines: dict[object, ModeLine] = {}
    never = []
    for tag in MODES:
        cells = tuple(_counts(evidence, tag, model, totals, examples) for model in models)
        shown = _shown(evidence, tag)
        if not any(cells):
            lines[tag] = ModeLine(tag, cells, "only a judge could tell, and none was heard")
        elif not any(each.count for counts in cells for each in counts):
            never.append(tag)
        elif shown in lines:
            lines[shown] = replace(lines[shown], aliases=(*lines[shown].aliases, tag))
        else:
            lines[shown] = ModeLine(tag, cells, "")
    unexplained = tuple(_unexplained(evidence, model) for model in models)
    return ModeTable(models, tuple(lines.values()), tuple(never), unexplained, judged)


def _shown(evidence: Evidence, tag: Tag) -> tuple[tuple[ArmAddress, str, bytes], ...]:
    """Which responses show a mode, by which source."""
    return tuple(
        (address, by, (bits & BIT[tag.name] != 0).tobytes())
        for address in evidence.with_options
        for by, bits in columns(evidence, address).items()
    )


def _unexplained(evidence: Evidence, model: str) -> tuple[int, int]:
    """How many wrong responses show no mode that anybody knows of, of all wrong ones."""
    none = wrong = 0
    for address in (each for each in evidence.with_options if each.model == model):
        off = evidence.grades(address).is_(Outcome.WRONG)
        tagged = np.bitwise_or.reduce(list(columns(evidence, address).values())) & ANY
        wrong += int(off.sum())
        none += int((off & (tagged == 0)).sum())
    return none, wrong


def _total(evidence: Evidence, model: str, by: str) -> int:
    """How many responses a source looked at."""
    total = 0
    for address in (each for each in evidence.with_options if each.model == model):
        grades = evidence.grades(address)
        heard = int(grades.rationales.heard.sum()) if grades.rationales else 0
        total += len(grades) if by == "rule" else heard
    return total


def _counts(
    evidence: Evidence, tag: Tag, model: str, totals: dict[tuple[str, str], int], examples: Examples
) -> tuple[ModeCount, ...]:
    able = [by for by in BY if (tag.name not in ONLY_A_JUDGE if by == "rule" else tag.name in JUDGED)]
    made = []
    for by in (each for each in able if totals[model, each]):
        found = examples.get((tag.name, model, by))
        count = sum(
            int(np.count_nonzero(bits & BIT[tag.name]))
            for address in evidence.with_options
            if address.model == model and (bits := columns(evidence, address).get(by)) is not None
        )
        made.append(ModeCount(by, count, totals[model, by], "" if found is None else row_anchor(evidence, *found)))
    return tuple(made)
