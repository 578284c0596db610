"""The light super-guesser, measured: which model guesses best, and whether what the audit says of it is true.

    python research/audit_guesser/measure.py [candidates] [clean] [leak] [planted] [pruning] [speed]

Each part prints its table for results.md. `candidates` needs scikit-learn (extra `bench`) and the real benchmarks in
../shared/data, and so do `clean` and `speed`. Everything takes about six minutes of one core.
"""

from __future__ import annotations

import gzip
import json
import os
import sys
import time
from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import betaincinv

from snellen.benchmarks import phantoms, vqa_rad
from snellen.items import Item, Option
from snellen.stats import holm
from snellen.stress.image_dependence.conditional_logit import hits, shares
from snellen.stress.image_dependence.cues import CueKind, named_cues
from snellen.stress.image_dependence.guesser import guess
from snellen.tools.audit.audit import audit
from snellen.tools.audit.audited import Audited
from snellen.tools.audit.checks.pruning import prune
from snellen.tools.audit.guesser import _independent as independent
from snellen.tools.audit.guesser import deal, guess_answers

DATA = Path(os.environ.get("SHARED_DATA", Path(__file__).resolve().parents[2].parent / "shared" / "data"))


def medxpertqa() -> tuple[Item, ...]:
    """The items of MedXpertQA-MM; the question without the list of options at its end."""
    items = []
    with gzip.open(DATA / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz", "rt", encoding="utf-8") as rows:
        for row in map(json.loads, rows):
            question = row["question"].split("\nAnswer Choices:")[0]
            letters = [option["letter"] for option in row["options"]]
            options = tuple(Option(option["content"]) for option in row["options"])
            items.append(Item(row["id"], question, options, letters.index(row["label"][0])))
    return tuple(items)


def rad(split: str) -> tuple[Item, ...]:
    """The questions with options of a split of VQA-RAD."""
    return tuple(item for item in vqa_rad.load(DATA / "vqa-rad", split=split, allow_broken=True) if item.has_choice)


FRESH = 10_000
"""Added to the seeds of `clean` and `planted`: on lower ones the rules were chosen, and these were never looked at."""


def bounds(count: int, of: int) -> str:
    """A share with its exact binomial 95% CI."""
    low = betaincinv(count, of - count + 1, 0.025) if count else 0.0
    high = betaincinv(count + 1, of - count, 0.975) if count < of else 1.0
    return f"{count} of {of} (95% CI {100 * low:.1f} to {100 * high:.1f}%)"


# Which model guesses best


def candidates() -> None:
    """Accuracy, log loss and log loss at the best temperature in hindsight, of several models on the same folds."""
    sets = {
        "VQA-RAD, all, 5 folds": (rad("all"), ()),
        "VQA-RAD, training to test": (rad("test"), rad("train")),
        "MedXpertQA-MM, 5 folds": (medxpertqa(), ()),
        "phantoms, leak 0.3, 5 folds": (phantoms.load(items=400, leak=0.3, seed=11).items, ()),
    }
    print("| benchmark | model | accuracy | log loss | at the best temperature | processor time (s) |")
    print("|---|---|---|---|---|---|")
    for name, (items, training) in sets.items():
        for model, probability, hit, best, seconds in _candidates(items, training):
            print(f"| {name} | {model} | {hit:.3f} | {probability:.4f} | {best} | {seconds:.1f} |", flush=True)


def _candidates(items, training):
    kept = independent(items, training)
    dealt = deal(items, kept, 0)
    cues = named_cues([*items, *kept]).take(dealt.asked)
    own = np.flatnonzero(dealt.own)
    truth = np.zeros(cues.table.shape[0])
    truth[cues.right] = 1
    fold = np.repeat(dealt.fold, cues.sizes)
    yield "chance", np.log(cues.sizes[own]).mean(), (1 / cues.sizes[own]).mean(), "–", 0.0
    start = time.process_time()
    ours = guess_answers(Audited("", tuple(items), tuple(training)))
    spent = time.process_time() - start
    yield "**named cues, two readings** (ours)", -np.log(ours.probability).mean(), ours.hit.mean(), "–", spent
    start = time.process_time()
    old = guess(dealt.items)
    if len(dealt.judged) > 1:
        spent = time.process_time() - start
        yield "hashed cues, the guesser of `visual-necessity`", -np.log(old.right).mean(), old.hit.mean(), "–", spent
    scores = {}
    for model, score in _scikit(dealt, cues).items():
        start = time.process_time()
        scores[model] = np.zeros(fold.size)
        for held in dealt.judged:
            scores[model][fold == held] = score(fold != held, fold == held, truth)
        yield model, *_figures(scores[model], cues, own), time.process_time() - start
    blend = sum(scores.values()) / len(scores)
    yield "blend of these four", *_figures(blend, cues, own), 0.0


def _figures(scores, cues, own):
    def loss(slope):
        return -np.log(shares(slope * scores, cues.sizes)[cues.right][own]).mean()

    best = minimize_scalar(loss, bounds=(0, 3), method="bounded")
    hit = hits(shares(scores, cues.sizes), cues.sizes, cues.right)[own].mean()
    return loss(1.0), hit, f"{best.fun:.4f}"


def _scikit(dealt, cues):
    from scipy import sparse
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.linear_model import LogisticRegression

    rows = [(item.question, option.text) for item in dealt.items for option in item.options if not option.abstains]
    options = TfidfVectorizer(min_df=2, sublinear_tf=True, ngram_range=(1, 2)).fit_transform([text for _, text in rows])
    pairs = [
        " ".join(f"{one}_{two}" for one in question.lower().split()[-20:] for two in text.lower().split()[:6])
        for question, text in rows
    ]
    crossed = TfidfVectorizer(min_df=3, token_pattern=r"\S+").fit_transform(pairs)
    words = sparse.hstack([options, crossed]).tocsr()
    dense = cues.table[:, ~cues.mark_kinds(CueKind.WORD, CueKind.PAIR)].toarray()

    def logistic(strength):
        def score(seen, held, truth):
            model = LogisticRegression(C=strength, max_iter=200).fit(words[seen], truth[seen])
            return model.decision_function(words[held])

        return score

    def trees(make):
        def score(seen, held, truth):
            given = make().fit(dense[seen], truth[seen]).predict_proba(dense[held])[:, 1].clip(1e-3, 1 - 1e-3)
            return np.log(given / (1 - given))

        return score

    return {
        "TF-IDF of option and question × option, logistic, C = 1": logistic(1.0),
        "the same, C = 10": logistic(10.0),
        "gradient boosting on option-wise cues": trees(
            lambda: HistGradientBoostingClassifier(
                max_iter=100, learning_rate=0.05, max_leaf_nodes=8, l2_regularization=5, random_state=0
            )
        ),
        "extra trees on option-wise cues": trees(
            lambda: ExtraTreesClassifier(300, min_samples_leaf=10, random_state=0)
        ),
    }


# Where there is nothing to find


def redrawn(items, rng):
    """The same items with keys drawn at random."""
    return tuple(replace(item, answer=int(rng.integers(len(item.options)))) for item in items)


def drawn(items, count, rng):
    """Some of the items."""
    return [items[place] for place in rng.permutation(len(items))[:count]]


def clean() -> None:
    """How often a benchmark whose text gives nothing away is said to be guessed, or to have a cue."""
    all_rad, expert = rad("all"), medxpertqa()
    sets = {
        "phantoms, 200 items": (100, lambda seed, rng: phantoms.load(items=200, seed=FRESH + seed).items),
        "VQA-RAD with keys redrawn, 400 items": (60, lambda seed, rng: redrawn(drawn(all_rad, 400, rng), rng)),
        "VQA-RAD with keys redrawn, 60 items": (100, lambda seed, rng: redrawn(drawn(all_rad, 60, rng), rng)),
        "MedXpertQA-MM with keys redrawn, 300 items": (40, lambda seed, rng: redrawn(drawn(expert, 300, rng), rng)),
    }
    print("| benchmark | accuracy above chance, p ≤ 0.05 | single cues, p ≤ 0.05 | anything, after Holm | pruned |")
    print("|---|---|---|---|---|")
    for name, (seeds, make) in sets.items():
        first, cues, any_, pruned = [], [], [], []
        for seed in range(seeds):
            found = Audited("clean", tuple(make(seed, np.random.default_rng(FRESH + seed))), seed=seed)
            done = guess_answers(found)
            first.append(done.p)
            cues.extend(cue.p for cue in done.cues)
            any_.append(min(holm([done.p, *(cue.p for cue in done.cues)])))
            pruning = audit(found, ["pruning"]).checked[0]
            pruned.append(len(pruning.lists.get("removed-by-pruning", ())))
        print(
            f"| {name} | {bounds(sum(p <= 0.05 for p in first), seeds)} | {np.mean(np.array(cues) <= 0.05):.1%} of "
            f"{len(cues)} | {bounds(sum(p <= 0.05 for p in any_), seeds)} | "
            f"{bounds(sum(n > 0 for n in pruned), seeds)}, at most {max(pruned)} items |",
            flush=True,
        )


# Where it is known what there is to find


def leak() -> None:
    """Whether the interval of the accuracy holds what a reader of all that is leaked would score."""
    covered, off, width, named = 0, [], [], Counter()
    for seed in range(50):
        items = phantoms.load(items=300, leak=0.3, seed=2000 + seed).items
        found = guess_answers(Audited("leak", items, seed=seed))
        told = np.array([item.metadata["leaked"] for item in items])
        ceiling = float(np.mean(np.where(told, 1.0, found.chance)))
        covered += found.accuracy.low <= ceiling <= found.accuracy.high
        off.append(found.accuracy.value - ceiling)
        width.append(found.accuracy.high - found.accuracy.low)
        named[found.cues[0].name] += 1
    print(
        f"covered {bounds(covered, 50)}; mean difference {100 * np.mean(off):+.1f} points (SD {100 * np.std(off):.1f}),"
    )
    print(f"mean width of the interval {100 * np.mean(width):.1f} points; first cue: {dict(named)}")


WORDS = """
acute chronic diffuse focal basal apical patchy nodular cystic solid linear dense faint broad narrow smooth ragged
central lateral dorsal medial distal early late mild marked stable growing healed fresh blunt round oval flat
""".split()  # noqa: SIM905


def plain(number: int, rng: np.random.Generator, options: int = 4) -> Item:
    """A question whose options are words drawn at random, and so is its key."""
    drawn_texts = [" ".join(rng.choice(WORDS, size=rng.integers(2, 5), replace=False)) for _ in range(3 * options)]
    chosen = list(dict.fromkeys(drawn_texts))[:options]
    asked = f"Which description fits region {' '.join(rng.choice(WORDS, size=2))} best?"
    return Item(f"i{number}", asked, tuple(map(Option, chosen)), int(rng.integers(options)))


def longer(item: Item, rng: np.random.Generator) -> Item:
    """In half the items the right option has three more words."""
    return said(item, " ".join(rng.choice(WORDS, size=3))) if rng.random() < 0.5 else item


def give_away(item: Item, rng: np.random.Generator) -> Item:
    """In four of ten items the right option has a word that no other has."""
    return said(item, "typically") if rng.random() < 0.4 else item


def give_away_level(item: Item, rng: np.random.Generator) -> Item:
    """The same where all other options have two words, so that the one with the word is the longest, too."""
    short = tuple(replace(option, text=" ".join(option.text.split()[:2])) for option in item.options)
    return give_away(replace(item, options=short), rng)


def favoured(item: Item, rng: np.random.Generator) -> Item:
    """In half the items the right option is moved to place C."""
    if rng.random() >= 0.5:
        return item
    options = list(item.options)
    options[2], options[item.answer] = options[item.answer], options[2]
    return replace(item, options=tuple(options), answer=2)


def named_before(item: Item, rng: np.random.Generator) -> Item:
    """In three of ten items the context names the right option."""
    told = f"The report says {item.options[item.answer].text}."
    return replace(item, context=told) if rng.random() < 0.3 else item


def said(item: Item, words: str) -> Item:
    """The item with words added to its right option."""
    options = [
        replace(option, text=f"{option.text} {words}") if place == item.answer else option
        for place, option in enumerate(item.options)
    ]
    return replace(item, options=tuple(options))


PLANTED = {
    "a longer option": (longer, CueKind.LENGTH, ("the longer option", "the longest option")),
    "a give-away word": (give_away, CueKind.WORD, ("the word 'typically'",)),
    "a give-away word, all other options short": (give_away_level, CueKind.WORD, ("the word 'typically'",)),
    "a favoured position": (favoured, CueKind.POSITION, ("option C",)),
    "named in the context": (named_before, CueKind.CONTEXT, ("named in the context", "named by itself in the context")),
}


def planted() -> None:
    """How often a planted cue is the first that is named, and how often it is significant after correction."""
    print("| planted | items | named first | significant after Holm | others significant |")
    print("|---|---|---|---|---|")
    for name, (plant, kind, names) in PLANTED.items():
        for count in (100, 200):
            first = stands = others = 0
            for seed in range(30):
                rng = np.random.default_rng([FRESH + seed, count])
                items = tuple(plant(plain(number, rng), rng) for number in range(count))
                found = guess_answers(Audited("planted", items, seed=seed))
                corrected = holm([found.p, *(cue.p for cue in found.cues)])[1:]
                first += found.cues[0].kind is kind and found.cues[0].name in names
                significant = {cue.kind for cue, p in zip(found.cues, corrected, strict=True) if p <= 0.05}
                stands += kind in significant
                others += bool(significant - {kind})
            print(f"| {name} | {count} | {bounds(first, 30)} | {bounds(stands, 30)} | {others} of 30 |", flush=True)


# Pruning


def pruning() -> None:
    """How many items pruning removes where it is known how many give their answer away, and which."""
    removed, leaked, precision, after, later = [], [], [], [], []
    for seed in range(20):
        items = phantoms.load(items=300, leak=0.3, seed=3000 + seed).items
        done = guess_answers(Audited("leak", items, seed=seed))
        pruned = prune(done, seed=seed)
        told = np.array([item.metadata["leaked"] for item in items])
        removed.append(np.mean(~pruned.kept))
        leaked.append(told.mean())
        precision.append(told[~pruned.kept].mean())
        after.append(pruned.rounds[-1].accuracy.value - pruned.rounds[-1].chance)
        rest = tuple(item for item, stays in zip(items, pruned.kept, strict=True) if stays)
        fresh = guess_answers(Audited("rest", rest, seed=seed + 500))
        later.append(fresh.hit.mean() - fresh.chance.mean())
    for words, values in (
        ("share removed", removed),
        ("share leaked", leaked),
        ("share of the removed that is leaked", precision),
        ("accuracy above chance at the end", after),
        ("the same by another guesser in other folds", later),
    ):
        print(f"| {words} | {100 * np.mean(values):.1f} | {100 * np.min(values):.1f} to {100 * np.max(values):.1f} |")


# Speed


def speed() -> None:
    """Processor time of both checks on 2,000 questions with five options."""
    rng = np.random.default_rng(0)
    real = medxpertqa()
    for name, items in (
        ("MedXpertQA-MM as it is", real),
        (
            "the same with a longer right option in 30%",
            tuple(longer(i, rng) if rng.random() < 0.6 else i for i in real),
        ),
    ):
        start, began = time.process_time(), time.perf_counter()
        audit(Audited(name, items), ["super-guesser", "pruning"])
        print(f"| {name} | {time.process_time() - start:.1f} | {time.perf_counter() - began:.1f} |", flush=True)


PARTS = {each.__name__: each for each in (candidates, clean, leak, planted, pruning, speed)}

if __name__ == "__main__":
    for part in sys.argv[1:] or PARTS:
        print(f"\n## {part}\n", flush=True)
        PARTS[part]()
