"""All labelled rows as arrays, to train where torch is at hand and the package is not.

    python research/acts/arrays.py ROWS.npz MINILM.npz MODEL_FOLDER

Besides the rows: their sentences with other fillers, sentences joined to responses, whole responses joined to long ones
(all with the labels of their parts), and pieces of responses mixed, which only the teacher labels. MODEL_FOLDER has the
sentence embeddings that the teacher starts from: `model.safetensors` and `tokenizer.json`.
"""

from __future__ import annotations

import json
import random
import re
import runpy
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from labelled_rows import (
    ACTS as LABELLED,
)
from labelled_rows import KEPT_APART, RESEARCH, TESTS, Row, admissions, all_rows, know, read_lines, training_rows
from safetensors.numpy import load_file
from tokenizers import Tokenizer
from written import APART, HERE, SETS, fill, is_apart, written_rows

from snellen.reading.acts import ACTS, QuestionFacts, hash_parts, make_words

JOINED, LONG, MIXED, SEED = 14_000, 10_000, 20_000, 7
AS_LABELLED, BY_PARTS, BY_TEACHER = range(3)
SPLIT = re.compile(r"(?<=[.!?])(?=\s)|\n+|(?<=[。！？])")
MOST_WORDS, MOST_TOKENS, MOST_OF_QUESTION = 400, 340, 80
SENTENCES = ("sentences", "filled")
_ANSWERS = {"describes": 1, "complies": 1, "generic": 0, "refuses": 0, "empty": 0, "evades": 0, "declines": 0}
Targets = list[int]


def facts_of(row: Row) -> QuestionFacts:
    """What the network is told of a row's question."""
    names = ("premise", "body_part", "shown_body_part", "modality", "shown_modality")
    return QuestionFacts(row.question, tuple(row.options), *(str(row.facts.get(name) or "") for name in names))


def read_answers() -> dict[str, int]:
    """Whether responses answer as if they had seen the image, for rows whose labels tell it; −1 if they do not."""
    labels = [
        (f"missing-image/{row['id']}", row["label"]) for row in read_lines(TESTS / "data/labelled/missing_image.jsonl")
    ]
    labels += [
        (f"replies/{row['id']}", row["does"]) for row in runpy.run_path(str(RESEARCH / "replies/measure.py"))["rows"]()
    ]
    labels += [(row.id, row.id.split("/")[1].split("-")[0]) for row in admissions()]
    labels += [
        (f"false-premise/{row['id']}", row["label"]) for row in read_lines(RESEARCH / "false_premise/labelled.jsonl")
    ]
    return {name: _ANSWERS.get(label, -1) for name, label in labels}


def filled() -> Iterator[Row]:
    """Sentences to train on, twice with other fillers."""
    for file in sorted((HERE / "sentences").glob("??.tsv")):
        slots = json.loads(file.with_suffix(".slots.json").read_text("utf-8"))
        for number, line in enumerate(file.read_text("utf-8").splitlines()[1:], 2):
            acts, _, text = line.partition("\t")
            for again in range(2 * ("{" in text and not is_apart(text))):
                said, chosen = fill(text, slots, f"{file.stem}/{number}/{again}")
                facts = {"premise": chosen["premise"], "body_part": chosen["part"], "shown_body_part": chosen["part2"]}
                yield Row(
                    f"filled/{file.stem}/{number}/{again}", "filled", file.stem, "", (), "", said,
                    know(**{act: act in acts.split(",") for act in LABELLED}), "", "train", facts=facts,
                )  # fmt: skip


def _of_parts(parts: Sequence[Row]) -> Targets:
    """The labels of responses joined: an act of any part is an act of the whole, if it needs no facts of its part."""
    found = []
    for act in LABELLED:
        values = [part.acts[act] for part in parts]
        if act in LABELLED[-2:]:
            others = any(values[1:])
            found.append(1 if values[0] else -1 if values[0] is None or others else 0)
        else:
            found.append(1 if any(values) else -1 if None in values else 0)
    return [*found, -1]


def _by_language(rows: Sequence[Row]) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        found.setdefault(row.language, []).append(row)
    return found


