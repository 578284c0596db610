"""Words by which a response says that what a question takes for granted is not so, in six languages.

They are pieces of patterns over a text in small letters without accents, in which French "n'est" is "ne est".
"""

from __future__ import annotations

CONCEPTS = {
    "effusion": r"effusions?|pleural fluid|fluid in the pleural|versament\w+|derrames?|epanchements?|\w*erguss\w*|"
                r"hydrothora\w+|积液|胸水",
    "pneumothorax": r"pneumothora\w+|pneumotorac\w+|pneumotorax|neumotora\w+|collapsed lung|气胸",
    "consolidation": r"consolidat\w+|consolid\w+|(?:airspace|alveolar|air-space) (?:opaci\w+|disease)|opaci(?:ty|"
                     r"ties|fication)|"
                     r"infiltrat\w+|pneumoni\w+|addensament\w+|konsolid\w+|verschattung\w*|polmonit\w+|neumoni\w+|"
                     r"实变|肺炎",
    "nodule": r"nodul\w+|rundherd\w*|lungenherd\w*|结节",
    "cardiomegaly": r"[ck]ardiomegal\w+|enlarged (?:heart|cardiac)\w*|cardiac enlargement|"
                    r"(?:heart|silhouette) (?:is|looks|appears|seems) (?:(?!not\b)\w+ )?enlarged|心脏(?:增大|扩大)",
    "tumour": r"\w*tumou?r\w*|mass(?:es)?(?: lesions?)?|neoplas\w+|glioma\w*|glioblastoma\w*|meningioma\w*|masa|massa|"
              r"肿瘤|肿块",
    "infarct": r"infarct\w*|infart\w+|infarkt\w*|stroke|ischa?emi\w+|ictus|schlaganfall|梗死|梗塞",
    "haemorrhage": r"ha?emorrh\w+|bleed\w*|ha?ematoma\w*|hemorrag\w+|emorragi\w+|ematom\w+|\w*blutung\w*|出血",
    "white matter lesion": r"white matter (?:lesions?|hyperintensit\w+|disease|changes)|白质病变",
    "hydrocephalus": r"hydroceph\w+|idrocefal\w+|hidrocefal\w+|hydrozephal\w+|"
                     r"(?:enlarged|dilated) ventricles|ventriculomegal\w+|ventricles (?:are|appear|"
                     r"look) (?:(?!not\b)\w+ )?(?:enlarged|"
                     r"dilated)|脑积水",
    "macular hole": r"macular holes?|holes?(?= in the macula| at the fovea)|full-thickness (?:defect|hole)s?|"
                    r"foro maculare|"
                    r"黄斑裂孔",
    "subretinal fluid": r"sub-?retinal fluid|subretinal detachment|视网膜下液",
    "intraretinal cyst": r"(?:intra-?retinal |retinal )?cysts?|cystoid (?:spaces?|o?edema)|intra-?retinal fluid",
    "drusen": r"drusen|druse|drusenoid deposits?|玻璃膜疣",
    "epiretinal membrane": r"epi-?retinal membranes?|macular pucker|membrana epirretiniana|membrana epiretinica|前膜",
    "exudate": r"(?:hard )?exudates?|essudat\w+|exudad\w+|exsudat\w*|渗出",
    "cotton-wool spot": r"cotton[- ]?wool (?:spots?|patches)|soft exudates?|棉絮斑",
    "cupping": r"cupping|enlarged (?:optic )?cup|glaucoma\w*|青光眼",
    "vein occlusion": r"vein occlusions?|venous occlusions?|occluded vein|静脉阻塞",
    "fracture": r"fractur\w*|frattur\w*|fraktur\w*|骨折",
    "oedema": r"o?edema|odem\w*|水肿",
    "atelectasis": r"atelecta\w+",
    "aneurysm": r"aneurysm\w*|aneurism\w*",
    "lesion": r"lesions?|lesion[ei]|lasion\w*|病变|病灶",
}  # fmt: skip
"""What a question may take for granted, and what else an image may show: names of one thing in all languages."""
WITHIN = {"white matter lesion": "lesion", "cupping": "lesion", "exudate": "lesion", "nodule": "lesion",
          "tumour": "lesion", "infarct": "lesion", "haemorrhage": "lesion"}  # fmt: skip
