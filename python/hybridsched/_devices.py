# SPDX-License-Identifier: BSD-3-Clause
"""The GPUs of this machine."""

from __future__ import annotations

import os

from ._errors import MissingResource
from ._library import ffi, lib, sized, text


def find_devices(count: int, remedy: str) -> list[str]:
    """Return the first GPUs of this machine as values of CUDA_VISIBLE_DEVICES.

    Raises MissingResource, with a remedy, if there are fewer.
    """
    found, number = list[str](), ffi.new("unsigned *")
    given = os.environ.get("CUDA_VISIBLE_DEVICES")
    if lib.hs_exec_device_at(ffi.NULL, 0, ffi.NULL, number, ffi.NULL) == lib.HS_OK:
        for index in range(number[0]):
            device = sized("hs_exec_device")
            if lib.hs_exec_device_at(ffi.NULL, index, device, number, ffi.NULL) == lib.HS_OK:
                found.append(text(device.uuid))
    elif given is not None:
        found = [name.strip() for name in given.split(",") if name.strip() not in ("", "-1")]
    elif os.path.isdir("/proc/driver/nvidia/gpus"):
        found = [str(index) for index, _ in enumerate(os.listdir("/proc/driver/nvidia/gpus"))]
    if len(found) < count:
        raise MissingResource(f"gpus={count}: this machine has {len(found)} visible GPUs; {remedy}")
    return found[:count]
