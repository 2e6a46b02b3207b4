/* SPDX-License-Identifier: BSD-3-Clause */
#ifndef TOOLS_EXEC_EARLIER_RUN_H
#define TOOLS_EXEC_EARLIER_RUN_H

#include "common/json.h"
#include "exec/exec.h"

/* The JSON report of an earlier run, for comparison with this one. */

typedef struct exec_earlier_kernel {
    const char *name;
    hs_type     type;
    double      count, mean; /* in the earlier run's unit */
} exec_earlier_kernel;

/** A finished attempt. */
typedef struct exec_earlier_task {
    const char *name, *worker;
    double      time; /* in the earlier run's unit */
} exec_earlier_task;

struct exec_earlier {
    const char       *path;
    json_tree        *tree;
    /* root object of the report; it has the members that earlier_run.c requires */
    const json_value *root;
    hs_unit           unit;
    exec_earlier_kernel  *kernels; /* sorted by name and type */
    size_t            kernel_count;
    exec_earlier_task    *tasks; /* sorted by name */
    size_t            task_count;
};

/** Read the report at `path`. Return 0, or an exit code after a message. Free `run` in any case. */
int  exec_earlier_read(const char *path, exec_earlier *run);
void exec_earlier_free(exec_earlier *run);

/** Find a kernel on a type, or a task, in the earlier run; NULL: none. O(log n). */
const exec_earlier_kernel *exec_earlier_kernel_find(const exec_earlier *run, const char *name, hs_type type);
const exec_earlier_task   *exec_earlier_task_find(const exec_earlier *run, const char *name);

#endif
