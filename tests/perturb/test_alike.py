"""Options that may mean the same are found, and those that cannot are left apart."""

import gzip
import json
import os
import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.lexicon import read_lexicon
from snellen.perturb.alike import _meaning, alike, content

SYNONYMS = read_lexicon("synonyms")
SHARED = Path(__file__).parents[2].parent / "shared" / "data"
MEDXPERTQA = SHARED / "medxpertqa-mm" / "medxpertqa_mm_input.jsonl.gz"

# Written before the code; every third pair was kept from tuning.
ALIKE = """
heart attack ~ Myocardial infarction | Stroke ~ Cerebral infarction | Kidney stones ~ Nephrolithiasis |
Pleural effusion ~ Effusion, pleural | Fracture of the femur ~ Femur fracture | Edema of the lung ~ Lung oedema |
SLE ~ Systemic lupus erythematosus | COPD ~ Chronic obstructive pulmonary disease | DVT ~ Deep vein thrombosis |
Systemic lupus erythematosus (SLE) ~ SLE | RA ~ Rheumatoid arthritis (RA) | Pulmonary embolism (PE) ~ PE |
Crohn's disease ~ Crohn disease | Parkinson's ~ Parkinson disease | Alzheimer’s disease ~ Alzheimer disease |
Pneumonia ~ Right lower lobe pneumonia | Aspergillosis ~ Invasive aspergillosis |
Lymphoma ~ Diffuse large B-cell lymphoma | Haemorrhage ~ Hemorrhage | Tumour ~ Tumor | Leukaemia ~ Leukemia |
Oedema ~ Edema | Oesophageal varices ~ Esophageal varices | Paediatric asthma ~ Pediatric asthma |
Type II diabetes ~ Type 2 diabetes | Chiari I malformation ~ Chiari 1 malformation |
Factor VIII deficiency ~ Factor 8 deficiency | β-thalassaemia ~ Beta thalassemia |
α1-antitrypsin deficiency ~ Alpha-1 antitrypsin deficiency | γ-globulin ~ Gamma globulin |
Ménière's disease ~ Meniere disease | Sjögren's syndrome ~ Sjogren syndrome |
Guillain-Barré syndrome ~ Guillain Barre syndrome | 5 cm ~ 5cm | 3 mm ~ 3mm | 10 mg ~ 10mg | Yes ~ yes. | No ~ NO |
Left ~ left | Enlarged heart ~ Cardiomegaly | Collapsed lung ~ Pneumothorax | Collapse of the lung ~ Atelectasis |
TB ~ Tuberculosis | Shingles ~ Herpes zoster | Chickenpox ~ Varicella | German measles ~ Rubella |
Whooping cough ~ Pertussis | Mumps ~ Epidemic parotitis | Gallstones ~ Cholelithiasis | Renal calculus ~ Kidney stone |
Ureteral stone ~ Ureterolithiasis | High blood pressure ~ Hypertension | Low blood pressure ~ Hypotension |
Low blood sugar ~ Hypoglycaemia | Water on the brain ~ Hydrocephalus | Brain bleed ~ Intracranial hemorrhage |
Cerebral hemorrhage ~ Brain haemorrhage | Normal ~ No abnormality | None ~ Unremarkable |
Normal study ~ No abnormal findings | Lung cancer ~ Pulmonary carcinoma | Breast cancer ~ Carcinoma of the breast |
Liver cancer ~ Hepatic malignancy | Renal failure ~ Kidney failure | Hepatic cyst ~ Liver cyst |
Cardiac failure ~ Heart failure | Gastric ulcer ~ Stomach ulcer | Skin lesion ~ Cutaneous lesion |
Bone metastases ~ Osseous metastasis | Haemorroids ~ Hemorrhoids | Pnuemothorax ~ Pneumothorax |
Tuberculosus ~ Tuberculosis | Appendicitis ~ Acute appendicitis | Cholecystitis ~ Gallbladder inflammation |
Hepatitis ~ Inflammation of the liver | Abscesses ~ Abscess | Metastases ~ Metastasis | Diverticula ~ Diverticulum |
X-ray ~ Xray | CT scan ~ Computed tomography | MRI ~ Magnetic resonance imaging | Electrocardiogram ~ ECG | EKG ~ ECG |
Ultrasonography ~ Ultrasound | Down syndrome ~ Trisomy 21 | Lou Gehrig's disease ~ Amyotrophic lateral sclerosis |
Edwards syndrome ~ Trisomy 18 | Pulmonary oedema ~ Fluid in the lungs | Ascites ~ Fluid in the abdomen |
Pleural effusion ~ Fluid around the lung | Left lower lobe ~ Lower lobe of the left lung | Right upper lobe ~ RUL |
LLL ~ Left lower lobe | Basal cell carcinoma ~ BCC | Squamous cell carcinoma ~ SCC | HCC ~ Hepatocellular carcinoma |
Streptococcus pneumoniae ~ S. pneumoniae | E. coli ~ Escherichia coli | Staph aureus ~ Staphylococcus aureus |
Acetaminophen ~ Paracetamol | Epinephrine ~ Adrenaline | Albuterol ~ Salbutamol |
Non-Hodgkin's lymphoma ~ Non Hodgkin lymphoma | Hodgkin's disease ~ Hodgkin lymphoma | Wilms tumor ~ Wilms' tumour |
Myocardial ischaemia ~ Cardiac ischemia | Cerebral oedema ~ Brain edema | Ocular trauma ~ Eye trauma |
Fatty liver ~ Hepatic steatosis | Cirrhosis ~ Liver cirrhosis | Enlarged liver ~ Hepatomegaly |
Splenomegaly ~ Enlarged spleen | Swollen lymph nodes ~ Lymphadenopathy | Goitre ~ Enlarged thyroid |
Underactive thyroid ~ Hypothyroidism | Overactive thyroid ~ Hyperthyroidism | Hashimoto's ~ Hashimoto thyroiditis |
Graves' disease ~ Graves disease | Addison's disease ~ Primary adrenal insufficiency |
Cushing syndrome ~ Cushing's syndrome | Broken hip ~ Hip fracture | Broken wrist ~ Wrist fracture |
Distal radius fracture ~ Fracture of distal radius | Nosebleed ~ Epistaxis | Coughing up blood ~ Haemoptysis |
Vomiting blood ~ Hematemesis | Blood in urine ~ Haematuria | Difficulty swallowing ~ Dysphagia |
Shortness of breath ~ Dyspnoea | Fever ~ Pyrexia | Itching ~ Pruritus | Hives ~ Urticaria | Baldness ~ Alopecia |
Hair loss ~ Alopecia areata | Eczema ~ Atopic dermatitis | Warts ~ Verruca | Mole ~ Melanocytic nevus | Naevus ~ Nevus |
Boil ~ Furuncle | Ringworm ~ Tinea corporis | Athlete's foot ~ Tinea pedis | Pink eye ~ Conjunctivitis |
Nearsightedness ~ Myopia | Lazy eye ~ Amblyopia | AMD ~ Age-related macular degeneration | Cataracts ~ Cataract |
Detached retina ~ Retinal detachment | Drusen ~ Retinal drusen | Papilloedema ~ Optic disc swelling |
Diabetic retinopathy ~ Retinopathy, diabetic | Macular edema ~ Oedema of the macula | Glaucoma ~ Open-angle glaucoma |
Retinal tear ~ Tear of the retina | Bacterial meningitis ~ Meningitis, bacterial |
Viral hepatitis ~ Hepatitis due to virus | Fungal infection ~ Mycosis | Lockjaw ~ Tetanus | Hansen's disease ~ Leprosy |
Consumption (tuberculosis) ~ Tuberculosis | Bed sore ~ Pressure ulcer | Decubitus ulcer ~ Bedsore |
Cold sore ~ Herpes labialis | Prostate enlargement ~ Benign prostatic hyperplasia | BPH ~ Benign prostatic hyperplasia |
Enlarged prostate ~ BPH | UTI ~ Urinary tract infection | Bladder infection ~ Cystitis |
Kidney infection ~ Pyelonephritis | Ectopic pregnancy ~ Tubal ectopic pregnancy | Miscarriage ~ Spontaneous abortion |
Fibroids ~ Uterine leiomyoma | Preeclampsia ~ Pre-eclampsia | Caesarean section ~ Cesarean section |
Placenta praevia ~ Placenta previa | Subarachnoid haemorrhage ~ Sub-arachnoid hemorrhage |
Subdural haematoma ~ Subdural hematoma | Epidural hematoma ~ Extradural haematoma | Multiple sclerosis ~ MS |
ALS ~ Amyotrophic lateral sclerosis | Seizures ~ Epileptic seizure | Transient ischaemic attack ~ TIA |
Mini-stroke ~ Transient ischemic attack | CVA ~ Stroke | Ischaemic stroke ~ Cerebral infarct |
Infarct in the brain ~ Cerebral infarction | Brain tumor ~ Cerebral neoplasm | Glioblastoma ~ Glioblastoma multiforme |
GBM ~ Glioblastoma multiforme | Acoustic neuroma ~ Vestibular schwannoma | Slipped disc ~ Herniated disc |
Disc prolapse ~ Disc herniation | L4-L5 disc herniation ~ Herniated disc at L4/L5 | C5-6 ~ C5-C6 | 2 cm ~ 20 mm |
0.5 ~ 0.50 | One ~ 1 | Three ~ 3 | Two lesions ~ 2 lesions | 1,000 ~ 1000 | 50% ~ 50 % | 1 year ~ 12 months |
Torn meniscus ~ Meniscal tear | ACL tear ~ Anterior cruciate ligament tear |
Rotator cuff tear ~ Tear of the rotator cuff | Osteoarthritis ~ Degenerative joint disease |
Degenerative arthritis ~ Osteoarthritis | Gout ~ Gouty arthritis | Bone infection ~ Osteomyelitis |
Brittle bones ~ Osteoporosis | Bow legs ~ Genu varum | Scoliosis ~ Curvature of the spine | Bunion ~ Hallux valgus |
Heel spur ~ Calcaneal spur | Low platelets ~ Thrombocytopenia | Low white cell count ~ Leukopenia |
High potassium ~ Hyperkalaemia | Iron deficiency anaemia ~ Iron-deficiency anemia |
Sickle-cell disease ~ Sickle cell anaemia | Vitamin B12 deficiency ~ B12 deficiency | Blood clot ~ Thrombus |
Blood clot in the lung ~ Pulmonary embolism | Deep venous thrombosis ~ DVT | AAA ~ Abdominal aortic aneurysm |
Aneurysm of the aorta ~ Aortic aneurysm | Dissection of the aorta ~ Aortic dissection | AF ~ Atrial fibrillation |
Atrial fib ~ Atrial fibrillation | VT ~ Ventricular tachycardia | Fast heart rate ~ Tachycardia |
Slow heart rate ~ Bradycardia | Irregular heartbeat ~ Arrhythmia | Mitral regurgitation ~ Mitral insufficiency |
Aortic stenosis ~ Stenosis of the aortic valve | Hole in the heart ~ Septal defect | Heartburn ~ Acid reflux |
GERD ~ Gastro-oesophageal reflux disease | GORD ~ Gastroesophageal reflux | Bowel obstruction ~ Intestinal obstruction |
Small bowel obstruction ~ SBO | Piles ~ Haemorrhoids | Ulcerative colitis ~ Colitis ulcerosa |
IBD ~ Inflammatory bowel disease | Colonic polyp ~ Polyp of the colon | Jaundice ~ Icterus |
Bile duct stone ~ Choledocholithiasis | Inflamed pancreas ~ Pancreatitis |
Removal of the gallbladder ~ Cholecystectomy | Appendectomy ~ Appendicectomy | Spleen removal ~ Splenectomy |
Cannot be determined ~ Unknown | I don't know ~ Not sure | Unable to determine ~ Cannot tell | Bilateral ~ Both sides |
Both lungs ~ Bilateral lungs | Anterior ~ anteriorly | Calcified granuloma ~ Calcification (granuloma) |
Infiltrates ~ Infiltrate | Consolidated lung ~ Pulmonary consolidation | Widened mediastinum ~ Mediastinal widening |
Nodular opacities ~ Nodules | Cavitary lesion ~ Cavitation | Polmonite ~ Polmonite destra |
Frattura del femore ~ Frattura femorale | Versamento pleurico ~ Versamento | Fractura de fémur ~ fractura de femur |
Neumonía ~ Neumonia bilateral | Derrame pleural ~ derrame | Insuffisance cardiaque ~ insuffisance cardiaque aiguë |
Cœur ~ coeur | Épanchement pleural ~ Epanchement pleural | Lungenentzündung ~ LUNGENENTZÜNDUNG |
Herzinfarkt ~ akuter Herzinfarkt | Hirnblutung ~ Hirnblutung links | 肺炎 ~ 右下叶肺炎 | 骨折 ~ 股骨骨折 |
胸腔积液 ~ 左侧胸腔积液 | 肺結核 ~ 肺結核。 | くも膜下出血 ~ クモ膜下出血 (くも膜下出血) | 폐렴 ~ 세균성 폐렴 |
Пневмония ~ пневмония справа | التهاب رئوي ~ التهاب رئوي حاد | निमोनिया ~ निमोनिया (दायाँ) |
Intravenous fluids ~ IV fluids | IV antibiotics ~ Intravenous antibiotic therapy |
NSAIDs ~ Nonsteroidal anti-inflammatory drugs
"""
DIFFERENT = """
Dermatomyositis ~ Chiari I malformation | Psoriasis ~ Sarcoidosis | Left ~ Drusen | 3 ~ 4 | 3 ~ 13 | 5 cm ~ 7 cm |
Yes ~ No | Left ~ Right | True ~ False | Subretinal fluid ~ Pleural effusion | Pneumothorax ~ Femur fracture |
Appendicitis ~ Glaucoma | Hyperthyroidism ~ Hypothyroidism | Hyperkalaemia ~ Hypokalaemia | Hypertension ~ Hypotension |
Left lower lobe pneumonia ~ Right lower lobe pneumonia | Left kidney ~ Right kidney |
Right hip fracture ~ Left hip fracture | Type 1 diabetes ~ Type 2 diabetes | Grade 2 ~ Grade 3 | Stage II ~ Stage IV |
L4-L5 ~ L5-S1 | C5 ~ C7 | T1-weighted ~ T2-weighted | Benign ~ Malignant | Acute ~ Chronic | Arterial ~ Venous |
Meningitis ~ Hepatitis | Cholecystitis ~ Pancreatitis | Nephritis ~ Arthritis | Crohn's disease ~ Graves' disease |
Addison's disease ~ Parkinson's disease | Down syndrome ~ Turner syndrome | Pleural effusion ~ Pericardial effusion |
Subdural hematoma ~ Splenic laceration | Aortic dissection ~ Carotid stenosis | Osteosarcoma ~ Retinoblastoma |
Melanoma ~ Meningioma | Lymphoma ~ Lipoma | Aspirin ~ Warfarin | Metformin ~ Lisinopril | Amoxicillin ~ Vancomycin |
Staphylococcus aureus ~ Escherichia coli | Candida albicans ~ Plasmodium falciparum | Hepatitis B ~ Hepatitis C |
CT ~ MRI | Ultrasound ~ X-ray | PET ~ ECG | Axial ~ Coronal | Sagittal ~ Oblique | Anterior ~ Posterior |
Heart ~ Liver | Lung ~ Kidney | Spleen ~ Bladder | Male ~ Female | Open ~ Closed | Increased ~ Decreased |
Tuberculosis ~ Gout | Asthma ~ Eczema | Migraine ~ Scabies | Multiple sclerosis ~ Cystic fibrosis |
Myasthenia gravis ~ Ulcerative colitis | Tetralogy of Fallot ~ Bell's palsy | Retinal detachment ~ Rotator cuff tear |
Optic neuritis ~ Carpal tunnel syndrome | Cataract ~ Hernia | Squamous cell carcinoma ~ Basal ganglia infarct |
Sickle cell disease ~ Iron deficiency anaemia | Lead poisoning ~ Rickets | Pulmonary embolism ~ Renal artery stenosis |
Myocarditis ~ Encephalitis | Endocarditis ~ Osteomyelitis | Systolic ~ Diastolic | Proximal ~ Distal |
Medial ~ Lateral | Thrombocytopenia ~ Thrombocytosis | Leukopenia ~ Leukocytosis | Polyuria ~ Oliguria |
Tachycardia ~ Bradycardia | Mydriasis ~ Miosis | Varus ~ Valgus | 1 week ~ 6 months | 10% ~ 90% | 20 mg ~ 200 mg |
Vitamin D deficiency ~ Vitamin C deficiency | Factor VIII deficiency ~ Factor IX deficiency | BRCA1 ~ BRCA2 |
Mitral stenosis ~ Spinal stenosis | Portal vein thrombosis ~ Cavernous sinus syndrome |
Gastric ulcer ~ Corneal abrasion | Chest tube insertion ~ Lumbar puncture | Biopsy ~ Observation |
Appendectomy ~ Splenectomy | Reassurance ~ Surgery | Colonoscopy ~ Bronchoscopy | Dialysis ~ Chemotherapy |
Yellow ~ Blue | Red ~ Green | Circle ~ Square | Femur ~ Humerus | Tibia ~ Ulna | Mandible ~ Sacrum |
Neuroblastoma ~ Wilms tumor | Glioblastoma ~ Neurofibroma | Chondrosarcoma ~ Pheochromocytoma |
Diabetes mellitus ~ Psoriatic arthritis | Hypertension ~ Epilepsy | Obesity ~ Deafness | Fever ~ Fracture |
Cough ~ Rash | Headache ~ Haematuria | Measles ~ Malaria | Syphilis ~ Scurvy | Rabies ~ Rubella |
Foramen ovale ~ Corpus callosum | Hippocampus ~ Cerebellum | Optic chiasm ~ Pituitary adenoma | Hemangioma ~ Hamartoma |
Sarcoma ~ Sarcoid | Cyst ~ Clot | Hodgkin lymphoma ~ Burkitt lymphoma | Follicular cyst ~ Follicular lymphoma |
Renal cell carcinoma ~ Sickle cell crisis | Acute kidney injury ~ Acute pancreatitis |
Chronic kidney disease ~ Chronic bronchitis | Acute otitis media ~ Acute glaucoma |
Viral meningitis ~ Viral gastroenteritis | Bacterial vaginosis ~ Bacterial endocarditis |
Fungal keratitis ~ Fungal pneumonia | Sinus tachycardia ~ Sinusitis |
Ventricular septal defect ~ Nasal septal deviation | Heart block ~ Nerve block |
Atrial fibrillation ~ Ventricular fibrillation | Atrial septal defect ~ Neural tube defect |
First-degree AV block ~ Third-degree AV block | Upper lobe ~ Lower lobe | Superior vena cava ~ Inferior vena cava |
Internal carotid ~ External carotid | Hyperdense ~ Hypodense | Hyperintense ~ Hypointense | Radiolucent ~ Radiopaque |
Intracranial ~ Extracranial | Supratentorial ~ Infratentorial | Adduction ~ Abduction | Penicillin ~ Prednisone |
Insulin ~ Heparin | Morphine ~ Naloxone | Anaphylaxis ~ Amyloidosis | Sepsis ~ Stroke | Delirium ~ Dementia |
Colles fracture ~ Crohn disease | Pott disease ~ Paget disease | Kawasaki disease ~ Wilson disease |
Rib fracture ~ Skull base tumour | Hip dislocation ~ Shoulder arthroplasty | Ankle sprain ~ Wrist ganglion |
Cardiomyopathy ~ Retinopathy | Neuropathy ~ Nephropathy | Myopathy ~ Myopia | Ileum ~ Ilium | Ureter ~ Urethra |
Cervix ~ Cervical spine fracture | Pneumonia ~ Pneumothorax | Meningitis ~ Meningioma | Arthritis ~ Arteritis |
Osteoporosis ~ Osteomyelitis | Cholangitis ~ Cholecystectomy | Hydronephrosis ~ Hydrocephalus |
Hepatomegaly ~ Splenomegaly | Cardiomegaly ~ Acromegaly | Lymphadenopathy ~ Cardiomyopathy | Gastritis ~ Gingivitis |
Dermatitis ~ Diverticulitis | Bursitis ~ Bronchitis | Intussusception ~ Invasive aspergillosis | Volvulus ~ Vasculitis |
Achalasia ~ Alopecia | Langerhans cell histiocytosis ~ Germ cell tumour | Giant cell arteritis ~ Giant cell tumor |
Mantle cell lymphoma ~ Small cell lung cancer | Dopamine ~ Dobutamine | Glucagon ~ Glucose |
Chlorpromazine ~ Chlorpropamide | ALL ~ AML | MI ~ TIA | DVT ~ UTI | PE ~ Pneumothorax | MS ~ Myocardial infarction |
RA ~ Aortic stenosis | IL-6 ~ IL-10 | CD4 ~ CD8 | HSV-1 ~ HSV-2 | 0 ~ 1 | 100 ~ 1000 | 1.5 ~ 15 |
Less than 5 mm ~ More than 5 mm | 2 weeks ~ 2 years | 30 minutes ~ 3 hours | Positive ~ Negative | Present ~ Absent |
Normal ~ Abnormal | Unknown ~ Pneumonia | Cannot be determined ~ Cirrhosis | Not sure ~ Left | Normal ~ Pneumothorax |
No abnormality ~ Aortic dissection | None ~ Cholelithiasis | Kidney stone ~ Kidney transplant |
Lung abscess ~ Liver abscess | Brain abscess ~ Breast abscess | Skin graft ~ Skin cancer |
Bone scan ~ Bone marrow biopsy | Eye drops ~ Eye patch | Cor pulmonale ~ Cor triatriatum | Tinea pedis ~ Pes planus |
Lichen planus ~ Pityriasis rosea | Vitiligo ~ Rosacea | Impetigo ~ Keloid | Acne ~ Alopecia |
Superior oblique palsy ~ Inferior vena cava filter | Posterior vitreous detachment ~ Posterior cruciate ligament tear |
Anterior uveitis ~ Anterior cord syndrome | Polmonite ~ Frattura | Versamento pleurico ~ Edema cerebrale |
Destra ~ Sinistra | Neumonía ~ Fractura | Izquierda ~ Derecha | Apendicitis ~ Glaucoma | Pneumonie ~ Fracture |
Gauche ~ Droite | Tumeur ~ Kyste | Lungenentzündung ~ Herzinfarkt | Links ~ Rechts | Bruch ~ Tumor | 肺炎 ~ 骨折 |
左 ~ 右 | 脑出血 ~ 肝硬化 | 肺炎 ~ 肝炎 | 結核 ~ 白内障 | 폐렴 ~ 골절 | Пневмония ~ Перелом | كسر ~ التهاب رئوي |
निमोनिया ~ मोतियाबिंद | A ~ B | I ~ V | (a) 1 and 2 ~ (b) 3 and 4 | Small intestine ~ Large intestine |
Small vessel disease ~ Large cell lymphoma | Long QT syndrome ~ Short bowel syndrome |
Primary biliary cholangitis ~ Primary ciliary dyskinesia |
Idiopathic pulmonary fibrosis ~ Idiopathic intracranial hypertension |
Congenital heart disease ~ Congenital hip dysplasia | Autosomal dominant ~ Autosomal recessive |
Obstructive lung disease ~ Restrictive lung disease | Motor neuron ~ Sensory neuron | Afferent ~ Efferent |
Flexion ~ Extension | Before surgery ~ After surgery
"""


