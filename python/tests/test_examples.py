# SPDX-License-Identifier: BSD-3-Clause
"""The examples for other packages, which run where these are installed."""

import os
import subprocess
import sys
import unittest

from common import SOURCE, has


def output(name, *arguments, folder="python/examples"):
    path = os.path.join(SOURCE, folder, name)
    return subprocess.run([sys.executable, path, *arguments], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Examples(unittest.TestCase):
    @unittest.skipUnless(has("joblib"), "joblib is missing")
    def test_joblib(self):
        self.assertEqual(output("joblib_backend.py"), "328350\n")

    @unittest.skipUnless(has("dask") and has("cloudpickle"), "dask is missing")
    def test_dask(self):
        self.assertEqual(output("dask_pool.py"), f"{2 * sum(range(9900))}\n")

    def test_the_comparison_of_types_without_a_gpu(self):
        lines = output("both.py", "--emulate", "6", "16", "1", "1", folder="bench").splitlines()
        self.assertEqual([line.split(":")[0] for line in lines[:3]], ["CPUs", "GPUs", "both"])
        self.assertRegex(lines[3], r"^6 products of 16 x 16, numpy, 1 CPUs, 1 GPUs: both / better "
                                   r"type [0-9.]+$")
        self.assertEqual(lines[4], "gpu0 saw 1 GPU: CUDA_VISIBLE_DEVICES=0")


if __name__ == "__main__":
    unittest.main()
