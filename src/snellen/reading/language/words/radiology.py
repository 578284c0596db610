"""The words of radiology reports: findings and parts of the body by one name each, and what the words around them do.

Names with "|" between them are phrases for one concept, without articles, prepositions and sides, in the spelling of
`spelled`: American, singular.
"""

from __future__ import annotations

from snellen.reading.language.patterns import word_set
from snellen.runtime import regex

WHOLE = "abnormality"
"""The finding that a normal image lacks; every other finding is below it."""

FINDINGS = {
    # lungs
    "lung opacity": "opacity|opacification|opacified|infiltrate|infiltration|airspace disease|air space disease|"
    "airspace process|air space process|airspace opacity|air space opacity|airspace opacification|density|"
    "infiltrative process|haziness|alveolar disease|alveolar opacity|lung shadowing|shadowing|ground glass|"
    "consolidative opacity",
    "consolidation": "consolidation|airspace consolidation|air space consolidation|consolidative process|"
    "consolidative change|consolidated|alveolar consolidation|air bronchogram",
    "pneumonia": "pneumonia|bronchopneumonia|pneumonic process|pneumonitis|pulmonary infection|lung infection|"
    "chest infection|infection|infectious process|infectious infiltrate|pneumonic infiltrate|infectious disease|"
    "pneumonic consolidation|infectious etiology",
    "aspiration": "aspiration|aspiration pneumonia|aspiration pneumonitis",
    "tuberculosis": "tuberculosis|tb|active tuberculosis|tuberculous disease|tuberculous process|"
    "tuberculous infection",
    "atelectasis": "atelectasis|atelectatic|atelectatic change|atelectase|volume loss|lung collapse|lobar collapse|"
    "collapse|linear opacity|bandlike opacity|band like opacity|plate like opacity|platelike opacity|collapsed",
    "pulmonary edema": "edema|pulmonary edema|interstitial edema|alveolar edema|heart failure|cardiac failure|chf|"
    "congestive failure|congestive heart failure|cardiac decompensation|fluid overload|volume overload",
    "vascular congestion": "vascular congestion|venous congestion|pulmonary congestion|congestion|congestive change|"
    "vascular engorgement|vascular prominence|cephalization|vascular redistribution|venous hypertension|"
    "pulmonary venous hypertension|congested|vascular fullness|vascular indistinctness",
    "interstitial disease": "interstitial disease|interstitial lung disease|interstitial opacity|interstitial change|"
    "interstitial thickening|interstitial prominence|interstitial process|interstitial infiltrate|reticular opacity|"
    "reticulonodular opacity|reticular change|interstitial pattern|interstitial abnormality|septal thickening|"
    "kerley b line|kerley line|interstitial pneumonia|reticular marking|peribronchial cuffing|bronchial cuffing|"
    "peribronchial thickening|bronchial wall thickening|bronchial thickening",
    "fibrosis": "fibrosis|pulmonary fibrosis|fibrotic change|fibrotic disease|honeycombing|fibrotic",
    "scarring": "scarring|scar|cicatrix|parenchymal scarring|fibronodular change|fibronodular scarring",
    "bronchovascular crowding": "bronchovascular crowding|vascular crowding|crowding",
    "low lung volume": "low lung volume|low volume|low inspiratory volume|hypoinflation|hypoinflated|hypoventilation|"
    "hypoventilatory change|hypoaeration|hypoexpanded|hypoexpansion|poor inspiration|shallow inspiration|"
    "poor inspiratory effort|low inspiratory effort|shallow inspiratory effort|hypoventilated|underinflated|"
    "underinflation|suboptimal inspiration|decreased lung volume|diminished lung volume|small lung volume|"
    "reduced lung volume|reduced inspiration|underexpanded|low lung inflation|hypoaerated|incomplete inspiration",
    "hyperinflation": "hyperinflation|large lung volume|increased lung volume|hyperinflated|hyperexpanded|"
    "hyperexpansion|hyper expanded|hyper inflated|hyperaeration|hyperaerated|overinflated|overexpanded|overinflation|"
    "air trapping|hyperlucent|hyperlucency|hyper expansion|hyper inflation|overaerated",
    "emphysema": "emphysema|emphysematous|emphysematous change|emphysematous disease|copd|bulla|bullous disease|"
    "chronic obstructive pulmonary disease|obstructive lung disease|chronic lung disease|"
    "obstructive pulmonary disease|obstructive disease|bullous change|bullous emphysema|obstructive airway disease",
    "bronchiectasis": "bronchiectasis|bronchiectatic|bronchiectatic change",
    "bronchitis": "bronchitis|bronchitic change|reactive airway disease|small airway disease|bronchiolitis|"
    "airway disease|airway inflammation",
    "lung nodule": "nodule|pulmonary nodule|lung nodule|nodular opacity|nodular density|nodularity|nodular shadow|"
    "nodular infiltrate|noncalcified nodule|nodular lesion|coin lesion|round opacity|rounded opacity|rounded density|"
    "round density|micronodule",
    "mass": "mass|pulmonary mass|lung mass|mass lesion|tumor|neoplasm|malignancy|cancer|carcinoma|neoplastic process|"
    "lung cancer|bronchogenic carcinoma|masslike opacity|mass like opacity|brain tumor|space occupying lesion|"
    "malignant lesion|glioma|malignant process|neoplastic disease|lung lesion|pulmonary lesion|lung tumor",
    "metastasis": "metastasis|metastatic disease|metastatic lesion|lymphangitic spread",
    "cavity": "cavity|cavitary lesion|cavitation|cavitary opacity|cavitary disease|cavitary nodule|cavitary mass",
    "calcified granuloma": "calcified granuloma|calcified lymph|granuloma|granulomatous disease|granulomatous change|"
    "calcified nodule|calcified lymph node|calcified node|calcified hilar lymph node|calcific density|"
    "granulomatous calcification|calcified density|granulomatous infection|calcified hilar node|granulomata|"
    "calcified granulomata|calcified mediastinal lymph node|histoplasmosis|calcified adenopathy|"
    "calcified lymphadenopathy|calcified mediastinal node|calcific nodule|granulomatous process|"
    "calcified pulmonary nodule|calcified lung nodule|splenic calcification|hilar calcification|"
    "calcified hilar adenopathy|calcified pulmonary granuloma|calcified lung granuloma|splenic granuloma|sarcoidosis",
    # pleura
    "pleural effusion": "pleural effusion|effusion|pleural fluid|fluid pleural space|hydrothorax|hemothorax|"
    "parapneumonic effusion|fluid collection pleural space|pleural collection|empyema|hydropneumothorax|"
    "subpulmonic effusion|fluid pleural cavity|pleural space fluid|fluid fissure|"
    "fluid minor fissure|fluid major fissure|fluid costophrenic angle",
    "pulmonary embolism": "pulmonary embolism|pulmonary embolus|embolism|pulmonary thromboembolism",
    "pneumothorax": "pneumothorax|hemopneumothorax|pneumothorace|pneumothoraxes|pleural air|air pleural space|"
    "pleural air collection|hydropneumothorax|collapsed lung|ptx|air pleural cavity|pleural line|extrapleural air",
    "costophrenic blunting": "costophrenic blunting|blunted costophrenic angle|meniscus",
    "pleural thickening": "pleural thickening|apical capping|pleural capping|apical cap|pleural scarring|"
    "fissural thickening|pleural scar|thickened pleura|pleural parenchymal scarring|pleural disease|pleural reaction|"
    "pleuroparenchymal scarring|thickening fissure|thickening pleura",
    "pleural plaque": "pleural plaque|pleural calcification|calcified pleural plaque|calcified plaque|"
    "asbestos exposure|asbestosis",
    # heart, mediastinum, vessels
    "cardiomegaly": "cardiomegaly|cardiac enlargement|heart enlargement|cardiac hypertrophy|ventricular hypertrophy|"
    "ventricular enlargement|increased cardiothoracic ratio|enlarged ventricle|ventricular prominence",
    "pericardial effusion": "pericardial effusion|pericardial fluid",
    "pneumomediastinum": "pneumomediastinum|mediastinal air|mediastinal emphysema",
    "mediastinal widening": "mediastinal widening|widened mediastinum|mediastinal enlargement|mediastinal mass|"
    "mediastinal shift|mediastinal abnormality|mediastinal prominence|mediastinal fullness",
    "hilar enlargement": "hilar enlargement|hilar prominence|hilar fullness|hilar mass|hilar abnormality",
    "adenopathy": "adenopathy|lymphadenopathy|hilar adenopathy|mediastinal adenopathy|enlarged lymph node|"
    "hilar lymphadenopathy|mediastinal lymphadenopathy|lymph node enlargement",
    "pulmonary artery enlargement": "pulmonary hypertension|pulmonary arterial hypertension|"
    "pulmonary artery hypertension|enlarged pulmonary artery",
    "tortuous aorta": "aortic tortuosity|aortic ectasia|tortuous|ectatic|ectasia|uncoiling|unfolding|unfolded|"
    "tortuosity|aortic elongation|uncoiled",
    "aortic aneurysm": "aneurysm|aortic aneurysm|aneurysmal dilatation|aneurysmal dilation|aortic dilatation|"
    "aneurysmal|dissection|aortic dissection",
    "vascular calcification": "atherosclerosis|atherosclerotic|atherosclerotic calcification|vascular calcification|"
    "aortic calcification|atherosclerotic disease|atherosclerotic vascular disease|atherosclerotic change|"
    "arteriosclerosis|arteriosclerotic|coronary calcification|coronary artery calcification|coronary artery disease|"
    "atheromatous|atheromatous calcification|arterial calcification|atherosclerotic vascular calcification|"
    "atheromatous change|arteriosclerotic disease|arteriosclerotic change|atheroma|coronary atherosclerosis|"
    "atherosclerotic plaque|calcified plaque aorta|calcific plaque|aortic atherosclerosis|vascular disease",
    "tracheal deviation": "tracheal deviation|tracheal shift|deviated trachea|tracheal displacement",
    "situs anomaly": "dextrocardia|situs inversus|azygos lobe|azygos fissure|cervical rib",
    # diaphragm and abdomen
    "raised diaphragm": "eventration|elevated hemidiaphragm|elevated diaphragm|raised hemidiaphragm|"
    "hemidiaphragm elevation|diaphragmatic elevation|hemidiaphragmatic elevation|diaphragm elevation|"
    "diaphragmatic eventration",
    "hiatal hernia": "hiatal hernia|hiatus hernia|hernia|diaphragmatic hernia|morgagni hernia|bochdalek hernia|"
    "esophageal hernia|paraesophageal hernia",
    "free abdominal air": "free air|free intraperitoneal air|pneumoperitoneum|free subdiaphragmatic air|"
    "intraperitoneal air|subdiaphragmatic air|free gas|intraperitoneal free air|free peritoneal air|"
    "subdiaphragmatic free air|extraluminal air|free intraperitoneal gas|air diaphragm",
    "bowel dilatation": "bowel obstruction|dilated loop|distended loop|ileus|bowel distention|gaseous distention|"
    "dilated bowel|distended bowel|bowel dilatation|obstruction",
    # bones and soft tissue
    "fracture": "fracture|fracture deformity|fractured|cortical disruption|break cortex",
    "rib fracture": "rib fracture|fractured rib|broken rib|rib deformity|rib injury|fracture rib",
    "compression fracture": "compression fracture|compression deformity|wedge deformity|vertebral fracture|"
    "vertebral body height loss|vertebral compression|wedge compression deformity|wedge compression fracture|"
    "loss vertebral body height|vertebral body compression|vertebral compression fracture|height loss|loss height|"
    "vertebral compression deformity|wedging|wedge fracture|vertebral wedging|vertebral deformity|endplate deformity|"
    "vertebral body fracture|vertebral body deformity|vertebral body wedging|endplate fracture|compressed vertebra|"
    "anterior wedging|loss vertebral height|vertebral collapse|endplate compression",
    "dislocation": "dislocation|subluxation|separation|dislocated",
    "degenerative change": "degenerative|age related change|degenerative spur|degenerative change|"
    "degenerative disease|spondylosis|osteophyte|osteophytosis|spurring|spur|arthritic change|arthritis|arthropathy|"
    "osteoarthritis|degenerative disc disease|degenerative joint disease|disc space narrowing|djd|ddd|degeneration|"
    "endplate spurring|hypertrophic change|hypertrophic spurring|spondylitic change|disc degeneration|degenerated|"
    "osteoarthritic change|arthrosis|degenerative spurring|degenerative spondylosis|spondylitis|syndesmophyte|dish|"
    "osteophyte formation|diffuse idiopathic skeletal hyperostosis|facet arthropathy|spondylotic change|"
    "senescent change|hyperostosis|endplate sclerosis|endplate change|spondyloarthropathy|bridging osteophyte|"
    "arthritic|osteophytic spurring|disc disease|disc space loss|disc height loss|degenerative endplate change|"
    "hypertrophic degenerative change|degenerative bony change|degenerative osteophyte|loss disc height",
    "osteopenia": "osteopenia|osteopenic|osteoporosis|osteoporotic|demineralization|demineralized|bone loss",
    "scoliosis": "scoliosis|dextroscoliosis|levoscoliosis|scoliotic|rotoscoliosis|curvature|dextrocurvature|"
    "levocurvature|scoliotic curvature|kyphoscoliosis|spinal curvature|curvature spine|dextroconvex|levoconvex|"
    "scoliotic deformity|scoliotic curve|convexity",
    "kyphosis": "kyphosis|kyphotic|kyphotic curvature|kyphotic deformity",
    "bone lesion": "bone lesion|bony lesion|lytic lesion|sclerotic lesion|osseous lesion|blastic lesion|"
    "bone destruction|bony destruction|osseous destruction|destructive lesion|destructive process|erosion|myeloma|"
    "osteoblastic lesion|osteolytic lesion|destructive bone lesion|destructive bony lesion|sclerotic focus|"
    "aggressive lesion|bone metastasis|bony metastasis|osseous metastasis|bone island",
    "chest wall deformity": "pectus|pectus excavatum|pectus deformity|pectus excavatum deformity|pectus carinatum|"
    "chest wall deformity|chest deformity|thoracic deformity",
    "deformity": "deformity|posttraumatic deformity|posttraumatic change",
    "foreign body": "foreign body|foreign object|bullet|shrapnel|radiopaque foreign body|metallic foreign body|"
    "metallic fragment|bb|metallic density|radiopaque density|ballistic fragment|bullet fragment|opaque foreign body",
    "subcutaneous emphysema": "subcutaneous emphysema|subcutaneous air|subcutaneous gas|soft tissue air|"
    "soft tissue gas|soft tissue emphysema",
    "soft tissue swelling": "swelling|soft tissue swelling|soft tissue mass",
    "mastectomy": "mastectomy|breast implant|breast prosthesis|breast surgery",
    # devices and surgery
    "central line": "central line|central venous catheter|picc|picc line|port|portacath|port a cath|mediport|cvc|"
    "central catheter|subclavian line|subclavian catheter|jugular line|jugular catheter|internal jugular line|ij line|"
    "internal jugular catheter|ij catheter|venous catheter|dialysis catheter|central venous line|hickman catheter|"
    "porta cath|infusion port|port catheter|chest port|venous access device|catheter|infusaport|cath|permcath|"
    "jugular venous catheter|subclavian venous catheter|internal jugular central venous catheter|vascular catheter|"
    "subclavian central venous catheter|subclavian central line|central venous access|venous line|vascath|"
    "peripherally inserted central catheter|internal jugular central line|internal jugular central catheter",
    "endotracheal tube": "endotracheal tube|et tube|ett|endotracheal",
    "tracheostomy": "tracheostomy|tracheostomy tube|tracheostomy cannula",
    "feeding tube": "nasogastric tube|ng tube|enteric tube|feeding tube|orogastric tube|dobhoff|og tube|ngt|ogt|"
    "dobhoff tube|gastric tube|gastrostomy tube|enteric catheter|esophagogastric tube|gastric band|lap band|peg tube",
    "chest tube": "chest tube|pleural drain|chest drain|thoracostomy tube|pleural catheter|pigtail catheter|"
    "drainage catheter|pigtail drain|pleural tube",
    "pacemaker": "pacemaker|pacer|icd|aicd|defibrillator|pacemaker lead|pacing lead|pacing device|pacing wire|"
    "cardiac device|implantable cardioverter defibrillator|cardiac generator|cardiac lead|generator pack|"
    "pulse generator|pacemaker generator|generator|pacemaker device|loop recorder|dual lead|icd lead|ventricular lead|"
    "atrial lead|cardiac pacemaker|cardiac pacing device|cardiac conduction device|defibrillator lead|pacer lead|"
    "biventricular icd|dual chamber pacemaker|implantable defibrillator|"
    "automatic implantable cardioverter defibrillator",
    "stimulator": "stimulator|nerve stimulator|stimulator lead|spinal stimulator|vagal nerve stimulator|shunt|"
    "shunt catheter|shunt tubing|vp shunt|ventriculoperitoneal shunt",
    "sternotomy": "sternotomy|sternotomy wire|median sternotomy|sternal wire|cabg|coronary artery bypass|"
    "coronary bypass|coronary artery bypass graft|bypass graft|bypass surgery|sternal suture|median sternotomy wire|"
    "sternotomy suture|cardiac surgery|heart surgery|cerclage wire|median sternotomy suture|coronary bypass graft|"
    "coronary artery bypass grafting|coronary artery bypass surgery|bypass grafting|open heart surgery",
    "valve prosthesis": "valve prosthesis|valve replacement|prosthetic valve|prosthetic heart valve|aortic valve|"
    "mitral valve|artificial valve|annuloplasty|valve surgery|mitral valve replacement|aortic valve replacement|"
    "prosthetic aortic valve|prosthetic mitral valve|mechanical valve|cardiac valve|heart valve|annuloplasty ring",
    "stent": "stent|coronary stent|coronary artery stent|stent graft|endograft|vascular stent|aortic stent",
    "surgical clip": "clip|surgical clip|staple|cholecystectomy|cholecystectomy clip|suture|suture line|"
    "surgical staple|surgical suture|staple line|axillary clip|suture material|surgical material|embolization coil|"
    "vascular clip|metallic clip",
    "postoperative change": "postoperative change|postsurgical change|surgical change|thoracotomy|lobectomy|"
    "pneumonectomy|resection|post surgical change|post operative change|postop change|thoracotomy change|"
    "postthoracotomy change|wedge resection|esophagectomy|postradiation change|radiation change|radiation fibrosis|"
    "lung resection",
    "spinal hardware": "spinal hardware|spinal fusion|cervical fusion|fusion hardware|spinal fixation|harrington rod|"
    "spinal rod|fusion|cervical spine fusion|spinal fusion hardware|cervical fusion hardware|cervical spine hardware|"
    "spine fusion|pedicle screw|kyphoplasty|vertebroplasty|lumbar fusion|anterior cervical fusion|cervical hardware|"
    "corpectomy",
    "orthopedic hardware": "orthopedic hardware|arthroplasty|hardware|shoulder arthroplasty|joint replacement|"
    "shoulder prosthesis|shoulder replacement|fixation|internal fixation|surgical plate|screw|orthopedic plate|"
    "plate fixation|screw fixation|fixation hardware|surgical hardware|fixation plate|prosthesis|anchor",
    "monitoring lead": "ekg lead|monitoring lead|telemetry lead|external lead|monitor lead|ecg lead|ecg electrode|"
    "cardiac monitor lead|cardiac monitor|monitoring device|external monitor lead|monitor electrode",
    # brain
    "infarction": "infarction|ischemic stroke|ischemia|stroke|acute ischemia|ischemic change|ischemic lesion|"
    "restricted diffusion|diffusion restriction",
    "hemorrhage": "hemorrhage|intracranial hemorrhage|intracerebral hemorrhage|hematoma|intracerebral hematoma|"
    "blood product|intraparenchymal hemorrhage|subdural hematoma|subarachnoid hemorrhage|extra axial collection",
    "white matter lesion": "white matter lesion|white matter hyperintensity|white matter change|white matter disease|"
    "white matter focus|demyelination|demyelinating lesion|microangiopathic change|small vessel disease|bright spot|"
    "small vessel ischemic change|leukoaraiosis|flair hyperintensity|periventricular lesion|white matter signal",
    "hydrocephalus": "hydrocephalus|ventriculomegaly|ventricular dilatation|ventricular dilation",
    "brain edema": "brain edema|cerebral edema|vasogenic edema|surrounding edema|perifocal edema|peritumoral edema|"
    "perilesional edema",
    "midline shift": "midline shift|mass effect|herniation",
    "brain atrophy": "atrophy|brain atrophy|cerebral atrophy|cerebral volume loss|brain volume loss",
    # eye
    "macular hole": "macular hole|full thickness macular hole|hole macula|full thickness hole|foveal defect",
    "subretinal fluid": "subretinal fluid|serous detachment|subretinal collection|neurosensory detachment|"
    "fluid retina|collection subretinal fluid",
    "intraretinal cyst": "intraretinal cyst|intraretinal fluid|cystoid edema|cystoid macular edema|retinal cyst|"
    "cystoid space|cyst|macular edema|cystic space|intraretinal space",
    "drusen": "drusen|druse|drusenoid deposit",
    "epiretinal membrane": "epiretinal membrane|macular pucker|erm|preretinal membrane|epiretinal gliosis",
    "retinal hemorrhage": "retinal hemorrhage|dot hemorrhage|blot hemorrhage|flame hemorrhage|red blot|"
    "flame shaped hemorrhage|dot blot hemorrhage|intraretinal hemorrhage|preretinal hemorrhage",
    "hard exudate": "hard exudate|exudate|lipid exudate|lipid deposit|yellow deposit",
    "cotton wool spot": "cotton wool spot|cotton wool|soft exudate|white patch|fluffy patch",
    "glaucomatous cupping": "glaucomatous cupping|cupping|enlarged cup|increased cup|large cup|glaucoma|disc cupping|"
    "glaucomatous disc|thin neuroretinal rim|excavation|glaucomatous damage|rim thinning",
    "retinal vein occlusion": "branch vein occlusion|branch retinal vein occlusion|retinal vein occlusion|brvo|"
    "vein occlusion|branch retinal vein thrombosis",
    "microaneurysm": "microaneurysm",
    "optic disc edema": "optic disc edema|disc edema|edema disc|edema optic disc|edema optic nerve head|papilledema|"
    "disc swelling|swollen disc|optic nerve edema",
    "retinal detachment": "retinal detachment|detachment",
}  # fmt: skip
"""Findings by name."""

