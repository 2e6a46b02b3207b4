# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: measured times in memory and in files, predictions, runs."""

import math
import os
import threading
import unittest
import unittest.mock

import hybridsched as hs
from common import InFolder, has, script, tool
from hybridsched import _profile
from hybridsched._library import text

FILES = hs.features()["profile"]
needs_files = unittest.skipUnless(FILES, "this build has no SQLite")
needs_pandas = unittest.skipUnless(has("pandas"), "pandas is missing")


def jobs(*kernels, size=None, cpus=1, gpus=0, **columns):
    """Return an instance with a row of unknown time for each kernel."""
    table = {"kernel": kernels, "cpu": ["?"] * len(kernels), **columns}
    if size is not None:
        table["size"] = size
    return hs.Instance.from_frame(table, cpus=cpus, gpus=gpus)


def commands(*lines):
    return hs.Instance.from_frame({"cpu_command": lines}, cpus=1, gpus=0)


def times(inst):
    from hybridsched._library import lib

    return [lib.hs_instance_time(inst._handle, task, lib.HS_CPU) for task in range(len(inst))]


class Predictions(unittest.TestCase):
    def test_sources(self):
        known = hs.Profile()
        for size in (10, 20, 40, 80):
            known.observe("law", "cpu", 0.01 * size**2, size=size)
        known.observe("alone", "cpu", 7.0, size=5)
        inst = jobs("law", "law", "alone", "alone", "new", size=[20, 30, 5, 6, 1]).fill(known)
        self.assertEqual(inst.sources(), {
            "cpu": ["history", "power", "history", "key", "least"], "gpu": ["none"] * 5})
        for time, expected in zip(times(inst), [4, 9, 7, 7]):
            self.assertAlmostEqual(time, expected)
        self.assertEqual((inst.guesses, inst.unknown), (2, 0))
        self.assertEqual(jobs("a", "b").guesses, 0)
        self.assertEqual(inst.with_workers(1, 1).guesses, 5)

    def test_without_a_profile_everything_is_guessed(self):
        inst = jobs("a", "b").fill()
        self.assertEqual((times(inst), inst.guesses), ([1, 1], 2))
        self.assertEqual(inst.sources()["cpu"], ["none", "none"])

    def test_types_are_apart(self):
        known = hs.Profile()
        known.observe("k", "cpu", 3.0)
        known.observe("k", "gpu", 2.0)
        inst = hs.Instance.from_frame({"kernel": ["k"], "cpu": ["?"], "gpu": ["?"]}, cpus=1,
                                      gpus=1).fill(known)
        self.assertEqual(hs.solve(inst, "heteroprio").makespan, 2)
        self.assertEqual(times(inst), [3])

    def test_given_times_are_kept_or_predicted_again(self):
        known = hs.Profile()
        known.observe("k", "cpu", 3.0)
        inst = hs.Instance.from_frame({"kernel": ["k", "other"], "cpu": [9, 8]}, cpus=1, gpus=0)
        self.assertEqual(times(inst.fill(known)), [9, 8])
        self.assertEqual(times(inst.fill(known, retime=True)), [3, 8])

    def test_the_guesses_of_copies_count_once(self):
        inst = jobs("a", "b", count=[3, 2]).fill()
        self.assertEqual((len(inst), inst.guesses, len(inst.sources()["cpu"])), (5, 2, 2))

    def test_faults(self):
        known = hs.Profile()
        for arguments in (("k", "cpu", 0), ("k", "cpu", -1), ("k", "cpu", math.nan),
                          ("k", "tpu", 1), ("", "cpu", 1), ("k" * 256, "cpu", 1)):
            with self.assertRaises(hs.InvalidArgument):
                known.observe(*arguments)
        with self.assertRaises(hs.InvalidArgument):
            known.observe("k", "cpu", 1, size=-1)
        with self.assertRaises(hs.InvalidArgument):
            hs.Profile(gpu="a")
        self.assertEqual(len(known), 0)
        with self.assertRaisesRegex(FileNotFoundError, "no such profile"):
            jobs("a").fill("missing")
        self.assertFalse(os.path.exists("missing"))

    @needs_pandas
    def test_frame(self):
        known = hs.Profile()
        for size in (10, 20, 40, 80):
            known.observe("law", "gpu", 0.5 * size, size=size, date=60)
        known.observe("k", "cpu", 1.0, flops=1e6, bytes_in=8, bytes_out=16)
        known.observe("k", "cpu", 3.0, flops=1e6, bytes_in=8, bytes_out=16)
        frame = known.frame()
        self.assertEqual(len(known), len(frame))
        k, law = frame.iloc[0], frame.iloc[1:]
        self.assertEqual(list(k[["key", "type", "flops", "bytes_in", "bytes_out", "n", "mean",
                                 "least", "law"]]), ["k", "cpu", 1e6, 8, 16, 2, 2, 1, ""])
        self.assertAlmostEqual(k["spread"], math.sqrt(2) / 2)
        self.assertTrue(k.isna()["last"])
        self.assertEqual(law["size"].tolist(), [10, 20, 40, 80])
        self.assertEqual(set(law["type"]), {"gpu"})
        self.assertTrue(law["spread"].isna().all())
        self.assertRegex(law["law"].iloc[0], r"^0\.5 D\^1 \+ ")
        self.assertEqual(str(law["last"].iloc[0]), "1970-01-01 00:01:00")

    def test_threads_share_a_profile(self):
        known = hs.Profile()

        def work(number):
            for size in range(1, 51):
                known.observe(f"k{number}", "cpu", float(size), size=size)
                self.assertEqual(times(jobs(f"k{number}", size=[size]).fill(known)), [size])

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(len(known), 200)

    @unittest.skipIf(FILES, "this build has SQLite")
    def test_files_need_sqlite(self):
        with self.assertRaisesRegex(hs.Unsupported, "SQLite"):
            hs.Profile("times.profile")


