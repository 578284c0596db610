"""The words of seeing and of supposing, each with the parts it can play in a sentence."""

from __future__ import annotations

PICTURE = 1 << 0
"""The image, or the examination that made it."""
PICTURED = 1 << 1
"""The image as such."""
LEAD = 1 << 2
"""A lead of an electrocardiogram."""
KIND = 1 << 3
"""A word that can as well stand for a kind of image or case."""
SHOW = 1 << 4
"""What a image does."""
FIT = 1 << 5
"""What a image is, after `BE`: consistent with, typical of."""
BE = 1 << 6
SEE = 1 << 7
"""What someone does, after `SEER`."""
SEER = 1 << 8
EASILY = 1 << 9
"""What may stand between one who sees and the seeing."""
VISIBLE = 1 << 10
"""Seen, if a place follows or `BE` stands before."""
SEEN = 1 << 11
"""Seen, after `BE`."""
PLAIN = 1 << 12
"""Seen, wherever it stands."""
WITHIN = 1 << 13
THE = 1 << 14
HERE = 1 << 15
"""After an examination: the one shown here."""
FRAME = 1 << 16
"""After "in": still this image."""
CONTINUE = 1 << 17
"""How a description goes on once the image was looked at."""
OPENING = 1 << 18
"""The same, as the first word."""
PRESENT = 1 << 19
"""The same, after `BE`."""
NOT = 1 << 20
THERE = 1 << 21
"""After a negation: something is not there."""
HAVE = 1 << 22
"""The same, where the negation opens the sentence."""
GENERAL = 1 << 23
"""Marks of general knowledge, of what would be seen, of the question told again."""
BLOCK = 1 << 24
"""Between a image and its verb: no longer this image."""
ELSEWHERE = 1 << 25
"""Before a image: only the place where some disease would show, or any image of its kind."""
ANY = 1 << 26
THAT = 1 << 27
AS = 1 << 28
TO = 1 << 29
CLAUSE = 1 << 30
STOP = 1 << 31
COLON = 1 << 32
OPEN = 1 << 33
CLOSE = 1 << 34
LABEL = 1 << 35
"""The end of an option's letter or of a bullet's sign."""
INFER = 1 << 36
"""What a image does to a diagnosis: a conclusion, not a finding."""
OUTRIGHT = 1 << 37
"""Of what a image is: the words after it are what is seen."""
WELL = 1 << 38
"""Before `VISIBLE`: how well something shows, which is said of any image."""
AT = 1 << 39
"""After `VISIBLE` and before an examination: the kind of image that shows such things."""
WITH = 1 << 40
BARE = 1 << 41
"""Within what has no article."""

