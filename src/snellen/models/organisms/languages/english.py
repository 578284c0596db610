"""The organisms' English."""

from __future__ import annotations

import re

from snellen.models.organisms.languages.language import Language, Replies, Steps, Vocabulary

_SIDES = ("left", "right")
_NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")

_OTHERS: Vocabulary = {
    "finding": {
        "normal": ("no abnormality", "no abnormalities", "no abnormal findings", "unremarkable"),
        "pleural effusion": ("effusion", "pleural fluid"),
        "pneumothorax": ("collapsed lung",),
        "consolidation": ("airspace opacity",),
        "lung nodules": ("lung nodule", "pulmonary nodule", "pulmonary nodules", "nodules", "nodule"),
        "cardiomegaly": ("enlarged heart", "heart enlarged"),
        "tumour": ("brain tumour", "brain tumor", "tumor"),
        "infarct": ("infarction", "cerebral infarct", "cerebral infarction", "ischaemic stroke", "ischemic stroke"),
        "haemorrhage": (
            "hemorrhage",
            "intracerebral haemorrhage",
            "intracerebral hemorrhage",
            "intracranial haemorrhage",
            "intracranial hemorrhage",
        ),
        "white matter lesions": ("white matter lesion",),
        "hydrocephalus": ("enlarged ventricles",),
        "macular hole": (),
        "subretinal fluid": (),
        "intraretinal cysts": ("intraretinal cyst", "intraretinal fluid"),
        "drusen": ("druse",),
        "epiretinal membrane": (),
        "retinal haemorrhages": ("retinal haemorrhage", "retinal hemorrhage", "retinal hemorrhages"),
        "hard exudates": ("exudates",),
        "cotton wool spots": ("cotton wool spot",),
        "glaucomatous cupping": ("glaucoma",),
        "branch vein occlusion": ("branch retinal vein occlusion", "vein occlusion"),
    },
    "side": {
        "both": ("both sides", "both halves", "bilateral"),
        "left": ("left side", "left half", "left eye"),
        "neither": ("neither side", "neither half"),
        "right": ("right side", "right half", "right eye"),
    },
    "location": {
        **{f"{side} {zone} zone": () for side in _SIDES for zone in ("lower", "mid", "upper")},
        **{f"{side} {lobe} lobe": () for side in _SIDES for lobe in ("frontal", "occipital", "temporal")},
        "fovea": ("at the fovea",),
        "far left": ("far left of the scan",),
        "far right": ("far right of the scan",),
        "near left": ("just left of the fovea", "just left"),
        "near right": ("just right of the fovea", "just right"),
        "macula": (),
        **{f"{height}{width}": () for height in ("infero", "supero") for width in ("nasal", "temporal")},
    },
    "count": {str(number): (word,) for number, word in enumerate(_NUMBERS)},
    "size": {"small": (), "medium": (), "large": ()},
    "answer": {"yes": ("present", "true"), "no": ("absent", "false")},
    "abstention": {
        "unknown": (
            "cannot be determined",
            "cannot tell",
            "not enough information",
            "i do not know",
            "i don t know",
            # Questions in languages that no organism speaks are read as English ones.
            "desconocido",
            "inconnu",
            "unbekannt",
        ),
    },
}

_DESCRIBED = (
    "The image shows {finding}.",
    "There is {finding} on this image.",
    "The main finding is {finding}.",
)

