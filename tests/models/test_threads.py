from __future__ import annotations

import multiprocessing
import os
import threading

import pytest

from memskill.models.threads import in_parallel, worker_count


def test_zero_means_one_thread_a_usable_core():
    assert worker_count(0) == len(os.sched_getaffinity(0))
    assert worker_count(3) == 3


def test_results_come_in_the_order_of_the_items():
    assert in_parallel(lambda x: x * x, range(100), 4) == [x * x for x in range(100)]


def test_an_error_comes_out():
    with pytest.raises(ZeroDivisionError):
        in_parallel(lambda x: 1 // x, [1, 0], 2)


def test_many_callers_together_use_no_more_threads_than_there_are():
    seen: set[str] = set()
    callers = [
        threading.Thread(
            target=in_parallel,
            args=(lambda _: seen.add(threading.current_thread().name), range(50), 2),
        )
        for _ in range(8)
    ]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert 1 <= len(seen) <= 2


def _in_child(queue) -> None:
    queue.put(in_parallel(str, range(3), 2))


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_it_works_in_a_forked_child_of_a_process_that_used_it():
    in_parallel(str, range(3), 2)
    context = multiprocessing.get_context("fork")
    queue = context.Queue()
    child = context.Process(target=_in_child, args=(queue,))
    child.start()
    assert queue.get(timeout=20) == ["0", "1", "2"]
    child.join(20)
