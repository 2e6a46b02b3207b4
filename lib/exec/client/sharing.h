/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_SHARING_H
#define HSI_EXEC_CLIENT_SHARING_H

#include <stdbool.h>

#include <hybridsched/device.h>
#include <hybridsched/exec.h>

#include "data/ledger.h"
#include "exec/device/ahead.h"

struct hsi_matrix;
struct hsi_matrix_row;
struct hsi_client_run;

/* Functions that let GPU and CPU workers work on the tiles of one matrix, over the tables
 * of the modules for devices. CPU workers announce the rows that they run, before and after. */
typedef struct hsi_memory hsi_memory;

/* The operands of a row while a CPU worker runs its task. */
typedef struct hsi_taken {
    hsi_use use[HSI_MOST_USES];
} hsi_taken;

typedef struct hsi_sharing {
    /* Create the memory for the devices of the run. The settings limit the tiles on each. */
    hs_status (*create)(struct hsi_matrix *matrix, const struct hsi_client_run *run,
                        hsi_memory **out, hs_error *error);

    /* Return the backend of kernels on tiles, on GPUs, with the name of the module that drives the
     * devices; the memory owns it. A copy of the table has the memory as its data. */
    const hs_backend *(*backend)(const hsi_memory *memory);
    void (*free)(hsi_memory *memory);
    void (*renew)(hsi_memory *memory); /* before a run: all tiles are new, at the host */

    /* Allocate host memory for asynchronous copies (pinned); NULL: none is left. */
    void *(*allocate)(hsi_memory *memory, size_t bytes);
    void (*release)(hsi_memory *memory, void *at);

    /*
     * Called around a task of this row on a CPU worker. take() brings the operands to the host, and
     * waits until no copy reads what the task overwrites; 0: a tile is lost, and `why` says so.
     * give() releases the operands. `done`: the task has written them; otherwise they are lost if
     * it worked in place.
     */
    int (*take)(hsi_memory *memory, const struct hsi_matrix_row *row, hsi_taken *taken,
                char why[HS_WHY]);
    void (*give)(hsi_memory *memory, const struct hsi_matrix_row *row, const hsi_taken *taken,
                 bool done, bool in_place);

    /* Announce that a CPU worker will soon run a task of this row: prefetch the operands that exist
     * already. */
    void (*expect)(hsi_memory *memory, const struct hsi_matrix_row *row);

    /*
     * Prepare a segment, in a GPU's worker that is open, before the start. The list has *count
     * neighbours of the worker's part of the plan, HSI_SEGMENT at most, and no task of it needs a
     * task that another worker runs after the start of the first. Set *count to the number of
     * leading tasks that form the segment; they are launched as one when ahead() gets all of them
     * and all are certain. *count 0: the first task cannot be part of a segment.
     */
    hs_status (*segment)(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                         hs_error *error);

    /* Announce the list before a GPU worker runs its first task. */
    void (*ahead)(hs_backend_worker *worker, const hsi_ahead *list, size_t count);

    /* Set the body that the worker runs after the present one: the operands exist and may be
     * prefetched. NULL: no task waits, and prefetching stops. Callable from any thread. */
    void (*next)(hs_backend_worker *worker, const hs_body *body);

    /* After a run: return 1 if a tile was lost with a GPU; `why` names it. */
    int (*lost)(hsi_memory *memory, char why[HS_WHY]);

    /*
     * Return the recorded transfers, once after a run, if matrix->records. Times are in seconds
     * from `start`, which is in ns of the host's clock; sorted by destination, then start. The host
     * is memory 0 and GPU g is memory 1 + g. The memory owns the list.
     */
    hs_transfer *(*transfers)(hsi_memory *memory, int64_t start, size_t *count);
} hsi_sharing;

extern const hsi_sharing hsi_device_sharing;

#endif
