# SPDX-License-Identifier: BSD-3-Clause
"""Task graphs of networkx, and policies under the virtual clock."""

import unittest

import hybridsched as hs
from common import has, instances, rounds


@unittest.skipUnless(has("networkx"), "networkx is missing")
class Graph(unittest.TestCase):
    def build(self):
        import networkx

        graph = networkx.DiGraph()
        graph.add_node("a", cpu=3, gpu=1)
        graph.add_node("b:1", cpu=2, priority=5)
        graph.add_node(3, gpu=2.5, colour="red")
        graph.add_edge("a", "b:1", bytes=100)
        graph.add_edge("a", 3)
        return graph

    def test_from_networkx(self):
        inst = hs.Instance.from_networkx(self.build(), cpus=1, gpus=1,
                                         links={"h2d": (0, 1e3), "d2h": (0, 1e3)})
        expected = hs.Instance.from_frame(
            {"id": ["a", "b:1", "3"], "cpu": [3, 2, None], "gpu": [1, None, 2.5],
             "priority": [0, 5, 0], "after": [None, {"a": 100}, ["a"]]}, cpus=1, gpus=1,
            links={"h2d": (0, 1e3), "d2h": (0, 1e3)})
        self.assertEqual(inst, expected)

    def test_names_of_attributes(self):
        import networkx

        graph = networkx.DiGraph()
        graph.add_node(0, slow=3, fast=1)
        graph.add_node(1, slow=3, fast=1)
        graph.add_edge(0, 1, weight=7)
        inst = hs.Instance.from_networkx(graph, cpus=1, gpus=1, cpu="slow", gpu="fast",
                                         bytes="weight")
        self.assertEqual(inst.to_networkx().edges["0", "1"]["bytes"], 7)

    def test_random_graphs_return(self):
        for inst in instances(rounds(40), seed=10):
            graph = inst.to_networkx()
            self.assertEqual(len(graph), len(inst))
            again = hs.Instance.from_networkx(graph, cpus=inst.cpus, gpus=inst.gpus,
                                              unit=inst.unit, links=inst.links)
            self.assertEqual(again.to_networkx().edges(data=True)._adjdict,
                             graph.edges(data=True)._adjdict)
            self.assertEqual(dict(again.to_networkx().nodes(data=True)),
                             dict(graph.nodes(data=True)))

    def test_copies_and_data_become_edges(self):
        inst = hs.Instance.from_frame(
            {"id": ["a", "b", "c", "d"], "cpu": [1, 1, 1, 1], "count": [3, 2, 1, 1],
             "after": [None, "a:8", None, None], "data": ["", "", "X:w", "X:r"]}, cpus=1, gpus=0)
        graph = inst.to_networkx()
        self.assertEqual(sorted(graph.pred["b#2"]), ["a#1", "a#2", "a#3"])
        self.assertEqual({graph.edges[f"a#{i}", "b#1"]["bytes"] for i in (1, 2, 3)}, {8})
        self.assertEqual(list(graph.pred["d"]), ["c"])

    def test_unknown_times_return(self):
        inst = hs.Instance.from_frame({"id": ["a", "b"], "cpu": ["?", 2], "gpu": [1, "?"]}, cpus=1,
                                      gpus=1)
        self.assertEqual(inst.to_networkx().nodes["a"]["cpu"], "?")
        self.assertEqual(hs.Instance.from_networkx(inst.to_networkx(), cpus=1, gpus=1), inst)

    def test_edges_of_a_node_without_a_name(self):
        import networkx

        graph = networkx.DiGraph([("", "b")])
        networkx.set_node_attributes(graph, 1, "cpu")
        with self.assertRaisesRegex(hs.InvalidArgument, "empty name"):
            hs.Instance.from_networkx(graph, cpus=1, gpus=0)
        graph.remove_edge("", "b")
        self.assertEqual(len(hs.Instance.from_networkx(graph, cpus=1, gpus=0)), 2)

    def test_other_graphs_are_refused(self):
        import networkx

        for graph in (networkx.Graph(), networkx.MultiDiGraph()):
            with self.assertRaisesRegex(ValueError, "DiGraph"):
                hs.Instance.from_networkx(graph, cpus=1, gpus=1)
        cycle = networkx.DiGraph([(0, 1), (1, 0)])
        networkx.set_node_attributes(cycle, 1, "cpu")
        with self.assertRaisesRegex(ValueError, "wait for each other"):
            hs.Instance.from_networkx(cycle, cpus=1, gpus=0)


class Simulate(unittest.TestCase):
    def test_exact_times_give_the_algorithm(self):
        for inst in instances(rounds(20), seed=11):
            if not inst.has_graph:
                self.assertEqual(hs.simulate(inst, "heteroprio").entries().tolist(),
                                 hs.solve(inst, "heteroprio").entries().tolist())

    def test_other_times_and_plans(self):
        inst = hs.generate("gamma", 60, cpus=3, gpus=2, seed=1)
        truth = hs.generate("gamma", 60, cpus=3, gpus=2, seed=2)
        plan = hs.solve(inst, "lpt")
        self.assertEqual(hs.simulate(inst, "plan", plan=plan).makespan, plan.makespan)
        done = hs.simulate(inst, "plan+steal", plan=plan, truth=truth)
        done.check()
        self.assertIs(done.instance, truth)
        self.assertNotEqual(done.makespan, plan.makespan)
        self.assertEqual(done.algorithm, "plan+steal")

    def test_faults(self):
        inst = hs.generate("gamma", 6, cpus=1, gpus=1)
        for arguments, message in (
                (dict(policy="plan"), "pass plan="), (dict(policy="plna"), "did you mean 'plan'"),
                (dict(policy="heteroprio", truth=hs.generate("gamma", 7, cpus=1, gpus=1)),
                 "7 tasks"),
                (dict(policy="heteroprio", truth=hs.generate("gamma", 6, cpus=2, gpus=1)),
                 "2 CPUs")):
            with self.assertRaisesRegex(hs.InvalidArgument, message):
                hs.simulate(inst, **arguments)

    def test_an_empty_plan_is_not_ignored(self):
        inst = hs.Instance([4], [1], cpus=1, gpus=1)
        empty = hs.Schedule.build(inst, [], [], [])
        with self.assertRaises(hs.InvalidSchedule):
            hs.simulate(inst, "plan", plan=empty)


if __name__ == "__main__":
    unittest.main()
