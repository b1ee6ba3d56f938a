"""What is kept of files and figures is made once, until their data or code change."""

import json
import os
import pickle
import subprocess
import sys
from collections import Counter

import campaign
import pytest
import shown
from growth import CASES, TRUTH, written

from analysis import cache, figures
from analysis.estimate import crosscheck
from analysis.estimate.estimates import estimate_all
from analysis.load import campaigns, decode
from analysis.load.campaigns import read_campaigns
from analysis.load.table import read_results
from analysis.site import render
from bench.results import records

pytestmark = pytest.mark.usefixtures("nothing_kept")


def counted(monkeypatch, module, name):
    """Count the calls of a module's function."""
    found, original = Counter(), getattr(module, name)

    def counting(*words, **named):
        found[name] += 1
        return original(*words, **named)

    monkeypatch.setattr(module, name, counting)
    return found


def test_a_file_is_checked_once_until_it_changes(tmp_path, monkeypatch):
    written(tmp_path / "results", 3, machine="laptop")
    checked = counted(monkeypatch, decode, "read")
    for _ in range(2):
        read_results(tmp_path / "results")
        assert checked["read"] == 1
    written(tmp_path / "results", 3, machine="cluster")
    read_results(tmp_path / "results")
    assert checked["read"] == 2


def test_what_is_kept_of_a_file_gives_the_campaign_that_its_lines_give(tmp_path):
    lines = campaign.lines(CASES, campaign.noisy(TRUTH), rounds=3)
    lines[4]["block_s"] = [0.1] * 5  # no two blocks take the same time: implausible
    lines[-1:] = [campaign.void(CASES[0], 2), campaign.run(CASES[0], 2, 0.01), lines[-1]]
    path = next(campaign.write(tmp_path, lines).glob("*/*.jsonl"))
    for found in (read_campaigns(tmp_path)[0], read_campaigns(tmp_path)[0]):
        expected = campaigns.campaign_of(decode.read(path))
        assert list(found.runs) == list(expected.runs)
        assert any(run.status == "implausible" for run in found.runs)
        for name in ("bench", "environments", "end", "voids", "outcomes", "asked"):
            assert getattr(found, name) == getattr(expected, name)
        assert found.context == expected.context  # by which its runs were judged


def test_a_file_that_is_wrong_is_told_each_time(tmp_path):
    path = next(written(tmp_path, 3).glob("*/*.jsonl"))
    path.write_text(path.read_text().replace('"status": "ok"', '"status": "fine"', 1))
    for _ in range(2):
        with pytest.raises(records.RecordError, match="status"):
            read_results(tmp_path)


