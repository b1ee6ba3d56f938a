"""Translate pip's settings into uv's, which reads none of them: mirrors, local wheels and proxies keep working."""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

# pip's option -> the variables that tell uv the same, and what separates several values there.
ONE_VALUE = {
    "index-url": ("UV_DEFAULT_INDEX",),
    "timeout": ("UV_HTTP_TIMEOUT",),
    "retries": ("UV_HTTP_RETRIES",),
    "cert": ("SSL_CERT_FILE",),
    "client-cert": ("SSL_CLIENT_CERT",),
    "proxy": ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"),
}
SEVERAL_VALUES = {
    "extra-index-url": ("UV_INDEX", " "),
    "find-links": ("UV_FIND_LINKS", ","),
    "trusted-host": ("UV_INSECURE_HOST", " "),
    "constraint": ("UV_CONSTRAINT", " "),
}
SWITCHES = {"no-index": ("UV_NO_INDEX", "1"), "pre": ("UV_PRERELEASE", "allow")}
OTHER_NAMES = {"default-timeout": "timeout", "pypi-url": "index-url"}
SECTIONS = ("global", "install", ":env:")  # a later one overrides an earlier one, as in `pip install`


def find_pip(spare: Path) -> list[str]:
    """Return the command that runs pip: this interpreter's, or that of an environment `spare`, made if needed."""
    own = [sys.executable, "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    if not (spare / "bin" / "pip").exists():
        subprocess.run([sys.executable, "-m", "venv", "--clear", str(spare)], capture_output=True, check=False)
    return [str(spare / "bin" / "python"), "-m", "pip"]


def read(pip: list[str]) -> dict[str, str]:
    """Return {option: value} as `pip install` would use it; `pip` is the command that runs it."""
    listed = subprocess.run([*pip, "config", "list"], capture_output=True, text=True, check=False)
    return parse(listed.stdout) if listed.returncode == 0 else {}


def parse(listed: str) -> dict[str, str]:
    """Return {option: value} of what `pip config list` prints: lines like global.index-url='https://...'."""
    settings: dict[str, dict[str, str]] = {section: {} for section in SECTIONS}
    for line in listed.splitlines():
        name, _, value = line.partition("=")
        section, _, option = name.partition(".")
        if section in settings:
            settings[section][OTHER_NAMES.get(option, option)] = str(ast.literal_eval(value))
    return {option: value for section in SECTIONS for option, value in settings[section].items()}


def translate(settings: Mapping[str, str]) -> dict[str, str]:
    """Return the environment variables that tell uv what these settings tell pip."""
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # pip takes the best version of all indexes
    for option, names in ONE_VALUE.items():
        if option in settings:
            variables.update(dict.fromkeys(names, settings[option]))
    for option, (name, separator) in SEVERAL_VALUES.items():
        if values := settings.get(option, "").split():
            variables[name] = separator.join(values)
    for option, (name, value) in SWITCHES.items():
        if settings.get(option, "").lower() in {"1", "true", "yes", "on"}:
            variables[name] = value
    return variables


def variables(settings: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return uv's whole environment. What a user tells uv itself (UV_...) has precedence over what pip is told."""
    told = {name: value for name, value in environ.items() if name.startswith("UV_")}
    return {**environ, **translate(settings), **told}
