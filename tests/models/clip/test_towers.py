"""Models are loaded whole or not at all, and what is missing is said."""

import copy
import json
import sys

import numpy as np
import pytest

from snellen.errors import ImageError, MissingExtraError, UnusableModelError
from snellen.images import encode
from snellen.models import clip, open_model
from snellen.models.clip import open_towers

SIZE = 32
LABELS = ("tumour", "normal")
TIMM_VISION = {
    "timm_model_name": "test_vit",
    "timm_model_pretrained": False,
    "timm_pool": "",
    "timm_proj": "linear",
    "image_size": 160,
}
PICTURE = encode(np.arange(48 * 40, dtype=np.uint8).reshape(48, 40))


@pytest.fixture
def config(folder):
    return json.loads((folder / "open_clip_config.json").read_text())


def test_a_folder_and_its_file_of_weights_are_one_model(folder):
    """Named by its folder or by the checkpoint within, it is the same model by another name."""
    whole, file = open_model(f"clip/{folder}"), open_model(f"clip/{folder}/open_clip_pytorch_model.bin")
    assert whole.revision == file.revision
    np.testing.assert_array_equal(whole.probabilities([PICTURE], LABELS), file.probabilities([PICTURE], LABELS))


def test_weights_architecture_and_preprocessing_are_in_the_revision(save, config, model):
    """Other weights, another activation or another mean make another revision; the same model saved again does not."""
    lighter, quicker = copy.deepcopy(config), copy.deepcopy(config)
    lighter["preprocess_cfg"]["mean"] = [0.6, 0.4, 0.3]
    quicker["model_cfg"]["quick_gelu"] = True
    saved = [save(config), save(config, seed=1), save(lighter), save(quicker)]
    revisions = [open_model(f"clip/{folder}").revision for folder in saved]
    assert revisions[0] == model.revision
    assert len(set(revisions)) == 4


def test_timms_image_towers_work(save, config):
    """An image tower of timm, as BiomedCLIP has one, is loaded and sees."""
    config["model_cfg"]["vision_cfg"] = TIMM_VISION
    config["model_cfg"]["custom_text"] = True
    probabilities = open_model(f"clip/{save(config)}").probabilities([PICTURE], LABELS)
    assert probabilities.sum() == pytest.approx(1)


def test_a_picture_is_prepared_as_the_model_wants_it(folder):
    """Each colour of the middle is its share of white, less the mean and over the standard deviation."""
    grey = np.zeros((SIZE, 3 * SIZE), np.uint8)
    grey[:, SIZE : 2 * SIZE] = 255
    prepared = open_towers(str(folder)).prepare(grey).numpy()
    assert prepared.shape == (3, SIZE, SIZE)
    np.testing.assert_allclose(prepared[:, 0, 0], (1 - np.array([0.5, 0.4, 0.3])) / [0.2, 0.25, 0.3], rtol=1e-5)


@pytest.mark.parametrize("size", [(1, SIZE + 1), (70_000, 1)])
def test_a_picture_like_a_thread_is_refused(folder, size):
    """A picture that would grow beyond all bounds is named, not resized."""
    with pytest.raises(ImageError, match=f"{size[1]} × {size[0]} pixels is too narrow"):
        open_towers(str(folder)).prepare(np.zeros(size, np.uint8))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("ViT-B-32", "architecture without weights.*openai"),
        ("ViT-B-32,pretrained=nowhere", "could not be loaded.*nowhere"),
        ("ViT-B-33", "Did you mean 'ViT-B-32'"),
        ("no/such/folder", "a folder or a file"),
        ("{folder},pretrained=openai", "has its own weights"),
        ("{empty}", "could not be loaded"),
        ("{unweighted}", "could not be loaded"),
    ],
)
def test_a_model_that_cannot_be_opened_says_why(folder, tmp_path, line, why):
    """No weights, unknown names and half a folder are errors: a model of random weights never answers unnoticed."""
    empty, unweighted = tmp_path / "empty", tmp_path / "unweighted"
    empty.mkdir(), unweighted.mkdir()
    (unweighted / "open_clip_config.json").write_bytes((folder / "open_clip_config.json").read_bytes())
    with pytest.raises(UnusableModelError, match=why):
        open_model("clip/" + line.format(folder=folder, empty=empty, unweighted=unweighted))


def test_weights_of_another_architecture_are_refused(save, config, folder, tmp_path):
    """A checkpoint that does not fit its configuration is not loaded in part."""
    config["model_cfg"]["vision_cfg"]["layers"] = 3
    other = save(config)
    (other / "open_clip_pytorch_model.bin").write_bytes((folder / "open_clip_pytorch_model.bin").read_bytes())
    with pytest.raises(UnusableModelError, match="could not be loaded"):
        open_towers(str(other))


def forget_open_clip(monkeypatch):
    """As before its first import."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("open_clip", "timm", "torchvision")]:
        monkeypatch.delitem(sys.modules, name)


@pytest.mark.parametrize("package", ["open_clip", "torch", "torchvision"])
def test_a_missing_package_names_the_extra(folder, monkeypatch, package):
    """Without open_clip or what it imports, the install line is shown."""
    forget_open_clip(monkeypatch)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"{package}.*snellen\[clip\]"):
        open_model(f"clip/{folder}")


def test_a_torchvision_that_does_not_load_says_what_to_do(monkeypatch):
    """One built for another torch is named with the way out."""

    def breaks(name, *_):
        if name.partition(".")[0] == "torchvision":
            raise RuntimeError("operator torchvision::nms does not exist")

    class Broken:
        find_spec = staticmethod(breaks)

    forget_open_clip(monkeypatch)
    monkeypatch.setattr(sys, "meta_path", [Broken, *sys.meta_path])
    with pytest.raises(UnusableModelError, match=r"torchvision::nms.*pip install .*torchvision --index-url"):
        clip._import_packages()


def test_a_model_of_biomedclips_form_works(save, config, tmp_path):
    """An image tower of timm beside a BERT with its own tokenizer, saved in one folder, is loaded and answers."""
    from transformers import BertConfig, BertTokenizerFast

    (tmp_path / "vocab.txt").write_text("\n".join(("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *LABELS, "image")))
    bert = BertConfig(vocab_size=8, hidden_size=16, num_hidden_layers=1, num_attention_heads=2, intermediate_size=16)
    bert.save_pretrained(tmp_path)
    config["model_cfg"]["vision_cfg"] = TIMM_VISION
    config["model_cfg"]["text_cfg"] = {
        "hf_model_name": str(tmp_path),
        "hf_tokenizer_name": str(tmp_path),
        "hf_proj_type": "mlp",
        "hf_pooler_type": "cls_last_hidden_state_pooler",
        "hf_model_pretrained": False,
        "context_length": 24,
    }
    config["model_cfg"]["custom_text"] = True
    folder = save(config)
    BertTokenizerFast(str(tmp_path / "vocab.txt")).save_pretrained(folder)
    probabilities = open_model(f"clip/{folder}").probabilities([PICTURE], LABELS)
    assert probabilities.sum() == pytest.approx(1)
    assert probabilities[0] != pytest.approx(probabilities[1], abs=1e-6)
