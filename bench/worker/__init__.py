"""What runs inside an environment, in a process of its own: `python -m bench.worker REQUEST`; Python 3.6 and later."""
