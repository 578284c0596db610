"""Terms: one name for what several words, a phrase or an abbreviation say, and which terms exclude each other.

The words are English in American spelling and in the singular, as `diagnoses.spelled` gives them. What is not listed
stands for itself by its stem.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from snellen.reading.language.patterns import word_set
from snellen.reading.language.words.anatomy import Named, named
from snellen.reading.language.words.diagnoses import spelled

SAME = {
    # kinds of image, planes and views
    "xray": "xray xr radiograph radiography radiogram roentgenogram rx film",
    "ct": "ct cect tac",
    "mri": "mri mr nmr irm",
    "ultrasound": "ultrasound ultrasonography ultrasonogram sonography sonogram echography",
    "angiography": "angiogram angiography arteriogram",
    "mammography": "mammogram mammography",
    "axial": "axial transverse transaxial transversal horizontal",
    "coronal": "coronal",
    "sagittal": "sagittal",
    "flair": "flair",
    "dwi": "dwi diffusion",
    "adc": "adc",
    "t1": "t1 t1w t1wi",
    "t2": "t2 t2w t2wi",
    "contrast": "contrast",
    "gadolinium": "gadolinium gd gadobutrol gadoterate",
    # sides and directions
    "left": "left leftward leftwards sinistral",
    "right": "right rightward rightwards",
    "bilateral": "bilateral bilaterally both",
    "upper": "upper superior superiorly top above",
    "lower": "lower inferior inferiorly bottom below beneath under underneath",
    "anterior": "anterior anteriorly ventral ventrally front",
    "posterior": "posterior posteriorly dorsal dorsally behind back",
    "volar": "volar volarly palmar",
    "lateral": "lateral laterally",
    "medial": "medial medially",
    "middle": "middle mid midportion",
    "midline": "midline",
    "adjacent": "adjacent beside near next abutting alongside",
    "proximal": "proximal proximally",
    "distal": "distal distally",
    # parts of the body
    "lung": "lung pulmonary pulmonic",
    "heart": "heart cardiac cardio",
    "chest": "chest thorax thoracic hemithorax",
    "abdomen": "abdomen abdominal belly",
    "pelvis": "pelvis pelvic",
    "head": "head",
    "brain": "brain",
    "cerebrum": "cerebrum cerebral",
    "cerebellum": "cerebellum cerebellar",
    "brainstem": "brainstem",
    "thalamus": "thalamus thalamic thalami",
    "kidney": "kidney renal nephric",
    "liver": "liver hepatic",
    "spleen": "spleen splenic",
    "stomach": "stomach gastric",
    "pancreas": "pancreas pancreatic",
    "gallbladder": "gallbladder cholecystic",
    "bowel": "bowel intestine intestinal gut",
    "colon": "colon colonic",
    "cecum": "cecum cecal",
    "ileum": "ileum ileal",
    "jejunum": "jejunum jejunal",
    "duodenum": "duodenum duodenal",
    "rectum": "rectum rectal",
    "sigmoid": "sigmoid",
    "appendix": "appendix appendiceal",
    "esophagus": "esophagus esophageal",
    "trachea": "trachea tracheal windpipe",
    "bronchus": "bronchus bronchi bronchial",
    "pleura": "pleura pleural",
    "pericardium": "pericardium pericardial",
    "mediastinum": "mediastinum mediastinal",
    "hilum": "hilum hilar hila perihilar",
    "diaphragm": "diaphragm diaphragmatic hemidiaphragm",
    "apex": "apex apical apice apices",
    "base": "base basal bases",
    "aorta": "aorta aortic",
    "artery": "artery arterial",
    "vein": "vein venous",
    "vessel": "vessel vascular vasculature",
    "atrium": "atrium atrial",
    "ventricle": "ventricle ventricular",
    "sulcus": "sulcus sulci sulcal",
    "gyrus": "gyrus gyri gyral",
    "cortex": "cortex cortical cortices",
    "spine": "spine spinal backbone vertebra vertebral vertebrae",
    "bone": "bone bony osseous",
    "rib": "rib costal",
    "skull": "skull cranium cranial calvarial calvarium",
    "clavicle": "clavicle collarbone clavicular",
    "femur": "femur femoral",
    "humerus": "humerus humeral",
    "sternum": "sternum sternal sternotomy breastbone",
    "patella": "patella patellar kneecap",
    "tibia": "tibia tibial shinbone",
    "uterus": "uterus uterine womb",
    "larynx": "larynx laryngeal",
    "neck": "neck cervical",
    "nerve": "nerve neural",
    "eye": "eye ocular orbit orbital",
    "tooth": "tooth dental teeth",
    "breast": "breast mammary",
    "skin": "skin cutaneous dermal",
    "node": "node nodal lymphatic lymph",
    "muscle": "muscle muscular",
    "ureter": "ureter ureteral ureteric",
    "bladder": "bladder vesical",
    "peritoneum": "peritoneum peritoneal",
    "omentum": "omentum omental",
    "mesentery": "mesentery mesenteric",
    "sella": "sella sellar",
    "pineal": "pineal",
    "pituitary": "pituitary hypophyseal hypophysis",
    "abdominis": "abdominis abdominus",
    "extremity": "extremity limb arm leg",
    # findings
    "effusion": "effusion",
    "fluid": "fluid liquid water",
    "csf": "csf",
    "air": "air gas pneumatosis",
    "blood": "blood",
    "hemorrhage": "hemorrhage hemorrhagic bleed bleeding bled",
    "hematoma": "hematoma",
    "mass": "mass tumor neoplasm growth",
    "cancer": "cancer malignancy malignant carcinoma",
    "nodule": "nodule nodular",
    "cyst": "cyst cystic",
    "abscess": "abscess abcess",
    "stone": "stone calculus calculi lithiasis",
    "calcification": "calcification calcified calcific calcium",
    "edema": "edema edematous swelling swollen",
    "infarct": "infarction infarct infarcted stroke cva",
    "ischemia": "ischemia ischemic",
    "opacity": "opacity opacification opacified density infiltrate airspace",
    "consolidation": "consolidation consolidated",
    "fracture": "fracture fractured broken break",
    "thrombosis": "thrombosis thrombus thrombi thrombotic thrombosed clot clotted",
    "embolism": "embolism embolus emboli embolic",
    "aneurysm": "aneurysm aneurysmal aneurism",
    "hernia": "hernia herniation herniated",
    "inflammation": "inflammation inflamed inflammatory",
    "infection": "infection infected infectious",
    "obstruction": "obstruction obstructed obstructive blockage blocked occlusion occluded",
    "perforation": "perforation perforated",
    "rupture": "rupture ruptured",
    "tear": "tear torn",
    "dislocation": "dislocation dislocated luxation luxated",
    "disc": "disc disk discal",
    "ligament": "ligament ligamentous",
    "tendon": "tendon tendinous",
    "meniscus": "meniscus menisci meniscal",
    "compression": "compression compressed compressing",
    "atelectasis": "atelectasis atelectatic collapse collapsed",
    "fibrosis": "fibrosis fibrotic",
    "scar": "scar scarring scarred",
    "dissection": "dissection dissecting",
    "diverticulitis": "diverticulitis",
    "enlarged": "enlarged enlargement enlarge large megaly big dilated dilatation dilation widened widening ectatic",
    "small": "small",
    "shrunken": "shrunken atrophic atrophy shrunk",
    "basilar": "basilar",
    "prominent": "prominent prominence",
    "thickened": "thickened thickening thick thicken",
    "narrowed": "narrowed narrowing stenosis stenotic stricture",
    "deviated": "deviated deviation shifted shift displaced displacement",
    "effaced": "effaced effacement",
    "elevated": "elevated elevation raised",
    "bright": "bright brightly hyperlucent white lit",
    "dark": "dark black darker",
    "hyperdense": "hyperdense hyperdensity hyperattenuating hyperattenuated hyperattenuation",
    "hypodense": "hypodense hypodensity hypoattenuating hypoattenuated hypoattenuation",
    "hyperintense": "hyperintense hyperintensity",
    "hypointense": "hypointense hypointensity",
    "isodense": "isodense isodensity",
    "isointense": "isointense isointensity",
    "ring": "ring rim peripheral",
    "enhancement": "enhancement enhancing enhanced enhance",
    "fat": "fat fatty adipose lipid lipomatous",
    "blunted": "blunted blunting blunt",
    "sharp": "sharp",
    "emphysema": "emphysema emphysematous",
    "bulla": "bulla bullae bullous",
    "diverticulum": "diverticulum diverticula diverticuli diverticular",
    "metastasis": "metastasis metastatic metastase",
    "nonopaque": "lucency lucent radiolucent",
    "splenule": "splenule",
    "volume": "volume",
    "loss": "loss lost losing lose",
    "smooth": "smooth smoothly",
    "irregular": "irregular irregularity spiculated jagged",
    "diffuse": "diffuse diffusely widespread generalized throughout scattered",
    "focal": "focal focally localized",
    "loculated": "loculated loculation septated multiloculated",
    "normal": "normal unremarkable healthy",
    "male": "male man boy masculine gentleman",
    "female": "female woman girl feminine lady",
    "wire": "wire",
    "massive": "massive massively",
    "multiple": "multiple several numerous",
    "chronic": "chronic chronically longstanding",
    "undisplaced": "undisplaced nondisplaced",
    "benign": "benign nonmalignant noncancerous",
    "fibula": "fibula fibular peroneal",
    "conservative": "conservative conservatively nonoperative nonsurgical",
    "treatment": "treatment management therapy",
    "decreased": "decreased reduced diminished",
    "surgery": "surgery surgical operation operative",
    "prior": "prior previous past earlier",
    "port": "port mediport portacath",
    "center": "center central centrally core",
    "hip": "hip",
    "sinus": "sinus antrum antra",
    "catheter": "catheter line",
    "oral": "oral po orally enteric",
    "iv": "iv intravenous intravenously",
    "junction": "junction",
    "half": "half",
    "less": "less smaller fewer lesser",
    "more": "more greater over larger bigger exceeding",
    "yes": "yes yeah yep correct affirmative true",
    "no": "no nope negative false",
    "none": "none nothing nil zero absent absence",
    "rounded": "round rounded circular spherical",
    "defined": "defined circumscribed demarcated marginated",
    "crescent": "crescent crescentic",
    "respiratory": "respiratory",
    "gastrointestinal": "gastrointestinal gi digestive alimentary",
    "cns": "cns nervous neurological",
    "cardiovascular": "cardiovascular circulatory",
    "musculoskeletal": "musculoskeletal msk skeletal",
    "genitourinary": "genitourinary gu urogenital urinary",
}
"""A term, and the words that say it."""

TOGETHER = {
    # kinds of image
    "x ray": "xray",
    "plain film": "xray",
    "plain radiograph": "xray",
    "conventional radiograph": "xray",
    "computed tomography": "ct",
    "computerized tomography": "ct",
    "computed axial tomography": "ct",
    "cat scan": "ct",
    "magnetic resonance imaging": "mri",
    "magnetic resonance": "mri",
    "fluid attenuated inversion recovery": "flair",
    "fluid attenuation inversion recovery": "flair",
    "diffusion weighted imaging": "dwi",
    "diffusion weighted": "dwi",
    "apparent diffusion coefficient": "adc",
    "t 1": "t1",
    "t 2": "t2",
    "cxr": "chest xray",
    "kub": "abdomen xray",
    "axr": "abdomen xray",
    "cta": "ct angiography",
    "mra": "mri angiography",
    "ctpa": "ct lung angiography",
    "mrcp": "mri cholangiopancreatography",
    "posterior anterior": "posteroanterior",
    "posterior to anterior": "posteroanterior",
    "postero anterior": "posteroanterior",
    "back to front": "posteroanterior",
    "anterior posterior": "anteroposterior",
    "anterior to posterior": "anteroposterior",
    "antero posterior": "anteroposterior",
    "front to back": "anteroposterior",
    "pa": "posteroanterior",
    "ap": "anteroposterior",
    "lateral view": "lateralview",
    "lateral film": "lateralview",
    "lateral projection": "lateralview",
    "lateral radiograph": "lateralview xray",
    # places
    "left anterior descending": "ladartery artery",
    "rca": "rcaartery artery",
    "right coronary artery": "rcaartery artery",
    "lcx": "lcxartery artery",
    "left circumflex": "lcxartery artery",
    "circumflex artery": "lcxartery artery",
    "rul": "right upper lobe",
    "rml": "right middle lobe",
    "rll": "right lower lobe",
    "lul": "left upper lobe",
    "lll": "left lower lobe",
    "ruq": "right upper quadrant",
    "rlq": "right lower quadrant",
    "luq": "left upper quadrant",
    "llq": "left lower quadrant",
    "rvh": "right ventricle enlarged",
    "lvh": "left ventricle enlarged",
    "lv": "left ventricle",
    "rv": "right ventricle",
    "mca": "mcaartery artery",
    "aca": "acaartery artery",
    "pca": "pcaartery artery",
    "ica": "icaartery artery",
    "middle cerebral artery": "mcaartery artery",
    "anterior cerebral artery": "acaartery artery",
    "posterior cerebral artery": "pcaartery artery",
    "internal carotid artery": "icaartery artery",
    "internal carotid": "icaartery artery",
    "posteroinferior": "posterior lower",
    "posterosuperior": "posterior upper",
    "posterolateral": "posterior lateral",
    "posteromedial": "posterior medial",
    "anteroinferior": "anterior lower",
    "anterosuperior": "anterior upper",
    "anterolateral": "anterior lateral",
    "anteromedial": "anterior medial",
    "inferolateral": "lower lateral",
    "superolateral": "upper lateral",
    "right of the trachea": "right paratracheal",
    "left of the trachea": "left paratracheal",
    "posterior cranial fossa": "posteriorfossa",
    "ivc": "ivcvein",
    "svc": "svcvein",
    "superior vena cava": "svcvein",
    "inferior vena cava": "ivcvein",
    "cavoatrial junction": "svcvein atrium junction",
    "gej": "gastroesophageal junction",
    "cbd": "common bile duct",
    "si joint": "sacroiliac joint",
    "brain stem": "brainstem",
    "gall bladder": "gallbladder",
    "posterior fossa": "posteriorfossa",
    "basal ganglia": "basalganglia",
    "basal ganglion": "basalganglia",
    "corpus callosum": "corpuscallosum",
    "lateral ventricle": "lateralventricle",
    "lateral sulcus": "sylvian fissure",
    "lateral fissure": "sylvian fissure",
    "midline shift": "midlineshift",
    "sella turcica": "sella",
    "pituitary fossa": "sella",
    "above the sella": "suprasellar",
    "cardiopulmonary": "heart lung",
    "cardiorespiratory": "heart lung",
    "50 %": "half",
    "one half": "half",
    "one third": "third",
    "behind the heart": "retrocardiac",
    "central nervous system": "cns",
    "nervous system": "cns",
    "cerebrospinal fluid": "csf",
    "cerebral spinal fluid": "csf",
    "spinal fluid": "csf",
    "gray white matter": "graywhite",
    "gray white": "graywhite",
    "costophrenic angle": "costophrenicangle",
    "hepatic flexure": "hepaticflexure",
    "splenic flexure": "splenicflexure",
    "large bowel": "colon",
    "large intestine": "colon",
    "small and large bowel": "smallbowel colon bowel",
    "large and small bowel": "smallbowel colon bowel",
    "small bowel": "smallbowel",
    "small intestine": "smallbowel",
    "greater omentum": "omentum",
    "cranial nerve": "cn",
    "oculomotor nerve": "cn 3",
    "trigeminal nerve": "cn 5",
    "cn iii": "cn 3",
    "cn v": "cn 5",
    # findings
    "ptx": "pneumothorax",
    "pneumothoraces": "pneumothorax",
    "ich": "intracranial hemorrhage",
    "sah": "subarachnoid hemorrhage",
    "sdh": "subdural hematoma",
    "cpa": "cerebellopontine angle",
    "costophrenic sulcus": "costophrenicangle",
    "costophrenic recess": "costophrenicangle",
    "costophrenic sulci": "costophrenicangle",
    "edh": "epidural hematoma",
    "subdural hemorrhage": "subdural hematoma",
    "epidural hemorrhage": "epidural hematoma",
    "extradural hematoma": "epidural hematoma",
    "extradural hemorrhage": "epidural hematoma",
    "dvt": "deep vein thrombosis",
    "aaa": "abdominal aorta aneurysm",
    "sbo": "smallbowel obstruction",
    "copd": "chronic obstructive lung disease",
    "tb": "tuberculosis",
    "hcc": "hepatocellular cancer",
    "rcc": "kidney cell cancer",
    "nsclc": "lung cancer",
    "avm": "arteriovenous malformation",
    "gbm": "glioblastoma",
    "sob": "dyspnea",
    "shortness of breath": "dyspnea",
    "cardiomegaly": "enlarged heart",
    "cardiac enlargement": "enlarged heart",
    "cardiac silhouette": "heart",
    "cardiac shadow": "heart",
    "heart size": "heart",
    "hepatomegaly": "enlarged liver",
    "splenomegaly": "enlarged spleen",
    "hepatosplenomegaly": "enlarged liver spleen",
    "ventriculomegaly": "enlarged ventricle",
    "lymphadenopathy": "enlarged node",
    "adenopathy": "enlarged node",
    "lymph node": "node",
    "cholelithiasis": "gallbladder stone",
    "gallstone": "gallbladder stone",
    "gall stone": "gallbladder stone",
    "nephrolithiasis": "kidney stone",
    "spinal column": "spine",
    "vertebral column": "spine",
    "blood clot": "thrombosis",
    "collapsed lung": "pneumothorax",
    "fluid filled sac": "cyst",
    "fluid around the lung": "pleural effusion",
    "fluid in the lung": "pulmonary edema",
    "infection of the lung": "pneumonia",
    "lung infection": "pneumonia",
    "inflammation of the appendix": "appendicitis",
    "inflamed appendix": "appendicitis",
    "inflammation of the gallbladder": "cholecystitis",
    "inflammation of the pancreas": "pancreatitis",
    "inflammation of the colon": "colitis",
    "inflammation of the sinus": "sinusitis",
    "inflammation of diverticula": "diverticulitis",
    "inflamed diverticula": "diverticulitis",
    "brain bleed": "intracranial hemorrhage",
    "chf": "heart failure",
    "congestive heart failure": "heart failure",
    "cardiac failure": "heart failure",
    "loss of volume": "loss volume",
    "free fluid": "ascites",
    "ground glass": "groundglass",
    "air bronchogram": "airbronchogram",
    "bowel loop": "bowel",
    "aortic arch": "aorticarch",
    "arch of the aorta": "aorticarch",
    "aortic knob": "aorticknob",
    "optic chiasm": "opticchiasm",
    "spinal cord": "spinalcord",
    "bone marrow": "bonemarrow",
    "pulmonary artery": "lung artery",
    "renal calculus": "kidney stone",
    "urolithiasis": "ureter stone",
    "hydrothorax": "pleural effusion",
    "pleural fluid": "pleural effusion",
    "fluid in the pleural": "pleural effusion",
    "fluid in the right pleural": "right pleural effusion",
    "fluid in the left pleural": "left pleural effusion",
    "pneumoperitoneum": "free air peritoneum",
    "free intraperitoneal air": "free air peritoneum",
    "subdiaphragmatic air": "free air peritoneum",
    **{
        f"{free}air {under} {the}{side}{diaphragm}": f"{side}free air peritoneum"
        for free in ("", "free ")
        for under in ("under", "below", "beneath")
        for the in ("", "the ")
        for side in ("", "left ", "right ")
        for diaphragm in ("diaphragm", "hemidiaphragm")
    },
    "accessory spleen": "splenule",
    "splenunculus": "splenule",
    "high signal": "hyperintense",
    "increased signal": "hyperintense",
    "bright signal": "hyperintense",
    "low signal": "hypointense",
    "decreased signal": "hypointense",
    "high density": "hyperdense",
    "high attenuation": "hyperdense",
    "increased attenuation": "hyperdense",
    "low density": "hypodense",
    "low attenuation": "hypodense",
    "decreased attenuation": "hypodense",
    "ring enhancing": "ring enhancement",
    "rim enhancing": "ring enhancement",
    "volume loss": "loss volume",
    "fluid level": "fluidlevel",
    "air fluid level": "air fluidlevel",
    "cardiothoracic ratio": "heart chest ratio",
    "c t ratio": "heart chest ratio",
    "ct ratio": "heart chest ratio",
    "brain swelling": "cerebrum edema",
    "cerebral edema": "cerebrum edema",
    "brain edema": "cerebrum edema",
    "without contrast": "noncontrast",
    "non contrast": "noncontrast",
    "noncontrast": "noncontrast",
    "unenhanced": "noncontrast",
    "post contrast": "contrast",
    "contrast enhanced": "contrast",
    "well defined": "welldefined",
    "well circumscribed": "welldefined",
    "well demarcated": "welldefined",
    "ill defined": "illdefined",
    "poorly defined": "illdefined",
    "left and right": "bilateral",
    "right and left": "bilateral",
    "both side": "bilateral",
    "as well as": "and",
    "in front of": "anterior",
    "next to": "adjacent",
    "close to": "adjacent",
    "less than": "less",
    "more than": "more",
    "greater than": "more",
    "soft tissue": "softtissue",
    "white matter": "whitematter",
    "gray matter": "graymatter",
    "nucleus pulposus": "nucleuspulposus",
    "different size": "varying size",
    "foreign body": "foreignbody",
    # bones and joints
    "acl": "anterior cruciate ligament",
    "pcl": "posterior cruciate ligament",
    "mcl": "medial collateral ligament",
    "lcl": "lateral collateral ligament",
    "avn": "avascular necrosis",
    "osteonecrosis": "avascular necrosis",
    "aseptic necrosis": "avascular necrosis",
    "djd": "osteoarthritis",
    "scfe": "slipped capital femoral epiphysis",
    "sufe": "slipped capital femoral epiphysis",
    "slipped upper femoral epiphysis": "slipped capital femoral epiphysis",
    "ddh": "developmental dysplasia hip",
    "tfcc": "triangular fibrocartilage complex",
    "colles fracture": "colles distal radius fracture",
    "smith fracture": "smith distal radius fracture",
    "im nail": "intramedullary nail",
    "im nailing": "intramedullary nail",
    "im rod": "intramedullary nail",
    "intramedullary rod": "intramedullary nail",
    "degenerative joint disease": "osteoarthritis",
    "degenerative arthritis": "osteoarthritis",
    "broken bone": "fracture",
    "non displaced": "undisplaced",
    "not displaced": "undisplaced",
    "slipped disc": "herniated disc",
    "slipped disk": "herniated disc",
    "disc prolapse": "herniated disc",
    "prolapsed disc": "herniated disc",
    "frozen shoulder": "adhesive capsulitis",
    "tennis elbow": "lateral epicondylitis",
    "golfer's elbow": "medial epicondylitis",
    "rotator cuff": "rotatorcuff",
    "femoral neck": "femoralneck hip femur",
    "neck of the femur": "femoralneck hip femur",
    "neck of femur": "femoralneck hip femur",
    "shin bone": "tibia",
    "knee replacement": "knee arthroplasty",
    "hip replacement": "hip arthroplasty",
    "tkr": "total knee arthroplasty",
    "tka": "total knee arthroplasty",
    "thr": "total hip arthroplasty",
    "tha": "total hip arthroplasty",
    "orif": "open reduction internal fixation",
    "physical therapy": "physiotherapy",
    "radiation therapy": "radiotherapy",
    "non operative": "conservative",
    "non surgical": "conservative",
    "without surgery": "conservative",
    "nwb": "non weight bearing",
    "wbat": "weight bearing tolerated",
    "nsaid": "nonsteroidal antiinflammatory drug",
    "non steroidal anti inflammatory drug": "nonsteroidal antiinflammatory drug",
    "nonsteroidal anti inflammatory drug": "nonsteroidal antiinflammatory drug",
    "non steroidal antiinflammatory drug": "nonsteroidal antiinflammatory drug",
    "non steroidal anti inflammatory": "nonsteroidal antiinflammatory drug",
    "nonsteroidal anti inflammatory": "nonsteroidal antiinflammatory drug",
    # common names
    "heart attack": "myocardial infarction",
    "high blood pressure": "hypertension",
    "htn": "hypertension",
    "cerebrovascular accident": "stroke",
    "cerebral vascular accident": "stroke",
    "ckd": "chronic kidney disease",
    "aki": "acute kidney injury",
    "gerd": "gastroesophageal reflux disease",
    "ibd": "inflammatory bowel disease",
    "mrsa": "methicillin resistant staphylococcus aureus",
    "long standing": "chronic",
    "bph": "benign prostatic hyperplasia",
    "lmwh": "low molecular weight heparin",
    "arthrocentesis": "joint aspiration",
    "low hemoglobin": "anemia",
    "low vitamin d": "vitamin d deficiency",
    "paracetamol": "acetaminophen",
    "adrenaline": "epinephrine",
    "frusemide": "furosemide",
    "salbutamol": "albuterol",
    "uti": "urinary tract infection",
    "ards": "acute respiratory distress syndrome",
    "within normal limit": "normal",
    "nad": "normal",
    "wnl": "normal",
}
"""Words that say one thing together, or one word that says several, with the words that are read in their place."""

_RIVALS = (
    "left right bilateral midline",
    "upper lower middle",
    "anterior posterior",
    "proximal distal",
    "xray ct mri ultrasound angiography mammography pet",
    "axial coronal sagittal",
    "posteroanterior anteroposterior lateralview",
    "t1 t2 dwi adc",
    "t1 flair",
    "flair dwi adc",
    "contrast noncontrast",
    "frontal parietal temporal occipital",
    "subdural epidural subarachnoid intraparenchymal intraventricular",
    "hyperdense hypodense isodense",
    "hyperintense hypointense isointense",
    "bright dark",
    "enlarged shrunken normal",
    "sharp blunted",
    "smooth irregular",
    "focal diffuse",
    "solid cyst",
    "single multiple",
    "male female",
    "yes no",
    "more less",
    "welldefined illdefined",
    "lung liver kidney spleen pancreas brain heart stomach gallbladder colon cecum ileum jejunum duodenum "
    "esophagus bladder uterus prostate thyroid adrenal appendix",
    "arterial venous",
    "artery vein",
    "respiratory gastrointestinal cns cardiovascular musculoskeletal genitourinary",
    "oral iv",
    "mcaartery acaartery pcaartery icaartery basilar",
    "subclavian jugular femoral brachial",
    "suprasellar sella",
    "supratentorial infratentorial",
    "intrahepatic extrahepatic",
    "chest abdomen head",
    "body tail",
    "micronodular macronodular",
    "colon smallbowel",
    "acute chronic",
    "medial lateral",
    "posterior volar",
    "undisplaced displaced",
    "cancer benign",
    "conservative surgery",
    "ladartery rcaartery lcxartery",
)
"""Terms of which one stands in another's place: who names another of them has not given the same answer."""

