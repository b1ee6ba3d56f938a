"""Our networks are those of Keras Applications; parity has proven that those of all environments are alike."""

import json
import os
import subprocess

import pytest

from bench import machine, parity, registry, variables

pytestmark = pytest.mark.environment

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "applications.py")
APPLICATIONS = {
    "resnet50": "ResNet50",
    "resnet50_features": "ResNet50 features",
    "densenet121": "DenseNet121",
    "efficientnet_b3": "EfficientNetB3",
    "inception_v3": "InceptionV3",
    "inception_resnet_v2": "InceptionResNetV2",
    "vgg16": "VGG16",
    "vgg19": "VGG19",
}


def answered(row):
    """Return the workloads that an environment answers."""
    return [name for name in registry.workload_names() if os.path.exists(registry.model_path(row, name))]


def is_large(workload):
    """Say whether a workload is a large network, whose parity is proven of a smaller batch."""
    return hasattr(registry.workload(workload), "parity_batch")


def inside(row, python, folder, *words):
    """Run Python inside an environment; returns the finished process."""
    cache = folder / "cache"
    cache.mkdir(exist_ok=True)  # before the process starts, as the bench does
    started = variables.started(row, machine.cores(), str(cache))
    return subprocess.run([python, *words], env=started, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def beside_applications(pytestconfig, tmp_path_factory):
    """Return the first environment at hand that has Keras Applications, and its interpreter."""
    folder = tmp_path_factory.mktemp("applications")
    known = registry.environments()
    for name, python in (item.split("=", 1) for item in pytestconfig.getoption("--python")):
        if inside(known[name], python, folder, "-c", "import keras; keras.applications.ResNet50").returncode == 0:
            return known[name], python
    pytest.skip("no environment at hand has Keras Applications")


@pytest.mark.parametrize("workload", APPLICATIONS)
def test_a_network_is_the_one_of_keras_applications(workload, beside_applications, tmp_path):
    row, python = beside_applications
    if workload not in answered(row):
        pytest.skip(f"{row.title} does not answer {workload}")
    done = inside(row, python, tmp_path, SCRIPT, row.name, workload, *APPLICATIONS[workload].split())
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["parameters"] == report["expected_parameters"] == registry.workload(workload).PARAMETERS
    assert report["error"] <= parity.TOLERANCES["outputs"]
    assert report["contrast"] > 0.01, "outputs that do not depend on the image agree for no reason"