_WORDS: dict[int, str] = {
    PICTURE | PICTURED: """
        immagine immagini figura figure fotografia foto image images photograph photo photos screenshot picture
        pictures tabella table imagen imágenes bild bilder abbildung aufnahme""",
    PICTURE: """
        radiografia radiografie radiogramma rx tracciato tracciati traccia elettrocardiogramma tc tac angiotc angio-tc
        rm rmn risonanza ecografia striscio vetrino proiezione proiezioni spirometria esofagogramma esofagografia
        scintigrafia mammografia dermatoscopia freccia frecce ecg ekg x-ray x-rays xray radiograph radiographs scan
        scans ct mri electrocardiogram tracing strip ultrasound echocardiogram smear slide oct angiogram mammogram
        fundus esophagography esophagogram spirometry arrow arrows leads derivazione derivazioni radiografía
        tomografía resonancia electrocardiograma ecografía cliché radiographie scanner irm tracé röntgenbild
        röntgenaufnahme mrt""",
    PICTURE | KIND: """
        radiologici radiologico radiologica radiologiche radiografici radiografico radiografica elettrocardiografico
        elettrocardiografici endoscopico endoscopici endoscopica dermatoscopici spirometrico radiographic radiological
        endoscopic dermoscopic fundoscopic endoscopia artroscopia
        endoscopy arthroscopy imaging""",
    LEAD: """
        ii iii v1 v2 v3 v4 v5 v6 avf avl avr v1-v2 v1-v3 v1-v4 v1-v5 v1-v6 v2-v3 v2-v4 v2-v5 v2-v6 v3-v6 v4-v6 v5-v6""",
    SHOW: """
        mostra mostrano mostrando evidenzia evidenziano dimostra dimostrano rivela rivelano presenta presentano
        documenta documentano descrive descrivono appare appaiono mette mettono show shows showing demonstrates
        demonstrate demonstrating reveals reveal displays depicts exhibits appears appear muestra
        muestran revela revelan evidencia evidencian montre montrent révèle révèlent zeigt zeigen""",
    SHOW | INFER: """
        indica indicano suggerisce suggeriscono conferma confermano punta puntano orienta orientano indicates indicate
        suggests suggest confirms confirm points""",
    FIT: """
        compatibile compatibili coerente coerenti suggestivo suggestiva suggestivi indicativo indicativa consistent
        compatible suggestive diagnostic indicative corrisponde corrispondono corresponds""",
    FIT | OUTRIGHT: "caratterizzato caratterizzata characterized characterised",
    FIT | KIND: "tipico tipica tipici tipiche typical classic",
    BE: "è sono is are sia be ist sind",
    SEE: """
        osserva osservano osservare nota notano notare vede vedono vedere evidenzia evidenziano evidenziare apprezza
        apprezzano apprezzare rileva rilevano rilevare riscontra riscontrano riconosce riconoscono identifica
        identificano visualizza visualizzano see observe identify note notice appreciate spot
        observa observan aprecia aprecian ve ven visualizan voit man erkennt sieht""",
    SEER: "si i we on se man sieht erkennt",
    VISIBLE: "visibile visibili visible",
    PLAIN: "sichtbar erkennbar",
    SEEN: "seen observed noted appreciated visualized visualised identified evidente evidenti",
    EASILY: "chiaramente clearly also anche può possono can",
    EASILY | WELL: "ben bene facilmente easily",
    WELL: "meglio meno più better well less more best particolarmente particularly",
    AT: "all alla allo al on at con by with",
    WITH: "con with",
    BARE: "in",
    WITHIN: """
        nell nella nelle in on at dall dalla nei nel sul sulla sull su a from en dans im auf throughout across
        within lungo""",
    THE: "the this both questa quest la der dem questo",
    CONTINUE: "there appare appaiono appears appear",
    OPENING: "assenza presenza absence presence loss perdita no nessun nessuna nessuno",
    THERE: "ci vi c",
    HAVE: "ha hanno",
    AS: "come as",
    TO: "to",
    PRESENT: "presente presenti present",
    NOT: """
        non no not nessun nessuna nessuno senza without assenza assente assenti absent absence lack lacks none neither
        kein keine keinen nicht sin pas aucun aucune ausencia né t""",
    GENERAL: """
        tipicamente typically classically classicamente characteristically usually often spesso solito solitamente
        generalmente generally genere normalmente normally commonly would wouldn could might may should può possono
        probabilmente probably presumibilmente presumably verosimilmente atteso attesi expected typischerweise meist
        würde würden típicamente suele podría typiquement souvent devrait pourrait ricordare remember convenzione
        convention aspetta aspettano if se whether qualora quando when wenn domanda question chiede asks identify
        consider evaluate valutare cercare likely dovrebbe potrebbe best infection infezione indicated indicato
        indicata role history fever febbre dove where radiologicamente radiograficamente istologicamente clinicamente
        radiologically radiographically histologically clinically microscopically implicita implicito implied implicit
        ipotetica hypothetical raramente rarely frequentemente frequently caratteristicamente need needs
        determine analyze analyse occorre bisogna necessario depends dipende""",
    FRAME: "finestra figura proiezione proiezioni urgenza question esame the this questo questa lead",
    THAT: "che that which",
    OPEN: "(",
    CLOSE: ")",
    BLOCK: """
        in nell nella nelle nei tipico tipica typical classic spesso often usually may might can could would should
        must può possono potrebbe dovrebbe deve probabilmente probably presumibilmente likely verosimilmente se if
        quando when atteso attesi expected tipicamente typically contesto context""",
    ELSEWHERE: """
        t1-weighted t2-weighted on alla all allo al per un una an a such altre other di of con by via mediante sul
        sulla sullo sull sua clinical with""",
    ANY: "un una an a",
    CLAUSE: ", ( ma but e and – —",
    CLAUSE | LABEL: ") -",
    STOP: ". ;",
    COLON: ":",
    HERE: "mostrata mostrato allegata allegato fornita fornito enunciato here",
}


def words_of(text: str) -> frozenset[str]:
    """The words of a text, each once."""
    return frozenset(text.split())


def _lexicon() -> dict[str, int]:
    marks: dict[str, int] = {}
    for mark, words in _WORDS.items():
        for word in words.split():
            marks[word] = marks.get(word, 0) | mark
    return marks


LEXICON = _lexicon()
"""Each word with all the parts it can play."""

SIGHTED = frozenset(word for word, mark in LEXICON.items() if mark & (PICTURE | LEAD | SEE | VISIBLE | SEEN | PLAIN))
"""Words without one of which a sentence cannot say that something is seen."""

PICTURES = frozenset(word for word, mark in LEXICON.items() if mark & PICTURED)
"""Words for the image as such."""

CONTINUING = frozenset(word for word, mark in LEXICON.items() if mark & (CONTINUE | OPENING | PRESENT | NOT))
"""Words without one of which a sentence cannot go on describing."""

GENERALLY = frozenset(word for word, mark in LEXICON.items() if mark & GENERAL)
"""Words of general knowledge and of what would be seen."""
