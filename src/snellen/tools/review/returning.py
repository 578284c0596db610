"""Return of review results to the study, its judges, `snellen parser qualify`, and later studies.

Verdicts become labels of stored responses, and decide whether a judge of open answers is trusted. Labels of
honesty correct the verdict *Honest without the image?*. Labels of other tasks become rows for `snellen parser
qualify`, reference answers a benchmark file, and ratings a list of items that need the image.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from statistics import median
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from snellen.benchmarks.folder import item_line
from snellen.conditions import ORIGINAL
from snellen.errors import DataError, ImageError, StudyError
from snellen.files import create_folder, write_whole
from snellen.items import LETTERS, Item
from snellen.judging import THRESHOLD
from snellen.judging.answers import grades_given
from snellen.judging.held_against_people import HeldAgainstPeople, LabelPair, most_say
from snellen.judging.open_answer import OPEN_ANSWER
from snellen.judging.source import images_asked_with
from snellen.prompts import asked_under
from snellen.prompts.told_images import roles_told
from snellen.reading.outcomes import OpenGrade
from snellen.runtime import counted
from snellen.store import Label, ResponseCell, Store, StoredResponse, as_changed
from snellen.stress.taxonomy import JUDGED
from snellen.tools.review.ballots import ReviewedCase
from snellen.tools.review.case import Subject, cluster
from snellen.tools.review.profiles import HIGHEST, estimate_record
from snellen.tools.review.results import Reviewed, is_read, readings
from snellen.tools.review.task import Value
from snellen.tools.review.tasks.honest import HONEST
from snellen.tools.review.tasks.mismatch import MISMATCH
from snellen.tools.review.tasks.missing_image import MISSING_IMAGE
from snellen.tools.review.tasks.premise import PREMISE
from snellen.tools.review.tasks.profile import ESSENTIAL, PROFILE
from snellen.tools.review.tasks.quality import QUALITY
from snellen.tools.review.tasks.rationale import RATIONALE
from snellen.tools.review.tasks.reference import REFERENCE
from snellen.tools.review.tasks.verdict import VERDICT

SOURCE = "review"
_LABELS = {VERDICT.name: (OPEN_ANSWER.name, "verdict"), HONEST.name: (HONEST.name, "act")}
"""By task: the question that its labels answer in the store, and the field with the label."""
UNEQUAL = 1.5
"""Ratio of sampling rates between strata above which a caution is printed."""


class GivenBack(NamedTuple):
    """What was stored: the task's record, the number of labels, the judges, and sentences about them."""

    record: dict[str, Any]
    labels: int
    judges: tuple[HeldAgainstPeople, ...]
    sentences: tuple[str, ...]


def give_back(
    out: str | Path,
    study: str | None,
    reviewed: Reviewed,
    *,
    plan: Mapping[str, Any] | None = None,
    threshold: float = THRESHOLD,
) -> GivenBack:
    """Store a task's results in a study.

    The results of some tasks are also stored as labels, and as qualifications of judges.
    """
    Store.open(out).close()  # a folder without a study is not made into one
    created = datetime.now(UTC).isoformat(timespec="seconds")
    with Store.open(out, write=True) as store, store.transaction():
        known = store.studies.record(study)
        labels: list[Label] = []
        judges: tuple[HeldAgainstPeople, ...] = ()
        sentences: list[str] = []
        stays: set[str] = set()
        cautions: list[str] = []
        if reviewed.task.name in _LABELS:
            labels = _replace_labels(store, known, reviewed)
            cautions = list(_cautions(reviewed, plan or {}))
            sentences += [_describe_labels(reviewed, labels, plan or {}), *cautions]
        if reviewed.task.name == VERDICT.name:
            judges = tuple(held_judges(store, known, reviewed, threshold=threshold))
            sentences += [_keep(store, judge, created, stays) for judge in judges]
        record = {
            **reviewed.record,
            "study": known["name"],
            "created": created,
            "plan": dict(plan or {}),
            "judges": [_judge_record(each, stays) for each in judges],
            "cautions": cautions,
            "labelled": [list(label[:4]) for label in labels],
            "among": [
                [store.studies.model_number(model, revision), store.studies.arm(known["arms"][benchmark][arm])[0], *at]
                for benchmark, model, revision, arm, *at in (plan or {}).get("among", ())
            ],
        }
        store.labels.add_review(record)
    return GivenBack(record, len(labels), judges, tuple(sentences))


