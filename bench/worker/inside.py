"""What a request begins with inside an environment: keep to its cores, then import and configure the framework."""

import time
from typing import Any, Dict, List, Tuple

from bench import registry
from bench.errors import DeviceError, Unsupported

OUT_OF_MEMORY: List[type] = [MemoryError]  # and what the framework raises, once it is imported


def framework(request: Dict[str, Any], device: str, precision: str) -> Tuple[registry.Environment, Any, str, float]:
    """Import and configure the framework; return (environment, adapter, device, import seconds).

    Raises Unsupported where it has no such device or precision, DeviceError where a device that it had is gone.
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
