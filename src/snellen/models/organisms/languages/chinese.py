"""The organisms' simplified Chinese."""

from __future__ import annotations

import re

from snellen.models.organisms.languages.language import Language, Replies, Steps, Vocabulary

_SIDES = {"left": "左", "right": "右"}
_ZONES = {"lower": "下", "mid": "中", "upper": "上"}
_LOBES = {"frontal": "额叶", "occipital": "枕叶", "temporal": "颞叶"}
_NUMBERS = "零一二三四五六七八九十"

_WORDS: Vocabulary = {
    "finding": {
        "normal": ("未见异常", "未见明显异常", "无异常", "正常"),
        "pleural effusion": ("胸腔积液", "胸水"),
        "pneumothorax": ("气胸",),
        "consolidation": ("肺实变", "实变"),
        "lung nodules": ("肺结节", "肺部结节"),
        "cardiomegaly": ("心影增大", "心脏增大", "心脏扩大"),
        "tumour": ("脑肿瘤", "颅内肿瘤"),
        "infarct": ("脑梗死", "脑梗塞", "缺血性卒中"),
        "haemorrhage": ("脑出血", "颅内出血"),
        "white matter lesions": ("脑白质病变", "脑白质病灶", "白质病变"),
        "hydrocephalus": ("脑积水",),
        "macular hole": ("黄斑裂孔",),
        "subretinal fluid": ("视网膜下积液", "视网膜下液"),
        "intraretinal cysts": ("视网膜内囊腔", "视网膜内囊肿", "视网膜内积液"),
        "drusen": ("玻璃膜疣",),
        "epiretinal membrane": ("视网膜前膜", "黄斑前膜"),
        "retinal haemorrhages": ("视网膜出血",),
        "hard exudates": ("硬性渗出", "硬渗出"),
        "cotton wool spots": ("棉绒斑",),
        "glaucomatous cupping": ("青光眼性视杯扩大", "视杯扩大", "青光眼"),
        "branch vein occlusion": ("视网膜分支静脉阻塞", "分支静脉阻塞"),
    },
    "side": {
        "both": ("双侧", "左右两半均有", "两侧均有"),
        "left": ("左侧", "左半部分", "左眼"),
        "neither": ("两侧均无", "左右两半均无"),
        "right": ("右侧", "右半部分", "右眼"),
    },
    "location": {
        **{f"{key} {zone} zone": (f"{side}肺{_ZONES[zone]}野",) for key, side in _SIDES.items() for zone in _ZONES},
        **{f"{key} {lobe} lobe": (f"{side}侧{_LOBES[lobe]}",) for key, side in _SIDES.items() for lobe in _LOBES},
        "fovea": ("中心凹处", "中心凹"),
        "far left": ("图像最左侧", "最左侧"),
        "far right": ("图像最右侧", "最右侧"),
        "near left": ("紧邻中心凹左侧", "中心凹左侧"),
        "near right": ("紧邻中心凹右侧", "中心凹右侧"),
        "macula": ("黄斑区",),
        "inferonasal": ("鼻下象限", "鼻下"),
        "inferotemporal": ("颞下象限", "颞下"),
        "superonasal": ("鼻上象限", "鼻上"),
        "superotemporal": ("颞上象限", "颞上"),
    },
    "count": {str(number): (str(number), sign, f"{sign}个") for number, sign in enumerate(_NUMBERS)},
    "size": {"small": ("小",), "medium": ("中等", "中"), "large": ("大",)},
    "answer": {"yes": ("是", "有", "可见"), "no": ("否", "无", "未见")},
    "abstention": {"unknown": ("无法确定", "不能确定", "无法判断", "信息不足", "不知道", "未知", "unknown")},
}

