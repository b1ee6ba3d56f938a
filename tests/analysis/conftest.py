"""Shared by the tests of analysis/: synthetic campaigns are importable as `campaign` wherever pytest runs."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1])]
