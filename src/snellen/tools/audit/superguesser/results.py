"""The super-guesser's answer to each question, and the files that hold them.

`scores.jsonl` has a row for each tested question: `item_id`; `score`, the probability of the right option; `right`,
whether that option is the most probable; `chosen`, the most probable option (0 is A); `probabilities` of the options
(null: an option that means "I do not know"); `chance`; `group`, the same for questions of one patient or image; `fold`,
the training that the question was not part of; and `truncated`. `superguesser.json` has everything else. Neither file
contains text of the benchmark.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson

from snellen.errors import DataError
from snellen.files import replace_set, write_whole
from snellen.schemas import later
from snellen.scoring.writing import estimate_as_json
from snellen.stats import Estimate, mean, proportion

SCORES, SUMMARY = "scores.jsonl", "superguesser.json"
SCHEMA = 1


class Guess(NamedTuple):
    """A network's guess at a question whose patient and image it never saw."""

    item_id: str
    score: float
    right: bool
    chosen: int
    probabilities: tuple[float | None, ...]
    chance: float
    group: int
    fold: int = 0
    truncated: bool = False


@dataclass(frozen=True)
class Training:
    """One training: its questions, steps and losses."""

    questions: int
    validation: int
    tested: int
    shared: int
    """Training questions left out, since their patient or image is tested."""
    not_drawn: int
    truncated: int
    steps: int
    tokens: int
    seconds: float
    loss: float
    validation_loss: float | None


@dataclass(frozen=True)
class SuperGuess:
    """The super-guesser's answers to a benchmark, and how it was trained."""

    benchmark: str
    guesses: tuple[Guess, ...]
    trainings: tuple[Training, ...]
    about: dict[str, Any]
    """Recipe, hardware, base model, prompt, versions, and the numbers of items without options."""

    @cached_property
    def accuracy(self) -> Estimate:
        """The share of correct guesses, with a 95% CI over patients and images."""
        return proportion([each.right for each in self.guesses], self._groups)

    @cached_property
    def above_chance(self) -> Estimate:
        """Accuracy minus chance, averaged over questions."""
        return mean([each.right - each.chance for each in self.guesses], self._groups)

    @cached_property
    def chance(self) -> float:
        """Average score of blind guesses."""
        return float(np.mean([each.chance for each in self.guesses]))

    @property
    def _groups(self) -> list[int]:
        return [each.group for each in self.guesses]

    def sentence(self) -> str:
        """The result in a sentence."""
        found, gain = self.accuracy, self.above_chance
        beyond = "above" if gain.low > 0 else "below" if gain.high < 0 else "not distinguishable from"
        return (
            f"Trained on {self.trainings[0].questions:,} questions without images, the super-guesser answers "
            f"{found.value:.1%} of {found.n:,} questions right that it never saw (95% CI {found.low:.1%} to "
            f"{found.high:.1%}): {beyond} chance, which is {self.chance:.1%}."
        )

    def write(self, folder: Path) -> None:
        """Write the scores and the summary."""
        rows = [orjson.dumps(each._asdict()) for each in self.guesses]
        summary = {
            "schema": SCHEMA,
            "benchmark": self.benchmark,
            "n": len(self.guesses),
            "accuracy": estimate_as_json(self.accuracy),
            "chance": self.chance,
            "above_chance": estimate_as_json(self.above_chance),
            "mean_score": float(np.mean([each.score for each in self.guesses])),
            "truncated": sum(each.truncated for each in self.guesses),
            "trainings": [asdict(each) for each in self.trainings],
            **self.about,
        }
        with replace_set(folder, record=SUMMARY, schema=SCHEMA) as (new, _):
            write_whole(new / SCORES, b"\n".join([*rows, b""]))
            write_whole(new / SUMMARY, orjson.dumps(summary, option=orjson.OPT_INDENT_2))


def read_scores(path: Path) -> list[Guess]:
    """Read the rows of `scores.jsonl` from the file or its folder."""
    file = path / SCORES if path.is_dir() else path
    try:
        summary = orjson.loads(file.with_name(SUMMARY).read_bytes()) if file.with_name(SUMMARY).exists() else {}
        if said := later(file.with_name(SUMMARY), summary.get("schema"), SCHEMA):
            raise DataError(said)
        if "unfinished" in summary:
            raise DataError(f"{file.with_name(SUMMARY)}: {summary['unfinished']}")
        rows: Sequence[dict[str, Any]] = [orjson.loads(line) for line in file.read_bytes().splitlines() if line.strip()]
        return [Guess(**{**row, "probabilities": tuple(row["probabilities"])}) for row in rows]
    except (OSError, KeyError, TypeError, AttributeError, orjson.JSONDecodeError) as error:
        raise DataError(f"{file} is not a file of scores by `snellen benchmark guess`: {error}.") from error
