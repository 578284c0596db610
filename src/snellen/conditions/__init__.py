"""Conditions: controlled changes to an item; each draws its random choices before it applies them."""

from __future__ import annotations

from snellen.conditions.base import Condition, Drawn, Variant, generator, vary
from snellen.conditions.counterfactual import FindingEnlarged, FindingMoved, FindingRemoved, FindingReplaced
from snellen.conditions.cues import AnswerCue, PlaceCue
from snellen.conditions.degraded import STRENGTHS, ImageDegraded
from snellen.conditions.effects import Effects
from snellen.conditions.exchange import ImageExchanged, SameLabel
from snellen.conditions.frames import FramesShuffled, OneFrame, OtherVideo
from snellen.conditions.hidden import (
    CornersHidden,
    ElsewhereHidden,
    EvidenceHidden,
    FarCornerHidden,
    FillAlone,
    NeighboursElsewhere,
    NeighboursHidden,
    OnlyEvidence,
)
from snellen.conditions.image import (
    IMAGE_BLANK,
    IMAGE_REMOVED,
    NO_IMAGE,
    ORIGINAL,
    ImageBlank,
    ImageRemoved,
    ImportedCondition,
    NoImage,
    Original,
)
from snellen.conditions.mirrored import ImageMirrored
from snellen.conditions.mismatch import ImageMismatched
from snellen.conditions.options import DistractorsReplaced, OptionsShuffled, UnknownOffered
from snellen.conditions.pool import Pool
from snellen.conditions.report import ReportForImage
from snellen.conditions.substitution import ImageSubstituted
from snellen.conditions.text import OPTIONS_ONLY, QUESTION_ONLY, OptionsOnly, QuestionOnly
from snellen.conditions.together import Together
from snellen.conditions.window import OtherWindow
from snellen.errors import PluginError
from snellen.plugins import Members, create_member, find, names, read_settings

__all__ = [
    "IMAGE_BLANK", "IMAGE_REMOVED", "MEMBERS", "NO_IMAGE", "OPTIONS_ONLY", "ORIGINAL", "QUESTION_ONLY", "STRENGTHS",
    "AnswerCue", "Condition", "CornersHidden", "DistractorsReplaced", "Drawn", "Effects", "ElsewhereHidden",
    "EvidenceHidden", "FarCornerHidden", "FillAlone", "FindingEnlarged", "FindingMoved", "FindingRemoved",
    "FindingReplaced", "FramesShuffled", "ImageBlank", "ImageDegraded", "ImageExchanged", "ImageMirrored",
    "ImageMismatched", "ImageRemoved", "ImageSubstituted", "ImportedCondition", "NeighboursElsewhere",
    "NeighboursHidden", "NoImage", "OneFrame", "OnlyEvidence", "OptionsOnly", "OptionsShuffled", "Original",
    "OtherVideo", "OtherWindow", "PlaceCue", "Pool", "QuestionOnly", "ReportForImage", "SameLabel", "Together",
    "UnknownOffered", "Variant", "condition_named", "counterfactual", "cues", "degraded", "frames", "generator",
    "hidden", "image", "labels", "mismatch", "pool", "vary", "which",
]  # fmt: skip

MEMBERS: Members = {
    "original": "snellen.conditions.image:Original",
    "image-removed": "snellen.conditions.image:ImageRemoved",
    "no-image": "snellen.conditions.image:NoImage",
    "image-blank": "snellen.conditions.image:ImageBlank",
    "degraded": "snellen.conditions.degraded:ImageDegraded",
    "window": "snellen.conditions.window:OtherWindow",
    "mirrored": "snellen.conditions.mirrored:ImageMirrored",
    "image-substituted": "snellen.conditions.substitution:ImageSubstituted",
    "image-exchanged": "snellen.conditions.exchange:ImageExchanged",
    "same-label": "snellen.conditions.exchange:SameLabel",
    "finding-removed": "snellen.conditions.counterfactual:FindingRemoved",
    "finding-moved": "snellen.conditions.counterfactual:FindingMoved",
    "finding-enlarged": "snellen.conditions.counterfactual:FindingEnlarged",
    "finding-replaced": "snellen.conditions.counterfactual:FindingReplaced",
    "image-mismatched": "snellen.conditions.mismatch:ImageMismatched",
    "evidence-hidden": "snellen.conditions.hidden:EvidenceHidden",
    "elsewhere-hidden": "snellen.conditions.hidden:ElsewhereHidden",
    "neighbours-hidden": "snellen.conditions.hidden:NeighboursHidden",
    "neighbours-elsewhere": "snellen.conditions.hidden:NeighboursElsewhere",
    "far-corner-hidden": "snellen.conditions.hidden:FarCornerHidden",
    "corners-hidden": "snellen.conditions.hidden:CornersHidden",
    "only-evidence": "snellen.conditions.hidden:OnlyEvidence",
    "fill-alone": "snellen.conditions.hidden:FillAlone",
    "answer-cue": "snellen.conditions.cues:AnswerCue",
    "place-cue": "snellen.conditions.cues:PlaceCue",
    "frames-shuffled": "snellen.conditions.frames:FramesShuffled",
    "one-frame": "snellen.conditions.frames:OneFrame",
    "other-video": "snellen.conditions.frames:OtherVideo",
    "report-for-image": "snellen.conditions.report:ReportForImage",
    "options-shuffled": "snellen.conditions.options:OptionsShuffled",
    "distractors-replaced": "snellen.conditions.options:DistractorsReplaced",
    "unknown-offered": "snellen.conditions.options:UnknownOffered",
    "question-only": "snellen.conditions.text:QuestionOnly",
    "options-only": "snellen.conditions.text:OptionsOnly",
}


def condition_named(label: str) -> Condition | None:
    """Return the condition of a label, with its settings; None for an unknown name.

    Raises StudyError for unknown settings, and PluginError if a plug-in returns no condition.

    >>> condition_named("image-removed+distractors-replaced:count=2").label
    'image-removed+distractors-replaced:count=2'
    """
    parts = [_single(part) for part in label.split("+")]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    return known[0] if len(known) == 1 else Together(tuple(known))


def _single(label: str) -> Condition | None:
    name, _, rest = label.strip().partition(":")
    if name not in names("conditions", MEMBERS):
        return None
    failure = f"The condition {label!r} cannot be made"
    member = find("conditions", MEMBERS, name)
    bare, named = read_settings(member, rest, failure=failure)
    condition = create_member(member, *bare, failure=failure, **named)
    if not isinstance(condition, Condition):
        raise PluginError(f"{failure}: expected the plug-in to give a Condition, got {condition!r}.")
    return condition
