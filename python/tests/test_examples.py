# SPDX-License-Identifier: BSD-3-Clause
"""The examples for other packages, which run where these are installed."""

import os
import subprocess
import sys
import unittest

from common import SOURCE, has


def output(name):
    path = os.path.join(SOURCE, "python/examples", name)
    return subprocess.run([sys.executable, path], check=True, stdout=subprocess.PIPE,
                          text=True).stdout


class Examples(unittest.TestCase):
    @unittest.skipUnless(has("joblib"), "joblib is missing")
    def test_joblib(self):
        self.assertEqual(output("joblib_backend.py"), "328350\n")

    @unittest.skipUnless(has("dask") and has("cloudpickle"), "dask is missing")
    def test_dask(self):
        self.assertEqual(output("dask_pool.py"), f"{2 * sum(range(9900))}\n")


if __name__ == "__main__":
    unittest.main()
