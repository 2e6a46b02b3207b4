# SPDX-License-Identifier: BSD-3-Clause
"""Instances from files of other programs, and from objects of SAGA."""

import collections
import itertools
import math
import os
import random
import unittest

import hybridsched as hs
from common import InFolder, SOURCE, instances, rounds, tool

DATA = os.path.join(SOURCE, "tests/cli/data")
Node = collections.namedtuple("Node", "name speed")
Link = collections.namedtuple("Link", "source target speed")
Network = collections.namedtuple("Network", "nodes edges")
Task = collections.namedtuple("Task", "name cost")
Data = collections.namedtuple("Data", "source target size")
Tasks = collections.namedtuple("Tasks", "tasks dependencies")


class Files(InFolder):
    def check(self, path, *options, **arguments):
        tool("hsched-gen", "import", path, *options, "-o", "tool.csv")
        inst = hs.import_file(path, **arguments)
        self.assertEqual(inst, hs.read("tool.csv"))
        return inst

    def test_formats(self):
        stg = os.path.join(DATA, "small.stg")
        self.check(stg, "--speedup", "8", "-m", "3", "-k", "1", "--unit", "ms", speedup="8", cpus=3,
                   gpus=1, unit="ms")
        rec, models = (os.path.join(DATA, f"small-{name}.rec") for name in ("tasks", "perfmodel"))
        tool("hsched-gen", "import", rec, models, "-o", "tool.csv")
        self.assertEqual(hs.import_file(rec, models=models), hs.read("tool.csv"))
        with open("graph.txt", "w", encoding="utf-8") as file:
            file.write("digraph { a [cpu=0]; b [cpu=6]; a -> b [bytes=80] }")
        inst = self.check("graph.txt", "--from", "dot", "--speedup", "b=3,none", "--least-time", "1",
                          format="dot", speedup="b=3,none", least_time=1)
        with open("named.dot", "w", encoding="utf-8") as file:
            file.write("digraph { a [work=1]; b [work=6]; a -> b [size=80] }")
        named = hs.import_file("named.dot", speedup="b=3,none", time="work", bytes="size")
        self.assertEqual(named.text(), inst.text())
        self.assertIn("b,6,2,a:80", named.text().decode())
        with open("flow.json", "w", encoding="utf-8") as file:
            file.write('{"name": "flow", "schemaVersion": "1.5", "workflow": {"specification": '
                       '{"tasks": [{"name": "t", "id": "t", "parents": [], "children": []}]}, '
                       '"execution": {"makespanInSeconds": 5, "executedAt": "2026", "tasks": '
                       '[{"id": "t", "runtimeInSeconds": 5}]}}}')
        self.assertEqual(len(self.check("flow.json", "--speedup", "2", speedup="2")), 1)

    def test_graphs_return_from_dot(self):
        for inst in instances(rounds(20), seed=11):
            if inst.has_graph:
                with open("graph.gv", "w", encoding="utf-8") as file:
                    file.write(inst.dot())
                self.assertEqual(hs.import_file("graph.gv").digest, inst.digest)
                other = hs.import_file("graph.gv", cpus=7, gpus=9)
                self.assertEqual((other.cpus, other.gpus), (7, 9))

    def test_faults(self):
        stg = os.path.join(DATA, "small.stg")
        for arguments, message in (
                (("jobs.csv",), "does not show the format"), ((stg, "sgt"), "did you mean 'stg'"),
                (("tasks.rec",), "recdump"), ((stg, None, {"models": stg}), "recdump"),
                ((stg, None, {"unit": "h"}), "unknown unit"),
                ((stg, None, {"cpus": -1}), "whole number"),
                ((stg, "dot"), r"small\.stg:1:"), ((stg,), "GPU|speedup")):
            options = arguments[2] if len(arguments) > 2 else {}
            with self.assertRaisesRegex(ValueError, message):
                hs.import_file(*arguments[:2], **options)
        with self.assertRaises(FileNotFoundError):
            hs.import_file("missing.stg")
        with self.assertRaises(FileNotFoundError):
            hs.import_file(os.path.join(DATA, "small-tasks.rec"), models="missing")


def network(slow, fast, inside=math.inf, between=2.0, fast_inside=3.0, speeds=(1.0, 4.0)):
    """Return a network of two groups; speeds of the edges in the slow group, between, in the fast."""
    nodes = [Node(f"s{i}", speeds[0]) for i in range(slow)] + \
        [Node(f"f{i}", speeds[1]) for i in range(fast)]
    edges = [Link(node.name, node.name, math.inf) for node in nodes]
    for one, other in itertools.combinations(nodes, 2):
        kinds = {one.name[0], other.name[0]}
        edges.append(Link(one.name, other.name, inside if kinds == {"s"} else
                          fast_inside if kinds == {"f"} else between))
    return Network(frozenset(nodes), frozenset(edges))


def graph(draw, size):
    tasks = [Task(f"t{i}", draw.uniform(1, 10)) for i in range(size)]
    edges = [Data(f"t{i}", f"t{j}", draw.choice([0, draw.uniform(0, 10)]))
             for j in range(size) for i in range(j) if draw.random() < 2 / size]
    return Tasks(frozenset(tasks), frozenset(edges))


