"""Hypothesis strategies for our records, in one place."""

from __future__ import annotations

from functools import cache

from hypothesis import strategies as st

from snellen.images import Image, encode
from snellen.items import Item, Option, Substitute

WORDS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=30).filter(
    str.strip
)


@cache
def picture(value: int = 0, size: int = 8) -> Image:
    """A small grey picture."""
    import numpy as np

    return Image(encode(np.full((size, size), value, np.uint8)).data)


@st.composite
def choices(draw: st.DrawFn, *, images: bool | None = None, max_options: int = 6) -> Item:
    """Any usable question with options."""
    texts = draw(st.lists(WORDS, min_size=2, max_size=max_options, unique_by=lambda text: text.strip().casefold()))
    shown = draw(st.booleans()) if images is None else images
    return Item(
        id=draw(st.uuids()).hex,
        question=draw(WORDS),
        options=tuple(Option(text) for text in texts),
        answer=draw(st.integers(0, len(texts) - 1)),
        images=(picture(draw(st.integers(0, 255))),) if shown else (),
        context=draw(st.one_of(st.just(""), WORDS)),
        cluster=draw(st.sampled_from(["", "p1", "p2"])),
    )


def items(count: int = 20, *, options: int = 5, images: bool = True) -> tuple[Item, ...]:
    """A plain benchmark's items: the right answer goes round."""
    return tuple(
        Item(
            id=f"q{i:03}",
            question=f"What does picture {i} show?",
            options=tuple(Option(f"finding {'abcdefghij'[j]}{i}") for j in range(options)),
            answer=i % options,
            images=(picture(i % 256),) if images else (),
        )
        for i in range(count)
    )


FINDINGS = {
    "chest": (
        "Pneumothorax",
        "Pleural effusion",
        "Cardiomegaly",
        "Rib fracture",
        "Lobar pneumonia",
        "Pulmonary oedema",
    ),
    "eye": ("Drusen", "Macular hole", "Retinal detachment", "Glaucoma", "Cataract", "Papilloedema"),
    "brain": ("Meningioma", "Hydrocephalus", "Subdural haematoma", "Lacunar infarct", "Aneurysm", "Demyelination"),
}
"""What the questions of some categories offer, none of it like another."""
ODD_OPTIONS = (("Yes", "No"), ("Left", "Right", "Both"), ("Drusen", "Cataract", "All of the above"), ("1", "2", "3"))
QUESTIONS = (
    "What does the image show?", "A man of 70. What does the image show?", "What does the image show? Choose one.",
    "Which finding is the largest?",
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> Item:
    """A question as benchmarks ask it: of a category, about a kind of image, some with images of other options."""
    category = draw(st.sampled_from(sorted(FINDINGS)))
    offered = st.lists(st.sampled_from(FINDINGS[category]), min_size=2, max_size=6, unique=True)
    texts = draw(st.one_of(offered, offered, offered, st.sampled_from(ODD_OPTIONS)))
    answer = draw(st.integers(0, len(texts) - 1))
    image = draw(st.integers(1, 200))
    shown = draw(st.lists(st.sampled_from(range(len(texts))), max_size=2)) if draw(st.booleans()) else []
    return Item(
        id=draw(st.uuids()).hex,
        question=draw(st.sampled_from(QUESTIONS)),
        options=tuple(Option(text) for text in texts),
        answer=answer,
        images=(picture(image),),
        category=draw(st.sampled_from([category, category, category, ""])),
        cluster=draw(st.sampled_from(["", "p1", "p2", "p3"])),
        metadata=draw(st.sampled_from([{"modality": "scan", "body_part": category}] * 3 + [{"modality": "scan"}, {}])),
        substitutes=tuple(Substitute((picture(255 - place),), texts[place]) for place in shown if place != answer),
    )


def benchmarks(*, max_size: int = 12) -> st.SearchStrategy[list[Item]]:
    """The items of a benchmark in which questions of several categories and patients meet."""
    return st.lists(cases(), min_size=1, max_size=max_size, unique_by=lambda item: item.id)


def findings(count: int = 24) -> tuple[Item, ...]:
    """A benchmark in which every condition applies to every item: three categories, one patient an item."""
    names = sorted(FINDINGS)
    made = []
    for i in range(count):
        category, turn = names[i % len(names)], i // len(names)
        made.append(
            Item(
                id=f"f{i:03}",
                question="What does the image show?",
                options=tuple(Option(text) for text in FINDINGS[category][:5]),
                answer=turn % 5,
                images=(picture(i),),
                category=category,
                cluster=f"p{i}",
                metadata={"modality": "scan", "body_part": category},
            )
        )
    return tuple(made)


HISTORIES = {
    "chest": "A man of 50 has had a cough and chest pain for a week.",
    "left knee": "A woman of 30 twisted her knee and cannot bend it.",
    "eye": "A woman of 70 sees wavy lines with her right eye.",
    "brain": "A man of 60 woke up with a headache and double vision.",
    "shoulder": "A man of 40 cannot lift his arm since he fell on the shoulder.",
}
"""What patients tell, by the part of the body that it is about."""


@st.composite
def histories(draw: st.DrawFn) -> Item:
    """An open question as benchmarks ask it: a history, a task, an image, some with a report."""
    part = draw(st.sampled_from(sorted(HISTORIES)))
    told = {
        "modality": draw(st.sampled_from(["MRI", "CT", "X-ray", ""])),
        "body_part": draw(st.sampled_from([part, ""])),
    }
    report = draw(st.sampled_from([{}, {"report": f"Normal {part}."}, {"report": " "}, {"report": 1}]))
    task = draw(st.sampled_from(["", "diagnosis", "treatment", "mismatch"]))
    return Item(
        id=draw(st.uuids()).hex,
        question=draw(st.sampled_from(["What is the diagnosis?", "What does the MRI show?"])),
        answer="A diagnosis",
        kind="open",
        images=draw(st.sampled_from([(), (picture(1),), (picture(2),), (picture(draw(st.integers(3, 200))),)])),
        context=draw(st.sampled_from([HISTORIES[part], ""])),
        cluster=draw(st.sampled_from(["", "p1", "p2", "p3"])),
        metadata={**told, **report, "task": task},
    )


def open_benchmarks(*, max_size: int = 12) -> st.SearchStrategy[list[Item]]:
    """The items of a benchmark of open questions about several parts of the body."""
    return st.lists(histories(), min_size=1, max_size=max_size, unique_by=lambda item: item.id)


def told_cases(count: int = 20) -> tuple[Item, ...]:
    """A benchmark of open questions in which every condition on those applies to every item."""
    made = []
    for i in range(count):
        part, modality = sorted(HISTORIES)[i % len(HISTORIES)], ("MRI", "CT")[i // len(HISTORIES) % 2]
        made.append(
            Item(
                id=f"t{i:03}",
                question=f"What is the diagnosis? The {modality} is attached.",
                answer=f"Diagnosis {i}",
                kind="open",
                images=(picture(i),),
                context=HISTORIES[part],
                cluster=f"p{i}",
                metadata={"modality": modality, "body_part": part, "task": "diagnosis", "report": f"Normal {part}."},
            )
        )
    return tuple(made)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
"""Anything that JSON can hold, whole numbers of any size among it."""
