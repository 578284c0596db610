"""SLAKE: questions in English and Chinese about radiology images, from the benchmark's published files.

Liu et al., "SLAKE: A semantically-labeled knowledge-enhanced dataset for medical visual question answering", ISBI 2021.
"""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

from snellen.benchmarks.answers import as_text
from snellen.benchmarks.closed import offered
from snellen.benchmarks.pictures import Pictures
from snellen.benchmarks.published import Published, collected, files_of, frozen, needed, rows_of
from snellen.benchmarks.rows import Row
from snellen.errors import DataError
from snellen.items import Benchmark, Item, Option

ABOUT = Published(
    name="slake",
    title="SLAKE",
    asks="questions in English and Chinese about radiology images",
    tier="public",
    get="download BoKelvin/SLAKE from the hub (train.json, validation.json, test.json, imgs.zip) and write "
    "slake:FOLDER, or write slake:hf.",
    licence="CC-BY-4.0",
    citation='Liu et al., "SLAKE: A semantically-labeled knowledge-enhanced dataset for medical visual question '
    'answering", ISBI 2021',
    splits=MappingProxyType({"test": 2094, "validation": 2099, "train": 9835}),
    kinds=("choice", "open"),
    clusters="the image",
    modalities="CT, MRI, X-ray",
    hub="BoKelvin/SLAKE",
)

LANGUAGES = ("all", "en", "zh")

_FILES = MappingProxyType(
    {"test": ("test.json",), "validation": ("validation.json", "validate.json"), "train": ("train.json",)}
)


def load(
    path: str | Path,
    *,
    split: str = "test",
    language: str = "all",
    allow_broken: bool = False,
    keep_unreadable: bool = False,
) -> Benchmark:
    """SLAKE: questions in English and Chinese about radiology images, from its published folder.

    Questions that the authors call closed are choices where their answer is yes or no (`是` and `否` in Chinese) or one
    of two opposites that the question names; all others are open. `language` is `en`, `zh` or `all`. The category is
    what is asked for (`content_type`), the cluster is the image. Images are read from `imgs` or from `imgs.zip`.
    """
    files = _FILES[ABOUT.split(split)]
    if language not in LANGUAGES:
        raise DataError(
            f"SLAKE is in English and Chinese: expected the language {', '.join(LANGUAGES)}, got {language!r}."
        )
    folder = ABOUT.folder(path)
    pictures = Pictures(folder, folders=("imgs", ""), zips=("imgs.zip",), keep_unreadable=keep_unreadable)
    found = files_of(folder, *files, *(f"*/{name}" for name in files), what=f"SLAKE's file of the split {split!r}")
    rows = (row for row in rows_of(found) if language == "all" or row.reason or row.fields.get("q_lang") == language)
    told = {"split": split, "language": language}
    return collected(ABOUT, rows, lambda row: _item(row, pictures), allow_broken=allow_broken, **told)


def _item(row: Row, pictures: Pictures) -> Item:
    fields = row.fields
    needed(fields, "qid", "question", "answer", "img_name", "q_lang", "answer_type")
    question, answer = (as_text(fields[name], f"its {name}").strip() for name in ("question", "answer"))
    kind = str(fields["answer_type"]).strip().upper()
    if kind not in ("CLOSED", "OPEN"):
        raise DataError(f"its answer_type is {fields['answer_type']!r}, expected CLOSED or OPEN")
    options, right = (offered(question, answer) if kind == "CLOSED" else None) or ((), answer)
    image = as_text(fields["img_name"], "its img_name")
    return Item(
        id=f"slake/{fields['qid']}",
        question=question,
        options=tuple(map(Option, options)),
        answer=right,
        images=(pictures.find(image),),
        kind="choice" if options else "open",
        category=str(fields.get("content_type") or ""),
        language=str(fields["q_lang"]),
        cluster=image,
        metadata=frozen(
            modality=fields.get("modality"),
            body_part=fields.get("location"),
            answer_type=kind,
            base_type=fields.get("base_type"),
            triple=fields.get("triple"),
        ),
    )
