"""Build the site with results that may be contributed in it."""

import importlib.util
import os
import subprocess
import sys
import time
from pathlib import Path

from analysis import inputs
from analysis.checks.contribution import RESULTS, CheckError
from analysis.site.build import write
from bench import registry

FOLDER = Path(registry.STATE, "preview")


def build(results: Path, folder: Path) -> str:
    """Build the pages with these results in them; returns where they are. Raises CheckError when they cannot be built.

    With MkDocs at hand it is the whole site; without, the generated pages alone, as Markdown and figures.
    """
    begun = time.monotonic()
    if importlib.util.find_spec("material") and Path(os.path.abspath(results)) == RESULTS:
        _run("analysis", "site")
        where = ["--config-file=site.yml", "--site-dir", os.path.abspath(folder)]
        _run("mkdocs", "build", "--strict", "--quiet", *where)
        what = f"The whole site with these results: {folder / 'index.html'}"
    else:
        write(results, folder)
        what = f"The generated pages with these results, without the theme: {folder}"
    return f"{what} (built in {time.monotonic() - begun:.0f} s)"


def _run(*words: str) -> None:
    """Run a module; with -m, Python finds this project in the current folder."""
    variables = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}
    if subprocess.run([sys.executable, "-m", *words], cwd=inputs.ROOT, env=variables, check=False).returncode:
        raise CheckError("The site cannot be built with these results; the lines above say why.")
