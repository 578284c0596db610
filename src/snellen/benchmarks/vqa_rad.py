"""VQA-RAD: questions that clinicians asked of radiology images, from the benchmark's published files."""

from __future__ import annotations

import csv
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import offered, yes_or_no
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import Pictures, shared
from snellen.benchmarks.published import Source, loads, needed, parquet_of
from snellen.benchmarks.rows import Row, read
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

PUBLIC = "VQA_RAD Dataset Public.json"
BALANCED = "vqa_rad_balanced_split_and_human_eval_inclusions.tsv"
"""The split of Yang et al., "Advancing multimodal medical capabilities of Gemini", 2024, as Google Health publishes it
on GitHub (google-health, folder data_splits)."""

SPLITS = MappingProxyType({"test": "testset.json", "train": "trainset.json", "authors-test": PUBLIC, "all": PUBLIC})
"""The file of each split that the published files tell."""

_ORGANS = {"ABD": "abdomen", "CHEST": "chest", "HEAD": "head"}
_MODALITIES = {"abdomen": "CT", "chest": "X-ray"}
"""By organ, as the paper says; images of the head are CT or MRI, and the files do not say which."""
_MISSPELT_TYPES = {"PRSE": "PRES", "ATRIB": "ATTRIB"}
_CASE = "https://medpix.nlm.nih.gov/case?id="


@loads("vqa-rad")
def load(source: Source) -> Benchmark:
    """VQA-RAD: questions that clinicians asked of radiology images, from the published folder or the hub's copy.

    Closed questions with the answer yes or no are choices between the two, and so are those that name both of two
    opposites ("left or right?"); all others are open. The category is the organ, the cluster is the patient's case.
    What is odd but usable (a closed question answered "Maybe") is named in `about["odd"]`.

    `test` is `testset.json`; `authors-test` are the 451 rows that the original file itself marks for testing, of which
    the former holds 75. Published scores use one or the other. `balanced-test` are the 735 questions of 103 images that
    Med-Gemini and MedGemma were tested on, and `mirage` the 430 of them that the Mirage paper asked: their answer_type
    is exactly CLOSED, which two more miss by a blank; 39 of the 430 are not answered yes or no. Both need the file
    `vqa_rad_balanced_split_and_human_eval_inclusions.tsv` in the folder, from the repository google-health of Google
    Health on GitHub.

    The hub's copy has an image, a question and an answer a row. Its `test` are the 451 rows that the authors mark. What
    is answered yes or no is a choice, all else open, and questions about the same image are one cluster.
    `keep_unreadable` keeps the questions whose images are missing or unreadable, for an audit.
    """
    folder, split = source.folder, source.split
    if (folder / PUBLIC).is_file():
        return _from_folder(source)
    if split not in ("test", "train", *source.about.names):
        raise DataError(
            f"The split {split!r} of VQA-RAD is of question ids, which {folder} has not. {source.about.get}"
        )
    try:
        shards = [(part, parquet_of(folder, part)) for part in source.about.names_of(split)]
    except DataError as error:
        raise DataError(
            f"Expected the folder of VQA-RAD's published files or the hub's copy, got {folder}: there is no {PUBLIC!r} "
            "in it, and no Parquet file."
        ) from error
    rows = (row._replace(fields={**row.fields, "split": part}) for part, files in shards for row in source.rows(files))
    return source.collect(rows, partial(_from_hub, source.pictures))


def _from_hub(pictures: Pictures, row: Row) -> Item:
    needed(row.fields, "image", "question", "answer")
    image = pictures.find(row.fields["image"])
    answer = _tidy(row.fields["answer"], "its answer")
    options, right = yes_or_no(answer) or ((), answer)
    return Item(
        id=f"vqa-rad/hub-{row.fields['split']}-{row.number}",
        question=_tidy(row.fields["question"], "its question"),
        options=tuple(map(Option, options)),
        answer=right,
        images=(image,),
        kind="choice" if options else "open",
        cluster=shared(row.fields["image"], image),
    )


def _from_folder(source: Source) -> Benchmark:
    public = [row.fields for row in read(source.folder / PUBLIC)]
    details = {str(fields.get("qid")): fields for fields in public}
    cases = _cases(public)
    gallery = source.open_gallery(source.folder / "images")
    odd: dict[str, list[str]] = {}

    def item_of(row: Row) -> Item:
        fields = {**details.get(str(row.fields.get("qid")), {}), **_fields(row)}
        item = _item(row.fields["id"], fields, cases=cases, gallery=gallery)
        odd.setdefault(item.id, []).extend(_oddities(fields, item))
        return item

    rows = (row._replace(fields={**row.fields, "id": f"vqa-rad/{row.fields.get('qid')}"}) for row in _rows(source))
    made = source.collect(rows, item_of)
    told = [(item_id, oddity) for item_id, oddities in odd.items() for oddity in oddities]
    unchecked = {f"vqa-rad/{each.get('qid')}" for each in public if each.get("evaluation") == "not evaluated"}
    left_out = tuple(item.id for item in made if item.id in unchecked)
    about = {**made.about, "odd": (*told, *_asked_twice(made.items)), "not_evaluated": left_out}
    return replace(made, about=MappingProxyType(about))


