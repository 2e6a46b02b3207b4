# SPDX-License-Identifier: BSD-3-Clause
"""Solving: the same bits as hsched-solve, reports, callbacks, comparison."""

import glob
import os
import sys
import threading
import unittest
import unittest.mock

import hybridsched as hs
from common import InFolder, SOURCE, has, instances, rounds, tool


class Rest(unittest.TestCase):
    """The rest of a run is planned from where the done tasks left their results."""

    def setUp(self):
        self.inst = hs.Instance.from_frame(
            {"id": ["a", "b"], "cpu": [200, 200], "gpu": [10, 10], "data": ["x:w", "x:r"]}, cpus=1,
            gpus=1, links={"h2d": (0, 1), "d2h": (0, 1)}, data_bytes={"x": 90})

    def test_done_tasks(self):
        for algorithm in ("heft", "dmda", "best", "exact"):
            for done, makespan in (({"a": "gpu0"}, 10), ({0: 1}, 10), ({"a": None}, 100),
                                   ({0: "cpu0"}, 100), ({"a": "gpu0", "b": None}, 0)):
                made = hs.solve(self.inst, algorithm, done=done, iterations=20)
                self.assertEqual(made.makespan, makespan)
                made.check(done=done)
                self.assertLessEqual(hs.bound(self.inst, done=done).value, makespan)
        made = hs.simulate(self.inst, "dmda", done={"a": "gpu0"})
        self.assertEqual(made.makespan, 10)
        with self.assertRaisesRegex(hs.InvalidSchedule, "arrives only at 90"):
            made.check(done={"a": None})
        with self.assertRaisesRegex(hs.InvalidSchedule, "never run"):
            made.check()

    def test_faults(self):
        for done, message in (({"c": None}, "no task 'c'"), ({2: None}, "no task 2"),
                              ({"a": "gpu1"}, "no worker 'gpu1'"), ({"a": 2}, "no worker 2"),
                              ({"a": "cpu1"}, "no worker 'cpu1'"), ({"b": None}, "")):
            with self.assertRaisesRegex(hs.InvalidArgument, message):
                hs.solve(self.inst, "heft", done=done)


class SameBits(InFolder):
    """The plans of the package are the plans that hsched-solve writes, byte by byte."""

    def check(self, inst, algorithm, *options, **settings):
        inst.save("jobs.csv")
        tool("hsched-solve", "jobs.csv", "-a", algorithm, "-b", "deadline", "-o", "tool.plan",
             *options)
        made = hs.solve(inst, algorithm, **settings)
        made.check()
        with open("tool.plan", "rb") as file:
            table = file.read().split(b"\nid,")[-1].split(b"\ncpu,")[-1]
        mine = made.text().split(b"\nid,")[-1].split(b"\ncpu,")[-1]
        self.assertEqual(_rows(mine), _rows(table), (algorithm, inst))

    def test_random_instances(self):
        for number, inst in enumerate(instances(rounds(200), seed=4)):
            names = ["heteroprio", "heft:avg"] if inst.has_graph else \
                ["heteroprio", "dualhp", "lpt", "clb2c", "balanced-estimate"]
            self.check(inst, names[number % len(names)])

    def test_searches_with_counted_iterations(self):
        for inst in instances(rounds(10), seed=5):
            self.check(inst, "best", "--iterations", "200", "-t", "60", "-s", "7",
                       iterations=200, time_limit=60, seed=7)

    def test_data(self):
        paths = sorted(glob.glob(os.path.join(SOURCE, "data/**/*.csv"), recursive=True))
        checked = 0
        for path in paths:
            try:
                inst = hs.read(path)
            except hs.Error:
                continue  # no instance
            if isinstance(inst, hs.Instance) and not inst.unknown and len(inst) < 3000:
                self.check(inst, "heteroprio")
                checked += 1
        self.assertGreater(checked, 5)


def _rows(plan):
    """Return the lines of a plan below its header line."""
    return [line for line in plan.splitlines() if not line.startswith(b"#")][1:]


