"""Tools beyond the core: each is found by its command."""

__all__ = ["audit", "chart", "compare", "degrade", "guard", "planner", "review", "serve", "view"]
