"""What a control measures, without measuring."""

from replies import REPLY

from bench import files
from bench.campaign import campaign as campaigns
from bench.campaign import turns
from bench.results import records


def measured(tmp_path, control):
    """Return the lines of each campaign of a control."""
    return [records.read(str(path)) for path in sorted((tmp_path / "results/test/controls" / control).glob("*.jsonl"))]


class Measured:
    """Stands for turns.measure: notes what each run was asked, and is interrupted once before so many are exceeded."""

    def __init__(self, monkeypatch, interrupted_after=None, reply=lambda *_: REPLY):
        self.asked, self.together, self.left, self.reply = [], [], interrupted_after, reply
        monkeypatch.setattr(turns, "measure", self)

    def __call__(self, cases, turn, setting):
        if self.left is not None:
            self.left -= len(cases)
            if self.left < 0:
                self.left = None
                raise KeyboardInterrupt
        self.together.append(sorted(each.environment for each in cases))
        self.asked += [(each.environment, turn.round, setting.planted.get(each.environment)) for each in cases]
        return [self.record(case, turn, position) for position, case in enumerate(cases)]

    def record(self, case, turn, position):
        where = campaigns.Where(turn.round, turn.group, position)
        return campaigns.run_record(case, self.reply(case, turn.round), where, files.now(), "warm", 0, "0" * 16)
