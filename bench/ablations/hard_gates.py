"""Gates by a hard sigmoid

Cut off straight at 0 and 1, the default of Keras before version 2.3: clip(0.2 x + 0.5, 0, 1).
"""

WORKLOADS = ("imdb_gru",)
TASKS = ("train",)
IS_SAME = False