ABOVE = {
    "consolidation": "lung opacity",
    "pneumonia": "consolidation",
    "aspiration": "pneumonia",
    "tuberculosis": "pneumonia",
    "atelectasis": "lung opacity",
    "pulmonary edema": "lung opacity",
    "interstitial disease": "lung opacity",
    "fibrosis": "interstitial disease",
    "scarring": "lung opacity",
    "lung nodule": "lung opacity",
    "mass": "lung opacity",
    "cavity": "lung opacity",
    "metastasis": "mass",
    "calcified granuloma": "lung nodule",
    "vascular congestion": "pulmonary edema",
    "emphysema": "hyperinflation",
    "costophrenic blunting": "pleural effusion",
    "pleural plaque": "pleural thickening",
    "hilar enlargement": "mediastinal widening",
    "adenopathy": "hilar enlargement",
    "tortuous aorta": "aortic disease",
    "aortic aneurysm": "aortic disease",
    "vascular calcification": "aortic disease",
    "fracture": "bone disease",
    "rib fracture": "fracture",
    "compression fracture": "fracture",
    "dislocation": "bone disease",
    "degenerative change": "bone disease",
    "osteopenia": "bone disease",
    "scoliosis": "bone disease",
    "kyphosis": "bone disease",
    "bone lesion": "bone disease",
    "deformity": "bone disease",
    "soft tissue swelling": "soft tissue disease",
    "subcutaneous emphysema": "soft tissue disease",
    "free abdominal air": "abdominal disease",
    "bowel dilatation": "abdominal disease",
    "infarction": "brain disease",
    "hemorrhage": "brain disease",
    "white matter lesion": "brain disease",
    "brain atrophy": "brain disease",
    "brain edema": "brain disease",
    "macular hole": "retinal disease",
    "subretinal fluid": "retinal disease",
    "intraretinal cyst": "retinal disease",
    "drusen": "retinal disease",
    "epiretinal membrane": "retinal disease",
    "retinal hemorrhage": "retinal disease",
    "hard exudate": "retinal disease",
    "cotton wool spot": "retinal disease",
    "retinal vein occlusion": "retinal disease",
    "microaneurysm": "retinal disease",
    "optic disc edema": "retinal disease",
    "retinal detachment": "retinal disease",
}
"""The wider finding of which each is a kind; where none is given, it is the whole image's."""

