"""Contents of diagnosis tags in the styles of models, written by hand, and the diagnosis that a person reads in them.

`NAMED` and `SILENT` grew with the rules. `LATER` and `LATER_SILENT` were written once the rules stood and before they
were tried on them, in two rounds: 4 of 134 and 4 of 90 were then read wrongly, and rules and table were mended.
"""

from __future__ import annotations

NAMED: dict[str, tuple[str, ...]] = {
    "melanoma": (
        "Melanoma", "Malignant Melanoma", "Superficial Spreading Melanoma",
        "Suspected malignant melanoma (superficial spreading type), Breslow 1.2 mm", "Melanoma in situ",
        "Atypical melanocytic lesion, highly suspicious for malignant melanoma",
        "Suspicious pigmented lesion concerning for melanoma; urgent biopsy recommended",
        "Probable Melanoma (requires immediate dermatological evaluation and biopsy)", "**Melanoma**",
        "1. Melanoma\n2. Dysplastic nevus", "Primary: Melanoma; Secondary: dysplastic nevus",
        "Melanoma (Differential: nevus, seborrheic keratosis)", "Differential diagnosis: 1. Melanoma 2. Nevus",
        "Melanoma; please consult a dermatologist", "Melanoma maligno", "Mélanome malin", "黑色素瘤",
    ),
    "benign nevus": (
        "Benign Melanocytic Nevus", "Benign Nevus (Common Mole)", "Common benign mole", "Melanocytic nevus, benign",
        "Benign compound melanocytic naevus", "Intradermal nevus", "benign melanocytic nevi",
        "Benign melanocytic nevus with no features suspicious for melanoma", "Benign nevus, not melanoma",
        "The findings are most consistent with a benign melanocytic nevus.",
    ),
    "dysplastic nevus": (
        "Dysplastic Nevus (Atypical Mole)", "Atypical Nevus", "Moderately dysplastic compound nevus",
        "Dysplastic nevus - rule out melanoma", "Dysplastic nevus vs. early melanoma",
    ),
    "seborrheic keratosis": (
        "Seborrheic Keratosis", "Seborrhoeic keratoses",
    ),
    "basal cell carcinoma": (
        "Basal Cell Carcinoma (BCC)", "Nodular BCC", "Pigmented basal cell carcinoma of the nose",
    ),
    "squamous cell carcinoma": (
        "SCC", "Cutaneous squamous cell carcinoma, well differentiated", "Squamous Cell Carcinoma of the lung",
    ),
    "squamous cell carcinoma in situ": (
        "Bowen's disease (SCC in situ)",
    ),
    "spitz nevus": (
        "Spitz nevus",
    ),
    "blue nevus": (
        "Blue naevus",
    ),
    "cherry angioma": (
        "Cherry angioma",
    ),
    "solar lentigo": (
        "Solar lentigo",
    ),
    "dermatofibroma": (
        "Dermatofibroma",
    ),
    "actinic keratosis": (
        "Actinic keratoses",
    ),
    "suspicious skin lesion": (
        "Suspicious skin lesion",
    ),
    "benign finding": (
        "Benign", "Likely benign pigmented lesion", "Melanocytic lesion, likely benign",
        "Benign tissue, negative for malignancy",
    ),
    "st-elevation myocardial infarction": (
        "Acute Anterior STEMI", "Acute Inferior Wall ST-Elevation Myocardial Infarction (STEMI)", "STEMI",
        "Acute anterolateral ST-segment elevation myocardial infarction due to proximal LAD occlusion",
        "Acute Inferior Myocardial Infarction (Inferior STEMI)",
        "ST elevation in leads II, III, aVF consistent with acute inferior MI",
        "Infarto agudo de miocardio con elevación del ST",
    ),
    "myocardial infarction": (
        "Acute Inferior Wall Myocardial Infarction", "Acute MI",
    ),
    "non-st-elevation myocardial infarction": (
        "NSTEMI", "Non-ST-Elevation Myocardial Infarction",
    ),
    "old myocardial infarction": (
        "Old inferior MI", "Inferior infarct, age undetermined", "Prior anteroseptal infarct",
    ),
    "atrial fibrillation": (
        "Atrial Fibrillation", "AFib", "AF", "Atrial fibrillation with controlled ventricular response",
        "- Atrial fibrillation\n- LVH",
    ),
    "atrial fibrillation with rapid ventricular response": (
        "Atrial fibrillation with rapid ventricular response (RVR)", "AFib w/ RVR",
    ),
    "normal": (
        "Normal Sinus Rhythm", "Normal ECG", "Normal sinus rhythm at 72 bpm, no acute ST-T changes",
        "Normal sinus rhythm with no evidence of ischemia, infarction, or arrhythmia", "Normal brain MRI",
        "No acute intracranial abnormality", "Unremarkable brain MRI for age", "Normal chest X-ray",
        "Normal Chest Radiograph (No acute cardiopulmonary disease)", "No acute cardiopulmonary abnormality",
        "No acute cardiopulmonary process. No focal consolidation, pleural effusion, or pneumothorax.",
        "Unremarkable", "Clear lungs", "Within normal limits", "No evidence of malignancy", "Negative for malignancy",
        "正常", "ECG nella norma", "Unauffälliger Befund",
    ),
    "left bundle branch block": (
        "Normal sinus rhythm with left bundle branch block", "LBBB",
    ),
    "first-degree atrioventricular block": (
        "Sinus rhythm with 1st degree AV block",
    ),
    "sinus bradycardia": (
        "Sinus Bradycardia",
    ),
    "sinus tachycardia": (
        "Sinus tachycardia, otherwise normal ECG",
    ),
    "right bundle branch block": (
        "Complete right bundle branch block",
    ),
    "complete heart block": (
        "Third-degree (complete) AV block",
    ),
    "mobitz type ii atrioventricular block": (
        "Second-degree AV block, Mobitz type II",
    ),
    "left ventricular hypertrophy": (
        "Left ventricular hypertrophy with strain pattern", "Abnormal ECG: LVH",
    ),
    "pericarditis": (
        "Acute pericarditis",
    ),
    "early repolarization": (
        "Benign early repolarisation",
    ),
    "wolff-parkinson-white syndrome": (
        "Wolff-Parkinson-White (WPW) syndrome",
    ),
    "premature ventricular contraction": (
        "Frequent PVCs",
    ),
    "ventricular tachycardia": (
        "VT",
    ),
    "long qt syndrome": (
        "Prolonged QTc interval",
    ),
    "sinus arrhythmia": (
        "Normal sinus rhythm with sinus arrhythmia",
    ),
    "myocardial ischemia": (
        "Acute myocardial ischaemia",
    ),
    "glioblastoma": (
        "Glioblastoma Multiforme (GBM)", "GBM", "High-grade glioma, likely glioblastoma (WHO grade IV)",
        "Brain tumour, most likely glioblastoma", "Right temporal lobe glioblastoma, IDH-wildtype",
    ),
    "high-grade glioma": (
        "Large intra-axial mass in the left frontal lobe with surrounding vasogenic edema, "
        "most consistent with a high-grade glioma",
    ),
    "low-grade glioma": (
        "Low-grade glioma",
    ),
    "meningioma": (
        "Meningioma", "Right frontal convexity meningioma (2.5 x 3.1 cm)",
    ),
    "brain metastasis": (
        "Brain metastases", "Metastatic disease to the brain",
    ),
    "multiple sclerosis": (
        "Multiple Sclerosis", "MS",
        "White matter hyperintensities suggestive of multiple sclerosis (Dawson's fingers)",
    ),
    "demyelinating disease": (
        "Periventricular white matter lesions consistent with demyelinating disease such as multiple sclerosis",
    ),
    "ischemic stroke": (
        "Acute Ischemic Stroke (Left MCA territory)", "Acute ischaemic infarct in the right MCA territory",
        "Acute left middle cerebral artery (MCA) infarct",
    ),
    "old cerebral infarction": (
        "Chronic lacunar infarct",
    ),
    "small vessel disease": (
        "Chronic small vessel ischemic disease", "Mild chronic microvascular ischaemic changes",
        "No acute intracranial abnormality, mild chronic small vessel ischemic changes",
    ),
    "subdural hematoma": (
        "Subdural haematoma", "Acute on chronic SDH",
    ),
    "intracranial hemorrhage": (
        "Intracranial haemorrhage (subarachnoid)",
    ),
    "subarachnoid hemorrhage": (
        "Subarachnoid Hemorrhage",
    ),
    "normal pressure hydrocephalus": (
        "Normal Pressure Hydrocephalus",
    ),
    "alzheimer disease": (
        "Alzheimer's disease",
    ),
    "age-related changes": (
        "Age-related cerebral atrophy",
    ),
    "arachnoid cyst": (
        "Arachnoid cyst",
    ),
    "vestibular schwannoma": (
        "Vestibular schwannoma (acoustic neuroma)",
    ),
    "pituitary adenoma": (
        "Pituitary macroadenoma",
    ),
    "pneumonia": (
        "Pneumonia", "Right lower lobe pneumonia", "Community-acquired pneumonia (CAP)", "CAP",
        "Right Lower Lobe Consolidation consistent with Pneumonia",
        "Right lower lobe opacity, suggestive of community-acquired bacterial pneumonia",
        "Final Diagnosis: Pneumonia", "Based on the image, the most likely diagnosis is pneumonia.",
        '{"diagnosis": "Pneumonia", "confidence": 0.9}', "PNEUMONIA.", "<b>Pneumonia</b>", "Polmonite lobare destra",
        "Lungenentzündung", "右下肺炎",
    ),
    "covid-19 pneumonia": (
        "Bilateral infiltrates, likely COVID-19 pneumonia",
    ),
    "pneumothorax": (
        "Left-sided pneumothorax", "Small right apical pneumothorax with no tension",
    ),
    "tension pneumothorax": (
        "Tension pneumothorax",
    ),
    "pleural effusion": (
        "Pleural effusion",
    ),
    "heart failure": (
        "Congestive Heart Failure with Pulmonary Edema",
        "Cardiomegaly with pulmonary vascular congestion, consistent with CHF",
    ),
    "pulmonary edema": (
        "Pulmonary oedema",
    ),
    "cardiomegaly": (
        "Mild cardiomegaly", "No evidence of pneumonia, but mild cardiomegaly",
    ),
    "tuberculosis": (
        "TB", "Active pulmonary tuberculosis",
    ),
    "chronic obstructive pulmonary disease": (
        "COPD", "Hyperinflated lungs consistent with COPD/emphysema",
    ),
    "lung cancer": (
        "Lung cancer", "Solitary pulmonary nodule, suspicious for primary lung malignancy",
    ),
    "malignancy": (
        "Right upper lobe mass suspicious for malignancy",
    ),
    "pulmonary embolism": (
        "Pulmonary embolism",
    ),
    "interstitial lung disease": (
        "Interstitial lung disease (usual interstitial pneumonia pattern)",
    ),
    "invasive ductal carcinoma": (
        "Invasive Ductal Carcinoma", "Invasive Ductal Carcinoma (IDC) of the breast, Grade 2", "IDC",
    ),
    "adenocarcinoma": (
        "Moderately differentiated adenocarcinoma",
    ),
    "colorectal adenocarcinoma": (
        "Invasive, moderately differentiated colonic adenocarcinoma", "Adenocarcinoma of the colon",
    ),
    "prostate adenocarcinoma": (
        "Prostatic adenocarcinoma, Gleason score 3+4=7",
    ),
    "carcinoma": (
        "Poorly differentiated carcinoma",
    ),
    "ductal carcinoma in situ": (
        "DCIS, high grade",
    ),
    "hodgkin lymphoma": (
        "Hodgkin's lymphoma",
    ),
    "diffuse large b-cell lymphoma": (
        "DLBCL",
    ),
    "colorectal adenoma": (
        "Tubular adenoma",
    ),
    "renal cell carcinoma": (
        "Clear Cell Renal Cell Carcinoma (ccRCC)",
    ),
    "papillary thyroid carcinoma": (
        "Papillary thyroid carcinoma",
    ),
    "fibroadenoma": (
        "Fibroadenoma",
    ),
    "gastritis": (
        "Chronic active gastritis with H. pylori",
    ),
    "non-small cell lung cancer": (
        "Non-small cell lung carcinoma (adenocarcinoma)",
    ),
    "erythema multiforme": (
        "Erythema multiforme",
    ),
    "desmoid tumor of shoulder": (
        "Desmoid tumour of the left shoulder",
    ),
    "ovarian torsion": (
        "Ovarian torsion",
    ),
    "sebaceous carcinoma": (
        "Sebaceous carcinoma",
    ),
    "benign adnexal proliferation": (
        "Benign adnexal proliferation",
    ),
    "parathyroid adenoma": (
        "Parathyroid adenoma",
    ),
}  # fmt: skip