class Solve(unittest.TestCase):
    def test_report(self):
        s = hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "exact")
        self.assertEqual((s.makespan, s.bound, s.gap, s.optimal), (4, 4, 0, True))
        s = hs.solve(hs.generate("gamma", 30, cpus=3, gpus=1), "best", iterations=100, seed=9)
        self.assertIn("heteroprio", s.members)
        self.assertNotEqual(s.report.found_by, "")
        self.assertEqual(hs.solve(hs.Instance([1], [2], cpus=1, gpus=0), "best").report.found_by,
                         "heteroprio")
        self.assertEqual((s.report.seed, s.report.iterations > 0), (9, True))
        self.assertLessEqual(s.bound, s.makespan)
        s = hs.solve(hs.generate("gamma", 30), "lpt")
        self.assertEqual((s.bound, s.gap, s.optimal), (None, None, False))

    def test_settings_arrive(self):
        inst = hs.generate("gamma", 40, cpus=3, gpus=1, seed=2)
        start = hs.solve(inst, "heteroprio")
        self.assertLessEqual(hs.solve(inst, "best", iterations=1, start=start).makespan,
                             start.makespan)
        late = hs.solve(inst, "heft", available=[5, 0, 0, 1])
        late.check(available=[5, 0, 0, 1])
        self.assertEqual([late.entries(w)["start"][0] for w in (0, 3)], [5, 1])
        with self.assertRaises(hs.BusyWorkers):
            hs.solve(inst, "dada", available=[5, 0, 0, 1])
        with self.assertRaisesRegex(hs.InvalidArgument, "expected 4 times"):
            hs.solve(inst, "heft", available=[1])
        drawn = hs.solve(inst, "dada", alpha=0.5, affinities=[(task, 0, 9) for task in range(40)])
        self.assertNotEqual(drawn, hs.solve(inst, "dada"))
        exact = hs.solve(inst, "best", gap=0.5, time_limit=60)
        self.assertLess(exact.gap, 0.5)

    def test_faults(self):
        inst = hs.generate("gamma", 5)
        for algorithm, message in (("hetroprio", "did you mean 'heteroprio'.*hs.algorithms"),
                                   ("heft:mni", "unknown rank 'mni'"),
                                   ("heteroprio:given:x", "unknown algorithm"),
                                   ("lpt:min", "does not support this rank")):
            with self.assertRaisesRegex(hs.InvalidArgument, message):
                hs.solve(inst, algorithm)
        with self.assertRaisesRegex(TypeError, "'alhpa'; did you mean 'alpha'"):
            hs.solve(inst, "dada", alhpa=1)
        with self.assertRaises(hs.InvalidArgument):
            hs.solve(inst, "dada", alpha=2)
        with self.assertRaises(hs.DependentTasks):
            hs.solve(hs.generate("chain", 5), "lpt")

    def test_transfers(self):
        inst = hs.generate("layered", 30, cpus=2, gpus=2, ccr=1, seed=3)
        moved = hs.solve(inst, "heft", transfers=True).transfers()
        self.assertGreater(len(moved), 0)
        self.assertTrue((moved["end"] > moved["start"]).all())
        self.assertLessEqual(moved["to"].max(), 2)
        self.assertEqual(len(hs.solve(inst, "heft").transfers()), 0)

    def test_in_another_thread(self):
        inst, found = hs.generate("gamma", 50), []
        threads = [threading.Thread(target=lambda: found.append(hs.solve(inst, "heteroprio")))
                   for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(set(found)), 1)


