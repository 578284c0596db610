"""Names are taken out of what raters read, and words of medicine that look like names stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from snellen.tools.review.blinding import BENCHMARK, CONDITION, FAMILIES, FILE, ITEM, MODEL, PUBLISHED, Blinder

STUDY = Blinder(
    ("openai/gpt-5", "anthropic/claude-sonnet-4-5", "organism/blind", "acme/Zeta-Scan-9"),
    ("vqa-rad", "chest", "mine/open", "phantoms:leak=0.5"),
    ("original", "image-removed", "original+cot"),
)


@pytest.mark.parametrize(
    "text",
    [
        "GPT 45 U/L, GPT 5 U/L, SGPT 4 and ALT (GPT): 55",
        "Claude's syndrome, and the Claude Bernard-Horner syndrome",
        "The phi angle, the Phi phenomenon, a falcon and an orca",
        "A blind spot; I am blind to it. A grounded guess.",
        "Command: give 5 mg. A meta-analysis of Apple core lesions at 3T.",
        "The chest is clear, the original image is sharp, C3-C4 and T2; an open collection.",
        "Geminis, llamas and the mistral blow over gemini.",
        "ALT, also known as GPT, is **raised**; A B C, T 1 W \u2013 5\u202fmm, φ\u20113 and naïve é.",
    ],
)
def test_words_of_medicine_and_of_daily_life_stay(text):
    """A word that is a name only elsewhere is not touched."""
    assert STUDY.blind(text) == text


@pytest.mark.parametrize(
    ("text", "blinded"),
    [
        ("I am GPT 5 by OpenAI; gpt5 and GPT-5-mini.", f"I am {MODEL} by {MODEL}; {MODEL} and {MODEL}."),
        ("As Gemini, I … Gemini 2.5 Pro says", f"As {MODEL}, I … {MODEL} says"),
        ("Claude thinks so, as Claude 3.5 Sonnet did", f"{MODEL} thinks so, as {MODEL} did"),
        ("Llama-3.2-90B-Vision-Instruct, Qwen2.5-VL-72B.", f"{MODEL}, {MODEL}."),
        ("Developed by Google, Mistral is a language model", f"Developed by {MODEL}, Mistral is a language model"),
        ("Grok, an AI; Phi-3-mini; Falcon-7B", f"{MODEL}, an AI; {MODEL}; {MODEL}"),
        ("organism/blind, zeta scan 9", f"{MODEL}, {MODEL}"),
        ("In VQA-RAD, vqa rad and the chest dataset", f"In {BENCHMARK}, {BENCHMARK} and the {BENCHMARK} dataset"),
        ("under image-removed and original+cot", f"under {CONDITION} and {CONDITION}"),
        ("see /data/x/a_1.png, b.DCM.", f"see {FILE}, {FILE}."),
        ("vqa-rad/1482 is it", f"{ITEM} is it"),
        ("GPT\u20115, GPT\u20134o, GPT_4o and Gpt-4", f"{MODEL}, {MODEL}, {MODEL} and {MODEL}"),
        ("I am **GPT**-5, or **GPT-5**, _GPT-5_", f"I am **{MODEL}, or **{MODEL}**, _{MODEL}_"),
        ("G P T - 5, G.P.T.-4, C l a u d e", f"{MODEL}, {MODEL}, {MODEL}"),
        ("G\u200bPT-5, Chat\u00adGPT, ＧＰＴ－５, G\u0420T-5", f"{MODEL}, {MODEL}, {MODEL}, {MODEL}"),
        ("\u041eреn\u0410I, Open AI, openai/gpt\u20115", f"{MODEL}, {MODEL}, {MODEL}"),
        ("claude, gemini-1.5-flash; I am GPT, made by", f"{MODEL}, {MODEL}; I am {MODEL}, made by"),
        ("我是GPT-4o。我是通义千问。GPT-5는", f"我是{MODEL}。我是{MODEL}。{MODEL}는"),
        ("GPT-5.1, GPT-5-codex, VQA\u2011RAD", f"{MODEL}, {MODEL}, {BENCHMARK}"),
    ],
)  # fmt: skip
def test_names_are_taken_out(text, blinded):
    """Models, makers, benchmarks, conditions, items and files, in the spellings that responses use."""
    assert STUDY.blind(text, "vqa-rad/1482") == blinded


@given(
    st.sampled_from(["openai/gpt-5", "gpt-5", "Zeta-Scan-9", "claude-sonnet-4-5", *FAMILIES, *PUBLISHED]),
    st.sampled_from([str, str.upper, str.lower, str.title]),
    st.sampled_from(["({}) it is", "So says {}, and", "“{}”", "**{}**: yes", "{}", "x\n{}\ny", "{}'s view"]),
)
def test_no_sure_name_is_left_in_any_place_of_a_sentence(name, spelling, sentence):
    """A model or a maker that is sure to be one is found in any capitals, a published benchmark in its own."""
    written = name if name in PUBLISHED else spelling(name)
    assert written not in STUDY.blind(sentence.format(written))


def test_a_model_called_by_a_word_of_the_questions_is_told_by_its_full_name_alone():
    """Where questions speak of a nodule, a model of that name takes no nodule out of any response."""
    study = {"models": [["acme/nodule", ""], ["acme/zetamed", ""]], "benchmarks": {"b": ""}, "arms": {}}
    blinder = Blinder.from_study(study, texts=["Is there a nodule?"])
    text = "A nodule, says Zetamed; acme/nodule."
    assert blinder.blind(text) == f"A nodule, says {MODEL}; {MODEL}."
    assert Blinder.from_study(study).blind(text) == f"A {MODEL}, says {MODEL}; {MODEL}."


def test_names_too_short_to_be_told_from_words_stay():
    """A model called 512, CT or nova, a benchmark b and an item 2019 take nothing out of a sentence."""
    short, text = (
        Blinder(("acme/512", "acme/ct", "acme/nova"), ("b",)),
        "CT of 2019: 512 px, a nova stent, the b collection",
    )
    assert short.blind(f"{text}; acme/512", "2019") == f"{text}; {MODEL}"
    assert short.blind("20190", "20190") == ITEM


PIECES = (
    *("GPT", "-5", "Claude", " ", "I am ", "OpenAI", "/", "a.png", "vqa-rad/1482", "[", "]", "model", "image-removed"),
    *("\n", ".", "’s", " 3.5", "chest", " dataset", "Gemini", "é", "🫀", "-mini", "as ", "VQA", "_"),
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_blinding_twice_changes_nothing_more(text):
    """What was blinded holds no name any more, however names were run together."""
    once = STUDY.blind(text, "vqa-rad/1482")
    assert STUDY.blind(once, "vqa-rad/1482") == once
