# SPDX-License-Identifier: BSD-3-Clause
"""The executor with a process for each worker."""

import concurrent.futures
import functools
import gc
import os
import signal
import subprocess
import sys
import threading
import time
import unittest
import weakref
from unittest import mock
from concurrent.futures.process import BrokenProcessPool

import hybridsched as hs
from common import InFolder, has, script
from hybridsched import _executor, _learned, _process, _worker


def square(number):
    return number * number


def place():
    """Return the process and what it sees of the worker."""
    names = ("HSCHED_WORKER", "HSCHED_GPU", "CUDA_VISIBLE_DEVICES")
    return (os.getpid(), *(os.environ.get(name) for name in names))


def add(numbers, number):
    numbers.append(number)
    return numbers


class Counter:
    """A callable with a state."""

    alive = weakref.WeakSet()

    def __init__(self):
        self.count = 0

    def __setstate__(self, state):
        self.__dict__ = state
        self.alive.add(self)

    def __call__(self):
        self.count += 1
        return self.count

    def step(self):
        return self()


def echo(data):
    return data


def counters_alive():
    return len(Counter.alive)


def fork_and_die(path, parent):
    """End this process, but not a fork of it before there is a file."""
    if not os.fork():
        while not os.path.exists(path) and os.path.exists(f"/proc/{parent}"):
            time.sleep(0.005)
    os._exit(5)


@hs.gpu
def gpu_place():
    return place()


@hs.both
def uneven():
    """Last longer on a CPU; return the type of worker."""
    on_cpu = "HSCHED_GPU" not in os.environ
    time.sleep(0.3 if on_cpu else 1e-3)
    return "cpu" if on_cpu else "gpu"


@hs.both
def meet(name):
    """Wait until a worker of each type runs this; return the type of this one."""
    kind, other = ("gpu", "cpu") if "HSCHED_GPU" in os.environ else ("cpu", "gpu")
    with open(f"{name}.{kind}", "w", encoding="utf-8"):
        pass
    while not os.path.exists(f"{name}.{other}"):
        time.sleep(0.005)
    return kind


def wait_for(path, then=None):
    """Wait until there is a file; first make one that tells the process."""
    with open(path + ".pid", "w", encoding="utf-8") as file:
        file.write(str(os.getpid()))
    os.rename(path + ".pid", path + ".started")
    while not os.path.exists(path):
        time.sleep(0.005)
    return then


def fail(text):
    raise ValueError(text)


class Unloadable(Exception):
    def __init__(self, one, two):
        super().__init__(one)


def raise_unloadable():
    raise Unloadable(1, 2)


class Slow:
    """An argument that tells when it is pickled, and then waits."""

    def __init__(self):
        self.begun, self.go = threading.Event(), threading.Event()

    def __reduce__(self):
        self.begun.set()
        self.go.wait()
        return int, (2,)


def wait_until(condition):
    while not condition():
        time.sleep(0.005)


