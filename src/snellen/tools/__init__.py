"""Tools beside the way of an item: each is found by its command, and the spine imports none."""

__all__ = ["audit", "chart", "compare", "degrade", "guard", "planner", "review", "serve", "view"]
