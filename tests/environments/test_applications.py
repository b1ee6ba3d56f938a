"""Our networks are those of Keras Applications, wherever an environment that answers them has it at hand."""

import json
import os
import subprocess

import pytest

from bench import machine, parity, processes, registry

pytestmark = pytest.mark.environment

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "applications.py")
APPLICATIONS = {
    "resnet50": "ResNet50",
    "inception_v3": "InceptionV3",
    "inception_resnet_v2": "InceptionResNetV2",
    "vgg16": "VGG16",
    "vgg19": "VGG19",
}


def inside(environment, tmp_path, *words):
    """Run Python inside an environment; returns the finished process."""
    row, python = environment
    variables = processes.variables(row, machine.cores(), str(tmp_path / "cache"))
    command = [python, *words]
    return subprocess.run(command, env=variables, cwd=tmp_path, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("workload", APPLICATIONS)
def test_a_network_is_the_one_of_keras_applications(workload, environment, tmp_path):
    row, _ = environment
    if not os.path.exists(registry.model_path(row, workload)):
        pytest.skip(f"{row.title} does not answer {workload}")
    if inside(environment, tmp_path, "-c", "import keras.applications").returncode:
        pytest.skip(f"{row.title} has no Keras Applications beside it")
    done = inside(environment, tmp_path, SCRIPT, row.name, workload, APPLICATIONS[workload])
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["parameters"] == report["expected_parameters"] == registry.workload(workload).PARAMETERS
    assert report["error"] <= parity.TOLERANCES["outputs"]
    assert report["contrast"] > 0.01, "outputs that do not depend on the image agree for no reason"
