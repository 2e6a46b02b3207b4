# SPDX-License-Identifier: BSD-3-Clause
"""Signals, memory and the end of the process, in processes of their own."""

import _thread
import os
import signal
import subprocess
import sys
import time
import unittest
import unittest.mock

import hybridsched as hs
from hybridsched import _library
from common import InFolder, SOURCE, rounds, script

SEARCH = """
import os, signal, sys, threading, hybridsched as hs
inst = hs.generate("gamma", 200, cpus=7, gpus=3, seed=8)
calls = []
def progress(now):
    calls.append(now)
    if now.makespan < 1e300 and len(calls) > 5:
        {interrupt}
"""
INTERRUPT = "os.kill(os.getpid(), signal.SIGINT)"


class Signals(unittest.TestCase):
    def run_script(self, text, status=0):
        done = script(text)
        self.assertEqual(done.returncode, status, done.stderr)
        return done

    def test_interrupt_keeps_the_best_schedule(self):
        self.run_script(SEARCH.format(interrupt=INTERRUPT) + """
s = hs.solve(inst, "best", time_limit=3600, threads=2, progress=progress)
assert s.report.interrupted and len(calls) < 10**6
s.check()
""")

    def test_interrupt_of_a_comparison_is_raised(self):
        self.run_script(SEARCH.format(interrupt=INTERRUPT) + """
threading.Timer(1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    hs.compare(inst, ["best", "lpt"], time_limit=3600)
except KeyboardInterrupt:
    sys.exit(3)
""", 3)

    def test_exceptions_of_signal_handlers_are_raised(self):
        self.run_script(SEARCH.format(interrupt=INTERRUPT) + """
def handler(number, frame):
    raise ZeroDivisionError("of the handler")
signal.signal(signal.SIGINT, handler)
try:
    hs.solve(inst, "best", time_limit=3600, progress=progress)
except ZeroDivisionError:
    sys.exit(3)
""", 3)

    def test_interrupt_of_a_bound_is_raised(self):
        self.run_script("""
import os, signal, sys, threading, hybridsched as hs
inst = hs.generate("gamma", 300, seed=3)
if not hs.features()["glpk"]:
    sys.exit(3)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    while True:
        hs.bound(inst, "mip", time_limit=3600)
except KeyboardInterrupt:
    sys.exit(3)
""", 3)

    def test_exit_during_a_search_of_another_thread(self):
        text = SEARCH.format(interrupt="started.set()") + """
started = threading.Event()
thread = threading.Thread(target=hs.solve, args=(inst, "best"), daemon=True,
                          kwargs={"time_limit": 3600, "progress": progress})
thread.start()
started.wait()
print("ended", flush=True)
"""
        process = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.assertEqual(process.stdout.readline(), b"ended\n")
        self.assertEqual(process.wait(), 0)


