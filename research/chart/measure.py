"""The eye chart on patients whose eyesight is known: organisms that see images k times smaller, and a real OCR model.

    python research/chart/measure.py organisms [SEEDS]
    python research/chart/measure.py ocr [SEEDS]
    python research/chart/measure.py halves
    python research/chart/measure.py counted
    python research/chart/measure.py coverage [EXAMS]
    python research/chart/measure.py tables

The first two examine each patient once per seed, as `snellen chart` does. `halves` and `counted` show the organisms and
ocr/rapidocr many letters of fixed sizes, without any rule or fit. `coverage` simulates exams of a reader whose letters
of one row go together, and prints how often the intervals hold the threshold. `tables` writes the tables of results.md.
`ocr` and `counted` need the extra `ocr`. Everything else is kept in measured.json.
"""

import asyncio
import json
import re
import sys
from itertools import product
from math import log10
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

import numpy as np

from snellen.images import Image
from snellen.images.letters import SLOAN, LetterChart, PlacedLetter
from snellen.models import open_model
from snellen.prompts import Request
from snellen.prompts.letters import LETTERS_QUESTION
from snellen.reading.letters import read_letters
from snellen.stats import wilson
from snellen.stats.psychometric import PsychometricCurve, fit_psychometric
from snellen.tools.chart.charts import SMALL, candidates, letters_that_fit, make_prior, transfer_belief
from snellen.tools.chart.exam import EXTREMES, FIRST_ROWS, USUAL_ROWS, Exam

HERE = Path(__file__).parent
RECORD, RESULTS = HERE / "measured.json", HERE / "results.md"
KNOWN = {"organism/grounded": 1, "organism/nearsighted-2": 2, "organism/nearsighted-4": 4, "organism/nearsighted-8": 8}
"""How many times smaller a patient sees images."""
OCR = "ocr/rapidocr"
COUNTED = {448: (2, 3, 4, 5, 6, 8), 1344: (12, 16, 20, 24, 32)}
CHARTS = {448: 20, 1344: 8}
"""Sizes shown to the OCR model in images of each side, and charts of five letters at each."""


def examined(name, seed):
    """What one exam says: threshold, interval and requests, for each series."""
    with TemporaryDirectory() as folder:
        return summary(Exam(name, folder, seed=seed, max_connections=2).run())


def summary(result):
    """What is kept of an exam."""
    series = {
        each.series.name: {
            "words": each.series.words,
            "side": each.series.side,
            "size": None if each.size is None else [each.size.value, each.size.low, each.size.high],
            "n": sum(point.n for point in each.points),
            "why": each.why,
        }
        for each in ([] if result.acuity is None else [result.acuity, *result.others])
    }
    blind = [corner.name for corner in result.corners if corner.blind]
    ratio = None if result.shrinking is None else result.shrinking.ratio
    return {
        "model": result.model,
        "revision": result.revision,
        "seed": result.seed,
        "requests": result.asked,
        "sentence": result.sentence,
        "sentences": result.sentences,
        "series": series,
        "blind": blind,
        "large_over_small": None if ratio is None else [ratio.value, ratio.low, ratio.high],
    }


def counts():
    """Letters read right at fixed sizes, each chart at a random place in the image."""
    model, rng = open_model(OCR), np.random.default_rng(0)
    for side, sizes in COUNTED.items():
        for size in sizes:
            right = 0
            for _ in range(CHARTS[side]):
                row = "".join(rng.choice(list(SLOAN), 5))
                left, top = (int(rng.integers(size, side - room)) for room in (10 * size, 2 * size))
                placed = tuple(PlacedLetter(letter, left + 2 * size * at, top, size) for at, letter in enumerate(row))
                image = Image(LetterChart(side, side, placed)).encoded()
                request = Request(model.name, LETTERS_QUESTION, images=(image,))
                right += read_letters(asyncio.run(model.answer(request)).text, [row]).right
            print(side, size, right, "of", 5 * CHARTS[side], flush=True)
            yield {"side": side, "size": size, "right": right, "n": 5 * CHARTS[side]}


