"""What two options may share without sharing a letter: other names, opposites, parts of words; only data.

The lists of words are read as the options themselves are, so case, spelling and endings are of no matter.
"""

from __future__ import annotations

GREEK = """
alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho sigma tau upsilon phi chi psi
omega
"""
REWRITTEN = r"""
[’ʼ´`′] → '
[‐‑‒–—−] → -
œ → oe
æ → ae
ø → o
ł → l
ı → i
μ(?=[glm]\b) → u
n't\b → _not
's\b →
\b(?:l|d|dell|nell|all|dall|sull|un|qu)' → _
(?<=[a-z])\+(?!\w)|(?<=[a-z]\d)\+(?!\w) → _positive_
(?<=[a-z]\d)-(?=[\s,/;)]|$) → _negative_
[<≤] → _less_
[>≥] → _more_
\b1[/⁄]2\b|\bhalf\b → 0.5
(?<=\d),(?=\d{3}(?!\d)) →
(?<=\d),(?=\d+\s?(?:[cmk]?m|[cmdu]?l|[mk]?g|%)(?!\w)) → .
\b([a-z])(\d+)\s?[-/]\s?(\d+)\b → \1\2_\1\3
\b([a-z]{2,3})-(\d) → \1\2
\b([b-z])[- ](\d+)\b → \1\2
\b([a-z]{4,})(\d) → \1_\2
"""
"""What is written in several ways, and the way we read it; a low line is a space."""

SPELLINGS = r"""
(?<=al|ic|or|ed|us|nt|er)ly$ →
^radiation$ → irradiation
[ao]e → e
our → or
ph → f
([tr])h → \1
y → i
z → s
k → c
"""
"""One spelling for words that have several, British and American ones first."""

PARTED = "hiper high; hipo low; poli poli; pan pan; pseudo pseudo"
NOT_PARTED = "talam fis condr farin glos derm gastr tes camp crea"
"""Beginnings that are words by themselves (as they are spelled here), unless these follow."""

PREFIXES = "non sub anti pre post intra inter peri extra supra infra hyper hypo micro macro retro trans multi pseudo"
NUMBERS = """
zero / one first single solitary once / two second twice / three third / four fourth / five fifth / six sixth / seven
seventh / eight eighth / nine ninth / ten tenth / eleven eleventh / twelve twelfth
"""
ROMAN = "i ii iii iv v vi vii viii ix x xi xii xiii"
NUMBERED = "type stage grade class factor nerve cn phase level zone group category degree"
"""After these words X is ten and IV is four; elsewhere X is a letter and IV a vein."""

UNITS = """
m 0.000001 um micron microns; m 0.001 mm millimeter millimeters millimetre millimetres; m 1 m meter meters metre
metres; m 0.01 cm centimeter centimeters centimetre centimetres; g 0.000001 ug mcg microgram micrograms; g 1000 kg; g
0.001 mg milligram milligrams; g 1 g gram grams; l 0.001 ml cc milliliter milliliters millilitre millilitres; l 0.1 dl;
l 1 l liter liters litre litres; h 1 h hr hrs hour hours; h 24 day days; h 168 week weeks wk wks; mo 1 month months; mo
12 year years yr yrs; min 1 min mins minute minutes; % 0.01 % percent
"""
"""What is measured, how much of it, and the unit's names."""

ENDINGS = """
ification ified ifying atation ation ated ating ative atory ate ition ion ive ed ing ment ical atous ous ity ism ness
"""
SHORT_ENDINGS = "eal ial al ary ar ic ia us um is"
GREEK_ENDINGS = "osis oses osi ose otic oso osa astasis astases astasi astatic"
"""What is cut off a word; the short ones may leave three letters, the others leave four."""

STOP = """
a an the of in on at to for by from with and or as is are be was were it its this that these there due than into per
via il lo gli la le un una uno di del della dello dei delle degli da dal dalla nel nella al alla e ed o con per el los
las unos unas de en y por les des du et au aux avec sur der die das den dem ein eine und mit von im am zum 的 の
"""
"""Words that say nothing; at the end of an option a letter among them is a letter."""

