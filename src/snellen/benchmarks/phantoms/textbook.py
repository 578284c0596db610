"""Textbook: questions of knowledge and summarised notes, each with one right answer and four wrong ones.

No image belongs to them: who knows the field can answer them all from the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Asked:
    """A question with the right answer and four wrong ones; `note` is what is told of a patient, if anything is.

    `{age}` and `{person}` in a note are drawn; `ages` says from where.
    """

    question: str
    right: str
    wrong: tuple[str, str, str, str]
    note: str = ""
    ages: tuple[int, int] = (20, 80)


_DIAGNOSIS = "What is the most likely diagnosis?"
_TREATMENT = "What is the most appropriate treatment?"

FIELDS: Mapping[str, str] = {
    "cxr": "chest medicine",
    "mri": "neurology",
    "oct": "ophthalmology",
    "fundus": "ophthalmology",
}
"""The field of medicine that goes with each modality."""

KNOWLEDGE: Mapping[str, tuple[Asked, ...]] = {
    "cxr": (
        Asked(
            "What is the immediate treatment of a tension pneumothorax?",
            "Needle decompression of the chest",
            ("Intravenous furosemide", "Oral amoxicillin", "Thrombolysis", "Nebulised salbutamol"),
        ),
        Asked(
            "Which bacterium most often causes community-acquired pneumonia in adults?",
            "Streptococcus pneumoniae",
            ("Pseudomonas aeruginosa", "Staphylococcus epidermidis", "Escherichia coli", "Mycobacterium avium"),
        ),
        Asked(
            "Which criteria tell an exudative from a transudative pleural effusion?",
            "Light's criteria",
            ("Wells criteria", "Ranson criteria", "Duke criteria", "Centor criteria"),
        ),
        Asked(
            "Above which cardiothoracic ratio on a posteroanterior chest X-ray is an adult heart called enlarged?",
            "0.5",
            ("0.2", "0.3", "0.4", "0.8"),
        ),
        Asked(
            "Which nerve supplies the diaphragm?",
            "Phrenic nerve",
            ("Vagus nerve", "Long thoracic nerve", "Accessory nerve", "Recurrent laryngeal nerve"),
        ),
        Asked(
            "Which feature of a lung nodule speaks most strongly for a benign cause?",
            "Popcorn calcification",
            ("Spiculated margin", "Growth within six months", "Diameter of more than 3 cm", "Thick-walled cavity"),
        ),
        Asked(
            "What is the most common cause of a transudative pleural effusion?",
            "Heart failure",
            ("Pneumonia", "Lung cancer", "Tuberculosis", "Rheumatoid arthritis"),
        ),
        Asked(
            "Which score helps to decide between home and hospital in community-acquired pneumonia?",
            "CURB-65",
            ("CHA2DS2-VASc", "Glasgow Coma Scale", "MELD", "Apgar score"),
        ),
    ),
    "mri": (
        Asked(
            "Up to how long after the onset of an ischaemic stroke is intravenous thrombolysis standard, without "
            "advanced imaging?",
            "4.5 hours",
            ("12 hours", "24 hours", "48 hours", "72 hours"),
        ),
        Asked(
            "Which triad is typical of normal pressure hydrocephalus?",
            "Gait disturbance, dementia and urinary incontinence",
            (
                "Fever, neck stiffness and photophobia",
                "Ptosis, miosis and anhidrosis",
                "Ophthalmoplegia, ataxia and confusion",
                "Hypertension, bradycardia and irregular breathing",
            ),
        ),
        Asked(
            "Where is most of the cerebrospinal fluid produced?",
            "Choroid plexus",
            ("Arachnoid granulations", "Pituitary gland", "Pineal gland", "Dura mater"),
        ),
        Asked(
            "What is the most common malignant primary brain tumour in adults?",
            "Glioblastoma",
            ("Medulloblastoma", "Pilocytic astrocytoma", "Ependymoma", "Craniopharyngioma"),
        ),
        Asked(
            "Which artery supplies most of the lateral surface of a cerebral hemisphere?",
            "Middle cerebral artery",
            ("Anterior cerebral artery", "Posterior cerebral artery", "Basilar artery", "Vertebral artery"),
        ),
        Asked(
            "What is the most important modifiable risk factor for spontaneous intracerebral haemorrhage?",
            "Arterial hypertension",
            ("Hypothyroidism", "Vitamin D deficiency", "Migraine", "Iron deficiency"),
        ),
        Asked(
            "Which drug reduces the vasogenic oedema around a brain tumour?",
            "Dexamethasone",
            ("Aspirin", "Nimodipine", "Levodopa", "Heparin"),
        ),
        Asked(
            "Which MRI sequence suppresses the signal of cerebrospinal fluid so that periventricular lesions stand "
            "out?",
            "FLAIR",
            (
                "Diffusion-weighted imaging",
                "Time-of-flight angiography",
                "Susceptibility-weighted imaging",
                "MR spectroscopy",
            ),
        ),
    ),
    "oct": (
        Asked(
            "Which part of the retina gives the sharpest vision?",
            "Fovea",
            ("Ora serrata", "Optic disc", "Peripheral retina", "Pars plana"),
        ),
        Asked(
            "Which treatment is the first choice in neovascular age-related macular degeneration?",
            "Intravitreal anti-VEGF injections",
            ("Oral corticosteroids", "Topical beta-blockers", "Intravenous aciclovir", "Oral acetazolamide"),
        ),
        Asked(
            "Where do typical drusen lie?",
            "Between the retinal pigment epithelium and Bruch's membrane",
            (
                "Within the nerve fibre layer",
                "In the vitreous cavity",
                "Within the outer plexiform layer",
                "Between the choroid and the sclera",
            ),
        ),
        Asked(
            "What is the standard treatment of a full-thickness macular hole?",
            "Vitrectomy with peeling of the internal limiting membrane and gas tamponade",
            (
                "Panretinal laser photocoagulation",
                "Topical prostaglandin analogue",
                "Cataract surgery alone",
                "Corneal cross-linking",
            ),
        ),
        Asked(
            "What does a patient with metamorphopsia notice?",
            "Straight lines look bent",
            (
                "Coloured rings around lights",
                "Double vision on looking sideways",
                "Flashes at the edge of the field",
                "Poor vision in the dark",
            ),
        ),
        Asked(
            "In whom is central serous chorioretinopathy typical?",
            "Middle-aged men, often under stress or on corticosteroids",
            (
                "Preterm infants given oxygen",
                "Children with squint",
                "Contact lens wearers after swimming",
                "Women over 80 with giant cell arteritis",
            ),
        ),
        Asked(
            "What does optical coherence tomography measure?",
            "The reflection of near-infrared light",
            (
                "The echo of ultrasound",
                "The absorption of X-rays",
                "The magnetic resonance of protons",
                "The decay of a radioactive tracer",
            ),
        ),
        Asked(
            "Which supplements slow the progression of intermediate age-related macular degeneration (AREDS2)?",
            "Vitamins C and E, zinc, copper, lutein and zeaxanthin",
            (
                "Folic acid and vitamin B12",
                "Iron and vitamin D",
                "Omega-3 fatty acids alone",
                "High-dose vitamin A alone",
            ),
        ),
    ),
    "fundus": (
        Asked(
            "What is the earliest sign of diabetic retinopathy on ophthalmoscopy?",
            "Microaneurysms",
            (
                "New vessels on the disc",
                "Vitreous haemorrhage",
                "Tractional retinal detachment",
                "New vessels on the iris",
            ),
        ),
        Asked(
            "What are cotton-wool spots?",
            "Infarcts of the retinal nerve fibre layer",
            (
                "Lipid deposits in the outer plexiform layer",
                "Old blood beneath the pigment epithelium",
                "Inflammatory cells in the vitreous",
                "Calcified bodies in the optic disc",
            ),
        ),
        Asked(
            "What do hard exudates consist of?",
            "Lipid and protein leaked from retinal vessels",
            ("Dead photoreceptors", "Bacteria", "Swollen nerve fibres", "Melanin"),
        ),
        Asked(
            "Which eye drops are a first choice in primary open-angle glaucoma?",
            "Prostaglandin analogue such as latanoprost",
            (
                "Corticosteroid such as prednisolone",
                "Mydriatic such as tropicamide",
                "Antibiotic such as chloramphenicol",
                "Antihistamine such as olopatadine",
            ),
        ),
        Asked(
            "Where does a branch retinal vein occlusion usually arise?",
            "At an arteriovenous crossing",
            ("Within the lamina cribrosa", "In the choroid", "In the foveal avascular zone", "At the ora serrata"),
        ),
        Asked(
            "What does a large cup of the optic disc with a thin neuroretinal rim suggest?",
            "Glaucomatous optic neuropathy",
            ("Papilloedema", "Optic neuritis", "Retinal detachment", "Drusen of the optic disc"),
        ),
        Asked(
            "Which treatment is standard in high-risk proliferative diabetic retinopathy?",
            "Panretinal photocoagulation",
            (
                "Topical corticosteroids",
                "Observation for two years",
                "Selective laser trabeculoplasty",
                "Corneal transplantation",
            ),
        ),
        Asked(
            "Which defect of the visual field is typical of early glaucoma?",
            "Arcuate defect or nasal step",
            (
                "Bitemporal hemianopia",
                "Homonymous hemianopia",
                "Central scotoma with loss of colour vision",
                "Homonymous quadrantanopia",
            ),
        ),
    ),
}

NOTES: Mapping[str, tuple[Asked, ...]] = {
    "cxr": (
        Asked(
            _TREATMENT,
            "Immediate needle decompression",
            ("Intravenous antibiotics", "CT of the chest before anything else", "Intravenous diuretic", "Thrombolysis"),
            "{age}-year-old {person} after a fall from a bicycle. Severe breathlessness, distended neck veins. On one "
            "side no breath sounds and a hyperresonant percussion note, the trachea is pushed to the other side. Blood "
            "pressure 80/50 mmHg.",
            (18, 65),
        ),
        Asked(
            _DIAGNOSIS,
            "Lobar pneumonia",
            ("Pulmonary embolism", "Asthma", "Pneumothorax", "Heart failure"),
            "{age}-year-old {person} with fever, rigors and rusty sputum for three days. Temperature 39.1 °C. Dull "
            "percussion note, bronchial breathing and crackles over one lower lobe.",
        ),
        Asked(
            _DIAGNOSIS,
            "Congestive heart failure",
            ("Chronic bronchitis", "Pneumothorax", "Lung cancer", "Pulmonary fibrosis"),
            "{age}-year-old {person} who needs three pillows to sleep and wakes gasping at night. Raised jugular "
            "venous pressure, third heart sound, fine crackles at both bases, oedema of both ankles.",
            (60, 88),
        ),
        Asked(
            _DIAGNOSIS,
            "Pulmonary embolism",
            ("Lobar pneumonia", "Pericarditis", "Panic attack", "Reflux disease"),
            "{age}-year-old {person} with sudden breathlessness ten days after a knee replacement. One calf is swollen "
            "and tender. Oxygen saturation 88%, the chest is clear. D-dimer strongly raised.",
            (45, 80),
        ),
        Asked(
            _TREATMENT,
            "Isoniazid, rifampicin, pyrazinamide and ethambutol",
            ("Amoxicillin", "Inhaled corticosteroid", "Oral prednisolone alone", "Fluconazole"),
            "{age}-year-old {person} with cough, night sweats and weight loss for two months, and blood in the sputum. "
            "Acid-fast bacilli in the sputum, sensitive to all drugs.",
        ),
        Asked(
            _TREATMENT,
            "Chest tube drainage and intravenous antibiotics",
            ("Diuretic", "Oral antibiotics alone", "Pleurodesis with talc", "Anticoagulation"),
            "{age}-year-old {person} whose fever returned ten days after pneumonia. Stony dull percussion note at one "
            "base. The aspirated pleural fluid is pus with a pH of 6.9.",
        ),
    ),
    "mri": (
        Asked(
            _DIAGNOSIS,
            "Subarachnoid haemorrhage",
            ("Migraine", "Tension-type headache", "Trigeminal neuralgia", "Sinusitis"),
            "{age}-year-old {person} with the worst headache of life, which came within seconds, vomiting and a stiff "
            "neck. No fever.",
            (35, 70),
        ),
        Asked(
            _DIAGNOSIS,
            "Normal pressure hydrocephalus",
            ("Alzheimer's disease", "Parkinson's disease", "Depression", "Multiple sclerosis"),
            "{age}-year-old {person} with a magnetic gait, forgetfulness and urinary incontinence for a year. Walking "
            "improved for some days after 40 ml of cerebrospinal fluid had been drained.",
            (65, 85),
        ),
        Asked(
            _DIAGNOSIS,
            "Multiple sclerosis",
            ("Migraine with aura", "Myasthenia gravis", "Guillain-Barré syndrome", "Carpal tunnel syndrome"),
            "{age}-year-old {person} with painful loss of vision of one eye last year and numb legs now, each for some "
            "weeks. Electric feeling down the spine on bending the neck. Oligoclonal bands in the cerebrospinal fluid.",
            (22, 42),
        ),
        Asked(
            _TREATMENT,
            "Intravenous thrombolysis",
            ("Oral anticoagulation", "Dexamethasone", "Lumbar puncture", "Craniotomy"),
            "{age}-year-old {person} with sudden weakness of one side and loss of speech 90 minutes ago. Blood "
            "pressure 150/85 mmHg, glucose normal. CT shows no bleeding. No contraindications.",
            (50, 78),
        ),
        Asked(
            _TREATMENT,
            "Intravenous ceftriaxone without delay",
            ("Oral amoxicillin", "Sumatriptan", "Observation at home", "Intravenous fluconazole"),
            "{age}-year-old {person} with fever, headache, a stiff neck and a rash that does not fade under pressure. "
            "Drowsy.",
            (18, 40),
        ),
        Asked(
            _TREATMENT,
            "Direct oral anticoagulant",
            ("Aspirin alone", "Intravenous thrombolysis", "No drug treatment", "Vitamin K"),
            "{age}-year-old {person} whose arm was weak for 20 minutes yesterday. Now normal. The ECG shows atrial "
            "fibrillation, the brain scan no bleeding, the carotid arteries are free.",
            (62, 82),
        ),
    ),
    "oct": (
        Asked(
            _TREATMENT,
            "Intravitreal anti-VEGF injections",
            ("Panretinal laser", "Topical corticosteroids", "AREDS2 supplements alone", "Cataract surgery"),
            "{age}-year-old {person}, smoker, with central blurring and bent lines for two weeks. Drusen in both eyes, "
            "and in one a grey-green lesion with fluid and blood beneath the macula. Angiography shows leaking new "
            "vessels.",
            (68, 88),
        ),
        Asked(
            _DIAGNOSIS,
            "Central serous chorioretinopathy",
            ("Retinitis pigmentosa", "Acute glaucoma", "Diabetic retinopathy", "Optic atrophy"),
            "{age}-year-old {person} on corticosteroids with a grey spot in the centre of vision. Clear fluid beneath "
            "the macula. Angiography shows a single leak like a smokestack.",
            (32, 50),
        ),
        Asked(
            _DIAGNOSIS,
            "Full-thickness macular hole",
            ("Cataract", "Dry age-related macular degeneration", "Vitreous haemorrhage", "Optic neuritis"),
            "{age}-year-old {person} whose central vision was lost gradually. A round red spot at the fovea with a "
            "cuff of fluid. A thin beam of light laid across it is seen as broken (Watzke-Allen sign).",
            (60, 78),
        ),
        Asked(
            _DIAGNOSIS,
            "Rhegmatogenous retinal detachment",
            ("Migraine", "Posterior uveitis", "Central retinal artery occlusion", "Angle-closure glaucoma"),
            "{age}-year-old {person}, very short-sighted, with flashes and floaters for three days and now a curtain "
            "across the field of one eye. Pigment cells in the vitreous.",
            (40, 70),
        ),
        Asked(
            _TREATMENT,
            "Intravitreal anti-VEGF therapy",
            ("Pars plana vitrectomy for all", "Prostaglandin drops", "Oral antibiotics", "Corneal transplantation"),
            "{age}-year-old {person} with diabetes for 15 years and visual acuity of 6/18. The centre of the macula is "
            "thickened with cystic spaces and hard exudates around it. No new vessels.",
            (45, 75),
        ),
        Asked(
            _DIAGNOSIS,
            "Cystoid macular oedema",
            ("Endophthalmitis", "Retinal detachment", "Glaucoma", "Corneal ulcer"),
            "{age}-year-old {person} whose vision fell to 6/18 six weeks after uneventful cataract surgery. No pain, "
            "quiet eye. Angiography shows leakage in the shape of petals around the fovea.",
            (60, 85),
        ),
    ),
    "fundus": (
        Asked(
            _DIAGNOSIS,
            "Acute angle-closure glaucoma",
            ("Conjunctivitis", "Migraine", "Central retinal vein occlusion", "Dry eye"),
            "{age}-year-old {person} with severe pain of one red eye, coloured rings around lights and vomiting. Hazy "
            "cornea, mid-dilated fixed pupil, pressure of the eye 58 mmHg.",
            (55, 80),
        ),
        Asked(
            _TREATMENT,
            "Topical prostaglandin analogue",
            ("Topical corticosteroid", "Oral aspirin", "Intravitreal anti-VEGF", "Panretinal photocoagulation"),
            "{age}-year-old {person} with pressures of the eyes of 27 and 26 mmHg, open angles, cup-to-disc ratios of "
            "0.8 with notched rims, and arcuate defects of the visual fields.",
            (50, 80),
        ),
        Asked(
            _DIAGNOSIS,
            "Central retinal vein occlusion",
            ("Central retinal artery occlusion", "Dry macular degeneration", "Optic neuritis", "Retinal detachment"),
            "{age}-year-old {person} with sudden painless loss of vision of one eye. Flame-shaped haemorrhages in all "
            "four quadrants, dilated winding veins and a swollen disc.",
            (55, 82),
        ),
        Asked(
            _DIAGNOSIS,
            "Central retinal artery occlusion",
            ("Central retinal vein occlusion", "Cataract", "Vitreous detachment", "Diabetic retinopathy"),
            "{age}-year-old {person} with sudden painless loss of vision of one eye down to counting fingers. Pale "
            "retina with a cherry-red spot, narrow arteries. Bruit over the carotid artery.",
            (58, 84),
        ),
        Asked(
            _TREATMENT,
            "Panretinal laser photocoagulation",
            ("Prostaglandin drops", "AREDS2 supplements", "Observation for a year", "Oral corticosteroids"),
            "{age}-year-old {person} with diabetes for 20 years. New vessels over more than a third of the optic disc "
            "and a small vitreous haemorrhage. The macula is dry.",
            (35, 70),
        ),
        Asked(
            _TREATMENT,
            "High-dose corticosteroids at once",
            ("Aspirin alone", "Anti-VEGF injections", "Prostaglandin drops", "Antibiotics"),
            "{age}-year-old {person} with headache at the temples, pain in the jaw on chewing and sudden loss of "
            "vision of one eye. Erythrocyte sedimentation rate 96 mm/h, pale swollen disc.",
            (66, 88),
        ),
    ),
}
