/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TESTS_GPU_LIST_H
#define TESTS_GPU_LIST_H

#include <hybridsched/exec.h>
#include <hybridsched/hybridsched.h>

/* Runs a list of built-in kernels on a GPU. */

typedef struct gpu_list {
    const char *const *kernels; /* "dgemm:960"; tasks of different rows alternate */
    size_t             rows;
    unsigned           count; /* tasks of each row */
    hs_gpu_mode        mode;
    int                resident, verify;
    const char        *module; /* NULL: the installed module */
} gpu_list;

typedef struct gpu_list_result {
    hs_status status;
    double    seconds;       /* time from the start to the last end */
    double    overhead;      /* overhead of a task in seconds, as in the report of a run */
    uint64_t  done, checked; /* numbers of tasks done and of tasks verified */
    hs_error  error;         /* first failure */
} gpu_list_result;

/* Run the list. HS_OK: every task was done by the module for GPUs. */
hs_status gpu_list_run(const gpu_list *list, gpu_list_result *result);

#endif