"""What may also be called by a wider name."""

_SOUND = r"(?:sharp|clear|crisp|free|preserved|well[- ](?:defined|seen)|normal|intact|maintained|not blunted)"
_NORMAL = r"(?:normal|not (?:\w+ )?(?:enlarged|dilated|widened)|within normal limits|unremarkable)"
_ARE = r"(?:is|are|appears?|looks?|seems?|remains?)(?: \w+){0,3}?"
CONTRARY = {
    "effusion": rf"costophrenic (?:angles?|recess(?:es)?|sulc\w+)(?: \w+){{0,2}}? {_ARE} {_SOUND}|"
                rf"pleural (?:spaces?|cavit(?:y|ies)) {_ARE} (?:clear|free|normal|unremarkable)|"
                r"\bno (?:\w+ )?fluid (?:is (?:seen|visible|present) )?(?:on|in|at) (?:the|either) (?:left|right|side|"
                r"chest)\b|"
                r"fluid is(?: not|n't) (?:seen|visible|present)(?: on (?:the|either) (?:left|right|side)\b|\W*$)|"
                rf"(?:sharp|clear|crisp|free) costophrenic|costofrenic\w+ (?:sono |son |estan )?liber\w+|"
                r"肋膈角(?:锐利|清晰)",
    "pneumothorax": rf"lungs? {_ARE} (?:re-?)?(?:expanded|inflated)|lung markings (?:\w+ ){{0,6}}?to the (?:chest wall|"
                    rf"periphery|edge)",
    "consolidation": rf"(?:lungs?|zones?|bases?|lobes?|lung fields?) {_ARE} (?:clear|well[- ]aerated|normal)|"
                     r"polmoni liberi|well[- ]aerated",
    "nodule": rf"(?:lungs?|zones?|lobes?|lung fields?) {_ARE} (?:clear|normal)",
    "cardiomegaly": rf"(?:heart|silhouette|heart size|cardiac size|cardiac shadow) {_ARE} (?:of )?{_NORMAL}|"
                    r"normal (?:heart|cardiac) size|heart does(?: not|n't) (?:\w+ )?(?:look |appear )?enlarged|"
                    r"(?:ratio|ctr) (?:\w+ ){0,4}?(?:below|under|less than|<) ?(?:0?\.5|50)|"
                    r"(?:heart|silhouette)(?: \w+){0,3} normal (?:in )?size|heart size appears normal|"
                    r"心影(?:大小)?正常",
    "hydrocephalus": rf"ventric\w+(?: size| system| calibre| caliber)?(?: and \w+)? {_ARE} {_NORMAL}|normal ventric\w+",
    "macular hole": rf"fovea\w*(?: contour| pit| depression| architecture)? {_ARE} {_SOUND}|(?:normal|intact) fovea\w*",
    "drusen": rf"(?:pigment epithelium|rpe|bruch\w+ membrane) {_ARE} (?:smooth|regular|flat|{_SOUND})",
    "subretinal fluid": rf"retina {_ARE} (?:attached|flat)",
    "cupping": rf"(?:cup[- ]to[- ]disc|cup/disc|c/d) ratio {_ARE} normal|normal (?:cup[- ]to[- ]disc|cup/disc|"
               rf"c/d) ratio|"
               rf"(?:disc|optic nerve head) {_ARE} (?:normal|healthy)",
    "fracture": rf"(?:ribs?|bones?|cortex|cortices|clavicles?) {_ARE} intact",
}  # fmt: skip
"""How an image looks where a thing is not there, by the thing."""

