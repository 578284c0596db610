"""A judge held against people: how far it agrees with them and with itself, its biases, and whether that is enough."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from itertools import combinations, product
from pathlib import Path
from typing import Any, NamedTuple

from snellen.asking.run import Progress
from snellen.conditions import ORIGINAL
from snellen.errors import DataError, PluginError, StudyError
from snellen.judging import THRESHOLD
from snellen.judging.held_against_people import NOTHING, HeldAgainstPeople, Pair, bounds, most_say
from snellen.judging.qualify import MEMBERS
from snellen.judging.qualify.biases import Bias, Gap, biases, position
from snellen.judging.qualify.held import labelled_rows, write_lines
from snellen.judging.qualify.judge import Repeated, answers_to
from snellen.judging.qualify.labelled_question import LabelledQuestion, Part
from snellen.judging.qualify.qualification import Labelled
from snellen.models.base import Model
from snellen.plugins import find
from snellen.stats import Estimate, clustered_kappa, fleiss_kappa, unanimity, wilson
from snellen.store import Cell, Label, Store

TREATMENTS = ("unclear is incorrect", "unclear counts half", "unclear is left out")
CORRECT, UNCLEAR = "correct", "unclear"


Address = tuple[str, ...]
"""What a row calls a stored response: model, benchmark, item, condition, replicate, and its text."""


class JudgedRow(NamedTuple):
    """A labelled row and what the judge says of its parts: None for an opinion that failed or cannot be read."""

    row: Labelled
    people: Mapping[Part, str]
    answers: tuple[str | None, ...]
    """The judge's words: those of its opinions, and last those in the other order, where it was asked so."""
    said: tuple[Mapping[Part, str] | None, ...]
    """Its opinions, in the usual order."""
    turned: Mapping[Part, str] | None
    """What it says in the other order."""

    @property
    def opinions(self) -> list[Mapping[Part, str]]:
        """The opinions that can be read."""
        return [each for each in self.said if each is not None]

    @property
    def cluster(self) -> str:
        """What the row belongs with: rows of one item are not independent. A row that names no item stands alone."""
        named = (self.row.fields.get(name) for name in ("item_id", "id"))
        about = next((str(each) for each in named if each is not None), self.row.where)
        return f"{self.row.fields.get('benchmark') or ''}\0{about}"


