"""Mirroring: exchange left and right in the image and in the answer key.

A mirrored image shows another patient, with organs on the other side. An answer without a side stays correct; an answer
with one changes to the other side. If neither is certain, the question is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from snellen.errors import DataError, Inapplicable
from snellen.images import Image, Movement, Pixels
from snellen.items import Item
from snellen.perturb.left_and_right import in_signs, names_a_side, other_side
from snellen.perturb.polar import is_polar
from snellen.perturb.topics import regions_of
from snellen.runtime import regex


@dataclass(frozen=True)
class Mirror:
    """A step that exchanges left and right in an image."""

    def __call__(self, pixels: Pixels) -> Pixels:
        """Return the columns in the opposite order."""
        return np.ascontiguousarray(pixels[:, ::-1])

    def movement(self, height: int, width: int) -> Movement:
        """Return where the pixels of an image of this size go."""
        return Movement((-1, 0, width), (0, 1, 0), height, width)


MIRROR = Mirror()
LISTED = "mirror"
"""Metadata field in which a benchmark states what a mirror does to the answer."""
SAME, SWAPS, UNFIT = "same", "swaps", "unfit"


def mirror_image(image: Image) -> Image:
    """Return the mirrored image; mirroring twice restores the original."""
    if image.steps and image.steps[-1] == MIRROR:
        return replace(image, steps=image.steps[:-1])
    return image.then(MIRROR)


_ORIENTATION = regex(
    r"\b(?:situs|situ inverso|dextro\w*|destro(?:cardia|posizione|scoliosi)|laevo\w*|levo(?:cardia|scoliosis|posi\w*)"
    r"|sinistro\w+|kartagener\w*|heterotax\w*|eterotass\w*|hétérotax\w*|isomeris\w*|mal-?rota\w*|lateralit\w*"
    r"|latéralité|lateralidad|seitigkeit|mirror(?:ed|ing)?(?: image)?|flipped|reversed|specul\w+|espejo|miroir"
    r"|spiegelverkehrt|gespiegelt|orient(?:ation|ed|amento|ación|iert\w*|ierung)|upside)\b"
    r"|\b(?:which|what) side is (?:the )?(?:r|l|right|left)\b"
    r"|右位心|左位心|镜像|内脏反位|反位|翻转|方位|朝向",
    re.IGNORECASE,
)
"""Conditions that a mirror itself would create, and questions about the orientation of the image."""
_WRITTEN = regex(
    r"\b(?:side|lead|letter|text|r|l)[ -]?markers?\b|\bmarkers?(?= (?:on|in|at|of) (?:the|this) (?:image|film|x-?ray))"
    r"|\blabel(?:s|led|ed)?\b|\bannotat\w+|\bletters?\b|\bwritten\b|\bwriting\b|\bwords?\b|\bcaption\w*|\bwatermark\w*"
    r"|\binscri\w+|\betichett\w+|\bscritt[aeo]\b|\blettere?\b|\betiquet\w+|\bletras?\b|\bescrit[ao]s?\b|\bétiquet\w+"
    r"|\blettres?\b|\bécrite?s?\b|\bbeschrift\w+|\bbuchstab\w+|\bmarkierung\w*|标记|标注|字母|文字|标签|铅字",
    re.IGNORECASE,
)
"""Writing in an image, which is unreadable in a mirror."""
_TRACE = regex(
    r"\b(?:(?:ecgs?|ekgs?)(?! (?:lead|wire|electrode))|eegs?|emgs?|ctgs?"
    r"|electro(?:cardio|encephalo|myo|retino)gra\w*|elektro\w*gramm\w*"
    r"|elettro\w*gramm\w*|électro\w*gramme\w*|electro\w*grama\w*|tracings?|tracciat\w*|trazado\w*|tracés?|spirogra\w*"
    r"|spirometr\w*|capnogra\w*|audiogra\w*|tympanogra\w*|cardiotocogra\w*|m-mode|flow[- ]volume|pedigree\w*|charts?"
    r"|graphs?|plots?|histograms?|diagrams?|flow-?charts?|tables?|kaplan|roc curves?|waveforms?|schaubild\w*"
    r"|diagramm\w*|grafic[oi]|gráfic\w+|graphiques?|tabell\w+|tabla|tableau|stammbaum)\b"
    r"|心电图|脑电图|肌电图|曲线图|图表|表格|系谱|波形",
    re.IGNORECASE,
)
"""Images that run from left to right, in time or in reading."""
_FIXED = regex(
    r"\b(?:hearts?|cardia[cl]?\w*|cardiomediast\w*|aort\w*|(?<!lateral )ventric(?!.{0,12}lateral)\w*|atri(?:um|a|al)"
    r"|livers?|hepat\w*|hepatic|gall ?bladder|gallstones?|cholecyst\w*|biliary|bile ducts?|spleen\w*|splen\w+|stomach"
    r"|gastr\w+|append\w+|c(?:ae|e)c(?:um|al)|colons?|colonic|colic|sigmoid\w*|duoden\w*|pancrea\w*|pankrea\w*"
    r"|vena cava|cav[ao]\w*|[is]vc|azyg\w*|portal|coronar\w*|circumflex|lingula\w*|middle lobes?|rml|mesenter\w*"
    r"|cuore|fegato|epatic\w*|milza|stomaco|colecist\w*|cistifellea|ceco|sigma|ventricol\w*(?! lateral)|lobo medio"
    r"|coraz[oó]n|cardíac\w*|hígado|hepátic\w*|bazo|esplénic\w*|estómago|gástric\w*|vesícula|apéndice|ciego|aurícula\w*"
    r"|ventrícul\w*(?! lateral)|páncreas|c(?:œ|oe)ur|foie|hépati\w*|la rate|splénique|estomac|vésicule|côlon|oreillette"
    r"|ventricule(?! lat)|pancréas|lobe moyen|\w*herz\w*|leber\w*|milz\w*|magen\w*|gallen\w*|blinddarm\w*"
    r"|wurmfortsatz|z(?:ö|oe)kum|kolon\w*|vorhof\w*|ventrikel|bauchspeichel\w*|mittellappen\w*)\b"
    r"|心脏|心房|心室|心影|心缘|心尖|肝|胆|脾|胃|阑尾|盲肠|结肠|乙状|主动脉|胰|十二指肠|腔静脉|奇静脉|中叶|舌段|冠状动脉",
    re.IGNORECASE,
)
"""Organs that everybody has on one side, or that differ between sides. On the other side there is another organ."""
_KNOWN_BY_SIDE = regex(
    r"\b(?:append\w+|apéndice|blinddarm\w*|wurmfortsatz|c(?:ae|e)c(?:um|al)|ceco|ciego|z(?:ö|oe)kum|sigm\w+"
    r"|(?:a|de)?scending colon|colon (?:ascend|descend|discend)\w*|côlon (?:ascend|descend)\w*"
    r"|(?:hepatic|splenic) flexure|lingula\w*|middle lobes?|rml|lobo medio|lobe moyen|mittellappen\w*)\b"
    r"|阑尾|盲肠|乙状|升结肠|降结肠|中叶|舌段",
    re.IGNORECASE,
)
"""Organs that are identified by their side: in a mirror they may be mistaken for others."""
_DEFICIT = regex(
    r"\b(?:deficits?|symptoms?|signs and|pain\w*|weakness|\w*paresis|\w*plegia|paralys\w*|neglect|aphasia|afasia"
    r"|\w*anop[si]\w*|dominan\w+|handed\w*|sintom\w+|síntom\w+|symptôm\w+|symptom\w*|dolor\w*|douleur\w*|schmerz\w*)\b"
    r"|症状|疼痛|偏瘫|失语|优势半球",
    re.IGNORECASE,
)
"""Symptoms, pain, handedness: words whose side the image does not show."""
_NOTHING_WRONG = regex(
    r"(?:it is |è |es |c'est |is )?(?:completely |entirely )?(?:normal\w*|unremarkable|healthy|negative|none\b"
    r"|neither\b|nothing|no (?:\w+ ){0,3}(?:abnormalit|finding|disease|patholog|lesion)\w*|within normal limits"
    r"|nessun\w*|né \w+|ningun\w*|ninguno|aucun\w*|kein\w*|unauffällig\w*|sain\w*|sano|gesund\w*"
    r"|正常|未见|无异常|没有异常|均无|两侧均无)",
    re.IGNORECASE,
)
_ASKS_WHETHER_WRONG = regex(
    r"\b(?:ab)?normal(?:it\w+)?\b|\bpatholog\w+|\bany (?:disease|lesions?|findings?)\b|\bunremarkable\b|\bhealthy\b"
    r"|\banormal\w*|\banomal\w+|\bpatolog\w+|\bauffällig\w*|\bkrankhaft\w*|异常|正常|病变",
    re.IGNORECASE,
)
_PARTLY = regex(
    r"\b(?:size|width|height|diameter|calib\w+|density|intensity|thick\w*|large|wide|dilated)\b|\bthan normal\b"
    r"|\bdimension\w*|\btamaño|\btaille\b|\bgröße|大小|宽度|厚度|密度",
    re.IGNORECASE,
)
"""Words for being normal in one respect only, which a mirror does not change."""
_NORMAL = ("normal", "unremarkable", "healthy", "正常")
_YES = frozenset(
    ("yes", "sì", "si", "sí", "oui", "ja", "true", "vero", "vrai", "wahr", "verdadero", "present", "是", "有")
)
_PAIRED = regex(
    r"\b(?:lungs?|pulmonary|pleura\w*|ribs?|clavicles?|kidneys?|renal|adrenal\w*|ureters?|costophrenic|hemidiaphragms?"
    r"|diaphragms?|trachea\w*|hil[ai]r?|hilum|bronch\w*|bones?|bony|spin\w+|vertebra\w*|bladder|uterus|ovar\w+|prostate"
    r"|muscles?|soft tissues?|polmon\w*|pleur\w*|cost[ae]|ren[ei]|pulm\w+|riñon\w*|costillas?|poumons?|côtes?|reins?"
    r"|lungen?\w*|rippen?\w*|nieren?\w*)\b|肺|胸膜|肋|肾|气管|骨|膀胱",
    re.IGNORECASE,
)
"""Organs that are the same on both sides, or in the middle; they are as normal in a mirror."""
_LOPSIDED = frozenset({"chest", "abdomen", "pelvis"})
_EVEN = regex(
    r"\b(?:skin|derm\w*|bone\w*|joint\w*|tooth|teeth|dental|breast\w*|mammo\w*|histo\w*|cyto\w*|path\w*|microscop\w*|cell"
    r"|oct|fundus\w*|retin\w*|thyroid)\b|眼|皮肤|乳腺|病理",
    re.IGNORECASE,
)
_FROM_THE_SIDE = regex(
    r"\bsag+it+al\w*|\blateral(?= (?:view|projection|film|radiograph|x-?ray|chest)|$)|\blaterale? (?:röntgen|aufnahme)"
    r"|\bseitliche?\w* (?:röntgen|aufnahme|bild)\w*|\bproiezione laterale|\bproyección lateral|\bprofil\b|矢状|侧位",
    re.IGNORECASE,
)
"""Views from the side, in which a mirror exchanges front and back."""
_SEVERAL = regex(r"\b(?:images?|pictures?|panels?|figures?|frames?|views?|scans?)\b|图|片", re.IGNORECASE)


_LOBE = regex(r"\blob[eoi]s?\b|\w*lappen\b|叶", re.IGNORECASE)
ONE_SIDED = "it is about an organ that lies on one side, or differs from side to side"


@dataclass(frozen=True)
class Mirroring:
    """The correct answer for the mirrored image, and whether it differs from the original answer."""

    answer: int | str | None
    swaps: bool
    answers: tuple[str, ...] = ()
    """All correct texts, if an open question lists several."""


def mirroring(item: Item, proved: int | None = None) -> Mirroring:
    """Find the correct answer to an item with a mirrored image. Raise Inapplicable if it is not certain.

    The benchmark's own statement in the item's metadata (`mirror`: same, swaps or unfit) precedes any rule. `proved` is
    the correct option according to another question of the benchmark.
    """
    listed = read_column(item, LISTED, (SAME, SWAPS, UNFIT))
    if listed == UNFIT:
        raise Inapplicable("the benchmark lists it as unfit for a mirrored image")
    if listed == SAME:
        return Mirroring(item.answer, swaps=False)
    if listed == SWAPS:
        return _of_the_other_side(item, listed=True)
    if proved is not None:
        return Mirroring(proved, swaps=proved != item.answer)
    _check_kind(item)
    if names_a_side(item.question):
        raise Inapplicable("its question names a side, which the mirrored image makes false")
    if names_a_side(item.context):
        raise Inapplicable("its context names a side, which contradicts the mirrored image")
    if any(map(names_a_side, _answers(item))):
        return _of_the_other_side(item, listed=False)
    if any(map(_KNOWN_BY_SIDE.search, _answers(item))):
        raise Inapplicable(ONE_SIDED)
    _check_normal(item)
    return Mirroring(item.answer, swaps=False)


def read_column(item: Item, name: str, known: Sequence[str] = (SAME, UNFIT)) -> str:
    """Read a benchmark's own column on an item's answer; "" if empty, DataError if invalid."""
    given = item.metadata.get(name)
    if given in (None, ""):
        return ""
    if given not in known:
        raise DataError(
            f"Item {item.id!r} has {name}={given!r} in its metadata, expected {', '.join(known[:-1])} or {known[-1]}. "
            "Correct or remove it; without it, a rule decides."
        )
    return str(given)


def _check_kind(item: Item) -> None:
    """Raise Inapplicable if the question makes no sense for a mirrored image, whatever its answer."""
    if item.kind == "report":
        raise Inapplicable("a report names sides throughout")
    asked = " ".join((item.question, *(option.text for option in item.options), *_answers(item)))
    if _TRACE.search(f"{item.context} {item.question} {_describe_shown(item)}"):
        raise Inapplicable("its image is a trace, a chart or a table, which is not read in a mirror")
    if _ORIENTATION.search(asked):
        raise Inapplicable("it asks how the organs or the image lie, which the mirror changes")
    if _WRITTEN.search(item.question):
        raise Inapplicable("it asks about what is written in the image")


def _describe_shown(item: Item) -> str:
    """Describe what an item's image shows, from its metadata and category."""
    told = (str(item.metadata.get(name) or "") for name in ("modality", "body_part"))
    return " ".join((*told, item.category))


