"""Models that transformers runs here: a tiny one made for the test, held against transformers itself."""

import math
import shutil
from collections import Counter
from dataclasses import replace

import orjson
import pytest

from snellen.errors import RejectedError, StudyError, UnusableModelError
from snellen.images import EncodedImage
from snellen.models import open_model
from snellen.models.base import check_sent
from snellen.models.hf.generation import TokenSampler
from snellen.prompts import Example, Request, Settings

GREEDY = Settings(temperature=0, max_tokens=8)
ODD = Settings(temperature=0.9, top_p=0.95, max_tokens=8)


@pytest.fixture(scope="module")
def model(seeing):
    return open_model(f"hf/{seeing},device=cpu")


@pytest.fixture(scope="module")
def reader(reading):
    return open_model(f"hf/{reading},device=cpu")


def question(picture, seed=0, **more):
    return Request("m", "A or B?" * (seed + 1), **{"images": (picture(seed),), "settings": GREEDY, **more})


def own_reply(model, request, pictures):
    """The tokens that transformers writes when it is called as its documentation calls it."""
    import torch

    loaded = model._loaded
    content = [*({"type": "image", "image": each} for each in pictures), {"type": "text", "text": request.text}]
    inputs = loaded.processor.apply_chat_template(
        [{"role": "user", "content": content}],
        add_generation_prompt=True,
        tokenize=True,
        return_dict=True,
        return_tensors="pt",
    )
    with torch.inference_mode():
        logits = loaded.network(**inputs).logits[0, -1]
        written = loaded.network.generate(**inputs, do_sample=False, max_new_tokens=8)
    tokens = written[0, inputs["input_ids"].shape[1] :]
    return loaded.tokenizer.decode(tokens, skip_special_tokens=True).strip(), torch.log_softmax(logits.float(), -1)


def test_as_transformers_itself(model, picture, answers):
    """Asked together or alone, words and images give the reply and the log-probabilities of transformers itself."""
    from snellen.models.hf.loaded import _picture

    requests = [question(picture, seed, settings=replace(GREEDY, logprobs=3)) for seed in range(3)]
    together = answers(model, *requests)
    for request, response in zip(requests, together, strict=True):
        check_sent(request, response)
        [alone] = answers(model, request)
        text, known = own_reply(model, request, [_picture(request.images[0])])
        assert alone.text == response.text == text
        assert (response.finish, response.usage.output_tokens, response.usage.image_tokens) == ("length", 8, 4)
        first = orjson.loads(response.logprobs)[0]
        assert len(orjson.loads(response.logprobs)) == 8
        assert [each["logprob"] for each in first["top_logprobs"]] == pytest.approx(
            known.topk(3).values.tolist(), abs=1e-3
        )
    assert len({response.text for response in together}) == 3
    blind = answers(model, replace(requests[0], images=()))[0]
    assert blind.text != together[0].text
    assert blind.usage.image_tokens == 0


def test_draws_do_not_depend_on_company(model, picture, answers):
    """A request draws alike whatever it is computed with; another item, repetition or seed draws otherwise."""
    asked = question(picture, settings=ODD, sample="item-1")
    others = [replace(asked, sample="item-2"), replace(asked, replicate=1)]
    seeded = [replace(asked, settings=replace(ODD, seed=seed)) for seed in (1, 2)]
    [alone] = answers(model, asked)
    together = answers(model, *others, asked)
    assert together[2].text == alone.text
    texts = [alone.text, together[0].text, together[1].text, *(each.text for each in answers(model, *seeded))]
    assert len(set(texts)) == 5


def test_draws_are_by_the_probabilities():
    """Over 4,000 seeds each token is drawn as often as its probability says, within four standard errors."""
    import torch

    shares = torch.tensor([0.5, 0.3, 0.15, 0.05])
    draws = TokenSampler([], range(4000), None, None)
    chosen = draws(torch.zeros(4000, 1, dtype=torch.long), shares.log().repeat(4000, 1)).argmax(-1).tolist()
    for token, share in enumerate(shares.tolist()):
        assert abs(Counter(chosen)[token] / 4000 - share) < 4 * math.sqrt(share * (1 - share) / 4000)


def test_endings(model, seeing, picture, answers):
    """A reply ends at a stop text, which is not part of it, or by the model's own sign, even before the first word."""
    [whole] = answers(model, question(picture))
    sign = whole.text[2:4]
    [stopped] = answers(model, question(picture, settings=replace(GREEDY, stop=(sign,))))
    assert (stopped.text, stopped.finish) == (whole.text[:2].strip(), "stop")
    ends = open_model(f"hf/{seeing},device=cpu", extra_body={"eos_token_id": list(range(262))})
    [empty] = answers(ends, question(picture))
    assert (empty.text, empty.finish, empty.usage.output_tokens) == ("", "stop", 1)
    assert ends.revision != model.revision


def test_words_alone(reader, picture, answers):
    """A model of words is text-only, takes a system message and examples, and refuses an image and an effort."""
    request = Request("m", "Why?", "Be brief.", settings=GREEDY, examples=(Example("One?", (), "A"),))
    assert reader.text_only
    shown, effort = question(picture), replace(request, settings=replace(GREEDY, reasoning_effort="high"))
    answered, refused, tried = answers(reader, request, shown, effort)
    text = "<system>Be brief.<end><user>One?<end><assistant>A<end><user>Why?<end><assistant>"
    assert answered.usage.input_tokens == len(reader._loaded.tokenizer(text)["input_ids"])
    assert "accepts no image" in str(refused)
    assert "no reasoning effort" in str(tried)


def test_one_bad_request_fails_alone(model, picture, answers):
    """An image that cannot be read and a text longer than the model's context are refused, their company is not."""
    broken = question(picture, images=(EncodedImage(b"no image", "image/png", 9, 9),))
    long = question(picture, 90)
    came = answers(model, question(picture), broken, long, question(picture, 2))
    assert [type(each) is RejectedError for each in came] == [False, True, True, False]
    assert "accepts 512 tokens" in str(came[2])


def test_what_cannot_be_opened(seeing, tmp_path, monkeypatch):
    """What is no model, no folder or no setting is said in a sentence; without the hub none is looked for there."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    for line, said in (
        (tmp_path / "none" / "here", "There is no folder"),
        (tmp_path, "could not be loaded"),
        ("no-one/no-such-model", "could not be loaded"),
    ):
        with pytest.raises(UnusableModelError, match=said):
            open_model(f"hf/{line}")
    with pytest.raises(StudyError, match="Did you mean 'device'"):
        open_model(f"hf/{seeing},devise=cpu")
    with pytest.raises(StudyError, match="set temperature in the study"):
        open_model(f"hf/{seeing}", extra_body={"temperature": 1})


def test_other_files_are_another_model(model, seeing, tmp_path):
    """A copy elsewhere is the same model; with another template it is another."""
    folder = shutil.copytree(seeing, tmp_path / "copy")
    assert open_model(f"hf/{folder},device=cpu").revision == model.revision
    template = folder / "chat_template.jinja"
    template.write_text(template.read_text() + "\n")
    assert open_model(f"hf/{folder},device=cpu").revision != model.revision
