# SPDX-License-Identifier: BSD-3-Clause
"""Profiles: measured times of tasks, which predict the times of others."""

from __future__ import annotations

import math
import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Optional, Union

from ._errors import InvalidArgument, Unsupported, check, check_described, how_to_get
from ._library import Path, encode, ffi, lib, sized, struct, text

if TYPE_CHECKING:
    import pandas

    from ._run import Run

KINDS = ("cpu", "gpu")
EMULATED = "emulated"  # model of GPUs in files, where there is no GPU


class Profile:
    """Measured times of tasks by kernel or program, type of worker, size, work and bytes.

    :meth:`Instance.fill` predicts unknown times from a profile, and :func:`run` adds to it. The
    files are those of ``hsched-exec --profile`` and ``hsched-calibrate --profile``.

    Parameters
    ----------
    path : path, optional
        A file, which is read now; it need not exist. By default the profile is only in memory.
    gpu : str, optional
        The model of GPU whose times count. By default that of this machine; on a machine without
        a GPU the one with the most times in the file.

    Attributes
    ----------
    path : str or None
        The file, with its absolute path.
    cpu, gpu : str
        Models of the processors whose times count; empty in memory.
    similar : dict
        For "cpu" and "gpu": the processor whose times serve for the programs and kernels that
        were never measured on this one. Missing if nothing serves.

    Raises
    ------
    Unsupported
        Files need a library built with SQLite: see :func:`features`.

    Examples
    --------
    >>> import hybridsched as hs
    >>> known = hs.Profile()
    >>> known.observe("train", "cpu", 3.0, size=10)
    >>> jobs = {"kernel": ["train"], "size": [10], "cpu": ["?"]}
    >>> hs.Instance.from_frame(jobs, cpus=1, gpus=0).fill(known).frame()["cpu"].tolist()
    [3.0]
    """

    def __init__(self, path: Optional[Path] = None, *, gpu: Optional[str] = None) -> None:
        out = ffi.new("hs_cost **")
        check(lib.hs_cost_create(out))
        self._cost = ffi.gc(out[0], lib.hs_cost_free)
        self._lock = threading.RLock()  # the library allows one call at a time
        self.path = None if path is None else os.path.abspath(path)
        self.cpu, self.gpu, self.similar = "", "", dict[str, str]()
        if self.path is None:
            if gpu is not None:
                raise InvalidArgument("gpu: a profile in memory has the times of one GPU; pass the "
                                      "path of a file")
            return
        if not hasattr(lib, "hs_profile_open"):
            raise Unsupported("this library has no files of profiles, because it was built without "
                              f"SQLite; Profile() keeps times in memory, or {how_to_get('sqlite')}")
        self._cpu, self._gpu = struct("hs_processor"), struct("hs_processor")
        lib.hs_processor_detect_cpu(1, self._cpu)
        self._gpu.type = lib.HS_GPU
        self._load(gpu)
        self.cpu, self.gpu = text(self._cpu.model), text(self._gpu.model)

    @contextmanager
    def _opened(self, access: int) -> Iterator[tuple[Any, Any]]:
        """Open the file; yield the handle, and an hs_error for its calls."""
        assert self.path is not None
        out, error = ffi.new("hs_profile **"), ffi.new("hs_error *")
        check_described(lib.hs_profile_open(encode(self.path), access, out, error), error)
        try:
            yield out[0], error
        finally:
            lib.hs_profile_close(out[0])

    def _load(self, gpu: Optional[str]) -> None:
        """Read the times of this machine's processors, and of similar ones for missing keys."""
        model = gpu or _device()
        self._gpu.model = encode(model or EMULATED)[:ffi.sizeof(self._gpu.model) - 1]
        if not os.path.lexists(self.path or ""):
            return
        with self._opened(lib.HS_PROFILE_READ) as (file, error):
            if model is None:
                self._choose_gpu(file, error)
            check_described(lib.hs_profile_load(file, self._cpu, self._gpu, self._cost, error),
                            error)
            for kind, own in zip(KINDS, (self._cpu, self._gpu)):
                other, keys = struct("hs_processor"), ffi.new("uint64_t *")
                check_described(lib.hs_profile_load_similar(file, own, self._cost, other, keys,
                                                            error), error)
                if keys[0]:
                    self.similar[kind] = text(other.model)

    def _choose_gpu(self, file: Any, error: Any) -> None:
        """Choose the GPU with the most times in the file; an emulated one only without others."""
        found = [(processor.model != EMULATED, processor.entries, processor.model)
                 for processor in _processors(file, error) if processor.kind == "gpu"]
        if found:
            self._gpu.model = encode(max(found)[2])

    def observe(self, key: str, kind: str, seconds: float, *, size: float = 0, flops: float = 0,
                bytes_in: float = 0, bytes_out: float = 0, date: int = 0) -> None:
        """Add a measured time. :meth:`save` writes it to the file.

        Parameters
        ----------
        key : str
            A kernel without its size (``"dgemm"``), or the base name of a program.
        kind : {"cpu", "gpu"}
            The type of the worker.
        seconds : float
            The time.
        size, flops, bytes_in, bytes_out : float
            Size of the task, its floating-point operations, and the bytes that it reads and writes;
            0: unknown.
        date : int
            Seconds from 1970 to the end; 0: unknown.
        """
        if kind not in KINDS:
            raise InvalidArgument(f"unknown type {kind!r}; expected 'cpu' or 'gpu'")
        features = struct("hs_features")
        name = encode(key)
        if not 0 < len(name) < lib.HS_MAX_KEY:
            raise InvalidArgument(f"key: expected 1 to {lib.HS_MAX_KEY - 1} bytes, not {len(name)}")
        features.key, features.size, features.flops = name, size, flops
        features.bytes_in, features.bytes_out = bytes_in, bytes_out
        self._observe(KINDS.index(kind), features, seconds, date)

    def _observe(self, kind: int, features: Any, seconds: float, date: int) -> None:
        with self._lock:
            check(lib.hs_cost_observe(self._cost, kind, features, seconds, date),
                  f"{text(features.key)}: {seconds!r} seconds")

    def add(self, run: Run) -> int:
        """Add the measured times of a run, and write them to the file. Return their number.

        Failed attempts and the timers of emulated workers measure nothing. :func:`run` does this
        with the argument ``profile``; a run that is added twice counts twice.
        """
        out = ffi.new("hs_feature_index **")
        check(lib.hs_feature_index_create(run.instance._handle, out))
        index = ffi.gc(out[0], lib.hs_feature_index_free)
        features, count = struct("hs_features"), 0
        for task, kind, start, end in run._measurements():
            lib.hs_feature_index_get(index, lib.hs_instance_row_of(run.instance._handle, task), kind,
                                     features)
            self._observe(kind, features, max(end - start, 1e-9), int(run.began + end))
            count += 1
        self.save()
        return count

    def save(self) -> None:
        """Write the times that are not in the file yet. If this fails, they are kept."""
        if self.path is None:
            return
        with self._lock, self._opened(lib.HS_PROFILE_UPDATE) as (file, error):
            check_described(lib.hs_profile_flush(file, self._cpu, self._gpu, self._cost, error),
                            error)
            check_described(lib.hs_profile_trim(file, lib.HS_PROFILE_MAX_ENTRIES, error), error)

    def forget(self, key: Optional[str] = None) -> int:
        """Delete the times of a key, for all processors; None: of all keys. Return their number.

        Times are deleted from the file, too. The number counts entries, of which a row of
        :meth:`frame` has several: for the task, for its features and for its key.
        """
        if self.path is None:
            return self._forget_in_memory(key)
        deleted = ffi.new("uint64_t *")
        with self._lock:
            self.save()
            with self._opened(lib.HS_PROFILE_UPDATE) as (file, error):
                check_described(lib.hs_profile_forget(file, ffi.NULL if key is None else encode(key),
                                                      deleted, error), error)
            left = Profile(self.path, gpu=self.gpu)
            self._cost, self.similar = left._cost, left.similar
        return int(deleted[0])

    def _forget_in_memory(self, key: Optional[str]) -> int:
        with self._lock:
            before = sum(1 for _ in self._entries())
            self._cost = self._copy(without=lambda found: key is None or found == key)
            return before - sum(1 for _ in self._entries())

    def _entries(self) -> Iterator[Any]:
        entry, index = struct("hs_cost_entry"), 0
        while lib.hs_cost_entry_at(self._cost, index, entry):
            yield entry
            index += 1

    def _copy(self, without: Callable[[str], bool] = lambda key: False) -> Any:
        """Return a copy of the times, for example for a run, without those of some keys."""
        out = ffi.new("hs_cost **")
        check(lib.hs_cost_create(out))
        copy = ffi.gc(out[0], lib.hs_cost_free)
        with self._lock:
            for entry in self._entries():
                if not without(text(entry.features.key)):
                    check(lib.hs_cost_merge(copy, entry))
        return copy

    def __len__(self) -> int:
        """Return the number of rows of :meth:`frame`."""
        with self._lock:
            return sum(entry.level == lib.HS_COST_LEVEL_HISTORY for entry in self._entries())

    def frame(self) -> pandas.DataFrame:
        """Return a DataFrame with a row for each key, type and set of features.

        Columns: key, type, size, flops, bytes_in, bytes_out (0: unknown), n (executions; old ones
        fade), mean and least (seconds), spread (deviation over mean; NaN: unknown), law (of the
        key, ``T = a D^b + c`` in seconds with the size D; empty: none) and last (date of the latest
        execution).
        """
        import pandas

        with self._lock:
            rows = [self._row(entry) for entry in self._entries()
                    if entry.level == lib.HS_COST_LEVEL_HISTORY]
        frame = pandas.DataFrame(rows, columns=[
            "key", "type", "size", "flops", "bytes_in", "bytes_out", "n", "mean", "spread", "least",
            "law", "last"])
        frame["last"] = pandas.to_datetime(frame["last"], unit="s")
        return frame.sort_values(["key", "type", "size"], ignore_index=True)

    def _row(self, entry: Any) -> tuple[Any, ...]:
        features, prediction = entry.features, struct("hs_prediction")
        lib.hs_cost_predict(self._cost, entry.type, ffi.addressof(features), prediction)
        return (text(features.key), KINDS[entry.type], features.size, features.flops,
                features.bytes_in, features.bytes_out, entry.runs, entry.mean,
                prediction.spread if entry.runs > 1 else math.nan, entry.least,
                self._law(entry.type, features.key), entry.last or None)

    def _law(self, kind: int, key: Any) -> str:
        law = struct("hs_power_law")
        if not lib.hs_cost_power_law(self._cost, kind, key, law):
            return ""
        return f"{law.a:.4g} D^{law.b:.4g} + {law.c:.4g}"

    def processors(self) -> list[tuple[str, str, int]]:
        """Return the processors in the file: type, model, and number of entries."""
        if not os.path.lexists(self.path or ""):
            return []
        with self._opened(lib.HS_PROFILE_READ) as (file, error):
            return [(found.kind, found.model, found.entries) for found in _processors(file, error)]

    def __repr__(self) -> str:
        where = f"{self.path}, {self.cpu}, GPU {self.gpu}" if self.path else "in memory"
        return f"<Profile: {len(self)} measured times, {where}>"


