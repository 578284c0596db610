"""Compare parsers of acts on rows kept apart: today's rules, a learned parser, and one that also reads the rules.

Run as `python research/acts/measure.py`; with --write it also writes `measured.json`. It trains both learned parsers,
never on a row kept apart. All intervals are 95% percentile intervals of a bootstrap over questions, paired by parser.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

import numpy as np
from features import Features, featurise
from labelled_rows import ACTS, SOURCES, Row, all_rows, kept_apart_rows, training_rows
from learn import ActParser, Matrix, Vocabulary, make_matrix, train_act
from numpy.typing import NDArray
from rules import read_acts, read_everything

MEASURED = Path(__file__).with_name("measured.json")
RULES, LINEAR, STACKED = PARSERS = ("rules", "linear", "stacked")
RESAMPLES, SEED = 2000, 47
BINS = 10
ONLY_NEGATIVE = "mmmu-pro"
"""No act is present there: it is counted apart, so that its 3,445 easy rows do not hide the others."""
FEW = 10
"""A source or language with fewer rows in which the act is present has no figures of its own."""

Bools = NDArray[np.bool_]
Figures = dict[str, Any]


class Judged(NamedTuple):
    """Rows of which an act is known: the labels, and what each parser reads, with its probability."""

    rows: Sequence[Row]
    labels: Bools
    read: Mapping[str, Bools]
    chances: Mapping[str, NDArray[np.float64]]

    def where(self, holds: Callable[[Row], bool]) -> Judged:
        """The rows of some kind."""
        places = np.array([place for place, row in enumerate(self.rows) if holds(row)], np.int64)
        return Judged(
            [self.rows[place] for place in places],
            self.labels[places],
            {name: each[places] for name, each in self.read.items()},
            {name: each[places] for name, each in self.chances.items()},
        )


class Trained(NamedTuple):
    """The rows to train on, with their features and those of the parsers' words, and what is counted on them."""

    rows: Sequence[Row]
    features: Sequence[Features]
    vocabulary: Vocabulary

    @classmethod
    def from_rows(cls, rows: Sequence[Row]) -> Trained:
        """Count the features of the rows."""
        features = list(map(featurise, rows))
        return cls(rows, features, Vocabulary.from_features(features))

    def matrix(self, readings: Sequence[Sequence[bool]] = ()) -> Matrix:
        """The features to train on."""
        return make_matrix(self.features, self.vocabulary, readings)

    def without(self, holds: Callable[[Row], bool]) -> Trained:
        """The same without some rows; what is counted stays."""
        kept = [place for place, row in enumerate(self.rows) if not holds(row)]
        return Trained([self.rows[place] for place in kept], [self.features[place] for place in kept], self.vocabulary)


def _counts(labels: Bools, read: Bools, groups: NDArray[np.int64]) -> NDArray[np.float64]:
    """By question: rows read rightly as present, wrongly as present, missed, rightly as absent."""
    kinds = np.where(labels, np.where(read, 0, 2), np.where(read, 1, 3))
    found = np.zeros((groups.max() + 1, 4))
    np.add.at(found, (groups, kinds), 1)
    return found


def _scores(counts: NDArray[np.float64]) -> dict[str, NDArray[np.float64]]:
    both, false, missed, neither = np.moveaxis(counts, -1, 0)
    n = counts.sum(-1)
    with np.errstate(invalid="ignore", divide="ignore"):
        by_luck = ((both + false) * (both + missed) + (neither + false) * (neither + missed)) / n**2
        return {
            "precision": both / (both + false),
            "recall": both / (both + missed),
            "f1": 2 * both / (2 * both + false + missed),
            "kappa": ((both + neither) / n - by_luck) / (1 - by_luck),
        }


def _ends(value: float, resampled: NDArray[np.float64]) -> list[float] | None:
    if not np.isfinite(value):
        return None
    low, high = np.nanpercentile(resampled, (2.5, 97.5))
    return [round(float(end), 3) for end in (value, low, high)]


def compare(judged: Judged) -> Figures:
    """Each parser's scores, and by how much the learned parsers are better than the rules."""
    names = {name: place for place, name in enumerate(dict.fromkeys(row.group for row in judged.rows))}
    groups = np.array([names[row.group] for row in judged.rows])
    draws = np.random.default_rng(SEED).multinomial(len(names), np.full(len(names), 1 / len(names)), RESAMPLES)
    counts = {name: _counts(judged.labels, read, groups) for name, read in judged.read.items()}
    values = {name: _scores(each.sum(0)) for name, each in counts.items()}
    resampled = {name: _scores(draws @ each) for name, each in counts.items()}
    found: Figures = {"n": len(judged.rows), "present": int(judged.labels.sum()), "questions": len(names)}
    for name in judged.read:
        found[name] = {key: _ends(float(values[name][key]), resampled[name][key]) for key in values[name]}
    for name in judged.read:
        if name != RULES:
            found[f"{name} - rules"] = {
                key: _ends(float(values[name][key] - values[RULES][key]), resampled[name][key] - resampled[RULES][key])
                for key in ("f1", "kappa")
            }
    return found