def _rows(source: Source) -> Iterator[Row]:
    """The rows of a split; a row that is none is in every one, to be named."""
    folder, split = source.folder, source.split
    if (file := SPLITS.get(split, PUBLIC)) != PUBLIC:
        return read(folder / file)
    belongs = _belonging(folder, split)
    return (row for row in read(folder / PUBLIC) if row.reason or belongs(row.fields))


def _belonging(folder: Path, split: str) -> Callable[[Mapping[str, Any]], bool]:
    """Whether a row of the whole file belongs to a split."""
    if split == "all":
        return lambda fields: True
    if split == "authors-test":
        return lambda fields: str(fields.get("phrase_type", "")).startswith("test")
    balanced = _balanced(folder)
    return lambda fields: (
        str(fields.get("qid")) in balanced and (split != "mirage" or fields.get("answer_type") == "CLOSED")
    )


def _balanced(folder: Path) -> frozenset[str]:
    """The ids of the test questions of the balanced split."""
    file = folder / BALANCED
    if not file.is_file():
        raise DataError(
            f"The splits 'balanced-test' and 'mirage' of VQA-RAD are told by a file that is not in {folder}: expected "
            f"{BALANCED}. Google Health publishes it on GitHub, in the folder data_splits of the repository "
            "google-health; put it beside the questions."
        )
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    if not rows or not {"QID_unique", "SPLIT_BALANCED"} <= rows[0].keys():
        raise DataError(f"{BALANCED}: expected the columns QID_unique and SPLIT_BALANCED, parted by tabs.")
    return frozenset(row["QID_unique"].strip() for row in rows if row["SPLIT_BALANCED"].strip() == "test")


def _fields(row: Row) -> dict[str, Any]:
    """The fields of a row in which everything needed is there."""
    missing = [name for name in ("qid", "question", "answer", "image_name") if row.fields.get(name) in (None, "")]
    if missing:
        raise DataError(f"it has no {' and no '.join(missing)}")
    return row.fields


def _cases(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """The case of each image: the address most of its rows give.

    A few rows of the published file give an address whose last digits were counted up, as spreadsheets do when a
    cell is dragged; taken at its word, one patient would count as several.
    """
    addresses: dict[str, Counter[str]] = defaultdict(Counter)
    for fields in rows:
        addresses[str(fields.get("image_name"))][str(fields.get("image_case_url", "")).removeprefix(_CASE)] += 1
    return {image: counted.most_common(1)[0][0] for image, counted in addresses.items()}


def _item(item_id: str, fields: Mapping[str, Any], *, cases: Mapping[str, str], gallery: Gallery) -> Item:
    question = _tidy(fields["question"], "its question")
    answer = _tidy(fields["answer"], "its answer")
    image = as_text(fields["image_name"], "its image_name")
    organ = _tidy(fields.get("image_organ", ""), "its image_organ")
    closed = _closed(fields)
    options, right = (offered(question, answer) if closed else None) or ((), answer)
    part = _ORGANS.get(organ, organ.casefold())
    return Item(
        id=item_id,
        question=question,
        options=tuple(map(Option, options)),
        answer=right,
        images=(gallery.find(image),),
        kind="choice" if options else "open",
        category=part,
        cluster=cases.get(image) or image,
        metadata=MappingProxyType(
            {
                "organ": organ,
                "body_part": part,
                "modality": _MODALITIES.get(part, ""),
                "question_types": _types(fields),
                "answer_type": "CLOSED" if closed else "OPEN",
                "phrase_type": str(fields.get("phrase_type", "")),
                "linked": str(fields.get("qid_linked_id", "")),
                "image": image,
            }
        ),
    )


def _oddities(fields: Mapping[str, Any], item: Item) -> Iterable[str]:
    kind = str(fields.get("answer_type", ""))
    if kind not in ("CLOSED", "OPEN"):
        yield f"its answer_type is {kind!r}"
    if not isinstance(fields["answer"], str):
        yield f"its answer is the number {fields['answer']!r}"
    if not isinstance(fields["qid"], int):
        yield f"its qid is the text {fields['qid']!r}"
    written = [part.strip() for part in str(fields.get("question_type", "")).split(",")]
    if written != item.metadata["question_types"]:
        yield f"its question_type is {fields.get('question_type')!r}"
    if "\t" in f"{fields['question']}{fields['answer']}":
        yield "tabs stand where commas were, some letters misplaced"
    if "\ufffd" in item.question:
        yield "a letter of its question was lost"
    if _closed(fields) and item.kind == "open" and " or " not in item.question:
        yield f"it is closed, but its answer {item.answer!r} is neither yes nor no and no options are named"
    if item.cluster != str(fields.get("image_case_url", "")).removeprefix(_CASE):
        yield "its case differs from that of the same image elsewhere"


def _asked_twice(items: Iterable[Item]) -> Iterable[tuple[str, str]]:
    first: dict[tuple[object, str], str] = {}
    for item in items:
        earlier = first.setdefault((item.metadata["image"], item.question.casefold()), item.id)
        if earlier != item.id:
            yield item.id, f"it asks the same of the same image as {earlier}"


def _closed(fields: Mapping[str, Any]) -> bool:
    return str(fields.get("answer_type", "")).strip().upper() == "CLOSED"


def _types(fields: Mapping[str, Any]) -> list[str]:
    written = (part.strip().upper() for part in str(fields.get("question_type", "")).split(","))
    return [_MISSPELT_TYPES.get(kind, kind) for kind in written]


def _tidy(value: object, what: str) -> str:
    return " ".join(as_text(value, what).split())