DIFFUSE = word_set("edema disease fibrosis congestion")
"""Last words of names that take no side from the finding before them."""

ABSENT_AS = {"costophrenic blunting": "pleural effusion"}
"""Signs whose absence means that of the finding they are a sign of."""

ELSEWHERE = (
    (
        r"\b(?:brain|cerebral|intracranial|ventricles|hemispheres?|gray matter|white matter|midline shift|cortical|"
        r"(?:frontal|temporal|parietal|occipital) lobe)\b",
        r"\b(?:chest|lungs?|heart|cardiac|pleural?|pulmonary|thora\w+)\b",
        {"pulmonary edema": "brain edema"},
    ),
    (
        r"\b(?:fundus|retinal?|intraretinal|subretinal|macular?|fove\w+|optic|drusen|cotton[- ]wool)\b",
        r"\b(?:chest|lungs?|brain|cerebral|intracranial)\b",
        {"hemorrhage": "retinal hemorrhage", "pulmonary edema": "intraretinal cyst"},
    ),
)
"""Words of reports on the brain or the eye, words that those do not have, and what a bare name means there."""

UNSIDED = frozenset(
    (
        WHOLE, "cardiomegaly", "mediastinal widening", "pericardial effusion", "pneumomediastinum", "low lung volume",
        "hyperinflation", "emphysema", "vascular congestion", "bronchovascular crowding", "tortuous aorta",
        "aortic aneurysm", "aortic disease", "vascular calcification", "tracheal deviation", "hiatal hernia",
        "free abdominal air", "bowel dilatation", "compression fracture", "degenerative change", "osteopenia",
        "scoliosis", "kyphosis", "chest wall deformity", "sternotomy", "valve prosthesis", "endotracheal tube",
        "tracheostomy", "feeding tube", "spinal hardware", "hydrocephalus", "brain atrophy", "brain disease",
        "bone disease", "macular hole", "abdominal disease", "situs anomaly", "midline shift", "monitoring lead",
        "soft tissue disease",
    )
)  # fmt: skip
"""Findings of which no side is told: the word for one belongs to something else."""

