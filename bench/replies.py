"""What a worker and the bench that started it say to each other."""

import os
import sys
from typing import Any, Dict

from bench import registry

Request = Dict[str, Any]  # fields of a JSON object, as bench/worker/__main__.py reads them
Reply = Dict[str, Any]  # fields of a JSON object, with `status`, `reason` and `error_tail`

READY, DONE = b"bench: ready", b"bench: done"  # said after an import alone, when only turns are left, after each
TAIL = 1500  # characters of an error's output that are kept


def without_paths(text: str) -> str:
    """Cut the folders that name this machine or its user, and what cannot be printed, from a text to be published."""
    text = "".join(character for character in text if character.isprintable() or character == "\n")
    for folder, name in ((registry.ROOT, "."), (sys.prefix, "<environment>"), (sys.base_prefix, "<python>"),
                         (os.path.expanduser("~"), "~")):  # fmt: skip
        text = text.replace(folder, name)
    return text


def say(word: bytes) -> None:
    """Say a word to the bench."""
    os.write(_WORDS[0], word + b"\n")


_WORDS = [1]  # where the bench listens


def keep_output_for_words() -> None:
    """Let everything that is printed from now on go to the error stream."""
    sys.stdout.flush()
    _WORDS[0] = os.dup(1)
    os.dup2(2, 1)
