"""Benchmarks made up for the audit: clean ones, in which nothing tells the key, and flaws planted in a share of items.

All words are ours. Every item is text only, has five options and belongs to a patient; patients have one to four items
that share their history. Which option is right is drawn apart from all else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from snellen.items import Item, Option

AGES = [str(age) for age in range(19, 89)]
WHO = ["man", "woman", "farmer", "teacher", "nurse", "driver", "student", "musician", "cook", "builder"]
COMPLAINTS = """
cough; fever; night sweats; chest pain; weight loss; back pain; headache; dizziness; blurred vision; abdominal pain;
swollen ankles; itching; joint stiffness; palpitations; hoarseness; nausea; leg weakness; numb fingers; ear pain;
a rash; poor sleep; breathlessness; constipation; a painful shoulder; a swollen knee; loss of appetite; fatigue;
muscle cramps
"""
PHRASES = """
after a long journey; since the winter; worse at night; worse in the morning; relieved by rest; not relieved by tablets;
coming and going; slowly getting worse; after heavy work; since a recent move; with every meal; while climbing stairs
"""
FINDINGS = """
The pulse is regular; The abdomen is soft; The skin is dry; Reflexes are brisk; The neck is supple; Breath sounds are
quiet; The liver edge can be felt; One calf is tender; The gait is slow; The pupils are equal; Heart sounds are distant;
The tongue is coated; The nails are brittle; The spine is tender; Blood pressure is borderline; The throat is red
"""
TESTS = """
Blood was drawn; A scan was ordered; A film was taken; An earlier tracing is at hand; Urine was clear; Cultures are
awaited; The laboratory reports a raised count; A second opinion was asked for; Records are incomplete
"""
DIAGNOSES = """
Pneumonia; Sarcoidosis; Tuberculosis; Pulmonary embolism; Lymphoma; Asthma; Pericarditis; Aortic dissection; Gout;
Cellulitis; Migraine; Meningitis; Glaucoma; Appendicitis; Cholecystitis; Pancreatitis; Diverticulitis; Hepatitis;
Cirrhosis; Osteoporosis; Osteomyelitis; Rheumatoid arthritis; Polymyalgia; Psoriasis; Scabies; Shingles; Anaemia;
Leukaemia; Myeloma; Thyroiditis; Acromegaly; Sinusitis; Otitis media; Laryngitis; Epilepsy; Parkinson disease; Myopathy;
Sciatica; Scoliosis; Heart failure; Atrial fibrillation; Endocarditis; Emphysema; Bronchiectasis; Silicosis;
Hydronephrosis; Pyelonephritis; Prostatitis; Endometriosis; Ovarian cyst; Ectopic pregnancy; Hernia; Haemorrhoids
"""
TREATMENTS = """
Prednisolone; Amoxicillin; Warfarin; Metformin; Insulin; Furosemide; Bisoprolol; Ramipril; Omeprazole; Colchicine;
Methotrexate; Levothyroxine; Salbutamol; Aciclovir; Ibuprofen; Morphine; Digoxin; Heparin; Vancomycin; Fluconazole;
Bed rest; Physiotherapy; Watchful waiting; Surgical drainage; Radiotherapy; Blood transfusion; Oxygen; Dietary advice
"""
EXAMINATIONS = """
Chest radiograph; Abdominal ultrasound; Bone scan; Lumbar puncture; Gastroscopy; Colonoscopy; Echocardiogram;
Spirometry; Sputum culture; Blood culture; Joint aspiration; Skin biopsy; Bone marrow biopsy; Nerve conduction study;
Mammography; Coronary angiography; Urine microscopy; Liver function tests; Thyroid function tests; Exercise test;
Sleep study
"""
STRUCTURES = """
Thymus; Spleen; Pancreas; Left kidney; Right kidney; Gallbladder; Aortic arch; Trachea; Oesophagus; Diaphragm; Mitral
valve; Femoral head; Sacrum; Clavicle; Scapula; Temporal bone; Cerebellum; Pituitary gland; Optic nerve; Thyroid gland
"""
ASKS = {
    DIAGNOSES: "What is the most likely diagnosis; Which disease explains it best; Which condition should be suspected",
    TREATMENTS: "What should be given now; Which measure helps most; What is the best treatment at this point",
    EXAMINATIONS: "Which examination comes next; Which test would settle it; What should be arranged first",
    STRUCTURES: "Which structure is affected; Where does the change lie; Which part of the body is involved",
}
LETTERS = "ABCDE"


class Planted(NamedTuple):
    """A benchmark with a flaw, and the ids of the items that have it."""

    items: tuple[Item, ...]
    ids: frozenset[str]


def clean(seed: int, count: int = 500) -> tuple[Item, ...]:
    """A benchmark in which position, length and words of the options have nothing to do with which is right."""
    rng = np.random.default_rng((20, seed))
    items: list[Item] = []
    patient = 0
    while len(items) < count:
        patient += 1
        history = _history(rng)
        for pool in _some(rng, list(ASKS), int(rng.integers(1, 5))):
            options = tuple(Option(text) for text in _some(rng, _list(pool), 5))
            asked = f"{_one(rng, ASKS[pool])}?"
            key = int(rng.integers(5))
            items.append(Item(f"q{len(items)}", asked, options, key, context=history, cluster=f"p{patient}"))
    return tuple(items[:count])


def _history(rng: np.random.Generator) -> str:
    one, two = _some(rng, _list(COMPLAINTS), 2)
    weeks = int(rng.integers(2, 60))
    had = (
        f"There is a history of {_one(rng, DIAGNOSES).lower()}."
        if rng.random() < 0.5
        else "There is no earlier illness."
    )
    return (
        f"A {rng.choice(AGES)}-year-old {rng.choice(WHO)} has had {one} and {two} for {weeks} weeks, "
        f"{_one(rng, PHRASES)} and {_one(rng, PHRASES)}. {had} {_one(rng, FINDINGS)}. {_one(rng, FINDINGS)}. "
        f"{_one(rng, TESTS)}."
    )


def _list(text: str) -> list[str]:
    return [" ".join(each.split()) for each in text.split(";")]


def _one(rng: np.random.Generator, text: str) -> str:
    return str(rng.choice(_list(text)))


def _some(rng: np.random.Generator, values: Sequence[str], count: int) -> list[str]:
    return [values[at] for at in rng.choice(len(values), size=count, replace=False)]


def plant(
    items: Sequence[Item], share: float, seed: int, change: Callable[[Item, np.random.Generator], Item]
) -> Planted:
    """The benchmark with a share of its items changed."""
    rng = np.random.default_rng((21, seed))
    chosen = frozenset(rng.choice(len(items), size=round(share * len(items)), replace=False).tolist())
    changed = tuple(change(item, rng) if at in chosen else item for at, item in enumerate(items))
    return Planted(changed, frozenset(items[at].id for at in chosen))


def longer_key(item: Item, rng: np.random.Generator) -> Item:
    """The right option says more than the others, as writers who want it to be beyond doubt make it."""
    more = _one(rng, "of recent onset and moderate degree; in its usual form and place; as seen in most such patients")
    return _with_key(item, f"{_key(item)} {more}")


def give_away_word(item: Item, rng: np.random.Generator) -> Item:
    """The right option alone is called typical."""
    return _with_key(item, f"Typical {_key(item)[0].lower()}{_key(item)[1:]}")


def position_habit(item: Item, rng: np.random.Generator) -> Item:
    """The right option is the third."""
    options = list(item.options)
    right = options.pop(item.answer)
    return replace(item, options=(*options[:2], right, *options[2:]), answer=2)


def favourite_answer(item: Item, rng: np.random.Generator) -> Item:
    """The right option is the same in all these items; the others offer it as seldom as before."""
    return _with_key(item, "Sarcoidosis")


def spelled_out(item: Item, rng: np.random.Generator) -> Item:
    """The history names the right answer."""
    said = _one(rng, "The referral speaks of; The letter mentions; A colleague wrote down; The notes of today say")
    return replace(item, context=f"{item.context} {said} {_key(item).lower()}.")


def options_listed(item: Item, rng: np.random.Generator) -> Item:
    """The question lists its options again."""
    return replace(item, question=f"{item.question}\nAnswer Choices: {_printed(item.options)}")


def options_listed_otherwise(item: Item, rng: np.random.Generator) -> Item:
    """The question lists its options in another order."""
    return replace(item, question=f"{item.question}\nAnswer Choices: {_printed(item.options[::-1])}")


def wrong_key(item: Item, rng: np.random.Generator) -> Item:
    """The key is one of the wrong options."""
    return replace(item, answer=(item.answer + int(rng.integers(1, 5))) % 5)


def duplicated(items: Sequence[Item], share: float, seed: int, *, wrong: bool = False) -> Planted:
    """Copies of a share of the items stand at the end, with options in another order and another case or a word more.

    With `wrong`, another option is right in the copy.
    """
    rng = np.random.default_rng((22, seed))
    chosen = rng.choice(len(items), size=round(share * len(items)), replace=False)
    copies = []
    for at in chosen.tolist():
        item = wrong_key(items[at], rng) if wrong else items[at]
        order = rng.permutation(5).tolist()
        copies.append(
            replace(
                item,
                id=f"{item.id}-again",
                question=item.question.upper() if rng.random() < 0.5 else item.question.replace("?", " ?"),
                context=item.context.replace("for ", "for the last ", 1) if rng.random() < 0.5 else f" {item.context}",
                options=tuple(item.options[place] for place in order),
                answer=order.index(item.answer),
            )
        )
    return Planted(
        (*items, *copies), frozenset(name for copy in copies for name in (copy.id, copy.id.removesuffix("-again")))
    )


def _key(item: Item) -> str:
    return item.options[item.answer].text


def _with_key(item: Item, text: str) -> Item:
    options = list(item.options)
    options[item.answer] = Option(text)
    return replace(item, options=tuple(options))


def _printed(options: Sequence[Option]) -> str:
    return " ".join(f"({letter}) {option.text}" for letter, option in zip(LETTERS, options, strict=True))


FLAWS: dict[str, tuple[str, Callable[[Sequence[Item], float, int], Planted]]] = {
    "longer-key": ("option-length", lambda items, share, seed: plant(items, share, seed, longer_key)),
    "position-habit": ("answer-position", lambda items, share, seed: plant(items, share, seed, position_habit)),
    "favourite-answer": ("majority", lambda items, share, seed: plant(items, share, seed, favourite_answer)),
    "duplicate": ("near-duplicates", duplicated),
    "contradiction": (
        "contradictory-keys",
        lambda items, share, seed: duplicated(items, share, seed, wrong=True),
    ),
    "spelled-out": ("answer-given-away", lambda items, share, seed: plant(items, share, seed, spelled_out)),
    "options-listed": ("options-in-question", lambda items, share, seed: plant(items, share, seed, options_listed)),
    "options-listed-otherwise": (
        "options-in-question",
        lambda items, share, seed: plant(items, share, seed, options_listed_otherwise),
    ),
}
"""Flaws that one look at the text can find, with the check that should; the other two need a guesser, or answers."""
