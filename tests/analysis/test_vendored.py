"""The table library is the one that its source names, with its licence."""

import hashlib
import json
from pathlib import Path

VENDOR = Path(__file__).resolve().parents[2] / "docs" / "assets" / "vendor"


def test_the_vendored_library_is_what_its_source_names():
    source = json.loads((VENDOR / "source.json").read_text(encoding="utf-8"))
    assert hashlib.sha256((VENDOR / source["file"]).read_bytes()).hexdigest() == source["sha256"]
    assert source["package"].partition("@")[2] in source["build"]
    assert "MIT License" in (VENDOR / source["licence"]).read_text(encoding="utf-8")


def test_scripts_of_our_own_have_at_most_400_lines():
    assert sum(len(path.read_text(encoding="utf-8").splitlines()) for path in VENDOR.parent.glob("*.js")) <= 400
