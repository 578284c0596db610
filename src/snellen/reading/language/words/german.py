"""German words by what they do in a response to a question about an image."""

from __future__ import annotations

from snellen.reading.language.patterns import word_set

COMMON = word_set(
    "der die das den dem des ein eine einen und ist nicht ich sie zu im auf mit von es auch kann für sich wird sind "
    "bild keine kein oder wenn als"
)

ROLES = {
    "not": "nicht nie niemals weder",
    "cannot": "unmöglich außerstande",
    "no": "kein keine keinen keiner keinem keinerlei nichts keins keines",
    "without": "abwesenheit ohne fehlen mangels",
    "able": "lage fähig fähigkeit möglich möglichkeit imstande ausgelegt programmiert",
    "can": "wage kann könnte können konnte könnten kannst könntest vermag",
    "may": "sollte sollten würde würden dürfte dürften muss müssen mag soll wäre wären",
    "see": "anzuzeigen sehen sehe siehst seht ansehen einsehen anzuschauen anschauen öffnen zugreifen zugriff "
    "wahrnehmen erkennen anzusehen anzeigen abrufen",
    "analyse": "analysier* interpretier* verarbeit* auswert* beurteil* lesen bewert* befunden befundung auszuwerten "
    "untersuchen",
    "tell": "nenne erkenne bestimm* sagen feststell* identifizier* wissen bestätig* beantwort* entscheiden "
    "unterscheiden benennen angeben einordnen weiß antworten ausschließen festlegen",
    "get": "erhalten bekommen finde finden empfangen angekommen übermittelt aufgetaucht eingetroffen bei",
    "given": "angehängt beigefügt hochgeladen bereitgestellt mitgeschickt mitgesendet geteilt gesendet geschickt "
    "eingefügt geladen mitgeliefert enthalten angefügt übertragen geklappt",
    "visible": "sichtbar erkennbar sieht gezeigt dargestellt abgebildet nachweisbar auffällig gesehen erkennt findet",
    "load": "angezeigt durchgekommen",
    "fail": "fehler fehlgeschlagen",
    "send": "hochladen hochzuladen hoch lade lädst laden anhängen anzuhängen senden sende schicken schicke einfügen "
    "füge übermitteln zuschicken zusenden schick schickst hochlädst",
    "give": "anbieten abgeben bereitstellen teilen teile geben gib nennen liefern zukommen bereitzustellen nachreichen",
    "describe": "beschreib* beschrieben",
    "ask": "versuch* bitte freundlich",
    "if": "wenn falls sofern",
    "suppose": "angenommen vorausgesetzt annehmen unterstellt hypothetisch",
    "need": "brauche benötige bräuchte müsste erforderlich nötig notwendig braucht benötigt",
    "want": "möchte gern gerne freue helfe",
    "i": "ich mir mich mein meine meiner",
    "we": "wir man uns",
    "you": "du sie ihnen dir euch",
    "your": "ihr ihre dein deine ihrer ihrem deiner deinem",
    "the": "das die der den dem des",
    "this": "dieses diese dieser diesem diesen dies",
    "a": "ein eine einen einem einer",
    "in": "in auf mit aus über zwischen unter an",
    "picture": "bildes bild foto datei anhang *bild *foto aufnahme *aufnahme abbildung screenshot",
    "pictures": "anhänge bilder fotos dateien bildern *bilder *aufnahmen *bildern bilddateien bildmaterial",
    "study": "link url scan mrt ct ekg präparat objektträger diagramm karte gemälde schaltplan zeichnung röntgen "
    "ultraschall video dokument grafik schnitt *scan schema plan",
    "flaw": "artefakte artefakt rauschen bildqualität qualität auflösung",
    "show": "zeigt zeigen stellt enthält deutet weist spricht bildet präsentiert entspricht lässt offenbart "
    "verdeutlicht handelt trägt",
    "is": "bin ist sind war waren",
    "be": "sein scheint wirkt erscheint wurde wurden gewesen worden liegt",
    "there": "gibt",
    "it": "er es",
    "have": "hat haben habe hast verfüge",
    "usually": "dienen dient typischerweise normalerweise häufig oft meist meistens gewöhnlich allgemein generell "
    "beispiel faktoren hängt typisch charakterisiert schritte tipps folgende umfassen verwendet wichtig z "
    "üblicherweise manchmal grundsätzlich eingeteilt unterscheidet werden variiert variieren",
    "do": "tun achte achten prüfe prüfen überprüfe überprüfen schaue schauen suche suchen vergleiche vergleichen "
    "verwende verwenden nutze nutzen zähle zählen messen miss beginne beginnen betrachte betrachten beachte beachten "
    "untersuche orientiere",
    "to": "um zu zur zum",
    "sure": "sicher gewiss sicherheit eindeutig genau definitiv gewissheit zweifelsfrei",
    "unsure": "unsicher unklar ungewiss unsicherheit mehrdeutig unleserlich",
    "hard": "schwer schwierig kaum",
    "guess": "raten vermutung spekulieren spekulation schätzen tippe",
    "maybe": "vielleicht eventuell",
    "blur": "unscharf verschwommen dunkel verpixelt undeutlich",
    "poor": "schlecht schlechte schlechter niedrig niedrige gering geringe unzureichend*",
    "enough": "genug ausreichend ausreichende genügend deutlich klar",
    "more": "mehr weitere weiteren zusätzliche zusätzlichen nähere",
    "different": "andere anderes vergleich frühere",
    "info": "informationen kontext details angaben daten anamnese",
    "help": "helfen weiterhelfen unterstützen behilflich",
    "decline": "ablehnen verweigern lehne",
    "medical": "klinisch* einschätzung medizinische medizinischen diagnose diagnosen diagnostizieren rat beratung "
    "befund ärztliche",
    "doctor": "*ologen *ologe *ologin chirurg arzt ärztin ärzte radiologen radiologe hautarzt facharzt dermatologen "
    "fachmann spezialisten kardiologen experten fachperson augenarzt tierarzt radiologin fachärztin",
    "consult": "konsultier* wende wenden aufsuchen kontaktier* ziehen konsultation",
    "sorry": "leid leider entschuldigung bedaure tut",
    "text": "text textbasiert* texte textform schriftlich textmodell",
    "bot": "ki modell assistent sprachmodell sprachassistent intelligenz ki-modell ki-assistent",
    "only": "nur ausschließlich lediglich rein reines reiner",
    "sight": "augen sehsinn visuelle visuellen",
    "forget": "vergessen",
    "blank": "leer fehlt fehlend* beschädigt defekt",
    "what": "was welches welche",
    "message": "nachricht unterhaltung chat anfrage frage gespräch",
    "answer": "antwort",
    "yes": "ja nein richtig falsch",
    "but": "aber jedoch allerdings obwohl dennoch trotzdem",
    "or": "oder",
    "and": "und",
    "people": "namen name personen person identität gesichter menschen",
    "thanks": "hallo danke natürlich selbstverständlich",
    "kind": "art teil organ struktur maß system prozess methode technik erkrankung krankheit gruppe test "
    "wissenschaft klasse kategorie familie instrument form verfahren gebiet infektion",
    "finding": "normal normale unauffällig links rechts linken rechten beidseits leicht leichte mäßig vergrößert "
    "regelrecht glatt rot rote blau blaue grün grüne gelb gelbe oberen unteren",
    "shade": "schwarz schwarze",
    "here": "hier da",
    "number": "zwei drei vier fünf sechs sieben acht neun zehn",
    "every": "jede jeder jedes alle jeden wer",
    "many": "viele mehrere verschiedene meisten",
    "available": "verfügung verfügbar vorhanden zugänglich",
    "of": "von vom",
    "when": "sobald nachdem ob",
    "inthe": "im am",
    "so": "also somit daher",
    "rules": "datenschutzgründen erlauben richtlinien datenschutz qualifiziert befugt berechtigt dürfen darf",
}


