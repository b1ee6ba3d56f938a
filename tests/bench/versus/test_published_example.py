"""The example on the site is what the command wrote about the programs beside it."""

from pathlib import Path

import pytest

from bench.versus import report

EXAMPLES = Path(__file__).parents[3] / "docs" / "examples"


@pytest.mark.parametrize("name", ["forecast_keras.py", "forecast_torch.py"])
def test_the_published_report_quotes_the_programs_as_they_are(name):
    written = (EXAMPLES / "report.md").read_text(encoding="utf-8")
    assert (EXAMPLES / name).read_text(encoding="utf-8").rstrip() in written


def test_lists_are_markdown_with_empty_lines_around_them():
    lines = ["Likely causes:", "  1. b: slow.", "  2. b: late.", "Both programs:", "  - a fetch"]
    expected = ["Likely causes:", "", "1. b: slow.", "2. b: late.", "", "Both programs:", "", "- a fetch"]
    assert list(report._with_lists(lines)) == expected
