"""The tables of words: each row is whole, each concept stands once, and references are filled in."""

from pathlib import Path

import pytest

from snellen import lexicon
from snellen.lexicon import WordLists, read_lexicon

FILES = sorted(Path(lexicon.__file__).parent.glob("*.tsv"))
LANGUAGES = {"", "en", "it", "es", "fr", "de", "zh", "pt", "nl", "ru", "pl", "tr", "el", "ar", "ja", "ko"}


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_every_concept_stands_once_in_a_list(file):
    """A second row of one name would hide the first; only patterns for one thing may be several."""
    text = file.read_text(encoding="utf-8")
    rows = [tuple(line.split("\t")[:3]) for line in text.split("\n") if line and not line.startswith("# ")]
    assert {language for _, language, _ in rows} <= LANGUAGES
    names = [row for row in rows if row[2] and row[0] not in ("shorthand", "rewritten", "spellings", "details")]
    assert sorted({row for row in names if names.count(row) > 1}) == []
    assert text.startswith("# list\tlanguage\tconcept\tforms\n")
    assert "⟨" not in "".join(form for of, *_ in rows for form in read_lexicon(file.stem).read_lines(of))


def test_a_list_is_read_by_language_and_with_its_pieces():
    """A form may name a piece, which stands before it; a list of several languages is read for one."""
    read = WordLists(
        "pieces\t\tverb\tis|are\n# seen\nsee\ten\tseen\tit (?:⟨verb⟩)\nsee\tit\tseen\tvede\nlook\t\t\t⟨see⟩!\n"
    )
    assert read.read_table("see", "en") == {"seen": "it (?:is|are)"}
    assert read.compile_text("look").pattern == "it (?:is|are)vede!"
    assert read.read_phrases("see") == ("it (?:is", "are)", "vede")
    assert read.read_words("see", "it") == {"vede"}
    with pytest.raises(KeyError, match="none"):
        read.read_lines("none")
