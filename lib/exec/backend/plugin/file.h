/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_BACKEND_PLUGIN_FILE_H
#define HSI_EXEC_BACKEND_PLUGIN_FILE_H

#include <hybridsched/backend.h>
#include <hybridsched/plugin.h>

#include "exec/client/buffers.h"

/* The file of a kernel plugin:FILE.so:SYMBOL, and the name in it. */
typedef struct hsi_plugin {
    void *file;   /* handle of dlopen(), which counts the openings; NULL: not open */
    char *path;   /* owned */
    char *symbol; /* in the memory of `path` */
} hsi_plugin;

/* Return true if the row's kernel is a plugin. HS_EREFUSED with *error: the options allow none. */
bool      hsi_plugin_is_kernel(const hs_task *row);
hs_status hsi_plugin_allow(const hs_backend_options *options, const hs_task *row, hs_error *error);

/* Open the file of the row's kernel; `dry_run`: only check that it can be read, since opening runs
 * its constructors. The caller closes it, also after a failure. */
hs_status hsi_plugin_open(const hs_task *row, bool dry_run, hsi_plugin *out, hs_error *error);
void      hsi_plugin_close(hsi_plugin *plugin);

/* Return the function whose name is the symbol with this end; NULL: there is none. */
hs_plugin_function *hsi_plugin_find(const hsi_plugin *plugin, const char *suffix);

/* Refuse a plugin that does not declare the data of a row. `buffers` NULL: the row gets none. */
hs_status hsi_plugin_check_modes(const hsi_plugin *plugin, const hsi_buffers *buffers,
                                 size_t number, const hs_task *row, hs_error *error);

#endif
