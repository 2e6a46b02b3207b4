# SPDX-License-Identifier: BSD-3-Clause
"""Instances: arrays without copies, files, immutability, faults."""

import copy
import math
import os
import pickle
import unittest

import numpy as np

import hybridsched as hs
from common import InFolder, instances, rounds


class Arrays(unittest.TestCase):
    def test_contiguous_arrays_are_not_copied(self):
        cpu, gpu = np.array([4.0, 2, 6]), np.array([1.0, 2, 3])
        priority = np.array([1, 2, 3])
        inst = hs.Instance(cpu, gpu, cpus=1, gpus=1, priority=priority)
        for mine, kept in zip((cpu, gpu, priority), inst._kept):
            self.assertTrue(np.shares_memory(mine, kept))

    def test_other_arrays_are_copied_and_kept(self):
        table = np.array([[4, 1], [2, 2], [6, 3]], dtype=np.float32)
        inst = hs.Instance(table[:, 0], table[:, 1], cpus=1, gpus=1)
        del table
        self.assertEqual(hs.solve(inst, "exact").makespan, 4)

    def test_arrays_live_as_long_as_instances_that_share_them(self):
        inst = hs.Instance(np.array([4.0, 2, 6]), np.array([1.0, 2, 3]), cpus=1, gpus=1)
        other = inst.with_workers(2, 2)
        digest = other.digest
        del inst
        junk = [np.full(3, 7.0) for _ in range(100)]
        self.assertEqual(other.digest, digest)
        self.assertEqual((other.cpus, other.gpus, len(other), len(junk)), (2, 2, 3, 100))

    def test_priorities(self):
        inst = hs.Instance([1, 1], [2, 2], cpus=1, gpus=0, priority=[5, 9])
        self.assertEqual(inst.text().split()[-2:], [b"1,2,5", b"1,2,9"])
        whole = np.array([5.0, 2**63 - 1024])
        hs.Instance([1, 1], [2, 2], cpus=1, gpus=0, priority=whole)
        for wrong in ([0, 2.5], [0, math.nan], [0, 1e300], np.array([0, 2**63], dtype=np.uint64)):
            with self.assertRaisesRegex(ValueError, "priority: element 1 is"):
                hs.Instance([1, 1], [2, 2], cpus=1, gpus=0, priority=wrong)

    def test_faults(self):
        cases = [
            (dict(cpu=[1, -2], gpu=[1, 2], cpus=1, gpus=1), hs.InvalidTime, "task 1: the CPU"),
            (dict(cpu=[1, 2], gpu=[1, math.nan], cpus=1, gpus=1), hs.InvalidTime,
             "task 1: the GPU"),
            (dict(cpu=[1, math.inf], gpu=[1, 2], cpus=1, gpus=0), hs.NoWorker, "task 1: none"),
            (dict(cpu=[1], gpu=[1], cpus=0, gpus=0), hs.InvalidArgument, "no CPU and no GPU"),
            (dict(cpu=[1, 2], gpu=[1], cpus=1, gpus=1), ValueError, "2, 1 elements"),
            (dict(cpu=[[1]], gpu=[[1]], cpus=1, gpus=1), ValueError, "one dimension"),
            (dict(cpu=[1], gpu=[1], cpus=-1, gpus=1), ValueError, "cpus=-1"),
            (dict(cpu=[1], gpu=[1], cpus=1, gpus=1.5), ValueError, "gpus=1.5"),
            (dict(cpu=[1e308] * 9, gpu=[1e308] * 9, cpus=1, gpus=1), hs.TooLong, "too large"),
        ]
        for arguments, error, message in cases:
            with self.assertRaisesRegex(error, message):
                hs.Instance(**arguments)


