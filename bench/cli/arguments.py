"""Read what an option is given; each raises argparse.ArgumentTypeError, which says what was expected and what came."""

import argparse
import os
import re
from typing import Tuple


def seconds(text: str) -> float:
    """Read a time, as 90s, 10m or 2h."""
    found = re.match(r"^(\d+(?:\.\d+)?)(s|m|h|)$", text.strip())
    if not found:
        raise argparse.ArgumentTypeError("expected a time like 90s, 10m or 2h, got %r" % text)
    return float(found.group(1)) * {"": 1, "s": 1, "m": 60, "h": 3600}[found.group(2)]


def positive(text: str) -> int:
    """Read a number from 1 up."""
    if not re.match(r"^[1-9]\d{0,8}$", text):
        raise argparse.ArgumentTypeError("expected a number from 1 up, got %r" % text)
    return int(text)


def pair(text: str) -> Tuple[str, str]:
    """Read ENVIRONMENT=VALUE."""
    name, separator, value = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected ENVIRONMENT=VALUE, got %r" % text)
    return name, value


def interpreter(text: str) -> Tuple[str, str]:
    """Read ENVIRONMENT=PATH; a relative path is of this folder, and workers start in others."""
    name, path = pair(text)
    return name, os.path.abspath(path) if os.path.dirname(path) else path


def machine_name(text: str) -> str:
    """Read the name of a machine's results folder."""
    if not re.match(r"^[a-z0-9][a-z0-9-]{0,60}$", text):
        raise argparse.ArgumentTypeError("expected lower-case letters, digits and hyphens, got %r" % text)
    return text
