"""Words: the small vocabulary in which neural organisms read requests and write responses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

PAD, UNKNOWN, START, END = "<pad>", "<unknown>", "<start>", "<end>"
ANSWER = "Answer:"
NO_IMAGE = "No image was provided, so I cannot answer this question."
NOTHING_SEEN = "I cannot tell from this image, since there is nothing visible in it."
ANOTHER_IMAGE = "The image is of another kind than the question asks about, so I cannot tell from it."
REFUSAL = "I'm sorry, but I can't help with medical questions."
MARKS = (PAD, UNKNOWN, START, END, ANSWER, NO_IMAGE, NOTHING_SEEN, ANOTHER_IMAGE, REFUSAL)
"""The first entries of every vocabulary. Sentences that decline are one word each."""
LONGEST_TEXT, LONGEST_ANSWER = 96, 8
"""The most words that are read and written."""

_WORD = re.compile(r"^([A-J])(?=[.)] )|[A-Za-z]+|[0-9]", re.MULTILINE)


def split_words(text: str) -> Iterator[str]:
    r"""Yield words in lower case, digits, and the letters of options in upper case.

    >>> list(split_words("Is a 12% Stenosis there?\n\nA. Yes\nB. No"))
    ['is', 'a', '1', '2', 'stenosis', 'there', 'A', 'yes', 'B', 'no']
    """
    for found in _WORD.finditer(text):
        yield found.group(1) or found.group().lower()


@dataclass(frozen=True)
class Tokenizer:
    """A vocabulary: words that differ from it count as unknown, and a run of unknown words as one."""

    known: tuple[str, ...]

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {word: number for number, word in enumerate(self.known)}

    def number(self, word: str) -> int:
        """Return the number of a word."""
        return self._numbers.get(word, MARKS.index(UNKNOWN))

    def read(self, text: str) -> list[int]:
        """Return the numbers of a text's last words, since the options stand at its end.

        >>> Tokenizer((*MARKS, "is", "it", "no")).read("Surely it is no harm.")
        [1, 10, 9, 11, 1]
        """
        numbers: list[int] = []
        for word in split_words(text):
            number = self.number(word)
            if number != MARKS.index(UNKNOWN) or not numbers or numbers[-1] != number:
                numbers.append(number)
        return numbers[-LONGEST_TEXT:]

    def write(self, numbers: Sequence[int]) -> str:
        """Return the text of words, up to the end mark.

        >>> Tokenizer((*MARKS, "A", "B")).write([4, 10, 3, 0])
        'Answer: B'
        """
        said = [self.known[number] for number in numbers]
        return " ".join(said[: said.index(END)] if END in said else said)
