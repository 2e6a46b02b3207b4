# SPDX-License-Identifier: BSD-3-Clause
"""Verification of certificates in exact arithmetic, with code of its own."""

from __future__ import annotations

import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from fractions import Fraction
from typing import Optional, Union

from ._errors import InvalidArgument, Unsupported
from ._library import ffi, lib, sized
from ._bounds import Bound
from ._instance import Instance

INFINITY = math.inf
Time = Union[Fraction, float]  # a Fraction, or infinity


class _Wrong(Exception):
    """The certificate does not prove its value."""


def verify(instance: Instance, certificate: Union[Bound, bytes]) -> bool:
    """Return whether a certificate proves its bound for an instance.

    Proofs of the kinds none, task and multipliers are verified here, in fractions. Other proofs
    are passed to the program hsched-check. hsched-certificates(5) defines the proofs.

    Parameters
    ----------
    instance : Instance
        Tasks and workers.
    certificate : Bound or bytes
        A bound with a certificate, or the content of a certificate's file.

    Raises
    ------
    Unsupported
        The proof is of another kind, and hsched-check is not in PATH.
    """
    data = certificate.certificate if isinstance(certificate, Bound) else certificate
    if data is None:
        raise InvalidArgument("the bound has no certificate: compute it with certificate=True")
    instance = instance._without_idle_unknowns()  # as bound() does
    try:
        lines = _lines(data)
        if _text(lines, "instance-digest") != f"{instance.digest:016x}":
            raise _Wrong("the certificate is of another instance")
        value = _exact(lines, "value")
        if isinstance(certificate, Bound) and Fraction(certificate.value) != value:
            raise _Wrong("the certificate proves another value")
        kind = _text(lines, "proof")
        if kind == "none":
            return value == 0
        if kind == "task":
            return _proves_task(instance, value)
        if kind == "multipliers":
            return _proves_load(instance, value, _exact(lines, "cpu-multiplier"),
                                _exact(lines, "gpu-multiplier"))
        return _ask_checker(instance, data)
    except _Wrong:
        return False


def _lines(data: bytes) -> dict[str, list[str]]:
    """Return the fields of each line by its first field, after a check of the checksum."""
    body, _, last = data.rstrip(b"\n").rpartition(b"\n")
    body += b"\n"
    hashed = 0xCBF29CE484222325
    for byte in body:
        hashed = (hashed ^ byte) * 0x100000001B3 % 2**64
    if last != b"checksum,%016x" % hashed:
        raise _Wrong("the checksum is wrong")
    first, *lines = body.decode("utf-8", "replace").splitlines()
    if first != "# hybridsched certificate 1":
        raise _Wrong("this is no certificate")
    return {fields[0]: fields[1:] for fields in (line.split(",") for line in lines)}


def _text(lines: dict[str, list[str]], key: str) -> str:
    if not lines.get(key):
        raise _Wrong(f"the line {key} is missing")
    return lines[key][0]


def _exact(lines: dict[str, list[str]], key: str) -> Fraction:
    """Return a value that is written as a decimal and as an exact multiple of a power of two."""
    fields = lines.get(key, [])
    try:
        decimal, exact = fields
        mantissa, power = exact.split("*2^")
        value = Fraction(int(mantissa)) * Fraction(2) ** int(power)
        if value < 0 or Fraction(float(decimal)) != value:
            raise ValueError
    except (ValueError, OverflowError):
        raise _Wrong(f"the line {key} is malformed") from None
    return value


def _rows(instance: Instance) -> Iterator[tuple[Time, Time, int]]:
    """Iterate over the rows: the times on a CPU and on a GPU, and the number of copies.

    A type without workers takes infinitely long.
    """
    task = sized("hs_task")
    for row in range(lib.hs_instance_rows(instance._handle)):
        lib.hs_instance_row_sized(instance._handle, row, task, ffi.sizeof("hs_task"))
        yield (_time(task.cpu, instance.cpus), _time(task.gpu, instance.gpus),
               max(1, int(task.count)))


def _time(time: float, workers: int) -> Time:
    return INFINITY if math.isinf(time) or workers == 0 else Fraction(time)


def _limit(instance: Instance, value: Fraction) -> Fraction:
    """Return the largest possible load below ``value``: a multiple of the grid of all times."""
    grid: Optional[Fraction] = None
    for cpu, gpu, _ in _rows(instance):
        for time in (cpu, gpu):
            if isinstance(time, Fraction):
                step = Fraction(time.numerator & -time.numerator, time.denominator)
                grid = step if grid is None else min(grid, step)
    if grid is None:
        raise _Wrong("no task can run")
    return (math.ceil(value / grid) - 1) * grid


def _proves_task(instance: Instance, value: Fraction) -> bool:
    return any(cpu >= value and gpu >= value for cpu, gpu, _ in _rows(instance))


def _proves_load(instance: Instance, value: Fraction, u: Fraction, v: Fraction) -> bool:
    """Return whether the weighted loads of all tasks exceed what fits below ``value``."""
    limit = _limit(instance, value)
    total = Fraction(0)
    for cpu, gpu, count in _rows(instance):
        open_types = ([u * cpu] if isinstance(cpu, Fraction) and cpu <= limit else []) + \
            ([v * gpu] if isinstance(gpu, Fraction) and gpu <= limit else [])
        if not open_types:
            return True
        total += min(open_types) * count
    return total > limit * (instance.cpus * u + instance.gpus * v)


def _ask_checker(instance: Instance, data: bytes) -> bool:
    """Verify a certificate by hsched-check, which wants a plan of the instance, too."""
    from ._solve import solve

    program = shutil.which("hsched-check")
    if program is None:
        raise Unsupported("this kind of proof is verified by the program hsched-check, which is "
                          "not in PATH: install the tools of hybridsched")
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("proof", "plan", "instance")]
        with open(paths[0], "wb") as file:
            file.write(data)
        solve(instance, "mct" if instance.has_graph else "lpt").save(paths[1])
        instance.save(paths[2])
        done = subprocess.run([program, "--certificate", *paths], stdout=subprocess.DEVNULL,
                              stderr=subprocess.PIPE, text=True)
    if done.returncode not in (0, 1, 2):  # 1: proves nothing, 2: malformed
        raise Unsupported(f"hsched-check could not verify the certificate: {done.stderr.strip()}")
    return done.returncode == 0