def _replace_labels(store: Store, study: Mapping[str, Any], reviewed: Reviewed) -> list[Label]:
    """Store the settled labels of responses, and drop labels that no longer hold."""
    question, _ = _LABELS[reviewed.task.name]
    labels = [Label(*_find_cell(store, study, case.subject), label) for case, label in _settled_labels(reviewed)]
    cells = [list(label[:4]) for label in labels]
    before = store.labels.reviews(study["name"]).get(reviewed.task.name, {}).get("labelled", ())
    withdrawn = [ResponseCell(*cell) for cell in before if cell not in cells]
    open_ = [_find_cell(store, study, case.subject) for case in reviewed.open]
    store.labels.add(question, labels)
    store.labels.drop(question, [*open_, *withdrawn])
    return labels


def _settled_labels(reviewed: Reviewed) -> Iterator[tuple[ReviewedCase, str]]:
    _, field = _LABELS[reviewed.task.name]
    for case in reviewed.cases:
        if case.number in reviewed.settled:
            yield case, str(reviewed.settled[case.number].value[field])


def _describe_labels(reviewed: Reviewed, labels: Sequence[Label], plan: Mapping[str, Any]) -> str:
    if reviewed.task.name == VERDICT.name:
        return f"{counted(len(labels), 'verdict')} can be used as labels of the study's responses now."
    responses = sum(each.get("of", 0) for each in plan.get("strata", ()))
    known = f" of {responses:,} responses" if responses else ""
    return f"{counted(len(labels), 'label')}{known}: the verdict *Honest without the image?* uses them."


def _cautions(reviewed: Reviewed, plan: Mapping[str, Any]) -> Iterator[str]:
    if reviewed.not_judged:
        yield (
            f"{counted(len(reviewed.not_judged), 'case')} that a rater could not judge "
            f"{'has' if len(reviewed.not_judged) == 1 else 'have'} no label. Labels without the hard cases are not a "
            "random sample: shares of labels, and accuracies corrected by them, may be biased."
        )
    if reviewed.open:
        many = f"{len(reviewed.open):,} case{'s are' if len(reviewed.open) != 1 else ' is'}"
        yield (
            f"{many} open and without a label. Labels without the doubtful cases are not a random sample: "
            "shares of labels, and accuracies corrected by them, may be biased. Let another rater decide (--settler)."
        )
    if reviewed.task.name != VERDICT.name:
        return  # each stratum is an estimate of its own
    rates = [each["drawn"] / each["of"] for each in plan.get("strata", ()) if each.get("of")]
    if rates and max(rates) > UNEQUAL * min(rates):
        yield (
            f"Strata were sampled at rates from {min(rates):.0%} to {max(rates):.0%}. Shares of labels are those of "
            "the sample, not of the study. Accuracies corrected by labels weigh each category as in the study."
        )


def _find_cell(store: Store, study: Mapping[str, Any], subject: Subject) -> ResponseCell:
    arm = study["arms"].get(subject.benchmark, {}).get(subject.arm)
    if arm is None or [subject.model, subject.revision] not in [list(each) for each in study["models"]]:
        raise StudyError(
            f"The case of {subject.model} on item {subject.item_id!r} of {subject.benchmark} under {subject.arm} "
            f"matches no response of the study {study['name']}. Name the study that the cases were drawn from."
        )
    model = store.studies.model_number(subject.model, subject.revision)
    return ResponseCell(model, store.studies.arm(arm)[0], subject.ordinal, subject.replicate)


