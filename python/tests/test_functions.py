# SPDX-License-Identifier: BSD-3-Clause
"""Runs that call Python functions."""

import gc
import os
import subprocess
import sys
import threading
import unittest
import weakref

import hybridsched as hs
from common import InFolder, interrupted_twice, script

FAST = {"oversubscribe": True, "policy": "heteroprio"}


def table(kernels, cpus=1, gpus=0, **columns):
    columns = {"cpu": [1.0] * len(kernels), "gpu": ["inf"] * len(kernels), **columns}
    return hs.Instance.from_frame({"id": [f"j{n}" for n in range(len(kernels))],
                                   "kernel": kernels, **columns}, cpus=cpus, gpus=gpus)


def until_cancelled(task):
    while not task.cancelled():
        pass


class Calls(InFolder):
    def test_each_row_calls_its_function_in_a_worker(self):
        seen = []

        def note(name):
            return lambda task: seen.append((name, task.id, task.worker, task.type, task.gpu,
                                             task.number, task.cancelled(),
                                             threading.get_ident()))

        r = hs.run(table(["python:a", "python:b", "python:a"], cpus=2, count=[1, 1, 2]),
                   fn={"a": note("a"), "b": note("b"), "unused": print}, **FAST)
        r.check()
        self.assertEqual(sorted(call[:2] for call in seen),
                         [("a", "j0"), ("a", "j2#1"), ("a", "j2#2"), ("b", "j1")])
        worker_of = {r.instance.name(int(row["task"])): row["worker"] for row in r.records()}
        for _, name, worker, *rest, thread in seen:
            self.assertEqual((worker, rest), (worker_of[name], ["cpu", None, 1, False]))
            self.assertNotEqual(thread, threading.get_ident())

    def test_plans_and_unknown_times(self):
        s = hs.solve(table(["python:a"] * 6, cpus=2, cpu=[3, 2, 2, 1, 1, 1]), "lpt")
        calls = []
        r = hs.run(s, fn={"a": lambda task: calls.append((task.id, task.worker))},
                   oversubscribe=True)
        names = s.instance.names()
        plan = zip(s.entries()["task"].tolist(), s.workers().tolist())
        self.assertEqual(sorted(calls), sorted((names[task], worker) for task, worker in plan))
        r = hs.run(table(["python:a"] * 3, cpu=["?"] * 3), fn={"a": calls.append})
        self.assertEqual((r.report["done"], r.measured().unknown), (3, 0))

    def test_commands_and_timers_come_first(self):
        calls = []
        inst = table(["python:a", "python:a"], cpu_command=["touch ran", None])
        hs.run(inst, fn={"a": lambda task: calls.append(task.id)}, commands=True).check()
        self.assertEqual((calls, os.listdir(".")), (["j1"], ["ran"]))
        hs.run(inst, fn={"a": calls.append}, emulate_cpus=True, time_scale=1e-6).check()
        self.assertEqual(calls, ["j1"])

    def test_a_task_may_be_kept(self):
        kept = []
        hs.run(table(["python:a"]), fn={"a": kept.append})
        self.assertFalse(kept[0].cancelled())
        self.assertEqual((kept[0].id, repr(kept[0])), ("j0", "<Task 'j0' on cpu worker 0>"))

    def test_gpus_must_exist(self):
        inst = table(["python:a", "python:b"], gpus=9999, cpu=[1, 1], gpu=[1, "inf"])
        with self.assertRaisesRegex(hs.MissingResource, "emulate_gpus=True"):
            hs.run(inst, fn={"a": print, "b": print}, **FAST)
        inst = table(["python:a"], gpus=9999, gpu=[1e-3])
        with self.assertRaisesRegex(hs.MissingResource, "emulate_gpus=True"):
            hs.run(hs.solve(inst, "heft"), fn={"a": print})
        hs.run(hs.solve(table(["python:a"], gpus=9999, gpu=[1e3]), "heft"),
               fn={"a": lambda task: None}).check()

    def test_wrong_functions(self):
        for fn, message in (({"trian": print}, "no function 'train'; did you mean 'trian'"),
                            ({}, "no function 'train'; add it to fn")):
            with self.assertRaisesRegex(hs.Error, message):
                hs.run(table(["python:train"]), fn=fn)
        for wrong in ({"train": 3}, {3: print}):
            with self.assertRaisesRegex(TypeError, "expected names and functions"):
                hs.run(table(["python:train"]), fn=wrong)