STRUCTURES = {
    "heart": "heart|cardiac dimension|heart dimension|heart size|cardiac silhouette|cardiac shadow|cardiac contour|"
    "cardiac size|cardiac|heart contour|heart silhouette|heart shadow|heart shape|cardiac configuration|"
    "cardiothoracic ratio|cardiac outline|heart border|cardiac border|cardiac morphology|heart configuration|"
    "cardiac apex|size heart|cardiac structure",
    "heart+mediastinum": "cardiomediastinal silhouette|cardiomediastinal contour|cardiomediastinal|"
    "cardio mediastinal silhouette|cardio mediastinal|cardiomediastinal shadow|cardiomediastinal structure|"
    "cardiomediastinum|mediastinal silhouette heart|cardia mediastinal silhouette|cardiomediastinal outline|"
    "cardiomediastinal size|cardiac mediastinal silhouette|cardiac mediastinal contour|cardiac mediastinal",
    "mediastinum": "mediastinum|mediastinal contour|mediastinal silhouette|mediastinal|mediastinal structure|"
    "mediastinal shadow|mediastinal outline|mediastinal border|mediastinal width|superior mediastinum",
    "lung": "lung|hemithorace|parenchymal|lung field|lung parenchyma|pulmonary parenchyma|parenchyma|lung zone|"
    "lung base|lung apex|lung apice|hemithorax|pulmonary field|lung space|airspace|air space",
    "pulmonary": "pulmonary",
    "lung volume": "lung volume|volume|inspiration|inspiratory effort|lung inflation|lung expansion|inflation|"
    "expansion|aeration|inspiratory volume|lung aeration",
    "pleura": "pleura|pleural space|pleural|pleural surface|pleural cavity|pleural region|pleural structure",
    "costophrenic angle": "costophrenic angle|costophrenic sinus|costophrenic sulcus|costophrenic recess|cp angle|"
    "costophrenic|pleural angle|sulcus|posterior sulcus|costophrenic sulci|sulci costophrenic|lateral sulcus|"
    "pleural sulcus",
    "pulmonary vessel": "pulmonary vasculature|pulmonary vascularity|pulmonary vessel|vascularity|vasculature|"
    "pulmonary vascular|pulmonary vascular pattern|vascular pattern|pulmonary vascular marking|vascular marking|"
    "bronchovascular marking|pulmonary vascular caliber|central vasculature|central vascular|perihilar vascularity|"
    "bronchovascular structure|pulmonary circulation|pulmonary vein|central vessel|pulmonary vascular structure|"
    "vascular structure|pulmonary venous|perihilar vasculature|central pulmonary vasculature|pulmonary marking|"
    "central pulmonary vessel",
    "interstitium": "interstitium|lung marking|interstitial marking|interstitial|lung interstitium|"
    "interstitial lung marking|pulmonary interstitium|reticular marking|pulmonary interstitial marking|"
    "perihilar marking|bronchial marking|peribronchial marking|bronchovascular bundle|peribronchial",
    "hilum": "hilum|hila|hilar|hilar contour|hilar structure|hilar shadow|perihilar structure|hilar region|"
    "parahilar structure|hilar silhouette|perihilar region|pulmonary hila|hilar vessel|pulmonary hilum",
    "pulmonary artery": "pulmonary artery|main pulmonary artery|pulmonary arterial|pulmonary outflow tract",
    "aorta": "aorta|thoracic aorta|aortic|aortic arch|aortic knob|aortic contour|aortic shadow|aortic silhouette|"
    "aortic knuckle|ascending aorta|descending aorta|descending thoracic aorta|great vessel|ascending thoracic aorta|"
    "aortic outline",
    "coronary artery": "coronary artery|coronary",
    "trachea": "trachea|tracheal|airway|central airway|tracheal air column|tracheobronchial tree|bronchus|"
    "tracheal shadow|mainstem bronchus",
    "diaphragm": "diaphragm|hemidiaphragm|diaphragmatic|diaphragmatic contour|hemi diaphragm|hemidiaphragmatic|"
    "diaphragmatic surface",
    "bone": "bone|bony structure|osseous structure|osseous|bony|bony thorax|skeletal structure|skeleton|osseus|"
    "bony skeleton|skeletal|thoracic cage|rib cage|bone structure|bony framework|musculoskeletal structure|"
    "osseous thorax|musculoskeletal|thoracic skeleton|bony anatomy|bony cage|osteous structure|osseus structure|"
    "visible skeleton|bony element|osseous element|bony elements|thoracic cage|bony mineralization|"
    "bone mineralization|sternum",
    "rib": "rib|clavicle|posterior rib",
    "spine": "spine|thoracic spine|vertebra|vertebral body|vertebral|t spine|dorsal spine|spinal|thoracic vertebra|"
    "thoracolumbar spine|cervical spine|lumbar spine|vertebral body height|vertebral column|spinal alignment|"
    "thoracic vertebral body|vertebral height|vertebral alignment|endplate|disc space|lumbosacral spine",
    "joint": "joint|shoulder|acromioclavicular joint|glenohumeral joint|ac joint|humeral head|humerus|scapula",
    "soft tissue": "soft tissue|soft tissue structure|subcutaneous tissue|chest wall soft tissue|subcutaneous",
    "abdomen": "abdomen|upper abdomen|abdominal|bowel gas|bowel gas pattern|bowel|subdiaphragmatic region|"
    "upper abdominal structure|abdominal structure|gastric bubble|stomach|liver|spleen|gas pattern",
    "lymph node": "lymph node|node|nodal",
    "brain": "brain|cerebral|intracranial|brain parenchyma|cerebrum|gray matter|white matter|cerebral hemisphere|"
    "cerebral parenchyma|intracranial structure|cortex|neuroparenchyma|cerebral convexity|frontal convexity|"
    "parietal convexity|hemispheric convexity",
    "cerebral ventricle": "cerebral ventricle|lateral ventricle|third ventricle|ventricular system|ventricle system",
    "cerebral sulcus": "cortical sulcus|cortical sulci|sulci|cerebral sulcus|cerebral sulci|brain sulci",
    "retina": "retina|retinal layer|retinal|retinal thickness|retinal contour|retinal structure|retinal architecture|"
    "retinal vessel|retinal vasculature|retinal vascular|retinal pigment epithelium|pigment epithelium|rpe",
    "fovea": "fovea|foveal contour|foveal depression|foveal pit|foveal|macula|macular|macular contour|"
    "macular architecture",
    "optic disc": "optic disc|disc|optic nerve head|optic nerve|optic cup|cup|cup disc ratio|neuroretinal rim|"
    "optic disk|disk",
    "whole": "chest|chest x ray|chest radiograph|chest film|study|exam|examination|radiograph|x ray|film|thorax|"
    "thoracic|intrathoracic|cardiopulmonary|cardiopulmonary system|cardiothoracic|chest study|chest exam|scan|image|"
    "radiographic chest|chest examination|oct|mri|fundus|fundus photograph|retinal scan|brain mri|cardiac pulmonary|"
    "chest xray|xray|oct scan|appearance chest|two view chest|cxr|cardiovascular|plain film",
}  # fmt: skip
"""Parts of the body by name, and the image as a whole; "a+b" stands for two parts."""

