"""What a radiology report names: parts of the body, findings, qualities and kinds of image, by how their words begin.

A name may belong to several concepts: cardiomegaly is an enlarged heart. The languages share most beginnings, once a
word is without accents.
"""

from __future__ import annotations

from typing import NamedTuple


class Named(NamedTuple):
    """What one word names."""

    things: tuple[str, ...] = ()
    """Findings, qualities and kinds of image."""
    parts: tuple[str, ...] = ()


PARTS = {
    "lung": "lung pulmon polmon poumon lunge",
    "pleura": "pleur",
    "heart": "heart cardia cuore corazon coeur herz",
    "mediastinum": "mediastin",
    "hilum": "hilar hilum hila hili hylar",
    "trachea": "trache",
    "airway": "airway bronch",
    "diaphragm": "diaphragm hemidiaphragm diafram zwerchfell",
    "costophrenic": "costophrenic costovertebral",
    "apex": "apex apical apices",
    "base": "bases basilar",
    "rib": "rib ribs costol rippe",
    "clavicle": "clavic collarbone",
    "spine": "spine spinal vertebra",
    "bone": "bone bony osseous skelet osso ossea hueso",
    "skull": "skull crani calvar",
    "humerus": "humer",
    "femur": "femur femor",
    "brain": "brain cerebral cerebrum encephal cervello cerebro cerveau gehirn intracranial",
    "cerebellum": "cerebell",
    "ventricle": "ventric",
    "sulci": "sulcus sulci",
    "gyri": "gyrus gyri",
    "cortex": "cortex cortical cortices",
    "temporal": "temporal",
    "frontal": "frontal",
    "parietal": "parietal",
    "occipital": "occipital",
    "basal ganglia": "ganglia caudate thalam putamen",
    "brainstem": "brainstem midbrain pons medulla",
    "sinus": "sinus",
    "orbit": "orbit",
    "liver": "liver hepat fegato higado foie leber intrahepat",
    "spleen": "spleen splen milza",
    "kidney": "kidney renal rene reni rinon rein niere perineph",
    "adrenal": "adrenal",
    "gallbladder": "gallbladder cholecyst colecist",
    "pancreas": "pancrea",
    "stomach": "stomach gastric",
    "bowel": "bowel intestin colon colic jejun ileum ileal cecum duoden rectum sigmoid pericolic pericolonic",
    "appendix": "appendix appendice periappendic",
    "aorta": "aorta aortic",
    "artery": "arter",
    "vein": "vein veins venous",
    "vessel": "vessel vascul",
    "node": "node nodes",
    "duct": "duct ducts ductal biliary bile",
    "bladder": "bladder vesic",
    "uterus": "uter",
    "esophagus": "esophag oesophag",
    "peritoneum": "periton intraperiton",
    "muscle": "muscle muscul",
    "neck": "neck collo",
}
"""Parts of the body by the beginnings of their names."""

WITHIN = {
    "lung": ("apex", "base", "airway", "pleura"),
    "pleura": ("lung",),
    "chest": (
        "lung", "pleura", "heart", "mediastinum", "hilum", "trachea", "airway", "diaphragm", "costophrenic", "apex",
        "base", "rib", "clavicle",
    ),
    "bone": ("rib", "clavicle", "spine", "skull", "humerus", "femur"),
    "brain": (
        "cerebellum", "ventricle", "sulci", "gyri", "cortex", "temporal", "frontal", "parietal", "occipital",
        "basal ganglia", "brainstem",
    ),
    "abdomen": (
        "liver", "spleen", "kidney", "adrenal", "gallbladder", "pancreas", "stomach", "bowel", "appendix", "aorta",
        "duct", "bladder", "peritoneum",
    ),
    "peritoneum": ("abdomen",),
}  # fmt: skip
"""What lies within a part, and is found where that part is asked for."""

