from bench.ablations import batch_on_host

vary = batch_on_host.vary
