"""Client: asks a model with budget, pacing and retries; also contains what all servers have in common."""

__all__ = ["address", "budget", "client", "provider", "replies", "transport"]
