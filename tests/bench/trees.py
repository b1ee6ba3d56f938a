"""A bench of a test's own, with one framework, whose files can be edited."""

from bench import registry


class Tree:
    """Its files; `hashed(environment)` is what a test looks at of its framework's environment."""

    def __init__(self, folder, environment, hashed):
        self.folder, self.environment, self.hashed = folder, environment, hashed

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def read(self, name):
        return (self.folder / name).read_text(encoding="utf-8")

    def edit(self, name, *pairs):
        text = self.read(name)
        for old, new in pairs:
            assert old in text, old
            text = text.replace(old, new)
        self.write(name, text)

    def proof(self):
        return self.hashed(registry.environment(self.environment, str(self.folder / "frameworks")))

    def keeps(self, name, *edit):
        """Say whether a proof is the same after an edit of a file: a new text, or an old part and a new one."""
        before = self.proof()
        self.edit(name, edit) if len(edit) == 2 else self.write(name, *edit)
        return self.proof() == before
