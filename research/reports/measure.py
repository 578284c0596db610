"""How metrics of reports order 3,955 real reports that were changed in known ways.

Run as `python research/reports/measure.py`; with --write it writes `measured.json` and `results.md`. With
`--radeval PYTHON` (the Python of an environment with RadEval), RadEval's own BLEU and ROUGE-L stand beside ours. The
reports are those of Open-i (Indiana University), which lie beside the project; nothing of them is written anywhere.
"""

from __future__ import annotations

import argparse
import json
import sys
import tarfile
from collections.abc import Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path
from string import Template
from typing import Any
from xml.etree import ElementTree

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE))

from perturb import Report, changed, changed_sentences  # noqa: E402 - it stands beside this file
from snellen.reading.reports.metrics import Floats, Metric, Pair, metric_named, metric_names  # noqa: E402
from snellen.reading.reports.metrics import radeval as door  # noqa: E402
from snellen.stats import Estimate, mean  # noqa: E402

REPORTS = ROOT.parent / "shared" / "data" / "openi-reports" / "NLMCXR_reports.tgz"
MEASURED, PAGE, TEMPLATE = HERE / "measured.json", HERE / "results.md", HERE / "results.template"
ORDER = ("self", "paraphrased", "sentence-dropped", "side-swapped", "negated", "shuffled")
DAMAGED = ORDER[2:]
WORDS = {
    "self": "the report itself",
    "paraphrased": "the same findings in other words, sentences in another order",
    "sentence-dropped": "one sentence left out",
    "side-swapped": "left and right exchanged; only reports that name a side",
    "negated": "every clear statement turned round",
    "shuffled": "the report of another patient",
}


def reports(path: Path = REPORTS) -> list[Report]:
    """All reports, also those with neither findings nor impression."""
    found = []
    with tarfile.open(path) as archive:
        for member in archive:
            file = archive.extractfile(member) if member.name.endswith(".xml") else None
            if file is not None:
                texts = {
                    each.get("Label"): " ".join((each.text or "").split())
                    for each in ElementTree.parse(file).iter("AbstractText")
                }
                found.append(Report(Path(member.name).stem, texts.get("FINDINGS", ""), texts.get("IMPRESSION", "")))
    return sorted(found, key=lambda each: int(each.id))


def offline() -> list[str]:
    """The metrics that need no RadEval and run here."""
    return [name for name in metric_names() if name not in door.OFFERED and not metric_named(name).missing()]


def _of_radeval(python: str) -> list[Metric]:
    """RadEval's own BLEU and ROUGE-L, which need no weights."""
    where = door.Environment(python)
    of = {"radeval-bleu": ("bleu", "bleu"), "radeval-rouge-l": ("rouge-l", "rouge-l")}
    return [
        replace(
            metric_named(ours),
            name=name,
            title=f"{metric_named(ours).title} of RadEval",
            score=partial(door.scores, theirs, where=where),
        )
        for name, (ours, theirs) in of.items()
    ]


def _scored(pairs: Sequence[Pair], names: Sequence[str]) -> dict[str, Floats]:
    return {name: metric_named(name).score(pairs) for name in names}


def values(whole: Sequence[Report], python: str = "") -> dict[str, dict[str, Floats]]:
    """By metric and change, the value of each report against its changed form; NaN where the change does not apply."""
    made = changed(whole)
    texts = {each.id: each.text for each in whole}
    at = {each.id: place for place, each in enumerate(whole)}
    pairs = {change: [Pair(made[change][id_].text, texts[id_]) for id_ in made[change]] for change in ORDER}
    places = {change: [at[id_] for id_ in made[change]] for change in ORDER}
    with ProcessPoolExecutor(2) as pool:
        scored = dict(zip(ORDER, pool.map(partial(_scored, names=offline()), pairs.values()), strict=True))
    for metric in _of_radeval(python) if python else ():
        together = metric.score([pair for each in pairs.values() for pair in each])
        ends = np.cumsum([len(each) for each in pairs.values()])[:-1]
        for change, part in zip(ORDER, np.split(together, ends), strict=True):
            scored[change][metric.name] = part
    found: dict[str, dict[str, Floats]] = {}
    for change, by_metric in scored.items():
        for name, given in by_metric.items():
            row = np.full(len(whole), np.nan)
            row[places[change]] = given
            found.setdefault(name, {})[change] = row
    return found


def summary(by_change: Mapping[str, Floats]) -> dict[str, Any]:
    """What one metric says: the mean of each change, and the paraphrase against each damaged form, report by report."""
    means = {change: _estimate(_mean(by_change[change])) for change in ORDER}
    all_six = np.isfinite([by_change[change] for change in ORDER]).all(axis=0)
    of_same = {change: float(by_change[change][all_six].mean()) for change in ORDER}
    against = {change: _against(by_change["paraphrased"], by_change[change]) for change in DAMAGED}
    return {
        "means": means,
        "of_the_same_reports": {"n": int(all_six.sum()), **of_same},
        "order": sorted(ORDER, key=lambda each: -of_same[each]),
        "paraphrase_against": against,
        "orders_all": all(each and each["difference"]["low"] > 0 for each in against.values()),
    }


def _mean(row: Floats) -> Estimate | None:
    there = row[np.isfinite(row)]
    return mean(there) if there.size > 1 else None


def _against(paraphrase: Floats, damaged: Floats) -> dict[str, Any] | None:
    both = np.isfinite(paraphrase) & np.isfinite(damaged)
    if both.sum() < 2:
        return None
    difference = paraphrase[both] - damaged[both]
    return {
        "n": int(both.sum()),
        "paraphrase": float(paraphrase[both].mean()),
        "damaged": float(damaged[both].mean()),
        "difference": _estimate(mean(difference)),
        "above": float((difference > 1e-12).mean()),
        "equal": float((np.abs(difference) <= 1e-12).mean()),
        "below": float((difference < -1e-12).mean()),
    }


