/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_BUFFERS_H
#define HSI_EXEC_CLIENT_BUFFERS_H

#include <hybridsched/backend.h>
#include <hybridsched/plugin.h>

#include "data/ledger.h"

/*
 * Buffers: the data of tasks whose kernels are functions of the application. The memory is the
 * application's, or the library allocates it. Tasks that use a buffer depend on each other, so no
 * function here needs a lock. Devices may share the buffers (buffers_devices.c).
 */
typedef struct hsi_buffers hsi_buffers;

/* Return the number of data that a row names. */
size_t hsi_buffers_count(const hsi_buffers *buffers, size_t row);

/* Return the access mode of the data with this index in the row: HS_READ, HS_WRITE or both. */
uint32_t hsi_buffers_mode(const hsi_buffers *buffers, size_t row, size_t index);

/* Return true if tasks of the row are wrong without the data in memory: the row's kernel is a
 * function that uses them, or the row writes data of such functions. */
bool hsi_buffers_need_plugin(const hsi_buffers *buffers, size_t row);

/* Return true if tasks of the row may be tried again or spoliated. Such a task writes to memory of
 * its own, which replaces the data once the task is done. */
bool hsi_buffers_keep(const hsi_buffers *buffers, const hs_task *row);

/* An attempt to run a task. The caller sets the first five members; the lists have room for the
 * data of the row. */
typedef struct hsi_buffers_attempt {
    size_t          row;
    uint32_t        task;
    bool            keep;
    hs_plugin_data *data;
    hsi_use        *use; /* uses of the data, if devices share them */
    unsigned        count;
} hsi_buffers_attempt;

/* Set a->data for an attempt on the host, in the order of the row. Return false, and write why, if
 * memory for `keep` is short or data was lost with a device; nothing is left to be ended then. */
bool hsi_buffers_begin(hsi_buffers *buffers, hsi_buffers_attempt *a, char why[HS_WHY]);

/* End an attempt. If it is `done`, the memory that it wrote becomes the newest version. */
void hsi_buffers_end(hsi_buffers *buffers, const hsi_buffers_attempt *a, bool done);

#endif
