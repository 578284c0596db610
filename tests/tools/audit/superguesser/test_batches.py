"""Which questions go through the network together."""

from hypothesis import given
from hypothesis import strategies as st

from snellen.tools.audit.superguesser.recipe import Hardware, Recipe
from snellen.tools.audit.superguesser.wording import Lesson, batch_at, micro_batches, pad_sequences


@given(st.integers(1, 60), st.integers(1, 20), st.integers(0, 5))
def test_every_epoch_has_every_question_once_in_an_order_of_its_own(count, batch, seed):
    """The steps of an epoch are a permutation; the same call gives the same batch."""
    recipe = Recipe(batch=batch, seed=seed)
    per_epoch = recipe.steps(count) // 3
    epochs = [
        [place for step in range(per_epoch) for place in batch_at(epoch * per_epoch + step, count, recipe)]
        for epoch in range(3)
    ]
    assert [sorted(each) for each in epochs] == [list(range(count))] * 3
    assert count < 10 or epochs[0] != epochs[1]
    assert batch_at(0, count, recipe) == batch_at(0, count, recipe)


@given(st.lists(st.integers(2, 300), min_size=1, max_size=50), st.integers(1, 8), st.integers(1, 2000))
def test_micro_batches_hold_every_sequence_once_within_the_limits(lengths, rows, tokens):
    """A sequence that is too long for the limit goes alone."""
    parts = micro_batches(lengths, Hardware(micro_batch=rows, micro_tokens=tokens))
    assert sorted(place for part in parts for place in part) == list(range(len(lengths)))
    for part in parts:
        longest = -(-max(lengths[place] for place in part) // 8) * 8
        assert len(part) <= rows
        assert len(part) == 1 or len(part) * longest <= tokens
    mixed = [10, 200] * 16  # sequences of like length go together, so that little is padding
    parts = micro_batches(mixed, Hardware(micro_batch=16))
    assert [{mixed[place] for place in part} for part in parts] == [{200}, {10}]


@given(st.lists(st.tuples(st.lists(st.integers(1, 99), min_size=2, max_size=30), st.integers(1, 29)), min_size=1))
def test_the_answers_tokens_are_predicted_from_the_place_before_them(given_rows):
    """Against a search through the padded rows."""
    rows = [Lesson(tuple(tokens), min(answer, len(tokens) - 1)) for tokens, answer in given_rows]
    batch = pad_sequences(rows)
    flat = batch.tokens.reshape(-1)
    assert flat[batch.at + 1].tolist() == batch.targets.tolist()
    assert batch.targets.tolist() == [token for row in rows for token in row.tokens[-row.answer :]]
    assert [tuple(batch.tokens[at, : len(row.tokens)]) for at, row in enumerate(rows)] == [row.tokens for row in rows]
