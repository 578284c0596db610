"""A question and its answers as tokens."""

from dataclasses import replace

import pytest

from snellen.errors import UnusableModelError
from snellen.items import Item, Option
from snellen.prompts import MIRAGE, prompt_named
from snellen.tools.audit.superguesser.wording import QuestionTokenizer, paths, prompt_for
from tiny_model import SHORT, asked


def test_the_words_are_those_that_models_are_asked(saved):
    """The prompt renders the question; the chat template stands around it."""
    item = asked(0)
    text = QuestionTokenizer(prompt_for("tiny", MIRAGE), saved.tokenizer).text(item)
    system, words = MIRAGE.naming("tiny").render(item)
    assert (
        text
        == f"<|im_start|> system {system} <|im_end|>\n<|im_start|> user {words} <|im_end|>\n<|im_start|> assistant "
    )
    assert "from the tiny dataset" in text


def test_the_key_is_not_in_what_is_asked(saved):
    """Another right answer changes what is learnt, and nothing of what is read before it."""
    wording = QuestionTokenizer(SHORT, saved.tokenizer)
    one, other = wording.ask([asked(0), replace(asked(0), answer=1)])
    assert one.tokens == other.tokens
    assert one.answers == other.answers
    assert one.lesson.tokens != other.lesson.tokens
    assert one.lesson.tokens[: len(one.tokens)] == one.tokens


def test_the_answer_ends_as_the_template_ends_a_reply(saved):
    """[[A]] and the end of the turn, and the loss counts these tokens alone."""
    (found,) = QuestionTokenizer(SHORT, saved.tokenizer).ask([asked(0)])
    words = {place: word for word, place in saved.words.items()}
    lesson = found.lesson
    assert [words[token] for token in lesson.tokens[-lesson.answer :]] == ["[[", "A", "]]", "<|im_end|>"]


def test_a_long_question_loses_its_beginning(saved):
    """Its options and the place for the answer stay, and it is marked."""
    item = replace(asked(0), context="lesion " * 100)
    whole, cut = (QuestionTokenizer(SHORT, saved.tokenizer, length).ask([item])[0] for length in (2048, 40))
    assert (whole.truncated, cut.truncated) == (False, True)
    assert len(cut.lesson.tokens) == 40
    assert cut.tokens == whole.tokens[-36:]


def test_an_answer_longer_than_everything_leaves_room_for_the_question():
    """Of a prompt that is answered in words."""
    item = Item("q", "Which?", (Option("a" * 90), Option("b")), 0)
    (found,) = QuestionTokenizer(prompt_for("vqa-rad", MIRAGE), Plain(), 64).ask([item])
    assert found.truncated
    assert (len(found.tokens), found.lesson.answer, len(found.lesson.tokens)) == (32, 32, 64)


class Plain:
    """A tokenizer of letters without a template, as base models have it."""

    bos_token, eos_token, chat_template = "^", "$", None

    def __call__(self, texts, **_):
        return {"input_ids": [[ord(letter) for letter in text] for text in texts]}

    def decode(self, tokens):
        return "".join(map(chr, tokens))


def test_without_a_template_the_texts_stand_alone():
    """With the tokenizer's own beginning and end."""
    wording = QuestionTokenizer(SHORT, Plain())
    (found,) = wording.ask([asked(0)])
    assert Plain().decode(found.lesson.tokens) == f"^{SHORT.system}\n\n{SHORT.render(asked(0)).text}\n\n[[A]]$"


class Strict(Plain):
    """A template that refuses a system's words, as some do."""

    chat_template = "yes"

    def apply_chat_template(self, messages, *, tokenize, add_generation_prompt=False):
        assert not tokenize
        if messages[0]["role"] == "system":
            raise ValueError("System role not supported")
        return "".join(f"<{m['role']}>{m['content']}</>" for m in messages) + "<assistant>" * add_generation_prompt


def test_a_template_without_a_system_gets_its_words_with_the_question():
    """Nothing of the prompt is lost."""
    wording = QuestionTokenizer(SHORT, Strict())
    assert wording.text(asked(0)) == f"<user>{SHORT.system}\n\n{SHORT.render(asked(0)).text}</><assistant>"
    assert wording.ending == "</>"


def test_options_that_abstain_are_no_answers(saved):
    """They stand in the question, and nobody is taught to choose them."""
    item = Item("q", "Which lesion ?", (Option("red"), Option("seen", abstains=True), Option("blue")), 2)
    (found,) = QuestionTokenizer(SHORT, saved.tokenizer).ask([item])
    assert found.places == (0, 2)
    assert found.lesson.tokens[-4:] == found.answers[1]


def test_a_prompt_that_lists_no_options_is_answered_in_words():
    """As VQA-RAD's own prompt asks for it."""
    wording = QuestionTokenizer(prompt_for("vqa-rad", MIRAGE), Plain())
    assert list(wording.answers(asked(0)).values()) == ["[[red]]", "[[blue]]"]
    assert list(QuestionTokenizer(prompt_named("letter"), Plain()).answers(asked(0)).values()) == ["A", "B"]


def test_a_tokenizer_that_loses_words_is_refused():
    """Else the network would be trained on nothing, silently."""

    class Forgetful(Plain):
        def decode(self, tokens):
            return "?"

    with pytest.raises(UnusableModelError, match=r"loses .* words"):
        QuestionTokenizer(SHORT, Forgetful()).ask([asked(0)])


def test_an_answer_is_followed_until_it_differs_from_all_others():
    """By hand: a shared beginning, and one that ends where another goes on."""
    assert paths([(1, 2, 3, 9), (1, 2, 4, 9), (5, 9)]) == [(1, 2, 3), (1, 2, 4), (5,)]
    assert paths([(1, 9), (1, 2, 9)]) == [(1, 9), (1, 2)]