def held_judges(
    store: Store, study: Mapping[str, Any], reviewed: Reviewed, *, threshold: float = THRESHOLD
) -> Iterator[HeldAgainstPeople]:
    """Compare every judge with the settled verdicts on the responses that it graded.

    Raters choose correct or incorrect, so a judge's "unclear" counts as incorrect, as it does in accuracies.
    """
    given: dict[tuple[str, ...], dict[tuple[int, int], dict[str, list[OpenGrade | None]]]] = {}
    graded: dict[str, list[tuple[ReviewedCase, str, list[OpenGrade | None]]]] = {}
    for case, verdict in _settled_labels(reviewed):
        about = case.subject
        at = (about.benchmark, about.arm, about.model)
        if at not in given:
            given[at] = grades_given(store, study, *at)
        for judge, grades in given[at].get((about.ordinal, about.replicate), {}).items():
            graded.setdefault(judge, []).append((case, verdict, grades))
    for judge, rows in sorted(graded.items()):
        pairs = []
        for case, verdict, grades in rows:
            most = most_say([each.value for each in grades if each is not None], OpenGrade.UNCLEAR.value)
            if most is not None:
                grade = most if most in VERDICT.fields[0].values else OpenGrade.INCORRECT.value
                pairs.append(LabelPair(cluster(case.subject), verdict, grade))
        yield HeldAgainstPeople(
            judge=judge,
            question=OPEN_ANSWER.name,
            version=OPEN_ANSWER.version,
            opinions=max(len(grades) for *_, grades in rows),
            rows=len(rows),
            ungraded=len(rows) - len(pairs),
            pairs=tuple(pairs),
            labels=Counter(verdict for _, verdict, _ in rows),
            unread=sum(each is None for *_, grades in rows for each in grades),
            threshold=threshold,
        )


def _keep(store: Store, judge: HeldAgainstPeople, created: str, stays: set[str]) -> str:
    """Store a judge's qualification and describe it.

    An earlier qualification on more labels, from another source, stays in force.
    """
    record = judge.record(created, source=SOURCE)
    before: Mapping[str, Any] = {}
    for each in store.labels.qualifications():
        if all(each[name] == record[name] for name in ("judge", "question", "version")):
            before = each
    found = judge.kappa
    kappa = f"Cohen's κ {found.value:z.2f}, 95% CI {found.low:z.2f} to {found.high:z.2f}, n={found.n}, {found.method}"
    if before and before.get("source") != SOURCE and before["n"] > record["n"]:
        stays.add(judge.judge)
        return (
            f"{judge.judge} compared with these verdicts: {kappa}. Its qualification on more labels (n={before['n']}) "
            "stays in force."
        )
    if {**before, "created": ""} != orjson.loads(orjson.dumps({**record, "created": ""})):
        store.labels.add_qualification(record)
    result = "qualifies" if judge.qualified else f"does not qualify: {judge.why_not}"
    return f"{judge.judge} {result} ({kappa})."


def _judge_record(judge: HeldAgainstPeople, stays: set[str]) -> dict[str, Any]:
    return {
        "judge": judge.judge,
        "kappa": estimate_record(judge.kappa),
        "agreement": estimate_record(judge.agreement),
        "n": len(judge.pairs),
        "ungraded": judge.ungraded,
        "qualified": judge.qualified,
        "why_not": judge.why_not,
        "in_force": judge.judge not in stays,
    }


# Rows for `snellen parser qualify` ------------------------------------------------------------------------------------


def labelled_rows(store: Store, study: Mapping[str, Any], reviewed: Reviewed) -> list[dict[str, Any]]:
    """List the settled labels, with their stored responses, for `snellen parser qualify`."""
    make_labels = _LABELLED.get(reviewed.task.name)
    if make_labels is None:
        raise StudyError(
            f"`snellen parser qualify` cannot use labels of the task {reviewed.task.name!r}. It can use those of "
            f"{', '.join(_LABELLED)}."
        )
    items, rows = items_of(store, study), []
    for case in reviewed.cases:
        if case.number not in reviewed.settled:
            continue
        about, reply = case.subject, find_response(store, study, case.subject)
        asked = store.variants.load_items(_find_cell(store, study, about).arm, [about.ordinal]).get(about.ordinal)
        item = as_changed(items(about.benchmark)[about.ordinal], asked.changed if asked else {})
        addressed = {name: getattr(about, name) for name in ("model", "benchmark", "item_id", "arm", "replicate")}
        known = {"question": item.question, **({"context": item.context} if item.context else {})}
        ended = {"finish": reply.finish} if reply.finish else {}
        labels = make_labels(reviewed.settled[case.number].value, item)
        rows.append({"response": reply.text, **known, **labels, **addressed, **ended})
    return rows