def calibration(labels: Bools, chances: NDArray[np.float64]) -> Figures:
    """Expected calibration error, and by bin: mean probability, share in which the act is present, rows."""
    places = np.minimum((chances * BINS).astype(int), BINS - 1)
    bins, error = [], 0.0
    for place in range(BINS):
        inside = places == place
        if inside.any():
            mean, share = float(chances[inside].mean()), float(labels[inside].mean())
            bins.append([round(mean, 3), round(share, 3), int(inside.sum())])
            error += inside.mean() * abs(mean - share)
    return {"ece": round(float(error), 3), "bins": bins}


def _known(rows: Sequence[Row], act: str) -> NDArray[np.int64]:
    return np.array([place for place, row in enumerate(rows) if row.acts[act] is not None], np.int64)


Rules = Callable[[Row], Mapping[str, bool]]


def judge_rules(rows: Sequence[Row], act: str, rules: Rules, trained: Sequence[Row]) -> tuple[Bools, Any]:
    """What the rules read in rows, and how often such a reading was right on the rows to train on."""
    read = np.array([rules(row)[act] for row in rows])
    seen = [row for row in trained if row.acts[act] is not None]
    said = np.array([rules(row)[act] for row in seen])
    labels = np.array([bool(row.acts[act]) for row in seen])
    # One row of each kind is added, so that no probability is 0 or 1.
    yes, no = ((labels[said == side].sum() + 0.5) / ((said == side).sum() + 1) for side in (True, False))
    return read, np.where(read, yes, no)


def judge(
    rows: Sequence[Row], act: str, rules: Rules, trained: Sequence[Row], learned: Mapping[str, tuple[ActParser, Matrix]]
) -> Judged:
    """The rows of which the act is known, by rules and learned parsers; each with the matrix of all the rows."""
    places = _known(rows, act)
    known = [rows[place] for place in places]
    said, sure = judge_rules(known, act, rules, trained)
    read, chances = {RULES: said}, {RULES: sure}
    for name, (parser, matrix) in learned.items():
        chances[name] = parser.probabilities(matrix.take(places))
        read[name] = chances[name] >= parser.threshold
    return Judged(known, np.array([bool(row.acts[act]) for row in known]), read, chances)


def measure_act(judged: Judged, act: str) -> Figures:
    """All figures of an act."""
    main = judged.where(lambda row: row.source != ONLY_NEGATIVE)
    found = compare(main)
    found["calibration"] = {name: calibration(main.labels, each) for name, each in main.chances.items()}
    found["labels that the labeller was sure of"] = compare(main.where(lambda row: act not in row.unsure))
    found["by source"] = _by(main, lambda row: row.source)
    found["by language"] = _by(main, lambda row: row.language)
    easy = judged.where(lambda row: row.source == ONLY_NEGATIVE)
    if easy.rows:
        found["false alarms, GPT-4o"] = {name: [int(read.sum()), len(easy.rows)] for name, read in easy.read.items()}
    return found


def _by(judged: Judged, field: Callable[[Row], str]) -> Figures:
    found = {}
    for value in dict.fromkeys(map(field, judged.rows)):
        part = judged.where(lambda row, value=value: field(row) == value)
        if part.labels.sum() >= FEW:
            found[value] = compare(part)
    return found


def measure_elsewhere(trained: Trained, judged: Mapping[str, Judged]) -> Figures:
    """The learned parser on a source of which it saw no row, beside the one that saw some."""
    found: Figures = {}
    for act, every in judged.items():
        for source in SOURCES:
            part = every.where(lambda row, source=source: row.source == source)
            rest = trained.without(lambda row, source=source: row.source == source)
            present = sum(bool(row.acts[act]) for row in rest.rows)
            if not len(part.rows) or part.labels.sum() < FEW or present < FEW or len(rest.rows) == len(trained.rows):
                continue
            parser = train_act(rest.rows, rest.matrix(), act)
            chances = parser.probabilities(make_matrix(list(map(featurise, part.rows)), trained.vocabulary))
            both = Judged(
                part.rows, part.labels,
                {RULES: part.read[RULES], LINEAR: part.read[LINEAR], "elsewhere": chances >= parser.threshold}, {},
            )  # fmt: skip
            found.setdefault(act, {})[source] = {
                name: {key: each[key] for key in ("f1", "kappa")}
                for name, each in compare(both).items()
                if name in both.read
            }
    return found