def pairs(text):
    return [tuple(side.strip() for side in pair.split(" ~ ")) for pair in text.split("|")]


def test_there_are_enough_pairs():
    """The figures below are of at least 150 pairs each way, a third of them kept."""
    assert len(pairs(ALIKE)) == 285
    assert len(pairs(DIFFERENT)) == 258


@pytest.mark.parametrize("kept", [False, True])
def test_what_means_the_same_is_alike(kept):
    """None of the pairs is missed, neither of those tuned on nor of those kept."""
    chosen = [pair for i, pair in enumerate(pairs(ALIKE)) if (i % 3 == 2) == kept]
    assert [pair for pair in chosen if not alike(*pair)] == []


@pytest.mark.parametrize("kept", [False, True])
def test_few_that_differ_are_alike(kept):
    """At most one in twenty pairs of different things, many of them close, is called alike."""
    chosen = [pair for i, pair in enumerate(pairs(DIFFERENT)) if (i % 3 == 2) == kept]
    assert len([pair for pair in chosen if alike(*pair)]) <= 0.05 * len(chosen)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dermatomyositis", "Chiari I malformation"),
        ("Psoriasis", "Sarcoidosis"),
        ("Left", "Drusen"),
        ("Subretinal fluid", "Pleural effusion"),
        ("3", "4"),
        ("3", "13"),
        ("1.5", "15"),
        ("5 mm", "5 cm"),
        ("2 weeks", "2 years"),
        ("Type 1 diabetes", "Type II diabetes"),
        ("L4-L5 disc herniation", "L5-S1 disc herniation"),
        ("Left", "Right"),
        ("Yes", "No"),
        ("+", "-"),
        ("HER2+", "HER2-"),
        ("< 5 mm", "> 5 mm"),
        ("Hepatitis B", "Hepatitis C"),
        ("Lung abscess", "Liver abscess"),
        ("Hyperthyroidism", "Hypothyroidism"),
        ("左", "左肺下叶"),
    ],
)
def test_these_differ(one, other):
    """Other numbers, letters, sides and places make other options."""
    assert not alike(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("SLE", "Systemic lupus erythematosus (SLE)"),
        ("PCOS", "Polycystic ovary syndrome"),
        ("PTSD", "Post-traumatic stress disorder"),
        ("GORD", "Gastro-oesophageal reflux disease"),
        ("AMI", "Myocardial infarction"),
        ("E coli", "Escherichia coli"),
        ("5 mm", "0.5 cm"),
        ("5", "5 mm"),
        ("3,5 cm", "3.5 cm"),
        ("14 days", "Two weeks"),
        ("0", "None"),
        ("50%", "half"),
        ("CN VI palsy", "Sixth cranial nerve palsy"),
        ("X", "10"),
        ("COVID-19", "SARS-CoV-2"),
        ("COVID19", "COVID-19"),
        ("p53 mutation", "TP53 mutation"),
        ("Hepatomegaly", "Enlargement of the liver"),
        ("Tumour", "Melanoma"),
        ("Inflammation", "Appendicitis"),
        ("Lobar pneumonia", "Bacterial pneumonia"),
        ("C", "Figure C"),
        ("The", "THE"),
        ("HLA-B27 positive", "HLA-B27+"),
        ("L'emorragia cerebrale", "Emorragia cerebrale"),
        ("ελκώδης κολίτιδα", "Ελκώδης κολίτιδα"),
    ],
)
def test_these_are_alike(one, other):
    """Abbreviations, units, numerals, compounds and other spellings make no other option."""
    assert alike(one, other)


