# SPDX-License-Identifier: BSD-3-Clause
"""Schedules: entries without copies, checks, pictures, plans."""

import gc
import json
import pickle
import unittest
import xml.etree.ElementTree

import numpy as np

import hybridsched as hs
from common import InFolder, has, instances, rounds


class Entries(unittest.TestCase):
    def test_all_entries_are_those_of_the_workers_in_order(self):
        for inst in instances(rounds(40), seed=6):
            s = hs.solve(inst, "heteroprio")
            parts = [s.entries(worker) for worker in range(inst.cpus + inst.gpus)]
            np.testing.assert_array_equal(s.entries(), np.concatenate(parts))
            self.assertEqual(s.workers().tolist(),
                             [worker for worker, part in enumerate(parts) for _ in part])
            self.assertEqual(s.entries()["end"].max(), s.makespan)

    def test_no_copy_and_no_writing(self):
        s = hs.solve(hs.generate("gamma", 50), "heteroprio")
        one, other = s.entries(), s.entries()
        self.assertTrue(np.shares_memory(one, other))
        self.assertIs(one.base.owner, s)
        with self.assertRaises(ValueError):
            one["start"] = 0
        with self.assertRaises(ValueError):
            one.flags.writeable = True

    def test_entries_outlive_the_schedule(self):
        s = hs.solve(hs.generate("gamma", 50), "heteroprio")
        entries, copy = s.entries(), s.entries().copy()
        starts = entries["start"][3:]
        del s
        gc.collect()
        others = [hs.solve(hs.generate("gamma", 50, seed=n), "lpt") for n in range(20)]
        np.testing.assert_array_equal(entries, copy)
        np.testing.assert_array_equal(starts, copy["start"][3:])
        self.assertEqual(len(others), 20)

    def test_workers_without_entries(self):
        s = hs.solve(hs.Instance([1.0], [2.0], cpus=3, gpus=1), "exact")
        self.assertEqual([len(s.entries(worker)) for worker in range(4)], [1, 0, 0, 0])
        self.assertFalse(s.entries(2).flags.writeable)
        for worker in (-1, 4):
            with self.assertRaises(IndexError):
                s.entries(worker)

    @unittest.skipUnless(has("pandas"), "pandas is missing")
    def test_frame(self):
        inst = hs.Instance.from_frame({"id": ["a", "b", "c"], "cpu": [4, 2, 6], "gpu": [1, 2, 3]},
                                      cpus=1, gpus=1)
        frame = hs.solve(inst, "exact").frame()
        self.assertEqual(list(frame.columns), ["id", "worker", "start", "end", "state"])
        self.assertEqual(sorted(frame["id"]), ["a", "b", "c"])
        self.assertEqual(set(frame["worker"]), {"cpu0", "gpu0"})
        self.assertEqual(set(frame["state"]), {"run"})


