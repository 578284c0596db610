"""Words by which a response says that an image and the words with it do not belong together, in six languages.

Each line is a piece of a regular expression, for text in small letters without accents. Latin pieces begin and end at
words; Chinese ones stand anywhere.
"""

from __future__ import annotations

IMAGE = (
    r"images?|imaging|pictures?|photo(?:graph)?s?|scans?|x ?-?rays?|radiographs?|films?|mris?|ct|mr|ultrasounds?|"
    r"stud(?:y|ies)|modality|views?|slices?|attachment|figure|oct|fundus",
    r"immagin[ei]|radiografi[ae]|risonanza|rm|tac|tc|ecografia|esame|foto(?:grafia)?|figura|lastra",
    r"imagen(?:es)?|radiografias?|resonancia|ecografia|placa|estudio|fotografia",
    r"cliche|radiographies?|irm|scanner|echographie|examen d'imagerie|imagerie",
    r"bild(?:er|es|ern|material)?|\w*bild(?:er|es|ern)?|\w*aufnahmen?|mrt|rontgen\w*|ultraschall\w*|bildgebung|"
    r"abbildung",
    r"图像|图片|影像|片子|照片|图中|该图|此图|x ?线|x ?光|胸片|核磁|磁共振|超声",
)
SENT = (
    r"(?:provided|shown|attached|given|supplied|submitted|uploaded|available|displayed|presented|above|this|these|"
    r"that)",
)
SOUND = (r"normal\w*|unremarkable|negative|clear|unauffallig\w*",)
"""Before a word for an image: what it shows, and no longer the image."""
FINDINGS = (
    r"findings?|results?|appearances?|features?|evidence|signs?|changes|abnormalit\w+|reperti?|hallazgos?|resultados?|"
    r"constatations?|resultats?|befunde?n?|beurteilung",
    r"表现|所见|结果|征象|发现",
)
"""After a word for an image: what is found in it, and no longer the image."""
TELLING = (
    r"histor(?:y|ies)|clinical (?:information|presentation|context|scenario|picture|details?|description|vignette|"
    r"notes?|data|question|case|text|story|findings|background|suspicion|complaint|setting|symptoms|features|"
    r"indication)|presentation|presenting|scenario|vignette|narrative|description|described|descriptions|stated|"
    r"complaints?|complains?|symptoms?|symptomatology|text|question|prompt|story|case|anamnesis|mechanism of injury|"
    r"(?:patient|man|woman|boy|girl|student)(?:'s)? (?:information|details|story|problem|condition|presents|has|had|"
    r"reports|fell|twisted|injury|injured|injuries)|request(?:ed)?|referral|mentioned|reported|given information|"
    r"information (?:given|provided|supplied)",
    r"storia|anamnesi|quadro clinico|clinica|clinic[hi]e? (?:informazioni|dati)|informazioni (?:cliniche|fornite)|"
    r"dati clinici|sintom[io]|descri(?:zione|tt[oaie]|ve)|caso|testo|quesito|domanda|presentazione|paziente|"
    r"riferit[oi]",
    r"historia|anamnesis|cuadro clinico|informacion clinica|datos clinicos|sintomas?|descri(?:pcion|t[oa]s?|be)|caso|"
    r"texto|pregunta|presentacion|paciente|relato|antecedentes|enunciado|clinica",
    r"histoire|anamnese|tableau clinique|informations? cliniques?|donnees cliniques|contexte clinique|symptomes?|"
    r"descri(?:ption|te?s?|vent|t)|decrite?s?|cas|texte|question|presentation|patiente?|enonce|motif|clinique",
    r"(?:kranken|vor)geschichte|anamnese|klinisch\w* (?:angaben|informationen|bild|beschreibung|daten|kontext|verlauf|"
    r"fragestellung)|angaben|symptome?n?|symptomatik|beschwerden|beschr(?:eibung|ieben\w*|eibt)|geschildert\w*|fall|"
    r"text|frage(?:stellung)?|patient(?:in|en)?|klinik|schilderung",
    r"病史|临床|症状|描述|主诉|文字|题目|题干|患者|病例|所述|提供的信息|资料|病情",
)
PERSON = (
    r"severity|severe|degree|intensity|extent|level of|amount of|proportion|grado|intensita|gravedad|intensidad|"
    r"gravita|"
    r"intensite|severite|ausmass|schwere",
    r"程度|严重",
)
"""How much somebody suffers may differ from what is found, and nothing is mistaken."""
NOT = (
    r"not|no|never|n't|cannot|(?:does|do|is|are|was|did|has)n't|neither|nor|fails? to|without|none",
    r"non|senza|nessun[ao]?|ne",
    r"sin|ningun[oa]?|tampoco",
    r"n'\w+ pas|pas|ne|aucune?|sans(?! doute)",
    r"nicht|kein\w*|weder|ohne",
    r"不|没有|并非|未|无",
)
NOTHING = (
    r"nothing to do|nulla a che (?:fare|vedere)|niente a che (?:fare|vedere)|nada que ver|rien a voir|"
    r"nichts (?:mit\b.{0,40}\b)?zu tun|mit\b.{0,40}\bnichts zu tun|aucun (?:rapport|lien)|alcuna attinenza|"
    r"alcun legame|ninguna relacion|kein\w* (?:bezug|zusammenhang)",
    r"毫无关系|没有关系|无关",
)
"""What denies by itself that two things belong together."""
STRANGE = (
    r"(?:does ?n't|does not|do not|don't) (?:add up|make sense)|makes? (?:no|little) sense|(?:is|seems|"
    r"looks) (?:rather |very )?"
    r"(?:surprising|odd|puzzling|strange|perplexing|unexpected)|must be wrong|one of (?:them|the two) (?:is|must)|"
    r"non ha senso|no tiene sentido|n'a pas de sens|ne a pas de sens|ergibt keinen sinn",
    r"不合理|说不通|很奇怪",
)
"""What is said of an image that one would not expect there."""
NOT_AFTER = (r"nicht|kein\w*",)
"""In German, what is denied may stand before the word that denies it."""
FITS = (
    r"match(?:es|ing|ed)?|correspond(?:s|ing)?|align(?:s|ed|ing)?|fits?|fitting|correlat(?:e|es|ing)|agree(?:s|ing)?|"
    r"in agreement|relate(?:s|d)?|relating|pertain(?:s|ing)?|belong(?:s|ing)?|go(?:es)? (?:with|together)|consistent|"
    r"compatible|"
    r"in (?:line|keeping|accordance)|concordant|congruent|coherent|relevant|applicable|appropriate|the (?:right|"
    r"correct)|"
    r"tally|tallies|linked|tied|what (?:would|one would|is|was|i would) ?(?:be )?"
    r"(?:expect(?:ed)?|described|stated|asked)|expected|related|connected|reconcile[ds]?|"
    r"(?:of|from) the (?:same|correct|right|region|area|body part)|the same (?:part|body part|region|area|joint|"
    r"patient|anatom\w+)",
    r"corrispond\w+|coinci\w+|concord\w+|coerent\w+|compatibil\w+|pertinent\w+|riguarda\w*|si riferisc\w+|appart\w+|"
    r"si adatta\w*|in linea|collegat\w+|correlat\w+|rispecchi\w+|combacia\w*",
    r"corresponde\w*|coincid\w+|concuerd\w+|concord\w+|coherente\w*|compatible\w*|consistente\w*|pertenec\w+|"
    r"relaciona\w*|encaja\w*|ajusta\w*|se refiere\w*|guarda\w* relacion|relevante\w*|tiene que ver",
    r"correspond\w*|concord\w+|coheren\w+|compatible\w*|conforme\w*|appartien\w+|en rapport|en lien|coll(?:e|ent)|"
    r"en accord|s'accord\w+|concern\w+|relie\w*",
    r"pass(?:t|en|end\w*)|entsprech\w+|entspricht|uberein\w*|ubereinstimm\w+|stimm(?:t|en)|vereinbar\w*|gehor(?:t|en)|"
    r"kompatibel|zusammen\w*|deck(?:t|en)|bezieht|zugehorig|konsistent|stutzt|korrelier\w+",
    r"相同|符合|相符|一致|匹配|对应|吻合|相关|相应|属于|支持|有关",
)
MISFIT = (
    r"inconsistent|incompatible|incongru(?:ent|ous)|at odds|unrelated|irrelevant|discordant|mismatched|discrepant|"
    r"contradict(?:s|ed|ing|ory)?|conflict(?:s|ing)|differs? from|different from|disagrees?|clash(?:es)?|misaligned|"
    r"nothing to do",
    r"incoerent\w*|incompatibil\w+|incongruent\w*|discordant\w*|contraddi\w+|contrast(?:a|ano)|in contrasto|"
    r"estrane[ao]|diverge\w*|nulla a che (?:fare|vedere)|in conflitto",
    r"incoheren\w+|incompatible\w*|incongruente\w*|discordante\w*|contradi(?:ce|cen|ctori\w+)|difiere\w*|"
    r"inconsistente\w*|nada que ver|ajen[oa]",
    r"incoherent\w*|incompatible\w*|discordant\w*|contredi\w+|contradictoire\w*|en contradiction|rien a voir|"
    r"sans (?:rapport|lien)|differe de|inadapte\w*",
    r"widersprech\w+|widerspricht|widerspruchlich\w*|unvereinbar\w*|inkonsistent\w*|abweich\w+|weicht|"
    r"nichts (?:mit\b.{0,40}\b)?zu tun|unpassend\w*",
    r"矛盾|冲突|不符|不一致|不匹配|不吻合|不对应|无关|不相关|不相符|出入|有误",
)
MISMATCH = (
    r"mis-?match(?:es)?|discrepanc(?:y|ies)|inconsistenc(?:y|ies)|contradictions?|incongruit(?:y|ies)|incongruence|"
    r"conflict|disconnect|disagreement|mix-?up|discordance|incompatibility",
    r"discrepanz[ae]|incongruenz[ae]|incoerenz[ae]|contraddizion[ei]|discordanz[ae]|mancata corrispondenza|scambio",
    r"discrepancias?|incongruencias?|incoherencias?|contradiccion(?:es)?|discordancias?|falta de correspondencia|"
    r"inconsistencias?|desajuste",
    r"discordances?|incoherences?|contradictions?|divergences?|decalage|discrepances?|non-concordance",
    r"widerspruch\w*|diskrepanz(?:en)?|unstimmigkeit(?:en)?|inkonsistenz(?:en)?|verwechslung|nichtubereinstimmung",
    r"矛盾之处|不一致之处|差异|不匹配|不一致|矛盾|不符",
)
WRONG_IMAGE = (
    r"(?:wrong|incorrect|mistaken) (?:(?!because|since|as|if|when|that|and|for|on|in)\w+ ){0,2}?(?:images?|scan|"
    r"x ?-?ray|films?|mri|radiographs?|study|picture|"
    r"body part|patient|anatom\w+|joint|region|part of the body|limb)|"
    r"(?:images?|scan|mri|x ?-?ray|radiograph|study|films?|picture) (?:\w+ ){0,6}?(?:by mistake|in error|erroneously|"
    r"mistakenly|mislabel\w+|swapped|mixed up|switched|misfiled|wrongly|incorrectly)|"
    r"(?:provide|upload|send|attach|supply|submit|share|re-?check|verify|confirm|obtain|resend|re-send|reupload|"
    r"re-upload) (?:\w+ ){0,4}?"
    r"(?:the |an? )?(?:correct|right|appropriate|corresponding|relevant|matching|intended) (?:\w+ ){0,2}?(?:image|scan|"
    r"x ?-?ray|mri|ct|radiograph|imaging|study|film|picture)|"
    r"is (?:this|that|it) the (?:correct|right) (?:image|scan|film|study|picture|x ?-?ray|mri)|(?:clerical|filing|"
    r"labell?ing) error|upload(?:ing)? error(?= ?[:,])|"
    r"(?:sure|certain) (?:that )?(?:this|that|it) is the (?:correct|right|"
    r"intended) (?:image|scan|film|study|picture|x ?-?ray|mri|radiograph)|check the (?:upload|attachment|file)|"
    r"confused by the (?:image|picture|scan|mri|x ?-?ray|film|"
    r"study)|(?:included|attached|uploaded|sent|added|"
    r"supplied) "
    r"(?:here )?(?:by mistake|in error|by accident)|(?:files?|images?|scans?|films?) (?:\w+ ){0,3}?(?:swapped|"
    r"mixed up|switched)|"
    r"not the (?:right|correct|intended|appropriate|relevant) (?:\w+ ){0,2}?(?:image|scan|x ?-?ray|mri|study|film|"
    r"picture)",
    r"(?:immagine|radiografia|esame|risonanza) (?:\w+ ){0,4}?(?:sbagliat\w|errat\w|scambiat\w|per errore)|"
    r"(?:sbagliat\w|errat\w) (?:immagine|paziente|distretto|parte del corpo|radiografia|regione|esame)|"
    r"immagine (?:corretta|giusta|appropriata)|(?:scambio|errore) d(?:i|elle) immagin[ei]",
    r"(?:imagen|radiografia|resonancia|estudio) (?:\w+ ){0,4}?(?:equivocad\w|errone\w|incorrect\w|por error)|"
    r"imagen (?:correcta|adecuada|apropiada)|(?:confusion|error) (?:con|de|en) (?:la |las )?imagen(?:es)?",
    r"(?:mauvaise?|fausse) (?:image|radiographie|irm|patiente?|region|partie du corps|articulation|cliche|examen)|"
    r"(?:image|radiographie|irm|cliche) (?:\w+ ){0,4}?(?:erronee?|par erreur|incorrecte?|inappropriee?)|"
    r"(?:la )?bonne (?:image|radiographie|irm)|erreur d'image",
    r"(?:falsch\w*|verkehrt\w*|verwechselt\w*) (?:\w+ )?(?:bild\w*|aufnahme|rontgen\w*|mrt|korper\w+|patient\w*|"
    r"\w*bild|\w*aufnahme)|(?:bild\w*|aufnahme|mrt) (?:\w+ ){0,5}?(?:verwechselt|vertauscht|versehentlich|"
    r"irrtumlich|falsch)|verwechslung (?:der|von) (?:bild\w*|\w*aufnahmen)|(?:richtig\w+|korrekt\w+|"
    r"passend\w+) (?:\w+ )?(?:bild\w*|aufnahme|rontgen\w*|mrt|\w*bild)",
    r"错误的?(?:图像|图片|影像|患者|病人|部位|片子|检查)|(?:图像|图片|影像|片子)"
    r"[^。，,.]{0,8}?(?:传错|放错|错误|弄错|拿错|上传有误|混淆)|正确的(?:图像|图片|影像|片子|部位)",
)
OTHER_PART = (
    r"(?:different|another|other|unrelated|distinct) (?:\w+ ){0,2}?(?:body parts?|patients?|anatom\w+|joints?|regions?|"
    r"areas?|parts? of the body|limbs?|sites?|cases?|locations?)",
    r"altr[oaie] (?:distrett[oi]|pazient[ei]|parti? del corpo|region[ei]|articolazion[ei])|(?:distrett[oi]|region[ei]|"
    r"parti?)(?: \w+){0,2} divers[oaie]|divers[ie] (?:distretti|parti del corpo|regioni)",
    r"otr[oa]s? (?:pacientes?|partes? del cuerpo|region(?:es)?|zonas?|articulacion)|(?:region|zona|parte)(?:e?s)?"
    r"(?: \w+){0,2} (?:diferentes?|distintas?)",
    r"autres? (?:patiente?|regions?|parties? du corps|articulation)|(?:regions?|parties?)(?: \w+){0,2} differentes?",
    r"ander\w+ (?:\w+ )?(?:korper\w+|patient\w*|region|gelenk)|verschieden\w+ (?:korper\w+|region\w*|patient\w*)",
    r"(?:另一|其他|别的|不同)(?:的|个|张|位)?(?:患者|病人|部位)",
)
"""Another part of the body or another patient, where an image is spoken of."""
UNRELATED = (
    r"unrelated|irrelevant|nothing to do|not what (?:one |i |we |you )?would (?:be )?expect(?:ed)?|(?:not|"
    r"n't)(?: \w+){0,2} (?:relevant|related|applicable|pertinent|connected|"
    r"helpful|useful|help)|(?:not|n't) (?:provide|give|offer|contain|yield) (?:\w+ ){0,3}?information|no bearing|"
    r"out of place|tells? (?:us |me |you )?nothing|n't tell (?:us |me |"
    r"you )?anything|of no (?:use|"
    r"help|relevance)|(?:not|cannot|n't)(?: \w+){0,2} (?:be )?used (?:to|for)|not (?:directly )?address",
    r"non (?:fornisce|da) (?:\w+ )?informazioni|non (?:e |ha |sono )?(?:\w+ )?(?:rilevante|pertinente|correlat\w|"
    r"attinenza)|nulla a che|estrane[ao]",
    r"no (?:proporciona|aporta|ofrece) (?:\w+ )?informacion|no (?:es |guarda |tiene )?(?:\w+ )?(?:relevante|"
    r"pertinente|relacion\w*|que ver)|nada que ver|ajen[oa]",
    r"sans (?:rapport|lien)|rien a voir|n'apporte rien|(?:pas|non) (?:\w+ )?(?:pertinente?|lie|liee|en rapport)",
    r"nicht (?:relevant|zugehorig|hilfreich)|sagt nichts|nichts (?:mit\b.{0,40}\b)?zu tun|irrelevant|ohne bezug",
    r"无关|不相关|没有关系",
)
"""What an image of another part of the body is to the case."""
COMPLAINS = (
    r"pains?|hurts?|hurt|ache|injur(?:y|ed)|cough|fever|headache|fell|twisted|swollen|weakness|concerns?",
    r"dolor[ei]|tosse|febbre|cadut[ao]|distorsione|trauma",
    r"dolor(?:es)?|tos|fiebre|cayo|torcio|lesion",
    r"douleurs?|mal (?:a|au)|tousse|fievre|tombee?|blessure",
    r"\w*schmerz\w*|husten|fieber|gesturzt|verletz\w+|klagt",
    r"痛|咳嗽|发热|扭伤|外伤|摔",
)
"""What patients complain of."""
BUT = (
    r"whereas|while|but|however|although|though|yet|despite|nevertheless|nonetheless|even though|in contrast|"
    r"on the other hand|instead|contrary|unlike|that said|so (?:it |i |we |this )?(?:can't|cannot|can not|could not)|"
    r"nb|please note|note that|be aware|notably|(?:cannot|can't|can not|could not) be (?:assessed|evaluated|seen|"
    r"judged|"
    r"examined|diagnosed) (?:because|since|as)",
    r"mentre|ma|tuttavia|pero|sebbene|benche|nonostante|invece|anche se|al contrario|eppure|contrariamente",
    r"mientras|sin embargo|aunque|pese|a pesar|en cambio|no obstante|sino|en lugar",
    r"alors que|tandis|mais|cependant|toutefois|bien que|pourtant|malgre|neanmoins|en revanche|or (?:je|il|l|le|la|"
    r"les|cette|ce)",
    r"wahrend|aber|jedoch|obwohl|allerdings|hingegen|dagegen|sondern|trotz|dennoch|obgleich",
    r"而|但|但是|然而|虽然|尽管|却|可是|不过",
)
RATHER = (
    r"(?:doesn|don|aren|wasn)'t|not,? as (?:stated|described|claimed|indicated|requested),?|rather than|instead of|"
    r"as opposed to|not|isn't|"
    r"is not|in place of",
    r"piuttosto che|invece (?:che|di|del|della|dell)|anziche|e non|non",
    r"en lugar de|en vez de|y no|no|mas que",
    r"plutot que|au lieu d\w*|et non|pas|non",
    r"statt|anstatt|anstelle|nicht|kein\w*|und nicht",
    r"而不是|而非|不是|并非|并不是",
)
"""What stands before the part that is not the one shown."""
SHOWS = (
    r"shows?|showing|depicts?|demonstrates?|displays?|reveals?|is (?:of|an?|the)|appears? to be|seems? to be|"
    r"looks like|represents?|of (?:the|an?)|are of|being|is|i see|looking at",
    r"mostra\w*|raffigura\w*|evidenzia\w*|e (?:una?|di)|sembra\w*|appare\w*|rappresenta\w*|d(?:i|ella|el|ell)|"
    r"si tratta|vedo|veo|riguarda\w*",
    r"muestra\w*|es (?:una?|de)|parece\w*|corresponde a|representa\w*|de(?: la|l)?|se trata",
    r"montre\w*|est (?:une?|celle|celui)|semble\w*|represente\w*|d(?:e la|u|e l)|il s'agit|je vois|porte sur",
    r"zeigt|zeigen|ich sehe|betrifft|ist|scheint|handelt|stellt|der|des|vom|von",
    r"显示|是|为|示|似乎|属于|的|看到",
)
TOGETHER = (
    r"(?:go|goes|belong|fit|match) together|match each other|fit each other|insieme|l'una? con l'altr[ao]|entre si|"
    r"ensemble|zusammen\w*|zueinander",
)
"""Where two things that were named before are said to fit."""
NOT_BY = (
    r"(?:cannot|can't|can not|not) be (?:assessed|evaluated|diagnosed|confirmed|excluded|answered|judged|seen|made|"
    r"verified|ruled out) (?:on|by|with|from|using|in)",
    r"non (?:si puo|e possibile) \w+ (?:con|su|da)|no se puede \w+ (?:con|en|por)|ne peut (?:pas )?etre \w+ (?:sur|"
    r"par)",
)
"""Before an image of what the words are not about."""
OF_DISEASE = (
    r"diagnos\w+|hypothes\w+|suspicion|suggestion|impression|sospetto|sospecha|verdacht\w*|soupcon",
    r"怀疑|诊断",
)
"""What an image may speak against without being the wrong one."""
REQUESTED = (
    r"request(?:ed)?|asked for|ordered|was for|(?:i|we)(?: would|'d| will)? (?:need|require)|richiest[ao]|peticion|"
    r"solicitad[oa]|demande(?:e)?|angefordert\w*|"
    r"anforderung|gefragt",
    r"申请|要求",
)
"""What image was asked for."""
UNSHOWN = (
    r"(?:(?:in question|joint|itself|region|area) )?(?:is|are|was|were) not (?:imaged|included|shown|covered|"
    r"depicted|visible|displayed|in the|seen|part of)|"
    r"(?:(?:in question|joint|itself|region|area) )?isn't (?:imaged|included|shown|covered|depicted|visible|in the)|"
    r"non e (?:visibile|incluso|inclusa|compres[oa])|"
    r"no (?:se ve|esta incluid[oa]|aparece)|n'est pas (?:visible|inclus\w*|couvert\w*)|"
    r"ist nicht (?:abgebildet|erfasst|dargestellt|zu sehen)",
    r"未包括|没有显示|未显示",
)
"""After a part of the body: the image does not show it."""
UNSENT = (
    r"(?:without|lack of|absence of|senza|sin|sans|ohne) (?:\w+ ){0,3}?(?:image|imaging|mri|ct|scan|x ?-?ray|"
    r"radiograph)",
)
"""There is no such image."""
SAME = (r"same|stess[oaie]|mism[oa]s?|meme|selbe\w*|gleiche\w*", r"同一|相同")
SUPPOSES = (
    r"if|whether|unless|in case|ensure|make sure|always|important (?:to|that)|should (?:be )?(?:correlated|always)|"
    r"could the|may need|when (?:the|an?|there)|any",
    r"se (?:il|la|l|lo|i|le|gli|non|questa|questo|c'e)|qualora|assicurars\w+|nel caso",
    r"si (?:la|el|los|las|no|esta|este|hay)|asegur\w+|en caso",
    r"s'il|si (?:l|le|les|cette|ce)|s'assurer|en cas",
    r"wenn|falls (?:das|die|der|ein\w*)|ob (?:das|die|der|ein\w*)|sofern|sicherstellen",
    r"如果|若|是否|确保|假如|倘若",
)
"""Before a misfit: nothing is said to be so."""

