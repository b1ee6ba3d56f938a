from bench.ablations import dropout_at_test

vary = dropout_at_test.vary
