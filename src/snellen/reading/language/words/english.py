"""English words by what they do in a response to a question about an image."""

from __future__ import annotations

from snellen.reading.language.patterns import word_set

COMMON = word_set(
    "the is and of to a in that this it are with for as be or not on i you can from by an have was at if which image"
)

SMALL = word_set(
    "the of and to is are this that it its you your what which how with for be can not or by from have has there would "
    "any does do where who"
)
"""Words of which English has many, whatever it is about."""

ROLES = {
    "other": "*'s *ss *us *is *megaly anomaly",
    "not": "not don't doesn't didn't isn't wasn't aren't weren't haven't hasn't hadn't never dont didnt doesnt isnt "
    "ain't havent wouldn't neither nor hardly",
    "cannot": "cannot can't cant couldn't unable incapable won't impossible",
    "no": "nothing's no none nothing nowhere zero",
    "without": "without absence lacking lack lacks sans",
    "able": "means able ability abilities capability capabilities capacity capable equipped designed programmed "
    "possible way functionality tools trained built",
    "can": "can could",
    "may": "may might would should must shall will ought",
    "see": "see view access open perceive visualize visualise observe look glance retrieve",
    "analyse": "analyze analyse interpret evaluate assess read examine review inspect recognize recognise understand "
    "handle interact study grade report",
    "tell": "determine determined tell told say identify know confirm conclude pinpoint discern distinguish specify "
    "ascertain decide state establish verify judge differentiate gauge infer deduce decipher estimate classify name "
    "locate swear commit call choose settle speak make",
    "get": "getting find found detect detecting notice got get gotten received receive receiving",
    "given": "attached provided included uploaded loaded shared sent supplied embedded submitted linked pasted "
    "viewable enclosed inserted posted rendered transmitted delivered given processed viewed opened accessed",
    "visible": "visible legible readable seen shown displayed present noted evident observed identified apparent "
    "visualized visualised demonstrated depicted noticeable detected appreciated pictured featured noticed "
    "recognizable recognisable discernible labelled labeled marked",
    "load": "process accept accepts accepting load loading render rendering arrive arrived arriving transmit "
    "materialize materialise register registered supported support displaying",
    "through": "through up",
    "fail": "broken dropped failed fail fails failing error glitch trouble",
    "send": "resubmit re-submit reload upload uploading reupload re-upload re-uploading reuploading re-sending "
    "attach attaching reattach re-attach re-attaching resend re-send resending paste pasting re-share reshare uploads",
    "give": "provide providing share sharing send sending submit submitting insert inserting include including "
    "supply supplying give giving offer offering add adding drop dropping post posting",
    "describe": "describe describing description descriptions transcribe transcribing",
    "ask": "please kindly mind hesitate try trying",
    "if": "if unless",
    "suppose": "assuming assume suppose supposing presume presumably hypothetically hypothetical presuming "
    "assumption presumption",
    "need": "need needs needed require requires required necessary requiring",
    "want": "want like love happy glad pleased delighted wish ready",
    "i": "i i'm i'd i've i'll im me my myself mine ive",
    "we": "we we're we'll let's us our we've we'd let",
    "you": "you you're you've you'd you'll user yourself",
    "your": "your yours",
    "the": "the those their his her its",
    "this": "this these that",
    "a": "a an any some another one",
    "in": "in on from within inside about into onto for by with between under over during among behind above below "
    "beside along around across near nearest closest next after upon",
    "picture": "image picture photo photograph pic screenshot attachment file snapshot visual jpg jpeg png pdf",
    "pictures": "images pictures photos photographs pics screenshots attachments files visuals videos pixels",
    "study": "electrocardiogram electrocardiograms figure figures scan scans x-ray x-rays xray xrays radiograph "
    "radiographs mri mris ct ecg ecgs ekg ekgs slide slides diagram diagrams chart charts map maps graph graphs plot "
    "plots painting paintings drawing drawings illustration illustrations tracing tracings micrograph micrographs "
    "photomicrograph video document documents film films schematic schematics artwork artworks mammogram ultrasound "
    "sonogram echocardiogram angiogram smear receipt graphic graphics spectrum blueprint poster cxr table panel "
    "fundus link links url eeg oct page pages",
    "flaw": "artifact artifacts artefact artefacts noise distortion distortions guidance guided evidence quality "
    "resolution",
    "show": "showed shows show depicts depict displays reveals reveal demonstrates demonstrate contains contain "
    "captures capture illustrates illustrate presents indicates indicate suggests suggest portrays portray "
    "represents represent exhibits exhibit showing depicting featuring features showcases highlights consists "
    "illustrating includes points says reads corresponds reflects "
    "reflect",
    "is": "is are was were am",
    "be": "be been being appears appear seems seem looks",
    "there": "there there's theres",
    "it": "it it's he she they that's he's she's they're itself",
    "have": "have has had having",
    "usually": "typically usually generally often commonly sometimes normally frequently general such depending "
    "depends depend common e.g. etc ways factors tips steps methods always ranging typical helps important crucial "
    "essential tend tends involve involves varies vary refers guide tutorial exist exists rarely mostly "
    "template coded e.g",
    "do": "imagine turn mix bake preheat stir prepare connect adjust set rotate align enter subtract multiply divide "
    "install "
    "print download fill cut wash repeat check consider compare ensure measure use start begin follow note remember "
    "search keep count take pay ask zoom focus refer watch select calculate list write click draw gather avoid learn "
    "explore apply trace hold place pull put pick tap press bear work erect do",
    "to": "to",
    "sure": "exact precise reliable accurate sure certain confident definitive definitively definite certainty "
    "conclusive conclusively positive confidently accurately reliably confidence bet",
    "unsure": "unsure uncertain unclear ambiguous inconclusive uncertainty undetermined indeterminate unknown "
    "wavering undecided tentative tentatively illegible unreadable doubts",
    "hard": "hard difficult challenging tricky tough",
    "guess": "speculate guess guessing speculation speculative guesswork",
    "maybe": "maybe perhaps",
    "blur": "blurry blurred grainy pixelated fuzzy low-resolution obscured cropped low-quality overexposed "
    "underexposed",
    "poor": "too poor insufficient inadequate",
    "enough": "enough sufficient sufficiently",
    "more": "more additional further extra",
    "different": "other previous prior clearer better higher comparison compared follow-up older sharper larger old",
    "info": "information context details detail data history specifics clues",
    "help": "help assist comply fulfill fulfil helping assisting assistance",
    "decline": "decline refuse refrain prefer pass",
    "medical": "medical diagnosis diagnoses diagnose diagnosing diagnostic advice opinion treatment prognosis "
    "healthcare advise",
    "doctor": "*ologist *iatrist pharmacist obstetrician sonographer dentist gp surgeon neuroradiologist optometrist "
    "dermatologists paediatrician pediatrician nurse oncologist doctor physician radiologist dermatologist "
    "specialist cardiologist neurologist ophthalmologist pathologist clinician provider professionals professional "
    "vet veterinarian expert practitioner botanist mycologist",
    "consult": "consult seek contact visit recommend advised consulting seeking consultation recommended appointment",
    "sorry": "sorry apologize apologies apologise unfortunately afraid regret",
    "text": "text text-based text-only text-to-text textual written typed words sentence wording",
    "bot": "ai model assistant language chatbot llm bot program",
    "only": "only solely limited purely strictly exclusively just alone",
    "sight": "vision eyes visually sight eyesight multimodal",
    "forget": "forgot forget forgotten neglected omitted",
    "blank": "invalid blank empty missing unavailable inaccessible corrupted placeholder absent corrupt",
    "what": "what what's whatever anything which something",
    "message": "message conversation chat prompt request question thread query inbox session",
    "answer": "answer",
    "yes": "yes yeah yep correct true false nobody",
    "but": "but however though although nevertheless yet",
    "or": "or and/or either",
    "and": "and",
    "people": "facial people person individual individuals identity identities face faces someone somebody "
    "celebrities doctors radiologists patients who whose",
    "thanks": "thank thanks hello hi welcome certainly absolutely okay ok hope great",
    "kind": "point number time period percentage duration art unit phenomenon tests test imaging discipline feature "
    "property aspect theory type types kind kinds form forms part organ structure system method technique condition "
    "disease disorder group branch symbol device area field concept term category class science role procedure "
    "molecule family genus stage tool skill interpretation analysis step idea goal representation infection vital",
    "finding": "normal clear intact unremarkable enlarged mild moderate severe left right bilateral upper lower "
    "central anterior posterior lateral medial midline irregular regular acute abnormal elevated red blue green "
    "yellow brown orange pink purple wooden large small low prominent expanded stable "
    "unchanged thickened dilated widened",
    "shade": "white black grey gray",
    "here": "here",
    "anatomy": "anatomy content contents",
    "number": "two three four five six seven eight nine ten eleven twelve",
    "plural": "*s",
    "every": "each every all whichever whoever anyone everyone",
    "many": "many several various different numerous most",
    "adverb": "as *ly",
    "available": "available accessible",
    "seeing": "looking seeing viewing accessing opening perceiving observing visualizing retrieving",
    "of": "of",
    "instance": "example examples instance",
    "when": "soon once when until whenever whether",
    "unseeing": "blind invisible",
    "so": "so thus therefore hence",
    "rules": "comment responsible appropriate guideline policy policies guidelines inappropriate unethical privacy "
    "confidential violates qualified licensed authorized authorised permitted allowed comfortable engage ethical",
    "move": "worked works accompanies accompanied accompany come came coming go went gone reached reach reaches made "
    "lost",
    "analysing": "analyzing analysing processing interpreting evaluating assessing reading examining reviewing "
    "inspecting recognizing",
    "done": "stands measured calculated performed obtained assessed used computed prepared diagnosed characterized "
    "characterised based confirmed defined divided classified sorted estimated managed treated",
    "ing": "*ing",
}


