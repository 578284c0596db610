"""All labelled rows of research/ in one schema: which acts does a response perform, by which labels.

Run as `python research/acts/labelled_rows.py` for the counts of the card. The reader maps the labelled files where they
are; no text is copied. Rows of others are looked up in `../shared/data` and left out if they are not there.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
import runpy
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

RESEARCH = Path(__file__).resolve().parents[1]
REPOSITORY = RESEARCH.parent
TESTS = REPOSITORY / "tests"
DATA = REPOSITORY.parent / "shared" / "data"

ACTS = (
    "says_no_image", "describes_findings", "refuses", "abstains", "doubts", "flags_quality", "corrects_premise",
    "names_contradiction",
)  # fmt: skip
SEEN, KEPT_APART = "seen", "kept_apart"

BY_WRITER = "a language model, which wrote the responses"
BY_SESSIONS = "a language model, in sessions that did not know the rules"
BY_READER = "a language model, which made the rules"


class Row(NamedTuple):
    """A response with what is known of its acts: true, false, or None if no label tells."""

    id: str
    source: str
    language: str
    question: str
    options: tuple[str, ...]
    condition: str
    """How the question was asked: `original`, `image-removed`, `image-blank`, `other-image`, `degraded` or empty."""
    response: str
    acts: Mapping[str, bool | None]
    labelled_by: str
    split: str
    """`seen`: a rule may have been made from it. `kept_apart`: none was, but for what the card says."""
    finish: str = "stop"
    unsure: frozenset[str] = frozenset()
    """Acts of which the labeller was not sure."""
    facts: Mapping[str, Any] = {}
    """Other fields that today's parsers read."""

    @property
    def group(self) -> str:
        """Hash of the normalised question: rows of one group stand on one side of every split."""
        text = self.question or "\n".join((*self.options, self.response))
        return hashlib.sha256(normalise(text).encode()).hexdigest()[:16]


def normalise(text: str) -> str:
    """Lower-case words without punctuation and spaces around them."""
    return " ".join(re.findall(r"\w+", text.lower())) or text.strip()


def know(**acts: bool | None) -> dict[str, bool | None]:
    """All acts, those that are not named as unknown."""
    return {**dict.fromkeys(ACTS), **acts}


# What each label of the guide of missing images tells of the acts. It names the first of six labels that fits, so a
# label that stands above another one leaves that one open.
OF_ADMISSION: Mapping[str, Mapping[str, bool | None]] = {
    "empty": know(says_no_image=False, refuses=False, abstains=False, describes_findings=False, doubts=False),
    "missing": know(says_no_image=True),
    "refuses": know(says_no_image=False, refuses=True, abstains=False, describes_findings=False),
    "hedges": know(says_no_image=False, refuses=False, doubts=True),
    "generic": know(says_no_image=False, refuses=False, abstains=False, describes_findings=False, doubts=False),
    "describes": know(says_no_image=False, refuses=False, abstains=False, doubts=False),
}
DESCRIPTIONS = frozenset(("description", "description-with-caution", "report", "apology-then-answer"))
"""Styles whose responses state findings; a bare answer is no claim by the guide of research/replies."""


def read_lines(file: Path) -> list[dict[str, Any]]:
    """The records of a file of JSON lines; none if it is not there."""
    if not file.exists():
        return []
    if file.suffix == ".gz":
        with gzip.open(file, "rt", encoding="utf-8") as lines:
            return list(map(json.loads, lines))
    return list(map(json.loads, file.read_text(encoding="utf-8").splitlines()))


def missing_image() -> Iterator[Row]:
    """Our own responses to questions about an image that was never sent."""
    for row in read_lines(TESTS / "data" / "labelled" / "missing_image.jsonl"):
        acts = dict(OF_ADMISSION[row["label"]])
        if row["label"] == "describes" and row["style"] in DESCRIPTIONS:
            acts["describes_findings"] = True
        yield Row(
            f"missing-image/{row['id']}", "missing-image", row["language"], row["question"], (), "image-removed",
            row["response"], acts, BY_WRITER, SEEN if row["split"] == "train" else KEPT_APART,
        )  # fmt: skip


def admissions() -> Iterator[Row]:
    """Short responses from the tests of missing images: every one is seen."""
    known = json.loads((TESTS / "data" / "replies" / "reading" / "admissions_by_hand.json").read_text("utf-8"))
    for label in ("missing", "refuses", "hedges", "generic", "describes"):
        for language in known["QUESTIONS"]:
            lines = known["PARAPHRASES"].get(label, {}).get(language, "").split("\n")
            texts = [*known[label.upper()].get(language, ()), *filter(None, lines)]
            for number, text in enumerate(texts):
                yield Row(
                    f"admissions/{label}-{language}-{number}", "admissions", language, known["QUESTIONS"][language], (),
                    "image-removed", text, OF_ADMISSION[label], BY_WRITER, SEEN,
                )  # fmt: skip