_IMPLIES = {
    "t1": ("mri",),
    "t2": ("mri",),
    "flair": ("mri",),
    "dwi": ("mri",),
    "adc": ("mri",),
    "colon": ("bowel",),
    "smallbowel": ("bowel",),
    "jejunum": ("smallbowel", "bowel"),
    "cecum": ("colon", "bowel"),
    "sigmoid": ("colon", "bowel"),
    "ileum": ("smallbowel", "bowel"),
    "duodenum": ("smallbowel", "bowel"),
    "hematoma": ("hemorrhage",),
    "subdural": ("intracranial",),
    "lateralventricle": ("ventricle", "lateral"),
    "hydropneumothorax": ("pneumothorax",),
    "bright": ("hyperintense", "hyperdense"),
    "dark": ("hypointense", "hypodense"),
    "base": ("lower",),
    "apex": ("upper",),
    "hyperintense": ("bright",),
    "hypointense": ("dark",),
    "retrocardiac": ("posterior",),
    "cancer": ("mass",),
    "cerebrum": ("brain",),
    "cerebellum": ("brain",),
    "caudate": ("basalganglia",),
    "putamen": ("basalganglia",),
    "pallidus": ("basalganglia",),
    "small": ("shrunken",),
    "less": ("decreased",),
    "frontal": ("brain", "cerebrum"),
    "parietal": ("brain", "cerebrum"),
    "temporal": ("brain", "cerebrum"),
    "occipital": ("brain", "cerebrum"),
    "thalamus": ("brain",),
    **{f"l{level}": ("spine", "lumbar") for level in range(1, 6)},
    **{f"c{level}": ("spine", "neck") for level in range(1, 8)},
    "brainstem": ("brain",),
    "rupture": ("tear", "perforation"),
    "tear": ("rupture",),
    "perforation": ("rupture",),
}
"""What a term also says, in wider words."""

