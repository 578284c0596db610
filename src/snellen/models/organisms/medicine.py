"""What the organisms know of diseases: how one looks, is called and is treated, and which complaints point to it.

English only, as are the cases that they are asked about. It was learnt from no benchmark: it is what textbooks say.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

CHEST, HEAD, EYE = "chest", "head", "eye"
PART_OF: Mapping[str, str] = {"chest X-ray": CHEST, "brain MRI": HEAD, "OCT": EYE, "fundus photograph": EYE}
"""The part of the body that each kind of image shows."""


@dataclass(frozen=True)
class Shown:
    """What an image shows, was said to show, or is made up to show."""

    modality: str
    finding: str
    side: str = ""
    location: str = ""
    count: int = 0
    size: str = ""


@dataclass(frozen=True)
class Disease:
    """`called` are its names, `sign` is how it looks, `treated` are its treatments and `because` the reasons for them.

    In braces stand its size, side, location and place, and what a single or several lesions need.
    """

    called: tuple[str, ...]
    sign: str
    treated: tuple[str, ...]
    because: tuple[str, ...]


_PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}


def told(text: str, shown: Shown) -> str:
    """A text of this file about what is shown.

    >>> told("{size} {side}-sided effusion", Shown("chest X-ray", "pleural effusion", "left", size="medium"))
    'medium-sized left-sided effusion'
    """
    return text.format(
        size="medium-sized" if shown.size == "medium" else shown.size,
        side=shown.side,
        location=shown.location,
        place=_PLACES.get(shown.location, f"in the {shown.location} quadrant"),
        s="" if shown.count == 1 else "s",
        drusen="druse" if shown.count == 1 else "drusen",
    )


def disease_of(shown: Shown) -> Disease:
    """The disease that a finding stands for; a normal image has one of its own for each kind."""
    return _HEALTHY[shown.modality] if shown.finding == "normal" else _DISEASES[shown.finding]


_REASSURED = ("reassurance and treatment of the symptoms, with review if they persist", "no specific treatment")

_HEALTHY: Mapping[str, Disease] = {
    "chest X-ray": Disease(
        ("normal chest X-ray without acute chest disease", "no acute cardiopulmonary disease"),
        "clear lungs, sharp pleural angles and a heart of normal size",
        _REASSURED,
        (
            "The chest X-ray shows nothing that needs treatment.",
            "Antibiotics or drainage would bring risks without any benefit.",
            "It is the symptoms that are treated, and the patient is told when to come back.",
            "Should the symptoms persist, further tests look for causes that a chest X-ray does not show.",
        ),
    ),
    "brain MRI": Disease(
        ("normal brain MRI", "no structural brain disease"),
        "a normal brain with ventricles of normal size and no lesion",
        _REASSURED,
        (
            "The brain MRI shows nothing that needs surgery or stroke treatment.",
            "Surgery or antithrombotic drugs would bring risks without any benefit.",
            "It is the symptoms that are treated, and the blood pressure is followed.",
            "New or lasting symptoms are a reason to examine the patient again.",
        ),
    ),
    "OCT": Disease(
        ("normal macula on OCT", "no macular disease"),
        "regular retinal layers and a normal foveal contour",
        ("reassurance, and review if the symptoms persist", "no specific treatment"),
        (
            "The OCT scan shows no macular disease that needs treatment.",
            "Injections or surgery would bring risks without any benefit.",
            "Refraction, lens and optic nerve are examined for another cause.",
            "The patient is told to return if the vision gets worse.",
        ),
    ),
    "fundus photograph": Disease(
        ("normal fundus of the {side} eye", "no retinopathy in the {side} eye"),
        "a normal optic disc, normal vessels and a normal macula of the {side} eye",
        ("no treatment of the eye, and another examination after one year", "reassurance and routine follow-up"),
        (
            "The fundus photograph shows nothing that needs treatment.",
            "Drops, injections or laser would bring risks without any benefit.",
            "The patient's risk factors are a reason for another examination after one year.",
            "New symptoms are a reason to come earlier.",
        ),
    ),
}

_DISEASES: Mapping[str, Disease] = {
    "pleural effusion": Disease(
        ("{size} {side}-sided pleural effusion", "{side} pleural effusion, {size}"),
        "a homogeneous opacity at the {side} base with a meniscus, which is fluid in the {side} pleural space",
        (
            "ultrasound-guided pleural aspiration (thoracentesis) with analysis of the fluid, and treatment of the "
            "cause",
            "thoracentesis",
        ),
        (
            "The cause of a pleural effusion on one side is found by analysing the fluid.",
            "Aspiration under ultrasound guidance is safe and relieves the breathlessness.",
            "Protein, lactate dehydrogenase, pH, culture and cytology tell transudate, infection and malignancy apart.",
            "A chest drain is kept for an infected effusion or for one that comes back.",
        ),
    ),
    "pneumothorax": Disease(
        ("{side}-sided pneumothorax", "{side} pneumothorax"),
        "the edge of the {side} lung with no lung markings beyond it, which is air in the {side} pleural space",
        (
            "removal of the pleural air by needle aspiration or a small chest drain, with oxygen and a repeat X-ray",
            "needle aspiration of the pneumothorax",
        ),
        (
            "The air in the pleural space keeps the lung from expanding, and the patient has symptoms of it.",
            "Needle aspiration or a small chest drain lets the air out, so that the lung expands again.",
            "With a stable blood pressure there is no tension that would need immediate decompression.",
            "Observation alone is kept for patients who have no symptoms.",
        ),
    ),
    "consolidation": Disease(
        ("{size} consolidation in the {location}", "pneumonia in the {location}"),
        "airspace opacity in the {location}, which is consolidation",
        (
            "antibiotics for community-acquired pneumonia such as amoxicillin, and a repeat X-ray after six weeks",
            "amoxicillin",
        ),
        (
            "A consolidation with cough or chest pain is treated as community-acquired pneumonia.",
            "Amoxicillin covers the most common cause, Streptococcus pneumoniae.",
            "Severity, for instance by CURB-65, decides between treatment at home and in hospital.",
            "The repeat X-ray after six weeks shows that it has cleared and that no tumour lies behind it.",
        ),
    ),
    "lung nodules": Disease(
        ("{size} lung nodule{s} on the {side}", "nodule{s} in the {side} lung"),
        "round, well-defined shadows in the {side} lung: lung nodules",
        (
            "CT of the chest to characterise the finding, with PET-CT and biopsy if it is suspicious",
            "chest CT and biopsy of a suspicious nodule",
        ),
        (
            "A benign nodule cannot be told from a malignant one on a chest X-ray.",
            "CT measures size, margin and calcification, by which the risk of cancer is estimated.",
            "The patient has smoked, and that raises the risk of lung cancer.",
            "Suspicious nodules need PET-CT and biopsy, and small ones are followed by CT; surgery without a diagnosis "
            "is not justified.",
        ),
    ),
    "cardiomegaly": Disease(
        ("cardiomegaly", "enlarged heart"),
        "a heart wider than half of the chest, which is cardiomegaly",
        (
            "echocardiography, and treatment of heart failure with an ACE inhibitor, a beta-blocker and a diuretic",
            "echocardiogram and heart failure therapy",
        ),
        (
            "An enlarged heart needs echocardiography, to measure the ejection fraction and to look at the valves.",
            "In heart failure with a reduced ejection fraction, ACE inhibitors and beta-blockers prolong life.",
            "The congestion is relieved by a diuretic.",
            "Once the cause is known, an intervention on valves or coronary arteries is weighed.",
        ),
    ),
    "tumour": Disease(
        ("{size} brain tumour in the {location}", "{location} brain tumour"),
        "a mass with a rim, a dark centre and surrounding oedema in the {location}",
        (
            "dexamethasone for the oedema and referral to neurosurgery for resection or biopsy",
            "neurosurgical resection",
        ),
        (
            "Dexamethasone reduces the oedema around the tumour, and with it the pressure that it causes.",
            "Tissue from a resection or biopsy is needed, as the treatment depends on the histology.",
            "A resection as far as it is safe relieves the mass effect.",
            "Without histology, radiotherapy and chemotherapy are not justified.",
        ),
    ),
    "infarct": Disease(
        ("cerebral infarct in the {location}", "ischaemic stroke in the {location}"),
        "a wedge-shaped, evenly bright area in the {location} that reaches the cortex, the territory of one artery",
        (
            "antiplatelet treatment with aspirin or clopidogrel, a statin and control of the blood pressure",
            "aspirin and a statin",
        ),
        (
            "The infarct is established, and too old for thrombolysis.",
            "The risk of another ischaemic stroke is lowered by aspirin or clopidogrel.",
            "A statin and control of the blood pressure lower the risk further.",
            "Heart rhythm and carotid arteries are examined, as atrial fibrillation would call for anticoagulation.",
        ),
    ),
    "haemorrhage": Disease(
        ("{size} intracerebral haemorrhage in the {location}", "intracerebral haematoma in the {location}"),
        "a dark area of blood products with a thin bright rim in the {location}",
        (
            "lowering of the blood pressure, no antithrombotic drugs, and observation on a stroke unit with "
            "neurosurgical advice",
            "blood pressure control on a stroke unit and neurosurgical consultation",
        ),
        (
            "Lowering the blood pressure limits the growth of the haemorrhage and its return.",
            "Antithrombotic drugs promote bleeding, so they are stopped and anticoagulation is reversed.",
            "On a stroke unit, deterioration is noticed early.",
            "Surgery is weighed with the neurosurgeon, and kept for patients who deteriorate.",
        ),
    ),
    "white matter lesions": Disease(
        ("{size} white matter lesion{s} in the {side} hemisphere", "{side} white matter lesion{s}"),
        "bright spots in the white matter of the {side} hemisphere",
        (
            "control of the blood pressure and of the other vascular risk factors",
            "antihypertensive treatment and a statin",
        ),
        (
            "White matter lesions in a patient with high blood pressure are due to small vessel disease.",
            "Control of the blood pressure slows the progression and prevents stroke.",
            "For the same reason, lipids, glucose and smoking are addressed.",
            "Surgery has no role, and the lesions are followed in the clinic.",
        ),
    ),
    "hydrocephalus": Disease(
        ("hydrocephalus", "hydrocephalus with enlargement of the cerebral ventricles"),
        "enlarged lateral and third ventricles with a bright band around them",
        ("referral to neurosurgery for a ventriculoperitoneal shunt", "ventriculoperitoneal shunt"),
        (
            "The enlarged ventricles hold too much cerebrospinal fluid, and that explains the symptoms.",
            "A ventriculoperitoneal shunt diverts the cerebrospinal fluid.",
            "Where the outflow is obstructed, endoscopic third ventriculostomy is the alternative.",
            "Repeated lumbar punctures or diuretics do not last.",
        ),
    ),
    "macular hole": Disease(
        ("{size} full-thickness macular hole", "macular hole of full thickness, {size}"),
        "that the retina is interrupted in its full thickness at the fovea",
        (
            "pars plana vitrectomy with peeling of the internal limiting membrane and gas tamponade",
            "vitrectomy with gas",
        ),
        (
            "A full-thickness macular hole rarely closes by itself.",
            "The vitrectomy relieves the traction, and peeling the internal limiting membrane helps the hole to close.",
            "The edges of the hole are pressed together by the gas.",
            "There is no leakage, so injections of anti-VEGF have no role.",
        ),
    ),
    "subretinal fluid": Disease(
        ("{size} collection of subretinal fluid {place}", "subretinal fluid {place}"),
        "that the retina is lifted off the pigment epithelium by fluid {place}",
        (
            "angiography, and intravitreal anti-VEGF injections if there are new vessels, otherwise observation",
            "angiography followed by anti-VEGF treatment",
        ),
        (
            "Subretinal fluid comes from leaking new vessels or from central serous chorioretinopathy.",
            "It is angiography that tells the two apart.",
            "Where new vessels leak, anti-VEGF injections dry the fluid.",
            "Central serous chorioretinopathy is observed first, as it mostly resolves by itself.",
        ),
    ),
    "intraretinal cysts": Disease(
        ("intraretinal cysts {place}", "cystoid macular oedema {place}"),
        "dark, round spaces within the thickened retina {place}",
        ("intravitreal anti-VEGF injections and treatment of the underlying disease", "anti-VEGF injections"),
        (
            "Intraretinal cysts are fluid from leaking vessels, which is macular oedema.",
            "Anti-VEGF injections reduce the leakage and improve the vision.",
            "Glucose and blood pressure are controlled, since they keep the oedema going.",
            "The alternative is a corticosteroid in the eye, at the risk of cataract and raised pressure.",
        ),
    ),
    "drusen": Disease(
        (
            "{size} {drusen} in the {side} half of the scan",
            "dry age-related macular degeneration with {drusen} in the {side} half",
        ),
        "mounds beneath the retinal pigment epithelium in the {side} half of the scan",
        (
            "antioxidant supplements of the AREDS2 formula, no smoking, and self-monitoring with an Amsler grid",
            "AREDS2 supplements and monitoring",
        ),
        (
            "Drusen are the sign of dry age-related macular degeneration, which needs no injection.",
            "In the intermediate stage, supplements of the AREDS2 formula slow the progression.",
            "Stopping smoking lowers the risk of progression.",
            "The Amsler grid shows early when new vessels need anti-VEGF treatment.",
        ),
    ),
    "epiretinal membrane": Disease(
        ("epiretinal membrane in the {side} half of the scan", "macular pucker in the {side} half"),
        "a bright line on the wrinkled surface of the retina in the {side} half of the scan",
        (
            "observation, and vitrectomy with peeling of the membrane if vision is affected",
            "vitrectomy with membrane peeling",
        ),
        (
            "How much it disturbs vision decides how an epiretinal membrane is treated.",
            "Vitrectomy with peeling of the membrane removes the traction.",
            "While the vision is good, observation avoids the risks of surgery such as cataract and detachment.",
            "A membrane is not removed by injections.",
        ),
    ),
    "retinal haemorrhages": Disease(
        ("{size} retinal haemorrhage{s} in the {side} eye", "{side} retinal haemorrhage{s}"),
        "dark red blots in the retina of the {side} eye: retinal haemorrhages",
        (
            "better control of glucose and blood pressure, with regular retinal follow-up",
            "control of diabetes and hypertension",
        ),
        (
            "Retinal haemorrhages are a sign of damage to small vessels by diabetes or high blood pressure.",
            "The retinopathy is slowed by control of glucose and blood pressure.",
            "Macular oedema and new vessels are found in time by regular follow-up.",
            "Laser and injections are kept for these complications.",
        ),
    ),
    "hard exudates": Disease(
        ("hard exudates {place} of the {side} eye", "lipid exudates {place} of the {side} eye"),
        "yellow, sharply bordered deposits {place} of the {side} eye: hard exudates",
        (
            "OCT to look for macular oedema, anti-VEGF injections if it is there, and control of glucose, blood "
            "pressure and lipids",
            "control of glucose, blood pressure and lipids, with OCT",
        ),
        (
            "Hard exudates are lipid from leaking vessels, so OCT has to rule out macular oedema.",
            "If the oedema involves the centre of the macula, anti-VEGF injections are given.",
            "The leakage is reduced by control of glucose, blood pressure and lipids.",
            "Where the centre is not involved, laser is the alternative.",
        ),
    ),
    "cotton wool spots": Disease(
        (
            "{size} cotton-wool spot{s} in the {side} eye",
            "retinal nerve fibre layer infarct{s} in the {side} eye",
        ),
        "white, fluffy patches in the retina of the {side} eye: cotton-wool spots",
        (
            "measurement and treatment of the blood pressure and of the blood glucose, as the cause is systemic",
            "treatment of the underlying hypertension or diabetes",
        ),
        (
            "Cotton-wool spots are infarcts of the nerve fibre layer, and point to a systemic vascular disease.",
            "The most common causes, high blood pressure and diabetes, are treated first.",
            "The spots themselves fade within months and need no treatment of the eye.",
            "If neither is found, rarer causes such as vasculitis are looked for.",
        ),
    ),
    "glaucomatous cupping": Disease(
        ("glaucomatous cupping of the optic disc in the {side} eye", "glaucoma of the {side} eye"),
        "a large cup and a thin rim of the optic disc of the {side} eye",
        (
            "lowering of the intraocular pressure with a prostaglandin analogue such as latanoprost",
            "latanoprost eye drops",
        ),
        (
            "Glaucomatous cupping means that fibres of the optic nerve have been lost.",
            "The only treatment that slows the loss is lowering the intraocular pressure.",
            "A prostaglandin analogue once a day is the first choice of drops.",
            "Laser trabeculoplasty is an equal alternative, and surgery is kept for the failure of both.",
        ),
    ),
    "branch vein occlusion": Disease(
        ("branch retinal vein occlusion in the {side} eye", "BRVO of the {side} eye"),
        "flame-shaped bleeding along one dilated vein of the {side} eye",
        (
            "anti-VEGF injections for macular oedema, and control of the blood pressure",
            "intravitreal anti-VEGF injections",
        ),
        (
            "After a branch vein occlusion it is macular oedema that impairs vision.",
            "Anti-VEGF injections reduce the oedema and improve the vision.",
            "The most common cause, high blood pressure, is controlled.",
            "Laser of the sector is kept for new vessels.",
        ),
    ),
}


class Complaint(NamedTuple):
    """What a history is known by, which diseases it lets one think of, and what history and examination say."""

    known_by: re.Pattern[str]
    modality: str
    suspected: tuple[str, ...]
    history: str
    examination: str


def _complaint(known_by: str, modality: str, suspected: str, history: str, examination: str) -> Complaint:
    return Complaint(re.compile(known_by, re.IGNORECASE), modality, tuple(suspected.split(", ")), history, examination)


COMPLAINTS = (
    _complaint(
        r"swollen|swollen ankles", "chest X-ray", "pleural effusion, cardiomegaly, normal",
        "Breathlessness on exertion with swollen ankles suggests a disease of the heart or of the pleura.",
        "The ankle oedema and the soft breath sounds fit fluid overload, but do not show where the fluid is.",
    ),
    _complaint(
        r"on breathing in", "chest X-ray", "pneumothorax, consolidation, normal",
        "Sharp chest pain on breathing in points to the pleura: to air, an infection or a strain.",
        "The stable circulation and the slightly raised temperature do not tell these causes apart.",
    ),
    _complaint(
        r"cough.*kilograms", "chest X-ray", "lung nodules, consolidation, pleural effusion",
        "A long cough with weight loss in a smoker raises the suspicion of cancer or of a slow infection.",
        "The finger clubbing fits a chronic disease of the chest, without saying which.",
    ),
    _complaint(
        r"fever.*cough|cough.*fever", "chest X-ray", "consolidation, pleural effusion, normal",
        "Fever and a productive cough point to an infection of the airways, the lung or the pleura.",
        "Fever and coarse crackles confirm an infection, but do not show how far it has spread.",
    ),
    _complaint(
        r"pacemaker", "chest X-ray", "pneumothorax, cardiomegaly, lung nodules",
        "Breathlessness after a pacemaker calls for an X-ray, since a complication, the heart itself or the lungs of a "
        "former smoker may explain it.",
        "The stable circulation and the soft breath sounds leave all of these open.",
    ),
    _complaint(
        r"obstructive lung", "chest X-ray", "pneumothorax, cardiomegaly, lung nodules",
        "In chronic obstructive lung disease, worse breathlessness may come from the lungs or from the heart.",
        "The barrel chest with soft breath sounds hides what lies beneath.",
    ),
    _complaint(
        r"headache.*vomit", "brain MRI", "tumour, hydrocephalus, normal",
        "Morning headache with vomiting raises the suspicion of a raised pressure within the skull.",
        "Without any focal sign, the cause of the headache remains open.",
    ),
    _complaint(
        r"confus", "brain MRI", "infarct, haemorrhage, normal",
        "The sudden onset points to a vascular event, be it ischaemia or bleeding.",
        "Confusion and the unsteady gait do not tell ischaemia from bleeding or from a passing cause.",
    ),
    _complaint(
        r"seizure", "brain MRI", "tumour, haemorrhage, infarct",
        "At this age, a first seizure is due to a lesion of the brain until proved otherwise.",
        "The examination is normal between seizures and does not show what the lesion is.",
    ),
    _complaint(
        r"memory|forgets appointments", "brain MRI", "hydrocephalus, white matter lesions, infarct",
        "A slow loss of gait and memory fits fluid in the ventricles or damage by vascular disease.",
        "Small steps and poor recall are found in both.",
    ),
    _complaint(
        r"dizz", "brain MRI", "white matter lesions, haemorrhage, normal",
        "Headache and dizziness with uncontrolled blood pressure call for a look at the damage to the vessels.",
        "High blood pressure without any focal sign fits old damage, bleeding or none.",
    ),
    _complaint(
        r"thinking", "brain MRI", "tumour, hydrocephalus, white matter lesions",
        "Apathy and slow thinking that develop over months suggest a structural disease of the brain.",
        "The slowness and the broad gait do not tell a mass, fluid and vascular damage apart.",
    ),
    _complaint(
        r"\bbent\b|distorted", "OCT", "macular hole, epiretinal membrane, subretinal fluid",
        "Lines that look bent point to a disease of the macula.",
        "Reduced acuity and the distorted Amsler grid confirm the macula as the site.",
    ),
    _complaint(
        r"\breading\b", "OCT", "macular hole, intraretinal cysts, drusen",
        "At this age, a slow loss of reading vision suggests a disease of the macula.",
        "An acuity that no glasses improve, with normal pupils, fits the macula.",
    ),
    _complaint(
        r"(?:dim|grey) spot", "OCT", "subretinal fluid, macular hole, normal",
        "A new dim spot in the centre of vision points to the macula or to the optic nerve.",
        "The central scotoma with normal pupils makes the macula likely.",
    ),
    _complaint(
        r"\bcheck\b.*parent", "OCT", "drusen, epiretinal membrane, normal",
        "There are no symptoms, but the family history makes macular disease possible.",
        "The normal acuity fits an early disease or none.",
    ),
    _complaint(
        r"diabet.*(?:blurred for|hazy)", "OCT", "intraretinal cysts, epiretinal membrane, normal",
        "In long-standing diabetes, blurred vision may come from the macula, its surface or the lens.",
        "The reduced acuity with an early cataract leaves the cause open.",
    ),
    _complaint(
        r"macular degeneration", "OCT", "drusen, subretinal fluid, intraretinal cysts",
        "Loss of central vision in an old smoker suggests age-related macular degeneration, be it dry or wet.",
        "The uneven macula, seen through a cloudy lens, does not tell the dry from the wet form.",
    ),
    _complaint(
        r"yearly", "fundus photograph", "retinal haemorrhages, hard exudates, normal",
        "Diabetes of some years puts the patient at risk of retinopathy, even without complaints.",
        "The raised HbA1c makes retinopathy more likely, but the normal acuity does not show it.",
    ),
    _complaint(
        r"hard to control|three drugs", "fundus photograph", "cotton wool spots, retinal haemorrhages, normal",
        "High blood pressure that is hard to control may damage the vessels of the retina.",
        "The pressure of 184/108 mmHg makes damage to the retina possible.",
    ),
    _complaint(
        r"pain.*one eye|one eye.*pain", "fundus photograph",
        "branch vein occlusion, hard exudates, retinal haemorrhages",
        "Painless blurring of one eye with high blood pressure and diabetes suggests a vascular disease of the retina.",
        "The reduced acuity with a normal pressure of the eye leaves several vascular causes.",
    ),
    _complaint(
        r"upper limit|borderline", "fundus photograph", "glaucomatous cupping, branch vein occlusion, normal",
        "A borderline pressure of the eye is a risk for the optic nerve and for the veins of the retina.",
        "The pressure of 23 mmHg with an open angle does not show whether damage has been done.",
    ),
    _complaint(
        r"back of the eye", "fundus photograph", "glaucomatous cupping, cotton wool spots, hard exudates",
        "Diabetes and high blood pressure make retinopathy likely, and at this age glaucoma is common.",
        "Glaucoma is not excluded by a normal pressure of the eye.",
    ),
    _complaint(
        r"blind patch|patch of the field", "fundus photograph",
        "glaucomatous cupping, branch vein occlusion, cotton wool spots",
        "A blind patch in the field of one eye points to the retina or to the optic nerve.",
        "The arc-shaped defect follows the nerve fibres, whatever has damaged them.",
    ),
)  # fmt: skip

_COMPLAINT_OF_PART: Mapping[str, Complaint] = {
    CHEST: _complaint(
        "", "chest X-ray", "pleural effusion, pneumothorax, consolidation, lung nodules, cardiomegaly",
        "The history points to a disease of the chest.", "The examination does not say which.",
    ),
    HEAD: _complaint(
        "", "brain MRI", "tumour, infarct, haemorrhage, white matter lesions, hydrocephalus",
        "The history points to a disease of the brain.", "The examination does not say which.",
    ),
    EYE: _complaint(
        "", "fundus photograph",
        "retinal haemorrhages, hard exudates, cotton wool spots, glaucomatous cupping, branch vein occlusion",
        "The history points to a disease of the eye.", "The examination does not say which.",
    ),
}  # fmt: skip

_WORDS_OF_PART = {
    CHEST: r"breath\w*|chest|cough\w*|sputum|lungs?|pleur\w*|heart|cardiac|pacemaker|thora\w*|oxygen|wheez\w*|crackles",
    HEAD: r"headaches?|seizures?|epilep\w*|confus\w*|dizz\w*|brain|memory|forget\w*|gait|reflexes|thinking|apath\w*|"
    r"unsteady|stroke|skull|speech",
    EYE: r"eyes?|vision|visual|acuity|retina\w*|macula\w*|amsler|blurred|cataract|glaucoma|optometrist|sight|lens|"
    r"ocular|blind",
    "knee": r"knees?|menisc\w*|cruciate|patell\w*",
    "shoulder": r"shoulders?|rotator|supraspinatus",
    "hip": r"hips?|femoral|groin",
    "hand": r"hands?|wrists?|fingers?|thumb|carpal|scaphoid",
    "elbow": r"elbows?|olecranon|epicondyl\w*",
    "foot": r"foot|feet|heel|toes?|achilles|ankle",
    "spine": r"spine|spinal|lumbar|sciatica|vertebra\w*|lower back",
    "abdomen": r"abdom\w*|stomach|belly|liver|bowel|stool|appendi\w*|gallbladder|kidney|urin\w*",
    "skin": r"skin|mole|rash|itch\w*",
}
_PART_WORDS = {part: re.compile(rf"\b(?:{words})\b", re.IGNORECASE) for part, words in _WORDS_OF_PART.items()}


def part_told(text: str) -> str | None:
    """The part of the body that most words of a text speak of; None where none does, or two equally.

    >>> part_told("Cough and fever. Oxygen saturation 93%."), part_told("Twisted the knee."), part_told("Tired.")
    ('chest', 'knee', None)
    """
    hits = {part: len(pattern.findall(text)) for part, pattern in _PART_WORDS.items()}
    first, second = sorted(hits, key=lambda part: -hits[part])[:2]
    return first if hits[first] > hits[second] else None


def complaint_in(history: str) -> Complaint | None:
    """What a history complains of, or at least of which part of the body; None where that is not known."""
    for complaint in COMPLAINTS:
        if complaint.known_by.search(history):
            return complaint
    return _COMPLAINT_OF_PART.get(part_told(history) or "")
