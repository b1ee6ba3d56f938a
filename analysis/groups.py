"""Group items by a key."""

from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

K = TypeVar("K", bound=Hashable)
T = TypeVar("T")
V = TypeVar("V")


def collected(items: Iterable[tuple[K, V]]) -> dict[K, list[V]]:
    """Return the values of each key, in the order in which both first appear."""
    groups: dict[K, list[V]] = {}
    for key, value in items:
        groups.setdefault(key, []).append(value)
    return groups


def grouped(items: Iterable[T], key: Callable[[T], K]) -> dict[K, list[T]]:
    """Return the items of each key, in the order in which both first appear."""
    return collected((key(item), item) for item in items)
