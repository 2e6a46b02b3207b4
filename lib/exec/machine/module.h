/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_MODULE_H
#define HSI_EXEC_MACHINE_MODULE_H

#include <hybridsched/backend.h>
#include <hybridsched/device.h>

/* A backend in a shared library that is opened at run time. */
typedef struct hsi_module {
    void                *file;
    const hs_backend    *backend;
    const hs_device_ops *device; /* drives the same devices; NULL: the module has no such table */
} hsi_module;

/* Open the module at `path`; NULL: the default module. HS_ERESOURCE: it cannot be opened. */
hs_status hsi_module_open(const char *path, hsi_module *out, hs_error *error);
void      hsi_module_close(hsi_module *module);

#endif