SOUND = {
    "heart": "cardiomegaly",
    "mediastinum": "mediastinal widening",
    "lung": "lung opacity",
    "pulmonary": "lung opacity",
    "lung volume": "low lung volume",
    "pleura": "pleural effusion",
    "costophrenic angle": "pleural effusion",
    "pulmonary vessel": "vascular congestion",
    "interstitium": "interstitial disease",
    "hilum": "hilar enlargement",
    "pulmonary artery": "pulmonary artery enlargement",
    "aorta": "aortic disease",
    "coronary artery": "vascular calcification",
    "trachea": "tracheal deviation",
    "diaphragm": "raised diaphragm",
    "bone": "bone disease",
    "rib": "rib fracture",
    "spine": "bone disease",
    "joint": "bone disease",
    "soft tissue": "soft tissue disease",
    "abdomen": "abdominal disease",
    "lymph node": "adenopathy",
    "brain": "brain disease",
    "cerebral ventricle": "hydrocephalus",
    "cerebral sulcus": "brain atrophy",
    "retina": "retinal disease",
    "fovea": "retinal disease",
    "optic disc": "glaucomatous cupping",
    "whole": WHOLE,
}
"""The finding that is absent where a part is normal."""

WELL = {
    "normal": "normal|unremarkable|clear|normal limit|negative|sharp|sharply defined|limit normal|limits normal|"
    "regular|well defined|preserved|maintained|patent|normally|satisfactory|healthy|unaffected|uninvolved|free|"
    "expected limit",
    "expanded": "well expanded|well inflated|well aerated|normally inflated|normally expanded|fully expanded|expanded|"
    "inflated|aerated|well ventilated|normally aerated|fully inflated|well-expanded|symmetrically inflated|"
    "symmetrically expanded|adequately inflated|normal inflated|normal expanded",
    "intact": "intact",
    "midline": "midline|mid line",
}
"""Words that say that a part is sound."""