SICK = {
    "pneumothorax": "pneumothora pneumotorac neumotora",
    "effusion": "effusion versament derrame epanchement erguss",
    "consolidation": "consolid addensament konsolid",
    "opacity": "opaci opaque infiltrat ground-glass airspace",
    "pneumonia": "pneumoni polmonit neumoni lungenentz",
    "nodule": "nodul",
    "mass": "mass masses massa masse tumor tumour neoplas cancer carcin malign",
    "cyst": "cyst cysts cisti quist",
    "lesion": "lesion lesione lasion",
    "fracture": "fractur frattur fraktur broken",
    "dislocation": "dislocat lussaz luxa",
    "edema": "edema oedema odem swelling swollen",
    "hemorrhage": "hemorrh haemorrh bleed blood emorrag hemorrag blutung",
    "hematoma": "hematom haematom ematom hamatom",
    "infarct": "infarct ischemi ischaemi stroke",
    "aneurysm": "aneurysm aneurism",
    "atelectasis": "atelecta",
    "collapse": "collaps",
    "emphysema": "emphysem enfisem",
    "fibrosis": "fibros fibrot",
    "scar": "scar scarr",
    "atrophy": "atroph atrof",
    "hydrocephalus": "hydroceph",
    "herniation": "hernia",
    "obstruction": "obstruct ostruz",
    "perforation": "perforat",
    "stone": "stone stones calcul lithias",
    "calcification": "calcif",
    "stranding": "strand",
    "inflammation": "inflam infiamm",
    "appendicitis": "",  # named with its part, below
    "abscess": "abscess",
    "ascites": "ascit",
    "metastasis": "metasta",
    "enlarged": "enlarg ingrand aumentat agrand elarg vergrossert",
    "dilated": "dilat distend distens ectas ectat",
    "thickened": "thicken ispess",
    "widened": "widen",
    "blunted": "blunt",
    "effaced": "efface",
    "flattened": "flatten flat",
    "hyperinflated": "hyperinflat hyperexpan",
    "compressed": "compress",
    "shifted": "shift deviat devia displac",
    "elevated": "elevat",
    "increased": "increas",
    "decreased": "decreas",
    "obscured": "obscur",
    "hypodensity": "hypodens hypoattenuat",
    "hyperdensity": "hyperdens hyperattenuat",
    "hyperintensity": "hyperintens",
    "hypointensity": "hypointens",
    "irregular": "irregular",
    "tortuous": "tortuo",
    "misplaced": "malposition misplac",
    "asymmetric": "asymmet",
    "damage": "damag injur trauma",
    "disease": "patholog disease disorder",
    "degeneration": "degenerat osteophyt spondyl arthr scolio kypho osteopen",
    "granuloma": "granulom",
    "prominent": "prominen congest engorge crowding",
    "abnormal": "abnormal anormal anomal alterat",
}
"""What is not there in health, by the beginnings of its words."""

NEUTRAL = {
    "normal": "normal unremark unalter healthy",
    "intact": "intact preserv",
    "clear": "clear",
    "sharp": "sharp",
    "symmetric": "symmet simmet",
    "midline": "midline central centered centred",
    "expanded": "expand",
    "well-defined": "well-defin well-circ well-demarc circumscrib",
    "ill-defined": "ill-defin poorly-defin indistinct",
    "homogeneous": "homogen omogen",
    "heterogeneous": "heterogen eterogen",
    "solid": "solid",
    "cystic": "cystic fluid-filled",
    "patent": "patent",
    "occluded": "occlud blocked",
    "focal": "focal localized localised",
    "diffuse": "diffus widespread",
    "unilateral": "unilater",
    "multiple": "multiple several numerous many",
    "single": "single solitary",
    "contrast": "contrast",
    "enhancement": "enhanc",
    "artifact": "artifact artefact",
    "intubated": "intubat",
    "level": "level",
    "proper": "proper correct appropriat good",
    "ct": "ct cts tac",
    "mri": "mri mr mris",
    "x-ray": "x-ray xray x-rays radiogra roentgen cxr rx",
    "ultrasound": "ultraso sonogra",
    "axial": "axial transverse transaxial assial",
    "coronal": "coronal",
    "sagittal": "sagit saggit",
    "pa": "pa posteroanter posterior-anter postero-anter posterioranter",
    "ap": "ap anteroposter anterior-poster antero-poster anteriorposter",
    "lateral view": "lateral",
    "t1": "t1 t1-w t1w",
    "t2": "t2 t2-w t2w",
    "flair": "flair",
    "dwi": "dwi diffusion-weighted",
    "male": "male man boy",
    "female": "female woman girl",
    "pelvis": "pelvi",
    "larger": "larger bigger greater",
    "smaller": "smaller",
}
"""What is there in health, or says nothing of it."""