VAGUE = """
disease diseases disorder disorders syndrome syndromes condition illness sign signs finding findings evidence
appearance feature features pattern change changes likely probable probably possible suspected malady entity seen noted
visible patient study image figure treatment therapy about approximately malattia sindrome enfermedad maladie krankheit
"""
"""Words that may be left out: they stand in the names of too many things."""

QUALIFIERS = """
left right both upper lower superior inferior anterior posterior medial lateral proximal distal acute chronic subacute
mild moderate severe small large multiple diffuse focal primary secondary benign malignant early late advanced
recurrent idiopathic congenital acquired high low viral bacterial fungal parasitic autoimmune spontaneous segmental
systemic generalized localized unilateral partial complete simple complex typical atypical invasive progressive
persistent transient underlying associated related
"""
"""Words that narrow a name down and do not make another thing of it, unless they contradict each other."""

PLACES = """
kidney liver heart lung brain eye stomach skin bone blood vessel artery vein nerve muscle joint spine bowel throat nose
ear mouth tooth tongue bladder uterus ovary testis breast spleen bile adrenal pituitary chest abdomen foot finger skull
femur trachea oesophagus appendix gallbladder colon rectum anus ureter urethra penis vagina vulva cervix placenta
prostate pancreas thyroid parathyroid thymus gland lymph node tonsil larynx bronchus pleura pericardium endocardium
peritoneum mediastinum diaphragm meninges cord optic retina cornea conjunctiva eyelid lens macula vitreous iris uvea
choroid orbit sinus gum lip face jaw mandible maxilla head neck shoulder clavicle scapula sternum rib arm humerus elbow
radius ulna forearm wrist hand thumb pelvis sacrum hip thigh knee patella tibia fibula leg ankle heel toe back disc
meniscus ligament tendon cartilage bursa fascia aorta carotid coronary mitral tricuspid valve atrium ventricle septum
portal subdural epidural subarachnoid cerebellum hippocampus cell tissue tract duct wall lobe tube canal
"""
"""Places: what is found at one is not what is found at another."""

ALIASES = """
kidney renal nephric; liver hepatic; heart cardiac myocardial myocardium; lung pulmonary pulmonic; eye ocular
ophthalmic; brain cerebral cerebrum intracranial; stomach gastric; skin cutaneous dermal; bone osseous bony skeletal;
blood haematologic; vessel vascular; artery arterial; vein venous; nerve neural nervous; muscle muscular; joint
articular; spine spinal vertebral vertebra vertebrae; bowel intestine intestinal gut enteric; throat pharynx
pharyngeal; nose nasal; ear otic aural; mouth oral; tooth dental teeth; tongue lingual; bladder vesical; uterus uterine
womb; ovary ovarian; testis testicular testicle testes; breast mammary; spleen splenic; bile biliary; adrenal
suprarenal; pituitary hypophyseal hypophysis; neck nuchal; chest thoracic thorax; abdomen abdominal belly; foot pedis
feet; finger digit digital; skull cranial cranium; femur femoral femore; child childhood paediatric infantile juvenile;
newborn neonatal neonate; trachea tracheal windpipe; oesophagus oesophageal gullet; appendix appendiceal; gallbladder
cholecystic; cancer carcinoma neoplasm neoplasia neoplastic malignancy tumour mass lesion growth nodule nodular sarcoma
lump; bleed bleeding bled haemorrhage haemorrhagic haematoma; oedema swelling swollen oedematous; opacity opacification
opacified infiltrate consolidation airspace density shadow; inflammation inflamed inflammatory; removal remove
resection excision ectomy; enlarged enlargement megaly; tear torn rupture ruptured; narrowing narrowed stenosis
stricture constriction; dilatation dilated widening widened ectasia distension distention distended; fracture broken
break; stone calculus calculi lithiasis; clot thrombus thrombosis thrombotic; embolism embolus embolic; failure
insufficiency insufficient impairment; infection infected infectious; pain ache painful discomfort soreness tenderness;
deficiency deficit deficient lack; prolapse herniation herniated prolapsed slipped; high elevated increased raised
excess excessive overactive; low decreased reduced underactive; fast rapid; abortion miscarriage; injury trauma
traumatic wound damage; none no normal negative unremarkable absent absence nil nothing without nessuno nessuna ninguno
ninguna aucun kein normale; yes present true positive oui; unknown uncertain unclear undetermined indeterminate unsure;
cannot unable; both bilateral bilaterally; potassium kalaemia; sodium natraemia; calcium calcaemia; magnesium
magnesaemia; sugar glucose glycaemia; lipid lipidaemia fat fatty; platelet thrombocyte; leukocyte leucocyte; virus
viral; bacteria bacterial bacterium; fungus fungal mycotic mycosis; parasite parasitic; staphylococcus staph;
streptococcus strep; diabetes diabetic; sepsis septic septicaemia; thyroid thyroidism; drug medication medicine;
surgery surgical operation operative; ultrasound ultrasonography sonography sonogram; fibrillation fib; atrial
auricular; ventricle ventricular; clavicle clavicular; seizure convulsion epilepsy epileptic fits; naevus mole;
leiomyoma fibroid myoma; allergy allergic; acid acidic; paralysis palsy plegia; scar cicatrix; less smaller below fewer
under; more greater above larger over; curvature curved; pregnancy pregnant gestational gestation; weakness paresis;
disease disorder dysfunction illness; macula macular fovea foveal
"""
"""One word for another: each set is read as its first word, in whatever option it stands."""

