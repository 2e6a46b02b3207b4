/* SPDX-License-Identifier: BSD-3-Clause */

/*
 * A task that computes a block of rows of the plate, as a plugin:
 *
 *     cc -O2 -shared -fPIC $(pkg-config --cflags hybridsched) -o stencil.so stencil.c
 *
 * The task reads the block above, its own block and the block below, and writes its own block of
 * the next step. The library runs it once these data exist, with their addresses.
 */
#include <hybridsched/plugin.h>

#include "stencil.h"

HS_PLUGIN_FILE;

HS_PLUGIN_MODES(relax, HS_READ, HS_READ, HS_READ, HS_WRITE);

HS_PLUGIN_TASK(relax)
{
    const hs_plugin_data *data = task->data;
    const double         *above = data[0].at, *own = data[1].at, *below = data[2].at;
    double               *next = data[3].at;
    size_t                rows = data[1].bytes / sizeof(double[COLUMNS]), row;

    above += data[0].bytes / sizeof(double) - COLUMNS; /* last row of the block above */
    for (row = 0; row < rows; row++) {
        if (hs_plugin_cancelled(task))
            return HS_PLUGIN_ABORTED;
        relax_row(row > 0 ? own + (row - 1) * COLUMNS : above, own + row * COLUMNS,
                  row + 1 < rows ? own + (row + 1) * COLUMNS : below, next + row * COLUMNS);
    }
    return HS_PLUGIN_DONE;
}
