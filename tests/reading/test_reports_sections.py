"""The sections of a report."""

import json

from snellen.reading.reports.findings import statements_of
from snellen.reading.reports.sections import Sections, sections_of


def test_a_text_without_headings_is_all_findings():
    """Nothing marks an impression, so there is none."""
    assert sections_of("The lungs are clear. No effusion.") == Sections("The lungs are clear. No effusion.", "")
    assert sections_of("") == Sections("", "")


def test_headings_part_findings_from_impression():
    """Headings count on lines of their own, in capitals or not, with markup, numbers or none."""
    expected = Sections("The lungs are clear.", "Normal chest.")
    texts = (
        "FINDINGS: The lungs are clear.\n\nIMPRESSION: Normal chest.",
        "Findings\nThe lungs are clear.\nConclusion\nNormal chest.",
        "**Findings:** The lungs are clear.\n\n**Impression:** Normal chest.",
        "## Findings\n\nThe lungs are clear.\n\n## Impression\n\nNormal chest.",
        "1. FINDINGS: The lungs are clear.\n2. IMPRESSION: Normal chest.",
        "FINDINGS: The lungs are clear. IMPRESSION: Normal chest.",
        "<b>Findings:</b> The lungs are clear.<br><b>Impression:</b> Normal chest.",
        "Impression: Normal chest.\nFindings: The lungs are clear.",
    )
    assert [(text, sections_of(text)) for text in texts] == [(text, expected) for text in texts]


def test_other_sections_say_nothing_of_the_image():
    """What was asked, how it was taken and what is advised are left out."""
    text = (
        "INDICATION: Pneumonia?\nTECHNIQUE: Two views.\nCOMPARISON: None.\nFINDINGS: Lungs are clear.\n"
        "IMPRESSION: Normal.\nRECOMMENDATION: CT to exclude a nodule."
    )
    assert sections_of(text) == Sections("Lungs are clear.", "Normal.")


def test_a_word_of_a_sentence_is_no_heading():
    """A heading stands at the start of a line or after a full stop, with a colon or alone."""
    text = "The findings are those of an effusion.\nThe impression on the oesophagus is normal."
    assert sections_of(text) == Sections(text, "")


def test_thinking_is_no_part_of_a_report():
    """What a model thinks before it writes is left out."""
    assert sections_of("<think>Maybe an effusion.</think>FINDINGS: Lungs are clear.").findings == "Lungs are clear."


def test_the_middle_of_a_long_text_is_kept():
    """All of a long text is read, not only its ends."""
    text = "FINDINGS: " + "Nothing here. " * 2_000 + "Small effusion. " + "Nothing here. " * 2_000
    assert "Small effusion." in sections_of(text).findings


def test_a_report_in_json_has_its_keys_as_headings():
    """Also those of sections that are not read."""
    keys = {"clinical_history": "Effusion.", "findings": "Lungs are clear.", "impression": ["Normal chest."]}
    for written in (json.dumps(keys), json.dumps(keys, indent=2), f"```json\n{json.dumps(keys)}\n```"):
        found = sections_of(written)
        assert "Effusion" not in "".join(found)
        assert "Lungs are clear." in found.findings
        assert "Normal chest." in found.impression


def test_a_denial_after_an_escaped_end_of_line_is_a_denial():
    """JSON writes the end of a line with a letter, which must not become one of the "No"; LaTeX begins words so."""
    told = json.dumps({"report": "Clear lungs.\nNo effusion.\r\nno pneumothorax\n\tNo mass."})
    assert not any(said.present for said in statements_of(told))
    assert sections_of(r"Size $\neq$ 3 cm.").findings == r"Size \neq 3 cm."


def test_the_ends_of_lines_of_windows_are_ends_of_lines():
    """A heading that stands alone on its line is one there too."""
    text = "INDICATION\r\nPneumothorax\r\n\r\nFINDINGS\r\nLungs are clear.\r\n\r\nIMPRESSION\r\nNormal."
    assert sections_of(text) == Sections("Lungs are clear.", "Normal.")
