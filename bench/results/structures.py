"""The base of the classes of lines: structures of msgspec, which decodes them fast, or else dataclasses.

A bench runs with NumPy alone, without msgspec.
"""

from typing import Any, NamedTuple

__all__ = ["Meta", "Struct"]

try:
    from msgspec import Meta, Struct
except ImportError:
    import dataclasses

    class Meta(NamedTuple):  # type: ignore[no-redef]
        """Bounds of a value, as in msgspec."""

        ge: float | None = None
        le: float | None = None
        pattern: str | None = None
        max_length: int | None = None

    class Struct:  # type: ignore[no-redef]
        """A class whose annotations become the fields of a dataclass."""

        def __init_subclass__(cls, **_: Any) -> None:
            """Make each subclass a dataclass whose fields are passed by name."""
            dataclasses.dataclass(kw_only=True)(cls)
