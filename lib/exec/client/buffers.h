/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_BUFFERS_H
#define HSI_EXEC_CLIENT_BUFFERS_H

#include <hybridsched/plugin.h>

/*
 * Buffers: the data of tasks whose kernels are functions of the application. The memory is the
 * application's, or the library allocates it. Tasks that use a buffer depend on each other, so no
 * function here needs a lock.
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

/* Set data[i] for each datum of the row, in the order of the row, for an attempt. Return false if
 * memory for `keep` is short; nothing is left to be ended then. */
bool hsi_buffers_begin(hsi_buffers *buffers, size_t row, bool keep, hs_plugin_data *data);

/* End an attempt. If it is `done`, the memory that it wrote becomes the newest version. */
void hsi_buffers_end(hsi_buffers *buffers, size_t row, bool keep, const hs_plugin_data *data,
                     bool done);

#endif
