"""Measure deep-learning frameworks against each other; NumPy and the standard library only (Python 3.6 and later).

Inside an environment, in a process of its own: worker, inside, run, programs, measure, steady, epochs, feeding,
brought, loaders, late, answer, naming, contract, candidate, moves, ceiling, dataset, slowed, sabotage, unfinished.

From outside, which drives those: __main__, options, arguments, preflight, opening, rounds, turns, processes, variables,
strays, stopping, past, campaign, plausible, disturbance, telemetry, sampler, neighbours, on_device, report, progress,
lock, check, variants, outcomes, borrowed, archive, prepare, download, peaks, system, mistakes, rivals.

Known to both: registry, own_controls, ablations, compiling, workloads, datasets, photographs, problem, examples, cases,
profiles, errors, machine, replies, records, schema, proof, hashes, parity, majority, sound, used, device_answers,
migration, modules, oracle, places, proof_hashes, purity, slices, starts, unfollowed.
"""
