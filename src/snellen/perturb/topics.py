"""Topics: which parts of the body and which kinds of finding a text speaks of; in doubt several.

The words are lists: `lung*` is any word that begins so, `*itis` any that ends so, `*retin*` any that holds it. Accents
and case do not count. The roots of medical words are much the same in English, Italian, Spanish, French and German, so
one list serves all; Chinese has its own.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

from snellen.perturb import synonyms
from snellen.perturb.alike import content
from snellen.perturb.sides import speaks_of_sides
from snellen.perturb.words import SIGN, STOP, lettered
from snellen.runtime import regex

PARTS = {
    "chest": """
        lung* pulm* polmon* poumon* pneumothor* pneumotor* pneumon* pneumocon* pneumopat* bronc* bronq* pleur*
        thora* torac* torax chest brust* petto pecho poitrine mediastin* pneumomediast* rib ribs costal costale
        costali costophren* costofren* costola costole costilla* costochon* rippe* stern* esternon trache*
        trakea diaphragm* diafram* zwerchfell* hemidiaphragm* emidiafram* heart* cardi* cuore corazon coeur
        herz* kardi* *cardia *cardial *cardic* *cardit* myocard* miocard* pericard* endocard* atrial atrium
        atria ventric* valv* mitral* tricusp* aort* coronar* asthma* asma copd bpco epoc emphysem* enfisem*
        empyem* empiem* atelecta* atelett* atelektas* tubercul* tuberk* silicos* sarcoid* angina arrhythm*
        aritm* fibrillat* ecg ekg electrocard* elettrocard* respirat* breast* mamm* mastit* mastec* *esophag*
        esofag* hilum hilar lobar stemi nstemi echocard* hemothorax haemothorax hydrothorax
    """,
    "brain": """
        brain* cerebr* cerebel* cerveau cervello cervellet* encephal* *encephal* encefal* *cephalus *cefalo
        *cephaly intracran* endocran* crani* skull* schadel* hirn* gehirn* cortex cortical thalam* talam*
        hippocamp* ippocamp* hipocamp* hypothal* ipotal* hipotal* pituitar* ipofis* hipofis* hypophys* mening*
        gliom* gliobl* glial astrocyt* medulloblast* ependym* oligodendro* ventric* dural dura subdural*
        epidural* extradural* subarachn* subaracn* stroke* ictus apople* seizure* epilep* dement* alzheimer*
        parkinson* sclerosis demyelin* demielin* neuro* pons pontine frontal* temporal* parietal* occipital*
        callos* lacun* head headache* migrain* emicran* cefalea testa cabeza kopf* tete capo huntington*
        creutzfeldt* schwannom* nervous
    """,
    "eye": """
        eye* ocul* occhio occhi ojo ojos oeil yeux auge* ophthalm* oftalm* *retin* macul* fovea* cornea*
        keratit* cherat* conjunctiv* congiuntiv* konjunktiv* lens cataract* catarat* katarakt* glaucom* glauko*
        uvea* uveit* choroid* coroid* iris irid* iritis vitre* optic ottic* optico optique papilled* papilloed*
        papillod* drusen druse fundus fundosc* oct pupil* palpebr* blephar* orbit* strabism* myopi* miopi*
        hyperop* amd vision sclera* scleritis microaneurysm* microaneurism* cupping amblyop* astigmat*
    """,
    "head and neck": """
        nose nasal* naso* sinus sinuses sinusal* sinusit* paranasal* ear ears otit* oto* tympan* timpan* cochle*
        mastoid* hearing laryn* laring* pharyn* faring* throat* gola garganta gorge tonsil* tongue* lingua
        lengua langue zunge* gloss* mouth* bocca boca bouche mund dental* dente denti diente* tooth teeth zahn*
        maxill* mascell* mandib* jaw* saliv* parotid* gum gums gingiv* lip lips neck* collo cuello cou hals*
        thyroid* tiroid* tyroid* schilddrus* parathyr* paratir* carotid* goitre goiter gozzo bocio cervical face
        facial
    """,
    "abdomen": """
        abdom* addom* bauch* ventre liver* hepat* epat* higado foie leber* gallbladder* gallstone* cholecyst*
        colecist* bile biliar* choledoc* coledoc* cholang* colang* cholest* pancrea* pankrea* spleen* splen*
        bazo milz* gastr* stomac* estomac* estomag* magen* peptic duoden* jejun* digiun* ileum ileal ileus
        ileit* ileo* bowel* intestin* enter* darm* colic colit* colo* rectum rectal* retto recto sigmoid* sigma
        append* apendic* caec* cecum cecal periton* pneumoperiton* ascit* hernia* inguin* anal anus anorect*
        diverticul* crohn* celiac* coeliac* kidney* renal* nephr* nefr* *nephros* *nefros* rene reni rinon* rein
        niere* urolith* urin* uret* bladder* vescic* vesical* vejiga vessie harnblase* adrenal* surren*
        suprarenal* nebennier* prostat* *esophag* esofag* aort* cirrho* cirros* zirrhos* digestive portal
        omental omentum mesenter* haemorrhoid* hemorrhoid* emorroid* wilms
    """,
    "pelvis": """
        uter* ovar* ovai* eierstock* testis testes testic* hoden* penis penil* vagin* vulv* cervix cervical
        placent* pregnan* gravid* embaraz* grossesse schwanger* fetal* fetus feto foet* embryo* embrion*
        endometr* myometr* miometr* fibroid* leiomyom* salping* fallop* pelvi* becken* bacino scrot* hydrocele*
        varicocele* prostat* bladder* vescic* vejiga reproductive gynec* obstet*
    """,
    "spine": """
        spine spinal* vertebr* rachid* rachis colonna columna wirbel* disc discs disk* intervertebr* sacr*
        coccy* cauda lumbar* lomb* lumbo* scolio* skolio* kypho* cifos* spondyl* spondil* myelopath* mielopat*
        cord paraspinal* cervical
    """,
    "arm": """
        shoulder* spalla spalle hombro epaule schulter* clavic* scapul* escapul* humer* omero omeral* elbow*
        gomito codo coude ellbogen* radius radial ulna* cubit* wrist* polso muneca poignet handgelenk* hand
        hands mano mani finger* dito dita dedo* doigt* thumb* metacarp* carpal* carpus scapho* lunate lunot* phalan*
        falang* arm arms braccio brazo forearm* avambracc* rotator supraspin* infraspin* biceps triceps axill* ascell*
        glenoid* glenohum*
    """,
    "leg": """
        hip hips anca anche cadera hanche huft* femor* femur* thigh* coscia muslo cuisse knee* ginocch* rodill*
        genou knie* patell* rotul* tibia* fibul* peron* ankle* caviglia tobillo cheville leg legs gamba pierna
        jambe foot feet piede piedi fuss* calcane* heel* talus talar tars* metatars* toe toes menisc* menisk*
        cruciate achill* acl pcl hallux acetabul* gluteal* plantar*
    """,
    "skin": """
        skin* cutan* pelle piel peau derma* dermis epiderm* mole moles naev* nevus nevi melanom* psoria* eczem*
        ekzem* acne rash* hair* nail* alopec* urticar* orticar* pemphig* pemfig* prurit* papule* macule*
        maculopap* integumentary
    """,
    "bone": "bone* bony osse* osso ossa hueso* knochen* oste* skelet* schelet* esquelet* squelett*",
    "joint": """
        joint* articol* articul* arthr* artr* gelenk* synov* sinov* bursa* bursit* *arthritis *artrite *arthrose
    """,
    "muscle": """
        muscle* muscol* muscul* muskel* myosit* miosit* myopath* miopat* rhabdo* tendon* tendin* ligament*
        legament* cartilag* chondr* condr* sehne* fascia* fasciit*
    """,
    "nerve": "nerv* neuropath* neurit* neuralg* radicul* plexus* ganglion* schwann*",
    "vessel": """
        vessel* vasc* arter* vein veins vena venas vene venous venos* aneurysm* aneurism* jugular* phleb* fleb*
        angi* varic* capillar* aort* carotid*
    """,
    "blood": """
        blood sangue sangre sang blut* haemat* hemat* ematol* anaem* anem* leuk* leuc* lymphom* linfom* myelom*
        mielom* platelet* piastrin* erythro* eritro* thalass* talassem* sickle* hodgkin* haemophil* hemophil*
        emofil*
    """,
    "lymph": "lymph* linf* node nodes thymus thymic thymom* timo timic*",
}
"""Parts of the body: regions with their organs, then tissues that are everywhere."""

FINDINGS = {
    "bleeding": """
        bleed* bled hemorrh* haemorrh* emorrag* hemorrag* hamorrh* hematom* haematom* ematom* hamatom* blutung*
        sanguin* ecchym* petech* hemoptys* haemoptys* emottis* hematur* haematur* ematur* hemothor* haemothor*
        emotorac* melen* epistax* contus* sangrad* saignem* microbleed* hyphema hemarthr* haemarthr*
    """,
    "injury": """
        fractur* frattur* fraktur* disloc* lussa* luxa* sprain* distors* tear tears torn rottur* ruptur* avuls*
        injur* trauma* wound* ferit* herida* blessure* broken break lacerat* perforat* perforaz* bruch transect*
        amputat* burn burns
    """,
    "tumour": """
        tumor* tumour* tumeur* mass masses massa masse masas masa cancer* cancr* krebs* carcin* karzin* neopl*
        malign* metast* nodul* lesion* laesion* polyp* polip* cyst cysts cystic cisti cistic* quist* kyst* zyst*
        adenom* *blastom* sarcom* *sarcoma lymphom* linfom* leukem* leukaem* leucem* growth* lump* gliom*
        melanom* *carcinoma *carcinomas *adenoma *meningioma *lipoma *fibroma *myoma *osteoma *neuroma
        *schwannoma *angioma *angiomas *cytoma *germinoma *teratoma* *papilloma* *chordoma* *neurinoma
        meningiom* thymom* hamartom* geschwulst seminom* myelom* mielom*
    """,
    "inflammation": """
        infez* infec* infekt* inflam* infiam* entzund* *itis *itide *itides pneumon* polmonit* bronchit* epatit*
        nefrit* meningit* encefalit* appendicit* colit* gastrit* artrit* sinusit* dermatit* pancreatit*
        colecistit* miocardit* pericardit* endocardit* faringit* laringit* tonsillit* cistit* prostatit* uveit*
        cheratit* congiuntivit* vasculit* tendinit* pleurit* ascess* absces* abszess* sepsis septic* sepsi
        tubercul* tuberk* empyem* empiem* bacter* batter* virus* viral* fung* parasit* osteomyel* osteomiel*
        granulom* candid* aspergill* staphyl* strept* hiv aids covid* malari* syphil* lyme herpes* cellulit*
        purulen* pus
    """,
    "fluid": """
        effus* versament* derrame* epanch* erguss* edem* oedem* odem* *oedema *edema ascit* fluid* liquid*
        flussig* hydroceph* hydroneph* hydrothor* hydrocele* idrocef* idronef* idrotor* hidrocef* hidronef*
        congest* swelling swollen gonfior* exudat* essudat* exsudat* transudat* trasudat* empyem* anasarc*
    """,
    "air": """
        pneumothor* pneumotor* pnx air aria aire luft emphysem* enfisem* pneumoperiton* pneumomediast*
        pneumoceph* gas aerat* hyperinflat* iperinsuf* pneumatos*
    """,
    "lost flow": """
        infarct* infart* infarkt* ischem* ischaem* ischam* isquem* stroke* ictus thromb* tromb* embol* occlu*
        oclus* verschluss* clot clots lacun* necro* nekro* gangren* *thrombosis stemi nstemi apople*
    """,
    "enlargement": """
        enlarg* *megaly *megalia *megalie ingrand* ingross* vergross* agrand* hypertroph* ipertrof* hipertrof*
        dilat* *ectasis *ectasia *ectasie ectasia aneurysm* aneurism* disten* widen* hyperplas* iperplas*
        hiperplas* goitre goiter gozzo thicken* ispess* engros* hydroneph* idronef* varic* cupping
    """,
    "narrowing": """
        stenos* stenot* estenos* strictur* narrow* restring* coarct* coartaz* ostru* obstru* compress* collaps*
        collass* kollaps* atelecta* atelett* impinge* volvulus intussuscept*
    """,
    "stone": """
        stone* calculus calculi calcol* *lithiasis *litiasi lithias* calcif* kalk* verkalk* gallstone* piedra*
    """,
    "degeneration": """
        degener* atroph* atrof* fibros* fibrot* scar scars scarring cicatri* sclero* sklero* cirrho* cirros*
        zirrhos* arthros* artros* osteoarthr* osteoartr* osteopor* dement* drusen druse demyelin* demielin*
        plaque* placc* osteopen* wasting dystroph* distrof* spondylos* spondilos*
    """,
    "opacity": """
        opac* consolid* addens* infiltrat* densit* shadow* ombra hyperdens* hypodens* iperdens* ipodens*
        hyperintens* hypointens* iperintens* ipointens* reticul* honeycomb*
    """,
    "malformation": """
        congenit* kongenit* malform* anomal* hypoplas* ipoplas* agenes* aplas* atresi* colobom* trisom* cleft
    """,
    "displacement": """
        detach* distacc* desprend* decollem* ablos* hole holes foro buco agujero hernia* ernia* hernie* prolaps*
        prolass* slipped listhes* *listhesis shift shifted membran*
    """,
    "nothing wrong": """
        normal* unremark* healthy sano sana gesund* none nessun* ninguna ninguno aucun* kein* alterazion*
        abnormal*
    """,
    "device": """
        tube tubes tubo catheter* cateter* katheter* pacemaker* stent* device* wire* implant* prosthe* protes*
        shunt*
    """,
    "procedure": """
        surg* chirurg* cirug* *ectomy *ectomia *ectomie *plasty *plastica *otomy *otomia *ostomy *ostomia
        *oscopy *oscopia biops* resect* resez* transplant* trapiant* fixation arthrodes* radiother* radioter*
        chemother* chemioter* excis* repair* reconstruct* drainage ablation* embolization operat*
    """,
    "kind of image": """
        ct tac tc mri rmn rm mr xray radiogr* rontgen* ultraso* ecograf* sonogr* pet mammogr* tomogr* fluorosc*
        angiogr* endosc* echocardiogr* scintigr* histolog* photograph* fotograf*
    """,
    "plane": "axial* assial* coronal* sagittal* sagital* transverse oblique",
    "side": "bilateral* unilateral* both neither either half halves meta entramb* ambos ambas beide* deux",
}
"""Kinds of finding, and what else an option can be about: a procedure, a device, a kind of image, a side."""

PARTS_IN_CHINESE = {
    "chest": "肺 胸 心 支气管 气管 纵隔 肋 膈 主动脉 冠状 冠脉 食管 乳腺 呼吸",
    "brain": "脑 颅 头 垂体 丘脑 额叶 颞叶 顶叶 枕叶 癫痫 中风 卒中 白质",
    "eye": "眼 视 黄斑 玻璃体 玻璃膜 角膜 晶状体 白内障 虹膜 脉络膜 中心凹 瞳孔 葡萄膜 棉绒斑 硬性渗出",
    "head and neck": "鼻 耳 咽 喉 口腔 牙 齿 舌 颌 颈 甲状腺 腮腺 扁桃体",
    "abdomen": "腹 肝 胆 胰 脾 胃 肠 阑尾 肾 膀胱 尿 十二指肠 疝 前列腺 食管",
    "pelvis": "子宫 卵巢 睾丸 盆腔 阴道 阴茎 胎 妊娠 宫颈 前列腺 膀胱",
    "spine": "脊 椎 腰 骶",
    "arm": "肩 肘 腕 手 指 肱 尺骨 桡 锁骨 臂",
    "leg": "髋 股 膝 髌 胫 腓 踝 足 趾 跟骨 半月板 腿",
    "skin": "皮肤 皮疹 痣 黑色素瘤 湿疹 银屑病",
    "bone": "骨",
    "joint": "关节 滑膜",
    "muscle": "肌 腱 韧带 软骨",
    "nerve": "神经",
    "vessel": "血管 动脉 静脉",
    "blood": "血液 贫血 白血病",
    "lymph": "淋巴",
}
FINDINGS_IN_CHINESE = {
    "bleeding": "出血 血肿 咯血 血尿 挫伤",
    "injury": "骨折 脱位 损伤 破裂 撕裂 外伤 穿孔",
    "tumour": "瘤 癌 肿块 占位 结节 囊 转移 息肉 病变 病灶 肉瘤",
    "inflammation": "炎 感染 脓 结核 菌 病毒",
    "fluid": "积液 水肿 积水 渗出 腹水",
    "air": "气胸 积气 气肿 游离气",
    "lost flow": "梗死 梗塞 缺血 血栓 栓塞 阻塞 闭塞 卒中 中风 坏死",
    "enlargement": "增大 扩大 扩张 肥大 增厚 增宽 动脉瘤",
    "narrowing": "狭窄 梗阻 压缩 压迫 不张 塌陷",
    "stone": "结石 钙化",
    "degeneration": "变性 萎缩 纤维化 硬化 退行 脱髓鞘 疣 疏松",
    "opacity": "实变 阴影 浸润 密度 浑浊 混浊",
    "malformation": "先天 畸形 发育不",
    "displacement": "脱离 裂孔 疝 脱出 移位 前膜",
    "nothing wrong": "正常 未见 无异常",
    "device": "导管 支架 起搏器 引流 植入",
    "procedure": "手术 切除 活检 移植 放疗 化疗 修复",
    "kind of image": "核磁 磁共振 超声 造影 断层",
    "side": "双 两侧 两半 均",
}
UNLIKE = "corticosteroid corticosteroids cephalosporin cephalosporins retinoid retinoids retinoic retinol normally"
"""Words that only look like some of those above."""


class _Topic(NamedTuple):
    """How the words of a topic are recognised."""

    name: str
    whole: frozenset[str]
    beginnings: tuple[str, ...]
    ends: tuple[str, ...]
    within: tuple[str, ...]

    def holds(self, word: str) -> bool:
        return (
            word in self.whole
            or word.startswith(self.beginnings)
            or word.endswith(self.ends)
            or any(each in word for each in self.within)
        )


def _topic(name: str, listed: str) -> _Topic:
    words = listed.split()
    return _Topic(
        name,
        frozenset(word for word in words if "*" not in word),
        tuple(word[:-1] for word in words if word.endswith("*") and word[0] != "*"),
        tuple(word[1:] for word in words if word[0] == "*" and word[-1] != "*"),
        tuple(word[1:-1] for word in words if word[0] == word[-1] == "*"),
    )


@lru_cache(maxsize=2**14)
def parts_of(text: str) -> frozenset[str]:
    """The parts of the body that a text speaks of.

    >>> sorted(parts_of("Pleural effusion")), sorted(parts_of("Kidney stone or appendicitis"))
    (['chest'], ['abdomen'])
    """
    return frozenset(_named(text, of=0))


@lru_cache(maxsize=2**14)
def bearings(text: str) -> frozenset[str]:
    """All that makes another text related to this one: a part of the body, a kind of finding, a word in common.

    >>> bearings("Left renal mass").isdisjoint(bearings("Appendicitis"))
    False
    >>> bearings("Left renal mass").isdisjoint(bearings("Macular hole"))
    True
    """
    sided = ["side"] if speaks_of_sides(text) else []
    return frozenset((*parts_of(text), *_named(text, of=1), *sided, *_words(text)))


def _named(text: str, *, of: int) -> set[str]:
    """The topics of the words: of the parts of the body, or of the findings."""
    found = {name for word in _WORD.findall(lettered(text)) for name in _topics_of(word)[of]}
    if SIGN.search(text):
        found |= {name for name, signs in _IN_CHINESE[of].items() if any(each in text for each in signs)}
    return found


@lru_cache(maxsize=2**16)
def _topics_of(word: str) -> tuple[tuple[str, ...], ...]:
    """A word's parts of the body, and its findings."""
    if word in _NO_TOPIC:
        return ((), ())
    return tuple(tuple(topic.name for topic in topics if topic.holds(word)) for topics in _TOPICS)


def _words(text: str) -> set[str]:
    """The words that tell something, as stems and as they are; of Chinese every two signs that stand together."""
    stems = {word for word in content(text) if not SIGN.search(word) and not any(map(str.isdigit, word))}
    plain = {word for word in _WORD.findall(lettered(text)) if len(word) > 2} - _SAYS_NOTHING
    pairs = {run[at : at + 2] for run in _RUN.findall(text) for at in range(len(run) - 1)}
    return {f"={word}" for word in stems | plain | pairs}


_WORD = regex("[a-z]+")
_RUN = regex(f"(?:{SIGN.pattern})+")
_SAYS_NOTHING = frozenset((*STOP, *synonyms.VAGUE.split()))
_NO_TOPIC = frozenset(UNLIKE.split())
_TOPICS = tuple(tuple(_topic(*each) for each in listed.items()) for listed in (PARTS, FINDINGS))
_IN_CHINESE = tuple(
    {name: words.split() for name, words in listed.items()} for listed in (PARTS_IN_CHINESE, FINDINGS_IN_CHINESE)
)