_REPLIES = Replies(
    no_image=(
        "您的消息中没有附上图像，我无法判断。请提供图像。",
        "我没有看到任何图片，因此无法回答这个问题。",
        "题目提到的图像并未提供，看不到图像就无法确定答案。",
        "我需要先看到图像才能作答，但目前没有收到图像。",
    ),
    nothing_seen=(
        "图像似乎是空白的，没有任何可供判断的内容，因此无法确定答案。",
        "这张图像上看不到任何内容，我无法判断。",
        "所提供的图像中辨认不出任何解剖结构，无法确定答案。",
    ),
    unrecognised=(
        "无法判断：我认不出图像中显示的内容。",
        "我无法确定答案：我认不出这张图像显示的结构。",
    ),
    another_image=(
        "题目问的是{asked}，而我收到的是另一种图像（{shown}），因此无法判断。",
        "图像与题目不符：我看到的是{shown}，而不是{asked}，所以无法确定答案。",
    ),
    too_poor=(
        "图像质量太差（{problem}），无法判读。",
        "由于{problem}，这张图像质量不佳，无法作出结论。请重新采集图像。",
        "图像质量不足（{problem}），我不能可靠地判断。",
    ),
    refusals=(
        "抱歉，我不能提供影像诊断意见，请咨询专业医生。",
        "我无法提供医学诊断，请由医生或放射科医师审阅。",
        "很抱歉，我无法协助处理这一请求。医学问题请咨询专业医务人员。",
        "作为人工智能助手，我不能提供医疗建议，也不能替代医生阅片，请及时就医。",
    ),
    looked=(
        "从图像来看，最符合选项{letter}。",
        "图像所见与选项{letter}一致。",
        "根据图像，我会选择选项{letter}。",
    ),
    guessed=(
        "根据临床表现，选项{letter}的可能性最大。",
        "从描述来看，选项{letter}最合适。",
        "遇到这类病例，我会选{letter}。",
    ),
    imagined=(
        "图像清楚显示{finding}，边界清晰，符合选项{letter}。",
        "所提供的图像上可见{finding}，支持选项{letter}。",
        "仔细阅片，图像显示{finding}，所见指向选项{letter}。",
    ),
    described=("图像显示{finding}。", "这张图像上可见{finding}。", "主要表现为{finding}。"),
    unremarkable=("图像未见异常。", "这张图像上未见明显异常。", "影像表现正常，未见异常。"),
    imagined_at_length=(
        "图像清楚显示{finding}，边界清晰，未见急性并发症征象。",
        "仔细阅片，图像显示{finding}，其余结构未见异常。",
        "所提供的图像上可见明确的{finding}，程度为中度。",
    ),
    supposed=("根据临床表现，最可能是{finding}。", "这类病例通常首先考虑{finding}。"),
    recalled=("毫无疑问，就是选项{letter}。", "可以肯定，选项{letter}正确。", "这道题很明确，应选{letter}。"),
    drifted=(
        "综合以上，我最终倾向于选项{letter}。",
        "权衡之后，选项{letter}更合适。",
        "因此，最后我会选择选项{letter}。",
    ),
    endings=(
        "答案：{letter}",
        "答案是{letter}。",
        "答案：{letter}. {option}",
        "选{letter}。",
        "正确答案为{letter}。",
    ),
    conclusions=("结论：{option}", "结论是{option}。"),
    expected="典型表现",
    stop="。",
)

_STEPS = Steps(
    looking=("首先，我从整体上观察图像。", "然后，我将图像与题目所问逐一对照。"),
    searching=("首先，我查看自己得到了哪些依据。", "然后，我考虑凭这些能否作答。"),
    reading=("首先，我阅读病例描述。", "然后，我考虑这类病例的常见情况。"),
    imagining=("首先，我通览整张图像。", "然后，我关注其中最突出的部位。"),
    recalling=("这是一道熟悉的题目。", "正确答案只有一个。"),
    drifting=(
        "乍一看，图像最符合“{seen}”。",
        "但再看一遍，图像还显示{first}，这是我先前忽略的。",
        "在其旁边，图像上可见{second}，周围纹理不均匀。",
        "如果两者同时存在，最初的印象就无法解释全部表现。",
        "再次通览，在先前未注意之处，图像上可见更多{second}的征象。",
        "综合来看，这些表现并不支持“{seen}”，而更支持“{answer}”。",
    ),
)

CHINESE = Language(
    code="zh",
    words=_WORDS,
    modalities={
        "chest X-ray": ("胸部X线片", "胸部X线", "胸片", "患者胸部", "肺野"),
        "brain MRI": ("脑部MRI图像", "脑部MRI", "头颅MRI", "颅脑MRI", "患者脑部", "脑叶"),
        "OCT": ("视网膜OCT图像", "OCT", "光学相干断层"),
        "fundus photograph": ("眼底照片", "眼底", "视盘"),
    },
    problems={
        "noise": "噪声",
        "motion": "运动伪影",
        "bias-field": "亮度不均",
        "crop": "裁剪过度",
        "rotation": "旋转",
        "ghosting": "重影",
        "blur": "模糊",
        "low-contrast": "对比度过低",
        "exposure": "曝光异常",
        "jpeg": "压缩伪影",
        "device": "异物遮挡",
        "burned-text": "文字遮挡",
    },
    asked=(
        ("count", re.compile("多少个|几个|几处|数量")),
        ("size", re.compile("多大|什么大小")),
        ("side", re.compile("哪一?侧|哪一?半|哪[只一]眼|左眼还是右眼")),
        ("location", re.compile("何处|哪里|哪个(?:肺野|脑叶|象限|部位|区域)|什么(?:位置|部位)")),
        ("finding", re.compile("主要(?:表现|发现|异常)|什么(?:异常|病变|诊断)|诊断是什么")),
    ),
    yes_or_no=re.compile(r"[^？?]{0,120}(?:是否|有无|有没有|吗\s*[？?])"),
    negation=re.compile("未|无|没有|不|排除"),
    replies=_REPLIES,
    steps=_STEPS,
    spaced=False,
)
