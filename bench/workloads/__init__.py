"""The questions: one file per workload, in NumPy."""