def test_all_names_of_a_thing_are_alike():
    """Every line of names holds, whatever else is read into the names."""
    lines = [*SYNONYMS.groups("groups"), *map(str.split, SYNONYMS.lines("aliases"))]
    assert len(lines) > 300
    assert [(a, b) for names in lines for a in names for b in names if not alike(a, b)] == []


def test_opposites_differ_alone_and_in_company():
    """What contradicts is not alike, however much the rest agrees."""
    for line in SYNONYMS.groups("opposites"):
        left, right = map(str.split, line)
        for one, other in ((a, b) for a in left for b in right):
            assert not alike(one, other)
            assert not alike(f"{one} lobar pneumonia", f"{other} lobar pneumonia")


SMALL = {*SYNONYMS.words("stop"), *SYNONYMS.words("vague"), "non", "sub", "anti"}
NAMES = " ".join(SYNONYMS.lines("groups")).replace("|", " ").split()
WORDS = sorted({word for word in NAMES if word.isalpha() and len(word) > 2} - SMALL)
phrases = st.lists(st.sampled_from(WORDS), min_size=1, max_size=5)
texts = st.one_of(st.text(max_size=30), phrases.map(" ".join))


@given(one=texts, other=texts)
def test_it_is_symmetric_and_reflexive(one, other):
    """The order of the two is of no matter; an option is like itself; nothing that can be written breaks it."""
    assert alike(one, other) == alike(other, one)
    assert alike(one, one)
    assert alike(one, f" {one}\n")