ILL = {
    "enlarged": "enlarged|elongated|enlargement|enlarge|prominent|prominence|widened|widening|wide|dilated|dilatation|"
    "dilation|increased|increase|engorged|engorgement|accentuated|accentuation|fullness|full|generous|distended|"
    "thickened|thickening|increased size|bulky|big|coarse|coarsened|coarsening|large size|plethoric|augmented|"
    "distention",
    "low": "low|decreased|reduced|diminished|shallow|poor|suboptimal",
    "calcified": "calcified|calcification|calcific|sclerotic|calcium",
    "raised": "elevated|elevation|raised|tented|tenting",
    "flat": "flattened|flattening|flat",
    "shifted": "shifted|shift|deviated|deviation|displaced|displacement",
    "blunted": "blunted|blunting|blunt|obscured|obliterated|obscuration|obliteration|effaced",
    "borderline": "upper limit normal|top normal|borderline|upper normal|high normal|upper limit|top normal limit|"
    "borderline enlarged|borderline enlargement|upper normal limit|upper range normal",
    "interrupted": "interrupted|interruption|lifted",
    "opaque": "opaque|hazy|whiteout|white out",
}
"""Words that say what is wrong with a part."""

BECOMES = {
    ("heart", "enlarged"): "cardiomegaly",
    ("heart", "borderline"): "cardiomegaly",
    ("mediastinum", "enlarged"): "mediastinal widening",
    ("mediastinum", "shifted"): "mediastinal widening",
    ("lung", "low"): "low lung volume",
    ("lung", "opaque"): "lung opacity",
    ("lung volume", "low"): "low lung volume",
    ("lung volume", "enlarged"): "hyperinflation",
    ("lung volume", "raised"): "hyperinflation",
    ("lung", "calcified"): "calcified granuloma",
    ("mediastinum", "calcified"): "calcified granuloma",
    ("pleura", "enlarged"): "pleural thickening",
    ("pleura", "calcified"): "pleural plaque",
    ("pleura", "blunted"): "costophrenic blunting",
    ("costophrenic angle", "blunted"): "costophrenic blunting",
    ("pulmonary vessel", "enlarged"): "vascular congestion",
    ("interstitium", "enlarged"): "interstitial disease",
    ("hilum", "enlarged"): "hilar enlargement",
    ("hilum", "calcified"): "calcified granuloma",
    ("pulmonary artery", "enlarged"): "pulmonary artery enlargement",
    ("aorta", "enlarged"): "tortuous aorta",
    ("aorta", "calcified"): "vascular calcification",
    ("coronary artery", "calcified"): "vascular calcification",
    ("trachea", "shifted"): "tracheal deviation",
    ("diaphragm", "raised"): "raised diaphragm",
    ("diaphragm", "flat"): "hyperinflation",
    ("diaphragm", "blunted"): "lung opacity",
    ("rib", "shifted"): "fracture",
    ("soft tissue", "enlarged"): "soft tissue swelling",
    ("abdomen", "enlarged"): "bowel dilatation",
    ("lymph node", "enlarged"): "adenopathy",
    ("lymph node", "calcified"): "calcified granuloma",
    ("cerebral ventricle", "enlarged"): "hydrocephalus",
    ("cerebral sulcus", "enlarged"): "brain atrophy",
    ("retina", "interrupted"): "macular hole",
    ("fovea", "interrupted"): "macular hole",
    ("optic disc", "enlarged"): "glaucomatous cupping",
}
"""The finding that a part and what is wrong with it make."""

