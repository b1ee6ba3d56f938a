"""End on SIGTERM as on Ctrl-C: batch systems send it to cancel a job, at its time limit, and to pre-empt it."""

import signal


class Terminated(KeyboardInterrupt):
    """This process was asked to end by SIGTERM."""


def install() -> None:
    """Make SIGTERM raise Terminated in the main thread. It is then ignored, so that nothing disturbs the clean-up."""
    signal.signal(signal.SIGTERM, _terminate)


def _terminate(*_: object) -> None:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise Terminated


def exit_code(interrupt: KeyboardInterrupt) -> int:
    """Return the exit code after an interrupt, as shells count: 143 after SIGTERM, 130 after Ctrl-C."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)