def halves(charts=30, side=448):
    """The size at which half of the letters are read by each organism, by counting at sizes beside each other."""
    rng = np.random.default_rng(0)
    for name, times in KNOWN.items():
        model, shares = open_model(name), []
        sizes = range(int(6.5 * times), int(9.5 * times) + 1, max(1, times // 2))
        for size in sizes:
            n = min(5, (side // size + 1) // 2)
            right = 0
            for _ in range(charts):
                row = "".join(rng.permutation(list(SLOAN))[:n])
                left, top = int(rng.integers(side - (2 * n - 1) * size + 1)), int(rng.integers(side - size + 1))
                placed = tuple(PlacedLetter(letter, left + 2 * size * at, top, size) for at, letter in enumerate(row))
                image = Image(LetterChart(side, side, placed)).encoded()
                request = Request(model.name, LETTERS_QUESTION, images=(image,))
                right += read_letters(asyncio.run(model.answer(request)).text, [row]).right
            shares.append(right / (n * charts))
        above = next(place for place, share in enumerate(shares) if share >= 0.5)
        low, high = shares[above - 1], shares[above]
        yield name, sizes[above - 1] + (0.5 - low) / (high - low) * (sizes[above] - sizes[above - 1])


def px(three):
    """A threshold with its interval."""
    value, low, high = (f"{end:.1f}" if end < 1e6 else "∞" for end in three)
    return f"{value} [{low}, {high}]"


def organisms_table(exams, half):
    """Known and measured thresholds; a line of an eye chart is 0.1 in log10."""
    lines = [
        "| patient | sees images | half of the letters read at, counted | exams | threshold: median (least to most) | "
        "largest distance in lines from the counted size | from k × the threshold of `grounded` | CI holds the counted "
        "size | requests, most |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    of = {name: [each for each in exams if each["model"] == name] for name in KNOWN}
    sharp = median(each["series"]["acuity"]["size"][0] for each in of["organism/grounded"])
    for name, times in KNOWN.items():
        found = [each["series"]["acuity"]["size"] for each in of[name]]
        values = [each[0] for each in found]
        truth = half[name]
        away, beside = (max(abs(log10(value / to)) / 0.1 for value in values) for to in (truth, times * sharp))
        held = sum(low <= truth <= high for _, low, high in found)
        lines.append(
            f"| `{name}` | {f'{times} times smaller' if times > 1 else 'as they are'} | {truth:.1f} px | "
            f"{len(found)} | "
            f"{median(values):.1f} px ({min(values):.1f} to {max(values):.1f}) | {away:.2f} | {beside:.2f} | "
            f"{held} of {len(found)} | {max(each['requests'] for each in of[name])} |"
        )
    return lines


def ocr_table(exams):
    """Every series of every exam of the OCR model."""
    own = [each for each in exams if each["model"] == OCR]
    lines = [
        "| letters | image | " + " | ".join(f"seed {each['seed']}" for each in own) + " |",
        "|---|---|" + "---|" * len(own),
    ]
    for name, first in own[0]["series"].items():
        cells = []
        for each in own:
            series = each["series"][name]
            cells.append(series["why"] if series["size"] is None else f"{px(series['size'])}, n {series['n']}")
        lines.append(f"| {first['words']} | {first['side']} px | {' | '.join(cells)} |")
    ratios = " | ".join("–" if each["large_over_small"] is None else px(each["large_over_small"]) for each in own)
    lines.append(f"| large image over small, ratio | | {ratios} |")
    lines.append(f"| blind parts of the image | | {' | '.join(', '.join(each['blind']) or 'none' for each in own)} |")
    return lines


def counted_table(rows):
    """Shares with Wilson's interval."""
    lines = ["| image | letter size | read right | share [95% CI] |", "|---|---|---|---|"]
    for each in rows:
        share = wilson(each["right"], each["n"])
        lines.append(
            f"| {each['side']} px | {each['size']} px | {each['right']} of {each['n']} | {share.value:.0%} "
            f"[{share.low:.0%}, {share.high:.0%}] |"
        )
    return lines


def sat(rng, reader, correlation, belief, rows, extremes=()):
    """A simulated series by the adaptive rule: size, letters right and letters shown of each row; and the belief."""
    asked = []

    def ask(size):
        shown, share = letters_that_fit(size, SMALL), float(reader.predict_accuracy([size])[0])
        if correlation:
            share = rng.beta(share * (1 / correlation - 1), (1 - share) * (1 / correlation - 1))
        asked.append((size, rng.binomial(shown, share), shown))
        return asked[-1]

    for _ in range(rows):
        belief = belief.after(*ask(belief.next_size()))
    for over in extremes:
        ask(min(candidates(SMALL), key=lambda size: abs(size - belief.threshold * over)))
    return np.array(asked).T, belief


def coverage(exams):
    """How often the intervals of the first series and of another one hold 12 px, a line for each kind of reader."""
    for correlation, width in product((0.0, 0.3, 0.6), (0.15, 0.3)):
        reader, held = PsychometricCurve(12, width, 0.02, 0.02), np.zeros((2, 2))
        for exam in range(exams):
            rng = np.random.default_rng([exam, int(correlation * 10), int(width * 100)])
            first, belief = sat(rng, reader, correlation, make_prior(SMALL), FIRST_ROWS, EXTREMES)
            other, _ = sat(rng, reader, correlation, transfer_belief(belief, SMALL), USUAL_ROWS)
            for at, wanted in enumerate((0.0, None)):
                fit = fit_psychometric(*first, correlation=wanted, resamples=200, seed=exam)
                like = {"like": fit.curve, "correlation": fit.correlation}
                again = fit_psychometric(*other, **like, resamples=200, seed=exam)
                held[at] += [each.threshold.low <= 12 <= each.threshold.high for each in (fit, again)]
        shares = " | ".join(f"{100 * share:.0f}" for share in (held / exams).ravel())
        print(f"| {correlation} | {width} | {shares} |", flush=True)


def main():
    """Measure what is asked for, keep it, or write the tables."""
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {"exams": [], "counted": []}
    what, seeds = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 5
    if what == "coverage":
        coverage(seeds)
        return
    if what == "tables":
        text = RESULTS.read_text()
        tables = {
            "organisms": organisms_table(record["exams"], record["halves"]),
            "ocr": ocr_table(record["exams"]),
            "counted": counted_table(record["counted"]),
        }
        for name, lines in tables.items():
            block = f"<!-- {name} -->\n\n" + "\n".join(lines) + f"\n\n<!-- end of {name} -->"
            text = re.sub(rf"<!-- {name} -->.*?<!-- end of {name} -->", lambda _, to=block: to, text, flags=re.DOTALL)
        RESULTS.write_text(text)
        return
    if what == "halves":
        record["halves"] = dict(halves())
    elif what == "counted":
        record["counted"] = list(counts())
    else:
        names = list(KNOWN) if what == "organisms" else [OCR]
        for name in names:
            for seed in range(seeds):
                record["exams"] = [e for e in record["exams"] if (e["model"], e["seed"]) != (name, seed)]
                record["exams"].append(examined(name, seed))
                RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")
                print(record["exams"][-1]["sentence"], flush=True)
    RECORD.write_text(json.dumps(record, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
