# SPDX-License-Identifier: BSD-3-Clause
"""Instances from tables, and back."""

import math
import unittest

import numpy as np

import hybridsched as hs
from common import has, instances, rounds

WORKERS = {"cpus": 2, "gpus": 1}


def build(columns, **options):
    return hs.Instance.from_frame(columns, **{**WORKERS, **options})


class Table(unittest.TestCase):
    def test_arrays_give_the_same_times_as_a_table(self):
        draw = np.random.default_rng(1)
        cpu, gpu = draw.exponential(size=(2, 500)) + 1e-9
        cpu[::7] = math.inf
        self.assertEqual(build({"cpu": cpu, "gpu": gpu}), hs.Instance(cpu, gpu, **WORKERS))

    def test_empty_cells_beside_a_time_mean_that_a_task_cannot_run_there(self):
        expected = hs.Instance([1, math.inf, 3], [math.inf, 2, 4], **WORKERS)
        for cpu, gpu in (([1, math.nan, 3], [math.nan, 2, 4]), ([1, None, 3], [None, 2, 4]),
                         ([1, math.inf, 3], [math.inf, 2, 4]),
                         (np.array([1, np.nan, 3]), np.array([np.inf, 2, 4]))):
            self.assertEqual(build({"cpu": cpu, "gpu": gpu}), expected)

    def test_unknown_times(self):
        inst = build({"cpu": [1, "?", None, 4], "gpu": ["?", None, None, None],
                      "kernel": ["a", "b", "c", "d"]})
        self.assertEqual(inst.unknown, 3)
        with self.assertRaises(hs.UnknownTime):
            hs.solve(inst)
        with self.assertRaises(ValueError):
            build({"cpu": [None], "gpu": [math.nan]})

    def test_unknown_times_of_a_type_without_workers(self):
        table = {"id": ["a", "b"], "kernel": ["python:f"] * 2}
        for kind, cpus, gpus in (("cpu", 1, 0), ("gpu", 0, 1)):
            inst = build({**table, kind: [3, 2]}, cpus=cpus, gpus=gpus)
            s = hs.solve(inst, "best", iterations=2)
            self.assertEqual((s.makespan, s.bound, s.instance.guesses), (5, 5, 0))
            s.check()
            again = hs.solve(inst, "best", iterations=2, start=s)
            self.assertEqual((again.instance, again.makespan), (s.instance, 5))
            hs.Schedule.build(inst, [0, 1], [0, 0], [0, 3]).check()
            self.assertEqual(hs.simulate(inst, "heteroprio", truth=s.instance).makespan, 5)
            bound = hs.bound(inst, certificate=True)
            self.assertTrue(hs.verify(inst, bound) and hs.verify(s.instance, bound))
            self.assertEqual(inst.unknown, 2)
            with self.assertRaises(hs.UnknownTime):  # the times are not inf
                hs.solve(inst.with_workers(1, 1))
            for missing in (["?", 2], ["?", "?"]):
                with self.assertRaises(hs.UnknownTime):
                    hs.solve(build({**table, kind: missing}, cpus=cpus, gpus=gpus))
                guessed = build({**table, kind: missing, "guess": [None, kind]}, cpus=cpus,
                                gpus=gpus)
                with self.assertRaises(hs.UnknownTime):
                    hs.bound(guessed)

    def test_names_of_columns(self):
        table = {"job": ["a", "b"], "t_cpu": [1, 2], "t_gpu": [2, 1], "colour": ["red", "blue"]}
        inst = build(table, id="job", cpu="t_cpu", gpu="t_gpu")
        self.assertEqual(inst.names(), ["a", "b"])
        with self.assertRaisesRegex(hs.InvalidArgument, "unknown column 'job'; pass cpu='job'"):
            build(table)
        with self.assertRaisesRegex(hs.InvalidArgument, "cpu='t_cup'.*did you mean 't_cpu'"):
            build(table, cpu="t_cup")
        with self.assertRaisesRegex(TypeError, "'prioriti'.*did you mean 'priority'"):
            build(table, prioriti="job")
        with self.assertRaisesRegex(hs.InvalidArgument, "different lengths: cpu: 1, gpu: 2"):
            build({"cpu": [1], "gpu": [1, 2]})

    def test_texts_of_any_kind(self):
        odd = ['a "quoted", one', "two\nlines", "#3", " blanks ", "semi;colon:s\\", "grün", "1e5",
               "?", "inf", "NaN"]
        inst = build({"id": odd, "cpu": [1] * len(odd), "kernel": odd})
        self.assertEqual(inst.names(), odd)

    def test_other_columns(self):
        inst = build({"cpu": [1, 2], "priority": [-3, 2**60], "count": [2, 1.0], "size": [5.5, None],
                      "restartable": [False, True], "timeout": [9, None], "kernel": ["k", None]})
        self.assertEqual(len(inst), 3)
        text = inst.text().decode()
        self.assertIn(str(2**60), text)
        self.assertIn("5.5", text)
        self.assertEqual(text.count("no"), 1)

    def test_graphs(self):
        expected = build({"id": ["a:1", "b;2", "c"], "cpu": [1, 2, 3],
                          "after": ["", "a\\:1", "a\\:1:100;b\\;2:3"],
                          "data": ["", "X:w", "X:rw;Y:r"]},
                         links={"h2d": (0.5, 1e9), "d2h": (0.25, 2e9)}, data_bytes={"X": 1e6})
        inst = build({"id": ["a:1", "b;2", "c"], "cpu": [1, 2, 3],
                      "after": [None, ["a:1"], {"a:1": 100, "b;2": 3}],
                      "data": [[], {"X": "w"}, {"X": "rw", "Y": "r"}]},
                     links={"h2d": (0.5, 1e9), "d2h": (0.25, 2e9)}, data_bytes={"X": 1e6})
        self.assertEqual(inst, expected)
        self.assertTrue(inst.has_graph)
        self.assertEqual(inst.links, {"h2d": (0.5, 1e9), "d2h": (0.25, 2e9)})
        self.assertEqual(inst.data_bytes, {"X": 1e6, "Y": 0})

    def test_memories_of_data(self):
        inst = build({"cpu": [1, 2], "gpu": [1, 2], "data": [{"X": "r", "a b": "r"}, {"Y": "r"}]},
                     gpus=2, links={"h2d": (0, 1), "d2h": (0, 1)}, data_bytes={"X": 5, "Y": 3},
                     data_memory={"X": "gpu1", "a b": "gpu0", "Y": "host"})
        self.assertEqual(inst.data_memory, {"X": "gpu1", "a b": "gpu0"})
        self.assertEqual(inst.data_bytes, {"X": 5, "a b": 0, "Y": 3})
        self.assertIn("# data X 5 gpu1\n", inst.text().decode())
        frame = inst.frame()
        self.assertEqual(hs.Instance.from_frame(frame, **frame.attrs), inst)
        self.assertNotEqual(inst.digest, build(
            {"cpu": [1, 2], "gpu": [1, 2], "data": [{"X": "r", "a b": "r"}, {"Y": "r"}]}, gpus=2,
            links={"h2d": (0, 1), "d2h": (0, 1)}, data_bytes={"X": 5, "Y": 3}).digest)
        self.assertEqual(inst.with_workers(1, 1).data_memory, {"a b": "gpu0"})
        with self.assertRaisesRegex(hs.MalformedInput, "memory that does not exist"):
            build({"cpu": [1], "gpu": [1], "data": ["X:r"]}, gpus=1, data_memory={"X": "gpu1"})
        with self.assertRaisesRegex(hs.InvalidArgument, "line break"):
            build({"cpu": [1], "data": ["X:r"]}, data_memory={"X": "gpu0\n# gpus 1"})

    def test_faults_name_the_row_by_its_id(self):
        cases = [
            ({"id": ["a", "b\nb", "c", "d"], "cpu": [1, 2, -3, 4]}, r"row 2 \('c'\): cpu time"),
            ({"id": ["a", "b", "b"], "cpu": [1, 2, 3]}, r"row 2 \('b'\): two tasks have the name"),
            ({"cpu": [1, 2], "priority": [1, 2.5]}, r"row 1: .*2.5"),
            ({"id": ["a", "b"], "cpu": [1, 2], "after": ["b", "a"]}, r"row 1 \('b'\): tasks wait"),
            ({"id": ["a", "b"], "cpu": [1, 2], "after": ["", "z"]}, r"row 1 \('b'\): .*'z'"),
            ({"cpu": [1, math.inf]}, "row 1: "),
        ]
        for table, message in cases:
            with self.assertRaisesRegex(ValueError, message):
                build(table)
        with self.assertRaisesRegex(hs.InvalidArgument, "unknown unit 'h'"):
            build({"cpu": [1]}, unit="h")
        with self.assertRaisesRegex(hs.InvalidArgument, "unknown link 'h2h'"):
            build({"cpu": [1]}, links={"h2h": (1, 1)})
        for column in ("after", "data"):
            for cell in ([""], {"": "r"}):
                with self.assertRaisesRegex(hs.InvalidArgument, "empty name"):
                    build({"cpu": [1], column: [cell]})