GROUPS = """
heart attack = myocardial infarction = stemi = nstemi = acute coronary syndrome = unstable angina = acute cardiac
ischaemia; stroke = cerebral infarction = cva = cerebrovascular accident = apoplexy; stroke = intracerebral haemorrhage
= brain bleed; transient ischaemic attack = mini stroke = transient neurological deficit = warning stroke; epidural =
extradural; enlarged heart = cardiomegaly = increased cardiothoracic ratio; collapsed lung = pneumothorax = air in the
pleural space; collapsed lung = atelectasis = lung collapse = volume loss; hydrocephalus = water on the brain =
enlarged ventricles = ventriculomegaly; tuberculosis = tb = consumption = koch disease; shingles = herpes zoster =
zona; chickenpox = varicella = chicken pox; measles = rubeola = morbilli; german measles = rubella; whooping cough =
pertussis; mumps = epidemic parotitis; tetanus = lockjaw; leprosy = hansen disease; mononucleosis = glandular fever =
kissing disease; influenza = flu = grippe; common cold = nasopharyngitis = coryza; covid 19 = sars-cov-2 = coronavirus
disease 2019; aids = hiv = human immunodeficiency = acquired immunodeficiency; syphilis = lues; lice = pediculosis;
hydatid = echinococcosis = echinococcal; pinworm = enterobiasis = oxyuriasis; kidney stone = nephrolithiasis =
urolithiasis; ureteral stone = ureterolithiasis = urolithiasis; gallstone = cholelithiasis = gall stone = biliary
stone; bile duct stone = choledocholithiasis; kidney infection = pyelonephritis; bladder infection = cystitis = urinary
tract infection; urinary tract infection = pyelonephritis = uti; enlarged prostate = benign prostatic hyperplasia = bph
= prostatic hypertrophy; hydronephrosis = dilated renal pelvis = pelvicaliectasis; bed wetting = enuresis; high blood
pressure = hypertension = htn; low blood pressure = hypotension; low oxygen = hypoxia = hypoxaemia; low platelets =
thrombocytopenia; high platelets = thrombocytosis; low white cell = leukopenia = low leukocyte = neutropenia; high
white cell = leukocytosis = high leukocyte; low haemoglobin = anaemia = low red cell; vitamin b12 = cobalamin = b12;
vitamin c deficiency = scurvy; vitamin d deficiency = rickets = osteomalacia; thiamine deficiency = beriberi; niacin
deficiency = pellagra; folic acid = folate; sickle cell = drepanocytosis; pulmonary embolism = clot in the lung =
pulmonary thromboembolism; deep vein thrombosis = clot in the leg; irregular heartbeat = arrhythmia = dysrhythmia =
irregular pulse = irregular heart rhythm; fast heart rate = tachycardia = fast pulse = fast heartbeat = fast heart
rhythm; slow heart rate = bradycardia = slow pulse = slow heartbeat; atrial fibrillation = afib = irregular heartbeat =
arrhythmia; mitral regurgitation = mitral insufficiency = mitral incompetence = mitral leak; aortic regurgitation =
aortic insufficiency = aortic incompetence; heart failure = chf = congestive cardiac failure = cardiac decompensation;
hole in the heart = septal defect = asd = vsd; hardening of the arteries = atherosclerosis = arteriosclerosis; varicose
vein = varices = varicosity; lung oedema = fluid in the lung = pulmonary congestion; pleural effusion = fluid around
the lung = pleural fluid = hydrothorax; blood in the pleural space = haemothorax; pus in the pleural space = empyema =
pyothorax; chronic obstructive pulmonary disease = copd = emphysema; chronic obstructive pulmonary disease = copd =
chronic bronchitis; shortness of breath = dyspnoea = breathlessness = difficulty breathing = respiratory distress =
sob; coughing blood = haemoptysis; vomiting blood = haematemesis; blood in urine = haematuria = bloody urine; blood in
stool = haematochezia = rectal bleeding; black stool = melaena; nosebleed = epistaxis = nose bleed; difficulty
swallowing = dysphagia = trouble swallowing; painful swallowing = odynophagia; painful urination = dysuria; difficulty
speaking = aphasia = dysphasia; fever = pyrexia = febrile = high temperature = hyperthermia; itching = pruritus = itch;
hives = urticaria; headache = cephalalgia = cephalgia = head pain = migraine; dizziness = vertigo = lightheadedness =
unsteadiness; fainting = syncope; vomiting = emesis; diarrhoea = loose stool; jaundice = icterus; hair loss = alopecia
= baldness; eczema = dermatitis; wart = verruca; boil = furuncle; ringworm = tinea = dermatophytosis; athlete foot =
tinea pedis; pressure ulcer = bed sore = decubitus = pressure sore = bedsore; cold sore = herpes labialis; thrush =
candidiasis = candida infection; bruise = ecchymosis = contusion; blister = bulla = vesicle; skin cancer = melanoma;
skin cancer = basal cell carcinoma = rodent ulcer; pink eye = conjunctivitis; nearsightedness = myopia = short sighted;
farsightedness = hyperopia = hypermetropia = long sighted; lazy eye = amblyopia; crossed eyes = strabismus = squint;
drooping eyelid = ptosis; stye = hordeolum; double vision = diplopia; optic disc swelling = papilloedema; macular
degeneration = amd; glaucoma = increased intraocular pressure; ringing in the ears = tinnitus; hearing loss = deafness;
acoustic neuroma = vestibular schwannoma; sore throat = pharyngitis; fatty liver = steatosis; lymphadenopathy = swollen
lymph node = enlarged lymph node = lymphadenitis; liver cancer = hepatocellular carcinoma = hepatoma = hcc; kidney
cancer = renal cell carcinoma = hypernephroma; wilms tumour = nephroblastoma; bowel cancer = colorectal carcinoma =
colon cancer; brain tumour = glioma = glioblastoma; brain tumour = meningioma; blood cancer = leukaemia; bone cancer =
osteosarcoma; lung cancer = bronchogenic carcinoma; metastasis = metastatic = mets = secondaries; goitre = enlarged
thyroid = struma; graves disease = basedow disease; hyperthyroidism = thyrotoxicosis = overactive thyroid;
hypothyroidism = myxoedema = underactive thyroid; hashimoto = chronic lymphocytic thyroiditis = autoimmune thyroiditis;
addison disease = adrenal insufficiency; cushing = hypercortisolism; acromegaly = growth hormone excess = gigantism;
down syndrome = trisomy 21; edwards syndrome = trisomy 18; turner syndrome = monosomy x; lou gehrig disease =
amyotrophic lateral sclerosis = motor neuron disease; parkinson disease = paralysis agitans; bell palsy = facial palsy;
pinched nerve = radiculopathy = nerve root compression; vasculitis = angiitis; giant cell arteritis = temporal
arteritis; wegener = granulomatosis with polyangiitis; churg strauss = eosinophilic granulomatosis with polyangiitis;
degenerative joint disease = osteoarthritis = arthrosis = degenerative arthritis = osteoarthrosis = joint wear;
ankylosing spondylitis = bechterew; bone infection = osteomyelitis; brittle bones = osteoporosis = low bone density;
brittle bones = osteogenesis imperfecta; avascular necrosis = osteonecrosis = aseptic necrosis; curvature of the spine
= scoliosis; hunchback = kyphosis; bow leg = genu varum; knock knee = genu valgum; flat foot = pes planus; club foot =
talipes; bunion = hallux valgus; heel = calcaneus = calcaneal; frozen shoulder = adhesive capsulitis; tennis elbow =
lateral epicondylitis; disc herniation = slipped disc = herniated nucleus pulposus = disc protrusion; clavicle = collar
bone = collarbone; scapula = shoulder blade; sternum = breast bone; patella = knee cap = kneecap; haemorrhoids = piles;
acid reflux = heartburn = gerd = gord = gastroesophageal reflux = acid regurgitation; gastroenteritis = stomach flu;
bowel obstruction = ileus; crohn disease = regional enteritis; coeliac = sprue = gluten enteropathy; free air =
pneumoperitoneum = bowel perforation; fluid in the abdomen = ascites = peritoneal fluid; spontaneous abortion =
pregnancy loss; preeclampsia = toxaemia = gestational hypertension; undescended testis = cryptorchidism; caesarean = c
section; acetaminophen = paracetamol; epinephrine = adrenaline; norepinephrine = noradrenaline; albuterol = salbutamol;
aspirin = acetylsalicylic acid; blood thinner = anticoagulant = anticoagulation; nsaid = nonsteroidal antiinflammatory;
steroid = corticosteroid = glucocorticoid; electrocardiogram = ecg = ekg; electroencephalogram = eeg; computed
tomography = ct = cat scan; magnetic resonance = mri = mr; x ray = radiograph = plain film = xray; lumbar puncture =
spinal tap; radiotherapy = irradiation; observation = watchful waiting = expectant management = surveillance = follow
up; type 2 diabetes = t2dm = adult onset diabetes = non insulin dependent diabetes; type 1 diabetes = t1dm = juvenile
diabetes = insulin dependent diabetes; allergic rhinitis = hay fever; poisoning = intoxication = toxicity = overdose;
normal = no abnormality = within normal limits = no acute finding = healthy = no abnormal finding; unknown = cannot be
determined = not sure = do not know = cannot tell = insufficient information; bilateral = both sides = left and right;
appendectomy = appendicectomy = appendix removal; alport syndrome = hereditary nephritis; berger disease = iga
nephropathy; buerger disease = thromboangiitis obliterans; chagas disease = american trypanosomiasis; sleeping sickness
= african trypanosomiasis; kala azar = visceral leishmaniasis; river blindness = onchocerciasis; bilharzia =
schistosomiasis; weil disease = leptospirosis; christmas disease = haemophilia b; hirschsprung disease = aganglionic
megacolon; perthes disease = avascular necrosis of femoral head; osgood schlatter = tibial tubercle apophysitis; paget
disease = osteitis deformans; pott disease = spinal tuberculosis; reiter syndrome = reactive arthritis; recklinghausen
= neurofibromatosis; bourneville = tuberous sclerosis; wilson disease = hepatolenticular degeneration; zollinger
ellison = gastrinoma; mallory weiss = oesophageal tear; boerhaave = oesophageal rupture = oesophageal perforation;
goodpasture = anti glomerular basement membrane disease; kawasaki disease = mucocutaneous lymph node syndrome; takayasu
= pulseless disease; langerhans cell histiocytosis = histiocytosis x = eosinophilic granuloma; huntington disease =
huntington chorea; creutzfeldt jakob = prion disease = mad cow disease; multiple myeloma = plasmacytoma = kahler
disease; polycythaemia vera = erythrocytosis; black lung = pneumoconiosis = anthracosis = silicosis; farmer lung =
hypersensitivity pneumonitis = extrinsic allergic alveolitis; ards = acute respiratory distress = shock lung = acute
lung injury; hyaline membrane disease = respiratory distress of the newborn; cot death = sudden infant death; swimmer
ear = otitis externa; glue ear = otitis media with effusion; golfer elbow = medial epicondylitis; jumper knee =
patellar tendinitis; trigger finger = stenosing tenosynovitis; boxer fracture = fifth metacarpal fracture; colles
fracture = distal radius fracture; march fracture = stress fracture = fatigue fracture; schwannoma = neurilemmoma =
neurinoma; minimal change disease = lipoid nephrosis; g6pd = glucose 6 phosphate dehydrogenase = favism; patent foramen
ovale = atrial septal defect; pneumococcal = streptococcus pneumoniae = pneumococcus; quadriplegia = tetraplegia; tic
douloureux = trigeminal neuralgia; st vitus dance = sydenham chorea; cradle cap = seborrhoeic dermatitis; port wine
stain = naevus flammeus; strawberry mark = infantile haemangioma; obesity = overweight = adiposity; gum disease =
periodontitis = gingivitis; tooth decay = caries = cavity; thyroid eye disease = graves orbitopathy = graves
ophthalmopathy; blocked artery = arterial occlusion; sleepiness = somnolence = drowsiness; memory loss = amnesia;
paralysis of one side = hemiplegia = hemiparesis; numbness = anaesthesia = paraesthesia = tingling = sensory loss;
blood poisoning = septicaemia; bone marrow cancer = leukaemia = myeloma; bloating = flatulence; stomach inflammation =
gastritis = dyspepsia; womb cancer = endometrial carcinoma; testicular cancer = seminoma; eye cancer = retinoblastoma;
muscle wasting = atrophy = dystrophy; coronary artery disease = ischaemic heart disease = atherosclerotic heart disease
= coronary insufficiency; coronary artery disease = myocardial infarction = coronary thrombosis = angina = acute
cardiac ischaemia; peripheral arterial disease = peripheral vascular disease = limb ischaemia = claudication = arterial
insufficiency; dyslipidaemia = hyperlipidaemia = high cholesterol = hypercholesterolaemia = hypertriglyceridaemia =
high lipid; cardiomyopathy = heart muscle disease = myocardiopathy; endocarditis = heart valve infection; ventricular
fibrillation = vfib; peripheral neuropathy = nerve damage; hyperthyroidism = graves disease; hypothyroidism =
hashimoto; asthma = reactive airway; pneumonia = lung infection; end stage renal disease = kidney failure; nephrotic =
proteinuria = nephrosis = protein losing nephropathy; inflammatory bowel disease = crohn disease; inflammatory bowel
disease = ulcerative colitis; irritable bowel = spastic colon = functional bowel; hepatitis c = hcv; hepatitis b = hbv;
hepatitis a = hav; demyelination = demyelinating disease = multiple sclerosis; dementia = alzheimer disease; depression
= mdd; anxiety = nervousness; attention deficit = hyperkinetic = hyperactivity; bipolar disorder = manic depression;
schizophrenia = psychosis = psychotic; obsessive compulsive = obsessional; seasonal affective = winter depression;
chest pain = angina; abdominal pain = stomach pain = tummy ache; back pain = dorsalgia = lumbago = lumbar pain; neck
pain = cervicalgia = cervical pain; confusion = altered mental status = delirium = encephalopathy; paralysis = weakness
= hemiparesis; bleeding = blood loss; injury = contusion; hyperintense = bright; hypointense = dark; hyperdense = high
attenuation = bright = radiopaque; hypodense = low attenuation = dark = radiolucent = lucency; hyperechoic = bright =
echogenic; hypoechoic = dark = hypoechogenic = low echo; anechoic = cystic = fluid filled; t1 weighted = t1w;
t2 weighted = t2w; diffusion weighted = dwi; frontotemporal dementia = pick disease; pleomorphic adenoma = benign mixed
tumour; arrhythmia = tachycardia; arrhythmia = bradycardia; swelling = enlargement = distension; arrhythmia =
fibrillation; 黄斑 = 中心凹
"""
"""Names of one thing, a line a thing; a name in two lines may mean either."""

