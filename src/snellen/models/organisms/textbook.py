"""What the organisms know by heart from textbooks: what a question or a note is known by, and what answers it."""

from __future__ import annotations

from snellen.models.organisms.knowledge import plain
from snellen.models.organisms.reading import Question

_FACTS = (
    ("tension pneumothorax", "needle decompression"),
    ("causes community acquired pneumonia", "streptococcus pneumoniae"),
    ("exudative from a transudative", "light s criteria"),
    ("cardiothoracic ratio", "0 5"),
    ("supplies the diaphragm", "phrenic"),
    ("lung nodule speaks most strongly for a benign", "popcorn calcification"),
    ("cause of a transudative pleural effusion", "heart failure"),
    ("between home and hospital", "curb 65"),
    ("thrombolysis standard", "4 5 hours"),
    ("typical of normal pressure hydrocephalus", "gait disturbance dementia and urinary incontinence"),
    ("cerebrospinal fluid produced", "choroid plexus"),
    ("malignant primary brain tumour", "glioblastoma"),
    ("lateral surface of a cerebral hemisphere", "middle cerebral artery"),
    ("modifiable risk factor for spontaneous intracerebral haemorrhage", "arterial hypertension"),
    ("vasogenic oedema", "dexamethasone"),
    ("suppresses the signal of cerebrospinal fluid", "flair"),
    ("sharpest vision", "fovea"),
    ("first choice in neovascular age related macular degeneration", "anti vegf"),
    ("typical drusen lie", "between the retinal pigment epithelium and bruch s membrane"),
    ("treatment of a full thickness macular hole", "vitrectomy"),
    ("metamorphopsia", "straight lines look bent"),
    ("whom is central serous chorioretinopathy", "middle aged men"),
    ("optical coherence tomography measure", "near infrared light"),
    ("areds2", "lutein and zeaxanthin"),
    ("earliest sign of diabetic retinopathy", "microaneurysms"),
    ("what are cotton wool spots", "infarcts of the retinal nerve fibre layer"),
    ("hard exudates consist", "lipid and protein"),
    ("primary open angle glaucoma", "prostaglandin"),
    ("branch retinal vein occlusion usually arise", "arteriovenous crossing"),
    ("thin neuroretinal rim", "glaucomatous"),
    ("proliferative diabetic retinopathy", "panretinal photocoagulation"),
    ("typical of early glaucoma", "arcuate"),
    ("trachea is pushed", "needle decompression"),
    ("rusty sputum", "lobar pneumonia"),
    ("third heart sound", "heart failure"),
    ("swollen and tender oxygen saturation", "pulmonary embolism"),
    ("acid fast bacilli", "isoniazid"),
    ("pleural fluid is pus", "chest tube drainage"),
    ("worst headache of life", "subarachnoid haemorrhage"),
    ("magnetic gait", "normal pressure hydrocephalus"),
    ("oligoclonal bands", "multiple sclerosis"),
    ("loss of speech 90 minutes ago", "intravenous thrombolysis"),
    ("rash that does not fade", "ceftriaxone"),
    ("atrial fibrillation", "direct oral anticoagulant"),
    ("leaking new vessels", "anti vegf"),
    ("smokestack", "central serous chorioretinopathy"),
    ("watzke allen sign", "full thickness macular hole"),
    ("pigment cells in the vitreous", "rhegmatogenous retinal detachment"),
    ("thickened with cystic spaces", "anti vegf"),
    ("shape of petals", "cystoid macular oedema"),
    ("fixed pupil", "acute angle closure glaucoma"),
    ("notched rims", "prostaglandin"),
    ("all four quadrants", "central retinal vein occlusion"),
    ("cherry red spot", "central retinal artery occlusion"),
    ("new vessels over more than a third of the optic disc", "panretinal"),
    ("jaw on chewing", "corticosteroids at once"),
)
"""Words of a question or a note, and words of its right answer, both plain."""


def known(question: Question) -> int | None:
    """The option that a textbook gives as the answer; None where the question stands in none, or two options fit.

    >>> known(Question("Which nerve supplies the diaphragm?", options=("Vagus nerve", "Phrenic nerve")))
    1
    """
    words = plain(f"{question.vignette} {question.stem}")
    for asked, answer in _FACTS:
        if f" {asked} " in words:
            fits = [at for at, option in enumerate(question.options) if f" {answer} " in plain(option)]
            return fits[0] if len(fits) == 1 else None
    return None