@unittest.skipUnless(has("pandas"), "pandas is missing")
class Frame(unittest.TestCase):
    def test_frames_of_random_instances_give_the_instances_again(self):
        for inst in instances(rounds(40), seed=3):
            frame = inst.frame()
            again = hs.Instance.from_frame(frame, **frame.attrs)
            self.assertEqual(again.digest, inst.digest)
            self.assertTrue(frame.equals(again.frame()))

    def test_cells_longer_than_the_limit_of_csv(self):
        command = "x" * 200000
        inst = build({"cpu_command": [command]})
        self.assertEqual(inst.frame()["cpu_command"].tolist(), [command])

    def test_frames_keep_unknown_times(self):
        inst = build({"cpu": [1, "?"], "gpu": [None, 2], "kernel": ["a", "b"], "count": [3, 1]})
        frame = inst.frame()
        self.assertEqual(frame["cpu"].tolist(), [1.0, "?"])
        self.assertEqual(frame["gpu"].tolist(), [math.inf, 2.0])
        self.assertEqual(hs.Instance.from_frame(frame, **frame.attrs), inst)

    def test_missing_values_of_pandas(self):
        import pandas

        frame = pandas.DataFrame({
            "cpu": pandas.array([1, None, 3], dtype="Float64"),
            "gpu": pandas.array([None, 2, 4], dtype="Int64"),
            "kernel": pandas.array(["a", None, "c"], dtype="string")})
        expected = build({"cpu": [1, math.inf, 3], "gpu": ["?", 2, 4], "kernel": ["a", "", "c"]})
        self.assertEqual(build(frame).frame()["gpu"].tolist()[1:], [2, 4])
        self.assertEqual(build(frame.assign(gpu=["?", 2, 4])), expected)


if __name__ == "__main__":
    unittest.main()
