"""A new framework begins with a copy of the skeleton, which runs and says what to write next."""

import shutil
from pathlib import Path

from running import Bench

from bench import registry


def test_a_copy_of_the_skeleton_runs_and_fails_with_what_to_write_next(tmp_path):
    folder = tmp_path / "frameworks" / "mine"
    shutil.copytree(Path(registry.FRAMEWORKS, "skeleton"), folder)
    (folder / "framework.toml.example").rename(folder / "framework.toml")
    bench = Bench(tmp_path, str(folder.parent), ("mine",))
    for name, written in (("configure", "return None"), ("Program", None)):
        done = bench("check", "--environment", "mine", "--workload", "linear", expect=1)
        assert f"NotImplementedError: {name}: " in done.stdout + done.stderr
        adapter = folder / "adapter.py"
        lines = adapter.read_text(encoding="utf-8").splitlines()
        kept = [f"    {written}" if f'raise NotImplementedError("{name}:' in line else line for line in lines]
        adapter.write_text("\n".join(kept), encoding="utf-8")
