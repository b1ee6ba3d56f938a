"""What the terminal shows: a line per run, time left, and a plain table; intervals come from the analysis."""

import sys
from collections.abc import Mapping, Sequence
from typing import Any, TextIO

import numpy as np

from bench.campaign.campaign import CampaignFile, standing
from bench.campaign.rounds import EXPECTED_OFF, Planned
from bench.cases import Case
from bench.proof import Subject
from bench.proof.parity import TOLERANCES, Pair
from bench.results import void_rules
from bench.results.lines import Bench, Ceiling, Epochs, Line, Run, Void
from bench.results.records import of_class, time_s
from bench.units import duration, size, step_time

BAR = 24
SHOWN = ("workload", "environment", "mode", "task", "batch_size", "optimizer", "precision")  # of a case


def say(text: str) -> None:
    """Print one line of progress to the error stream, so that --json stays clean."""
    print(text, file=sys.stderr)
    sys.stderr.flush()


def ceiling(line: Ceiling) -> str:
    """Say which rates a framework reached on a device, or why that is not known."""
    if line.matmul_flops_s is None or line.copy_bytes_s is None:
        return f"its ceiling is not known: {line.reason}"
    gflops_s, gb_s = line.matmul_flops_s / 1e9, line.copy_bytes_s / 1e9
    return f"{gflops_s:.3g} GFLOP/s in matrix products, {gb_s:.3g} GB/s of memory"


def _outcome(run: Run | Epochs) -> str:
    seconds = time_s(run)
    if seconds is None:
        return f"{run.status}: {run.reason}"
    if isinstance(run, Epochs):
        score = f", {run.score} {run.test_scores[-1]:.3f}" if run.score else ""
        return f"{step_time(seconds):>10}/epoch, first {step_time(run.epoch_s[0])}{score}"
    first = "" if run.first_step_s is None else f"first {step_time(run.first_step_s)}, "  # None: others started too
    return f"{step_time(seconds):>10}/step, {first}{run.duration_s:.0f} s"


def _void(line: Void) -> str:
    """Return why a round begins anew, or why a disturbed one does not."""
    if line.kept:
        return f"is kept, though disturbed: {line.reason}; {line.kept}"
    return (
        f"is void and begins anew, because ratios are taken within rounds: {line.reason}; repeat {line.attempt} of at "
        f"most {void_rules.MOST_REPEATS}"
    )


def _about(case: Case) -> str:
    """Say what competitors have in common, as far as cases of a campaign differ in it."""
    words = [case.task, "b%d" % case.batch_size, "" if case.optimizer == "none" else case.optimizer]
    words += [case.precision if case.precision != "fp32" else "", case.tier if case.tier != "documented" else ""]
    return "%-16s %s" % (case.workload, " ".join(filter(None, words)))


def plan(planned: Sequence[Planned], fewest: int, budget_s: float | None, spent_s: float) -> str:
    """Return what a campaign is about to measure and how long that takes, and what would hold the rest."""
    held, rest = ([each for each in planned if each.is_held is wanted] for wanted in (True, False))
    needed_s = sum(each.seconds for each in held)
    budget = "" if budget_s is None else " of a budget of %s" % duration(budget_s)
    spent = " (%s of it are spent: it goes on)" % duration(spent_s) if spent_s else ""
    out = ["Plan: %s, at least %d rounds of each: about %s%s%s" % (
        _comparisons(held), fewest, duration(needed_s), budget, spent)]  # fmt: skip
    out += ["  %-44s %2d competitors  %s" % (_about(each.cases[0]), len(each.cases), duration(each.seconds))
            for each in held]  # fmt: skip
    if budget_s is not None and needed_s > EXPECTED_OFF * (budget_s - spent_s):
        out.append("It is measured as often as the budget holds: for all, give --budget %s, or measure again, for "
                   "rounds add up." % _minutes(needed_s + spent_s))  # fmt: skip
    if rest:
        every = ", --budget %s all of them" % _minutes(needed_s + sum(each.seconds for each in rest))
        out.append("Not in it: %s. --budget %s holds %s (%s)%s." % (
            _comparisons(rest), _minutes(needed_s + rest[0].seconds), "the next one" if rest[1:] else "it",
            " ".join(_about(rest[0].cases[0]).split()), every if rest[1:] else ""))  # fmt: skip
    return "\n".join(out)


def _comparisons(planned: Sequence[Planned]) -> str:
    return "%d comparison%s" % (len(planned), "" if len(planned) == 1 else "s")


