"""The address of a server: what is posted to, what is shown, and what is not."""

import re

import pytest

from snellen.models.client.address import ServerAddress
from snellen.models.secrets import masking


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("http://host:8000/v1", "http://host:8000/v1"),
        ("https://openrouter.test/api/v1/", "https://openrouter.test/api/v1"),
        ("https://g.test/v1beta/openai", "https://g.test/v1beta/openai"),
        ("http://user:p@ss@host/v1?api-key=S#frag", "http://host/v1"),
        ("http://[::1]:8000/v1", "http://[::1]:8000/v1"),
        ("HTTPS://Host.test", "https://host.test"),
    ],
)
def test_only_what_is_harmless_is_shown(address, shown):
    """Scheme, host, port, and a path of words such as v1; no login, query or fragment."""
    assert ServerAddress.parse(address).shown == shown


def test_paths_are_told_apart_without_being_shown():
    """A path that may hold a token is shown as four digits of its hash, which differ between two servers of a host."""
    one, two = (ServerAddress.parse(f"http://host/v1/token-{name}/x").shown for name in "ab")
    assert one != two
    assert re.fullmatch(r"http://host/…[0-9a-f]{4}", one)
    assert ServerAddress.parse("http://other:pw@host/v1/token-a/x?key=1").shown == one


@pytest.mark.parametrize(
    "address",
    ["sk-pasted-key", "htp://h/v1?api-key=pasted-key", "http://u:1/pasted-key@h/v1", "http://u:pasted-key#x@h/v1",
     "http://h:pasted-key/v1", "http:///v1?pasted-key", "http://h/v1?user=pasted-key@h"],
)  # fmt: skip
def test_what_is_no_address_is_not_quoted(address):
    """The error says what is wrong and repeats nothing, since a password may stand anywhere."""
    with pytest.raises(ValueError, match=r"expected an address|write / \? # @") as caught:
        ServerAddress.parse(address)
    assert "pasted-key" not in str(caught.value)


def test_all_that_is_hidden_is_masked():
    """Login, password, query values, fragment and odd path segments, raw or decoded; short words and v1 are left."""
    secret = masking(ServerAddress.parse("http://me:p%40ssw@h/v1/tok-en/x?a=one%20two&b=y#frag").secrets)
    said = "p%40ssw p@ssw tok-en one%20two one two frag bWU6cEBzc3c= a=one%20two&b=y v1 x y me"
    assert secret.sub("-", said) == "- - - - - - - - v1 x y me"