class _Processor:
    """A processor of a file."""

    def __init__(self, kind: str, model: str, entries: int) -> None:
        self.kind, self.model, self.entries = kind, model, entries


def _processors(file: Any, error: Any) -> list[_Processor]:
    count, entries = ffi.new("size_t *"), ffi.new("uint64_t *")
    check_described(lib.hs_profile_count_processors(file, count, error), error)
    found = []
    for index in range(count[0]):
        processor = struct("hs_processor")
        check_described(lib.hs_profile_processor_at(file, index, processor, entries, error), error)
        found.append(_Processor(KINDS[processor.type], text(processor.model), entries[0]))
    return found


def _device() -> Optional[str]:
    """Return the model of this machine's first GPU; None without a GPU."""
    device, count = sized("hs_exec_device"), ffi.new("unsigned *")
    status = lib.hs_exec_device_at(ffi.NULL, 0, device, count, ffi.NULL)
    return text(device.name) if status == lib.HS_OK else None


def opened(profile: Union[Profile, Path, None], must_exist: bool) -> Optional[Profile]:
    """Return the profile for an argument ``profile``: a Profile, or the path of a file."""
    if profile is None or isinstance(profile, Profile):
        return profile
    if must_exist and not os.path.exists(profile):
        raise FileNotFoundError(
            f"{os.fspath(profile)}: there is no such profile; hs.run(..., profile=...), "
            "hsched-exec --profile and hsched-calibrate --profile create one")
    return Profile(profile)
