"""Make `src/snellen/models/prices.json` from the table that the package genai-prices bundles; nothing is fetched.

    python research/prices/make.py

Only what a question to a model costs is kept: dollars per million tokens read and written, the tiers of long prompts,
the rates of batches, and prices that begin on a later day. Where a price depends on the hour, the highest is kept.
"""

import json
import re
from datetime import UTC, date, datetime, timedelta
from importlib.metadata import version
from pathlib import Path

from genai_prices import types
from genai_prices.data import providers

FILE = Path(__file__).parents[2] / "src" / "snellen" / "models" / "prices.json"
LEFT_OUT = ("cursor", "elevenlabs", "github-copilot", "openai-decisions", "quicksilverpro", "typesafe", "voyageai")
"""Providers that answer no question about an image, or that no group of researchers is billed by."""


def pattern(clause) -> str:
    """One regular expression, to be searched for in a name in small letters."""
    match clause:
        case types.ClauseEquals(equals=text):
            return f"^{re.escape(text.lower())}$"
        case types.ClauseStartsWith(starts_with=text):
            return f"^{re.escape(text.lower())}"
        case types.ClauseEndsWith(ends_with=text):
            return f"{re.escape(text.lower())}$"
        case types.ClauseContains(contains=text):
            return re.escape(text.lower())
        case types.ClauseRegex(regex=text):
            return text
        case types.ClauseOr(or_=parts):
            return "|".join(f"(?:{pattern(part)})" for part in parts)
        case types.ClauseAnd(and_=parts):
            return "^" + "".join(f"(?=.*?(?:{pattern(part)}))" for part in parts)
    raise TypeError(f"A new kind of clause: {clause!r}")


def rates(price) -> dict | None:
    """What is read and written costs, in dollars per million tokens, and from how many tokens read another price."""
    read, written = price.input_mtok, price.output_mtok
    if read is None or written is None or getattr(price, "requests_kcount", None) is not None:
        return None  # billed otherwise than by tokens, or by more than them
    base = [float(getattr(each, "base", each)) for each in (read, written)]
    starts = sorted({tier.start for each in (read, written) for tier in getattr(each, "tiers", ())})
    tiers = [[start, *(above(each, start) for each in (read, written))] for start in starts]
    return {"price": base, **({"tiers": tiers} if tiers else {})}


def above(price, tokens: int) -> float:
    """The price of a token where so many are read."""
    reached = [tier.price for tier in getattr(price, "tiers", ()) if tier.start <= tokens]
    return float(reached[-1] if reached else getattr(price, "base", price))


def dated(model, today: date) -> list[dict]:
    """The rates of today, then those of later days with their day."""
    every = model.prices if isinstance(model.prices, list) else [types.ConditionalPrice(prices=model.prices)]
    days = sorted({today} | {start for each in every if (start := begins(each)) and start > today})
    found: list[dict] = []
    for day in days:
        active = [each for each in every if (begins(each) or today) <= day]
        hourly = [each for each in active if isinstance(each.constraint, types.TimeOfDateConstraint)]
        now = rates(active[-1].prices) if active else None
        if hourly:
            now = max(filter(None, (rates(each.prices) for each in active)), key=lambda each: each["price"])
        if now and (not found or {**now, "from": ""} != {**found[-1], "from": ""}):
            found.append({"from": day.isoformat(), **now} if day > today else now)
    return found


def begins(price) -> date | None:
    """The day from which a price holds; None where it always did."""
    return price.constraint.start_date if isinstance(price.constraint, types.StartDateConstraint) else None


def of_batches(model) -> dict | None:
    """The rates of batches, where the table has any."""
    tomorrow = datetime.now(UTC) + timedelta(days=1)
    if not any(each.when == {"processing": "batch"} for each in model.price_variants or ()):
        return None
    return rates(model.get_prices(tomorrow, {"processing": "batch"}))


def main() -> None:
    """Write the table."""
    today = datetime.now(UTC).date()
    table = {}
    for provider in providers:
        if provider.id in LEFT_OUT:
            continue
        models = [
            {
                "match": pattern(model.match),
                "rates": dated(model, today),  # none for one that is billed otherwise: a later pattern may match it too
                **({"batch": batch} if (batch := of_batches(model)) else {}),
            }
            for model in provider.models
        ]
        fallback = [each for each in provider.fallback_model_providers or () if each not in LEFT_OUT]
        table[provider.id] = {"api": provider.api_pattern, "others": fallback, "models": models}
    head = {"from": f"genai-prices {version('genai-prices')}", "made": today.isoformat()}
    lines = [f'"{name}": {json.dumps(each, separators=(",", ":"))}' for name, each in table.items()]
    text = json.dumps(head)[:-1] + ', "providers": {\n' + ",\n".join(lines) + "\n}}\n"
    FILE.write_text(text)
    priced = sum(bool(model["rates"]) for each in table.values() for model in each["models"])
    print(f"{priced:,} models of {len(table)} providers, {len(text):,} bytes")


if __name__ == "__main__":
    main()
