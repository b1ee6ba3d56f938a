"""Sequences time-major

The first axis is time and the second the examples: what a step of the recurrence reads lies together.
"""

WORKLOADS = ("imdb_gru",)
TASKS = ("train",)
IS_SAME = True
