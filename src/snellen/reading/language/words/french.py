"""French words by what they do in a response to a question about an image."""

from __future__ import annotations

from snellen.reading.language.patterns import word_set

COMMON = word_set(
    "le la les un une des du de et est dans pas que qui sur pour ce cette il je vous l d n en avec au sont plus ne "
    "image qu s"
)

ROLES = {
    "not": "ne n pas jamais ni",
    "cannot": "impossible incapable",
    "no": "aucun aucune rien nulle",
    "without": "faute sans absence",
    "able": "faculté capable capacité capacités mesure possible possibilité moyen conçu programmé équipé doté dotée",
    "can": "ose peux puis parviens pouvons arrive pourrais",
    "may": "dois pourrait pourraient devrait devraient doit doivent faut convient serait seraient devez pourriez "
    "peut peuvent pouvez",
    "see": "regarder voie voir visualiser ouvrir accéder accès vois percevoir visionner visualise consulte",
    "analyse": "lis analyser interpréter traiter lire examiner évaluer analyse interprète traite",
    "tell": "sait identifie déterminer dire identifier savoir confirmer répondre établir conclure distinguer "
    "reconnaître préciser affirmer indiquer classer trancher sais prononcer prononce choisir exclure décider",
    "get": "reçu reçois trouve trouver reçue reçues parvenue parvenu arrivée détecte",
    "given": "joint joints jointe jointes fourni* inclus* chargé* partagé* envoyé* téléchargé* téléversé* inséré* "
    "transmis* ajouté* affiché* transféré*",
    "visible": "visible* observe observent voit voient note présent présente présents présentes évident distingue "
    "distinguent remarque montré* constate aperçoit retrouve apparaît apparaissent reconnaît visualisé* discerne "
    "devine",
    "load": "ouvre afficher affiche chargée passée",
    "through": "travers",
    "fail": "erreur échoué échec problème",
    "send": "télécharger téléchargez téléverser téléversez charger joindre joignez renvoyer renvoyez renvoie envoyer "
    "envoyez envoie transmettre coller collez recharger importer joins transmettez envoi*",
    "give": "fournir fournissez fournis partager partagez partage donner montrer montrez ajouter ajoutez insérer "
    "communiquer communiquez donnez",
    "describe": "décri* description descriptions",
    "ask": "essayez essaye plaît veuillez prie svp merci",
    "if": "si s'",
    "suppose": "supposant supposons imaginons hypothèse présumant admettant suppose présume",
    "need": "besoin nécessaire faudrait requiert nécessite nécessaires suffirait",
    "want": "volontiers ravi ravie plaisir aimerais heureux",
    "i": "je j me m moi mon ma ai",
    "we": "nous on notre",
    "you": "vous tu avez as",
    "your": "votre vos ta ton",
    "the": "le la les l sa son au aux",
    "this": "ce cet cette ces ceci",
    "a": "un une des quelque",
    "in": "dans sur avec par sous entre depuis chez après",
    "picture": "image photo photographie fichier capture pièce",
    "pictures": "images photos photographies fichiers pièces",
    "study": "lien liens url radiographie radiographies radio cliché clichés irm scanner ecg électrocardiogramme "
    "tracé lame lames graphique carte tableau peinture schéma dessin diagramme échographie vidéo document "
    "préparation coupe figure figures mammographie tdm",
    "flaw": "artefacts artefact bruit qualité résolution",
    "show": "montre montrent représente représentent révèle révèlent contient illustre indique indiquent suggère "
    "suggèrent dépeint évoque évoquent correspond figurent comporte montrant agit porte",
    "is": "est sont était étaient étant",
    "be": "être été semble semblent paraît soit",
    "there": "y voici existe",
    "it": "il elle ils elles c cela ça",
    "have": "ayant aurai a ont avoir dispose",
    "usually": "servent sert généralement habituellement typiquement souvent couramment normalement parfois général "
    "exemple facteurs dépend dépendent typique caractéris* étapes conseils suivants comprennent utilisé* important "
    "essentiel définit catégories procède divise divisent classe classent utilise permet repose reconnaissent "
    "varie varient varier",
    "do": "faire poser observez observer regardez vérifiez vérifier considérez comparez comparer cherchez chercher "
    "recherchez rechercher utilisez utiliser comptez compter mesurez mesurer évaluez examinez commencez suivez notez "
    "lisez prenez repérez identifiez retournez passez réponds répondez",
    "to": "à afin pour",
    "sure": "sûr sûre certain certaine certitude précision exactitude définitif définitive catégorique",
    "unsure": "incertain incertaine incertitude doute ambigu ambiguë hésite illisible*",
    "hard": "difficile délicat compliqué malaisé",
    "guess": "deviner supposition spéculer conjecture hasarder",
    "maybe": "peut-être",
    "blur": "flou floue sombre* pixelisé*",
    "poor": "mauvaise faible basse insuffisant* limité*",
    "enough": "assez suffisamment suffisant* nette clairement",
    "more": "plus supplémentaires complémentaires davantage",
    "different": "autre autres",
    "info": "informations information contexte détails données éléments précisions",
    "help": "aider assister",
    "decline": "décliner refuser refuse décline préfère",
    "medical": "clinique* médical médicale médicaux médicales diagnostic diagnostics diagnostiquer conseil avis "
    "traitement",
    "doctor": "*ologue médecin médecins radiologue dermatologue spécialiste cardiologue professionnel ophtalmologue "
    "expert neurologue vétérinaire pathologiste",
    "consult": "consult* adress* contact*",
    "sorry": "désolé désolée excuse excuses malheureusement regrette navré",
    "text": "texte textuel textuelle textuelles écrit",
    "bot": "ia modèle assistant langage intelligence",
    "only": "seulement uniquement exclusivement seul",
    "sight": "vue yeux visuelles visuel visuelle vision",
    "forget": "oublié oubliée",
    "blank": "vide blanche manquante manque absente noire corrompu* endommagé*",
    "what": "qui quoi quel quelle quelles que qu",
    "message": "message conversation chat demande question échange",
    "answer": "réponse",
    "yes": "oui vrai faux non",
    "but": "mais cependant toutefois néanmoins pourtant",
    "or": "ou",
    "and": "et",
    "people": "personnes personne individus identité visages",
    "thanks": "bonjour certainement",
    "kind": "type types sorte partie organe structure système processus méthode technique affection maladie groupe "
    "test science catégorie famille instrument forme étude infection",
    "finding": "normal normale normaux droite gauche droit bilatéral bilatérale léger légère modéré modérée régulier "
    "rouge bleu bleue vert verte jaune supérieur inférieur",
    "shade": "noir",
    "here": "ici",
    "number": "deux trois quatre cinq six sept huit neuf dix",
    "every": "chaque tous toutes",
    "adverb": "*ment",
    "many": "plusieurs nombreux divers diverses différents différentes certains plupart",
    "available": "disponible* accessible*",
    "of": "du",
    "when": "lorsque quand dès",
    "so": "donc ainsi",
    "rules": "permett* politique règles confidentialité qualifié* habilité* autorisé*",
    "analysing": "analysant observant regardant",
}


