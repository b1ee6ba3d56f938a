"""Environments are made by uv or by pip and hold exactly their pins; an absent one has a reason and a remedy."""

import json
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from bench import registry
from tasks import installing, pip_settings, pythons

FOLDER = installing.ROOT / ".nox"  # where Nox has put uv, if it runs these tests
PINS = ["numpy==1.0"]


class Tool:
    """A substitute for uv and pip: records calls, and makes the files that the next step reads."""

    uv = ("uv",)

    def __init__(self, fails=()):
        self.fails, self.calls = fails, []

    def create(self, home, python):
        self.calls.append(("create", python))
        (home / "bin").mkdir(parents=True, exist_ok=True)
        (home / "bin" / "python").touch()

    def install(self, home, words):
        self.calls.append(("install", *words))
        return "no such pin" if self.calls[-1] in self.fails else None


class Session:
    def __init__(self, folder):
        self.cache_dir, self.said = folder / ".cache", []
        self.warn = self.log = self.said.append


def row(name="pytorch", **fields):
    return registry.environment(name)._replace(system={}, **fields)


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Installs with a stand-in."""
    monkeypatch.setattr(installing, "installer", lambda *_: Tool())
    monkeypatch.setattr(installing, "find_python", lambda *_: "python3.11")
    return SimpleNamespace(by=installing.Installing(), session=Session(tmp_path))


@pytest.fixture(scope="module")
def pip():
    """The command that runs pip, also where the tests' own environment has none."""
    FOLDER.mkdir(exist_ok=True)
    return pip_settings.find_pip(FOLDER / "pip")


def test_an_environment_is_filled_once_and_made_anew_when_its_pins_change(tmp_path):
    tool = Tool()
    for steps in ([PINS], [PINS], [["numpy==2.0"]]):
        assert installing.fill(tool, tmp_path, "python3.11", steps) is None
    create = ("create", "python3.11")
    assert tool.calls == [create, ("install", "numpy==1.0"), create, ("install", "numpy==2.0")]


def test_further_pins_are_added_and_stay(tmp_path):
    tool = Tool()
    for steps in ([PINS], [PINS, ["playwright==1"]], [PINS]):
        installing.fill(tool, tmp_path, "python3.11", steps)
    assert tool.calls == [("create", "python3.11"), ("install", *PINS), ("install", "playwright==1")]


def test_an_environment_that_was_interrupted_or_lost_its_interpreter_is_made_anew(tmp_path):
    assert installing.fill(Tool(fails=[("install", *PINS)]), tmp_path, "python3.11", [PINS]) == "no such pin"
    tool = Tool()
    installing.fill(tool, tmp_path, "python3.11", [PINS])
    (tmp_path / "bin" / "python").unlink()
    installing.fill(tool, tmp_path, "python3.11", [PINS])
    assert tool.calls == [("create", "python3.11"), ("install", *PINS)] * 2


def test_a_further_index_is_asked_only_if_the_configured_ones_lack_a_pin(tmp_path):
    index = ("install", *PINS, "--extra-index-url", "https://example.org")
    for fails, asked in (([], False), ([("install", *PINS)], True)):
        tool, home = Tool(fails), tmp_path / str(asked)
        assert installing.fill(tool, home, "python3.11", [PINS], "https://example.org") is None
        assert (index in tool.calls) == asked
        assert installing.holds(home) == [PINS]


def test_an_environment_gets_its_bootstrap_and_the_pins_of_this_device(made, monkeypatch):
    for has_gpu in (False, True):
        monkeypatch.setattr(installing, "HAS_GPU", has_gpu)
        environment = row(bootstrap=["pip==21.3.1"])
        python = Path(made.by.environment(made.session, environment))
        pins = environment.packages + (environment.gpu if has_gpu else environment.cpu)
        assert json.loads((python.parents[1] / installing.STAMP).read_text()) == [["pip==21.3.1"], pins]


def test_all_tools_are_in_one_environment_which_the_first_session_makes(made):
    first = made.by.tools(made.session)
    assert first == made.by.tools(made.session, "tests/requirements-browser.txt") == made.by.tools(made.session)
    assert len([call for call in made.by.tool.calls if call[0] == "create"]) == 1
    assert len(made.by.tool.calls) == 3