COMPOSED = {
    "effusion": "fluid pleura",
    "pneumothorax": "air pleura",
    "hydropneumothorax": "air fluid pleura",
    "ascites": "fluid peritoneum",
    "appendicitis": "inflammation appendix",
    "cholecystitis": "inflammation gallbladder",
    "pancreatitis": "inflammation pancreas",
    "diverticulitis": "inflammation diverticulum",
    "sinusitis": "inflammation sinus",
    "colitis": "inflammation colon",
    "fasciitis": "inflammation fascia",
    "tendinitis": "inflammation tendon",
    "bursitis": "inflammation bursa",
    "hepatitis": "inflammation liver",
    "gastritis": "inflammation stomach",
    "cardiovascular": "heart vessel",
    "retrocardiac": "posterior heart",
    "paratracheal": "adjacent trachea",
    "hydrocephalus": "enlarged ventricle",
    "acaartery": "anterior cerebrum artery",
    "mcaartery": "middle cerebrum artery",
    "pcaartery": "posterior cerebrum artery",
    "aorticknob": "aorta knob",
    "aorticarch": "aorta arch",
    "hip": "iliac bone",
    "posteriorfossa": "posterior fossa",
    "whitematter": "white matter",
}
"""A term, and several that say it together, in whatever order."""

LIGHT = word_set(
    "a an the this that these those it its there here is are was were be been being has have had do does did can "
    "could may might will would should must to of in on at by for from with within into onto through and as also "
    "which who what where when how why i you we they he she his her their my your our so thus therefore hence because "
    "due since then than such very quite some any all each other another patient image picture scan study figure "
    "photo shown show shows showing seen see seem seems appear appears visible visualized located location locate "
    "situated lie lies sits sit found find finding present presence presented demonstrate demonstrates depict depicts "
    "depicted represent represents indicate indicates suggest suggests suggesting indicating consistent compatible "
    "likely probably possible possibly most evidence sign noted note notes observed identified detected given based "
    "report answer final diagnosis impression conclusion type kind modality imaging weighted sequence sided side area "
    "region part portion aspect field zone space site position structure material tissue plane view projection slice "
    "section system tract organ abnormality pathology condition disease problem case called known term named "
    "name about approximately around roughly circa nearly almost only just alone measure measures measuring size sized "
    "diameter dimension taken take took using used use it's cause caused reason result results clearly definitely "
    "extending extends extend involving involves involve out up down across along toward towards way wall like one "
    "two i'm let think first second that's however but while though if not no without x v or either vs versus i.e "
    "lobe hemisphere lesion gland muscle nerve joint syndrome map s t"
)
"""Words that carry nothing of an answer where it has others that do."""