NAMES = (
    r"chest|thorax|lungs?|heart|breast|brain|head|skull|abdomen|abdominal|belly|pelvis|spine|eyes?|retina|neck|"
    r"shoulders?|elbows?|wrists?|hands?|hips?|knees?|ankles?|foot|feet|leg|arm",
    r"torace|polmon[ei]|cuore|encefalo|cervello|testa|addome|bacino|colonna|occhi?o?|collo|spalla|gomito|polso|mano|"
    r"anca|ginocchio|caviglia|piede",
    r"torax|pulmon(?:es)?|corazon|cerebro|cabeza|pelvis|columna|ojos?|cuello|hombro|codo|muneca|cadera|rodilla|"
    r"tobillo|pie",
    r"poitrine|poumons?|coeur|cerveau|tete|ventre|bassin|rachis|oeil|cou|epaule|coude|poignet|main|hanche|genou|"
    r"cheville|pied",
    r"brustkorb|lungen?|herz|gehirn|kopf|schadel|bauch|becken|wirbelsaule|augen?|hals|schulter|ellbogen|handgelenk|"
    r"hand|hufte|knie|sprunggelenk|fuss",
    r"胸|肺|脑|头|腹|盆|眼|颈|肩|肘|腕|手|髋|膝|踝|足|心|脊|椎|腰",
)
"""Parts of the body by their plain names, which say nothing of a disease."""
LIMBS = {
    "shoulder": "shoulder* spalla spalle hombro* epaule* schulter* rotator supraspin* infraspin* glenoid* glenohum* "
    "scapul* clavic* 肩 锁骨 冈上肌",
    "elbow": "elbow* gomit* codo coude* ellbogen* olecran* 肘",
    "hand": "wrist* hand hands polso mano mani muneca poignet handgelenk* finger* carpal* metacarp* scaphoid* 腕 手",
    "hip": "hip hips anca anche cadera hanche* huft* acetabul* 髋",
    "knee": "knee* ginocchi* rodilla* genou* knie* menisc* menisk* patell* cruciate acl pcl 膝 半月板 髌",
    "foot": "ankle* foot feet caviglia piede piedi tobillo cheville* fuss* sprunggelenk* knochel* pied pieds calcane* "
    "malleol* achill* 踝 足 脚",
}
"""The joints of arm and leg, which are parts of their own here: `ankle*` is any word that begins so."""
ARM, LEG = ("shoulder", "elbow", "hand"), ("hip", "knee", "foot")
