"""Compare `versus` with other timing tools, on pairs of programs whose true ratio is known.

    python -m venv peers && peers/bin/pip install -r bench/peers/requirements.txt   # hyperfine: apt install hyperfine
    peers/bin/python -m bench.peers                  # 20 repeats of ratios 1.00 and 1.03: about 100 minutes
    peers/bin/python -m bench.peers --kind torch     # the same with programs that import PyTorch

Use an idle machine. Every tool gets about the same seconds for a pair, and measures it as its documentation advises
(`tools`). In a repeat, tools and ratios follow in random order. The slower program comes first or second at random.
After an interruption, the same command continues. Results are lines of `results/<machine>/peers/<kind>.jsonl`, from
which the page "Other timing tools" shows a table.
"""