_DEGREES = word_set(
    "small mild moderate severe marked markedly mildly moderately severely slight slightly minimal tiny "
    "extensive subtle early late chronic acute subacute old new multiple several numerous many few some single "
    "predominantly mostly mainly largely abnormal increased possible probable primary secondary persistent "
    "median soft major massive massively"
)
"""How much, how many or how old: what a reference may say beside the answer."""

CASED = {
    "R": "right",
    "L": "left",
    "US": "ultrasound",
    "MS": "multiple sclerosis",
    "PE": "pulmonary embolism",
    "LA": "left atrium",
    "RA": "right atrium",
    "PRES": "posterior reversible encephalopathy syndrome",
    "CAT": "ct",
    "F": "female",
    "M": "male",
    "IV": "intravenous",
    "MI": "myocardial infarction",
    "OA": "osteoarthritis",
    "CTS": "carpal tunnel syndrome",
    "LAD": "left anterior descending artery",
    "CAD": "coronary artery disease",
    "TIA": "transient ischemic attack",
    "FAI": "femoroacetabular impingement",
    "OI": "osteogenesis imperfecta",
    "ROM": "range of motion",
    "T1DM": "type 1 diabetes mellitus",
    "T2DM": "type 2 diabetes mellitus",
}
"""Abbreviations that are words, or too short, unless they stand in capitals or alone."""