_WHOLE = (
    r"(?:chest |brain |head |retinal |fundus )?(?:x-?rays?|radiograph\w*|films?|scans?|images?|stud(?:y|ies)|mri|mr|"
    r"ct|oct|"
    r"examination|exam|photographs?|pictures?|slices?|brain|fundus|retina|radiografia|imagen|immagine|esame|cliche|"
    r"radiographie|aufnahme|bild|lunge|befund)"
)
_WELL = r"(?:normal\w*|unremarkable|healthy|within normal limits|nella norma|unauffallig|sin alteraciones|ohne befund)"
ALL_NORMAL = (
    rf"(?<!otherwise ){_WELL} (?:appearing |looking )?{_WHOLE}|{_WHOLE}(?: \w+){{0,3}}? (?:is|looks|appears|seems|"
    rf"es|e|est|ist|"
    rf"shows)(?: \w+){{0,2}}? {_WELL}|(?:radiografia|radiographie)(?: \w+)? {_WELL}",
    r"\bno (?:\w+ )?(?:abnormalit(?:y|ies)|abnormal findings?|pathology|lesion|disease)\b",
    r"nothing (?:is )?(?:abnormal|wrong)",
    r"未见(?:明显)?异常|(?:胸片|影像|图像|检查)(?:\S{0,4})正常",
)
"""The whole image is called normal."""
OTHERWISE = (
    r"otherwise|remaining|remainder|rest of|apart from|except|other than|restliche|other abnormalit|additional|"
    r"\bno (?:other|second|further|more)\b|\bother (?:lobes?|zones?|lungs?|ribs?|fields?|areas?|regions?|side)\b"
)
"""What is said of everything but the thing."""

PREMISE = (
    r"(?:question|premise|you|your \w+|wording)(?: \w+){0,3}? (?:presuppos\w+|assum\w+|presum\w+|impl\w+|"
    r"tak\w+ for granted|"
    r"suggest\w+|mention\w*|refer\w*|describ\w+)",
    r"\bpremise\b|\bassumption\b|\bpresuppos\w+",
    r"contrary to (?:the|your) (?:question|premise|wording)",
    r"question (?:does not|doesn't|does n't) (?:fit|match|apply|correspond|suit)|question is not (?:applicable|valid)",
)
"""Talk of what the question takes for granted; it corrects it where the sentence also says that this is not so."""
NOT_SO = (
    r"\bnot\b|n't\b|\bcannot\b|\bno\b|\bincorrect\b|\bfalse\b|\bwrong\b|\bunsupported\b|\bmistaken\b|"
    r"\bquestion the premise\b|"
    r"\bcontrary\b|\bdisagree\b|\babsent\b"
)
NONE = (
    r"there (?:is|are|was|were) none|there (?:is|are)n't (?:one|any)|there (?:is|are) not (?:one|any)|"
    r"(?:see|find|identify|detect) (?:none|no such|nothing of)|no such (?:finding|lesion|abnormality|thing)|"
    r"(?:do not|don't|cannot|can't|could not|couldn't) (?:see|find|identify|detect) (?:(?:one|any|it|this|that)"
    r"(?=\W*$|[,;.:]| (?:here|there|in|on|at|either|anywhere)\b)|"
    r"(?:any|this|that|such an?) (?:abnormal\w*|pathology|finding|lesion|disease)\b|any such\b|"
    r"any (?:sign|evidence|trace)s? of (?:it|one|this|that)\b(?! image))|"
    r"no (?:sign|evidence|trace)s? of (?:it|one|this|that|any)\b(?! image)|"
    r"what (?:the question|you) (?:calls?|refers? to|describes?)(?: as)? (?:\w+ ){1,4}(?:is|are)\b|"
    r"none (?:is|are|can be|was|were) (?:\w+ )?(?:present|visible|seen|identified|evident|found|there|shown|detected)|"
    r"nothing (?:here )?(?:that|which) (?:looks|resembles|could|would|suggests)|nothing to (?:treat|measure|"
    r"locali[sz]e|explain|count|describe|size|report)|"
    r"\b(?:it|this|that|they|these|one|such|finding|findings|lesion|lesions|abnormality|abnormalities|"
    r"(?:such|you|question|ask|asked) (?:\w+ ){0,3}?\w+) (?:is|are|was|were)(?: not|n't) (?:actually )?"
    r"(?:present|there|visible|seen|identified)(?= (?:on|in|here)|\W*$)"
)
"""Whole turns that say that there is none."""
NOTHING_AT_ALL = (
    r"(?:none|neither|zero|0|nothing|no|not applicable|n/?a|not present|absent|no finding|neither side|nessun\w*|"
    r"ningun\w*|"
    r"aucune?|keine?[rns]?|无|没有)"
)
"""A whole answer that says so."""
HEADING = r"(?:the )?(?:final )?answer|risposta|respuesta|reponse|antwort|答案"

