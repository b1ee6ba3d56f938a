"""Shared by the tests of analysis/: `campaign` makes synthetic campaigns, `corpus` hostile ones."""

import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "hostile"), str(HERE.parents[1])]