SPECIES = {
    "s aureus": "staphylococcus aureus",
    "s epidermidis": "staphylococcus epidermidis",
    "s saprophyticus": "staphylococcus saprophyticus",
    "s pyogenes": "streptococcus pyogenes",
    "s agalactiae": "streptococcus agalactiae",
    "s pneumoniae": "streptococcus pneumoniae",
    "k pneumoniae": "klebsiella pneumoniae",
    "m pneumoniae": "mycoplasma pneumoniae",
    "c pneumoniae": "chlamydia pneumoniae",
    "c acnes": "cutibacterium acnes",
    "c albicans": "candida albicans",
    "c difficile": "clostridium difficile",
    "e coli": "escherichia coli",
    "e faecalis": "enterococcus faecalis",
    "h influenzae": "haemophilus influenzae",
    "h pylori": "helicobacter pylori",
    "k kingae": "kingella kingae",
    "m tuberculosis": "mycobacterium tuberculosis",
    "n gonorrhoeae": "neisseria gonorrhoeae",
    "n meningitidis": "neisseria meningitidis",
    "p aeruginosa": "pseudomonas aeruginosa",
    "p multocida": "pasteurella multocida",
}
"""Organisms by the initial of their genus."""

ROMAN = {"II": "2", "III": "3", "VI": "6", "VII": "7", "VIII": "8", "IX": "9"}
"""Roman numerals that are no words or other abbreviations in capitals."""
GRADED = {"I": "1", "IV": "4", "V": "5", "X": "10", **ROMAN}
"""Roman numerals after "type", "grade", "stage" and the like."""

