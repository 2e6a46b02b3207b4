# SPDX-License-Identifier: BSD-3-Clause
"""Runs of commands and of emulated workers."""

import os
import unittest

import hybridsched as hs
from common import InFolder, has, interrupted_twice
from hybridsched._table import written_times


def jobs(commands, **columns):
    return hs.Instance.from_frame({"id": [f"j{n}" for n in range(len(commands))],
                                   "cpu_command": commands, **columns}, cpus=1, gpus=0)


class Commands(InFolder):
    def test_tasks_run_once_each(self):
        r = hs.run(jobs([f"echo {n} >>out" for n in range(6)]), commands=True)
        r.check()
        with open("out", encoding="utf-8") as file:
            self.assertEqual(sorted(file.read().split()), list("012345"))
        self.assertTrue(r.ok)
        self.assertEqual((r.report["tasks"], r.report["done"], r.failures), (6, 6, []))
        rows = r.records()
        self.assertEqual(sorted(rows["task"].tolist()), list(range(6)))
        self.assertTrue((rows["end"] > rows["start"]).all())
        with self.assertRaises(ValueError):
            rows["start"] = 0

    def test_commands_must_be_allowed(self):
        with self.assertRaisesRegex(hs.Refused, "use commands=True"):
            hs.run(jobs(["touch ran"]))
        self.assertEqual(os.listdir("."), [])

    def test_failures(self):
        r = hs.run(jobs(["true", "echo no >&2; exit 3", "true"]), commands=True, halt="never",
                   retries=1, logs="logs")
        self.assertFalse(r.ok)
        self.assertEqual([(f.task, f.number, f.final) for f in r.failures],
                         [("j1", 1, False), ("j1", 2, True)])
        self.assertIn("3", r.failures[1].why)
        self.assertEqual((r.report["done"], r.report["failed"]), (2, 1))
        with self.assertRaisesRegex(hs.TaskFailed, "1 of 3 tasks.*'j1'.*3"):
            r.check()
        self.assertTrue(any(name.startswith("j1.") for name in os.listdir("logs")))

    def test_timeout(self):
        r = hs.run(jobs(["sleep 60"]), commands=True, timeout=0.05)
        self.assertEqual(len(r.failures), 1)

    def test_journal(self):
        inst = jobs(["echo a >>out", "test -e ready", "echo c >>out"], cpu=[1, 2, 3])
        first = hs.run(inst, commands=True, journal="journal", halt="never")
        self.assertEqual(first.report["done"], 2)
        with open("ready", "w", encoding="utf-8"):
            pass
        second = hs.run(inst, commands=True, journal="journal", resume=True)
        self.assertTrue(second.ok)
        self.assertEqual(second.report["resumed"], 2)
        with open("out", encoding="utf-8") as file:
            self.assertEqual(sorted(file.read().split()), ["a", "c"])
        with self.assertRaises(hs.Error):
            hs.run(inst, commands=True, journal="journal")
        with self.assertRaisesRegex(hs.InvalidArgument, "needs the journal"):
            hs.run(inst, commands=True, resume=True)

    def test_measured_times(self):
        inst = jobs(["sleep 0.05", "exit 1", "true"], cpu=["?", "?", 7])
        r = hs.run(inst, commands=True, halt="never")
        again = r.measured()
        cells = [line.split(",")[1].strip('"') for line in again.text().decode().splitlines()
                 if line.startswith("j")]
        done = {row["task"]: row["end"] - row["start"] for row in r.records()
                if row["outcome"] == 0}
        self.assertEqual(cells, [repr(float(done[0])), "?", repr(float(done[2]))])
        self.assertGreaterEqual(done[0], 0.05)
        self.assertEqual(r.instance.unknown, 0)
        self.assertEqual((again.unknown, inst.unknown), (1, 2))

    def test_measured_times_are_no_guesses(self):
        inst = hs.Instance.from_frame({
            "id": ["a", "b", "c"], "kernel": ["python:f"] * 3, "cpu": [1, 1, 1], "gpu": ["?", 2, 3],
            "guess": ["cpu", "both", "gpu"]}, cpus=1, gpus=1)
        cells = {(0, 0): "5", (0, 1): "?", (1, 0): "6", (2, 1): "7"}
        made = hs.Instance._from_text(written_times(inst.text(), cells))
        self.assertEqual(made.sources(), {"cpu": ["given"] * 3, "gpu": ["given", "none", "given"]})
        self.assertEqual((made.guesses, made.unknown), (1, 1))

    def test_a_table_is_measured_then_planned(self):
        for columns in ({"cpu_command": ["true"] * 3}, {"kernel": ["python:f"] * 3}):
            inst = hs.Instance.from_frame({"id": ["a", "b", "c"], **columns}, cpus=1, gpus=0)
            options = {"commands": True, "fn": {"f": lambda task: None}}
            first = hs.run(inst, **options)
            self.assertTrue(first.policy == "explore" and first.guessed)
            known = first.measured()
            self.assertEqual((known.guesses, known.sources()["cpu"]), (0, ["given"] * 3))
            second = hs.run(known, **options)
            self.assertTrue(second.ok and second.policy == "plan" and not second.guessed)
            s = hs.solve(known, "lpt")
            rows = first.records()
            self.assertAlmostEqual(s.makespan, float((rows["end"] - rows["start"]).sum()))

    def test_measured_times_have_the_unit_of_the_instance(self):
        inst = hs.Instance.from_frame({"cpu_command": ["sleep 0.05"] * 2, "cpu": [1, 1],
                                       "count": [2, 1]}, cpus=1, gpus=0, unit="ms")
        r = hs.run(inst, commands=True)
        times = hs.solve(r.measured(), "lpt").entries()
        mean = sum(row["end"] - row["start"] for row in r.records() if row["task"] < 2) / 2
        first = next(row for row in times if row["task"] == 0)
        self.assertAlmostEqual(first["end"] - first["start"], 1000 * mean)

    @unittest.skipUnless(has("pandas"), "pandas is missing")
    def test_frame(self):
        frame = hs.run(jobs(["true", "true"]), commands=True).frame()
        self.assertEqual(list(frame.columns),
                         ["id", "number", "worker", "start", "end", "outcome"])
        self.assertEqual(set(frame["id"]), {"j0", "j1"})
        self.assertEqual(set(frame["outcome"]), {"done"})


