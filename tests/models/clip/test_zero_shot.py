"""A contrastive model answers: what it chooses, with which probabilities, and what it cannot be asked."""

import asyncio
import re
from dataclasses import replace
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.benchmarks.phantoms import load
from snellen.errors import RejectedError, StudyError
from snellen.images import EncodedImage, Encoder, Image, decode, encode
from snellen.items import LETTERS, Item, Option
from snellen.models import open_model
from snellen.models.base import check_sent
from snellen.models.clip import Towers, word_answer
from snellen.prompts import PROMPTS, PROVIDER_DEFAULTS, Request, Settings, ask
from snellen.prompts.offered import Offer
from snellen.reading import grade
from snellen.reading.outcomes import Outcome

LABELS = ("glioma", "meningioma", "pituitary", "normal")
ENCODE = Encoder()


def picture(seed=0, size=(40, 32)):
    return encode(np.random.default_rng(seed).integers(0, 256, (*size, 3), dtype=np.uint8))


def detection(labels=LABELS, *images, prompt="detection"):
    """A request of the paper's form."""
    item = Item(id="1", question="What is it?", options=tuple(map(Option, labels)), answer=0)
    return Request("clip/tiny", PROMPTS[prompt].render(item).text, images=images or (picture(),))


def shares(response):
    """The probabilities that a reply prints."""
    return [float(share) for share in re.findall(r"\d\.\d{4}", response.text.splitlines()[1])]


def test_it_answers_in_words_with_probabilities(model, answers):
    """The conclusion is the likeliest of the offered choices, each of which has a probability."""
    (response,) = answers(model, detection())
    line, probabilities = response.text.splitlines()
    assert probabilities.startswith("Probabilities, in the order of the choices: ")
    assert sum(shares(response)) == pytest.approx(1, abs=3e-4)
    assert line == f"Conclusion: {LABELS[int(np.argmax(shares(response)))]}"
    assert response.finish == "zero-shot"
    assert response.served_by.startswith("open_clip ")
    assert model.untaken(Settings(temperature=0.0)) == ("temperature",), "there is nothing to set"


def test_probabilities_are_those_of_open_clip(model, folder, open_clip, answers):
    """open_clip's own network, fed by hand with the same picture and the same sentences, comes to the same numbers."""
    import torch

    pixels = np.random.default_rng(3).integers(0, 256, (32, 32, 3), dtype=np.uint8)
    network = open_clip.create_model(f"local-dir:{folder}").eval()
    seen = ((pixels / 255 - np.array([0.5, 0.4, 0.3])) / np.array([0.2, 0.25, 0.3])).transpose(2, 0, 1)
    sentences = [f"the diagnosis of this medical image is: {label}" for label in LABELS]
    with torch.no_grad():
        image = torch.from_numpy(seen[None].astype(np.float32))
        logits, _ = network.get_logits(image, open_clip.get_tokenizer(f"local-dir:{folder}")(sentences))
        expected = logits.softmax(dim=-1)[0].numpy()
    # The likeness of two vectors is right to some roundings of 32 bits, which the scale makes larger.
    roundings = 16 * 2.0**-23 * model._towers.scale
    assert model.probabilities([encode(pixels)], LABELS) == pytest.approx(expected, abs=roundings)
    assert shares(answers(model, detection(LABELS, encode(pixels)))[0]) == pytest.approx(expected, abs=1e-4)
    assert np.ptp(expected) > 0.01


def test_permuting_labels_permutes_probabilities(model):
    """The order in which choices are offered changes nothing but the order of their probabilities."""
    known = dict(zip(LABELS, model.probabilities([picture()], LABELS), strict=True))
    for order in permutations(LABELS):
        assert model.probabilities([picture()], order) == pytest.approx([known[label] for label in order], rel=1e-12)


def test_another_picture_gives_other_probabilities(model):
    """It looks."""
    one, other = (model.probabilities([picture(seed)], LABELS) for seed in (1, 2))
    assert np.abs(one - other).max() > 1e-3


