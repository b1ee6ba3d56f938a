"""Small programs by PyTorch: arguments are a function's name, and "with" or "without" for its cause."""

import sys

import torch
from torch import nn

torch.manual_seed(0)
HAS_CAUSE = sys.argv[2] == "with"


def training(model, x, before=id):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

    def step():
        loss = model(x).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        before(loss)
        return loss

    return step


def perceptron(inputs=20, hidden=32):
    return nn.Sequential(nn.Linear(inputs, hidden), nn.ReLU(), nn.Linear(hidden, 1))


def graph_breaks():
    layers = perceptron()

    def forward(x):
        y = layers[0](x)
        if HAS_CAUSE:
            print("after the first layer", file=sys.stderr)
        return layers[2](layers[1](y))

    compiled = torch.compile(forward, backend="eager")
    x = torch.randn(4, 20)
    return lambda: compiled(x).sum()


def recompilation():
    state = {"steps": 0}

    @torch.compile(backend="eager", dynamic=False)
    def forward(x):
        return x.sin().sum()

    def step():
        state["steps"] += HAS_CAUSE
        return forward(torch.ones(4 + state["steps"]))

    return step


def compiled_on_one_side():
    model = perceptron()
    return training(model if HAS_CAUSE else torch.compile(model, backend="eager"), torch.randn(4, 20))


def fetches():
    def fetch_all(loss):
        values = loss.detach().expand(3000)
        return [value.item() for value in values] if HAS_CAUSE else None

    return training(perceptron(), torch.randn(4, 20), fetch_all)


def gradients_recorded():
    model, x = perceptron(), torch.randn(4, 20)

    def step():
        with torch.set_grad_enabled(HAS_CAUSE):
            return model(x).sum().detach()

    return step


def training_flag():
    model = nn.Sequential(nn.Linear(20, 8), nn.Dropout(0.5), nn.Linear(8, 1)).train(not HAS_CAUSE)
    return training(model, torch.randn(4, 20))


def memory_format():
    model, x = nn.Conv2d(3, 8, 3), torch.randn(2, 3, 16, 16)
    layout = torch.channels_last if HAS_CAUSE else torch.contiguous_format
    return training(model.to(memory_format=layout), x.to(memory_format=layout))


def precision():
    model, x = perceptron(), torch.randn(4, 20)

    def step():
        with torch.autocast("cpu", torch.bfloat16, enabled=HAS_CAUSE):
            return model(x).float().sum().detach()

    return step


def subnormals():
    model = perceptron()
    if HAS_CAUSE:
        with torch.no_grad():
            model[0].weight.mul_(1e-39)
    return training(model, torch.zeros(4, 20))


def batch_size():
    return training(perceptron(), torch.randn(8 if HAS_CAUSE else 4, 20))


def model_size():
    return training(perceptron(hidden=64 if HAS_CAUSE else 32), torch.randn(4, 20))


def optimizer_settings():
    model, x = perceptron(), torch.randn(4, 20)
    optimizer = torch.optim.Adam(model.parameters(), weight_decay=0.1 if HAS_CAUSE else 0.0)

    def step():
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    return step


def threads():
    torch.set_num_threads(2 if HAS_CAUSE else 1)
    return training(perceptron(), torch.randn(4, 20))


def python_loop():
    layer, cell, x = nn.LSTM(6, 5, batch_first=True), nn.LSTMCell(6, 5), torch.randn(3, 12, 6)

    def step():
        if not HAS_CAUSE:
            return layer(x)[0].sum().detach()
        state = None
        for moment in x.unbind(1):
            state = cell(moment, state)
        return state[0].sum().detach()

    return step


def build():
    return globals()[sys.argv[1]]()