class Runs(InFolder):
    def test_a_run_measures(self):
        known = hs.Profile()
        inst = commands("sleep 0.05", "sleep 0.1", "exit 3", "true")
        r = hs.run(inst, commands=True, profile=known, halt="never")
        self.assertEqual(r.policy, "explore")
        filled = inst.fill(known)
        rows = r.records()
        for task in (0, 1, 3):
            row = rows[rows["task"] == task][0]
            self.assertAlmostEqual(times(filled)[task], row["end"] - row["start"])
        self.assertNotIn("exit", [known._row(entry)[0] for entry in known._entries()])
        self.assertEqual(filled.sources()["cpu"][:2], ["task", "task"])
        again = hs.run(commands("sleep 0.05", "sleep 0.1"), commands=True, profile=known)
        self.assertEqual((again.policy, again.guessed), ("plan", False))

    def test_timers_measure_nothing(self):
        known = hs.Profile()
        r = hs.run(hs.Instance([0.01], [1], cpus=1, gpus=0), emulate_cpus=True, profile=known,
                   oversubscribe=True)
        self.assertTrue(r.ok)
        self.assertEqual((len(known), known.add(r)), (0, 0))

    def test_an_interrupted_run_is_kept(self):
        known = hs.Profile()

        def fail(progress):
            if progress.done:
                raise ZeroDivisionError

        with self.assertRaises(ZeroDivisionError):
            hs.run(commands("true", "sleep 600").with_workers(2, 0), commands=True, profile=known,
                   progress=fail, oversubscribe=True)
        self.assertEqual(len(known), 1)


    def test_forget(self):
        known = hs.Profile()
        for key in ("a", "b"):
            for size in (1, 2):
                known.observe(key, "cpu", 3.0 * size, size=size)
        before = sum(1 for _ in known._entries())
        self.assertEqual((known.forget("c"), len(known)), (0, 4))
        deleted = known.forget("a")
        self.assertEqual(before - deleted, sum(1 for _ in known._entries()))
        self.assertEqual({text(entry.features.key) for entry in known._entries()}, {"b"})
        self.assertEqual(times(jobs("b", size=[2]).fill(known)), [6.0])
        self.assertEqual((deleted, known.forget(), len(known)), (deleted, deleted, 0))