UNSAYS = {"noncontrast": ("contrast",), "conservative": ("surgery",), "undisplaced": ("deviated",)}
"""Terms that deny another one by what they say."""

ASKS = (
    word_set("side hemisphere"),
    word_set("modality"),
    word_set("plane"),
    word_set("sex gender"),
)
"""Words of a question that asks for a side, a kind of image, a plane or a sex, in this order."""

ASKS_SIZE = word_set("size large big long wide diameter measure dimension")
"""Words of a question that asks for a measure."""

PREFIXES = word_set(
    "bi retro sub supra infra peri para intra extra inter hyper hypo gastro cardio pneumo hydro cerebello osteo "
    "broncho hepato spleno micro macro"
)
"""Beginnings of words that some set off by a hyphen."""

POLAR = word_set(
    "is are was were does do did has have had can could should would will may might isn't aren't doesn't don't"
)
"""Words that open a question to be answered by yes or no."""

SHUNS = word_set("avoid avoided avoiding avoids contraindicated contraindication")
"""Words that say that something should not be done."""
ALLOWS = word_set("allowed permitted safe encouraged permissible")
"""Words that say that it may: they deny what a question asks that should not be done."""

OR = word_set("or vs versus")
"""Words that join alternatives."""

ORDINALS = {
    word: str(number)
    for number, words in enumerate(
        (
            "first 1st", "second 2nd", "third 3rd", "fourth 4th", "fifth 5th", "sixth 6th", "seventh 7th",
            "eighth 8th", "ninth 9th", "tenth 10th", "eleventh 11th", "twelfth 12th",
        ),
        start=1,
    )
    for word in words.split()
}  # fmt: skip
"""Ordinal numbers in digits."""