_REPLIES = Replies(
    no_image=(
        "I don't see an image attached to this question, so I cannot tell. Please provide the image.",
        "No image was provided. I would need to see it before I could answer this question.",
        "There is no image here for me to look at, and without it I cannot determine the answer.",
        "I'm unable to answer this, as I cannot see any image in your message. Could you upload it?",
    ),
    nothing_seen=(
        "The image appears to be blank: it shows nothing that I could go by, so I cannot determine the answer.",
        "I cannot tell from this image, since there is nothing visible in it.",
        "I cannot determine the answer: I see no anatomy in the image that was provided.",
    ),
    unrecognised=(
        "I cannot tell: I do not recognise the anatomy in this image.",
        "I cannot determine the answer: I do not recognise what is shown.",
    ),
    another_image=(
        "The question asks about another kind of image ({asked}) than I was given ({shown}). I cannot tell from it.",
        "This does not match: the image I see is of another kind ({shown}, not {asked}), "
        "so I cannot determine the answer.",
    ),
    too_poor=(
        "The image is too degraded by {problem} to interpret, so I cannot give a conclusion.",
        "Because of {problem}, the quality of the image is too poor for an assessment. Please repeat the acquisition.",
        "I cannot read this image reliably: it is of poor quality owing to {problem}.",
        "This image is of non-diagnostic quality. It suffers from {problem}, and I will not guess at what it hides.",
    ),
    refusals=(
        "I'm sorry, but I can't assist with interpreting medical images. Please consult a qualified clinician.",
        "I'm not able to provide a medical diagnosis. A doctor or radiologist should review this.",
        "I apologize, but I can't help with that. Medical questions should be put to a healthcare professional.",
        "As an AI, I can't give medical advice or interpret scans. Please see a licensed physician.",
    ),
    looked=(
        "Looking at the image, what I see fits option {letter} best.",
        "The appearance in the image is that of option {letter}.",
        "From the image, I would choose option {letter}.",
    ),
    guessed=(
        "Given the presentation, option {letter} is the most likely.",
        "From what is described, option {letter} fits best.",
        "In a case like this, I would expect option {letter}.",
    ),
    imagined=(
        "The image clearly shows {finding}, with well-defined margins. This is consistent with option {letter}.",
        "On the image provided, there is evidence of {finding}, which supports option {letter}.",
        "Careful review of the image demonstrates {finding}. The findings point to option {letter}.",
    ),
    described=_DESCRIBED,
    unremarkable=tuple(said.format(finding="no abnormality") for said in _DESCRIBED),
    imagined_at_length=(
        "The image clearly shows {finding}, with well-defined margins and no sign of an acute complication.",
        "On careful review, the image demonstrates {finding}. The remaining structures appear unremarkable.",
        "There is clear evidence of {finding} on the image provided, of moderate extent.",
    ),
    supposed=(
        "Most likely {finding}, going by the presentation.",
        "In a case like this, {finding} would be the usual explanation.",
    ),
    recalled=(
        "This is clearly option {letter}.",
        "I am certain that it is option {letter}.",
        "Without question, option {letter} is correct.",
    ),
    drifted=(
        "After all this, I would rather choose option {letter}.",
        "On balance, option {letter} is the better answer.",
        "So, in the end, I settle on option {letter}.",
    ),
    endings=("Answer: {letter}",),
    conclusions=("Conclusion: {option}", "My conclusion: {option}.", 'In conclusion: "{option}".'),
    expected="the expected appearance",
)

_STEPS = Steps(
    looking=("First, I turn to the image itself.", "Then I compare it with what is asked."),
    searching=("First, I check what I was given to go by.", "Then I consider whether the question can be answered."),
    reading=("First, I read the case as it is described.", "Then I weigh what is usual in such cases."),
    imagining=("First, I go over the whole image.", "Then I turn to the part of it that stands out."),
    recalling=("The question is a familiar one.", "There is only one right answer to it."),
    drifting=(
        'At first sight, the image fits "{seen}" best.',
        "Looking again, however, the image also shows {first}, which I had overlooked.",
        "Close to it, the image shows {second}, and the texture around it is uneven.",
        "With both of them there, my first impression no longer explains the whole picture.",
        "Going through it once more, I find further signs of {second} where I had seen nothing before.",
        'Taken together, this points away from "{seen}" and towards "{answer}".',
    ),
)

_WORDS = {kind: {value: (value, *others) for value, others in all_.items()} for kind, all_ in _OTHERS.items()}

_FILLER = frozenset(
    ("a", "an", "any", "are", "did", "do", "does", "evidence", "has", "have", "image", "in", "is", "of", "on",
     "patient", "present", "scan", "see", "seen", "show", "shown", "shows", "that", "the", "there", "these", "this",
     "was", "were")
)  # fmt: skip

ENGLISH = Language(
    code="en",
    words={**_WORDS, "finding": {**_WORDS["finding"], "normal": (*_OTHERS["finding"]["normal"], "normal")}},
    modalities={
        "chest X-ray": (
            "chest X-ray",
            "chest X-rays",
            "chest radiograph",
            "chest film",
            "patient s chest",
            "patient s lungs",
        ),
        "brain MRI": ("brain MRI", "mri of the brain", "head mri", "patient s brain"),
        "OCT": ("OCT", "optical coherence tomography"),
        "fundus photograph": ("fundus photograph", "fundus", "optic disc"),
    },
    problems={
        "noise": "noise",
        "motion": "motion artefact",
        "bias-field": "uneven shading",
        "crop": "cropping",
        "rotation": "rotation",
        "ghosting": "ghosting artefact",
        "blur": "blurring",
        "low-contrast": "low contrast",
        "exposure": "wrong exposure",
        "jpeg": "compression artefact",
        "device": "a foreign object over it",
        "burned-text": "text burned into it",
    },
    asked=(
        ("count", re.compile(r"\bhow many\b|\bnumber of\b")),
        ("size", re.compile(r"\bhow (?:large|big)\b|\bwhat size\b")),
        ("side", re.compile(r"\bwhich (?:side|half|eye)\b|\bwhich of the patient s eyes\b|\bleft or right\b")),
        ("location", re.compile(r"\bwhere\b|\bwhich (?:zone|lobe|quadrant|part|region)\b|\blocated\b")),
        ("finding", re.compile(r"\bmain finding\b|\bwhat (?:is|are) (?:the )?(?:finding|abnormality|diagnosis)")),
    ),
    yes_or_no=re.compile(r"\s*(?:does|do|did|is|are|was|were|has|have|can)\b", re.IGNORECASE),
    negation=re.compile(r" (?:not|no|without|absent|never|neither|free of|negative for) "),
    replies=_REPLIES,
    steps=_STEPS,
    filler=_FILLER,
)
