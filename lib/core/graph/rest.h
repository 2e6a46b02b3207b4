/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef HSI_CORE_GRAPH_REST_H
#define HSI_CORE_GRAPH_REST_H

#include <hybridsched/solve.h>

/*
 * The instance of the tasks that are not done yet. Its tasks have the order, and its handles the
 * numbers, of the whole instance. A handle lies at the start where the last done task that wrote it
 * left it. Bytes that done copies of a row made for one task become a handle for each memory; the
 * rows of the tasks that read such bytes are divided into single tasks.
 */
typedef struct hsi_rest {
    hs_instance *in;
    size_t       tasks;   /* number of tasks of the whole instance */
    uint32_t    *task;    /* task in the whole instance of each remaining task */
    uint32_t    *number;  /* remaining task of each task; HS_NONE: done */
    size_t       handles; /* number of handles of the whole instance */
} hsi_rest;

/*
 * Build the rest of `in`: skip[task] is 1 for each done task, and skip_worker (may be NULL) has the
 * worker that ran it. HS_EINVAL: a predecessor of a done task is not done. HS_ETOOBIG, HS_ENOMEM.
 */
hs_status hsi_rest_open(hsi_rest *rest, const hs_instance *in, const unsigned char *skip,
                        const uint32_t *skip_worker);
void      hsi_rest_close(hsi_rest *rest);

/* Rename the tasks and handles of a schedule of the rest to those of the whole instance. */
void hsi_rest_rename(const hsi_rest *rest, hs_schedule *s);

/* Copy a schedule of the whole instance with the tasks of the rest; the caller owns *out.
 * HS_EINVAL: it has entries of done tasks. */
hs_status hsi_rest_schedule(const hsi_rest *rest, const hs_schedule *whole, hs_schedule **out);

#endif
