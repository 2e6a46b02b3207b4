# SPDX-License-Identifier: BSD-3-Clause
"""Signals, memory and the end of the process, in processes of their own."""

import subprocess
import sys
import unittest

from common import rounds, script

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