BOTH = {
    "cardiomegal": Named(("enlarged",), ("heart",)),
    "kardiomegal": Named(("enlarged",), ("heart",)),
    "splenomegal": Named(("enlarged",), ("spleen",)),
    "hepatomegal": Named(("enlarged",), ("liver",)),
    "ventriculomegal": Named(("enlarged",), ("ventricle",)),
    "adenopath": Named(("enlarged",), ("node",)),
    "lymphadenopath": Named(("enlarged",), ("node",)),
    "gallstone": Named(("stone",), ("gallbladder",)),
    "cholelithias": Named(("stone",), ("gallbladder",)),
    "hydroneph": Named(("dilated",), ("kidney",)),
    "appendicit": Named(("appendicitis", "inflammation"), ("appendix",)),
    "pneumoperiton": Named(("free air",)),
    "nasogastric": Named(("ng",)),
    "endotracheal": Named(("intubated",)),
    "cardiopulmon": Named((), ("heart", "lung")),
    "cardiomediast": Named((), ("heart", "mediastinum")),
    "nonobstruct": Named(),
    "non-obstruct": Named(),
    "asymptom": Named(),
}
"""Words that name a finding and the part that it belongs to."""

TOGETHER: dict[tuple[str, ...], str] = {
    ("free", "air"): "pneumoperitoneum",
    ("free", "intraperitoneal", "air"): "pneumoperitoneum",
    ("free", "peritoneal", "air"): "pneumoperitoneum",
    ("intraperitoneal", "air"): "pneumoperitoneum",
    ("free", "fluid"): "ascites",
    ("computed", "tomography"): "ct",
    ("magnetic", "resonance"): "mri",
    ("plain", "film"): "xray",
    ("anterior", "posterior"): "ap",
    ("posterior", "anterior"): "pa",
    ("well", "defined"): "well-defined",
    ("clearly", "defined"): "well-defined",
    ("well", "circumscribed"): "well-defined",
    ("ill", "defined"): "ill-defined",
    ("poorly", "defined"): "ill-defined",
    ("fluid", "filled"): "cystic",
    ("gall", "bladder"): "gallbladder",
    ("central", "line"): "catheter",
    ("central", "venous"): "catheter",
    ("blood", "vessel"): "vessel",
    ("blood", "vessels"): "vessel",
    ("blood", "flow"): "flow",
    ("blood", "pressure"): "pressure",
    ("collecting", "system"): "kidney",
    ("collecting", "systems"): "kidney",
    ("high", "signal"): "hyperintense",
    ("low", "signal"): "hypointense",
    ("hyper", "dense"): "hyperdense",
    ("hypo", "dense"): "hypodense",
    ("hyper", "attenuated"): "hyperdense",
    ("endotracheal", "tube"): "intubated",
    ("et", "tube"): "intubated",
    ("nasogastric", "tube"): "nasogastric",
    ("ng", "tube"): "nasogastric",
    ("x", "ray"): "xray",
    ("bony", "thorax"): "bones",
    ("not", "normal"): "abnormal",
    **{
        (*comparative.split(), "than", "normal"): meant
        for comparative, meant in (
            ("larger", "enlarged"),
            ("bigger", "enlarged"),
            ("greater", "enlarged"),
            ("wider", "widened"),
            ("thicker", "thickened"),
            ("smaller", "atrophy"),
        )
    },
    **{
        (lung, vessel): "vasculature"
        for lung in ("pulmonary", "lung")
        for vessel in ("vascularity", "vasculature", "vascular", "vessels", "markings")
    },
    ("x", "rays"): "xray",
}
"""Words that name one thing together, with a word that names it alone."""