class Futures(InFolder):
    def executor(self, *arguments, **options):
        made = hs.Executor(*arguments, **options)
        self.addCleanup(made.shutdown, cancel_futures=True)
        return made

    def test_results_and_map(self):
        with hs.Executor(2) as ex:
            futures = [ex.submit(square, n) for n in range(20)]
            self.assertEqual([f.result() for f in futures], [n * n for n in range(20)])
            self.assertEqual(ex.submit(int, "11", base=3).result(), 4)
            self.assertEqual(list(ex.map(pow, range(7), [2] * 9)), [n * n for n in range(7)])
            for chunk in (2, 3, 100):
                self.assertEqual(list(ex.map(pow, range(7), [2] * 9, chunksize=chunk)),
                                 [n * n for n in range(7)])
            self.assertEqual(list(ex.map(square, [], chunksize=2)), [])
            with self.assertRaises(ValueError):
                ex.map(square, [1], chunksize=0)
        with self.assertRaisesRegex(RuntimeError, "after shutdown"):
            ex.submit(square, 1)

    def test_an_executor_with_given_times_waits_for_its_futures(self):
        ex = self.executor(1)
        running = ex.submit(wait_for, "end", 5)
        with ex.task(cpu=1) as timed:
            futures = [timed.submit(square, n) for n in range(20)]
            self.assertFalse(futures[19].done())
            with open("end", "w", encoding="utf-8"):
                pass
        self.assertEqual([f.done() for f in futures], [True] * 20)
        with self.assertRaisesRegex(RuntimeError, "after shutdown"):
            timed.submit(square, 1)
        self.assertEqual((running.result(), ex.submit(square, 3).result()), (5, 9))
        timed = ex.task(cpu=1)
        blocker = ex.submit(wait_for, "second")
        futures = [timed.submit(square, n) for n in range(3)]
        timed.shutdown(wait=False, cancel_futures=True)
        self.assertEqual([f.cancelled() for f in futures], [True] * 3)
        with open("second", "w", encoding="utf-8"):
            pass
        blocker.result()

    def test_exceptions_have_the_traceback_of_the_process(self):
        ex = self.executor(1)
        error = ex.submit(fail, "of mine").exception()
        self.assertEqual((type(error), error.args), (ValueError, ("of mine",)))
        self.assertRegex(str(error.__cause__), r"test_executor.py.*\n.*raise ValueError")
        self.assertEqual(ex.submit(sys.exit, 3).exception().code, 3)
        self.assertEqual(type(ex.submit(signal.raise_signal, signal.SIGINT).exception()),
                         KeyboardInterrupt)
        self.assertEqual(ex.submit(square, 3).result(), 9)

    def test_what_cannot_be_pickled(self):
        ex = self.executor(1)
        pid = ex.submit(os.getpid).result()
        self.assertTrue(ex.submit(square, threading.Lock()).exception())
        self.assertRegex(str(ex.submit(threading.Lock).exception()), "result.*cannot be pickled")
        self.assertIsInstance(ex.submit(raise_unloadable).exception(), TypeError)
        self.assertEqual(ex.submit(os.getpid).result(), pid)

    def test_callables_have_the_state_of_the_caller(self):
        ex, counter = self.executor(1), Counter()
        for _ in range(3):
            self.assertEqual(ex.submit(counter).result(), 1)
            self.assertEqual(ex.submit(counter.step).result(), 1)
            self.assertEqual(ex.submit(functools.partial(add, []), 2).result(), [2])

    def test_a_process_keeps_no_callable(self):
        ex = self.executor(1)
        for _ in range(3):
            ex.submit(Counter()).result()
            ex.submit(Counter().step).result()
        self.assertEqual(ex.submit(counters_alive).result(), 0)

    def test_callbacks_that_raise_end_no_worker(self):
        ex = self.executor(1)
        running = ex.submit(wait_for, "end", 5)
        running.add_done_callback(lambda _: sys.exit(3))
        with self.assertLogs("concurrent.futures", "ERROR"):
            with open("end", "w", encoding="utf-8"):
                pass
            self.assertEqual(ex.submit(square, 3).result(), 9)

    def test_a_process_that_cannot_be_replaced_fails_its_task(self):
        ex = self.executor(1)
        worker, pid = ex._pool.workers[0], ex.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not worker.process.alive())
        with mock.patch.object(_executor, "Process", side_effect=OSError("of mine")):
            future = ex.submit(square, 3)
            worker.join()
        self.assertTrue(future.done())
        self.assertIsInstance(future.exception(), BrokenProcessPool)
        self.assertIn("of mine", str(future.exception()))

    def test_a_thread_that_cannot_start_is_a_broken_worker(self):
        ex, start = self.executor(2), _executor._Worker.start
        with mock.patch.object(_executor._Worker, "start", side_effect=RuntimeError("no thread")):
            with self.assertRaisesRegex(BrokenProcessPool, "no thread"):
                ex.submit(square, 1)
        ex.shutdown()
        self.assertNotIn(ex._pool, _executor._open_pools)

        def fail_once(worker):
            if worker.number == 0:
                raise RuntimeError("no thread")
            start(worker)

        ex = self.executor(2)
        with mock.patch.object(_executor._Worker, "start", fail_once):
            self.assertEqual(ex.submit(square, 3).result(), 9)
        ex.shutdown()

    def test_tasks_wait_for_memory(self):
        ex, failed = self.executor(1), []
        push = ex._pool.queue.push

        def fail(*arguments, **times):
            if len(failed) < 6:  # the last time when a worker looks for a task
                failed.append(1)
                raise hs.NoMemory("of mine")
            return push(*arguments, **times)

        with mock.patch.object(ex._pool.queue, "push", fail):
            futures = [ex.submit(square, n) for n in range(5)]
            self.assertEqual([f.result() for f in futures], [0, 1, 4, 9, 16])
        self.assertEqual(len(failed), 6)

    def test_an_answer_that_cannot_be_read_fails_its_task(self):
        ex = self.executor(1)
        pid = ex.submit(os.getpid).result()
        with mock.patch.object(_process.Process, "receive", side_effect=MemoryError):
            self.assertIsInstance(ex.submit(square, 3).exception(), MemoryError)
        self.assertNotEqual(ex.submit(os.getpid).result(), pid)

    @unittest.skipUnless(hasattr(os, "pidfd_open"), "this system tells no end of a process")
    def test_a_process_that_ends_before_its_fork(self):
        ex = self.executor(1)
        error = ex.submit(fork_and_die, os.path.abspath("end"), os.getpid()).exception()
        with open("end", "w", encoding="utf-8"):
            pass
        self.assertIsInstance(error, BrokenProcessPool)
        self.assertIn("exited with 5", str(error))

    def test_a_process_that_ends_fails_its_task_alone(self):
        ex = self.executor(2)
        futures = [ex.submit(square, n) for n in range(500)]
        futures.append(ex.submit(os._exit, 7))
        futures += [ex.submit(square, n) for n in range(499)]
        errors = [f.exception() for f in futures]
        self.assertEqual(len([f for f in futures if not f.exception()]), 999)
        self.assertIsInstance(errors[500], BrokenProcessPool)
        self.assertIn("exited with 7", str(errors[500]))
        for _ in range(3):
            killed = ex.submit(signal.raise_signal, signal.SIGKILL)
            self.assertIn("signal 9", str(killed.exception()))

    def test_an_idle_process_that_ends_is_replaced(self):
        ex = self.executor(1)
        pid = ex.submit(os.getpid).result()
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: not ex._pool.workers[0].process.alive())
        self.assertNotEqual(ex.submit(os.getpid).result(), pid)

    def test_cancel(self):
        ex = self.executor(1)
        running = ex.submit(wait_for, "end", 5)
        wait_until(lambda: os.path.exists("end.started"))
        waiting = [ex.submit(square, n) for n in range(3)]
        self.assertFalse(running.cancel())
        self.assertTrue(waiting[1].cancel())
        with open("end", "w", encoding="utf-8"):
            pass
        done, left = concurrent.futures.wait([running, *waiting])
        self.assertEqual((len(done), left), (4, set()))
        self.assertEqual([f.result() for f in (running, waiting[0], waiting[2])], [5, 0, 4])

    def test_shutdown_cancels_futures(self):
        ex = self.executor(1)
        running = ex.submit(wait_for, "end", 5)
        wait_until(lambda: os.path.exists("end.started"))
        waiting = [ex.submit(square, n) for n in range(3)]
        ex.shutdown(wait=False, cancel_futures=True)
        self.assertEqual([f.cancelled() for f in waiting], [True] * 3)
        self.assertEqual(len(concurrent.futures.wait(waiting).done), 3)
        with open("end", "w", encoding="utf-8"):
            pass
        ex.shutdown()
        self.assertEqual(running.result(), 5)

    def test_callbacks_that_raise_prevent_no_cancellation(self):
        ex = self.executor(1)
        running = ex.submit(wait_for, "end", 5)
        wait_until(lambda: os.path.exists("end.started"))
        for shutdown in (ex.task(cpu=1).shutdown, ex.shutdown):
            owner = shutdown.__self__
            waiting = [owner.submit(square, n) for n in range(3)]
            waiting[0].add_done_callback(lambda _: sys.exit(3))
            with self.assertRaises(SystemExit):
                shutdown(wait=False, cancel_futures=True)
            self.assertEqual([f.cancelled() for f in waiting], [True] * 3)
        self.assertEqual(len(concurrent.futures.wait(waiting).done), 3)
        with open("end", "w", encoding="utf-8"):
            pass
        self.assertEqual(running.result(), 5)

    def test_callbacks_may_submit(self):
        ex, results = self.executor(1), []
        def again(future):
            results.append(future.result())
            if len(results) < 3:
                ex.submit(square, len(results)).add_done_callback(again)
            else:
                ended.set()
        ended = threading.Event()
        ex.submit(square, 5).add_done_callback(again)
        ended.wait()
        self.assertEqual(results, [25, 1, 4])

    def test_a_forgotten_executor_completes_its_tasks_and_ends(self):
        ex = hs.Executor(1)
        pool, future = ex._pool, ex.submit(square, 4)
        del ex
        gc.collect()
        self.assertEqual(future.result(), 16)
        pool.workers[0].join()
        self.assertNotIn(pool, _executor._open_pools)

    def test_wrong_use(self):
        with self.assertRaises(hs.NoWorker):
            hs.Executor(0, 0)
        ex = self.executor(1)
        with self.assertRaisesRegex(hs.NoWorker, "gpu_place"):
            ex.submit(gpu_place)
        for wrong in (0, -1, float("nan")):
            with self.assertRaises(hs.InvalidTime):
                ex.task(cpu=wrong)
        with self.assertRaises(hs.NoWorker):
            ex.task(gpu=1).submit(square, 1)
        with self.assertRaises(hs.MissingResource):
            hs.Executor(1, 10**4)
        with self.assertRaisesRegex(TypeError, "expected a list"):
            hs.Executor(1, devices="GPU-1f")
        for function in (pow, Counter().step):
            for mark in (hs.gpu, hs.both):
                with self.assertRaisesRegex(TypeError, "wrap it in a function"):
                    mark(function)