def test_what_is_kept_is_ignored_when_the_code_that_made_it_changes(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    cache.code.cache_clear()
    (tmp_path / "reader.py").write_text("one")
    assert cache.recall("a", ["input"], lambda: 1, ["reader.py"]) == 1
    assert cache.recall("a", ["input"], lambda: 2, ["reader.py"]) == 1
    assert cache.recall("a", ["other input"], lambda: 3, ["reader.py"]) == 3
    (tmp_path / "reader.py").write_text("two")
    cache.code.cache_clear()  # as in the next process
    assert cache.recall("a", ["input"], lambda: 4, ["reader.py"]) == 4
    cache.code.cache_clear()


def test_code_is_a_module_with_all_that_it_imports(tmp_path, monkeypatch):
    monkeypatch.setattr(cache, "ROOT", tmp_path)
    for name, text in {
        "package/__init__.py": "",
        "package/one.py": "import json\nfrom package import two\nfrom package.three import CONSTANT\n",
        "package/two.py": "def late():\n    import package.four\n",
        "package/three.py": "from package.one import two",  # in a circle
        "package/four.py": "",
        "package/five.py": "",
        "data/a.json": "",
        "data/b.py": "import package.five",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    found = [path.relative_to(tmp_path).as_posix() for path in cache.files(["package/one.py", "data/a.json"])]
    assert found == ["data/a.json", *(f"package/{name}.py" for name in ("__init__", "four", "one", "three", "two"))]
    assert tmp_path / "package" / "five.py" in cache.files(["data"])


OPENED = """
import importlib.util, json, sys
from pathlib import Path
opened = set()
sys.addaudithook(lambda event, words: opened.add(str(words[0])) if event == "open" else None)
{what}
root = Path({root!r})
opened = [importlib.util.source_from_cache(each) if each.endswith(".pyc") else each for each in opened]
inside = [Path(each).resolve() for each in opened if each.startswith(f"{root}/")]
print(json.dumps(sorted(path.relative_to(root).as_posix() for path in inside if path.suffix in (".py", ".json"))))
"""
DRAWING = """
import pickle
from analysis.site import render
wanted = pickle.loads(Path({wanted!r}).read_bytes())
assert render.draw_all(wanted, lambda _: None)
"""


def opened(tmp_path, what):
    """Return the code and the tables of this repository that a fresh Python opens for something."""
    root = str(cache.ROOT.resolve())
    variables = {"PYTHONPATH": os.pathsep.join([root, *sys.path]), "BENCH_STATE": str(tmp_path / "state")}
    done = subprocess.run([sys.executable, "-c", OPENED.format(what=what, root=root)], check=True, text=True,
                          stdout=subprocess.PIPE, env={**os.environ, **variables})  # fmt: skip
    return {name for name in json.loads(done.stdout) if name.startswith(("analysis/", "bench/"))}


def names(sources):
    return {path.relative_to(cache.ROOT).as_posix() for path in cache.files(sources)}


def test_the_code_that_files_are_read_by_is_all_among_what_their_key_is_made_of(tmp_path):
    lines = campaign.lines([*CASES, campaign.over_data("red")], campaign.noisy(TRUTH))
    lines[1:1] = [campaign.ceiling("red", 1e15, 1e12)]
    (path,) = campaign.write(tmp_path / "results", lines).glob("*/*.jsonl")
    read = opened(tmp_path, f"from analysis.load import campaigns; campaigns._checked(Path({str(path)!r}))")
    assert read >= {
        "bench/results/lines.py",
        "bench/results/schema.py",
        "bench/costs.py",
        "bench/oracle/mnist_mlp.py",
        "bench/workloads/mnist_mlp.py",
    }
    assert read <= names(campaigns.READER)
    assert not any(name.startswith(("bench/frameworks/", "analysis/site/pages/")) for name in names(campaigns.READER))


def test_the_code_that_figures_are_drawn_by_is_all_among_what_their_keys_are_made_of(tmp_path):
    results = campaign.write(tmp_path / "results", campaign.lines(CASES, campaign.noisy(TRUTH)))
    (tmp_path / "wanted").write_bytes(pickle.dumps(render.wanted(shown.found(results))))
    drawn = {name for name in opened(tmp_path, DRAWING.format(wanted=str(tmp_path / "wanted"))) if name.endswith(".py")}
    every = {name: names(render.sources(name)) for name in figures.found()}
    found_by_their_folder = {name for name in drawn if name.startswith("analysis/figures/")}
    assert drawn - found_by_their_folder <= set.union(*every.values())
    assert not any(name.startswith("analysis/site/pages/") for own in every.values() for name in own)
    assert all(f"analysis/figures/{name}.py" in own for name, own in every.items())


@pytest.mark.parametrize("damage", [b"", b"[]", b"\xff\xfe", None])
def test_an_entry_that_cannot_be_read_is_made_anew(damage):
    assert cache.recall("a", ["input"], lambda: {"number": 0.1}, ()) == {"number": 0.1}
    (path,) = cache.FOLDER.rglob("*.json")
    path.write_bytes(path.read_bytes()[:-3] if damage is None else damage)
    assert cache.recall("a", ["input"], lambda: {"number": 0.2}, ()) == {"number": 0.2}
    assert cache.recall("a", ["input"], lambda: {"number": 0.3}, ()) == {"number": 0.2}


def test_a_folder_that_takes_nothing_costs_no_result(tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(cache, "FOLDER", tmp_path / "file" / "kept")
    assert cache.recall("a", ["input"], lambda: (1, None), ()) == [1, None]


def test_what_nothing_asks_for_goes(monkeypatch):
    cache.recall("a", ["input"], lambda: 1, ())
    cache.forget_unused()
    assert list(cache.FOLDER.rglob("*.json"))
    monkeypatch.setattr(cache, "UNUSED_S", -1.0)
    cache.forget_unused()
    assert not list(cache.FOLDER.rglob("*.json"))


def test_pairs_are_resampled_once(tmp_path, monkeypatch):
    results = read_results(written(tmp_path, crosscheck.MIN_ROUNDS))
    (answer,) = estimate_all(results)
    drawn = counted(monkeypatch, crosscheck, "bootstrap_t")
    first, again = (crosscheck.checks(results, [answer], answer.pairs) for _ in range(2))
    assert first == again
    assert drawn["bootstrap_t"] == 1
    assert first[0].resampled.rounds == crosscheck.MIN_ROUNDS
