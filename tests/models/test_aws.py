"""AWS's credentials and signatures, held against AWS's own library."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.machine import home, theirs
from snellen.models import aws

__all__ = ["home"]
WORDS = st.text(st.characters(codec="ascii", categories=("L", "N")), min_size=1, max_size=20)
SEGMENT = WORDS | st.sampled_from(["anthropic.claude-opus-4-7", "a%3A0", "arn%3Aaws%2Fx~y_z"])
CREDENTIALS = st.builds(aws.Credentials, WORDS, WORDS, st.just("") | WORDS)
KEYS = "[default]\naws_access_key_id = AKID\naws_secret_access_key = hush\nregion = eu-central-1\n"


@given(
    CREDENTIALS,
    st.sampled_from(["POST", "GET"]),
    st.lists(SEGMENT, max_size=4),
    st.dictionaries(WORDS, WORDS, max_size=3),
    st.lists(st.binary(max_size=200), max_size=4),
    st.tuples(st.sampled_from(["us-east-1", "eu-west-3"]), st.just("bedrock")),
    st.datetimes(datetime(2020, 1, 1), datetime(2099, 1, 1)),
)
def test_signature(credentials, method, segments, query, parts, place, at):
    """Any request is signed as AWS's own library signs it."""
    target = "/" + "/".join(segments) + ("?" + "&".join(f"{k}={v}" for k, v in query.items()) if query else "")
    headers = {"Host": "host:8000", "Content-Type": "application/json", "X-Team": "two  words"}
    at = at.replace(tzinfo=UTC)
    ours = aws.signed(credentials, method, target, parts, headers=headers, place=place, at=at)
    expected = theirs(credentials, method, f"http://host:8000{target}", b"".join(parts), headers, place, at)
    assert headers | ours == expected


def test_where_credentials_are_found(home, monkeypatch):
    """Nowhere, then in the default profile, in the chosen one, in the variables: each before the one before."""
    assert (aws.credentials(), aws.region()) == (None, "")
    (home / "credentials").write_text(
        KEYS + "[lab]\naws_access_key_id=L\naws_secret_access_key=s\naws_session_token=t\n"
    )
    (home / "config").write_text("[profile lab]\nregion = us-west-2\ns3 =\n  max_concurrent_requests = 2\n")
    assert (aws.credentials().current(), aws.region()) == (aws.Credentials("AKID", "hush"), "eu-central-1")
    monkeypatch.setenv("AWS_PROFILE", "lab")
    assert (aws.credentials().current(), aws.region()) == (aws.Credentials("L", "s", "t"), "us-west-2")
    for name, value in {"ACCESS_KEY_ID": "E", "SECRET_ACCESS_KEY": "x", "DEFAULT_REGION": "ca-central-1"}.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    assert (aws.credentials().current(), aws.region()) == (aws.Credentials("E", "x"), "ca-central-1")


def test_credentials_that_take_more_than_a_file(home):
    """Those of a program, say, come from AWS's own library, and are asked for again as they run out."""
    said = '{"Version": 1, "AccessKeyId": "P", "SecretAccessKey": "q", "SessionToken": "r"}'
    (home / "said.json").write_text(said)
    (home / "config").write_text(f"[default]\ncredential_process = cat {home / 'said.json'}\n")
    found = aws.credentials()
    assert (found.current(), found.last) == (aws.Credentials("P", "q", "r"), False)
    assert "custom-process" in found.named


def test_a_broken_file(home):
    """A file that cannot be read is named, without quoting what may be a secret in it."""
    (home / "credentials").write_text("hush-hush\n")
    with pytest.raises(ValueError, match="credentials cannot be read") as caught:
        aws.region()
    assert "hush" not in str(caught.value)
