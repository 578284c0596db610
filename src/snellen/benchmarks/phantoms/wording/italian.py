"""The phantoms in Italian."""

from __future__ import annotations

from snellen.benchmarks.phantoms.wording.wording import Wording

# "Soggetto" is said of women and men alike, "paziente" would have to agree with the vignette.
_LEFT_IS_RIGHT = "La destra del soggetto è a sinistra nell'immagine."
_TWO_SIDES = {
    "both": "Entrambi i lati",
    "left": "Lato sinistro",
    "neither": "Nessuno dei due lati",
    "right": "Lato destro",
}


def _sizes(measure: str, low: int, high: int) -> str:
    """Sizes as shares of a length; the sizes are feminine, as "dimensione" is."""
    return (
        f"Rispetto {measure}: piccola se inferiore {_to(low)}%, media se intermedia, grande se superiore {_to(high)}%."
    )


def _to(number: int) -> str:
    return f"all'{number}" if number in (8, 11) else f"al {number}"


def _of_width(low: int, high: int) -> str:
    return _sizes("alla larghezza dell'immagine", low, high)


_OF_DISC = _sizes("al diametro del disco ottico", 35, 60)
# All four kinds of image are feminine, so that "questa" fits them all.
_SIZE = "Di che dimensione è l'alterazione visibile in questa {modality}, considerando {asked}? {rule}"

