"""A tiny language model with random weights and a tokenizer of whole words, saved as transformers saves them."""

from types import SimpleNamespace

from snellen.items import Item, Option
from snellen.prompts import MIRAGE, Prompt
from torchvision_names import declare_what_torchvision_lacks

TEMPLATE = (
    "{% for m in messages %}<|im_start|> {{ m['role'] }} {{ m['content'] }} <|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|> assistant {% endif %}"
)
LETTERS = "A B C D E F G H"
SHORT = Prompt("short", "{question}\n{options}", system="Answer in letters .", parser="double-brackets")


def asked(number, *, answer=None, cue=True, **given):
    """A question whose word "early" says that A is right, and "late" that B is; or whose word says nothing."""
    answer = number % 2 if answer is None else answer
    word = ("early", "late")[answer] if cue else "seen"
    options = (Option("red"), Option("blue"))
    return Item(f"q{number}", f"Which {word} lesion ?", options, answer, **given)


def save_tiny_model(folder):
    """Save the model and its tokenizer into a folder."""
    declare_what_torchvision_lacks()
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast, StableLmConfig, StableLmForCausalLM

    special = ["[UNK]", "<|im_start|>", "<|im_end|>"]
    cut = pre_tokenizers.Sequence([pre_tokenizers.WhitespaceSplit(), pre_tokenizers.Punctuation("contiguous")])
    told = [
        part
        for number in range(2)
        for prompt in (SHORT, MIRAGE.naming("tiny"))
        for part in prompt.render(asked(number))
    ]
    text = " ".join([*told, "system user assistant Which seen lesion green [[ ]]", LETTERS])
    found = [word for word, _ in cut.pre_tokenize_str(text)]
    words = {word: place for place, word in enumerate(dict.fromkeys([*special, *found]))}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = cut
    fast = PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, unk_token="[UNK]", eos_token="<|im_end|>", additional_special_tokens=special[1:2]
    )
    fast.chat_template = TEMPLATE
    with torch.random.fork_rng():
        torch.manual_seed(1)
        config = StableLmConfig(
            hidden_size=32,
            num_hidden_layers=2,
            num_attention_heads=4,
            num_key_value_heads=2,
            intermediate_size=48,
            vocab_size=len(words),
            tie_word_embeddings=False,
            initializer_range=0.18,
        )
        model = StableLmForCausalLM(config)
        with torch.no_grad():
            model.get_output_embeddings().weight.mul_(4)
    model.save_pretrained(folder)
    fast.save_pretrained(folder)
    return SimpleNamespace(folder=folder, tokenizer=fast, words=words)
