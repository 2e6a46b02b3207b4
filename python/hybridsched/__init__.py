# SPDX-License-Identifier: BSD-3-Clause
"""Schedule tasks on CPUs and GPUs, with guarantees and lower bounds.

>>> import hybridsched as hs
>>> inst = hs.Instance([4, 2, 6], [1, 2, 3], cpus=1, gpus=1)
>>> s = hs.solve(inst)
>>> s.makespan, s.bound
(4.0, 4.0)
"""

from . import _interpreter  # noqa: F401
from ._errors import *  # noqa: F403
from . import _errors
from ._library import lib as _lib, text as _text
from ._progress import Progress
from ._registries import algorithms, bounds, policies
from ._report import Report
from ._bounds import Bound, bound, prove
from ._executor import Executor, Timed, both, gpu
from ._features import features
from ._foreign import import_file
from ._functions import Task
from ._generate import families, generate
from ._instance import Instance, read
from ._profile import Profile
from ._queue import Queue, queue
from ._run import Failure, Run, RunProgress, run
from ._schedule import SVG, Schedule
from ._simulate import simulate
from ._solve import compare, solve
from ._verify import verify

__version__ = _text(_lib.HS_VERSION_STRING)

__all__ = [
    "Bound", "Executor", "Failure", "Instance", "Profile", "Progress", "Queue", "Report", "Run",
    "RunProgress", "SVG", "Schedule", "Task", "Timed", "algorithms", "both", "bound", "bounds",
    "compare", "families", "features", "generate", "gpu", "import_file", "policies", "prove",
    "queue", "read", "run", "simulate", "solve", "verify",
]
__all__ += _errors.__all__

for _name in __all__:
    globals()[_name].__module__ = __name__