ITALIAN = Wording(
    modality={
        "cxr": "radiografia del torace",
        "mri": "RM dell'encefalo",
        "oct": "scansione OCT della retina",
        "fundus": "fotografia del fondo oculare",
    },
    option={
        "normal": "Nessuna alterazione",
        "pleural effusion": "Versamento pleurico",
        "pneumothorax": "Pneumotorace",
        "consolidation": "Addensamento parenchimale",
        "lung nodules": "Noduli polmonari",
        "cardiomegaly": "Cardiomegalia",
        "tumour": "Tumore cerebrale",
        "infarct": "Infarto cerebrale",
        "haemorrhage": "Emorragia intracerebrale",
        "white matter lesions": "Lesioni della sostanza bianca",
        "hydrocephalus": "Idrocefalo",
        "macular hole": "Foro maculare",
        "subretinal fluid": "Fluido sottoretinico",
        "intraretinal cysts": "Cisti intraretiniche",
        "drusen": "Drusen",
        "epiretinal membrane": "Membrana epiretinica",
        "retinal haemorrhages": "Emorragie retiniche",
        "hard exudates": "Essudati duri",
        "cotton-wool spots": "Noduli cotonosi",
        "glaucomatous cupping": "Escavazione glaucomatosa",
        "branch vein occlusion": "Occlusione venosa retinica di branca",
        "left lower zone": "Campo inferiore sinistro",
        "left mid zone": "Campo medio sinistro",
        "left upper zone": "Campo superiore sinistro",
        "right lower zone": "Campo inferiore destro",
        "right mid zone": "Campo medio destro",
        "right upper zone": "Campo superiore destro",
        "left frontal lobe": "Lobo frontale sinistro",
        "left occipital lobe": "Lobo occipitale sinistro",
        "left temporal lobe": "Lobo temporale sinistro",
        "right frontal lobe": "Lobo frontale destro",
        "right occipital lobe": "Lobo occipitale destro",
        "right temporal lobe": "Lobo temporale destro",
        "fovea": "In corrispondenza della fovea",
        "far left": "All'estrema sinistra della scansione",
        "far right": "All'estrema destra della scansione",
        "near left": "Subito a sinistra della fovea",
        "near right": "Subito a destra della fovea",
        "inferonasal": "Quadrante inferonasale",
        "inferotemporal": "Quadrante inferotemporale",
        "macula": "Macula",
        "superonasal": "Quadrante superonasale",
        "superotemporal": "Quadrante superotemporale",
        "small": "Piccola",
        "medium": "Media",
        "large": "Grande",
        "yes": "Sì",
        "no": "No",
    },
    shown={
        "pleural effusion": "un versamento pleurico",
        "pneumothorax": "uno pneumotorace",
        "consolidation": "un addensamento parenchimale",
        "lung nodules": "noduli polmonari",
        "cardiomegaly": "cardiomegalia",
        "tumour": "un tumore cerebrale",
        "infarct": "un infarto cerebrale",
        "haemorrhage": "un'emorragia intracerebrale",
        "white matter lesions": "lesioni della sostanza bianca",
        "hydrocephalus": "idrocefalo",
        "macular hole": "un foro maculare",
        "subretinal fluid": "fluido sottoretinico",
        "intraretinal cysts": "cisti intraretiniche",
        "drusen": "drusen",
        "epiretinal membrane": "una membrana epiretinica",
        "retinal haemorrhages": "emorragie retiniche",
        "hard exudates": "essudati duri",
        "cotton-wool spots": "noduli cotonosi",
        "glaucomatous cupping": "un'escavazione glaucomatosa",
        "branch vein occlusion": "un'occlusione venosa retinica di branca",
    },
    side={
        "cxr": _TWO_SIDES,
        "mri": _TWO_SIDES,
        "oct": {
            "both": "Entrambe le metà",
            "left": "Metà sinistra",
            "neither": "Nessuna delle due metà",
            "right": "Metà destra",
        },
        "fundus": {"left": "Occhio sinistro", "right": "Occhio destro"},
    },
    question={
        "finding": dict.fromkeys(("cxr", "mri", "oct", "fundus"), "Qual è il reperto principale in questa {modality}?"),
        "presence": dict.fromkeys(("cxr", "mri", "oct", "fundus"), "Questa {modality} mostra {shown}?"),
        "side": {
            "cxr": f"Su quale lato del torace del soggetto si trova l'alterazione, se presente? {_LEFT_IS_RIGHT}",
            "mri": f"Su quale lato dell'encefalo del soggetto si trova l'alterazione, se presente? {_LEFT_IS_RIGHT}",
            "oct": "In quale metà dell'immagine di questa scansione OCT della retina si trova l'alterazione, "
            "se presente?",
            "fundus": "Quale dei due occhi del soggetto è ripreso in questa fotografia del fondo oculare?",
        },
        "location": {
            "cxr": f"In quale campo polmonare del soggetto si trova l'alterazione? {_LEFT_IS_RIGHT}",
            "mri": f"In quale lobo cerebrale del soggetto si trova l'alterazione? {_LEFT_IS_RIGHT}",
            "oct": "In quale punto di questa scansione OCT della retina, così come appare nell'immagine, è centrata "
            "l'alterazione?",
            "fundus": "Dove si trova l'alterazione: nella macula o in quale quadrante rispetto al disco ottico?",
        },
        "count": dict.fromkeys(
            ("cxr", "mri", "oct", "fundus"), "Qual è il numero di {shown} visibili in questa {modality}?"
        ),
        "size": dict.fromkeys(("cxr", "mri", "oct", "fundus"), _SIZE),
    },
    size_asked={
        "pleural effusion": "l'altezza del versamento pleurico",
        "consolidation": "la larghezza di ciascun addensamento",
        "lung nodules": "il diametro di ciascun nodulo polmonare",
        "tumour": "il diametro del tumore cerebrale senza l'edema",
        "haemorrhage": "il diametro dell'emorragia intracerebrale",
        "white matter lesions": "il diametro di ciascuna lesione della sostanza bianca",
        "macular hole": "la larghezza del foro maculare",
        "subretinal fluid": "la larghezza della raccolta di fluido sottoretinico",
        "drusen": "la larghezza di ciascuna drusa",
        "retinal haemorrhages": "il diametro di ciascuna emorragia retinica",
        "cotton-wool spots": "il diametro di ciascun nodulo cotonoso",
    },
    size_rule={
        "pleural effusion": "Piccola se raggiunge il terzo inferiore del polmone, media se raggiunge il terzo medio, "
        "grande se raggiunge il terzo superiore.",
        "consolidation": _of_width(12, 19),
        "lung nodules": _of_width(6, 9),
        "tumour": _of_width(11, 19),
        "haemorrhage": _of_width(11, 19),
        "white matter lesions": _of_width(5, 8),
        "macular hole": _of_width(11, 19),
        "subretinal fluid": _of_width(15, 26),
        "drusen": _of_width(7, 12),
        "retinal haemorrhages": _OF_DISC,
        "cotton-wool spots": _OF_DISC,
    },
    patient=("Età {age} anni, {person}.", "Paziente {person} di {age} anni.", "Caso clinico: {person} di {age} anni."),
    sex=(("female", "donna"), ("male", "uomo")),
    complaint={
        "cxr": (
            "Dispnea da alcuni giorni.",
            "Tosse e fastidio toracico dalla settimana scorsa.",
            "Radiografia eseguita prima di un intervento programmato.",
            "Astenia e malessere generale.",
            "Controllo dopo un ricovero ospedaliero.",
            "Dolore toracico durante l'inspirazione.",
        ),
        "mri": (
            "Cefalea da due settimane.",
            "Capogiri e instabilità da ieri.",
            "Esame richiesto dopo una prima crisi epilettica.",
            "Dimenticanze riferite dai familiari.",
            "Formicolii intermittenti da alcuni mesi.",
            "Controllo di un esame precedente.",
        ),
        "oct": (
            "Visione offuscata da alcune settimane.",
            "Le linee rette appaiono ondulate.",
            "Controllo periodico della retina.",
            "La lettura è diventata difficile.",
            "Controllo a sei mesi.",
            "Una zona sbiadita al centro del campo visivo.",
        ),
        "fundus": (
            "Screening annuale per il diabete.",
            "Visione offuscata da alcune settimane.",
            "Ipertensione arteriosa da dieci anni.",
            "Esame consigliato dall'optometrista.",
            "Controllo a sei mesi.",
            "Miodesopsie dal mese scorso.",
        ),
    },
    history=(
        "",
        "Nessun precedente di rilievo in anamnesi.",
        "Nessuna terapia domiciliare.",
        "In terapia per ipertensione arteriosa.",
        "Non fuma.",
    ),
    given_away={
        "finding": "Reperto principale: {answer}.",
        "presence": "Questa {modality} {verb} {shown}.",
        "side": "Lato: {answer}.",
        "location": "Sede: {answer}.",
        "count": "Numero di {shown}: {answer}.",
        "size": "Dimensione: {answer}.",
        "shows": "mostra",
        "does not show": "non mostra",
    },
    source=(
        'Il referto in archivio riporta: "{said}"',
        'Il collega inviante scrive: "{said}"',
        'Nel diario clinico si legge: "{said}"',
        'Il primo lettore di questa immagine ha annotato: "{said}"',
        'Dalla lettera di dimissione: "{said}"',
    ),
)
