import optax

from bench.ablations import changed

OPTIMIZERS = {
    "sgd": lambda: optax.chain(optax.scale(0.1), optax.sgd(0.01, momentum=0.9)),
}


def vary(program, source):
    return program, changed(source, OPTIMIZERS=OPTIMIZERS)