def write_labelled_rows(out: str | Path, study: str | None, reviewed: Reviewed, path: Path) -> int:
    """Write the rows for `snellen parser qualify` as JSON Lines; return their number."""
    with Store.open(out) as store:
        rows = labelled_rows(store, store.studies.record(study), reviewed)
    write_whole(path, _lines(rows))
    return len(rows)


def _lines(rows: Sequence[Any]) -> bytes:
    return b"".join(orjson.dumps(row) + b"\n" for row in rows)


def items_of(store: Store, study: Mapping[str, Any]) -> Callable[[str], Sequence[Item]]:
    """Return a function that loads a benchmark's items, each benchmark once."""
    return cache(lambda benchmark: store.studies.benchmark(study["benchmarks"][benchmark]).items)


def find_response(store: Store, study: Mapping[str, Any], subject: Subject) -> StoredResponse:
    """Find the stored response of a case; raise DataError if it is gone."""
    cell = _find_cell(store, study, subject)
    for reply in store.responses.replies(cell.model, cell.arm, [cell.ordinal]):
        if reply.replicate == cell.replicate:
            return reply
    raise DataError(
        f"The response of {subject.model} to item {subject.item_id!r} of {subject.benchmark} under {subject.arm}, "
        f"repeat {subject.replicate}, is no longer stored. Give the folder that the cases were drawn from."
    )


def _quality_row(value: Value, item: Item) -> dict[str, Any]:
    answers = {name: value[name] == "yes" for name in ("flags", "conflict") if value.get(name)}
    options = [option.text for option in item.options]
    normal = {"options": options, "normal": options[item.normal]} if item.normal is not None else {}
    return {"label": value["label"], **answers, **normal}


def _mismatch_row(value: Value, item: Item) -> dict[str, Any]:
    names = ("body_part", "shown_body_part", "modality", "shown_modality")
    return {"label": value["label"], **{name: item.metadata[name] for name in names if item.metadata.get(name)}}


def _rationale_row(value: Value, item: Item) -> dict[str, Any]:
    asked = [tag for tag in RATIONALE.fields[0].values if tag in JUDGED]
    marked = {mark["tag"] for mark in value["patterns"]}
    answer = {"answer": LETTERS[item.answer]} if isinstance(item.answer, int) else {}
    labels = {"labels": [tag for tag in asked if tag in marked], "asked": asked}
    return {**labels, "options": [option.text for option in item.options], **answer}


_LABELLED: Mapping[str, Callable[[Value, Item], dict[str, Any]]] = {
    VERDICT.name: lambda value, item: {"references": list(item.references), "label": value["verdict"]},
    MISSING_IMAGE.name: lambda value, item: {"label": value["label"]},
    QUALITY.name: _quality_row,
    RATIONALE.name: _rationale_row,
    MISMATCH.name: _mismatch_row,
    PREMISE.name: lambda value, item: {
        "label": value["label"], **({"premise": item.premise.claims} if item.premise else {}),
    },
}  # fmt: skip


# Reference answers and subsets ----------------------------------------------------------------------------------------


def write_references(out: str | Path, study: str | None, reviewed: Reviewed, path: Path) -> int:
    """Write the settled reference answers as a benchmark, with images; return the number of items.

    An item's answers are the settled one and all others that its agreeing raters accept. Its other fields stay.
    For tasks about reasoning, each line of the answer is a step.
    """
    if reviewed.task.name != REFERENCE.name:
        raise StudyError(f"Expected votes of the task {REFERENCE.name}, got {reviewed.task.name}.")
    rows = []
    with Store.open(out) as store:
        known = store.studies.record(study)
        items = items_of(store, known)
        for case in sorted(reviewed.cases, key=lambda each: (each.subject.benchmark, each.subject.ordinal)):
            if case.number in reviewed.settled:
                item = items(case.subject.benchmark)[case.subject.ordinal]
                annotated = _with_answers(item, list_accepted(reviewed, case))
                rows.append(item_line(annotated, _write_images(store, known, case.subject, path.parent)))
    create_folder(path.parent)
    write_whole(path, b"".join(rows))
    return len(rows)