def saga_times(net, work, schedule):
    """Return the earliest end of each task by SAGA's rules, on the workers of a schedule, in order.

    SAGA: a task takes cost / speed; its inputs arrive size / speed of the edge after they are ready.
    """
    speeds = {node.name: node.speed for node in net.nodes}
    edges = {frozenset((edge.source, edge.target)): edge.speed for edge in net.edges}
    inst = schedule.instance
    groups = collections.defaultdict(list)
    for node in sorted(net.nodes):
        groups[node.name[0]].append(node.name)
    cpu_group = "s" if len(groups["s"]) == inst.cpus and inst.cpus else "f"
    other = "f" if cpu_group == "s" else "s"
    names = groups[cpu_group] + groups[other]
    rows = sorted(zip(schedule.entries()["start"].tolist(), schedule.workers().tolist(),
                      schedule.entries()["task"].tolist()))
    cost = {task.name: task.cost for task in work.tasks}
    free, ends, places = collections.Counter(), {}, {}
    for _, worker, task in rows:
        task, place = inst.name(task), names[worker]
        arrive = [ends[edge.source] + (edge.size / edges[frozenset((places[edge.source], place))]
                                       if places[edge.source] != place else 0)
                  for edge in work.dependencies if edge.target == task]
        ends[task] = free[place] = max([free[place], *arrive]) + cost[task] / speeds[place]
        places[task] = place
    return ends


class Saga(unittest.TestCase):
    def test_times_are_those_of_saga(self):
        draw = random.Random(3)
        for number in range(rounds(60)):
            net = [network(3, 2, fast_inside=2.0), network(1, 3, between=5.0, fast_inside=1.0),
                   network(1, 2, fast_inside=math.inf),
                   network(4, 0), network(0, 3), network(2, 2, between=math.inf,
                                                         fast_inside=math.inf),
                   network(3, 2, inside=7.0, fast_inside=math.inf)][number % 7]
            work = graph(draw, draw.randint(1, 30))
            inst = hs.Instance.from_saga(net, work)
            s = hs.solve(inst, draw.choice(["heft", "mct", "cpu-only" if inst.cpus else "heft"]))
            s.check()
            ends = saga_times(net, work, s)
            for start, end, task, _ in s.entries().tolist():
                self.assertAlmostEqual(ends[inst.name(task)], end, msg=(number, inst.name(task)))

    def test_workers(self):
        work = Tasks([Task("a", 2.0), Task("b", 8.0)], [Data("a", "b", 6.0)])
        for net, cpus, gpus, cpu, gpu in (
                (network(3, 2), 3, 2, [2, 8], [0.5, 2]), (network(3, 0), 3, 0, [2, 8], None),
                (network(0, 2), 0, 2, None, [0.5, 2]),
                (network(3, 2, inside=1.0, fast_inside=math.inf), 2, 3, [0.5, 2], [2, 8]),
                (network(1, 2, fast_inside=math.inf), 2, 1, [0.5, 2], [2, 8]),
                (network(2, 1, inside=1.0), 1, 2, [0.5, 2], [2, 8]),
                (network(2, 1), 2, 1, [2, 8], [0.5, 2]), (network(1, 1), 1, 1, [2, 8], [0.5, 2])):
            inst = hs.Instance.from_saga(net, work)
            self.assertEqual((inst.cpus, inst.gpus), (cpus, gpus))
            rows = [line.split(",") for line in inst.text().decode().splitlines()[-2:]]
            for column, expected in ((1, cpu), (2, gpu)):
                self.assertEqual([float(row[column]) for row in rows],
                                 expected or [math.inf, math.inf])

    def test_tasks_without_cost(self):
        net = network(2, 1)
        tasks = [Task("first", 0), Task("a", 1), Task("b", 2), Task("last", 0)]
        edges = [Data("first", "a", 0), Data("first", "b", 0), Data("a", "last", 0),
                 Data("b", "last", 0)]
        inst = hs.Instance.from_saga(net, Tasks(tasks, edges))
        self.assertEqual((inst.names(), inst.has_graph), (["a", "b"], False))
        edges[0] = Data("first", "a", 1)
        with self.assertRaisesRegex(ValueError, "'first' has cost 0"):
            hs.Instance.from_saga(net, Tasks(tasks, edges))
        middle = [Data("a", "first", 0), Data("first", "b", 0)]
        with self.assertRaisesRegex(ValueError, "'first' has cost 0"):
            hs.Instance.from_saga(net, Tasks(tasks, middle))

    def test_what_is_not_exact_is_refused(self):
        work = Tasks([Task("a", 1)], [])
        for net, message in (
                (Network([], []), "no nodes"),
                (Network([Node("a", 1), Node("b", 2), Node("c", 3)], []), "3 speeds of nodes: 1, 2"),
                (Network([Node("a", 0)], []), "'a' of the network has speed 0"),
                (network(2, 2, inside=1.0), "all CPUs share one memory"),
                (Network([Node("a", 1), Node("b", 2)], []), "joins 'a' and 'b'"),
                (network(2, 2, between=math.inf), "some edges to GPUs are infinite")):
            with self.assertRaisesRegex(ValueError, message):
                hs.Instance.from_saga(net, work)
        edges = set(network(2, 1).edges) - {Link("s1", "f0", 2.0)} | {Link("s1", "f0", 9.0)}
        with self.assertRaisesRegex(ValueError, r"have 2 speeds: 2 \('s0' to 'f0'\), 9"):
            hs.Instance.from_saga(Network(network(2, 1).nodes, edges), work)


if __name__ == "__main__":
    unittest.main()