class Emulated(unittest.TestCase):
    inst = hs.generate("gamma", 40, cpus=2, gpus=1, seed=4)
    options = {"emulate_cpus": True, "emulate_gpus": True, "time_scale": 1e-4,
               "oversubscribe": True}

    def test_a_schedule_is_followed(self):
        s = hs.solve(self.inst, "lpt")
        r = hs.run(s, **self.options)
        self.assertTrue(r.ok)
        self.assertIs(r.schedule, s)
        self.assertEqual(r.predicted.makespan, s.makespan)
        worker_of = dict(zip(s.entries()["task"].tolist(), s.workers().tolist()))
        self.assertEqual({int(row["task"]): int(row["worker"]) for row in r.records()}, worker_of)

    def test_an_empty_schedule_is_not_ignored(self):
        with self.assertRaises(hs.InvalidSchedule):
            hs.run(hs.Schedule.build(self.inst, [], [], []), policy="plan", **self.options)

    def test_policies(self):
        r = hs.run(self.inst, policy="heteroprio", **self.options)
        self.assertTrue(r.ok)
        self.assertIsNone(r.schedule)
        self.assertEqual(r.measured(), self.inst)  # timers measure nothing
        for policy, message in (("heteropiro", "did you mean"), ("plan:min", "rank")):
            with self.assertRaisesRegex(hs.InvalidArgument, message):
                hs.run(self.inst, policy=policy, **self.options)
        for wrong in ({"halt": "later"}, {"resume": "all"}):
            with self.assertRaises(hs.InvalidArgument):
                hs.run(self.inst, **wrong, **self.options)

    def test_progress(self):
        seen = []
        r = hs.run(self.inst, progress=lambda now: bool(seen.append(now)), **self.options)
        self.assertTrue(r.ok)
        self.assertEqual((seen[-1].total, seen[-1].done), (40, 40))

        def fail(now):
            raise ZeroDivisionError("mine")

        with self.assertRaises(ZeroDivisionError):
            hs.run(self.inst, progress=fail, **{**self.options, "time_scale": 1000})
        stopped = hs.run(self.inst, progress=lambda now: True,
                         **{**self.options, "time_scale": 1e-2})
        self.assertTrue(stopped.report["stopped"])


class Signals(unittest.TestCase):
    def test_the_second_interrupt_aborts_running_tasks(self):
        done = interrupted_twice({"cpu_command": ["sleep 3600"] * 3})
        self.assertEqual(done.returncode, 3, done.stderr)


if __name__ == "__main__":
    unittest.main()
