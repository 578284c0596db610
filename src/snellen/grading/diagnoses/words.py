"""The words of a diagnosis in one spelling: without accents, American, singular, and which of them name nothing."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from snellen.grading.language.patterns import word_set

_TOKEN = re.compile(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_CHINESE = re.compile(r"[\u3400-\u9fff]")
_POSSESSIVE = re.compile(r"(?<=[^\W_])'s\b")
_BRITISH = re.compile(
    r"oedem|haem|aemi|(?<=n)aev|tumour|oesoph|rrhoe|(?<=p)aed(?=i)|gynaec|oestr|foet|faec|coelia|fibre\b|"
    r"grey|colour|(?<=c)aec|centre|(?:(?<=al|an|at|in|on|er|or)|(?<=lar))is(?=ed\b|ing\b|ation)"
)
_AMERICAN = {
    "oedem": "edem", "haem": "hem", "aemi": "emi", "aev": "ev", "tumour": "tumor", "oesoph": "esoph", "rrhoe": "rrhe",
    "aed": "ed", "gynaec": "gynec", "oestr": "estr", "foet": "fet", "faec": "fec", "coelia": "celia",
    "fibre": "fiber", "grey": "gray", "colour": "color", "aec": "ec", "centre": "center", "is": "iz",
}  # fmt: skip
_LIGATURES = str.maketrans({"œ": "oe", "æ": "ae", "ß": "ss", "ı": "i", "ø": "o", "ł": "l"})
_SAME = {
    "metastases": "metastasis", "mets": "metastasis", "nevi": "nevus", "diagnoses": "diagnosis", "patches": "patch",
    "branches": "branch", "lentigines": "lentigo", "verrucae": "verruca", "ephelides": "ephelis", "thrombi": "thrombus",
    "emboli": "embolism", "embolus": "embolism", "infarct": "infarction", "ekg": "ecg", "prior": "old",
    "previous": "old", "remote": "old", "healed": "old", "bleed": "hemorrhage", "bleeding": "hemorrhage",
    "aneurism": "aneurysm",
}  # fmt: skip
_NO_PLURAL = word_set(
    "herpes diabetes scabies rabies caries series species facies pancreas biceps triceps ascites lens torsades "
    "sans does less alias atlas"
)

NOISE = word_set(
    # articles, pronouns, verbs of being, what leads up to a name
    "a an the this that these those your my his her its their our it i we you he she they there here is are was were "
    "be been being am has have had having to would could may might can will must do does did doing appear appearing "
    "appears seem seeming become get given based upon per as so also just only any some other another further "
    "patient case individual person study exam examination image imaging picture photo photograph scan film slide "
    "radiograph radiography radiographic radiological radiologic xray xr x ray cxr ecg eeg mri mr ct ultrasound "
    "electrocardiogram electrocardiographic tracing histology histologic histological histopathology pathologic "
    "histopathologic histopathological pathological microscopic cytologic dermoscopic dermatoscopic dermoscopy "
    "clinical clinically morphologic morphological finding feature sign evidence appearance "
    "pattern presentation picture entity process condition disorder component element aspect view specimen sample "
    "section final overall main principal primary provisional working preliminary presumptive tentative definitive "
    "definite certain clearly obvious most more very highly strongly quite somewhat rather relatively "
    "consistent compatible concern diagnostic described visible visualized seen noted identified present observed "
    "detected shown provided attached uploaded above below following confirmed known apparent evident "
    "indeterminate unspecified nos nonspecific specific general type subtype variant subset class category "
    # degree, time, extent
    "mild moderate severe marked minimal slight significant mildly moderately severely markedly minimally slightly "
    "significantly small large tiny huge massive medium sized size extensive focal multifocal localized generalized "
    "widespread patchy scattered diffuse subtle gross early late advanced new recent onset evolving "
    "ongoing hyperacute acute subacute persistent recurrent intermittent paroxysmal stable incidental typical "
    "classic "
    "classical common uncomplicated complicated symptomatic asymptomatic solitary single isolated multiple several "
    "numerous few immediate urgent emergent emergency well poorly differentiated grade graded high low intermediate "
    "stage staged who level clark breslow gleason score nottingham fitzpatrick group risk ii iii iv v vi idh "
    "wildtype mutant mutated approximately about nearly year yr aged male female man woman adult elderly mm cm "
    # place
    "left right bilateral unilateral bilaterally both sided side upper lower middle mid central peripheral lobe "
    "lobar "
    "lobes basilar bibasilar apical perihilar retrocardiac lingular base zone segment segmental anterior posterior "
    "inferior superior lateral medial proximal distal anterolateral inferolateral anteroseptal septal posterolateral "
    "inferoposterior inferobasal wall territory region regional area quadrant frontal frontoparietal temporal "
    "parietal "
    "temporoparietal occipital parasagittal periventricular hemispheric hemisphere midline deep superficial lead "
    "mca aca pca lad rca lcx sorry unfortunately none yes hello thank dear"
)
"""Words that may stand in, before or after a name without changing the disease."""


def words(text: str) -> list[str]:
    """The words of a text in our spelling; a Chinese sign is a word.

    >>> words("Ischaemic infarcts & naevi")
    ['ischemic', 'infarction', 'nevus']
    """
    return [spelled(token) for token in _TOKEN.findall(plain(text))]


def plain(text: str) -> str:
    """The text in lower case, without accents and possessives."""
    text = unicodedata.normalize("NFKD", text).lower().translate(_LIGATURES).replace("’", "'")
    if not text.isascii():
        text = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return _POSSESSIVE.sub("", text)


def spelled(token: str) -> str:
    """A plain word in our spelling."""
    token = _SAME.get(token, token)
    token = _BRITISH.sub(lambda found: _AMERICAN[found.group()], token)
    token = _SAME.get(token, token)
    return _SAME.get(single := _singular(token), single)


def _singular(token: str) -> str:
    if len(token) < 4 or token in _NO_PLURAL or not token.endswith("s") or token.endswith(("ss", "us", "is")):
        return token
    for plural, single in (("sses", "ss"), ("oses", "osis"), ("xes", "x"), ("ies", "y")):
        if token.endswith(plural):
            return token.removesuffix(plural) + single
    return token[:-1]


def joined(tokens: Sequence[str]) -> str:
    """Words as a name: with spaces, except between Chinese signs."""
    return re.sub(r"(?<=[\u3400-\u9fff]) (?=[\u3400-\u9fff])", "", " ".join(tokens))


def names_nothing(token: str) -> bool:
    """Whether a word names no disease by itself."""
    return token in NOISE or token.isdigit() or (len(token) == 1 and _CHINESE.match(token) is None)