class Checks(InFolder):
    def test_the_checker_names_the_fault(self):
        inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
        hs.Schedule.build(inst, task=[0, 1, 2], worker=[1, 0, 1], start=[0, 0, 1]).check()
        for task, worker, start, message in (
                ([0, 1, 2], [1, 0, 1], [0, 0, 0.5], "starts at 0.5"),
                ([0, 1], [1, 0], [0, 0], "never"),
                ([0, 1, 2, 1], [1, 0, 1, 0], [0, 0, 1, 2], "twice|again")):
            with self.assertRaisesRegex(hs.InvalidSchedule, message):
                hs.Schedule.build(inst, task=task, worker=worker, start=start).check()
        with self.assertRaises(hs.InvalidArgument):
            hs.Schedule.build(inst, task=[0], worker=[7], start=[0], end=[1])

    def test_build_refuses_numbers_out_of_range(self):
        inst = hs.Instance([4, 2], [1, 2], cpus=1, gpus=1)
        for task, worker, end, message in (
                ([-1], [0], None, "task: element 0 is -1; .* from 0 to 1"),
                ([1, 2], [0, 1], [1, 1], "task: element 1 is 2;"),
                ([2000000000], [0], [1], "task: element 0 is 2000000000"),
                ([0.5], [0], [1], "task: element 0 is 0.5"),
                ([0], [0.5], [1], "worker: element 0 is 0.5"),
                ([0], [2], None, "worker: element 0 is 2; .* from 0 to 1")):
            with self.assertRaisesRegex(hs.InvalidArgument, message):
                str(hs.Schedule.build(inst, task, worker, [0] * len(task), end))

    def test_zeros_of_both_signs(self):
        inst = hs.Instance([4], [1], cpus=1, gpus=0)
        one, other = (hs.Schedule.build(inst, [0], [0], [zero]) for zero in (0.0, -0.0))
        self.assertEqual(one, other)
        self.assertEqual(hash(one), hash(other))

    def test_build_gives_the_same_schedule(self):
        for inst in instances(rounds(20), seed=7):
            s = hs.solve(inst, "heteroprio")
            entries = s.entries()
            again = hs.Schedule.build(inst, entries["task"], s.workers(), entries["start"],
                                      entries["end"], entries["state"])
            self.assertEqual(s, again)

    def test_values(self):
        s = hs.solve(hs.generate("gamma", 30), "best", iterations=50)
        again = pickle.loads(pickle.dumps(s))
        self.assertEqual(again, s)
        self.assertEqual(hash(again), hash(s))
        self.assertEqual(again.report, s.report)
        self.assertNotEqual(s, hs.solve(s.instance, "lpt"))
        for name in ("instance", "makespan", "other"):
            with self.assertRaises(AttributeError):
                setattr(s, name, 1)
        with self.assertRaises(TypeError):
            hs.Schedule()

    def test_plans(self):
        s = hs.solve(hs.generate("gamma", 30, cpus=3, gpus=2), "best", iterations=50, seed=3)
        s.save("jobs.plan")
        again = hs.read("jobs.plan")
        again.check()
        self.assertEqual(again.makespan, s.makespan)
        self.assertEqual((again.algorithm, again.bound, again.report.seed), ("best", s.bound, 3))
        self.assertEqual(again.text(), s.text())

    def test_metrics(self):
        s = hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "exact")
        numbers = s.metrics()
        self.assertEqual(numbers["cpu"]["tasks"] + numbers["gpu"]["tasks"], 3)
        self.assertEqual(numbers["gpu"]["busy"] + numbers["gpu"]["idle"], 4)


class Pictures(InFolder):
    def test_a_notebook_draws_small_schedules(self):
        s = hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "exact")
        drawn = xml.etree.ElementTree.fromstring(s._repr_svg_())
        self.assertTrue(drawn.tag.endswith("svg"))
        self.assertEqual(s._repr_svg_(), str(s.gantt()))
        self.assertEqual(repr(s), "<Schedule: 3 tasks, makespan 4 s, gap 0.0000%>")

    def test_a_notebook_describes_large_schedules(self):
        s = hs.solve(hs.generate("gamma", 2001), "lpt")
        self.assertIsNone(s._repr_svg_())
        self.assertEqual(len(repr(s).splitlines()), 6)
        self.assertIn("gantt()", repr(s))
        self.assertIn("lpt", str(s))
        self.assertTrue(s.gantt().svg.startswith("<svg") or "<svg" in s.gantt().svg[:300])

    def test_files(self):
        s = hs.solve(hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1), "exact")
        self.assertIsNone(s.gantt("plan.svg", title="A <title>", width=600))
        with open("plan.svg", encoding="utf-8") as file:
            self.assertIn("A &lt;title&gt;", file.read())
        s.trace("plan.json")
        with open("plan.json", encoding="utf-8") as file:
            self.assertTrue(json.load(file))
        with self.assertRaises(hs.InvalidArgument):
            s.gantt(width=100)


if __name__ == "__main__":
    unittest.main()