DETECTION = {
    "normal": "normale normaux normales sain saine",
    "abnormal": "anormal anormale pathologie maladie tumeur tumeurs anomalie pneumonie",
    "finding": "masse lésion lésions œdème opacité opacités épanchement hémorragie condensation foyer",
    "sound": "symétriques clairs",
    "not": "ne n'est pas",
    "no": "aucun aucune ni sans absence",
    "may": "peut-être pourrait",
    "can": "peux peut puis possible",
    "cannot": "difficile",
    "picture": "image cliché radiographie irm examen",
    "be": "est sont semble paraît",
    "see": "voit observe visible visibles montre retrouve note",
    "spoilt": "inexploitable ininterprétable bruitée illisible surexposée sous-exposée",
    "spoilable": "floue flou sombre dégradée déformée",
    "artefact": "artéfacts artéfact artefact bruit flous",
    "quality": "qualité résolution netteté",
    "bad": "mauvaise faible insuffisante médiocre",
    "tell": "conclure déterminer interpréter interprétée interprétable évaluer dire",
    "concluding": "réponse",
    "so": "donc",
    "diagnosis": "diagnostic",
    "medical": "médical médicale",
    "doctor": "médecin radiologue spécialiste professionnel",
    "consult": "consulter consultez",
    "provide": "poser fournir donner établir",
    "sorry": "désolé désolée",
    "but": "mais cependant",
    "too": "trop très",
}
"""Words by what they do in a response to a detection question, in roles of their own: short forms."""
