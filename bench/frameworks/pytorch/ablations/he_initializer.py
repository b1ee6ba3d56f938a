from bench.ablations import he_initializer

vary = he_initializer.vary