NO = (
    r"no|without|neither|nor|absence of|lack of|lacks|free of|free from|negative for|rather than|instead of|never|"
    r"against|"
    r"senza|nessun\w*|alcun\w*|sin|ningun\w*|aucune?|sans|kein\w*|ohne|assenza di|ausencia de|absence de"
)
NOT = r"not|cannot|\w+n't|fails? to|unable to|non|no se|no hay|ne|pas|nicht"
SEES = (
    r"see|sees|seeing|seen|show|shows|showing|find|finds|identify|demonstrate\w*|reveal\w*|display\w*|contain\w*|"
    r"have|has|appear|"
    r"appears|detect\w*|appreciate\w*|recogni[sz]e\w*|observe\w*|support\w*|call|describe|speak|count|make|look|"
    r"looks|confirm|"
    r"diagnose|visuali[sz]e\w*|depict\w*|there|convinced|believe|think|suggest\w*|any|"
    r"c'e|ci|si|vedo|presente|hay|se|veo|y|sehe|zu|vois|montre|mostra|muestra|zeigt|evidenzi\w+|osserv\w+"
)
"""Verbs of which one stands between a "not" and the thing that is denied."""
ABLE = (
    r"determin\w*|assess\w*|measur(?!able)\w*|tell|say|exclud\w*|rule[ds]?|estimat\w*|quantif\w*|evaluat\w*|judge|provid\w*|"
    r"give|"
    r"interpret\w*|answer\w*|comment|help|assist|localis\w*|localiz\w*|characteri[sz]e\w*|know|specif\w*|posso|"
    r"riesco|puedo|peux|"
    r"kann|无法|不能"
)
"""What somebody cannot do who does not deny that the thing is there."""
DEGREE = (
    r"large|larger|big|bigger|small|smaller|massive|extensive|huge|severe|significant(?= (?:change|increase))|tension|"
    r"moderate|mild|loculated|complicated|only|just|merely|grande|gross\w*|piccol\w+|pequen\w+|klein\w*"
)
"""How much of it is denied, and not the thing."""
CHANGE = (
    r"change|increase|decrease|interval|progression|worsening|loculation|complication\w*|shift|doubt|question|need|"
    r"treatment"
)
"""What of the thing is denied, and not the thing."""
ANOTHER = r"other|others|additional|further|more|second|contralateral|opposite"
"""What is denied beyond the thing: "no other nodule", "no contralateral effusion"."""
PRESENT = (
    r"present|seen|visible|identified|evident|there|noted|shown|demonstrated|detected|appreciated|apparent|found|"
    r"observed|"
    r"depicted|exist|visuali[sz]ed|supported|confirmed|visibile|presente|zu erkennen|erkennbar|nachweisbar|vorhanden|"
    r"sichtbar|zu sehen|vor|here"
)
GONE = r"absent|excluded|unlikely|ruled out|missing|nicht|assente|ausente|none|nil|negative|不存在"
BEFORE = r"previous|prior|earlier|before|last film|history of|formerly|no longer"
"""An earlier image, of which nothing is asked."""
UNTOLD = (
    r"indetermin\w+|undetermin\w+|not (?:clear|possible|specified|known|stated|determinable)|unclear|is unknown|"
    r"\bi (?:can't|cannot|won't|am unable to) (?:recommend|advise|prescribe|comment)"
)
"""What is left open of a thing."""
UNMEASURED = (
    r"\b(?:can't|cannot|could not|couldn't|unable to|not able to|not possible to) (?:\w+ )?(?:measure|quantify|"
    r"estimate|be (?:\w+ )?(?:measured|given|estimated|quantified|determined|assessed))\b"
    r"(?!.*\b(?:but|however|though|although|roughly|approximately|about)\b)"
)
"""What cannot be measured, where nothing is said against it."""
SUPPOSED = (
    r"\bif\b|\bwould\b(?! not (?:call|describe|say|speak|diagnose|regard|consider|expect)\b)|\bwere there\b|"
    r"\bwhether\b|\bin case\b|\bassuming\b|\bse ci fosse\b|\bwenn\b|\bfalls\b|\bsi hubiera\b"
)
GENERAL = (
    r"(?<!\bi )(?<!\bwe )(?<!\byou )\b(?:can|may|might|could|often|usually|typically|commonly|generally|frequently|"
    r"sometimes)\b|\bvar(?:y|ies)\b|"
    r"\bin general\b|\bdepend\w*|\bsuch as\b|\bmany (?:causes|conditions)\b|\bis (?:an? )?(?:collection|"
    r"accumulation|condition|"
    r"disease|term|sign|deposit)\b|\bis (?:seen as|described|treated|assessed|defined|classified|graded|estimated|"
    r"measured)\b|"
    r"\bare (?:graded|classified|deposits|treated|described|caused|defined|assessed|seen as|counted|measured|"
    r"used)\b|\b(?:radiologist|clinician)s\b|\bappears? as\b|"
    r"\b(?:is|are) an? (?:[\w-]+,? ){0,3}?(?:membrane|layer|part|tissue|area|collection|space)s? (?:of|that|which|"
    r"where|on)\b|\brefers? to\b|"
    r"\bare (?:an? )?(?:\w+ )?(?:condition|disease|sign|type)s?\b|"
    r"\bpuo avere\b|"
    r"\bpuede tener\b|\bpeut avoir\b|\bkann\b"
)
POINTS = (
    r"\b(?:this|here|the|these|those|your) (?:\w+ ){0,2}?(?:image|picture|film|scan|x-?ray|radiograph|patient|case|"
    r"study|photograph)|"
    r"\bin this\b|\bhere\b(?! (?:is|are)\b)|\bi (?:can )?(?:only |clearly |just )?(?:see|count)\b|\bthe patient's?\b"
)
"""What points at this image or patient."""
DETERMINED = (
    r"\b(?:the|a|an|this|these|those|both|all|multiple|several|there is|there are|there's|new|left|"
    r"right|bilateral|il|lo|la|el|le|der|die|das|l')\b"
)