def _with_answers(item: Item, answers: Sequence[str]) -> Item:
    """Return an item with these accepted answers; the first is the reference."""
    metadata = {name: value for name, value in item.metadata.items() if name not in ("answers", "steps")}
    if len(answers) > 1:
        metadata["answers"] = list(answers)
    if str(metadata.get("task")).endswith("-reasoning"):
        metadata["steps"] = [line.strip() for line in answers[0].splitlines() if line.strip()]
    return replace(item, answer=answers[0], metadata=MappingProxyType(metadata))


def list_accepted(reviewed: Reviewed, case: ReviewedCase) -> list[str]:
    """List the accepted answers of a settled case, the settled one first."""
    (field,) = reviewed.task.compared
    came_to = reviewed.settled[case.number].value
    mine = [vote.value for vote in case.votes if vote.value is not None]
    agreeing = [each for each in mine if reviewed.task.says(field, each) == reviewed.task.says(field, came_to)]
    also = [line.strip() for each in agreeing for line in str(each.get("also") or "").splitlines() if line.strip()]
    once: dict[str, str] = {}
    for answer in (str(came_to[field.name]), *also):
        once.setdefault(reviewed.task.says(field, {field.name: answer}), answer)
    return list(once.values())


def _write_images(store: Store, study: Mapping[str, Any], subject: Subject, folder: Path) -> list[str | dict[str, str]]:
    names: list[str | dict[str, str]] = []
    arms = study["arms"][subject.benchmark]
    arm = store.studies.arm(arms[asked_under(ORIGINAL.name, arms)])[0]
    text = store.variants.load_items(arm, [subject.ordinal])[subject.ordinal].text
    shown = images_asked_with(store, study, subject.benchmark, subject.ordinal)
    for role, sha256 in zip(roles_told(text, len(shown)), shown, strict=True):
        try:
            image = store.images.load_encoded(sha256)
        except ImageError as error:
            raise DataError(f"Item {subject.item_id!r} of {subject.benchmark} has lost its image: {error}") from error
        name = f"images/{sha256[:16]}.{image.media_type.rpartition('/')[2]}"
        create_folder(folder / "images")
        write_whole(folder / name, image.data)
        names.append({"image": name, "role": role} if role else name)
    return names


def write_subset(reviewed: Reviewed, path: Path, benchmark: str | None = None) -> int:
    """Write the ids of items that need their image; return their number.

    An item needs its image if its median rating is 3. `benchmark` restricts the list to one benchmark. The format is
    JSON, JSON Lines or CSV by the file's suffix, otherwise one id per line.
    """
    if reviewed.task.name != PROFILE.name:
        raise StudyError(f"Expected votes of the task {PROFILE.name}, got {reviewed.task.name}.")
    homes: dict[str, set[str]] = {}
    needed: dict[str, None] = {}
    for case in reviewed.cases:
        homes.setdefault(case.subject.item_id, set()).add(case.subject.benchmark)
        if is_read(case) and benchmark in (None, case.subject.benchmark):
            levels = [int(value[ESSENTIAL]) for value in readings(case).values()]
            needed |= {case.subject.item_id: None} if median(levels) == HIGHEST else {}
    ids = list(needed)
    if benchmark is None and (shared := next((each for each in ids if len(homes[each]) > 1), "")):
        raise StudyError(
            f"Several benchmarks have an item {shared!r}, so its id is ambiguous. Choose one with --benchmark."
        )
    if not ids:
        rated = sum(map(is_read, reviewed.cases))
        raise StudyError(
            f"By the median of the raters, no item needs its image ({ESSENTIAL} = {HIGHEST:g}); {rated} of "
            f"{len(reviewed.cases)} items have all their votes. {path.name} was not written."
        )
    write_whole(path, _format_ids(ids, path.suffix.lower()))
    return len(ids)


def _format_ids(ids: Sequence[str], kind: str) -> bytes:
    if kind == ".json":
        return orjson.dumps(ids)
    if kind == ".jsonl":
        return _lines([{"id": each} for each in ids])
    if kind == ".csv":
        text = io.StringIO(newline="")
        csv.writer(text).writerows([["id"], *([each] for each in ids)])
        return text.getvalue().encode()
    return "".join(f"{each}\n" for each in ids).encode()
