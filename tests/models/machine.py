"""A machine that AWS's tools know nothing of yet, and what their own library would sign there."""

import botocore.auth
import pytest
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials


def theirs(credentials, method, url, body, headers, place, at):
    """The headers as AWS's own library signs them at some time."""
    request = AWSRequest(method, url, data=body, headers=headers)
    region, service = place
    signer = botocore.auth.SigV4Auth(Credentials(*credentials[:2], credentials.token or None), service, region)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(botocore.auth, "get_current_datetime", lambda: at)
        signer.add_auth(request)
    return dict(request.headers)


@pytest.fixture
def home(tmp_path, monkeypatch):
    """A machine without credentials, and the folder for its files."""
    for name in ("ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "SESSION_TOKEN", "PROFILE", "REGION", "DEFAULT_REGION"):
        monkeypatch.delenv(f"AWS_{name}", raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))
    return tmp_path
