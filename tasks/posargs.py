"""Options behind the -- that the sessions themselves read; the other words are for the program that they start."""

import argparse

import nox

REPEATED = ("--environment", "--workload", "--against")
TEXTS = ("--bisect", "--since")
SWITCHES = ("--all", "--changed", "--night")


def options(session: nox.Session) -> tuple[argparse.Namespace, list[str]]:
    """Return the options that choose what a session does, and the other words."""
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    for option in REPEATED:
        parser.add_argument(option, action="append", default=[])
    for option in TEXTS:
        parser.add_argument(option, default="")
    for option in SWITCHES:
        parser.add_argument(option, action="store_true")
    return parser.parse_known_args(session.posargs)
