"""Our networks are those of Keras Applications; parity has proven that those of all environments are alike."""

import json
import os

import pytest
from within import inside, pythons

from bench import registry
from bench.proof import parity

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


@pytest.fixture(scope="module")
def beside_applications(pytestconfig, tmp_path_factory):
    """Return the first environment at hand that has Keras Applications with all of these, and its interpreter."""
    folder, known = tmp_path_factory.mktemp("applications"), registry.environments()
    for name, python in pythons(pytestconfig).items():
        if "keras" in " ".join(known[name].packages).lower() and has_applications(known[name], python, folder):
            return known[name], python
    pytest.skip("no environment at hand has Keras Applications")


def has_applications(row, python, folder):
    """Say whether an environment has Keras Applications with all of these networks."""
    return inside(row, python, folder, folder, "-c", "import keras; keras.applications.EfficientNetB3").returncode == 0


@pytest.mark.parametrize("workload", APPLICATIONS)
def test_a_network_is_the_one_of_keras_applications(workload, beside_applications, tmp_path, record_property):
    row, python = beside_applications
    record_property("environment", row.name)
    if not registry.answers(row, workload):
        pytest.skip(f"{row.title} does not answer {workload}")
    done = inside(row, python, tmp_path, tmp_path, SCRIPT, row.name, workload, *APPLICATIONS[workload].split())
    assert done.returncode == 0, done.stderr[-2000:]
    report = json.loads(done.stdout.splitlines()[-1])
    assert report["parameters"] == report["expected_parameters"] == registry.workload(workload).PARAMETERS
    assert report["error"] <= parity.TOLERANCES["outputs"]
    assert report["contrast"] > 0.01, "outputs that do not depend on the image agree for no reason"