@pytest.mark.parametrize("labels", [LABELS, ("brain tumor", "normal"), ("COVID-19", "pneumonia", "normal")])
@pytest.mark.parametrize("prompt", ["detection", "detection-structured", "detection-cot"])
def test_replies_in_words_are_read(model, answers, labels, prompt):
    """The lenient parser finds the choice that has the highest probability, and never a flag or a refusal."""
    options = tuple(map(Option, labels))
    for seed in range(6):
        (response,) = answers(model, detection(labels, picture(seed), prompt=prompt))
        likeliest = int(np.argmax(shares(response)))
        item = Item(id="1", question="What is it?", options=options, answer=likeliest)
        assert grade(response.text, response.finish, item).outcome is Outcome.CORRECT


@pytest.mark.parametrize("prompt", [name for name, prompt in PROMPTS.items() if "{options}" in prompt.user])
def test_replies_by_letter_are_read_by_the_prompts_own_parser(model, answers, prompt):
    """Under every prompt that lists options, both its own parser and the lenient one find the likeliest option."""
    for item in load(items=8, seed=5).items:
        request = ask(item, prompt=PROMPTS[prompt], settings=PROVIDER_DEFAULTS, encode=ENCODE)
        (response,) = answers(model, request)
        check_sent(request, response)
        likeliest = int(np.argmax(shares(response)))
        for parser in {"lenient", PROMPTS[prompt].parser or "lenient"}:
            assert grade(response.text, response.finish, item, parser).choice == likeliest


@given(st.lists(st.floats(0.001, 1.0), min_size=2, max_size=26), st.sampled_from(["", "[[X]]", "<answer></answer>"]))
def test_no_probability_is_read_as_an_answer(weights, wanted):
    """Whatever the probabilities and numbers among the options, the letter on the first line is what is read."""
    options = tuple(Option(f"{place / 10:.4f}") for place in range(len(weights)))
    probabilities = np.array(weights) / sum(weights)
    reply = word_answer(Offer(tuple(o.text for o in options), lettered=True), probabilities, wanted=wanted)
    item = Item(id="1", question="How much?", options=options, answer=0)
    assert grade(reply, "zero-shot", item).choice == int(np.argmax(probabilities))


def test_two_runs_are_alike(folder, answers):
    """A model opened again has the same revision and gives the same replies, whatever else is asked meanwhile."""
    requests = [detection(LABELS, picture(seed)) for seed in range(6)]
    one, other = open_model(f"clip/{folder}"), open_model(f"clip/{folder}")
    assert (one.name, one.revision) == (other.name, other.revision)
    together = [response.text for response in answers(one, *requests)]
    assert together == [answers(other, request)[0].text for request in reversed(requests)][::-1]


def test_pictures_that_wait_together_are_encoded_together(folder, answers, monkeypatch):
    """With a batch, fewer passes are made, and the probabilities are the same but for the last digits."""
    passes = []
    see = Towers.see

    def counted(towers, pictures):
        passes.append(len(pictures))
        return see(towers, pictures)

    model = open_model(f"clip/{folder},batch=4")
    monkeypatch.setattr(Towers, "see", counted)
    requests = [detection(LABELS, picture(seed)) for seed in (0, 1, 2, 3, 0, 4, 5, 6, 7, 1)]
    replies = answers(model, *requests)
    assert sum(passes) == 8
    assert max(passes) <= 4
    assert len(passes) < 8
    single = open_model(f"clip/{folder}")
    for request, reply in zip(requests, replies, strict=True):
        assert shares(reply) == pytest.approx(single.probabilities(request.images, LABELS), abs=1e-4)


def test_each_picture_and_each_text_is_encoded_once(folder, answers, monkeypatch):
    """Asked again by another prompt, it looks at nothing and reads nothing anew."""
    model = open_model(f"clip/{folder}")
    answers(model, detection())
    monkeypatch.setattr(Towers, "see", None)
    monkeypatch.setattr(Towers, "read", None)
    again = answers(model, detection(prompt="detection-cot"), detection(LABELS[::-1]))
    assert shares(again[0]) == shares(again[1])[::-1]


