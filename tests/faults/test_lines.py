"""What was recorded stays recorded, and what is not as it was written is found."""

import json
import os
import signal
import subprocess
import sys

import numpy as np
import pytest
from records_for_tests import END, RUN
