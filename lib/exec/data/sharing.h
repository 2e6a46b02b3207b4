/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_EXEC_DATA_SHARING_H
#define HSI_EXEC_DATA_SHARING_H

#include <hybridsched/backend.h>

#include "exec/data/matrix.h"

/*
 * What the module for GPUs has so that its workers and those of CPUs work on the tiles of one
 * matrix. It copies them to and fro; workers of CPUs say what they need, and when they are done.
 */
typedef struct hsi_memory hsi_memory;

/* A task that a GPU's worker is about to be given, or may well be given after that. */
typedef struct hsi_ahead {
    const hs_body *body;
    uint32_t       task;
    int            certain; /* all it comes after is done, or stands before it in the list, and
                               nobody else will get it: it may be on its way at once */
} hsi_ahead;

enum { HSI_STRETCH = 16 }; /* tasks, at most, that are put together */

typedef struct hsi_sharing {
    /* Of kernels on tiles, on GPUs: a copy of the table has an hsi_memory as its data. */
    const hs_backend *backend;

    /* For so many GPUs, with so many bytes of tiles on each; 0: most of what there is. */
    hs_status (*create)(hsi_matrix *matrix, unsigned gpus, double bytes, hsi_memory **out,
                        char why[HS_WHY]);
    void (*free)(hsi_memory *memory);
    void (*renew)(hsi_memory *memory); /* before a run: all is at home, and new */

    /* Memory that copies go to and fro without waiting for them; NULL: there is none. */
    void *(*allocate)(size_t bytes);
    void (*release)(void *at);

    /*
     * A worker of a CPU is about to run a task of this row: its operands are at home, and nobody
     * copies what it overwrites. 0: something is lost, as `why` says. And that has ended.
     */
    int (*take)(hsi_memory *memory, const hsi_matrix_row *row, char why[HS_WHY]);
    void (*give)(hsi_memory *memory, const hsi_matrix_row *row, int done);

    /* It will soon run one of this row: what is made of its operands is put on its way. */
    void (*expect)(hsi_memory *memory, const hsi_matrix_row *row);

    /*
     * In a GPU's worker, before the start and after it was opened: *count neighbours of its list,
     * HSI_STRETCH at most, of which nothing comes after what others do while the first ones run.
     * So many of them, from the first on, are put together now, *count, to be launched as one when
     * ahead() is given all of them and all are certain; 0: that one is not for this.
     */
    hs_status (*stretch)(hs_backend_worker *worker, const hsi_ahead *list, size_t *count,
                         char why[HS_WHY]);

    /* Before a GPU's worker runs the first task of the list. */
    void (*ahead)(hs_backend_worker *worker, const hsi_ahead *list, size_t count);

    /* From any thread, while the worker runs something: what it runs then reads things that are made
     * already, and they may be fetched meanwhile. NULL: nothing waits, and nothing is fetched. */
    void (*next)(hs_backend_worker *worker, const hs_body *body);

    /* After a run: 1 if something of the matrix was lost with a GPU, as `why` says. */
    int (*lost)(hsi_memory *memory, char why[HS_WHY]);

    /* Once after a run, if matrix->records: the copies that were made, in seconds from `start`, of
     * the host's clock in nanoseconds; sorted by where to, then start. Owned by the memory. */
    const hs_transfer *(*transfers)(hsi_memory *memory, int64_t start, size_t *count);
} hsi_sharing;

#endif
