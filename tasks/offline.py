"""Measure without a network. This folder has the code, wheels of environments, and a plan (plan.json).

    python run.py                    make the environments and measure
    python run.py --budget 30m       with further options of the bench

Each environment needs its version of Python, such as `python3.11`, on the PATH. If it is missing, the environment is
left out. Results go to the folder `measured`. In a clone of the project, `nox -s cluster -- collect FOLDER/measured`
brings them in.
"""

import glob
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
WHEELS = os.path.join(HERE, "wheels")


def interpreter(version: str) -> "str | None":
    """Return the interpreter of a version of Python: this one, or one on the PATH; else None."""
    if version == "{}.{}".format(*sys.version_info[:2]):
        return sys.executable
    return shutil.which("python" + version)


def make(name: str, version: str, steps: "list[list[str]]") -> "str | None":
    """Make a virtual environment from the wheels, unless it is here; return its interpreter, or None without Python."""
    home = os.path.join(HERE, "environments", name or "bench")
    python, complete = os.path.join(home, "bin", "python"), os.path.join(home, "complete")
    if not os.path.exists(complete):
        base = interpreter(version)
        if base is None:
            return None
        print(f"Making the environment {os.path.basename(home)} with Python {version}", flush=True)
        subprocess.run([base, "-m", "venv", "--clear", "--without-pip", home], check=True)
        (pip,) = glob.glob(os.path.join(WHEELS, "pip-" + version, "pip-*.whl"))
        for step in steps:
            subprocess.run([python, os.path.join(pip, "pip"), "install", "-q", "--no-index", "--no-cache-dir",
                            "--find-links", WHEELS, *step], check=True)  # fmt: skip
        with open(complete, "w"):
            pass
    return python


def main() -> None:
    """Make all environments, and become the bench."""
    with open(os.path.join(HERE, "plan.json")) as file:
        plan = json.load(file)
    pythons = {row["name"]: make(row["name"], row["python"], row["steps"]) for row in plan["environments"]}
    versions = {row["name"]: row["python"] for row in plan["environments"]}
    driver = pythons.pop("")
    if driver is None:
        sys.exit("The bench needs python{} on the PATH. Install it, then give this command again.".format(versions[""]))
    measured = os.path.join(HERE, "measured")
    words = [f"--python={name}={python}" for name, python in pythons.items() if python]
    words += [f"--absent={name}=no python{versions[name]} is here" for name, python in pythons.items() if not python]
    print(f"Results go to {measured}", flush=True)
    os.chdir(HERE)
    command = [driver, "-m", "bench", "run", f"--results={measured}", *plan["options"], *words, *sys.argv[1:]]
    os.execv(driver, command)  # noqa: S606 - as everywhere here, without a shell


if __name__ == "__main__":
    main()
