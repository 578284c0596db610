"""Presentations: how patients come to the clinic. Each fits three findings equally well, and the image decides.

Every finding of a modality, the normal image among them, stands in three of its six presentations. Neither history nor
examination names a side, so no side can be had from the words.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True)
class Presentation:
    """A history and an examination, the findings that they fit, and what a clinician makes of each as a step.

    `history` has several wordings, which mean the same. `{age}`, `{person}`, `{pulse}` and `{acuity}` are drawn without
    regard to what the patient has.
    """

    fits: tuple[str, str, str]
    ages: tuple[int, int]
    history: tuple[str, ...]
    examination: str
    from_history: str
    from_examination: str


_CHEST = (
    Presentation(
        fits=("pleural effusion", "cardiomegaly", "normal"),
        ages=(55, 86),
        history=(
            "{age}-year-old {person} with breathlessness on exertion for three weeks and swollen ankles. Treated for "
            "high blood pressure.",
            "{age}-year-old {person} who has become short of breath on the stairs over three weeks. Ankles swollen in "
            "the evening. Takes tablets for high blood pressure.",
        ),
        examination="Pulse {pulse}/min, blood pressure 148/86 mmHg, oxygen saturation 94% on air. Mild pitting oedema "
        "of both ankles. Breath sounds are soft at the bases, and the heart sounds are faint.",
        from_history="Breathlessness on exertion with swollen ankles suggests a disease of the heart or the pleura.",
        from_examination="Ankle oedema and soft breath sounds fit fluid overload but do not show where the fluid is.",
    ),
    Presentation(
        fits=("pneumothorax", "consolidation", "normal"),
        ages=(20, 60),
        history=(
            "{age}-year-old {person} with sharp chest pain on breathing in since yesterday, breathlessness and a dry "
            "cough. No leg swelling, no recent journey.",
            "{age}-year-old {person} who woke yesterday with stabbing chest pain that is worse on breathing in, and "
            "has been short of breath with a dry cough since. No swelling of the legs.",
        ),
        examination="Pulse {pulse}/min, blood pressure 126/78 mmHg, temperature 37.7 °C, oxygen saturation 94% on air. "
        "Breathing is shallow because of the pain, so that auscultation is of little help.",
        from_history="Sharp chest pain on breathing in points to the pleura: air, an infection or a strain.",
        from_examination="Stable circulation and a slightly raised temperature do not tell these causes apart.",
    ),
    Presentation(
        fits=("lung nodules", "consolidation", "pleural effusion"),
        ages=(52, 84),
        history=(
            "{age}-year-old {person} with a cough for four weeks and a weight loss of five kilograms. Has smoked a "
            "pack a day for forty years.",
            "{age}-year-old {person}, a heavy smoker for decades, who has been coughing for a month and has lost five "
            "kilograms.",
        ),
        examination="Pulse {pulse}/min, blood pressure 132/80 mmHg, temperature 37.4 °C, oxygen saturation 93% on air. "
        "Finger clubbing. Breath sounds are soft throughout.",
        from_history="A long cough with weight loss in a smoker raises the suspicion of cancer or a slow infection.",
        from_examination="Finger clubbing fits a chronic disease of the chest without saying which.",
    ),
    Presentation(
        fits=("consolidation", "pleural effusion", "normal"),
        ages=(25, 84),
        history=(
            "{age}-year-old {person} with fever and a cough with yellow sputum for five days. Feels weak.",
            "{age}-year-old {person} who has had a productive cough and fever for five days and feels unwell.",
        ),
        examination="Pulse {pulse}/min, blood pressure 124/76 mmHg, temperature 38.6 °C, oxygen saturation 93% on air. "
        "Coarse crackles on both sides that partly clear on coughing.",
        from_history="Fever with a productive cough points to an infection of the airways, the lung or the pleura.",
        from_examination="Fever and coarse crackles confirm an infection but do not show how far it has spread.",
    ),
    Presentation(
        fits=("pneumothorax", "cardiomegaly", "lung nodules"),
        ages=(60, 86),
        history=(
            "{age}-year-old {person}, former smoker, on the day after a pacemaker was implanted. A little short of "
            "breath since.",
            "{age}-year-old {person} who smoked until ten years ago. A pacemaker was implanted yesterday, and "
            "breathing has been slightly harder since.",
        ),
        examination="Pulse {pulse}/min, paced, blood pressure 136/82 mmHg, oxygen saturation 95% on air. The wound is "
        "dry. Breath sounds are soft, as before the operation.",
        from_history="Breathlessness after a pacemaker calls for an X-ray: a complication, the heart itself or the "
        "lungs of a former smoker may explain it.",
        from_examination="Stable circulation and soft breath sounds leave all of these open.",
    ),
    Presentation(
        fits=("pneumothorax", "cardiomegaly", "lung nodules"),
        ages=(58, 84),
        history=(
            "{age}-year-old {person} with chronic obstructive lung disease after forty years of smoking. More short of "
            "breath than usual for a week.",
            "{age}-year-old {person}, who smokes and has chronic obstructive lung disease, reports that breathing has "
            "been harder for a week.",
        ),
        examination="Pulse {pulse}/min, blood pressure 142/84 mmHg, oxygen saturation 90% on air. Barrel chest, breath "
        "sounds soft on both sides. No fever.",
        from_history="Worse breathlessness in chronic obstructive lung disease may come from the lungs or the heart.",
        from_examination="A barrel chest with soft breath sounds hides what lies beneath.",
    ),
)

_BRAIN = (
    Presentation(
        fits=("tumour", "hydrocephalus", "normal"),
        ages=(30, 78),
        history=(
            "{age}-year-old {person} with headache for three weeks, worst in the morning, and vomiting twice.",
            "{age}-year-old {person} who has woken with headache for three weeks and vomited on two mornings.",
        ),
        examination="Pulse {pulse}/min, blood pressure 134/82 mmHg. Alert and oriented. Strength, sensation and "
        "reflexes are normal on both sides. The optic discs cannot be judged with certainty.",
        from_history="Morning headache with vomiting raises the suspicion of raised pressure within the skull.",
        from_examination="Without a focal sign the cause of the headache remains open.",
    ),
    Presentation(
        fits=("infarct", "haemorrhage", "normal"),
        ages=(55, 86),
        history=(
            "{age}-year-old {person} who suddenly became confused and unsteady two days ago. High blood pressure.",
            "{age}-year-old {person} with sudden confusion and unsteady walking since two days ago. Treated for high "
            "blood pressure.",
        ),
        examination="Pulse {pulse}/min, blood pressure 168/94 mmHg. Slow to answer, disoriented in time. Unsteady "
        "gait. Strength and reflexes are equal on both sides.",
        from_history="A sudden onset points to a vascular event, either ischaemia or bleeding.",
        from_examination="Confusion and an unsteady gait do not tell ischaemia from bleeding or a passing cause.",
    ),
    Presentation(
        fits=("tumour", "haemorrhage", "infarct"),
        ages=(50, 84),
        history=(
            "{age}-year-old {person} after a first epileptic seizure five days ago. No earlier illness of the brain.",
            "{age}-year-old {person} who had a generalised seizure five days ago, the first ever.",
        ),
        examination="Pulse {pulse}/min, blood pressure 146/86 mmHg. Fully awake. Tongue bite healing. No weakness, "
        "reflexes equal on both sides.",
        from_history="A first seizure at this age is due to a lesion of the brain until proved otherwise.",
        from_examination="The normal examination between seizures does not show what the lesion is.",
    ),
    Presentation(
        fits=("hydrocephalus", "white matter lesions", "infarct"),
        ages=(66, 88),
        history=(
            "{age}-year-old {person} whose walking has become slow and memory poor over a year. Long-standing high "
            "blood pressure.",
            "{age}-year-old {person} with high blood pressure for years, who walks in small steps and forgets "
            "appointments, worse over the last year.",
        ),
        examination="Pulse {pulse}/min, blood pressure 156/88 mmHg. Short steps, slow turns. Recalls one of three "
        "words. Reflexes equal on both sides.",
        from_history="A slow loss of gait and memory fits fluid in the ventricles or damage by vascular disease.",
        from_examination="Small steps and poor recall are found in both.",
    ),
    Presentation(
        fits=("white matter lesions", "haemorrhage", "normal"),
        ages=(50, 80),
        history=(
            "{age}-year-old {person} with headaches and dizzy spells for two months. Often forgets the tablets for "
            "high blood pressure.",
            "{age}-year-old {person} with poorly controlled high blood pressure, who has had headaches and dizziness "
            "on and off for two months.",
        ),
        examination="Pulse {pulse}/min, blood pressure 178/102 mmHg. No weakness, coordination and gait normal. "
        "Reflexes equal on both sides.",
        from_history="Headache and dizziness with uncontrolled blood pressure call for a look at the vessels' damage.",
        from_examination="High blood pressure without a focal sign fits old damage, bleeding or none.",
    ),
    Presentation(
        fits=("tumour", "hydrocephalus", "white matter lesions"),
        ages=(56, 84),
        history=(
            "{age}-year-old {person} who has lost interest in everything and become slow in thinking over four months. "
            "High blood pressure.",
            "{age}-year-old {person} with high blood pressure. The family reports apathy and slow thinking, worse over "
            "four months.",
        ),
        examination="Pulse {pulse}/min, blood pressure 150/88 mmHg. Slow and apathetic, follows orders. Gait a little "
        "broad. Reflexes equal on both sides.",
        from_history="Apathy and slow thinking that develop over months suggest a structural disease of the brain.",
        from_examination="Slowness and a broad gait do not tell a mass, fluid and vascular damage apart.",
    ),
)

_RETINA = (
    Presentation(
        fits=("macular hole", "epiretinal membrane", "subretinal fluid"),
        ages=(55, 82),
        history=(
            "{age}-year-old {person} to whom straight lines have looked bent for six weeks. No pain.",
            "{age}-year-old {person} who has noticed for six weeks that door frames and lines of print are distorted. "
            "No pain.",
        ),
        examination="Visual acuity {acuity}. Pressure of the eye normal. Lines are distorted at the centre of the "
        "Amsler grid. Lens slightly cloudy.",
        from_history="Bent lines point to a disease of the macula.",
        from_examination="Reduced acuity and a distorted Amsler grid confirm the macula as the site.",
    ),
    Presentation(
        fits=("macular hole", "intraretinal cysts", "drusen"),
        ages=(60, 85),
        history=(
            "{age}-year-old {person} for whom reading has become harder over some months. Needs brighter light.",
            "{age}-year-old {person} whose central vision has become blurred over some months, so that reading needs "
            "more light.",
        ),
        examination="Visual acuity {acuity}, no better with other glasses. Pressure of the eye normal. Pupils react "
        "normally.",
        from_history="A slow loss of reading vision at this age suggests a disease of the macula.",
        from_examination="Acuity that no glasses improve, with normal pupils, fits the macula.",
    ),
    Presentation(
        fits=("subretinal fluid", "macular hole", "normal"),
        ages=(35, 68),
        history=(
            "{age}-year-old {person} with a dim spot in the centre of vision for two weeks. Much stress at work.",
            "{age}-year-old {person} who has seen a grey spot in the centre for two weeks, after a stressful time.",
        ),
        examination="Visual acuity {acuity}. Pressure of the eye normal. Pupils react normally. Small central scotoma.",
        from_history="A new dim spot in the centre of vision points to the macula or the optic nerve.",
        from_examination="A central scotoma with normal pupils makes the macula likely.",
    ),
    Presentation(
        fits=("drusen", "epiretinal membrane", "normal"),
        ages=(58, 85),
        history=(
            "{age}-year-old {person} at a routine check of the eyes. No complaints. One parent lost vision in old age.",
            "{age}-year-old {person} who comes for a check without complaints. A parent had poor vision in old age.",
        ),
        examination="Visual acuity 6/6. Pressure of the eye normal. The macular reflex is dull.",
        from_history="There are no symptoms, and the family history makes macular disease possible.",
        from_examination="Normal acuity fits an early disease or none.",
    ),
    Presentation(
        fits=("intraretinal cysts", "epiretinal membrane", "normal"),
        ages=(45, 80),
        history=(
            "{age}-year-old {person} with type 2 diabetes for fifteen years, whose vision has been blurred for some "
            "weeks.",
            "{age}-year-old {person}, diabetic for fifteen years, with hazy vision for several weeks.",
        ),
        examination="Visual acuity {acuity}. Pressure of the eye normal. Early cataract. HbA1c 8.4%.",
        from_history="Blurred vision in long-standing diabetes may come from the macula, its surface or the lens.",
        from_examination="Reduced acuity with an early cataract leaves the cause open.",
    ),
    Presentation(
        fits=("drusen", "subretinal fluid", "intraretinal cysts"),
        ages=(68, 90),
        history=(
            "{age}-year-old {person}, smoker, whose central vision has become worse in recent months. A brother has "
            "macular degeneration.",
            "{age}-year-old {person} who smokes and finds faces hard to recognise for some months. Macular "
            "degeneration in a brother.",
        ),
        examination="Visual acuity {acuity}. Pressure of the eye normal. The macula looks uneven through the cloudy "
        "lens.",
        from_history="Loss of central vision in an old smoker suggests age-related macular degeneration, dry or wet.",
        from_examination="An uneven macula seen through a cloudy lens does not tell the dry from the wet form.",
    ),
)

_FUNDUS = (
    Presentation(
        fits=("retinal haemorrhages", "hard exudates", "normal"),
        ages=(40, 80),
        history=(
            "{age}-year-old {person} at the yearly eye screening for type 2 diabetes. No complaints.",
            "{age}-year-old {person} with type 2 diabetes who comes to the yearly screening and has no complaints.",
        ),
        examination="Visual acuity 6/6. Pressure of the eye 15 mmHg. HbA1c 8.1%, blood pressure 144/84 mmHg.",
        from_history="Diabetes of some years puts the patient at risk of retinopathy, also without complaints.",
        from_examination="Raised HbA1c makes retinopathy more likely but normal acuity does not show it.",
    ),
    Presentation(
        fits=("cotton-wool spots", "retinal haemorrhages", "normal"),
        ages=(38, 76),
        history=(
            "{age}-year-old {person} with high blood pressure that has been hard to control, and headaches.",
            "{age}-year-old {person} with headaches, whose blood pressure has stayed high on three drugs.",
        ),
        examination="Blood pressure 184/108 mmHg. Visual acuity 6/6. Pressure of the eye 16 mmHg.",
        from_history="High blood pressure that is hard to control may damage the vessels of the retina.",
        from_examination="A pressure of 184/108 mmHg makes damage to the retina possible.",
    ),
    Presentation(
        fits=("branch vein occlusion", "hard exudates", "retinal haemorrhages"),
        ages=(52, 82),
        history=(
            "{age}-year-old {person} with painless blurred vision of one eye for two weeks. High blood pressure and "
            "type 2 diabetes.",
            "{age}-year-old {person}, treated for high blood pressure and diabetes, who has seen less with one eye for "
            "two weeks. No pain.",
        ),
        examination="Visual acuity {acuity}. Pressure of the eye 16 mmHg. Pupils react normally. Blood pressure 158/92 "
        "mmHg.",
        from_history="Painless blurring of one eye with high blood pressure and diabetes suggests a vascular disease "
        "of the retina.",
        from_examination="Reduced acuity with normal pressure of the eye leaves several vascular causes.",
    ),
    Presentation(
        fits=("glaucomatous cupping", "branch vein occlusion", "normal"),
        ages=(48, 80),
        history=(
            "{age}-year-old {person} referred by the optometrist for a pressure of the eye at the upper limit. No "
            "complaints.",
            "{age}-year-old {person} without complaints, sent by the optometrist because of a borderline pressure of "
            "the eye.",
        ),
        examination="Visual acuity 6/9. Pressure of the eye 23 mmHg. The angle of the chamber is open.",
        from_history="A borderline pressure of the eye is a risk for the optic nerve and for the veins of the retina.",
        from_examination="A pressure of 23 mmHg with an open angle does not show whether damage has been done.",
    ),
    Presentation(
        fits=("glaucomatous cupping", "cotton-wool spots", "hard exudates"),
        ages=(50, 80),
        history=(
            "{age}-year-old {person} with diabetes and high blood pressure. The optometrist saw something unusual at "
            "the back of the eye. No complaints.",
            "{age}-year-old {person}, diabetic and hypertensive, referred because the back of the eye looked unusual "
            "at a sight test. No complaints.",
        ),
        examination="Visual acuity 6/9. Pressure of the eye 19 mmHg. HbA1c 7.8%, blood pressure 160/94 mmHg.",
        from_history="Diabetes and high blood pressure make retinopathy likely, and glaucoma is common at this age.",
        from_examination="A normal pressure of the eye does not exclude glaucoma.",
    ),
    Presentation(
        fits=("glaucomatous cupping", "branch vein occlusion", "cotton-wool spots"),
        ages=(52, 82),
        history=(
            "{age}-year-old {person} with high blood pressure who has noticed a blind patch in the field of one eye.",
            "{age}-year-old {person}, treated for high blood pressure, to whom a patch of the field of one eye has "
            "become dim.",
        ),
        examination="Visual acuity 6/9. Pressure of the eye 20 mmHg. The visual field has an arc-shaped defect. Blood "
        "pressure 156/90 mmHg.",
        from_history="A blind patch in the field of one eye points to the retina or the optic nerve.",
        from_examination="An arc-shaped defect follows the nerve fibres, whatever has damaged them.",
    ),
)

PRESENTATIONS: Mapping[str, tuple[Presentation, ...]] = {
    "cxr": _CHEST,
    "mri": _BRAIN,
    "oct": _RETINA,
    "fundus": _FUNDUS,
}
"""By the code of the modality."""