DETECTION = {
    "normal": "normaler normales normalen gesund unauffällig regelrecht",
    "abnormal": "auffällig pathologisch krankhaft lungenerkrankung erkrankung krankheit tumor hirntumor pneumonie",
    "finding": "verschattung verschattungen infiltrate infiltrat raumforderung läsion läsionen ödem erguss blutung",
    "sound": "frei",
    "not": "nicht",
    "no": "kein keine keinen keiner ohne weder noch",
    "may": "könnte möglicherweise vielleicht",
    "can": "kann möglich",
    "cannot": "unmöglich schwierig nicht-beurteilbar",
    "picture": "bild aufnahme röntgenbild röntgenaufnahme scan mrt",
    "be": "ist sind wirkt erscheint",
    "see": "sehen zeigt zeigen sichtbar erkennbar hinweis anzeichen",
    "spoilt": "verrauscht unscharf verwackelt unleserlich überbelichtet unterbelichtet verwaschen",
    "spoilable": "verschwommen verzerrt dunkel schlecht",
    "artefact": "artefakte artefakt rauschen bewegungsartefakte",
    "quality": "bildqualität qualität auflösung",
    "bad": "schlechte geringe unzureichend mangelhaft",
    "tell": "beurteilbar beurteilen bestimmen feststellen aussage sagen",
    "concluding": "fazit ergebnis antwort schlussfolgerung",
    "so": "daher somit deshalb",
    "diagnosis": "diagnose diagnosen",
    "medical": "medizinische medizinischen",
    "doctor": "arzt ärztin radiologen radiologe facharzt fachperson",
    "consult": "konsultieren wenden",
    "provide": "stellen geben",
    "sorry": "leid leider",
    "but": "aber jedoch",
    "too": "sehr stark",
}
"""Words by what they do in a response to a detection question, in roles of their own: short forms."""
