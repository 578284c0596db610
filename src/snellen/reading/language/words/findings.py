"""Findings: the words for what an image can show, one concept whatever the language and the ending."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from snellen.runtime import regex

_SIGNS = "'()/\"[]“”.,;:!?*#-–"
_SHORTEST = 3
_MOST = 100_000
_FOLDS = (
    ("ph", "f"),
    ("y", "i"),
    ("k", "c"),
    ("h", ""),
    ("ct", "tt"),
    ("pt", "tt"),
    ("x", "ss"),
    ("ae", "e"),
    ("oe", "e"),
)
_STEM = 6

CONCEPTS = {
    "pneumothorax": "pneumothorax pneumotorace neumotórax pneumothorace neumotorax",
    "effusion": "effusion versamento derrame épanchement erguss",
    "fracture": "fracture frattura fractura fraktur bruch",
    "dislocation": "dislocation lussazione luxación luxation",
    "haemorrhage": "haemorrhage hemorrhage emorragia bleeding sanguinamento hemorragia hémorragie blutung",
    "haematoma": "haematoma hematoma ematoma hématome hämatom",
    "mass": "mass massa masse tumour tumor neoformazione raumforderung masa",
    "nodule": "nodule nodulo nódulo knoten",
    "ulcer": "ulcer ulcera úlcera ulcère ulkus",
    "consolidation": "consolidation consolidamento consolidazione addensamento consolidación konsolidierung",
    "cardiomegaly": "cardiomegaly cardiomegalia cardiomégalie kardiomegalie",
    "oedema": "oedema edema œdème ödem swelling gonfiore",
    "displaced": "displaced scomposta",
    "humerus": "humerus humeral omero omerale",
    "shaft": "shaft diaphysis diaphyseal diafisi diafisaria",
    "middle": "middle midshaft medio",
    "scalp": "scalp capelluto",
    "scar": "scarring cicatricial cicatriziale",
    "plaque": "plaque placca chiazza",
    "blister": "blister bulla bolla bullae bolle bullous ampolla bulle blase",
    "tense": "tense tesa teso",
    "papule": "papule papula papular",
    "excoriation": "excoriation escoriazione escoriata",
    "brown": "brown brownish marrone bruno brunastre",
    "rough": "rough ruvida",
    "skin": "skin cute cutanea piel peau haut",
    "crescent": "crescent semiluna falce falciforme crescentic semilunar",
    "collection": "collection raccolta",
    "dark": "darker dark scura scuro ipodensa hypodense",
    "similar": "similar isodense isodensa simili",
    "brain": "brain cerebrale cervello encefalo cerebral gehirn cerveau",
    "villi": "villi villous villare villosa",
    "flattened": "flattened flattening appiattimento appiattiti flat atrophy atrofia",
    "crypt": "crypt cripta cripte criptica",
    "lymphocyte": "lymphocyte linfociti linfocitario lymphocytic",
    "face": "face facial volto facciale",
    "fragment": "fragment frammento schistocyte schistociti schistocytes frammentati fragmented",
    "red": "erythrocyte eritrociti eritrocitaria red rosso erythema eritema eritematosa rojo rouge rötung",
    "perineal": "perineal perineale perianal perigenital",
    "detachment": "distacco detachment avulsion",
    "lateral": "lateral laterale seitlich",
    "blood": "blood ematica ematico sangue sangre sang blut",
    "shape": "shaped shape forma",
    "left": "left sinistra sinistro sinistre sinistri izquierda izquierdo gauche links linke linken",
    "right": "right destra destro destre destri derecha derecho droite droit rechts rechte rechten",
    "chest": "chest thorax torace toracico toracica tórax poitrine brustkorb",
    "lung": "lung polmone polmonare pulmonary pulmón poumon lunge",
    "heart": "heart cuore cardiac cardiaco corazón cœur herz",
    "bone": "bone osso ossa ossea osseo hueso huesos knochen",
    "head": "head testa capo cabeza tête kopf",
    "hand": "hand mano main hände",
    "finger": "finger dito dita dedo doigt",
    "limb": "limb arto arti",
    "knee": "knee ginocchio rodilla genou knie",
    "shoulder": "shoulder spalla hombro épaule schulter",
    "wrist": "wrist polso muñeca poignet handgelenk",
    "foot": "foot piede fuß pied",
    "hip": "hip anca anche cadera hanche hüfte",
    "small": "small piccolo piccola piccoli piccole pequeño pequeña petit kleine",
    "thickening": "thickening ispessimento engrosamiento épaississement verdickung",
    "tail": "tail coda",
    "enhancement": "enhancement enhancing captante captazione",
    "itch": "itching pruritus prurito pruriginose picor prurit juckreiz",
    "rash": "rash eruzione eruption erupción ausschlag éruption",
    "elevation": "elevation elevated sopraslivellamento sopraslivellato innalzamento elevazione "
    "supradesnivel elevación élévation hebung",
    "depression": "depression sottoslivellamento depressione infradesnivel depresión dépression senkung",
    "lead": "leads lead derivazione derivazioni derivación dérivation ableitung",
    "segment": "segment tratto segmento",
    "wave": "wave waves onda onde ondas welle",
    "opacity": "opacity opacities opacità opacidad opacité verschattung infiltrate infiltrato infiltrado infiltrat",
    "pneumonia": "pneumonia polmonite neumonía pneumonie lungenentzündung",
    "infarction": "infarction infarct infarto infarctus infarkt",
    "stroke": "stroke ictus schlaganfall",
    "lesion": "lesion lesione lesión läsion",
    "cyst": "cyst cisti quiste kyste zyste",
    "stone": "stone calculus calcolo cálculo calcul",
    "femur": "femur femore fémur oberschenkel",
    "neck": "neck collo cuello hals",
    "spine": "spine rachide colonna columna rachis wirbelsäule",
    "abdomen": "abdomen addome bauch",
    "liver": "liver fegato hígado foie leber hepatic epatico epatica",
    "kidney": "kidney rene reni riñón rein niere renal renale",
    "spleen": "spleen milza bazo rate milz",
    "stomach": "stomach stomaco estómago estomac magen gastric gastrico",
    "bowel": "bowel intestine intestino intestin darm intestinale",
    "eye": "eye occhio ojos auge œil",
    "retina": "retina rétine netzhaut",
    "mri": "mri irm mrt rmn magnetic magnetica magnética magnétique resonance risonanza resonancia résonance",
    "fluid": "fluid liquido líquido liquide flüssigkeit",
    "artery": "artery arteria artère arterie arterial",
    "child": "child bambino niño enfant kind",
    "pain": "pain dolore dolor douleur schmerz",
    "swelling": "tumefazione tumefaction schwellung",
    "bradycardia": "bradycardia bradicardia bradycardie bradykardie",
    "tachycardia": "tachycardia tachicardia taquicardia tachycardie tachykardie",
    "fibrillation": "fibrillation fibrillazione fibrilación vorhofflimmern",
    "enlarged": "enlarged enlargement ingrandito ingrandita aumentato agrandado élargi vergrößert",
    "dilated": "dilated dilation dilatato dilatata dilatado dilaté erweitert dilatazione dilatation",
    "collapse": "collapse collapsed collasso colapso kollaps collabito",
    "irregular": "irregular irregolare irrégulier unregelmäßig",
    "bilateral": "bilateral bilaterale bilatéral beidseitig bilaterally",
    "lower": "lower inferiore inferior inférieur untere unterlappen",
    "upper": "upper superiore superior supérieur obere oberlappen",
    "lobe": "lobe lobes lobo lobi lóbulo lappen",
    "deposit": "deposits depositi dépôts ablagerung",
}
"""Each concept with its words; what is not here stands for itself by its stem."""

COMPOUNDS = {
    "pleuraerg": "pleural effusion", "lungenentz": "pneumonia", "lungenöd": "pulmonary oedema",
    "lungenembol": "pulmonary embolism", "halsbruch": "neck fracture", "halsfraktur": "neck fracture",
    "oberschenkel": "femur", "oberarm": "humerus", "unterarm": "forearm", "rippenfra": "rib fracture",
    "rippenbr": "rib fracture", "wirbelk": "vertebral", "schädelfra": "skull fracture", "hirnblut": "brain haemorrhage",
    "herzinfarkt": "heart infarction", "herzvergr": "heart enlarged", "vorhofflimm": "atrial fibrillation",
    "st-hebung": "elevation segment", "gallenstein": "gallbladder stone", "nierenstein": "kidney stone",
    "hautausschlag": "skin rash", "handgelenk": "wrist", "schlüsselbein": "clavicle", "kniegelenk": "knee",
    "胸腔积液": "pleural effusion", "气胸": "pneumothorax", "骨折": "fracture", "肺炎": "pneumonia", "左": "left",
    "右": "right", "肿块": "mass", "结节": "nodule", "出血": "haemorrhage", "血肿": "haematoma", "心脏": "heart",
    "增大": "enlarged", "实变": "consolidation", "水肿": "oedema", "梗死": "infarction", "脱位": "dislocation",
    "溃疡": "ulcer", "肺": "lung", "脑": "brain", "肝": "liver", "肾": "kidney", "胸": "chest", "抬高": "elevation",
    "皮疹": "skin rash", "水疱": "blister",
}  # fmt: skip
"""German compounds by how they begin and Chinese words, which no space sets apart, in English."""


def spelt_out(text: str) -> str:
    """The English words for the compounds and Chinese words of a text in lower case.

    >>> spelt_out("ein pleuraerguss rechts")
    'pleural effusion'
    """
    return " ".join(words for written, words in COMPOUNDS.items() if written in text)


FINDINGS = {
    "pneumothorax": r"pneumothorax|pneumotorace|neumotórax|气胸",
    "effusion": r"pleural effusion|versamento pleurico|derrame pleural|épanchement pleural|pleuraerguss|胸腔积液",
    "fracture": r"fractur\w+|frattur[ae]|fraktur|骨折",
    "haematoma": r"ha?ematoma|ematoma|hématome|hämatom|血肿",
    "haemorrhage": r"intraparenchymal ha?emorrhage|emorragia (?:intra)?parenchimale",
    "consolidation": r"consolidation|consolidamento|addensamento|实变",
    "dislocation": r"dislocation|lussazione",
    "cardiomegaly": r"cardiomegal\w+",
}
"""Findings of which two responses may say different things."""
SIDES = {"left": r"\bleft\b|\bsinistr[aoei]\b|左", "right": r"\bright\b|\bdestr[aoei]\b|右"}
"""The sides of the body."""
NOT_A_SIDE = regex(
    r"(?:(?:to|toward|towards|verso)(?: the| il lato| la)? |)(?:left|right|destr[aoei]|sinistr[aoei])(?: side|"
    r" half)? "
    r"(?:of|dell)\W{0,2}(?:the )?(?:image|immagine)|(?:lato|side|parte) (?:destr[ao]|sinistr[ao]) dell'immagine|"
    r"\b(?:to|towards?|verso) (?:the |il lato )?(?:left|right|destra|sinistra|destro|sinistro)\b|"
    r"\bleft anterior descending|discendente anteriore sinistra|"
    r"\b(?:left|right) (?:ventric|atri|bundle|heart|coronary|main|axis|dominan)\w*|"
    r"\b(?:ventricol\w+|atri\w*|coronaria|branca|cuore|strain|emiblocco) (?:destr|sinistr)\w+"
)
"""Words for a side that say nothing of where a finding is."""
NONE_OF = (
    r"(?:^|[^\w])(?:no|nessun[oa]?|assenza di|absence of|non (?:ci sono|vi (?:è|sono)|c'è|sono presenti|è presente|"
    r"si \w+)|未见|无)"
    r"[ ']{0,2}(?:(?:evidence of|evidenze? di|signs? of|segni (?:evidenti )?di|any|un[oa]?|visible|"
    r"evident[ei]?)[ ']){0,3}"
)
"""What stands before a finding that is not there at all."""
PLACE_FOLLOWS = r"(?![^,.;]{0,40}\b(?:in|on|at|of the|nell\w*|nel|a|del\w*|sul\w*|significant\w*)\b)"
"""That no place narrows it."""
UNSURE = regex(r"possib|suspect|sospett|rather than|piuttosto|exclud|esclud|rul(?:es?|ing) out|\bvs\b|\bor\b|\bo\b")
"""Words that leave a finding open, or compare it."""
ELEVATION = regex(
    r"(?:st[- ]?(?:segment)? ?elevat\w+|elevat\w+ (?:of|in) (?:the )?st|sopraslivell\w+(?: (?:del|dello) (?:tratto|"
    r"segmento))?(?: st)?|"
    r"st sopraslivellat\w+|elevazion\w+ (?:del )?(?:tratto )?st|st-elevazione)"
    r"((?:(?!reciproc|depress|sottosl|\bma\b|\bbut\b|\bnon\b|\bno\b|\bwithout\b|\bsenza\b|\bq\b)[^.;]){0,110})"
)
"""An ST elevation, with what names its leads."""
LEADS = regex(r"\bv([1-6])(?: ?[-–‑] ?v?([1-6]))?\b|\b(iii|ii|avf|avl)\b|\b(inferior|precordial)\w*")
"""Leads of an electrocardiogram."""
PLANES = {
    "sagittal": r"\bsagittal\w*|矢状",
    "axial": r"\b(?:axial\w*|assial[ei]|transverse)\b|轴位",
    "coronal": r"\bcoronal\w*|冠状",
}
"""The planes of a scan."""
WEIGHTED = regex(r"\b(?:immagine|image|figura|figure) ([ab])\b")
"""An image with a letter."""
SHAPES = {
    "lens": r"biconvex|biconvess|lenticol|lenticular|lentiform|lens-shaped",
    "crescent": r"crescent|semiluna|\bfalc|mezzaluna",
}
"""The shapes of a bleeding."""
RHYTHMS = {
    "irregular": r"irregolarmente irregolar|irregularly irregular|ritmo (?:\w+ )?irregolare|irregular rhythm",
    "regular": r"\bregular rhythm|rhythm is regular|ritmo (?:sinusale )?(?:è )?regolare",
}
"""The rhythms of a heart."""
COUNTED = regex(
    r"\b(two|three|four|five|six|due|tre|quattro|cinque|sei|\d{1,2})\s(?:\w+\s){0,2}?(nodul|electrode|elettrod|cyst|"
    r"cisti|calcul|stone)"
)
"""How many there are of what can be counted."""
NUMBERS = {"due": "two", "tre": "three", "quattro": "four", "cinque": "five", "sei": "six"}
"""Numbers in one language."""
ANYTHING = regex(
    "|".join([*FINDINGS.values(), *PLANES.values(), *SHAPES.values(), *RHYTHMS.values()])
    + r"|\bst\b|\bst-|elevat|sopraslivell|\bt[12]\b|nodul|electrode|elettrod|cyst|cisti|calcul|stone"
)
"""A claim without any of this says nothing that a rule here knows."""


def folded(word: str) -> str:
    """A word in the spelling that Latin and Greek roots share across languages.

    >>> folded("hyperkeratotic")[:6] == folded("ipercheratosiche")[:6]
    True
    """
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(sign))
    for old, new in _FOLDS:
        bare = bare.replace(old, new)
    return re.sub(r"(.)\1", r"\1", bare)


_BY_WORD = {folded(word): name for name, words in CONCEPTS.items() for word in words.split()}
_BY_STEM = {word[:_STEM]: name for word, name in reversed(_BY_WORD.items())}
"""The first concept of a stem counts where several share it, as pneumothorax and pneumonia do."""


def concept(word: str) -> str:
    """The concept a word stands for, or its stem.

    >>> concept("pneumonia"), concept("pneumothoraces"), concept("tibial")
    ('pneumonia', 'pneumothorax', 'tibial')
    """
    whole = folded(word)
    stem = whole[:_STEM]
    return _BY_WORD.get(whole) or _BY_STEM.get(stem, stem)


_EMPTY_WORDS = """
    the this that and with for are was can una uno del della delle degli dei dal dalla nel nella nelle che con per non
    sono come più anche nell dell all alla sul sulla shows show showing demonstrates appears appear appare visible
    visibile visibili seen observed image images immagine immagini picture figura figure radiografia radiografica
    radiograph radiographic radiologica xray scan tracciato ecg ekg elettrocardiogramma mostra mostrano mostrata
    evidenzia osserva osservano osservare possono seguenti following features feature caratteristiche caratteristica
    findings finding reperti reperto segni segno signs sign key chiave consistent compatibile compatibili typical
    tipico tipica tipiche tipici classic classico clear clearly chiaramente chiari evident evidente presence presenza
    depict depicts depicted displays reveals contains
    there here qui quadro pattern analysis analisi analyzing analizzando examining looking provided fornita shown two
    due has have its from which what paziente patient medical exam esame reasoning descritta confirms conferma questi
    these area areas aree region regione zona lesion lesions lesione lesioni multiple multipli involvement involving
    coinvolgimento structure strutture aspect aspetto appearance base characteristic caratteristico well ben defined
    definita including inclusi close surface superficie described descrizione description increase aumento incremento
    identify tracing localizzazione location located livello level sede density densità condition
    condizione condizioni stato body corpo radiology study imaging technique diagnostic tool photo
    photograph given attached actually type kind option opzione choose would fits best see corrisponde
    based information some any your
"""
_EMPTY = frozenset(concept(word) for word in _EMPTY_WORDS.split())


class _Names(dict[str, str]):
    """What each word met so far names, if anything; forgotten when there are too many."""

    def __missing__(self, word: str) -> str:
        name = concept(word) if len(word) >= _SHORTEST or word.isdigit() else ""
        if len(self) > _MOST:
            self.clear()
        self[word] = name = "" if name in _EMPTY else name
        return name


_NAMES = _Names()


def concepts(words: Iterable[str]) -> set[str]:
    """What words in lower case, without signs but for hyphens, name."""
    return {name for word in words for part in word.split("-") if (name := _NAMES[part])}


def content(text: str) -> set[str]:
    """What a text in lower case names: the concepts of its words of three letters or more, and its numbers."""
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    names = set(map(_NAMES.__getitem__, text.split()))
    names.discard("")
    return names
