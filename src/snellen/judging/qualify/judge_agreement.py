"""A judge's agreement with raters and with itself, its biases, and whether it is qualified."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from snellen.asking.run import RunProgress
from snellen.conditions import ORIGINAL
from snellen.errors import DataError, PluginError, StudyError
from snellen.judging import THRESHOLD
from snellen.judging.held_against_people import HeldAgainstPeople, LabelPair, bounds, most_say, pooled_kappa
from snellen.judging.qualify import MEMBERS
from snellen.judging.qualify.biases import Bias, Gap, biases, position
from snellen.judging.qualify.held import labelled_rows, write_lines
from snellen.judging.qualify.judge import answers_to
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled
from snellen.models.base import Model
from snellen.plugins import find
from snellen.stats import Estimate, fleiss_kappa, unanimity, wilson
from snellen.store import Label, ResponseCell, Store

TREATMENTS = ("unclear is incorrect", "unclear counts half", "unclear is left out")
CORRECT, UNCLEAR = "correct", "unclear"


Address = tuple[str, ...]
"""Address of a stored response in a row: model, benchmark, item, condition, repeat and text."""


class JudgedRow(NamedTuple):
    """A labelled row with a judge's texts and opinions. None for failed calls or unreadable texts."""

    row: Labelled
    people: Mapping[Part, str]
    answers: tuple[str | None, ...]
    """The judge's texts: one per opinion, and last the text in the other order if it was asked for."""
    said: tuple[Mapping[Part, str] | None, ...]
    """The judge's opinions in the usual order."""
    turned: Mapping[Part, str] | None
    """The judge's opinion in the other order."""

    @property
    def opinions(self) -> list[Mapping[Part, str]]:
        """The opinions that could be read."""
        return [each for each in self.said if each is not None]

    @property
    def cluster(self) -> str:
        """The item of the row, since rows of one item are not independent. A row without an item is its own cluster."""
        named = (self.row.fields.get(name) for name in ("item_id", "id"))
        about = next((str(each) for each in named if each is not None), self.row.where)
        return f"{self.row.fields.get('benchmark') or ''}\0{about}"


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge compared with raters' labels of the same rows."""

    judge: str
    question: LabelledQuestion
    rows: tuple[JudgedRow, ...]
    threshold: float
    progress: RunProgress
    created: str

    @property
    def opinions(self) -> int:
        """Number of opinions per row, without the one in the other order."""
        return len(self.rows[0].said)

    @property
    def failed(self) -> int:
        """Number of failed calls."""
        return sum(answer is None for row in self.rows for answer in row.answers)

    @property
    def unread(self) -> int:
        """Number of texts that could not be read."""
        every = (said for row in self.rows for said in (*row.said, *([row.turned] if self.question.turns else [])))
        return sum(said is None for said in every) - self.failed

    @cached_property
    def graded(self) -> tuple[JudgedRow, ...]:
        """The rows with at least one readable opinion."""
        return tuple(row for row in self.rows if row.opinions)

    def grade(self, row: JudgedRow, part: Part = ()) -> str:
        """Return the majority of opinions on a part; the question's undecided label for a tie."""
        return most_say([each[part] for each in row.opinions], self.question.undecided) or self.question.undecided

    @cached_property
    def pairs(self) -> tuple[tuple[JudgedRow, Part, str, str], ...]:
        """The raters' label and the judge's grade for each part of each graded row."""
        return tuple(
            (row, part, label, self.grade(row, part)) for row in self.graded for part, label in row.people.items()
        )

    @cached_property
    def held(self) -> HeldAgainstPeople:
        """The judge's agreement with raters."""
        return HeldAgainstPeople(
            judge=self.judge,
            question=self.question.name,
            version=self.question.version,
            opinions=self.opinions,
            rows=len(self.rows),
            ungraded=len(self.rows) - len(self.graded),
            pairs=tuple(LabelPair(row.cluster, people, judge) for row, _, people, judge in self.pairs),
            labels=Counter(label for row in self.rows for label in row.people.values()),
            unread=self.unread,
            failed=self.failed,
            threshold=self.threshold,
        )

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ between raters and judge, on all labels."""
        return self.held.kappa

    @property
    def agreement(self) -> Estimate:
        """The share of parts on which raters and judge agree."""
        return self.held.agreement

    @cached_property
    def by_label(self) -> dict[str, Estimate]:
        """κ of each tag, if the parts of a row are tags."""
        by_tag: dict[str, list[LabelPair]] = {}
        for row, part, people, judge in self.pairs:
            if part:
                by_tag.setdefault(part[-1], []).append(LabelPair(row.cluster, people, judge))
        return {name: pooled_kappa(pairs) for name, pairs in by_tag.items()}

    @cached_property
    def treatments(self) -> dict[str, Estimate]:
        """κ of "correct or not" for each treatment of unclear opinions."""
        if UNCLEAR not in self.question.worth:
            return {}
        found = {}
        for name, unclear in zip(TREATMENTS, (0.0, 0.5, None), strict=True):
            passed = [
                (row.cluster, _passes([row.people[()]], unclear), _passes([each[()] for each in row.opinions], unclear))
                for row in self.graded
            ]
            pairs = [LabelPair(each[0], str(each[1]), str(each[2])) for each in passed if None not in each]
            found[name] = pooled_kappa(pairs)
        return found

    @property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """Counts of each pair of the raters' label and the judge's label."""
        return self.held.confusion

    @cached_property
    def whole(self) -> list[list[str]]:
        """The opinions on each part of the rows whose opinions are all readable."""
        full = [row for row in self.graded if len(row.opinions) == self.opinions]
        return [[each[part] for each in row.opinions] for row in full for part in row.people]

    @cached_property
    def unanimous(self) -> Estimate | None:
        """The share of parts with equal opinions. None with one opinion per row or without complete rows."""
        return unanimity(self.whole) if self.opinions > 1 and self.whole else None

    @cached_property
    def own_agreement(self) -> Estimate | None:
        """Fleiss' κ between the judge's own opinions; None if they cannot be compared."""
        return fleiss_kappa(self.whole) if self.opinions > 1 and self.whole else None

    @cached_property
    def biases(self) -> dict[str, Bias]:
        """Features of responses that make the judge grade higher or lower than raters."""
        found = {"position": self._position()} if self.question.turns else {}
        if self.question.one_by_one:
            gaps = [
                Gap(self._worth(row) - self.question.worth[row.people[()]], row.row.fields, row.cluster)
                for row in self.graded
            ]
            found = {**biases(gaps, self.judge), **found}
        return found

    def _worth(self, row: JudgedRow, part: Part = ()) -> float:
        values = [self.question.worth[each[part]] for each in row.opinions]
        return sum(values) / len(values)

    def _position(self) -> Bias:
        both = [(row, row.turned, part) for row in self.graded if row.turned is not None for part in row.people]
        turned = [
            Gap(self.question.worth[said[part]] - self._worth(row, part), row.row.fields, row.cluster)
            for row, said, part in both
        ]
        changed = wilson(sum(said[part] != self.grade(row, part) for row, said, part in both), max(1, len(both)))
        pairs = [one != other for each in self.whole for one, other in combinations(each, 2)]
        return position(turned, changed, sum(pairs) / len(pairs) if pairs else None)

    @property
    def why_not(self) -> str:
        """Why the judge is not qualified; empty if it is."""
        return self.held.why_not

    @property
    def qualified(self) -> bool:
        """True if κ's lower 95% bound reaches the threshold and nearly all rows are graded."""
        return self.held.qualified

    @cached_property
    def record(self) -> dict[str, Any]:
        """The results as JSON values: numbers with their 95% CI, None if undefined."""
        stability = {"unanimous": self.unanimous, "fleiss_kappa": self.own_agreement}
        return self.held.record(
            self.created,
            correct_or_not={name: bounds(each) for name, each in self.treatments.items()},
            by_label={name: bounds(each) for name, each in self.by_label.items()},
            own_opinions={name: bounds(each) for name, each in stability.items() if each is not None},
            biases={name: bias.record for name, bias in self.biases.items()},
        )

    def write(self, path: Path) -> None:
        """Write each row with the opinions, their majority, and the opinion in the other order."""
        lines = []
        for row in self.rows:
            grade = {part: self.grade(row, part) for part in row.people} if row.opinions else None
            said = {"opinions": [_plain(each) for each in row.said], "grade": _plain(grade)}
            lines.append({**row.row.fields, **said, **({"swapped": _plain(row.turned)} if self.question.turns else {})})
        write_lines(path, lines)


