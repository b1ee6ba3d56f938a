"""The questions: one file per workload, in NumPy. The first line of its docstring is its title. It states

- ORDER: its place in every list: the lightest first
- PARAMETERS: how many numbers `weights` has, moving statistics included
- BATCH_SIZES: how many examples a step has; the first is the usual one
- OPTIMIZERS: {name: what it is, in the words of bench/problem.py, every epsilon written out}; empty: it is not
  trained
- LOSS: one of bench/problem.py's losses; None where it is not trained
- DROPOUT: the rates, in the order of the layers
- PARITY_BATCH: how many examples parity is proven on
- weights: of a random state: {name: array}, in the canonical layout of bench/problem.py
- batch: of a random state and a size: x, an array or a tuple of them, and y

and, if needed,

- parity_batch: of a random state: a smaller batch for parity, of a network too large for its usual one
- is_undetermined: of a weight's name: whether training leaves it to chance, so that parity must not compare it
- LAST: names of the weights that leave the kernels before them without a gradient when they are 0; else
  ("head.kernel",)
- PARITY_LEARNING_RATE_SCALE: a factor of the learning rates in parity and in steps on one batch, where losses would
  otherwise diverge
- DATASET: the data set (bench/datasets) that it is trained over
- EPOCHS: how often
- for_training, for_test: of examples as stored (and, first, a random state): the network's inputs, images cut and
  mirrored as in the source
- BATCH_NORM, LAYER_NORM: {"epsilon": ..., "momentum": ...}, the share of the old average: for authors of model files

Other names are a statement's own. Networks end in `head`, and the name of a norm has `norm` in it: adapters know it so.
CONTRIBUTING.md has a template. What two workloads share is imported from the first, and counts in the proof of both.
"""
