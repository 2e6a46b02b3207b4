# SPDX-License-Identifier: BSD-3-Clause
"""Bounds and certificates, verified in fractions and by hsched-check."""

import os
import unittest

import hybridsched as hs
from common import InFolder, instances, rounds, tool


def names(certificate=False):
    from hybridsched._library import lib, registry, text

    return [text(lib.hs_bound_name(entry)) for entry in registry(lib.hs_bound_at)
            if not certificate or lib.hs_bound_supports_certificate(entry)]


def kind(bound):
    """Return the kind of a certificate's proof."""
    return bound.certificate.split(b"\nproof,")[1].split(b"\n")[0].decode()


def sealed(lines):
    """Return a certificate with a right checksum."""
    body = "".join(line + "\n" for line in lines)
    value = 0xCBF29CE484222325
    for byte in body.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"{body}checksum,{value:016x}\n".encode()


class Bounds(InFolder):
    def test_bounds_are_below_schedules(self):
        for number, inst in enumerate(instances(rounds(20), seed=8)):
            name = names()[number % len(names())]
            value = hs.bound(inst, name, time_limit=0.2).value
            s = hs.solve(inst, "heteroprio")
            self.assertLessEqual(value, s.makespan * (1 + 1e-12))

    def test_certificates_are_verified(self):
        kinds = set()
        for inst in instances(rounds(20), seed=9):
            for name in names(certificate=True):
                found = hs.bound(inst, name, certificate=True, time_limit=0.2)
                kinds.add(kind(found))
                self.assertTrue(hs.verify(inst, found), (name, inst))
                self.assertTrue(hs.verify(inst, found.certificate))
        self.assertGreaterEqual(kinds, {"task", "multipliers"})

    def test_proofs_of_searches(self):
        inst = hs.generate("gamma", 12, cpus=2, gpus=1, seed=3)
        s = hs.solve(inst, "exact")
        proof = hs.prove(s, time_limit=20)
        self.assertEqual(proof.value, s.bound)
        self.assertTrue(hs.verify(inst, proof))
        with self.assertRaises(hs.InvalidArgument):
            hs.prove(hs.solve(inst, "lpt"))

    def test_certificates_of_other_instances_and_values_prove_nothing(self):
        inst = hs.generate("gamma", 12, cpus=2, gpus=1, seed=3)
        other = hs.generate("gamma", 12, cpus=2, gpus=1, seed=4)
        found = hs.bound(inst, "deadline", certificate=True)
        self.assertFalse(hs.verify(other, found))
        self.assertFalse(hs.verify(inst, hs.Bound("deadline", found.value * 2,
                                                  certificate=found.certificate)))
        self.assertFalse(hs.verify(inst, found.certificate.replace(b"multipliers", b"task")))
        self.assertFalse(hs.verify(inst, b""))
        with self.assertRaises(hs.InvalidArgument):
            hs.verify(inst, hs.bound(inst, "deadline"))

    def certificate(self, inst, value, *proof):
        exact, power = float(value).hex(), 0
        mantissa = float(value)
        while not mantissa.is_integer():
            mantissa, power = mantissa * 2, power - 1
        self.assertTrue(exact)
        return sealed(["# hybridsched certificate 1", "bound,test",
                       f"value,{float(value)!r},{int(mantissa)}*2^{power}",
                       f"instance-digest,{inst.digest:016x}", *proof])

    def test_limits_of_the_proofs(self):
        # One CPU and one GPU: the optimum is 4, and the load bound with equal multipliers too.
        inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
        task = hs.Instance([4, 2], [5, 2], cpus=1, gpus=1)
        self.assertTrue(hs.verify(inst, self.certificate(inst, 0, "proof,none")))
        self.assertFalse(hs.verify(inst, self.certificate(inst, 1, "proof,none")))
        self.assertTrue(hs.verify(task, self.certificate(task, 4, "proof,task")))
        self.assertFalse(hs.verify(task, self.certificate(task, 4.5, "proof,task")))
        proof = ["proof,multipliers", "cpu-multiplier,1,1*2^0", "gpu-multiplier,1,1*2^0"]
        # All times are multiples of 1: below 3.5 a load is at most 3, and 1 + 2 + 3 = 3 + 3.
        self.assertTrue(hs.verify(inst, self.certificate(inst, 3, *proof)))
        self.assertFalse(hs.verify(inst, self.certificate(inst, 3.5, *proof)))
        self.assertFalse(hs.verify(inst, self.certificate(inst, 4, *proof)))
        wrong = [proof[0], "cpu-multiplier,2,1*2^0", proof[2]]
        self.assertFalse(hs.verify(inst, self.certificate(inst, 3, *wrong)))

    def test_saved_certificates_are_those_of_the_tools(self):
        inst = hs.generate("gamma", 12, cpus=2, gpus=1, seed=3)
        inst.save("jobs.csv")
        hs.bound(inst, "deadline", certificate=True).save("mine")
        tool("hsched-solve", "jobs.csv", "-a", "lpt", "-b", "deadline", "--certificate", "theirs")
        with open("mine", "rb") as mine, open("theirs", "rb") as theirs:
            self.assertEqual(mine.read(), theirs.read())
        with self.assertRaises(hs.InvalidArgument):
            hs.bound(inst, "deadline").save("mine")

    def test_other_proofs_need_the_checker(self):
        if "configuration" not in names():
            self.skipTest("this build has no GLPK")
        inst = hs.generate("gamma", 300, seed=3)
        found = hs.bound(inst, "configuration", certificate=True)
        self.assertNotIn(kind(found), ("none", "task", "multipliers"))
        path = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", path)
        os.environ["PATH"] = ""
        with self.assertRaisesRegex(hs.Unsupported, "hsched-check"):
            hs.verify(inst, found)

    def test_unknown_bounds(self):
        inst = hs.generate("gamma", 5)
        with self.assertRaisesRegex(hs.InvalidArgument, "did you mean 'deadline'"):
            hs.bound(inst, "dedline")
        with self.assertRaises(hs.Unsupported):
            if "mip" in names():
                raise hs.Unsupported
            hs.bound(inst, "mip")


if __name__ == "__main__":
    unittest.main()
