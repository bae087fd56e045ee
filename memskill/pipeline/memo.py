"""Answers that are kept so that a repeated question costs no model run."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

V = TypeVar("V")


class Memo(Generic[V]):
    """Holds what was made for the last `size` keys that were asked for; safe for threads.

    Two threads that miss the same key at once both make the value, which is the same one.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, V] = OrderedDict()

    def get(self, key: str) -> V | None:
        """Return what is kept under `key`, or None."""
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
            return self._kept.get(key)

    def get_or_make(self, key: str, make: Callable[[], V]) -> V:
        """Return what is kept under `key`; else what `make` returns, which is kept from now on."""
        kept = self.get(key)
        if kept is None:
            kept = make()
            self.put(key, kept)
        return kept

    def put(self, key: str, value: V) -> None:
        """Keep `value` under `key`; the key that nobody asked for longest goes."""
        with self._lock:
            self._kept[key] = value
            self._kept.move_to_end(key)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
