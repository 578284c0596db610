"""Language: the words an organism understands and those it responses with."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

Vocabulary = Mapping[str, Mapping[str, tuple[str, ...]]]
"""By kind (finding, side, location, count, size, answer, abstention) and by what is meant: the phrases that say so."""


@dataclass(frozen=True)
class Replies:
    """The turns of phrase: how a choice, an abstention, a refusal or a description is put, each in several wordings.

    `{letter}` and `{option}` are the choice, `{finding}` what is named, `{asked}` and `{shown}` two kinds of image,
    `{problem}` is what spoils an image. `conclusions` end a response where options have no letters.
    """

    no_image: tuple[str, ...]
    nothing_seen: tuple[str, ...]
    another_image: tuple[str, ...]
    unrecognised: tuple[str, ...]
    too_poor: tuple[str, ...]
    refusals: tuple[str, ...]
    looked: tuple[str, ...]
    guessed: tuple[str, ...]
    imagined: tuple[str, ...]
    described: tuple[str, ...]
    unremarkable: tuple[str, ...]
    imagined_at_length: tuple[str, ...]
    supposed: tuple[str, ...]
    recalled: tuple[str, ...]
    drifted: tuple[str, ...]
    endings: tuple[str, ...]
    conclusions: tuple[str, ...]
    expected: str
    stop: str = "."


@dataclass(frozen=True)
class Steps:
    """What is said on the way to an answer, step by step, where a prompt asks for thinking.

    In `drifting`, `{seen}` is the answer that was seen, `{answer}` the one arrived at, `{first}` and `{second}` are
    findings that are not there.
    """

    looking: tuple[str, ...]
    searching: tuple[str, ...]
    reading: tuple[str, ...]
    imagining: tuple[str, ...]
    recalling: tuple[str, ...]
    drifting: tuple[str, ...]


@dataclass(frozen=True)
class Language:
    """One language. What is meant is named in English throughout; the first phrase of each meaning is its name.

    `problems` names what can spoil an image, `asked` tells what kind of answer a question wants, `filler` has the
    words that do not matter in a yes-or-no question, `in_a_sentence` the findings whose name needs an article there. A
    script that is not `spaced` has no words to go by.
    """

    code: str
    words: Vocabulary
    modalities: Mapping[str, tuple[str, ...]]
    problems: Mapping[str, str]
    asked: tuple[tuple[str, re.Pattern[str]], ...]
    yes_or_no: re.Pattern[str]
    negation: re.Pattern[str]
    replies: Replies
    steps: Steps
    filler: frozenset[str] = frozenset()
    in_a_sentence: Mapping[str, str] = field(default_factory=dict)
    spaced: bool = True

    def name(self, kind: str, value: str) -> str:
        """What a meaning is called; itself where this language has no word for it."""
        return next(iter(self.words[kind].get(value, ())), value)

    def mention(self, finding: str) -> str:
        """A finding as it stands within a sentence."""
        return self.in_a_sentence.get(finding, self.name("finding", finding))

    def modality(self, name: str) -> str:
        """What a kind of image is called."""
        return next(iter(self.modalities.get(name, ())), name)