class Progress(unittest.TestCase):
    inst = hs.generate("gamma", 200, cpus=7, gpus=3, seed=8)

    def test_calls_and_stop(self):
        seen = []

        def stop_at_third(progress):
            seen.append(progress)
            return len(seen) == 3

        s = hs.solve(self.inst, "best", time_limit=600, progress=stop_at_third)
        self.assertTrue(s.report.interrupted)
        self.assertEqual(len(seen), 3)
        s.check()
        self.assertIsInstance(seen[-1].phase, str)
        self.assertGreaterEqual(seen[-1].gap, 0)

    def test_an_exception_ends_the_search_and_is_raised(self):
        def fail(progress):
            raise ZeroDivisionError("mine")

        with self.assertRaisesRegex(ZeroDivisionError, "mine"):
            hs.solve(self.inst, "best", time_limit=600, progress=fail)

    def test_other_threads_run_during_a_solve(self):
        counted = threading.Event()
        thread = threading.Thread(target=lambda: (sum(range(10**6)), counted.set()))
        started = []

        def progress(now):
            if not started:
                started.append(thread.start())
            return counted.is_set()

        s = hs.solve(self.inst, "best", time_limit=3600, progress=progress)
        thread.join()
        self.assertTrue(s.report.interrupted)

    def test_a_missing_tqdm_is_named(self):
        with unittest.mock.patch.dict(sys.modules, {"tqdm.auto": None}):
            with self.assertRaisesRegex(ImportError, "needs the package tqdm.*hybridsched.Progress"):
                hs.solve(self.inst, progress=True)
            with self.assertRaisesRegex(ImportError, "needs the package tqdm.*RunProgress"):
                hs.run(self.inst, progress=True)


@unittest.skipUnless(has("pandas"), "pandas is missing")
class Compare(InFolder):
    def test_as_hsched_solve(self):
        import pandas

        algorithms = ["heteroprio", "lpt", "exact"]
        bounds = ["min-time", "area", "deadline", "critical-path"]
        for inst in (hs.generate("gamma", 12, cpus=2, gpus=1, seed=5),
                     hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)):
            inst.save("jobs.csv")
            with open("table.csv", "wb") as file:
                file.write(tool("hsched-solve", "jobs.csv", "--format", "csv", "-a",
                                ",".join(algorithms), "-b", ",".join(bounds)))
            theirs = pandas.read_csv("table.csv")
            mine = hs.compare({"jobs.csv": inst}, algorithms, bounds=bounds)
            self.assertEqual(list(mine.columns), list(theirs.columns))
            pandas.testing.assert_frame_equal(mine.drop(columns="seconds"),
                                              theirs.drop(columns="seconds"), check_dtype=False)

    def test_all_leaves_out_what_a_graph_does_not_support(self):
        table = hs.compare(hs.generate("chain", 5), time_limit=0.05, bounds="all")
        algorithms = set(table["algorithm"].dropna())
        self.assertIn("heft", algorithms)
        self.assertNotIn("lpt", algorithms)
        with self.assertRaises(hs.DependentTasks):
            hs.compare(hs.generate("chain", 5), "lpt")

    def test_several_instances(self):
        table = hs.compare({name: hs.generate("gamma", 20, seed=seed)
                            for name, seed in (("a", 1), ("b", 2))}, "lpt")
        self.assertEqual(table["instance"].tolist(), ["a", "a", "b", "b"])

    def test_registries(self):
        self.assertTrue(hs.algorithms().graphs["heft"])
        self.assertIn("min", hs.algorithms().ranks["heft"])
        self.assertTrue(hs.bounds().certificate["deadline"])
        self.assertTrue(hs.policies().plan["plan"])
        self.assertFalse(hs.policies().plan["heteroprio"])
        self.assertEqual(hs.features()["glpk"], "mip" in hs.bounds().index)

    def test_what_is_missing(self):
        features = hs.features()
        job = hs.Instance.from_frame({"kernel": ["dpotrf:8"], "cpu": [1], "gpu": ["inf"]}, cpus=1,
                                     gpus=0)
        if features["kernels"]:
            self.assertTrue(hs.run(job, oversubscribe=True).ok)
        else:
            with self.assertRaisesRegex(hs.Unsupported, "--with-openblas --with-lapacke"):
                hs.run(job, oversubscribe=True)
        if not features["glpk"]:
            with self.assertRaisesRegex(hs.Unsupported, "--with-glpk.*WHEEL_GLPK=yes"):
                hs.bound(job, "mip")


if __name__ == "__main__":
    unittest.main()
