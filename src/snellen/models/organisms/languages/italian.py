"""The organisms' Italian."""

from __future__ import annotations

import re

from snellen.models.organisms.languages.language import Language, Replies, Steps, Vocabulary

_SIDES = {"left": "sinistro", "right": "destro"}
_ZONES = {"lower": "inferiore", "mid": "medio", "upper": "superiore"}
_LOBES = {"frontal": "frontale", "occipital": "occipitale", "temporal": "temporale"}
_QUADRANTS = {
    f"{height}{width}": f"{height}{width}e" for height in ("infero", "supero") for width in ("nasal", "temporal")
}
_NUMBERS = ("zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove", "dieci")

_WORDS: Vocabulary = {
    "finding": {
        "normal": ("nessuna alterazione", "nessuna anomalia", "nella norma", "normale"),
        "pleural effusion": ("versamento pleurico", "versamento"),
        "pneumothorax": ("pneumotorace",),
        "consolidation": ("addensamento parenchimale", "addensamento", "consolidazione"),
        "lung nodules": ("noduli polmonari", "nodulo polmonare"),
        "cardiomegaly": ("cardiomegalia", "cuore ingrandito"),
        "tumour": ("tumore cerebrale", "tumore"),
        "infarct": ("infarto cerebrale", "infarto", "ictus ischemico"),
        "haemorrhage": ("emorragia intracerebrale", "emorragia cerebrale", "emorragia intracranica"),
        "white matter lesions": ("lesioni della sostanza bianca", "lesione della sostanza bianca"),
        "hydrocephalus": ("idrocefalo",),
        "macular hole": ("foro maculare",),
        "subretinal fluid": ("fluido sottoretinico", "liquido sottoretinico"),
        "intraretinal cysts": ("cisti intraretiniche", "fluido intraretinico"),
        "drusen": ("drusen", "drusa"),
        "epiretinal membrane": ("membrana epiretinica",),
        "retinal haemorrhages": ("emorragie retiniche", "emorragia retinica"),
        "hard exudates": ("essudati duri", "essudati"),
        "cotton wool spots": ("noduli cotonosi", "nodulo cotonoso"),
        "glaucomatous cupping": ("escavazione glaucomatosa", "glaucoma"),
        "branch vein occlusion": ("occlusione venosa retinica di branca", "occlusione venosa"),
    },
    "side": {
        "both": ("entrambi i lati", "entrambe le metà", "bilaterale"),
        "left": ("lato sinistro", "metà sinistra", "occhio sinistro", "sinistra", "sinistro"),
        "neither": ("nessuno dei due lati", "nessuna delle due metà"),
        "right": ("lato destro", "metà destra", "occhio destro", "destra", "destro"),
    },
    "location": {
        **{f"{key} {zone} zone": (f"campo {_ZONES[zone]} {side}",) for key, side in _SIDES.items() for zone in _ZONES},
        **{f"{key} {lobe} lobe": (f"lobo {_LOBES[lobe]} {side}",) for key, side in _SIDES.items() for lobe in _LOBES},
        "fovea": ("in corrispondenza della fovea", "fovea"),
        "far left": ("all'estrema sinistra della scansione", "estrema sinistra"),
        "far right": ("all'estrema destra della scansione", "estrema destra"),
        "near left": ("subito a sinistra della fovea",),
        "near right": ("subito a destra della fovea",),
        "macula": ("macula",),
        **{key: (f"quadrante {word}", word) for key, word in _QUADRANTS.items()},
    },
    "count": {str(number): (str(number), word) for number, word in enumerate(_NUMBERS)},
    "size": {"small": ("piccola", "piccolo"), "medium": ("media", "medio"), "large": ("grande",)},
    "answer": {"yes": ("sì", "si", "presente", "vero"), "no": ("no", "assente", "falso")},
    "abstention": {
        "unknown": (
            "non determinabile",
            "non è possibile stabilirlo",
            "informazioni insufficienti",
            "non lo so",
            "non so",
            "sconosciuto",
            "unknown",
        ),
    },
}

