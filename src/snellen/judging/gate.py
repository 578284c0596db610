"""The gate: which judges' opinions are reported. Unqualified judges are held back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from snellen.store import Store

NEEDED = ("open answer", "mismatch", "premise", "rationale")
"""Questions on which a judge's opinions count only after it was qualified.

The other questions are also answered by a parser, so an unqualified judge is shown with a caution.
"""


class HeldBack(NamedTuple):
    """A judge whose opinions on a question are not reported, and the reason."""

    judge: str
    question: str
    why: str

    @property
    def sentence(self) -> str:
        """Sentence with the reason and what the user can do.

        >>> HeldBack("openai/gpt-4o", "open answer", "its agreement with people is not known").sentence.split(":")[0]
        'The opinions of openai/gpt-4o (open answer) are held back'
        >>> ["--question" in HeldBack("judge", each, "").sentence for each in NEEDED]
        [False, True, True, True]
        """
        asked = "" if self.question == NEEDED[0] else f" --question {self.question}"
        return (
            f"The opinions of {self.judge} ({self.question}) are held back: {self.why}. Measure agreement with people "
            f"(`snellen parser qualify judge FILE.jsonl --judge {self.judge}{asked} --study OUT`), or report it "
            "nevertheless with --unqualified-judges."
        )


@dataclass(frozen=True)
class JudgeGate:
    """Qualifications of judges, by judge and question; if `open`, every judge counts."""

    records: Mapping[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    open: bool = False

    @classmethod
    def from_store(cls, store: Store, *, versions: Mapping[str, str], unqualified: bool = False) -> JudgeGate:
        """Load the latest qualification of each judge for the current version of each question."""
        found = {
            (str(each["judge"]), str(each["question"])): each
            for each in store.labels.qualifications()
            if versions.get(str(each["question"])) == each["version"]
        }
        return cls(found, unqualified)

    def explain_held_back(self, judge: str, question: str) -> HeldBack | None:
        """Return why a judge's opinions on a question are held back; None if they count."""
        record = self.records.get((judge, question))
        if self.open or (record is None and question not in NEEDED):
            return None
        if record is None:
            return HeldBack(judge, question, "its agreement with people is not known")
        if record["qualified"]:
            return None
        return HeldBack(judge, question, str(record["why_not"]))
