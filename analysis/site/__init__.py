"""The website: its generated part (pages, figures and data files), and the whole of it."""

import os
import subprocess
import sys
from pathlib import Path

from bench.errors import BenchError


def build_site(tree: Path, folder: Path, **variables: str) -> None:
    """Build the whole site of a work tree into a folder. Raises BenchError if that fails; the reason is printed."""
    environment = {**os.environ, "NO_MKDOCS_2_WARNING": "1", **variables}
    mkdocs = ["mkdocs", "build", "--strict", "--quiet", "--config-file=site.yml", "--site-dir", os.path.abspath(folder)]
    for words in (["analysis", "site"], mkdocs):  # with -m, Python finds the project in the current folder
        if subprocess.run([sys.executable, "-m", *words], cwd=tree, env=environment, check=False).returncode:
            raise BenchError(f"the site cannot be built: python -m {words[0]} failed; the lines above say why.")