SILENT: tuple[str, ...] = (
    "N/A", "None", "Unknown", "Unable to diagnose", "No image provided", "Cannot be determined", "Consult a doctor",
    "No diagnosis", "Undetermined", "Inconclusive", "Unable to determine without image",
    "Seek medical attention", "Schedule an appointment with a specialist", "Please send the scan", "Upload image",
    "I cannot provide a diagnosis as no image was attached.", "No image detected; please upload the ECG.",
    "Image not available", "Diagnosis cannot be made without the image",
    "Please consult a dermatologist for evaluation", "Not applicable", "pending", "Insufficient information",
    "Requires in-person evaluation by a dermatologist", "Clinical correlation recommended",
    "Rule out pulmonary embolism", "r/o PE", "Melanoma cannot be excluded", "Sorry, I can't help with that.",
    "As an AI, I cannot diagnose melanoma from an image.", "Non-diagnostic", "...", "[insert diagnosis here]",
    "No definitive diagnosis can be made", "Diagnosis: unable to determine", "I don't see an image attached.",
    "Melanoma (hypothetical example, as no image was provided)", "Nessuna immagine fornita",
    "Impossibile formulare una diagnosi", "Diagnosi non determinabile", "Consultare un medico",
    "Non è possibile determinare la diagnosi", "No se puede determinar", "Imposible diagnosticar sin la imagen",
    "Consulte a un médico", "Sin diagnóstico", "No hay imagen", "Impossible de poser un diagnostic",
    "Aucune image fournie", "Consultez un médecin", "Diagnostic impossible sans image", "Keine Diagnose möglich",
    "Kein Bild vorhanden", "Bitte konsultieren Sie einen Arzt", "Nicht bestimmbar", "无法诊断", "未提供图像",
    "请咨询医生",
    "无法确定",
    "没有图片",
)  # fmt: skip

