# SPDX-License-Identifier: BSD-3-Clause
"""The ready queue."""

import gc
import math
import random
import unittest
import weakref

import hybridsched as hs


class Task:
    """A task that tests can watch being freed."""


class Queue(unittest.TestCase):
    def test_order_against_a_sorted_list(self):
        draw = random.Random(1)
        queue, model = hs.queue(2, 1), []
        for number in range(500):
            if draw.random() < 0.6:
                cpu, gpu = draw.choice([1, 2, 4, 8]), draw.choice([1, 2, 4, 8])
                queue.push(number, cpu=cpu, gpu=gpu)
                model.append((-cpu / gpu, number))
                model.sort()
            elif draw.random() < 0.5:
                expected = model.pop(0)[1] if model else None
                self.assertEqual((queue.peek("gpu"), queue.take("gpu")), (expected, expected))
            else:
                self.assertEqual(queue.take("cpu"), model.pop()[1] if model else None)
            self.assertEqual(len(queue), len(model))

    def test_types_priorities_and_updates(self):
        queue = hs.queue(1, 1)
        queue.push("cpu only", cpu=1, gpu=math.inf)
        self.assertIsNone(queue.take("gpu"))
        low = queue.push("low", cpu=2, gpu=1, priority=1)
        queue.push("high", cpu=2, gpu=1, priority=2)
        self.assertEqual(queue.peek("gpu"), "high")
        queue.update(low, priority=3)
        self.assertEqual(queue.peek("gpu"), "low")
        queue.update(low, cpu=1)
        self.assertEqual(queue.peek("gpu"), "high")
        self.assertTrue(queue.remove(low))
        self.assertFalse(queue.remove(low))
        with self.assertRaises(hs.InvalidArgument):
            queue.update(low, cpu=3)
        with self.assertRaises(hs.InvalidTime):
            queue.push("bad", cpu=-1, gpu=1)
        with self.assertRaises(hs.NoWorker):
            hs.queue(0, 1).push("bad", cpu=1, gpu=math.inf)
        with self.assertRaises(hs.InvalidArgument):
            queue.take("tpu")
        self.assertEqual(len(queue), 2)

    def test_spoliation(self):
        queue = hs.queue(1, 1)
        queue.push("slow", cpu=10, gpu=2)
        self.assertEqual(queue.take("cpu", worker=0, end=10), "slow")
        self.assertIsNone(queue.find_victim("gpu", now=9))
        with self.assertRaises(hs.InvalidArgument):
            queue.push("next", cpu=1, gpu=1)
            queue.take("cpu", worker=0, end=3)
        self.assertEqual(queue.ended(0), "slow")
        with self.assertRaises(hs.InvalidArgument):
            queue.ended(0)
        queue.push("slow", cpu=10, gpu=2)
        self.assertEqual(queue.take("gpu"), "slow")
        queue.push("slow", cpu=10, gpu=2)
        queue.take("cpu")
        queue.take("cpu", worker=0, end=10)
        self.assertIsNone(queue.find_victim("cpu", now=1))
        for arguments in (dict(worker=0), dict(end=1.0)):
            with self.assertRaises(TypeError):
                queue.take("cpu", **arguments)

    def test_a_victim_is_found(self):
        queue = hs.queue(1, 1)
        queue.push("slow", cpu=10, gpu=2)
        queue.take("cpu", worker=0, end=10)
        self.assertEqual(queue.find_victim("gpu", now=1), (0, "slow"))

    def test_a_bad_end_leaves_the_task_in_the_queue(self):
        queue = hs.queue(1, 1)
        queue.push("a", cpu=1, gpu=1)
        for worker, end in ((0, math.nan), (0, "soon"), (0.5, 1), ("0", 1), (2, 1)):
            with self.assertRaises((hs.InvalidArgument, TypeError, ValueError, IndexError)):
                queue.take("cpu", worker=worker, end=end)
        self.assertEqual((len(queue), queue.take("cpu", worker=0, end=1)), (1, "a"))

    def test_choice(self):
        queue = hs.queue(1, 1)
        for number in range(4):
            queue.push(number, cpu=1, gpu=1)
        self.assertEqual(queue.take_if("gpu", lambda task: task == 2), 2)
        self.assertIsNone(queue.take_if("gpu", lambda task: False))
        with self.assertRaises(ZeroDivisionError):
            queue.take_if("cpu", lambda task: 1 / 0)
        self.assertEqual(len(queue), 3)

    def test_take_best(self):
        queue = hs.queue(1, 1)
        for number in range(5):
            queue.push(number, cpu=2, gpu=1)
        queue.push(5, cpu=1, gpu=1)
        costs = {0: float("inf"), 1: 7, 2: 6, 3: 5, 4: 1, 5: 0}
        self.assertEqual(queue.take_best("gpu", costs.get, most=3), 3)
        self.assertEqual(queue.take_best("gpu", costs.get, most=10), 4)
        self.assertEqual(queue.take_best("cpu", costs.get, most=10), 5)
        with self.assertRaises(ZeroDivisionError):
            queue.take_best("gpu", lambda task: 1 / 0 if task == 2 else 1, most=10)
        self.assertEqual(len(queue), 3)

    def test_tasks_are_freed(self):
        queue, task = hs.queue(1, 1), Task()
        alive = weakref.ref(task)
        queue.push(task, cpu=1, gpu=1)
        queue.take("cpu", worker=0, end=1)
        del task
        self.assertIsNotNone(alive())
        queue.ended(0)
        gc.collect()
        self.assertIsNone(alive())


if __name__ == "__main__":
    unittest.main()
