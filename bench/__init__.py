"""Measure deep-learning frameworks against each other; NumPy and the standard library only (Python 3.6 and later).

The modules of this folder are what plug-ins and all packages use: registry, errors, cases, problem, answer, measure.

- worker: inside an environment, in a process of its own
- feeding: how photographs come to a program
- proof: parity answers, their comparison, and the hashes of what computes them
- results: result files, and which runs count
- driver: worker processes, locks, and the state of the machine
- data: data sets and their preparation
- campaign: cases, turns and rounds
- controls: checks of the measurement itself
- versus: programs of the user's own
- peers: other timing tools on pairs whose ratio is known
- cli: the command line
"""