def _minutes(seconds_: float) -> str:
    """Write a time as --budget takes it, rounded up."""
    minutes = int(seconds_ // 60) + 1
    return "%dm" % minutes if minutes < 120 else "%dh" % -(-minutes // 60)


class Listener:
    """Told of every record: prints a line each and, on a terminal, a bar with the time left below it."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.refused: set[str] = set()  # reasons that were told

    def begin(self, cases: Sequence[Case], round_: int) -> None:
        """Show that a round begins, and of what."""
        self._print("round %d  %s" % (round_, _about(cases[0])))
        if self.stream.isatty():
            names = ", ".join(case.environment for case in cases)
            print("  in turns: %s ..." % names[:100], end="", file=self.stream)
        self.stream.flush()

    def __call__(self, line: Run | Epochs | Void, campaign: CampaignFile, left_s: float) -> None:
        """Show one record, of a run or of a void round; `left_s` is an estimate."""
        case, reason = line.case, str(line.reason)
        if isinstance(line, Void):
            self._print("round %d  %s" % (line.round, _void(line)))
        elif line.status == "ok" or line.duration_s:
            self._print("         %-17s %-11s %s" % (case.environment, case.mode, _outcome(line)))
        elif reason not in self.refused and line.status != "over_budget":  # the plan has told of that
            self.refused.add(reason)
            self._print("left out %-17s %-11s %s  %s" % (case.environment, case.mode, _about(case), _outcome(line)))
        self._bar(campaign, left_s)
        self.stream.flush()

    def _print(self, text: str) -> None:
        print("\r\033[K" if self.stream.isatty() else "", text, sep="", file=self.stream)

    def _bar(self, campaign: CampaignFile, left_s: float) -> None:
        if not self.stream.isatty():
            return
        spent = campaign.spent_s()
        share = spent / (spent + left_s) if spent + left_s else 1.0
        filled = int(BAR * share)
        bar = "#" * filled + "." * (BAR - filled)
        print("[%s] %3.0f %%  %s left" % (bar, 100 * share, duration(left_s)), end="", file=self.stream)


def printable(text: str) -> str:
    """Return a line that may hold anybody's text without what a terminal would obey."""
    return "".join(character if character.isprintable() else "?" for character in text)


def _columns(rows: list[list[str]]) -> str:
    rows = [[printable(cell) for cell in row] for row in rows]
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip() for row in rows]
    return "\n".join([lines[0], "  ".join("-" * width for width in widths)] + lines[1:])


def _summary(case: Case, runs: list[Run | Epochs]) -> list[str]:
    name = [str(getattr(case, field)) for field in SHOWN]
    done, failed = ([run for run in runs if (run.status == "ok") is wanted] for wanted in (True, False))
    steps = [seconds for seconds in map(time_s, done) if seconds is not None]
    if not steps:
        reason = _outcome(failed[-1]) if failed else "not measured yet"
        return name + ["-", "-", "-", "0", reason[:100]]
    firsts = [run.epoch_s[0] if isinstance(run, Epochs) else run.first_step_s for run in done]
    first = next((step_time(each) for each in firsts if each is not None), "-")
    spread = "%s to %s" % (step_time(min(steps)), step_time(max(steps)))
    note = str(failed[-1].reason)[:100] if failed else ""
    return name + [step_time(float(np.median(steps))), spread, first, str(len(steps)), note]


def table(lines: Sequence[Line]) -> str:
    """Return a campaign as text: the median and range of the runs of each case, or the reason there is none."""
    rows = [list(SHOWN) + ["step or epoch", "range over rounds", "first", "rounds", "note"]]
    runs = standing(lines)
    cases = [case for bench in of_class(lines, Bench) for case in bench.cases]
    rows.extend(_summary(case, [run for run in runs if run.case == case]) for case in cases)
    voids = void_rules.told(of_class(lines, Void))
    return "%s\n\nvoid rounds: %s" % (_columns(rows), voids) if voids else _columns(rows)


def data_table(rows: Sequence[Mapping[str, Any]], folder: str) -> str:
    """Return the data sets as text: one line each, what is here in `folder`, and what to type next."""
    out = [["data set", "what", "download", "prepared", "examples", "here", "licence"]]
    for row in rows:
        sizes = [size(row["download_bytes"]), size(row["prepared_bytes"]), "%d + %d" % tuple(row["examples"])]
        out.append([row["name"], row["title"]] + sizes + [row["state"], row["licence"]])
    hint = "Prepare by name: nox -s data -- %s  (or: python -m bench data %s)" % (rows[0]["name"], rows[0]["name"])
    return "%s\n\nKept in %s (--folder FOLDER, BENCH_DATA). %s" % (_columns(out), folder, hint)


def parity_table(pairs: Sequence[Pair], stale: Sequence[Subject] = ()) -> str:
    """Return the parity matrix as text: one line per pair of answers, each pair once, and one per stale answer."""
    out = [["workload", "optimizer", "one", "other"] + list(TOLERANCES) + ["parity"]]
    for pair in pairs:
        a, b = (pair.environment_a, pair.mode_a), (pair.environment_b, pair.mode_b)
        if a < b:
            found = pair.comparison.errors if pair.comparison else {}
            errors = ["%.1e" % found[kind] if kind in found else "-" for kind in TOLERANCES]
            verdict = "equal" if pair.passes else pair.reason
            out.append([pair.workload, pair.optimizer, " ".join(a), " ".join(b)] + errors + [verdict])
    none = ["-"] * (1 + len(TOLERANCES))
    out.extend([each.workload, each.optimizer, "%s %s" % each[2:]] + none + ["stale"] for each in stale)
    return "\n\n".join([_columns(out)] + ([_how_to_answer_again(stale)] if stale else []))


def _how_to_answer_again(stale: Sequence[Subject]) -> str:
    words = [
        "--%s %s" % (option, name)
        for option in ("workload", "environment", "mode")
        for name in sorted({getattr(subject, option) for subject in stale})
    ]
    said = "stale: of other code than stands here, and compared with nothing. Answer again: nox -s parity -- %s"
    return said % " ".join(words) + " (delete the answers of a mode that is no more)"


def check_table(rows: Sequence[Sequence[str]]) -> str:
    """Return what a check of a contribution came to as text: what was checked, of what, the outcome and why."""
    return _columns([["check", "of", "outcome", "found"]] + [list(row) for row in rows])
