"""What each finding means as a disease: its diagnosis in several wordings, its report, its treatment and the reasons.

The places in braces are filled with what the image shows: its size, side, location and number. It is textbook
medicine for examining machines, and no advice for patients.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from snellen.benchmarks.phantoms.phantom import Phantom

_NUMBERS = ("no", "one", "two", "three", "four", "five")
_ACROSS = {"left": "right", "right": "left"}
_PLACES = {
    "fovea": "at the fovea",
    "near left": "just left of the fovea",
    "near right": "just right of the fovea",
    "far left": "at the far left of the scan",
    "far right": "at the far right of the scan",
    "macula": "in the macula",
}


@dataclass(frozen=True)
class Disease:
    """A finding in the clinic. The first diagnosis and the first treatment are the reference, the others are accepted.

    `shows` is what the image shows, as a step of reasoning; `reasons` are the steps that lead to the treatment.
    """

    diagnoses: tuple[str, ...]
    report: str
    shows: str
    treatments: tuple[str, ...]
    reasons: tuple[str, ...]

    def of(self, phantom: Phantom) -> Disease:
        """The disease as this image shows it.

        >>> DISEASES["cxr"]["pleural effusion"].of(Phantom("", "", side="left", size="large")).diagnoses[0]
        'Large left-sided pleural effusion'
        """
        words = _words(phantom)

        def told(texts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(_capital(text.format(**words)) for text in texts)

        report, shows = told((self.report, self.shows))
        return Disease(told(self.diagnoses), report, shows, told(self.treatments), told(self.reasons))


def _words(phantom: Phantom) -> Mapping[str, str]:
    one = phantom.count == 1
    quadrant = f"in the {phantom.location} quadrant"
    return {
        "size": "medium-sized" if phantom.size == "medium" else phantom.size,
        "side": phantom.side,
        "other": _ACROSS.get(phantom.side, ""),
        "location": phantom.location,
        "place": _PLACES.get(phantom.location, quadrant),
        "number": _NUMBERS[phantom.count],
        "s": "" if one else "s",
        "are": "is" if one else "are",
        "drusen": "druse" if one else "drusen",
    }


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


_CHEST = {
    "normal": Disease(
        diagnoses=(
            "normal chest X-ray without acute chest disease",
            "no abnormality on the chest X-ray",
            "no acute cardiopulmonary disease",
        ),
        report="The lungs are clear, the pleural angles are sharp and the heart is of normal size. No abnormality.",
        shows="The chest X-ray shows clear lungs, sharp pleural angles and a heart of normal size.",
        treatments=(
            "reassurance and treatment of the symptoms, with review if they persist",
            "supportive care and clinical follow-up",
            "no specific treatment",
        ),
        reasons=(
            "The chest X-ray shows nothing that needs treatment.",
            "Antibiotics or drainage would bring risks without a benefit.",
            "The symptoms themselves are treated, and the patient is told when to come back.",
            "If the symptoms persist, further tests look for causes that a chest X-ray does not show.",
        ),
    ),
    "pleural effusion": Disease(
        diagnoses=(
            "{size} {side}-sided pleural effusion",
            "{side} pleural effusion",
            "fluid in the {side} pleural space",
        ),
        report="There is a {size} {side}-sided pleural effusion: a homogeneous opacity at the {side} base with a "
        "meniscus and a blunted costophrenic angle. The {other} lung is clear.",
        shows="The chest X-ray shows a homogeneous opacity at the {side} base with a meniscus, which is fluid in the "
        "{side} pleural space.",
        treatments=(
            "ultrasound-guided pleural aspiration (thoracentesis) with analysis of the fluid, and treatment of the "
            "cause",
            "thoracentesis",
            "chest tube drainage of the effusion and treatment of the cause",
        ),
        reasons=(
            "The cause of a one-sided pleural effusion is found by analysing the fluid.",
            "Aspiration under ultrasound guidance is safe and relieves breathlessness.",
            "Protein, lactate dehydrogenase, pH, culture and cytology tell a transudate, an infection and a malignancy "
            "apart.",
            "A chest drain is kept for an infected effusion or one that comes back.",
        ),
    ),
    "pneumothorax": Disease(
        diagnoses=("{side}-sided pneumothorax", "{side} pneumothorax", "air in the {side} pleural space"),
        report="There is a {side}-sided pneumothorax: the edge of the {side} lung is visible, with no lung markings "
        "beyond it. The mediastinum is not shifted. The {other} lung is expanded.",
        shows="The chest X-ray shows the edge of the {side} lung with no lung markings beyond it, which is air in the "
        "{side} pleural space.",
        treatments=(
            "removal of the pleural air by needle aspiration or a small chest drain, with oxygen and a repeat X-ray",
            "chest tube insertion",
            "needle aspiration of the pneumothorax",
        ),
        reasons=(
            "Air in the pleural space keeps the lung from expanding, and the patient has symptoms of it.",
            "Needle aspiration or a small chest drain lets the air out so that the lung expands again.",
            "The blood pressure is stable, so there is no tension that would need immediate decompression.",
            "Observation alone is kept for patients without symptoms.",
        ),
    ),
    "consolidation": Disease(
        diagnoses=(
            "{size} consolidation in the {location}",
            "pneumonia in the {location}",
            "airspace consolidation of the {location}",
        ),
        report="There is a {size} area of consolidation in the {location}. The rest of the lungs is clear and the "
        "heart is of normal size.",
        shows="The chest X-ray shows airspace opacity in the {location}, which is consolidation.",
        treatments=(
            "antibiotics for community-acquired pneumonia such as amoxicillin, and a repeat X-ray after six weeks",
            "amoxicillin",
            "empirical antibiotic treatment of pneumonia",
        ),
        reasons=(
            "Consolidation with cough or chest pain is treated as community-acquired pneumonia.",
            "Amoxicillin covers Streptococcus pneumoniae, the most common cause.",
            "The severity, for instance by CURB-65, decides between treatment at home and in hospital.",
            "A repeat X-ray after six weeks shows that it has cleared and that no tumour lies behind it.",
        ),
    ),
    "lung nodules": Disease(
        diagnoses=(
            "{size} lung nodule{s} on the {side}",
            "{side}-sided pulmonary nodule{s}",
            "nodule{s} in the {side} lung",
        ),
        report="There {are} {number} {size} nodule{s} in the {side} lung. The {other} lung is clear and the heart is "
        "of normal size.",
        shows="The chest X-ray shows round, well-defined shadows in the {side} lung, {number} in all: lung nodules.",
        treatments=(
            "CT of the chest to characterise the finding, with PET-CT and biopsy if it is suspicious",
            "chest CT and biopsy of a suspicious nodule",
            "chest CT and referral to a lung cancer clinic",
        ),
        reasons=(
            "A chest X-ray cannot tell a benign nodule from a malignant one.",
            "CT measures size, margin and calcification, by which the risk of cancer is estimated.",
            "The patient has smoked, which raises the risk of lung cancer.",
            "Suspicious nodules need PET-CT and biopsy, small ones are followed by CT; surgery without a diagnosis is "
            "not justified.",
        ),
    ),
    "cardiomegaly": Disease(
        diagnoses=("cardiomegaly", "enlarged heart", "enlargement of the cardiac silhouette"),
        report="There is cardiomegaly: the cardiothoracic ratio is above 0.5. The lungs are clear.",
        shows="The chest X-ray shows a heart wider than half of the chest, which is cardiomegaly.",
        treatments=(
            "echocardiography, and treatment of heart failure with an ACE inhibitor, a beta-blocker and a diuretic",
            "echocardiogram and heart failure therapy",
            "ACE inhibitor, beta-blocker and diuretic",
        ),
        reasons=(
            "An enlarged heart needs echocardiography to measure the ejection fraction and to look at the valves.",
            "ACE inhibitors and beta-blockers prolong life in heart failure with a reduced ejection fraction.",
            "A diuretic relieves congestion.",
            "Intervention on valves or coronary arteries is weighed once the cause is known.",
        ),
    ),
}

_BRAIN = {
    "normal": Disease(
        diagnoses=("normal brain MRI", "no abnormality on the brain MRI", "no structural brain disease"),
        report="Brain, ventricles and cortical sulci are normal for age. No abnormality.",
        shows="The brain MRI shows a normal brain with ventricles of normal size and no lesion.",
        treatments=(
            "reassurance and treatment of the symptoms, with review if they persist",
            "symptomatic treatment and clinical follow-up",
            "no specific treatment",
        ),
        reasons=(
            "The brain MRI shows nothing that needs surgery or stroke treatment.",
            "Surgery or antithrombotic drugs would bring risks without a benefit.",
            "The symptoms themselves are treated, and the blood pressure is followed.",
            "New or lasting symptoms are a reason to examine the patient again.",
        ),
    ),
    "tumour": Disease(
        diagnoses=(
            "{size} brain tumour in the {location}",
            "intracerebral mass in the {location}",
            "{location} brain tumour",
        ),
        report="There is a {size} tumour in the {location}: a mass with a bright rim, a dark centre and surrounding "
        "oedema. The ventricles are not enlarged.",
        shows="The brain MRI shows a mass with a rim, a dark centre and surrounding oedema in the {location}.",
        treatments=(
            "dexamethasone for the oedema and referral to neurosurgery for resection or biopsy",
            "neurosurgical resection",
            "biopsy or resection, followed by radiotherapy and chemotherapy according to histology",
        ),
        reasons=(
            "Dexamethasone reduces the oedema around the tumour and the pressure that it causes.",
            "Tissue from a resection or a biopsy is needed, since the treatment depends on the histology.",
            "Resection as far as it is safe relieves the mass effect.",
            "Radiotherapy and chemotherapy without histology are not justified.",
        ),
    ),
    "infarct": Disease(
        diagnoses=(
            "cerebral infarct in the {location}",
            "ischaemic stroke in the {location}",
            "infarction of the {location}",
        ),
        report="There is an infarct in the {location}: a wedge-shaped, evenly bright area that reaches the cortex, in "
        "the territory of one artery. No bleeding.",
        shows="The brain MRI shows a wedge-shaped, evenly bright area in the {location} that reaches the cortex, the "
        "territory of one artery.",
        treatments=(
            "antiplatelet treatment with aspirin or clopidogrel, a statin and control of the blood pressure",
            "aspirin and a statin",
            "secondary stroke prevention with clopidogrel, atorvastatin and blood pressure control",
        ),
        reasons=(
            "The infarct is established and too old for thrombolysis.",
            "Aspirin or clopidogrel lowers the risk of another ischaemic stroke.",
            "A statin and control of the blood pressure lower the risk further.",
            "Heart rhythm and carotid arteries are examined, since atrial fibrillation would call for anticoagulation.",
        ),
    ),
    "haemorrhage": Disease(
        diagnoses=(
            "{size} intracerebral haemorrhage in the {location}",
            "intracerebral haematoma in the {location}",
            "bleeding into the {location}",
        ),
        report="There is a {size} intracerebral haemorrhage in the {location}: a dark area of blood products with a "
        "thin bright rim. The ventricles are not enlarged.",
        shows="The brain MRI shows a dark area of blood products with a thin bright rim in the {location}.",
        treatments=(
            "lowering of the blood pressure, no antithrombotic drugs, and observation on a stroke unit with "
            "neurosurgical advice",
            "blood pressure control and reversal of anticoagulation",
            "blood pressure control on a stroke unit and neurosurgical consultation",
        ),
        reasons=(
            "Lowering the blood pressure limits the growth and the return of the haemorrhage.",
            "Antithrombotic drugs are stopped and anticoagulation is reversed, since they promote bleeding.",
            "A stroke unit notices deterioration early.",
            "Surgery is weighed with the neurosurgeon and kept for patients who deteriorate.",
        ),
    ),
    "white matter lesions": Disease(
        diagnoses=(
            "{size} white matter lesion{s} in the {side} hemisphere",
            "{side}-sided cerebral small vessel disease",
            "{side} white matter lesion{s}",
        ),
        report="There {are} {number} {size} white matter lesion{s} in the {side} cerebral hemisphere, bright on FLAIR. "
        "The ventricles are not enlarged.",
        shows="The brain MRI shows bright spots in the white matter of the {side} hemisphere, {number} in all.",
        treatments=(
            "control of the blood pressure and of the other vascular risk factors",
            "antihypertensive treatment and a statin",
            "management of vascular risk factors with neurological follow-up",
        ),
        reasons=(
            "White matter lesions in a patient with high blood pressure are due to small vessel disease.",
            "Control of the blood pressure slows their progression and prevents stroke.",
            "Lipids, glucose and smoking are addressed for the same reason.",
            "Surgery has no role, and the lesions are followed in the clinic.",
        ),
    ),
    "hydrocephalus": Disease(
        diagnoses=("hydrocephalus", "ventriculomegaly", "enlargement of the cerebral ventricles"),
        report="There is hydrocephalus: the lateral ventricles and the third ventricle are enlarged, with a bright "
        "band around them. No mass.",
        shows="The brain MRI shows enlarged lateral and third ventricles with a bright band around them.",
        treatments=(
            "referral to neurosurgery for a ventriculoperitoneal shunt",
            "ventriculoperitoneal shunt",
            "endoscopic third ventriculostomy",
        ),
        reasons=(
            "The enlarged ventricles hold too much cerebrospinal fluid, which explains the symptoms.",
            "A ventriculoperitoneal shunt diverts the cerebrospinal fluid.",
            "Endoscopic third ventriculostomy is the alternative where the outflow is obstructed.",
            "Diuretics or repeated lumbar punctures do not last.",
        ),
    ),
}

_RETINA = {
    "normal": Disease(
        diagnoses=("normal macula on OCT", "no abnormality on the OCT scan", "no macular disease"),
        report="The retinal layers are regular and the foveal contour is normal. No abnormality.",
        shows="The OCT scan shows regular retinal layers and a normal foveal contour.",
        treatments=(
            "reassurance, and review if the symptoms persist",
            "observation without treatment",
            "no specific treatment",
        ),
        reasons=(
            "The OCT scan shows no macular disease that needs treatment.",
            "Injections or surgery would bring risks without a benefit.",
            "Refraction, lens and optic nerve are examined for another cause.",
            "The patient is told to return if vision gets worse.",
        ),
    ),
    "macular hole": Disease(
        diagnoses=("{size} full-thickness macular hole", "macular hole", "full-thickness foveal defect"),
        report="There is a {size} full-thickness macular hole: the retina is interrupted in its full thickness at the "
        "fovea.",
        shows="The OCT scan shows that the retina is interrupted in its full thickness at the fovea.",
        treatments=(
            "pars plana vitrectomy with peeling of the internal limiting membrane and gas tamponade",
            "vitrectomy",
            "vitrectomy with gas",
        ),
        reasons=(
            "A full-thickness macular hole rarely closes by itself.",
            "Vitrectomy relieves the traction, and peeling of the internal limiting membrane helps the hole to close.",
            "The gas presses the edges of the hole together.",
            "Injections of anti-VEGF have no role, as there is no leakage.",
        ),
    ),
    "subretinal fluid": Disease(
        diagnoses=(
            "{size} collection of subretinal fluid {place}",
            "subretinal fluid {place}",
            "serous retinal detachment {place}",
        ),
        report="There is a {size} collection of subretinal fluid {place}: the retina is lifted off the pigment "
        "epithelium there.",
        shows="The OCT scan shows that the retina is lifted off the pigment epithelium by fluid {place}.",
        treatments=(
            "angiography, and intravitreal anti-VEGF injections if there are new vessels, otherwise observation",
            "intravitreal anti-VEGF injections",
            "angiography followed by anti-VEGF treatment",
        ),
        reasons=(
            "Subretinal fluid comes from leaking new vessels or from central serous chorioretinopathy.",
            "Angiography tells the two apart.",
            "Anti-VEGF injections dry the fluid where new vessels leak.",
            "Central serous chorioretinopathy mostly resolves by itself and is observed first.",
        ),
    ),
    "intraretinal cysts": Disease(
        diagnoses=("intraretinal cysts {place}", "cystoid macular oedema {place}", "intraretinal fluid {place}"),
        report="There are intraretinal cysts {place}: dark, round spaces within thickened retinal layers.",
        shows="The OCT scan shows dark, round spaces within the thickened retina {place}.",
        treatments=(
            "intravitreal anti-VEGF injections and treatment of the underlying disease",
            "anti-VEGF injections",
            "intravitreal corticosteroid",
        ),
        reasons=(
            "Intraretinal cysts are fluid from leaking vessels, that is macular oedema.",
            "Anti-VEGF injections reduce the leakage and improve vision.",
            "Glucose and blood pressure are controlled, as they keep the oedema going.",
            "A corticosteroid in the eye is the alternative, with a risk of cataract and raised pressure.",
        ),
    ),
    "drusen": Disease(
        diagnoses=(
            "{size} {drusen} in the {side} half of the scan",
            "{drusen} of dry age-related macular degeneration in the {side} half of the scan",
            "dry age-related macular degeneration with {drusen} in the {side} half",
        ),
        report="There {are} {number} {size} {drusen} in the {side} half of the scan: mounds beneath the retinal "
        "pigment epithelium.",
        shows="The OCT scan shows mounds beneath the retinal pigment epithelium in the {side} half of the scan, "
        "{number} in all.",
        treatments=(
            "antioxidant supplements of the AREDS2 formula, no smoking, and self-monitoring with an Amsler grid",
            "AREDS2 supplements and monitoring",
            "lifestyle advice and monitoring with an Amsler grid",
        ),
        reasons=(
            "Drusen are the sign of dry age-related macular degeneration, for which no injection is needed.",
            "Supplements of the AREDS2 formula slow its progression in the intermediate stage.",
            "Stopping smoking lowers the risk of progression.",
            "An Amsler grid shows early when new vessels need anti-VEGF treatment.",
        ),
    ),
    "epiretinal membrane": Disease(
        diagnoses=(
            "epiretinal membrane in the {side} half of the scan",
            "macular pucker in the {side} half",
            "{side}-sided epiretinal membrane",
        ),
        report="There is an epiretinal membrane in the {side} half of the scan: a bright line on the surface of the "
        "retina, which is wrinkled beneath it.",
        shows="The OCT scan shows a bright line on the wrinkled surface of the retina in the {side} half of the scan.",
        treatments=(
            "observation, and vitrectomy with peeling of the membrane if vision is affected",
            "vitrectomy with membrane peeling",
            "observation with repeat OCT",
        ),
        reasons=(
            "An epiretinal membrane is treated by how much it disturbs vision.",
            "Vitrectomy with peeling of the membrane removes the traction.",
            "While vision is good, observation avoids the risks of surgery, such as cataract and detachment.",
            "Injections do not remove a membrane.",
        ),
    ),
}

_FUNDUS = {
    "normal": Disease(
        diagnoses=(
            "normal fundus of the {side} eye",
            "no abnormality in the {side} eye",
            "no retinopathy in the {side} eye",
        ),
        report="{side} eye: optic disc, vessels and macula are normal. No abnormality.",
        shows="The fundus photograph shows a normal optic disc, normal vessels and a normal macula of the {side} eye.",
        treatments=(
            "no treatment of the eye, and another examination after one year",
            "reassurance and routine follow-up",
            "observation without treatment",
        ),
        reasons=(
            "The fundus photograph shows nothing that needs treatment.",
            "Drops, injections or laser would bring risks without a benefit.",
            "The risk factors of the patient are a reason for another examination after one year.",
            "New symptoms are a reason to come earlier.",
        ),
    ),
    "retinal haemorrhages": Disease(
        diagnoses=(
            "{size} retinal haemorrhage{s} in the {side} eye",
            "{side} retinal haemorrhage{s}",
            "{side} haemorrhagic retinopathy",
        ),
        report="{side} eye: there {are} {number} {size} retinal haemorrhage{s}. Optic disc and macula are normal.",
        shows="The fundus photograph shows dark red blots in the retina of the {side} eye, {number} in all: retinal "
        "haemorrhages.",
        treatments=(
            "better control of glucose and blood pressure, with regular retinal follow-up",
            "control of diabetes and hypertension",
            "glycaemic and blood pressure control with ophthalmological review",
        ),
        reasons=(
            "Retinal haemorrhages are a sign of damage to small vessels by diabetes or high blood pressure.",
            "Control of glucose and blood pressure slows the retinopathy.",
            "Regular follow-up finds macular oedema and new vessels in time.",
            "Laser and injections are kept for these complications.",
        ),
    ),
    "hard exudates": Disease(
        diagnoses=(
            "hard exudates {place} of the {side} eye",
            "lipid exudates {place} of the {side} eye",
            "exudative retinopathy {place} of the {side} eye",
        ),
        report="{side} eye: there are hard exudates {place}, yellow and sharply bordered. The optic disc is normal.",
        shows="The fundus photograph shows yellow, sharply bordered deposits {place} of the {side} eye: hard exudates.",
        treatments=(
            "OCT to look for macular oedema, anti-VEGF injections if it is there, and control of glucose, blood "
            "pressure and lipids",
            "OCT and anti-VEGF injections for macular oedema",
            "control of glucose, blood pressure and lipids, with OCT",
        ),
        reasons=(
            "Hard exudates are lipid from leaking vessels, so macular oedema has to be ruled out by OCT.",
            "Anti-VEGF injections are given if the oedema involves the centre of the macula.",
            "Control of glucose, blood pressure and lipids reduces the leakage.",
            "Laser is the alternative where the centre is not involved.",
        ),
    ),
    "cotton-wool spots": Disease(
        diagnoses=(
            "{size} cotton-wool spot{s} in the {side} eye",
            "retinal nerve fibre layer infarct{s} in the {side} eye",
            "{side} retinal microinfarct{s}",
        ),
        report="{side} eye: there {are} {number} {size} cotton-wool spot{s}. Optic disc and macula are normal.",
        shows="The fundus photograph shows white, fluffy patches in the retina of the {side} eye, {number} in all: "
        "cotton-wool spots.",
        treatments=(
            "measurement and treatment of the blood pressure and of the blood glucose, as the cause is systemic",
            "treatment of the underlying hypertension or diabetes",
            "antihypertensive treatment and diabetic control",
        ),
        reasons=(
            "Cotton-wool spots are infarcts of the nerve fibre layer and point to a systemic vascular disease.",
            "High blood pressure and diabetes are the most common causes and are treated first.",
            "The spots fade by themselves within months and need no treatment of the eye.",
            "If neither is found, rarer causes such as vasculitis are looked for.",
        ),
    ),
    "glaucomatous cupping": Disease(
        diagnoses=(
            "glaucomatous cupping of the optic disc in the {side} eye",
            "glaucoma of the {side} eye",
            "{side} glaucomatous optic neuropathy",
        ),
        report="{side} eye: glaucomatous cupping of the optic disc, with a large cup and a thin neuroretinal rim. The "
        "vessels are normal.",
        shows="The fundus photograph shows a large cup and a thin rim of the optic disc of the {side} eye.",
        treatments=(
            "lowering of the intraocular pressure with a prostaglandin analogue such as latanoprost",
            "latanoprost eye drops",
            "selective laser trabeculoplasty",
        ),
        reasons=(
            "Glaucomatous cupping means that fibres of the optic nerve have been lost.",
            "Lowering the intraocular pressure is the only treatment that slows the loss.",
            "A prostaglandin analogue once a day is the first choice of drops.",
            "Laser trabeculoplasty is an equal alternative, and surgery is kept for failure of both.",
        ),
    ),
    "branch vein occlusion": Disease(
        diagnoses=(
            "branch retinal vein occlusion in the {side} eye",
            "BRVO of the {side} eye",
            "occlusion of a branch of the {side} retinal vein",
        ),
        report="{side} eye: branch retinal vein occlusion, with flame-shaped bleeding along one dilated vein. The "
        "optic disc is normal.",
        shows="The fundus photograph shows flame-shaped bleeding along one dilated vein of the {side} eye.",
        treatments=(
            "anti-VEGF injections for macular oedema, and control of the blood pressure",
            "intravitreal anti-VEGF injections",
            "blood pressure control and follow-up with OCT",
        ),
        reasons=(
            "Macular oedema is what impairs vision after a branch vein occlusion.",
            "Anti-VEGF injections reduce the oedema and improve vision.",
            "High blood pressure is the most common cause and is controlled.",
            "Sector laser is kept for new vessels.",
        ),
    ),
}

DISEASES: Mapping[str, Mapping[str, Disease]] = {"cxr": _CHEST, "mri": _BRAIN, "oct": _RETINA, "fundus": _FUNDUS}
"""By the code of the modality and the name of the finding."""
