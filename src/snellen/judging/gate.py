"""The gate: which judges may be believed, and which of their numbers are held back until people agree with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snellen.store import Store

NEEDED = ("open answer", "mismatch", "premise", "rationale")
"""The questions on which an opinion counts only if the judge was qualified. Of the others, whose answers stand beside
a parser's, an unmeasured judge is shown with a caution."""


class HeldBack(NamedTuple):
    """A judge whose opinions on a question are not published, and why."""

    judge: str
    question: str
    why: str

    @property
    def sentence(self) -> str:
        """It in words, with what to do.

        >>> HeldBack("openai/gpt-4o", "open answer", "its agreement with people is not known").sentence.split(":")[0]
        'What openai/gpt-4o says (open answer) is held back'
        >>> ["--question" in HeldBack("judge", each, "").sentence for each in NEEDED]
        [False, True, True, True]
        """
        asked = "" if self.question == NEEDED[0] else f" --question {self.question}"
        return (
            f"What {self.judge} says ({self.question}) is held back: {self.why}. Measure how far it agrees with people "
            f"(`snellen parser qualify judge FILE.jsonl --judge {self.judge}{asked} --study OUT`), or publish it all "
            "the same with --unqualified-judges."
        )


@dataclass(frozen=True)
class Gate:
    """How judges were qualified, by judge and question; `open` lets everything pass."""

    records: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    open: bool = False

    @classmethod
    def of(cls, store: Store, *, versions: Mapping[str, str], unqualified: bool = False) -> Gate:
        """The gate of a store: the latest qualification counts, if it was for the words that are used now."""
        found = {
            (str(each["judge"]), str(each["question"])): each
            for each in store.labels.qualifications()
            if versions.get(str(each["question"])) == each["version"]
        }
        return cls(found, unqualified)

    def held(self, judge: str, question: str) -> HeldBack | None:
        """Why a judge's opinions on a question are held back; None where they count."""
        record = self.records.get((judge, question))
        if self.open or (record is None and question not in NEEDED):
            return None
        if record is None:
            return HeldBack(judge, question, "its agreement with people is not known")
        if record["qualified"]:
            return None
        return HeldBack(judge, question, str(record["why_not"]))
