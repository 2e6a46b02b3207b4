# SPDX-License-Identifier: BSD-3-Clause
"""A backend of joblib that calls functions in an Executor.

    joblib.register_parallel_backend("hybridsched", Backend)
    with hybridsched.Executor(cpus=2) as executor:
        with joblib.parallel_config("hybridsched", executor=executor):
            joblib.Parallel()(joblib.delayed(f)(n) for n in range(10))
"""

import joblib
from joblib.parallel import ParallelBackendBase

import hybridsched


class Backend(ParallelBackendBase):
    """Passes the batches of joblib to an Executor, which the caller shuts down."""

    supports_retrieve_callback = True
    default_n_jobs = -1

    def __init__(self, executor=None, **options):
        super().__init__(**options)
        self.executor = executor

    def configure(self, n_jobs=1, parallel=None, **options):
        self.parallel = parallel
        return self.effective_n_jobs(n_jobs)

    def effective_n_jobs(self, n_jobs):
        return self.executor._max_workers

    def submit(self, func, callback=None):
        future = self.executor.submit(func)
        if callback:
            future.add_done_callback(callback)
        return future

    def retrieve_result_callback(self, future):
        return future.result()


if __name__ == "__main__":
    joblib.register_parallel_backend("hybridsched", Backend)
    with hybridsched.Executor(cpus=2) as executor:
        with joblib.parallel_config("hybridsched", executor=executor):
            print(sum(joblib.Parallel()(joblib.delayed(pow)(n, 2) for n in range(100))))
