"""Signs: the words for what a image can show, one concept whatever the language and the ending."""

from __future__ import annotations

import re
import unicodedata

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
    "pneumothorax": "pneumothorax pneumotorace neumotórax pneumothorace",
    "effusion": "effusion versamento derrame épanchement erguss",
    "fracture": "fracture frattura fractura fraktur bruch",
    "dislocation": "dislocation lussazione luxación luxation",
    "haemorrhage": "haemorrhage hemorrhage emorragia bleeding sanguinamento hemorragia hémorragie blutung",
    "haematoma": "haematoma hematoma ematoma hématome hämatom",
    "mass": "mass massa masse tumour tumor neoformazione raumforderung",
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
    "blister": "blister bulla bolla bullae bolle bullous",
    "tense": "tense tesa teso",
    "papule": "papule papula papular",
    "excoriation": "excoriation escoriazione escoriata",
    "brown": "brown brownish marrone bruno brunastre",
    "rough": "rough ruvida",
    "skin": "skin cute cutanea",
    "crescent": "crescent semiluna falce falciforme crescentic semilunar",
    "collection": "collection raccolta",
    "dark": "darker dark scura scuro ipodensa hypodense",
    "similar": "similar isodense isodensa simili",
    "brain": "brain cerebrale cervello encefalo cerebral",
    "villi": "villi villous villare villosa",
    "flattened": "flattened flattening appiattimento appiattiti flat atrophy atrofia",
    "crypt": "crypt cripta cripte criptica",
    "lymphocyte": "lymphocyte linfociti linfocitario lymphocytic",
    "face": "face facial volto facciale",
    "fragment": "fragment frammento schistocyte schistociti schistocytes frammentati fragmented",
    "red": "erythrocyte eritrociti eritrocitaria red rosso erythema eritema eritematosa",
    "perineal": "perineal perineale perianal perigenital",
    "detachment": "distacco detachment avulsion",
    "lateral": "lateral laterale",
    "blood": "blood ematica ematico sangue",
    "shape": "shaped shape forma",
    "left": "left sinistra sinistro sinistre sinistri",
    "right": "right destra destro destre destri",
    "chest": "chest thorax torace toracico toracica",
    "lung": "lung polmone polmonare pulmonary",
    "heart": "heart cuore cardiac cardiaco",
    "bone": "bone osso ossea osseo",
    "head": "head testa capo",
    "hand": "hand mano",
    "finger": "finger dito dita",
    "limb": "limb arto arti",
    "knee": "knee ginocchio",
    "shoulder": "shoulder spalla",
    "wrist": "wrist polso",
    "foot": "foot piede",
    "hip": "hip anca anche",
    "small": "small piccolo piccola piccoli piccole",
    "thickening": "thickening ispessimento",
    "tail": "tail coda",
    "enhancement": "enhancement enhancing captante captazione",
    "itch": "itching pruritus prurito pruriginose",
    "rash": "rash eruzione eruption",
    "deposit": "deposits depositi",
}
"""Each concept with its words; what is not here stands for itself by its stem."""


def folded(word: str) -> str:
    """A word in the spelling that Latin and Greek roots share across languages.

    >>> folded("hyperkeratotic")[:6] == folded("ipercheratosiche")[:6]
    True
    """
    bare = "".join(sign for sign in unicodedata.normalize("NFD", word.lower()) if not unicodedata.combining(sign))
    for old, new in _FOLDS:
        bare = bare.replace(old, new)
    return re.sub(r"(.)\1", r"\1", bare)


_BY_STEM = {folded(word)[:_STEM]: name for name, words in CONCEPTS.items() for word in words.split()}


def concept(word: str) -> str:
    """The concept a word stands for, or its stem."""
    stem = folded(word)[:_STEM]
    return _BY_STEM.get(stem, stem)


_EMPTY_WORDS = """
    the this that and with for are was can una uno del della delle degli dei dal dalla nel nella nelle che con per non
    sono come più anche nell dell all alla sul sulla shows show showing demonstrates appears appear appare visible
    visibile visibili seen observed image images immagine immagini picture figura figure radiografia radiografica
    radiograph radiographic radiologica xray scan tracciato ecg ekg elettrocardiogramma mostra mostrano mostrata
    evidenzia osserva osservano osservare possono seguenti following features feature caratteristiche caratteristica
    findings finding reperti reperto segni segno signs sign key chiave consistent compatibile compatibili typical
    tipico tipica tipiche tipici classic classico clear clearly chiaramente chiari evident evidente presence presenza
    there here qui quadro pattern analysis analisi analyzing analizzando examining looking provided fornita shown two
    due has have its from which what paziente patient medical exam esame reasoning descritta confirms conferma questi
    these area areas aree region regione zona lesion lesions lesione lesioni multiple multipli involvement involving
    coinvolgimento structure strutture aspect aspetto appearance base characteristic caratteristico well ben defined
    definita including inclusi close surface superficie described descrizione description increase aumento incremento
    identify tracing localizzazione location located livello level sede density densità condition
    condizione condizioni stato body corpo option opzione choose would fits best see corrisponde
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


def content(text: str) -> set[str]:
    """What a text in lower case names: the concepts of its words of three letters or more, and its numbers."""
    for sign in _SIGNS:
        text = text.replace(sign, " ")
    return {name for word in text.split() if (name := _NAMES[word])}
