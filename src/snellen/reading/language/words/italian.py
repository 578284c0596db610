"""Italian words by what they do in a response to a question about an image."""

from __future__ import annotations

from snellen.reading.language.patterns import word_set

COMMON = word_set(
    "il lo la gli le un una di del della dell che è e non per con nel nella nell si sono da questo questa come più "
    "posso se ma l mi ha alla sul sulla"
)

ROLES = {
    "not": "non mai",
    "cannot": "impossibile impossibilitato impossibilitata incapace",
    "no": "nessun nessuna nessuno nulla niente",
    "without": "senza assenza mancanza",
    "able": "grado capace capacità possibile possibilità modo progettat* programmat*",
    "can": "oserei posso riesco possiamo riusciamo potrei poter potere puoi potresti",
    "may": "devo potrebbe potrebbero dovrebbe dovrebbero deve devono bisogna occorre conviene va vanno sarebbe "
    "sarebbero può possono saranno dovresti",
    "see": "vedere vederla vederle vederlo veder visualizzar* osservar* aprire aprirlo aprirla accesso accedere "
    "accedervi guardare guardarla guardarlo vedo visionar* percepire scorgere guardo",
    "analyse": "analizzar* interpretar* elaborar* leggere esaminar* valutar* elaboro analizzo interpreto gestire "
    "leggo refertare",
    "tell": "pronunciarsi determinar* dire dirlo stabilir* identificar* sapere confermar* rispondere risponderti "
    "dirti dirle indicare concludere distinguere riconoscere decidere precisare classificare capire affermare "
    "individuare dedurre so saprei scegliere pronunciarmi identifico riconosco esprimermi escludere",
    "get": "ricevuto ricevuta ricevo trovo trovare trova ricevuti ricevere arrivat* pervenut* mandat* spedit* comparsa",
    "given": "andato allegat* fornit* inclus* caricat* condivis* inviat* inserit* aggiunt* caricament* trasmess*",
    "visible": "visibil* visualizzabil* leggibil* vede vedono presente presenti evidente evidenti "
    "apprezza apprezzano rileva rilevano scorge "
    "scorgono intravede mostrat* raffigurat* ritratt* evidenzia evidenziano riscontra riscontrano osservano notano "
    "distinguono distingue",
    "load": "funziona compare arriva visualizza apre",
    "fail": "errore fallit* problema problemi",
    "send": "mandate carica caricar* ricaric* carichi allegare allegarla allegarlo allega alleghi riallegare incolla "
    "incollare inviarmi inviarmela inviarla inviare invia inviami invii rinviare reinvi* rispedir* mandarmi "
    "mandarmela mandami manda mandare mandi rimanda* riprova*",
    "give": "esprimere fornire fornirmi fornirla fornisci fornisca fornirmela condivider* condividi condivida dare "
    "darmi dammi aggiungere mostrarmi mostrare mostrami inserire inserisci passarmi",
    "describe": "descriv* descrizion*",
    "ask": "prova provi prego favore cortesia gentilmente perfavore cortesemente",
    "if": "se qualora purché",
    "suppose": "supponendo supponiamo ipotizzando ipotizziamo assumendo presumendo presumo suppongo immaginando "
    "ammesso ammettendo presumibilmente",
    "need": "bisognerebbe bisogno serve servirebbe servirebbero necessario necessaria necessità occorrerebbe "
    "richiede richiederebbe dovrei servono necessito",
    "want": "volentieri lieto lieta felice piacere vorrei",
    "i": "io mi me ho avrei",
    "we": "noi",
    "you": "tu lei voi ti hai avete",
    "your": "tua tuo sua suo vostra vostro tue tuoi",
    "the": "il lo la i gli le l quello quella quell alla all al allo agli",
    "this": "questo questa questi queste quest",
    "a": "un una uno alcun alcuna qualche",
    "in": "in su con da tra fra dopo",
    "picture": "immagine foto fotografia allegato file figura screenshot",
    "pictures": "immagini fotografie allegati",
    "study": "link collegamento url radiografia radiografie rx tac tc rm risonanza ecg elettrocardiogramma tracciato "
    "tracciati vetrino vetrini scansione grafico mappa dipinto schema diagramma ecografia video documento lastra "
    "lastre preparato mammografia figure cartina",
    "flaw": "artefatti artefatto rumore qualità risoluzione",
    "show": "mostra mostrano mostri mostrino raffigura raffigurano presenta presentano ritrae "
    "rappresenta rappresentano contiene "
    "indica indicano suggerisce suggeriscono rivela dimostra illustra depone mostrando riporta corrisponde tratta "
    "indossa",
    "is": "è sono era erano",
    "be": "sia siano essendo essere stata stato stati state appare appaiono sembra sembrano risulta risultano pare",
    "there": "ci vi c",
    "it": "esso essa si",
    "have": "avendo avrò avessi ha hanno avere dispongo",
    "usually": "solito generalmente tipicamente spesso comunemente normalmente solitamente genere talvolta "
    "esempio fattori dipende dipendono tipico caratterizzat* passaggi consigli seguenti comprendono includono "
    "utilizzat* importante importanti fondamentale definit* categorie dividono suddividono classificano parte "
    "vengono usano usa riconoscono riconosce varia variano variare basa basano",
    "do": "fare osserva osservi controlla controlli controllare verifica verifichi verificare considera considerare "
    "confronta confrontare cerca cercare cerchi usare conta contare misurare guarda guardi valuta valuti esamina "
    "esamini inizia iniziare segui seguire nota ricorda fai prendi prestare presta leggi annota scegli identifica "
    "utilizza",
    "to": "a ad per",
    "sure": "chiaro sicuro sicura certo certa certezza sicurezza precisione esattezza definitiva definitivo",
    "unsure": "incerto incerta incertezza insicuro dubbio dubbi ambiguo boh indeciso illeggibil*",
    "hard": "difficile complicato arduo",
    "guess": "indovinare azzardare indovino tentativo azzardo",
    "maybe": "forse magari",
    "blur": "sfocat* sgranat* scur* buia buio mosso mossa",
    "poor": "scarsa scarse bassa basse insufficient* limitat* poco poca",
    "enough": "abbastanza sufficient* nitida nitido chiaramente",
    "more": "ulteriori maggiori più",
    "different": "altre altri altra",
    "info": "dettaglio informazioni contesto dettagli dati elementi anamnesi",
    "help": "aiutar* assister* soddisfare",
    "decline": "rifiut* declin* preferisco",
    "medical": "valutazioni clinic* pareri medica mediche diagnosi diagnosticar* diagnostic* consulto parere terapia",
    "doctor": "*ologo *ologa medico medici radiologo dermatologo specialista cardiologo professionista neurologo "
    "oculista esperto curante patologo veterinario",
    "consult": "consult* rivolg* contatt* senta",
    "sorry": "spiace dispiace scusa scusi scusate scuso purtroppo spiacente",
    "text": "testo testuale testuali testi",
    "bot": "ia ai modello assistente linguistico intelligenza linguaggio",
    "only": "solo soltanto solamente esclusivamente unicamente",
    "sight": "vista occhi visive visiva visivo",
    "forget": "dimenticato dimenticata scordato",
    "blank": "vuota vuoto mancante manca assente danneggiat* corrott* manchi",
    "what": "cosa che ciò quale quali",
    "message": "messaggio conversazione chat richiesta domanda",
    "answer": "risposta",
    "yes": "sì vero falso",
    "but": "ma però tuttavia sebbene benché comunque",
    "or": "o oppure né",
    "and": "e ed",
    "people": "persone persona individui identità volti viso volto",
    "thanks": "grazie ciao salve certamente",
    "kind": "tipo tipi organo struttura misura sistema processo metodo tecnica condizione malattia gruppo esame test "
    "disciplina studio scienza classe categoria famiglia strumento infezione",
    "finding": "normale normali destra sinistra destro sinistro bilaterale lieve moderata moderato aumentat* ridott* "
    "regolare rossa rosso blu verde gialla giallo marrone superiore inferiore",
    "shade": "bianco bianca nero nera",
    "here": "qui qua",
    "number": "due tre quattro cinque sei sette otto nove dieci",
    "every": "ogni ciascuno ciascuna tutti tutte",
    "adverb": "*mente",
    "many": "molti molte vari varie diversi diverse maggioranza",
    "available": "disponibil* accessibil*",
    "of": "del della dell dei delle dello degli di",
    "when": "quando appena finché",
    "inthe": "nel nella nell nei nelle nello negli sul sulla sull sui sulle dal dalla dall dalle dai dagli",
    "so": "quindi dunque pertanto",
    "rules": "permett* consent* guida policy regole privacy abilitat* qualificat* norme autorizzat*",
    "analysing": "analizzando osservando guardando esaminando",
}