OPPOSITES = (
    ("sharp", "blunted"),
    ("clear", "blunted"),
    ("symmetric", "asymmetric"),
    ("midline", "shifted"),
    ("intact", "fracture"),
    ("intact", "shifted"),
    ("intact", "effaced"),
    ("expanded", "collapse"),
    ("expanded", "hyperinflated"),
    ("solid", "cystic"),
    ("well-defined", "ill-defined"),
    ("well-defined", "irregular"),
    ("homogeneous", "heterogeneous"),
    ("patent", "occluded"),
    ("focal", "diffuse"),
    ("unilateral", "bilateral"),
    ("multiple", "single"),
    ("hyperdensity", "hypodensity"),
    ("hyperintensity", "hypointensity"),
    ("larger", "smaller"),
    ("proper", "misplaced"),
    ("increased", "decreased"),
    ("clear", "opacity"),
    ("clear", "consolidation"),
    ("clear", "pneumonia"),
    ("clear", "edema"),
    ("clear", "abnormal"),
    ("normal", "abnormal"),
    ("clear", "nodule"),
    ("clear", "mass"),
    ("clear", "lesion"),
)
"""Qualities that one thing cannot have together."""

ALIKE = {
    "enlarged": ("dilated", "widened"),
    "dilated": ("enlarged", "widened"),
    "widened": ("enlarged", "dilated"),
    "aneurysm": ("enlarged", "dilated"),
    "effaced": ("blunted",),
    "consolidation": ("opacity",),
    "free air": ("air",),
}
"""What may stand for what is asked: dilated ventricles are enlarged."""

FAMILIES = (
    ("ct", "mri", "x-ray", "ultrasound"),
    ("axial", "coronal", "sagittal"),
    ("pa", "ap", "lateral view"),
    ("t1", "t2", "flair", "dwi"),
    ("male", "female"),
)
"""Kinds of which an image has one."""

WHOLE = frozenset(("lung", "brain", "chest", "abdomen"))
"""Parts that fill an image."""

IMPLIED = {"t1": "mri", "t2": "mri", "flair": "mri", "dwi": "mri"}
"""Kinds that are of a wider kind."""

OF_SIZE = frozenset(("enlarged", "dilated", "widened", "aneurysm", "atrophy", "larger", "smaller", "hyperinflated"))
"""What a normal size denies."""

ACUTE = frozenset(
    ("pneumothorax", "effusion", "consolidation", "opacity", "pneumonia", "edema", "hemorrhage", "infarct", "fracture")
)
"""What the absence of anything acute denies."""

HOME = {
    "pneumothorax": ("lung",),
    "effusion": ("lung", "costophrenic"),
    "consolidation": ("lung",),
    "opacity": ("lung",),
    "pneumonia": ("lung",),
    "edema": ("lung",),
    "nodule": ("lung",),
    "hyperinflated": ("lung",),
    "fracture": ("bone", "rib", "clavicle", "skull", "spine", "humerus", "femur"),
    "hydrocephalus": ("ventricle",),
    "appendicitis": ("appendix",),
    "aneurysm": ("aorta",),
    "obstruction": ("bowel",),
    "infarct": ("brain",),
    "hemorrhage": ("brain",),
}
"""Where a finding belongs if the question names no place: normal there, it is absent."""

_LONGEST = 16
_SHORTEST = 2


def _by_beginning() -> dict[str, Named]:
    found = dict(BOTH)
    for table in (SICK, NEUTRAL):
        for name, beginnings in table.items():
            found.update(dict.fromkeys(beginnings.split(), Named((name,))))
    for name, beginnings in PARTS.items():
        found.update(dict.fromkeys(beginnings.split(), Named((), (name,))))
    found["chest"] = found["thorax"] = Named((), ("chest",))
    for word in ("abdom", "addom"):
        found[word] = Named((), ("abdomen",))
    return found


_NAMES = _by_beginning()
_WHOLE = frozenset(name for name in _NAMES if len(name) <= 4 and name.isalnum())  # "pa" does not begin "patient"


def named(word: str) -> Named | None:
    """What a word in lower case without accents names, by its longest beginning that is known.

    >>> named("cardiomegaly"), named("ribs"), named("patient")
    (Named(things=('enlarged',), parts=('heart',)), Named(things=(), parts=('rib',)), None)
    """
    for length in range(min(len(word), _LONGEST), _SHORTEST - 1, -1):
        found = _NAMES.get(word[:length])
        if found is not None and (length == len(word) or word[:length] not in _WHOLE or word[length:] in ("s", "e")):
            return found
    return None