@given(words=phrases, other=phrases, shuffled=st.randoms(use_true_random=False))
def test_case_punctuation_and_order_are_of_no_matter(words, other, shuffled):
    """The same words in capitals, with commas, or in another order are the same option, for every other option."""
    one, second = " ".join(words), " ".join(other)
    mixed = shuffled.sample(words, len(words))
    assert alike(one, ", ".join(mixed).upper())
    assert alike(one.title() + ".", second) == alike(one, second)


@given(words=phrases, articles=st.sampled_from(["the", "a", "an", "of the"]))
def test_small_words_are_of_no_matter(words, articles):
    """An article more, or less, makes no other option."""
    assert alike(" ".join(words), f"{articles} {' '.join(words)}")


@given(words=phrases, more=st.lists(st.sampled_from(["zebra", "quokka", "axolotl"]), min_size=1, max_size=6))
def test_what_is_contained_is_alike(words, more):
    """A narrower option holds the broader one."""
    assert alike(" ".join(words), " ".join([*more, *words]))


@given(one=st.integers(0, 5000), other=st.integers(0, 5000), unit=st.sampled_from(["", " mm", "kg", " weeks", "%"]))
def test_numbers_are_alike_when_equal(one, other, unit):
    """Numbers of one unit are compared by value."""
    assert alike(f"{one}{unit}", f"{one:,}{unit}")
    assert alike(f"{one}{unit}", f"{other}{unit}") == (one == other)


