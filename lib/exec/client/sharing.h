/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_CLIENT_SHARING_H
#define HSI_EXEC_CLIENT_SHARING_H

#include <hybridsched/exec.h>

struct hsi_matrix;
struct hsi_matrix_row;

/* Functions of the module for GPUs that let GPU and CPU workers work on the tiles of one matrix.
 * The module copies tiles; CPU workers announce the rows that they run, before and after. */
typedef struct hsi_memory hsi_memory;

/* A task that a GPU worker runs now or may run soon. */
typedef struct hsi_ahead {
    const hs_body *body;
    uint32_t       task;
    bool           certain; /* all predecessors are done or stand before the task in the list, and
                               no other worker gets the task: it may be launched at once */
} hsi_ahead;

enum { HSI_SEGMENT = 16 }; /* maximum number of tasks in a segment */

typedef struct hsi_sharing {
    /* Backend of kernels on tiles, on GPUs: a copy of the table has an hsi_memory as its data. */
    const hs_backend *backend;

    /* Create the memory for `gpus` GPUs. The settings limit the tiles on each GPU. */
    hs_status (*create)(struct hsi_matrix *matrix, unsigned gpus, const hs_exec_settings *settings,
                        hsi_memory **out, hs_error *error);
    void (*free)(hsi_memory *memory);
    void (*renew)(hsi_memory *memory); /* before a run: all tiles are new, at the host */

    /* Allocate host memory for asynchronous copies (pinned); NULL: none is left. */
    void *(*allocate)(size_t bytes);
    void (*release)(void *at);

    /*
     * Called around a task of this row on a CPU worker. take() brings the operands to the host, and
     * waits until no copy reads what the task overwrites; 0: a tile is lost, and `why` says so.
     * give() releases the operands; `done`: the task has written them.
     */
    int (*take)(hsi_memory *memory, const struct hsi_matrix_row *row, char why[HS_WHY]);
    void (*give)(hsi_memory *memory, const struct hsi_matrix_row *row, int done);

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
     * from `start`, which is in ns of the host's clock; sorted by destination, then start. The
     * memory owns the list.
     */
    const hs_transfer *(*transfers)(hsi_memory *memory, int64_t start, size_t *count);
} hsi_sharing;

#endif
