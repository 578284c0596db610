"""The words of a diagnosis in one spelling (no accents, American, singular), and what they do: cues, noise, urgency."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum

from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

_TOKEN = regex(r"[\u3400-\u9fff]|[^\W_\u3400-\u9fff]+")
_CHINESE = regex(r"[\u3400-\u9fff]")
_POSSESSIVE = regex(r"(?<=[^\W_])'s\b")
_BRITISH = regex(
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
    "appears seem seeming become get given based upon per as so also just only any some other another further patient "
    "case individual person study exam examination image imaging picture photo photograph scan film slide radiograph "
    "radiography radiographic radiological radiologic xray xr x ray cxr ecg eeg mri mr ct ultrasound "
    "electrocardiogram electrocardiographic tracing histology histologic histological histopathology pathologic "
    "histopathologic histopathological pathological microscopic cytologic dermoscopic dermatoscopic dermoscopy "
    "clinical clinically morphologic morphological finding feature sign evidence appearance pattern presentation "
    "picture entity process condition disorder component element aspect view specimen sample section final overall "
    "main principal primary provisional working preliminary presumptive tentative definitive definite certain clearly "
    "obvious most more very highly strongly quite somewhat rather relatively consistent compatible concern diagnostic "
    "described visible visualized seen noted identified present observed detected shown provided attached uploaded "
    "above below following confirmed known apparent evident indeterminate unspecified nos nonspecific specific "
    "general type subtype variant subset class category "
    # degree, time, extent
    "mild moderate severe marked minimal slight significant mildly moderately severely markedly minimally slightly "
    "significantly small large tiny huge massive medium sized size extensive focal multifocal localized generalized "
    "widespread patchy scattered diffuse subtle gross early late advanced new recent onset evolving ongoing "
    "hyperacute acute subacute persistent recurrent intermittent paroxysmal stable incidental typical classic "
    "classical common uncomplicated complicated symptomatic asymptomatic solitary single isolated multiple several "
    "numerous few immediate urgent emergent emergency well poorly differentiated grade graded high low intermediate "
    "stage staged who level clark breslow gleason score nottingham fitzpatrick group risk ii iii iv v vi idh wildtype "
    "mutant mutated approximately about nearly year yr aged male female man woman adult elderly mm cm "
    # place
    "left right bilateral unilateral bilaterally both sided side upper lower middle mid central peripheral lobe lobar "
    "lobes basilar bibasilar apical perihilar retrocardiac lingular base zone segment segmental anterior posterior "
    "inferior superior lateral medial proximal distal anterolateral inferolateral anteroseptal septal posterolateral "
    "inferoposterior inferobasal wall territory region regional area quadrant frontal frontoparietal temporal "
    "parietal temporoparietal occipital parasagittal periventricular hemispheric hemisphere midline deep superficial "
    "lead mca aca pca lad rca lcx sorry unfortunately none yes hello thank dear"
)
"""Words that may stand in, before or after a name without changing the disease."""


SHORTHAND = tuple(
    (regex(pattern), full)
    for pattern, full in (
        (r"\bvs\.?(?!\w)", "versus"),
        (r"\br/o\b", "rule out"),
        (r"\bw/o\b", "without"),
        (r"\bw/", "with "),
        (r"\bc/w\b", "consistent with"),
        (r"\bs/p\b", "status post"),
        (r"\bh/o\b", "history of"),
        (r"\bd/t\b", "due to"),
        (r"\be\.g\.?|\bi\.e\.?", "such as"),
        (r"\bd\.?dx\b", "differential"),
        (r"\ba\. ?fib", "a fib"),
        (r"\ba-v\b", "av"),
        (r"\bh\. ?pylori", "helicobacter pylori"),
        (r"\bcan(?:not| not|'t) be (?:\w+ )?(?:excluded|ruled out|determined|confirmed|established)", "notexcluded"),
        (r"\b(?:can(?:not| not|'t)|could not|do(?:es)? not|not) (?:\w+ )?(?:exclude|rule out)\b", "rule out"),
        (r"\bcan(?: not|'t)", "cannot"),
        (r"n't\b", " not"),
        (r"[&+]", " and "),
        (
            r"\d{1,3}[- ]year[- ]old|\d[\d.,]{0,8} ?(?:[x×] ?\d[\d.,]{0,8} ?){0,2}(?:mm|cm|ms|msec|bpm|%|years?|"
            r"yrs?)(?!\w)",
            " ",
        ),
        (r"(?:^|\n)\s{0,8}(?:[-•·]|\(?\d{1,2}[.)]|[a-h][.)])\s", "\n"),
        (r"\s\(?\d{1,2}[.)]\s", "\n"),
    )
)
"""Shorthand of notes, and what it stands for."""
CARRIED = word_set("invasive infiltrating complete chronic atypical")
"""What describes a name that follows after a comma: "invasive, moderately differentiated adenocarcinoma"."""
OPENERS = word_set(
    "mild moderate minimal small slight chronic old stable benign age incidental severe left right bilateral normal "
    "only mildly moderately likely probable possible suspected"
)
"""What begins something new after a comma: "no acute process, mild cardiomegaly"."""


URGENT_WORDS = word_set(
    "malignant malignancy cancer cancerous metastasis metastatic leukemia lymphoma hemorrhage hemorrhagic hematoma "
    "rupture ruptured dissection dissecting infarction infarcted torsion tamponade embolism thrombosis perforation "
    "perforated sepsis septic abscess gangrene gangrenous necrotizing herniation shock arrest stroke strangulated"
)
"""Words of which a name that is not listed is urgent."""
URGENT_ENDINGS = ("carcinoma", "sarcoma", "blastoma")
"""The endings of such words."""
WAITING_WORDS = word_set("old chronic benign situ resolved indolent")
"""Words that take the urgency away."""
HARMLESS_WORDS = word_set("normal benign harmless physiological physiologic unremarkable")


"""Words of a study in which nothing is wrong."""
ALIASES = (
    ("choroidal neovascularization", "cnv", "choroidal neovascular membrane", "wet amd", "neovascular amd"),
    ("diabetic macular edema", "dme", "macular edema", "cystoid macular edema"),
    ("drusen", "early amd", "dry amd", "amd", "age-related macular degeneration"),
    ("covid-19", "covid", "covid19", "covid 19", "covid-19 pneumonia", "covid pneumonia"),
    ("pituitary", "pituitary tumor", "pituitary adenoma", "pituitary macroadenoma", "pituitary microadenoma",
     "pituitary mass", "pituitary lesion"),
    ("glioma", "glioblastoma", "astrocytoma"),
    ("diabetic retinopathy", "npdr", "pdr", "retinopathy"),
    ("bacterial pneumonia", "lobar pneumonia"),
)  # fmt: skip
"""Other names of diseases that are often asked about."""


PLACES = ("pituitary gland", "pituitary fossa", "pituitary stalk", "pituitary region")
"""Places of the body whose name is part of a disease\'s."""


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


