"""Evidence behind the numbers of a report: responses, images and the patterns found in them."""

__all__ = ["album", "evidence", "reply_kinds", "sampling", "tags"]