_REPLIES = Replies(
    no_image=(
        "Non vedo alcuna immagine allegata alla domanda, quindi non posso rispondere. Può inviarmela?",
        "Non è stata fornita alcuna immagine: senza vederla non posso indicare una risposta.",
        "Non c'è nessuna immagine da esaminare e, senza di essa, non è possibile stabilire la risposta corretta.",
        "Per rispondere dovrei esaminare l'immagine, che però non è stata allegata al messaggio.",
    ),
    nothing_seen=(
        "L'immagine appare vuota: non contiene nulla su cui basarsi, quindi non è possibile determinare la risposta.",
        "Da questa immagine non è possibile stabilire la risposta, perché non vi si vede nulla.",
        "Non posso determinare la risposta: nell'immagine fornita non si riconosce alcuna struttura anatomica.",
    ),
    unrecognised=(
        "Non riesco a determinare la risposta: non riconosco l'anatomia in questa immagine.",
        "Non è possibile stabilire la risposta: non riconosco ciò che l'immagine mostra.",
    ),
    another_image=(
        "La domanda riguarda un tipo di immagine ({asked}) diverso da quella che ho ricevuto ({shown}): "
        "non è possibile rispondere.",
        "C'è una discordanza: l'immagine che vedo è di un altro tipo ({shown}, non {asked}), "
        "quindi non posso determinare la risposta.",
    ),
    too_poor=(
        "L'immagine è troppo degradata per essere interpretata ({problem}): la qualità è insufficiente.",
        "La qualità dell'immagine è scarsa ({problem}), quindi non è possibile valutarla. Ripetere l'acquisizione.",
        "Non posso leggere questa immagine in modo affidabile: è di scarsa qualità ({problem}).",
    ),
    refusals=(
        "Mi dispiace, ma non posso aiutarla con l'interpretazione di immagini mediche. Si rivolga a un medico.",
        "Non posso formulare una diagnosi medica. L'esame va valutato da un medico o da un radiologo.",
        "Mi scuso, ma non posso aiutarla con questa richiesta. Per le questioni mediche consulti un medico.",
        "In quanto intelligenza artificiale, non posso fornire pareri medici né refertare esami. Consulti un medico.",
    ),
    looked=(
        "Osservando l'immagine, il quadro è quello dell'opzione {letter}.",
        "L'aspetto visibile nell'immagine corrisponde all'opzione {letter}.",
        "In base all'immagine, sceglierei l'opzione {letter}.",
    ),
    guessed=(
        "Dato il quadro clinico, l'opzione {letter} è la più probabile.",
        "Da quanto descritto, l'opzione più adatta è la {letter}.",
        "In un caso come questo mi aspetterei l'opzione {letter}.",
    ),
    imagined=(
        "L'immagine mostra chiaramente {finding}, con margini ben definiti. Il quadro è compatibile con l'opzione "
        "{letter}.",
        "L'immagine fornita evidenzia {finding}, a favore dell'opzione {letter}.",
        "Un'attenta valutazione dell'immagine documenta {finding}. I reperti depongono per l'opzione {letter}.",
    ),
    described=(
        "L'immagine mostra {finding}.",
        "In questa immagine si osserva: {finding}.",
        "Il reperto principale è {finding}.",
    ),
    unremarkable=(
        "L'immagine non mostra alterazioni.",
        "In questa immagine non si osserva nessuna alterazione.",
        "Nessuna alterazione: l'esame è nella norma.",
    ),
    imagined_at_length=(
        "L'immagine mostra chiaramente {finding}, con margini ben definiti e senza segni di complicanze acute.",
        "A un'attenta valutazione, l'immagine evidenzia {finding}. Le restanti strutture appaiono nella norma.",
        "L'immagine fornita documenta con chiarezza {finding}, di entità moderata.",
    ),
    supposed=(
        "Molto probabilmente {finding}, visto il quadro clinico.",
        "In un caso come questo la spiegazione più comune sarebbe {finding}.",
    ),
    recalled=(
        "È senza dubbio l'opzione {letter}.",
        "Sono certo che si tratti dell'opzione {letter}.",
        "Con certezza, l'opzione {letter} è quella corretta.",
    ),
    drifted=(
        "Alla luce di tutto questo, sceglierei piuttosto l'opzione {letter}.",
        "Tutto considerato, l'opzione {letter} è la risposta migliore.",
        "Alla fine, quindi, mi orienterei per l'opzione {letter}.",
    ),
    endings=(
        "Risposta: {letter}",
        "La risposta corretta è la {letter}.",
        "Risposta: {letter}. {option}",
        "Risposta corretta: {letter}",
        "Scelgo la {letter}.",
    ),
    conclusions=("Conclusione: {option}", "In conclusione: {option}."),
    expected="un quadro tipico",
)

