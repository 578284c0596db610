"""How far the parsers agree with the labels of real replies.

Run as `python research/replies/measure.py`; with --write it also writes `measured.json` and the counts that confidence
rests on. Questions of others are looked up beside the project and their rows left out where they are not there.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from math import isfinite
from pathlib import Path
from typing import Any, NamedTuple

from snellen.items import LETTERS, Item, Option
from snellen.judging.qualify import qualify
from snellen.reading import grade
from snellen.reading.claims.parser import Rationale, read_rationale
from snellen.reading.confidence import UNSURE, confidence, write_counted
from snellen.reading.missing_image import read_admission
from snellen.reading.outcomes import Outcome
from snellen.reading.parsers import parser_named
from snellen.stats import Estimate, cohens_kappa
from snellen.stats.intervals import wilson

HERE = Path(__file__).resolve().parent
STUDIES = HERE.parent
MEASURED = HERE / "measured.json"
DATA = STUDIES.parent.parent / "shared" / "data"
FIELDS = ("answer", "silence", "does", "claim")
YES_NO = frozenset(("yes", "no", "sì", "sí", "oui", "non", "ja", "nein", "是", "否"))

SILENCES = {
    Outcome.REFUSED: "refused",
    Outcome.ABSTAINED: "abstained",
    Outcome.FLAGGED_QUALITY: "abstained",
}
"""The labels do not tell an image that is too poor from other reasons for which a reply cannot tell."""

Row = dict[str, Any]


def rows() -> list[Row]:
    """The labelled replies whose question is known, each with `question` and `options`."""
    lines = (HERE / "labelled.jsonl").read_text(encoding="utf-8").splitlines()
    return [asked for row in map(json.loads, lines) if (asked := _asked(row)) is not None]


def _asked(row: Row) -> Row | None:
    if "question" in row:
        return row
    benchmark, _, name = row["of"].partition("/")
    known = {"vqa-rad": _vqa_rad, "medxpertqa-mm": _medxpertqa}[benchmark]().get(name)
    return None if known is None else {**known, **row}


@cache
def _vqa_rad() -> Mapping[str, Row]:
    file = DATA / "vqa-rad" / "VQA_RAD Dataset Public.json"
    known = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    return {str(each["qid"]): {"question": " ".join(str(each["question"]).split())} for each in known}


@cache
def _medxpertqa() -> Mapping[str, Row]:
    file = DATA / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"
    if not file.exists():
        return {}
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        known = list(map(json.loads, lines))
    return {
        each["id"]: {
            "question": each["question"].partition("\nAnswer Choices:")[0],
            "options": [option["content"] for option in each["options"]],
        }
        for each in known
    }


class Reply(NamedTuple):
    """A reply as the parsers get it: equal ones are read once."""

    text: str
    finish: str
    question: str
    options: tuple[str, ...]
    language: str

    @classmethod
    def of(cls, row: Row) -> Reply:
        """The reply of a row."""
        return cls(row["response"], row["finish"], row["question"], tuple(row["options"]), row["language"])

    def item(self) -> Item:
        """The question."""
        return Item(id="", question=self.question, options=tuple(map(Option, self.options)), language=self.language)


def read(row: Row) -> tuple[str, str, str]:
    """The letter or dash that the lenient parser reads, the silence, and the rule.

    A reply that was cut off before its answer has none; what it says until then may still be a silence.
    """
    return _read(Reply.of(row))


@cache
def _read(reply: Reply) -> tuple[str, str, str]:
    found = grade(reply.text, reply.finish, reply.item())
    letter = "-" if found.choice is None else LETTERS[found.choice]
    whole = found if reply.finish == "stop" else grade(reply.text, "stop", reply.item())
    return letter, SILENCES.get(whole.outcome, ""), found.rule


def claims(row: Row) -> bool:
    """Whether the parser of claims finds any."""
    return bool(_claims(Reply.of(row)).claims)


@cache
def _claims(reply: Reply) -> Rationale:
    return read_rationale(reply.text, "", reply.item())


def measured(every: Sequence[Row], *, sure: bool = False) -> dict[str, Estimate]:
    """The agreement with labels, by name; of all, or of those of which the labeller was sure."""
    found: dict[str, Estimate] = {}

    def having(field: str, *, options: bool) -> list[Row]:
        return [row for row in every if bool(row["options"]) is options and not (sure and field in row["unsure"])]

    closed = having("answer", options=True)
    for name, asked in (
        ("choices", closed),
        ("yes/no", [row for row in closed if YES_NO & {each.lower() for each in row["options"]}]),
    ):
        pairs = [(read(row)[0], row["answer"]) for row in asked]
        answered = [pair for pair in pairs if pair[1] != "-"]
        silent = [pair for pair in pairs if pair[1] == "-"]
        found[f"{name}: right"] = wilson(sum(said == label for said, label in answered), len(answered))
        found[f"{name}: wrong"] = wilson(sum(said not in ("-", label) for said, label in answered), len(answered))
        found[f"{name}: read though there is no answer"] = wilson(sum(said != "-" for said, _ in silent), len(silent))
    quiet = [(read(row)[1], row["silence"]) for row in having("silence", options=True) if row["silence"]]
    found["refused or abstained: right"] = wilson(sum(said == label for said, label in quiet), len(quiet))
    told = having("claim", options=True) + having("claim", options=False)
    said = [(claims(row), row["claim"]) for row in told]
    both = sum(one and other for one, other in said)
    found["claims: precision"] = wilson(both, sum(one for one, _ in said))
    found["claims: recall"] = wilson(both, sum(other for _, other in said))
    unsent = having("does", options=False)
    read_as = [read_admission(row["response"], row["question"]).label.value for row in unsent]
    labels = [row["does"] for row in unsent]
    missing = ([each == "missing" for each in side] for side in (read_as, labels))
    found["missing image: κ"] = cohens_kappa(*missing)
    found["six labels: κ"] = cohens_kappa(read_as, labels)
    flagged = ([each in ("missing", "hedges") for each in side] for side in (read_as, labels))
    found["missing or in doubt: κ"] = cohens_kappa(*flagged)
    return found


def by_confidence(some: Sequence[Row], known: Sequence[Row]) -> dict[str, Estimate]:
    """How often sure and unsure readings of some replies are right, by counts of others."""
    counted = _counted([*map(choice_read, (row for row in known if row["options"])), *_gpt_4o(), *_ours("quality")])
    formal = parser_named("lenient").formal
    right: dict[bool, list[bool]] = {True: [], False: []}
    for rule, as_labelled in map(choice_read, (row for row in some if row["options"])):
        right[rule in formal or confidence(*counted.get(rule, (0, 0))) >= UNSURE].append(as_labelled)
    words = {True: "readings called sure: right", False: "readings called unsure: right"}
    return {words[sure]: wilson(sum(each), len(each)) for sure, each in right.items()}


def of_labels(some: Sequence[Row]) -> dict[str, Estimate]:
    """The agreement of the two passes of labelling, by field."""
    twice = [row for row in some if "again" in row]
    return {
        field: cohens_kappa(*([row[time][field] for row in twice if asks(row, field)] for time in ("first", "again")))
        for field in FIELDS
    }


def asks(row: Row, field: str) -> bool:
    """Whether a row has that label."""
    return field != "answer" or bool(row["options"])


def counts() -> dict[str, dict[str, list[int]]]:
    """By parser and rule: how many labelled responses it read right, and how many it read.

    Replies of chat models and of GPT-4o, those with which rules were made among them; for missing images and quality
    also responses of our own.
    """
    every, quality = rows(), list(_ours("quality"))
    found = {
        "lenient": [*map(choice_read, (row for row in every if row["options"])), *_gpt_4o(), *quality],
        "missing-image": [*map(admission_read, (row for row in every if not row["options"])), *_ours("missing_image")],
        "quality": quality,
        "claims": [*map(_claim_read, every), *_italian()],
    }
    return {parser: _counted(pairs) for parser, pairs in found.items()}


def choice_read(row: Row) -> tuple[str, bool]:
    """The rule by which the lenient parser reads a reply, and whether it reads the option of the label, or none."""
    letter, _, rule = read(row)
    return rule, letter == row["answer"]


def _claim_read(row: Row) -> tuple[str, bool]:
    found = _claims(Reply.of(row))
    return found.rule, bool(found.claims) == row["claim"]


def _italian() -> Iterator[tuple[str, bool]]:
    """Replies of Claude Sonnet 4.5 and GPT-5-mini, as labelled for the tests of claims; not those read either way."""
    file = DATA / "italian-medvqa" / "answers.jsonl.gz"
    if not file.exists():
        return
    sys.path.append(str(STUDIES.parent / "tests"))
    from reading.claims_by_hand import BLANK, LATER, SAMPLE, labels

    with gzip.open(file, "rt", encoding="utf-8") as lines:
        replies = {(row["model"], row["item_id"], row["arm"], row["replicate"]): row for row in map(json.loads, lines)}
    for key, label in (*labels(SAMPLE), *labels(LATER), *labels(BLANK)):
        if not label.borderline:
            row = replies[key]
            found = read_rationale(row["response"], "", Item(id=row["item_id"], question=row["question"]))
            yield found.rule, bool(found.claims) == label.sees


def admission_read(row: Row) -> tuple[str, bool]:
    """The same of the parser of missing images."""
    found = read_admission(row["response"], row["question"])
    return f"{found.label}: {found.rule}", found.label.value == row["does"]


def _gpt_4o() -> Iterator[tuple[str, bool]]:
    file = DATA / "mmmu-pro-replies" / "replies.jsonl.gz"
    if not file.exists():
        return
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for row in map(json.loads, lines):
            asked = Item(id=row["item_id"], question=row["question"], options=tuple(map(Option, row["options"])))
            found = grade(row["response"], "stop", asked)
            yield found.rule, row["label"] == ("none" if found.choice is None else LETTERS[found.choice])


def _ours(study: str) -> Iterator[tuple[str, bool]]:
    lines = (STUDIES.parent / "tests" / "data" / "labelled" / f"{study}.jsonl").read_text(encoding="utf-8").splitlines()
    for row in qualify(study.replace("_", "-"), list(map(json.loads, lines))).rows:
        yield row.rule, row.predicted == row.label


def _counted(pairs: Iterable[tuple[str, bool]]) -> dict[str, list[int]]:
    every: Counter[str] = Counter()
    right: Counter[str] = Counter()
    for rule, as_labelled in pairs:
        every[rule] += 1
        right[rule] += as_labelled
    return {rule: [right[rule], every[rule]] for rule in sorted(every)}


def figures() -> dict[str, dict[str, Estimate]]:
    """All figures, under what they are of."""
    every = rows()
    parts = {split: [row for row in every if row["split"] == split] for split in ("apart", "development")}
    apart = parts["apart"]
    found = {"kept apart": {**measured(apart), **by_confidence(apart, parts["development"])}}
    found["kept apart, labels that the labeller was sure of"] = measured(apart, sure=True)
    for model in dict.fromkeys(row["model"] for row in apart):
        some = [row for row in apart if row["model"] == model]
        found[f"kept apart, {model}"] = measured(some)
        found[f"kept apart, {model}, labels that the labeller was sure of"] = measured(some, sure=True)
    found["development"] = measured(parts["development"])
    found["the two passes of labelling"] = {f"{field}: κ": each for field, each in of_labels(every).items()}
    return found


def as_record(found: Mapping[str, Mapping[str, Estimate]]) -> dict[str, dict[str, list[float]]]:
    """Figures to be stored: value, ends of the 95% CI and n; not those that are not defined."""
    return {
        of: {
            name: [*(round(end, 3) for end in (each.value, each.low, each.high)), each.n]
            for name, each in estimates.items()
            if isfinite(each.value)
        }
        for of, estimates in found.items()
    }


def main() -> None:
    """Print all figures; with --write, also write them and the counts by rule."""
    found = figures()
    for of, estimates in found.items():
        print(of)
        for name, estimate in estimates.items():
            print(f"  {name}: {estimate}")
    if "--write" in sys.argv:
        MEASURED.write_text(f"{json.dumps(as_record(found), indent=1, ensure_ascii=False)}\n", encoding="utf-8")
        write_counted(counts())


if __name__ == "__main__":
    main()
