/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_MACHINE_MODULE_H
#define HSI_EXEC_MACHINE_MODULE_H

#include <stdbool.h>

#include <hybridsched/backend.h>
#include <hybridsched/device.h>

/* A backend in a shared library that is opened at run time. */
typedef struct hsi_module {
    void                *file;
    const hs_backend    *backend;
    const hs_device_ops *device; /* drives the same devices; NULL: the module has no such table */
} hsi_module;

/* Open a file for good, as dlopen() does: a name without a slash is that of the installed file if it
 * exists, else searched as shared libraries are, for a library that was moved or not installed. */
void *hsi_module_load(const char *file);

/* Return whether a text is the path, with a slash, of a file. */
bool hsi_module_is_file(const char *text);

/* Return whether a file has a table for devices and no backend. */
bool hsi_module_drives_only_devices(const char *file);

/* Open the module at `path`; NULL: the default module. HS_ERESOURCE: it cannot be opened. */
hs_status hsi_module_open(const char *path, hsi_module *out, hs_error *error);
void      hsi_module_close(hsi_module *module);

#endif