def _passes(labels: Sequence[str], unclear: float | None) -> bool | None:
    """Return whether more than half of the labels are correct. None if no label is left."""
    values = [unclear if label == UNCLEAR else float(label == CORRECT) for label in labels]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) > 0.5 if known else None


def _plain(said: Mapping[Part, str] | None) -> Any:
    """Return the label of a row as JSON values: a word, or a list of tags for each condition."""
    if said is None or () in said:
        return None if said is None else said[()]
    found: dict[str, list[str]] = {}
    for (arm, tag), label in said.items():
        found.setdefault(arm, []).extend([tag] if label == "present" else [])
    return found


def qualify_judge(
    rows: Iterable[Mapping[str, Any]] | Path,
    judge: str | Model,
    *,
    question: str = "open-answer",
    opinions: int | None = None,
    threshold: float = THRESHOLD,
    **asking: Any,
) -> JudgeAgreement:
    """Ask a judge several times about labelled rows, and once in the other order.

    For `open-answer` a row has `question`, `references` (or `reference`, `answer`), `response` and `label` (correct,
    incorrect, unclear); `model`, `item_id`, `benchmark`, `arm`, `replicate` and `style` are optional. For `rationale`
    it has `question`, `options`, `answer`, `responses` by condition and `labels`, a list of tags for each condition. If
    raters were asked about some tags only, `asked` lists these. `asking` are `max_connections`, `timeout` and `watch`.
    """
    asked, labelled = question_named(question), labelled_rows(rows)
    count = asked.opinions if opinions is None else opinions
    if count < 1 or not -1 <= threshold <= 1:
        raise StudyError(f"Expected at least one opinion and a κ from −1 to 1, got {count} and {threshold}.")
    if not labelled:
        raise DataError("There are no rows to qualify the judge on. Expected rows with `response` and `label`.")
    people = [asked.people(row) for row in labelled]  # reads all labels first, to report wrong ones
    orders = [*((False, at) for at in range(count)), *([(True, 0)] if asked.turns else [])]
    requests = [[(asked.request(row, turned), at) for turned, at in orders] for row in labelled]
    given = answers_to(requests, judge, version=asked.version, **asking)
    judged = []
    for row, label, texts in zip(labelled, people, given.texts, strict=True):
        said = [
            None if text is None else asked.read(text, row, turned)
            for text, (turned, _) in zip(texts, orders, strict=True)
        ]
        judged.append(JudgedRow(row, label, texts, tuple(said[:count]), said[-1] if asked.turns else None))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return JudgeAgreement(given.judge, asked, tuple(judged), threshold, given.progress, now)