def _estimate(estimate: Estimate | None) -> dict[str, Any] | None:
    if estimate is None:
        return None
    return {"value": estimate.value, "low": estimate.low, "high": estimate.high, "n": estimate.n}


def measured(python: str = "") -> dict[str, Any]:
    """Everything that the page shows."""
    every = reports()
    whole = [each for each in every if each.findings or each.impression]
    counts = [changed_sentences(each) for each in whole]
    found = values(whole, python)
    made = {change: int(np.isfinite(found["rouge-l"][change]).sum()) for change in ORDER}
    return {
        "reports": len(every),
        "empty": len(every) - len(whole),
        "without_findings": sum(not each.findings for each in whole),
        "without_impression": sum(not each.impression for each in whole),
        "applies": made,
        "sentences": sum(of for _, of in counts),
        "reworded": sum(new for new, _ in counts) / sum(of for _, of in counts),
        "metrics": {name: summary(by_change) for name, by_change in found.items()},
        "beside_radeval": _beside(found) if python else None,
    }


def _beside(found: Mapping[str, Mapping[str, Floats]]) -> dict[str, Any]:
    """How far RadEval's own BLEU and ROUGE-L agree with ours, over all changes but `self`."""
    told = {}
    for ours, theirs in (("bleu", "radeval-bleu"), ("rouge-l", "radeval-rouge-l")):
        first, second = (np.concatenate([found[name][change] for change in ORDER[1:]]) for name in (ours, theirs))
        there = np.isfinite(first) & np.isfinite(second)
        first, second = first[there], second[there]
        told[ours] = {
            "n": int(there.sum()),
            "correlation": float(np.corrcoef(first, second)[0, 1]),
            "difference": float((second - first).mean()),
            "largest": float(np.abs(second - first).max()),
        }
    return told


def failures(metric: str, limit: int = 40) -> list[tuple[str, str, float, float]]:
    """Reports whose paraphrase does not score above a damaged form, for a look; nothing of this is written."""
    whole = [each for each in reports() if each.findings or each.impression]
    found = values(whole)[metric]
    rows = []
    for change in DAMAGED:
        paraphrase, damaged = found["paraphrased"], found[change]
        for place in np.flatnonzero(paraphrase < damaged - 1e-12)[:limit]:
            rows.append((whole[place].id, change, float(paraphrase[place]), float(damaged[place])))
    return rows


def page(told: Mapping[str, Any]) -> str:
    """The page of results."""
    titles = {name: metric_named(name).title for name in offline()}
    titles |= {"radeval-bleu": "BLEU of RadEval", "radeval-rouge-l": "ROUGE-L of RadEval"}
    rows = told["metrics"]
    changes = "\n".join(f"| {change} | {WORDS[change]} | {told['applies'][change]:,} |" for change in ORDER)
    means = "\n".join(
        f"| {titles[name]} | " + " | ".join(_cell(each["means"][change]) for change in ORDER) + " |"
        for name, each in rows.items()
    )
    shares = "\n".join(
        f"| {titles[name]} | " + " | ".join(_share(each["paraphrase_against"][change]) for change in DAMAGED) + " |"
        for name, each in rows.items()
    )
    orders = "\n".join(
        f"| {titles[name]} | {each['of_the_same_reports']['n']:,} | {_ordered(each)} | "
        f"{'yes' if each['orders_all'] else 'no'} |"
        for name, each in rows.items()
    )
    return Template(TEMPLATE.read_text(encoding="utf-8")).substitute(
        reports=f"{told['reports']:,}",
        empty=told["empty"],
        changes=changes,
        reworded=f"{told['reworded']:.1%}",
        sentences=f"{told['sentences']:,}",
        all_forms=" | ".join(ORDER),
        all_rules="---|" * len(ORDER),
        means=means,
        damaged_forms=" | ".join(DAMAGED),
        damaged_rules="---|" * len(DAMAGED),
        shares=shares,
        orders=orders,
        beside_radeval=_beside_radeval(told["beside_radeval"]),
    )


def _ordered(told: Mapping[str, Any]) -> str:
    return " > ".join(f"{change} {told['of_the_same_reports'][change]:.2f}" for change in told["order"])


def _cell(estimate: Mapping[str, Any] | None) -> str:
    if estimate is None:
        return "–"
    return f"{estimate['value']:.3f} ({estimate['low']:.3f} to {estimate['high']:.3f})"


def _share(against: Mapping[str, Any] | None) -> str:
    if against is None:
        return "–"
    difference = against["difference"]
    shares = " / ".join(f"{100 * against[name]:.1f}" for name in ("above", "equal", "below"))
    return f"{shares}%; {difference['value']:+.3f} ({difference['low']:+.3f} to {difference['high']:+.3f})"


def _beside_radeval(beside: Mapping[str, Any] | None) -> str:
    if beside is None:
        return "| – | – | – | – | – |"
    return "\n".join(
        f"| {name} | {each['n']:,} | {each['correlation']:.3f} | {each['difference']:+.3f} | {each['largest']:.3f} |"
        for name, each in beside.items()
    )


def main() -> None:
    """Measure, print, and write where that is asked for."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--write", action="store_true")
    options.add_argument("--radeval", default="", metavar="PYTHON")
    given = options.parse_args()
    told = measured(given.radeval)
    text = page(told)
    print(text)
    if given.write:
        MEASURED.write_text(json.dumps(told, indent=1) + "\n", encoding="utf-8")
        PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
