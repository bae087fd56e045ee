"""One pool of threads for all ONNX models of the process, so that they never fight for cores.

A session runs on the thread that calls it and on no other; ONNX Runtime lets go of the GIL
meanwhile. Encoder and reranker share the pool, and so do all requests of a server: however many
ask at once, no more sessions compute than there are threads here.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def worker_count(threads: int) -> int:
    """Return how many threads the setting `threads` means; 0 = one per usable core."""
    if threads > 0:
        return threads
    # The cores this process may use, which in a container are fewer than the machine's.
    affinity = getattr(os, "sched_getaffinity", None)
    return max(1, len(affinity(0)) if affinity else os.cpu_count() or 1)


def in_parallel(work: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return `work(item)` for each item, in the order of `items`.

    The first error in that order is raised. `work` must not call `in_parallel` itself.
    """
    return list(_pool(worker_count(threads), os.getpid()).map(work, items))


@lru_cache
def _pool(workers: int, pid: int) -> ThreadPoolExecutor:
    """Return the pool of `workers` threads; `pid` because threads do not survive a fork."""
    return ThreadPoolExecutor(workers, thread_name_prefix=f"memskill-models-{pid}")
