"""VQA-RAD: questions that clinicians asked of radiology images, from the benchmark's published files.

Lau et al., "A dataset of clinically generated visual questions and answers about radiology images", Sci Data 2018.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from snellen.datasets.answers import as_text
from snellen.datasets.gallery import Gallery
from snellen.datasets.published import Published
from snellen.datasets.rows import Row, read
from snellen.errors import DataError
from snellen.items import Benchmark, Collector, Item, Option

ABOUT = Published(
    name="vqa-rad",
    title="VQA-RAD",
    asks="questions that clinicians asked of radiology images",
    tier="public",
    get="download the published folder from OSF (osf.io/89kps), or use `vqa-rad:hf`.",
    licence="CC0-1.0",
    citation='Lau et al., "A dataset of clinically generated visual questions and answers about radiology images", '
    "Scientific Data 2018",
    splits=MappingProxyType({"test": 450, "train": 1798, "authors-test": 451, "all": 2248}),
    kinds=("choice", "open"),
    clusters="the patient's case",
    modalities="X-ray, CT, MRI",
    hub="flaviagiammarino/vqa-rad",
    prompt="mirage-vqa-rad",
)

PUBLIC = "VQA_RAD Dataset Public.json"
SPLITS = MappingProxyType({"test": "testset.json", "train": "trainset.json", "authors-test": PUBLIC, "all": PUBLIC})

_ORGANS = {"ABD": "abdomen", "CHEST": "chest", "HEAD": "head"}
_MODALITIES = {"abdomen": "CT", "chest": "X-ray"}
"""By organ, as the paper says; images of the head are CT or MRI, and the files do not say which."""
_MISSPELT_TYPES = {"PRSE": "PRES", "ATRIB": "ATTRIB"}
_YES_NO = ("yes", "no")
# "Left or right?" offers its own two answers; beyond these pairs, where an option begins and ends is guesswork.
_OPPOSITES = frozenset(
    frozenset(pair)
    for pair in (
        ("left", "right"),
        ("ap", "pa"),
        ("ct", "mri"),
        ("male", "female"),
        ("normal", "abnormal"),
        ("unilateral", "bilateral"),
        ("solid", "cystic"),
        ("superior", "inferior"),
        ("hyperintense", "hypointense"),
        ("heterogeneous", "homogeneous"),
        ("symmetric", "asymmetric"),
        ("regular", "irregular"),
        ("focal", "diffuse"),
        ("supratentorial", "infratentorial"),
        ("radiolucent", "radioopaque"),
        ("exterior", "interior"),
        ("inside", "outside"),
        ("axial", "sagittal"),
    )
)
_EITHER = re.compile(r"(?<![\w-])([\w-]+) or (?:(?:an?|the) )?([\w-]+)")
_CASE = "https://medpix.nlm.nih.gov/case?id="


def load(
    path: str | Path, *, split: str = "test", allow_broken: bool = False, keep_unreadable: bool = False
) -> Benchmark:
    """The questions of a split (`test`, `train`, `authors-test` or `all`) in the folder of the published files.

    Closed questions with the answer yes or no are choices between the two, and so are those that name both of two
    opposites ("left or right?"); all others are open. The category is the organ, the cluster is the patient's case.
    What is odd but usable (a closed question answered "Maybe") is named in `about["odd"]`. `test` is
    `testset.json`; `authors-test` are the 451 rows that the original file itself marks for testing, of which the former
    holds 75. Published scores use one or the other. `keep_unreadable` keeps the questions whose images are missing or
    unreadable, for an audit.
    """
    if split not in SPLITS:
        raise DataError(f"VQA-RAD has no split {split!r}. Expected one of {', '.join(SPLITS)}.")
    folder = Path(path)
    if not (folder / PUBLIC).is_file():
        raise DataError(
            f"Expected the folder of VQA-RAD's published files, got {folder}: there is no {PUBLIC!r} in it."
        )
    public = [row.fields for row in read(folder / PUBLIC)]
    details = {str(fields.get("qid")): fields for fields in public}
    cases = _cases(public)
    collector = Collector("vqa-rad")
    gallery = Gallery(folder / "images", keep_unreadable=keep_unreadable)
    odd: list[tuple[str, str]] = []
    for row in read(folder / SPLITS[split]):
        if split == "authors-test" and not str(row.fields.get("phrase_type", "")).startswith("test"):
            continue
        item_id = f"vqa-rad/{row.fields.get('qid')}"
        try:
            fields = {**details.get(str(row.fields.get("qid")), {}), **_fields(row)}
            item = _item(item_id, fields, cases=cases, gallery=gallery)
            odd.extend((item_id, oddity) for oddity in _oddities(fields, item))
            collector.add(row.where, item)
        except DataError as error:
            collector.refuse(row.where, item_id, str(error))
    odd.extend(_asked_twice(collector.items.values()))
    return collector.benchmark(allow_broken=allow_broken, about={"split": split, "odd": tuple(odd)})


def _fields(row: Row) -> dict[str, Any]:
    """The fields of a row in which everything needed is there."""
    missing = [name for name in ("qid", "question", "answer", "image_name") if row.fields.get(name) in (None, "")]
    if row.reason or missing:
        raise DataError(row.reason or f"it has no {' and no '.join(missing)}")
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
    options = _offered(question, answer) if closed else ()
    part = _ORGANS.get(organ, organ.casefold())
    known = [option.casefold() for option in options]
    return Item(
        id=item_id,
        question=question,
        options=tuple(map(Option, options)),
        answer=known.index(_bare(answer)) if options else answer,
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


def _offered(question: str, answer: str) -> tuple[str, ...]:
    """The options of a closed question, where they are certain."""
    given = _bare(answer)
    if given in _YES_NO:
        return ("Yes", "No")
    for either in _EITHER.finditer(question):
        words = either.groups()
        pair = {word.casefold() for word in words}
        if pair in _OPPOSITES and given in pair:
            return words
    return ()


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


def _bare(answer: str) -> str:
    return answer.rstrip(" .").casefold()
