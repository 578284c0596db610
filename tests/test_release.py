"""A release holds what it should, and says the same version everywhere."""

import os
import re
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path
from runpy import run_path

import pytest
import yaml

ROOT = Path(__file__).parents[1]
BUILD = run_path(str(ROOT / "release" / "build.py"))
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]

needs_git = pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a release is made in a checkout")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """The wheel of this checkout."""
    out = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(out)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [built] = out.glob("*.whl")
    return built


@needs_git
def test_the_wheel_holds_the_package_alone(wheel):
    """Every tracked file of the package is in it with its licences, and nothing else; its metadata are right."""
    assert list(BUILD["wrong_in_wheel"](wheel)) == []


@needs_git
def test_what_is_wrong_with_a_wheel_is_told(wheel, tmp_path):
    """A data file that is missing, a test that got in, a folder of this machine, another version in its metadata."""
    spoilt = tmp_path / "spoilt.whl"
    with zipfile.ZipFile(wheel) as good, zipfile.ZipFile(spoilt, "w") as bad:
        for name in good.namelist():
            data = good.read(name)
            if name.endswith("METADATA"):
                data = data.replace(f"\nVersion: {VERSION}".encode(), b"\nVersion: 9")
            if name != "snellen/py.typed":
                bad.writestr(name, data)
        bad.writestr("tests/test_it.py", f"{ROOT}/src")
    assert list(BUILD["wrong_in_wheel"](spoilt))[:2] == [
        "snellen/py.typed is missing in spoilt.whl",
        "tests/test_it.py in spoilt.whl is not tracked by git",
    ]
    told = "\n".join(BUILD["wrong_in_wheel"](spoilt))
    assert "tests/test_it.py in spoilt.whl names a folder of this machine" in told
    assert f"METADATA says Version ['9'], expected ['{VERSION}']" in told


def test_the_wheel_works_where_it_is_installed(wheel, tmp_path):
    """Installed alone, it is what is imported; it says its version and reads its own data."""
    place = tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-compile"]
    subprocess.run([*pip, "--no-deps", "--no-index", "--target", str(place), str(wheel)], check=True)
    env = {**os.environ, "PYTHONPATH": str(place), "PYTHONDONTWRITEBYTECODE": "1"}
    code = (
        "import snellen, sys; from snellen.cli import cli; from snellen.models.prices import TABLE; "
        "print(snellen.__file__, TABLE.is_file()); cli(['--version'])"
    )
    said = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=env, capture_output=True, text=True)
    first, last = said.stdout.splitlines()
    assert first == f"{place / 'snellen' / '__init__.py'} True"
    assert last.endswith(f" {VERSION}")


def test_every_place_says_the_same_version():
    """pyproject.toml, CITATION.cff and the changelog name one version and one date."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[:2] == ["Unreleased", f"{cited['version']} - {cited['date-released']}"]
    assert cited["version"] == VERSION


def test_the_citation_has_the_fields_of_its_format():
    """Those that the Citation File Format 1.2.0 asks for, in its types."""
    cited = yaml.safe_load((ROOT / "CITATION.cff").read_text())
    assert cited["cff-version"] == "1.2.0"
    assert cited["type"] == "software"
    assert all(isinstance(cited[name], str) for name in ("title", "message", "version", "license", "date-released"))
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", cited["date-released"])
    assert [list(author) for author in cited["authors"]] == [["name"]]


@needs_git
def test_the_notice_names_files_that_are_there():
    """What the notice says of a file is said of one that the package has, and every licence text is named in it."""
    notice = (ROOT / "NOTICE").read_text()
    named = [each.rstrip(".,") for each in re.findall(r"(?:src|LICENSES)/[\w./*-]+", notice)]
    assert all(list(ROOT.glob(each)) for each in named)
    assert {each.name for each in (ROOT / "LICENSES").iterdir()} <= {Path(each).name for each in named}