class Failures(InFolder):
    def test_a_traceback_is_the_reason(self):
        def fail(task):
            if task.id == "j1" and task.number < 3:
                raise ValueError("of mine")

        r = hs.run(table(["python:a"] * 3), fn={"a": fail}, retries=2, halt="never", logs="logs")
        self.assertTrue(r.ok)
        self.assertEqual([(f.task, f.number, f.final) for f in r.failures],
                         [("j1", 1, False), ("j1", 2, False)])
        for failed in r.failures:
            self.assertRegex(failed.why, r"^ValueError: of mine \(.*test_functions.py:\d+\)$")
            lines = failed.traceback.splitlines()
            self.assertEqual(lines[0], "Traceback (most recent call last):")
            self.assertEqual(lines[-1], "ValueError: of mine")
            self.assertEqual(failed.traceback.count("  File "), 1)  # nothing of the package
            with open(failed.log, encoding="utf-8") as log:
                self.assertEqual(log.read(), failed.traceback)

    def test_a_log_that_cannot_be_written(self):
        os.makedirs("logs/j0.1.log")
        r = hs.run(table(["python:a"]), fn={"a": lambda task: 1 // 0}, logs="logs")
        self.assertRegex(r.failures[0].why, "^ZeroDivisionError.*not in the log.*j0.1.log")

    def test_long_reasons_are_cut_between_characters(self):
        def fail(task):
            raise ValueError(task.number * "x" + "\0" + 600 * "\u00e9\n"[:1])

        for retries in (0, 1):
            r = hs.run(table(["python:a"]), fn={"a": fail}, retries=retries)
            why = r.failures[-1].why
            self.assertTrue(500 <= len(why.encode()) < 512 and why.endswith("\u00e9"), why)

    def test_a_reason_is_the_type_and_the_first_line(self):
        def fail(task):
            if task.id == "j0":
                raise ValueError("first\nsecond\n\nlast")
            if task.id == "j1":
                raise OSError
            compile("1 +\n  (", "code", "exec")

        r = hs.run(table(["python:a"] * 3), fn={"a": fail}, halt="never")
        found = {failed.task: failed.why for failed in r.failures}
        self.assertRegex(found["j0"], r"^ValueError: first \(.*test_functions.py:\d+\)$")
        self.assertRegex(found["j1"], r"^OSError \(.*test_functions.py:\d+\)$")
        self.assertRegex(found["j2"], r"^SyntaxError: .*test_functions.py:\d+\)$")

    def test_exits_are_those_of_commands(self):
        codes = {"j0": None, "j1": 0, "j2": 3, "j3": "words", "j4": False}
        r = hs.run(table(["python:a"] * 5), fn={"a": lambda task: sys.exit(codes[task.id])},
                   halt="never")
        self.assertEqual(sorted(f.task for f in r.failures), ["j2", "j3"])
        self.assertEqual(r.report["done"], 3)

    def test_an_interrupt_of_a_function_ends_the_run(self):
        started = threading.Event()

        def interrupt(task):
            started.wait()
            raise KeyboardInterrupt("of mine")

        def wait(task):
            started.set()
            until_cancelled(task)

        calls = []
        with self.assertRaisesRegex(KeyboardInterrupt, "of mine"):
            hs.run(table(["python:a", "python:b", "python:c"], cpus=2, cpu=[3, 2, 1]),
                   fn={"a": interrupt, "b": wait, "c": calls.append}, oversubscribe=True,
                   retries=3, halt="never")
        self.assertEqual(calls, [])

    def test_nothing_of_a_failure_is_kept_alive(self):
        class Big:
            pass

        seen = []

        def fail(task):
            big = Big()
            seen.append(weakref.ref(big))
            raise ValueError("of mine")

        gc.disable()
        self.addCleanup(gc.enable)
        r = hs.run(table(["python:a"] * 2), fn={"a": fail}, halt="never")
        self.assertEqual(([found() for found in seen], len(r.failures)), ([None, None], 2))

    def test_an_error_of_the_package_itself_is_a_failure(self):
        done = script("""
import hybridsched as hs
from hybridsched import _functions
_functions._summary = None
inst = hs.Instance.from_frame({"kernel": ["python:a"], "cpu": [1]}, cpus=1, gpus=0)
assert hs.run(inst, fn={"a": lambda task: 1 // 0}).report["failed"] == 1
""")
        self.assertEqual(done.returncode, 0, done.stderr)


class Cancels(InFolder):
    def test_timeout(self):
        r = hs.run(table(["python:a"]), fn={"a": until_cancelled}, timeout=0.05)
        self.assertEqual((len(r.failures), r.report["done"]), (1, 0))
        self.assertEqual(r.failures[0].traceback, "")

    def test_a_result_after_the_timeout_does_not_count(self):
        def ignore(task):
            while not task._cancel[0]:
                pass

        r = hs.run(table(["python:a"]), fn={"a": ignore}, timeout=0.05)
        self.assertEqual((r.ok, r.report["done"], len(r.failures)), (False, 0, 1))
        self.assertIn("timed out", r.failures[0].why)

    def test_an_exception_after_a_cancel_is_no_failure_of_its_own(self):
        def fail(task):
            until_cancelled(task)
            raise ValueError("of mine")

        r = hs.run(table(["python:a"]), fn={"a": fail}, timeout=0.05)
        self.assertNotIn("of mine", r.failures[0].why)

    def test_spoliation(self):
        def wait(task):
            with open("ran", "w", encoding="utf-8"):  # ends the command, so that the GPU is idle
                pass
            until_cancelled(task)

        inst = table(["", "python:a"], gpus=1, cpu=["inf", 1000], gpu=[1, 1e-3],
                     gpu_command=["until test -e ran; do sleep 0.01; done", ""])
        r = hs.run(inst, fn={"a": wait}, emulate_gpus=True, commands=True, **FAST)
        self.assertTrue(r.ok)
        found = [(r.instance.name(row["task"]), row["worker"], row["outcome"])
                 for row in r.records()]
        self.assertEqual(sorted(found), [("j0", 1, 0), ("j1", 0, 1), ("j1", 1, 0)])

    def test_a_result_after_spoliation_counts(self):
        def ignore(task):
            with open("ran", "w", encoding="utf-8"):  # ends the command, so that the GPU is idle
                pass
            while not task._cancel[0]:
                pass

        inst = table(["", "python:a"], gpus=1, cpu=["inf", 1000], gpu=[1, 1e-3],
                     gpu_command=["until test -e ran; do sleep 0.01; done", ""])
        r = hs.run(inst, fn={"a": ignore}, emulate_gpus=True, commands=True, **FAST)
        found = [(r.instance.name(row["task"]), row["worker"], row["outcome"])
                 for row in r.records()]
        self.assertIn(("j1", 0, 0), found)

    def test_journal(self):
        inst, calls = table(["python:a"] * 3, cpu=[3, 2, 1]), []

        def fail(task):
            calls.append(task.id)
            if len(calls) == 2:
                raise ValueError("of mine")

        first = hs.run(inst, fn={"a": fail}, journal="journal", halt="never", **FAST)
        again = hs.run(inst, fn={"a": fail}, journal="journal", resume=True, **FAST)
        self.assertEqual((first.report["done"], again.report["resumed"], again.ok), (2, 2, True))
        self.assertEqual((len(calls), calls[3]), (4, first.failures[0].task))

    def test_the_second_interrupt_cancels_functions(self):
        done = interrupted_twice({"kernel": ["python:a"] * 3, "cpu": [1] * 3})
        self.assertEqual(done.returncode, 3, done.stderr)

    def test_exit_during_a_run_of_another_thread(self):
        text = """
import threading, hybridsched as hs
inst = hs.Instance.from_frame({"kernel": ["python:a"] * 2, "cpu": [1] * 2}, cpus=2, gpus=0)
started = threading.Barrier(3)
def wait(task):
    started.wait()
    while not task.cancelled():
        pass
thread = threading.Thread(target=hs.run, args=(inst,), daemon=True,
                          kwargs={"fn": {"a": wait}, "oversubscribe": True})
thread.start()
started.wait()
print("ended", flush=True)
"""
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ended\n")
        self.assertEqual(process.wait(), 0)


if __name__ == "__main__":
    unittest.main()