ANYTHING = (
    "abnormality|finding|process|disease|pathology|injury|lesion|problem|condition|trauma|insult|deficit|cause|"
    "disorder|complication|event"
)
"""Words for anything wrong, whatever it be; they say something where they are denied."""
ABNORMAL = "abnormal|abnormality"

DO = {
    "no": "no|without|nor|neither|none",
    "not": "not|fail|failed|cannot|never|dont|doesnt|isnt|arent|wasnt",
    "gone": "resolved|clearing|cleared|absent|no longer|removed|disappeared|resolution|ruled out|excluded|removal|"
    "vanished|has been extracted",
    "unlikely": "unlikely|less likely|doubtful",
    "perhaps": "possible|possibly|probable|probably|likely|may|might|could|suspected|suspicious for|questionable|"
    "question|suggest|suggestive|suggesting|suggested|suspicion|concerning for|concern for|worrisome for|consider|"
    "considered|potential|potentially|presumably|presumed|differential|equivocal|favor|favored|favoring|perhaps|if|"
    "raise possibility|thought|indeterminate|notexcluded|presumptive|uncertain|conceivably|maybe",
    "versus": "versus",
    "meaning": "compatible with|consistent with|keeping with|correspond with|represent|representing|reflect|"
    "reflecting|consistent|compatible|indicate|indicative|indicating|due|secondary|related|from|keeping|causing|such|"
    "including|correspond|corresponding|relating|result|resulting|compatibility",
    "is": "is|are|was|were|has|have|had|appear|seem|remain|there|look|exist",
    "shows": "show|demonstrate|reveal|exhibit|contain|display",
    "with": "with|having|plus|along|associated",
    "same": "stable|unchanged|old|chronic|persistent|again|unaltered|similar|redemonstrated|redemonstration|continued|"
    "known|calcific|healed|improved|improving|worsening|worsened|stability|residual|interval|new|resolving|underlying|"
    "superimposed|decreasing|increasing|multiple|several|scattered|bandlike|streaky|patchy",
    "aside": "evaluate|evaluation|assess|assessment|toexclude|correlate|correlation|recommend|recommended|followup|"
    "follow|history|obscure|rule|exclude|limit evaluation|comparison|advise|advised|warranted|helpful|ct|document|"
    "ensure|obtained|repeat|consultation|clinically indicated",
}  # fmt: skip
"""What words do: deny what follows, or their clause; leave open; explain; set aside what is no finding of the image."""

BREAKS = word_set("given because but however although though while whereas except yet despite nevertheless which where")
"""Words that begin a clause in which nothing is denied by what stood before."""
SIDES = {
    "left": ("left",),
    "right": ("right",),
    **dict.fromkeys(
        word_set("bilateral bilaterally both bibasilar biapical bibasal bihilar bilat bilobar"), ("left", "right")
    ),
}
SEVERITIES = {
    **dict.fromkeys(
        word_set("mild mildly minimal minimally small tiny trace slight slightly faint minor minute little subtle"),
        "mild",
    ),
    **dict.fromkeys(word_set("moderate moderately medium mid-sized"), "moderate"),
    **dict.fromkeys(
        word_set(
            "large massive massively marked markedly severe severely extensive extensively huge advanced considerable "
            "considerably substantial sizable sizeable pronounced profound"
        ),
        "severe",
    ),
}
EMPTY = word_set(
    "a an the any of in at within on to for that this these those its it by as over overlying into about some also "
    "very acute acutely active actively focal focally grossly definite definitely significant significantly obvious "
    "convincing evidence sign visualized visible radiographic radiographically specifically overt discrete frank "
    "suspicious evident appreciable xxxx upper lower mid sided side size contour caliber configuration appearance "
    "shape overall patient age level area region portion aspect pa ap lateral frontal view lobe zone lobar thoracic "
    "anterior posterior posterolateral anterolateral th st nd rd degree amount again noted please currently "
    "essentially basically relatively fairly quite somewhat sized marginal interval gross suggestion track tracking "
    "layering"
)
"""Words that stand between the others of a phrase without changing it."""

