"""Read the arrays that a program's `outputs()` and `weights()` return, whatever framework made them."""

from typing import Any, Dict, Iterator, List

from bench.versus.inside.program import ProgramError

MOST = 4096  # numbers kept of an array: the first, and then equally spaced ones

Array = Dict[str, Any]  # {"shape": [2, 3], "values": [...]}


def of(program: Any) -> Dict[str, List[Array]]:
    """Return {"outputs": arrays, "weights": arrays} of the functions that a program has."""
    functions = {"outputs": program.outputs, "weights": program.weights}
    return {name: list(_arrays(function(), name)) for name, function in functions.items() if function}


def _arrays(value: Any, name: str) -> Iterator[Array]:
    """Yield all arrays of nested lists, dictionaries (by sorted key) and variables."""
    if isinstance(value, dict) or hasattr(value, "items"):
        items = sorted(dict(value.items()).items(), key=lambda item: str(item[0]))
        value = [inner for _, inner in items]
    if isinstance(value, (list, tuple)) and not _are_numbers(value):
        for inner in value:
            for array in _arrays(inner, name):
                yield array
    else:
        yield _array(value, name)


def _are_numbers(value: Any) -> bool:
    return bool(value) and all(isinstance(item, (int, float)) for item in value)


def _array(value: Any, name: str) -> Array:
    for method in ("detach", "numpy"):  # a tensor that requires gradients; a variable or a tensor of any device
        if hasattr(value, method) and not hasattr(value, "reshape" if method == "numpy" else "_"):
            value = getattr(value, method)()
    if isinstance(value, (int, float)):
        return {"shape": [], "values": [float(value)]}
    if isinstance(value, (list, tuple)):
        return {"shape": [len(value)], "values": [float(item) for item in value[:: _stride(len(value))]]}
    try:
        size = 1
        for side in value.shape:
            size *= int(side)
        values = value.reshape(-1)[:: _stride(size)].tolist()
        return {"shape": [int(side) for side in value.shape], "values": [float(item) for item in values]}
    except (AttributeError, TypeError, ValueError):
        raise ProgramError(
            "%s() returned a %s where arrays or numbers were expected. Return an array, or a list or dictionary of "
            "arrays." % (name, type(value).__name__)
        ) from None


def _stride(size: int) -> int:
    return max(1, size // MOST)
