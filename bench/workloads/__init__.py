"""The questions: one file per workload, in NumPy. The first line of its docstring is its title. A file states:

- `ORDER`: its place in every list, the lightest first
- `PARAMETERS`: the count of numbers that `weights` returns, moving statistics included
- `BATCH_SIZES`: numbers of examples in a step; the first is the usual one
- `OPTIMIZERS`: `{name: optimizer}`, in the words of bench/problem.py, every epsilon written out; empty without training
- `LOSS`: one of bench/problem.py's losses; None without training
- `DROPOUT`: the rates, in the order of the layers
- `PARITY_BATCH`: the number of examples for parity
- `weights(random)`: returns `{name: array}`, in the canonical layout of bench/problem.py
- `batch(random, size)`: returns x, an array or a tuple of arrays, and y

It may also state:

- `parity_batch(random)`: a smaller batch for parity, of a network too large for its usual one
- `is_undetermined(name)`: whether training leaves a weight to chance, so that parity must not compare it
- `LAST`: names of the weights that, if they are 0, leave earlier kernels without a gradient; default `("head.kernel",)`
- `PARITY_LEARNING_RATE_SCALE`: a factor on learning rates in parity and on one batch, if losses would grow without a
  bound or become chaotic
- `DATASET`, `EPOCHS`: the data set (bench/datasets) of its training, and the number of epochs
- `for_training(random, x)`, `for_test(x)`: return the network's inputs for stored examples, with images cut and
  mirrored as in the source
- `BATCH_NORM`, `LAYER_NORM`: `{"epsilon": ..., "momentum": ...}` for authors of model files; momentum is the share of
  the old average

Other names are a statement's own. Networks end in `head`, and the name of a norm contains `norm`, which adapters use.
CONTRIBUTING.md has a template. A statement imports what it shares with an earlier one, and both proofs cover it.
"""