DENYING_HEADING = (
    r"(?:(?:there (?:is|are) )?no(?: (?:\w+ ){0,3}?(?:of|for))?|without(?: \w+ of)?|negative(?: for| findings?)?|"
    r"(?:pertinent |relevant |important |key )?negatives?(?: findings?)?|absent(?: findings?)?|"
    r"(?:findings? )?not (?:present|seen|identified|visible|visualized|detected|observed|demonstrated))"
    r"(?: (?:any of )?the following)? ?:"
)
"""What stands before a list of things that are not there: "No evidence of:", "Pertinent negatives:"."""
SHORTHAND = tuple(
    (regex(written), meant)
    for written, meant in (
        (
            rf"^\W*{DENYING_HEADING}(?!.*\b(?:no|not|without|none|absent|normal|clear|unremarkable|intact|midline|sharp)\b)",
            "no ",
        ),
        (r"\s[-\u2013\u2014]+\s+(?=(?:none|no|nil|absent|not|negative)\b(?! \w+ \w))", " : "),
        (r"\s[-\u2013\u2014]+\s", " , "),
        (r"(^|; )\W*if (?!any\b)", r"\1toexclude "),
        (r"\bnot only\b", " "),
        (r"\babnormal (?=enhancement|calcification|lucenc|flow void)", " "),
        (r"\b(intra|sub)retinal (or|and|nor|and/or) (intra|sub)retinal fluid\b", r"\1retinal fluid \2 \3retinal fluid"),
        (r"\bnot (?:\w+ )?(?:resolved|cleared)\b", "improved"),
        (
            r"\bno (?:\w+ )?(?:worsening|progression|improvement|growth) (?:of|in)\b|"
            r"\bno (?:\w+ )?(?:increase|decrease|reduction) in (?:the )?(?:size|extent|volume) of\b",
            "unchanged",
        ),
        (r"\b(?:unlikely|less likely|doubtful) to (?=represent|reflect|indicate)", "; unlikely "),
        (
            r"\b(deviat\w+|shift\w*|displace\w*|rotat\w+)( \w+){0,2}? (?:to|towards?) the (?:left|right)\b",
            r"\1\2",
        ),
        (
            r"\b(?:relative|compared|in comparison|in contrast|as opposed) (?:to|with) (?:that of )?the (?:left|right)"
            r"(?: \w+)?(?=[,;.]|$)",
            " ",
        ),
        (r"x-xxxx|x-?rays?\b", "x ray"),
        (r"\bxxxx(?:'?[a-z]{1,2})?\b", " "),
        (r"\bair[- ]space", "airspace"),
        (r"\bw/o\b", "without"),
        (r"\bw/", "with "),
        (r"\bc/w\b", "consistent with"),
        (r"\bs/p\b", "status post"),
        (r"\bvs\.?(?!\w)|\bversus\b", " versus "),
        (r"\bcannot\b|\bcan't\b", "can not"),
        (r"n't\b", " not"),
        (
            r"\b(?:can|could|may) not (?:\w+ ){0,2}(?:exclude|rule out|excluded|ruled out)\b|"
            r"\bnot (?:entirely |completely |definitely |be )?(?:excluded|ruled out)\b|"
            r"\bdifficult to (?:\w+ )?(?:exclude|rule out)\b|\bnot (?:entirely )?exclude\b",
            "notexcluded",
        ),
        (r"\bno (?:\w+ )?(?:acute|active|pathologic(?:al)?) (\w+ )?changes?\b", r"no acute \1abnormality"),
        (
            r"\b(?:no|not|without) (?:(?:significant|interval|appreciable|definite|substantial|marked|"
            r"significantly|appreciably|substantially|markedly|any|evidence|of|other|great|major) ){0,3}"
            r"(?:change[sd]?|interval change)\b",
            "unchanged",
        ),
        (r"\bno (?:new|other|additional|further) change", "unchanged"),
        (r"\b(?:clear|free|devoid) (?:of|from)\b", "without"),
        (
            r"\bclear (?=(?:acute |focal )?(?:airspace|infiltrat|consolid|opacit))|\bnegative (?=acute |active )",
            "without ",
        ),
        (r"\bnot (?:calcified|obscuring|significantly (?:different|larger|smaller|progressed))\b", " "),
        (r"\bnegative for\b|\b(?:absence|lack) of\b|\black(?:s|ing)?\b|\brather than\b", "without"),
        (r"\bno longer\b", "resolved"),
        (
            r"\b(?:nearly|almost|partial(?:ly)?|near[- ]complete(?:ly)?|incomplete(?:ly)?) (?:resol\w+|clear\w*)",
            "improved",
        ),
        (
            r"\b(disease|abnormality|process|pathology|findings?) (?:of|in|involving) the (?:heart|lungs) (?:and|or) "
            r"(?:the )?(?:lungs|heart)",
            r"cardiopulmonary \1",
        ),
        (r"\b(heart(?: size)?|cardiac (?:silhouette|size)) (is|remains|appears)( \w+ly)? large\b", r"\1 \2\3 enlarged"),
        (r"\blarge heart\b", "enlarged heart"),
        (r"\b(?:to|until|for|document|ensure) (?:\w+ )?(?:resolution|clearing)\b", "followup"),
        (r"\bnot (?:well|fully|optimally|completely|clearly|included|adequately|entirely)\b", "limited"),
        (r"\bto (?:exclude|rule out|evaluate|assess|document|confirm)\b", "toexclude"),
        (r"\bfollow[- ]up\b", "followup"),
        (r"(?<!right )(?<!left )\bmiddle lobe\b", "right middle lobe"),
        (r"(?<!right )(?<!left )\blingular?\b", "left lobe"),
        (r"\brll\b", "right lower lobe"),
        (r"\brml\b", "right middle lobe"),
        (r"\brul\b", "right upper lobe"),
        (r"\blll\b", "left lower lobe"),
        (r"\blul\b", "left upper lobe"),
        (r"\b(?:right|left) (?=atri|ventric|heart|cardiac|lateral decub|innominate|brachioceph)", ""),
        (r"\bcardio-mediastinal\b", "cardiomediastinal"),
        (r"\bnon-?(?=(?:enlarged|dilated|distended|widened)\b)|\bun(?=enlarged\b)", "not "),
        (r"\b(trachea|mediastinum) (?:is |appears |remains )?(?:central\b|centrally|in the midline)", r"\1 is midline"),
        (r"\br (?=pleural|lung|lower|upper|base|effusion|sided|hemi)", "right "),
        (r"\bl (?=pleural|lung|lower|upper|base|effusion|sided|hemi)", "left "),
        (
            r"\b(?:size|shape|contours?|configuration|appearance|caliber|position|outline)(?:,? and |, | or )"
            r"(?=(?:(?:in|of|overall) )?(?:size|shape|contours?|configuration|appearance|caliber|position|outline)\b)",
            "",
        ),
        (r"\bx ray\b", "xray"),
        (r"\bventricles\b", "cerebral ventricles"),
        (
            r"\bfindings? (?=(?:of|for|to|suggesting|suspicious|suggestive|concerning|compatible|consistent|is|are|"
            r"which|that|may|could|most|likely|represent|reflect)\b)",
            " ",
        ),
        (r"\bnothing (?=to\b)", "no "),
        (r"\bnothing acute\b", "no acute abnormality"),
    )
)
"""What is written in short or in several words, and the one wording in which it is read."""

HEADINGS = {
    "findings": "findings|finding|observations|observation|report|description|radiographic findings|image findings|"
    "imaging findings|result|results|detailed findings|key findings|chest findings",
    "impression": "impression|impressions|conclusion|conclusions|opinion|diagnosis|assessment|summary|interpretation|"
    "final impression|overall impression",
    "": "indication|indications|history|clinical history|clinical indication|technique|comparison|comparisons|exam|"
    "examination|procedure|clinical information|reason for exam|reason for examination|recommendation|recommendations|"
    "study|views|view|type of examination|patient|date|note|disclaimer|limitations|signed|plan|image quality|"
    "technical quality|quality|differential diagnosis|differential|next steps|follow-up",
}
"""Headings of a report, and which of its two sections each opens; those without one open neither."""
