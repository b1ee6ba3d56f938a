from bench.ablations import waits_each_step

vary = waits_each_step.vary
