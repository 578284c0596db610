"""English words and phrases by what they do in a reply about a medical image."""

from __future__ import annotations

ROLES = {
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
    "body": "brain brains retina retinas lung lungs eye eyes fundus macula chest parenchyma patient person appearance "
    "case",
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
    "artefact": "snow interference stripes artifact artifacts artefact artefacts artifactual noise blur blurring "
    "blurriness ghosting ghost-like ghosts ringing speckle aliasing streaks streaking static glare shading "
    "inhomogeneity inhomogeneities dropout signal-loss banding wrap-around falloff motion movement graininess "
    "vignetting haloing corruption degradation distortion distortions",
    "quality": "quality resolution exposure contrast sharpness clarity brightness signal-strength field-of-view "
    "visibility illumination adequacy",
    "bad": "low bad weak reduced severe severely heavy heavily significant significantly substantial substantially "
    "hampers hampered hampering hamper limits limit limiting limitation limitations extreme extremely pronounced "
    "strong hinder hinders hindered degrades affects affected worse",
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
"""A word has one role."""
PHRASES = {
    "other": "white matter|grey-white|gray-white|black and white|not obscure|not hide|not affect|not alter",
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
    "quality": "field of view|signal strength",
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
"""Words in a row that have a role of their own."""