@dataclass(frozen=True)
class JudgeAgreement:
    """A judge held against people's labels of the same rows."""

    judge: str
    question: LabelledQuestion
    rows: tuple[JudgedRow, ...]
    threshold: float
    progress: Progress
    created: str

    @property
    def opinions(self) -> int:
        """How often the judge was asked about each row, without the time in the other order."""
        return len(self.rows[0].said)

    @property
    def failed(self) -> int:
        """How many calls got no answer."""
        return sum(answer is None for row in self.rows for answer in row.answers)

    @property
    def unread(self) -> int:
        """How many answers could not be read."""
        every = (said for row in self.rows for said in (*row.said, *([row.turned] if self.question.turns else [])))
        return sum(said is None for said in every) - self.failed

    @cached_property
    def graded(self) -> tuple[JudgedRow, ...]:
        """The rows with at least one opinion that can be read."""
        return tuple(row for row in self.rows if row.opinions)

    def grade(self, row: JudgedRow, part: Part = ()) -> str:
        """What most opinions on a part say; the question's word for undecided where two are equally many."""
        return most_say([each[part] for each in row.opinions], self.question.undecided) or self.question.undecided

    @cached_property
    def pairs(self) -> tuple[tuple[JudgedRow, Part, str, str], ...]:
        """What people and judge say of each part of each row that has a grade."""
        return tuple(
            (row, part, label, self.grade(row, part)) for row in self.graded for part, label in row.people.items()
        )

    @cached_property
    def held(self) -> HeldAgainstPeople:
        """The judge's grades beside people's labels."""
        return HeldAgainstPeople(
            judge=self.judge,
            question=self.question.name,
            version=self.question.version,
            opinions=self.opinions,
            rows=len(self.rows),
            ungraded=len(self.rows) - len(self.graded),
            pairs=tuple(Pair(row.cluster, people, judge) for row, _, people, judge in self.pairs),
            labels=Counter(label for row in self.rows for label in row.people.values()),
            unread=self.unread,
            failed=self.failed,
            threshold=self.threshold,
        )

    @property
    def kappa(self) -> Estimate:
        """Cohen's κ between people and the judge's grade, with every label as it is."""
        return self.held.kappa

    def _kappa(self, pairs: Sequence[tuple[JudgedRow, Part, str, str]]) -> Estimate:
        if not pairs:
            return NOTHING
        rows, _, people, judge = zip(*pairs, strict=True)
        return clustered_kappa(people, judge, [row.cluster for row in rows])

    @property
    def agreement(self) -> Estimate:
        """The share of parts of which people and judge say the same."""
        return self.held.agreement

    @cached_property
    def by_label(self) -> dict[str, Estimate]:
        """κ of each tag, where the parts of a row have names."""
        names = dict.fromkeys(part[-1] for _, part, *_ in self.pairs if part)
        return {name: self._kappa([each for each in self.pairs if each[1][-1] == name]) for name in names}

    @cached_property
    def treatments(self) -> dict[str, Estimate]:
        """κ of correct or not, by what becomes of unclear; a row is correct if its opinions come to more than ½."""
        if UNCLEAR not in self.question.worth:
            return {}
        found = {}
        for name, unclear in zip(TREATMENTS, (0.0, 0.5, None), strict=True):
            pairs = [
                (row, (), str(people), str(judge))
                for row in self.graded
                if (people := _passes([row.people[()]], unclear)) is not None
                and (judge := _passes([each[()] for each in row.opinions], unclear)) is not None
            ]
            found[name] = self._kappa(pairs)
        return found

    @property
    def confusion(self) -> Mapping[tuple[str, str], int]:
        """How often people's label (first) met the judge's (second)."""
        return self.held.confusion

    @cached_property
    def whole(self) -> list[list[str]]:
        """The opinions on each part of which all could be read."""
        full = [row for row in self.graded if len(row.opinions) == self.opinions]
        return [[each[part] for each in row.opinions] for row in full for part in row.people]

    @cached_property
    def unanimous(self) -> Estimate | None:
        """How often all opinions on a part are the same; None where there is one opinion or none."""
        return unanimity(self.whole) if self.opinions > 1 and self.whole else None

    @cached_property
    def own_agreement(self) -> Estimate | None:
        """Fleiss' κ between the judge's own opinions."""
        return fleiss_kappa(self.whole) if self.opinions > 1 and self.whole else None

    @cached_property
    def biases(self) -> dict[str, Bias]:
        """What makes the judge grade higher or lower than people do."""
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
        """Why the judge does not qualify; empty where it does."""
        return self.held.why_not

    @property
    def qualified(self) -> bool:
        """Whether even the lower 95% bound of κ reaches the threshold, and nearly every row has a grade."""
        return self.held.qualified

    @cached_property
    def record(self) -> dict[str, Any]:
        """All of it as JSON knows it; a number is its value and the bounds of its 95% CI, null where it has none."""
        stability = {"unanimous": self.unanimous, "fleiss_kappa": self.own_agreement}
        return self.held.record(
            self.created,
            correct_or_not={name: bounds(each) for name, each in self.treatments.items()},
            by_label={name: bounds(each) for name, each in self.by_label.items()},
            own_opinions={name: bounds(each) for name, each in stability.items() if each is not None},
            biases={name: bias.record for name, bias in self.biases.items()},
        )

    def write(self, path: Path) -> None:
        """Write each row again with the opinions, the grade that they come to, and the one in the other order."""
        write_lines(path, (self._line(row) for row in self.rows))

    def _line(self, row: JudgedRow) -> dict[str, Any]:
        grade = {part: self.grade(row, part) for part in row.people} if row.opinions else None
        said = {"opinions": [_plain(each) for each in row.said], "grade": _plain(grade)}
        return {**row.row.fields, **said, **({"swapped": _plain(row.turned)} if self.question.turns else {})}


def _passes(labels: Sequence[str], unclear: float | None) -> bool | None:
    """Whether labels come to correct; None where nothing is left of them."""
    values = [unclear if label == UNCLEAR else float(label == CORRECT) for label in labels]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) > 0.5 if known else None


def _plain(said: Mapping[Part, str] | None) -> Any:
    """What was said of a row, as JSON knows it: a word, or for each response its tags."""
    if said is None or () in said:
        return None if said is None else said[()]
    found: dict[str, list[str]] = {}
    for (arm, tag), label in said.items():
        found.setdefault(arm, []).extend([tag] if label == "present" else [])
    return found


def qualify_judge(
    rows: Iterable[Mapping[str, Any]],
    judge: str | Model,
    *,
    question: str = "open-answer",
    opinions: int | None = None,
    threshold: float = THRESHOLD,
    **asking: Any,
) -> JudgeAgreement:
    """Ask a judge about rows that people have labelled, several times and once in the other order.

    For `open-answer` a row has `question`, `references` (or `reference`, `answer`), `response` and `label` (correct,
    incorrect, unclear); `model`, `item_id`, `benchmark`, `arm`, `replicate` and `style` are optional. For `rationale`
    it has `question`, `options`, `answer`, `responses` by condition and `labels`, a list of tags for each, and `asked`
    where people were asked about some tags only. `asking` are `max_connections`, `timeout` and `watch`.
    """
    labelled = [Labelled(f"row {number}", row) for number, row in enumerate(rows, start=1)]
    return _held(labelled, judge, question_named(question), opinions, threshold, asking)


