"""Let a bare `mkdocs serve` work in a fresh clone: generate when inputs changed, and take what site.yml would add.

`nox -s docs` and `nox -s publish` build from site.yml, which `python -m analysis site` writes, and run no hook.
"""

import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
sys.dont_write_bytecode = True  # byte code in a watched folder would start the next build

from analysis import inputs  # noqa: E402
from analysis.site import configuration  # noqa: E402

started: list[str] = []  # the command that MkDocs was given; mike only reads the configuration


def on_startup(command: str, dirty: bool) -> None:  # noqa: ARG001
    """Note the command."""
    started.append(command)


def on_config(config: Any) -> Any:
    """Run the generator if an input changed since its last run, and only then, because its output is watched.

    A served page has no policy: MkDocs adds a script to it that reloads the page.
    """
    if "mike" in started:
        return config
    if not inputs.are_current():
        subprocess.run([sys.executable, "-B", "-m", "analysis", "site"], cwd=ROOT, check=True)
    made = configuration.settings()
    config["nav"] = made["nav"]
    config["markdown_extensions"] += made["markdown_extensions"]
    config["extra"].update(made["extra"], policy=None)
    return config
