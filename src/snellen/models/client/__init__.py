"""The client by which models are asked (budget, pacing, retries), and what those behind a server share."""
