"""What can be said to the verb `versus`, and its help. Standard library only, because Nox reads it."""

import argparse
import os
import re

from bench import readers

HELP = """Compare programs of your own: which one is faster, by how much, and likely causes.

A program is a script with a function step() that makes one training step:

  model, data = ...             # what the script does first is not timed
  def step():
      ...                       # one step; return the loss if there is one

Compare two scripts, in interpreters that have their frameworks:

  python -m bench versus mine_torch.py mine_keras.py --python a=/path/to/python --python b=/other/python

The same, in environments that are chosen by the imports and installed:

  nox -s versus -- mine_torch.py mine_keras.py

Untouched scripts: time `for batch in loader`, or the epochs of model.fit. Give the scripts their arguments:

  python -m bench versus a.py b.py --loop loader
  python -m bench versus a.py b.py --loop model.fit --arguments a="--epochs 9"

A loop in an imported module is marked there, by `for batch in steps(loader)`:

  python -m bench versus a.py b.py --loop steps

One script with two settings:

  python -m bench versus mine.py --set a:KERAS_BACKEND=torch --set b:KERAS_BACKEND=jax

A report to paste into an issue, after ten minutes of measuring:

  python -m bench versus a.py b.py --budget 10m --report report.md

Optional in a script: build() that returns step, batch() whose result step gets, wait(result), EXAMPLES_PER_STEP. With
outputs() or weights(), which return arrays, the comparison says whether both programs compute the same.
"""
LOOP = (
    "time the loop `for ... in NAME`, or the epochs of model.fit. Write b=NAME for one program, and NAME:42 for the "
    "loop in line 42"
)


def setting(text: str) -> tuple[str, str, str]:
    """Read LETTER:NAME=VALUE, as in a:KERAS_BACKEND=torch."""
    parts = re.fullmatch(r"([^:=]+):([A-Za-z_]\w*)=(.*)", text)
    if not parts:
        raise argparse.ArgumentTypeError(f"expected a:NAME=VALUE, as in a:KERAS_BACKEND=torch, got {text!r}")
    return parts[1], parts[2], parts[3]


def add(parser: argparse.ArgumentParser) -> None:
    """Add the options of the verb, and its help."""
    parser.description = HELP
    parser.add_argument("files", nargs="+", metavar="FILE", help="a script; the first is called a, the second b ...")
    group = parser.add_argument_group("what and where (a, b, ... is the letter of a program)")
    for name, read, metavar, text in (
        ("--python", readers.pair, "a=PATH", "its interpreter (default: this one; with Nox, an environment that fits)"),
        ("--environment", readers.pair, "a=NAME", "an environment of this project, not the one that fits its imports"),
        ("--set", setting, "a:NAME=VALUE", "a variable of its own; for a single FILE, b:NAME=VALUE adds a program b"),
        ("--loop", str, "NAME", LOOP),
        ("--arguments", readers.pair, 'a="..."', "what the script finds in sys.argv"),
    ):  # fmt: skip
        group.add_argument(name, action="append", type=read, default=[], metavar=metavar, help=text)
    group.add_argument(
        "--folder", type=os.path.abspath, default=os.getcwd(), metavar="FOLDER",
        help="the programs' working directory, where relative paths begin (default: this one)",
    )  # fmt: skip
    group = parser.add_argument_group("how long, and what is written")
    for name, text in (
        ("--budget", "time for everything, as 90s or 10m (default: 3m)"),
        ("--timeout", "limit of one start, turn or look (default: 5m)"),
    ):
        group.add_argument(name, type=readers.seconds, metavar="TIME", help=text)
    group.add_argument("--report", metavar="FILE", help="write the report as Markdown, made to be pasted into an issue")
    group.add_argument("--html", metavar="FILE", help="write the report as a page")
    group.add_argument("--json", action="store_true", help="print the report as JSON instead of a table")
    group.add_argument("--try", action="store_true", dest="tries",
                       help="measure again with each remedy that is one variable, to learn what it saves")  # fmt: skip
    group.add_argument("--no-causes", action="store_true", help="do not look for causes")
