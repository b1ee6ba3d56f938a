"""On a CPU, a recurrent layer cannot train without its second bias: absent, the process dies; frozen, backward() fails.

Seen in: paddle.
"""

import subprocess
import sys

PROGRAM = """
import paddle
layer = paddle.nn.LSTM(8, 4, bias_hh_attr=%s)
outputs, _ = layer(paddle.ones([2, 3, 8]))
outputs.sum().backward()
"""

for attribute in ("False", "paddle.ParamAttr(trainable=False)"):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM % attribute], check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    )
    print("bias_hh_attr=%s: exit status %d." % (attribute, done.returncode))
    if not done.returncode:
        raise SystemExit("It trains: the defect is gone.")