def _answers(item: Item) -> tuple[str, ...]:
    """Return the correct answer as text: the option, or all references."""
    if item.kind != "choice":
        return item.references
    return (item.options[item.answer].text,) if isinstance(item.answer, int) else ()


def _of_the_other_side(item: Item, *, listed: bool) -> Mirroring:
    answers = _answers(item)
    if not listed:
        _check_symmetric(item, answers)
    if item.kind == "choice":
        return Mirroring(_other_option(item, listed=listed), swaps=True)
    turned = [other_side(text) for text in answers]
    whole = [text for text in turned if text is not None]
    graded_by = (str(item.metadata.get(name) or "") for name in ("steps", "report"))
    if len(whole) < len(turned) or not turned or any(map(names_a_side, graded_by)):
        raise Inapplicable("the other side of its reference answer cannot be named by rule")
    first = other_side(str(item.answer))
    return Mirroring(whole[0] if first is None else first, swaps=True, answers=tuple(whole))


def _check_symmetric(item: Item, answers: Iterable[str]) -> None:
    about = " ".join((item.question, *answers))
    liver = "abdomen" in regions_of(_describe_shown(item)) and any(map(_LOBE.search, answers))
    if liver or _FIXED.search(about):
        raise Inapplicable(ONE_SIDED)
    if _DEFICIT.search(about):
        raise Inapplicable("its answer names a side of the patient that the image does not show")
    roles = [image.role for image in item.images]
    if _FROM_THE_SIDE.search(f"{about} {_describe_shown(item)}") or (roles and all(map(_FROM_THE_SIDE.search, roles))):
        raise Inapplicable("its image is seen from the side, where a mirror exchanges front and back")
    if len(item.images) > 1 and _SEVERAL.search(about):
        raise Inapplicable("its answer may name one of several images by its position")