class Interrupts(unittest.TestCase):
    """Exceptions that arrive within stoppable(), which calls the library in the main thread."""

    def interrupted(self, number):
        """Raise KeyboardInterrupt at an instruction; return whether stoppable() reached it."""
        stop, began, ended, seen = _library.Stop(), [], [], []

        def call():
            began.append(1)
            for _ in range(20):
                if not stop.flag[0]:
                    time.sleep(1e-3)
            ended.append(1)
            return 7

        def trace(frame, event, argument):
            frame.f_trace_opcodes = frame.f_code is _library.stoppable.__code__
            if frame.f_trace_opcodes and event == "opcode":
                seen.append(1)
                if len(seen) == number:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        result, interrupt = None, None
        sys.settrace(trace)
        try:
            result, interrupt = _library.stoppable(call, stop)
        except KeyboardInterrupt as error:
            interrupt = error
        finally:
            sys.settrace(before)
        self.assertEqual(began, ended, f"instruction {number}: the call was abandoned")
        if len(seen) < number:
            self.assertEqual((result, interrupt), (7, None))
            return False
        self.assertIsInstance(interrupt, KeyboardInterrupt, f"instruction {number}")
        time.sleep(1e-3)
        self.assertEqual(began, ended, f"instruction {number}: the call began too late")
        return True

    def test_no_interrupt_abandons_a_call(self):
        number = 1
        while self.interrupted(number):
            number += 1
        self.assertGreater(number, 20)

    def test_an_interrupt_that_does_not_end_the_wait(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        stop = _library.Stop()

        def call():
            time.sleep(0.05)
            _thread.interrupt_main()  # as a signal that another thread receives
            polls = 0
            while not stop.flag[0] and polls < 10000:
                time.sleep(1e-3)
                polls += 1
            return stop.flag[0]

        result, interrupt = _library.stoppable(call, stop)
        self.assertEqual(result, 1)
        self.assertIsInstance(interrupt, KeyboardInterrupt)

    def test_interrupts_before_the_first_is_passed_on_count(self):
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, before)
        begun, passed_on = [], []

        class Stop(_library.Stop):
            def set(self):
                begun.append(1)
                if len(begun) < 3:
                    raise KeyboardInterrupt  # one more, before the first had an effect
                passed_on.append(1)
                super().set()

        stop = Stop()

        def call():
            _thread.interrupt_main()
            polls = 0
            while not stop.flag[0] and polls < 10000:
                time.sleep(1e-3)
                polls += 1
            return stop.flag[0]

        result, interrupt = _library.stoppable(call, stop)
        self.assertEqual((result, len(passed_on)), (1, 3))
        self.assertIsInstance(interrupt, KeyboardInterrupt)

    def test_a_thread_that_cannot_start_is_an_error(self):
        with unittest.mock.patch("_thread.start_new_thread", side_effect=RuntimeError("no thread")):
            with self.assertRaisesRegex(RuntimeError, "no thread"):
                hs.solve(hs.Instance([1], [1], cpus=1, gpus=1), "lpt")


class Forks(InFolder):
    """Forks of a process in which the library runs tasks or searches in other threads."""

    BEGIN = """
import os, sys, threading, hybridsched as hs
from hybridsched import _library
inst = hs.Instance.from_frame({"id": ["a", "b"], "kernel": ["python:a"] * 2, "cpu": [1] * 2},
                              cpus=2, gpus=0)
def status(child):
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
"""

    def run_script(self, text):
        done = script(self.BEGIN + text)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def test_a_fork_beside_a_run_may_use_the_package(self):
        self.run_script("""
started, go, runs = threading.Barrier(3), threading.Event(), []
def wait(task):
    started.wait()
    go.wait()
thread = threading.Thread(target=lambda: runs.append(hs.run(
    inst, fn={"a": wait}, oversubscribe=True, journal="journal")))
thread.start()
started.wait()
child = os.fork()
if not child:
    assert not _library._running
    s = hs.solve(inst, "best", iterations=10)
    assert s.makespan == 1 and len(s.entries()) == 2
    assert hs.run(inst, fn={"a": lambda task: None}, oversubscribe=True).ok
    sys.exit(3)  # calls the functions of atexit
assert status(child) == 3
go.set()
thread.join()
assert runs[0].ok
again = hs.run(inst, fn={"a": wait}, oversubscribe=True, journal="journal", resume=True)
assert again.report["resumed"] == 2
""")

    def test_a_fork_in_a_function_does_not_return_to_the_run(self):
        done = self.run_script("""
children = []
def fork(task):
    child = os.fork()
    if child:
        children.append((task.number, status(child)))
        if task.number < 5:
            raise RuntimeError("again")
    elif task.number == 2:
        raise ValueError("of mine")
    elif task.number > 2:
        sys.exit({3: 7, 4: None, 5: "words"}[task.number])
r = hs.run(inst.with_workers(1, 0), fn={"a": fork}, retries=4)
assert r.ok
assert sorted(children) == sorted(2 * [(1, 1), (2, 1), (3, 7), (4, 0), (5, 1)]), children
""")
        self.assertEqual(done.stderr.count("a fork returned from a function"), 2)
        self.assertEqual(done.stderr.count("\nValueError: of mine\n"), 2)
        self.assertEqual(done.stderr.count("words\n"), 2)

    def test_a_fork_ends_in_any_case(self):
        done = self.run_script("""
class Words:
    def __str__(self):
        raise KeyboardInterrupt
def end(raised, closed):
    child = os.fork()
    if not child:
        try:
            sys.stdout = open(1, "w", closefd=False)  # has a buffer in any case
            print(end="of the fork\\n")
            if closed:
                sys.stderr.close()
            _library.end_fork(0, raised)
        finally:
            os._exit(99)
    return status(child)
codes = {0: 0, 3: 3, -1: 255, 2**40 + 3: 3, True: 1, None: 0, "words": 1, Words(): 1}
found = {code: end(SystemExit(code), False) for code in codes}
assert found == codes, found
found = [end(raised, True) for raised in (None, ValueError("of mine"), SystemExit("words"))]
assert found == [1, 1, 1], found
""")
        self.assertEqual(done.stdout.count("of the fork\n"), 10)  # not that of the interrupt

    def test_a_fork_in_a_progress_callback_does_not_return_to_the_call(self):
        for call in ("hs.solve(hs.generate('gamma', 200, cpus=7, gpus=3, seed=8), time_limit=3600, "
                     "progress=fork)",
                     "hs.run(hs.Instance([1], [1], cpus=1, gpus=0), emulate_cpus=True, "
                     "time_scale=10, progress=fork)"):
            done = self.run_script(f"""
children = []
def fork(now):
    if not children:
        child = os.fork()
        children.append(child and status(child))
    return True
{call}
assert children == [1], children
""")
            self.assertEqual(done.stderr.count("a fork returned from a function"), 1)