COUNTS = {"one": "1", "single": "1", "solitary": "1", "once": "1", "pair": "2"}
"""Words that say how many there are, where that is asked."""

LENGTHS = {
    "mm": 1.0, "millimeter": 1.0, "millimetre": 1.0, "cm": 10.0, "centimeter": 10.0, "centimetre": 10.0, "cms": 10.0,
    "mms": 1.0, "meter": 1000.0, "metre": 1000.0, "inch": 25.4,
}  # fmt: skip
"""Units of length in millimetres."""
UNITS = {
    "percent": ("%", 1.0), "%": ("%", 1.0), "degree": ("degree", 1.0), "hu": ("hu", 1.0), "bpm": ("bpm", 1.0),
    "ml": ("ml", 1.0), "cc": ("ml", 1.0), "milliliter": ("ml", 1.0), "liter": ("ml", 1000.0),
    "year": ("month", 12.0), "month": ("month", 1.0),
    "week": ("day", 7.0), "day": ("day", 1.0), "hour": ("day", 1 / 24), "minute": ("minute", 1.0),
    "kg": ("mg", 1e6), "kilogram": ("mg", 1e6), "g": ("mg", 1e3), "gram": ("mg", 1e3), "mg": ("mg", 1.0),
    "milligram": ("mg", 1.0), "mcg": ("mg", 1e-3), "microgram": ("mg", 1e-3),
    **{name: ("mm", length) for name, length in LENGTHS.items()},
}  # fmt: skip
"""Units, each by the one in which its kind is compared, and how many of those it is."""

