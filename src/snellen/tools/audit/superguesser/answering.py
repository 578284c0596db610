"""Answering: how likely a network finds each option of a question."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from snellen.tools.audit.superguesser.batches import Lesson, micro_batches, pad_sequences
from snellen.tools.audit.superguesser.lora import AdaptedModel
from snellen.tools.audit.superguesser.recipe import Hardware
from snellen.tools.audit.superguesser.wording import Tokens, Worded, paths

Floats = NDArray[np.float64]
Watch = Callable[[int, int], None]
"""Told how many sequences went through the network, of how many."""


def probabilities(
    network: AdaptedModel, questions: Sequence[Worded], hardware: Hardware, watch: Watch | None = None
) -> list[Floats]:
    """Compute the probability of each answer of each question; they add up to 1.

    It is that of an answer's tokens up to the first that differs from the question's other answers: for [[A]], [[B]]
    and so on, that of the letter. Answers that begin alike share one pass through the network.
    """
    import torch

    rows, where = _rows(questions)
    logs: list[dict[Tokens, float]] = [{} for _ in questions]
    done = 0
    network.model.eval()
    with torch.no_grad():
        for part in micro_batches([len(each.tokens) for each in rows], hardware):
            found = torch.log_softmax(network.logits(pad_sequences([rows[place] for place in part])), dim=-1)
            begin = 0
            for place in part:
                question, ways = where[place]
                for way in ways:
                    at = range(begin, begin + len(way))
                    logs[question][way] = float(found[list(at), list(way)].sum())
                begin += rows[place].answer
            done += len(part)
            if watch:
                watch(done, len(rows))
    return [_shares([own[way] for way in paths(each.answers)]) for own, each in zip(logs, questions, strict=True)]


def _rows(questions: Sequence[Worded]) -> tuple[list[Lesson], list[tuple[int, list[Tokens]]]]:
    """Build the sequences for the network, with the question and answers of each."""
    rows: list[Lesson] = []
    where: list[tuple[int, list[Tokens]]] = []
    for number, question in enumerate(questions):
        beginnings: dict[Tokens, list[Tokens]] = {}
        for way in paths(question.answers):
            beginnings.setdefault(way[:-1], []).append(way)
        for ways in beginnings.values():
            rows.append(Lesson((*question.tokens, *ways[0]), len(ways[0])))
            where.append((number, ways))
    return rows, where


def _shares(logs: Sequence[float]) -> Floats:
    likely = np.exp(np.array(logs) - max(logs))
    return np.asarray(likely / likely.sum(), dtype=np.float64)
