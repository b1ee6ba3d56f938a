"""Whose machine it was: paths, addresses, names of users and hosts do not belong into results."""

import re
from collections.abc import Iterator

from analysis.checks import Finding, Given, texts

ORDER = 8
ADVICE = "measure again where nothing of it shows (--machine names the folder); never edit a line"
VERSIONS = ("packages", "loaded", "libraries", "machine", "telemetry")  # whose numbers with dots are no addresses
PATTERNS = {
    "a path of its user": re.compile(r"(?<![\w.>])/(?:home|Users|root|mnt|media|Volumes|scratch|tmp)/[^\s\"',;:)]+"),
    "a path of Windows": re.compile(r"(?<!\w)[A-Za-z]:\\[^\s\"',;:)]+"),
    "an e-mail address": re.compile(r"[\w.+-]+@[\w-]+\.[\w.-]*\w"),
    "a network address": re.compile(r"(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.-])"),
}


def check(given: Given) -> Iterator[Finding]:
    """Look through every text of every line."""
    own = [re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE) for name in given.own]
    for file in given.files:
        for number, record in file.records:
            for field, text in texts(record):
                for what in _found(field, text, own):
                    yield file.finding(number, f"{field}: expected nothing that tells whose machine it was, got {what}",
                                       ADVICE)  # fmt: skip


def _found(field: str, text: str, own: list[re.Pattern[str]]) -> Iterator[str]:
    for what, pattern in PATTERNS.items():
        is_version = what == "a network address" and field.startswith(VERSIONS)
        if not is_version and (found := pattern.search(text)):
            yield f"{what}: {ascii(found[0])[:100]}"
    if any(pattern.search(text) for pattern in own):
        yield "the name of this computer or of its user"