OPENED = {
    "false-premise": ("corrects_premise", ("development", "first", "second", "third", "fourth", "sixth", "seventh")),
    "mismatch": ("names_contradiction", ("development", "first", "second")),
}
"""The sets of two studies in the order in which they were opened."""


def measure_when_opened(rows: Iterable[Row]) -> Figures:
    """The learned parser on each set, trained on those that were opened before; the rules' κ is in the READMEs."""
    every, found = list(rows), {}
    for source, (act, sets) in OPENED.items():
        for place, name in enumerate(sets[1:], start=1):
            before = [row for row in every if row.source == source and row.facts["set"] in sets[:place]]
            asked = [row for row in every if row.source == source and row.facts["set"] == name]
            trained = Trained.from_rows(before)
            parser = train_act(before, trained.matrix(), act)
            chances = parser.probabilities(make_matrix(list(map(featurise, asked)), trained.vocabulary))
            labels = np.array([bool(row.acts[act]) for row in asked])
            said = chances >= parser.threshold
            done = compare(Judged(asked, labels, {RULES: said}, {}))[RULES]
            found[f"{source}, {name}"] = {"n": len(asked), "trained on": len(before), **done}
    return found


def measure_time(rows: Sequence[Row], vocabulary: Vocabulary, parsers: Mapping[str, ActParser]) -> Figures:
    """Milliseconds of processor time per response: rules, all readings of rules, and the learned parser, of all acts.

    The learned parser is timed as it would run: its features, then one product with the weights of all acts.
    """
    weights = np.stack([parser.grams.astype(np.float32) for parser in parsers.values()], 1)

    def learned(row: Row) -> Any:
        columns, counts, _ = featurise(row)
        values = counts * vocabulary.idf[columns]
        return values @ weights[columns]

    found = {}
    for name, act in (("rules", read_acts), ("all readings of rules", read_everything), ("linear", learned)):
        for row in rows[:20]:
            act(row)
        before = process_time()
        for row in rows:
            act(row)
        found[name] = round(1000 * (process_time() - before) / len(rows), 2)
    return found


def describe(parser: ActParser) -> Figures:
    """What was learned, so that it can be compared: its bytes, and what the folds chose."""
    return {"sha256": parser.digest(), "strength": parser.strength, "threshold": round(parser.threshold, 2)}


def measure(rules: Rules = read_acts, everything: Callable[[Row], Sequence[bool]] = read_everything) -> Figures:
    """All figures."""
    rows = all_rows()
    apart, trained = kept_apart_rows(rows), Trained.from_rows(training_rows(rows))
    features = list(map(featurise, apart))
    read = {row.id: rules(row) for row in (*apart, *trained.rows)}
    readings = {name: list(map(everything, some)) for name, some in (("trained", trained.rows), ("apart", apart))}
    matrices = {
        LINEAR: (trained.matrix(), make_matrix(features, trained.vocabulary)),
        STACKED: (trained.matrix(readings["trained"]), make_matrix(features, trained.vocabulary, readings["apart"])),
    }
    learned: dict[str, dict[str, ActParser]] = {}
    judged: dict[str, Judged] = {}
    for act in ACTS:
        learned[act] = {name: train_act(trained.rows, words, act) for name, (words, _) in matrices.items()}
        parsers = {name: (learned[act][name], matrices[name][1]) for name in learned[act]}
        judged[act] = judge(apart, act, lambda row: read[row.id], trained.rows, parsers)
        print(act, compare(judged[act].where(lambda row: row.source != ONLY_NEGATIVE)), file=sys.stderr, flush=True)
    sample = [row for row in apart if row.source != ONLY_NEGATIVE][::8]
    return {
        "rows": {"trained on": len(trained.rows), "kept apart": len(apart)},
        "learned": {act: {name: describe(each) for name, each in some.items()} for act, some in learned.items()},
        "acts": {act: measure_act(each, act) for act, each in judged.items()},
        "source never seen": measure_elsewhere(trained, judged),
        "when opened": measure_when_opened(rows),
        "milliseconds": measure_time(sample, trained.vocabulary, {act: each[LINEAR] for act, each in learned.items()}),
    }


def as_text(found: Figures) -> str:
    """The figures as JSON, with lists of numbers on one line."""
    text = json.dumps(found, indent=1, ensure_ascii=False)
    flat = re.sub(r"\[\s+([-\d.,\s]+?)\s+\]", lambda each: f"[{' '.join(each[1].split())}]", text)
    return f"{flat}\n"


def main() -> None:
    """Print all figures; with --write, also write them."""
    text = as_text(measure())
    print(text)
    if "--write" in sys.argv:
        MEASURED.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
