"""Questions without images as tokens, and batches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from snellen.errors import UnusableModelError
from snellen.items import LETTERS, Item, whole_of
from snellen.prompts import Prompt
from snellen.tools.audit.superguesser.recipe import Hardware, Recipe

Tokens = tuple[int, ...]

MOST_LOST = 0.2
"""Maximum share of a question's words that a tokenizer may lose."""


class Worded(NamedTuple):
    """A question and its answers as tokens, without options that abstain."""

    item: Item
    tokens: Tokens
    answers: tuple[Tokens, ...]
    places: tuple[int, ...]
    """The option that each answer chooses."""
    truncated: bool

    @property
    def lesson(self) -> Lesson:
        """The question with its right answer, to learn from."""
        answer = self.answers[self.places.index(int(self.item.answer or 0))]
        return Lesson((*self.tokens, *answer), len(answer))


def prompt_for(benchmark: str, prompt: Prompt) -> Prompt:
    """Return the prompt for the questions of a benchmark."""
    bare = whole_of(benchmark).partition(":")[0]
    own = prompt.for_benchmark(bare)
    return own.naming(own.dataset or bare)


@dataclass(frozen=True)
class QuestionTokenizer:
    """Turns questions to tokens by a prompt and the tokenizer's chat template, if any."""

    prompt: Prompt
    tokenizer: Any
    max_length: int = 2048

    def ask(self, items: Sequence[Item]) -> list[Worded]:
        """Turn questions to tokens. With its longest answer, a question has at most `max_length` tokens.

        A longer one loses its beginning, which is the context. An answer takes at most half of `max_length`.
        """
        if not items:
            return []
        said = [self.text(item) for item in items]
        texts = self._tokens(said)
        self._check(said[0], texts[0])
        return [self._tokenize_question(item, tokens) for item, tokens in zip(items, texts, strict=True)]

    def _check(self, text: str, tokens: Tokens) -> None:
        """Refuse a tokenizer that loses words, for example one loaded as the wrong kind."""
        read = "".join(str(self.tokenizer.decode(list(tokens))).split()).casefold()
        words = text.casefold().split()
        lost = [word for word in words if word not in read]
        if len(lost) > MOST_LOST * len(words):
            raise UnusableModelError(
                f"The base model's tokenizer loses {len(lost):,} of the {len(words):,} words of a question. Either it "
                "does not know this language, or transformers loads it as another kind of tokenizer than it is."
            )

    def text(self, item: Item) -> str:
        """Return the text that the network reads. It does not depend on the right answer."""
        system, words = self.prompt.render(item)
        if not self._has_template:
            return f"{self.tokenizer.bos_token or ''}{system}\n\n{words}\n\n".lstrip("\n")
        messages = self._messages(system, words)
        return str(self.tokenizer.apply_chat_template(messages, tokenize=False, add_generation_prompt=True))

    def answers(self, item: Item) -> dict[int, str]:
        """Return the response that chooses each option, in the form that the prompt asks for."""
        own = self.prompt.for_item(item)
        form = "[[{}]]" if own.parser == "double-brackets" else "{}"
        return {
            place: form.format(LETTERS[place] if own.shows_options else option.text)
            for place, option in enumerate(item.options)
            if not option.abstains
        }

    def _tokenize_question(self, item: Item, tokens: Tokens) -> Worded:
        said = self.answers(item)
        for text in set(said.values()) - self._answer_tokens.keys():
            (self._answer_tokens[text],) = self._tokens([text + self.ending])
        whole = [self._answer_tokens[text] for text in said.values()]
        answers = tuple(each[: self.max_length // 2] for each in whole)
        room = self.max_length - max(map(len, answers))
        truncated = len(tokens) > room or max(map(len, whole)) > self.max_length // 2
        return Worded(item, tokens[-room:], answers, tuple(said), truncated)

    @cached_property
    def _answer_tokens(self) -> dict[str, Tokens]:
        """Tokens of each possible response with its ending, computed once."""
        return {}

    @cached_property
    def _has_template(self) -> bool:
        return bool(getattr(self.tokenizer, "chat_template", None))

    @cached_property
    def _takes_system(self) -> bool:
        """Whether the template accepts a system message."""
        told = [{"role": "system", "content": "SYSTEM-WORDS"}, {"role": "user", "content": "USER-WORDS"}]
        try:
            return "SYSTEM-WORDS" in self.tokenizer.apply_chat_template(told, tokenize=False)
        except Exception:  # a template raises an error of its engine, which is no package of ours
            return False

    def _messages(self, system: str, words: str) -> list[dict[str, str]]:
        if system and self._takes_system:
            return [{"role": "system", "content": system}, {"role": "user", "content": words}]
        return [{"role": "user", "content": f"{system}\n\n{words}".strip()}]

    @cached_property
    def ending(self) -> str:
        """The end of a response: the template's ending, or else the tokenizer's end of text."""
        eos = str(self.tokenizer.eos_token or "")
        if not self._has_template:
            return eos
        told = self._messages("", "Which?")
        before = self.tokenizer.apply_chat_template(told, tokenize=False, add_generation_prompt=True)
        replied = [*told, {"role": "assistant", "content": "[[A]]"}]
        whole = str(self.tokenizer.apply_chat_template(replied, tokenize=False))
        return whole.removeprefix(f"{before}[[A]]") if whole.startswith(f"{before}[[A]]") else eos

    def _tokens(self, texts: Sequence[str]) -> list[Tokens]:
        found = self.tokenizer(list(texts), add_special_tokens=False)["input_ids"]
        return [tuple(int(token) for token in each) for each in found]


def paths(answers: Sequence[Tokens]) -> list[Tokens]:
    """Cut each answer after the token that distinguishes it from all others.

    >>> paths([(7, 1, 9), (7, 2, 9), (8, 9)])
    [(7, 1), (7, 2), (8,)]
    """
    found = []
    for own, answer in enumerate(answers):
        others = [*answers[:own], *answers[own + 1 :]]
        lengths = range(1, len(answer))
        apart = (length for length in lengths if all(other[:length] != answer[:length] for other in others))
        found.append(answer[: next(apart, len(answer))])
    return found


Ints = NDArray[np.int64]

GRAIN = 8
"""Rows of a micro batch are padded to a multiple of this many tokens, which suits the matrix units."""


class Lesson(NamedTuple):
    """A question as tokens, with its answer as the last of them."""

    tokens: tuple[int, ...]
    answer: int
    """Number of tokens at the end that are the answer; only they count in the loss."""


class Padded(NamedTuple):
    """Sequences as one array, padded at the right. Causal attention needs no mask for that."""

    tokens: Ints
    at: Ints
    """Places in the flattened array where the answer's tokens are predicted: one before each of them."""
    targets: Ints
    """The answer's tokens."""


def batch_at(step: int, count: int, recipe: Recipe) -> list[int]:
    """Draw the places of the questions of one step; every epoch has its own order.

    >>> sorted(batch_at(0, 3, Recipe(batch=2)) + batch_at(1, 3, Recipe(batch=2)))
    [0, 1, 2]
    """
    per_epoch = -(-count // recipe.batch)
    epoch, number = divmod(step, per_epoch)
    order = np.random.default_rng((recipe.seed, epoch)).permutation(count)
    return [int(place) for place in order[number * recipe.batch : (number + 1) * recipe.batch]]


def micro_batches(lengths: Sequence[int], hardware: Hardware) -> list[list[int]]:
    """Batch the sequences of similar length, so that little padding is needed.

    All sequences belong to one step, so its gradient does not depend on the parts.

    >>> micro_batches([9, 30, 8, 31], Hardware(micro_batch=2))
    [[3, 1], [0, 2]]
    """
    parts: list[list[int]] = []
    for place in sorted(range(len(lengths)), key=lambda each: (-lengths[each], each)):
        room = parts and len(parts[-1]) < hardware.micro_batch
        if room and (len(parts[-1]) + 1) * _round_up(lengths[parts[-1][0]]) <= hardware.micro_tokens:
            parts[-1].append(place)
        else:
            parts.append([place])
    return parts


def pad_sequences(sequences: Sequence[Lesson], fill: int = 0) -> Padded:
    """Pad sequences to one array.

    >>> pad_sequences([Lesson((5, 6, 7), 1)]).at.tolist()
    [1]
    """
    length = _round_up(max(len(each.tokens) for each in sequences))
    tokens = np.full((len(sequences), length), fill, dtype=np.int64)
    at: list[int] = []
    targets: list[int] = []
    for row, each in enumerate(sequences):
        tokens[row, : len(each.tokens)] = each.tokens
        first = row * length + len(each.tokens) - each.answer - 1
        at += range(first, first + each.answer)
        targets += each.tokens[len(each.tokens) - each.answer :]
    return Padded(tokens, np.array(at, dtype=np.int64), np.array(targets, dtype=np.int64))


def _round_up(length: int) -> int:
    return -(-length // GRAIN) * GRAIN