def test_several_images_count_as_one(model):
    """Their features are averaged and brought back to length one; a picture twice is that picture."""
    one, other = picture(1), picture(2)
    towers = model._towers
    seen = towers.see([towers.prepare(decode(image.data, name="")) for image in (one, other)]).sum(axis=0)
    texts = towers.read([f"the diagnosis of this medical image is: {label}" for label in LABELS])
    odds = np.exp(towers.scale * texts @ seen / np.linalg.norm(seen))
    both = model.probabilities([one, other], LABELS)
    assert both == pytest.approx(odds / odds.sum(), abs=1e-5)
    assert both == pytest.approx(model.probabilities([other, one], LABELS))
    assert model.probabilities([one, one], LABELS) == pytest.approx(model.probabilities([one], LABELS))
    assert both != pytest.approx(model.probabilities([one], LABELS), abs=1e-6)


def test_every_image_is_on_the_receipt(model, answers):
    """Several images are acknowledged in their order."""
    request = detection(LABELS, picture(1), picture(2))
    check_sent(request, answers(model, request)[0])


def test_grey_and_deep_pictures_are_seen(model, tmp_path):
    """A file of 16 bits is seen as the same file of 8 bits, since it is sent as such."""
    import PIL.Image

    grey = np.random.default_rng(0).integers(0, 256, (50, 40), dtype=np.uint8)
    PIL.Image.fromarray(grey.astype(np.uint16) * 257).save(tmp_path / "deep.png")
    deep = Image(tmp_path / "deep.png").encoded()
    assert model.probabilities([deep], LABELS) == pytest.approx(model.probabilities([encode(grey)], LABELS))


@pytest.mark.parametrize(
    ("request_", "why"),
    [
        (replace(detection(), images=()), "compares an image with words"),
        (Request("clip/tiny", "What is it?", images=(picture(),)), "none can be read from"),
        (detection(LABELS, EncodedImage(b"not an image", "image/png", 2, 2)), "cannot be shown this image"),
    ],
    ids=["no image", "no choices", "no picture"],
)
def test_what_it_cannot_be_asked_is_rejected(model, answers, request_, why):
    """Without an image, choices or a readable picture there is no reply, and it is said why."""
    with pytest.raises(RejectedError, match=why):
        answers(model, request_)


def test_a_broken_picture_does_not_harm_its_company(folder):
    """In a batch, the request with the broken picture fails and the others are answered."""
    model = open_model(f"clip/{folder},batch=8")
    broken = EncodedImage(b"not an image", "image/png", 2, 2)
    requests = [detection(LABELS, image) for image in (picture(1), broken, picture(2))]

    async def converse():
        return await asyncio.gather(*map(model.answer, requests), return_exceptions=True)

    kinds = [type(reply).__name__ for reply in asyncio.run(converse())]
    assert kinds == ["Response", "RejectedError", "Response"]


def test_the_template_decides_and_is_in_the_revision(folder, model):
    """Other words around the choices give other probabilities, another revision and another name."""
    other = open_model(f"clip/{folder},template=the diagnosis of this X-rays image is: {{label}}")
    assert other.revision != model.revision
    assert other.name == f"{model.name},template=the diagnosis of this X-rays image is: {{label}}"
    assert np.abs(other.probabilities([picture()], LABELS) - model.probabilities([picture()], LABELS)).max() > 1e-4


@pytest.mark.parametrize("template", ["no place", "{label} or {label}", "{modality}"])
def test_a_template_needs_one_place_for_the_choice(folder, template):
    """A template that would say the same of every choice is refused before anything is loaded."""
    with pytest.raises(StudyError, match=r"expected one \{label\}"):
        open_model(f"clip/{folder}", template=template)


@pytest.mark.parametrize("line", [",batch=0", ",batch=x", ",colour=red", ",two,names", ",batch=1.5"])
def test_settings_that_make_no_sense_are_named(folder, line):
    """An unknown setting, an impossible batch or two names are said, not ignored."""
    with pytest.raises(StudyError, match="clip/"):
        open_model(f"clip/{folder}{line}")


def test_letters_reach_as_far_as_options_do(model, answers):
    """Twenty-six options have twenty-six letters."""
    item = Item(id="1", question="?", options=tuple(Option(f"finding {letter}") for letter in LETTERS), answer=0)
    request = Request("clip/tiny", PROMPTS["letter"].render(item).text, images=(picture(),))
    assert len(shares(answers(model, request)[0])) == 26
