"""One case: a typical question with what the models say to it, as it was asked and when the image goes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from operator import ne

from snellen.conditions.labels import arm_effects, read_label
from snellen.conditions.mismatch import is_contradictory
from snellen.items import LETTERS, Item
from snellen.report.components import Case, Pane, Picture, Quote
from snellen.report.evidence.acts import SHOWN, list_acts
from snellen.report.evidence.evidence import ArmAddress, Evidence, Saying, row_anchor
from snellen.report.sections.headline import short_names
from snellen.report.sections.side_by_side import ArmPane, SideBySide
from snellen.report.words.arms import arm_label, arm_words
from snellen.stress.base import Status

MODELS = 3
"""So many models are quoted at once; the others are folded."""
TITLES = {"own": "With the image", "none": "No image", "blank": "Blank image", "other": "Another patient’s image"}


def draw_case(evidence: Evidence, shown: SideBySide) -> Case:
    """The typical item of a benchmark under the conditions that tell most."""
    first = shown.panes[0].first
    quoted = _choose_models(evidence, shown)
    options = join_options(first.item)
    if first.item.references:
        options = f"Reference: {'; or: '.join(first.item.references)}"
    panes = tuple(_draw_pane(evidence, shown, pane, first, quoted) for pane in shown.panes)
    return Case(first.item.context, first.item.question, options, panes)


def _choose_models(evidence: Evidence, shown: SideBySide) -> list[str]:
    """The models that differ most from one another in what they do with this item; those with a mark come first."""
    there = dict.fromkeys(model for pane in shown.panes for model in pane.sayings)
    marks = (each for each in evidence.results.marks if each.benchmark == shown.benchmark)
    marked = {each.model for each in marks if each.verdict.status in (Status.PASS, Status.FAIL)}
    some = [model for model in there if model in marked]
    done = {
        model: tuple(_name_act(evidence, shown, pane, model) for pane in shown.panes)
        for model in (some if len(some) >= MODELS else there)
    }
    chosen: list[str] = []

    def distance(model: str) -> int:
        return min((sum(map(ne, done[model], done[each])) for each in chosen), default=0)

    while len(chosen) < min(MODELS, len(done)):
        chosen.append(max((each for each in done if each not in chosen), key=distance))
    return [model for model in done if model in chosen]


def _name_act(evidence: Evidence, shown: SideBySide, pane: ArmPane, model: str) -> str:
    saying = pane.sayings.get(model)
    return "" if saying is None else _find_act(evidence, ArmAddress(model, shown.benchmark, pane.arm), saying)[0]


def _find_act(evidence: Evidence, address: ArmAddress, saying: Saying) -> tuple[str, str, int]:
    """The look and the words of what a response does, and where it stands in the grades."""
    grades = evidence.grades(address)
    place = grades.runs().index((saying.reply.ordinal, saying.reply.replicate))
    bits = int(list_acts(evidence.table(address), address.arm)[place])
    act = next(each for each in SHOWN if bits & each)
    return act.look, act.words, place


def _draw_pane(evidence: Evidence, shown: SideBySide, pane: ArmPane, first: Saying, quoted: Sequence[str]) -> Pane:
    names = short_names(evidence.results)
    quotes = {
        model: _quote(evidence, ArmAddress(model, shown.benchmark, pane.arm), saying, names[model])
        for model, saying in pane.sayings.items()
    }
    title = title_pane(pane.arm, pane.first)
    told = "" if title else arm_words(evidence.results).get(pane.arm, "")
    return Pane(
        title or arm_label(pane.arm),
        tuple(list_pictures(evidence, pane.first, pane.arm)),
        describe_missing(evidence, pane.first, pane.arm),
        tuple(filter(None, (told, *_list_changes(pane.first, first)))),
        tuple(each for model, each in quotes.items() if model in quoted),
        tuple(each for model, each in quotes.items() if model not in quoted),
    )


def title_pane(arm: str, saying: Saying) -> str:
    """What a condition that changes the image alone is called; nothing for any other."""
    label = read_label(arm)
    usual = label.effects.text == label.effects.options == "own" and label.effects.truth != "contradicted"
    plain = usual and not label.ways and not is_contradictory(saying.item)
    return TITLES.get(label.effects.image, "") if plain else ""


def _list_changes(saying: Saying, first: Saying) -> Iterator[str]:
    """What of the question's words the condition changed."""
    if saying.item.question != first.item.question:
        yield saying.item.question
    if saying.item.options != first.item.options:
        yield join_options(saying.item)
    if saying.item.references != first.item.references:
        yield f"Reference: {'; or: '.join(saying.item.references)}"
    elif saying.item.answer != first.item.answer and isinstance(saying.item.answer, int):
        yield f"This image shows: {saying.item.options[saying.item.answer].text}"


def join_options(item: Item) -> str:
    """The options on one line, each with its letter; of options without words the letters alone."""
    pairs = zip(LETTERS, (option.text for option in item.options), strict=False)
    return " · ".join(letter if text == letter else f"{letter} {text}" for letter, text in pairs)


def describe_missing(evidence: Evidence, saying: Saying, arm: str) -> str:
    """What stands where there is no image to show."""
    if saying.asked.images:
        return evidence.album.picture(saying.asked.images[0]).problem
    unknown = evidence.imported and arm_effects(arm).sends_image
    return "The image is not in the imported file." if unknown else "no image was sent"


def list_pictures(evidence: Evidence, saying: Saying, arm: str) -> Iterator[Picture]:
    """The images of a response that the page can show, small."""
    sent = saying.asked.images
    image = arm_effects(arm).image
    title = "as the benchmark has it" if image == "own" else TITLES.get(image, arm_label(arm)).lower()
    for at, sha256 in enumerate(evidence.album.some(sent)[:2]):
        picture = evidence.album.picture(sha256)
        which = f", {at + 1} of {len(sent)}" if len(sent) > 1 else ""
        if picture.link:
            yield Picture(picture.short, picture.width, picture.height, f"Image of this case: {title}{which}")


def _quote(evidence: Evidence, address: ArmAddress, saying: Saying, name: str) -> Quote:
    look, words, place = _find_act(evidence, address, saying)
    words = saying.about_fit or words
    chosen = f", chose {saying.letter}" if saying.letter else ""
    return Quote(name, look, f"{words}{chosen}", saying.reply.text, row_anchor(evidence, address, place), address.model)