DETECTION = {
    "normal": "normal healthy unremarkable nonpathological non-pathological wnl",
    "abnormal": "abnormal abnormality abnormalities pathology pathologies pathological pathologic diseased disease "
    "diseases disorder disorders tumor tumors tumour tumours tumoral tumorous neoplasm neoplasms neoplastic "
    "malignancy malignant cancer cancerous glioma gliomas glioblastoma glioblastomas astrocytoma astrocytomas "
    "oligodendroglioma meningioma meningiomas adenoma adenomas macroadenoma macroadenomas microadenoma metastasis "
    "metastases cnv dme amd degeneration retinopathy npdr pdr covid covid-19 covid19 sars-cov-2 pneumonia pneumonias "
    "tuberculosis infection infections infectious stroke unhealthy nonnormal non-normal",
    "finding": "cloudy veiled streaky fluffy mass masses lesion lesions opacity opacities opacification "
    "opacifications opacified consolidation consolidations consolidated edema oedema edematous oedematous swelling "
    "swollen fluid cyst cysts cystic cystoid cyst-like drusen deposit deposits hemorrhage hemorrhages haemorrhage "
    "haemorrhages hemorrhagic bleed bleeding bleeds microaneurysm microaneurysms aneurysm aneurysms exudate exudates "
    "exudation exudative cotton cotton-wool effusion effusions infiltrate infiltrates infiltration infiltrative "
    "infiltrating thickening thickened hyperintense hyperintensity hyperintensities hypointense hypointensity "
    "hyperreflective hyperreflectivity hyporeflective hyperdense hyperdensity hypodense hyper-reflective "
    "hypo-reflective enhancing enhancement ring-enhancing necrosis necrotic shift shifted displaced displacement "
    "displaces displace displacing compress compresses compressed compression compressing asymmetry asymmetric "
    "asymmetrical irregular irregularity irregularities irregularly elevation elevations elevated elevate elevates "
    "elevating disrupted disruption disruptions detachment detached nodule nodules nodular cavity cavities cavitation "
    "ground-glass groundglass reticular interstitial blunted blunting obscured obscures obscuring effaced effacement "
    "effaces dilated dilation dilatation enlarged enlargement enlarges enlarge expanded expands increased increase "
    "deformed deformity bulge bulging bulges bump bumps growth growths spot spots patch patches patchy bright "
    "brighter brightly white whitish density densities dense neovascularization neovascularisation neovascular "
    "scarring scar atrophy atrophic collapse collapsed atelectasis pneumothorax cardiomegaly congestion calcification "
    "calcifications calcified infarct infarcts infarction ischemia hematoma haematoma loss lost lobulated "
    "heterogeneous heterogeneity meniscus silhouetting bronchogram bronchograms beading tortuous tortuosity leakage "
    "leaking leaks pocket pockets space-occupying suspicious lifted lifts lifting pushes pushed pushing invades "
    "invasion invading bowing widened widening stranding clouding airspace ring-shaped intraretinal subretinal "
    "suprasellar protrusion protruding separation separated accumulation pooling neovessels fibrosis tumefaction "
    "plaque plaques distorts stigmata bulky fibrovascular interrupted interruption discontinuity broken indented "
    "indentation squeezed flattened flattening ballooned mounds undulating wavy hole holes flecks dots obliterated "
    "destroyed destruction engorged inflamed inflammation lucency bowed",
    "haze": "hazy haze haziness",
    "sound": "clear intact preserved symmetric symmetrical symmetrically symmetry smooth sharp sharply regular crisp "
    "continuous uniform uniformly homogeneous homogenous aerated flat unbroken well-organized well-organised "
    "well-defined well-aerated midline central unaffected benign normally fine mirror parallel even well-delineated "
    "delineated sharply-defined undisturbed ordinary typical-appearing clean pink transparent orderly maintained usual",
    "not": "not isn't aren't doesn't don't didn't wasn't weren't hasn't haven't shouldn't wouldn't never",
    "no": "no without lack lacks lacking free negative neither nor none nothing nowhere devoid absence zero against "
    "avoid fails",
    "absent": "absent unlikely excluded",
    "may": "may might could possible possibly potential potentially perhaps maybe uncertain questionable conceivable "
    "equivocal",
    "can": "can able",
    "cannot": "barely scarcely cannot can't couldn't unable impossible difficult hard challenging inability hardly "
    "impractical unsafe irresponsible inconclusive indeterminate undetermined undeterminable indecipherable won't",
    "general": "explain teach emphasise emphasize remind typically usually often generally commonly characterized "
    "characterised tends tend refers arise arises frequently sometimes expect expects expected classic classically "
    "defined remember occurs occur include includes including classified known ranges vary varies progress starts "
    "starting helps involves mimic students student learners caused causes",
    "would": "would should must",
    "if": "if when whether unless",
    "order": "weigh confirm locate outline recall check examine inspect compare consider search note review use "
    "follow start begin think correlate ensure familiarize familiarise apply try",
    "picture": "image images picture pictures photo photos photograph photographs scan scans slice slices mri mris "
    "x-ray x-rays xray xrays radiograph radiographs film films oct octs frame view acquisition section sections ct "
    "imaging radiography tomography study exam examination projection",
    "the": "the your its",
    "it": "it they them",
    "this": "this everything provided given shown here above attached displayed submitted uploaded presented these "
    "current that shared supplied",
    "body": "brain brains retina retinas lung lungs eye eyes fundus macula chest parenchyma patient appearance case",
    "who": "person persons people individual individuals identity face faces anyone someone",
    "be": "is are was were be been being appears appear appeared seems seem looks look remains remain",
    "show": "shows show showing reveals reveal demonstrates demonstrate demonstrating displays display depicts depict "
    "exhibits exhibit contains contain has have had",
    "see": "see seen seeing observe observed visible visualized visualised present presence noted notice noticeable "
    "identified detected detect evident found find apparent noticed appreciated signs sign evidence indications",
    "point": "indicates indicate indicating suggests suggest suggesting suggestive consistent compatible indicative "
    "represents represent confirms fits fit fitting matches point points pointing favors favours typical",
    "there": "there there's",
    "spoilt": "noisy grainy unreadable illegible ungradable ungradeable uninterpretable nondiagnostic non-diagnostic "
    "non-interpretable overexposed over-exposed underexposed under-exposed pixelated pixelation low-resolution "
    "low-quality poor-quality out-of-focus unfocused defocused low-contrast washed-out motion-degraded garbled "
    "unassessable unusable overpenetrated underpenetrated underpenetration overpenetration cut-off ungraded "
    "motion-blurred low-res unintelligible undiagnostic unsharp underlit overlit poorly-lit",
    "spoilable": "blurry blurred fuzzy distorted degraded corrupted dark darkened dim unclear indistinct smeared "
    "cropped truncated saturated faint streaked uneven incomplete limited shaky unsuitable inadequate insufficient "
    "suboptimal sub-optimal poor poorly compromised tilted damaged obscure scrambled unrecognizable unrecognisable "
    "noise-corrupted warped muddy murky foggy smudged clipped bleached oversaturated subpar sub-par mediocre "
    "deteriorated imperfect jumbled corrupt defocussed jittery",
    "artefact": "artifacts artefacts artifactual noise blur blurriness ghosting ghost-like ghosts "
    "aliasing streaking glare inhomogeneity inhomogeneities signal-loss wrap-around falloff graininess "
    "vignetting haloing artifact artefact",
    "moving": "shading motion movement distortion distortions blurring interference static corruption degradation "
    "stripes streaks snow ringing speckle dropout banding",
    "quality": "quality resolution exposure contrast sharpness clarity brightness signal-strength field-of-view "
    "visibility illumination adequacy",
    "bad": "low bad reduced hampers hampered hampering hamper limits limit limiting limitation limitations hinder "
    "hinders hindered degrades worse",
    "much": "severe severely heavy heavily significant significantly substantial substantially extreme extremely "
    "pronounced strong affects affected",
    "good": "good adequate high sufficient acceptable diagnostic excellent optimal satisfactory reasonable "
    "technically proper reliable reliably enough confident confidently confidence clearly suitable",
    "too": "too such very",
    "tell": "comment comments declare determined tell say assessed assessable assessment evaluated evaluation "
    "interpret interpreted interpretation interpreting judge read graded grade sure exclude commit rely conclusive "
    "definitive definitively evaluable ascertain decided supportable supported evaluate assess determine decide "
    "analyze analyse concluded",
    "spot": "discern discerned discernible distinguish distinguished distinguishable recognised recognized "
    "recognizable recognisable recognise recognize separate trace traced differentiate differentiated visualize "
    "visualise identify delineate resolved followed",
    "concluding": "conclusion conclusions verdict impression classification decision result summary choice selection "
    "final outcome answer answers category class prediction output response judgement judgment opinion determination",
    "so": "therefore thus hence so overall conclude concludes concluding ultimately accordingly consequently together "
    "based summarise summarize balance short revise",
    "choose": "choose select pick classify categorise categorised categorize categorized labelled labeled label lean "
    "call go answered vote favor favour opt assign assigned chosen choosing",
    "diagnosis": "diagnosis diagnoses diagnosing diagnose diagnosed",
    "medical": "medical medically advice clinical patients",
    "doctor": "doctor doctors physician physicians radiologist radiologists neuroradiologist ophthalmologist "
    "neurologist specialist specialists clinician clinicians professional professionals provider expert experts "
    "optometrist healthcare neurosurgeon pulmonologist practitioner",
    "consult": "belongs belong consult consulting consulted consultation seek refer referred referral contact "
    "recommend recommended recommends ask visit reviewed leave defer requires require sought turn talk speak discuss "
    "bring forward hand reported taken",
    "provide": "provide give make offer offering giving providing render supply",
    "help": "help assist comply fulfil fulfill",
    "sorry": "sorry apologize apologise apologies afraid",
    "ai": "ai assistant language guidelines guideline policy policies",
    "decline": "decline refuse qualified licensed comfortable trained authorised authorized refrain withhold abstain "
    "equipped",
    "i": "i i'm we i'd i'll i've me my we're one",
    "you": "you students' you'd you'll",
    "but": "but however although though yet while whereas except despite nevertheless nonetheless still otherwise "
    "albeit",
    "than": "than ratherthan versus vs",
    "between": "between considered",
    "or": "or",
    "and": "and",
    "out": "outside missing cut unavailable",
    "repeat": "repeat repeated re-acquired reacquired retake retaken rescan repeating re-scan reacquire re-acquire "
    "redo higher-quality clearer",
    "send": "upload uploading share attach send resend reupload re-upload",
    "detail": "half base bases apex apices detail details structure structures layers layer landmark landmarks "
    "marking markings features feature vessels fields anatomy anatomical",
    "first": "first initially initial glance thought",
    "by": "by",
    "with": "of in for to with on at from as into over under along within near around upon across",
    "due": "due because owing since",
    "a": "a an some",
    "need": "need needs needed required necessary",
    "variant": "variant vessel tilt positional positioning positioned artefactual",
    "only": "only mostly",
    "how": "how what which",
    "let": "allow allows allowed permit permits permitted let lets enable enables",
}
"""Words by what they do in a response to a detection question, in roles of their own; a word has one."""
DETECTION_PHRASES = {
    "other": "white matter|grey-white|gray-white|black and white|not obscure|not hide|not affect|not alter|"
    "quality of life|resolution of|range of motion|architectural distortion",
    "general": "look for|looking for|looks for|appear as|appears as|present as|presents as|present with|presents with|"
    "any of these",
    "order": "look at",
    "be": "looks like",
    "spoilt": "cut off|out of focus|washed out|washes out|lacks contrast|lack of contrast|not gradable|not gradeable|"
    "not interpretable|not readable|not assessable|not diagnostic|low resolution|low contrast",
    "absent": "rule out|ruled out|rules out",
    "spot": "make out",
    "tell": "definitive diagnosis|formal diagnosis|official diagnosis|conclusive diagnosis|firm diagnosis|"
    "definite diagnosis",
    "artefact": "signal loss|loss of signal|bias field|intensity gradient",
    "quality": "field of view|signal strength|technical quality|overall quality|general quality|visual quality|"
    "spatial resolution|signal quality",
    "normal": "within normal limits",
    "than": "rather than|instead of|as opposed to",
    "cannot": "can not|not able",
    "not": "no longer|don't think|do not think",
    "decline": "outside what i can do|beyond what i can do|prefer not|rather not|not something i can|"
    "not in a position|beyond my|outside my|not my place",
    "finding": "mass effect|low signal|hard exudate",
    "this": "in question",
    "variant": "normal variant",
    "if": "whether or not",
    "so": "if anything|all in all|in sum|on the whole|by and large|in brief|in essence|in short|in other words",
    "consult": "be left to|up to a|job for a|task for a",
    "out": "not included",
    "no": "clear of|don't think there is|do not think there is|don't think there are|do not think there are",
    "sound": "well expanded|clear and expanded",
    "only": "not only",
    "may": "unclear whether|unclear if",
}
"""Words in a row that have a role of their own there."""