def test_the_tools_environment_has_every_pin_of_every_session():
    pins = installing.pins_of(*installing.TOOLS, "bench/datasets/requirements.txt")
    assert len(pins) == len({pin.partition("==")[0] for pin in pins}), "two files must not pin two versions"
    assert {"numpy", "ruff", "mkdocs", "pytest", "pillow"} <= {pin.partition("==")[0] for pin in pins}


def test_interpreters_have_absolute_paths(made, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert Path(made.by.tools(Session(Path("environments")))).is_absolute(), "tests and workers run elsewhere"


def test_an_installation_that_fails_says_why(made):
    environment = row(packages=PINS, cpu=[], gpu=[], index={})
    made.by.tool = Tool(fails=[("install", *PINS)])
    with pytest.raises(installing.CannotInstallError, match="its installation failed: no such pin"):
        made.by.environment(made.session, environment)


def test_pip_installs_and_says_so_if_uv_cannot_be_installed(tmp_path, monkeypatch):
    monkeypatch.setattr(pip_settings, "find_pip", lambda _: ["pip"])
    monkeypatch.setattr(installing, "bring_uv", lambda *_: "ERROR: No matching\n distribution for uv")
    session = Session(tmp_path)
    assert installing.installer(tmp_path, session.warn) == installing.Installer()
    (line,) = session.said
    assert line.startswith("pip installs the environments")
    assert "No matching distribution for uv" in line


@pytest.mark.parametrize("name", ["uv", "pip"])
def test_uv_and_pip_make_an_environment_and_install_a_local_wheel(name, pip, tmp_path, monkeypatch):
    if name == "uv" and (why := installing.bring_uv(FOLDER / "uv", pip)):
        pytest.skip(f"uv cannot be installed here: {why}")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path / "wheels"))
    wheel(tmp_path / "wheels", "rosetta_sample", "1.0")
    tool = installing.installer(FOLDER, pytest.fail) if name == "uv" else installing.Installer()
    assert installing.fill(tool, tmp_path / "made", sys.executable, [["rosetta-sample==1.0"]]) is None
    assert next(tmp_path.glob("made/lib/python*/site-packages/rosetta_sample.py")).read_text() == "VERSION = '1.0'\n"
    assert "rosetta-sample==2.0" in tool.install(tmp_path / "made", ["rosetta-sample==2.0"])


