"""Begin a request inside an environment: import and configure the framework."""

import time
from typing import Any, Dict, List, Tuple

from bench import registry
from bench.errors import DeviceError, Unsupported

OUT_OF_MEMORY: List[type] = [MemoryError]  # extended by the framework's own types after its import


def framework(request: Dict[str, Any], device: str, precision: str) -> Tuple[registry.Environment, Any, str, float]:
    """Import and configure the framework; return (environment, adapter, device, import seconds).

    Raises Unsupported for a missing device or precision, DeviceError if a device disappeared since the probe.
    """
    begin = time.perf_counter()
    environment = registry.environment(request["environment"], request["frameworks"])
    adapter = registry.adapter(environment)
    import_s = time.perf_counter() - begin
    OUT_OF_MEMORY.extend(adapter.OUT_OF_MEMORY)
    seen = adapter.devices()
    device = device or seen[0]
    if device not in seen:
        message = "%s sees no %s here, only: %s" % (environment.title, device, ", ".join(seen))
        if request["request"] == "measure":
            raise DeviceError(message + "; it saw one when it was probed")
        raise Unsupported(message)
    if precision not in environment.precisions:
        raise Unsupported("%s has no %s; its adapter sets: %s" % (
            environment.title, precision, ", ".join(environment.precisions)))  # fmt: skip
    adapter.configure(device, request["threads"], precision)
    return environment, adapter, device, import_s