LATER: dict[str, tuple[str, ...]] = {
    "st-elevation myocardial infarction": (
        "Acute Extensive Anterior Wall ST-Elevation Myocardial Infarction", "Acute Inferolateral STEMI",
        "Hyperacute anterior STEMI with reciprocal inferior ST depression", "Acute coronary syndrome, likely STEMI",
        "Acute STEMI (Anterolateral Wall)", "Anterior wall MI (STEMI)", "Acute MI, inferior wall, with ST elevation",
        "Inferior ST-Elevation MI with complete AV block",
    ),
    "myocardial infarction": (
        "Acute inferior wall myocardial infarction with right ventricular involvement",
    ),
    "normal": (
        "Normal Sinus Rhythm (NSR)", "Normal electrocardiogram", "Normal 12-lead ECG; sinus rhythm, rate 70",
        "Sinus rhythm, within normal limits",
        "Normal MRI of the brain without evidence of acute infarct, hemorrhage or mass effect",
        "Normal brain magnetic resonance imaging", "No significant abnormality detected", "No abnormalities",
        "Normal heart size, clear lungs, no acute disease", "Normal chest x ray with no acute findings",
        "No acute cardiopulmonary disease identified.", "No radiographic evidence of acute cardiopulmonary disease",
        "Unremarkable chest radiograph", "Normal colonic mucosa",
        "Normal sinus rhythm, normal axis, no ischaemic changes", "Unremarkable MRI of the brain",
        "No evidence of acute intracranial pathology",
        "Normal chest radiograph; no infiltrates, effusions or cardiomegaly", "Lungs are clear",
        "No active cardiopulmonary disease", "Normal tissue histology",
    ),
    "sinus tachycardia": (
        "Sinus Tachycardia with non-specific ST-T wave abnormalities", "Sinus tach",
    ),
    "premature ventricular contraction": (
        "Normal sinus rhythm with occasional premature ventricular complexes (PVCs)", "Ventricular bigeminy",
    ),
    "atrial flutter": (
        "Typical Atrial Flutter with 2:1 AV conduction",
    ),
    "supraventricular tachycardia": (
        "Paroxysmal supraventricular tachycardia (AVNRT)",
    ),
    "left bundle branch block": (
        "Left Bundle Branch Block (LBBB) with left axis deviation",
    ),
    "hyperkalemia": (
        "Hyperkalaemia",
    ),
    "left ventricular hypertrophy": (
        "Sinus rhythm with left ventricular hypertrophy and repolarization abnormality",
        "LVH with secondary ST-T changes",
    ),
    "early repolarization": (
        "Early repolarization (benign variant)",
    ),
    "brugada syndrome": (
        "Brugada syndrome type 1 pattern",
    ),
    "ventricular tachycardia": (
        "Monomorphic VT",
    ),
    "complete heart block": (
        "Complete Heart Block (Third-Degree AV Block)",
    ),
    "nonspecific st-t changes": (
        "Nonspecific T-wave changes",
    ),
    "myocardial ischemia": (
        "Lateral wall ischemia",
    ),
    "atrial fibrillation": (
        "Atrial fibrillation and LBBB", "AF with slow ventricular response", "Afib",
    ),
    "sinus bradycardia": (
        "Sinus bradycardia with first-degree AV block",
    ),
    "glioblastoma": (
        "Glioblastoma (WHO Grade 4), right parietal lobe", "High-Grade Glioma (Glioblastoma Multiforme suspected)",
        "Right frontal lobe primary brain tumor, favoring glioblastoma over metastasis",
        "Grade IV Astrocytoma (Glioblastoma)", "Malignant primary brain tumor (GBM)",
    ),
    "brain tumor": (
        "Intracranial mass lesion",
    ),
    "meningioma": (
        "Left temporal lobe meningioma",
    ),
    "multiple sclerosis": (
        "Multiple Sclerosis (Relapsing-Remitting)", "Demyelinating plaques consistent with MS",
    ),
    "metastatic cancer": (
        "Multiple ring-enhancing lesions, suggestive of metastatic disease",
    ),
    "small vessel disease": (
        "Nonspecific white matter hyperintensities, likely chronic microvascular ischemic changes",
        "Mild chronic small vessel ischemic disease; no acute infarct, hemorrhage, or mass",
    ),
    "ischemic stroke": (
        "Acute infarct in the left basal ganglia", "Acute Right Middle Cerebral Artery (MCA) Ischemic Stroke",
        "Subacute ischemic stroke, left PCA territory", "Acute left MCA stroke",
    ),
    "subdural hematoma": (
        "Chronic subdural hematoma with midline shift",
    ),
    "intracerebral hemorrhage": (
        "Intracerebral hemorrhage, hypertensive", "Hemorrhagic stroke in the right basal ganglia",
    ),
    "mesial temporal sclerosis": (
        "Mesial temporal sclerosis (right)",
    ),
    "cavernous malformation": (
        "Cerebral cavernous malformation",
    ),
    "chiari malformation": (
        "Chiari I malformation",
    ),
    "alzheimer disease": (
        "Generalized cerebral atrophy consistent with Alzheimer's disease",
    ),
    "age-related changes": (
        "Age-appropriate involutional changes",
    ),
    "neurofibromatosis": (
        "Neurofibromatosis type 2 with bilateral vestibular schwannomas",
    ),
    "vestibular schwannoma": (
        "Acoustic neuroma, left cerebellopontine angle", "Right vestibular schwannoma",
    ),
    "pneumonia": (
        "Right Lower Lobe Pneumonia (Community-Acquired)",
        "Right middle lobe pneumonia with small parapneumonic effusion",
        "Left lower lobe airspace disease, most likely representing pneumonia",
        "Lobar pneumonia (right lower lobe), likely bacterial (Streptococcus pneumoniae)", "Bacterial Pneumonia",
        "RLL pneumonia", "Multifocal pneumonia",
        "Bilateral interstitial opacities, likely viral pneumonia or pulmonary edema",
    ),
    "heart failure": (
        "Bilateral pleural effusions with cardiomegaly, suggestive of congestive heart failure", "CHF exacerbation",
    ),
    "pneumothorax": (
        "Large left pneumothorax with mediastinal shift (tension physiology)", "Spontaneous right pneumothorax",
    ),
    "lung cancer": (
        "Right upper lobe lung mass, highly suspicious for bronchogenic carcinoma",
    ),
    "tuberculosis": (
        "Cavitary lesion in the right upper lobe concerning for tuberculosis", "Miliary TB",
        "Pulmonary TB (reactivation)", "Granulomatous inflammation, suggestive of tuberculosis",
    ),
    "pleural effusion": (
        "Right-sided pleural effusion",
    ),
    "pulmonary edema": (
        "Pulmonary oedema secondary to left heart failure",
        "Cardiogenic pulmonary edema due to decompensated heart failure",
    ),
    "atelectasis": (
        "Bibasilar atelectasis", "Left lower lobe collapse",
    ),
    "emphysema": (
        "Emphysematous changes consistent with COPD",
    ),
    "chronic obstructive pulmonary disease": (
        "Acute exacerbation of COPD", "Hyperinflation consistent with COPD",
    ),
    "hiatal hernia": (
        "Hiatal hernia, otherwise unremarkable chest radiograph",
    ),
    "calcified granuloma": (
        "Calcified granuloma in left upper lobe",
    ),
    "sarcoidosis": (
        "Pulmonary sarcoidosis (Stage I) with bilateral hilar lymphadenopathy",
    ),
    "invasive ductal carcinoma": (
        "Invasive ductal carcinoma, NOS, Nottingham grade 3",
        "Invasive carcinoma of no special type (ductal), breast", "Infiltrating ductal carcinoma of breast",
        "Infiltrating Ductal Carcinoma (Grade II)", "Invasive breast carcinoma, ductal type",
    ),
    "squamous cell carcinoma": (
        "Invasive Squamous Cell Carcinoma, Moderately Differentiated", "Squamous cell carcinoma, keratinizing type",
    ),
    "colorectal adenocarcinoma": (
        "Well-differentiated adenocarcinoma of the colon",
        "Colonic adenocarcinoma, moderately differentiated, invading muscularis propria",
    ),
    "ovarian carcinoma": (
        "High-grade serous carcinoma",
    ),
    "adenocarcinoma": (
        "Metastatic adenocarcinoma, likely of colorectal origin", "Adenocarcinoma",
        "Malignant neoplasm, consistent with adenocarcinoma", "Poorly differentiated adenocarcinoma",
    ),
    "melanoma": (
        "Metastatic melanoma", "Malignant Melanoma (Suspected)", "Lentigo Maligna Melanoma",
        "Suspicious for Melanoma", "High suspicion for malignant melanoma", "Nodular melanoma, clinical stage IIB",
        "Cutaneous Malignant Melanoma, Stage IA (pT1a)",
        "Pigmented lesion with features worrisome for melanoma "
        "(asymmetry, border irregularity, color variegation, diameter >6 mm)",
        "Amelanotic melanoma",
    ),
    "inflammation": (
        "Chronic inflammation with granuloma formation",
    ),
    "ductal carcinoma in situ": (
        "Ductal Carcinoma In Situ (DCIS), High Grade with Comedonecrosis",
    ),
    "hepatocellular carcinoma": (
        "Hepatocellular carcinoma (HCC)",
    ),
    "fibrocystic change": (
        "Benign breast tissue with fibrocystic changes",
    ),
    "gastric adenocarcinoma": (
        "Gastric adenocarcinoma, intestinal type",
    ),
    "atypical ductal hyperplasia": (
        "Atypical ductal hyperplasia",
    ),
    "colorectal adenoma": (
        "Tubulovillous adenoma with high-grade dysplasia",
    ),
    "diffuse large b-cell lymphoma": (
        "Diffuse large B-cell lymphoma, NOS", "Non-Hodgkin's Lymphoma (DLBCL)",
    ),
    "hodgkin lymphoma": (
        "Classic Hodgkin Lymphoma, nodular sclerosis subtype",
    ),
    "renal cell carcinoma": (
        "Clear cell RCC",
    ),
    "benign prostatic hyperplasia": (
        "Benign prostatic hyperplasia (BPH)",
    ),
    "dysplastic nevus": (
        "Atypical Nevus (Dysplastic Nevus) - clinical correlation and biopsy recommended",
        "Possible dysplastic nevus or early melanoma",
        "Clinical impression: atypical melanocytic nevus; excisional biopsy to exclude melanoma",
        "Compound nevus with mild atypia",
    ),
    "benign nevus": (
        "Benign Compound Nevus", "Benign acquired melanocytic nevus (typical mole)",
        "Benign pigmented nevus with low suspicion for malignancy",
        "Melanocytic Nevus (Benign Mole) - no signs of malignancy", "Common acquired nevus",
        "Clinically benign nevus", "Junctional melanocytic naevus",
        "Likely a benign common melanocytic nevus, though dermoscopic evaluation is advised", "Normal mole",
    ),
    "suspicious skin lesion": (
        "Atypical pigmented lesion; melanoma must be ruled out by biopsy",
    ),
    "seborrheic keratosis": (
        "Irritated seborrheic keratosis", "Inflamed SK", "Benign lesion (seborrheic keratosis)",
    ),
    "hemangioma": (
        "Haemangioma",
    ),
    "congenital nevus": (
        "Congenital melanocytic naevus",
    ),
    "basal cell carcinoma": (
        "Pigmented BCC vs. melanoma",
    ),
    "solar lentigo": (
        "Lentigo",
    ),
    "wellens syndrome": (
        "Wellens' Syndrome (Type B)",
    ),
    "atrial fibrillation with rapid ventricular response": (
        "Atrial Fibrillation with Rapid Ventricular Rate",
    ),
    "sinus arrhythmia": (
        "Sinus arrhythmia (normal variant)",
    ),
    "right bundle branch block": (
        "RBBB and LAFB (bifascicular block)",
    ),
    "old myocardial infarction": (
        "Prior inferior wall myocardial infarction",
    ),
    "mobitz type i atrioventricular block": (
        "2nd degree AV block type I (Wenckebach)",
    ),
    "pericarditis": (
        "Diffuse ST elevation with PR depression consistent with acute pericarditis",
    ),
    "torsades de pointes": (
        "Torsades de Pointes",
    ),
    "long qt syndrome": (
        "Long QT",
    ),
    "brain metastasis": (
        "Solitary brain metastasis",
    ),
    "meningitis": (
        "Leptomeningeal enhancement suggestive of meningitis",
    ),
    "lacunar infarction": (
        "Acute lacunar infarct, left internal capsule",
    ),
    "cerebral atrophy": (
        "Mild cerebral volume loss, age-appropriate",
    ),
    "pituitary adenoma": (
        "Pituitary microadenoma (4 mm)",
    ),
    "idiopathic intracranial hypertension": (
        "Idiopathic intracranial hypertension",
    ),
    "cardiomegaly": (
        "Cardiomegaly",
    ),
    "malignancy": (
        "Suspicious 2.3 cm nodule in the RUL, concerning for malignancy",
    ),
    "prostate adenocarcinoma": (
        "Prostate cancer, Gleason 4+3",
    ),
    "carcinoma": (
        "Malignant epithelial neoplasm consistent with carcinoma",
    ),
    "papillary thyroid carcinoma": (
        "Papillary Thyroid Carcinoma (Classic variant)",
    ),
    "high-grade dysplasia": (
        "High-grade dysplasia",
    ),
    "hepatitis": (
        "Chronic hepatitis with bridging fibrosis",
    ),
    "lung adenocarcinoma": (
        "Lung adenocarcinoma",
    ),
    "small cell lung cancer": (
        "Small cell carcinoma of the lung",
    ),
}  # fmt: skip

LATER_SILENT: tuple[str, ...] = (
    "Poor quality tracing, unable to interpret", "No diagnosis can be provided because no image was attached",
    "Unable to provide diagnosis – image not visible", "Awaiting image upload", "No diagnosis available",
    "Image not found", "Not possible to diagnose without the actual image", "I'm unable to view images",
    "Diagnosis requires professional medical evaluation", "Medical consultation required", "No ECG image provided",
    "Cannot diagnose", "Unable to analyze image", "Unable to assess - no image available for review",
    "Further evaluation needed", "Diagnosis not possible", "Missing image", "Undiagnosed",
    "Please provide the MRI image", "See a board-certified dermatologist", "Indeterminate; biopsy needed",
    "No attached image to interpret", "Unable to render a diagnosis.", "No conclusive diagnosis",
    "Nothing to diagnose", "No image received", "Unable to make a diagnosis at this time",
    "A diagnosis cannot be established from the information given", "Pending image review",
    "This requires evaluation by a cardiologist", "Diagnosis unavailable", "Not enough information",
    "I am an AI and not able to give a medical diagnosis", "No attachment found", "Cannot interpret",
    "[No image attached]", "Inconclusive without image", "Unknown (image missing)", "no_diagnosis",
)  # fmt: skip