def quality() -> Iterator[Row]:
    """Our own responses to "is this image normal or not?"."""
    for row in read_lines(TESTS / "data" / "labelled" / "quality.jsonl"):
        label = str(row["label"])
        acts = know(flags_quality=row["flags"])
        if label in "013":
            acts |= {"refuses": label == "3"}
        if label in "01":
            acts |= {"abstains": False, "says_no_image": False}
        yield Row(
            f"quality/{row['id']}", "quality", row["language"], "", tuple(row["options"]), "degraded", row["response"],
            acts, BY_WRITER, SEEN if row["split"] == "dev" else KEPT_APART, facts={"normal": row["normal"]},
        )  # fmt: skip


def false_premise() -> Iterator[Row]:
    """Responses to questions that take something for granted."""
    for row in read_lines(RESEARCH / "false_premise" / "labelled.jsonl"):
        acts = know(corrects_premise=row["label"] == "corrects")
        if row["label"] in ("complies", "evades"):
            acts |= {"refuses": False, "abstains": False, "says_no_image": False}
        yield Row(
            f"false-premise/{row['id']}", "false-premise", row["language"], row["question"], (), "original",
            row["response"], acts, BY_WRITER, KEPT_APART if row["split"] == "apart" else SEEN,
            row.get("finish", "stop"), facts={"premise": row["premise"], "set": row["split"]},
        )  # fmt: skip


def mismatch() -> Iterator[Row]:
    """Responses to words with an image that does not belong to them."""
    for row in read_lines(RESEARCH / "mismatch" / "labelled.jsonl"):
        named = row["label"] == "named"
        acts = know(names_contradiction=named)
        if row["label"] == "missing":
            acts |= {"says_no_image": True}
        if row["label"] == "not named":
            acts |= {"says_no_image": False, "refuses": False, "abstains": False}
        names = ("body_part", "shown_body_part", "modality", "shown_modality")
        yield Row(
            f"mismatch/{row['id']}", "mismatch", row["language"], row.get("question", ""), (), "other-image",
            row["response"], acts, BY_WRITER, KEPT_APART if row["split"] == "apart" else SEEN,
            row.get("finish", "stop"), frozenset(["names_contradiction"] if row["unsure"] else ()),
            {**{name: row[name] for name in names if name in row}, "set": row["split"]},
        )  # fmt: skip


FIELD_ACTS = {
    "silence": ("refuses", "abstains"),
    "does": ("says_no_image", "doubts"),
    "claim": ("describes_findings",),
}


def replies() -> Iterator[Row]:
    """Real replies of two small chat models that were asked about images and got none."""
    for row in runpy.run_path(str(RESEARCH / "replies" / "measure.py"))["rows"]():
        acts = know(
            refuses=row["silence"] == "refused",
            abstains=row["silence"] == "abstained",
            describes_findings=row["claim"],
            says_no_image=OF_ADMISSION[row["does"]]["says_no_image"],
            doubts=OF_ADMISSION[row["does"]]["doubts"],
        )
        yield Row(
            f"replies/{row['id']}", "replies", row["language"], row["question"], tuple(row["options"]), "image-removed",
            row["response"], acts, BY_SESSIONS, KEPT_APART if row["split"] == "apart" else SEEN, row["finish"],
            frozenset(act for field in row["unsure"] for act in FIELD_ACTS.get(field, ())), {"model": row["model"]},
        )  # fmt: skip


def invented() -> Iterator[Row]:
    """Our own responses with and without invented details: a detail that is stated is a finding that was not told."""
    for row in read_lines(TESTS / "data" / "labelled" / "invented.jsonl"):
        yield Row(
            f"invented/{row['id']}", "invented", "en", row["question"], (), "image-removed", row["response"],
            know(describes_findings=True if row["details"] else None), BY_WRITER,
            KEPT_APART if row["split"] == "apart" else SEEN,
        )  # fmt: skip


def open_answers() -> Iterator[Row]:
    """Answers to open questions of VQA-RAD."""
    for row in runpy.run_path(str(RESEARCH / "open_answers" / "measure.py"))["rows"]():
        if row["label"] == "unclear":
            continue
        acts = know(refuses=row["label"] == "refused", abstains=row["label"] == "abstained")
        yield Row(
            f"open-answers/{row['id']}", "open-answers", "en", row["question"], (), "",
            row["response"], acts, BY_READER,
            KEPT_APART if row["split"] == "apart" else SEEN, row.get("finish", "stop"),
        )  # fmt: skip