class Cue(Enum):
    """What words do to the statements around them."""

    DENY = (
        "no|not|without|negative for|absence of|lack of|free of|nor|neither|rather than|instead of|as opposed to|"
        "unlike|excluding|nessun|nessuna|senza|assenza di|sin|ausencia de|sans|pas de|aucun|aucune|kein|keine|"
        "ohne|无|未见|没有"
    )
    DENY_BEFORE = (
        "ruled out|unlikely|excluded|absent|not seen|not identified|not present|not evident|not detected|"
        "not visualized|less likely|not likely|not suspected|除外"
    )
    ASIDE_BEFORE = "notexcluded|not excluded|not ruled out|待排|不能排除"
    ASIDE = (
        "rule out|exclude|cannot|could not|unable to|history of|status post|risk of|risk for|risk factor|"
        "recommend|recommended|recommendation|require|requiring|required|need|needing|needed|follow up|followup|"
        "biopsy to|biopsy for|biopsy is|biopsy recommended|biopsy needed|excision|clinical correlation|correlate|"
        "correlation|such as|if|please|consult|refer|referral|monitor|monitoring|pending|await|awaiting|"
        "confidence|rationale|reasoning|note|explanation|management|treatment|plan|evaluate|evaluation|mimic|"
        "mimicking|warrant|warranting|warranted|should|advise|advised|next step|rule|排除"
    )
    ALTERNATIVE = "versus|differential diagnosis|differential|alternatively"
    RETURN = "but|however|although|though|except for|except|otherwise|apart from|aside from|other than|yet|但"
    FIRM = (
        "consistent with|compatible with|suggestive of|suggest|suggesting|indicative of|indicate|indicating|"
        "keeping with|in keeping with|in line with|concerning for|concern for|suspicious for|suspicious of|"
        "suspicion of|suspicion for|worrisome for|characteristic of|typical of|typical for|classic for|"
        "diagnostic of|diagnostic for|diagnosis is|diagnosis of|diagnosis|impression|conclusion|represent|"
        "representing|reflect|reflecting|reveal|revealing|show|showing|demonstrate|demonstrating|confirm|"
        "confirming|due to|secondary to|caused by|related to|attributable to|in favor of|favor|favoring|point to|"
        "pointing to|compatibile con|compatible con|compatible avec|vereinbar mit|suggestivo di|sugestivo de|"
        "evocateur de|符合|提示|考虑"
    )
    LOOSE = (
        "likely|probable|probably|possible|possibly|presumably|presumed|suspected|suspect|favored|consider|"
        "considered|probabile|sospetto|vermutlich|verdacht auf|可能|疑似"
    )
    BREAK = (
        "with|and|or|plus|including|associated with|accompanied by|involving|affecting|located|in|on|at|by|from|"
        "for|over|along|within|during|which|superimposed on|complicated by|as well as|con|avec|mit|e|y|et|und|伴"
    )
    PLAIN = "in situ"


_CUES = {tuple(words(cue)): kind for kind in Cue for cue in kind.value.split("|")}
_LONGEST_CUE = max(map(len, _CUES))


def written_out(text: str) -> str:
    """A text in plain lower case with its shorthand written out, sizes left out, and a line for each point of a list.

    >>> written_out("dysplastic nevus 5 x 4 mm, r/o melanoma")
    'dysplastic nevus  , rule out melanoma'
    """
    for pattern, full in SHORTHAND:
        text = pattern.sub(full, text)
    return text


def cue_at(tokens: list[str], place: int) -> tuple[Cue | None, int]:
    """The longest cue that begins at a place and where it ends; without one, the next place."""
    for length in range(_LONGEST_CUE, 0, -1):
        if cue := _CUES.get(tuple(tokens[place : place + length])):
            return cue, place + length
    return None, place + 1
