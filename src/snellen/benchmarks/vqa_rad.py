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
from snellen.benchmarks.closed import find_closed_options, yes_or_no
from snellen.benchmarks.gallery import Gallery
from snellen.benchmarks.pictures import Pictures, name_cluster
from snellen.benchmarks.published import SplitSource, loads, parquet_of, require_fields
from snellen.benchmarks.rows import FileRow, read
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

PUBLIC = "VQA_RAD Dataset Public.json"
BALANCED = "vqa_rad_balanced_split_and_human_eval_inclusions.tsv"
"""Split of Yang et al., "Advancing multimodal medical capabilities of Gemini", 2024, published by Google Health on
GitHub (google-health, folder data_splits)."""

SPLITS = MappingProxyType({"test": "testset.json", "train": "trainset.json", "authors-test": PUBLIC, "all": PUBLIC})
"""File of each split that the published files define."""

_ORGANS = {"ABD": "abdomen", "CHEST": "chest", "HEAD": "head"}
_MODALITIES = {"abdomen": "CT", "chest": "X-ray"}
"""Modality by organ, as in the paper; images of the head are CT or MRI, and the files do not record which."""
_MISSPELT_TYPES = {"PRSE": "PRES", "ATRIB": "ATTRIB"}
_CASE = "https://medpix.nlm.nih.gov/case?id="


@loads("vqa-rad")
def load(source: SplitSource) -> Benchmark:
    """VQA-RAD: clinicians' questions about radiology images.

    Closed questions are choices if the answer is yes or no, or if the question names two opposites ("left or right?");
    all others are open. The category is the organ, the cluster is the patient's case. `about["odd"]` lists odd but
    usable rows, such as a closed question with the answer "Maybe".

    `test` is `testset.json`. `authors-test` are the 451 rows that the original file marks for testing; 75 of them are
    in `test`. Published scores use one or the other. `balanced-test` are the 735 questions on 103 images with which
    Med-Gemini and MedGemma were tested. `mirage` are the 430 of them in the Mirage paper: their answer_type is exactly
    CLOSED (two more have an additional space), and 39 have answers besides yes and no. Both need the file
    `vqa_rad_balanced_split_and_human_eval_inclusions.tsv` in the folder, from the repository google-health of Google
    Health on GitHub.

    The hub's copy has an image, a question and an answer per row. Its `test` are the 451 rows of `authors-test`. Yes/no
    questions are choices, all others open, and questions about the same image are one cluster. `keep_unreadable` keeps
    questions whose images are missing or unreadable, for an audit.
    """
    folder, split = source.folder, source.split
    if (folder / PUBLIC).is_file():
        return _from_folder(source)
    if split not in ("test", "train", *source.about.names):
        raise DataError(f"The split {split!r} of VQA-RAD needs question ids, but {folder} has none. {source.about.get}")
    try:
        shards = [(part, parquet_of(folder, part)) for part in source.about.names_of(split)]
    except DataError as error:
        raise DataError(
            f"Expected the folder of VQA-RAD's published files or the hub's copy, got {folder}: there is no {PUBLIC!r} "
            "in it, and no Parquet file."
        ) from error
    rows = (row._replace(fields={**row.fields, "split": part}) for part, files in shards for row in source.rows(files))
    return source.collect(rows, partial(_from_hub, source.pictures))


def _from_hub(pictures: Pictures, row: FileRow) -> Item:
    require_fields(row.fields, "image", "question", "answer")
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
        cluster=name_cluster(row.fields["image"], image),
    )


def _from_folder(source: SplitSource) -> Benchmark:
    public = [row.fields for row in read(source.folder / PUBLIC)]
    details = {str(fields.get("qid")): fields for fields in public}
    cases = _cases(public)
    gallery = source.open_gallery(source.folder / "images")
    odd: dict[str, list[str]] = {}

    def item_of(row: FileRow) -> Item:
        missing = [name for name in ("qid", "question", "answer", "image_name") if row.fields.get(name) in (None, "")]
        if missing:
            raise DataError(f"it has no {' and no '.join(missing)}")
        fields = {**details.get(str(row.fields.get("qid")), {}), **row.fields}
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


def _rows(source: SplitSource) -> Iterator[FileRow]:
    """Return the rows of a split; unreadable rows are in every split."""
    folder, split = source.folder, source.split
    if (file := SPLITS.get(split, PUBLIC)) != PUBLIC:
        return read(folder / file)
    belongs = _belonging(folder, split)
    return (row for row in read(folder / PUBLIC) if row.reason or belongs(row.fields))


def _belonging(folder: Path, split: str) -> Callable[[Mapping[str, Any]], bool]:
    """Return a function that is True for rows of a split in the whole file."""
    if split == "all":
        return lambda fields: True
    if split == "authors-test":
        return lambda fields: str(fields.get("phrase_type", "")).startswith("test")
    balanced = _load_balanced_test_ids(folder)
    return lambda fields: (
        str(fields.get("qid")) in balanced and (split != "mirage" or fields.get("answer_type") == "CLOSED")
    )


def _load_balanced_test_ids(folder: Path) -> frozenset[str]:
    file = folder / BALANCED
    if not file.is_file():
        raise DataError(
            f"The splits 'balanced-test' and 'mirage' of VQA-RAD need the file {BALANCED} in {folder}. "
            "Google Health publishes it on GitHub, in the folder data_splits of the repository google-health."
        )
    with file.open(encoding="utf-8-sig", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t"))
    if not rows or not {"QID_unique", "SPLIT_BALANCED"} <= rows[0].keys():
        raise DataError(f"{BALANCED}: expected the columns QID_unique and SPLIT_BALANCED, separated by tabs.")
    return frozenset(row["QID_unique"].strip() for row in rows if row["SPLIT_BALANCED"].strip() == "test")


def _cases(rows: Iterable[Mapping[str, Any]]) -> dict[str, str]:
    """Return the case of each image: the address in most of its rows.

    A few rows of the published file have an address whose last digits were counted up, as when a spreadsheet cell is
    dragged. Read literally, one patient would count as several.
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
    closed = _is_closed(fields)
    options, right = (find_closed_options(question, answer) if closed else None) or ((), answer)
    part = _ORGANS.get(organ, organ.casefold())
    types = (each.strip().upper() for each in str(fields.get("question_type", "")).split(","))
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
                "question_types": [_MISSPELT_TYPES.get(kind, kind) for kind in types],
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
        yield "it has tabs instead of commas, and some letters are misplaced"
    if "\ufffd" in item.question:
        yield "a letter of its question was lost"
    if _is_closed(fields) and item.kind == "open" and " or " not in item.question:
        yield f"it is closed, but its answer {item.answer!r} is neither yes nor no and no options are named"
    if item.cluster != str(fields.get("image_case_url", "")).removeprefix(_CASE):
        yield "its case differs from the case of the same image in other questions"


def _asked_twice(items: Iterable[Item]) -> Iterable[tuple[str, str]]:
    first: dict[tuple[object, str], str] = {}
    for item in items:
        earlier = first.setdefault((item.metadata["image"], item.question.casefold()), item.id)
        if earlier != item.id:
            yield item.id, f"it repeats the question and image of {earlier}"


def _is_closed(fields: Mapping[str, Any]) -> bool:
    return str(fields.get("answer_type", "")).strip().upper() == "CLOSED"


def _tidy(value: object, what: str) -> str:
    return " ".join(as_text(value, what).split())