class Values(InFolder):
    def test_equality_hash_pickle_and_copies(self):
        seen = set()
        for inst in instances(rounds(40), seed=1):
            again = pickle.loads(pickle.dumps(inst))
            self.assertEqual(inst, again)
            self.assertEqual(hash(inst), hash(again))
            self.assertEqual(inst.digest, again.digest)
            self.assertIs(copy.deepcopy(inst), inst)
            seen.add(inst)
            self.assertIn(again, seen)

    def test_instances_of_other_order_differ(self):
        one, other = (hs.Instance.from_frame({"id": ids, "cpu": times}, cpus=1, gpus=0)
                      for ids, times in ((["a", "b"], [1, 2]), (["b", "a"], [2, 1])))
        self.assertEqual(one.digest, other.digest)
        self.assertNotEqual(one, other)
        self.assertNotEqual(one, 3)

    def test_immutable(self):
        inst = hs.Instance([1], [1], cpus=1, gpus=1)
        for name in ("cpus", "_handle", "other"):
            with self.assertRaises(AttributeError):
                setattr(inst, name, 3)
            with self.assertRaises(AttributeError):
                delattr(inst, name)

    def test_files(self):
        for number, inst in enumerate(instances(rounds(40), seed=2)):
            inst.save(f"{number}.csv")
            self.assertEqual(hs.read(f"{number}.csv"), inst)
        self.assertEqual([name for name in os.listdir(".") if not name.endswith(".csv")], [])

    def test_workers_of_a_file_can_be_replaced(self):
        hs.Instance([1], [1], cpus=3, gpus=2).save("jobs.csv")
        inst = hs.read("jobs.csv", cpus=7)
        self.assertEqual((inst.cpus, inst.gpus), (7, 2))
        self.assertEqual(hs.read("jobs.csv", gpus=0).gpus, 0)

    def test_fault_of_a_file_has_its_position(self):
        with open("jobs.csv", "w", encoding="utf-8") as file:
            file.write("# cpus 1\n# gpus 1\ncpu,gpu\n1,2\n3,-4\n")
        with self.assertRaises(hs.MalformedInput) as caught:
            hs.read("jobs.csv")
        self.assertEqual((caught.exception.line, caught.exception.column), (5, 3))
        self.assertTrue(str(caught.exception).startswith("jobs.csv:5:3: gpu time '-4'"))
        self.assertEqual(caught.exception.status, "HS_ESYNTAX")

    def test_missing_files_and_folders(self):
        with self.assertRaises(FileNotFoundError):
            hs.read("missing.csv")
        with self.assertRaises(FileNotFoundError):
            hs.Instance([1], [1], cpus=1, gpus=1).save("missing/jobs.csv")
        with self.assertRaises(IsADirectoryError):
            hs.read(".")

    def test_a_failed_save_leaves_the_old_file(self):
        with open("jobs.csv", "w", encoding="utf-8") as file:
            file.write("old")
        with self.assertRaises(TypeError):
            from hybridsched._library import save
            save("jobs.csv", "no bytes")
        self.assertEqual(os.listdir("."), ["jobs.csv"])
        with open("jobs.csv", encoding="utf-8") as file:
            self.assertEqual(file.read(), "old")

    def test_unknown_columns(self):
        with open("jobs.csv", "w", encoding="utf-8") as file:
            file.write("# cpus 1\n# gpus 1\ncpu,gpu,colour\n1,2,red\n")
        with self.assertRaisesRegex(hs.MalformedInput, "colour"):
            hs.read("jobs.csv")
        self.assertEqual(len(hs.read("jobs.csv", ignore_unknown=True)), 1)

    def test_names(self):
        inst = hs.Instance.from_frame({"id": ["a", "b"], "cpu": [1, 2], "count": [1, 2]}, cpus=1,
                                      gpus=0)
        self.assertEqual(inst.names(), ["a", "b#1", "b#2"])
        self.assertEqual(inst.name(2), "b#2")
        self.assertEqual(hs.Instance([1], [1], cpus=1, gpus=0).name(0), "t0")
        for task in (-1, 3):
            with self.assertRaises(IndexError):
                inst.name(task)
        long = "x" * 4096
        inst = hs.Instance.from_frame({"id": [long], "cpu": [1]}, cpus=1, gpus=0)
        self.assertEqual((inst.name(0), inst.names()), (long, [long]))

    def test_notes(self):
        inst = hs.generate("gamma", 3)
        self.assertEqual(inst.notes[0][0], "generator")


if __name__ == "__main__":
    unittest.main()
