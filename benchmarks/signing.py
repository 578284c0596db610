"""Signing a request for AWS by hand and by botocore: processor time of each, one thread, medians of several.

python benchmarks/signing.py
"""

from __future__ import annotations

import secrets
import statistics
import subprocess
import sys
import time
from datetime import UTC, datetime

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials as TheirCredentials
from pybase64 import b64encode
from ratios import beside, few, told

from snellen.models import aws

PATH = "/model/us.anthropic.claude-opus-4-7/converse"
HOST = "bedrock-runtime.us-east-1.amazonaws.com"
HEADERS = {"Host": HOST, "Content-Type": "application/json"}
PLACE = ("us-east-1", "bedrock")
KEYS = aws.Credentials("AKIDEXAMPLE", "secret", "token")


def by_hand(parts):
    return aws.signed(KEYS, "POST", PATH, parts, headers=HEADERS, place=PLACE, at=datetime.now(UTC))


def by_botocore(parts):
    request = AWSRequest("POST", f"https://{HOST}{PATH}", data=b"".join(parts), headers=dict(HEADERS))
    SigV4Auth(TheirCredentials(*KEYS), "bedrock", "us-east-1").add_auth(request)
    return dict(request.headers)


def costs(functions, parts, repeats: int) -> list[list[float]]:
    """Microseconds of processor time of one call of each, round by round; the functions take turns."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(few(7)):
        for function, took in zip(functions, times, strict=True):
            started = time.process_time()
            for _ in range(repeats):
                function(parts)
            took.append((time.process_time() - started) / repeats * 1e6)
    return times


def importing(module: str) -> float:
    """Milliseconds of processor time that a module adds to our own client."""
    code = (
        "import snellen.models.server, time\n"
        f"started = time.process_time()\nimport {module}\nprint((time.process_time() - started) * 1000)"
    )
    runs = [subprocess.run([sys.executable, "-c", code], capture_output=True, check=True) for _ in range(5)]
    return statistics.median(float(run.stdout) for run in runs)


def main() -> None:
    sizes = {"text alone": 0, "an image of 150 kB": 150_000, "an image of 2 MB": 2_000_000}
    for named, size in sizes.items():
        parts = [b"x" * 600, b64encode(secrets.token_bytes(size)), b"y" * 300]
        repeats = 20 if size > 1_000_000 else 300
        rounds = costs((by_hand, by_botocore, aws._digest), parts, repeats)
        told(f"signing a request, {named}", "botocore", beside(rounds[1], rounds[0]), package="botocore")
        ours, theirs, hashed = map(statistics.median, rounds)
        print(f"{named}: by hand {ours:,.0f} µs, botocore {theirs:,.0f} µs, of each {hashed:,.0f} µs for the hash")
    print(f"import: by hand {importing('snellen.models.aws'):.0f} ms, botocore {importing('botocore.session'):.0f} ms")


if __name__ == "__main__":
    main()