def qualify_judge_file(path: Path, judge: str | Model, **how: Any) -> JudgeAgreement:
    """The same with the rows of a file (JSON Lines, also gzipped); `how` are the arguments of `qualify_judge`."""
    question = question_named(how.pop("question", "open-answer"))
    opinions, threshold = how.pop("opinions", None), how.pop("threshold", THRESHOLD)
    return _held(labelled_rows(path), judge, question, opinions, threshold, how)


def question_named(name: str) -> LabelledQuestion:
    """The judge's question of that name, ours or a plug-in's."""
    found = find("questions", MEMBERS, name)
    if not isinstance(found, LabelledQuestion):
        raise PluginError(f"The judge's question {name!r} gave {found!r}. Expected a LabelledQuestion.")
    return found


def _held(
    rows: Sequence[Labelled],
    judge: str | Model,
    question: LabelledQuestion,
    opinions: int | None,
    threshold: float,
    asking: Mapping[str, Any],
) -> JudgeAgreement:
    count = question.opinions if opinions is None else opinions
    if count < 1 or not -1 <= threshold <= 1:
        raise StudyError(f"Expected at least one opinion and a κ from −1 to 1, got {count} and {threshold}.")
    if not rows:
        raise DataError("There are no rows to qualify the judge on. Expected rows with `response` and `label`.")
    people = [question.people(row) for row in rows]  # a slip of the pen is told before anything is asked
    orders = [*((False, at) for at in range(count)), *([(True, 0)] if question.turns else [])]
    requests = [[Repeated(question.request(row, turned), at) for turned, at in orders] for row in rows]
    given = answers_to(requests, judge, version=question.version, **asking)
    judged = []
    for row, label, texts in zip(rows, people, given.texts, strict=True):
        said = [
            None if text is None else question.read(text, row, turned)
            for text, (turned, _) in zip(texts, orders, strict=True)
        ]
        judged.append(JudgedRow(row, label, texts, tuple(said[:count]), said[-1] if question.turns else None))
    now = datetime.now(UTC).isoformat(timespec="seconds")
    return JudgeAgreement(given.judge, question, tuple(judged), threshold, given.progress, now)


class Kept(NamedTuple):
    """How many labels were stored with the responses that they are of, and how many rows name no stored response."""

    labels: int
    unknown: int


def keep(done: JudgeAgreement, out: str | Path, study: str | None = None) -> Kept:
    """Store a judge's qualification in a study's folder, and the labels of the responses that are there.

    A row is of a stored response if `model`, `benchmark`, `item_id`, `arm`, `replicate` and the text are its own. The
    condition is `original` and the replicate 0 where a row does not say; the benchmark is the study's, if it has one.
    """
    Store.open(out).close()  # a folder without a study is not made into one
    with Store.open(out, write=True) as store:
        record = store.studies.record(study)
        only = next(iter(record["benchmarks"])) if len(record["benchmarks"]) == 1 else ""
        rows = done.rows if done.question.one_by_one else ()
        places = dict(_places(store, record)) if rows else {}
        addressed = [(_address(row.row, only), row.people[()]) for row in rows]
        _check_one_label_each([each for each in addressed if each[0] in places])
        labels = {address: Label(*places[address], label) for address, label in addressed if address in places}
        with store.transaction():
            store.labels.add_qualification(done.record)
            store.labels.add(done.question.name, labels.values())
    return Kept(len(labels), sum(address not in places for address, _ in addressed))


def _check_one_label_each(addressed: Sequence[tuple[Address, str]]) -> None:
    """Raise where people disagree on a stored response: which of their labels counts is theirs to say."""
    known: dict[Address, str] = {}
    for address, label in addressed:
        if known.setdefault(address, label) != label:
            model, benchmark, item, arm = address[:4]
            raise DataError(
                f"The response of {model} to item {item!r} of {benchmark} under {arm} is labelled {known[address]} and "
                f"{label}. Keep one label of each response, as its raters settled it."
            )


def _address(row: Labelled, benchmark: str) -> Address:
    fields = row.fields
    named = (fields.get("model"), fields.get("benchmark") or benchmark, fields.get("item_id", fields.get("id")))
    arm, replicate = fields.get("arm") or ORIGINAL.name, fields.get("replicate") or 0
    return (*(str(each) for each in (*named, arm, replicate)), row.response.strip())


def _places(store: Store, study: Mapping[str, Any]) -> Iterator[tuple[Address, Cell]]:
    """Where each response of a study is stored, by what a row calls it."""
    for benchmark, digest in study["benchmarks"].items():
        items = store.studies.benchmark(digest).items
        for (name, revision), (arm, of_arm) in product(study["models"], study["arms"][benchmark].items()):
            model, at = store.studies.model_number(name, revision), store.studies.arm(of_arm)[0]
            for reply in store.responses.replies(model, at):
                address = (name, benchmark, items[reply.ordinal].id, arm, str(reply.replicate), reply.text.strip())
                yield address, Cell(model, at, reply.ordinal, reply.replicate)
