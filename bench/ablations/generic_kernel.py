"""A cell in a loop instead of the library's recurrent layer

The same equations from the same weights, one step of the sequence after the other: what the layer's own kernel saves.
"""

WORKLOADS = ("imdb_gru",)
TASKS = ("train",)
IS_SAME = True
