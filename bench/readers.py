"""Read values of the command line; what they raise is shown with the option."""

import argparse
import re
from typing import Tuple


def positive(text: str) -> int:
    """Read a number from 1 up."""
    if not re.match(r"^[1-9]\d{0,8}$", text):
        raise argparse.ArgumentTypeError("expected a number from 1 up, got %r" % text)
    return int(text)


def pair(text: str) -> Tuple[str, str]:
    """Read NAME=VALUE, as in a=/usr/bin/python3."""
    name, separator, value = text.partition("=")
    if not separator or not name:
        raise argparse.ArgumentTypeError("expected NAME=VALUE, got %r" % text)
    return name, value


def seconds(text: str) -> float:
    """Read a time, as 90s, 10m or 2h."""
    parts = re.match(r"^(\d+(?:\.\d+)?)(s|m|h|)$", text.strip())
    if not parts:
        raise argparse.ArgumentTypeError("expected a time like 90s, 10m or 2h, got %r" % text)
    return float(parts[1]) * {"": 1, "s": 1, "m": 60, "h": 3600}[parts[2]]
