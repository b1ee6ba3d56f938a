"""A copy of the bench with one framework of a test's own, whose files can be edited."""

import shutil

from bench import registry
from bench.proof import proof_hashes

WORKLOAD = "mnist_mlp"


def planted(folder, environment, files, monkeypatch):
    """Yield a copy of the bench with the files of a framework, and undo what a test edited."""
    made = Tree(folder, environment)
    kept = {path: path.read_bytes() for path in folder.rglob("*.py")}
    monkeypatch.setattr(registry, "HERE", str(folder))
    monkeypatch.setattr(registry, "WORKLOADS", str(folder / "workloads"))
    for name, text in files.items():
        made.write(name, text)
    yield made
    shutil.rmtree(folder / "frameworks")
    for path in set(folder.rglob("*.py")) | set(kept):
        if path not in kept:
            path.unlink()
        elif not path.exists() or path.read_bytes() != kept[path]:
            path.write_bytes(kept[path])


class Tree:
    """The files of a bench."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def edit(self, name, *pairs):
        text = (self.folder / name).read_text(encoding="utf-8")
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        self.write(name, text)

    def proof(self):
        row = registry.environment(self.environment, str(self.folder / "frameworks"))
        return proof_hashes.proof_hash(WORKLOAD, row, {"toy": "1.0"})

    def keeps(self, name, *edit):
        """Say whether a proof is the same after an edit of a file: a new text, or an old part and a new one."""
        before = self.proof()
        self.edit(name, edit) if len(edit) == 2 else self.write(name, *edit)
        return self.proof() == before
