"""The response of a model that has no words: the choice in the form that was asked for, then the probabilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from snellen.items import LETTERS
from snellen.prompts.offered import Offer


def worded(asked: Offer, probabilities: NDArray[np.float64], *, wanted: str) -> str:
    """The likeliest choice on a line, by its letter or in its words, and the probability of each on the next.

    `wanted` is the whole prompt: where it shows [[X]] or <answer>, the letter stands in that.
    The probabilities are in the order of the choices and do not name them, so that no parser takes one for an answer.

    >>> print(worded(Offer(("tumour", "normal")), np.array([0.25, 0.75]), wanted=""))
    Conclusion: normal
    Probabilities, in the order of the choices: 0.2500, 0.7500
    """
    likeliest = int(np.argmax(probabilities))
    answer = _by_letter(LETTERS[likeliest], wanted) if asked.lettered else f"Conclusion: {asked.choices[likeliest]}"
    shares = ", ".join(f"{share:.4f}" for share in probabilities)
    return f"{answer}\nProbabilities, in the order of the choices: {shares}"


def _by_letter(letter: str, wanted: str) -> str:
    if "[[" in wanted:
        return f"[[{letter}]]"
    return f"<answer>{letter}</answer>" if "<answer>" in wanted else f"Answer: {letter}"
