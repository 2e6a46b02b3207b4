# SPDX-License-Identifier: BSD-3-Clause
"""Generated instances are those of hsched-gen, byte by byte."""

import unittest

import hybridsched as hs
from common import InFolder, tool


def table(content):
    """Return an instance's file without the line that names its generator."""
    return b"\n".join(line for line in content.splitlines()
                      if not line.startswith(b"# generator "))


class Generate(InFolder):
    def check(self, command, *arguments, **options):
        made = tool("hsched-gen", *command.split())
        with open("made.csv", "wb") as file:
            file.write(made)
        self.assertEqual(table(hs.generate(*arguments, **options).text()), table(made), command)

    def test_random_times(self):
        self.check("gamma -n 50 -s 3 --cpu-mean 7", "gamma", 50, seed=3, cpu_mean=7)
        self.check("gamma", "gamma")
        self.check("uniform -n 40 -m 3 -k 0 -s 5 --cpu-range 2:9 --integer", "uniform", 40, cpus=3,
                   gpus=0, seed=5, cpu_range=(2, 9), integer=True)
        self.check("identical e1 -n 30 -m 4 -s 2", "e1", 30, cpus=4, seed=2)
        self.check("identical class-3 -n 30 -m 4", "class-3", 30, cpus=4)

    def test_factorisations(self):
        self.check("cholesky 6", "cholesky", 6)
        self.check("lu 5 --graph -m 3 -k 1", "lu", 5, graph=True, cpus=3, gpus=1)
        self.check("qr 4 --compact", "qr", 4, compact=True)
        self.check("cholesky 6 --kernels mirage-960 --precision single", "cholesky", 6,
                   kernels="mirage-960", single=True)

    def test_graphs(self):
        self.check("chain -n 9", "chain", 9)
        self.check("layered -n 40 --width 5 --degree 3 -s 4 --ccr 0.5", "layered", 40, width=5,
                   degree=3, seed=4, ccr=0.5)
        self.check("topcuoglu -n 30 --alpha 2 --beta 1", "topcuoglu", 30, alpha=2, beta=1)
        self.check("random -n 30 --times uniform --gpu-range 1:2", "random", 30, times="uniform",
                   gpu_range=(1, 2))
        self.check("fork-join -n 30 --kernels mirage-960", "fork-join", 30, kernels="mirage-960")

    def test_applications_and_worst_cases(self):
        self.check("applications xgemm:3 --problem medium -m 2 -k 1", "application-xgemm", 3,
                   problem="medium", cpus=2, gpus=1)
        self.check("worst hp-1-1 5", "worst-hp-1-1", 5)

    def test_every_family(self):
        for family in hs.families():
            if family not in ("planted", "worst-hp-1-1"):  # these refuse 6
                self.assertGreater(len(hs.generate(family, 6)), 0, family)

    def test_faults(self):
        for family, options, error, message in (
                ("gamam", {}, hs.InvalidArgument, "did you mean 'gamma'"),
                ("gamma", {"cpu_men": 3}, TypeError, "'cpu_men'; did you mean 'cpu_mean'"),
                ("gamma", {"gpu_mean": -1}, hs.InvalidArgument, "mean"),
                ("cholesky", {}, TypeError, "number of tiles"),
                ("worst-list", {"size": 7, "seed": 1, "tiles": 3}, TypeError, "'tiles'"),
                ("application-none", {}, hs.InvalidArgument, "unknown family"),
                ("cholesky", {"size": 3, "kernels": "mirage-961"}, hs.InvalidArgument,
                 "did you mean 'mirage-960'"),
                ("e1", {"gpus": 1}, hs.InvalidArgument, "CPUs only"),
                ("random", {"times": "normal"}, hs.InvalidArgument, "'normal'")):
            with self.assertRaisesRegex(error, message):
                hs.generate(family, **options)


if __name__ == "__main__":
    unittest.main()
