/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_LIST_H
#define TESTS_GPU_LIST_H

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

/* One GPU and a list of built-in kernels for it. */

typedef struct gpu_list {
    const char *const *kernels; /* "dgemm:960"; tasks of different rows take turns */
    size_t             rows;
    unsigned           count; /* of each */
    hs_gpu_mode        mode;
    int                resident, verify;
    const char        *module; /* NULL: where it is installed */
} gpu_list;

typedef struct gpu_list_result {
    hs_status status;
    double    seconds;       /* from the start to the last end */
    double    overhead;      /* of a task, in seconds, as the report of a run has it */
    uint64_t  done, checked; /* numbers of tasks done and of tasks verified */
    char      why[HS_WHY];   /* of what went wrong, the first */
} gpu_list_result;

/* Run them. HS_OK: all are done, and by the module for GPUs. */
hs_status gpu_list_run(const gpu_list *list, gpu_list_result *result);

#endif