@needs_files
class Files(InFolder):
    def test_forget_deletes_from_the_file(self):
        known = hs.Profile("times.profile", gpu="Mine")
        known.observe("a", "cpu", 1.0)
        known.save()
        known.observe("a", "gpu", 2.0)
        known.observe("b", "gpu", 3.0)
        self.assertGreater(known.forget("a"), 1)
        self.assertEqual((len(known), known.gpu), (1, "Mine"))
        self.assertEqual(len(hs.Profile("times.profile", gpu="Mine")), 1)
        known.save()
        self.assertEqual(next(hs.Profile("times.profile", gpu="Mine")._entries()).runs, 1)
        self.assertEqual(known.forget("c"), 0)
        self.assertGreater(known.forget(), 0)
        self.assertEqual((len(known), known.processors()), (0, []))

    def test_file(self):
        r = hs.run(commands("sleep 0.05"), commands=True, profile="times.profile")
        known = hs.Profile("times.profile")
        self.assertEqual((len(known), known.cpu), (1, known.processors()[0][1]))
        row = r.records()[0]
        self.assertAlmostEqual(times(commands("sleep 0.05").fill("times.profile"))[0],
                               row["end"] - row["start"])
        entry = next(known._entries())
        self.assertAlmostEqual(entry.last, r.began + row["end"], delta=2)
        known.observe("later", "cpu", 1)
        self.assertEqual(len(hs.Profile("times.profile")), 1)
        known.save()
        self.assertEqual(len(hs.Profile("times.profile")), 2)
        known.save()
        self.assertEqual(next(hs.Profile("times.profile")._entries()).runs, 1)

    def test_the_tools_read_it(self):
        known = hs.Profile("times.profile")
        for size in (10, 20, 40, 80):
            known.observe("mine", "cpu", 0.5 * size, size=size)
        known.save()
        self.assertIn(b"mine", tool("hsched-calibrate", "--profile", "times.profile", "--list"))
        inst = jobs("mine", size=[60])
        inst.save("jobs.csv")
        tool("hsched-solve", "jobs.csv", "-a", "lpt", "--profile", "times.profile", "-o", "plan")
        self.assertEqual(hs.read("plan").makespan, hs.solve(inst.fill(known), "lpt").makespan)

    def test_a_file_appears_with_its_first_time(self):
        known = hs.Profile("times.profile")
        self.assertFalse(os.path.exists("times.profile"))
        self.assertEqual(known.processors(), [])
        open("times.profile", "w").close()  # as another process does before it fills the file
        self.assertEqual(len(hs.Profile("times.profile")), 0)
        known.save()
        self.assertTrue(os.path.exists("times.profile"))

    def test_the_file_stays_the_same_in_another_folder(self):
        os.mkdir("elsewhere")
        known = hs.Profile("times.profile")
        self.assertEqual(known.path, os.path.join(os.getcwd(), "times.profile"))
        known.observe("k", "cpu", 1.0)
        os.chdir("elsewhere")
        known.save()
        os.chdir("..")
        self.assertEqual(os.listdir("elsewhere"), [])
        self.assertEqual(len(hs.Profile("times.profile")), 1)

    def test_models_of_gpus(self):
        for model, count in (("Old", 1), ("New", 3)):
            known = hs.Profile("times.profile", gpu=model)
            for size in range(1, count + 1):
                known.observe(f"on{model}", "gpu", 1.0 if model == "Old" else 2.0, size=size)
            known.save()
        with unittest.mock.patch.object(_profile, "_device", lambda: None):
            self.assertEqual(hs.Profile("times.profile").gpu, "New")
            self.assertEqual(hs.Profile("none").gpu, "emulated")
        old = hs.Profile("times.profile", gpu="Old")
        self.assertEqual(old.similar, {"gpu": "New"})
        self.assertEqual(len(old), 4)
        self.assertEqual(sorted(old.processors()), [("gpu", "New", 3), ("gpu", "Old", 1)])

    def test_bad_files(self):
        with open("text", "w", encoding="utf-8") as file:
            file.write("no profile\n" * 1000)
        with self.assertRaises(hs.WrongKind):
            hs.Profile("text")
        os.mkdir("folder")
        with self.assertRaises(hs.WrongKind):
            hs.Profile("folder")
        with self.assertRaises(hs.InputOutput):
            hs.run(commands("touch ran"), commands=True, profile="missing/times.profile")
        self.assertFalse(os.path.exists("ran"))

    def test_a_run_is_not_lost_with_its_times(self):
        known = hs.Profile("times.profile")
        with self.assertWarnsRegex(RuntimeWarning, "save"):
            r = hs.run(commands("rm -r times.profile*; mkdir times.profile"), commands=True,
                       profile=known)
        self.assertTrue(r.ok)
        os.rmdir("times.profile")
        known.save()
        self.assertEqual(len(hs.Profile("times.profile")), 1)

    def test_processes_share_a_file(self):
        text = ("import sys, hybridsched as hs\n"
                "known = hs.Profile('times.profile')\n"
                "for size in range(1, 21):\n"
                "    known.observe(sys.argv[1], 'cpu', 1.0, size=size); known.save()\n")
        found = []
        threads = [threading.Thread(target=lambda name=name: found.append(script(text, name)))
                   for name in "ab"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual("".join(done.stderr for done in found), "")
        self.assertEqual(len(hs.Profile("times.profile")), 40)


if __name__ == "__main__":
    unittest.main()