class Interpreters(InFolder):
    def test_another_interpreter_is_refused(self):
        with open("other.py", "w", encoding="utf-8") as file:
            file.write("try:\n    import hybridsched\nexcept ImportError as error:\n"
                       "    with open('refused', 'a') as file:\n        print(error, file=file)\n")
        done = script("""
import importlib, sys
for name in ("_interpreters", "_xxsubinterpreters"):
    try:
        module = importlib.import_module(name)
        break
    except ImportError:
        pass
else:
    sys.exit(77)
for _ in range(2):
    made = module.create()
    with open("other.py") as file:
        module.run_string(made, file.read())
    module.destroy(made)
import hybridsched as hs
assert hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "lpt").makespan > 0
""")
        if done.returncode == 77:
            self.skipTest("this Python makes no further interpreters")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open("refused", encoding="utf-8") as file:
            lines = file.read().splitlines()
        self.assertEqual(len(lines), 2)
        self.assertIn("only in the main interpreter", lines[0])


    def test_free_threaded_builds_are_refused(self):
        begin = ("import runpy, sys, sysconfig; sys.argv = [sys.argv[1], '/usr'];"
                 "sysconfig.get_config_vars()['Py_GIL_DISABLED'] = 1;"
                 "made = runpy.run_path(sys.argv[0], run_name=")
        for end, name in (("'__main__')", "probe.py"), ("'build'); made['builder']()", "build_cffi.py")):
            done = script(begin + end, os.path.join(SOURCE, "python", name))
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, "^(hybridsched: )?[^\n]*the GIL[^\n]*\n$")


class Memory(unittest.TestCase):
    def test_repeated_solves_keep_no_memory(self):
        text = f"""
import gc, hybridsched as hs, numpy as np, pickle
def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
cpu, gpu = np.random.default_rng(1).exponential(size=(2, 50)) + 1e-3
def work(count):
    for number in range(count):
        inst = hs.Instance(cpu, gpu, cpus=2, gpus=1)
        s = hs.solve(inst, "heteroprio")
        s.entries().sum if number % 7 else s.text()
        if number % 10 == 0:
            pickle.loads(pickle.dumps(s))
            b = hs.bound(inst, certificate=True)
            hs.Instance.from_frame({{"cpu": cpu, "gpu": gpu}}, cpus=1, gpus=1)
            try:
                hs.Instance(cpu, -gpu, cpus=2, gpus=1)
            except ValueError:
                pass
work({rounds(1000)})
gc.collect()
before = resident()
work({rounds(10000)})
gc.collect()
grown = resident() - before
assert grown < 2**20, grown
print(grown)
"""
        done = script(text)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_any_order_of_deletions(self):
        done = script("""
import gc, hybridsched as hs, itertools
for order in itertools.permutations(range(4)):
    inst = hs.generate("layered", 30, seed=1)
    s = hs.solve(inst, "heft")
    kept = [inst, s, s.entries(), inst.with_workers(3, 3)]
    del inst, s
    for index in order:
        kept[index] = None
        gc.collect()
left = hs.solve(hs.generate("gamma", 30), "lpt"), hs.queue(1, 1)
""")
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
