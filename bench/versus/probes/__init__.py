"""One likely cause a file: a docstring that states it, and `find(one, other)` (bench/versus/causes.py)."""
