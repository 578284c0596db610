"""English words by what they do in a reply to a question about an image."""

from __future__ import annotations

from snellen.grading.language.patterns import word_set
from snellen.grading.language.roles import Lexicon

COMMON = word_set(
    "the is and of to a in that this it are with for as be or not on i you can from by an have was at if which image"
)

ROLES = {
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
    "beside along around across near nearest closest next",
    "picture": "image picture photo photograph pic screenshot attachment file snapshot visual jpg jpeg png pdf",
    "pictures": "images pictures photos photographs pics screenshots attachments files visuals videos pixels",
    "study": "electrocardiogram electrocardiograms figure figures scan scans x-ray x-rays xray xrays radiograph "
    "radiographs mri mris ct ecg ecgs ekg ekgs slide slides diagram diagrams chart charts map maps graph graphs plot "
    "plots painting paintings drawing drawings illustration illustrations tracing tracings micrograph micrographs "
    "photomicrograph video document documents film films schematic schematics artwork artworks mammogram ultrasound "
    "sonogram echocardiogram angiogram smear receipt graphic graphics spectrum blueprint poster cxr table panel "
    "fundus link links url eeg oct",
    "flaw": "artifact artifacts artefact artefacts noise distortion distortions guidance guided evidence quality "
    "resolution",
    "show": "showed shows show depicts depict displays reveals reveal demonstrates demonstrate contains contain "
    "captures capture illustrates illustrate presents indicates indicate suggests suggest portrays portray "
    "represents represent exhibits exhibit showing depicting featuring features showcases highlights consists "
    "illustrating includes points says reads corresponds",
    "is": "is are was were am",
    "be": "be been being appears appear seems seem looks",
    "there": "there there's theres",
    "it": "it it's he she they that's he's she's they're itself",
    "have": "have has had having",
    "usually": "typically usually generally often commonly sometimes normally frequently general such depending "
    "depends depend common e.g. etc ways factors tips steps methods always ranging typical helps important crucial "
    "essential tend tends involve involves varies vary characterized characterised defined refers guide tutorial "
    "divided classified sorted estimated managed treated exist exists rarely mostly template coded e.g",
    "do": "imagine turn mix bake preheat stir prepare connect adjust set rotate align enter subtract multiply divide "
    "install "
    "print download fill cut wash repeat check consider compare ensure measure use start begin follow note remember "
    "search keep count take pay ask zoom focus refer watch select calculate list write click draw gather avoid learn "
    "explore apply trace hold place pull put pick tap press bear work erect do",
    "to": "to",
    "sure": "exact precise reliable accurate sure certain confident definitive definitively definite certainty "
    "conclusive conclusively positive confidently accurately reliably confidence exactly bet",
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
    "different": "other previous prior clearer better higher comparison follow-up older sharper larger old",
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
    "celebrities doctors radiologists who whose",
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
    "when": "soon once when until whenever after whether upon",
    "unseeing": "blind invisible",
    "so": "so thus therefore hence",
    "rules": "comment responsible appropriate guideline policy policies guidelines inappropriate unethical privacy "
    "confidential violates qualified licensed authorized authorised permitted allowed comfortable engage ethical",
    "move": "worked works accompanies accompanied accompany come came coming go went gone reached reach reaches made "
    "lost",
    "analysing": "analyzing analysing processing interpreting evaluating assessing reading examining reviewing "
    "inspecting recognizing",
    "done": "stands measured calculated performed obtained assessed used computed prepared diagnosed",
    "ing": "*ing",
}

WORDS = Lexicon(ROLES)
