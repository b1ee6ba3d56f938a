"""The command line: `python -m bench <verb>`; works in any interpreter that has a framework and NumPy."""

import importlib
import os
import sys
from typing import List, Optional

from bench.cli import options
from bench.driver import orphans, termination
from bench.errors import BenchError


def main(words: Optional[List[str]] = None) -> int:
    """Run one command and return the exit code.

    It is 0 if it is done, 1 if something broke, 2 if the user must act, 130 after Ctrl-C and 143 after SIGTERM.
    """
    words = sys.argv[1:] if words is None else words
    try:
        arguments = options.parser(words[0] if words else "help").parse_args(words)
        does = getattr(importlib.import_module(options.VERBS[arguments.verb].module), "do_" + arguments.verb)
        return int(does(arguments))
    except (BenchError, OSError) as error:
        print("error: %s" % error, file=sys.stderr)
        return 2
    except KeyboardInterrupt as interrupt:
        orphans.clear(os.getpid())
        print("\ninterrupted; nothing measured is lost: the same command goes on where it stopped", file=sys.stderr)
        return termination.exit_code(interrupt)


if __name__ == "__main__":
    termination.install()
    sys.exit(main())