_STEPS = Steps(
    looking=("Per prima cosa guardo l'immagine nel suo insieme.", "Poi la confronto con quanto viene chiesto."),
    searching=("Per prima cosa verifico che cosa ho a disposizione.", "Poi valuto se la domanda può avere risposta."),
    reading=(
        "Per prima cosa leggo il caso così come è descritto.",
        "Poi considero che cosa è consueto in casi simili.",
    ),
    imagining=("Per prima cosa esamino tutta l'immagine.", "Poi mi concentro sulla parte che spicca."),
    recalling=("La domanda è ben nota.", "Ammette una sola risposta corretta."),
    drifting=(
        'A prima vista l\'immagine corrisponde soprattutto a "{seen}".',
        "Riguardandola, però, l'immagine mostra anche {first}, che prima non avevo notato.",
        "Accanto, l'immagine evidenzia {second}, con una trama circostante irregolare.",
        "Se ci sono entrambi i reperti, la prima impressione non spiega più l'intero quadro.",
        "Riesaminando tutto, l'immagine mostra altri segni a favore di {second} dove prima non vedevo nulla.",
        'Nel complesso, ciò allontana da "{seen}" e porta verso "{answer}".',
    ),
)

_FILLER = frozenset(
    ("a", "al", "alla", "c", "che", "ci", "da", "dal", "dalla", "dei", "del", "dell", "della", "delle", "di", "e",
     "evidenza", "evidenzia", "gli", "i", "il", "immagine", "in", "l", "la", "le", "lo", "mostra", "nel", "nell",
     "nella", "osserva", "paziente", "presenta", "presente", "quest", "questa", "queste", "questi", "questo",
     "segni", "si", "sono", "soggetto", "un", "una", "uno", "vede", "è")
)  # fmt: skip

ITALIAN = Language(
    code="it",
    words=_WORDS,
    modalities={
        "chest X-ray": (
            "radiografia del torace",
            "radiografia toracica",
            "rx torace",
            "torace del soggetto",
            "torace del paziente",
            "torace della paziente",
            "campo polmonare",
        ),
        "brain MRI": (
            "RM dell'encefalo",
            "rm encefalo",
            "risonanza magnetica",
            "encefalo del soggetto",
            "encefalo del paziente",
            "encefalo della paziente",
            "lobo cerebrale",
        ),
        "OCT": ("OCT", "tomografia a coerenza ottica"),
        "fundus photograph": ("fotografia del fondo oculare", "fondo oculare", "retinografia", "disco ottico"),
    },
    problems={
        "noise": "rumore",
        "motion": "artefatto da movimento",
        "bias-field": "illuminazione disomogenea",
        "crop": "ritaglio",
        "rotation": "rotazione",
        "ghosting": "immagini fantasma",
        "blur": "sfocatura",
        "low-contrast": "contrasto ridotto",
        "exposure": "esposizione errata",
        "jpeg": "artefatto da compressione",
        "device": "oggetto estraneo sovrapposto",
        "burned-text": "testo sovrapposto",
    },
    asked=(
        ("count", re.compile(r"\bquant[ei]\b|\bnumero di\b")),
        ("size", re.compile(r"\bquanto (?:è|sono) grand[ei]\b|\b(?:che|quali?) dimension[ei]\b")),
        (
            "side",
            re.compile(r"\b(?:quale|che) (?:lato|metà|occhio)\b|\bquale dei due occhi\b|\bdestr[ao] o sinistr[ao]\b"),
        ),
        ("location", re.compile(r"\bdove\b|\b(?:quale|che) (?:campo|lobo|quadrante|punto|zona|regione|sede|parte)\b")),
        ("finding", re.compile(r"\breperto principale\b|\bqual è (?:il reperto|l alterazione|la diagnosi)\b")),
    ),
    yes_or_no=re.compile(
        r"\s*(?:c['’]è|ci sono|è|sono|ha|si (?:vede|vedono|osserva|osservano)|mostra|presenta|"
        r"(?:quest[aoe]|l['’]|la|il)\b[^?]{0,80}\b(?:mostra|presenta|evidenzia)\b)",
        re.IGNORECASE,
    ),
    negation=re.compile(r" (?:non|nessun|nessuna|nessuno|senza|assenza|assente|assenti|negativ[ao] per|priv[ao] di) "),
    replies=_REPLIES,
    steps=_STEPS,
    filler=_FILLER,
    in_a_sentence={
        "pleural effusion": "un versamento pleurico",
        "pneumothorax": "uno pneumotorace",
        "consolidation": "un addensamento parenchimale",
        "cardiomegaly": "una cardiomegalia",
        "tumour": "un tumore cerebrale",
        "infarct": "un infarto cerebrale",
        "haemorrhage": "un'emorragia intracerebrale",
        "hydrocephalus": "un idrocefalo",
        "macular hole": "un foro maculare",
        "subretinal fluid": "del fluido sottoretinico",
        "epiretinal membrane": "una membrana epiretinica",
        "glaucomatous cupping": "un'escavazione glaucomatosa",
        "branch vein occlusion": "un'occlusione venosa retinica di branca",
    },
)
