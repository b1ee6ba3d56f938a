"""Defects of libraries that we work around are still there: when one is gone, so may be what works around it."""

import ast
import re
from pathlib import Path

import pytest
from within import inside

from bench import registry

pytestmark = pytest.mark.environment

SCRIPTS = sorted(Path(registry.FRAMEWORKS).glob("*/upstream/*.py"))


def seen_in(script):
    """Return the environments in which a script says that it shows its defect."""
    said = ast.get_docstring(ast.parse(script.read_text(encoding="utf-8")))
    return re.search(r"^Seen in: (.+)\.$", said, re.MULTILINE)[1].split(", ")


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_defect_that_is_worked_around_is_still_there(script, environment, tmp_path, cache):
    row, python = environment
    if row.name not in seen_in(script):
        pytest.skip(f"it was never seen in {row.title}")
    done = inside(row, python, tmp_path, cache, script)
    assert done.returncode == 0, done.stdout + done.stderr