SIDES = {
    "left": r"left(?:[- ]sided)?|sinistr\w*|izquierd\w*|gauche\w*|links|linke\w*|左",
    "right": r"right(?:[- ]sided)?(?! (?:away|now|answer|treatment|diagnosis))|destr\w*|derech\w*|droit\w*|rechts|"
    r"rechte\w*|右",
}
BOTH_SIDES = r"bilateral\w*|both sides|both lungs|either side|neither side|beidseit\w*|双侧"
NUMBERS = {
    1: "one single solitary 1", 2: "two 2 pair", 3: "three 3", 4: "four 4", 5: "five 5", 6: "six 6", 7: "seven 7",
    8: "eight 8", 9: "nine 9", 10: "ten 10",
}  # fmt: skip
COUNTED = r"nodules?|lesions?|spots?|ha?emorrhages?|drusen|deposits?|of them|foci|cysts?|exudates?|in all|in total"
"""What numbers are of."""
COUNTS = (
    r"i (?:can )?(?:only |clearly )?(?:count|see|find|identify|make out) (?:only |just )?|only |just |"
    r"there (?:is|are) (?:only |just )?"
)

ASKS = {
    "size": r"how (?:large|big|wide|severe|extensive|much|deep|tall|thick)|what size|\bsize\b|diameter|extent|"
            r"quanto|tamano|taille|"
            r"wie gross|多大",
    "side": r"which side|what side|left or right|\bside\b|lato|\blado\b|cote|seite|哪一?侧|哪边",
    "place": r"\bwhere\b|which (?:lobe|zone|region|part|quadrant|area)|locat\w+|dove|donde|\bou est\b|\bwo\b|哪里|位置",
    "count": r"how many|number of|\bcount\b|quant[ie]|cuant[oa]s|combien|wie viele|多少|几个",
    "cause": r"caus\w+|explain|\bwhy\b|reason|due to|led to|cosa ha|ursache|原因",
    "treatment": r"treat\w*|manag\w*|therap\w*|recommend|trattar\w*|tratar|traiter|behandel\w*|治疗",
    "time": r"how (?:long|old|recent)|since when",
}  # fmt: skip
"""What is asked of the thing."""
ANSWERS = {
    "size": r"answer\W+\d[\d.,]*|small|medium|moderate\w*|large|tiny|huge|massive|minimal|mild|severe|big|extensive|"
            r"marked\w*|"
            r"\d+(?:[.,]\d+)? ?(?:x|cm|"
            r"mm|ml|l|µm|um|%|micro\w+)|third|half|ratio|grande|piccolo|moderat\w+|pequen\w+|moyen\w*|petit\w*|"
            r"gross|klein|大|小|中等|"
            r"中量",
    "side": r"left|right|bilateral|both|sinistr\w*|destr\w*|izquierd\w*|derech\w*|gauche|droite|links|rechts|左|右",
    "place": r"left|right|lobe|zone|apex|base|basal|fovea\w*|macula\w*|quadrant|temporal|nasal|frontal|occipital|"
             r"parietal|upper|"
             r"lower|mid|superior|inferior|superotemporal|inferotemporal|superonasal|inferonasal|central|posterior|"
             r"anterior",
    "count": r"\d+|one|two|three|four|five|six|seven|eight|nine|ten|several|multiple",
}  # fmt: skip
"""What answers it, by what is asked; a cause or a treatment may be anything."""
DEPENDS = r"\bdepend\w*|\bit varies\b|dipende|depende|das hangt|cela depend|取决于"
ASKS_BACK = r"^please (?:describe|tell|provide|send|give|share)|^(?:could|can) you\b|^what\b.*\?$|^an earlier\b"
DESCRIBES = (
    r"\b(?:shows?|showing|there (?:is|are)|is seen|are seen|demonstrates?|depicts?|visible|can be seen)\b|"
    r"^\W*the (?:\w+ ){0,3}?(?:is|are|appears?|looks?)\b(?!.*\b(?:caus\w+|due|because|treat\w*|explain\w*|likely|"
    r"should|manag\w*|"
    r"follow\w*|recommend\w*)\b)"
)
"""A sentence that describes an image, and names no cause and no treatment."""
TOO_POOR = (
    r"\btoo (?:\w+ )?(?:blurr\w+|dark|bright|noisy|grainy|poor|degraded|low|faint|underexposed|"
    r"overexposed)(?: \w+){0,3}? (?:to|for)\b"
)
"""An image that is too poor for an answer."""
DEFINES = (
    r"\b(?:is|are|refers? to|means?) an? (?:[\w-]+,? ){0,3}?(?:membrane|layer|part|tissue|area|collection|space|"
    r"condition|disease|"
    r"accumulation|deposit|term|type|sign)s?\b(?: of| that| which| where| on| in which| between)"
)
"""A sentence that says what a thing is, whoever has it."""
