from bench.ablations import shuffled_batches

vary = shuffled_batches.vary