@given(text=phrases.map(" ".join), at=st.integers(1, 7))
def test_one_slip_of_the_pen_is_forgiven_in_long_words(text, at):
    """In a word of ten letters or more, one that is lost or two that changed places make no other option."""
    for word in (word for word in text.split() if len(word) >= 10):
        assert alike(word, word[:at] + word[at + 1 :])
        assert alike(word, word[:at] + word[at + 1] + word[at] + word[at + 2 :])


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("The Oedemas of the lung", "pulmonary edema"),
        ("Crohn's disease", "CROHN"),
        ("Type II", "type 2"),
        ("Épanchement pleural", "epanchement pleurals"),
        ("fibres", "fiber"),
    ],
)
def test_content_is_what_carries_meaning(text, same):
    """Spelling, endings, articles and words that say nothing are left out."""
    assert content(text) == content(same)
    assert content(text)


def test_content_of_a_sentence():
    """What is left are stems, numbers and signs."""
    assert content("A 3 cm mass of the left kidney") == {"3×0.01m 0.03m", "cancer", "left", "cidn"}
    assert content("肺炎") == {"肺", "炎"}
    assert content("?!") == {"?!"}


def test_the_answer_does_not_depend_on_the_process():
    """Strings hash differently in every process; which options are alike must not."""
    script = (
        "import json, sys; from snellen.perturb.alike import alike; print([alike(*p) for p in json.load(sys.stdin)])"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", script],
            input=json.dumps(pairs(ALIKE) + pairs(DIFFERENT)),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert said[0] == said[1]
    assert said[0].count("True") >= 285


def test_a_text_is_read_once_and_not_kept_for_ever():
    """Reading is the slow part: it is done once a text, and for a bounded number of texts."""
    before = _meaning.cache_info()
    assert alike("a text nobody wrote", "another text nobody wrote") in (True, False)
    assert alike("another text nobody wrote", "a text nobody wrote") in (True, False)
    after = _meaning.cache_info()
    assert after.misses - before.misses == 2
    assert after.hits - before.hits >= 2
    assert after.maxsize


@pytest.mark.skipif(not MEDXPERTQA.exists(), reason="MedXpertQA is not in ../shared/data")
def test_few_options_of_unrelated_questions_are_alike():
    """Of real options drawn from different questions hardly one in a hundred pairs is called alike."""
    with gzip.open(MEDXPERTQA, "rt") as rows:
        options = [[option["content"] for option in json.loads(row)["options"]] for row in rows]
    draws = random.Random(7)
    drawn = [tuple(draws.choice(each) for each in draws.sample(options, 2)) for _ in range(1500)]
    assert 0 < sum(alike(*pair) for pair in drawn) < 0.015 * len(drawn)