def wheel(folder, name, version):
    """Write the smallest wheel that installers take."""
    folder.mkdir()
    with zipfile.ZipFile(folder / f"{name}-{version}-py3-none-any.whl", "w") as file:
        file.writestr(f"{name}.py", f"VERSION = '{version}'\n")
        folder_name = f"{name}-{version}.dist-info"
        file.writestr(f"{folder_name}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
        file.writestr(f"{folder_name}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        files = f"{name}.py,,\n{folder_name}/METADATA,,\n{folder_name}/WHEEL,,\n{folder_name}/RECORD,,\n"
        file.writestr(f"{folder_name}/RECORD", files)


def test_uv_gets_the_settings_of_pip():
    listed = """\
:env:.cert='/certs/own.pem'
:env:.default-timeout='180'
global.cert='/certs/all.pem'
global.index-url='https://mirror.example/simple'
global.extra-index-url='\\nfile:///one\\nfile:///two'
global.trusted-host='mirror.example'
install.find-links='/wheels https://wheels.example'
install.no-index='true'
download.index-url='https://elsewhere.example'
global.proxy='http://proxy.example:3128'
"""
    proxies = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://proxy.example:3128")
    assert pip_settings.translate(pip_settings.parse(listed)) == {
        "SSL_CERT_FILE": "/certs/own.pem",
        "UV_DEFAULT_INDEX": "https://mirror.example/simple",
        "UV_FIND_LINKS": "/wheels,https://wheels.example",
        "UV_HTTP_TIMEOUT": "180",
        "UV_INDEX": "file:///one file:///two",
        "UV_INDEX_STRATEGY": "unsafe-best-match",
        "UV_INSECURE_HOST": "mirror.example",
        "UV_NO_INDEX": "1",
        **proxies,
    }


def test_variables_of_uv_have_precedence_over_settings_of_pip():
    settings, environ = (
        {"index-url": "https://pip.example"},
        {"UV_DEFAULT_INDEX": "https://uv.example", "HOME": "/home"},
    )
    variables = pip_settings.variables(settings, environ)
    assert (variables["UV_DEFAULT_INDEX"], variables["HOME"]) == ("https://uv.example", "/home")


def test_pips_own_variables_are_read(pip, monkeypatch):
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", "https://mirror.example/simple")
    assert pip_settings.read(pip)["extra-index-url"] == "https://mirror.example/simple"


def test_a_system_library_that_is_missing_is_named_with_the_command_that_installs_it(made):
    needs = {"libabsent-dev": "libabsent.so", "python3": "python3", "libc6": "libc.so.6", "absent++": "absent++"}
    with pytest.raises(installing.CannotInstallError) as raised:
        made.by.environment(made.session, row()._replace(system=needs))
    assert str(raised.value) == "the system lacks libabsent.so and absent++: run apt-get install libabsent-dev absent++"


def test_rows_that_need_a_system_library_say_so():
    needing = {name: set(row.system) for name, row in registry.environments().items() if row.system}
    mlx, theano, cntk, r = {"g++"}, {"g++", "libopenblas-dev"}, {"libopenmpi3"}, {"r-base-core", "r-cran-reticulate"}
    assert sorted(needing.values(), key=sorted) == [mlx, theano, theano, cntk, cntk, r]


@pytest.fixture
def nothing_found(made, monkeypatch):
    """No interpreter is on this machine, until `made.downloaded` is one."""
    made.downloaded = None
    monkeypatch.setattr(installing, "find_python", lambda *_: made.downloaded)
    for variable in pythons.REFUSES:
        monkeypatch.delenv(variable, raising=False)
    return made


def test_uv_brings_an_interpreter_and_says_so(nothing_found, monkeypatch):
    def run(command, **_):
        assert command[:3] == ["uv", "python", "install"]
        nothing_found.downloaded = "downloads/python"
        return SimpleNamespace(returncode=0)

    monkeypatch.setattr(pythons.subprocess, "run", run)
    nothing_found.by.environment(nothing_found.session, row(python=["3.12", "3.13"]))
    assert ("create", "downloads/python") in nothing_found.by.tool.calls
    (line,) = [line for line in nothing_found.session.said if "downloads" in line]
    assert line.startswith("No Python 3.12 or 3.13 is on this machine: uv downloads 3.12")


@pytest.mark.parametrize(
    ("versions", "environ", "why"),
    [
        (["3.12"], {"NOX_DOWNLOAD_PYTHON": "never"}, "NOX_DOWNLOAD_PYTHON=never forbids to download one"),
        (["3.6", "3.7"], {}, "uv offers none this old for download"),
        (["3.12"], {}, r"uv could not download Python 3\.12: cause: dns error"),
    ],
)
def test_an_interpreter_that_cannot_be_had_is_named_with_the_reason(nothing_found, monkeypatch, versions, environ, why):
    failed = SimpleNamespace(returncode=1, stderr="error: request failed\n  cause: dns error\n")
    monkeypatch.setattr(pythons.subprocess, "run", lambda *_, **__: failed)
    for variable, value in environ.items():
        monkeypatch.setenv(variable, value)
    with pytest.raises(installing.CannotInstallError, match=f"no Python .* is on this machine, and {why}; install one"):
        nothing_found.by.environment(nothing_found.session, row(python=versions))


def test_an_interpreter_that_was_downloaded_is_found_again(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    python = tmp_path / "cpython-3.99.1-linux" / "bin" / "python3.99"
    python.parent.mkdir(parents=True)
    python.write_text("#!/bin/sh\necho 3.99\n")
    python.chmod(0o755)
    assert pythons.find_python(["3.99"]) is None
    assert pythons.find_python(["3.99"], str(tmp_path)) == str(python)
    python.write_text("#!/bin/sh\necho 3.98\n")
    assert pythons.find_python(["3.99"], str(tmp_path)) is None, "an interpreter of another version"
