"""What a report shows beside its numbers: responses, images and what was marked in them."""

__all__ = ["album", "evidence", "reply_kinds", "sampling", "tags"]
