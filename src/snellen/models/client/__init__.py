"""The client by which models are asked (budget, pacing, retries), and what those behind a server share."""

__all__ = ["address", "budget", "client", "provider", "replies", "transport"]