_ENDINGS = (
    "izations", "ization", "ations", "ically", "ation", "ating", "atory", "ative", "ments", "ances", "ences",
    "ingly", "ities", "ated", "ates", "ment", "ance", "ence", "edly", "ally", "ical", "ions", "ings", "ion", "ing",
    "ous", "ent", "ant", "ate", "ity", "ive", "ary", "ed", "ly", "al", "ic", "ar", "es", "is", "us", "um", "s", "e",
    "y", "a",
)  # fmt: skip
_SHORTEST_STEM = 4
_BY_WORD = {word: term for term, words in SAME.items() for word in words.split()}
_LONG_STEM = 6


@lru_cache(maxsize=50_000)
def term(word: str) -> str:
    """The term that a plain word in lower case says, or its stem.

    >>> term("radiographs"), term("haemorrhagic"), term("enhancing"), term("thrombosed"), term("thrombosis")
    ('xray', 'hemorrhage', 'enhancement', 'thrombosis', 'thrombosis')
    """
    single = spelled(word)
    known = _BY_WORD.get(word) or _BY_WORD.get(single)
    return known or _BY_STEM.get(left := stem(single), left)


def stem(word: str) -> str:
    """A word without its ending."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _SHORTEST_STEM:
            return word[: -len(ending)]
    return word


_BY_STEM = {left: name for word, name in reversed(_BY_WORD.items()) if len(left := stem(word)) >= _LONG_STEM}
"""The terms by the stems of their words, for endings that are not listed."""


def _by_first(phrases: Mapping[str, str]) -> dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]]:
    found: dict[str, list[tuple[tuple[str, ...], tuple[str, ...]]]] = {}
    for phrase, meant in phrases.items():
        first, *rest = map(spelled, phrase.split())
        found.setdefault(first, []).append((tuple(rest), tuple(meant.split())))
    for ways in found.values():
        ways.sort(key=lambda way: -len(way[0]))
    return found


_PHRASES = _by_first(TOGETHER)


def phrase_at(words: list[str], place: int) -> tuple[tuple[str, ...], int] | None:
    """What the longest phrase that begins at a place says, and where it ends.

    >>> phrase_at(["the", "chest", "x", "ray"], 2)
    (('xray',), 4)
    """
    for rest, meant in _PHRASES.get(words[place], ()):
        end = place + 1 + len(rest)
        if tuple(words[place + 1 : end]) == rest:
            return meant, end
    return None


def _terms(words: str) -> frozenset[str]:
    return frozenset(map(term, words.split()))


SIDES = _terms("left right bilateral")
MODALITIES = _terms("xray ct mri ultrasound angiography mammography pet flair dwi adc t1 t2 contrast noncontrast")
PLANES = _terms("axial coronal sagittal posteroanterior anteroposterior lateralview")
SEXES = _terms("male female")
LOOK_ALIKE = _terms(
    "pneumonia pneumonitis peroneal perineal peritoneal dysphagia dysphasia dysplasia aphasia aphagia infrarenal "
    "intrarenal infraspinatus supraspinatus infraorbital intraorbital ileum ilium ileal iliac prostate prednisone "
    "prednisolone myeloma melanoma arthritis arteritis metacarpal metatarsal ureter urethra ureteral urethral "
    "osteotomy ostectomy callus glioma cholangitis"
)
"""Words one or two letters apart that are words of their own: the one is no misspelling of the other."""
NOTHING_WRONG = _terms("normal none")
ABNORMAL = _terms("abnormality abnormal finding pathology disease lesion problem anomaly")
"""What is denied by who says that nothing is wrong."""
DEGREES = frozenset(map(term, _DEGREES))
"""Terms that say how much, how many or how old: a reference may say so beside the answer."""
RIVALS = tuple(map(_terms, _RIVALS))
"""The groups of terms that stand in each other's place."""
IMPLIES = {term(word): tuple(map(term, wider)) for word, wider in _IMPLIES.items()}
_PARTS: dict[str, list[tuple[str, frozenset[str]]]] = {}
for _name, _words in COMPOSED.items():
    for _part in (_composing := _terms(_words)):
        _PARTS.setdefault(_part, []).append((term(_name), _composing))
_GROUPS: dict[str, tuple[frozenset[str], ...]] = {
    member: tuple(group for group in RIVALS if member in group) for group in RIVALS for member in group
}


def rivals(one: str) -> tuple[frozenset[str], ...]:
    """The groups of terms that stand in each other's place, of which this is one."""
    return _GROUPS.get(one, ())


@lru_cache(maxsize=50_000)
def kind_of(one: str) -> str:
    """Whether a term is a finding ("thing"), a part of the body ("part"), or neither ("")."""
    found: Named | None = named(one)
    if found is None:
        return ""
    return "thing" if found.things else "part" if found.parts else ""


def implied(terms: Iterable[str]) -> set[str]:
    """The terms, and what they also say."""
    found = set(terms)
    for each in tuple(found):
        found.update(IMPLIES.get(each, ()))
        found.update(name for name, parts in _PARTS.get(each, ()) if parts <= found)
    return found


def wider(one: str) -> tuple[str, ...]:
    """What a term also says, in wider words."""
    return IMPLIES.get(one, ())