def qualify_judge_file(path: Path, judge: str | Model, **how: Any) -> JudgeAgreement:
    """Ask a judge about the rows of a file; `how` are the arguments of `qualify_judge`."""
    return qualify_judge(Path(path), judge, **how)


def question_named(name: str) -> LabelledQuestion:
    """Return the judge's question with this name, ours or a plug-in's."""
    found = find("questions", MEMBERS, name)
    if not isinstance(found, LabelledQuestion):
        raise PluginError(f"The judge's question {name!r} gave {found!r}. Expected a LabelledQuestion.")
    return found


class Kept(NamedTuple):
    """Number of labels stored with their responses, and number of rows without a stored response."""

    labels: int
    unknown: int


def keep(done: JudgeAgreement, out: str | Path, study: str | None = None) -> Kept:
    """Store a judge's qualification in a study's folder, with the labels of stored responses.

    A row belongs to a stored response if `model`, `benchmark`, `item_id`, `arm`, `replicate` and the text match. By
    default the condition is `original` and the repeat 0. The default benchmark is the study's, if it has only one.
    """
    Store.open(out).close()  # do not create a study in a folder without one
    with Store.open(out, write=True) as store:
        record = store.studies.record(study)
        only = next(iter(record["benchmarks"])) if len(record["benchmarks"]) == 1 else ""
        rows = done.rows if done.question.one_by_one else ()
        places = dict(_places(store, record)) if rows else {}
        addressed = [(_address(row.row, only), row.people[()]) for row in rows]
        labels: dict[Address, Label] = {}
        for address, label in addressed:
            if address in places and labels.setdefault(address, Label(*places[address], label)).label != label:
                model, benchmark, item, arm = address[:4]
                raise DataError(
                    f"The response of {model} to item {item!r} of {benchmark} under {arm} is labelled "
                    f"{labels[address].label} and {label}. Keep one label of each response, as its raters settled it."
                )
        with store.transaction():
            store.labels.add_qualification(done.record)
            store.labels.add(done.question.name, labels.values())
    return Kept(len(labels), sum(address not in places for address, _ in addressed))


def _address(row: Labelled, benchmark: str) -> Address:
    fields = row.fields
    named = (fields.get("model"), fields.get("benchmark") or benchmark, fields.get("item_id", fields.get("id")))
    arm, replicate = fields.get("arm") or ORIGINAL.name, fields.get("replicate") or 0
    return (*(str(each) for each in (*named, arm, replicate)), row.response.strip())


def _places(store: Store, study: Mapping[str, Any]) -> Iterator[tuple[Address, ResponseCell]]:
    """Yield the cell of each stored response of a study, with its address."""
    for benchmark, digest in study["benchmarks"].items():
        items = store.studies.benchmark(digest).items
        for (name, revision), (arm, of_arm) in product(study["models"], study["arms"][benchmark].items()):
            model, at = store.studies.model_number(name, revision), store.studies.arm(of_arm)[0]
            for reply in store.responses.replies(model, at):
                address = (name, benchmark, items[reply.ordinal].id, arm, str(reply.replicate), reply.text.strip())
                yield address, ResponseCell(model, at, reply.ordinal, reply.replicate)
