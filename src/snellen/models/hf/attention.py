"""packed: attention for one more token a row that reads each key and value once.

Where several heads of a query share a head of keys, transformers copies the keys for each of them as soon as there is
a mask. With one token a row, those heads can as well be that many tokens of one head.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def packed() -> Iterator[None]:
    """Within, transformers' scaled dot product attention is packed wherever a row has one token."""
    from transformers.modeling_utils import ALL_ATTENTION_FUNCTIONS as FUNCTIONS

    usual = FUNCTIONS["sdpa"]

    def attention(module: Any, query: Any, key: Any, value: Any, attention_mask: Any, **more: Any) -> Any:
        if _can_be_packed(query, key, attention_mask, more):
            return attend(query, key, value, attention_mask, more.get("scaling")), None
        return usual(module, query, key, value, attention_mask, **more)

    FUNCTIONS["sdpa"] = attention
    try:
        yield
    finally:
        FUNCTIONS["sdpa"] = usual


def _can_be_packed(query: Any, key: Any, mask: Any, more: dict[str, Any]) -> bool:
    shared = query.shape[2] == 1 and query.shape[1] % key.shape[1] == 0 and query.shape[1] > key.shape[1]
    one_mask = mask is not None and mask.ndim == 4 and mask.shape[1] == 1 and mask.shape[-1] == key.shape[2]
    return shared and one_mask and not more.get("dropout") and more.get("position_bias") is None


def attend(query: Any, key: Any, value: Any, mask: Any, scaling: float | None) -> Any:
    """What one token of each row makes of the keys and values before it: (rows, 1, heads, size)."""
    from torch.nn.functional import scaled_dot_product_attention

    rows, heads, _, size = query.shape
    together = query.reshape(rows, key.shape[1], heads // key.shape[1], size)
    made = scaled_dot_product_attention(together, key, value, attn_mask=mask, scale=scaling)
    return made.reshape(rows, 1, heads, value.shape[-1])