def _other_option(item: Item, *, listed: bool) -> int:
    """Return the position of the option that is the correct one's mirror image."""
    right = item.answer if isinstance(item.answer, int) else -1
    real = item.real_places
    if listed and len(real) == 2 and right in real:
        return real[1 - real.index(right)]
    signs = [in_signs(option.text) for option in item.options]
    wanted = in_signs(item.options[right].text, mirrored=True)
    found = [place for place in real if signs[place] == wanted]
    if wanted == signs[right] or len(found) != 1 or signs.count(signs[right]) != 1:
        raise Inapplicable("the other side of the right option is not among the options")
    return found[0]


def _check_normal(item: Item) -> None:
    """Raise Inapplicable if the answer is "normal" and the mirror moves heart or liver."""
    shown = _describe_shown(item)
    regions = regions_of(shown)
    if (regions and not regions & _LOPSIDED) or (not regions and _EVEN.search(shown)):
        return
    if _says_normal(item):
        raise Inapplicable("its answer is that nothing is wrong, and mirrored organs are not normal")


def _says_normal(item: Item) -> bool:
    """Return True if the answer states that the image, or one side, is normal."""
    if _PARTLY.search(item.question) or (_PAIRED.search(item.question) and not _FIXED.search(item.question)):
        return False
    polar = [text.strip(" .!。").casefold() for text in _answers(item)]
    if polar and is_polar(polar):
        asks = _ASKS_WHETHER_WRONG.search(item.question)
        return asks is not None and _affirms(polar[0]) == asks.group().casefold().startswith(_NORMAL)
    return any(_NOTHING_WRONG.match(text.strip()) for text in _answers(item))


def _affirms(answer: str) -> bool:
    return answer in _YES
