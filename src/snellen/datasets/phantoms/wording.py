"""Every word the phantoms' questions use, by language."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

Words = Mapping[str, str]


@dataclass(frozen=True)
class Wording:
    """One language's questions, options, vignettes and give-away sentences, keyed by modality code and attribute."""

    modality: Words
    option: Words
    shown: Words
    side: Mapping[str, Words]
    question: Mapping[str, Words]
    size_rule: Words
    size_asked: Words
    patient: tuple[str, ...]
    sex: tuple[tuple[str, str], ...]
    complaint: Mapping[str, tuple[str, ...]]
    history: tuple[str, ...]
    given_away: Mapping[str, str]
    source: tuple[str, ...]


_LEFT_IS_RIGHT = "The patient's right is on the left of the image."
_TWO_SIDES = {"both": "Both sides", "left": "Left side", "neither": "Neither side", "right": "Right side"}
_OF_DISC = "Relative to the diameter of the optic disc, small is under 35%, medium is between, large is over 60%."


def _of_width(low: int, high: int) -> str:
    return f"Relative to the image width, small is under {low}%, medium is between, large is over {high}%."


ENGLISH = Wording(
    modality={
        "cxr": "chest X-ray",
        "mri": "brain MRI",
        "oct": "retinal OCT scan",
        "fundus": "fundus photograph",
    },
    option={
        "normal": "No abnormality",
        "pleural effusion": "Pleural effusion",
        "pneumothorax": "Pneumothorax",
        "consolidation": "Consolidation",
        "lung nodules": "Lung nodules",
        "cardiomegaly": "Cardiomegaly",
        "tumour": "Brain tumour",
        "infarct": "Cerebral infarct",
        "haemorrhage": "Intracerebral haemorrhage",
        "white matter lesions": "White matter lesions",
        "hydrocephalus": "Hydrocephalus",
        "macular hole": "Macular hole",
        "subretinal fluid": "Subretinal fluid",
        "intraretinal cysts": "Intraretinal cysts",
        "drusen": "Drusen",
        "epiretinal membrane": "Epiretinal membrane",
        "retinal haemorrhages": "Retinal haemorrhages",
        "hard exudates": "Hard exudates",
        "cotton-wool spots": "Cotton-wool spots",
        "glaucomatous cupping": "Glaucomatous cupping",
        "branch vein occlusion": "Branch retinal vein occlusion",
        "left lower zone": "Left lower zone",
        "left mid zone": "Left mid zone",
        "left upper zone": "Left upper zone",
        "right lower zone": "Right lower zone",
        "right mid zone": "Right mid zone",
        "right upper zone": "Right upper zone",
        "left frontal lobe": "Left frontal lobe",
        "left occipital lobe": "Left occipital lobe",
        "left temporal lobe": "Left temporal lobe",
        "right frontal lobe": "Right frontal lobe",
        "right occipital lobe": "Right occipital lobe",
        "right temporal lobe": "Right temporal lobe",
        "fovea": "At the fovea",
        "far left": "Far left of the scan",
        "far right": "Far right of the scan",
        "near left": "Just left of the fovea",
        "near right": "Just right of the fovea",
        "inferonasal": "Inferonasal",
        "inferotemporal": "Inferotemporal",
        "macula": "Macula",
        "superonasal": "Superonasal",
        "superotemporal": "Superotemporal",
        "small": "Small",
        "medium": "Medium",
        "large": "Large",
        "yes": "Yes",
        "no": "No",
    },
    shown={
        "pleural effusion": "a pleural effusion",
        "pneumothorax": "a pneumothorax",
        "consolidation": "consolidation",
        "lung nodules": "lung nodules",
        "cardiomegaly": "cardiomegaly",
        "tumour": "a brain tumour",
        "infarct": "a cerebral infarct",
        "haemorrhage": "an intracerebral haemorrhage",
        "white matter lesions": "white matter lesions",
        "hydrocephalus": "hydrocephalus",
        "macular hole": "a macular hole",
        "subretinal fluid": "subretinal fluid",
        "intraretinal cysts": "intraretinal cysts",
        "drusen": "drusen",
        "epiretinal membrane": "an epiretinal membrane",
        "retinal haemorrhages": "retinal haemorrhages",
        "hard exudates": "hard exudates",
        "cotton-wool spots": "cotton-wool spots",
        "glaucomatous cupping": "glaucomatous cupping",
        "branch vein occlusion": "a branch retinal vein occlusion",
    },
    side={
        "cxr": _TWO_SIDES,
        "mri": _TWO_SIDES,
        "oct": {"both": "Both halves", "left": "Left half", "neither": "Neither half", "right": "Right half"},
        "fundus": {"left": "Left eye", "right": "Right eye"},
    },
    question={
        "finding": dict.fromkeys(("cxr", "mri", "oct", "fundus"), "What is the main finding on this {modality}?"),
        "presence": dict.fromkeys(("cxr", "mri", "oct", "fundus"), "Does this {modality} show {shown}?"),
        "side": {
            "cxr": f"On which side of the patient's chest, if any, is the abnormality? {_LEFT_IS_RIGHT}",
            "mri": f"On which side of the patient's brain, if any, is the abnormality? {_LEFT_IS_RIGHT}",
            "oct": "In which half of the image of this retinal OCT scan, if any, is the abnormality?",
            "fundus": "Which of the patient's eyes does this fundus photograph show?",
        },
        "location": {
            "cxr": f"In which zone of the patient's lungs is the abnormality? {_LEFT_IS_RIGHT}",
            "mri": f"In which lobe of the patient's brain is the abnormality? {_LEFT_IS_RIGHT}",
            "oct": "Where along this retinal OCT scan is the abnormality centred, as seen in the image?",
            "fundus": "Where is the abnormality: in the macula, or in which quadrant relative to the optic disc?",
        },
        "count": dict.fromkeys(("cxr", "mri", "oct", "fundus"), "How many {shown} does this {modality} show?"),
        "size": {
            "cxr": "How large is what this chest X-ray shows: {asked}? {rule}",
            "mri": "How large is what this brain MRI shows: {asked}? {rule}",
            "oct": "How large is what this retinal OCT scan shows: {asked}? {rule}",
            "fundus": "How large is what this fundus photograph shows: {asked}? {rule}",
        },
    },
    size_asked={
        "pleural effusion": "the height of the pleural effusion",
        "consolidation": "the width of each consolidation",
        "lung nodules": "the diameter of each lung nodule",
        "tumour": "the diameter of the brain tumour without its oedema",
        "haemorrhage": "the diameter of the intracerebral haemorrhage",
        "white matter lesions": "the diameter of each white matter lesion",
        "macular hole": "the width of the macular hole",
        "subretinal fluid": "the width of the subretinal fluid",
        "drusen": "the width of each druse",
        "retinal haemorrhages": "the diameter of each retinal haemorrhage",
        "cotton-wool spots": "the diameter of each cotton-wool spot",
    },
    size_rule={
        "pleural effusion": "Small reaches the lower third of the lung, medium the middle, large the upper third.",
        "consolidation": _of_width(12, 19),
        "lung nodules": _of_width(6, 9),
        "tumour": _of_width(11, 19),
        "haemorrhage": _of_width(11, 19),
        "white matter lesions": _of_width(5, 8),
        "macular hole": _of_width(11, 19),
        "subretinal fluid": _of_width(15, 26),
        "drusen": _of_width(7, 12),
        "retinal haemorrhages": _OF_DISC,
        "cotton-wool spots": _OF_DISC,
    },
    patient=("Age {age}, {person}.", "The patient is a {person} aged {age}.", "{age}-year-old {person}."),
    sex=(("female", "woman"), ("male", "man")),
    complaint={
        "cxr": (
            "Short of breath for several days.",
            "Cough and chest discomfort since last week.",
            "Film taken before planned surgery.",
            "Tired and generally unwell.",
            "Follow-up after a stay in hospital.",
            "Chest pain on breathing in.",
        ),
        "mri": (
            "Headache for two weeks.",
            "Dizzy and unsteady since yesterday.",
            "Referred after a first seizure.",
            "Forgetful according to the family.",
            "Tingling on and off for some months.",
            "Follow-up of an earlier scan.",
        ),
        "oct": (
            "Blurred vision for some weeks.",
            "Straight lines look bent.",
            "Routine check of the retina.",
            "Reading has become difficult.",
            "Follow-up after six months.",
            "A dim spot in the centre of vision.",
        ),
        "fundus": (
            "Yearly screening for diabetes.",
            "Blurred vision for some weeks.",
            "High blood pressure for ten years.",
            "Referred by the optometrist.",
            "Follow-up after six months.",
            "Floating spots since last month.",
        ),
    },
    history=(
        "",
        "No relevant history.",
        "Takes no regular medication.",
        "Treated for high blood pressure.",
        "Non-smoker.",
    ),
    given_away={
        "finding": "Main finding: {answer}.",
        "presence": "This {modality} {verb} {shown}.",
        "side": "Side: {answer}.",
        "location": "Location: {answer}.",
        "count": "Number of {shown}: {answer}.",
        "size": "Size: {answer}.",
        "shows": "shows",
        "does not show": "does not show",
    },
    source=(
        'The report on file reads: "{said}"',
        'The referring colleague writes: "{said}"',
        'A note from the ward round says: "{said}"',
        'The first reader of this image recorded: "{said}"',
        'Copied from the discharge letter: "{said}"',
    ),
)

WORDING: Mapping[str, Wording] = {"en": ENGLISH}