class Ahead(InFolder):
    """Short tasks that are sent to a process while it calls another function."""

    def begin(self, *functions):
        """Run wait_for("end") on a worker, with the functions behind it. Return all futures."""
        blockers = [self.ex.submit(wait_for, f"gate{n}") for n in range(len(self.ex._pool.workers))]
        wait_until(lambda: all(os.path.exists(f"gate{n}.started") for n in range(len(blockers))))
        timed = self.ex.task(cpu=1e-3)
        futures = [timed.submit(wait_for, "end", 5)]
        futures += [timed.submit(*function) for function in functions]
        open("gate0", "w", encoding="utf-8").close()
        wait_until(lambda: os.path.exists("end.started")
                   and any(worker.ahead for worker in self.ex._pool.workers))
        return futures

    def executor(self, cpus, **options):
        self.ex = hs.Executor(cpus, **options)
        self.addCleanup(self.ex.shutdown, cancel_futures=True)

    def test_an_idle_worker_takes_it_back(self):
        self.executor(2)
        futures = self.begin((place,), (place,), (place,))
        open("gate1", "w", encoding="utf-8").close()
        places = {future.result()[:2] for future in futures[1:]}
        self.assertEqual(len(places), 1)
        self.assertFalse(futures[0].done())
        open("end", "w", encoding="utf-8").close()
        self.assertEqual(futures[0].result(), 5)
        for future in [self.ex.task(cpu=1e-3).submit(square, n) for n in range(50)]:
            future.result()

    def test_a_new_process_gets_it(self):
        self.executor(1)
        futures = self.begin((square, 2), (square, 3))
        with open("end.started", encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        self.assertIsInstance(futures[0].exception(), BrokenProcessPool)
        self.assertEqual([future.result() for future in futures[1:]], [4, 9])

    def test_a_worker_that_ends_leaves_it_to_others(self):
        self.executor(2)
        futures = self.begin((square, 2), (square, 3), (square, 4))
        with open("end.started", encoding="utf-8") as file, \
                mock.patch.object(_executor, "Process", side_effect=OSError("of mine")):
            os.kill(int(file.read()), signal.SIGKILL)
            self.assertIsInstance(futures[0].exception(), BrokenProcessPool)
            wait_until(lambda: len(self.ex._pool.live) == 1)
        open("gate1", "w", encoding="utf-8").close()
        self.assertEqual([future.result() for future in futures[1:]], [4, 9, 16])

    def test_one_that_had_begun_is_not_called_again(self):
        self.executor(1)
        receive, failed = _process.Process.receive, []

        def fail(process):
            answer = receive(process)
            if os.path.exists("end") and not failed:
                failed.append(1)
                wait_until(lambda: os.path.exists("second.started"))
                raise MemoryError
            return answer

        with mock.patch.object(_process.Process, "receive", fail):
            futures = self.begin((wait_for, "second"), (square, 3))
            open("end", "w", encoding="utf-8").close()
            self.assertIsInstance(futures[0].exception(), MemoryError)
            self.assertIsInstance(futures[1].exception(), BrokenProcessPool)
            self.assertEqual(futures[2].result(), 9)

    def test_the_last_worker_of_a_type_fails_it(self):
        self.executor(1)
        futures = self.begin((square, 2), (square, 3))
        with open("end.started", encoding="utf-8") as file, \
                mock.patch.object(_executor, "Process", side_effect=OSError("of mine")):
            os.kill(int(file.read()), signal.SIGKILL)
            for future in futures:
                self.assertIsInstance(future.exception(), BrokenProcessPool)

    def end_behind_the_others(self, busy, task, last=()):
        """Send a task ahead after the other worker has left, then end the process for good.

        busy, task: executors for the function that delays the other worker, and for the task.
        last: functions that the other worker calls before it leaves.
        """
        pool, slow, closing, go = self.ex._pool, Slow(), threading.Event(), threading.Event()
        close = _process.Process.close

        def wait_and_close(process):
            closing.set()
            go.wait()
            close(process)

        self.addCleanup(go.set)
        self.addCleanup(slow.go.set)
        self.ex.submit(wait_for, "gate0")
        wait_until(lambda: os.path.exists("gate0.started"))
        busy.submit(wait_for, "gate1")
        wait_until(lambda: os.path.exists("gate1.started"))
        first = self.ex.task(cpu=1e-3).submit(wait_for, "end")
        future = task.submit(echo, slow)
        for function in last:
            self.ex.task(cpu=1e-3).submit(*function)
        open("gate0", "w", encoding="utf-8").close()
        slow.begun.wait()
        wait_until(lambda: os.path.exists("end.started"))
        with open("end.started", encoding="utf-8") as file:
            pid = int(file.read())
        worker = next(one for one in pool.workers if one.process._process.pid == pid)
        self.ex.shutdown(wait=False)
        with mock.patch.object(_process.Process, "close", wait_and_close), \
                mock.patch.object(_executor, "Process", side_effect=OSError("of mine")):
            open("gate1", "w", encoding="utf-8").close()
            closing.wait()
            os.kill(pid, signal.SIGKILL)
            slow.go.set()
            worker.join()
        self.assertIsInstance(first.exception(), BrokenProcessPool)
        self.assertTrue(future.done())
        self.assertIn("of mine", str(future.exception()))
        self.assertIn(pool, _executor._open_pools)
        go.set()
        self.ex.shutdown()
        self.assertNotIn(pool, _executor._open_pools)

    def test_the_last_worker_fails_it_while_another_one_leaves(self):
        self.executor(2)
        self.end_behind_the_others(self.ex, self.ex.task(cpu=1e-3), [(square, 3)])

    def test_the_last_worker_fails_it_after_the_other_type_has_left(self):
        self.executor(1, devices=["0"])
        self.end_behind_the_others(self.ex.task(gpu=1), self.ex.task(cpu=1e-3, gpu=1e-3))

    def test_arguments_that_cannot_be_pickled(self):
        self.executor(1)
        timed = self.ex.task(cpu=1e-3)
        futures = [timed.submit(square, number) for number in (1, threading.Lock(), 3) * 10]
        self.assertEqual([bool(future.exception()) for future in futures],
                         [False, True, False] * 10)

    def test_long_messages_do_not_meet(self):
        self.executor(1)
        data, timed = bytes(10**6), self.ex.task(cpu=1e-3)
        for future in [timed.submit(echo, data) for _ in range(10)]:
            self.assertEqual(len(future.result()), 10**6)

    def test_long_tasks_are_not_sent(self):
        self.executor(1)
        blocker = self.ex.task(cpu=1e-3).submit(wait_for, "end")
        waiting = [self.ex.task(cpu=1).submit(square, n) for n in range(3)]
        wait_until(lambda: os.path.exists("end.started"))
        self.assertTrue(all(future.cancel() for future in waiting))
        open("end", "w", encoding="utf-8").close()
        blocker.result()

    def test_tokens(self):
        reader, writer = os.pipe()
        self.addCleanup(os.close, reader)
        self.addCleanup(os.close, writer)
        os.set_blocking(reader, False)
        tokens = _worker.Tokens(reader)
        self.assertTrue(tokens.take(0))
        self.assertFalse(tokens.take(1))
        os.write(writer, bytes([3]))
        self.assertFalse(tokens.take(2))  # 2 was taken back, and 3 announced
        self.assertTrue(tokens.take(0))
        self.assertTrue(tokens.take(3))
        self.assertFalse(tokens.take(3))


class Types(InFolder):
    def test_each_process_sees_its_device(self):
        with hs.Executor(2, devices=["5", "GPU-7"]) as ex:
            found = {f.result()[1:] for f in [ex.submit(gpu_place) for _ in range(40)]}
            self.assertLessEqual(found, {("gpu0", "0", "5"), ("gpu1", "1", "GPU-7")})
            found = {f.result()[1:] for f in [ex.submit(place) for _ in range(40)]}
            self.assertLessEqual(found, {("cpu0", None, "-1"), ("cpu1", None, "-1")})

    def test_marks_of_partial_functions(self):
        with hs.Executor(1, devices=["0"]) as ex:
            marked = hs.gpu(functools.partial(place))
            for fn in (marked, functools.partial(marked), functools.partial(gpu_place)):
                self.assertEqual(ex.submit(fn).result()[1], "gpu0")
            self.assertEqual(ex.submit(functools.partial(place)).result()[1], "cpu0")

    def test_cpu_workers_inherit_no_gpu(self):
        with mock.patch.dict(os.environ, HSCHED_GPU="0"), hs.Executor(1) as ex:
            self.assertEqual(ex.submit(place).result()[1:], ("cpu0", None, "-1"))

    @unittest.skipUnless(has("pandas"), "pandas is missing")
    def test_times_of_partial_functions_are_those_of_the_function(self):
        known, before = hs.Profile(), int(time.time())
        with hs.Executor(1, profile=known) as ex:
            for number in range(4):
                ex.submit(functools.partial(square, number)).result()
        frame = known.frame()
        self.assertEqual(len(frame), 1)
        self.assertGreaterEqual(frame["last"].tolist()[0].timestamp(), before)

    def test_each_type_is_tried_and_the_times_are_kept(self):
        known = hs.Profile()
        with hs.Executor(1, devices=["0"], profile=known) as ex:
            for meeting in ("first", "later"):
                futures = [ex.submit(meet, meeting) for _ in range(2)]
                self.assertEqual({f.result() for f in futures}, {"cpu", "gpu"})
        found = _learned.Times(f"python:{__name__}.meet", known)
        self.assertGreater(min(found.mean("cpu"), found.mean("gpu")), 0)
        self.assertEqual(len(known), 2)

    def test_a_first_call_counts_only_alone(self):
        times = _learned.Times("python:f", hs.Profile())
        for kind, worker, other in (("cpu", 0, 1), ("gpu", 2, 3)):
            self.assertIsNone(times.mean(kind))
            self.assertTrue(times.wants_trial(kind, worker) and times.wants_trial(kind, other))
            times.begin(kind, worker)
            self.assertTrue(times.wants_trial(kind, worker))
            self.assertFalse(times.wants_trial(kind, other))
            times.observe(kind, 9.0, True)
            self.assertEqual(times.mean(kind), 9.0)
            times.begin(kind, worker)
            self.assertFalse(times.wants_trial(kind, worker))
            times.observe(kind, 0.5, False)
            times.observe(kind, 8.0, True)
            self.assertEqual(times.mean(kind), 0.5)

    def test_the_other_type_gets_what_it_ends_sooner(self):
        known = hs.Profile()
        known.observe(f"python:{__name__}.uneven", "cpu", 1000)
        known.observe(f"python:{__name__}.uneven", "gpu", 1e-3)
        with hs.Executor(1, devices=["0"], profile=known) as ex:
            kinds = [f.result() for f in [ex.submit(uneven) for _ in range(20)]]
        self.assertEqual(kinds, ["gpu"] * 20)

    def test_given_times_decide(self):
        with hs.Executor(1, devices=["0"]) as ex:
            futures = [ex.task(cpu=3600, gpu=1e-3).submit(place) for _ in range(5)]
            futures += [ex.task(cpu=1e-3, gpu=3600).submit(place) for _ in range(5)]
            self.assertEqual([f.result()[1] for f in futures], ["gpu0"] * 5 + ["cpu0"] * 5)
            self.assertEqual(ex.task(cpu=1).submit(gpu_place).result()[1], "cpu0")
            self.assertEqual(list(ex.task(gpu=1).map(square, [3])), [9])

    @unittest.skipUnless(hs.features()["profile"], "this build has no profiles")
    def test_a_profile_in_a_file(self):
        for _ in range(2):
            with hs.Executor(1, profile="times.db") as ex:
                for _ in range(3):
                    ex.submit(square, 1).result()
        frame = hs.Profile("times.db")
        self.assertEqual(len(frame), 1)
        with self.assertRaises(hs.Error):
            ex = hs.Executor(1, profile="folder/times.db")
            ex.submit(square, 1).result()
            ex.submit(square, 1).result()
            ex.shutdown()


class Processes(InFolder):
    def test_a_start_that_fails_is_reported(self):
        with open("broken.py", "w", encoding="utf-8") as file:
            file.write("""
import sys, hybridsched as hs
if __name__ == "__mp_main__":
    raise ImportError("only once")
if __name__ == "__main__":
    with hs.Executor(2) as ex:
        futures = [ex.submit(abs, -1) for _ in range(3)]
        for future in futures:
            assert "only once" in str(future.exception()), future.exception()
        try:
            ex.submit(abs, 1)
        except RuntimeError as error:
            assert "only once" in str(error)
            sys.exit(3)
""")
        if has("cloudpickle"):
            self.skipTest("with cloudpickle, workers do not import main")
        self.assertEqual(subprocess.run([sys.executable, "broken.py"]).returncode, 3)

    def test_starts_that_fail_keep_no_descriptor(self):
        with open("refuses.py", "w", encoding="utf-8") as file:
            file.write("""
import sys
from multiprocessing.connection import Connection
connection = Connection(int(sys.argv[1]))
connection.recv_bytes()
connection.send_bytes(b"of mine")
connection.recv_bytes()
""")
        open("ends.py", "w", encoding="utf-8").close()
        done = script("""
import os
from unittest import mock
from hybridsched import _process
def fail(program, **read):
    with mock.patch.object(_process, "PROGRAM", program):
        with mock.patch.object(_process.Process, "_read", **read):
            try:
                _process.Process("worker", {})
            except BaseException as error:
                return type(error).__name__, str(error)
read = {"autospec": True, "side_effect": _process.Process._read}
before = os.listdir("/proc/self/fd")
print(fail("ends.py", **read))
print(fail("refuses.py", **read))
print(fail("refuses.py", side_effect=KeyboardInterrupt))
assert os.listdir("/proc/self/fd") == before, os.listdir("/proc/self/fd")
""")
        self.assertEqual(done.returncode, 0, done.stderr)
        for line, words in zip(done.stdout.splitlines(), ("exited with 0", "of mine", "Keyboard")):
            self.assertIn(words, line)
        self.assertEqual(done.stdout.count("\n"), 3)

    def test_an_interrupt_while_a_process_starts(self):
        with open("early.py", "w", encoding="utf-8") as file:
            file.write(f"""
import os, runpy, signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # even if this process ignores it
os.kill(os.getpid(), signal.SIGINT)
runpy.run_path({_process.PROGRAM!r}, run_name="__main__")
""")
        with mock.patch.object(_process, "PROGRAM", os.path.abspath("early.py")):
            with hs.Executor(1) as ex:
                self.assertEqual(ex.submit(square, 3).result(), 9)
                self.assertEqual(type(ex.submit(signal.raise_signal, signal.SIGINT).exception()),
                                 KeyboardInterrupt)

    def test_a_fork_does_not_delay_the_shutdown(self):
        with hs.Executor(1) as ex:
            ex.submit(square, 1).result()
            reader, writer = os.pipe()
            child = os.fork()
            if not child:
                os.close(writer)
                os.read(reader, 1)
                os._exit(0)
            os.close(reader)
        os.close(writer)
        os.waitpid(child, 0)

    def test_a_script_without_a_guard_is_told(self):
        with open("main.py", "w", encoding="utf-8") as file:
            file.write("import hybridsched as hs\nwith hs.Executor(1) as ex:\n"
                       "    print(ex.submit(abs, -1).exception())\n")
        done = subprocess.run([sys.executable, "main.py"], stdout=subprocess.PIPE, text=True)
        self.assertIn("None" if has("cloudpickle") else 'if __name__ == "__main__"', done.stdout)

    def test_functions_of_main(self):
        with open("main.py", "w", encoding="utf-8") as file:
            file.write("""
import hybridsched as hs
def twice(number):
    return 2 * number
if __name__ == "__main__":
    with hs.Executor(1) as ex:
        assert list(ex.map(twice, [1, 2])) == [2, 4]
""")
        self.assertEqual(subprocess.run([sys.executable, "main.py"]).returncode, 0)

    def test_the_exit_completes_tasks(self):
        done = script("""
import hybridsched as hs
ex = hs.Executor(1)
for number in range(5):
    ex.submit(abs, -number).add_done_callback(lambda f: print(f.result(), flush=True))
""")
        self.assertEqual((done.returncode, done.stdout.split()), (0, list("01234")), done.stderr)

    def test_no_process_is_left_if_the_parent_is_killed(self):
        parent = subprocess.Popen([sys.executable, "-c", """
import time, hybridsched as hs
ex = hs.Executor(2)
for _ in range(2):
    ex.submit(time.sleep, 3600)
while not all(one.process and one.began for one in ex._pool.workers):
    time.sleep(0.005)
print(*(one.process._process.pid for one in ex._pool.workers), flush=True)
time.sleep(3600)
"""], stdout=subprocess.PIPE, text=True)
        pids = parent.stdout.readline().split()
        parent.stdout.close()
        parent.kill()
        parent.wait()
        self.assertEqual(len(pids), 2)
        for pid in pids:
            wait_until(lambda: not os.path.exists(f"/proc/{pid}") or " Z " in status(pid))

    def test_a_fork_must_not_use_it(self):
        with hs.Executor(1) as ex:
            ex.submit(square, 1).result()
            child = os.fork()
            if not child:
                try:
                    ex.submit(square, 1)
                except RuntimeError:
                    ex.shutdown()
                    os._exit(3)
                os._exit(1)
            self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), 3)


def status(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return " Z "


if __name__ == "__main__":
    unittest.main()
