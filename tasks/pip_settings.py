"""Translate pip's settings into uv's, which reads none of them: mirrors, local wheels and proxies keep working."""

import ast
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

VARIABLES = {  # option of pip -> the variables of uv
    "index-url": ["UV_DEFAULT_INDEX"],
    "extra-index-url": ["UV_INDEX"],
    "find-links": ["UV_FIND_LINKS"],
    "trusted-host": ["UV_INSECURE_HOST"],
    "constraint": ["UV_CONSTRAINT"],
    "timeout": ["UV_HTTP_TIMEOUT"],
    "retries": ["UV_HTTP_RETRIES"],
    "cert": ["SSL_CERT_FILE"],
    "client-cert": ["SSL_CLIENT_CERT"],
    "proxy": ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"],
}
SWITCHES = {"no-index": ("UV_NO_INDEX", "1"), "pre": ("UV_PRERELEASE", "allow")}
OTHER_NAMES = {"default-timeout": "timeout", "pypi-url": "index-url"}
SECTIONS = ("global", "install", ":env:")  # a later one overrides an earlier one, as in `pip install`


def find_pip(spare: Path) -> list[str]:
    """Return the command that runs pip: this interpreter's, or that of an environment `spare`, made if needed."""
    pip = [sys.executable, "-m", "pip"]
    if subprocess.run([*pip, "--version"], capture_output=True, check=False).returncode == 0:
        return pip
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
    """Return the environment variables of uv that mean the same as these settings of pip."""
    variables = {"UV_INDEX_STRATEGY": "unsafe-best-match"}  # pip takes the best version of all indexes
    for option, names in VARIABLES.items():
        if values := settings.get(option, "").split():
            variables.update(dict.fromkeys(names, ("," if option == "find-links" else " ").join(values)))
    for option, (name, value) in SWITCHES.items():
        if settings.get(option, "").lower() in {"1", "true", "yes", "on"}:
            variables[name] = value
    return variables


def variables(settings: Mapping[str, str], environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """Return the whole environment of uv. A user's variables of uv (UV_...) have precedence over settings of pip."""
    return {**environ, **translate(settings), **{name: environ[name] for name in environ if name.startswith("UV_")}}
