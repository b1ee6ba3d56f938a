"""Conclude from result files: intervals, rankings, lessons, figures and pages. Imports no framework."""

import sys

if sys.version_info < (3, 11):  # noqa: UP036 - `python` may be any
    sys.exit(f"The analysis needs Python 3.11 or later; this is {sys.version.split()[0]}. Use Nox: nox -s docs")
