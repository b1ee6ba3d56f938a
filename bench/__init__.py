"""Measure deep-learning frameworks against each other; NumPy and the standard library only (Python 3.6 and later)."""
