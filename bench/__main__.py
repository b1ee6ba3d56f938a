"""The command line: `python -m bench <verb>`; works in any interpreter that has a framework and NumPy."""

import importlib
import os
import sys
from typing import List, Optional

from bench.cli import options
from bench.driver import orphans
from bench.errors import BenchError


def main(words: Optional[List[str]] = None) -> int:
    """Run one command; returns the exit code: 0 done, 1 something broke, 2 the user must act, 130 interrupted."""
    words = sys.argv[1:] if words is None else words
    arguments = options.parser(words[0] if words else "help").parse_args(words)
    try:
        does = getattr(importlib.import_module(options.VERBS[arguments.verb].module), "do_" + arguments.verb)
        return int(does(arguments))
    except (BenchError, OSError) as error:
        print("error: %s" % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        orphans.clear(os.getpid())
        print("\ninterrupted; nothing measured is lost: the same command goes on where it stopped", file=sys.stderr)
        return 130


if __name__ == "__main__":
    sys.exit(main())