OPPOSITES = """
left sinistra sinistro izquierda izquierdo gauche links 左 / right destra destro derecha derecho droite droit rechts
右; yes 有 是 阳 / none 无 否 阴; high 高 / low 低; acute 急 / chronic 慢; benign 良 / malignant 恶; upper superior /
lower inferior; anterior 前 / posterior 后; medial / lateral; proximal / distal; internal / external; ascending /
descending; male / female; before / after; more / less; systolic / diastolic; obstructive / restrictive; dominant /
recessive; flexion / extension; adduction / abduction; sensory / motor; open / closed; agonist / antagonist; large /
small; long / short; artery / vein; virus / bacteria; mydriasis / miosis; varus varum / valgus valgum; typical /
atypical; symptomatic / asymptomatic
"""
"""What cannot both be meant: an option that says one only differs from an option that says the other only."""

TAILS = """
carcinoma sarcoma pneumonia nephritis arthritis encephalitis myositis cardiomyopathy thrombosis lymphoma embolism
colitis hepatitis neuropathy
"""
"""Ends of compounds that are words by themselves."""

ROOTS = """
nephr kidney; ren kidney; hepat liver; card heart; cardi heart; myocard heart; pneumon lung; pulmon lung; encephal
brain; gastr stomach; dermat skin; derm skin; oste bone; enter bowel; col colon; proct rectum; cyst bladder; ureter
ureter; urethr urethra; hyster uterus; metr uterus; oophor ovary; orch testis; orchid testis; epididym epididymis; mast
breast; splen spleen; pancreat pancreas; cholecyst gallbladder; cholang bile; thyroid thyroid; adren adrenal; aden
gland; lymphaden node; arthr joint; my muscle; myos muscle; tendin tendon; tendon tendon; neur nerve; myel cord; mening
meninges; arter artery; phleb vein; angi vessel; vascul vessel; ot ear; rhin nose; sinus sinus; pharyng throat; laryng
larynx; trache trachea; bronch bronchus; pleur pleura; oesophag oesophagus; append appendix; appendic appendix;
diverticul diverticulum; periton peritoneum; stomat mouth; gingiv gum; gloss tongue; tonsill tonsil; ophthalm eye;
retin retina; kerat cornea; conjunctiv conjunctiva; blephar eyelid; uve uvea; ir iris; prostat prostate; vagin vagina;
vulv vulva; balan penis; pericard pericardium; endocard endocardium; spondyl spine; burs bursa; fasci fascia; cellul
skin; mastoid mastoid; parot parotid; lip fat; chondr cartilage; haemangi vessel; fibr fibrous; leiomy muscle; melan
skin
"""
PROCESSES = """
itis inflammation; ite inflammation; oma cancer; ectomy removal; megaly enlarged; lithiasis stone; algia pain; malacia
softening; plegia paralysis; ptosis prolapse; rrhagia bleed; stenosis narrowing; ectasia dilatation; opathy disease
"""
"""Words put together from a root and a process: nephr-itis is an inflammation of the kidney."""