def made_up(rows: Sequence[Row]) -> Iterator[tuple[int, Row, Targets]]:
    """Joined and mixed responses."""
    rng = random.Random(SEED)
    sentences = _by_language([row for row in rows if row.source in SENTENCES])
    whole = _by_language([row for row in rows if row.source not in (*SENTENCES, "admissions")])
    written = _by_language([row for row in rows if row.source in SETS])

    def draw(pool: Mapping[str, list[Row]], power: float) -> list[Row]:
        return pool[rng.choices(list(pool), [len(each) ** power for each in pool.values()])[0]]

    for _ in range(JOINED):
        parts = rng.choices(draw(sentences, 1), k=rng.choice((2, 2, 3, 4, 6, 9)))
        joined = parts[0]._replace(response=rng.choice((" ", " ", "\n", "\n- ")).join(part.response for part in parts))
        if parts[0].language in whole and rng.random() < 0.5:
            asked = rng.choice(whole[parts[0].language])
            joined = joined._replace(question=asked.question, options=asked.options)
        yield BY_PARTS, joined, _of_parts(parts)
    for _ in range(LONG):
        pool = draw(written, 0.7)
        parts, most = [rng.choice(pool)], rng.choice((2, 2, 3, 4))
        while len(parts) < most:
            # Long responses mostly explain: those that perform an act are taken less often.
            other = rng.choice(pool)
            if rng.random() >= 0.6 or not any(other.acts.values()):
                parts.append(other)
        rng.shuffle(parts)
        text = rng.choice(("\n\n", "\n", " ")).join(part.response for part in parts)
        yield BY_PARTS, parts[0]._replace(response=text), _of_parts(parts)
    for _ in range(MIXED):
        some, pieces = rng.choices(draw(whole, 0.6), k=rng.choice((1, 2, 2, 3))), []
        for row in some:
            found = [piece.strip() for piece in SPLIT.split(row.response) if piece.strip()]
            start = rng.randrange(len(found)) if found else 0
            pieces.append(" ".join(found[start : start + rng.choice((1, 1, 2, 3, 5))]))
        if rng.random() < 0.25 and some[0].language in sentences:
            pieces.insert(rng.randrange(len(pieces) + 1), rng.choice(sentences[some[0].language]).response)
        yield BY_TEACHER, some[0]._replace(response=rng.choice((" ", "\n")).join(pieces)), [-1] * len(ACTS)


def main() -> None:
    """Write the arrays."""
    rows_file, weights_file, folder = map(Path, sys.argv[1:])
    older, answers = all_rows(), read_answers()
    apart = [row for row in older if row.split == KEPT_APART] + [row for row in written_rows() if row.split == APART]
    learned = [*training_rows(older), *(row for row in written_rows() if row.split != APART), *filled()]
    rows = [*apart, *learned]
    labels = [[-1 if row.acts[act] is None else int(bool(row.acts[act])) for act in LABELLED] for row in rows]
    targets = [[*each, answers.get(row.id, -1)] for row, each in zip(rows, labels, strict=True)]
    kinds = [AS_LABELLED] * len(rows)
    for kind, row, wanted in made_up(learned):
        kinds.append(kind)
        targets.append(wanted)
        rows.append(row)

    places: dict[str, int] = {}
    words, flags, sentences, about, ends = [], [], [], [], [0]
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    tokens, token_ends, asked, asked_ends = [], [0], [], [0]
    for row in rows:
        case = facts_of(row)
        read = make_words(row.response, case)
        words += [places.setdefault(word, len(places)) for word in read.words[:MOST_WORDS]]
        flags += read.flags[:MOST_WORDS]
        begins = np.zeros(min(len(read.words), MOST_WORDS), int)
        begins[[start for start in read.starts if start < MOST_WORDS]] = 1
        sentences += (begins.cumsum() - 1).tolist()
        about.append(read.about)
        ends.append(len(words))
        facts = f" premise: {case.premise}" * bool(case.premise) + f" about: {case.part} {case.modality}" * bool(
            case.part
        )
        facts += f" shown: {case.shown_part} {case.shown_modality}" * bool(case.shown_part or case.shown_modality)
        question = f"{case.question} {' | '.join(case.options)}"[:400] + facts
        asked += tokenizer.encode(question, add_special_tokens=False).ids[:MOST_OF_QUESTION]
        said = tokenizer.encode(row.response, add_special_tokens=False).ids
        tokens += said if len(said) <= MOST_TOKENS else said[: MOST_TOKENS - 100] + said[-100:]
        asked_ends.append(len(asked))
        token_ends.append(len(tokens))
    special = [tokenizer.token_to_id(name) for name in ("[PAD]", "[CLS]", "[SEP]")]
    used = np.unique([*tokens, *asked, *special])
    renamed = np.zeros(used.max() + 1, np.int64)
    renamed[used] = np.arange(len(used))
    sources = list(dict.fromkeys(row.source for row in rows))
    np.savez_compressed(
        rows_file, parts=np.array([hash_parts(word) for word in places], np.uint16), words=np.array(words, np.uint32),
        flags=np.array(flags, np.uint16), sentences=np.array(sentences, np.uint16), about=np.array(about, np.uint8),
        ends=np.array(ends), tokens=renamed[tokens].astype(np.uint16), token_ends=np.array(token_ends),
        asked=renamed[asked].astype(np.uint16), asked_ends=np.array(asked_ends), special=renamed[special],
        targets=np.array(targets, np.int8), kinds=np.array(kinds, np.uint8), apart=np.arange(len(rows)) < len(apart),
        source=np.array([sources.index(row.source) for row in rows], np.uint8), sources=sources,
    )  # fmt: skip
    # The teacher's weights in 8 bits by row, with the tokens that occur.
    kept: dict[str, Any] = {}
    for name, weights in load_file(folder / "model.safetensors").items():
        weights = (
            weights.astype(np.float32)[used] if name.endswith("word_embeddings.weight") else weights.astype(np.float32)
        )
        if weights.ndim == 2:
            scale = np.abs(weights).max(1, keepdims=True) / 127
            kept[f"{name}|scale"], kept[f"{name}|rounded"] = scale, np.round(weights / scale).astype(np.int8)
        elif weights.ndim == 1:
            kept[name] = weights
    np.savez_compressed(weights_file, **kept)


if __name__ == "__main__":
    main()