def italian_exam() -> Iterator[Row]:
    """Real replies of two large models to an Italian exam, original and blank image: the half without rules."""
    lines = read_lines(DATA / "italian-medvqa" / "answers.jsonl.gz")
    if not lines:
        return
    if str(TESTS) not in sys.path:
        sys.path.append(str(TESTS))
    from reading.claims_by_hand import BLANK, FRESH, SAMPLE, for_development, labels

    acts_of = runpy.run_path(str(RESEARCH / "replies" / "acts.py"), run_name="acts")
    admitting, poor = (frozenset(acts_of[name].split()) for name in ("ITALIAN_ADMITS", "CALLS_POOR"))
    claims = {key: label.sees for part in (BLANK, SAMPLE, FRESH) for key, label in labels(part) if not label.borderline}
    for row in lines:
        key = (row["model"], row["item_id"], row["arm"], int(row["replicate"]))
        if for_development(key) or "ERROR" in row["response"][:10]:
            continue
        name, blank = f"{row['item_id']}/{row['replicate']}", row["arm"] == "image-blank"
        asked = blank and "claude" in row["model"]
        acts = know(says_no_image=asked and name in admitting, describes_findings=claims.get(key))
        if blank:
            acts["flags_quality"] = None if acts["says_no_image"] else asked and name in poor
        yield Row(
            "italian-exam/" + "/".join(map(str, key)), "italian-exam", "it", row["question"], tuple(row["options"]),
            row["arm"], row["response"], acts, BY_READER, KEPT_APART, facts={"model": row["model"]},
        )  # fmt: skip


def mmmu_pro() -> Iterator[Row]:
    """Real replies of GPT-4o to exam questions with their image: all but 13 perform none of three acts."""
    lines = read_lines(DATA / "mmmu-pro-replies" / "replies.jsonl.gz")
    acts_of = runpy.run_path(str(RESEARCH / "replies" / "acts.py"), run_name="acts") if lines else {}
    admitting = frozenset(acts_of.get("GPT_4O_ADMITS", "").split())
    for row in lines:
        name = f"{row['benchmark'].rpartition('-')[2]}/{row['item_id']}"
        # Of the 13 nobody wrote down whether they decline or say that the image cannot be viewed.
        none = None if name in admitting else False
        yield Row(
            f"mmmu-pro/{name}", "mmmu-pro", "en", row["question"], tuple(row["options"]), "original", row["response"],
            know(says_no_image=none, refuses=none, abstains=none), BY_READER, KEPT_APART,
        )  # fmt: skip


SOURCES: Mapping[str, Callable[[], Iterator[Row]]] = {
    "missing-image": missing_image,
    "admissions": admissions,
    "quality": quality,
    "false-premise": false_premise,
    "mismatch": mismatch,
    "replies": replies,
    "invented": invented,
    "open-answers": open_answers,
    "italian-exam": italian_exam,
    "mmmu-pro": mmmu_pro,
}
HELD_OUT_ONLY = frozenset(("italian-exam", "mmmu-pro"))
"""Responses of others that may not be committed: they measure and never train."""


@cache
def all_rows() -> tuple[Row, ...]:
    """Every labelled row, by source."""
    return tuple(row for read in SOURCES.values() for row in read())


def training_rows(rows: Iterable[Row]) -> list[Row]:
    """The seen rows whose question, or response if there is no question, no row kept apart has."""
    every = list(rows)
    apart = {row.group for row in every if row.split == KEPT_APART}
    return [row for row in every if row.split == SEEN and row.group not in apart]


def kept_apart_rows(rows: Iterable[Row]) -> list[Row]:
    """The rows on which parsers are compared."""
    return [row for row in rows if row.split == KEPT_APART]


def count_by(rows: Sequence[Row], field: str) -> dict[str, dict[str, list[int]]]:
    """By act and value of a field: [true and trained on, true and kept apart, false and trained, false and apart]."""
    trained = {row.id for row in training_rows(rows)}
    counts: Counter[tuple[str, str, int]] = Counter()
    for row in rows:
        if row.split == SEEN and row.id not in trained:
            continue
        for act, value in row.acts.items():
            if value is not None:
                counts[act, getattr(row, field), 2 * (not value) + (row.split == KEPT_APART)] += 1
    values = list(dict.fromkeys(getattr(row, field) for row in rows))
    return {
        act: {value: [counts[act, value, place] for place in range(4)] for value in values if _any(counts, act, value)}
        for act in ACTS
    }


def _any(counts: Counter[tuple[str, str, int]], act: str, value: str) -> bool:
    return any(counts[act, value, place] for place in range(4))


def format_counts(rows: Sequence[Row], field: str) -> str:
    """A table of the card: true / known, trained on and kept apart."""
    counts = count_by(rows, field)
    values = list(dict.fromkeys(value for by_value in counts.values() for value in by_value))
    lines = [f"| {field} | {' | '.join(ACTS)} |", "|" + "---|" * (len(ACTS) + 1)]
    for value in values:
        cells = []
        for act in ACTS:
            true_seen, true_apart, false_seen, false_apart = counts[act].get(value, [0] * 4)
            known = true_seen + false_seen, true_apart + false_apart
            cells.append(f"{true_seen}/{known[0]} · {true_apart}/{known[1]}" if any(known) else "–")
        lines.append(f"| {value} | {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """Print the tables of the card."""
    rows = all_rows()
    trained = training_rows(rows)
    splits = Counter((row.source, row.split) for row in rows)
    in_training = Counter(row.source for row in trained)
    for source in SOURCES:
        print(f"{source}: {splits[source, SEEN]} seen, of which {in_training[source]} trained on; ", end="")
        print(f"{splits[source, KEPT_APART]} kept apart")
    for field in ("source", "language"):
        print(f"\n{format_counts(rows, field)}")


if __name__ == "__main__":
    main()
