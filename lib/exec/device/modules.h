/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DEVICE_MODULES_H
#define HSI_EXEC_DEVICE_MODULES_H

#include <stdint.h>

#include <hybridsched/device.h>

/*
 * The devices of several modules. A list of modules is a text like
 * "cuda,opencl:all,emulated:devices=2,memory=1e9": names, which stand for hybridsched-NAME.so, or
 * files with a slash or the end .so, each with a selection of devices after a colon. A part
 * NAME=VALUE continues the selection before it. A text that is the path of a file is that module
 * alone, also if the path has commas or colons. NULL stands for the first of cuda and opencl that
 * has a device.
 */
typedef struct hsi_device_choice {
    const hs_device_ops *ops;
    const char          *which; /* the selection, for ops->open() */
    unsigned             index; /* in the list of `which` */
    hs_device_info       info;
} hsi_device_choice;

typedef struct hsi_device_modules hsi_device_modules;

/*
 * Open the modules of a list and list their devices, in the order of the modules. A device whose
 * PCI address an earlier module has listed is left out, so each device is there once. HS_OK: the
 * caller owns *out. HS_ERESOURCE: a module cannot be opened, or has no device; HS_EINVAL: the list
 * or a selection is malformed; HS_ENOMEM.
 */
hs_status hsi_device_modules_open(const char *list, hsi_device_modules **out, hs_error *error);
void      hsi_device_modules_close(hsi_device_modules *modules);

/* Find the operations that all of some devices have, in the form of hs_device.operations. Opens
 * each device and closes it. HS_ERESOURCE: a device cannot be opened. */
hs_status hsi_device_choice_operations(const hsi_device_choice *devices, unsigned count,
                                       uint32_t operations[2], hs_error *error);

/* Return the devices and their number, at least 1; owned by `modules`. */
const hsi_device_choice *hsi_device_modules_devices(const hsi_device_modules *modules,
                                                    unsigned                 *count);

#endif
