"""Simulated benchmarks and models for B-Clean: which items are compromised is known, and so is what would be scored."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from snellen.stats.compromised import AnswerDraws

MOST = 6


@dataclass(frozen=True)
class World:
    """A benchmark and its models, in the words of results.md."""

    name: str
    items: int = 500
    models: int = 3
    draws: int = 1
    options: tuple[int, ...] = (4,)
    leaked: float = 0.4
    """Share of items of which the text gives the answer away, to each model with the chance `caught`."""
    caught: float = 0.8
    known: float = 1.0
    """How often a compromised item is answered right without its image."""
    stubborn: float = 0.0
    """How often a guess is the favourite again, beside what chance makes it."""
    same: float = 0.0
    """The same of a guess with the image in view."""
    sees: tuple[float, ...] = (0.35, 0.45, 0.55)
    """How often each model sees the answer, of items that are not compromised."""
    sees_compromised: float = 0.9
    easier_binary: float = 0.0
    """How much more often the answer is seen if there are two options."""
    partial: bool = False
    """Whether what is known without the image is a matter of degree."""
    shared: float = 0.0
    """How often models share their favourite of an item that is not compromised."""


@dataclass(frozen=True)
class Simulated:
    """What is seen of a world, and what is true of it."""

    removed: list[AnswerDraws]
    shown: list[AnswerDraws]
    chance: np.ndarray
    compromised: np.ndarray
    expected: np.ndarray
    """Models × items: how likely each answer with the image is right."""

    @property
    def truth(self) -> np.ndarray:
        """Each model's accuracy on items that are compromised for none."""
        return self.expected[:, ~self.compromised.any(axis=0)].mean(axis=1)


def simulate(world: World, rng: np.random.Generator) -> Simulated:
    """One benchmark, asked."""
    n, m = world.items, world.models
    k = rng.choice(world.options, size=n)
    leaked = rng.random(n) < world.leaked
    common = rng.integers(0, k)
    removed, shown, compromised, expected = [], [], [], []
    for model in range(m):
        z = leaked & (rng.random(n) < world.caught)
        own = rng.integers(0, k)
        favourite = np.where(rng.random(n) < world.shared, common, own)
        sees = np.clip(world.sees[model % len(world.sees)] + world.easier_binary * (k == 2), 0, 1)
        seen = rng.random(n) < np.where(z, world.sees_compromised, sees)
        knows = np.full(n, world.known)
        if world.partial:  # of some items a model knows most, of others hardly more than a guess
            knows = rng.beta(2.0, 1.0, size=n)
        blind = _asked(rng, world.draws, k, favourite, z, knows, world.stubborn)
        sighted = _asked(rng, world.draws, k, favourite, seen, np.ones(n), world.same)
        # with the image, what is known without it is known too
        also = z & ~seen
        fallback = _asked(rng, world.draws, k, favourite, also, knows, world.same)
        sighted[also] = fallback[also]
        removed.append(AnswerDraws(blind, np.zeros(n)))
        shown.append(AnswerDraws(sighted, np.zeros(n)))
        compromised.append(z)
        expected.append(sees + (1 - sees) / k)
    return Simulated(removed, shown, 1 / k, np.array(compromised), np.array(expected))


def _asked(rng, draws, k, favourite, known, how_often, stubborn):
    """How often each option is chosen, the key first."""
    n = len(k)
    counts = np.zeros((n, MOST))
    for _ in range(draws):
        guess = np.where(rng.random(n) < stubborn, favourite, rng.integers(0, k))
        wrong = rng.integers(1, k)
        answer = np.where(known, np.where(rng.random(n) < how_often, 0, wrong), guess)
        counts[np.arange(n), answer] += 1
    return counts


WORLDS = (
    World("luck alone: draws independent, nothing missed"),
    World("compromised items are missed one time in five", known=0.8),
    World("guesses are repeated with the image", stubborn=0.9, same=0.9),
    World("both", known=0.8, stubborn=0.7, same=0.7),
    World(
        "2 to 6 options, binary items easier to see", options=(2, 3, 4, 5, 6), easier_binary=0.3, stubborn=0.5, same=0.5
    ),
    World("nothing is compromised, nothing is seen", leaked=0.0, sees=(0.0,), stubborn=0.9, same=0.9),
    World("knowledge by degree (not as assumed)", partial=True, stubborn=0.5, same=0.5),
    World("models share favourites (not as assumed)", shared=0.5, stubborn=0.9, same=0.9),
)


def with_draws(world: World, draws: int) -> World:
    """The same world, asked so often."""
    return replace(world, draws=draws)