DETECTION = {
    "normal": "normale normali sano sana sani regolare",
    "abnormal": "anormale patologico patologica patologia malattia malattie tumore tumori anomalia anomalie polmonite",
    "finding": "massa masse lesione lesioni opacità addensamento addensamenti edema versamento emorragia emorragie "
    "essudati consolidamento ispessimento espansiva espansivo iperintensa iperintensità",
    "sound": "simmetrici simmetriche simmetrica conservata conservato chiari",
    "not": "non",
    "no": "nessun nessuna nessuno né senza assenza alcun alcuna",
    "absent": "assente assenti",
    "may": "forse potrebbe può",
    "can": "posso possibile riesco grado possono",
    "cannot": "impossibile difficile",
    "picture": "immagine immagini radiografia rm risonanza scansione esame",
    "be": "è sono appare risulta",
    "see": "osserva osservano vede vedono evidenzia evidenziano presente presenti mostra rilevano rileva",
    "spoilt": "rumorosa rumoroso sgranata sovraesposta sottoesposta illeggibile",
    "spoilable": "sfocata sfocato mossa mosso scura buia degradata distorta scarsa",
    "artefact": "artefatti artefatto rumore",
    "quality": "qualità risoluzione nitidezza",
    "bad": "bassa pessima insufficiente",
    "tell": "concludere determinare stabilire interpretata interpretare valutare dire interpretabile conclusioni "
    "trarre",
    "concluding": "conclusione risposta",
    "so": "quindi pertanto dunque",
    "diagnosis": "diagnosi",
    "medical": "mediche medica medico medici",
    "doctor": "radiologo specialista professionista",
    "consult": "consulti consultare rivolga rivolgersi consulta",
    "provide": "fornire dare formulare",
    "sorry": "dispiace spiacente",
    "but": "ma però tuttavia",
    "too": "troppo molto",
}
"""Words by what they do in a response to a detection question, in roles of their own: short forms."""
